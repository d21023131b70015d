// SPDX-License-Identifier: Apache-2.0
/* A line of counts that a preloaded library appends to a file when its process exits. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "stats_line.h"

#define PROGRAM_SIZE	64

/* The command line at the program's start: servers write their state over it. */
static char program[PROGRAM_SIZE];

/* A space would end the field. */
static __attribute__((constructor)) void program_keep(void)
{
	char *at;

	snprintf(program, sizeof(program), "%s", program_invocation_short_name);
	for (at = program; *at; at++)
		if ((unsigned char)*at <= ' ')
			*at = '_';
}

const char *stats_program(void)
{
	return program;
}

/* A pipe without a reader and a limit of the file's size send a signal, which ends most programs. */
static const int write_signals[] = { SIGPIPE, SIGXFSZ };

#define WRITE_SIGNALS	(sizeof(write_signals) / sizeof(write_signals[0]))

/*
 * write() sends its signals to the thread that calls it. One that was pending before is the program's, which then has
 * blocked it, and doesn't get it a second time.
 */
static void write_quietly(int fd, const char *line, size_t len)
{
	const struct timespec now = { 0 };
	sigset_t block, old, pending, one;
	unsigned int i;

	sigemptyset(&block);
	for (i = 0; i < WRITE_SIGNALS; i++)
		sigaddset(&block, write_signals[i]);
	if (pthread_sigmask(SIG_BLOCK, &block, &old))
		return;
	sigpending(&pending);
	if (write(fd, line, len) < 0) {
		for (i = 0; i < WRITE_SIGNALS; i++) {
			sigemptyset(&one);
			sigaddset(&one, write_signals[i]);
			if (!sigismember(&pending, write_signals[i]))
				sigtimedwait(&one, NULL, &now);
		}
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* A FIFO without a reader, or one that is full, must not hold the program up. One write(), so that lines don't mix. */
void stats_line_append(const char *file, const char *line, size_t len)
{
	int fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);

	if (fd < 0)
		return;
	write_quietly(fd, line, len);
	close(fd);
}
