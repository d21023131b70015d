// SPDX-License-Identifier: Apache-2.0
/* Two threads with a context each: shared data would slow down both. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include "bench.h"

#define REQUESTS	300000
#define ROUNDS		9

struct worker {
	struct client client;
	struct bare *bare;	/* used instead of the client, if set */
	int cpu;
	double ns;	/* CPU time of a request while the other thread runs as well */
	atomic_bool *other_done;
	atomic_bool done;
	atomic_int *ready;
};

static void requests(struct worker *w, unsigned int n)
{
	if (w->bare)
		bare_run(w->bare, n, 1);
	else
		client_sync(&w->client, n);
}

/* Only the time in which both threads run counts: the slower one stops when the other is done. */
static void *work(void *arg)
{
	struct worker *w = arg;
	unsigned long long start;
	unsigned int n = 0;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(w->cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	requests(w, REQUESTS / 20);
	atomic_fetch_sub(w->ready, 1);
	while (atomic_load(w->ready) > 0)
		sched_yield();
	start = cpu_ns();
	while (n < REQUESTS && !(w->other_done && atomic_load_explicit(w->other_done, memory_order_relaxed))) {
		requests(w, 1000);
		n += 1000;
	}
	w->ns = (double)(cpu_ns() - start) / (n ? n : 1);
	atomic_store(&w->done, true);
	return NULL;
}

static void run(struct worker *w, unsigned int threads)
{
	atomic_int ready = (int)threads;
	pthread_t thread[2];
	unsigned int i;

	for (i = 0; i < threads; i++) {
		w[i].ready = &ready;
		w[i].other_done = threads > 1 ? &w[!i].done : NULL;
		atomic_store(&w[i].done, false);
	}
	for (i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, work, &w[i]))
			die("pthread_create", -EAGAIN);
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
}

static int nth_cpu(int n)
{
	cpu_set_t set;
	int cpu;

	sched_getaffinity(0, sizeof(set), &set);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && !n--)
			return cpu;
	return -1;
}

static double scale(struct worker *w)
{
	double alone;

	run(w, 1);
	alone = w[0].ns;
	run(w, 2);
	return alone / w[0].ns + alone / w[1].ns;
}

/*
 * CPU time, not wall-clock time: another program on the machine doesn't add to it. The floor is the slowdown that two
 * hand-written loops cause each other.
 */
int two_rows(int argc, char **argv)
{
	static struct worker ours[2], bare[2];
	double with[ROUNDS], without[ROUNDS];
	unsigned int i;

	(void)argc, (void)argv;
	if (nth_cpu(1) < 0) {
		fputs("wd-bench: one CPU only: no scaling to measure\n", stderr);
		return 0;
	}
	for (i = 0; i < 2; i++) {
		ours[i].cpu = bare[i].cpu = nth_cpu((int)i);
		client_open(&ours[i].client, WD_SYNC, (int)i);
		bare[i].bare = bare_open();
	}
	for (i = 0; i < ROUNDS; i++) {
		with[i] = scale(ours);
		without[i] = scale(bare);
	}
	row("sync.2thr.scale", median(with, ROUNDS), "x", median(without, ROUNDS));
	return 0;
}
