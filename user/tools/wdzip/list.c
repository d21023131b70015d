// SPDX-License-Identifier: Apache-2.0
/* The table of -l, which has gzip's columns. Numbers are those that were counted, not what a trailer says. */
#include <stdio.h>

#include "wdzip.h"

#define COLUMNS_OF_V 28	/* characters of what -v has before the sizes */

static struct {
	bool begun;
	__u64 in_bytes, out_bytes;
	size_t frame_bytes;	/* of the last, as gzip has it */
} totals;

/* As gzip computes it: without header and trailer. */
double ratio_percent(const struct job *job)
{
	bool compress = job->set->mode == MODE_COMPRESS;
	double plain = compress ? job->in_bytes : job->out_bytes;
	double packed = compress ? job->out_bytes : job->in_bytes;

	return plain ? 100.0 * (plain - (packed - job->frame_bytes)) / plain : 0.0;
}

static void title_print(const struct settings *set)
{
	if (set->verbose)
		printf("%-*s", COLUMNS_OF_V, "method  crc     date  time");
	if (!set->quiet)
		printf("%19s %19s  ratio uncompressed_name\n", "compressed", "uncompressed");
}

/* In English, as in gzip. */
static void time_print(time_t when)
{
	static const char months[][4] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
	};
	struct tm tm;

	if (localtime_r(&when, &tm))
		printf("%s%3d %02d:%02d ", months[tm.tm_mon], tm.tm_mday, tm.tm_hour, tm.tm_min);
	else
		printf("??? ?? ??:?? ");
}

void list_add(const struct job *job, const char *name)
{
	if (!totals.begun)
		title_print(job->set);
	totals.begun = true;
	totals.in_bytes += job->in_bytes;
	totals.out_bytes += job->out_bytes;
	totals.frame_bytes = job->frame_bytes;
	if (job->set->verbose) {
		printf("%-5s %08x ", formats[job->format].method, job->sum);
		time_print(job->set->names && job->stored_time ? job->stored_time : job->stat.st_mtime);
	}
	printf("%19llu %19llu %5.1f%% %s\n", job->in_bytes, job->out_bytes, ratio_percent(job), name);
}

void list_totals(const struct settings *set)
{
	const struct job all = {
		.set = set, .in_bytes = totals.in_bytes, .out_bytes = totals.out_bytes,
		.frame_bytes = totals.frame_bytes
	};

	if (set->quiet || !totals.out_bytes)
		return;
	printf("%*s%19llu %19llu %5.1f%% (totals)\n", set->verbose ? COLUMNS_OF_V : 0, "", all.in_bytes, all.out_bytes,
	       ratio_percent(&all));
}
