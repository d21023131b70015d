/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A class's asynchronous calls, which are the same for all: to be included
 * once, behind
 *
 *	FRAME_ARG		the struct of a request
 *	FRAME_CLASS		the class
 *	FRAME_BYTES(arg)	its size, for choosing its path
 *	FRAME_STRAIGHT(session)	whether asynchronous requests are to be tried on the straight way
 *	int frame_check(session, arg)
 *		everything that is wrong with an asynchronous request, or with
 *		the session for it; recorded
 *
 * and inlined into the public functions, so that a request makes one call.
 */
#include <errno.h>

#include "straight.h"

/* Up to the first that is refused. */
static __attribute__((noinline)) int frame_burst_other(struct wd_session *s, FRAME_ARG *args[], int n, const wd_ctx_set_t *set)
{
	int good, ret = 0;

	for (good = 0; good < n; good++) {
		ret = frame_check(s, args[good]);
		if (ret)
			break;
	}
	return good ? wd_request_async(s, (void *const *)args, (unsigned int)good, set) : ret;
}

static inline int frame_async_burst(handle_t sess, FRAME_ARG *args[], int n, const wd_ctx_set_t *set)
{
	struct wd_session *s = wd_session_get(sess, &FRAME_CLASS);
	int sent = 0, ret;

	if (!s)
		return -EINVAL;
	if (!args || n < 0)
		return wd_fail(&s->obj, EINVAL, args ? "n is negative" : "args is NULL");
	if (__builtin_expect(FRAME_STRAIGHT(s) && !set && n && args[0], 1))
		sent = (int)wd_request_straight_async(s, (void *const *)args, (unsigned int)n, FRAME_BYTES(args[0]));
	if (__builtin_expect(sent == n && n, 1))
		return n;
	ret = frame_burst_other(s, args + sent, n - sent, set);
	if (ret >= 0)
		return sent + ret;
	/* Those before are taken, whatever is wrong with the next. */
	return sent || ret == -EBUSY ? sent : ret;
}

/* struct wd_class's async_other(). */
static int frame_async_other(struct wd_session *s, void *req)
{
	FRAME_ARG *arg = req;
	int ret = frame_burst_other(s, &arg, 1, NULL);

	return ret > 0 ? 0 : ret;
}

static __attribute__((noinline)) int frame_async_slow(handle_t sess, FRAME_ARG *arg, const wd_ctx_set_t *set)
{
	struct wd_session *s = wd_session_get(sess, &FRAME_CLASS);
	int ret = s ? frame_burst_other(s, &arg, 1, set) : -EINVAL;

	return ret > 0 ? 0 : ret;
}

static inline int frame_async(handle_t sess, FRAME_ARG *arg, const wd_ctx_set_t *set)
{
	struct wd_session *s = wd_session_peek(sess, &FRAME_CLASS);

	/* Both are jumps. */
	if (__builtin_expect(!s || !FRAME_STRAIGHT(s) || set || !arg || arg->timeout_ms, 0))
		return frame_async_slow(sess, arg, set);
	return wd_request_straight_one(s, arg, FRAME_BYTES(arg));
}

static inline int frame_wait(handle_t sess, unsigned int timeout_ms)
{
	struct wd_session *s = wd_session_get(sess, &FRAME_CLASS);

	return s ? wd_session_wait(s, timeout_ms) : -EINVAL;
}

static inline int frame_wakeup(handle_t sess)
{
	struct wd_session *s = wd_session_get(sess, &FRAME_CLASS);

	return s ? wd_session_wakeup(s) : -EINVAL;
}

static inline __u64 frame_deadline(const struct wd_session *s, const FRAME_ARG *arg)
{
	__u32 timeout = arg->timeout_ms ? arg->timeout_ms : s->attr.timeout_ms;

	return __builtin_expect(timeout, 0) ? wd_deadline(timeout) : 0;
}

/* The public functions that a class has nothing to say about. */
#define FRAME_PUBLIC(name) \
int name##_async(handle_t sess, FRAME_ARG *arg, const wd_ctx_set_t *set) \
{ \
	return frame_async(sess, arg, set); \
} \
\
int name##_async_burst(handle_t sess, FRAME_ARG *args[], int n, const wd_ctx_set_t *set) \
{ \
	return frame_async_burst(sess, args, n, set); \
} \
\
int name##_poll(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set) \
{ \
	return wd_class_poll(&FRAME_CLASS, count, timeout_ms, set); \
} \
\
int name##_wait(handle_t sess, unsigned int timeout_ms) \
{ \
	return frame_wait(sess, timeout_ms); \
} \
\
int name##_wait_set(const wd_ctx_set_t *set, unsigned int timeout_ms) \
{ \
	return wd_class_wait_set(&FRAME_CLASS, set, timeout_ms); \
} \
\
int name##_wakeup(handle_t sess) \
{ \
	return frame_wakeup(sess); \
} \
\
int name##_wakeup_set(const wd_ctx_set_t *set) \
{ \
	return wd_class_wakeup_set(&FRAME_CLASS, set); \
}
