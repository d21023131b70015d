// SPDX-License-Identifier: Apache-2.0
/* The one submit path: give requests to a queue; a synchronous one then waits for its slot. */
#include <sched.h>

#include "engine.h"

#define BURST_MAX	32

/* Sequence of room that this thread saw before it was last told -EBUSY. */
static _Thread_local __u32 busy_seq;

__u32 wd_busy_seq(void)
{
	return busy_seq;
}

/* Is the queue usable, or made so? Under the produce lock. */
static int queue_usable(struct wd_queue *q)
{
	int state = atomic_load_explicit(&q->state, memory_order_relaxed);

	if (state == -EIO) {
		wd_queue_reopen(q);
		state = atomic_load(&q->state);
	}
	return state;
}

static int push_locked(struct wd_queue *q, struct wd_msg *msgs[], unsigned int n)
{
	__u32 first = q->tail;
	unsigned int i, got;
	int ret;

	got = wd_slots_take(q, n);
	if (!got)
		return -EBUSY;
	for (i = 0; i < got; i++) {
		struct wd_slot *slot = wd_slot_at(q, first + i);

		msgs[i]->tag = slot->tag;
		atomic_store_explicit(&slot->msg, msgs[i], memory_order_release);
	}
	ret = q->drv.push(q, msgs, got);
	if (ret < (int)got)
		wd_slots_untake(q, got - (ret > 0 ? ret : 0));
	return ret;
}

static int push_one(struct wd_queue *q, struct wd_msg *msg)
{
	int ret;

	pthread_mutex_lock(&q->produce);
	ret = queue_usable(q);
	if (!ret)
		ret = push_locked(q, &msg, 1);
	pthread_mutex_unlock(&q->produce);
	if (ret == -EIO || ret == -ENODEV)
		wd_queue_broken(q, ret);
	return ret < 0 ? ret : 0;
}

static int wait_done(struct wd_queue *q, struct wd_msg *msg)
{
	if (wd_spin(q, msg))
		return msg->status;
	while (atomic_load_explicit(&msg->state, memory_order_acquire) != WD_MSG_DONE) {
		if (msg->deadline && wd_now_ns() >= msg->deadline) {
			wd_queue_stop(q);
			/* Whoever stops it fails this request, after the hardware has let go of it. */
			if (atomic_load_explicit(&msg->state, memory_order_acquire) == WD_MSG_DONE)
				break;
			wd_poll_fds(NULL, 0, wd_now_ns() + 1000000);
			continue;
		}
		wd_queue_sleep(q, msg);
	}
	return msg->status;
}

static int wait_room(struct wd_session *s, struct wd_queue *q, struct wd_msg *msg);

/* Submit to this queue, waiting for room until the deadline, and wait for the end. */
int wd_request_on(struct wd_queue *q, struct wd_msg *msg)
{
	int ret, cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	for (;;) {
		atomic_store_explicit(&msg->state, WD_MSG_FLYING, memory_order_relaxed);
		ret = push_one(q, msg);
		if (!ret)
			ret = wait_done(q, msg);
		else if (ret == -EBUSY)
			ret = wait_room(NULL, q, msg) ? -ETIMEDOUT : -EAGAIN;
		if (ret != -EAGAIN)
			break;
	}
	pthread_setcancelstate(cancel, NULL);
	if (ret == WD_STOPPED)
		ret = -EIO;
	msg->status = ret;
	msg->path = q->pub.path;
	return ret;
}

/*
 * One try over the session's contexts. -EAGAIN: stopped by a neighbour's
 * deadline, may be tried elsewhere; -ENXIO, -ENOTCONN: taken by nobody, because
 * all are gone, or stopped.
 */
static int try_queues(struct wd_session *s, struct wd_msg *msg)
{
	unsigned int nr = atomic_load_explicit(&s->nr, memory_order_acquire), i;
	bool busy = false, stopped = false;
	int ret;

	for (i = 0; i < nr; i++) {
		struct wd_queue *q = atomic_load_explicit(&s->queue[i], memory_order_relaxed);

		atomic_store_explicit(&msg->state, WD_MSG_FLYING, memory_order_relaxed);
		msg->late = false;
		ret = push_one(q, msg);
		if (!ret) {
			ret = wait_done(q, msg);
			if (ret != WD_STOPPED)
				return ret;
			ret = msg->redo ? -EAGAIN : -EIO;
			/* Once is enough: a device that goes on like this is broken. */
			msg->redo = false;
			return ret;
		}
		busy |= ret == -EBUSY;
		stopped |= ret == -EIO;
		if (ret != -EBUSY && ret != -EIO && ret != -ENODEV)
			return ret;
	}
	return busy ? -EBUSY : stopped ? -ENOTCONN : -ENXIO;
}

static int exec_soft(struct wd_session *s, struct wd_msg *msg, __u16 reason)
{
	if (!s->soft_ok)
		return reason == WD_REASON_GONE ? -EIO : -ENODEV;
	s->cls->soft->exec(msg);
	msg->path = WD_PATH_SOFT;
	msg->reason = reason;
	return msg->status;
}

/* All contexts of the session are gone: perhaps there are devices again. */
static void session_again(struct wd_session *s)
{
	__u64 now = wd_now_ns();

	pthread_mutex_lock(&wd_engine.lock);
	if (s->hw_ok && now >= s->again_at) {
		s->again_at = now + 100000000ull;
		wd_engine_bind(s);
	}
	pthread_mutex_unlock(&wd_engine.lock);
}

static int request_sync(struct wd_session *s, struct wd_msg *msg, size_t bytes)
{
	int ret;

	msg->path = WD_PATH_NONE;
	for (;;) {
		if (wd_session_soft(s, bytes, &msg->path, &msg->reason)) {
			if (msg->reason == WD_REASON_GONE)
				session_again(s);
			return exec_soft(s, msg, msg->reason);
		}
		ret = try_queues(s, msg);
		if (ret == -EBUSY)
			ret = wait_room(s, NULL, msg) ? -ETIMEDOUT : -EAGAIN;
		if (ret == -EAGAIN && msg->deadline && wd_now_ns() >= msg->deadline)
			ret = -ETIMEDOUT;
		if (ret != -EAGAIN)
			break;
	}
	if (ret == -ENXIO || ret == -ENOTCONN) {
		bool gone = ret == -ENXIO;

		if (gone)
			session_again(s);
		ret = s->soft_ok ? exec_soft(s, msg, WD_REASON_GONE) : gone ? -ENODEV : -EIO;
	}
	msg->status = ret;
	return ret;
}

int wd_request_sync(struct wd_session *s, struct wd_msg *msg, size_t bytes)
{
	int ret, cancel;

	/* Locks and the sleeper's role are held on the way: not to be cancelled with them. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	ret = request_sync(s, msg, bytes);
	pthread_setcancelstate(cancel, NULL);
	return ret;
}

/* --- asynchronous --- */

struct burst {
	struct wd_session *s;
	void *const *reqs;
	__u32 (*timeout_ms)(const void *req);
	const struct wd_msg *again;	/* the one before, of a request that is done again */
};

static void deadline_note(struct wd_queue *q, __u64 deadline)
{
	__u64 old = atomic_load(&q->deadline);

	while (deadline && (!old || deadline < old) && !atomic_compare_exchange_weak(&q->deadline, &old, deadline))
		;
}

static void fill_one(const struct burst *b, unsigned int i, struct wd_msg *msg)
{
	__u32 timeout = b->again ? 0 : b->timeout_ms(b->reqs[i]);

	b->s->cls->fill(b->s, b->reqs[i], msg);
	msg->sess = b->s;
	msg->req = b->reqs[i];
	msg->async = true;
	msg->late = false;
	msg->status = 0;
	msg->vendor = 0;
	msg->deadline = b->again ? b->again->deadline : wd_deadline(timeout ? timeout : b->s->attr.timeout_ms);
	/* Once is enough: a device that goes on like this is broken. */
	if (b->again)
		msg->redo = false;
	atomic_store_explicit(&msg->state, WD_MSG_FLYING, memory_order_relaxed);
}

/* Up to n of them into this queue; how many were taken, or -errno. */
static int burst_push(struct wd_queue *q, const struct burst *b, unsigned int from, unsigned int n)
{
	struct wd_msg *msgs[BURST_MAX];
	__u64 deadline = 0;
	unsigned int i;
	int ret;

	if (n > BURST_MAX)
		n = BURST_MAX;
	pthread_mutex_lock(&q->produce);
	ret = queue_usable(q);
	if (ret)
		goto out;
	for (i = 0; i < n; i++) {
		/* A message's memory is its slot's: not to be touched before the slot is free. */
		if (atomic_load_explicit(&wd_slot_at(q, q->tail + i)->used, memory_order_acquire))
			break;
		msgs[i] = wd_slot_msg(q, q->tail + i);
		fill_one(b, from + i, msgs[i]);
		if (msgs[i]->deadline && (!deadline || msgs[i]->deadline < deadline))
			deadline = msgs[i]->deadline;
	}
	n = i;
	atomic_fetch_add(&q->async_nr, n);
	atomic_fetch_add(&b->s->in_flight, n);
	ret = n ? push_locked(q, msgs, n) : -EBUSY;
	i = ret > 0 ? ret : 0;
	if (n != i) {
		atomic_fetch_sub(&q->async_nr, n - i);
		atomic_fetch_sub(&b->s->in_flight, n - i);
	}
	/*
	 * After the push: whoever looks for the first deadline must find the request that has it.
	 * Software has nothing that could be stopped: a poller would wake for it in vain, again and again.
	 */
	if (i && q->pub.path != WD_PATH_SOFT)
		deadline_note(q, deadline);
out:
	pthread_mutex_unlock(&q->produce);
	if (ret == -EIO || ret == -ENODEV)
		wd_queue_broken(q, ret);
	else if (ret > 0 && q->pub.path == WD_PATH_SOFT)
		wd_async_done();
	return ret;
}

/* The i-th context that this burst may use, or NULL: the set's, or the session's own. */
static struct wd_queue *burst_queue(struct wd_session *s, const wd_ctx_set_t *set, unsigned int i, bool soft)
{
	if (set) {
		unsigned int nr = atomic_load_explicit(&wd_engine.nr, memory_order_acquire), k;

		for (k = 0; k < nr; k++) {
			struct wd_queue *q = wd_engine.queue[k];

			if (!wd_bits_test(set->set, set->len, k) || q->cls != s->cls)
				continue;
			if (q->pub.path == WD_PATH_SOFT ? !s->soft_ok : !s->hw_ok || q->pub.qc_type != s->attr.qc_type)
				continue;
			if (!i--)
				return q;
		}
		return NULL;
	}
	if (soft)
		return i ? NULL : atomic_load(&s->soft);
	return i < atomic_load_explicit(&s->nr, memory_order_acquire) ? atomic_load(&s->queue[i]) : NULL;
}

static int burst_over_queues(const struct burst *b, unsigned int n, const wd_ctx_set_t *set, bool soft)
{
	unsigned int taken = 0, i;
	int err = -ENXIO;
	struct wd_queue *q;

	for (i = 0; taken < n && (q = burst_queue(b->s, set, i, soft)); ) {
		int ret = burst_push(q, b, taken, n - taken);

		if (ret > 0) {
			taken += ret;
			continue;
		}
		if (ret != -ENODEV && (err == -ENXIO || ret == -EBUSY || err == -EIO))
			err = ret;
		i++;
	}
	return taken ? (int)taken : err == -ENXIO && i ? -ENODEV : err;
}

int wd_request_async(struct wd_session *s, void *const reqs[], unsigned int n, const wd_ctx_set_t *set,
		     size_t (*bytes)(const void *req), __u32 (*timeout_ms)(const void *req))
{
	struct burst b = { .s = s, .reqs = reqs, .timeout_ms = timeout_ms };
	__u32 seq = atomic_load(&wd_engine.room_seq);
	__u16 path, reason;
	bool soft;
	int ret, cancel;

	if (set) {
		ret = wd_ctx_set_check(set);
		if (ret)
			return ret;
	}
	/* A queue may have to be stopped or opened again on the way, with locks held. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	soft = !set && wd_session_soft(s, bytes(reqs[0]), &path, &reason);
	ret = burst_over_queues(&b, n, set, soft);
	if (!set && !soft && s->soft_ok && (ret == -ENODEV || ret == -EIO || ret == -ENXIO))
		ret = burst_over_queues(&b, n, NULL, true);
	if (ret == -EBUSY)
		busy_seq = seq;
	else if (ret == -ENODEV && !set)
		session_again(s);
	pthread_setcancelstate(cancel, NULL);
	return ret == -ENXIO ? (set ? -EINVAL : -ENODEV) : ret;
}

int wd_request_again(const struct wd_msg *msg)
{
	struct burst b = { .s = msg->sess, .reqs = (void *const *)&msg->req, .again = msg };
	int ret = burst_over_queues(&b, 1, NULL, false);

	return ret > 0 ? 0 : ret;
}

/* --- room --- */

static bool queue_has_room(struct wd_queue *q)
{
	/* A queue that is out of use has an answer, too: the next submit gives it. */
	return atomic_load(&q->state) || atomic_load(&q->in_flight) < q->limit;
}

static bool has_room(struct wd_session *s, struct wd_queue *q)
{
	unsigned int i = 0;
	bool any = false;

	if (q)
		return queue_has_room(q);
	for (i = 0; (q = burst_queue(s, NULL, i, !atomic_load(&s->nr))); i++) {
		any = true;
		if (queue_has_room(q))
			return true;
	}
	return !any;
}

static int wait_room(struct wd_session *s, struct wd_queue *q, struct wd_msg *msg)
{
	unsigned int i;
	int ret = 0;

	/* Room, and still -EBUSY: something else is scarce for a moment. */
	if (has_room(s, q))
		sched_yield();
	atomic_fetch_add(&wd_engine.room_waiters, 1);
	while (!has_room(s, q)) {
		__u32 seq = atomic_load(&wd_engine.room_seq);
		__u64 now = wd_now_ns();

		if (msg->deadline && now >= msg->deadline) {
			ret = -ETIMEDOUT;
			break;
		}
		/* Those in flight may all be asynchronous, with nobody polling: then only the device side drains here. */
		if (q)
			wd_queue_drain(q);
		for (i = 0; !q && i < atomic_load(&s->nr); i++)
			wd_queue_drain(atomic_load(&s->queue[i]));
		if (has_room(s, q))
			break;
		wd_futex_wait(&wd_engine.room_seq, seq, now + 2000000);
	}
	atomic_fetch_sub(&wd_engine.room_waiters, 1);
	return ret;
}
