// SPDX-License-Identifier: Apache-2.0
/* A thread sleeps in a poll on one device's context: work on other contexts, old and new, wakes it. */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "need_device.h"
#include "on_device.h"
#include "turn.h"

#define LEN		500
#define ROUNDS		40
#define LONG_MS		300000	/* only a hang takes this long */
#define LONG_NAP_NS	50000000ll
#define LONGER_S	1

static atomic_bool napping;	/* the poller's thread is in a long sleep */
static atomic_uint timeouts;	/* its sleeps that ended by time */
static _Thread_local bool is_poller;

/* The library sleeps with ppoll(). A long sleep is made longer than busy CPUs take for a request. */
int ppoll(struct pollfd *pfd, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	union { void *p; __typeof__(&ppoll) f; } u = { .p = dlsym(RTLD_NEXT, "ppoll") };
	static const struct timespec longer = { .tv_sec = LONGER_S };
	bool nap;
	int ret;

	if (!is_poller)
		return u.f(pfd, n, timeout, mask);
	nap = timeout && timeout->tv_sec * 1000000000ll + timeout->tv_nsec >= LONG_NAP_NS;
	napping = nap;
	ret = u.f(pfd, n, nap ? &longer : timeout, mask);
	napping = false;
	timeouts += !ret;
	return ret;
}

struct job {
	struct wd_comp_arg arg;
	unsigned char src[LEN], dst[2 * LEN];
	size_t len;
	unsigned int timeouts;		/* timeouts at the request's end */
	atomic_bool over;
};

FIXTURE(poller) {
	handle_t held, other;
	struct job first, second;
	pthread_t thread;
	atomic_bool stop;
	atomic_int last;
	bool started;
};

FIXTURE_VARIANT(poller) {
	bool soft;
};

FIXTURE_VARIANT_ADD(poller, device) { .soft = false };
FIXTURE_VARIANT_ADD(poller, this_cpu) { .soft = true };

static void cb(struct wd_comp_arg *arg, void *param)
{
	struct job *j = param;

	j->timeouts = timeouts;
	j->over = true;
}

static int submit(handle_t h, struct job *j)
{
	j->over = false;
	j->len = sizeof(j->dst);
	j->arg = (struct wd_comp_arg){
		.src = j->src, .src_len = LEN, .dst = j->dst, .dst_len = &j->len, .cb = cb, .cb_param = j,
	};
	return wd_comp_async(h, &j->arg, NULL);
}

/* On the software path, or on any device except the held one. */
static handle_t other_session(bool soft)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = WD_ASYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.flags = soft ? WD_SESS_PATH_SOFT : WD_SESS_PATH_HW,
	};
	struct uacce_dev_list *list = wd_list_accels("zlib"), *l;
	wd_dev_mask_t *mask = wd_dev_mask_alloc();
	handle_t h;

	for (l = list; l; l = l->next)
		if (strcmp(l->info->name, EMULATED_DEVICE))
			wd_dev_mask_set(mask, l->info->node_id);
	h = wd_comp_alloc_sess(&setup, soft ? NULL : mask);
	wd_free_list_accels(list);
	wd_dev_mask_free(mask);
	return h;
}

static void *poll_always(void *arg)
{
	FIXTURE_DATA(poller) *self = arg;

	is_poller = true;
	while (!self->stop)
		self->last = wd_comp_poll(1, LONG_MS, NULL);
	return NULL;
}

FIXTURE_SETUP(poller)
{
	if (!emulated())
		SKIP(return, "needs an emulated device, which can be held");
	self->held = session_on_device(true, true);
	ASSERT_NE(0, self->held);
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "hold"));
	ASSERT_EQ(0, submit(self->held, &self->first));
}

FIXTURE_TEARDOWN(poller)
{
	if (!self->held)
		return;
	self->stop = true;
	EXPECT_EQ(0, emulated_control(EMULATED_DEVICE, "release"));
	if (self->started)
		pthread_join(self->thread, NULL);
	while (!self->first.over)
		wd_comp_poll(1, 100, NULL);
	EXPECT_EQ(0, wd_comp_free_sess(self->held));
	if (self->other)
		EXPECT_EQ(0, wd_comp_free_sess(self->other));
}

#define START_POLLER() \
	do { \
		ASSERT_EQ(0, pthread_create(&self->thread, NULL, poll_always, self)); \
		self->started = true; \
	} while (0)

static void until(const atomic_bool *what)
{
	while (!*what)
		turn_over();
}

TEST_F(poller, sees_what_a_context_completes_that_was_opened_meanwhile)
{
	START_POLLER();
	until(&napping);
	self->other = other_session(variant->soft);
	ASSERT_NE(0, self->other);
	self->last = 0;
	ASSERT_EQ(0, submit(self->other, &self->second));
	while (!self->last)
		turn_over();
	EXPECT_EQ(1, self->last);
	EXPECT_TRUE(self->second.over);
	EXPECT_FALSE(self->first.over);
}

/* On a machine that stalls, a sleep may end before this thread gets the CPU: some of many rounds must be in time. */
TEST_F(poller, is_woken_by_a_context_that_was_idle)
{
	unsigned int i, in_time = 0;

	self->other = other_session(variant->soft);
	ASSERT_NE(0, self->other);
	START_POLLER();
	for (i = 0; i < ROUNDS || (in_time <= ROUNDS / 4 && i < 2 * ROUNDS); i++) {
		unsigned int before;

		until(&napping);
		before = timeouts;
		ASSERT_EQ(0, submit(self->other, &self->second));
		until(&self->second.over);
		in_time += self->second.timeouts == before;
	}
	EXPECT_LT(ROUNDS / 4, in_time);
}

/* Two threads poll: one holds all contexts' roles and leaves; the other takes them over. */
TEST_F(poller, takes_over_from_one_that_has_enough)
{
	unsigned int i;

	self->other = other_session(variant->soft);
	ASSERT_NE(0, self->other);
	START_POLLER();
	until(&napping);
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(-ETIME, wd_comp_poll(1, 1, NULL));
		ASSERT_EQ(0, submit(self->other, &self->second));
		until(&self->second.over);
	}
	EXPECT_LE(0, self->last);
}

