// SPDX-License-Identifier: Apache-2.0
/* X25519 and X448 on this CPU. */
#include <errno.h>
#include <openssl/evp.h>

#include "ecc.h"

static int derive(EVP_PKEY *own, EVP_PKEY *peer, __u8 *out, size_t len)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, own, NULL);
	int ret = -ENOMEM;

	/* It fails for zeroes only. */
	if (ctx && EVP_PKEY_derive_init(ctx) > 0 && EVP_PKEY_derive_set_peer_ex(ctx, peer, 0) > 0)
		ret = EVP_PKEY_derive(ctx, out, &len) > 0 ? 0 : -EBADMSG;
	EVP_PKEY_CTX_free(ctx);
	return ret;
}

int soft_xdh(const struct ecc_sess *s, const __u8 *d, const __u8 *peer, __u8 *out)
{
	const char *name = s->alg == WD_ECC_X25519 ? "X25519" : "X448";
	EVP_PKEY *own = EVP_PKEY_new_raw_private_key_ex(NULL, name, NULL, d, s->w), *other = NULL;
	size_t len = s->w;
	int ret = -ENOMEM;

	if (own && !peer)
		ret = EVP_PKEY_get_raw_public_key(own, out, &len) > 0 ? 0 : -ENOMEM;
	if (own && peer) {
		other = EVP_PKEY_new_raw_public_key_ex(NULL, name, NULL, peer, s->w);
		if (other)
			ret = derive(own, other, out, len);
	}
	EVP_PKEY_free(other);
	EVP_PKEY_free(own);
	return ret;
}
