// SPDX-License-Identifier: Apache-2.0
/*
 * Waiting for a queue: a thread spins for a while, then sleeps in the kernel. One thread per queue has the sleeper's
 * role and sleeps on the file. The others sleep on their own request's futex word; one of them takes the role over when
 * the sleeper leaves it.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>

#include "base/cpus.h"
#include "base/env.h"
#include "base/probes.h"
#include "request/pollers.h"
#include "request/fast.h"

#define SLICE_MIN_NS	2000000ull
#define SLICE_MAX_NS	100000000ull

#define WAKE_NS		50000u		/* cost of a sleep and its wake-up */
#define SPIN_NS		2000u		/* spin time for requests that take too long to spin for all the time */
#define SPIN_LOOKS	16		/* looks between two reads of the clock */
#define SPIN_YIELD	64		/* looks between two yields: a simulated device needs the CPU that spins */
#define POLL_LOOKS	64
#define TRY_EVERY	16	/* of so many waits that would sleep, one spins for as long as a sleep costs */

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

/* --- spinning --- */

/* One CPU stays free for the thread that produces the result. */
static int spinners_max(void)
{
	static _Atomic int max;
	int now = atomic_load_explicit(&max, memory_order_relaxed);

	if (!now) {
		now = wd_cpus_number();
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
 * How long to spin for a request whose estimated service time is given, in ns; 0: unknown. On a busy machine a sleep
 * makes short requests seem long, so now and then a wait spins longer to correct the estimate.
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

/* Wakes a thread that sleeps on its own request's word, so that it takes over the role. */
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
	/* The thread that ended the queue could not close the file while this thread slept on it. */
	if (atomic_load_explicit(&q->state, memory_order_relaxed) == -ENODEV)
		wd_queue_gone(q);
}

static __u64 slice_end(__u64 slice, __u64 until)
{
	__u64 end = wd_now_ns() + slice;

	return until && until < end ? until : end;
}

/*
 * The file to sleep on. An event without a completion is that of completions which were taken before, because the
 * kernel moves its head in the ring only when the file is polled; if there are more of them the file isn't ours.
 */
static int file_for(struct wd_queue *q, int last, unsigned int vain)
{
	return !vain ? wd_queue_file(q) : vain == 1 ? last : wd_queue_own_file(q);
}

static void sleep_as_sleeper(struct wd_queue *q, struct wd_msg *msg)
{
	struct pollfd pfd = { .fd = -1, .events = POLLIN };
	__u64 slice = SLICE_MIN_NS, begin;
	unsigned int vain = 0;
	int ret = 0;

	while (ret >= 0 && !is_done(msg) && (!msg->deadline || wd_now_ns() < msg->deadline)) {
		pfd.fd = file_for(q, pfd.fd, vain);
		pfd.revents = 0;
		/* A thread that drained while the arming waited for its lock woke no sleeper. */
		if (!wd_sleeper_arm(q)) {
			if (atomic_load(&q->state))
				break;
		} else if (!is_done(msg)) {
			begin = WD_PROBE_BEGIN(sleep);
			wd_poll_fds(&pfd, 1, slice_end(slice, msg->deadline));
			WD_PROBE(libwd, sleep, q->index, wd_probe_ns(begin));
		}
		ret = wd_queue_take(q, msg);
		if (ret > 0)
			wd_drained(q, ret);
		/* A hang-up that the rings don't show yet: sleep, instead of spinning until the kernel updates them. */
		else if (!ret && (pfd.revents & (POLLERR | POLLHUP | POLLNVAL)))
			wd_poll_fds(NULL, 0, slice_end(1000000, msg->deadline));
		vain = !ret && pfd.revents == POLLIN ? vain + 1 : 0;
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
	/* The word is published: the sleeper sees it when it leaves, or this thread sees that the sleeper left. */
	if (atomic_load(&q->sleeper))
		wd_futex_wait(&msg->state, WD_MSG_WAITED, slice_end(SLICE_MAX_NS, msg->deadline));
	atomic_compare_exchange_strong(&msg->state, &waited, WD_MSG_FLYING);
}

static void queue_sleep(struct wd_queue *q, struct wd_msg *msg)
{
	if (!atomic_load(&q->state) && wd_sleeper_enter(q)) {
		/* From here on no thread reopens the queue: its file doesn't change. */
		if (q->pub.fd >= 0 && !atomic_load(&q->state)) {
			sleep_as_sleeper(q, msg);
			return;
		}
		wd_sleeper_leave(q);
	}
	if (atomic_load(&q->sleeper))
		sleep_as_follower(q, msg);
	else
		/* The queue is being stopped: the thread that stops it fails this request soon. */
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
		/* The thread that stops the queue fails this request, after the hardware has released it. */
		if (!is_done(msg))
			wd_poll_fds(NULL, 0, wd_now_ns() + 1000000);
	}
}

/* --- spinning, then sleeping --- */

static unsigned int size_class(size_t bytes)
{
	unsigned int bits = 0;

	for (bytes >>= 9; bytes && bits < WD_SIZES - 1; bytes >>= 2)
		bits++;
	return bits;
}

/*
 * Updates the estimated service time of requests of a size: the last request has a weight of a quarter. looked: how
 * long the request is known not to have been complete.
 */
static void learn(_Atomic __u32 *service, __u64 took, bool slept, __u64 looked)
{
	__u32 old = atomic_load_explicit(service, memory_order_relaxed);

	/* Falling asleep and waking up take time that isn't the device's. */
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
	/* With other requests ahead the time would include theirs. */
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

int wd_fast_go_on(struct wd_queue *q, struct wd_session *s, const void *req, struct wd_msg *msg, bool begun)
{
	if (begun) {
		wd_queue_wait(q, msg, wd_arg_bytes(req));
		if (msg->told)
			return 0;
	}
	return s->cls->sync_other(s, msg, begun);
}
