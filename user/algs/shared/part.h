/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call with a part of a message, for one class. To be included once, after FRAME_ARG, the struct of a request, and
 * FRAME_CLASS are defined.
 */
#include <errno.h>

#include "stream.h"

/* Checks of the argument that don't depend on the stream's state; recorded. */
static int part_check(struct crypto_sess *s, const FRAME_ARG *arg, bool last);
/* Executes the part, if it fits the stream's state; recorded. Sets path and reason in arg. */
static int part_do(struct crypto_sess *s, FRAME_ARG *arg, bool last);

static int part_call(handle_t sess, FRAME_ARG *arg, bool last)
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

/* The deadline of a part that begins now; 0: none. */
static __u64 part_deadline(const struct crypto_sess *s, const FRAME_ARG *arg)
{
	__u32 timeout = arg->timeout_ms ? arg->timeout_ms : s->s.attr.timeout_ms;

	return timeout ? wd_deadline(timeout) : 0;
}
