/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A class's synchronous call, and what struct wd_class asks of it about its
 * requests, which are the same for all: to be included once, behind frame.h and
 *
 *	FRAME_MSG		the class's message; a struct wd_msg m is its first
 *	FRAME_STATUS(ret)	what arg->status says of an error
 *	FRAME_IS_STRAIGHT(session, call)
 *		whether a synchronous call is to be tried on the straight way;
 *		call: which of its own the class has made
 *	FRAME_OPCODE(session, arg) enum wd_wc_opcode
 *	int frame_check_sync(session, arg, call)
 *		everything that is wrong with a synchronous request, or with the
 *		session for it; recorded
 *	void frame_begin(session, arg, msg)
 *		a message of a checked request, but for its deadline
 *	int frame_do(session, msg)	does it
 *	int frame_do_over(session, msg)	the same for one that went the straight
 *		way, but not to its end
 *	int frame_result(session, arg, msg, ret)
 *		results into the struct; what is wrong is recorded
 *	int frame_ended(msg)
 *		the same for an asynchronous one
 */

/* Nothing was done. */
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

/* With a message: from the beginning, or from where the straight way ended. */
static __attribute__((noinline)) int frame_sync_other(struct wd_session *s, FRAME_ARG *arg, FRAME_MSG *msg, int call,
						      enum wd_straight begun)
{
	int ret;

	if (begun != WD_STRAIGHT_NOT)
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
	enum wd_straight end = WD_STRAIGHT_NOT;
	FRAME_MSG msg;

	if (__builtin_expect(!s, 0))
		return -EINVAL;
	if (__builtin_expect(FRAME_IS_STRAIGHT(s, call) && arg, 1)) {
		msg.m.req = arg;
		msg.m.deadline = frame_deadline(s, arg);
		end = wd_request_straight(s, &msg.m, arg->src_len);
		if (__builtin_expect(end == WD_STRAIGHT_TOLD, 1))
			return 0;
	}
	return frame_sync_other(s, arg, &msg, call, end);
}

/* --- struct wd_class's --- */

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

static size_t frame_bytes(const void *req)
{
	return ((const FRAME_ARG *)req)->src_len;
}

static __u32 frame_timeout(const void *req)
{
	return ((const FRAME_ARG *)req)->timeout_ms;
}

#define FRAME_SYNC_CALLS \
	.async_other = frame_async_other, \
	.bytes = frame_bytes, \
	.timeout_ms = frame_timeout, \
	.complete = frame_complete, \
	.call = frame_call, \
	.work = frame_work, \
	.work_told = frame_work_told
