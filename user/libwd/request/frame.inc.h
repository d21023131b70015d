/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a class's requests that is the same for all classes: its calls, and most members of struct wd_class. A
 * class's file includes this once, at its head, after defining
 *
 *	FRAME_ARG		the struct of a request
 *	FRAME_MSG		the class's message; its first member is a struct wd_msg m
 *	FRAME_CLASS		the class
 *	FRAME_STATUS(ret)	the value of arg->status for an error
 *	FRAME_OPCODE(session, arg) enum wd_wc_opcode
 *
 * and defines the functions that are declared below. The fast path is inlined into the public functions, so that a
 * request costs one call.
 */
#include <errno.h>

#include "base/likely.h"
#include "driver.h"

/* Checks an asynchronous request, and whether the session may take it. 0 or -errno, recorded. */
static int frame_check(struct wd_session *s, const FRAME_ARG *arg);
/* The same for a synchronous request; call: WD_CALL_SYNC, or another of the class's synchronous calls. */
static int frame_check_sync(struct wd_session *s, const FRAME_ARG *arg, int call);
/* Fills in the message of a checked request, except for its deadline. */
static inline void frame_begin(struct wd_session *s, const FRAME_ARG *arg, FRAME_MSG *msg);
/* Does the request. */
static inline int frame_do(struct wd_session *s, FRAME_MSG *msg);
/* The same for a request that began on the fast path, but didn't end there. */
static inline int frame_do_over(struct wd_session *s, FRAME_MSG *msg);
/* Writes the results into the argument struct. Returns the error, recorded, or 0. */
static int frame_result(struct wd_session *s, FRAME_ARG *arg, FRAME_MSG *msg, int ret);
/* The same for an asynchronous request. */
static int frame_ended(struct wd_msg *m);

/* --- asynchronous --- */

/* Submits the requests up to the first that is refused. */
static __attribute__((noinline)) int frame_burst_other(struct wd_session *s, FRAME_ARG *args[], int n,
						       const wd_ctx_set_t *set)
{
	int good, ret = 0;

	for (good = 0; good < n; good++) {
		ret = frame_check(s, args[good]);
		if (ret)
			break;
	}
	return good ? wd_request_async(s, (void *const *)args, (unsigned int)good, set) : ret;
}

/* Returns how many requests were taken. Nothing is checked yet except that args[0] isn't NULL. */
static inline unsigned int frame_fast_async(struct wd_session *s, FRAME_ARG *args[], unsigned int n)
{
	struct wd_queue *q = wd_first_queue(s, args[0]->src_len);

	return likely(q != NULL) ? wd_queue_pub(q)->ops->async(s, (void *const *)args, n, q) : 0;
}

static inline int frame_async_burst(handle_t sess, FRAME_ARG *args[], int n, const wd_ctx_set_t *set)
{
	struct wd_session *s = wd_session_get(sess, &FRAME_CLASS);
	int sent = 0, ret;

	if (!s)
		return -EINVAL;
	if (!args || n < 0)
		return wd_fail(&s->obj, EINVAL, args ? "n is negative" : "args is NULL");
	if (likely(s->fast_call == WD_CALL_ASYNC && !set && n && args[0]))
		sent = (int)frame_fast_async(s, args, (unsigned int)n);
	if (likely(sent == n && n))
		return n;
	ret = frame_burst_other(s, args + sent, n - sent, set);
	if (ret >= 0)
		return sent + ret;
	/* The requests before are in flight, whatever is wrong with the next one. */
	return sent || ret == -EBUSY ? sent : ret;
}

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
	struct wd_queue *q;

	/* Each of the three calls is a tail call. */
	if (unlikely(!s || s->fast_call != WD_CALL_ASYNC || set || !arg || arg->timeout_ms))
		return frame_async_slow(sess, arg, set);
	q = wd_first_queue(s, arg->src_len);
	return likely(q != NULL) ? wd_queue_pub(q)->ops->async_one(s, arg, q) : s->cls->async_other(s, arg);
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

/* --- synchronous --- */

static inline __u64 frame_deadline(const struct wd_session *s, const FRAME_ARG *arg)
{
	__u32 timeout = arg->timeout_ms ? arg->timeout_ms : s->attr.timeout_ms;

	return unlikely(timeout) ? wd_deadline(timeout) : 0;
}

/* The request was refused: nothing was done. */
static __attribute__((noinline)) int frame_arg_refused(FRAME_ARG *arg, int ret)
{
	if (arg->dst_len)
		*arg->dst_len = 0;
	arg->consumed = 0;
	arg->status = FRAME_STATUS(ret);
	arg->path = WD_PATH_NONE;
	arg->path_reason = 0;
	return ret;
}

/* Does the request with a message: from its beginning, or from where the fast path ended. */
static __attribute__((noinline)) int frame_sync_other(struct wd_session *s, FRAME_ARG *arg, FRAME_MSG *msg, int call,
						      enum wd_fast begun)
{
	int ret;

	if (begun != WD_FAST_NOT)
		return frame_result(s, arg, msg, frame_do_over(s, msg));
	if (!arg)
		return wd_fail(&s->obj, EINVAL, "arg is NULL");
	ret = frame_check_sync(s, arg, call);
	if (ret)
		return frame_arg_refused(arg, ret);
	msg->m.deadline = frame_deadline(s, arg);
	frame_begin(s, arg, msg);
	return frame_result(s, arg, msg, frame_do(s, msg));
}

static inline int frame_sync(handle_t sess, FRAME_ARG *arg, int call)
{
	struct wd_session *s = wd_session_get(sess, &FRAME_CLASS);
	enum wd_fast end = WD_FAST_NOT;
	struct wd_queue *q;
	FRAME_MSG msg;

	if (unlikely(!s))
		return -EINVAL;
	if (likely(s->fast_call == call && arg)) {
		msg.m.req = arg;
		msg.m.deadline = frame_deadline(s, arg);
		q = wd_first_queue(s, arg->src_len);
		if (likely(q != NULL))
			end = wd_queue_pub(q)->ops->sync(s, &msg.m, arg->src_len, q);
		if (likely(end == WD_FAST_TOLD))
			return 0;
	}
	return frame_sync_other(s, arg, &msg, call, end);
}

/* --- members of struct wd_class --- */

static size_t frame_bytes(const void *req)
{
	return ((const FRAME_ARG *)req)->src_len;
}

static void frame_call(void *req)
{
	FRAME_ARG *arg = req;

	arg->cb(arg, arg->cb_param);
}

static void frame_complete(struct wd_msg *m)
{
	frame_ended(m);
	wd_request_over(m);
	frame_call(m->req);
}

static int frame_work(struct wd_msg *m, struct wd_wc *wc)
{
	const FRAME_MSG *msg = (const FRAME_MSG *)m;
	const FRAME_ARG *arg = m->req;
	int ret = frame_ended(m);

	wc->wr_id = arg->wr_id;
	wc->opcode = FRAME_OPCODE(m->sess, arg);
	wc->byte_len = msg->produced;
	wc->consumed = msg->consumed;
	return ret;
}

static void frame_work_told(const struct wd_session *s, const void *req, struct wd_wc *wc)
{
	const FRAME_ARG *arg = req;

	(void)s;
	wc->wr_id = arg->wr_id;
	wc->opcode = FRAME_OPCODE(s, arg);
	/* Not every result has bytes. */
	wc->byte_len = arg->dst_len ? *arg->dst_len : 0;
	wc->consumed = arg->consumed;
	wc->path = arg->path;
	wc->path_reason = arg->path_reason;
}

static __u32 frame_timeout(const void *req)
{
	return ((const FRAME_ARG *)req)->timeout_ms;
}

#define FRAME_CALLS \
	.async_other = frame_async_other, \
	.bytes = frame_bytes, \
	.timeout_ms = frame_timeout, \
	.complete = frame_complete, \
	.call = frame_call, \
	.work = frame_work, \
	.work_told = frame_work_told

/* The public functions that are the same for all classes. */
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
int name##_poll_wait(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set) \
{ \
	return wd_class_poll_wait(&FRAME_CLASS, count, timeout_ms, set); \
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
