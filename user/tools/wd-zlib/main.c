// SPDX-License-Identifier: Apache-2.0
/* wd-zlib: runs a program with the replacement of zlib, by way of the environment. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "env_prepend.h"
#include "wd_zlib.h"
#include "zlib_settings.h"
#include "zlib_shim.h"

/* Options whose value is that of a variable. */
static const struct {
	char letter;
	const char *option, *value, *help, *variable;
} rows[] = {
	{ 's', "section", "NAME", "attach to this section (WD_SECTION)", "WD_SECTION" },
	{ 'l', "levels", "LOW-HIGH", "the levels of compression that devices are given (1-6)", "WD_ZLIB_LEVELS" },
	{ 'm', "min", "SIZE", "streams of less are none of the devices', 1 to 1m (64k)", "WD_ZLIB_MIN" },
	{ 'c', "chunk", "SIZE", "the parts that devices compress, 64k to 1m (256k)", "WD_ZLIB_CHUNK" },
	{ 'i', "inflate", "WHAT", "what devices decompress: whole, stream or off (whole)", "WD_ZLIB_INFLATE" },
	{ 'S', "stats", "FILE", "each process appends a line of counts to FILE when it exits", "WD_ZLIB_STATS" },
	{ 'k', "check", NULL, "instead of running a program, print which devices compress, or why none does", NULL },
	{ 'j', "json", NULL, "with --check: as JSON", NULL },
	{ 'h', "help", NULL, "print this help", NULL },
	{ 'V', "version", NULL, "print the version", NULL },
	{ 'L', "list-opts", NULL, NULL, NULL },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

struct options {
	bool check, json;
};

static void usage(FILE *to)
{
	fputs("usage: wd-zlib [--section NAME] [--levels LOW-HIGH] [--min SIZE] [--chunk SIZE]\n"
	      "               [--inflate whole|stream|off] [--stats FILE] -- COMMAND [ARGUMENT]...\n"
	      "       wd-zlib [OPTION]... --check [--json]\n", to);
}

static void help(void)
{
	char left[64];
	size_t i;

	usage(stdout);
	puts("\nRun COMMAND with a zlib that gives large data to devices; wd-zlib(1) describes it.\n");
	for (i = 0; i < ROWS; i++) {
		if (!rows[i].help)
			continue;
		snprintf(left, sizeof(left), "--%s%s%s", rows[i].option, rows[i].value ? " " : "",
			 rows[i].value ? rows[i].value : "");
		printf("  %-19s  %s\n", left, rows[i].help);
	}
}

/* For the completion. */
static void list_options(void)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (rows[i].help)
			printf("--%s%s\n", rows[i].option, rows[i].value ? "=" : "");
}

static void fail(const char *option, const char *value, const char *why)
{
	fprintf(stderr, "wd-zlib: --%s %s: %s\n", option, value, why);
	exit(EXIT_OWN_FAILURE);
}

/* An empty variable would count as unset. */
static void value_check(const char *option, const char *variable, const char *value)
{
	struct wdz_config config;
	char why[128];
	size_t i;

	for (i = 0; i < WDZ_SETTINGS; i++) {
		if (strcmp(wdz_settings[i].variable, variable))
			continue;
		wdz_config_default(&config);
		if (wdz_settings[i].take(&config, value))
			return;
		snprintf(why, sizeof(why), "expected %s", wdz_settings[i].expected);
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
	bool is_stats = !strcmp(variable, "WD_ZLIB_STATS");
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
	if (rows[row].variable) {
		variable_set(rows[row].option, rows[row].variable, optarg);
		return;
	}
	switch (rows[row].letter) {
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
		puts("wd-zlib " WD_VERSION);
		break;
	case 'L':
		list_options();
		break;
	}
	exit(0);
}

static void options_parse(int argc, char **argv, struct options *o)
{
	struct option longs[ROWS + 1] = { { 0 } };
	size_t i;
	int c;

	for (i = 0; i < ROWS; i++)
		longs[i] = (struct option){
			rows[i].option, rows[i].value ? required_argument : no_argument, NULL, rows[i].letter
		};
	while ((c = getopt_long(argc, argv, "+hV", longs, NULL)) != -1) {
		for (i = 0; i < ROWS && rows[i].letter != c; i++)
			;
		if (i == ROWS) {
			usage(stderr);
			exit(EXIT_OWN_FAILURE);
		}
		option_take(i, o);
	}
}

static void usage_error(const char *what)
{
	fprintf(stderr, "wd-zlib: %s; run 'wd-zlib --help' for the options\n", what);
	exit(EXIT_OWN_FAILURE);
}

/* Puts the replacement in front of what is preloaded anyway. */
static void preload(void)
{
	char path[PATH_MAX];

	if (zlib_shim_find(path, sizeof(path)) || access(path, R_OK)) {
		fprintf(stderr, "wd-zlib: %s: %s; run 'wd-zlib --check' for the cause\n", path,
			strerror(access(path, F_OK) ? ENOENT : EACCES));
		exit(EXIT_OWN_FAILURE);
	}
	if (strpbrk(path, " :")) {
		fprintf(stderr, "wd-zlib: %s: expected a path without spaces and colons, "
			"which separate the names in LD_PRELOAD\n", path);
		exit(EXIT_OWN_FAILURE);
	}
	if (env_prepend("LD_PRELOAD", path, ':')) {
		fprintf(stderr, "wd-zlib: %s\n", strerror(ENOMEM));
		exit(EXIT_OWN_FAILURE);
	}
}

int main(int argc, char **argv)
{
	struct options o = { 0 };
	int error;

	options_parse(argc, argv, &o);
	if (o.json && !o.check)
		usage_error("--json: expected --check as well");
	if (o.check && optind < argc)
		usage_error("expected --check or a COMMAND, not both");
	if (o.check)
		return check(o.json);
	if (optind == argc)
		usage_error("expected a COMMAND");
	preload();
	execvp(argv[optind], argv + optind);
	error = errno;
	fprintf(stderr, "wd-zlib: %s: %s\n", argv[optind], strerror(error));
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
