// SPDX-License-Identifier: Apache-2.0
/*
 * A request whose deadline has passed, on a device that a reset has stopped before, and software contexts that always
 * have a result for calls that take one. Each call looks at the deadlines of all contexts: the first one after the
 * deadline stops the device, and the request ends within as many calls as there are contexts. Calls are counted, and
 * no time is.
 */
#include <poll.h>
#include <time.h>
#include <wd_cipher.h>
#include <wd_cq.h>
#include <wd_digest.h>

#include "need_device.h"
#include "on_device.h"
#include "session.h"
#include "wait_ms.h"

#define LEN		200
#define EACH		2	/* requests of each software session */
#define CONTEXTS	4
#define ROUNDS		12
#define DEADLINE_MS	1

enum kind { COMP, DIGEST, CIPHER, LATE, KINDS };

enum delivery { POLL, POLL_WAIT, CQ };

FIXTURE_DATA(late);

struct req {
	FIXTURE_DATA(late) *test;
	enum kind kind;
	union {
		struct wd_comp_arg comp;
		struct wd_digest_arg digest;
		struct wd_cipher_arg cipher;
	};
	unsigned char dst[2 * LEN];
	size_t len;
};

FIXTURE(late) {
	enum delivery how;
	handle_t cq, h[KINDS];
	unsigned char src[LEN], iv[16];
	struct req req[KINDS][EACH];
	unsigned int ran;		/* results of software */
	bool again;
	bool over;			/* the one with the deadline has ended */
	int status, failed;
};

FIXTURE_VARIANT(late) {
	enum delivery how;
};

FIXTURE_VARIANT_ADD(late, poll) { .how = POLL };
FIXTURE_VARIANT_ADD(late, poll_wait) { .how = POLL_WAIT };
FIXTURE_VARIANT_ADD(late, completion_queue) { .how = CQ };

static void ended(struct req *r, int status);

static void comp_cb(struct wd_comp_arg *arg, void *r)
{
	ended(r, arg->status);
}

static void digest_cb(struct wd_digest_arg *arg, void *r)
{
	ended(r, arg->status);
}

static void cipher_cb(struct wd_cipher_arg *arg, void *r)
{
	ended(r, arg->status);
}

/* The members that all classes have. */
#define FILL(test, r, callback)									\
	.src = (test)->src, .src_len = LEN, .dst = (r)->dst, .dst_len = &(r)->len,		\
	.wr_id = (__u64)(uintptr_t)(r), .cb = (test)->cq ? NULL : (callback), .cb_param = (test)->cq ? NULL : (r)

static int submit(struct req *r)
{
	FIXTURE_DATA(late) *self = r->test;
	handle_t h = self->h[r->kind];

	r->len = sizeof(r->dst);
	switch (r->kind) {
	case DIGEST:
		r->digest = (struct wd_digest_arg){ FILL(self, r, digest_cb) };
		return wd_digest_async(h, &r->digest, NULL);
	case CIPHER:
		r->cipher = (struct wd_cipher_arg){ FILL(self, r, cipher_cb), .iv = self->iv, .iv_len = 16 };
		return wd_cipher_async(h, &r->cipher, NULL);
	default:
		r->comp = (struct wd_comp_arg){ FILL(self, r, comp_cb) };
		r->comp.timeout_ms = r->kind == LATE ? DEADLINE_MS : 0;
		return wd_comp_async(h, &r->comp, NULL);
	}
}

static void ended(struct req *r, int status)
{
	FIXTURE_DATA(late) *self = r->test;

	if (r->kind == LATE) {
		self->over = true;
		self->status = status;
		return;
	}
	self->ran++;
	if (status)
		self->failed = status;
	else if (self->again)
		self->failed = submit(r);
}

/* One call, which takes one result. */
static int look(FIXTURE_DATA(late) *self)
{
	struct wd_wc wc;
	int n;

	if (self->how == POLL)
		return wd_poll(1, 0, NULL);
	if (self->how == POLL_WAIT)
		return wd_poll_wait(1, WAIT_MS, NULL);
	n = wd_poll_cq(self->cq, 1, &wc);
	if (n > 0)
		ended((struct req *)(uintptr_t)wc.wr_id, wc.status);
	return n;
}

static handle_t comp_session(FIXTURE_DATA(late) *self, bool on_device)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = alg_of_devices(), .op_type = WD_ASYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.flags = (on_device ? WD_SESS_PATH_HW : WD_SESS_PATH_SOFT) | (self->cq ? WD_SESS_CQ : 0),
		.cq = self->cq,
	};

	return on_device ? alloc_on_device(&setup) : wd_comp_alloc_sess(&setup, NULL);
}

static bool sessions_open(FIXTURE_DATA(late) *self)
{
	__u32 flags = WD_SESS_PATH_SOFT | (self->cq ? WD_SESS_CQ : 0);
	struct wd_digest_sess_setup digest = {
		.alg = WD_DIGEST_SHA256, .op_type = WD_ASYNC, .flags = flags, .cq = self->cq
	};
	struct wd_cipher_sess_setup cipher = {
		.alg = WD_CIPHER_AES, .mode = WD_CIPHER_CTR, .op_type = WD_ASYNC, .flags = flags, .cq = self->cq
	};

	self->h[COMP] = comp_session(self, false);
	self->h[DIGEST] = wd_digest_alloc_sess(&digest, NULL);
	self->h[CIPHER] = wd_cipher_alloc_sess(&cipher, NULL);
	self->h[LATE] = comp_session(self, true);
	return self->h[COMP] && self->h[DIGEST] && self->h[CIPHER] && self->h[LATE] &&
	       !wd_cipher_set_key(self->h[CIPHER], (const __u8 *)"sixteen key byte", 16);
}

FIXTURE_SETUP(late)
{
	unsigned int kind, i;

	if (!emulated())
		SKIP(return, "needs an emulated device, which can be held");
	ASSERT_EQ(0, emulated_attribute(0, "isolate", "0\n"));
	self->how = variant->how;
	if (self->how == CQ)
		self->cq = wd_cq_create(CONTEXTS * EACH);
	ASSERT_TRUE(sessions_open(self)) TH_LOG("%s", detail(0));
	self->again = true;
	for (kind = 0; kind < KINDS; kind++)
		for (i = 0; i < EACH; i++) {
			self->req[kind][i].test = self;
			self->req[kind][i].kind = kind;
			if (kind != LATE)
				ASSERT_EQ(0, submit(&self->req[kind][i]));
		}
}

FIXTURE_TEARDOWN(late)
{
	unsigned int left = (KINDS - 1) * EACH, before = self->ran;

	self->again = false;
	while (self->ran - before < left) {
		ASSERT_LT(0, look(self));
	}
	EXPECT_EQ(0, wd_comp_free_sess(self->h[COMP]));
	EXPECT_EQ(0, wd_digest_free_sess(self->h[DIGEST]));
	EXPECT_EQ(0, wd_cipher_free_sess(self->h[CIPHER]));
	EXPECT_EQ(0, wd_comp_free_sess(self->h[LATE]));
	if (self->cq)
		EXPECT_EQ(0, wd_cq_destroy(self->cq));
}

/* How many of the device's contexts are stopped. */
static unsigned int stopped(void)
{
	struct wd_ctx_info info;
	unsigned int i, nr = 0;

	for (i = 0; !wd_ctx_info(i, &info); i++)
		nr += !strcmp(info.dev_name, EMULATED_DEVICE) && info.state;
	return nr;
}

static void deadline_pass(void)
{
	struct timespec begun, now;

	clock_gettime(CLOCK_MONOTONIC, &begun);
	do {
		poll(NULL, 0, DEADLINE_MS);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000 <= DEADLINE_MS);
}

/* Whatever context a call begins with: the rounds differ by it. */
TEST_F(late, each_call_keeps_the_deadlines_of_all_contexts)
{
	unsigned int round, calls, i, before;

	for (round = 0; round < ROUNDS; round++) {
		ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "reset"));
		for (i = 0; i < round % CONTEXTS; i++) {
			ASSERT_LT(0, look(self));
		}
		ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "hold"));
		self->over = false;
		ASSERT_EQ(0, submit(&self->req[LATE][0])) TH_LOG("%s", detail(self->h[LATE]));
		deadline_pass();
		before = stopped();
		ASSERT_LE(0, look(self));
		EXPECT_EQ(before + 1, stopped()) TH_LOG("round %u: a call leaves out the late context", round);
		for (calls = 1; !self->over && calls <= CONTEXTS + 1; calls++) {
			ASSERT_LE(0, look(self));
		}
		EXPECT_TRUE(self->over) TH_LOG("round %u: not within %u calls", round, calls);
		ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "release"));
		while (!self->over) {
			ASSERT_LE(0, look(self));
		}
		EXPECT_EQ(-ETIMEDOUT, self->status);
		EXPECT_EQ(0, self->failed);
	}
}
