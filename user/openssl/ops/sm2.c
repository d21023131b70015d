// SPDX-License-Identifier: Apache-2.0
/*
 * SM2's signatures by devices, of a digest of the signer's identity, public key and message. The digest is made here if
 * the program has set the identity. Otherwise the message is the default provider's, because libcrypto decides which
 * identity stands for none.
 */
#include <stdlib.h>
#include <string.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/params.h>

#include "ecdsa.h"
#include "operation.h"
#include "sm2.h"

#define W	32u
#define ID_MAX	8191u			/* its length in bits has to fit into 16 */

struct sm2 {
	struct wdp_operation op;	/* first: see operation.h */
	unsigned char *id;		/* NULL: not set */
	size_t id_len;
	EVP_MD_CTX *whole;		/* the default provider's, of a message; op.ctx is a part of it then */
	EVP_MD_CTX *md;			/* ours, instead of it, after the first part of a message */
	bool signs, begun;
};

static void *sm2_new(void *provctx, const char *propq)
{
	(void)propq;
	return wdp_operation_new(sizeof(struct sm2), provctx, WDP_KIND_SM2);
}

static void message_clear(struct sm2 *s)
{
	if (s->whole)
		s->op.ctx = NULL;
	EVP_MD_CTX_free(s->whole);
	EVP_MD_CTX_free(s->md);
	s->whole = NULL;
	s->md = NULL;
	s->begun = false;
}

static void sm2_free(void *vctx)
{
	struct sm2 *s = vctx;

	if (!s)
		return;
	message_clear(s);
	wdp_operation_clear(&s->op);
	free(s->id);
	free(s);
}

static bool id_set(struct sm2 *s, const void *id, size_t len)
{
	unsigned char *copy = malloc(len + 1);

	if (!copy)
		return false;
	if (len)
		memcpy(copy, id, len);
	free(s->id);
	s->id = copy;
	s->id_len = len;
	return true;
}

static bool message_copy(struct sm2 *s, const struct sm2 *from)
{
	if (from->md) {
		s->md = EVP_MD_CTX_new();
		if (!s->md || !EVP_MD_CTX_copy_ex(s->md, from->md))
			return false;
	}
	if (!from->whole)
		return true;
	EVP_PKEY_CTX_free(s->op.ctx);
	s->op.ctx = NULL;
	s->whole = EVP_MD_CTX_new();
	if (!s->whole || !EVP_MD_CTX_copy_ex(s->whole, from->whole))
		return false;
	s->op.ctx = EVP_MD_CTX_get_pkey_ctx(s->whole);
	return true;
}

static void *sm2_dup(void *vctx)
{
	const struct sm2 *from = vctx;
	struct sm2 *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->signs = from->signs;
	s->begun = from->begun;
	if (wdp_operation_copy(&s->op, &from->op) && (!from->id || id_set(s, from->id, from->id_len)) &&
	    message_copy(s, from))
		return s;
	sm2_free(s);
	return NULL;
}

static int begin(struct sm2 *s, void *key, wdp_init_fn *init, const OSSL_PARAM params[])
{
	message_clear(s);
	free(s->id);
	s->id = NULL;
	return wdp_operation_init(&s->op, key, init, params);
}

static int sm2_sign_init(void *vctx, void *key, const OSSL_PARAM params[])
{
	return begin(vctx, key, EVP_PKEY_sign_init_ex, params);
}

static int sm2_verify_init(void *vctx, void *key, const OSSL_PARAM params[])
{
	return begin(vctx, key, EVP_PKEY_verify_init_ex, params);
}

static enum wdp_outcome on_device(struct sm2 *s, unsigned char *sig, size_t *len, size_t room,
				  const unsigned char *digest, size_t n)
{
	const struct wdp_key *key = s->op.key;

	if (n != W || !wdp_curve_takes_private(key, WDP_SM2) || room < (size_t)EVP_PKEY_get_size(key->pkey))
		return WDP_TO_DEFAULT;
	return wdp_curve_sign(&s->op, sig, len, digest, n);
}

static enum wdp_outcome verify_on_device(struct sm2 *s, const unsigned char *sig, size_t len,
					 const unsigned char *digest, size_t n)
{
	return n == W && wdp_curve_takes_public(s->op.key, WDP_SM2) ? wdp_curve_verify(&s->op, sig, len, digest, n) :
	       WDP_TO_DEFAULT;
}

/* Counts the default provider's verdict if devices verify with such keys. */
static int verified(struct sm2 *s, int result)
{
	return wdp_curve_takes_public(s->op.key, WDP_SM2) ? wdp_operation_verified(&s->op, result) : result;
}

static int sm2_sign(void *vctx, unsigned char *sig, size_t *len, size_t room, const unsigned char *tbs, size_t tbs_len)
{
	struct sm2 *s = vctx;

	if (!s->op.ctx)
		return 0;
	if (!sig)
		return EVP_PKEY_sign(s->op.ctx, NULL, len, tbs, tbs_len);
	return wdp_operation_end(&s->op, on_device(s, sig, len, room, tbs, tbs_len), EVP_PKEY_sign, sig, len, room, tbs,
				 tbs_len);
}

static int sm2_verify(void *vctx, const unsigned char *sig, size_t len, const unsigned char *tbs, size_t tbs_len)
{
	struct sm2 *s = vctx;
	enum wdp_outcome outcome;

	if (!s->op.ctx)
		return 0;
	outcome = verify_on_device(s, sig, len, tbs, tbs_len);
	if (outcome != WDP_TO_DEFAULT)
		return (int)outcome;
	return verified(s, EVP_PKEY_verify(s->op.ctx, sig, len, tbs, tbs_len));
}

/* --- messages --- */

static bool id_note(struct sm2 *s, const OSSL_PARAM params[])
{
	const OSSL_PARAM *id = params ? OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_DIST_ID) : NULL;

	return !id || id_set(s, id->data, id->data ? id->data_size : 0);
}

/* The identity can be set, but not read, and not after a part of the message. */
static int sm2_set_params(void *vctx, const OSSL_PARAM params[])
{
	struct sm2 *s = vctx;

	if (s->md && params && OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_DIST_ID))
		return 0;
	return wdp_operation_set_params(vctx, params) && id_note(s, params);
}

static int no_init(EVP_PKEY_CTX *ctx, const OSSL_PARAM params[])
{
	(void)ctx, (void)params;
	return 1;
}

static int message_init(struct sm2 *s, const char *name, void *key, const OSSL_PARAM params[], bool signs)
{
	int ok;

	if (!begin(s, key, no_init, NULL))
		return 0;
	EVP_PKEY_CTX_free(s->op.ctx);
	s->op.ctx = NULL;
	s->signs = signs;
	s->whole = EVP_MD_CTX_new();
	if (!s->whole)
		return 0;
	ok = (signs ? EVP_DigestSignInit_ex : EVP_DigestVerifyInit_ex)(
		s->whole, &s->op.ctx, name, s->op.prov->default_provider.libctx, NULL, s->op.key->pkey, params);
	return ok > 0 && id_note(s, params);
}

static int sm2_message_sign_init(void *vctx, const char *name, void *key, const OSSL_PARAM params[])
{
	return message_init(vctx, name, key, params, true);
}

static int sm2_message_verify_init(void *vctx, const char *name, void *key, const OSSL_PARAM params[])
{
	return message_init(vctx, name, key, params, false);
}

/* The length of the identity, the identity, a, b, the generator, the public key. */
static bool hash_signer(struct sm2 *s)
{
	const struct wdp_key *key = s->op.key;
	unsigned char bits[2] = { (unsigned char)(s->id_len >> 5), (unsigned char)(s->id_len << 3) };
	unsigned char a[W], b[W], g[1 + 2 * W];
	size_t g_len = 0;

	return key->public_len == 2 * W && wdp_key_number(key, OSSL_PKEY_PARAM_EC_A, a, W) &&
	       wdp_key_number(key, OSSL_PKEY_PARAM_EC_B, b, W) &&
	       EVP_PKEY_get_octet_string_param(key->pkey, OSSL_PKEY_PARAM_EC_GENERATOR, g, sizeof(g), &g_len) &&
	       g_len == sizeof(g) && EVP_DigestUpdate(s->md, bits, 2) && EVP_DigestUpdate(s->md, s->id, s->id_len) &&
	       EVP_DigestUpdate(s->md, a, W) && EVP_DigestUpdate(s->md, b, W) &&
	       EVP_DigestUpdate(s->md, g + 1, 2 * W) && EVP_DigestUpdate(s->md, key->public_value, 2 * W);
}

/* The digest of all that precedes the message replaces the identity's bytes. */
static bool hash_begin(struct sm2 *s)
{
	unsigned char z[EVP_MAX_MD_SIZE];
	const EVP_MD *sm3 = EVP_MD_CTX_get0_md(s->whole);
	bool ok;

	if (!sm3 || !EVP_MD_is_a(sm3, "SM3"))
		return false;
	s->md = EVP_MD_CTX_new();
	wdp_errors_mark(&s->op.prov->core);
	ok = s->md && EVP_DigestInit_ex2(s->md, sm3, NULL) && hash_signer(s) && EVP_DigestFinal_ex(s->md, z, NULL) &&
	     EVP_DigestInit_ex2(s->md, sm3, NULL) && EVP_DigestUpdate(s->md, z, W);
	wdp_errors_drop(&s->op.prov->core);
	return ok;
}

static void choose(struct sm2 *s)
{
	bool takes = (s->signs ? wdp_curve_takes_private : wdp_curve_takes_public)(s->op.key, WDP_SM2);

	s->begun = true;
	if (!s->id || s->id_len > ID_MAX || !takes || hash_begin(s))
		return;
	EVP_MD_CTX_free(s->md);
	s->md = NULL;
}

static int sm2_message_update(void *vctx, const unsigned char *data, size_t len)
{
	struct sm2 *s = vctx;

	if (!s->whole)
		return 0;
	if (!s->begun)
		choose(s);
	if (s->md)
		return EVP_DigestUpdate(s->md, data, len);
	return s->signs ? EVP_DigestSignUpdate(s->whole, data, len) : EVP_DigestVerifyUpdate(s->whole, data, len);
}

/*
 * A context for a digest that the default provider signs or verifies: the message's own context has not seen the
 * message.
 */
static EVP_PKEY_CTX *digest_ctx(const struct sm2 *s)
{
	return EVP_PKEY_CTX_new_from_pkey(s->op.prov->default_provider.libctx, s->op.key->pkey, NULL);
}

static int sign_by_default(struct sm2 *s, unsigned char *sig, size_t *len, size_t room, const unsigned char *digest)
{
	EVP_PKEY_CTX *ctx = digest_ctx(s);
	int ret = 0;

	*len = room;
	if (ctx && EVP_PKEY_sign_init(ctx) > 0)
		ret = EVP_PKEY_sign(ctx, sig, len, digest, W);
	EVP_PKEY_CTX_free(ctx);
	return wdp_operation_by_default(&s->op, ret);
}

static int verify_by_default(struct sm2 *s, const unsigned char *sig, size_t len, const unsigned char *digest)
{
	EVP_PKEY_CTX *ctx = digest_ctx(s);
	int ret = 0;

	if (ctx && EVP_PKEY_verify_init(ctx) > 0)
		ret = EVP_PKEY_verify(ctx, sig, len, digest, W);
	EVP_PKEY_CTX_free(ctx);
	return verified(s, ret);
}

static int sm2_message_sign(void *vctx, unsigned char *sig, size_t *len, size_t room)
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	enum wdp_outcome outcome;
	struct sm2 *s = vctx;
	unsigned int n;

	if (!s->whole)
		return 0;
	if (!sig)
		return EVP_DigestSignFinal(s->whole, NULL, len);
	if (!s->begun)
		choose(s);
	if (!s->md) {
		*len = room;
		return wdp_operation_by_default(&s->op, EVP_DigestSignFinal(s->whole, sig, len));
	}
	if (!EVP_DigestFinal_ex(s->md, digest, &n))
		return 0;
	outcome = on_device(s, sig, len, room, digest, n);
	wdp_operation_ended(&s->op);
	return outcome == WDP_TO_DEFAULT ? sign_by_default(s, sig, len, room, digest) : (int)outcome;
}

static int sm2_message_verify(void *vctx, const unsigned char *sig, size_t len)
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	enum wdp_outcome outcome;
	struct sm2 *s = vctx;
	unsigned int n;

	if (!s->whole)
		return 0;
	if (!s->begun)
		choose(s);
	if (!s->md)
		return verified(s, EVP_DigestVerifyFinal(s->whole, sig, len));
	if (!EVP_DigestFinal_ex(s->md, digest, &n))
		return 0;
	outcome = verify_on_device(s, sig, len, digest, n);
	wdp_operation_ended(&s->op);
	return outcome == WDP_TO_DEFAULT ? verify_by_default(s, sig, len, digest) : (int)outcome;
}

WDP_LIST(sm2, WDP_KIND_SM2, gettable)
WDP_LIST(sm2, WDP_KIND_SM2, settable)

const OSSL_DISPATCH wdp_signature_sm2[] = {
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_NEWCTX, sm2_new),
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_FREECTX, sm2_free),
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_DUPCTX, sm2_dup),
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_SIGN_INIT, sm2_sign_init),
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_SIGN, sm2_sign),
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_VERIFY_INIT, sm2_verify_init),
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_VERIFY, sm2_verify),
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT, sm2_message_sign_init),
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE, sm2_message_update),
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL, sm2_message_sign),
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT, sm2_message_verify_init),
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE, sm2_message_update),
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL, sm2_message_verify),
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS, wdp_operation_get_params),
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS, sm2_gettable),
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS, sm2_set_params),
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS, sm2_settable),
	{ 0, NULL },
};
