// SPDX-License-Identifier: Apache-2.0
/* A lock that belongs to the thread which takes it again and again: only one thread has it at a time. */
#include <pthread.h>

#include "base/lock.h"
#include "kselftest_harness.h"
#include "turn.h"

#define TURNS	200000
#define OTHERS	2

static struct wd_lock lock;

static void taken(unsigned int n)
{
	while (n--) {
		wd_lock(&lock);
		wd_unlock(&lock);
	}
}

static void *takes_many(void *arg)
{
	taken(100 * WD_LOCK_ENOUGH);
	return NULL;
}

static void *tries(void *arg)
{
	bool *got = arg;

	*got = wd_trylock(&lock);
	if (*got)
		wd_unlock(&lock);
	return NULL;
}

static void by_another(void *(*f)(void *arg), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, f, arg) || pthread_join(thread, NULL))
		abort();
}

FIXTURE(lock) {
};

FIXTURE_SETUP(lock)
{
	wd_barrier_init();
	if (!wd_barrier_asymmetric)
		SKIP(return, "no membarrier(2)");
	wd_lock_may_belong(&lock);
}

FIXTURE_TEARDOWN(lock)
{
}

TEST_F(lock, many_turns_in_a_row_make_an_owner)
{
	taken(WD_LOCK_ENOUGH);
	EXPECT_EQ(NULL, lock.owner);
	taken(2);
	EXPECT_EQ(wd_thread_self(), lock.owner);
	EXPECT_FALSE(wd_lock_is_taken(&lock));
	wd_lock(&lock);
	EXPECT_TRUE(wd_lock_is_taken(&lock));
	EXPECT_EQ(0, lock.held);
	wd_unlock(&lock);
	EXPECT_FALSE(wd_lock_is_taken(&lock));
}

TEST_F(lock, a_lock_that_may_not_belong_has_no_owner)
{
	lock.enough = 0;
	taken(100 * WD_LOCK_ENOUGH);
	EXPECT_EQ(NULL, lock.owner);
}

TEST_F(lock, another_thread_ends_it_and_only_the_first_may_be_owner_again)
{
	taken(2 * WD_LOCK_ENOUGH);
	by_another(takes_many, NULL);
	EXPECT_EQ(NULL, lock.owner);
	taken(2 * WD_LOCK_ENOUGH);
	EXPECT_EQ(NULL, lock.owner);
	taken(4 * WD_LOCK_ENOUGH);
	EXPECT_EQ(wd_thread_self(), lock.owner);
}

TEST_F(lock, a_try_fails_while_the_owner_has_it)
{
	bool got = true;

	taken(2 * WD_LOCK_ENOUGH);
	wd_lock(&lock);
	by_another(tries, &got);
	EXPECT_FALSE(got);
	EXPECT_EQ(0, lock.held);
	wd_unlock(&lock);
	by_another(tries, &got);
	EXPECT_TRUE(got);
	wd_lock(&lock);
	EXPECT_EQ(1, lock.held);
	by_another(tries, &got);
	EXPECT_FALSE(got);
	wd_unlock(&lock);
}

TEST_F(lock, a_child_of_fork_begins_anew)
{
	taken(2 * WD_LOCK_ENOUGH);
	wd_lock(&lock);
	wd_lock_reset(&lock);
	EXPECT_FALSE(wd_lock_is_taken(&lock));
	EXPECT_TRUE(wd_trylock(&lock));
	wd_unlock(&lock);
}

/* --- one thread most of the time, and others now and then --- */

/* Under the lock. The compiler leaves none of these accesses out. */
static volatile unsigned long counter;
static volatile unsigned int inside, intruders;
static atomic_bool finish;
static _Atomic unsigned long by_others;

static void turn(void)
{
	intruders += inside != 0;
	inside = 1;
	counter++;
	inside = 0;
}

static void *other(void *arg)
{
	unsigned int n = 0;

	for (; !atomic_load(&finish); n++) {
		if (n % 2) {
			wd_lock(&lock);
		} else if (!wd_trylock(&lock)) {
			turn_over();
			continue;
		}
		turn();
		/* The first thread becomes the owner again soon. */
		lock.enough = WD_LOCK_ENOUGH;
		wd_unlock(&lock);
		by_others++;
		turn_over();
	}
	return NULL;
}

TEST_F(lock, only_one_thread_has_it)
{
	pthread_t thread[OTHERS];
	unsigned long mine = 0;
	unsigned int i;

	taken(2 * WD_LOCK_ENOUGH);
	for (i = 0; i < OTHERS; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, other, NULL));
	for (; mine < TURNS || by_others < TURNS / 100; mine++) {
		wd_lock(&lock);
		turn();
		wd_unlock(&lock);
	}
	atomic_store(&finish, true);
	for (i = 0; i < OTHERS; i++)
		pthread_join(thread[i], NULL);
	EXPECT_EQ(0, intruders);
	EXPECT_EQ(mine + by_others, counter);
}

TEST_HARNESS_MAIN
