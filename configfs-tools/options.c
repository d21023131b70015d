// SPDX-License-Identifier: Apache-2.0
/* The options of a command: one table serves parsing and help. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

#define OPTIONS_MAX 32

/* Keys of the shared options, which aren't letters. */
enum {
	KEY_HELP = 'h',
	KEY_JSON = 1,
	KEY_DRY_RUN,
	KEY_ROOT,
};

static const struct wdctl_option opt_json = {
	KEY_JSON, "json", NULL, "print JSON instead of a table"
};
static const struct wdctl_option opt_dry_run = {
	KEY_DRY_RUN, "dry-run", NULL, "print what would be done, and change nothing"
};
static const struct wdctl_option opt_root = {
	KEY_ROOT, "root", "DIR", "use the machine recorded below DIR instead of this one"
};
static const struct wdctl_option opt_help = {
	KEY_HELP, "help", NULL, "print this help"
};

void wdctl_error(const char *command, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "wdctl%s%s: ", command ? " " : "", command ? command : "");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static size_t options_collect(const struct wdctl_cmd *cmd, const struct wdctl_option **table)
{
	const struct wdctl_option *o;
	size_t n = 0;

	for (o = cmd->options; o && o->key && n < OPTIONS_MAX - 4; o++)
		table[n++] = o;
	if (cmd->kind & WDCTL_HAS_JSON)
		table[n++] = &opt_json;
	if (cmd->kind & WDCTL_HAS_DRY_RUN)
		table[n++] = &opt_dry_run;
	if (cmd->kind & WDCTL_HAS_ROOT)
		table[n++] = &opt_root;
	table[n++] = &opt_help;
	return n;
}

void wdctl_cmd_usage(const struct wdctl_cmd *cmd)
{
	const struct wdctl_option *table[OPTIONS_MAX];
	size_t i, n = options_collect(cmd, table);
	char left[64];

	printf("usage: wdctl %s [options]%s%s\n\n%s\n\n", cmd->name, cmd->args ? " " : "",
	       cmd->args ? cmd->args : "", cmd->help);
	for (i = 0; i < n; i++) {
		if (isalpha((unsigned char)table[i]->key))
			snprintf(left, sizeof(left), "-%c, --%s %s", table[i]->key, table[i]->name,
				 table[i]->arg ? table[i]->arg : "");
		else
			snprintf(left, sizeof(left), "    --%s %s", table[i]->name,
				 table[i]->arg ? table[i]->arg : "");
		printf("  %-24s %s\n", left, table[i]->help);
	}
}

void wdctl_cmd_list_opts(const struct wdctl_cmd *cmd)
{
	const struct wdctl_option *table[OPTIONS_MAX];
	size_t i, n = options_collect(cmd, table);

	for (i = 0; i < n; i++)
		printf("--%s%s\n", table[i]->name, table[i]->arg ? "=" : "");
}

static int options_parse(const struct wdctl_cmd *cmd, struct wdctl_run *r, int argc, char **argv)
{
	const struct wdctl_option *table[OPTIONS_MAX];
	struct option longs[OPTIONS_MAX + 1];
	char shorts[2 * OPTIONS_MAX + 3] = "";
	size_t i, used = 0, n = options_collect(cmd, table);
	int key;

	memset(longs, 0, sizeof(longs));
	/* Options after the name of another program belong to that program. */
	if (cmd->kind & WDCTL_RUNS)
		shorts[used++] = '+';
	for (i = 0; i < n; i++) {
		longs[i].name = table[i]->name;
		longs[i].has_arg = table[i]->arg ? required_argument : no_argument;
		longs[i].val = table[i]->key;
		if (!isalpha((unsigned char)table[i]->key))
			continue;
		shorts[used++] = table[i]->key;
		if (table[i]->arg)
			shorts[used++] = ':';
	}
	/* getopt names the program in its messages. */
	argv[0] = (char *)"wdctl";
	while ((key = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (key == '?')
			return -EINVAL;
		r->opt[key] = optarg ? optarg : "";
	}
	r->args = argv + optind;
	r->args_nr = argc - optind;
	return 0;
}

static enum wdctl_exit options_apply(const struct wdctl_cmd *cmd, struct wdctl_run *r)
{
	int ret;

	r->json = r->opt[KEY_JSON];
	r->dry_run = r->opt[KEY_DRY_RUN];
	if (r->args_nr && !cmd->args) {
		wdctl_error(cmd->name, "unexpected argument '%s'", r->args[0]);
		return EXIT_USAGE;
	}
	if (r->opt[KEY_ROOT] && cmd->kind & WDCTL_HAS_DRY_RUN && !(cmd->kind & WDCTL_CHANGES_ROOT) &&
	    !r->dry_run) {
		wdctl_error(cmd->name, "--root: a recorded machine can't be changed; add --dry-run");
		return EXIT_USAGE;
	}
	ret = root_open(&r->root, r->opt[KEY_ROOT]);
	if (ret) {
		wdctl_error(cmd->name, "--root %s: %s", r->opt[KEY_ROOT], strerror(-ret));
		return EXIT_USAGE;
	}
	return EXIT_DONE;
}

const struct wdctl_cmd *wdctl_cmd_find(const struct wdctl_cmd *const *cmds, const char *name)
{
	for (; *cmds; cmds++)
		if (!strcmp((*cmds)->name, name))
			return *cmds;
	return NULL;
}

enum wdctl_exit wdctl_cmd_main(const struct wdctl_cmd *const *cmds, const struct wdctl_cmd *cmd, int argc, char **argv)
{
	struct wdctl_run r;
	enum wdctl_exit ret;

	memset(&r, 0, sizeof(r));
	r.cmds = cmds;
	if (options_parse(cmd, &r, argc, argv)) {
		fprintf(stderr, "wdctl: run 'wdctl %s --help' for the options\n", cmd->name);
		return cmd->kind & WDCTL_RUNS ? EXIT_NOT_RUN : EXIT_USAGE;
	}
	if (r.opt[KEY_HELP]) {
		wdctl_cmd_usage(cmd);
		return EXIT_DONE;
	}
	ret = options_apply(cmd, &r);
	if (ret == EXIT_DONE)
		ret = cmd->run(&r);
	root_close(&r.root);
	/* A full disk must not make a truncated table look complete. */
	if (fflush(stdout) || ferror(stdout)) {
		wdctl_error(cmd->name, "standard output: %s", strerror(errno));
		return EXIT_FAILED;
	}
	return ret;
}
