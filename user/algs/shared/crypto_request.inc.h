/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of a class with keys: the part that the three classes share. A class's
 * file includes this once, at its head, after it defined
 *
 *	FRAME_ARG			the struct of a request
 *	FRAME_CLASS			the class
 *	FRAME_OPCODE(session, arg)	enum wd_wc_opcode
 *
 * It defines the functions that are declared below.
 */
#include <errno.h>

#include "base/likely.h"
#include "crypto.h"
#include "evp.h"

#define FRAME_MSG		struct crypto_msg
#define FRAME_STATUS(ret)	(ret)
#include "request/frame.inc.h"

/* Checks the argument struct; recorded. */
static int arg_check(struct crypto_sess *s, const FRAME_ARG *arg);
/* Fills in the message of a checked request. */
static inline void msg_fill(struct crypto_sess *s, const FRAME_ARG *arg, struct crypto_msg *c);
/* Executes the message: crypto_do_sync(), after the class's own preparation. */
static int do_sync(struct crypto_sess *s, struct crypto_msg *c);

static int frame_check(struct wd_session *base, const FRAME_ARG *arg)
{
	int ret = wd_frame_check_mode(base, true);

	if (ret)
		return ret;
	if (!arg)
		return wd_fail(&base->obj, EINVAL, "arg is NULL");
	if (arg->src_len > CRYPTO_MAX_BYTES)
		return wd_fail_num(&base->obj, EFBIG, "src_len %u is above %u, an asynchronous request's limit",
				   arg->src_len, CRYPTO_MAX_BYTES);
	return arg_check(to_crypto_sess(base), arg);
}

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
	c->m.redo = WD_REDO;
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

static inline int frame_check_sync(struct wd_session *base, const FRAME_ARG *arg, int call)
{
	int ret = wd_frame_check_mode(base, false);

	(void)call;
	return ret ? ret : arg_check(to_crypto_sess(base), arg);
}

static inline void frame_begin(struct wd_session *base, const FRAME_ARG *arg, struct crypto_msg *c)
{
	msg_begin(to_crypto_sess(base), arg, c);
	c->m.path = WD_PATH_NONE;
	c->m.reason = 0;
}

static inline int frame_do(struct wd_session *base, struct crypto_msg *c)
{
	return do_sync(to_crypto_sess(base), c);
}

static inline int frame_do_over(struct wd_session *base, struct crypto_msg *c)
{
	return crypto_do_over(to_crypto_sess(base), c);
}

static int frame_result(struct wd_session *base, FRAME_ARG *arg, struct crypto_msg *c, int ret)
{
	arg_result(arg, c, ret);
	if (!ret)
		return 0;
	crypto_failed(c, ret);
	return crypto_say(to_crypto_sess(base), ret, c->why, c->m.vendor);
}

static int frame_ended(struct wd_msg *m)
{
	struct crypto_msg *c = to_crypto_msg(m);

	if (unlikely(m->status))
		m->status = crypto_do_ended(to_crypto_sess(m->sess), c);
	return frame_result(m->sess, m->req, c, m->status);
}

static inline int crypto_sync(handle_t sess, FRAME_ARG *arg)
{
	return frame_sync(sess, arg, WD_CALL_SYNC);
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

#define CRYPTO_CALLS \
	FRAME_CALLS, \
	.fill = req_fill, .refill = req_refill, \
	.may_redo = crypto_may_redo
