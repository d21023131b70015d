// SPDX-License-Identifier: Apache-2.0
/*
 * Signatures of two numbers by devices, which make and verify them. The default provider verifies again those that a
 * device finds wrong.
 */
#include <string.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>

#include "ecdsa.h"
#include "signature.h"

#define DER_MAX	(WDP_POINT_MAX + 16)	/* bytes of the longest signature */

/* A parameter of later versions: 1 for nonces that the digest and the key determine. */
#define PARAM_NONCE_TYPE	"nonce-type"

static handle_t key_open(const struct wdp_target *to, unsigned int op_type)
{
	const struct wdp_key *key = to->owner;
	const struct wdp_curve *curve = key->curve;
	struct wd_ecc_sess_setup setup = {
		.curve = curve->curve, .alg = curve->alg == WD_ECC_SM2 ? WD_ECC_SM2 : WD_ECC_ECDSA,
		.op_type = (__u8)op_type, .flags = WD_SESS_PATH_HW, .timeout_ms = to->prov->config.timeout_ms,
	};
	struct wd_ecc_key ecc = {
		.x = { key->public_value, curve->bytes }, .y = { key->public_value + curve->bytes, curve->bytes },
	};
	handle_t h = wd_ecc_alloc_sess(&setup, NULL);

	if (key->private_len)
		ecc.d = (struct wd_number){ key->private_value, curve->bytes };
	if (h && wd_ecc_set_key(h, &ecc)) {
		wd_ecc_free_sess(h);
		h = 0;
	}
	return h;
}

bool wdp_curve_takes_public(const struct wdp_key *key, enum wdp_alg alg)
{
	return key->curve && key->public_len && wdp_key_uses(key, alg);
}

bool wdp_curve_takes_private(const struct wdp_key *key, enum wdp_alg alg)
{
	return wdp_curve_takes_public(key, alg) && key->private_len;
}

/* The default provider refuses a digest that hasn't the length of the one that was set. */
static bool takes_digest(const struct wdp_operation *op, size_t len)
{
	int wanted;

	if (!len || len > WD_ECC_DIGEST_MAX)
		return false;
	wanted = wdp_operation_int(op, OSSL_SIGNATURE_PARAM_DIGEST_SIZE, 0);
	return !wanted || (size_t)wanted == len;
}

static bool der_of(const unsigned char *rs, size_t w, unsigned char *sig, size_t *len)
{
	BIGNUM *r = BN_bin2bn(rs, (int)w, NULL), *s = BN_bin2bn(rs + w, (int)w, NULL);
	ECDSA_SIG *both = ECDSA_SIG_new();
	int n = -1;

	if (both && r && s && ECDSA_SIG_set0(both, r, s)) {
		r = NULL;
		s = NULL;
		n = i2d_ECDSA_SIG(both, &sig);
	}
	BN_free(r);
	BN_free(s);
	ECDSA_SIG_free(both);
	if (n > 0)
		*len = (size_t)n;
	return n > 0;
}

static bool number_of(const BIGNUM *number, unsigned char *to, size_t w)
{
	return !BN_is_negative(number) && !BN_is_zero(number) && BN_bn2binpad(number, to, (int)w) == (int)w;
}

/* libcrypto accepts one encoding of a signature only, though it can read others. */
static bool is_der_of(const ECDSA_SIG *both, const unsigned char *sig, size_t len)
{
	unsigned char own[DER_MAX], *to = own;

	return i2d_ECDSA_SIG(both, NULL) == (int)len && i2d_ECDSA_SIG(both, &to) == (int)len && !memcmp(own, sig, len);
}

/*
 * The numbers of a signature; false: it can't be one, and the default provider says so. libwd knows the order of the
 * curve.
 */
static bool numbers_of(const unsigned char *sig, size_t len, unsigned char *rs, size_t w)
{
	const unsigned char *at = sig;
	ECDSA_SIG *both = NULL;
	bool ok;

	ERR_set_mark();
	if (len <= DER_MAX)
		both = d2i_ECDSA_SIG(NULL, &at, (long)len);
	ok = both && is_der_of(both, sig, len) && number_of(ECDSA_SIG_get0_r(both), rs, w) &&
	     number_of(ECDSA_SIG_get0_s(both), rs + w, w);
	ERR_pop_to_mark();
	ECDSA_SIG_free(both);
	return ok;
}

/* With check_results = all. The context for that has no settings: the digest is verified as it is. */
static bool verifies(const struct wdp_key *key, const unsigned char *sig, size_t len, const unsigned char *digest,
		     size_t n)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(key->prov->default_provider.libctx, key->pkey, NULL);
	bool ok;

	wdp_errors_mark(&key->prov->core);
	ok = ctx && EVP_PKEY_verify_init(ctx) > 0 && EVP_PKEY_verify(ctx, sig, len, digest, n) > 0;
	wdp_errors_drop(&key->prov->core);
	EVP_PKEY_CTX_free(ctx);
	return ok;
}

struct wdp_target wdp_curve_key(const struct wdp_operation *op)
{
	return (struct wdp_target){
		.prov = op->prov, .class = &wdp_class_ecc, .session = &op->key->session, .make = key_open,
		.owner = op->key,
		.jobs_only = wdp_jobs_only(&op->prov->config.algorithms, WDP_ECDSA, op->key->curve->alias),
	};
}

enum wdp_outcome wdp_curve_sign(struct wdp_operation *op, unsigned char *sig, size_t *len, const unsigned char *digest,
				size_t digest_len)
{
	struct wdp_target to = wdp_curve_key(op);
	unsigned char rs[2 * WDP_NUMBER_MAX];
	struct wdp_call call = {
		.op = WD_ECC_SIGN, .src = digest, .src_len = digest_len, .dst = rs,
		.dst_len = 2u * op->key->curve->bytes,
	};
	enum wdp_outcome outcome = wdp_device_do(&to, &call, &op->path);

	if (outcome != WDP_DONE)
		return outcome;
	if (!der_of(rs, op->key->curve->bytes, sig, len))
		return WDP_TO_DEFAULT;
	if (op->prov->config.check != WDP_CHECK_ALL)
		return WDP_DONE;
	if (!verifies(op->key, sig, *len, digest, digest_len))
		return wdp_device_wrong(op->prov, "ecdsa", "a device's signature is wrong");
	wdp_device_right(op->prov);
	return WDP_DONE;
}

enum wdp_outcome wdp_ecdsa_sign(struct wdp_operation *op, struct wdp_rsa_scheme *scheme, unsigned char *sig,
				size_t *len, size_t room, const unsigned char *digest, size_t digest_len)
{
	(void)scheme;
	if (!wdp_curve_takes_private(op->key, WDP_ECDSA) || room < (size_t)EVP_PKEY_get_size(op->key->pkey) ||
	    !takes_digest(op, digest_len) || wdp_operation_int(op, PARAM_NONCE_TYPE, 0))
		return WDP_TO_DEFAULT;
	return wdp_curve_sign(op, sig, len, digest, digest_len);
}

enum wdp_outcome wdp_curve_verify(struct wdp_operation *op, const unsigned char *sig, size_t len,
				  const unsigned char *digest, size_t digest_len)
{
	struct wdp_target to = wdp_curve_key(op);
	size_t w = op->key->curve->bytes;
	unsigned char rs[2 * WDP_NUMBER_MAX];
	struct wdp_call call = {
		.op = WD_ECC_VERIFY, .src = digest, .src_len = digest_len, .extra = rs,
		.extra_len = (unsigned int)(2 * w),
	};
	enum wdp_outcome outcome;

	if (!numbers_of(sig, len, rs, w))
		return WDP_TO_DEFAULT;
	outcome = wdp_device_verify(&to, &call, &op->path, &op->doubted);
	if (outcome != WDP_DONE || op->prov->config.check != WDP_CHECK_ALL)
		return outcome;
	if (!verifies(op->key, sig, len, digest, digest_len))
		return wdp_device_wrong(op->prov, "ecdsa", "a device accepts a wrong signature");
	wdp_device_right(op->prov);
	return WDP_DONE;
}

bool wdp_ecdsa_verifies(const struct wdp_key *key)
{
	return wdp_curve_takes_public(key, WDP_ECDSA);
}

enum wdp_outcome wdp_ecdsa_verify(struct wdp_operation *op, struct wdp_rsa_scheme *scheme, const unsigned char *sig,
				  size_t len, const unsigned char *digest, size_t digest_len)
{
	(void)scheme;
	return takes_digest(op, digest_len) ? wdp_curve_verify(op, sig, len, digest, digest_len) : WDP_TO_DEFAULT;
}
