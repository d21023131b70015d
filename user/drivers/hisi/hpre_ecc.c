// SPDX-License-Identifier: Apache-2.0
/* Elliptic curves on the HPRE engine. */
#include <errno.h>

#include "ecc.h"
#include "hpre.h"

/* A public key of eight numbers; an SM2 text with its ciphertext's additions, as input and as output. */
#define AREA_BYTES	(HPRE_PUBLIC_KEY_FIELDS * ECC_BYTES_MAX + 2 * (HPRE_SM2_MAX_TEXT + WD_ECC_SM2_EXTRA))

static_assert(ECC_BYTES_MAX == HPRE_ECC_BYTES_576, "curves have its sizes");
static_assert(sizeof(((struct ecc_key *)0)->priv) == HPRE_SIGN_KEY_FIELDS * ECC_BYTES_MAX &&
	      sizeof(((struct ecc_key *)0)->pub) == HPRE_PUBLIC_KEY_FIELDS * ECC_BYTES_MAX, "keys have its fields");
static_assert(6 * ECC_BYTES_MAX <= HPRE_SM2_MAX_TEXT, "operands of other operations fit");

#define SURE_TEXT	8	/* bytes of a key stream that are never all zeroes; one byte is, once in 256 times */

/* (A - 2) / 4 */
#define X25519_LADDER	121665u
#define X448_LADDER	39081u
/* u of the generators */
#define X25519_BASE	9u
#define X448_BASE	5u

/* Copies a number of w bytes into a field. Returns the address behind the field. */
static __u8 *field_fill(const struct ecc_sess *s, __u8 *field, const __u8 *number)
{
	__u32 size = s->field, pad = size - s->w;

	memset(field, 0, pad);
	memcpy(field + pad, number, s->w);
	return field + size;
}

/* The same into the area's next field. Returns the field. */
static __u8 *field_put(struct hpre_area *a, const struct ecc_sess *s, const __u8 *number)
{
	__u8 *field = hpre_take(a, s->field);

	field_fill(s, field, number);
	return field;
}

/* --- keys, in the layouts that descriptors point to --- */

void hisi_ecc_private(const struct ecc_sess *s, const __u8 *d, __u8 *to)
{
	__u8 *k = to + 3 * s->field - s->w;

	if (!ecc_is_montgomery(s)) {
		__u32 three = 3 * s->field;

		/*
		 * Copies b last: registers used by the copy then don't still hold the private value when they are
		 * saved.
		 */
		memcpy(to, s->multiply, three);
		memcpy(k, d, s->w);
		memcpy(to + three, s->multiply + three, s->field);
		return;
	}
	memcpy(to, s->multiply, s->key_bytes);
	pubkey_reverse(d, k, s->w);
	if (s->alg == WD_ECC_X448) {
		k[s->w - 1] &= 252;
		k[0] |= 128;
	} else {
		k[s->w - 1] &= 248;
		k[0] = (k[0] & 127) | 64;
	}
}

/*
 * Lengths of digests that go without a check: at least one word, and not more bits than n has, which would have to be
 * cut.
 */
static void digests(struct ecc_sess *s)
{
	__u32 most = s->n_bits / 8 < WD_ECC_DIGEST_MAX ? s->n_bits / 8 : WD_ECC_DIGEST_MAX;

	s->ahead = ecc_is_montgomery(s) ? ECC_NONE_AHEAD : s->alg == WD_ECC_ECDH ? WD_ECC_AGREE : WD_ECC_SIGN;
	s->digest_least = s->alg == WD_ECC_SM2 ? ECC_HASH_BYTES : sizeof(__u64);
	s->digest_span = s->alg == WD_ECC_SM2 || most < sizeof(__u64) ? 0 : most - s->digest_least;
}

static __u8 *small_fill(const struct ecc_sess *s, __u8 *field, __u32 v)
{
	__u32 number = htobe32(v);

	memset(field, 0, s->field);
	memcpy(field + s->field - sizeof(number), &number, sizeof(number));
	return field + s->field;
}

static void montgomery_curve(struct ecc_sess *s)
{
	bool x448 = s->alg == WD_ECC_X448;
	__u8 *to = field_fill(s, s->multiply, s->part[ECC_P]);

	s->head_multiply = hpre_head(HPRE_MONTGOMERY, s->field);
	s->key_bytes = HPRE_MONTGOMERY_KEY_FIELDS * s->field;
	to = small_fill(s, to, x448 ? X448_LADDER : X25519_LADDER);
	to = small_fill(s, to, 0);
	small_fill(s, to, x448 ? X448_BASE : X25519_BASE);
}

void hisi_ecc_curve(struct ecc_sess *s)
{
	__u8 *to;

	s->field = s->w <= HPRE_ECC_BYTES_256 ? HPRE_ECC_BYTES_256 :
		   s->w <= HPRE_ECC_BYTES_384 ? HPRE_ECC_BYTES_384 : HPRE_ECC_BYTES_576;
	if (ecc_is_montgomery(s)) {
		montgomery_curve(s);
		return;
	}
	digests(s);
	s->head_multiply = hpre_head(HPRE_ECC_MULTIPLY, s->field);
	s->head_sign = hpre_head(s->alg == WD_ECC_SM2 ? HPRE_SM2_SIGN : HPRE_ECDSA_SIGN, s->field);
	s->head_verify = hpre_head(s->alg == WD_ECC_SM2 ? HPRE_SM2_VERIFY : HPRE_ECDSA_VERIFY, s->field);
	s->key_bytes = HPRE_MULTIPLY_KEY_FIELDS * s->field;
	to = field_fill(s, s->multiply, s->part[ECC_P]);
	to = field_fill(s, to, s->part[ECC_A]);
	to = small_fill(s, to, 0);
	to = field_fill(s, to, s->part[ECC_B]);
	to = field_fill(s, to, s->part[ECC_GX]);
	field_fill(s, to, s->part[ECC_GY]);
}

void hisi_ecc_key(const struct ecc_sess *s, struct ecc_key *key)
{
	__u8 *to = key->pub;
	unsigned int i;

	if (ecc_is_montgomery(s)) {
		if (key->has_d)
			hisi_ecc_private(s, key->d, key->priv);
		return;
	}
	for (i = 0; i < ECC_PARTS; i++)
		to = field_fill(s, to, s->part[i]);
	to = field_fill(s, to, key->point);
	field_fill(s, to, key->point + s->w);
	if (!key->has_d)
		return;
	key->d_is_1 = pubkey_is(key->d, s->w, 1);
	hisi_ecc_private(s, key->d, key->priv);
	to = key->priv + s->key_bytes;
	for (i = ECC_N; i < ECC_PARTS; i++)
		to = field_fill(s, to, s->part[i]);
}

/* Whether the request's private key isn't the session's. */
static bool own_key(const struct pubkey_msg *c)
{
	return c->extra || c->op == WD_ECC_KEYGEN;
}

/* The request's private key, or a new one for WD_ECC_KEYGEN. 0, -ENOMEM. */
static int scalar(const struct ecc_sess *s, struct pubkey_msg *c, __u8 *d)
{
	if (c->op == WD_ECC_KEYGEN)
		return ecc_ahead_take(s, c, d) || ecc_random(s, d) ? 0 : -ENOMEM;
	ecc_private(s, c, d);
	return 0;
}

/* --- multiplication --- */

/* The key of a request with a private key of its own: p, a, k, b. */
static int own_multiply(const struct ecc_sess *s, struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	__u8 *key = hpre_take(a, s->key_bytes), d[ECC_BYTES_MAX];
	int ret = scalar(s, c, d);

	/* The software path checks that the key is above 1. */
	if (!ret && pubkey_is(d, s->w, 1))
		ret = -E2BIG;
	if (!ret)
		hisi_ecc_private(s, d, key);
	j->key = key;
	explicit_bzero(d, sizeof(d));
	return ret;
}

/*
 * Checks the copied point again: a thread that shares the caller's memory may have changed it since the first check,
 * and a product with a pair that isn't a point reveals the key.
 */
static int check_copy(const struct ecc_sess *s, const __u8 *x, const __u8 *y)
{
	/* The slow path reports the exact error. */
	return ecc_is_point(s, x, y) ? 0 : -E2BIG;
}

/* Multiplies the generator, or a peer's point. */
static int fill_multiply(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	struct ecc_sess *s = to_ecc_sess(c->m.sess);
	const __u8 *x, *y;
	int ret = 0;

	j->head = s->head_multiply;
	if (own_key(c)) {
		ret = own_multiply(s, c, a, j);
		if (ret)
			return ret;
	} else if (s->key->d_is_1) {
		return -E2BIG;
	} else {
		j->key = s->key->priv;
	}
	j->in = s->multiply + s->key_bytes;
	if (c->op == WD_ECC_AGREE) {
		j->in = x = field_put(a, s, c->src);
		y = field_put(a, s, c->src + s->w);
		ret = check_copy(s, x + s->field - s->w, y + s->field - s->w);
	}
	a->out = hpre_take(a, 2 * s->field);
	return ret;
}

/* X25519 and X448: multiplies u. */
static int fill_montgomery(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	struct ecc_sess *s = to_ecc_sess(c->m.sess);
	__u8 d[ECC_BYTES_MAX] = { 0 }, number[ECC_BYTES_MAX], *key;

	j->head = s->head_multiply;
	j->key = own_key(c) ? NULL : s->key->priv;
	if (!j->key) {
		key = hpre_take(a, s->key_bytes);
		if (scalar(s, c, d))
			return -ENOMEM;
		hisi_ecc_private(s, d, key);
		j->key = key;
	}
	j->in = s->multiply + s->key_bytes;
	if (c->op == WD_ECC_AGREE) {
		ecc_u_reduce(s, c->src, number);
		j->in = field_put(a, s, number);
	}
	a->out = hpre_take(a, s->field);
	/* A copy of the string that the caller gets; finish() finds it here. */
	if (c->op == WD_ECC_KEYGEN)
		memcpy(hpre_take(a, s->w), d, s->w);
	if (own_key(c))
		explicit_bzero(d, sizeof(d));
	return 0;
}

static void finish_multiply(struct pubkey_msg *c, const struct hpre_area *a)
{
	struct ecc_sess *s = to_ecc_sess(c->m.sess);
	__u32 size = s->field;

	ecc_field_get(s, a->out, 0, c->dst);
	if (c->op == WD_ECC_AGREE)
		return;
	ecc_field_get(s, a->out, 1, c->dst + s->w);
	/* The key's third number. */
	if (c->op == WD_ECC_KEYGEN)
		memcpy(c->dst + 2 * s->w, a->data + 3 * size - s->w, s->w);
}

static void finish_montgomery(struct pubkey_msg *c, const struct hpre_area *a)
{
	struct ecc_sess *s = to_ecc_sess(c->m.sess);
	__u32 size = s->field;

	pubkey_reverse(a->out + size - s->w, c->dst, s->w);
	if (c->op == WD_ECC_KEYGEN)
		memcpy(c->dst + s->w, a->out + size, s->w);
}

/* --- signatures --- */

/* The leftmost bits of the digest, as many as n has bits. */
static void digest_number(const struct ecc_sess *s, const struct pubkey_msg *c, __u8 *e)
{
	size_t len = c->src_len < s->w ? c->src_len : s->w;
	unsigned int shift = 8 * len > s->n_bits ? (unsigned int)(8 * len - s->n_bits) : 0, i;

	memset(e, 0, s->w - len);
	memcpy(e + s->w - len, c->src, len);
	/* The shift is below 8: n has as many bytes as the field. */
	for (i = s->w; shift && i--; )
		e[i] = (__u8)(e[i] >> shift | (i ? e[i - 1] << (8 - shift) : 0));
}

static int fill_sign(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	struct ecc_sess *s = to_ecc_sess(c->m.sess);
	__u8 e[ECC_BYTES_MAX], k[ECC_BYTES_MAX];
	bool good = true;

	digest_number(s, c, e);
	/* Hardware doesn't support these. */
	if (pubkey_is_zero(e, s->w) || s->key->d_is_1)
		return -E2BIG;
	if (c->extra)
		ecc_private(s, c, k);
	else
		good = ecc_ahead_take(s, c, k) || ecc_nonce(s, c->src, c->src_len, k);
	j->head = s->head_sign;
	j->key = s->key->priv;
	j->in = field_put(a, s, e);
	field_put(a, s, k);
	explicit_bzero(k, sizeof(k));
	a->out = hpre_take(a, 2 * s->field);
	return good ? 0 : -ENOMEM;
}

/* e, s, r. These copies may be unchecked, and a device never gets s or r of 0. */
static int fill_verify(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	struct ecc_sess *s = to_ecc_sess(c->m.sess);
	__u8 e[ECC_BYTES_MAX], *copy;
	int i;

	digest_number(s, c, e);
	if (pubkey_is_zero(e, s->w))
		return -E2BIG;
	j->head = s->head_verify;
	j->key = s->key->pub;
	j->in = field_put(a, s, e);
	for (i = 1; i >= 0; i--) {
		copy = field_put(a, s, c->extra + (size_t)i * s->w);
		if (!ecc_scalar_in_range(s, copy + s->field - s->w, false))
			return -E2BIG;
	}
	return 0;
}

/* --- SM2's texts --- */

static int fill_encrypt(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	struct ecc_sess *s = to_ecc_sess(c->m.sess);
	__u8 k[ECC_BYTES_MAX];

	if (c->src_len > HPRE_SM2_MAX_TEXT)
		return -E2BIG;
	/* A key stream of zeroes needs another nonce, which only the software path can choose. */
	if (c->src_len < SURE_TEXT && !c->extra && s->s.soft_ok)
		return -E2BIG;
	if (c->extra)
		ecc_private(s, c, k);
	else if (!ecc_ahead_take(s, c, k) && !ecc_random(s, k))
		return -ENOMEM;
	j->head = hpre_head(HPRE_SM2_ENCRYPT, s->field);
	j->key = s->key->pub;
	j->in = field_put(a, s, k);
	memcpy(hpre_take(a, c->src_len), c->src, c->src_len);
	j->text = (__u32)c->src_len - 1;
	explicit_bzero(k, sizeof(k));
	a->out = hpre_take(a, c->dst_len);
	return 0;
}

static int fill_decrypt(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	struct ecc_sess *s = to_ecc_sess(c->m.sess);
	__u8 *in;
	int ret;

	if (c->dst_len > HPRE_SM2_MAX_TEXT || s->key->d_is_1)
		return -E2BIG;
	j->head = hpre_head(HPRE_SM2_DECRYPT, s->field);
	j->key = s->key->priv;
	in = hpre_take(a, c->src_len);
	memcpy(in, c->src, c->src_len);
	ret = check_copy(s, in, in + ECC_HASH_BYTES);
	if (ret)
		return ret;
	j->in = in;
	j->text = (__u32)c->dst_len - 1;
	a->out = hpre_take(a, c->dst_len);
	return 0;
}

/* --- all of them --- */

static int fill(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	struct ecc_sess *s = to_ecc_sess(c->m.sess);

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

int hpre_ecc_fill(struct pubkey_msg *c, struct hpre_area *a, struct hpre_job *j)
{
	int ret = fill(c, a, j);

	j->out = a->out;
	return ret;
}

/*
 * Hardware's error codes aren't public: if a decryption fails for another reason than its memory, the text is the
 * likely cause.
 */
static int refused(struct pubkey_msg *c)
{
	if (c->op == WD_ECC_DECRYPT && c->m.vendor && !(c->m.vendor >> 16)) {
		c->why = "the hash of the decrypted text is not C3";
		return -EBADMSG;
	}
	if (c->extra && (c->op == WD_ECC_SIGN || c->op == WD_ECC_ENCRYPT) && c->m.vendor == HPRE_ERR_RESULT) {
		c->why = c->op == WD_ECC_SIGN ? "the nonce yields no signature" :
			 "the nonce yields a key stream of zeroes";
		return -EINVAL;
	}
	return c->m.status;
}

int hpre_ecc_finish(struct pubkey_msg *c, const struct hpre_area *a, __u64 answer)
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
		ecc_field_get(s, a->out, 0, c->dst);
		ecc_field_get(s, a->out, 1, c->dst + s->w);
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

int hpre_ecc_open(struct wd_queue *q, const struct uacce_dev_info *dev)
{
	return hpre_open(q, dev, AREA_BYTES);
}
