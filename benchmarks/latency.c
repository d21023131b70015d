// SPDX-License-Identifier: Apache-2.0
/* Waiting: how many requests a context carries, how much CPU a waiter takes meanwhile, and how soon it returns. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "bench.h"

#define THREADS_MAX	64
#define SAMPLES_MAX	4096

struct crowd {
	handle_t sess;
	atomic_bool stop;
	atomic_uint done;
};

static void compress_one(handle_t sess, unsigned char *src, unsigned char *dst)
{
	size_t room = 2 * BYTES;
	struct wd_comp_arg arg = { .src = src, .src_len = BYTES, .dst = dst, .dst_len = &room };
	int ret = wd_compress(sess, &arg);

	if (ret)
		die("wd_compress", ret);
}

static void *crowd_work(void *arg)
{
	static const unsigned char src[BYTES];
	unsigned char dst[2 * BYTES];
	struct crowd *c = arg;

	while (!atomic_load_explicit(&c->stop, memory_order_relaxed)) {
		compress_one(c->sess, (unsigned char *)src, dst);
		atomic_fetch_add_explicit(&c->done, 1, memory_order_relaxed);
	}
	return NULL;
}

/* Requests per second of so many threads that share one session. */
static double crowd_rate(struct crowd *c, unsigned int threads, unsigned int ms)
{
	unsigned long long start, end;
	pthread_t thread[THREADS_MAX];
	unsigned int i, before, after;

	atomic_store(&c->stop, false);
	for (i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, crowd_work, c))
			die("pthread_create", -EAGAIN);
	/* Start when all threads are running. */
	for (start = now_ns(); now_ns() - start < 20000000;)
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	before = atomic_load(&c->done);
	for (start = now_ns(); (end = now_ns()) - start < ms * 1000000ull;)
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	after = atomic_load(&c->done);
	atomic_store(&c->stop, true);
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	return (after - before) * 1e9 / (double)(end - start);
}

/* throughput NAME THREADS MS: THREADS threads on one context against one thread, in turn. */
int throughput(int argc, char **argv)
{
	struct crowd c = { .sess = 0 };
	unsigned int threads, ms, i;
	double one[3], many[3], scale[3];

	threads = argc == 3 ? (unsigned int)strtoul(argv[1], NULL, 10) : 0;
	ms = argc == 3 ? (unsigned int)strtoul(argv[2], NULL, 10) : 0;
	if (!threads || threads > THREADS_MAX || !ms) {
		fputs("usage: wd-bench throughput NAME THREADS MS\n", stderr);
		return 2;
	}
	c.sess = session_open(WD_SYNC, 1, WD_SESS_PATH_HW, 0);
	for (i = 0; i < 3; i++) {
		one[i] = crowd_rate(&c, 1, ms);
		many[i] = crowd_rate(&c, threads, ms);
		scale[i] = many[i] / one[i];
	}
	/* The floor is one thread's throughput. */
	printf("row %s %.2f x %.0f/s %.2f\n", argv[0], median(scale, 3), median(one, 3), median(scale, 3));
	return wd_comp_free_sess(c.sess);
}

/* waiting N: N requests, one at a time; prints the median latency and the waiter's share of a CPU. */
int waiting(int argc, char **argv)
{
	static unsigned char src[BYTES], dst[2 * BYTES];
	static double ns[SAMPLES_MAX];
	unsigned long long start, all, cpu;
	handle_t sess = session_open(WD_SYNC, 1, WD_SESS_PATH_HW, 0);
	unsigned int i, n = argc == 1 ? (unsigned int)strtoul(argv[0], NULL, 10) : 0;

	if (!n || n > SAMPLES_MAX)
		return 2;
	/* The library learns how long a request takes. */
	for (i = 0; i < 64; i++)
		compress_one(sess, src, dst);
	all = now_ns();
	cpu = cpu_ns();
	for (i = 0; i < n; i++) {
		start = now_ns();
		compress_one(sess, src, dst);
		ns[i] = (double)(now_ns() - start);
	}
	cpu = cpu_ns() - cpu;
	all = now_ns() - all;
	printf("sample %.0f %.3f\n", median(ns, n), 100.0 * (double)cpu / (double)all);
	return wd_comp_free_sess(sess);
}
