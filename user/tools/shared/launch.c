// SPDX-License-Identifier: Apache-2.0
/* Runs a program with a library of ours in front of it, by way of the environment. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "env_prepend.h"
#include "launch.h"

/* The program that was started. */
static const struct launch *tool;

#define ROWS_MOST 16

struct options {
	bool check, json;
};

static void help(void)
{
	char left[64];
	size_t i;

	printf("%s\n%s\n\n", tool->usage, tool->what);
	for (i = 0; i < tool->nr; i++) {
		if (!tool->rows[i].help)
			continue;
		snprintf(left, sizeof(left), "--%s%s%s", tool->rows[i].option, tool->rows[i].value ? " " : "",
			 tool->rows[i].value ? tool->rows[i].value : "");
		printf("  %-19s  %s\n", left, tool->rows[i].help);
	}
}

/* For the completion. */
static void list_options(void)
{
	size_t i;

	for (i = 0; i < tool->nr; i++)
		if (tool->rows[i].help)
			printf("--%s%s\n", tool->rows[i].option, tool->rows[i].value ? "=" : "");
}

static void fail(const char *option, const char *value, const char *why)
{
	fprintf(stderr, "%s: --%s %s: %s\n", tool->name, option, value, why);
	exit(EXIT_OWN_FAILURE);
}

/* An empty variable would count as unset. */
static void value_check(const char *option, const char *variable, const char *value)
{
	const struct wdz_setting *s;
	struct wdz_config config = { 0 };
	char why[128];

	for (s = tool->settings; s < tool->settings + tool->nr_settings; s++) {
		if (strcmp(s->variable, variable))
			continue;
		if (s->take(&config, value))
			return;
		snprintf(why, sizeof(why), "expected %s", s->expected);
		fail(option, value, why);
	}
	if (!*value)
		fail(option, "''",
		     strcmp(variable, "WD_SECTION") ? "expected a file" : "expected the name of a section");
}

/* The program may change its folder before it exits. A pipe that nobody reads yet is no error. */
static char *stats_path(const char *option, const char *value)
{
	char folder[PATH_MAX], *path;
	int fd = open(value, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);

	if (fd < 0 && errno != ENXIO)
		fail(option, value, strerror(errno));
	if (fd >= 0)
		close(fd);
	if (*value != '/' && !getcwd(folder, sizeof(folder)))
		fail(option, value, strerror(errno));
	if (*value == '/' ? !(path = strdup(value)) : asprintf(&path, "%s/%s", folder, value) < 0)
		fail(option, value, strerror(ENOMEM));
	return path;
}

static void variable_set(const char *option, const char *variable, const char *value)
{
	bool is_stats = !strcmp(variable, tool->stats);
	char *path = NULL;

	value_check(option, variable, value);
	if (is_stats)
		path = stats_path(option, value);
	if (setenv(variable, path ? path : value, 1))
		fail(option, value, strerror(errno));
	free(path);
}

static void option_take(size_t row, struct options *o)
{
	if (tool->rows[row].variable) {
		variable_set(tool->rows[row].option, tool->rows[row].variable, optarg);
		return;
	}
	switch (tool->rows[row].letter) {
	case 'k':
		o->check = true;
		return;
	case 'j':
		o->json = true;
		return;
	case 'h':
		help();
		break;
	case 'V':
		printf("%s %s\n", tool->name, WD_VERSION);
		break;
	case 'L':
		list_options();
		break;
	}
	exit(0);
}

static void options_parse(int argc, char **argv, struct options *o)
{
	struct option longs[ROWS_MOST + 1] = { { 0 } };
	size_t i;
	int c;

	for (i = 0; i < tool->nr; i++) {
		int argument = tool->rows[i].value ? required_argument : no_argument;

		longs[i] = (struct option){ tool->rows[i].option, argument, NULL, tool->rows[i].letter };
	}
	while ((c = getopt_long(argc, argv, "+hV", longs, NULL)) != -1) {
		for (i = 0; i < tool->nr && tool->rows[i].letter != c; i++)
			;
		if (i == tool->nr) {
			fputs(tool->usage, stderr);
			exit(EXIT_OWN_FAILURE);
		}
		option_take(i, o);
	}
}

static void usage_error(const char *what)
{
	fprintf(stderr, "%s: %s; run '%s --help' for the options\n", tool->name, what, tool->name);
	exit(EXIT_OWN_FAILURE);
}

/* Puts the replacement in front of what is preloaded anyway. */
static void preload(void)
{
	char path[PATH_MAX];

	if (tool->find(path, sizeof(path)) || access(path, R_OK)) {
		fprintf(stderr, "%s: %s: %s; run '%s --check' for the cause\n", tool->name, path,
			strerror(access(path, F_OK) ? ENOENT : EACCES), tool->name);
		exit(EXIT_OWN_FAILURE);
	}
	if (strpbrk(path, " :")) {
		fprintf(stderr, "%s: %s: expected a path without spaces and colons, "
			"which separate the names in LD_PRELOAD\n", tool->name, path);
		exit(EXIT_OWN_FAILURE);
	}
	if (env_prepend("LD_PRELOAD", path, ':')) {
		fprintf(stderr, "%s: %s\n", tool->name, strerror(ENOMEM));
		exit(EXIT_OWN_FAILURE);
	}
}

int launch(const struct launch *what, int argc, char **argv)
{
	struct options o = { 0 };
	int error;

	tool = what;
	options_parse(argc, argv, &o);
	if (o.json && !o.check)
		usage_error("--json: expected --check as well");
	if (o.check && optind < argc)
		usage_error("expected --check or a COMMAND, not both");
	if (o.check)
		return tool->check(o.json);
	if (optind == argc)
		usage_error("expected a COMMAND");
	preload();
	execvp(argv[optind], argv + optind);
	error = errno;
	fprintf(stderr, "%s: %s: %s\n", tool->name, argv[optind], strerror(error));
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
