/* SPDX-License-Identifier: Apache-2.0 */
/* A unit of systemd, as 'systemctl show' has it. */
#ifndef WDCTL_UNIT_H
#define WDCTL_UNIT_H

#include <stdbool.h>
#include <stddef.h>

struct unit {
	char *text;		/* lines KEY=VALUE */
};

/* What a program needs that uses accelerators. */
#define UNIT_DEVICES "char-uacce"
#define UNIT_FAMILY "AF_NETLINK"

/** unit_read() - ask systemd. Return: 0, or -errno with a reason that is printable. */
int unit_read(struct unit *u, const char *name, char *why, size_t size);
void unit_free(struct unit *u);

/** unit_get() - a property, "" if the unit lacks it; of one with several lines the last. The text is not terminated. */
const char *unit_get(const struct unit *u, const char *key, size_t *len);
/** unit_copy() - the same as a string, cut off if it is longer. */
const char *unit_copy(const struct unit *u, const char *key, char *buf, size_t size);
/** unit_is() - has the property this value? */
bool unit_is(const struct unit *u, const char *key, const char *value);

/** unit_limits_devices() - may it open only devices that it names? */
bool unit_limits_devices(const struct unit *u);
/** unit_allows_devices() - may it open accelerators? */
bool unit_allows_devices(const struct unit *u);
/** unit_filters() - does a list of words, allowed or denied by '~' before them, keep this word away? */
bool unit_filters(const struct unit *u, const char *key, const char *word);
/** unit_filtered_calls() - the system calls that libraries need and a filter keeps away, "" for none. Return: @buf. */
const char *unit_filtered_calls(const struct unit *u, char *buf, size_t size);
/** unit_environment() - a variable of Environment=. Return: @buf, or NULL. */
const char *unit_environment(const struct unit *u, const char *name, char *buf, size_t size);

#endif
