/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands that ask the kernel by netlink say when it doesn't answer. */
#ifndef WDCTL_ASK_H
#define WDCTL_ASK_H

#include "cmd.h"
#include "lib/facts.h"

/** ask_open() - the reason is printed when this fails. */
enum wdctl_exit ask_open(const char *command, struct wd_nl *f);

/** ask_failed() - print why the last request was refused. @what: it was about, may be NULL. */
void ask_failed(const char *command, const char *what, const struct wd_nl *f, int error);

/** ask_torn() - true if @ret is of a list that may miss some; says so. */
bool ask_torn(const char *command, int ret);

/** ask_number() - of an option, 0 to @max. @unit: for the message. */
bool ask_number(const char *command, const char *option, const char *text, unsigned long max, unsigned long *number);

/** ask_seconds() - of an option, with decimals, in milliseconds; at least one. */
bool ask_seconds(const char *command, const char *option, const char *text, long *ms);

#endif
