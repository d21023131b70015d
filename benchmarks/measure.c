// SPDX-License-Identifier: Apache-2.0
/* Clocks, medians, rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "bench.h"

static unsigned long long clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (unsigned long long)t.tv_sec * 1000000000ull + (unsigned long long)t.tv_nsec;
}

unsigned long long now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

unsigned long long cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void die(const char *what, int ret)
{
	char words[256];

	wd_error_detail(0, words, sizeof(words));
	fprintf(stderr, "wd-bench: %s: %s %s\n", what, strerror(-ret), words);
	exit(1);
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

double median(double *values, unsigned int n)
{
	qsort(values, n, sizeof(*values), compare);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

struct pair measure_pair(measure_t *ours, void *ours_arg, measure_t *floor, void *floor_arg, unsigned int n,
			 unsigned int rounds)
{
	double a[ROUNDS_MAX], b[ROUNDS_MAX] = { 0 }, ratio[ROUNDS_MAX] = { 0 };
	unsigned int i;

	/* A first run that isn't measured: caches, page faults, the CPU's clock. */
	ours(ours_arg, n / 10 + 1);
	if (floor)
		floor(floor_arg, n / 10 + 1);
	for (i = 0; i < rounds; i++) {
		a[i] = (double)ours(ours_arg, n) / n;
		if (floor)
			b[i] = (double)floor(floor_arg, n) / n;
		if (floor)
			ratio[i] = a[i] / b[i];
	}
	return (struct pair){
		.ours = median(a, rounds), .floor = floor ? median(b, rounds) : 0, .ratio = median(ratio, rounds),
	};
}

void row(const char *name, double value, const char *unit, double floor)
{
	if (floor > 0)
		printf("row %s %.6g %s %.6g %.4g\n", name, value, unit, floor, value / floor);
	else
		printf("row %s %.6g %s - -\n", name, value, unit);
	fflush(stdout);
}
