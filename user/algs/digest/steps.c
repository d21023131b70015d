// SPDX-License-Identifier: Apache-2.0
/*
 * A message in steps. A device takes whole blocks, and keeps the chaining state in memory
 * between the steps; the rest of a part waits in a buffer here. Nothing is sent before the
 * buffer is full, so that a short message in many parts is one descriptor.
 */
#include <errno.h>
#include <string.h>

#include "evp.h"
#include "steps.h"

/* --- the software path --- */

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

/* Starts again on the software path, after a device that couldn't do the first step. */
static int soft_instead(struct crypto_sess *s, struct digest_strm *st, const void *data, size_t len, bool last,
			__u8 *mac)
{
	int ret = soft_start(s, st);

	if (!ret)
		ret = soft_add(st, data, len);
	return ret || !last ? ret : soft_end(s, st, mac);
}

/* --- a device --- */

/* One descriptor, for any step; the digest of the last one goes to mac. */
static int hw_step(struct crypto_sess *s, struct digest_strm *st, const void *data, size_t len, bool last, __u8 *mac,
		   __u64 deadline)
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
	/* Until the first step has succeeded, data holds the whole message so far. */
	if (ret && !st->hw.begun && crypto_strm_instead(s, &st->c, ret))
		return soft_instead(s, st, data, len, last, mac);
	if (ret == -E2BIG) {
		st->c.why = "a device doesn't take a message without data";
		ret = -EOPNOTSUPP;
	}
	st->hw.begun = true;
	if (!ret && last && !whole)
		memcpy(mac, st->hw.state, s->mac_len);
	return ret;
}

static int hw_add(struct crypto_sess *s, struct digest_strm *st, const __u8 *data, size_t len, __u64 deadline)
{
	int ret = wd_probe(WD_PROBE_RECENT, false, data, len) ? 0 : -EFAULT;

	while (len && !ret && st->c.q) {
		size_t n = len < DIGEST_BUF_BYTES - st->fill ? len : DIGEST_BUF_BYTES - st->fill;

		if (!st->fill && len >= DIGEST_BUF_BYTES) {
			n = wd_queue_flat(st->c.q, len < CRYPTO_MAX_BYTES ? len : CRYPTO_MAX_BYTES);
			n -= n % s->block;
			ret = hw_step(s, st, data, n, false, NULL, deadline);
		} else {
			memcpy(st->buf + st->fill, data, n);
			st->fill += n;
		}
		if (!ret && st->fill == DIGEST_BUF_BYTES) {
			ret = hw_step(s, st, st->buf, DIGEST_BUF_BYTES, false, NULL, deadline);
			st->fill = 0;
		}
		data += n;
		len -= n;
	}
	return ret || st->c.q ? ret : soft_add(st, data, len);
}

/* --- both --- */

int digest_strm_pick(struct crypto_sess *s, struct digest_strm *st)
{
	int ret = crypto_strm_pick(s, &st->c);

	return ret || st->c.q ? ret : soft_start(s, st);
}

static int strm_add(struct crypto_sess *s, struct digest_strm *st, const void *data, size_t len, __u64 deadline)
{
	return st->c.q ? hw_add(s, st, data, len, deadline) : soft_add(st, data, len);
}

int digest_strm_add_all(struct crypto_sess *s, struct digest_strm *st, bool sgl, const void *src, size_t len,
			__u64 deadline)
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

int digest_strm_end(struct crypto_sess *s, struct digest_strm *st, __u8 *mac, __u64 deadline)
{
	if (st->c.q)
		return hw_step(s, st, st->buf, st->fill, true, mac, deadline);
	return soft_end(s, st, mac);
}

int digest_do_long(struct crypto_sess *s, struct crypto_msg *c)
{
	struct digest_strm *st;
	int ret;

	if (!digest_place_mapped(c->mac, c->mac_len))
		return -EFAULT;
	st = to_digest_strm(crypto_strm_alloc(sizeof(*st)));
	if (!st)
		return -ENOMEM;
	ret = digest_strm_pick(s, st);
	if (!ret)
		ret = digest_strm_add_all(s, st, c->sgl, c->src, c->src_len, c->m.deadline);
	if (!ret)
		ret = digest_strm_end(s, st, c->mac, c->m.deadline);
	c->m.path = st->c.path;
	c->m.reason = st->c.reason;
	c->m.vendor = st->c.vendor;
	c->why = st->c.why;
	c->consumed = c->src_len;
	c->produced = c->mac_len;
	if (!st->c.q)
		wd_session_count_soft(&s->s, ret, c->consumed, c->produced);
	crypto_strm_free(&st->c);
	/* The device or its context is gone: the software path, if allowed, repeats the whole message. */
	if ((ret == -ENODEV || ret == -EIO || ret == -EDQUOT) && s->s.soft_ok && crypto_may_redo(&c->m))
		ret = wd_frame_do_soft(&s->s, &c->m, ret == -EDQUOT ? WD_REASON_NO_QUEUE : WD_REASON_GONE);
	return ret;
}
