// SPDX-License-Identifier: Apache-2.0
/* The slow path: submits messages to a queue; a synchronous request then waits for its completion. */
#include "base/likely.h"
#include "base/probes.h"
#include "device/recent.h"
#include "request/fast.h"
#include "section/section.h"

#define NAP_NS		1000000ull

/* The obstacle to a context that may soon be usable. */
enum obstacle {
	OBSTACLE_NONE,
	OBSTACLE_THREAD,	/* perhaps another thread, or it was stopped a moment ago */
	OBSTACLE_RESET,		/* the reset of its device */
};

static void obstacle_note(enum obstacle *obstacle, enum obstacle now)
{
	if (now > *obstacle)
		*obstacle = now;
}

/* Makes the queue usable if it can be. 0, or its state; -EAGAIN: another thread prevents it. Under the produce lock. */
static int queue_usable(struct wd_queue *q)
{
	int state = atomic_load_explicit(&q->state, memory_order_relaxed), ret = 0;

	if (state == -EIO || state == -EDQUOT) {
		ret = wd_queue_reopen(q);
		state = atomic_load(&q->state);
	}
	return state && ret == -EAGAIN ? ret : state;
}

/* Assigns the slot at the tail to the request and sets its tag; false: the slot isn't free yet. */
static inline __attribute__((always_inline)) bool slot_take(struct wd_queue *q, struct wd_msg *msg, bool async)
{
	__u32 index = q->tail;
	struct wd_slot *slot = &q->pub.slots[index];

	if (atomic_load_explicit(&slot->state, memory_order_acquire) != WD_SLOT_FREE)
		return false;
	slot->owner = async ? msg->req : msg;
	slot->deadline = msg->deadline;
	slot->flags = msg->redo;
	slot->sess = msg->sess;
	if (async)
		slot->aux = msg->aux;
	slot->gen = (slot->gen + 1) & WD_TAG_GEN_MASK;
	msg->tag = WD_TAG(slot->gen, index);
	atomic_store_explicit(&slot->state, async ? WD_SLOT_ASYNC : WD_SLOT_SYNC, memory_order_release);
	q->tail = ++index == q->pub.depth ? 0 : index;
	return true;
}

/* A push may also fail for the request's sake. */
static bool is_end(int ret)
{
	return ret == -EIO || ret == -ENODEV;
}

/* Under the produce lock. */
static void push_note(struct wd_queue *q, int ret)
{
	if (!is_end(ret))
		return;
	wd_queue_failed(q, ret);
	wd_queue_refused(q);
}

static inline __attribute__((always_inline)) int push_locked(struct wd_queue *q, struct wd_msg *const msgs[],
							     unsigned int n)
{
	__s32 room = wd_queue_async_room(q);
	__u32 got;
	int ret;

	if ((__s32)n > room)
		n = room > 0 ? room : 0;
	for (got = 0; got < n && slot_take(q, msgs[got], true); got++)
		;
	if (!got)
		return -EBUSY;
	/* Before the doorbell, so that no drain finds more completions than requests in flight. */
	wd_count(&q->async_submitted, got);
	wd_count(&q->submitted, got);
	ret = q->drv.push(q, msgs, got);
	if (ret < (int)got) {
		wd_slots_untake(q, got - (ret > 0 ? ret : 0));
		push_note(q, ret);
	}
	return ret;
}

static void push_failed(struct wd_queue *q, int ret)
{
	if (is_end(ret))
		wd_queue_broken(q);
}

/*
 * The same as push_locked() for one synchronous request. -EAGAIN: another thread keeps the context unusable, or the
 * context has just been stopped, and the next attempt opens it again.
 */
static inline __attribute__((always_inline)) int push_one(struct wd_queue *q, struct wd_msg *msg, bool first)
{
	bool stopped = false, again = false;
	int ret;

	atomic_store_explicit(&msg->state, WD_MSG_FLYING, memory_order_relaxed);
	wd_lock(&q->produce);
	ret = atomic_load_explicit(&q->state, memory_order_relaxed);
	if (!first && wd_is_cancelled(msg))
		ret = -ECANCELED;
	else if (unlikely(ret))
		ret = queue_usable(q);
	if (likely(!ret)) {
		if (wd_queue_in_flight(q) < q->limit && slot_take(q, msg, false)) {
			wd_count(&q->submitted, 1);
			ret = q->drv.push(q, &msg, 1);
			if (unlikely(ret < 1)) {
				wd_slots_untake(q, 1);
				push_note(q, ret);
				stopped = ret == -EIO;
				again = stopped && msg->redo && !wd_queue_in_vain(q);
			}
		} else {
			ret = -EBUSY;
		}
	}
	wd_unlock(&q->produce);
	if (likely(ret > 0))
		return 0;
	/* An error that is only the context's state has been acted on. */
	if (stopped || ret == -ENODEV)
		push_failed(q, ret);
	/* A stream's next part doesn't go to a context that has lost what was before it. */
	return again ? -EAGAIN : ret;
}

/* As push_one(), but returns the state of an unusable context, and adds what keeps it unusable. */
static int push_again(struct wd_queue *q, struct wd_msg *msg, enum obstacle *obstacle)
{
	int ret = push_one(q, msg, false);

	if (wd_queue_reset_refused(q, ret))
		obstacle_note(obstacle, OBSTACLE_RESET);
	if (ret != -EAGAIN)
		return ret;
	obstacle_note(obstacle, OBSTACLE_THREAD);
	/* Results that nobody has fetched keep the context closed, and this thread may be the one that fetches them. */
	wd_ready_aside(q);
	ret = atomic_load(&q->state);
	/* State 0: that thread has opened the context since. */
	return ret ? ret : -EBUSY;
}

/*
 * Sleeps briefly before the next attempt to reopen a context; false: the deadline has passed, or there is no obstacle
 * that ends. Another thread has mostly finished its work on the context, or opens it, which takes as long as the kernel
 * stops the queues of a device that is about to be reset: for that, the wait is over at *until, which the first call
 * sets.
 */
static bool wait_for_reopening(enum obstacle obstacle, __u64 *until, __u64 deadline)
{
	__u64 now = wd_now_ns();

	if (obstacle == OBSTACLE_NONE || (deadline && now >= deadline))
		return false;
	if (obstacle == OBSTACLE_RESET)
		*until = 0;
	else if (!*until)
		*until = now + WD_RESET_NS;
	if (*until && now >= *until)
		return false;
	wd_poll_fds(NULL, 0, now + NAP_NS);
	return true;
}

/* Submits to this queue, waiting for room until the deadline, and waits for the completion. */
int wd_request_on(struct wd_queue *q, struct wd_msg *msg, size_t bytes)
{
	__u64 until = 0;
	int ret;

	msg->cancels = atomic_load(&msg->sess->cancelled);
	for (;;) {
		enum obstacle obstacle = OBSTACLE_NONE;

		ret = push_again(q, msg, &obstacle);
		if (!ret)
			ret = wd_queue_wait(q, msg, bytes);
		else if (ret == -EBUSY)
			ret = wd_room_wait(NULL, q, msg->deadline) ? -ETIMEDOUT : -EAGAIN;
		else if (!(obstacle == OBSTACLE_RESET && msg->sess->soft_ok) &&
			 wait_for_reopening(obstacle, &until, msg->deadline))
			ret = -EAGAIN;
		if (ret != -EAGAIN)
			break;
	}
	if (ret == WD_STOPPED)
		ret = -EIO;
	msg->status = ret;
	msg->by = q->pub.by;
	return ret;
}

/*
 * Tries each of the session's contexts once. -EAGAIN: stopped by a neighbour's deadline, may be retried elsewhere;
 * -ENXIO, -EDQUOT, -ENOTCONN: no context took the request, because all are gone, closed in favour of others, or
 * stopped; *obstacle: what keeps one of the closed or stopped contexts unusable for a while.
 */
static int try_queues(struct wd_session *s, struct wd_msg *msg, size_t bytes, enum obstacle *obstacle)
{
	unsigned int nr = atomic_load_explicit(&s->nr, memory_order_acquire), i;
	bool busy = false, closed = false, stopped = false;
	int ret;

	*obstacle = OBSTACLE_NONE;
	for (i = 0; i < nr; i++) {
		struct wd_queue *q = atomic_load_explicit(&s->queue[i], memory_order_relaxed);

		ret = push_again(q, msg, obstacle);
		if (!ret) {
			*obstacle = OBSTACLE_NONE;
			ret = wd_queue_wait(q, msg, bytes);
			if (ret != WD_STOPPED)
				return ret;
			if (!wd_may_redo(msg))
				return -EIO;
			return --msg->redo ? -EAGAIN : -ENOTCONN;
		}
		busy |= ret == -EBUSY;
		closed |= ret == -EDQUOT;
		stopped |= ret == -EIO;
		if (ret != -EBUSY && ret != -EDQUOT && ret != -EIO && ret != -ENODEV)
			return ret;
	}
	return busy ? -EBUSY : closed ? -EDQUOT : stopped ? -ENOTCONN : -ENXIO;
}

static int exec_soft(struct wd_session *s, struct wd_msg *msg, __u16 reason)
{
	if (!s->soft_ok)
		return reason == WD_REASON_GONE ? -EIO : -ENODEV;
	WD_PROBE(libwd, fallback, wd_probe_text(s->cls->name), reason);
	s->cls->soft->exec(msg);
	wd_tally_soft(msg);
	msg->path = WD_PATH_SOFT;
	msg->reason = reason;
	return msg->status;
}

/*
 * All contexts of the session are gone, or it never had one: binds it again, since devices, or a slot, may be available
 * by now. true: the session has contexts now, perhaps because another thread's binding, which takes them away for its
 * duration, is over.
 */
static bool session_again(struct wd_session *s)
{
	__u64 now = wd_now_ns();
	bool any = false, due;
	unsigned int i;
	int cancel;

	pthread_mutex_lock(&wd_engine.lock);
	due = s->hw_ok && now >= atomic_load(&s->again_at);
	if (due)
		atomic_store(&s->again_at,
			     now + (s->soft_ok && !atomic_load(&s->nr) ? WD_LOOK_AGAIN_NS : WD_REOPEN_AFTER_NS));
	pthread_mutex_unlock(&wd_engine.lock);
	if (due) {
		wd_section_again();
		wd_recent_forget();
	}
	wd_bind_begin(s, &cancel);
	if (due)
		wd_engine_bind(s);
	for (i = 0; i < atomic_load(&s->nr); i++)
		any |= atomic_load(&atomic_load(&s->queue[i])->state) != -ENODEV;
	wd_bind_end(s, cancel);
	return any;
}

/* The software path does the request for lack of a device: looks whether there is one by now. */
static void look_again(struct wd_session *s, __u16 reason)
{
	if (!s->hw_ok || (reason != WD_REASON_GONE && reason != WD_REASON_NO_DEVICE && reason != WD_REASON_NO_QUEUE &&
			  reason != WD_REASON_NO_ACCESS && reason != WD_REASON_UNSUPPORTED &&
			  reason != WD_REASON_MASKED && reason != WD_REASON_RESTS && reason != WD_REASON_NOT_IN_SLOT))
		return;
	/* A device of another generation may come, but none for what the class itself refuses. */
	if (s->attr.refuse)
		return;
	if (wd_now_ns() >= atomic_load_explicit(&s->again_at, memory_order_relaxed))
		session_again(s);
}

static int request_sync(struct wd_session *s, struct wd_msg *msg, size_t bytes)
{
	enum obstacle obstacle;
	bool again = false;
	__u64 until = 0;
	int ret;

	msg->path = WD_PATH_NONE;
	for (;;) {
		if (wd_session_soft(s, bytes, &msg->path, &msg->reason)) {
			look_again(s, msg->reason);
			return exec_soft(s, msg, msg->reason);
		}
		ret = try_queues(s, msg, bytes, &obstacle);
		if (!ret)
			return 0;
		if (obstacle == OBSTACLE_NONE)
			until = 0;
		if ((ret == -EDQUOT || ret == -ENOTCONN) && !s->soft_ok &&
		    wait_for_reopening(obstacle, &until, msg->deadline))
			ret = -EAGAIN;
		if (ret == -EBUSY)
			ret = wd_room_wait(s, NULL, msg->deadline) ? -ETIMEDOUT : -EAGAIN;
		if ((ret == -EAGAIN || obstacle != OBSTACLE_NONE) && msg->deadline && wd_now_ns() >= msg->deadline)
			ret = -ETIMEDOUT;
		if (ret == -ENXIO && session_again(s) && !again)
			again = true;
		else if (ret != -EAGAIN)
			break;
	}
	if (ret == -ENXIO || ret == -ENOTCONN) {
		bool gone = ret == -ENXIO;

		ret = s->soft_ok ? exec_soft(s, msg, WD_REASON_GONE) : gone ? -ENODEV : -EIO;
	} else if (ret == -EDQUOT && s->soft_ok) {
		ret = exec_soft(s, msg, WD_REASON_NO_QUEUE);
	}
	msg->status = ret;
	return ret;
}

static inline struct wd_queue *first_usable(struct wd_session *s, size_t bytes)
{
	struct wd_queue *q = wd_first_queue(s, bytes);

	return q && !atomic_load_explicit(&q->state, memory_order_relaxed) ? q : NULL;
}

int wd_request_sync(struct wd_session *s, struct wd_msg *msg, size_t bytes)
{
	struct wd_queue *q = first_usable(s, bytes);
	int ret;

	if (!q || push_one(q, msg, true)) {
		msg->cancels = atomic_load(&s->cancelled);
		return request_sync(s, msg, bytes);
	}
	ret = wd_queue_wait(q, msg, bytes);
	return ret == WD_STOPPED ? wd_request_resume(s, msg, bytes) : ret;
}

int wd_request_resume(struct wd_session *s, struct wd_msg *msg, size_t bytes)
{
	if (!wd_may_redo(msg))
		return msg->status = -EIO;
	msg->redo--;
	return request_sync(s, msg, bytes);
}

/* --- asynchronous --- */

struct burst {
	struct wd_session *s;
	void *const *reqs;
	const struct wd_msg *again;	/* the previous message of a request that is redone, or NULL */
	bool fast;		/* the fast path was not tried yet */
	bool *held_up;		/* set if a context's reopening is prevented for a while; NULL: of no interest */
};

static inline int fill_one(const struct burst *b, unsigned int i, struct wd_msg *msg)
{
	const struct wd_class *cls = b->s->cls;
	int ret = cls->fill(b->s, b->reqs[i], msg);
	__u32 timeout;

	if (unlikely(b->again != NULL)) {
		msg->deadline = b->again->deadline;
		msg->redo = b->again->redo - 1;
		return ret;
	}
	timeout = wd_arg_end(b->reqs[i], cls->arg_bytes)->timeout_ms;
	if (!timeout)
		timeout = b->s->attr.timeout_ms;
	msg->deadline = timeout ? wd_deadline(timeout) : 0;
	return ret;
}

static int burst_push(struct wd_queue *q, const struct burst *b, struct wd_msg *const msgs[], unsigned int n,
		      __u64 deadline)
{
	const struct wd_msg *again = b->again;
	bool pushed = false, soon = false;	/* soon: the next attempt may find it usable */
	int ret, usable;

	/* Before any thread can learn of their completions. A redone request is still counted. */
	if (likely(!again))
		atomic_fetch_add(&b->s->in_flight, n);
	wd_lock(&q->produce);
	ret = atomic_load_explicit(&q->state, memory_order_relaxed);
	if (unlikely(again != NULL) && wd_is_cancelled(again)) {
		ret = -ECANCELED;
	} else if (unlikely(ret)) {
		usable = queue_usable(q);
		ret = usable ? atomic_load(&q->state) : 0;
		soon = usable == -EAGAIN;
		if (b->held_up && wd_queue_reset_refused(q, ret))
			*b->held_up = true;
	}
	if (likely(!ret)) {
		ret = push_locked(q, msgs, n);
		pushed = true;
		soon = ret == -EIO && !wd_queue_in_vain(q);
	}
	/*
	 * After the push: a thread that searches for the first deadline must find its request. Software requests can't
	 * be stopped: a poller would wake for their deadlines in vain, again and again.
	 */
	if (ret > 0 && deadline && q->pub.path != WD_PATH_SOFT)
		wd_deadline_note(q, deadline);
	wd_unlock(&q->produce);
	if (likely(ret == (int)n))
		return ret;
	if (!again)
		atomic_fetch_sub(&b->s->in_flight, n - (ret > 0 ? ret : 0));
	if (ret >= 0)
		return ret;
	if (pushed || ret == -ENODEV)
		push_failed(q, ret);
	if (soon && b->held_up)
		*b->held_up = true;
	return soon && again ? -EBUSY : ret;
}

/* Wakes a thread that computes the request. */
static void soft_submitted(struct wd_queue *q)
{
	wd_async_done();
	wd_pollers_due(q);
}

/*
 * Without the produce lock other threads may submit, and end, any number of requests between the two reads that make
 * up a room. If no place was freed since before them, there was no room indeed.
 */
static bool is_full(struct wd_queue *q)
{
	__u32 freed = atomic_load_explicit(&q->freed, memory_order_acquire);

	return wd_queue_async_room(q) <= 0 && atomic_load_explicit(&q->freed, memory_order_acquire) == freed;
}

/* Submits up to n requests to this queue. Returns how many were taken, or -errno. */
static int burst_on(struct wd_queue *q, const struct burst *b, unsigned int from, unsigned int n)
{
	_Alignas(max_align_t) char msg[WD_BURST_MAX][WD_MSG_BYTES_MAX];
	struct wd_msg *msgs[WD_BURST_MAX];
	__u64 deadline = 0;
	unsigned int i;
	int ret = 0;

	if (b->fast && q->pub.path != WD_PATH_SOFT) {
		ret = (int)q->drv.async(b->s, b->reqs + from, n, q);
		if (ret)
			return ret;
	}
	/* A full queue is detected before any message is filled in. */
	if (is_full(q) && !atomic_load_explicit(&q->state, memory_order_relaxed))
		return -EBUSY;
	if (n > WD_BURST_MAX)
		n = WD_BURST_MAX;
	for (i = 0; i < n; i++) {
		msgs[i] = (struct wd_msg *)msg[i];
		ret = fill_one(b, from + i, msgs[i]);
		if (ret)
			break;
		if (msgs[i]->deadline && (!deadline || msgs[i]->deadline < deadline))
			deadline = msgs[i]->deadline;
	}
	if (!i)
		return ret;
	ret = burst_push(q, b, msgs, i, deadline);
	if (ret > 0 && q->pub.path == WD_PATH_SOFT)
		soft_submitted(q);
	return ret;
}

static bool in_set(const struct wd_session *s, const wd_ctx_set_t *set, unsigned int k, bool soft)
{
	const struct wd_queue *q = wd_engine.queue[k];

	if (!wd_bits_test(set->set, set->len, k) || q->cls != s->cls || q->for_cq != !!s->cq)
		return false;
	if (s->cq && !wd_cq_has(s->cq, wd_engine.queue[k]))
		return false;
	if (q->owner && q->owner != s)
		return false;
	if (soft != (q->pub.path == WD_PATH_SOFT))
		return false;
	return soft ? s->soft_ok : s->hw_ok && q->pub.qc_type == s->attr.qc_type && q->drv.serves(&s->attr);
}

/*
 * The i-th context that this burst may use, or NULL: the set's, devices first (soft: no devices), or the session's own.
 */
static struct wd_queue *burst_queue(struct wd_session *s, const wd_ctx_set_t *set, unsigned int i, bool soft)
{
	unsigned int nr, k;
	int pass;

	if (!set)
		return wd_session_queue(s, i, soft);
	nr = atomic_load_explicit(&wd_engine.nr, memory_order_acquire);
	for (pass = soft; pass < 2; pass++)
		for (k = 0; k < nr; k++)
			if (in_set(s, set, k, pass) && !i--) {
				if (!s->cq)
					wd_pollers_adopt(wd_engine.queue[k]);
				return wd_engine.queue[k];
			}
	return NULL;
}

/* Whether the error is the context's, so that another context may take the request. */
static bool try_next(int ret)
{
	return ret == -EBUSY || ret == -EDQUOT || ret == -EIO || ret == -ENODEV || ret == -ESTALE || ret == -ENOMEM;
}

static int burst_over_queues(const struct burst *b, unsigned int from, unsigned int n, const wd_ctx_set_t *set,
			     bool soft)
{
	unsigned int taken = from, i;
	int err = -ENXIO;
	struct wd_queue *q;

	for (i = 0; taken < n && (q = burst_queue(b->s, set, i, soft)); ) {
		int ret = burst_on(q, b, taken, n - taken);

		if (ret > 0) {
			taken += ret;
			continue;
		}
		if (!try_next(ret))
			return taken ? (int)taken : ret;
		if (ret != -ENODEV && (err == -ENXIO || ret == -EBUSY || err == -EIO))
			err = ret;
		i++;
	}
	return taken ? (int)taken : err == -ENXIO && i ? -ENODEV : err;
}

/* The request is more than a device ever takes: the software path does it, or it fails. */
static int not_for_devices(const struct burst *b, unsigned int from, const wd_ctx_set_t *set)
{
	struct wd_session *s = b->s;
	int ret = s->soft_ok ? burst_over_queues(b, from, from + 1, set, true) : -ENXIO;

	if (ret != -ENXIO)
		return ret;
	return wd_fail(&s->obj, s->cls->too_much ? s->cls->too_much : EOPNOTSUPP,
		       "a device doesn't take such a request");
}

static int request_async(const struct burst *first, unsigned int from, unsigned int n, const wd_ctx_set_t *set)
{
	bool held_up = false;
	struct burst again = *first;
	const struct burst *b = &again;
	__u32 seq = atomic_load_explicit(&wd_engine.room_seq, memory_order_acquire);
	struct wd_session *s = b->s;
	__u16 path, reason;
	bool soft;
	int ret;

	again.held_up = &held_up;
	/* A thread that learns of the last request's completion may free the session before this call returns. */
	soft = !set && wd_session_soft(s, wd_arg_bytes(b->reqs[from]), &path, &reason);
	if (soft)
		look_again(s, reason);
	ret = burst_over_queues(b, from, n, set, soft);
	if (ret > 0)
		return ret;
	if (!set && !soft && s->soft_ok && (ret == -ENODEV || ret == -EDQUOT || ret == -EIO || ret == -ENXIO))
		ret = burst_over_queues(b, from, n, NULL, true);
	else if (!set && (ret == -ENODEV || ret == -ENXIO))
		ret = session_again(s) ? burst_over_queues(b, from, n, NULL, false) : wd_section_no_device(&s->obj);
	if (ret == -E2BIG)
		ret = not_for_devices(b, from, set);
	/* The obstacle ends soon; then the context is opened, or reports why it can't be. */
	if (held_up && (ret == -EIO || ret == -EDQUOT))
		ret = -EBUSY;
	if (ret == -EBUSY)
		wd_room_busy(s, seq, held_up);
	if (ret == -ENXIO && set)
		return wd_fail(&s->obj, EINVAL, "the set names no context that this session may use");
	return ret == -ENXIO ? -ENODEV : ret;
}

static inline int start_async(struct wd_session *s, void *const reqs[], unsigned int n, const wd_ctx_set_t *set)
{
	__u32 seq = atomic_load_explicit(&wd_engine.room_seq, memory_order_acquire);
	struct burst b = { .s = s, .reqs = reqs, .fast = s->fast && (set || s->cq) };
	struct wd_queue *q;
	int taken, ret;

	if (set) {
		ret = wd_ctx_set_check(set);
		return ret ? ret : request_async(&b, 0, n, set);
	}
	q = first_usable(s, wd_arg_bytes(reqs[0]));
	taken = q ? burst_on(q, &b, 0, n) : 0;
	if (taken == (int)n)
		return taken;
	if (taken < 0 && taken != -E2BIG && !try_next(taken))
		return taken;
	if (taken == -EBUSY && atomic_load_explicit(&s->nr, memory_order_acquire) == 1) {
		wd_room_busy(s, seq, false);
		return taken;
	}
	return request_async(&b, taken > 0 ? taken : 0, n, NULL);
}

/* Submits as many requests as the session's completion queue has room for. */
static __attribute__((noinline)) int cq_async(struct wd_session *s, void *const reqs[], unsigned int n,
					      const wd_ctx_set_t *set)
{
	__u32 seq = atomic_load_explicit(&wd_engine.room_seq, memory_order_acquire);
	struct wd_cq *cq = s->cq;
	int ret = wd_cq_enter(s, &n);

	if (ret == -EBUSY)
		wd_room_busy(s, seq, false);
	if (ret)
		return ret;
	ret = start_async(s, reqs, n, set);
	wd_cq_leave(cq, n, ret);
	return ret;
}

int wd_request_async(struct wd_session *s, void *const reqs[], unsigned int n, const wd_ctx_set_t *set)
{
	return unlikely(s->cq != NULL) ? cq_async(s, reqs, n, set) : start_async(s, reqs, n, set);
}

int wd_request_again(const struct wd_msg *msg)
{
	struct burst b = { .s = msg->sess, .reqs = (void *const *)&msg->req, .again = msg };
	int ret = burst_over_queues(&b, 0, 1, NULL, false);

	return ret > 0 ? 0 : ret;
}
