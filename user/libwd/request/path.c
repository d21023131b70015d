// SPDX-License-Identifier: Apache-2.0
/* Chooses the path and the context of a session's requests. */
#include "request/core.h"

int wd_session_caps(struct wd_session *s)
{
	__u16 path, reason;
	int caps = 0;

	wd_session_soft(s, SIZE_MAX, &path, &reason);
	if (path == WD_PATH_HW)
		caps |= WD_CAP_HW;
	else if (path == WD_PATH_SIM)
		caps |= WD_CAP_SIM;
	if (s->soft_ok)
		caps |= WD_CAP_SOFT;
	if (s->attr.async)
		caps |= WD_CAP_ASYNC;
	return caps;
}

bool wd_session_soft(struct wd_session *s, size_t bytes, __u16 *path, __u16 *reason)
{
	unsigned int nr = atomic_load_explicit(&s->nr, memory_order_acquire), i;

	for (i = 0; i < nr; i++) {
		struct wd_queue *q = atomic_load_explicit(&s->queue[i], memory_order_relaxed);

		if (atomic_load_explicit(&q->state, memory_order_relaxed) == -ENODEV)
			continue;
		if (s->soft_ok && bytes < q->pub.worth) {
			*path = WD_PATH_SOFT;
			*reason = WD_REASON_SIZE;
			return true;
		}
		*path = q->pub.path;
		*reason = atomic_load_explicit(&s->reason, memory_order_relaxed);
		return false;
	}
	*path = s->soft_ok ? WD_PATH_SOFT : WD_PATH_NONE;
	*reason = nr ? WD_REASON_GONE : atomic_load_explicit(&s->reason, memory_order_relaxed);
	return s->soft_ok;
}

int wd_session_pick(struct wd_session *s, struct wd_queue **q, __u16 *reason)
{
	unsigned int nr = atomic_load_explicit(&s->nr, memory_order_acquire), i;
	struct wd_queue *spare = NULL;

	*q = NULL;
	*reason = nr ? WD_REASON_GONE : atomic_load(&s->reason);
	for (i = 0; i < nr; i++) {
		struct wd_queue *one = atomic_load(&s->queue[i]);
		int state = atomic_load(&one->state);

		if ((state == -EIO || state == -EDQUOT) && !spare)
			spare = one;
		if (!state && !*q)
			*q = one;
	}
	if (!*q)
		*q = spare;
	if (*q)
		*reason = atomic_load(&s->reason);
	return *q || s->soft_ok ? 0 : -ENODEV;
}

struct wd_queue *wd_session_queue(struct wd_session *s, unsigned int i, bool soft)
{
	if (soft)
		return i ? NULL : atomic_load_explicit(&s->soft, memory_order_acquire);
	return i < atomic_load_explicit(&s->nr, memory_order_acquire) ?
	       atomic_load_explicit(&s->queue[i], memory_order_relaxed) : NULL;
}
