// SPDX-License-Identifier: Apache-2.0
/* Counts, and the line that a process appends to a file when it exits. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "caller.h"
#include "generation.h"
#include "stats.h"

static const char *const names[WDZ_COUNTS] = {
	[WDZ_DEFLATE_STREAMS] = "deflate_streams",
	[WDZ_DEFLATE_DEVICE_BYTES] = "deflate_device_bytes",
	[WDZ_DEFLATE_ZLIB_BYTES] = "deflate_zlib_bytes",
	[WDZ_PARTS] = "parts",
	[WDZ_PARTS_REDONE] = "parts_redone",
	[WDZ_INFLATE_STREAMS] = "inflate_streams",
	[WDZ_INFLATE_DEVICE_BYTES] = "inflate_device_bytes",
	[WDZ_INFLATE_ZLIB_BYTES] = "inflate_zlib_bytes",
	[WDZ_WRONG] = "wrong",
};

#define PROGRAM_SIZE	64

/* The command line at the program's start: servers write their state over it. */
static char program[PROGRAM_SIZE];
static _Atomic uint64_t counts[WDZ_COUNTS];
static _Atomic unsigned int counted_by;

bool wdz_counting;

static const char *stats_file;

void wdz_stats_for(const char *file)
{
	stats_file = file;
	wdz_counting = file;
}

/* A space would end the field. */
static __attribute__((constructor)) void program_keep(void)
{
	char *at;

	snprintf(program, sizeof(program), "%s", program_invocation_short_name);
	for (at = program; *at; at++)
		if ((unsigned char)*at <= ' ')
			*at = '_';
}

void wdz_count_now(enum wdz_count what, uint64_t n)
{
	unsigned int now = process_generation(), i;

	/* A child begins with zeroes: its parent writes the parent's counts. */
	if (atomic_exchange(&counted_by, now) != now)
		for (i = 0; i < WDZ_COUNTS; i++)
			atomic_store(&counts[i], 0);
	atomic_fetch_add(&counts[what], n);
}

void wdz_count_for_now(const void *caller, enum wdz_count what, uint64_t n)
{
	if (!wdz_is_warpdrive(caller))
		wdz_count_now(what, n);
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

/* A FIFO without a reader, or one that is full, must not hold the program up. */
static void line_append(const char *line, size_t len)
{
	int fd = open(stats_file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);

	if (fd < 0)
		return;
	write_quietly(fd, line, len);
	close(fd);
}

/* One write(), so that lines of several processes don't mix. */
static __attribute__((destructor)) void stats_write(void)
{
	char line[1024];
	unsigned int i;
	int at;

	if (!atomic_load(&counted_by) || atomic_load(&counted_by) != process_generation())
		return;
	at = snprintf(line, sizeof(line), "program=%s pid=%ld", program, (long)getpid());
	for (i = 0; i < WDZ_COUNTS && at < (int)sizeof(line); i++)
		at += snprintf(line + at, sizeof(line) - (size_t)at, " %s=%" PRIu64, names[i], atomic_load(&counts[i]));
	if (at >= (int)sizeof(line) - 1)
		return;
	line[at++] = '\n';
	line_append(line, (size_t)at);
}
