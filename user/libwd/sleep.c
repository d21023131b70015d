// SPDX-License-Identifier: Apache-2.0
/*
 * Waiting for a queue: look for a while, then sleep in the kernel. One thread
 * a queue has the sleeper's role; the others wait on their own request's word
 * and one of them takes the role over when it is given up.
 */
#include <poll.h>
#include <sched.h>

#include "engine.h"
#include "env.h"

#define SLICE_MIN_NS	2000000ull
#define SLICE_MAX_NS	100000000ull

/* Looks before sleeping: a simulated device needs the CPU that we look with. */
#define SPIN_LOOKS	2000
#define SPIN_LOOKS_SIM	16
#define SPIN_YIELD	64

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

static inline void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static bool is_done(struct wd_msg *msg)
{
	return atomic_load_explicit(&msg->state, memory_order_acquire) == WD_MSG_DONE;
}

/* msg NULL: until anything was drained. */
bool wd_spin(struct wd_queue *q, struct wd_msg *msg)
{
	enum wait_mode mode = wait_mode();
	unsigned int looks = q->simulated ? SPIN_LOOKS_SIM : SPIN_LOOKS;
	unsigned int i;

	if (mode == WAIT_SLEEP)
		return false;
	for (i = 0; i < looks || mode == WAIT_SPIN; i++) {
		int n = wd_queue_drain(q);

		if (msg ? is_done(msg) : n > 0)
			return true;
		if (mode == WAIT_SPIN && i >= looks && msg && msg->deadline && wd_now_ns() >= msg->deadline)
			return false;
		if (mode == WAIT_SPIN && !msg && i >= looks)
			return false;
		if (q->simulated || i % SPIN_YIELD == SPIN_YIELD - 1)
			sched_yield();
		else
			cpu_relax();
	}
	return false;
}

bool wd_sleeper_enter(struct wd_queue *q)
{
	return !atomic_exchange(&q->sleeper, 1);
}

/* Somebody who sleeps on its own word takes over. */
static void follower_wake(struct wd_queue *q)
{
	__u32 i;

	wd_drain_lock(q);
	for (i = 0; i < q->pub.depth; i++) {
		struct wd_msg *msg = wd_queue_owner(q, i);
		__u32 waited = WD_MSG_WAITED;

		if (msg && !msg->async &&
		    atomic_compare_exchange_strong(&msg->state, &waited, WD_MSG_FLYING)) {
			wd_futex_wake(&msg->state, 1);
			break;
		}
	}
	wd_drain_unlock(q);
}

void wd_sleeper_leave(struct wd_queue *q)
{
	atomic_store(&q->sleeper, 0);
}

void wd_sleeper_pass_on(struct wd_queue *q)
{
	q->drv.disarm(q);
	wd_sleeper_leave(q);
	if (atomic_load(&q->in_flight))
		follower_wake(q);
}

/* As the sleeper: asks for an event; false when there is something to drain already. */
bool wd_sleeper_arm(struct wd_queue *q)
{
	bool quiet = false;

	wd_drain_lock(q);
	if (!atomic_load(&q->state)) {
		q->drv.arm(q);
		quiet = !q->drv.ready(q);
	}
	wd_drain_unlock(q);
	return quiet;
}

static __u64 slice_end(__u64 slice, __u64 until)
{
	__u64 end = wd_now_ns() + slice;

	return until && until < end ? until : end;
}

void wd_poll_fds(struct pollfd *pfd, unsigned int n, __u64 end)
{
	__u64 now = wd_now_ns();
	struct timespec ts = { 0 };
	int saved = errno;

	if (end > now) {
		ts.tv_sec = (end - now) / 1000000000ull;
		ts.tv_nsec = (end - now) % 1000000000ull;
	}
	ppoll(pfd, n, &ts, NULL);
	errno = saved;
}

static void sleep_as_sleeper(struct wd_queue *q, struct wd_msg *msg)
{
	__u64 slice = SLICE_MIN_NS;

	while (!is_done(msg) && (!msg->deadline || wd_now_ns() < msg->deadline)) {
		struct pollfd pfd = { .fd = q->pub.fd, .events = POLLIN };

		if (wd_sleeper_arm(q))
			wd_poll_fds(&pfd, 1, slice_end(slice, msg->deadline));
		else if (atomic_load(&q->state))
			break;
		/* A hang-up that the rings don't show yet: the kernel is on its way, don't burn the CPU meanwhile. */
		if (!wd_queue_drain(q) && (pfd.revents & (POLLERR | POLLHUP | POLLNVAL)))
			wd_poll_fds(NULL, 0, slice_end(1000000, msg->deadline));
		slice = slice * 2 < SLICE_MAX_NS ? slice * 2 : SLICE_MAX_NS;
	}
	wd_sleeper_pass_on(q);
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

void wd_queue_sleep(struct wd_queue *q, struct wd_msg *msg)
{
	if (q->pub.fd >= 0 && !atomic_load(&q->state) && wd_sleeper_enter(q))
		sleep_as_sleeper(q, msg);
	else if (atomic_load(&q->sleeper))
		sleep_as_follower(q, msg);
	else
		/* Being stopped: whoever does it fails this request soon. */
		wd_poll_fds(NULL, 0, slice_end(1000000, msg->deadline));
}
