/* SPDX-License-Identifier: Apache-2.0 */
/* Values of attributes: converts the forms that people and the kernel write to one canonical text. */
#ifndef WDCTL_VALUE_H
#define WDCTL_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"

#define VALUE_WHY_SIZE 512

/* Looks up a user's or group's number. Return: 0, or -errno if there is no such name. */
struct id_names {
	void *arg;
	int (*find)(void *arg, bool group, const char *name, uint32_t *id);
};

/**
 * value_parse() - check a value and convert it to the form that configfs takes.
 *
 * Equal values have equal texts afterwards: lists are sorted, ranges joined.
 *
 * @names: NULL if names of users and groups can't occur.
 * @out: a new string.
 * @why: VALUE_WHY_SIZE bytes: what was expected, printable as it is.
 * Return: 0, -EINVAL with @why filled, -ENOMEM.
 */
int value_parse(const struct attr *a, const char *text, size_t len, const struct id_names *names,
		char **out, char *why);

/* Takes the next element off a list that is separated by blanks or commas; false at its end. */
bool value_next(const char **list, const char **element, size_t *len);

/** device_name_valid() - whether the name may be that of a uacce device or its parent. */
bool device_name_valid(const char *name, size_t len);
/** section_name_valid() - whether mkdir accepts the name of a section. */
bool section_name_valid(const char *name, size_t len);

#endif
