/* SPDX-License-Identifier: Apache-2.0 */
/* Between libwd_ecc and its drivers; private. */
#ifndef WD_ECC_PRIVATE_H
#define WD_ECC_PRIVATE_H

#include <wd_ecc.h>
#include "pubkey.h"

#define ECC_BYTES_MAX	72	/* of a number: 576 bits */
#define ECC_WORDS_MAX	(ECC_BYTES_MAX / 8)
#define ECC_HASH_BYTES	32	/* SM3 */
#define ECC_X25519_BYTES 32
#define ECC_X448_BYTES	56
#define ECC_NONE_AHEAD	UINT32_MAX

struct ecc_nonces;
struct soft_ecc;
struct soft_ecc_key;

/* Numbers of a curve. */
enum ecc_part {
	ECC_P,
	ECC_A,
	ECC_B,
	ECC_N,
	ECC_GX,
	ECC_GY,
	ECC_PARTS,
};

/**
 * struct ecc_key - a key, numbers in fields of the session's size
 * @soft:	libcrypto's
 * @nonces:	of one that makes signatures, or NULL
 * @priv, @pub:	as descriptors want them, in fields of a device's size
 */
struct ecc_key {
	bool has_d;
	bool d_is_1;		/* what devices don't take */
	struct soft_ecc_key *soft;
	struct ecc_nonces *nonces;
	__u8 d[ECC_BYTES_MAX];
	__u8 point[2 * ECC_BYTES_MAX];		/* x, y in 2 w bytes */
	__u8 priv[7 * ECC_BYTES_MAX];		/* p, a, d, b, n, gx, gy; of X25519 and X448 p, (A - 2) / 4, k */
	__u8 pub[8 * ECC_BYTES_MAX];		/* p, a, b, n, gx, gy, px, py */
};

/**
 * struct ecc_words - a curve as point.c wants it, the least word first
 * @n:		words of a number
 * @inverse:	of -p, modulo a word
 * @minus_b:	p - b
 */
struct ecc_words {
	unsigned int n;
	__u64 inverse;
	__u64 p[ECC_WORDS_MAX];
	__u64 a[ECC_WORDS_MAX];
	__u64 minus_b[ECC_WORDS_MAX];
};

/**
 * struct ecc_sess - a session
 * @w:		bytes of a number
 * @nid:	libcrypto's name of the curve, 0: by value
 * @part:	of the curve, in w bytes each; X25519 and X448 have p only
 * @field:	bytes of a number on a device
 * @digest_least: bytes of a digest that is signed without a second look
 * @digest_span: that it may have more
 * @ahead:	operation that is prepared in front of a context's lock; ECC_NONE_AHEAD: none
 * @head_multiply, @head_sign, @head_verify: first words of descriptors
 * @priv:	the key's, if it has one that devices take
 * @sign_priv, @sign_pub: the same and the public one, if there are signatures
 * @key_bytes:	of the key of a multiplication
 * @multiply:	such a key in fields of a device's size, for those that requests bring: p, a, nothing, b, and behind it the
 *		generator; of X25519 and X448 p, (A - 2) / 4, nothing, and its u
 */
struct ecc_sess {
	struct wd_session s;
	__u8 alg;
	__u32 w;
	int nid;
	unsigned int n_bits;
	struct soft_ecc *soft;
	struct ecc_key *key;
	__u8 part[ECC_PARTS][ECC_BYTES_MAX];
	struct ecc_words words;
	__u32 field;
	__u32 digest_least;
	__u32 digest_span;
	__u32 ahead;
	__u64 head_multiply;
	__u64 head_sign;
	__u64 head_verify;
	const __u8 *priv;
	const __u8 *sign_priv;
	const __u8 *sign_pub;
	__u32 key_bytes;
	__u8 multiply[6 * ECC_BYTES_MAX];
};

static inline struct ecc_sess *to_ecc_sess(struct wd_session *s)
{
	return (struct ecc_sess *)s;
}

static inline bool ecc_is_montgomery(const struct ecc_sess *s)
{
	return s->alg >= WD_ECC_X25519;
}

/* Bytes of a point. */
static inline __u32 ecc_point_bytes(const struct ecc_sess *s)
{
	return ecc_is_montgomery(s) ? s->w : 2 * s->w;
}

/* A number of w bytes out of a device's fields. */
static inline void ecc_field_get(const struct ecc_sess *s, const __u8 *fields, unsigned int i, __u8 *to)
{
	memcpy(to, fields + (i + 1) * s->field - s->w, s->w);
}

/* The private key that a request is about, in a field of w bytes; of one that was checked. */
static inline void ecc_private(const struct ecc_sess *s, const struct pubkey_msg *c, __u8 *d)
{
	size_t skip = c->extra_len > s->w ? c->extra_len - s->w : 0, n = c->extra_len - skip;

	if (!c->extra) {
		memcpy(d, s->key->d, s->w);
		return;
	}
	memset(d, 0, s->w - n);
	memcpy(d + s->w - n, c->extra + skip, n);
}

/* --- curve.c --- */

/* alg, w, nid and the parts. 0, -EINVAL, -EOPNOTSUPP, -ENOMEM, recorded. */
int ecc_curve_set(struct ecc_sess *s, const struct wd_ecc_sess_setup *setup);

/* --- range.c --- */

/* A private value, a nonce: 1 .. n - 1, of SM2's keys 1 .. n - 2. Strings of X25519 and X448 have no range. */
bool ecc_scalar_in_range(const struct ecc_sess *s, const __u8 *d, bool key);
/* Of x, y: below p. Of u: not of small order, whatever its highest bit and multiple of p. */
bool ecc_point_in_range(const struct ecc_sess *s, const __u8 *point);
/* The same in one look of u as a number without the highest bit of X25519's strings; false says nothing. */
bool ecc_u_is_plain(const struct ecc_sess *s, const __u8 *u);
/* A string of X25519 or X448 as a number below p, most significant byte first. */
void ecc_u_reduce(const struct ecc_sess *s, const __u8 *string, __u8 *u);

/* --- point.c --- */

/* Of a session whose curve is set; not of X25519 and X448. */
void ecc_words_set(struct ecc_sess *s);
/* Two numbers of w bytes: both below p, and a point of the curve. */
bool ecc_is_point(const struct ecc_sess *s, const __u8 *x, const __u8 *y);

/* --- random.c --- */

/* A private key. False: no randomness. */
bool ecc_random(const struct ecc_sess *s, __u8 *d);
/* What makes nonces for the key's signatures, if it makes any. 0, -ENOMEM. */
int ecc_nonces_make(const struct ecc_sess *s, struct ecc_key *key);
void ecc_nonces_free(struct ecc_nonces *e);
/* A nonce for a signature, of the session's private key, the digest and randomness. */
bool ecc_nonce(const struct ecc_sess *s, const void *digest, size_t len, __u8 *k);

/*
 * The same for a request that isn't submitted yet, so that no context's lock is held meanwhile: in memory of the thread,
 * until so many more are made as one call submits. NULL: it failed.
 */
__u8 *ecc_random_ahead(const struct ecc_sess *s);
__u8 *ecc_nonce_ahead(const struct ecc_sess *s, const void *digest, size_t len);
/* What was made for the request, if that is so. */
bool ecc_ahead_take(const struct ecc_sess *s, struct pubkey_msg *c, __u8 *to);

/* --- key.c --- */

/* A key from the caller's parts; NULL and *ret, recorded. */
struct ecc_key *ecc_key_make(struct ecc_sess *s, const struct wd_ecc_key *from, int *ret);
void ecc_key_free(struct ecc_key *key);

/* --- soft/curve.c --- */

/* The parts of a curve by libcrypto's name, and w. 0, -EOPNOTSUPP. */
int soft_ecc_curve(struct ecc_sess *s);
/* What libcrypto needs for the curve. 0, -EINVAL: it is none, -EOPNOTSUPP: it has no such signatures, -ENOMEM. */
int soft_ecc_make(struct ecc_sess *s);
void soft_ecc_free(struct soft_ecc *e);
/* The point d G, or d times a point. 0, -EINVAL: it is none, or infinity, -ENOMEM. */
int soft_ecc_multiply(struct ecc_sess *s, const __u8 *d, const __u8 *point, __u8 *out);

/* --- soft/ecc_sign.c --- */

int soft_ecc_key_make(struct ecc_sess *s, struct ecc_key *key);
void soft_ecc_key_free(struct soft_ecc_key *key);
int soft_ecc_sign(struct ecc_sess *s, struct pubkey_msg *c);
int soft_ecc_verify(struct ecc_sess *s, struct pubkey_msg *c);

/* --- soft/sm2.c --- */

int soft_sm2_encrypt(struct ecc_sess *s, struct pubkey_msg *c);
int soft_sm2_decrypt(struct ecc_sess *s, struct pubkey_msg *c);
/* False: there is no SM3. */
bool soft_sm2_digest(const struct ecc_sess *s, const void *id, size_t id_len, const void *msg, size_t len, __u8 *digest);

/* --- soft/xdh.c --- */

int soft_xdh_key_make(const struct ecc_sess *s, struct ecc_key *key);
int soft_xdh_public(const struct ecc_sess *s, const __u8 *d, __u8 *out);
/* The secret of a key, or when that is NULL of d, with a peer. 0, -EBADMSG: it is all zeroes, -ENOMEM. */
int soft_xdh_agree(const struct ecc_sess *s, struct ecc_key *key, const __u8 *d, const __u8 *peer, __u8 *out);

/* --- hisi/hpre_ecc.c --- */

/* What devices are to be told of a session whose curve is set. */
void hisi_ecc_curve(struct ecc_sess *s);
/* The key of a multiplication with a private value of w bytes, which is read once: key_bytes. */
void hisi_ecc_private(const struct ecc_sess *s, const __u8 *d, __u8 *to);
/* priv, pub and d_is_1 of a key that is complete but for them. */
void hisi_ecc_key(const struct ecc_sess *s, struct ecc_key *key);

extern const struct wd_driver hisi_ecc_driver;
extern const struct wd_driver soft_ecc_driver;

#endif
