// SPDX-License-Identifier: Apache-2.0
/*
 * Everything at once: deadlines, faults, resets, removals, forks, short-lived threads and sessions. Nothing is lost or
 * wrong, no buffer is touched afterwards, and nothing hangs.
 * Three seconds; WD_TEST_LONG=1: two minutes; WD_TEST_SECONDS=N, WD_TEST_SEED=N.
 */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "need_device.h"
#include "on_device.h"
#include "payload.h"

#define WORKERS		6
#define PLACES		(WORKERS + 2)	/* and one each for the forking and the short-lived thread */
#define WINDOW		8
#define GRANULES	4
#define HANG_MS		300000

struct request {
	struct wd_comp_arg arg;
	unsigned char *src, *dst;
	unsigned int plain;
	bool compress;
	size_t len;
	int ret;
	atomic_uint ends;
	atomic_bool over;
};

struct place {
	pthread_t thread;
	__u64 seed, number;
	struct request request[WINDOW];
};

static struct {
	struct loans loans;
	__u8 alg;
	struct place place[PLACES];
	handle_t sess[2][2];		/* asynchronous, compress */
	atomic_bool stop;
	_Atomic __u64 right, failed, forks, threads, resets, removals, sessions;
	atomic_bool bad;
	char why[200];
} all;

__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...)
{
	va_list ap;

	if (atomic_exchange(&all.bad, true))
		return;
	va_start(ap, format);
	vsnprintf(all.why, sizeof(all.why), format, ap);
	va_end(ap);
	atomic_store(&all.stop, true);
}

static unsigned int rnd(struct place *p)
{
	p->seed = p->seed * 6364136223846793005ull + 1442695040888963407ull;
	return p->seed >> 33;
}

static __u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (__u64)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void request_make(struct place *p, struct request *r, bool compress)
{
	r->compress = compress;
	r->plain = 1 + rnd(p) % PLAIN_MAX;
	r->len = 2 * LOAN_BYTES;
	memset(r->dst, 0xdb, 2 * LOAN_BYTES);
	r->arg = (struct wd_comp_arg){
		.src = r->src, .src_len = source_fill(r->src, all.alg, compress, r->plain, ++p->number), .dst = r->dst,
		.dst_len = &r->len, .timeout_ms = rnd(p) % 4 ? 500 : 1 + rnd(p) % 20,
	};
	atomic_store(&r->ends, 0);
	atomic_store(&r->over, false);
	lend(&all.loans, r->src, 3);
}

static void request_over(struct request *r, int ret)
{
	take_back(&all.loans, r->src, 3);
	if (atomic_fetch_add(&r->ends, 1))
		complain("a request ended twice");
	if (!ret && !result_right(r->src, all.alg, r->compress, r->plain, r->dst, r->len))
		complain("success with a wrong result");
	else if (ret && r->len)
		complain("error %d with %zu bytes", ret, r->len);
	else if (ret && ret != -ETIMEDOUT && ret != -EIO && ret != -ENODEV && ret != -EBADMSG)
		complain("error %d", ret);
	atomic_fetch_add(ret ? &all.failed : &all.right, 1);
	r->ret = ret;
	atomic_store(&r->over, true);
}

static int sync_one(struct place *p, handle_t h, bool compress)
{
	struct request *r = &p->request[0];

	request_make(p, r, compress);
	request_over(r, compress ? wd_compress(h, &r->arg) : wd_decompress(h, &r->arg));
	return r->ret;
}

static void on_done(struct wd_comp_arg *arg, void *param)
{
	request_over(param, status_errno(arg->status));
}

/* A poll may run other threads' callbacks; this thread's requests have ended when their flags say so. */
static void async_wait(struct place *p, unsigned int n)
{
	__u64 end = now_ms() + HANG_MS;
	unsigned int i;

	for (i = 0; i < n; i++)
		while (!atomic_load(&p->request[i].over) && !atomic_load(&all.bad)) {
			wd_comp_poll(1 + rnd(p) % 4, rnd(p) % 8, NULL);
			if (now_ms() > end)
				complain("a request didn't end within %u ms", HANG_MS);
		}
}

static void async_some(struct place *p, handle_t h, bool compress)
{
	struct wd_comp_arg *args[WINDOW];
	unsigned int n = 1 + rnd(p) % WINDOW, i;
	int taken;

	for (i = 0; i < n; i++) {
		request_make(p, &p->request[i], compress);
		p->request[i].arg.cb = on_done;
		p->request[i].arg.cb_param = &p->request[i];
		args[i] = &p->request[i].arg;
	}
	taken = rnd(p) % 2 ? wd_comp_async_burst(h, args, n, NULL) : wd_comp_async(h, args[0], NULL) ? 0 : 1;
	if (taken < 0 && taken != -EBUSY && taken != -EIO && taken != -ENODEV)
		complain("submission: %d", taken);
	taken = taken < 0 ? 0 : taken;
	for (i = taken; i < n; i++)
		take_back(&all.loans, p->request[i].src, 3);
	async_wait(p, taken);
}

static handle_t session(bool async, bool compress)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = all.alg, .op_type = async ? WD_ASYNC : WD_SYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.dir_type = compress ? WD_DIR_COMPRESS : WD_DIR_DECOMPRESS, .flags = WD_SESS_PATH_HW,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

/* A new session for one request. At the moment there may be no device. */
static void session_once(struct place *p, bool async, bool compress)
{
	handle_t h = session(async, compress);

	if (!h)
		return;
	if (async)
		async_some(p, h, compress);
	else
		sync_one(p, h, compress);
	if (!atomic_load(&all.bad) && wd_comp_free_sess(h))
		complain("a session without requests can't be freed");
	atomic_fetch_add(&all.sessions, 1);
}

static void anything(struct place *p)
{
	bool async = rnd(p) % 2, compress = rnd(p) % 4 == 0;

	if (rnd(p) % 32 == 0)
		session_once(p, async, compress);
	else if (async)
		async_some(p, all.sess[1][compress], compress);
	else
		sync_one(p, all.sess[0][compress], compress);
}

static void *work(void *param)
{
	while (!atomic_load(&all.stop))
		anything(param);
	return NULL;
}

static void *work_a_little(void *param)
{
	struct place *p = param;
	unsigned int n = rnd(p) % 4;

	while (n--)
		anything(p);
	return NULL;
}

static void *spawn(void *param)
{
	struct place *p = param;
	pthread_t t;

	while (!atomic_load(&all.stop)) {
		if (pthread_create(&t, NULL, work_a_little, p))
			break;
		pthread_join(t, NULL);
		atomic_fetch_add(&all.threads, 1);
	}
	return NULL;
}

/* The sessions are the parent's; the child has its own contexts. */
static int child(struct place *p)
{
	int ret;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
	/*
	 * A sanitizer's thread lists may be locked by a thread that the child doesn't have: start no thread, so use no
	 * device.
	 */
	(void)p;
	ret = wd_comp_poll(1, 0, NULL);
	return ret > 0 || wd_in_flight(NULL) || wd_comp_free_sess(all.sess[0][0]);
#endif
	alarm(HANG_MS / 1000);
	atomic_store(&all.bad, false);
	ret = sync_one(p, all.sess[0][0], false);
	if (!ret || ret == -ENODEV || ret == -EIO || ret == -ETIMEDOUT)
		ret = 0;
	return ret ? 1 : atomic_load(&all.bad) ? 2 : 0;
}

static void *fork_often(void *param)
{
	int status;
	pid_t pid;

	while (!atomic_load(&all.stop)) {
		pid = fork();
		if (!pid)
			_exit(child(param));
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status) {
			complain("a child ended with status %#x", pid < 0 ? -1 : status);
			break;
		}
		atomic_fetch_add(&all.forks, 1);
		sync_one(param, all.sess[0][0], false);
	}
	return NULL;
}

/* Waits until some requests have succeeded, if they can. */
static void let_them_work(struct place *p)
{
	__u64 enough = atomic_load(&all.right) + rnd(p) % 300, end = now_ms() + 50;

	while (atomic_load(&all.right) < enough && now_ms() < end && !atomic_load(&all.stop))
		poll(NULL, 0, 1);
}

static void disturb(struct place *p)
{
	static const char *const faults[] = {
		"fault drop=1", "fault fail=2:4", "fault delay=3:5ms", "fault reorder=1/10,duplicate=1/10",
		"fault page-fault=2:10ms", "fault drop=0,fail=0,delay=0,reorder=0,duplicate=0,page-fault=0",
	};
	const char *device = rnd(p) % 2 ? "hisi_zip-0" : "hisi_zip-1";
	unsigned int what = rnd(p) % 10;
	int ret;

	if (what < 6) {
		ret = emulated_control(device, faults[what]);
	} else if (what < 9) {
		ret = emulated_control(device, "reset");
		atomic_fetch_add(&all.resets, 1);
	} else {
		ret = emulated_control(device, "remove");
		let_them_work(p);
		if (!ret)
			ret = emulated_control(device, "return");
		atomic_fetch_add(&all.removals, 1);
	}
	if (ret)
		complain("control: %d", ret);
}

static unsigned int seconds(void)
{
	const char *text = getenv("WD_TEST_SECONDS");

	return text ? strtoul(text, NULL, 0) : getenv("WD_TEST_LONG") ? 120 : 3;
}

static void places_prepare(void)
{
	const char *seed = getenv("WD_TEST_SEED");
	unsigned int i, k;

	for (i = 0; i < PLACES; i++) {
		struct place *p = &all.place[i];

		p->seed = i + (seed ? strtoull(seed, NULL, 0) * 1000 : 0);
		p->number = (__u64)i << 32;
		for (k = 0; k < WINDOW; k++) {
			p->request[k].src = loans_at(&all.loans, (size_t)(i * WINDOW + k) * GRANULES);
			p->request[k].dst = p->request[k].src + LOAN_BYTES;
		}
	}
}

FIXTURE(stress) {
};

FIXTURE_SETUP(stress)
{
}

FIXTURE_TEARDOWN(stress)
{
}

TEST_F_TIMEOUT(stress, everything_at_once, 600)
{
	struct place disturber = { .seed = getenv("WD_TEST_SEED") ? strtoull(getenv("WD_TEST_SEED"), NULL, 0) : 99 };
	__u64 end = now_ms() + seconds() * 1000ull;
	unsigned int i;

	if (!emulated())
		SKIP(return, "needs an emulated device, which can be reset and removed");
	all.alg = alg_of_devices();
	ASSERT_EQ(0, loans_open(&all.loans, (size_t)PLACES * WINDOW * GRANULES));
	places_prepare();
	for (i = 0; i < 4; i++) {
		all.sess[i / 2][i % 2] = session(i / 2, i % 2);
		ASSERT_NE(0, all.sess[i / 2][i % 2]);
	}
	for (i = 0; i < PLACES; i++)
		ASSERT_EQ(0, pthread_create(&all.place[i].thread, NULL,
					    i < WORKERS ? work : i == WORKERS ? spawn : fork_often, &all.place[i]));
	while ((now_ms() < end || !atomic_load(&all.right)) && !atomic_load(&all.stop)) {
		disturb(&disturber);
		let_them_work(&disturber);
	}
	atomic_store(&all.stop, true);
	for (i = 0; i < PLACES; i++)
		pthread_join(all.place[i].thread, NULL);
	printf("# %llu right, %llu failed, %llu sessions, %llu threads, %llu forks, %llu resets, %llu removals\n",
	       atomic_load(&all.right), atomic_load(&all.failed), atomic_load(&all.sessions), atomic_load(&all.threads),
	       atomic_load(&all.forks), atomic_load(&all.resets), atomic_load(&all.removals));
	fflush(stdout);
	EXPECT_STREQ("", all.why);
	EXPECT_EQ(0, wd_in_flight(NULL));
	EXPECT_LT(0, atomic_load(&all.right));
	for (i = 0; i < 4; i++)
		EXPECT_EQ(0, wd_comp_free_sess(all.sess[i / 2][i % 2]));
	loans_close(&all.loans);
}
