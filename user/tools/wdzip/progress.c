// SPDX-License-Identifier: Apache-2.0
/* A progress line on the terminal for work that takes long. */
#include <stdio.h>
#include <time.h>

#include "wdzip.h"

#define LONG_WORK_MS 1000
#define REFRESH_MS 200

/* The terminal has one such line: the next message must clear it first. */
static bool visible;

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void progress_start(struct job *job)
{
	job->started_ms = now_ms();
	job->shown_ms = 0;
}

void progress_update(struct job *job)
{
	long now;

	if (!job->set->progress)
		return;
	now = now_ms();
	if (now - job->started_ms < LONG_WORK_MS || now - job->shown_ms < REFRESH_MS)
		return;
	job->shown_ms = now;
	visible = true;
	if (S_ISREG(job->stat.st_mode) && job->stat.st_size)
		fprintf(stderr, "\r%s: %3llu%% of %llu MiB, %s\033[K", job->name,
			job->in_bytes * 100 / job->stat.st_size,
			(unsigned long long)job->stat.st_size >> 20, wd_path_str(job->path));
	else
		fprintf(stderr, "\r%s: %llu MiB, %s\033[K", job->name, job->in_bytes >> 20,
			wd_path_str(job->path));
}

void progress_clear(void)
{
	if (visible)
		fputs("\r\033[K", stderr);
	visible = false;
}
