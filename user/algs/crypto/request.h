/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of a class with keys, as far as they are the same for the three: to
 * be included once, behind what frame.h wants, but for frame_check(), and
 *
 *	int arg_check(session, arg)	everything that is wrong with an argument struct; recorded
 *	void msg_fill(session, arg, msg) a message of a checked request
 *	int do_sync(session, msg)	does it; crypto_do_sync(), or what goes before
 *	FRAME_OPCODE(arg)		enum wd_wc_opcode
 */
#include <errno.h>

#include "crypto.h"
#include "evp.h"

static int frame_check(struct wd_session *base, const FRAME_ARG *arg)
{
	int ret = wd_frame_refuse_mode(base, true);

	if (ret)
		return ret;
	if (!arg)
		return wd_fail(&base->obj, EINVAL, "arg is NULL");
	if (arg->src_len > CRYPTO_MAX_BYTES)
		return wd_fail_num(&base->obj, EFBIG, "src_len %u is above %u, the most of an asynchronous request", arg->src_len,
				   CRYPTO_MAX_BYTES);
	return arg_check(to_crypto_sess(base), arg);
}

#define FRAME_BYTES(arg)	((arg)->src_len)
#define FRAME_STRAIGHT(s)	(to_crypto_sess(s)->straight == CRYPTO_ASYNC)
#include "frame.h"

static inline void msg_begin(struct crypto_sess *s, const FRAME_ARG *arg, struct crypto_msg *c)
{
	c->m.sess = &s->s;
	c->m.req = (void *)arg;
	c->m.vendor = 0;
	c->m.aux = 0;
	c->src = arg->src;
	c->dst = arg->dst;
	c->src_len = arg->src_len;
	c->dst_len = *arg->dst_len;
	c->sgl = s->sgl;
	c->strm = NULL;
	c->why = NULL;
	msg_fill(s, arg, c);
	c->m.redo = s->s.hw_ok ? crypto_may_redo(c) : 0;
}

static inline void arg_result(FRAME_ARG *arg, const struct crypto_msg *c, int ret)
{
	*arg->dst_len = ret ? 0 : c->produced;
	arg->consumed = ret ? 0 : c->consumed;
	arg->status = ret;
	arg->path = c->m.path;
	arg->path_reason = c->m.reason;
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

/* Of a synchronous call that begins without a message: 0, or what is wrong with it. */
static int sync_check(struct crypto_sess *s, FRAME_ARG *arg)
{
	int ret;

	if (!arg)
		return wd_fail(&s->s.obj, EINVAL, "arg is NULL");
	ret = wd_frame_refuse_mode(&s->s, false);
	if (!ret)
		ret = arg_check(s, arg);
	return ret ? arg_refused(arg, ret) : 0;
}

static int sync_end(struct crypto_sess *s, FRAME_ARG *arg, struct crypto_msg *c, int ret)
{
	arg_result(arg, c, ret);
	if (!ret)
		return 0;
	crypto_failed(c, ret);
	return crypto_say(s, ret, c->why, c->m.vendor);
}

static __attribute__((noinline)) int sync_other(struct crypto_sess *s, FRAME_ARG *arg, struct crypto_msg *c, enum wd_straight begun)
{
	int ret;

	if (begun != WD_STRAIGHT_NOT)
		return sync_end(s, arg, c, crypto_do_over(s, c));
	ret = sync_check(s, arg);
	if (ret)
		return ret;
	c->m.deadline = frame_deadline(&s->s, arg);
	msg_begin(s, arg, c);
	c->m.path = WD_PATH_NONE;
	c->m.reason = 0;
	return sync_end(s, arg, c, do_sync(s, c));
}

static inline int crypto_sync(handle_t sess, FRAME_ARG *arg)
{
	struct crypto_sess *s = to_crypto_sess(wd_session_get(sess, &FRAME_CLASS));
	enum wd_straight end = WD_STRAIGHT_NOT;
	struct crypto_msg c;

	if (__builtin_expect(!s, 0))
		return -EINVAL;
	if (__builtin_expect(s->straight == CRYPTO_SYNC && arg, 1)) {
		c.m.req = arg;
		c.m.deadline = frame_deadline(&s->s, arg);
		end = wd_request_straight(&s->s, &c.m, arg->src_len);
		if (__builtin_expect(end == WD_STRAIGHT_TOLD, 1))
			return 0;
	}
	return sync_other(s, arg, &c, end);
}

/* --- struct wd_class's --- */

static void req_refill(struct wd_session *base, void *req, __u32 aux, struct wd_msg *m)
{
	(void)aux;
	msg_begin(to_crypto_sess(base), req, to_crypto_msg(m));
}

static int req_fill(struct wd_session *base, void *req, struct wd_msg *m)
{
	req_refill(base, req, 0, m);
	return 0;
}

static int req_end(struct wd_msg *m)
{
	struct crypto_sess *s = to_crypto_sess(m->sess);
	struct crypto_msg *c = to_crypto_msg(m);

	if (__builtin_expect(m->status, 0))
		m->status = crypto_do_ended(s, c);
	return sync_end(s, m->req, c, m->status);
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
	struct crypto_msg *c = to_crypto_msg(m);
	const FRAME_ARG *arg = m->req;
	int ret = req_end(m);

	wc->wr_id = arg->wr_id;
	wc->opcode = FRAME_OPCODE(arg);
	wc->byte_len = c->produced;
	wc->consumed = c->consumed;
	return ret;
}

static void req_work_told(const struct wd_session *s, const void *req, struct wd_wc *wc)
{
	const FRAME_ARG *arg = req;

	(void)s;
	wc->wr_id = arg->wr_id;
	wc->opcode = FRAME_OPCODE(arg);
	wc->byte_len = *arg->dst_len;
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
