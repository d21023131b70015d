// SPDX-License-Identifier: Apache-2.0
/* Polls that find nothing, with a request in flight on every context. Needs devices that take seconds. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "bench.h"

#define POLLS	20000
#define ROUNDS	9
#define CTXS	16

/* Measured twice: with only the first context's request in flight, then with all of them. */
static double empty_ns(void)
{
	double ns[ROUNDS];
	unsigned long long start;
	unsigned int i, k;

	for (i = 0; i < ROUNDS; i++) {
		start = cpu_ns();
		for (k = 0; k < POLLS; k++)
			if (wd_comp_poll(1, 0, NULL))
				die("a poll found something", -EIO);
		ns[i] = (double)(cpu_ns() - start) / POLLS;
	}
	return median(ns, ROUNDS);
}

int poll_rows(int argc, char **argv)
{
	static struct client c[CTXS];
	unsigned int i;

	(void)argc, (void)argv;
	for (i = 0; i < CTXS; i++) {
		client_open(&c[i], WD_ASYNC, (int)i);
		if (wd_comp_async(c[i].sess, &c[i].arg[0], NULL))
			die("wd_comp_async", -EIO);
		if (i == 0)
			row("poll.empty.ns", empty_ns(), "ns", 0);
	}
	row("poll.empty.16ctx.ns", empty_ns() / CTXS, "ns/context", 0);
	fflush(stdout);
	/* Nothing uses the results. */
	_exit(0);
}
