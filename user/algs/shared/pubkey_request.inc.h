/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of a public-key class: the part that the three classes share. A class's
 * file includes this once, at its head, after it defined
 *
 *	FRAME_ARG			the struct of a request
 *	FRAME_CLASS			the class
 *	FRAME_OPCODE(session, arg)	enum wd_wc_opcode
 *
 * It defines the functions that are declared below.
 */
#include <errno.h>
#include <stdlib.h>

#include "pubkey.h"

#define FRAME_MSG		struct pubkey_msg
#define FRAME_STATUS(ret)	(ret)
#include "request/frame.inc.h"

/* Checks the argument struct; recorded. */
static int arg_check(struct wd_session *s, const FRAME_ARG *arg);
/* Fills in op, dst_len and extra for a checked request. */
static inline void msg_fill(struct wd_session *s, const FRAME_ARG *arg, struct pubkey_msg *c);
/* Prepares what takes long and needs no context, for a request that may go to a device. */
static inline void msg_ahead(struct wd_session *s, struct pubkey_msg *c);
/* Checks a result: 0, or -errno and msg->why. */
static inline int msg_end(struct pubkey_msg *c);

static int frame_check_arg(struct wd_session *s, const FRAME_ARG *arg)
{
	int ret = wd_frame_check_end(s, arg->cb, arg->flags, arg->reserved);

	return ret ? ret : arg_check(s, arg);
}

static int frame_check(struct wd_session *s, const FRAME_ARG *arg)
{
	int ret = wd_frame_check_mode(s, true);

	if (ret)
		return ret;
	return arg ? frame_check_arg(s, arg) : wd_fail(&s->obj, EINVAL, "arg is NULL");
}

static inline void frame_begin(struct wd_session *s, const FRAME_ARG *arg, struct pubkey_msg *c)
{
	c->m.sess = s;
	c->m.req = (void *)arg;
	c->m.vendor = 0;
	c->m.aux = 0;
	/* Operands are copied before the device begins, so an overlap of src and dst doesn't prevent a retry. */
	c->m.redo = WD_REDO;
	c->src = arg->src;
	c->src_len = arg->src_len;
	c->dst = arg->dst;
	c->room = arg->dst_len ? *arg->dst_len : 0;
	c->why = NULL;
	c->ahead = NULL;
	c->kept = NULL;
	c->unproved = false;
	msg_fill(s, arg, c);
	c->consumed = c->src_len;
	c->produced = c->dst_len;
}

static int frame_result(struct wd_session *s, FRAME_ARG *arg, struct pubkey_msg *c, int ret)
{
	if (!ret) {
		ret = msg_end(c);
		if (ret)
			explicit_bzero(c->dst, c->dst_len);
	} else if (c->unproved) {
		/* The result came too late to be verified. */
		explicit_bzero(c->dst, c->dst_len);
	}
	free(c->kept);
	/* A late or cancelled request's text, if any, describes its result, not the end. */
	if (ret == -ETIMEDOUT || ret == -ECANCELED)
		c->why = NULL;
	if (ret == -E2BIG) {
		ret = -EOPNOTSUPP;
		c->why = "a device doesn't take such a request";
	}
	if (arg->dst_len)
		*arg->dst_len = ret ? 0 : c->produced;
	arg->consumed = ret ? 0 : c->consumed;
	arg->status = ret;
	arg->path = c->m.path;
	arg->path_reason = c->m.reason;
	return ret ? wd_frame_fail(s, ret, c->why, c->m.vendor) : 0;
}

static int frame_ended(struct wd_msg *m)
{
	return frame_result(m->sess, m->req, to_pubkey_msg(m), m->status);
}

/* --- synchronous --- */

static inline int frame_check_sync(struct wd_session *s, const FRAME_ARG *arg, int call)
{
	int ret = wd_frame_check_mode(s, false);

	(void)call;
	return ret ? ret : frame_check_arg(s, arg);
}

static inline int frame_do(struct wd_session *s, struct pubkey_msg *c)
{
	if (atomic_load_explicit(&s->first, memory_order_relaxed))
		msg_ahead(s, c);
	return pubkey_do_sync(s, c);
}

static inline int frame_do_over(struct wd_session *s, struct pubkey_msg *c)
{
	return pubkey_do_over(s, c);
}

static inline int pubkey_sync(handle_t sess, FRAME_ARG *arg)
{
	return frame_sync(sess, arg, WD_CALL_SYNC);
}

/* --- struct wd_class's --- */

static void req_refill(struct wd_session *s, void *req, __u32 aux, struct wd_msg *m)
{
	(void)aux;
	frame_begin(s, req, to_pubkey_msg(m));
}

static int req_fill(struct wd_session *s, void *req, struct wd_msg *m)
{
	req_refill(s, req, 0, m);
	if (atomic_load_explicit(&s->first, memory_order_relaxed))
		msg_ahead(s, to_pubkey_msg(m));
	return 0;
}

#define PUBKEY_CALLS \
	FRAME_CALLS, \
	.fill = req_fill, \
	.refill = req_refill
