// SPDX-License-Identifier: Apache-2.0
/*
 * A thread loses its CPU in the middle of a submission, at each of its instructions in turn, while another has more
 * requests computed than the software path's context has places: none of it makes the context look full.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <wd_digest.h>

#include "harness_long.h"
#include "session.h"

#define MANY		1100
#define LEN		64
#define DIGEST_LEN	32
#ifdef __x86_64__
#define STEPS		true
#else
#define STEPS		false
#endif
#define PATIENCE	50	/* ms; the thread may hold a lock that the other one waits for */

struct req {
	struct wd_digest_arg arg;
	unsigned char dst[DIGEST_LEN];
	size_t len;
	atomic_uint ended;
};

static handle_t sess;
static struct req stepped, other;
static atomic_uint asked, done, computed;
static atomic_int wrong;
static atomic_bool over;
static unsigned int steps;

static void count(struct wd_digest_arg *arg, void *param)
{
	if (arg->status)
		wrong = arg->status;
	((struct req *)param)->ended++;
}

static int submit(struct req *r)
{
	static const unsigned char data[LEN];

	r->len = DIGEST_LEN;
	r->arg = (struct wd_digest_arg){
		.src = data, .src_len = LEN, .dst = r->dst, .dst_len = &r->len, .cb = count, .cb_param = r,
	};
	return wd_digest_async(sess, &r->arg, NULL);
}

static void *compute(void *unused)
{
	unsigned int i, before;
	int ret;

	while (!over) {
		if (asked == done) {
			poll(NULL, 0, 0);
			continue;
		}
		for (i = 0; i < MANY; i++) {
			before = other.ended;
			ret = submit(&other);
			if (ret)
				wrong = ret;
			while (!ret && other.ended == before)
				wd_digest_poll(1, 0, NULL);
			computed++;
		}
		done++;
	}
	return unused;
}

static void at_each_step(int sig)
{
	static bool stuck;
	unsigned int i, last;

	(void)sig;
	steps++;
	if (asked == done)
		asked++;
	/* What was stuck at the last instruction is most probably stuck at this one. */
	for (i = stuck ? PATIENCE - 1 : 0; asked != done && i < PATIENCE; i++) {
		last = computed;
		poll(NULL, 0, 1);
		if (computed != last)
			i = 0;
	}
	stuck = asked != done;
}

static inline void step(bool on)
{
#ifdef __x86_64__
	/* Below the red zone. */
	if (on)
		__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; orl $0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp"
				 ::: "memory", "cc");
	else
		__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; andl $~0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp"
				 ::: "memory", "cc");
#else
	(void)on;
#endif
}

static int submit_one(void)
{
	return submit(&stepped);
}

static int in_flight(void)
{
	return wd_in_flight(NULL);
}

/* What the call returns when it loses its CPU at each instruction. */
static int interrupted(int (*call)(void))
{
	struct sigaction act = { .sa_handler = at_each_step };
	pthread_t thread;
	int ret;

	/* What is found at the first call isn't looked for again. */
	call();
	while (wd_digest_poll(1, 0, NULL) > 0)
		;
	if (pthread_create(&thread, NULL, compute, NULL) || sigaction(SIGTRAP, &act, NULL))
		abort();
	step(true);
	ret = call();
	step(false);
	over = true;
	pthread_join(thread, NULL);
	while (wd_digest_poll(1, 0, NULL) > 0)
		;
	return ret;
}

FIXTURE(step) {
};

FIXTURE_SETUP(step)
{
	struct wd_digest_sess_setup setup = {
		.alg = WD_DIGEST_SHA256, .op_type = WD_ASYNC, .flags = WD_SESS_PATH_SOFT,
	};

	sess = wd_digest_alloc_sess(&setup, NULL);
	ASSERT_NE(0, sess) TH_LOG("%s", detail(0));
}

FIXTURE_TEARDOWN(step)
{
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, wd_digest_free_sess(sess));
}

TEST_F(step, a_submission_finds_room)
{
	int ret;

	if (!STEPS)
		SKIP(return, "needs a trap after each instruction");
	ret = interrupted(submit_one);
	EXPECT_EQ(0, ret) TH_LOG("after %u steps: %d", steps, ret);
	EXPECT_LT(100, steps);
	EXPECT_EQ(2, stepped.ended);
}

TEST_F(step, a_count_was_true_at_one_moment)
{
	int ret;

	if (!STEPS)
		SKIP(return, "needs a trap after each instruction");
	ret = interrupted(in_flight);
	EXPECT_TRUE(ret == 0 || ret == 1) TH_LOG("after %u steps: %d", steps, ret);
	EXPECT_LT(20, steps);
}

TEST_HARNESS_MAIN
