// SPDX-License-Identifier: Apache-2.0
/* The library's own cost: rows of the null engine, and loops for counting their instructions. */
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "bench.h"

#define REQUESTS	100000
#define ROUNDS		9

typedef void client_run_t(struct client *c, unsigned int n);

struct ours {
	struct client client;
	client_run_t *run;
};

struct floor {
	struct bare *bare;
	unsigned int window;
};

/* CPU time of one thread that never sleeps: other programs on the machine don't add to it. */
static unsigned long long ours_ns(void *arg, unsigned int n)
{
	struct ours *o = arg;
	unsigned long long start = cpu_ns();

	o->run(&o->client, n);
	return cpu_ns() - start;
}

static unsigned long long floor_ns(void *arg, unsigned int n)
{
	struct floor *f = arg;
	unsigned long long start = cpu_ns();

	bare_run(f->bare, n, f->window);
	return cpu_ns() - start;
}

/* By the clock: another program's turn in one of the calls spoils a round, and the median leaves that out. */
static double polls_ns(struct floor *f)
{
	double ns[ROUNDS];
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		ns[i] = (double)bare_run_polls(f->bare, REQUESTS, f->window) / REQUESTS;
	return median(ns, ROUNDS);
}

static void pair_rows(const char *name, int mode, client_run_t *run, unsigned int window)
{
	struct ours o = { .run = run };
	struct floor f = { .bare = bare_open(), .window = window };
	struct pair p;
	char bare[32];

	client_open(&o.client, mode, ANY_DEVICE);
	p = measure_pair(ours_ns, &o, floor_ns, &f, REQUESTS, ROUNDS);
	snprintf(bare, sizeof(bare), "%s.null.ns", name);
	row(bare, p.ours, "ns", p.floor);
	snprintf(bare, sizeof(bare), "%s.null.floor.ns", name);
	row(bare, p.floor - polls_ns(&f), "ns", p.floor);
	client_close(&o.client);
	bare_close(f.bare);
}

/* The cost of a submit that finds no room. */
static void full_row(void)
{
	static struct wd_comp_arg spare;
	double ns[ROUNDS];
	struct client c;
	unsigned int i, k, n;
	unsigned long long start;
	struct wd_comp_arg *many = calloc(4096, sizeof(*many));
	int ret = 0;

	client_open(&c, WD_ASYNC, ANY_DEVICE);
	spare = c.arg[0];
	for (n = 0; many && n < 4096 && !ret; n++) {
		many[n] = spare;
		ret = wd_comp_async(c.sess, &many[n], NULL);
	}
	if (ret != -EBUSY)
		die("no queue gets full", ret);
	for (i = 0; i < ROUNDS; i++) {
		start = cpu_ns();
		for (k = 0; k < REQUESTS; k++)
			if (wd_comp_async(c.sess, &spare, NULL) != -EBUSY)
				die("wd_comp_async", -EIO);
		ns[i] = (double)(cpu_ns() - start) / REQUESTS;
	}
	row("submit.full.ns", median(ns, ROUNDS), "ns", 0);
	while (wd_comp_poll(4096, 0, NULL) > 0)
		;
	client_close(&c);
	free(many);
}

int null_rows(int argc, char **argv)
{
	(void)argc, (void)argv;
	pair_rows("sync", WD_SYNC, client_sync, 1);
	pair_rows("async", WD_ASYNC, client_async, 1);
	pair_rows("burst", WD_ASYNC, client_burst, WINDOW);
	full_row();
	return 0;
}

/* loop KIND N: only the loop, for callgrind and calls.c. */
int loop(int argc, char **argv)
{
	static const struct {
		const char *name;
		int mode;
		client_run_t *run;
	} kinds[] = {
		{ "sync", WD_SYNC, client_sync }, { "async", WD_ASYNC, client_async },
		{ "burst", WD_ASYNC, client_burst }, { "single", WD_ASYNC, client_single },
		{ "queue", WD_ASYNC, client_queue }, { "sessions", WD_SYNC, client_sessions },
	};
	struct client c;
	unsigned int i, n = argc == 2 ? (unsigned int)strtoul(argv[1], NULL, 10) : 0;

	for (i = 0; n && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(argv[0], kinds[i].name))
			continue;
		client_open(&c, kinds[i].mode, ANY_DEVICE);
		kinds[i].run(&c, n);
		client_close(&c);
		return 0;
	}
	if (n && !strcmp(argv[0], "bare")) {
		struct bare *b = bare_open();

		bare_run(b, n, WINDOW);
		bare_close(b);
		return 0;
	}
	fputs("usage: wd-bench loop sync|async|burst|single|queue|sessions|bare N\n", stderr);
	return 2;
}

/* The same for a format that every generation of hardware has. */
int zlib_loop(int argc, char **argv)
{
	session_alg = WD_ZLIB;
	return loop(argc, argv);
}
