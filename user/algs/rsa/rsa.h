/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by libwd_rsa and its drivers; private. */
#ifndef WD_RSA_PRIVATE_H
#define WD_RSA_PRIVATE_H

#include <wd_rsa.h>
#include "pubkey.h"

WD_ARG_ASSERT(struct wd_rsa_arg);

#define RSA_BYTES_MAX	PUBKEY_BYTES_MAX

struct soft_rsa;

/**
 * struct rsa_key - a key, as descriptors and libcrypto need it
 * @k:		length of the modulus in bytes
 * @proves:	results of the private key are verified: it has primes, and e is small
 * @pub:	e, n
 * @priv:	d, n
 * @crt:	dq, dp, q, p, qinv, of half the size
 * @part:	by operation: which of these three a descriptor names; NULL: the key can't do it
 */
struct rsa_key {
	__u32 k;
	bool has_priv;
	bool has_crt;
	bool proves;
	struct soft_rsa *soft;
	const __u8 *part[WD_RSA_VERIFY + 1];
	__u8 pub[2 * RSA_BYTES_MAX];
	__u8 priv[2 * RSA_BYTES_MAX];
	__u8 crt[5 * RSA_BYTES_MAX / 2];
};

/* The addresses of a key's parts. */
static inline const __u8 *rsa_key_n(const struct rsa_key *key)
{
	return key->pub + key->k;
}

static inline const __u8 *rsa_key_crt(const struct rsa_key *key, unsigned int part)
{
	return key->crt + part * (key->k / 2);
}

enum rsa_crt {
	RSA_DQ,
	RSA_DP,
	RSA_Q,
	RSA_P,
	RSA_QINV,
};

struct rsa_sess {
	struct wd_session s;
	__u32 k;
	struct rsa_key *key;
};

static inline struct rsa_sess *to_rsa_sess(struct wd_session *s)
{
	return (struct rsa_sess *)s;
}

static inline bool rsa_is_genkey(__u32 op)
{
	return op >= WD_RSA_GENKEY;
}

/* --- key.c --- */

/* Makes a key of k bytes from the caller's parts; NULL and *ret, recorded. */
struct rsa_key *rsa_key_make(struct wd_object *obj, __u32 k, const struct wd_rsa_key *from, int *ret);
/* Wipes and frees the key. */
void rsa_key_free(struct rsa_key *key);
/* Checks a request's e, p, q: 0, -EINVAL, recorded. */
int rsa_primes_check(struct wd_object *obj, __u32 k, const __u8 *src);

/* --- soft/rsa.c --- */

/* Makes key->soft for an otherwise complete key: 0, -EINVAL, -ENOMEM. */
int soft_rsa_make(struct rsa_key *key);
void soft_rsa_free(struct soft_rsa *r);
/* Whether out to the public exponent is in; false also if that can't be computed. */
bool soft_rsa_proves(struct rsa_key *key, const __u8 *in, const __u8 *out);

extern const struct wd_driver hisi_rsa_driver;
extern const struct wd_driver soft_rsa_driver;

#endif
