/* SPDX-License-Identifier: Apache-2.0 */
/* A command of wdctl, and its input. */
#ifndef WDCTL_CMD_H
#define WDCTL_CMD_H

#include <stdbool.h>

#include "lib/root.h"

/* Exit codes, documented in wdctl(8). */
enum wdctl_exit {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,	/* the system refused, or doctor found a problem */
	EXIT_USAGE = 2,		/* nothing was tried */
	EXIT_BUSY = 3,		/* in use; nothing was changed unless a message says so */
	/* Of a command that executes another program, as in env(1); otherwise that program's exit status. */
	EXIT_NOT_RUN = 125,
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
};

/* An option of one command. Those that all commands share are in options.c. */
struct wdctl_option {
	char key;		/* index of its value; also the short option when it is a letter */
	const char *name;
	const char *arg;	/* what its argument is called, NULL for none */
	const char *help;
};

/* Which of the shared options a command has. */
enum wdctl_kind {
	WDCTL_PLAIN = 0,
	WDCTL_HAS_JSON = 1,
	WDCTL_HAS_DRY_RUN = 2,
	WDCTL_HAS_ROOT = 4,
	WDCTL_CHANGES_ROOT = 8,		/* what is below --root may be changed too */
	WDCTL_RUNS = 16,		/* a program with options of its own follows; exit codes of env(1) */
	WDCTL_QUERY = WDCTL_HAS_JSON | WDCTL_HAS_ROOT,
	WDCTL_CHANGE = WDCTL_HAS_DRY_RUN | WDCTL_HAS_ROOT,
};

struct wdctl_cmd;

struct wdctl_run {
	const struct wdctl_cmd *const *cmds;	/* all commands; NULL ends them */
	struct root root;
	bool json;
	bool dry_run;
	const char *opt[128];	/* by key: the argument, "" for an option without, NULL when not given */
	char **args;		/* arguments that are not options */
	int args_nr;
};

struct wdctl_cmd {
	const char *name;
	const char *help;	/* one line */
	const char *args;	/* what may follow the options, NULL for nothing */
	unsigned int kind;	/* of enum wdctl_kind */
	const struct wdctl_option *options;	/* ended by key 0; may be NULL */
	enum wdctl_exit (*run)(const struct wdctl_run *r);
};

extern const struct wdctl_cmd cmd_apply, cmd_check, cmd_ctx, cmd_device, cmd_doctor, cmd_export, cmd_help, cmd_list,
	cmd_load, cmd_metrics, cmd_monitor, cmd_plan, cmd_run, cmd_save, cmd_section, cmd_selftest, cmd_slurm,
	cmd_top, cmd_unload, cmd_version;

/* options.c */
const struct wdctl_cmd *wdctl_cmd_find(const struct wdctl_cmd *const *cmds, const char *name);
enum wdctl_exit wdctl_cmd_main(const struct wdctl_cmd *const *cmds, const struct wdctl_cmd *cmd, int argc, char **argv);
void wdctl_cmd_usage(const struct wdctl_cmd *cmd);
void wdctl_cmd_list_opts(const struct wdctl_cmd *cmd);

/* Prints "wdctl <command>: ..." and a newline to stderr. */
void wdctl_error(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
