// SPDX-License-Identifier: Apache-2.0
/* Diffie-Hellman on the software path. */
#include <errno.h>
#include <stdlib.h>
#include <openssl/core_names.h>
#include <openssl/dh.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "bn.h"
#include "dh.h"
#include "fetch.h"
#include "libcrypto.h"
#include "spare.h"

/**
 * struct soft_dh - a group as libcrypto sees it
 * @mont:	Montgomery context of p
 * @ctx:	memory for numbers: BN_CTX
 */
struct soft_dh {
	BN_MONT_CTX *mont;
	BIGNUM *p;
	struct soft_spare ctx;
};

/* --- groups --- */

/* Groups that libcrypto has, but not by name. */
static BIGNUM *old_group(const char *name)
{
	return !strcmp(name, "modp_768") ? BN_get_rfc2409_prime_768(NULL) :
	       !strcmp(name, "modp_1024") ? BN_get_rfc2409_prime_1024(NULL) : NULL;
}

static BIGNUM *named_group(const char *name)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)name, 0),
		OSSL_PARAM_construct_end(),
	};
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "DH", SOFT_PROPERTIES);
	EVP_PKEY *pkey = NULL;
	BIGNUM *p = NULL;

	if (ctx && EVP_PKEY_fromdata_init(ctx) > 0 &&
	    EVP_PKEY_fromdata(ctx, &pkey, EVP_PKEY_KEY_PARAMETERS, params) > 0)
		EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_FFC_P, &p);
	EVP_PKEY_free(pkey);
	EVP_PKEY_CTX_free(ctx);
	return p;
}

__u32 soft_dh_group(const char *name, __u8 p[PUBKEY_BYTES_MAX])
{
	BIGNUM *bn = old_group(name);
	__u32 k = 0;

	ERR_set_mark();
	if (!bn)
		bn = named_group(name);
	ERR_pop_to_mark();
	if (bn && BN_num_bytes(bn) <= PUBKEY_BYTES_MAX)
		k = (__u32)BN_bn2bin(bn, p);
	BN_free(bn);
	return k;
}

int soft_dh_make(struct dh_sess *s)
{
	BN_CTX *ctx = BN_CTX_secure_new();
	struct soft_dh *d = calloc(1, sizeof(*d));
	bool good = ctx && d;

	s->soft = d;
	if (good) {
		d->p = BN_bin2bn(s->p, (int)s->k, NULL);
		d->mont = BN_MONT_CTX_new();
		good = d->p && d->mont && BN_MONT_CTX_set(d->mont, d->p, ctx);
	}
	if (!good || !soft_spare_put(&d->ctx, ctx))
		BN_CTX_free(ctx);
	return good ? 0 : -ENOMEM;
}

void soft_dh_free(struct soft_dh *d)
{
	unsigned int i;

	if (!d)
		return;
	for (i = 0; i < SOFT_SPARE_NR; i++)
		BN_CTX_free(d->ctx.at[i]);
	BN_MONT_CTX_free(d->mont);
	BN_free(d->p);
	free(d);
}

/* --- one power --- */

static bool power(const struct dh_sess *s, BN_CTX *ctx, struct pubkey_msg *c)
{
	__u8 field[PUBKEY_BYTES_MAX];
	BIGNUM *x, *base, *r;
	bool good;

	dh_private(s, c, field);
	x = soft_bn_get(ctx, field, s->k);
	base = soft_bn_get(ctx, dh_base(s, c), s->k);
	r = BN_CTX_get(ctx);
	good = r && x && base && BN_mod_exp_mont_consttime(r, base, x, s->soft->p, ctx, s->soft->mont) &&
	       soft_bn_put(r, c->dst, s->k);
	explicit_bzero(field, s->k);
	if (r)
		BN_clear(r);
	if (x)
		BN_clear(x);
	return good;
}

static int dh_exec(struct wd_msg *m)
{
	struct dh_sess *s = to_dh_sess(m->sess);
	struct pubkey_msg *c = to_pubkey_msg(m);
	BN_CTX *ctx;

	m->path = WD_PATH_SOFT;
	m->status = -EFAULT;
	if (!pubkey_mapped(c))
		return m->status;
	ctx = soft_spare_get(&s->soft->ctx);
	if (!ctx)
		ctx = BN_CTX_secure_new();
	m->status = -ENOMEM;
	if (!ctx)
		return m->status;
	BN_CTX_start(ctx);
	m->status = power(s, ctx, c) ? 0 : -ENOMEM;
	BN_CTX_end(ctx);
	if (!soft_spare_put(&s->soft->ctx, ctx))
		BN_CTX_free(ctx);
	return m->status;
}

const struct wd_driver soft_dh_driver = {
	.name = "soft",
	.begin = soft_libcrypto_begin,
	.exec = dh_exec,
};
