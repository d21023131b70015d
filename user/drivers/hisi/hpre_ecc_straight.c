// SPDX-License-Identifier: Apache-2.0
/* Elliptic curves on the HPRE engine, the way of most requests: from the caller's struct into a descriptor, and back. */
#include "ecc.h"
#include "hpre.h"
#include "straight.h"

/* Not in the functions that most requests stay in. */
#define NOINLINE	__attribute__((noinline))

/* A number of most curves is copied without a call. */
static inline void copy(__u8 *to, const void *from, size_t len)
{
	if (__builtin_expect(len == HPRE_ECC_BYTES_256, 1))
		memcpy(to, from, HPRE_ECC_BYTES_256);
	else
		memcpy(to, from, len);
}

/* Bytes of a number, which are not more than a field has, into one. Returns the one behind it. */
static inline __u8 *number_put(const struct ecc_sess *s, __u8 *field, const void *from, size_t len)
{
	size_t pad = s->field - len;

	if (__builtin_expect(pad != 0, 0))
		memset(field, 0, pad);
	copy(field + pad, from, len);
	return field + s->field;
}

/* n fields from the beginning of the area, of which out is the first of the result. */
static inline __u8 *fields_take(const struct ecc_sess *s, struct hpre_area *a, unsigned int n, unsigned int out, __u32 bytes)
{
	a->used = n * s->field;
	a->bytes = bytes;
	a->out = a->data + out * s->field;
	return a->data;
}

/* Not zero, of which nearly always the first word tells; it has one. */
static inline bool is_some(const __u8 *a, size_t len)
{
	return __builtin_expect(pubkey_word(a) != 0, 1) || !pubkey_is_zero(a, len);
}

/* What the caller has room for. */
static inline bool room_plain(const struct wd_ecc_arg *arg, size_t bytes)
{
	return __builtin_expect(arg->dst_len && *arg->dst_len >= bytes, 1);
}

/* --- points --- */

/* What a message would say of it, as far as its fill asks. */
static bool own_plain(struct ecc_sess *s, const struct wd_ecc_arg *arg, const __u8 *src, struct hpre_area *a, struct hpre_job *j)
{
	struct pubkey_msg c = {
		.m.sess = &s->s, .op = arg->op, .src = src, .src_len = arg->src_len, .extra = arg->extra, .extra_len = arg->extra_len,
	};
	const struct wd_span span = { arg->extra, s->w };

	if (arg->extra_len != s->w || !wd_probe_recent(&span, 1))
		return false;
	return (ecc_is_montgomery(s) || pubkey_is_between(arg->extra, s->part[ECC_N])) && !hpre_ecc_fill(&c, a, j);
}

/* The session's public key, or what isn't a curve of the common shape. */
static NOINLINE bool fill_plain(struct ecc_sess *s, const struct wd_ecc_arg *arg, const __u8 *src, struct hpre_area *a,
				struct hpre_job *j)
{
	struct pubkey_msg c = { .m.sess = &s->s, .op = arg->op, .src = src };

	if (arg->extra)
		return own_plain(s, arg, src, a, j);
	return !arg->extra_len && s->priv && !hpre_ecc_fill(&c, a, j);
}

static NOINLINE bool public_plain(struct ecc_sess *s, const struct wd_ecc_arg *arg, struct hpre_area *a, struct hpre_job *j)
{
	const struct wd_span span = { arg->dst, ecc_point_bytes(s) };

	a->bytes = (__u32)span.len;
	return !arg->src_len && room_plain(arg, span.len) && wd_probe_recent(&span, 1) && fill_plain(s, arg, NULL, a, j);
}

static NOINLINE bool montgomery_plain(struct ecc_sess *s, const struct wd_ecc_arg *arg, struct hpre_area *a, struct hpre_job *j)
{
	__u8 u[ECC_BYTES_MAX];

	a->bytes = s->w;
	if (arg->src_len != s->w || !room_plain(arg, s->w) || !wd_probe_pair(arg->src, s->w, arg->dst, s->w))
		return false;
	memcpy(u, arg->src, s->w);
	return ecc_u_is_plain(s, u) && fill_plain(s, arg, u, a, j);
}

/* x, y: what was copied, as whoever shares the caller's memory may write to it meanwhile. */
static inline bool point_plain(struct ecc_sess *s, const __u8 *x, const __u8 *y)
{
	const __u8 *p = s->part[ECC_P];

	return __builtin_expect(pubkey_is_between(x, p) && pubkey_is_between(y, p) && !soft_ecc_on_curve(s, x, y), 1);
}

/* The session has the private key, and devices take it; or the request brings one. */
WD_INLINE bool agree_plain(struct ecc_sess *s, const struct wd_ecc_arg *arg, struct hpre_area *a, struct hpre_job *j)
{
	size_t w = s->w;
	__u8 *x, *y;

	if (__builtin_expect(s->alg != WD_ECC_ECDH, 0))
		return ecc_is_montgomery(s) && montgomery_plain(s, arg, a, j);
	if (__builtin_expect(arg->src_len != 2 * w || !room_plain(arg, w) || !wd_probe_pair(arg->src, 2 * w, arg->dst, w), 0))
		return false;
	if (__builtin_expect(arg->extra || arg->extra_len || !s->priv, 0)) {
		a->bytes = s->w;
		return fill_plain(s, arg, arg->src, a, j);
	}
	x = fields_take(s, a, 4, 2, s->w);
	j->head = s->head_multiply;
	j->key = s->priv;
	j->in = x;
	if (__builtin_expect(w == s->field, 1)) {
		memcpy(x, arg->src, 2 * w);
		a->form = SOFT_ECC_FORM;
		return soft_ecc_is_point(s, &a->form);
	}
	y = number_put(s, x, arg->src, w);
	number_put(s, y, (const __u8 *)arg->src + w, w);
	return point_plain(s, y - w, y + s->field - w);
}

/* --- signatures --- */

/* A digest of which nothing has to be cut off, of a word at least. */
static inline bool digest_plain(const struct ecc_sess *s, const struct wd_ecc_arg *arg)
{
	return __builtin_expect(arg->src_len - s->digest_least <= s->digest_span, 1);
}

WD_INLINE bool sign_plain(struct ecc_sess *s, const struct wd_ecc_arg *arg, struct hpre_area *a, struct hpre_job *j)
{
	const struct wd_span spans[] = { { arg->src, arg->src_len }, { arg->dst, 2 * s->w }, { arg->extra, s->w } };
	size_t len = arg->src_len, w = s->w;
	const __u8 *nonce = arg->extra;
	__u8 *k;

	if (__builtin_expect(!digest_plain(s, arg) || !s->sign_priv || !room_plain(arg, 2 * w) || arg->extra_len != (nonce ? w : 0) ||
			     !wd_probe_recent(spans, nonce ? 3 : 2), 0))
		return false;
	k = fields_take(s, a, 4, 2, 2 * s->w);
	j->head = s->head_sign;
	j->key = s->sign_priv;
	j->in = k;
	k = number_put(s, k, arg->src, len);
	if (__builtin_expect(!is_some(k - len, len), 0))
		return false;
	if (nonce)
		return pubkey_is_between(number_put(s, k, nonce, w) - w, s->part[ECC_N]);
	memset(k, 0, s->field - w);
	return soft_ecc_nonce(s, s->key->d, k - len, len, k + s->field - w);
}

/* What is looked at is public. */
static NOINLINE bool verify_plain(struct ecc_sess *s, const struct wd_ecc_arg *arg, struct hpre_area *a, struct hpre_job *j)
{
	const __u8 *n = s->part[ECC_N];
	struct pubkey_msg c = {
		.m.sess = &s->s, .op = WD_ECC_VERIFY, .src = arg->src, .src_len = arg->src_len, .extra = arg->extra,
	};

	a->out = NULL;
	a->bytes = 0;
	if (s->alg < WD_ECC_ECDSA || s->alg > WD_ECC_SM2 || !digest_plain(s, arg) || !s->key || arg->extra_len != 2 * s->w ||
	    !wd_probe_pair(arg->src, arg->src_len, arg->extra, 2 * s->w) || hpre_ecc_fill(&c, a, j))
		return false;
	/* e, s, r: the copies, as the caller's may change meanwhile. */
	return pubkey_is_between(a->data + 2 * s->field - s->w, n) && pubkey_is_between(a->data + 3 * s->field - s->w, n);
}

/* --- any --- */

WD_INLINE bool job_plain(struct wd_session *base, const struct wd_ecc_arg *arg, struct hpre_area *a, struct hpre_job *j)
{
	struct ecc_sess *s = to_ecc_sess(base);

	if (arg->op == WD_ECC_SIGN)
		return sign_plain(s, arg, a, j);
	if (arg->op == WD_ECC_AGREE)
		return agree_plain(s, arg, a, j);
	if (arg->op == WD_ECC_VERIFY)
		return verify_plain(s, arg, a, j);
	return arg->op == WD_ECC_PUBLIC && public_plain(s, arg, a, j);
}

static bool told_montgomery(const struct ecc_sess *s, const struct wd_ecc_arg *arg, const struct hpre_area *a)
{
	const __u8 *u = a->out + s->field - s->w;

	/* RFC 7748: zeroes are for a closer look. */
	if (arg->op == WD_ECC_AGREE && !is_some(u, s->w))
		return false;
	pubkey_reverse(u, arg->dst, s->w);
	return true;
}

static inline bool told_plain(struct wd_session *base, const struct wd_ecc_arg *arg, const struct hpre_area *a, __u64 answer)
{
	const struct ecc_sess *s = to_ecc_sess(base);
	__u8 *dst = arg->dst;

	if (__builtin_expect(arg->op == WD_ECC_VERIFY, 0))
		return answer & HPRE_VERIFY_VALID;
	if (__builtin_expect(ecc_is_montgomery(s), 0))
		return told_montgomery(s, arg, a);
	if (__builtin_expect(s->w == s->field, 1)) {
		memcpy(dst, a->out, a->bytes);
		return true;
	}
	ecc_field_get(s, a->out, 0, dst);
	if (a->bytes > s->w)
		ecc_field_get(s, a->out, 1, dst + s->w);
	return true;
}

#define HPRE_ARG	struct wd_ecc_arg
#include "hpre_straight.h"

const struct wd_driver hisi_ecc_driver = {
	HPRE_DRIVER,
	STRAIGHT_RING,
	.open = hpre_ecc_open,
	.push = hpre_ecc_push,
	.result = hpre_ecc_result,
};
