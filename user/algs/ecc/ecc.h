/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by libwd_ecc and its drivers; private. */
#ifndef WD_ECC_PRIVATE_H
#define WD_ECC_PRIVATE_H

#include <wd_ecc.h>
#include "pubkey.h"

WD_ARG_ASSERT(struct wd_ecc_arg);

#define ECC_BYTES_MAX	72	/* length of a number: 576 bits */
#define ECC_WORDS_MAX	(ECC_BYTES_MAX / 8)
#define ECC_HASH_BYTES	32	/* SM3 */
#define ECC_X25519_BYTES 32
#define ECC_X448_BYTES	56
#define ECC_NONE_AHEAD	UINT32_MAX

struct ecc_nonces;
struct soft_ecc;
struct soft_ecc_key;

/* The numbers that define a curve. */
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
 * @soft:	libcrypto's form of the key
 * @nonces:	for a key that makes signatures, or NULL
 * @priv, @pub:	as descriptors need them, in fields of a device's size
 */
struct ecc_key {
	bool has_d;
	bool d_is_1;		/* devices don't take such a key */
	struct soft_ecc_key *soft;
	struct ecc_nonces *nonces;
	__u8 d[ECC_BYTES_MAX];
	__u8 point[2 * ECC_BYTES_MAX];		/* x, y in 2 w bytes */
	__u8 priv[7 * ECC_BYTES_MAX];		/* p, a, d, b, n, gx, gy; for X25519 and X448 p, (A - 2) / 4, k */
	__u8 pub[8 * ECC_BYTES_MAX];		/* p, a, b, n, gx, gy, px, py */
};

/**
 * struct ecc_words - a curve in the form that point.c needs, the least significant word first
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
 * @w:		length of a number in bytes
 * @nid:	libcrypto's name of the curve, 0: by value
 * @part:	numbers of the curve, w bytes each; X25519 and X448 have p only
 * @field:	length of a number on a device
 * @digest_least: shortest digest that the fast path signs
 * @digest_span: how much longer such a digest may be
 * @ahead:	operation that is prepared before a context's lock is taken; ECC_NONE_AHEAD: none
 * @head_multiply, @head_sign, @head_verify: first words of descriptors
 * @priv:	the key's, if devices take its private key
 * @sign_priv, @sign_pub: the same and the public key, if the session has signatures
 * @key_bytes:	length of a multiplication's key
 * @multiply:	template of that key in fields of a device's size, for keys that requests bring: p, a, empty, b,
 *		followed by the generator; for X25519 and X448 p, (A - 2) / 4, empty, and the generator's u
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

/* Length of a point in bytes. */
static inline __u32 ecc_point_bytes(const struct ecc_sess *s)
{
	return ecc_is_montgomery(s) ? s->w : 2 * s->w;
}

/* Copies a number of w bytes out of a device's fields. */
static inline void ecc_field_get(const struct ecc_sess *s, const __u8 *fields, unsigned int i, __u8 *to)
{
	memcpy(to, fields + (i + 1) * s->field - s->w, s->w);
}

/* The private key of a checked request, in a field of w bytes. */
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

/* Sets alg, w, nid and the parts. 0, -EINVAL, -EOPNOTSUPP, -ENOMEM, recorded. */
int ecc_curve_set(struct ecc_sess *s, const struct wd_ecc_sess_setup *setup);

/* --- range.c --- */

/*
 * Range of private values and nonces: 1 .. n - 1, for SM2's keys 1 .. n - 2. Strings of X25519 and X448 have no range.
 */
bool ecc_scalar_in_range(const struct ecc_sess *s, const __u8 *d, bool key);
/* For x, y: both are below p. For u: not of small order, whatever its highest bit and multiple of p. */
bool ecc_point_in_range(const struct ecc_sess *s, const __u8 *point);
/*
 * A quick test for u as a number without the highest bit of X25519's strings: true if it is in range, false if unknown.
 */
bool ecc_u_is_plain(const struct ecc_sess *s, const __u8 *u);
/* Converts a string of X25519 or X448 to a number below p, most significant byte first. */
void ecc_u_reduce(const struct ecc_sess *s, const __u8 *string, __u8 *u);

/* --- point.c --- */

/* For a session whose curve is set; not for X25519 and X448. */
void ecc_words_set(struct ecc_sess *s);
/* Whether two numbers of w bytes are below p and a point of the curve. */
bool ecc_is_point(const struct ecc_sess *s, const __u8 *x, const __u8 *y);

/* --- random.c --- */

/* Makes a private key. False: no randomness. */
bool ecc_random(const struct ecc_sess *s, __u8 *d);
/* Prepares nonces for the key's signatures, if it makes any. 0, -ENOMEM. */
int ecc_nonces_make(const struct ecc_sess *s, struct ecc_key *key);
void ecc_nonces_free(struct ecc_nonces *e);
/* Makes a signature's nonce from the session's private key, the digest and randomness. */
bool ecc_nonce(const struct ecc_sess *s, const void *digest, size_t len, __u8 *k);

/*
 * The same for a request that isn't submitted yet, so that no context's lock is held meanwhile. The result lies in the
 * thread's memory until as many more are made as one call submits. NULL: it failed.
 */
__u8 *ecc_random_ahead(const struct ecc_sess *s);
__u8 *ecc_nonce_ahead(const struct ecc_sess *s, const void *digest, size_t len);
/* Takes the number that was prepared for the request; false: none was. */
bool ecc_ahead_take(const struct ecc_sess *s, struct pubkey_msg *c, __u8 *to);

/* --- key.c --- */

/* Makes a key from the caller's parts; NULL and *ret, recorded. */
struct ecc_key *ecc_key_make(struct ecc_sess *s, const struct wd_ecc_key *from, int *ret);
void ecc_key_free(struct ecc_key *key);

/* --- soft/curve.c --- */

/* Gets the parts of a curve by libcrypto's name, and w. 0, -EOPNOTSUPP. */
int soft_ecc_curve(struct ecc_sess *s);
/*
 * Prepares libcrypto for the curve. 0, -EINVAL: it is no curve, -EOPNOTSUPP: libcrypto has no such signatures, -ENOMEM.
 */
int soft_ecc_make(struct ecc_sess *s);
void soft_ecc_free(struct soft_ecc *e);
/* Computes the point d G, or d times a point. 0, -EINVAL: not a point, or infinity, -ENOMEM. */
int soft_ecc_multiply(struct ecc_sess *s, const __u8 *d, const __u8 *point, __u8 *out);

/* --- soft/ecc_sign.c --- */

int soft_ecc_key_make(struct ecc_sess *s, struct ecc_key *key);
void soft_ecc_key_free(struct soft_ecc_key *key);
int soft_ecc_sign(struct ecc_sess *s, struct pubkey_msg *c);
int soft_ecc_verify(struct ecc_sess *s, struct pubkey_msg *c);

/* --- soft/sm2.c --- */

int soft_sm2_encrypt(struct ecc_sess *s, struct pubkey_msg *c);
int soft_sm2_decrypt(struct ecc_sess *s, struct pubkey_msg *c);
/* False: libcrypto has no SM3. */
bool soft_sm2_digest(const struct ecc_sess *s, const void *id, size_t id_len, const void *msg, size_t len,
		     __u8 *digest);

/* --- soft/xdh.c --- */

int soft_xdh_key_make(const struct ecc_sess *s, struct ecc_key *key);
int soft_xdh_public(const struct ecc_sess *s, const __u8 *d, __u8 *out);
/* The secret of key with a peer, or if key is NULL, that of d. 0, -EBADMSG: it is all zeroes, -ENOMEM. */
int soft_xdh_agree(const struct ecc_sess *s, struct ecc_key *key, const __u8 *d, const __u8 *peer, __u8 *out);

/* --- hisi/hpre_ecc.c --- */

/* Prepares the device's constants for a session whose curve is set. */
void hisi_ecc_curve(struct ecc_sess *s);
/* The key of a multiplication with a private value of w bytes, which is read once; writes key_bytes. */
void hisi_ecc_private(const struct ecc_sess *s, const __u8 *d, __u8 *to);
/* Fills in priv, pub and d_is_1 of an otherwise complete key. */
void hisi_ecc_key(const struct ecc_sess *s, struct ecc_key *key);

extern const struct wd_driver hisi_ecc_driver;
extern const struct wd_driver soft_ecc_driver;

#endif
