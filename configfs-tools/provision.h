/* SPDX-License-Identifier: Apache-2.0 */
/* The common part of commands that provision: the file, the kernel's side, the plan and its execution. */
#ifndef WDCTL_PROVISION_H
#define WDCTL_PROVISION_H

#include <json-c/json.h>

#include "cmd.h"
#include "lib/plan.h"
#include "lib/tree.h"

struct provision {
	const struct wdctl_run *run;
	const char *command;		/* for messages */
	struct tree tree;
	struct config kernel;
	struct plan_options options;
	int wait_ms;
	bool verbose;
};

/* Keys of the options of commands that make a plan: their letters. */
#define PROVISION_PRUNE 'p'
#define PROVISION_REVOKE 'r'
#define PROVISION_MISSING_OK 'm'
#define PROVISION_WAIT 'w'
#define PROVISION_VERBOSE 'v'
#define PROVISION_KEEP_GOING 'k'

#define PROVISION_OPTION_REVOKE \
	{ PROVISION_REVOKE, "revoke", NULL, "take slots from the processes that hold them, at once" }
#define PROVISION_OPTION_WAIT \
	{ PROVISION_WAIT, "wait", "SECONDS", "wait that long for slots of sections that must drain (5)" }
#define PROVISION_OPTION_VERBOSE \
	{ PROVISION_VERBOSE, "verbose", NULL, "print each step when it is done" }
#define PROVISION_OPTIONS_FILE \
	{ PROVISION_PRUNE, "prune", NULL, "remove the sections that are not in FILE" }, \
	PROVISION_OPTION_REVOKE, \
	{ PROVISION_MISSING_OK, "missing-ok", NULL, "skip the settings of missing devices" }, \
	{ PROVISION_KEEP_GOING, "keep-going", NULL, "leave out what fails, and do the rest" }

/** provision_parse_file() - read and check FILE, and print all its errors, which --keep-going accepts. */
enum wdctl_exit provision_parse_file(const struct wdctl_run *r, const char *command, const char *file,
				     struct config *c);

/** provision_print_errors() - print all errors on standard error, each with file and line. */
void provision_print_errors(const struct config *c, const char *file);

/** provision_open() - read the kernel's side, with other writers locked out if it is to be changed. */
enum wdctl_exit provision_open(struct provision *p, const struct wdctl_run *r, const char *command,
			       bool change);
/** provision_open_wait() - the same with so long a wait for other writers; negative: without a change. */
enum wdctl_exit provision_open_wait(struct provision *p, const struct wdctl_run *r, const char *command, int lock_ms);
void provision_close(struct provision *p);

/**
 * provision_change() - change the kernel's side to @wanted; with --dry-run or @plan_only, only print the steps.
 * With --keep-going, errors of the file are failures, too.
 */
enum wdctl_exit provision_change(struct provision *p, const struct config *wanted, bool plan_only);

/** provision_print_json() - frees @top; NULL counts as out of memory. */
enum wdctl_exit provision_print_json(const char *command, struct json_object *top);

#endif
