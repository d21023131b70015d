/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public calls of all classes, as far as the fast path goes: a class's file has them with its constant struct
 * wd_class, so that the compiler inlines them and a request costs one call. frame.c has the rest.
 */
#ifndef WD_FRAME_H
#define WD_FRAME_H

#include <errno.h>

#include "base/likely.h"
#include "driver.h"

#define FRAME_INLINE	static inline __attribute__((always_inline))

/* --- asynchronous --- */

/* Returns how many requests were taken. Nothing is checked yet except that args[0] isn't NULL. */
static inline unsigned int frame_fast_async(struct wd_session *s, void *const args[], unsigned int n)
{
	struct wd_queue *q = wd_first_queue(s, wd_arg_bytes(args[0]));

	return likely(q != NULL) ? wd_queue_pub(q)->ops->async(s, args, n, q) : 0;
}

FRAME_INLINE int frame_async_burst(const struct wd_class *cls, handle_t sess, void *const args[], int n,
				   const wd_ctx_set_t *set)
{
	struct wd_session *s = wd_session_get(sess, cls);
	int sent = 0, ret;

	if (!s)
		return -EINVAL;
	if (!args || n < 0)
		return wd_fail(&s->obj, EINVAL, args ? "n is negative" : "args is NULL");
	if (likely(s->fast_call == WD_CALL_ASYNC && !set && n && args[0]))
		sent = (int)frame_fast_async(s, args, (unsigned int)n);
	if (likely(sent == n && n))
		return n;
	ret = wd_frame_burst(s, args + sent, n - sent, set);
	if (ret >= 0)
		return sent + ret;
	/* The requests before are in flight, whatever is wrong with the next one. */
	return sent || ret == -EBUSY ? sent : ret;
}

FRAME_INLINE int frame_async(const struct wd_class *cls, handle_t sess, void *arg, const wd_ctx_set_t *set)
{
	struct wd_session *s = wd_session_peek(sess, cls);
	struct wd_queue *q;

	/* Each of the three calls is a tail call. */
	if (unlikely(!s || s->fast_call != WD_CALL_ASYNC || set || !arg || wd_arg_end(arg, cls->arg_bytes)->timeout_ms))
		return wd_frame_async(sess, arg, set, cls);
	q = wd_first_queue(s, wd_arg_bytes(arg));
	return likely(q != NULL) ? wd_queue_pub(q)->ops->async_one(s, arg, q) : s->cls->async_other(s, arg);
}

static inline int frame_wait(const struct wd_class *cls, handle_t sess, unsigned int timeout_ms)
{
	struct wd_session *s = wd_session_get(sess, cls);

	return s ? wd_session_wait(s, timeout_ms) : -EINVAL;
}

static inline int frame_wakeup(const struct wd_class *cls, handle_t sess)
{
	struct wd_session *s = wd_session_get(sess, cls);

	return s ? wd_session_wakeup(s) : -EINVAL;
}

/* --- synchronous --- */

/* call: WD_CALL_SYNC, or another of the class's synchronous calls. */
FRAME_INLINE int frame_sync(const struct wd_class *cls, handle_t sess, void *arg, int call)
{
	struct wd_session *s = wd_session_peek(sess, cls);
	struct wd_queue *q;

	/* Each of the three calls is a tail call. */
	if (unlikely(!s || s->fast_call != call || !arg ||
		     (s->attr.timeout_ms | wd_arg_end(arg, cls->arg_bytes)->timeout_ms)))
		return wd_frame_sync(sess, arg, call, cls);
	q = wd_first_queue(s, wd_arg_bytes(arg));
	return likely(q != NULL) ? wd_queue_pub(q)->ops->sync(s, arg, 0, q) : wd_frame_sync(sess, arg, call, cls);
}

/* --- for all classes --- */

/* The members of a class's table that are the same for all classes; name: as for FRAME_PUBLIC(). */
#define FRAME_CLASS(name) \
	.arg_bytes = sizeof(struct name##_arg), \
	.async_other = wd_frame_async_other, \
	.sync_other = wd_frame_sync_other, \
	.call = name##_call

/* The synchronous call of a class that has only one. */
#define FRAME_SYNC(name, cls) \
int name##_sync(handle_t sess, struct name##_arg *arg) \
{ \
	return frame_sync(&cls, sess, arg, WD_CALL_SYNC); \
}

/* The public functions that are the same for all classes: name_async() and so on, for requests of struct name_arg. */
#define FRAME_PUBLIC(name, cls) \
static void name##_call(void *req) \
{ \
	struct name##_arg *arg = req; \
\
	arg->cb(arg, arg->cb_param); \
} \
\
int name##_async(handle_t sess, struct name##_arg *arg, const wd_ctx_set_t *set) \
{ \
	return frame_async(&cls, sess, arg, set); \
} \
\
int name##_async_burst(handle_t sess, struct name##_arg *args[], int n, const wd_ctx_set_t *set) \
{ \
	return frame_async_burst(&cls, sess, (void *const *)args, n, set); \
} \
\
int name##_poll(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set) \
{ \
	return wd_class_poll(&cls, count, timeout_ms, set); \
} \
\
int name##_poll_wait(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set) \
{ \
	return wd_class_poll_wait(&cls, count, timeout_ms, set); \
} \
\
int name##_wait(handle_t sess, unsigned int timeout_ms) \
{ \
	return frame_wait(&cls, sess, timeout_ms); \
} \
\
int name##_wait_set(const wd_ctx_set_t *set, unsigned int timeout_ms) \
{ \
	return wd_class_wait_set(&cls, set, timeout_ms); \
} \
\
int name##_wakeup(handle_t sess) \
{ \
	return frame_wakeup(&cls, sess); \
} \
\
int name##_wakeup_set(const wd_ctx_set_t *set) \
{ \
	return wd_class_wakeup_set(&cls, set); \
}

#endif
