// SPDX-License-Identifier: Apache-2.0
/* Elliptic curves on the HPRE engine. */
#include <errno.h>

#include "ecc.h"
#include "hpre.h"

/* A public key of eight numbers; an SM2 text with what its cipher text has beside, in, and out. */
#define AREA_BYTES	(HPRE_PUBLIC_KEY_FIELDS * ECC_BYTES_MAX + 2 * (HPRE_SM2_MAX_TEXT + WD_ECC_SM2_EXTRA))

static_assert(ECC_BYTES_MAX == HPRE_ECC_BYTES_576, "curves have its sizes");
static_assert(6 * ECC_BYTES_MAX <= HPRE_SM2_MAX_TEXT, "operands of other operations fit");

/* (A - 2) / 4 */
#define X25519_LADDER	121665u
#define X448_LADDER	39081u

/* Of a number on the device. */
static __u32 field_bytes(const struct ecc_sess *s)
{
	return s->w <= HPRE_ECC_BYTES_256 ? HPRE_ECC_BYTES_256 : s->w <= HPRE_ECC_BYTES_384 ? HPRE_ECC_BYTES_384 : HPRE_ECC_BYTES_576;
}

/* A number of w bytes into the next field. */
static __u8 *field_put(struct hpre_area *a, const struct ecc_sess *s, const __u8 *number)
{
	__u32 size = field_bytes(s), pad = size - s->w;
	__u8 *field = hpre_take(a, size);

	memset(field, 0, pad);
	memcpy(field + pad, number, s->w);
	return field;
}

static __u8 *point_put(struct hpre_area *a, const struct ecc_sess *s, const __u8 *point)
{
	__u8 *first = field_put(a, s, point);

	field_put(a, s, point + s->w);
	return first;
}

static void field_get(const struct ecc_sess *s, const __u8 *fields, unsigned int i, __u8 *to)
{
	__u32 size = field_bytes(s);

	memcpy(to, fields + (i + 1) * size - s->w, s->w);
}

/* p, a, d, b, n, gx, gy */
static const __u8 *sign_key(struct hpre_area *a, const struct ecc_sess *s)
{
	const __u8 *first = field_put(a, s, s->part[ECC_P]);

	field_put(a, s, s->part[ECC_A]);
	field_put(a, s, s->key->d);
	field_put(a, s, s->part[ECC_B]);
	field_put(a, s, s->part[ECC_N]);
	field_put(a, s, s->part[ECC_GX]);
	field_put(a, s, s->part[ECC_GY]);
	return first;
}

/* p, a, b, n, gx, gy, px, py */
static const __u8 *public_key(struct hpre_area *a, const struct ecc_sess *s)
{
	const __u8 *first = field_put(a, s, s->part[ECC_P]);
	unsigned int i;

	for (i = ECC_A; i < ECC_PARTS; i++)
		field_put(a, s, s->part[i]);
	point_put(a, s, s->key->point);
	return first;
}

/* --- multiplication --- */

/* The private key of a request, a new one of WD_ECC_KEYGEN. */
static bool scalar(const struct ecc_sess *s, const struct pubkey_msg *c, __u8 *d)
{
	if (c->op == WD_ECC_KEYGEN)
		return soft_ecc_random(s, d);
	ecc_private(s, c, d);
	return true;
}

/* p, a, k, b; the generator, or a peer's point */
static int fill_multiply(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	struct ecc_sess *s = to_ecc_sess(c->m.sess);
	__u8 d[ECC_BYTES_MAX], *in;
	bool good = scalar(s, c, d);

	j->op = HPRE_ECC_MULTIPLY;
	j->key = field_put(a, s, s->part[ECC_P]);
	field_put(a, s, s->part[ECC_A]);
	field_put(a, s, d);
	field_put(a, s, s->part[ECC_B]);
	in = field_put(a, s, c->op == WD_ECC_AGREE ? c->src : s->part[ECC_GX]);
	field_put(a, s, c->op == WD_ECC_AGREE ? c->src + s->w : s->part[ECC_GY]);
	j->in = in;
	/* Software is to see that it is above 1. */
	if (good && pubkey_is(d, s->w, 1))
		good = false;
	explicit_bzero(d, sizeof(d));
	a->out = hpre_take(a, 2 * field_bytes(s));
	return good ? 0 : -E2BIG;
}

static void swap(const struct ecc_sess *s, const __u8 *from, __u8 *to)
{
	unsigned int i;

	for (i = 0; i < s->w; i++)
		to[i] = from[s->w - 1 - i];
}

/* p, (A - 2) / 4, k; u */
static int fill_montgomery(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	struct ecc_sess *s = to_ecc_sess(c->m.sess);
	bool x448 = s->alg == WD_ECC_X448;
	__u32 ladder = x448 ? X448_LADDER : X25519_LADDER;
	__u8 d[ECC_BYTES_MAX], k[ECC_BYTES_MAX], number[ECC_BYTES_MAX] = { 0 };
	bool good = scalar(s, c, d);

	swap(s, d, k);
	if (x448) {
		k[s->w - 1] &= 252;
		k[0] |= 128;
	} else {
		k[s->w - 1] &= 248;
		k[0] = (k[0] & 127) | 64;
	}
	j->op = HPRE_MONTGOMERY;
	j->key = field_put(a, s, s->part[ECC_P]);
	number[s->w - 1] = (__u8)ladder;
	number[s->w - 2] = (__u8)(ladder >> 8);
	number[s->w - 3] = (__u8)(ladder >> 16);
	field_put(a, s, number);
	field_put(a, s, k);
	memset(number, 0, sizeof(number));
	if (c->op == WD_ECC_AGREE)
		ecc_u_reduce(s, c->src, number);
	else
		number[s->w - 1] = x448 ? 5 : 9;
	j->in = field_put(a, s, number);
	a->out = hpre_take(a, field_bytes(s));
	/* As the string that the caller wants, where finish() finds it. */
	if (c->op == WD_ECC_KEYGEN)
		memcpy(hpre_take(a, s->w), d, s->w);
	explicit_bzero(d, sizeof(d));
	explicit_bzero(k, sizeof(k));
	return good ? 0 : -E2BIG;
}

static void finish_multiply(struct pubkey_msg *c, const struct hpre_area *a)
{
	struct ecc_sess *s = to_ecc_sess(c->m.sess);
	__u32 size = field_bytes(s);

	field_get(s, a->out, 0, c->dst);
	if (c->op == WD_ECC_AGREE)
		return;
	field_get(s, a->out, 1, c->dst + s->w);
	/* The third number of the key. */
	if (c->op == WD_ECC_KEYGEN)
		memcpy(c->dst + 2 * s->w, a->data + 3 * size - s->w, s->w);
}

static void finish_montgomery(struct pubkey_msg *c, const struct hpre_area *a)
{
	struct ecc_sess *s = to_ecc_sess(c->m.sess);
	__u32 size = field_bytes(s);

	swap(s, a->out + size - s->w, c->dst);
	if (c->op == WD_ECC_KEYGEN)
		memcpy(c->dst + s->w, a->out + size, s->w);
}

/* --- signatures --- */

/* The leftmost bits of the digest, as many as n has. */
static void digest_number(const struct ecc_sess *s, const struct pubkey_msg *c, __u8 *e)
{
	size_t len = c->src_len < s->w ? c->src_len : s->w;
	unsigned int shift = 8 * len > s->n_bits ? (unsigned int)(8 * len - s->n_bits) : 0, i;

	memset(e, 0, s->w - len);
	memcpy(e + s->w - len, c->src, len);
	/* It is less than a byte: the order has as many bytes as the field. */
	for (i = s->w; shift && i--; )
		e[i] = (__u8)(e[i] >> shift | (i ? e[i - 1] << (8 - shift) : 0));
}

static int fill_sign(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	struct ecc_sess *s = to_ecc_sess(c->m.sess);
	__u8 e[ECC_BYTES_MAX], k[ECC_BYTES_MAX];
	bool good = true;

	digest_number(s, c, e);
	/* Hardware has no place for these. */
	if (pubkey_is_zero(e, s->w) || pubkey_is(s->key->d, s->w, 1))
		return -E2BIG;
	if (c->extra)
		ecc_private(s, c, k);
	else
		good = soft_ecc_nonce(s, s->key->d, c->src, c->src_len, k);
	j->op = s->alg == WD_ECC_SM2 ? HPRE_SM2_SIGN : HPRE_ECDSA_SIGN;
	j->key = sign_key(a, s);
	j->in = field_put(a, s, e);
	field_put(a, s, k);
	explicit_bzero(k, sizeof(k));
	a->out = hpre_take(a, 2 * field_bytes(s));
	return good ? 0 : -E2BIG;
}

/* e, s, r */
static int fill_verify(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	struct ecc_sess *s = to_ecc_sess(c->m.sess);
	__u8 e[ECC_BYTES_MAX];

	digest_number(s, c, e);
	if (pubkey_is_zero(e, s->w))
		return -E2BIG;
	j->op = s->alg == WD_ECC_SM2 ? HPRE_SM2_VERIFY : HPRE_ECDSA_VERIFY;
	j->key = public_key(a, s);
	j->in = field_put(a, s, e);
	field_put(a, s, c->extra + s->w);
	field_put(a, s, c->extra);
	return 0;
}

/* --- SM2's texts --- */

static int fill_encrypt(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	struct ecc_sess *s = to_ecc_sess(c->m.sess);
	__u8 k[ECC_BYTES_MAX];

	if (c->src_len > HPRE_SM2_MAX_TEXT)
		return -E2BIG;
	if (c->extra)
		ecc_private(s, c, k);
	else if (!soft_ecc_random(s, k))
		return -E2BIG;
	j->op = HPRE_SM2_ENCRYPT;
	j->key = public_key(a, s);
	j->in = field_put(a, s, k);
	memcpy(hpre_take(a, c->src_len), c->src, c->src_len);
	j->text = (__u32)c->src_len;
	explicit_bzero(k, sizeof(k));
	a->out = hpre_take(a, c->dst_len);
	return 0;
}

static int fill_decrypt(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	struct ecc_sess *s = to_ecc_sess(c->m.sess);
	__u8 *in;

	if (c->dst_len > HPRE_SM2_MAX_TEXT || pubkey_is(s->key->d, s->w, 1))
		return -E2BIG;
	j->op = HPRE_SM2_DECRYPT;
	j->key = sign_key(a, s);
	in = hpre_take(a, c->src_len);
	memcpy(in, c->src, c->src_len);
	j->in = in;
	j->text = (__u32)c->dst_len;
	a->out = hpre_take(a, c->dst_len);
	return 0;
}

/* --- all of them --- */

static int ecc_fill(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	struct ecc_sess *s = to_ecc_sess(c->m.sess);

	j->bytes = field_bytes(s);
	switch (c->op) {
	case WD_ECC_SIGN:
		return fill_sign(c, a, j);
	case WD_ECC_VERIFY:
		return fill_verify(c, a, j);
	case WD_ECC_ENCRYPT:
		return fill_encrypt(c, a, j);
	case WD_ECC_DECRYPT:
		return fill_decrypt(c, a, j);
	}
	return ecc_is_montgomery(s) ? fill_montgomery(c, a, j) : fill_multiply(c, a, j);
}

/* Codes of hardware aren't public: of what it refuses otherwise than for its memory the text is most likely the reason. */
static int refused(struct pubkey_msg *c)
{
	if (c->op == WD_ECC_DECRYPT && c->m.vendor && !(c->m.vendor >> 16)) {
		c->why = "the hash of the text is not C3";
		return -EBADMSG;
	}
	if (c->extra && (c->op == WD_ECC_SIGN || c->op == WD_ECC_ENCRYPT) && c->m.vendor == HPRE_ERR_RESULT) {
		c->why = "the nonce makes no signature";
		return -EINVAL;
	}
	return c->m.status;
}

static int ecc_finish(struct pubkey_msg *c, const struct hpre_area *a, __u64 answer)
{
	struct ecc_sess *s = to_ecc_sess(c->m.sess);

	if (c->m.status)
		return refused(c);
	switch (c->op) {
	case WD_ECC_VERIFY:
		if (answer & HPRE_VERIFY_VALID)
			return 0;
		c->why = "the signature is wrong";
		return -EBADMSG;
	case WD_ECC_SIGN:
		field_get(s, a->out, 0, c->dst);
		field_get(s, a->out, 1, c->dst + s->w);
		return 0;
	case WD_ECC_ENCRYPT:
	case WD_ECC_DECRYPT:
		memcpy(c->dst, a->out, c->dst_len);
		return 0;
	}
	if (ecc_is_montgomery(s))
		finish_montgomery(c, a);
	else
		finish_multiply(c, a);
	return 0;
}

static const struct hpre_class ecc_class = { .fill = ecc_fill, .finish = ecc_finish };

static int ecc_open(struct wd_queue *q, const struct uacce_dev_info *dev)
{
	return hpre_open(q, dev, AREA_BYTES);
}

static int ecc_push(struct wd_queue *q, struct wd_msg *const msgs[], unsigned int n)
{
	return hpre_push(q, msgs, n, &ecc_class);
}

static void ecc_result(struct wd_queue *q, struct wd_msg *m, unsigned int index)
{
	hpre_result(q, m, index, &ecc_class);
}

const struct wd_driver hisi_ecc_driver = {
	HPRE_DRIVER,
	.open = ecc_open,
	.push = ecc_push,
	.result = ecc_result,
};
