// SPDX-License-Identifier: Apache-2.0
/* ECDSA's signatures by devices. Verifications are the twin's: they use no secret, and a client has few of them. */
#include <string.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>

#include "ecdsa.h"
#include "signature.h"

/* A parameter of later versions: 1 for nonces that the digest and the key determine. */
#define PARAM_NONCE_TYPE	"nonce-type"

static handle_t key_open(const struct wdp_target *to, unsigned int op_type)
{
	const struct wdp_key *key = to->owner;
	const struct wdp_curve *curve = key->curve;
	struct wd_ecc_sess_setup setup = {
		.curve = curve->curve, .alg = curve->alg == WD_ECC_SM2 ? WD_ECC_SM2 : WD_ECC_ECDSA, .op_type = (__u8)op_type, .flags = WD_SESS_PATH_HW,
		.timeout_ms = to->prov->config.timeout_ms,
	};
	struct wd_ecc_key ecc = {
		.d = { key->private_value, curve->bytes }, .x = { key->public_value, curve->bytes },
		.y = { key->public_value + curve->bytes, curve->bytes },
	};
	handle_t h = 0;

	if (key->private_len && key->public_len)
		h = wd_ecc_alloc_sess(&setup, NULL);
	if (h && wd_ecc_set_key(h, &ecc)) {
		wd_ecc_free_sess(h);
		h = 0;
	}
	return h;
}

/* The twin refuses a digest that hasn't the length of the one that was set. */
static bool takes(struct wdp_operation *op, size_t room, size_t digest_len)
{
	const struct wdp_key *key = op->key;
	int wanted;

	if (!key->curve || !(key->has & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) || !wdp_key_uses(key, WDP_ECDSA) || !digest_len ||
	    digest_len > WD_ECC_DIGEST_MAX || room < (size_t)EVP_PKEY_get_size(key->pkey))
		return false;
	wanted = wdp_operation_int(op, OSSL_SIGNATURE_PARAM_DIGEST_SIZE, 0);
	return (!wanted || (size_t)wanted == digest_len) && !wdp_operation_int(op, PARAM_NONCE_TYPE, 0);
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

/* With check_results = all. The context for that has no settings: the digest is verified as it is. */
static bool verifies(const struct wdp_key *key, const unsigned char *sig, size_t len, const unsigned char *digest, size_t n)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(key->prov->twin.libctx, key->pkey, NULL);
	bool ok = ctx && EVP_PKEY_verify_init(ctx) > 0 && EVP_PKEY_verify(ctx, sig, len, digest, n) > 0;

	EVP_PKEY_CTX_free(ctx);
	return ok;
}

enum wdp_outcome wdp_curve_sign(struct wdp_operation *op, unsigned char *sig, size_t *len, const unsigned char *digest,
				size_t digest_len)
{
	struct wdp_target to = {
		.prov = op->prov, .class = &wdp_class_ecc, .session = &op->key->session, .make = key_open, .owner = op->key,
	};
	unsigned char rs[2 * WDP_NUMBER_MAX];
	struct wdp_call call = {
		.op = WD_ECC_SIGN, .src = digest, .src_len = digest_len, .dst = rs, .dst_len = 2u * op->key->curve->bytes,
	};
	enum wdp_outcome outcome = wdp_device_do(&to, &call, &op->path);

	if (outcome != WDP_DONE)
		return outcome;
	if (!der_of(rs, op->key->curve->bytes, sig, len))
		return WDP_TWIN;
	if (op->prov->config.check != WDP_CHECK_ALL)
		return WDP_DONE;
	if (!verifies(op->key, sig, *len, digest, digest_len))
		return wdp_device_wrong(op->prov, "ecdsa", "a device's signature is wrong");
	wdp_device_right(op->prov);
	return WDP_DONE;
}

enum wdp_outcome wdp_ecdsa_sign(struct wdp_operation *op, struct wdp_rsa_scheme *scheme, unsigned char *sig, size_t *len,
				size_t room, const unsigned char *digest, size_t digest_len)
{
	(void)scheme;
	return takes(op, room, digest_len) ? wdp_curve_sign(op, sig, len, digest, digest_len) : WDP_TWIN;
}
