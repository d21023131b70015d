// SPDX-License-Identifier: Apache-2.0
/* Elliptic curves on the HPRE engine: the fast path. */
#include "base/likely.h"
#include "ecc.h"
#include "fast.h"
#include "hpre.h"

/**
 * struct ecc_ready - checked copies, and a nonce, which costs thousands of libcrypto's instructions
 * @good:	the copies may be used
 * @len:	length of digest, which is to be signed
 * @data:	x, y of a peer's point, or a signature's nonce
 */
struct ecc_ready {
	bool good;
	size_t len;
	__u8 digest[WD_ECC_DIGEST_MAX];
	__u8 data[2 * ECC_BYTES_MAX];
};

/* For functions that most requests don't call. */
#define NOINLINE	__attribute__((noinline))

/* Copies a number; most curves' numbers without a call. */
static inline void copy(__u8 *to, const void *from, size_t len)
{
	if (likely(len == HPRE_ECC_BYTES_256))
		memcpy(to, from, HPRE_ECC_BYTES_256);
	else
		memcpy(to, from, len);
}

/* Copies a number, not longer than a field, into a field. Returns the address behind the field. */
static inline __u8 *number_put(const struct ecc_sess *s, __u8 *field, const void *from, size_t len)
{
	size_t pad = s->field - len;

	if (unlikely(pad != 0))
		memset(field, 0, pad);
	copy(field + pad, from, len);
	return field + s->field;
}

/* Takes n fields from the start of the area; the result begins at field out. */
static inline __u8 *fields_take(const struct ecc_sess *s, struct hpre_area *a, struct hpre_job *j, unsigned int n,
				unsigned int out, __u32 bytes)
{
	a->used = n * s->field;
	a->bytes = bytes;
	j->out = a->out = a->data + out * s->field;
	return a->data;
}

/* Whether a number of at least one word isn't zero; the first word nearly always decides. */
static inline bool is_some(const __u8 *a, size_t len)
{
	return likely(pubkey_word(a) != 0) || !pubkey_is_zero(a, len);
}

/* Whether the caller has room for the result. */
static inline bool room_plain(const struct wd_ecc_arg *arg, size_t bytes)
{
	return likely(arg->dst_len && *arg->dst_len >= bytes);
}

/* --- points --- */

/*
 * Puts the request's own private key behind the area's data. Checks the copy: the caller's memory may change meanwhile.
 */
static NOINLINE bool own_plain(struct ecc_sess *s, const struct wd_ecc_arg *arg, struct hpre_area *a,
			       struct hpre_job *j)
{
	const struct wd_span span = { arg->extra, s->w };
	__u8 *key;

	if (!arg->extra || arg->extra_len != s->w || !wd_probe_recent(&span, 1))
		return false;
	key = hpre_take(a, s->key_bytes);
	j->key = key;
	hisi_ecc_private(s, arg->extra, key);
	return ecc_is_montgomery(s) || pubkey_is_between(key + 3 * s->field - s->w, s->part[ECC_N]);
}

/* Whether the request uses the session's private key, and devices take it. */
static inline bool key_is_sessions(const struct ecc_sess *s, const struct wd_ecc_arg *arg)
{
	return likely(!arg->extra && !arg->extra_len && s->priv);
}

static NOINLINE bool public_plain(struct ecc_sess *s, const struct wd_ecc_arg *arg, struct hpre_area *a,
				  struct hpre_job *j)
{
	const struct wd_span span = { arg->dst, ecc_point_bytes(s) };

	if (arg->src_len || !room_plain(arg, span.len) || !wd_probe_recent(&span, 1))
		return false;
	fields_take(s, a, j, ecc_is_montgomery(s) ? 1 : 2, 0, (__u32)span.len);
	j->head = s->head_multiply;
	j->key = s->priv;
	j->in = s->multiply + s->key_bytes;
	return key_is_sessions(s, arg) || own_plain(s, arg, a, j);
}

/* Converts a string of X25519 to a number, or back, without a call. */
static inline void reverse_256(const __u8 *from, __u8 *to)
{
	__u64 a = pubkey_word(from), b = pubkey_word(from + 8), c = pubkey_word(from + 16), d = pubkey_word(from + 24);

	memcpy(to, &d, sizeof(d));
	memcpy(to + 8, &c, sizeof(c));
	memcpy(to + 16, &b, sizeof(b));
	memcpy(to + 24, &a, sizeof(a));
}

/* Puts a string into a field. Returns the number there, without the highest bit for X25519. */
static inline const __u8 *string_put(const struct ecc_sess *s, __u8 *field, const void *from)
{
	size_t w = s->w, pad;

	if (likely(w == HPRE_ECC_BYTES_256)) {
		reverse_256(from, field);
		field[0] &= 0x7f;
		return field;
	}
	pad = s->field - w;
	memset(field, 0, pad);
	pubkey_reverse(from, field + pad, w);
	return field + pad;
}

static NOINLINE bool montgomery_plain(struct ecc_sess *s, const struct wd_ecc_arg *arg, struct hpre_area *a,
				      struct hpre_job *j)
{
	size_t w = s->w;
	__u8 *u;

	if (unlikely(!ecc_is_montgomery(s) || arg->src_len != w || !room_plain(arg, w) ||
		     !wd_probe_pair(arg->src, w, arg->dst, w)))
		return false;
	u = fields_take(s, a, j, 2, 1, s->w);
	j->head = s->head_multiply;
	j->key = s->priv;
	j->in = u;
	return ecc_u_is_plain(s, string_put(s, u, arg->src)) && (key_is_sessions(s, arg) || own_plain(s, arg, a, j));
}

/* --- preparation before the lock --- */

/* Checks the copy: a thread that shares the caller's memory may write to it meanwhile. */
static inline bool agree_ready(const struct ecc_sess *s, const struct wd_ecc_arg *arg, struct ecc_ready *ready)
{
	size_t w = s->w;

	if (unlikely(arg->src_len != 2 * w || !room_plain(arg, w) || !wd_probe_pair(arg->src, 2 * w, arg->dst, w)))
		return false;
	copy(ready->data, arg->src, w);
	copy(ready->data + w, (const __u8 *)arg->src + w, w);
	return likely(ecc_is_point(s, ready->data, ready->data + w));
}

/* Whether the digest has at least one word and doesn't have to be shortened. */
static inline bool digest_plain(const struct ecc_sess *s, const struct wd_ecc_arg *arg)
{
	return likely(arg->src_len - s->digest_least <= s->digest_span);
}

/* With the request's own nonce, which is rare. */
static NOINLINE bool sign_mapped(const struct ecc_sess *s, const struct wd_ecc_arg *arg)
{
	const struct wd_span spans[] = { { arg->src, arg->src_len }, { arg->dst, 2 * s->w }, { arg->extra, s->w } };

	return arg->extra_len == s->w && wd_probe_recent(spans, 3);
}

static inline bool sign_mappable(const struct ecc_sess *s, const struct wd_ecc_arg *arg)
{
	return likely(digest_plain(s, arg) && s->sign_priv && room_plain(arg, 2 * s->w));
}

static inline bool sign_ready(const struct ecc_sess *s, const struct wd_ecc_arg *arg, struct ecc_ready *ready)
{
	size_t len = arg->src_len;

	if (unlikely(!sign_mappable(s, arg) || arg->extra_len || !wd_probe_pair(arg->src, len, arg->dst, 2 * s->w)))
		return false;
	ready->len = len;
	copy(ready->digest, arg->src, len);
	return likely(is_some(ready->digest, len)) && ecc_nonce(s, ready->digest, len, ready->data);
}

/* Whether a session's request needs preparation. */
WD_INLINE bool wants_ready(struct wd_session *base, const struct wd_ecc_arg *arg)
{
	/* A caller's nonce is checked fast enough under the lock. */
	return arg->op == to_ecc_sess(base)->ahead && (arg->op == WD_ECC_AGREE || !arg->extra);
}

/* Before the produce lock is taken, so that threads don't wait for each other. */
WD_INLINE void make_ready(struct wd_session *base, const struct wd_ecc_arg *arg, struct ecc_ready *ready)
{
	const struct ecc_sess *s = to_ecc_sess(base);

	ready->good = s->ahead == WD_ECC_SIGN ? sign_ready(s, arg, ready) : agree_ready(s, arg, ready);
}

/* Only the nonce is secret. */
WD_INLINE void forget_ready(struct ecc_ready *ready)
{
	explicit_bzero(ready->data, ECC_BYTES_MAX);
}

/* --- jobs from what was prepared --- */

WD_INLINE bool agree_plain(struct ecc_sess *s, const struct wd_ecc_arg *arg, struct hpre_area *a, struct hpre_job *j,
			   const struct ecc_ready *ready)
{
	size_t w = s->w;
	__u8 *x;

	if (!ready)
		return montgomery_plain(s, arg, a, j);
	if (unlikely(!ready->good))
		return false;
	x = fields_take(s, a, j, 4, 2, s->w);
	j->head = s->head_multiply;
	j->key = s->priv;
	j->in = x;
	number_put(s, number_put(s, x, ready->data, w), ready->data + w, w);
	return key_is_sessions(s, arg) || own_plain(s, arg, a, j);
}

WD_INLINE bool sign_prepared(struct ecc_sess *s, struct hpre_area *a, struct hpre_job *j, const struct ecc_ready *ready)
{
	if (unlikely(!ready->good))
		return false;
	j->in = fields_take(s, a, j, 4, 2, 2 * s->w);
	number_put(s, number_put(s, (__u8 *)j->in, ready->digest, ready->len), ready->data, s->w);
	return true;
}

/* With the caller's nonce. */
WD_INLINE bool sign_given(struct ecc_sess *s, const struct wd_ecc_arg *arg, struct hpre_area *a, struct hpre_job *j)
{
	size_t len = arg->src_len, w = s->w;
	__u8 *k;

	if (unlikely(!arg->extra || !sign_mappable(s, arg) || !sign_mapped(s, arg)))
		return false;
	k = fields_take(s, a, j, 4, 2, 2 * w);
	j->in = k;
	k = number_put(s, k, arg->src, len);
	if (unlikely(!is_some(k - len, len)))
		return false;
	return pubkey_is_between(number_put(s, k, arg->extra, w) - w, s->part[ECC_N]);
}

WD_INLINE bool sign_plain(struct ecc_sess *s, const struct wd_ecc_arg *arg, struct hpre_area *a, struct hpre_job *j,
			  const struct ecc_ready *ready)
{
	j->head = s->head_sign;
	j->key = s->sign_priv;
	return ready ? sign_prepared(s, a, j, ready) : sign_given(s, arg, a, j);
}

/* --- verification --- */

/* e, s, r; the checks use the copies, which are public. */
static NOINLINE bool verify_plain(struct ecc_sess *s, const struct wd_ecc_arg *arg, struct hpre_area *a,
				  struct hpre_job *j)
{
	const __u8 *n = s->part[ECC_N], *r = arg->extra;
	size_t len = arg->src_len, w = s->w;
	__u8 *to;

	if (unlikely(!digest_plain(s, arg) || !s->sign_pub || arg->extra_len != 2 * w ||
		     !wd_probe_pair(arg->src, len, r, 2 * w)))
		return false;
	to = fields_take(s, a, j, 3, 0, 0);
	/* A verification has no result. */
	j->out = a->out = NULL;
	j->head = s->head_verify;
	j->key = s->sign_pub;
	j->in = to;
	to = number_put(s, to, arg->src, len);
	if (unlikely(!is_some(to - len, len)))
		return false;
	to = number_put(s, to, r + w, w);
	if (unlikely(!pubkey_is_between(to - w, n)))
		return false;
	return pubkey_is_between(number_put(s, to, r, w) - w, n);
}

/* --- all operations --- */

WD_INLINE bool operation_plain(const struct fast_req *r, struct hpre_area *a, struct hpre_job *j)
{
	struct ecc_sess *s = to_ecc_sess(r->s);
	const struct wd_ecc_arg *arg = r->arg;

	if (arg->op == WD_ECC_SIGN)
		return sign_plain(s, arg, a, j, r->ready);
	if (arg->op == WD_ECC_AGREE)
		return agree_plain(s, arg, a, j, r->ready);
	if (arg->op == WD_ECC_VERIFY)
		return verify_plain(s, arg, a, j);
	return arg->op == WD_ECC_PUBLIC && public_plain(s, arg, a, j);
}

WD_INLINE bool ecc_job(const struct fast_req *r, struct hisi_queue *h, struct hpre_job *j)
{
	struct hpre_area *a = hisi_queue_scratch(h, r->index);

	if (unlikely(!a))
		return false;
	if (likely(operation_plain(r, a, j)))
		return true;
	hpre_area_wipe(a);
	return false;
}

static bool told_montgomery(const struct ecc_sess *s, const struct wd_ecc_arg *arg, const struct hpre_area *a)
{
	const __u8 *u = a->out + s->field - s->w;

	/* RFC 7748: a secret of all zeroes goes to the slow path. */
	if (arg->op == WD_ECC_AGREE && !is_some(u, s->w))
		return false;
	if (likely(s->w == HPRE_ECC_BYTES_256))
		reverse_256(u, arg->dst);
	else
		pubkey_reverse(u, arg->dst, s->w);
	return true;
}

WD_INLINE bool results_put(const struct fast_req *r, const struct hpre_area *a, __u64 answer)
{
	const struct ecc_sess *s = to_ecc_sess(r->s);
	const struct wd_ecc_arg *arg = r->arg;
	__u8 *dst = arg->dst;

	if (unlikely(arg->op == WD_ECC_VERIFY))
		return answer & HPRE_VERIFY_VALID;
	if (unlikely(ecc_is_montgomery(s)))
		return told_montgomery(s, arg, a);
	if (likely(s->w == s->field)) {
		memcpy(dst, a->out, a->bytes);
		return true;
	}
	ecc_field_get(s, a->out, 0, dst);
	if (a->bytes > s->w)
		ecc_field_get(s, a->out, 1, dst + s->w);
	return true;
}

WD_INLINE bool ecc_results(const struct fast_req *r, const struct hisi_queue *h, __u64 answer, __u64 *out)
{
	struct hpre_area *a = hisi_queue_scratch_at(h, r->index);

	if (unlikely(!results_put(r, a, answer)))
		return false;
	*out = a->bytes;
	hpre_area_wipe(a);
	return true;
}

/* --- the driver --- */

HPRE_OPERATIONS(hisi_ecc, ecc_job, ecc_results)

static const struct hpre_ops ecc_ops = {
	.fast = { HPRE_FAST(hisi_ecc), .arg_bytes = sizeof(struct wd_ecc_arg) },
	.fill = hpre_ecc_fill, .finish = hpre_ecc_finish,
};
FAST_COMPLETES(hisi_ecc, &ecc_ops.fast)

static NOINLINE int ecc_sync_ready(struct wd_session *s, void *req, __u64 deadline, struct wd_queue *q)
{
	struct ecc_ready ready;
	int ret;

	make_ready(s, req, &ready);
	ret = fast_do(&ecc_ops.fast, s, req, deadline, q, &ready);
	forget_ready(&ready);
	return ret;
}

static int hisi_ecc_sync(struct wd_session *s, void *req, __u64 deadline, struct wd_queue *q)
{
	return wants_ready(s, req) ? ecc_sync_ready(s, req, deadline, q) :
	       fast_do(&ecc_ops.fast, s, req, deadline, q, NULL);
}

static NOINLINE bool ecc_submit_ready(struct wd_session *s, void *req, struct wd_queue *q, enum fast_kind kind)
{
	struct ecc_ready ready;
	bool sent;

	make_ready(s, req, &ready);
	sent = fast_submit(&ecc_ops.fast, q, s, req, kind, &ready);
	forget_ready(&ready);
	return sent;
}

static int hisi_ecc_async_one(struct wd_session *s, void *req, struct wd_queue *q)
{
	bool sent = wants_ready(s, req) ? ecc_submit_ready(s, req, q, ONE) :
		    fast_submit(&ecc_ops.fast, q, s, req, ONE, NULL);

	return likely(sent) ? 0 : s->cls->async_other(s, req);
}

/* Sends prepared requests one by one: compared with their preparation, a doorbell costs nothing. */
static unsigned int hisi_ecc_async(struct wd_session *s, void *const reqs[], unsigned int n, struct wd_queue *q)
{
	unsigned int i = 0;

	if (!wants_ready(s, reqs[0]))
		return fast_submit_row(&ecc_ops.fast, q, s, reqs, n);
	while (i < n && reqs[i] && wants_ready(s, reqs[i]) && ecc_submit_ready(s, reqs[i], q, ONE_OF_MANY))
		i++;
	return i;
}

const struct wd_driver hisi_ecc_driver = {
	HPRE_DRIVER,
	.apis = hpre_ecc_apis,
	FAST_DRIVER(hisi_ecc),
	.open = hpre_ecc_open,
};
