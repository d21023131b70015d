// SPDX-License-Identifier: Apache-2.0
/* An idle device: what it costs, and how soon it answers. The figures are printed; only gross errors fail. */
#include "kselftest_harness.h"

#define NEED_DEVICES	1
#include "need_machine.h"
#include "rawq.h"
#include "sim_item.h"
#include "turn.h"

#define IDLE_MS		1300
#define MEASURE_MS	5000
#define TRIES		5
#define ANSWER_MS	300000
#define ROUNDS		8
#define LEN		512

FIXTURE(idle) {
	char name[UACCE_NAME_MAX];
	struct rawq q;
	uint8_t src[LEN];
	uint8_t dst[2 * LEN];
};

FIXTURE_SETUP(idle)
{
	ASSERT_TRUE(uacce_find("hisi_zip", 0, self->name)) TH_LOG("no hisi_zip device");
	ASSERT_EQ(0, rawq_begin(&self->q, self->name, ZIP_QC_COMPRESS));
}

FIXTURE_TEARDOWN(idle)
{
	rawq_close(&self->q);
}

static long long now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000ll + ts.tv_nsec / 1000;
}

static void rest_ms(int ms)
{
	poll(NULL, 0, ms);
}

/* CPU time in ns of the threads whose name begins with hisi_sim. */
static long long threads_ns(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	char path[300], buf[128];
	long long sum = 0;

	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		if (text_read(path, buf, sizeof(buf)) < 0 || strncmp(buf, "hisi_sim", 8))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/schedstat", entry->d_name);
		if (text_read(path, buf, sizeof(buf)) > 0)
			sum += atoll(buf);
	}
	if (dir)
		closedir(dir);
	return sum;
}

/* Reads the clock rarely: where the clock is the emulated HPET, reading it holds up the timers that are measured. */
static int request(struct rawq *q, uint8_t *src, uint8_t *dst)
{
	long long deadline = now_ms() + ANSWER_MS;
	struct rawq_done done;
	int ret;

	rawq_zip_fill(rawq_slot(q), ZIP_REQ_DEFLATE, src, LEN, dst, 2 * LEN, 0);
	rawq_push(q, 1);
	do {
		for (int look = 0; look < 10000 && !rawq_ready(q); look++)
			turn_over();
		ret = rawq_pull(q, &done);
	} while (ret == -EAGAIN && now_ms() < deadline);
	return ret ? ret : (int)rawq_zip_status(rawq_zip_done(q, &done));
}

static int compare(const void *a, const void *b)
{
	long long x = *(const long long *)a, y = *(const long long *)b;

	return x < y ? -1 : x > y;
}

/* Times ROUNDS requests, each after @idle_ms, sorted; returns 0 or the result of the first request that failed. */
static int times(struct rawq *q, uint8_t *src, uint8_t *dst, int idle_ms, long long took[ROUNDS])
{
	int ret = request(q, src, dst);

	for (int i = 0; i < ROUNDS && !ret; i++) {
		rest_ms(idle_ms);
		took[i] = now_us();
		ret = request(q, src, dst);
		took[i] = now_us() - took[i];
	}
	qsort(took, ROUNDS, sizeof(took[0]), compare);
	return ret;
}

/* On a busy machine only the difference between the two figures says something about the device. */
TEST_F_TIMEOUT(idle, the_first_request_after_it_is_answered, 120)
{
	long long busy[ROUNDS] = {}, idle[ROUNDS] = {};

	ASSERT_EQ(0, times(&self->q, self->src, self->dst, 0, busy));
	ASSERT_EQ(0, times(&self->q, self->src, self->dst, IDLE_MS, idle));
	TH_LOG("request right after another: best %lld, median %lld, worst %lld us", busy[0],
	       busy[ROUNDS / 2], busy[ROUNDS - 1]);
	TH_LOG("first request after %d ms of idleness: best %lld, median %lld, worst %lld us", IDLE_MS,
	       idle[0], idle[ROUNDS / 2], idle[ROUNDS - 1]);
}

/*
 * If the machine stalls while such a thread has a CPU, the stall counts as the thread's time, but not at each try. If
 * this thread stalls between the readings, it has measured a longer time.
 */
TEST_F_TIMEOUT(idle, the_threads_sleep, 120)
{
	long long before, since, used = 1, took_us = 0;

	ASSERT_EQ(0, request(&self->q, self->src, self->dst));
	rest_ms(IDLE_MS);
	/* An order of magnitude above the target: this catches a spinning thread, not a slow machine. */
	for (int i = 0; i < TRIES && used >= took_us * 1000 / 10; i++) {
		since = now_us();
		before = threads_ns();
		ASSERT_LT(0, before);
		rest_ms(MEASURE_MS);
		used = threads_ns() - before;
		took_us = now_us() - since;
		TH_LOG("all devices' threads in %lld ms of idleness: %lld us, %lld.%04lld %% of a CPU", took_us / 1000,
		       used / 1000, used / 10 / took_us, used * 1000 / took_us % 10000);
	}
	EXPECT_LT(used, took_us * 1000 / 10);
}

TEST_HARNESS_MAIN
