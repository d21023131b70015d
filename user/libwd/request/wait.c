// SPDX-License-Identifier: Apache-2.0
/*
 * Waiting for a queue: look for a while, then sleep in the kernel. One thread
 * a queue has the sleeper's role; the others wait on their own request's word
 * and one of them takes the role over when it is given up.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>

#include "base/env.h"
#include "request/pollers.h"
#include "request/fast.h"

#define SLICE_MIN_NS	2000000ull
#define SLICE_MAX_NS	100000000ull

#define WAKE_NS		50000u		/* what a sleep and its wake-up cost */
#define SPIN_NS		2000u		/* for requests that take longer than is worth looking all the time */
#define SPIN_LOOKS	16		/* between two reads of the clock */
#define SPIN_YIELD	64		/* a simulated device needs the CPU that we look with */
#define POLL_LOOKS	64
#define TRY_EVERY	16	/* requests that are slept for: one is looked for as long as a sleep costs */

enum wait_mode {
	WAIT_ADAPTIVE,
	WAIT_SPIN,
	WAIT_SLEEP,
};

static enum wait_mode wait_mode(void)
{
	static const char *const names[] = { "adaptive", "spin", "sleep", NULL };
	static _Atomic int mode = -1;
	int now = atomic_load_explicit(&mode, memory_order_relaxed);

	if (now < 0) {
		now = wd_env_choice("WD_WAIT", names, WAIT_ADAPTIVE);
		if (now < 0)
			now = WAIT_ADAPTIVE;
		atomic_store_explicit(&mode, now, memory_order_relaxed);
	}
	return now;
}

static bool is_done(struct wd_msg *msg)
{
	return atomic_load_explicit(&msg->state, memory_order_acquire) == WD_MSG_DONE;
}

/* --- looking --- */

/* One CPU is left to whoever brings the result. */
static int spinners_max(void)
{
	static _Atomic int max;
	int now = atomic_load_explicit(&max, memory_order_relaxed);
	cpu_set_t cpus;

	if (!now) {
		now = sched_getaffinity(0, sizeof(cpus), &cpus) ? 1 : CPU_COUNT(&cpus);
		atomic_store_explicit(&max, now, memory_order_relaxed);
	}
	return now - 1;
}

static void look_again(struct wd_queue *q, unsigned int looks)
{
	if (q->simulated && looks % SPIN_YIELD == 0)
		sched_yield();
	else
		wd_cpu_relax();
}

/*
 * How long to look for a request of which so much is known, in ns. A sleep on a
 * busy machine makes short requests seem long: now and then it is tried anew.
 */
static __u64 spin_ns(struct wd_queue *q, __u32 service)
{
	__u64 long_enough = service + service / 2;

	if (!service)
		return WAKE_NS;
	if (long_enough > WAKE_NS && atomic_fetch_add_explicit(&q->sleeps, 1, memory_order_relaxed) % TRY_EVERY == 0)
		return WAKE_NS;
	return long_enough <= WAKE_NS && long_enough > SPIN_NS ? long_enough : SPIN_NS;
}

static bool spin_until(struct wd_queue *q, struct wd_msg *msg, __u64 end)
{
	unsigned int looks;

	for (looks = 1; ; looks++) {
		wd_queue_drain(q, msg);
		if (is_done(msg))
			return true;
		if (looks % SPIN_LOOKS == 0 && end && wd_now_ns() >= end)
			return false;
		look_again(q, looks);
	}
}

static bool spin(struct wd_queue *q, struct wd_msg *msg, __u64 begun, __u32 service)
{
	enum wait_mode mode = wait_mode();
	bool done = false;

	if (mode == WAIT_SPIN)
		return spin_until(q, msg, msg->deadline);
	if (mode == WAIT_SLEEP)
		return false;
	if (atomic_fetch_add_explicit(&wd_engine.spinners, 1, memory_order_relaxed) < spinners_max())
		done = spin_until(q, msg, begun + spin_ns(q, service));
	atomic_fetch_sub_explicit(&wd_engine.spinners, 1, memory_order_relaxed);
	return done;
}

bool wd_spin(struct wd_queue *q)
{
	unsigned int looks;

	if (wait_mode() == WAIT_SLEEP)
		return false;
	for (looks = 1; looks <= POLL_LOOKS; looks++) {
		if (wd_queue_drain(q, NULL))
			return true;
		look_again(q, looks);
	}
	return false;
}

/* --- sleeping --- */

/* Somebody who sleeps on its own word takes over. */
static void follower_wake(struct wd_queue *q)
{
	__u32 i;

	wd_drain_lock(q);
	for (i = 0; i < q->pub.depth; i++) {
		struct wd_slot *slot = &q->pub.slots[i];
		__u32 waited = WD_MSG_WAITED;
		struct wd_msg *msg;

		if (atomic_load_explicit(&slot->state, memory_order_acquire) != WD_SLOT_SYNC)
			continue;
		msg = slot->owner;
		if (atomic_compare_exchange_strong(&msg->state, &waited, WD_MSG_FLYING)) {
			wd_futex_wake(&msg->state, 1);
			break;
		}
	}
	wd_drain_unlock(q);
}

void wd_sleeper_pass_on(struct wd_queue *q)
{
	q->drv.disarm(q);
	wd_sleeper_leave(q);
	if (wd_queue_in_flight(q))
		follower_wake(q);
	/* Whoever ended it could not close the file that this thread slept on. */
	if (atomic_load_explicit(&q->state, memory_order_relaxed) == -ENODEV)
		wd_queue_gone(q);
}

static __u64 slice_end(__u64 slice, __u64 until)
{
	__u64 end = wd_now_ns() + slice;

	return until && until < end ? until : end;
}

static void sleep_as_sleeper(struct wd_queue *q, struct wd_msg *msg)
{
	__u64 slice = SLICE_MIN_NS;
	int ret = 0;

	while (ret >= 0 && !is_done(msg) && (!msg->deadline || wd_now_ns() < msg->deadline)) {
		struct pollfd pfd = { .fd = q->pub.fd, .events = POLLIN };

		/* Who drained while the arming waited for it woke nobody. */
		if (!wd_sleeper_arm(q)) {
			if (atomic_load(&q->state))
				break;
		} else if (!is_done(msg)) {
			wd_poll_fds(&pfd, 1, slice_end(slice, msg->deadline));
		}
		ret = wd_queue_take(q, msg);
		if (ret > 0)
			wd_drained(q, ret);
		/* A hang-up that the rings don't show yet: the kernel is on its way, don't burn the CPU meanwhile. */
		else if (!ret && (pfd.revents & (POLLERR | POLLHUP | POLLNVAL)))
			wd_poll_fds(NULL, 0, slice_end(1000000, msg->deadline));
		slice = slice * 2 < SLICE_MAX_NS ? slice * 2 : SLICE_MAX_NS;
	}
	wd_sleeper_pass_on(q);
	if (ret < 0)
		wd_drained(q, ret);
}

static void sleep_as_follower(struct wd_queue *q, struct wd_msg *msg)
{
	__u32 flying = WD_MSG_FLYING, waited = WD_MSG_WAITED;

	if (!atomic_compare_exchange_strong(&msg->state, &flying, WD_MSG_WAITED))
		return;
	/* The word is published: either the sleeper sees it when it leaves, or we see that it left. */
	if (atomic_load(&q->sleeper))
		wd_futex_wait(&msg->state, WD_MSG_WAITED, slice_end(SLICE_MAX_NS, msg->deadline));
	atomic_compare_exchange_strong(&msg->state, &waited, WD_MSG_FLYING);
}

static void queue_sleep(struct wd_queue *q, struct wd_msg *msg)
{
	if (!atomic_load(&q->state) && wd_sleeper_enter(q)) {
		/* From here on nobody opens it again: its file is what it is. */
		if (q->pub.fd >= 0 && !atomic_load(&q->state)) {
			sleep_as_sleeper(q, msg);
			return;
		}
		wd_sleeper_leave(q);
	}
	if (atomic_load(&q->sleeper))
		sleep_as_follower(q, msg);
	else
		/* Being stopped: whoever does it fails this request soon. */
		wd_poll_fds(NULL, 0, slice_end(1000000, msg->deadline));
}

static void sleep_until_done(struct wd_queue *q, struct wd_msg *msg)
{
	while (!is_done(msg)) {
		if (!msg->deadline || wd_now_ns() < msg->deadline) {
			queue_sleep(q, msg);
			continue;
		}
		wd_queue_stop(q);
		/* Whoever stops it fails this request, after the hardware has let go of it. */
		if (!is_done(msg))
			wd_poll_fds(NULL, 0, wd_now_ns() + 1000000);
	}
}

/* --- both --- */

static unsigned int size_class(size_t bytes)
{
	unsigned int bits = 0;

	for (bytes >>= 9; bytes && bits < WD_SIZES - 1; bytes >>= 2)
		bits++;
	return bits;
}

/*
 * What was learned about requests of a size: a quarter of the estimate is the
 * last one's. looked: how long it is known not to have been done.
 */
static void learn(_Atomic __u32 *service, __u64 took, bool slept, __u64 looked)
{
	__u32 old = atomic_load_explicit(service, memory_order_relaxed);

	/* A sleep costs at both ends what isn't the device's. */
	if (slept)
		took = took > WAKE_NS + looked ? took - WAKE_NS : looked;
	if (took > UINT32_MAX)
		took = UINT32_MAX;
	if (old && (slept || took > old / 2))
		took = old - old / 4 + took / 4;
	atomic_store_explicit(service, took ? (__u32)took : 1, memory_order_relaxed);
}

static void wait_long(struct wd_queue *q, struct wd_msg *msg, size_t bytes)
{
	_Atomic __u32 *service = &q->service_ns[size_class(bytes)];
	bool alone = wd_queue_in_flight(q) == 1, done;
	__u64 begun = wd_now_ns(), slept_at = begun;

	done = spin(q, msg, begun, atomic_load_explicit(service, memory_order_relaxed));
	if (!done) {
		slept_at = wd_now_ns();
		sleep_until_done(q, msg);
	}
	/* With others ahead the time would be theirs, too. */
	if (alone && !msg->status)
		learn(service, wd_now_ns() - begun, !done, slept_at - begun);
}

int wd_queue_wait(struct wd_queue *q, struct wd_msg *msg, size_t bytes)
{
	wd_queue_drain(q, msg);
	if (!is_done(msg))
		wait_long(q, msg, bytes);
	return msg->status;
}

enum wd_fast wd_fast_wait(struct wd_queue *q, struct wd_msg *msg, size_t bytes)
{
	wd_queue_wait(q, msg, bytes);
	return msg->told ? WD_FAST_TOLD : WD_FAST_OVER;
}
