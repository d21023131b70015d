// SPDX-License-Identifier: Apache-2.0
/*
 * Signatures. The default provider's context has the settings. A message is hashed here, because the default provider
 * would not hand out its digest, and the digest is then signed or verified.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/proverr.h>

#include "signature.h"

struct by_device {
	wdp_sign_fn *sign;
	wdp_verifies_fn *verifies;
	wdp_verify_fn *verify;
};

struct signature {
	struct wdp_operation op;	/* first: see operation.h */
	const struct by_device *by_device;
	struct wdp_rsa_scheme scheme;
	EVP_MD_CTX *md;			/* while a message is hashed */
};

static void *sig_new(void *provctx, enum wdp_kind kind, const struct by_device *by_device)
{
	struct signature *s = wdp_operation_new(sizeof(*s), provctx, kind);

	if (s)
		s->by_device = by_device;
	return s;
}

static void sig_free(void *vctx)
{
	struct signature *s = vctx;

	if (!s)
		return;
	EVP_MD_CTX_free(s->md);
	wdp_rsa_scheme_clear(&s->scheme);
	wdp_operation_clear(&s->op);
	free(s);
}

static void *sig_dup(void *vctx)
{
	const struct signature *from = vctx;
	struct signature *s = calloc(1, sizeof(*s));
	int ok;

	if (!s)
		return NULL;
	ok = wdp_operation_copy(&s->op, &from->op);
	s->by_device = from->by_device;
	if (ok && from->md) {
		s->md = EVP_MD_CTX_new();
		ok = s->md && EVP_MD_CTX_copy_ex(s->md, from->md);
	}
	if (ok)
		return s;
	sig_free(s);
	return NULL;
}

static int begin(void *vctx, void *key, wdp_init_fn *init, const OSSL_PARAM params[])
{
	struct signature *s = vctx;

	EVP_MD_CTX_free(s->md);
	s->md = NULL;
	return wdp_operation_init(&s->op, key, init, params);
}

static int sig_sign_init(void *vctx, void *key, const OSSL_PARAM params[])
{
	return begin(vctx, key, EVP_PKEY_sign_init_ex, params);
}

static int sig_verify_init(void *vctx, void *key, const OSSL_PARAM params[])
{
	return begin(vctx, key, EVP_PKEY_verify_init_ex, params);
}

static int sig_recover_init(void *vctx, void *key, const OSSL_PARAM params[])
{
	return begin(vctx, key, EVP_PKEY_verify_recover_init_ex, params);
}

/* A question for the size is answered by the default provider, and is no operation. */
static int sig_sign(void *vctx, unsigned char *sig, size_t *len, size_t room, const unsigned char *tbs, size_t tbs_len)
{
	struct signature *s = vctx;
	enum wdp_outcome outcome;

	if (!s->op.ctx)
		return 0;
	if (!sig)
		return EVP_PKEY_sign(s->op.ctx, NULL, len, tbs, tbs_len);
	outcome = s->by_device->sign(&s->op, &s->scheme, sig, len, room, tbs, tbs_len);
	return wdp_operation_end(&s->op, outcome, EVP_PKEY_sign, sig, len, room, tbs, tbs_len);
}

static int sig_verify(void *vctx, const unsigned char *sig, size_t len, const unsigned char *tbs, size_t tbs_len)
{
	struct signature *s = vctx;
	bool counts = s->op.ctx && s->by_device->verifies(s->op.key);
	enum wdp_outcome outcome = WDP_TO_DEFAULT;
	int ok;

	if (counts)
		outcome = s->by_device->verify(&s->op, &s->scheme, sig, len, tbs, tbs_len);
	if (!s->op.ctx)
		return 0;
	if (outcome != WDP_TO_DEFAULT) {
		wdp_operation_ended(&s->op);
		return (int)outcome;
	}
	ok = EVP_PKEY_verify(s->op.ctx, sig, len, tbs, tbs_len);
	return counts ? wdp_operation_verified(&s->op, ok) : ok;
}

static int sig_recover(void *vctx, unsigned char *out, size_t *len, size_t room, const unsigned char *sig,
		       size_t sig_len)
{
	struct signature *s = vctx;

	*len = room;
	return s->op.ctx ? EVP_PKEY_verify_recover(s->op.ctx, out, len, sig, sig_len) : 0;
}

/* --- messages --- */

static bool hash_begin(struct signature *s, const char *name)
{
	EVP_MD *md;
	bool ok;

	if (!name || !*name)
		return false;
	md = EVP_MD_fetch(s->op.prov->default_provider.libctx, name, NULL);
	s->md = EVP_MD_CTX_new();
	ok = md && s->md && EVP_DigestInit_ex2(s->md, md, NULL);
	EVP_MD_free(md);
	return ok;
}

/* Parameters come after the digest, which some of them depend on. */
static int message_init(void *vctx, const char *name, void *key, wdp_init_fn *init, const OSSL_PARAM params[])
{
	struct signature *s = vctx;
	OSSL_PARAM digest[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, (char *)name, 0), OSSL_PARAM_END
	};
	char known[64];

	if (!begin(vctx, key, init, NULL))
		return 0;
	if (name && *name && !wdp_operation_set_params(&s->op, digest))
		return 0;
	if (!wdp_operation_set_params(&s->op, params))
		return 0;
	wdp_operation_text(&s->op, OSSL_SIGNATURE_PARAM_DIGEST, known, sizeof(known));
	return hash_begin(s, name && *name ? name : known);
}

static int sig_message_sign_init(void *vctx, const char *name, void *key, const OSSL_PARAM params[])
{
	return message_init(vctx, name, key, EVP_PKEY_sign_init_ex, params);
}

static int sig_message_verify_init(void *vctx, const char *name, void *key, const OSSL_PARAM params[])
{
	return message_init(vctx, name, key, EVP_PKEY_verify_init_ex, params);
}

static int sig_message_update(void *vctx, const unsigned char *data, size_t len)
{
	struct signature *s = vctx;

	return s->md ? EVP_DigestUpdate(s->md, data, len) : 0;
}

static int sig_message_sign(void *vctx, unsigned char *sig, size_t *len, size_t room)
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	struct signature *s = vctx;
	unsigned int n;

	if (!s->md)
		return 0;
	if (!sig)
		return EVP_PKEY_sign(s->op.ctx, NULL, len, NULL, 0);
	return EVP_DigestFinal_ex(s->md, digest, &n) ? sig_sign(vctx, sig, len, room, digest, n) : 0;
}

static int sig_message_verify(void *vctx, const unsigned char *sig, size_t len)
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	struct signature *s = vctx;
	unsigned int n;

	/* Without a signature OpenSSL 3.4 and later return before they look at its encoding. */
	if (!len && s->op.kind == WDP_KIND_ECDSA && s->op.prov->core.version >= 0x30400000)
		return 0;
	return s->md && EVP_DigestFinal_ex(s->md, digest, &n) ? sig_verify(vctx, sig, len, digest, n) : 0;
}

#define PARAMS_MAX	16

/* OpenSSL 3.6 and later ignore another digest for a message of RSA, but take the parameters beside it. */
static int set_all_but_digest(struct signature *s, const OSSL_PARAM params[])
{
	OSSL_PARAM others[PARAMS_MAX + 1];
	unsigned int n = 0;

	for (; params->key && n < PARAMS_MAX; params++)
		if (strcmp(params->key, OSSL_SIGNATURE_PARAM_DIGEST))
			others[n++] = *params;
	others[n] = OSSL_PARAM_construct_end();
	return !params->key && wdp_operation_set_params(&s->op, others);
}

/* While a message is hashed its digest can't become another one. */
static int sig_set_params(void *vctx, const OSSL_PARAM params[])
{
	struct signature *s = vctx;
	const OSSL_PARAM *digest = params && s->md ? OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_DIGEST) :
				   NULL;
	char name[64], *at = name;

	if (digest &&
	    (!OSSL_PARAM_get_utf8_string(digest, &at, sizeof(name)) || !EVP_MD_is_a(EVP_MD_CTX_get0_md(s->md), name))) {
		if (s->op.kind == WDP_KIND_RSA_SIGN && s->op.prov->core.version >= 0x30600000)
			return set_all_but_digest(s, params);
		wdp_raise(&s->op.prov->core, PROV_R_DIGEST_NOT_ALLOWED, NULL);
		return 0;
	}
	return wdp_operation_set_params(vctx, params);
}

static int sig_get_md_params(void *vctx, OSSL_PARAM *params)
{
	struct signature *s = vctx;

	return s->md ? EVP_MD_CTX_get_params(s->md, params) : 0;
}

static int sig_set_md_params(void *vctx, const OSSL_PARAM params[])
{
	struct signature *s = vctx;

	return s->md ? EVP_MD_CTX_set_params(s->md, params) : 0;
}

static const OSSL_PARAM *sig_gettable_md(void *vctx)
{
	struct signature *s = vctx;

	return s->md ? EVP_MD_gettable_ctx_params(EVP_MD_CTX_get0_md(s->md)) : NULL;
}

static const OSSL_PARAM *sig_settable_md(void *vctx)
{
	struct signature *s = vctx;

	return s->md ? EVP_MD_settable_ctx_params(EVP_MD_CTX_get0_md(s->md)) : NULL;
}

#define SIGNATURE(name, kind, ...)									\
static const struct by_device name##_by_device = { wdp_##name##_sign, wdp_##name##_verifies, wdp_##name##_verify }; \
static void *name##_new(void *provctx, const char *propq)						\
{													\
	(void)propq;											\
	return sig_new(provctx, kind, &name##_by_device);						\
}													\
WDP_LIST(name, kind, gettable)										\
WDP_LIST(name, kind, settable)										\
const OSSL_DISPATCH wdp_signature_##name[] = {								\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_NEWCTX, name##_new),						\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_FREECTX, sig_free),						\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_DUPCTX, sig_dup),						\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_SIGN_INIT, sig_sign_init),					\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_SIGN, sig_sign),						\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_VERIFY_INIT, sig_verify_init),					\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_VERIFY, sig_verify),						\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT, sig_message_sign_init),			\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE, sig_message_update),			\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL, sig_message_sign),				\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT, sig_message_verify_init),			\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE, sig_message_update),			\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL, sig_message_verify),			\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS, wdp_operation_get_params),			\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS, name##_gettable),				\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS, sig_set_params),				\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS, name##_settable),				\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_GET_CTX_MD_PARAMS, sig_get_md_params),				\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_GETTABLE_CTX_MD_PARAMS, sig_gettable_md),			\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_SET_CTX_MD_PARAMS, sig_set_md_params),				\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_SETTABLE_CTX_MD_PARAMS, sig_settable_md),			\
	__VA_ARGS__											\
	{ 0, NULL },											\
}

#define RECOVERS									\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_VERIFY_RECOVER_INIT, sig_recover_init),	\
	WDP_FUNCTION(OSSL_FUNC_SIGNATURE_VERIFY_RECOVER, sig_recover),

SIGNATURE(rsa, WDP_KIND_RSA_SIGN, RECOVERS);
SIGNATURE(ecdsa, WDP_KIND_ECDSA, );
