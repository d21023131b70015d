// SPDX-License-Identifier: Apache-2.0
/*
 * Cancels a session's requests: those that a device may have are marked, and their contexts are stopped.
 *
 * A request that is stopped for another reason meanwhile would be repeated, perhaps on a context that was looked at
 * already. So a message keeps how many cancels were over when it was stopped, and is repeated only if no other has
 * begun: see wd_is_cancelled().
 */
#include "request/aside.h"
#include "request/pollers.h"

#define NAP_NS	1000000ull

/* Requests that are computed by a thread, or whose result is in the ring, end as they would have. */
static void slots_mark(struct wd_slot *slots, __u32 depth, const struct wd_session *s)
{
	__u32 i;

	for (i = 0; i < depth; i++) {
		struct wd_slot *slot = &slots[i];
		__u8 state = atomic_load_explicit(&slot->state, memory_order_acquire);

		if (state == WD_SLOT_FREE || slot->sess != s)
			continue;
		slot->flags |= WD_SLOT_CANCEL;
		if (state == WD_SLOT_FAILED && (__s32)slot->aux == WD_STOPPED)
			slot->aux = (__u32)-ECANCELED;
	}
}

/* Under the produce lock no request is added, and under the drain lock none ends. */
static void queue_mark(struct wd_queue *q, const struct wd_session *s)
{
	bool due;
	int i;

	wd_lock(&q->produce);
	wd_drain_lock(q);
	for (i = 0; i < 2; i++)
		if (q->half[i])
			slots_mark(q->half[i], q->pub.depth, s);
	due = wd_aside_hurry(q, s);
	if (q->fresh)
		wd_cq_tell(q);
	wd_drain_unlock(q);
	wd_unlock(&q->produce);
	if (!due)
		return;
	wd_async_done();
	wd_pollers_due(q);
}

static void queue_cancel(struct wd_queue *q, const struct wd_session *s)
{
	queue_mark(q, s);
	if (q->pub.path == WD_PATH_SOFT)
		return;
	/* Another thread may be stopping the context, or wait for its requests to end. */
	while (!wd_queue_cancelled(q, s))
		wd_poll_fds(NULL, 0, wd_now_ns() + NAP_NS);
}

int wd_sess_cancel(handle_t sess)
{
	struct wd_session *s = (struct wd_session *)wd_handle_any(sess);
	unsigned int i;

	if (!s || sess >> WD_HANDLE_KIND_SHIFT < WD_KIND_COMP)
		return wd_handle_bad(sess, "a session");
	/* Requests that a fork's parent has submitted are in flight only there. */
	if (wd_session_inherited(s))
		return 0;
	atomic_fetch_add(&s->cancels, 1);
	for (i = 0; i < atomic_load_explicit(&wd_engine.nr, memory_order_acquire); i++)
		if (wd_engine.queue[i]->cls == s->cls && atomic_load(&wd_engine.queue[i]->state) != -ESTALE)
			queue_cancel(wd_engine.queue[i], s);
	atomic_fetch_add(&s->cancelled, 1);
	return 0;
}
