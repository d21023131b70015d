// SPDX-License-Identifier: Apache-2.0
/* What a fork's child may do with its parent's sessions and requests. */
#include <pthread.h>
#include <stdatomic.h>

#include "comp_test.h"
#include "emulated.h"
#include "in_child.h"
#include "kselftest_harness.h"
#include "wait_ms.h"

static atomic_int ran;

static void on_done(struct wd_comp_arg *arg, void *param)
{
	(void)arg;
	(void)param;
	atomic_fetch_add(&ran, 1);
}

FIXTURE(forked) {
	handle_t s, a;
	unsigned char src[5000], dst[9000], back[5000];
	size_t len;
	struct wd_comp_arg arg;
	int path;
};

FIXTURE_SETUP(forked)
{
	self->s = sess_new(WD_GZIP, WD_DIR_COMPRESS, WD_SYNC);
	self->a = sess_new(WD_GZIP, WD_DIR_COMPRESS, WD_ASYNC);
	ASSERT_TRUE(self->s && self->a);
	fill_text(self->src, sizeof(self->src), 1);
	self->len = sizeof(self->dst);
	self->arg = (struct wd_comp_arg){
		.src = self->src, .src_len = sizeof(self->src), .dst = self->dst, .dst_len = &self->len, .cb = on_done,
	};
	self->path = expected_path("zlib");
	atomic_store(&ran, 0);
}

FIXTURE_TEARDOWN(forked)
{
	EXPECT_EQ(0, wd_comp_free_sess(self->s));
	EXPECT_EQ(0, wd_comp_free_sess(self->a));
}

static int right(FIXTURE_DATA(forked) *self)
{
	return z_decompress(WD_GZIP, self->dst, self->len, self->back, sizeof(self->back), 15) == sizeof(self->src) &&
	       !memcmp(self->src, self->back, sizeof(self->src));
}

static int use_sync(void *p)
{
	FIXTURE_DATA(forked) *self = p;

	self->len = sizeof(self->dst);
	return wd_compress(self->s, &self->arg) ? 1 : !right(self) ? 2 : self->arg.path == self->path ? 0 : 3;
}

static int use_deeper(void *p)
{
	return use_sync(p) ? 1 : in_child(use_sync, p);
}

TEST_F(forked, sessions_work_in_children_of_any_depth_and_in_the_parent)
{
	int i;

	EXPECT_EQ(0, use_sync(self));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, in_child(use_deeper, self));
		EXPECT_EQ(0, use_sync(self));
	}
}

static int use_async(void *p)
{
	FIXTURE_DATA(forked) *self = p;

	/* None of the parent's requests is in flight in the child. */
	if (wd_in_flight(NULL) || wd_comp_poll(1, 1000, NULL))
		return 1;
	self->len = sizeof(self->dst);
	if (wd_comp_async(self->a, &self->arg, NULL))
		return 2;
	if (wd_comp_poll(1, WAIT_MS, NULL) != 1 || atomic_load(&ran) != 1)
		return 3;
	return !right(self) ? 4 : wd_comp_free_sess(self->a) ? 5 : 0;
}

TEST_F(forked, callbacks_of_the_parent_never_run_in_the_child)
{
	ASSERT_EQ(0, wd_comp_async(self->a, &self->arg, NULL));
	EXPECT_EQ(0, in_child(use_async, self));
	EXPECT_EQ(0, atomic_load(&ran));
	EXPECT_EQ(1, wd_comp_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(1, atomic_load(&ran));
	EXPECT_EQ(1, right(self));
}

static int free_all(void *p)
{
	FIXTURE_DATA(forked) *self = p;

	return wd_comp_free_sess(self->s) || wd_comp_free_sess(self->a) || wd_comp_free_sess(self->s) != -EINVAL;
}

TEST_F(forked, the_child_may_free_what_it_inherited)
{
	EXPECT_EQ(0, use_sync(self));
	ASSERT_EQ(0, wd_comp_async(self->a, &self->arg, NULL));
	EXPECT_EQ(0, in_child(free_all, self));
	EXPECT_EQ(1, wd_comp_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(0, use_sync(self));
}

#define TRIES	5

static atomic_bool stop;
/*
 * fork() holds mmap_lock of this process, and hisi_sim fails on a page that stays unavailable for a quarter of a
 * second.
 */
static bool may_give_up;

static void *keep_busy(void *p)
{
	FIXTURE_DATA(forked) *self = p;
	unsigned char dst[9000];
	size_t len;
	struct wd_comp_arg arg = { .src = self->src, .src_len = sizeof(self->src), .dst = dst, .dst_len = &len };
	int ret, tries;
	long bad = 0;

	while (!atomic_load(&stop)) {
		tries = may_give_up ? TRIES : 1;
		do {
			len = sizeof(dst);
			ret = wd_compress(self->s, &arg);
		} while (ret == -EFAULT && --tries);
		bad += !!ret;
	}
	return (void *)bad;
}

TEST_F_TIMEOUT(forked, forking_while_other_threads_are_busy_hurts_nobody, 120)
{
	pthread_t t[4];
	void *bad;
	int i;

#ifdef __SANITIZE_ADDRESS__
	SKIP(return, "the sanitizer's allocator locks don't survive a fork beside threads that allocate");
#endif
	atomic_store(&stop, false);
	may_give_up = expected_path("zlib") == WD_PATH_SIM && !emulated();
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pthread_create(&t[i], NULL, keep_busy, self));
	}
	for (i = 0; i < 30; i++)
		EXPECT_EQ(0, in_child(use_sync, self));
	atomic_store(&stop, true);
	for (i = 0; i < 4; i++) {
		pthread_join(t[i], &bad);
		EXPECT_EQ(NULL, bad);
	}
}

TEST_HARNESS_MAIN
