// SPDX-License-Identifier: Apache-2.0
/*
 * Asynchronous jobs of libcrypto: many on one thread, abandoned ones, blocked pauses, callbacks, a device that is
 * removed.
 */
#include <openssl/async.h>
#include <poll.h>
#include <stdatomic.h>

#include "in_child.h"
#include "provider_test.h"
#include "kselftest_harness.h"

#define JOBS	64

/* A condition that other threads make true. */
#define WAIT_UNTIL(condition)				\
do {							\
	int wait_ms_;					\
							\
	for (wait_ms_ = 0; !(condition) && wait_ms_ < WAIT_MS; wait_ms_++)	\
		poll(NULL, 0, 1);			\
} while (0)

struct work {
	struct both *b;
	EVP_PKEY *key;
	bool block;
	unsigned char sig[1024];
	size_t len;
};

FIXTURE(job) {
	struct both b;
	EVP_PKEY *key, *stock;
};

FIXTURE_SETUP(job)
{
	ASSERT_TRUE(emulated());
	ASSERT_TRUE(both_open(&self->b)) errors_print();
	self->stock = key_make(self->b.stock, "RSA", NULL, 1024);
	self->key = key_in(self->b.ours, self->stock, EVP_PKEY_KEYPAIR);
	ASSERT_TRUE(is_ours(self->key));
}

FIXTURE_TEARDOWN(job)
{
	EVP_PKEY_free(self->key);
	EVP_PKEY_free(self->stock);
	both_close(&self->b);
}

static int work_do(void *arg)
{
	struct work *w = *(struct work **)arg;

	if (w->block)
		ASYNC_block_pause();
	sign(w->b->ours, w->key, "SHA256", NULL, "abc", 3, w->sig, &w->len);
	if (w->block)
		ASYNC_unblock_pause();
	return w->len > 0;
}

static int work_go(ASYNC_JOB **job, ASYNC_WAIT_CTX *ctx, struct work *w, int *ret)
{
	return ASYNC_start_job(job, ctx, ret, work_do, &w, sizeof(w));
}

static bool is_right(FIXTURE_DATA(job) *self, const struct work *w)
{
	return verify(self->b.stock, self->stock, "SHA256", NULL, "abc", 3, w->sig, w->len);
}

static int fd_of(ASYNC_WAIT_CTX *ctx)
{
	OSSL_ASYNC_FD fds[4] = { -1, -1, -1, -1 };
	size_t n;

	return ASYNC_WAIT_CTX_get_all_fds(ctx, NULL, &n) && n == 1 && ASYNC_WAIT_CTX_get_all_fds(ctx, fds, &n) ?
	       fds[0] : -1;
}

TEST_F(job, many_on_one_thread)
{
	static struct work work[JOBS];
	ASYNC_WAIT_CTX *ctx[JOBS];
	ASYNC_JOB *job[JOBS] = { NULL };
	struct pollfd fd[JOBS];
	unsigned int i, over = 0;
	int ret;

	ASSERT_EQ(1, ASYNC_init_thread(0, 0));
	work[0] = (struct work){ .b = &self->b, .key = self->key };
	ASSERT_EQ(0, emulated_control(DEVICE, "hold"));
	for (i = 0; i < JOBS; i++) {
		work[i] = work[0];
		ctx[i] = ASYNC_WAIT_CTX_new();
		ASSERT_EQ(ASYNC_PAUSE, work_go(&job[i], ctx[i], &work[i], &ret)) TH_LOG("job %u", i);
		fd[i] = (struct pollfd){ .fd = fd_of(ctx[i]), .events = POLLIN };
		ASSERT_LE(0, fd[i].fd);
		EXPECT_EQ(0, poll(&fd[i], 1, 0));
	}
	/* A job that is resumed too early pauses again. */
	EXPECT_EQ(ASYNC_PAUSE, work_go(&job[0], ctx[0], &work[0], &ret));
	ASSERT_EQ(0, emulated_control(DEVICE, "release"));
	while (over < JOBS) {
		ASSERT_LT(0, poll(fd, JOBS, WAIT_MS));
		for (i = 0; i < JOBS; i++) {
			if (!(fd[i].revents & POLLIN))
				continue;
			ASSERT_EQ(ASYNC_FINISH, work_go(&job[i], ctx[i], &work[i], &ret));
			EXPECT_EQ(1, ret);
			EXPECT_TRUE(is_right(self, &work[i]));
			EXPECT_EQ(0, poll(&fd[i], 1, 0));
			fd[i].fd = -1;
			over++;
		}
	}
	EXPECT_EQ(JOBS, sim(&self->b));
	EXPECT_EQ(0, count_of(&self->b, "warpdrive-fallbacks"));
	for (i = 0; i < JOBS; i++)
		ASYNC_WAIT_CTX_free(ctx[i]);
	ASYNC_cleanup_thread();
}

/* Nothing of an abandoned job is touched when its request ends; the library context is freed without the key. */
TEST_F(job, abandoned_ones_end_without_a_trace)
{
	unsigned long long before;
	ASYNC_WAIT_CTX *ctx;
	struct work *work;
	unsigned int i;
	int ret;

	ASSERT_EQ(1, ASYNC_init_thread(0, 0));
	for (i = 0; i < 20; i++) {
		ASYNC_JOB *job = NULL;

		work = calloc(1, sizeof(*work));
		*work = (struct work){ .b = &self->b, .key = self->key };
		ctx = ASYNC_WAIT_CTX_new();
		before = emulated_count(DEVICE, "completions");
		ASSERT_EQ(0, emulated_control(DEVICE, "hold"));
		ASSERT_EQ(ASYNC_PAUSE, work_go(&job, ctx, work, &ret));
		ASYNC_WAIT_CTX_free(ctx);
		memset(work, 0xaa, sizeof(*work));
		ASSERT_EQ(0, emulated_control(DEVICE, "release"));
		WAIT_UNTIL(emulated_count(DEVICE, "completions") > before);
		ASSERT_LT(before, emulated_count(DEVICE, "completions"));
		ASSERT_EQ((char)0xaa, (char)work->sig[0]);
	}
}

TEST_F(job, a_blocked_pause_waits)
{
	struct work work = { .b = &self->b, .key = self->key, .block = true };
	ASYNC_WAIT_CTX *ctx = ASYNC_WAIT_CTX_new();
	ASYNC_JOB *job = NULL;
	int ret;

	ASSERT_EQ(ASYNC_FINISH, work_go(&job, ctx, &work, &ret));
	EXPECT_TRUE(is_right(self, &work));
	EXPECT_EQ(1, sim(&self->b));
	ASYNC_WAIT_CTX_free(ctx);
}

/* A program that closes descriptors which no pause has shown to it doesn't know them. */
TEST_F(job, a_descriptor_that_no_pause_has_shown_is_gone)
{
	struct work work = { .b = &self->b, .key = self->key, .block = true };
	ASYNC_WAIT_CTX *ctx = ASYNC_WAIT_CTX_new();
	ASYNC_JOB *job = NULL;
	size_t added, deleted;
	int ret;

	ASSERT_EQ(ASYNC_FINISH, work_go(&job, ctx, &work, &ret));
	EXPECT_EQ(-1, fd_of(ctx));
	work.block = false;
	ASSERT_EQ(0, emulated_control(DEVICE, "hold"));
	ASSERT_EQ(ASYNC_PAUSE, work_go(&job, ctx, &work, &ret));
	EXPECT_LE(0, fd_of(ctx));
	ASSERT_TRUE(ASYNC_WAIT_CTX_get_changed_fds(ctx, NULL, &added, NULL, &deleted));
	EXPECT_EQ(1, added);
	EXPECT_EQ(0, deleted);
	ASSERT_EQ(0, emulated_control(DEVICE, "release"));
	while (work_go(&job, ctx, &work, &ret) == ASYNC_PAUSE)
		poll(NULL, 0, 1);
	/* The program knows this one. */
	work.block = true;
	ASSERT_EQ(ASYNC_FINISH, work_go(&job, ctx, &work, &ret));
	EXPECT_LE(0, fd_of(ctx));
	EXPECT_EQ(3, sim(&self->b));
	ASYNC_WAIT_CTX_free(ctx);
}

static int called(void *arg)
{
	atomic_fetch_add((_Atomic int *)arg, 1);
	return 1;
}

TEST_F(job, a_callback_takes_the_place_of_the_descriptor)
{
	struct work work = { .b = &self->b, .key = self->key };
	ASYNC_WAIT_CTX *ctx = ASYNC_WAIT_CTX_new();
	ASYNC_JOB *job = NULL;
	_Atomic int calls = 0;
	int ret;

	ASSERT_EQ(1, ASYNC_WAIT_CTX_set_callback(ctx, called, &calls));
	ASSERT_EQ(0, emulated_control(DEVICE, "hold"));
	ASSERT_EQ(ASYNC_PAUSE, work_go(&job, ctx, &work, &ret));
	EXPECT_EQ(-1, fd_of(ctx));
	EXPECT_EQ(ASYNC_STATUS_OK, ASYNC_WAIT_CTX_get_status(ctx));
	EXPECT_EQ(0, calls);
	ASSERT_EQ(0, emulated_control(DEVICE, "release"));
	WAIT_UNTIL(calls);
	EXPECT_EQ(1, calls);
	ASSERT_EQ(ASYNC_FINISH, work_go(&job, ctx, &work, &ret));
	EXPECT_TRUE(is_right(self, &work));
	ASYNC_WAIT_CTX_free(ctx);
}

TEST_F(job, a_removed_device_leaves_them_to_the_default_provider)
{
	struct work work = { .b = &self->b, .key = self->key };
	ASYNC_WAIT_CTX *ctx = ASYNC_WAIT_CTX_new();
	ASYNC_JOB *job = NULL;
	struct pollfd fd;
	int ret;

	ASSERT_EQ(0, emulated_control(DEVICE, "hold"));
	ASSERT_EQ(ASYNC_PAUSE, work_go(&job, ctx, &work, &ret));
	fd = (struct pollfd){ .fd = fd_of(ctx), .events = POLLIN };
	ASSERT_EQ(0, emulated_control(DEVICE, "remove"));
	ASSERT_EQ(1, poll(&fd, 1, WAIT_MS));
	ASSERT_EQ(ASYNC_FINISH, work_go(&job, ctx, &work, &ret));
	EXPECT_TRUE(is_right(self, &work));
	EXPECT_EQ(0, sim(&self->b));
	EXPECT_EQ(1, soft(&self->b));
	EXPECT_EQ(1, count_of(&self->b, "warpdrive-fallbacks"));
	ASYNC_WAIT_CTX_free(ctx);
	EXPECT_EQ(0, emulated_control(DEVICE, "return"));
}

struct forked {
	FIXTURE_DATA(job) *self;
	ASYNC_WAIT_CTX *ctx;
};

static int in_the_child(void *p)
{
	struct forked *f = p;
	struct work work = { .b = &f->self->b, .key = f->self->key };
	ASYNC_JOB *job = NULL;
	struct pollfd fd;
	int ret, status;

	status = work_go(&job, f->ctx, &work, &ret);
	while (status == ASYNC_PAUSE) {
		fd = (struct pollfd){ .fd = fd_of(f->ctx), .events = POLLIN };
		if (fd.fd < 0 || poll(&fd, 1, WAIT_MS) != 1)
			return 2;
		status = work_go(&job, f->ctx, &work, &ret);
	}
	ASYNC_WAIT_CTX_free(f->ctx);
	return status == ASYNC_FINISH && is_right(f->self, &work) && sim(&f->self->b) ? 0 : 1;
}

/* The descriptor that the parent used belongs to the parent. */
/* No CPU is in that node, so that no thread can start there. */
TEST_F(job, without_poll_threads_they_are_the_default_provider_s)
{
	ASYNC_WAIT_CTX *ctx = ASYNC_WAIT_CTX_new();
	struct work work = { .block = false };
	ASYNC_JOB *job = NULL;
	struct both b;
	int ret;

	setenv("WD_OPENSSL_POLLERS", "1@1000", 1);
	ASSERT_TRUE(both_open(&b));
	work.b = &b;
	work.key = key_in(b.ours, self->stock, EVP_PKEY_KEYPAIR);
	ASSERT_TRUE(is_ours(work.key));
	EXPECT_EQ(ASYNC_FINISH, work_go(&job, ctx, &work, &ret));
	EXPECT_TRUE(is_right(self, &work));
	EXPECT_EQ(1, soft(&b));
	EXPECT_EQ(1, count_of(&b, "warpdrive-fallbacks"));
	ASYNC_WAIT_CTX_free(ctx);
	EVP_PKEY_free(work.key);
	both_close(&b);
}

TEST_F(job, a_child_uses_the_parents_wait_context)
{
	struct work work = { .b = &self->b, .key = self->key };
	struct forked f = { self, ASYNC_WAIT_CTX_new() };
	ASYNC_JOB *job = NULL;
	struct pollfd fd;
	int ret, status;

	ASSERT_EQ(0, emulated_control(DEVICE, "hold"));
	ASSERT_EQ(ASYNC_PAUSE, work_go(&job, f.ctx, &work, &ret));
	ASSERT_EQ(0, emulated_control(DEVICE, "release"));
	while ((status = work_go(&job, f.ctx, &work, &ret)) == ASYNC_PAUSE) {
		fd = (struct pollfd){ .fd = fd_of(f.ctx), .events = POLLIN };
		ASSERT_EQ(1, poll(&fd, 1, WAIT_MS));
	}
	ASSERT_EQ(ASYNC_FINISH, status);
	EXPECT_EQ(0, in_child(in_the_child, &f));
	EXPECT_LE(0, fd_of(f.ctx));
	ASYNC_WAIT_CTX_free(f.ctx);
}

TEST_HARNESS_MAIN
