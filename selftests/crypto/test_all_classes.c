// SPDX-License-Identifier: Apache-2.0
/* The polls and wake-ups that serve all classes at once, and what the classes' own leave to them. */
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include "digest_test.h"
#include "kselftest_harness.h"
#include "wait_ms.h"

#define BYTES	256

struct job {
	struct wd_cipher_arg c;
	struct wd_digest_arg d;
	size_t len;
	unsigned char src[BYTES], dst[BYTES];
	atomic_int calls;
};

static atomic_int total;

static void over(struct job *j)
{
	j->calls++;
	total++;
}

static void c_done(struct wd_cipher_arg *arg, void *job)
{
	(void)arg;
	over(job);
}

static void d_done(struct wd_digest_arg *arg, void *job)
{
	(void)arg;
	over(job);
}

FIXTURE(both) {
	handle_t c, d;
	struct job job[2];
	wd_ctx_set_t *set;
	pthread_t thread;
	atomic_int turns;
};

FIXTURE_SETUP(both)
{
	struct wd_cipher_sess_setup c = { .alg = WD_CIPHER_AES, .mode = WD_CIPHER_CBC, .op_type = WD_ASYNC };
	struct wd_digest_sess_setup d = { .alg = WD_DIGEST_SHA256, .op_type = WD_ASYNC };

	self->c = wd_cipher_alloc_sess(&c, NULL);
	self->d = wd_digest_alloc_sess(&d, NULL);
	self->set = wd_ctx_set_alloc();
	ASSERT_TRUE(self->c && self->d && self->set) TH_LOG("%s", detail(0));
	ASSERT_EQ(0, wd_cipher_set_key(self->c, (const unsigned char *)"a key of 16 bytes", 16));
	ASSERT_EQ(0, wd_ctx_set_from_sess(self->c, self->set));
	ASSERT_EQ(0, wd_ctx_set_from_sess(self->d, self->set));
}

FIXTURE_TEARDOWN(both)
{
	EXPECT_EQ(0, wd_cipher_free_sess(self->c));
	EXPECT_EQ(0, wd_digest_free_sess(self->d));
	wd_ctx_set_free(self->set);
}

/* One request of each class. */
static int send_both(FIXTURE_DATA(both) *self, const wd_ctx_set_t *set)
{
	struct job *c = &self->job[0], *d = &self->job[1];
	int ret;

	c->len = d->len = BYTES;
	c->c = (struct wd_cipher_arg){
		.src = c->src, .src_len = BYTES, .dst = c->dst, .dst_len = &c->len, .cb = c_done, .cb_param = c,
		.iv = (void *)"an initial value", .iv_len = 16,
	};
	d->d = (struct wd_digest_arg){
		.src = d->src, .src_len = BYTES, .dst = d->dst, .dst_len = &d->len, .cb = d_done, .cb_param = d,
	};
	ret = wd_cipher_async(self->c, &c->c, set);
	return ret ? ret : wd_digest_async(self->d, &d->d, set);
}

#define EXPECT_BOTH_RAN() \
	do { \
		EXPECT_EQ(1, self->job[0].calls); \
		EXPECT_EQ(1, self->job[1].calls); \
		EXPECT_EQ(0, self->job[0].c.status); \
		EXPECT_EQ(0, self->job[1].d.status); \
	} while (0)

TEST_F(both, one_poll_runs_the_callbacks_of_every_class)
{
	EXPECT_EQ(0, wd_poll(1, WAIT_MS, NULL));
	ASSERT_EQ(0, send_both(self, NULL));
	EXPECT_EQ(2, wd_poll(8, WAIT_MS, NULL));
	EXPECT_BOTH_RAN();
	EXPECT_EQ(0, wd_poll(1, WAIT_MS, NULL));
}

TEST_F(both, a_set_names_contexts_of_several_classes)
{
	ASSERT_EQ(0, send_both(self, self->set));
	EXPECT_EQ(2, wd_poll(2, WAIT_MS, self->set));
	EXPECT_BOTH_RAN();
}

TEST_F(both, a_class_polls_only_its_own)
{
	ASSERT_EQ(0, send_both(self, NULL));
	EXPECT_EQ(1, wd_digest_poll(8, WAIT_MS, NULL));
	EXPECT_EQ(0, self->job[0].calls);
	EXPECT_EQ(1, wd_poll_wait(8, WAIT_MS, NULL));
	EXPECT_BOTH_RAN();
}

TEST_F(both, bad_arguments_are_refused)
{
	wd_ctx_set_t *empty = wd_ctx_set_alloc(), wrong = { 0 };

	EXPECT_EQ(-EINVAL, wd_poll(0, 0, NULL));
	EXPECT_EQ(-EINVAL, wd_poll_wait(0, 0, NULL));
	EXPECT_EQ(-EINVAL, wd_poll(1, 0, &wrong));
	EXPECT_EQ(-EINVAL, wd_poll(1, 0, empty));
	EXPECT_STREQ("the set names no context of any class: Invalid argument", detail(0));
	EXPECT_EQ(-EINVAL, wd_poll_wait(1, 0, empty));
	wd_ctx_set_free(empty);
}

/* One thread that polls for two classes, each by its own function. */
TEST_F(both, no_poll_takes_the_wake_up_of_another)
{
	EXPECT_EQ(0, wd_cipher_wakeup(self->c));
	EXPECT_EQ(-ETIME, wd_digest_poll_wait(1, 0, NULL));
	EXPECT_EQ(0, wd_cipher_poll_wait(1, UINT_MAX, NULL));
	EXPECT_EQ(0, wd_poll_wait(1, UINT_MAX, NULL));
	EXPECT_EQ(0, wd_digest_wakeup_set(self->set));
	EXPECT_EQ(0, wd_poll_wait(1, UINT_MAX, NULL));
	EXPECT_EQ(-ETIME, wd_cipher_poll_wait(1, 0, NULL));
	EXPECT_EQ(0, wd_digest_poll_wait(1, UINT_MAX, NULL));
	EXPECT_EQ(-ETIME, wd_poll_wait(1, 0, NULL));
}

TEST_F(both, a_wake_up_of_all_ends_every_poll_once)
{
	EXPECT_EQ(0, wd_wakeup());
	EXPECT_EQ(0, wd_poll_wait(1, UINT_MAX, NULL));
	EXPECT_EQ(0, wd_cipher_poll_wait(1, UINT_MAX, NULL));
	EXPECT_EQ(0, wd_digest_poll_wait(1, UINT_MAX, NULL));
	EXPECT_EQ(-ETIME, wd_poll_wait(1, 0, NULL));
	EXPECT_EQ(-ETIME, wd_cipher_poll_wait(1, 0, NULL));
	EXPECT_EQ(-ETIME, wd_digest_poll_wait(1, 0, NULL));
}

#define WAKE_UPS	3

static void *serve(void *p)
{
	FIXTURE_DATA(both) *self = p;

	while (self->turns < WAKE_UPS)
		if (!wd_poll_wait(8, UINT_MAX, NULL))
			self->turns++;
	return NULL;
}

TEST_F(both, one_thread_serves_them_while_it_sleeps)
{
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, serve, self));
	ASSERT_EQ(0, send_both(self, NULL));
	while (total < 2)
		poll(NULL, 0, 1);
	EXPECT_BOTH_RAN();
	EXPECT_EQ(0, wd_cipher_wakeup(self->c));
	while (self->turns < 1)
		poll(NULL, 0, 1);
	EXPECT_EQ(0, wd_digest_wakeup(self->d));
	while (self->turns < 2)
		poll(NULL, 0, 1);
	EXPECT_EQ(0, wd_wakeup());
	pthread_join(self->thread, NULL);
}

TEST_HARNESS_MAIN
