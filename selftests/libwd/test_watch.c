// SPDX-License-Identifier: Apache-2.0
/* Threads that sleep until another one changes something: none is missed, and few looks and barriers are in vain. */
#include <pthread.h>
#include <time.h>

#include "base/sleep.h"
#include "base/watch.h"
#include "kselftest_harness.h"
#include "turn.h"
#include "wait_ms.h"

#define CHANGES		50000
#define SLEEPERS	2
#define VAIN		16	/* VAIN_MAX of watch.c */

static struct wd_watch w;

static unsigned int looks_in_vain(void)
{
	unsigned int n = 0;

	for (; n < 10 * VAIN && wd_watch_heeds(&w) && !wd_watch_is_on(&w); n++)
		;
	return n;
}

TEST(who_sleeps_is_due_and_nobody_else)
{
	wd_barrier_init();
	EXPECT_FALSE(wd_watch_due(&w));
	wd_watch_settle(wd_watch_enter(&w));
	EXPECT_TRUE(wd_watch_due(&w));
	EXPECT_TRUE(wd_watch_due(&w));
	wd_watch_leave(&w);
	EXPECT_FALSE(wd_watch_due(&w));
}

TEST(after_many_looks_in_vain_nobody_looks_any_more)
{
	wd_barrier_init();
	if (!wd_barrier_asymmetric)
		SKIP(return, "no membarrier(2)");
	EXPECT_EQ(VAIN + 1, looks_in_vain());
	EXPECT_FALSE(wd_watch_heeds(&w));
	EXPECT_TRUE(wd_watch_enter(&w));
	EXPECT_TRUE(wd_watch_due(&w));
	EXPECT_FALSE(wd_watch_enter(&w));
}

TEST(without_a_barrier_for_others_they_look_for_ever)
{
	EXPECT_EQ(10 * VAIN, looks_in_vain());
	EXPECT_FALSE(wd_watch_enter(&w));
	EXPECT_TRUE(wd_watch_due(&w));
}

TEST(a_sleeper_begins_the_count_again)
{
	unsigned int i;

	wd_barrier_init();
	for (i = 0; i < 10 * VAIN; i++) {
		EXPECT_FALSE(wd_watch_due(&w));
		EXPECT_FALSE(wd_watch_enter(&w));
		wd_watch_leave(&w);
	}
}

/* --- sleepers and a thread that changes something for them --- */

static _Atomic __u32 changes, bell, seen[SLEEPERS];
static _Atomic unsigned int missed;

static void *sleeper(void *arg)
{
	_Atomic __u32 *mine = arg;
	__u32 had = 0, rung;

	while (had != CHANGES) {
		rung = atomic_load(&bell);
		wd_watch_settle(wd_watch_enter(&w));
		if (atomic_load_explicit(&changes, memory_order_relaxed) == had) {
			wd_futex_wait(&bell, rung, wd_now_ns() + WAIT_MS * 1000000ull);
			missed += atomic_load(&changes) != had && atomic_load(&bell) == rung;
		}
		wd_watch_leave(&w);
		had = atomic_load(&changes);
		atomic_store(mine, had);
	}
	return NULL;
}

/* Waits now and then until they have seen all, so that they sleep; else it makes several changes in a row. */
static void change(unsigned int i)
{
	unsigned int k;

	atomic_store_explicit(&changes, i + 1, memory_order_relaxed);
	if (wd_watch_due(&w)) {
		atomic_fetch_add(&bell, 1);
		wd_futex_wake(&bell, SLEEPERS);
	}
	for (k = 0; k < SLEEPERS && i % 64; k++)
		while (atomic_load(&seen[k]) != i + 1 && !missed)
			turn_over();
}

TEST(no_change_is_missed)
{
	pthread_t thread[SLEEPERS];
	unsigned int i;

	wd_barrier_init();
	for (i = 0; i < SLEEPERS; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, sleeper, &seen[i]));
	for (i = 0; i < CHANGES; i++)
		change(i);
	for (i = 0; i < SLEEPERS; i++)
		pthread_join(thread[i], NULL);
	EXPECT_EQ(0, missed);
}

TEST_HARNESS_MAIN
