// SPDX-License-Identifier: Apache-2.0
/* Counts, and the line that a process appends to a file when it exits. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "caller.h"
#include "generation.h"
#include "probes.h"
#include "stats.h"
#include "stats_line.h"

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

static _Atomic uint64_t counts[WDZ_COUNTS];
static _Atomic unsigned int counted_by;

bool wdz_counting;
WD_PROBE_SEMAPHORE(wdz, stream_end);

static const char *stats_file;

void wdz_stats_for(const char *file)
{
	stats_file = file;
	wdz_counting = file;
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

static __attribute__((destructor)) void stats_write(void)
{
	char line[1024];
	unsigned int i;
	int at;

	if (!atomic_load(&counted_by) || atomic_load(&counted_by) != process_generation())
		return;
	at = snprintf(line, sizeof(line), "program=%s pid=%ld", stats_program(), (long)getpid());
	for (i = 0; i < WDZ_COUNTS && at < (int)sizeof(line); i++)
		at += snprintf(line + at, sizeof(line) - (size_t)at, " %s=%" PRIu64, names[i], atomic_load(&counts[i]));
	if (at >= (int)sizeof(line) - 1)
		return;
	line[at++] = '\n';
	stats_line_append(stats_file, line, (size_t)at);
}
