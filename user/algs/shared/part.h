/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call with a part of a message, for one class: to be included once, behind
 * FRAME_ARG, the struct of a request, and FRAME_CLASS.
 */
#include <errno.h>

#include "stream.h"

/* What is wrong with it, whatever the stream is at; recorded. */
static int part_check(struct crypto_sess *s, const FRAME_ARG *arg, bool last);
/* The part, if the stream may go on with it; recorded. Tells arg who has it. */
static int part_do(struct crypto_sess *s, FRAME_ARG *arg, bool last);

static int part(handle_t sess, FRAME_ARG *arg, bool last)
{
	struct crypto_sess *s = to_crypto_sess(wd_session_get(sess, &FRAME_CLASS));
	int ret;

	if (!s)
		return -EINVAL;
	if (!arg)
		return wd_fail(&s->s.obj, EINVAL, "arg is NULL");
	arg->consumed = 0;
	arg->path = WD_PATH_NONE;
	arg->path_reason = 0;
	ret = wd_frame_check_mode(&s->s, false);
	if (!ret)
		ret = part_check(s, arg, last);
	if (!ret)
		ret = crypto_strm_enter(s);
	if (!ret) {
		ret = part_do(s, arg, last);
		crypto_strm_leave(s);
	}
	arg->status = ret;
	if (!ret)
		arg->consumed = arg->src_len;
	return ret;
}

/* Until when, of a part that begins now; 0: it may take its time. */
static __u64 part_deadline(const struct crypto_sess *s, const FRAME_ARG *arg)
{
	__u32 timeout = arg->timeout_ms ? arg->timeout_ms : s->s.attr.timeout_ms;

	return timeout ? wd_deadline(timeout) : 0;
}
