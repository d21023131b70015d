// SPDX-License-Identifier: Apache-2.0
/*
 * Messages in parts. A device keeps the chaining state in memory between the
 * steps and takes whole blocks; what is left of a part waits in a buffer here.
 * Nothing is sent before the buffer is full, so that a short message in many
 * parts is one descriptor.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "evp.h"

#define FRAME_ARG	struct wd_digest_arg
#define FRAME_CLASS	digest_class
#include "part.h"

#define BUF_BYTES	4096	/* whole blocks of every hash */

/**
 * struct digest_strm - a stream
 * @hw:		on a device: its state
 * @fill:	bytes in @buf that wait
 */
struct digest_strm {
	struct crypto_strm c;
	struct sec_stream hw;
	size_t fill;
	__u8 buf[BUF_BYTES];
};

static struct digest_strm *to_digest_strm(struct crypto_strm *st)
{
	return (struct digest_strm *)st;
}

/* --- on this CPU --- */

static int soft_start(struct crypto_sess *s, struct digest_strm *st)
{
	st->c.soft = soft_ctx_get(s, false);
	return st->c.soft && soft_digest_begin(st->c.soft) ? 0 : -ENOMEM;
}

static int soft_add(struct digest_strm *st, const void *data, size_t len)
{
	if (!wd_probe(WD_PROBE_RECENT, false, data, len))
		return -EFAULT;
	return soft_digest_add(st->c.soft, data, len) ? 0 : -EIO;
}

static int soft_end(struct crypto_sess *s, struct digest_strm *st, __u8 *mac)
{
	return soft_digest_end(st->c.soft, mac, s->mac_len) ? 0 : -EIO;
}

/* From the beginning, after a device that couldn't. */
static int soft_instead(struct crypto_sess *s, struct digest_strm *st, const void *data, size_t len, bool last, __u8 *mac)
{
	int ret = soft_start(s, st);

	if (!ret)
		ret = soft_add(st, data, len);
	return ret || !last ? ret : soft_end(s, st, mac);
}

/* --- on a device --- */

/* One descriptor: begun or not, the last or not; the digest goes to mac. */
static int hw_step(struct crypto_sess *s, struct digest_strm *st, const void *data, size_t len, bool last, __u8 *mac, __u64 deadline)
{
	bool whole = last && !st->hw.begun;
	struct crypto_msg c = {
		.m.sess = &s->s, .m.deadline = deadline, .src = data, .src_len = len, .mac = whole ? mac : st->hw.state,
		.mac_len = last ? s->mac_len : s->state_len, .strm = whole ? NULL : &st->hw,
	};
	int ret;

	st->hw.last = last;
	st->hw.bytes += len;
	ret = wd_request_on(st->c.q, &c.m, len);
	st->c.vendor = c.m.vendor;
	st->c.why = c.why;
	/* The first step has all of the message so far. */
	if (ret && !st->hw.begun && crypto_strm_instead(s, &st->c, ret))
		return soft_instead(s, st, data, len, last, mac);
	st->hw.begun = true;
	if (!ret && last && !whole)
		memcpy(mac, st->hw.state, s->mac_len);
	return ret;
}

static int hw_add(struct crypto_sess *s, struct digest_strm *st, const __u8 *data, size_t len, __u64 deadline)
{
	int ret = wd_probe(WD_PROBE_RECENT, false, data, len) ? 0 : -EFAULT;

	while (len && !ret && st->c.q) {
		size_t n = len < BUF_BYTES - st->fill ? len : BUF_BYTES - st->fill;

		if (!st->fill && len >= BUF_BYTES) {
			n = len < CRYPTO_MAX_BYTES ? len : CRYPTO_MAX_BYTES;
			n -= n % s->block;
			ret = hw_step(s, st, data, n, false, NULL, deadline);
		} else {
			memcpy(st->buf + st->fill, data, n);
			st->fill += n;
		}
		if (!ret && st->fill == BUF_BYTES) {
			ret = hw_step(s, st, st->buf, BUF_BYTES, false, NULL, deadline);
			st->fill = 0;
		}
		data += n;
		len -= n;
	}
	return ret || st->c.q ? ret : soft_add(st, data, len);
}

/* --- either way --- */

static int strm_pick(struct crypto_sess *s, struct digest_strm *st)
{
	int ret = crypto_strm_pick(s, &st->c);

	return ret || st->c.q ? ret : soft_start(s, st);
}

static int strm_add(struct crypto_sess *s, struct digest_strm *st, const void *data, size_t len, __u64 deadline)
{
	return st->c.q ? hw_add(s, st, data, len, deadline) : soft_add(st, data, len);
}

static int strm_add_all(struct crypto_sess *s, struct digest_strm *st, bool sgl, const void *src, size_t len, __u64 deadline)
{
	struct wd_list_walk w;
	size_t n;
	int ret = 0;

	for (wd_list_walk_init(&w, sgl, src, len); !ret; wd_list_walk_advance(&w, n)) {
		const void *piece = wd_list_walk_piece(&w, &n);

		if (!n)
			break;
		ret = strm_add(s, st, piece, n, deadline);
	}
	return ret;
}

static int strm_end(struct crypto_sess *s, struct digest_strm *st, __u8 *mac, __u64 deadline)
{
	if (st->c.q)
		return hw_step(s, st, st->buf, st->fill, true, mac, deadline);
	return soft_end(s, st, mac);
}

static bool place_mapped(const void *mac, size_t len)
{
	return wd_probe(WD_PROBE_RECENT, false, mac, len);
}

int digest_do_long(struct crypto_sess *s, struct crypto_msg *c)
{
	struct digest_strm *st;
	int ret;

	if (!place_mapped(c->mac, c->mac_len))
		return -EFAULT;
	st = to_digest_strm(crypto_strm_alloc(sizeof(*st)));
	if (!st)
		return -ENOMEM;
	ret = strm_pick(s, st);
	if (!ret)
		ret = strm_add_all(s, st, c->sgl, c->src, c->src_len, c->m.deadline);
	if (!ret)
		ret = strm_end(s, st, c->mac, c->m.deadline);
	c->m.path = st->c.path;
	c->m.reason = st->c.reason;
	c->m.vendor = st->c.vendor;
	c->why = st->c.why;
	c->consumed = c->src_len;
	c->produced = c->mac_len;
	if (!st->c.q)
		wd_session_count_soft(&s->s, ret, c->consumed, c->produced);
	crypto_strm_free(&st->c);
	/* Its device went, or its context: whoever is left may do all of it again. */
	if ((ret == -ENODEV || ret == -EIO || ret == -EDQUOT) && c->m.redo && s->s.soft_ok)
		ret = crypto_do_here(s, c, ret == -EDQUOT ? WD_REASON_NO_QUEUE : WD_REASON_GONE);
	return ret;
}

/* --- the session's stream --- */

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
	return ret ? ret : crypto_check_ends(s, arg->src, arg->src_len, arg->dst, last ? arg->dst_len : &none, last ? s->mac_len : 0);
}

/* The session's stream, which is one that may go on. */
static int strm_begin(struct crypto_sess *s)
{
	int ret = crypto_strm_ready(s, sizeof(struct digest_strm), "wd_digest_reset_sess");

	if (ret || s->strm->gen)
		return ret;
	ret = strm_pick(s, to_digest_strm(s->strm));
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
	int ret = strm_add_all(s, st, s->sgl, arg->src, arg->src_len, deadline);

	if (!ret && last)
		ret = strm_end(s, st, arg->dst, deadline);
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

	/* Before anything is added: the stream may go on. */
	if (!ret && last && !place_mapped(arg->dst, s->mac_len))
		ret = wd_frame_fail(&s->s, -EFAULT, NULL, 0);
	return ret ? ret : part_add(s, arg, last);
}

int wd_digest_update(handle_t sess, struct wd_digest_arg *arg)
{
	return part(sess, arg, false);
}

int wd_digest_final(handle_t sess, struct wd_digest_arg *arg)
{
	int ret = part(sess, arg, true);

	if (ret && arg && arg->dst_len)
		*arg->dst_len = 0;
	return ret;
}
