// SPDX-License-Identifier: Apache-2.0
/* Handles: what is refused, and that a number is never valid twice. */
#include <pthread.h>
#include <stdlib.h>
#include "base/handle.h"
#include "kselftest_harness.h"

TEST(nothing_is_a_handle_before_the_first_one)
{
	EXPECT_EQ(NULL, wd_handle_any(1));
	EXPECT_EQ(NULL, wd_handle_any(~0ull));
	EXPECT_EQ(NULL, wd_handle_get(0, WD_KIND_CTX));
}

TEST(a_handle_finds_its_object)
{
	struct wd_object obj = { 0 };
	handle_t h = wd_handle_new(WD_KIND_CTX, &obj);

	ASSERT_NE(0, h);
	EXPECT_EQ(h, obj.handle);
	EXPECT_EQ(&obj, wd_handle_get(h, WD_KIND_CTX));
	EXPECT_EQ(&obj, wd_handle_any(h));
	wd_handle_free(h);
}

TEST(another_kind_is_refused)
{
	struct wd_object obj = { 0 };
	handle_t h = wd_handle_new(WD_KIND_QP, &obj);

	EXPECT_EQ(NULL, wd_handle_get(h, WD_KIND_CTX));
	EXPECT_EQ(-EINVAL, wd_handle_bad(h, "a context"));
	wd_handle_free(h);
}

TEST(a_freed_handle_stays_stale_when_its_place_is_reused)
{
	struct wd_object first = { 0 }, second = { 0 };
	handle_t old = wd_handle_new(WD_KIND_CTX, &first);
	handle_t new;

	wd_handle_free(old);
	EXPECT_EQ(NULL, wd_handle_any(old));
	new = wd_handle_new(WD_KIND_CTX, &second);
	EXPECT_NE(old, new);
	EXPECT_EQ(NULL, wd_handle_any(old));
	EXPECT_EQ(&second, wd_handle_any(new));
	wd_handle_free(new);
}

TEST(garbage_is_refused)
{
	struct wd_object obj = { 0 };
	handle_t h = wd_handle_new(WD_KIND_CTX, &obj);
	int bit;

	EXPECT_EQ(NULL, wd_handle_any(0));
	for (bit = 0; bit < 64; bit++)
		EXPECT_EQ(NULL, wd_handle_any(h ^ 1ull << bit));
	wd_handle_free(h);
}

TEST(many_handles_live_at_once)
{
	enum { MANY = 100000 };
	struct wd_object *objs = calloc(MANY, sizeof(*objs));
	int i;

	ASSERT_NE(NULL, objs);
	for (i = 0; i < MANY; i++)
		ASSERT_NE(0, wd_handle_new(WD_KIND_COMP, &objs[i]));
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(&objs[i], wd_handle_get(objs[i].handle, WD_KIND_COMP));
	for (i = 0; i < MANY; i++)
		wd_handle_free(objs[i].handle);
	free(objs);
}

#define THREADS	4
#define ROUNDS	5000

static void *make_and_free(void *arg)
{
	struct wd_object obj = { 0 };
	long bad = 0;
	int i;

	(void)arg;
	for (i = 0; i < ROUNDS; i++) {
		handle_t h = wd_handle_new(WD_KIND_CTX, &obj);

		bad += wd_handle_get(h, WD_KIND_CTX) != &obj;
		wd_handle_free(h);
		bad += wd_handle_any(h) != NULL;
	}
	return (void *)bad;
}

TEST(threads_make_and_free_at_the_same_time)
{
	pthread_t threads[THREADS];
	void *bad;
	int i;

	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, make_and_free, NULL));
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &bad);
		EXPECT_EQ(NULL, bad);
	}
}

TEST_HARNESS_MAIN
