/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of a public-key class, as far as they are the same for the three: to
 * be included once, behind
 *
 *	FRAME_ARG			the struct of a request
 *	FRAME_CLASS			the class
 *	FRAME_OPCODE(arg)		enum wd_wc_opcode
 *	int arg_check(session, arg)	everything that is wrong with it; recorded
 *	void msg_fill(session, arg, msg) op, dst_len and extra of a checked one
 *	int msg_end(msg)		what is wrong with a result: 0, or -errno and msg->why
 */
#include <errno.h>

#include "pubkey.h"

static int frame_check_arg(struct wd_session *s, const FRAME_ARG *arg)
{
	int ret = wd_frame_check_end(s, arg->cb, arg->flags, arg->reserved);

	return ret ? ret : arg_check(s, arg);
}

static int frame_check(struct wd_session *s, const FRAME_ARG *arg)
{
	int ret = wd_frame_refuse_mode(s, true);

	if (ret)
		return ret;
	return arg ? frame_check_arg(s, arg) : wd_fail(&s->obj, EINVAL, "arg is NULL");
}

#define FRAME_BYTES(arg)	((arg)->src_len)
#define FRAME_STRAIGHT(s)	(to_pubkey_sess(s)->straight == PUBKEY_ASYNC)
#include "frame.h"

static inline void msg_begin(struct wd_session *s, const FRAME_ARG *arg, struct pubkey_msg *c)
{
	c->m.sess = s;
	c->m.req = (void *)arg;
	c->m.vendor = 0;
	c->m.aux = 0;
	/* Operands are copied before the device begins: what is written doesn't meet what is read. */
	c->m.redo = WD_REDO;
	c->src = arg->src;
	c->src_len = arg->src_len;
	c->dst = arg->dst;
	c->room = arg->dst_len ? *arg->dst_len : 0;
	c->why = NULL;
	msg_fill(s, arg, c);
	c->consumed = c->src_len;
	c->produced = c->dst_len;
}

static int req_end(struct wd_msg *m)
{
	struct pubkey_msg *c = to_pubkey_msg(m);
	FRAME_ARG *arg = m->req;

	if (!m->status) {
		m->status = msg_end(c);
		if (m->status)
			explicit_bzero(c->dst, c->dst_len);
	}
	if (m->status == -E2BIG) {
		m->status = -EOPNOTSUPP;
		c->why = "a device doesn't take such a request";
	}
	if (arg->dst_len)
		*arg->dst_len = m->status ? 0 : c->produced;
	arg->consumed = m->status ? 0 : c->consumed;
	arg->status = m->status;
	arg->path = m->path;
	arg->path_reason = m->reason;
	return m->status ? wd_frame_fail(m->sess, m->status, c->why, m->vendor) : 0;
}

/* --- synchronous --- */

static int arg_refused(FRAME_ARG *arg, int ret)
{
	if (arg->dst_len)
		*arg->dst_len = 0;
	arg->consumed = 0;
	arg->status = ret;
	arg->path = WD_PATH_NONE;
	arg->path_reason = 0;
	return ret;
}

/* With a message: from the beginning, or from where the straight way ended. */
static __attribute__((noinline)) int sync_other(struct wd_session *s, FRAME_ARG *arg, struct pubkey_msg *c, enum wd_straight begun)
{
	int ret;

	if (begun != WD_STRAIGHT_NOT) {
		c->m.status = pubkey_do_over(s, c);
		return req_end(&c->m);
	}
	if (!arg)
		return wd_fail(&s->obj, EINVAL, "arg is NULL");
	ret = wd_frame_refuse_mode(s, false);
	if (!ret)
		ret = frame_check_arg(s, arg);
	if (ret)
		return arg_refused(arg, ret);
	c->m.deadline = frame_deadline(s, arg);
	msg_begin(s, arg, c);
	c->m.status = pubkey_do_sync(s, c);
	return req_end(&c->m);
}

static inline int pubkey_sync(handle_t sess, FRAME_ARG *arg)
{
	struct wd_session *s = wd_session_get(sess, &FRAME_CLASS);
	enum wd_straight end = WD_STRAIGHT_NOT;
	struct pubkey_msg c;

	if (__builtin_expect(!s, 0))
		return -EINVAL;
	if (__builtin_expect(to_pubkey_sess(s)->straight == PUBKEY_SYNC && arg, 1)) {
		c.m.req = arg;
		c.m.deadline = frame_deadline(s, arg);
		end = wd_request_straight(s, &c.m, arg->src_len);
		if (__builtin_expect(end == WD_STRAIGHT_TOLD, 1))
			return 0;
	}
	return sync_other(s, arg, &c, end);
}

/* --- struct wd_class's --- */

static void req_refill(struct wd_session *s, void *req, __u32 aux, struct wd_msg *m)
{
	(void)aux;
	msg_begin(s, req, to_pubkey_msg(m));
}

static int req_fill(struct wd_session *s, void *req, struct wd_msg *m)
{
	req_refill(s, req, 0, m);
	return 0;
}

static void req_call(void *req)
{
	FRAME_ARG *arg = req;

	arg->cb(arg, arg->cb_param);
}

static void req_complete(struct wd_msg *m)
{
	req_end(m);
	wd_request_over(m);
	req_call(m->req);
}

static int req_work(struct wd_msg *m, struct wd_wc *wc)
{
	const FRAME_ARG *arg = m->req;

	wc->wr_id = arg->wr_id;
	wc->opcode = FRAME_OPCODE(arg);
	wc->byte_len = to_pubkey_msg(m)->produced;
	wc->consumed = to_pubkey_msg(m)->consumed;
	return req_end(m);
}

static void req_work_told(const struct wd_session *s, const void *req, struct wd_wc *wc)
{
	const FRAME_ARG *arg = req;

	(void)s;
	wc->wr_id = arg->wr_id;
	wc->opcode = FRAME_OPCODE(arg);
	wc->byte_len = arg->dst_len ? *arg->dst_len : 0;
	wc->consumed = arg->consumed;
	wc->path = arg->path;
	wc->path_reason = arg->path_reason;
}

static size_t req_bytes(const void *req)
{
	return ((const FRAME_ARG *)req)->src_len;
}

static __u32 req_timeout(const void *req)
{
	return ((const FRAME_ARG *)req)->timeout_ms;
}

#define FRAME_CALLS \
	.async_other = frame_async_other, \
	.fill = req_fill, \
	.refill = req_refill, \
	.bytes = req_bytes, \
	.timeout_ms = req_timeout, \
	.complete = req_complete, \
	.call = req_call, \
	.work = req_work, \
	.work_told = req_work_told
