// SPDX-License-Identifier: Apache-2.0
/*
 * A software request that one thread computes for long: the places of those that begin and end meanwhile are free
 * again, however many they are, and in whatever way results are fetched.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wd_comp.h>
#include <wd_cq.h>
#include <wd_digest.h>

#include "kselftest_harness.h"
#include "session.h"

#define MANY		5000	/* more than the software path's context has places */
#define LEN		100
#define DIGEST_LEN	32

static unsigned char *gate;	/* a page that can't be read before it is opened */
static size_t page;
static atomic_bool waits, go_on;

static void open_gate(int sig, siginfo_t *info, void *unused)
{
	(void)unused;
	if (info->si_addr < (void *)gate || info->si_addr >= (void *)(gate + page)) {
		signal(sig, SIG_DFL);
		return;
	}
	waits = true;
	while (!go_on)
		poll(NULL, 0, 1);
	mprotect(gate, page, PROT_READ);
}

struct req {
	struct wd_digest_arg arg;
	unsigned char dst[DIGEST_LEN];
	size_t len;
	unsigned int ended;
	int status;
};

static void done(struct wd_digest_arg *arg, void *param)
{
	struct req *r = param;

	r->ended++;
	r->status = arg->status;
}

FIXTURE(soft_slow) {
	handle_t h, cq;
	struct req slow, req;
};

FIXTURE_VARIANT(soft_slow) {
	int (*poll)(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
};

FIXTURE_VARIANT_ADD(soft_slow, poll) { .poll = wd_digest_poll };
FIXTURE_VARIANT_ADD(soft_slow, poll_wait) { .poll = wd_digest_poll_wait };
FIXTURE_VARIANT_ADD(soft_slow, all_classes) { .poll = wd_poll };
FIXTURE_VARIANT_ADD(soft_slow, cq) { .poll = NULL };

FIXTURE_SETUP(soft_slow)
{
	struct sigaction act = { .sa_sigaction = open_gate, .sa_flags = SA_SIGINFO };
	struct wd_digest_sess_setup setup = {
		.alg = WD_DIGEST_SHA256, .op_type = WD_ASYNC, .flags = WD_SESS_PATH_SOFT,
	};

	page = (size_t)sysconf(_SC_PAGESIZE);
	gate = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, gate);
	ASSERT_EQ(0, sigaction(SIGSEGV, &act, NULL));
	if (!variant->poll) {
		setup.cq = wd_cq_create(8);
		setup.flags |= WD_SESS_CQ;
		ASSERT_NE(0, setup.cq);
	}
	self->cq = setup.cq;
	self->h = wd_digest_alloc_sess(&setup, NULL);
	ASSERT_NE(0, self->h) TH_LOG("%s", detail(0));
}

FIXTURE_TEARDOWN(soft_slow)
{
	EXPECT_EQ(0, wd_digest_free_sess(self->h));
	if (self->cq)
		EXPECT_EQ(0, wd_cq_destroy(self->cq));
	munmap(gate, page);
}

static int submit(FIXTURE_DATA(soft_slow) *self, struct req *r, const void *src)
{
	r->len = DIGEST_LEN;
	r->arg = (struct wd_digest_arg){
		.src = src, .src_len = LEN, .dst = r->dst, .dst_len = &r->len, .wr_id = (uintptr_t)r,
	};
	if (!self->cq) {
		r->arg.cb = done;
		r->arg.cb_param = r;
	}
	return wd_digest_async(self->h, &r->arg, NULL);
}

struct fetch {
	const FIXTURE_VARIANT(soft_slow) *variant;
	handle_t cq;
	int ret;
};

/* One result. */
static int fetch_one(const struct fetch *f)
{
	struct wd_wc wc;
	struct req *r;
	int ret;

	if (f->variant->poll)
		return f->variant->poll(1, 0, NULL);
	ret = wd_poll_cq(f->cq, 1, &wc);
	if (ret == 1) {
		r = (struct req *)(uintptr_t)wc.wr_id;
		r->ended++;
		r->status = wc.status;
	}
	return ret;
}

static void *fetch_slow(void *arg)
{
	struct fetch *f = arg;

	do
		f->ret = fetch_one(f);
	while (!f->ret || f->ret == -ETIME);
	return NULL;
}

TEST_F(soft_slow, holds_up_no_other)
{
	static const unsigned char data[LEN];
	struct fetch fetch = { .variant = variant, .cq = self->cq };
	struct wd_sess_stats stats;
	pthread_t thread;
	unsigned int i;
	int ret;

	ASSERT_EQ(0, submit(self, &self->slow, gate));
	ASSERT_EQ(0, pthread_create(&thread, NULL, fetch_slow, &fetch));
	while (!waits)
		poll(NULL, 0, 1);
	for (i = 0; i < MANY; i++) {
		ret = submit(self, &self->req, data);
		EXPECT_EQ(0, ret) TH_LOG("request %u: %d", i, ret);
		if (ret)
			break;
		ASSERT_EQ(1, fetch_one(&fetch));
		ASSERT_EQ(i + 1, self->req.ended);
		ASSERT_EQ(0, self->req.status);
	}
	EXPECT_EQ(1, wd_in_flight(NULL));
	EXPECT_EQ(0, self->slow.ended);
	EXPECT_EQ(0, wd_sess_stats(self->h, &stats));
	EXPECT_EQ(MANY + 1, stats.path[WD_PATH_SOFT].submitted);
	EXPECT_EQ(MANY, stats.path[WD_PATH_SOFT].completed);
	go_on = true;
	pthread_join(thread, NULL);
	EXPECT_EQ(1, fetch.ret);
	EXPECT_EQ(1, self->slow.ended);
	EXPECT_EQ(0, self->slow.status);
	EXPECT_EQ(0, wd_in_flight(NULL));
}

TEST_HARNESS_MAIN
