/* SPDX-License-Identifier: Apache-2.0 */
/* Runs another program and reads what it prints. */
#ifndef WDCTL_COMMAND_H
#define WDCTL_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

struct command_output {
	int status;		/* exit status; 128 + the signal that ended it */
	char *out;		/* standard output, ended by '\0' */
	size_t len;
	char err[512];		/* the beginning of standard error, its first line, printable */
};

/**
 * command_run() - run argv[0], with a '/' or found in PATH, without standard input.
 * Return: 0; -ETIME after @seconds (it is killed), -ENOENT and others if it can't be run, -EFBIG if it prints too much.
 * Only after 0 there is an output, which command_free() frees.
 */
int command_run(const char *const *argv, int seconds, struct command_output *o);
void command_free(struct command_output *o);

#endif
