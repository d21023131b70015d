// SPDX-License-Identifier: Apache-2.0
/* Counts, and the line that a process appends to a file when it exits. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "generation.h"
#include "stats.h"
#include "stats_line.h"

static const char *const names[WDS_COUNTS] = {
	[WDS_FRAMES] = "frames",
	[WDS_FRAMES_OFFERED] = "frames_offered",
	[WDS_BLOCKS] = "device_blocks",
	[WDS_DEVICE_BYTES] = "device_bytes",
	[WDS_ZSTD_BYTES] = "zstd_bytes",
	[WDS_WRONG] = "wrong",
};

static _Atomic uint64_t counts[WDS_COUNTS];
static _Atomic unsigned int counted_by;
static const char *stats_file;

void wds_stats_for(const char *file)
{
	stats_file = file;
}

void wds_count(enum wds_count what, uint64_t n)
{
	unsigned int now = stats_file && n ? process_generation() : 0, i;

	if (!now)
		return;
	/* A child begins with zeroes: its parent writes the parent's counts. */
	if (atomic_exchange(&counted_by, now) != now)
		for (i = 0; i < WDS_COUNTS; i++)
			atomic_store(&counts[i], 0);
	atomic_fetch_add(&counts[what], n);
}

static __attribute__((destructor)) void stats_write(void)
{
	char line[512];
	unsigned int i;
	int at;

	if (!atomic_load(&counted_by) || atomic_load(&counted_by) != process_generation())
		return;
	at = snprintf(line, sizeof(line), "program=%s pid=%ld", stats_program(), (long)getpid());
	for (i = 0; i < WDS_COUNTS; i++)
		at += snprintf(line + at, sizeof(line) - (size_t)at, " %s=%" PRIu64, names[i], atomic_load(&counts[i]));
	line[at++] = '\n';
	stats_line_append(stats_file, line, (size_t)at);
}
