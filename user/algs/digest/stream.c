// SPDX-License-Identifier: Apache-2.0
/* The session's stream: a message in parts. */
#include <errno.h>

#include "steps.h"

#define FRAME_ARG	struct wd_digest_arg
#define FRAME_CLASS	digest_class
#include "part.h"

int wd_digest_reset_sess(handle_t sess)
{
	return crypto_strm_reset(sess, &digest_class);
}

static int part_check(struct crypto_sess *s, const struct wd_digest_arg *arg, bool last)
{
	static const size_t none;
	int ret = wd_frame_check_end(&s->s, arg->cb, arg->flags, arg->reserved);

	if (!ret)
		ret = crypto_check_keys(s);
	return ret ? ret : crypto_check_ends(s, arg->src, arg->src_len, arg->dst, last ? arg->dst_len : &none,
					     last ? s->mac_len : 0);
}

/* The session's stream, which may begin or continue. */
static int strm_begin(struct crypto_sess *s)
{
	int ret = crypto_strm_ready(s, sizeof(struct digest_strm), "wd_digest_reset_sess");

	if (ret || s->strm->gen)
		return ret;
	ret = digest_strm_pick(s, to_digest_strm(s->strm));
	if (ret) {
		crypto_strm_drop(s->strm);
		return wd_frame_fail(&s->s, ret, NULL, 0);
	}
	s->strm->gen = wd_fork_now();
	return 0;
}

static int part_add(struct crypto_sess *s, struct wd_digest_arg *arg, bool last)
{
	struct digest_strm *st = to_digest_strm(s->strm);
	__u64 deadline = part_deadline(s, arg);
	int ret = digest_strm_add_all(s, st, s->sgl, arg->src, arg->src_len, deadline);

	if (!ret && last)
		ret = digest_strm_end(s, st, arg->dst, deadline);
	arg->path = st->c.path;
	arg->path_reason = st->c.reason;
	if (!st->c.q)
		wd_session_count_soft(&s->s, ret, arg->src_len, last ? s->mac_len : 0);
	if (ret) {
		st->c.dead = true;
		return crypto_say(s, ret, st->c.why, st->c.vendor);
	}
	if (last) {
		*arg->dst_len = s->mac_len;
		crypto_strm_drop(&st->c);
	}
	return 0;
}

static int part_do(struct crypto_sess *s, struct wd_digest_arg *arg, bool last)
{
	int ret = strm_begin(s);

	/* Checked before data is added, so that the stream can continue after this error. */
	if (!ret && last && !digest_place_mapped(arg->dst, s->mac_len))
		ret = wd_frame_fail(&s->s, -EFAULT, NULL, 0);
	return ret ? ret : part_add(s, arg, last);
}

int wd_digest_update(handle_t sess, struct wd_digest_arg *arg)
{
	return part_call(sess, arg, false);
}

int wd_digest_final(handle_t sess, struct wd_digest_arg *arg)
{
	int ret = part_call(sess, arg, true);

	if (ret && arg && arg->dst_len)
		*arg->dst_len = 0;
	return ret;
}
