// SPDX-License-Identifier: Apache-2.0
/* Fetches the default provider's ciphers, and offers them under all of their names. */
#include <stdlib.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <wd_cipher.h>

#include "aead.h"
#include "cipher.h"
#include "cipher_offer.h"
#include "core/log.h"
#include "core/offer.h"

static struct wdp_facts *_Atomic facts_of[WDP_CIPHERS];

static int param_get(const void *alg, OSSL_PARAM params[])
{
	return EVP_CIPHER_get_params((EVP_CIPHER *)alg, params);
}

static int names_do(const void *alg, wdp_name_fn *fn, void *arg)
{
	return EVP_CIPHER_names_do_all(alg, fn, arg);
}

/* --- dispatch tables --- */

#define FUNCTIONS(id, name, bit, alg, kind)									\
static void *id##_new(void *provctx) { return kind##_new(provctx, WDP_CIPHER_##id); }				\
WDP_PARAMS_OF(id, ciphers, WDP_CIPHER_##id, EVP_CIPHER)								\
static const OSSL_DISPATCH id##_functions[] = {									\
	WDP_FUNCTION(OSSL_FUNC_CIPHER_NEWCTX, id##_new),							\
	WDP_FUNCTION(OSSL_FUNC_CIPHER_FREECTX, kind##_free),						\
	WDP_FUNCTION(OSSL_FUNC_CIPHER_DUPCTX, kind##_dup),							\
	WDP_FUNCTION(OSSL_FUNC_CIPHER_ENCRYPT_INIT, kind##_encrypt_init),					\
	WDP_FUNCTION(OSSL_FUNC_CIPHER_DECRYPT_INIT, kind##_decrypt_init),					\
	WDP_FUNCTION(OSSL_FUNC_CIPHER_UPDATE, kind##_update),						\
	WDP_FUNCTION(OSSL_FUNC_CIPHER_FINAL, kind##_final),							\
	WDP_FUNCTION(OSSL_FUNC_CIPHER_CIPHER, kind##_whole),						\
	WDP_FUNCTION(OSSL_FUNC_CIPHER_GET_PARAMS, id##_get_params),						\
	WDP_FUNCTION(OSSL_FUNC_CIPHER_GETTABLE_PARAMS, id##_gettable),						\
	WDP_FUNCTION(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, kind##_get_ctx_params),				\
	WDP_FUNCTION(OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, id##_gettable_ctx),					\
	WDP_FUNCTION(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, kind##_set_ctx_params),				\
	WDP_FUNCTION(OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, id##_settable_ctx),					\
	{ 0, NULL },												\
};
WDP_CIPHER_ROWS(FUNCTIONS)

#define ROW(id, name, bit, alg, kind)	{ name, bit, alg, id##_functions },
static const struct row {
	const char *name;
	unsigned int bit;		/* enum wdp_alg */
	__u8 alg;
	const OSSL_DISPATCH *functions;
} rows[WDP_CIPHERS] = { WDP_CIPHER_ROWS(ROW) };

/* libcrypto's modes are libwd's. */
static const struct {
	int evp;
	__u8 mode;
} modes[] = {
	{ EVP_CIPH_ECB_MODE, WD_CIPHER_ECB },
	{ EVP_CIPH_CBC_MODE, WD_CIPHER_CBC },
	{ EVP_CIPH_CTR_MODE, WD_CIPHER_CTR },
	{ EVP_CIPH_XTS_MODE, WD_CIPHER_XTS },
	{ EVP_CIPH_OFB_MODE, WD_CIPHER_OFB },
	{ EVP_CIPH_CFB_MODE, WD_CIPHER_CFB },
	{ EVP_CIPH_GCM_MODE, WD_CIPHER_GCM },
	{ EVP_CIPH_CCM_MODE, WD_CIPHER_CCM },
};

/* --- offers --- */

static void cipher_describe(struct wdp_cipher *c, const struct row *row)
{
	unsigned int i;

	c->alg = row->alg;
	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (modes[i].evp == EVP_CIPHER_get_mode(c->fetched))
			c->mode = modes[i].mode;
	c->iv_len = (__u8)EVP_CIPHER_get_iv_length(c->fetched);
	c->block = (__u8)EVP_CIPHER_get_block_size(c->fetched);
	c->unit = c->block > 1 ? c->block : c->iv_len;
}

static bool cipher_offer(struct wdp_provider *prov, enum wdp_cipher_id id)
{
	const struct row *row = &rows[id];
	struct wdp_cipher *c = &prov->ciphers[id];
	OSSL_ALGORITHM offer = { NULL, WDP_PROPERTIES, row->functions, NULL };

	c->fetched = EVP_CIPHER_fetch(prov->default_provider.libctx, row->name, NULL);
	if (!c->fetched)
		return true;	/* a libcrypto that was built without it */
	cipher_describe(c, row);
	c->names = wdp_names(row->name, names_do, c->fetched);
	c->gettable = wdp_with_path(EVP_CIPHER_gettable_ctx_params(c->fetched));
	offer.algorithm_names = c->names;
	return c->names && c->gettable &&
	       wdp_facts_read(&facts_of[id], EVP_CIPHER_gettable_params(c->fetched), param_get, c->fetched) &&
	       wdp_offer(prov, OSSL_OP_CIPHER, &offer);
}

/* Since OpenSSL 3.5 the default provider's generator takes that provider's ciphers, whatever the program prefers. */
static bool random_numbers_follow(const struct wdp_provider *prov)
{
	return prov->core.version < 0x30500000;
}

/* Those that a group's name doesn't choose. */
static void log_alone(const struct wdp_provider *prov)
{
	unsigned int alg;

	if (!random_numbers_follow(prov))
		return;
	for (alg = 0; alg < WDP_ALGS; alg++)
		if (wdp_alg_facts[alg].alone && prov->algs & WDP_BIT(alg))
			wdp_log(prov, WDP_LOG_ERRORS, "%s is offered: libcrypto's random number generator will take it",
				wdp_alg_facts[alg].name);
}

bool wdp_ciphers_offer(struct wdp_provider *prov)
{
	unsigned int id;
	bool ok = true;

	wdp_errors_mark(&prov->core);
	for (id = 0; ok && id < WDP_CIPHERS; id++)
		ok = !(prov->algs & WDP_BIT(rows[id].bit)) || cipher_offer(prov, id);
	wdp_errors_drop(&prov->core);
	log_alone(prov);
	return ok;
}

void wdp_ciphers_free(struct wdp_provider *prov)
{
	unsigned int id;

	for (id = 0; id < WDP_CIPHERS; id++) {
		EVP_CIPHER_free(prov->ciphers[id].fetched);
		free(prov->ciphers[id].names);
		free(prov->ciphers[id].gettable);
	}
}
