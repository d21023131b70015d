/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a program with a library of ours in front of it, by way of the environment. */
#ifndef LAUNCH_H
#define LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#include "zlib_settings.h"

/* Those of env(1), for errors of the tool's own. */
enum {
	EXIT_OWN_FAILURE = 125,
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
};

/* An option whose value is that of a variable; the letter says what the others are. */
struct launch_row {
	char letter;
	const char *option, *value, *help, *variable;
};

/* The options that each tool has, behind its own. */
#define LAUNCH_ROWS \
	{ 'k', "check", NULL, "instead of running a program, print which devices compress, or why none does", NULL }, \
	{ 'j', "json", NULL, "with --check: as JSON", NULL }, \
	{ 'h', "help", NULL, "print this help", NULL }, \
	{ 'V', "version", NULL, "print the version", NULL }, \
	{ 'L', "list-opts", NULL, NULL, NULL }

/**
 * struct launch - one such tool
 * @usage, @what: the first lines of its help
 * @stats: the variable that names a file of counts
 * @find: the library's file: 0 or -ENOENT, with the path where it usually is
 * @check: its --check. Return: the exit status
 */
struct launch {
	const char *name, *usage, *what, *stats;
	const struct launch_row *rows;
	size_t nr;
	const struct wdz_setting *settings;
	size_t nr_settings;
	int (*find)(char *path, size_t len);
	int (*check)(bool json);
};

int launch(const struct launch *what, int argc, char **argv);

#endif
