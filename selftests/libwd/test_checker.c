// SPDX-License-Identifier: Apache-2.0
/*
 * Requests of several threads on shared contexts of a device that delays, reorders, duplicates, drops and fails them.
 * Each request ends once, none succeeds wrongly, and its buffers belong to its owner from then on.
 * WD_TEST_LONG=1: ten million requests; WD_TEST_REQUESTS=N: N in each round; WD_TEST_SEED=N;
 * WD_TEST_FAULTS: other faults than those below, as wd-emulate --fault takes them.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "need_device.h"
#include "on_device.h"
#include "payload.h"

#define SHORT		30000u	/* in each round */
#define LONG		5000000u
#define SYNC_THREADS	2
#define ASYNC_THREADS	2
#define THREADS		(SYNC_THREADS + ASYNC_THREADS + 1)	/* the last thread sends bursts */
#define WINDOW		32
#define GRANULES	4	/* of a request: source, destination of two, one that nothing may touch */
#define POISON		0xdb

struct thread;

struct request {
	struct wd_comp_arg arg;
	unsigned char *src, *dst;
	size_t len;
	unsigned int plain;		/* bytes */
	bool compress;
	bool flying;
	__u64 number;			/* requests of its owner so far */
	struct thread *owner;
	atomic_uint ends;
	atomic_bool ended;		/* the request was checked: its struct can be reused */
};

enum {
	END_OK,
	END_TIMEDOUT,
	END_IO,
	END_DATA,
	END_NR,
};

struct thread {
	pthread_t t;
	unsigned int index;
	__u64 seed;
	__u64 numbers;
	struct request request[WINDOW];
	char why[200];
};

static struct {
	struct loans loans;
	__u8 alg;
	handle_t sess[2][2];		/* asynchronous, compress */
	struct thread thread[THREADS];
	atomic_uint left;
	_Atomic __u64 accepted, ended, ends[END_NR], retried;
	atomic_bool bad;
	unsigned int timeout_ms;
} all;

__attribute__((format(printf, 2, 3))) static void complain(struct thread *t, const char *format, ...)
{
	va_list ap;

	if (atomic_exchange(&all.bad, true))
		return;
	va_start(ap, format);
	vsnprintf(t->why, sizeof(t->why), format, ap);
	va_end(ap);
}

static unsigned int rnd(struct thread *t)
{
	t->seed = t->seed * 6364136223846793005ull + 1442695040888963407ull;
	return t->seed >> 33;
}

static void request_make(struct thread *t, struct request *r)
{
	unsigned int src_len;

	r->number = t->numbers++;
	r->plain = 1 + rnd(t) % PLAIN_MAX;
	r->compress = rnd(t) % 16 == 0;
	memset(r->dst, POISON, 2 * LOAN_BYTES);
	src_len = source_fill(r->src, all.alg, r->compress, r->plain, r->number * THREADS + t->index);
	r->len = 2 * LOAN_BYTES;
	r->arg = (struct wd_comp_arg){
		.src = r->src, .src_len = src_len, .dst = r->dst, .dst_len = &r->len,
		.timeout_ms = all.timeout_ms, .wr_id = r->number,
	};
	atomic_store(&r->ends, 0);
	atomic_store(&r->ended, false);
	lend(&all.loans, r->src, 3);
}

/* The thread that sees the request's end takes its buffers back before anything else happens. */
static void request_ended(struct thread *t, struct request *r, int ret)
{
	unsigned int before;

	take_back(&all.loans, r->src, 3);
	before = atomic_fetch_add(&r->ends, 1);
	if (before)
		complain(t, "request %llu ended %u times", r->number, before + 1);
	atomic_fetch_add(&all.ended, 1);
	if (!ret && !result_right(r->src, all.alg, r->compress, r->plain, r->dst, r->len))
		complain(t, "request %llu (%s, %u bytes) succeeded with a wrong result of %zu bytes", r->number,
			 r->compress ? "compress" : "decompress", r->plain, r->len);
	else if (ret && r->len)
		complain(t, "request %llu: %d, and %zu bytes", r->number, ret, r->len);
	else if (ret && ret != -ETIMEDOUT && ret != -EIO && (ret != -EBADMSG || r->compress))
		complain(t, "request %llu: %d", r->number, ret);
	atomic_fetch_add(&all.ends[!ret ? END_OK : ret == -ETIMEDOUT ? END_TIMEDOUT : ret == -EIO ? END_IO : END_DATA],
			 1);
	atomic_store(&r->ended, true);
}

static bool claim(unsigned int n)
{
	unsigned int left = atomic_load(&all.left);

	while (left >= n && !atomic_load(&all.bad))
		if (atomic_compare_exchange_weak(&all.left, &left, left - n))
			return true;
	return false;
}

static void *run_sync(void *p)
{
	struct thread *t = p;
	struct request *r = &t->request[0];
	int ret;

	while (claim(1)) {
		request_make(t, r);
		atomic_fetch_add(&all.accepted, 1);
		ret = r->compress ? wd_compress(all.sess[0][1], &r->arg) : wd_decompress(all.sess[0][0], &r->arg);
		request_ended(t, r, ret);
	}
	return NULL;
}

static void on_done(struct wd_comp_arg *arg, void *param)
{
	struct request *r = param;
	struct thread *t = r->owner;

	if (arg != &r->arg || arg->wr_id != r->number)
		complain(t, "a callback with request %llu in the place of %llu", arg->wr_id, r->number);
	request_ended(t, r, status_errno(arg->status));
}

static struct request *request_idle(struct thread *t)
{
	unsigned int i;

	for (i = 0; i < WINDOW; i++) {
		struct request *r = &t->request[i];

		if (r->flying && atomic_load(&r->ended))
			r->flying = false;
		if (!r->flying)
			return r;
	}
	return NULL;
}

static void poll_some(struct thread *t, unsigned int ms)
{
	int ret = wd_comp_poll(WINDOW, ms, NULL);

	if (ret < 0 && ret != -ETIME)
		complain(t, "poll: %d", ret);
}

/* Takes the buffers back: the library did not take the request. */
static void request_refused(struct thread *t, struct request *r, int ret)
{
	take_back(&all.loans, r->src, 3);
	r->flying = false;
	atomic_fetch_sub(&all.accepted, 1);
	atomic_fetch_add(&all.retried, 1);
	if (atomic_load(&r->ends))
		complain(t, "request %llu was refused (%d) and ended", r->number, ret);
	/* -EIO: another request's deadline is stopping the context. */
	if (ret != -EBUSY && ret != -EIO)
		complain(t, "async: %d", ret);
}

static void request_prepare_async(struct thread *t, struct request *r)
{
	request_make(t, r);
	r->arg.cb = on_done;
	r->arg.cb_param = r;
	r->flying = true;
	atomic_fetch_add(&all.accepted, 1);
}

static void drain(struct thread *t)
{
	unsigned int i;

	for (i = 0; i < WINDOW; i++)
		while (t->request[i].flying && !atomic_load(&t->request[i].ended) && !atomic_load(&all.bad))
			poll_some(t, 10);
}

static void *run_async(void *p)
{
	struct thread *t = p;

	while (claim(1)) {
		struct request *r;
		int ret;

		while (!(r = request_idle(t)) && !atomic_load(&all.bad))
			poll_some(t, 10);
		if (!r)
			break;
		do {
			request_prepare_async(t, r);
			ret = wd_comp_async(all.sess[1][r->compress], &r->arg, NULL);
			if (ret) {
				request_refused(t, r, ret);
				poll_some(t, 1);
			}
		} while (ret && !atomic_load(&all.bad));
	}
	drain(t);
	return NULL;
}

static void *run_bursts(void *p)
{
	struct thread *t = p;
	struct wd_comp_arg *args[WINDOW];
	struct request *r[WINDOW];
	unsigned int n, i;
	int ret;

	while (claim(WINDOW / 2)) {
		for (i = 0, n = 0; i < WINDOW / 2 && !atomic_load(&all.bad);) {
			struct request *next = request_idle(t);

			if (!next) {
				poll_some(t, 10);
				continue;
			}
			do {
				request_prepare_async(t, next);
				/* All requests of a burst are on one session. */
				if (next->compress)
					request_refused(t, next, -EBUSY);
			} while (next->compress);
			r[n] = next;
			args[n++] = &next->arg;
			i++;
		}
		for (i = 0; i < n && !atomic_load(&all.bad); i += ret > 0 ? ret : 0) {
			ret = wd_comp_async_burst(all.sess[1][0], args + i, n - i, NULL);
			if (ret < 0 && ret != -EBUSY && ret != -EIO)
				complain(t, "burst: %d", ret);
			if (ret <= 0)
				poll_some(t, 1);
		}
		/* The burst ended half way. */
		for (; i < n; i++)
			request_refused(t, r[i], -EBUSY);
	}
	drain(t);
	return NULL;
}

static unsigned int requests(unsigned int usual)
{
	const char *text = getenv("WD_TEST_REQUESTS");

	if (text)
		return strtoul(text, NULL, 0);
	if (usual && !getenv("WD_TEST_LONG"))
		return usual;
	if (getenv("WD_TEST_LONG"))
		return LONG;
	return getenv("WD_TEST_BRIEF") ? SHORT / 10 : SHORT;
}

static handle_t session(bool async, bool compress)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = all.alg, .op_type = async ? WD_ASYNC : WD_SYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.dir_type = compress ? WD_DIR_COMPRESS : WD_DIR_DECOMPRESS, .flags = WD_SESS_PATH_HW,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

static unsigned long long both(const char *what)
{
	return emulated_count("hisi_zip-0", what) + emulated_count("hisi_zip-1", what);
}

static void report(void)
{
	static const char *const kinds[] = { "fail", "delay", "reorder", "duplicate", "drop", "error", "page-fault" };
	unsigned int i;

	printf("# %llu requests: %llu right, %llu timed out, %llu stopped, "
	       "%llu refused by the device, %llu submitted again\n",
	       atomic_load(&all.ended), atomic_load(&all.ends[END_OK]), atomic_load(&all.ends[END_TIMEDOUT]),
	       atomic_load(&all.ends[END_IO]), atomic_load(&all.ends[END_DATA]), atomic_load(&all.retried));
	printf("# faults:");
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		printf(" %s %llu", kinds[i],
		       kinds[i][0] == 'p' ? emulated_count(EMULATED_DEVICE, kinds[i]) : both(kinds[i]));
	printf("; %llu doorbells and %llu arms recovered, %llu errors of queues\n", both("sq_recovered"),
	       both("arm_recovered"), both("async_events"));
	fflush(stdout);
}

FIXTURE(checker) {
};

FIXTURE_VARIANT(checker) {
	const char *faults;
	unsigned int timeout_ms;
	bool harmless;		/* no request may fail */
	bool sync;		/* synchronous only */
	bool lossless;		/* no request may time out; only injected failures fail */
	const char *seed;
	unsigned int requests;	/* 0: the default number */
};

FIXTURE_VARIANT_ADD(checker, disorder) {
	.faults = "delay=1/500:300us,reorder=1/20,duplicate=1/50,page-fault=1/10000:500us",
	.timeout_ms = 300000,
	.harmless = true,
};

FIXTURE_VARIANT_ADD(checker, loss_and_failure) {
	.faults = "fail=1/5000:4,delay=1/500:300us,reorder=1/20,duplicate=1/50,drop=1/20000,page-fault=1/10000:500us",
	.timeout_ms = 150,
};

FIXTURE_VARIANT_ADD(checker, failure_without_loss) {
	.faults = "fail=1/50:0x8,delay=1/100:2ms,duplicate=1/50",
	.timeout_ms = 300000,
	.sync = true,
	.lossless = true,
	.seed = "3",
	.requests = 2000,
};

/* More than five resets in a row during one request would end it. */
FIXTURE_VARIANT_ADD(checker, resets) {
	.faults = "error=1/3000,delay=1/500:300us,reorder=1/20",
	.timeout_ms = 300000,
	.harmless = true,
};

/* So often that a context which was opened again is often stopped before its first request. */
FIXTURE_VARIANT_ADD(checker, many_resets) {
	.faults = "error=1/150",
	.timeout_ms = 300000,
	.sync = true,
	.harmless = true,
	.requests = 50000,
};

FIXTURE_SETUP(checker)
{
	all.timeout_ms = variant->timeout_ms;
}

FIXTURE_TEARDOWN(checker)
{
}

TEST_F_TIMEOUT(checker, each_request_ends_once_and_truly, 14400)
{
	const char *seed = getenv("WD_TEST_SEED"), *other = getenv("WD_TEST_FAULTS");
	void *(*run)(void *p);
	char text[64], fault[300];
	unsigned int i, k;

	seed = seed ? seed : variant->seed;

	if (!emulated())
		SKIP(return, "needs an emulated device, which has faults");
	all.alg = alg_of_devices();
	ASSERT_EQ(0, loans_open(&all.loans, (size_t)THREADS * WINDOW * GRANULES));
	snprintf(text, sizeof(text), "seed %s", seed ? seed : "1");
	snprintf(fault, sizeof(fault), "fault %s", other ? other : variant->faults);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, emulated_control(i ? "hisi_zip-1" : "hisi_zip-0", text));
		ASSERT_EQ(0, emulated_control(i ? "hisi_zip-1" : "hisi_zip-0", fault));
		for (k = 0; k < 2; k++) {
			all.sess[i][k] = session(i, k);
			ASSERT_NE(0, all.sess[i][k]);
		}
	}
	/* On generation 2 doorbells of different queues overwrite each other, and the device is late to look again. */
	atomic_store(&all.left, requests(variant->requests) / (all.alg == WD_ZLIB ? 10 : 1));
	for (i = 0; i < THREADS; i++) {
		struct thread *t = &all.thread[i];

		t->index = i;
		t->seed = i + 1 + (seed ? strtoull(seed, NULL, 0) : 0);
		for (k = 0; k < WINDOW; k++) {
			t->request[k].src = loans_at(&all.loans, (size_t)(i * WINDOW + k) * GRANULES);
			t->request[k].owner = t;
			t->request[k].dst = t->request[k].src + LOAN_BYTES;
		}
		run = i < SYNC_THREADS || variant->sync ? run_sync : i == THREADS - 1 ? run_bursts : run_async;
		ASSERT_EQ(0, pthread_create(&t->t, NULL, run, t));
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(all.thread[i].t, NULL);
		EXPECT_STREQ("", all.thread[i].why);
	}
	report();
	EXPECT_FALSE(atomic_load(&all.bad));
	EXPECT_EQ(atomic_load(&all.accepted), atomic_load(&all.ended));
	EXPECT_EQ(0, wd_in_flight(NULL));
	if (variant->harmless && !other)
		EXPECT_EQ(atomic_load(&all.ended), atomic_load(&all.ends[END_OK]));
	if (variant->lossless && !other) {
		EXPECT_EQ(0, atomic_load(&all.ends[END_TIMEDOUT]));
		EXPECT_EQ(both("fail"), atomic_load(&all.ends[END_IO]) + atomic_load(&all.ends[END_DATA]));
		EXPECT_NE(0, both("fail"));
		EXPECT_NE(0, both("duplicate"));
	}
	/* Only injected failures may look like failures. */
	EXPECT_GE(both("fail"), atomic_load(&all.ends[END_DATA]));
	for (i = 0; i < 4; i++)
		EXPECT_EQ(0, wd_comp_free_sess(all.sess[i / 2][i % 2]));
	loans_close(&all.loans);
}
