/* SPDX-License-Identifier: Apache-2.0 */
/* A key: the default provider's object, and the numbers that devices need. */
#ifndef WDP_KEY_H
#define WDP_KEY_H

#include <stdatomic.h>
#include <openssl/bn.h>
#include <openssl/core_dispatch.h>
#include <openssl/evp.h>

#include "core/provider.h"
#include "curve.h"

#define WDP_NUMBER_MAX	66		/* bytes of the longest curve's */
#define WDP_POINT_MAX	(2 * WDP_NUMBER_MAX)

/* A parameter of libcrypto's keys. */
struct wdp_key_param {
	const char *name;
	unsigned int type;		/* OSSL_PARAM_UNSIGNED_INTEGER or _OCTET_STRING */
};

/* A type of keys. The name is the default provider's first one. */
struct wdp_family {
	const char *name;
	unsigned int algs;		/* WDP_BIT() of those that use such keys */
	struct wdp_key_param private_param;	/* they show what a key has */
	struct wdp_key_param public_param;
	const char *domain_param;	/* a number; NULL: none is needed */
	const struct wdp_class *class;	/* of the key's own session */
};

extern const struct wdp_family wdp_families[WDP_FAMILIES];

struct wdp_key {
	struct wdp_provider *prov;
	const struct wdp_family *family;
	_Atomic unsigned int refs;
	EVP_PKEY *pkey;			/* in the default provider's library context; NULL: nothing yet */
	unsigned int has;		/* OSSL_KEYMGMT_SELECT_* */
	const struct wdp_curve *curve;	/* EC, X25519, X448: NULL if libwd doesn't name it */
	size_t public_len, private_len;	/* with a curve, unless the key lacks them; else 0 */
	/* x and y, or a string; in libwd's form */
	unsigned char public_value[WDP_POINT_MAX], private_value[WDP_NUMBER_MAX];
	int group;			/* DH: enum wd_dh_group, or -1 */
	struct wdp_session session;	/* RSA, ECDSA, SM2: with this key; DH: with its parameters */
	struct wdp_session public;	/* RSA: with the key's public part */
};

struct wdp_key *wdp_key_new(struct wdp_provider *prov, const struct wdp_family *family);
struct wdp_key *wdp_key_get(struct wdp_key *key);
void wdp_key_put(struct wdp_key *key);

/* wdp_key_take() - pkey, a reference of the caller, is the default provider's object of the key from now on. */
void wdp_key_take(struct wdp_key *key, EVP_PKEY *pkey);

/* wdp_pkey_from_data() - the default provider of a new key, or NULL. */
EVP_PKEY *wdp_pkey_from_data(const struct wdp_provider *prov, const struct wdp_family *family, int selection,
			     const OSSL_PARAM *params);

/* wdp_key_changed() - the default provider's key has other values than before. */
void wdp_key_changed(struct wdp_key *key);

/*
 * wdp_key_number() - write a number of the key into a field of exactly len bytes; 1 or 0. Nothing is left in the queue
 * of errors.
 */
int wdp_key_number(const struct wdp_key *key, const char *name, unsigned char *field, size_t len);

/* wdp_key_uses() - may devices be given operations of alg? */
static inline bool wdp_key_uses(const struct wdp_key *key, enum wdp_alg alg)
{
	return key->prov->algs & WDP_BIT(alg);
}

#endif
