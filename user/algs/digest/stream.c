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

#define BUF_BYTES	4096	/* whole blocks of every hash */

/**
 * struct digest_strm - the stream of a session
 * @gen:	wd_fork_now() of when it began; 0: it hasn't
 * @q:		its device's context; NULL: this CPU
 * @stuck:	the context's, when the stream began
 * @soft:	on this CPU: its context
 * @dead:	an error has ended it
 */
struct digest_strm {
	__u32 gen;
	struct wd_queue *q;
	__u32 stuck;
	struct wd_kept kept;
	struct soft_ctx *soft;
	struct sec_stream hw;
	__u16 path;
	__u16 reason;
	bool dead;
	__u32 vendor;
	const char *why;
	size_t fill;
	__u8 buf[BUF_BYTES];
};

/* --- on this CPU --- */

static int soft_start(struct crypto_sess *s, struct digest_strm *st)
{
	st->soft = soft_ctx_get(s, false);
	return st->soft && soft_digest_begin(st->soft) ? 0 : -ENOMEM;
}

static int soft_add(struct digest_strm *st, const void *data, size_t len)
{
	if (!wd_probe(WD_PROBE_RECENT, false, data, len))
		return -EFAULT;
	return soft_digest_add(st->soft, data, len) ? 0 : -EIO;
}

static int soft_end(struct crypto_sess *s, struct digest_strm *st, __u8 *mac)
{
	return soft_digest_end(st->soft, mac, s->mac_len) ? 0 : -EIO;
}

/* What a device can't compute, from the beginning. */
static int soft_instead(struct crypto_sess *s, struct digest_strm *st, const void *data, size_t len, bool last, __u8 *mac)
{
	int ret = soft_start(s, st);

	st->q = NULL;
	st->vendor = 0;
	st->path = WD_PATH_SOFT;
	st->reason = WD_REASON_UNSUPPORTED;
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
	ret = wd_request_on(st->q, &c.m, len);
	st->vendor = c.m.vendor;
	st->why = c.why;
	/* The first step has all of the message so far. */
	if (crypto_lacks(ret, st->vendor) && !st->hw.begun && s->s.soft_ok)
		return soft_instead(s, st, data, len, last, mac);
	st->hw.begun = true;
	if (!ret && last && !whole)
		memcpy(mac, st->hw.state, s->mac_len);
	return ret;
}

static int hw_add(struct crypto_sess *s, struct digest_strm *st, const __u8 *data, size_t len, __u64 deadline)
{
	int ret = wd_probe(WD_PROBE_RECENT, false, data, len) ? 0 : -EFAULT;

	while (len && !ret && st->q) {
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
	return ret || st->q ? ret : soft_add(st, data, len);
}

/* --- either way --- */

static int strm_pick(struct crypto_sess *s, struct digest_strm *st)
{
	int ret = wd_session_pick(&s->s, &st->q, &st->reason);

	if (ret)
		return ret;
	st->path = st->q ? wd_queue_pub(st->q)->path : WD_PATH_SOFT;
	if (!st->q)
		return soft_start(s, st);
	st->stuck = atomic_load(&wd_queue_pub(st->q)->stuck);
	return 0;
}

static void strm_drop(struct digest_strm *st)
{
	if (st->soft)
		soft_ctx_put(st->soft);
	/* What is in there may be somebody's secret. */
	explicit_bzero(st, sizeof(*st));
}

static void strm_free(struct digest_strm *st)
{
	/* The state. */
	bool keep = st->q && st->stuck != atomic_load(&wd_queue_pub(st->q)->stuck);

	strm_drop(st);
	if (keep)
		wd_keep(&st->kept);
	else
		free(st);
}

static int strm_add(struct crypto_sess *s, struct digest_strm *st, const void *data, size_t len, __u64 deadline)
{
	return st->q ? hw_add(s, st, data, len, deadline) : soft_add(st, data, len);
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
	if (st->q)
		return hw_step(s, st, st->buf, st->fill, true, mac, deadline);
	return soft_end(s, st, mac);
}

int digest_do_long(struct crypto_sess *s, struct crypto_msg *c)
{
	struct digest_strm *st = calloc(1, sizeof(*st));
	int ret;

	if (!st)
		return -ENOMEM;
	ret = strm_pick(s, st);
	if (!ret)
		ret = strm_add_all(s, st, c->sgl, c->src, c->src_len, c->m.deadline);
	if (!ret)
		ret = strm_end(s, st, c->mac, c->m.deadline);
	c->m.path = st->path;
	c->m.reason = st->reason;
	c->m.vendor = st->vendor;
	c->why = st->why;
	c->consumed = c->src_len;
	c->produced = c->mac_len;
	if (!st->q)
		wd_session_count_soft(&s->s, ret, c->consumed, c->produced);
	strm_free(st);
	/* Its device went: whoever is left may do all of it again. */
	if ((ret == -ENODEV || ret == -EIO) && c->m.redo && s->s.soft_ok)
		ret = crypto_do_here(s, c, WD_REASON_GONE);
	return ret;
}

/* --- the session's stream --- */

static int strm_enter(struct crypto_sess *s)
{
	__u32 nobody = 0, now = wd_fork_now();

	/* A fork's parent's threads don't leave here. */
	if (atomic_compare_exchange_strong(&s->strm_busy, &nobody, now) ||
	    (nobody != now && atomic_compare_exchange_strong(&s->strm_busy, &nobody, now)))
		return 0;
	return wd_fail(&s->s.obj, EBUSY, "another thread is inside the session's stream");
}

static void strm_leave(struct crypto_sess *s)
{
	atomic_store(&s->strm_busy, 0);
}

int digest_strm_check(struct crypto_sess *s)
{
	if (!s->strm || !s->strm->gen)
		return 0;
	return wd_fail(&s->s.obj, EBUSY, "a stream that uses the key has begun");
}

void digest_strm_free(struct crypto_sess *s)
{
	if (!s->strm)
		return;
	strm_free(s->strm);
	s->strm = NULL;
}

int wd_digest_reset_sess(handle_t sess)
{
	struct crypto_sess *s = to_crypto_sess(wd_session_get(sess, &digest_class));
	int ret = s ? strm_enter(s) : -EINVAL;

	if (ret)
		return ret;
	digest_strm_free(s);
	strm_leave(s);
	return 0;
}

static int part_check(struct crypto_sess *s, const struct wd_digest_arg *arg, bool last)
{
	static const size_t none;
	int ret = wd_frame_refuse_mode(&s->s, false);

	if (!ret && !arg)
		ret = wd_fail(&s->s.obj, EINVAL, "arg is NULL");
	if (!ret)
		ret = wd_frame_check_end(&s->s, arg->cb, arg->flags, arg->reserved);
	if (!ret)
		ret = crypto_check_keys(s);
	if (!ret)
		ret = crypto_check_ends(s, arg->src, arg->src_len, arg->dst, last ? arg->dst_len : &none, last ? s->mac_len : 0);
	return ret;
}

/* The session's stream, which is one that may go on. */
static int strm_begin(struct crypto_sess *s)
{
	struct digest_strm *st = s->strm;
	int ret;

	if (!st)
		st = s->strm = calloc(1, sizeof(*st));
	if (!st)
		return wd_fail(&s->s.obj, ENOMEM, "no memory for the stream");
	if (st->gen && st->gen != wd_fork_now())
		return wd_fail(&s->s.obj, ESTALE, "the stream was begun by the parent process");
	if (st->dead)
		return wd_fail(&s->s.obj, EINVAL, "the stream has ended with an error: wd_digest_reset_sess() starts a new one");
	if (st->gen)
		return 0;
	ret = strm_pick(s, st);
	if (ret) {
		strm_drop(st);
		return wd_frame_fail(&s->s, ret, NULL, 0);
	}
	st->gen = wd_fork_now();
	return 0;
}

static int part_do(struct crypto_sess *s, struct wd_digest_arg *arg, bool last)
{
	__u32 timeout = arg->timeout_ms ? arg->timeout_ms : s->s.attr.timeout_ms;
	__u64 deadline = timeout ? wd_deadline(timeout) : 0;
	struct digest_strm *st = s->strm;
	int ret = strm_add_all(s, st, s->sgl, arg->src, arg->src_len, deadline);

	if (!ret && last)
		ret = strm_end(s, st, arg->dst, deadline);
	arg->path = st->path;
	arg->path_reason = st->reason;
	if (!st->q)
		wd_session_count_soft(&s->s, ret, arg->src_len, last ? s->mac_len : 0);
	if (ret) {
		st->dead = true;
		return crypto_say(s, ret, st->why, st->vendor);
	}
	arg->consumed = arg->src_len;
	if (last) {
		*arg->dst_len = s->mac_len;
		strm_drop(st);
	}
	return 0;
}

static int part(handle_t sess, struct wd_digest_arg *arg, bool last)
{
	struct crypto_sess *s = to_crypto_sess(wd_session_get(sess, &digest_class));
	int ret;

	if (!s)
		return -EINVAL;
	ret = part_check(s, arg, last);
	if (!ret)
		ret = strm_enter(s);
	if (arg) {
		arg->consumed = 0;
		arg->path = WD_PATH_NONE;
		arg->path_reason = 0;
	}
	if (!ret) {
		ret = strm_begin(s);
		if (!ret)
			ret = part_do(s, arg, last);
		strm_leave(s);
	}
	if (arg) {
		arg->status = ret;
		if (ret && last && arg->dst_len)
			*arg->dst_len = 0;
	}
	return ret;
}

int wd_digest_update(handle_t sess, struct wd_digest_arg *arg)
{
	return part(sess, arg, false);
}

int wd_digest_final(handle_t sess, struct wd_digest_arg *arg)
{
	return part(sess, arg, true);
}
