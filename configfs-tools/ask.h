/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of commands that ask the kernel by netlink, for when it doesn't answer. */
#ifndef WDCTL_ASK_H
#define WDCTL_ASK_H

#include "cmd.h"
#include "lib/device.h"
#include "lib/facts.h"

/** ask_open() - open the kernel's family; prints the reason of a failure. */
enum wdctl_exit ask_open(const char *command, struct wd_nl *f);

/** ask_failed() - print why the last request was refused. @what: the object of the request, may be NULL. */
void ask_failed(const char *command, const char *what, const struct wd_nl *f, int error);

/** ask_torn() - true, after a note, if @ret means that the list may be incomplete. */
bool ask_torn(const char *command, int ret);

/** ask_number() - parse the number of an option, 0 to @max; false after a message. */
bool ask_number(const char *command, const char *option, const char *text, unsigned long max, unsigned long *number);

/** ask_seconds() - parse the seconds of an option, with decimals, to milliseconds (at least one). */
bool ask_seconds(const char *command, const char *option, const char *text, long *ms);

/**
 * ask_counts() - take the kernel's counts of devices into the list; without an answer it stays as it is.
 * @requests: the devices count the requests of open contexts first
 */
void ask_counts(const struct root *root, struct device_list *list, bool requests);

#endif
