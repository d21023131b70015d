// SPDX-License-Identifier: Apache-2.0
/* X25519 and X448 on the software path. */
#include <errno.h>
#include <stdlib.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "curve.h"
#include "fetch.h"

static const char *name_of(const struct ecc_sess *s)
{
	return s->alg == WD_ECC_X25519 ? "X25519" : "X448";
}

/* Without a public key libcrypto computes it, which takes as long as the secret. */
static EVP_PKEY *pkey_make(const struct ecc_sess *s, const __u8 *d, const __u8 *pub)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, (void *)d, s->w),
		OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)pub, s->w),
		OSSL_PARAM_construct_end(),
	};
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, name_of(s), SOFT_PROPERTIES);
	EVP_PKEY *pkey = NULL;

	if (ctx && EVP_PKEY_fromdata_init(ctx) > 0)
		EVP_PKEY_fromdata(ctx, &pkey, EVP_PKEY_KEYPAIR, params);
	EVP_PKEY_CTX_free(ctx);
	return pkey;
}

int soft_xdh_key_make(const struct ecc_sess *s, struct ecc_key *key)
{
	if (!key->has_d)
		return 0;
	key->soft = calloc(1, sizeof(*key->soft));
	if (key->soft)
		key->soft->pkey = pkey_make(s, key->d, key->point);
	return key->soft && key->soft->pkey ? 0 : -ENOMEM;
}

int soft_xdh_public(const struct ecc_sess *s, const __u8 *d, __u8 *out)
{
	EVP_PKEY *own = EVP_PKEY_new_raw_private_key_ex(NULL, name_of(s), SOFT_PROPERTIES, d, s->w);
	size_t len = s->w;
	int ret = own && EVP_PKEY_get_raw_public_key(own, out, &len) > 0 ? 0 : -ENOMEM;

	EVP_PKEY_free(own);
	return ret;
}

static EVP_PKEY_CTX *ctx_make(EVP_PKEY *own)
{
	EVP_PKEY_CTX *ctx = own ? EVP_PKEY_CTX_new_from_pkey(NULL, own, SOFT_PROPERTIES) : NULL;

	if (ctx && EVP_PKEY_derive_init(ctx) > 0)
		return ctx;
	EVP_PKEY_CTX_free(ctx);
	return NULL;
}

static int derive(const struct ecc_sess *s, EVP_PKEY_CTX *ctx, const __u8 *peer, __u8 *out)
{
	EVP_PKEY *other = EVP_PKEY_new_raw_public_key_ex(NULL, name_of(s), SOFT_PROPERTIES, peer, s->w);
	size_t len = s->w;
	int ret = -ENOMEM;

	/* Fails only for a secret of all zeroes. */
	if (other && EVP_PKEY_derive_set_peer_ex(ctx, other, 0) > 0)
		ret = EVP_PKEY_derive(ctx, out, &len) > 0 ? 0 : -EBADMSG;
	EVP_PKEY_free(other);
	return ret;
}

/* For a request's own private key, any public key will do: the peer's is used. */
static int agree_once(const struct ecc_sess *s, const __u8 *d, const __u8 *peer, __u8 *out)
{
	EVP_PKEY *own = pkey_make(s, d, peer);
	EVP_PKEY_CTX *ctx = ctx_make(own);
	int ret = ctx ? derive(s, ctx, peer, out) : -ENOMEM;

	EVP_PKEY_CTX_free(ctx);
	EVP_PKEY_free(own);
	return ret;
}

int soft_xdh_agree(const struct ecc_sess *s, struct ecc_key *key, const __u8 *d, const __u8 *peer, __u8 *out)
{
	struct soft_spare *spare;
	EVP_PKEY_CTX *ctx;
	int ret;

	if (!key)
		return agree_once(s, d, peer, out);
	spare = &key->soft->ctx[0];
	ctx = soft_spare_get(spare);
	if (!ctx)
		ctx = ctx_make(key->soft->pkey);
	if (!ctx)
		return -ENOMEM;
	ret = derive(s, ctx, peer, out);
	if (!soft_spare_put(spare, ctx))
		EVP_PKEY_CTX_free(ctx);
	return ret;
}
