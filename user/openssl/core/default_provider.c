// SPDX-License-Identifier: Apache-2.0
/*
 * Loads the default provider into a library context of its own, and asks it which parameters its contexts have. The
 * provider "legacy" comes later, if ever.
 */
#include <stdlib.h>
#include <string.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include "default_provider.h"

/* The lists are constant data of libcrypto, which outlive the object that names them. */
struct lists {
	const OSSL_PARAM *gettable, *settable;
};

static struct lists signature_lists(OSSL_LIB_CTX *libctx, const char *name)
{
	EVP_SIGNATURE *alg = EVP_SIGNATURE_fetch(libctx, name, NULL);
	struct lists lists = { NULL, NULL };

	if (alg)
		lists = (struct lists){
			EVP_SIGNATURE_gettable_ctx_params(alg), EVP_SIGNATURE_settable_ctx_params(alg)
		};
	EVP_SIGNATURE_free(alg);
	return lists;
}

static struct lists cipher_lists(OSSL_LIB_CTX *libctx, const char *name)
{
	EVP_ASYM_CIPHER *alg = EVP_ASYM_CIPHER_fetch(libctx, name, NULL);
	struct lists lists = { NULL, NULL };

	if (alg)
		lists = (struct lists){
			EVP_ASYM_CIPHER_gettable_ctx_params(alg), EVP_ASYM_CIPHER_settable_ctx_params(alg)
		};
	EVP_ASYM_CIPHER_free(alg);
	return lists;
}

static struct lists exchange_lists(OSSL_LIB_CTX *libctx, const char *name)
{
	EVP_KEYEXCH *alg = EVP_KEYEXCH_fetch(libctx, name, NULL);
	struct lists lists = { NULL, NULL };

	if (alg)
		lists = (struct lists){ EVP_KEYEXCH_gettable_ctx_params(alg), EVP_KEYEXCH_settable_ctx_params(alg) };
	EVP_KEYEXCH_free(alg);
	return lists;
}

static const struct {
	struct lists (*of)(OSSL_LIB_CTX *libctx, const char *name);
	const char *name;
} kinds[WDP_KINDS] = {
	[WDP_KIND_RSA_SIGN] = { signature_lists, "RSA" },
	[WDP_KIND_ECDSA] = { signature_lists, "ECDSA" },
	[WDP_KIND_SM2] = { signature_lists, "SM2" },
	[WDP_KIND_RSA_CIPHER] = { cipher_lists, "RSA" },
	[WDP_KIND_SM2_CIPHER] = { cipher_lists, "SM2" },
	[WDP_KIND_ECDH] = { exchange_lists, "ECDH" },
	[WDP_KIND_XDH] = { exchange_lists, "X25519" },
	[WDP_KIND_DH] = { exchange_lists, "DH" },
};

OSSL_PARAM *wdp_with_path(const OSSL_PARAM *list)
{
	const OSSL_PARAM path = OSSL_PARAM_utf8_string(WDP_PARAM_PATH, NULL, 0);
	OSSL_PARAM *all;
	size_t n = 0;

	while (list && list[n].key)
		n++;
	all = calloc(n + 2, sizeof(*all));
	if (!all)
		return NULL;
	if (n)
		memcpy(all, list, n * sizeof(*all));
	all[n] = path;
	return all;
}

static int find_default(OSSL_PROVIDER *provider, void *arg)
{
	struct wdp_default_provider *dp = arg;

	if (!strcmp(OSSL_PROVIDER_get0_name(provider), "default"))
		dp->provider = provider;
	return 1;
}

/*
 * A child has all providers of the program's context, this one, too, and the program's preference for it, until it gets
 * one of its own.
 */
static bool be_child(struct wdp_default_provider *dp)
{
	dp->libctx = OSSL_LIB_CTX_new_child(dp->core->handle, dp->core->functions);
	return dp->libctx && EVP_set_default_properties(dp->libctx, "?provider=default," WDP_NOT_OURS) &&
	       OSSL_PROVIDER_do_all(dp->libctx, find_default, dp) && dp->provider;
}

static bool be_alone(struct wdp_default_provider *dp)
{
	dp->libctx = OSSL_LIB_CTX_new();
	if (dp->libctx)
		dp->provider = OSSL_PROVIDER_load(dp->libctx, "default");
	return dp->provider;
}

bool wdp_default_provider_load(struct wdp_default_provider *dp, const struct wdp_core *core)
{
	struct lists lists;
	unsigned int i;
	bool ok = true;

	dp->core = core;
	dp->in_default_ctx = wdp_core_is_default(core);
	if (!(core->foreign ? be_child : be_alone)(dp))
		return false;
	/* A libcrypto that was built without some of them has no lists. */
	wdp_errors_mark(dp->core);
	for (i = 0; ok && i < WDP_KINDS; i++) {
		lists = kinds[i].of(dp->libctx, kinds[i].name);
		dp->settable[i] = lists.settable;
		dp->gettable[i] = wdp_with_path(lists.gettable);
		ok = dp->gettable[i];
	}
	wdp_errors_drop(dp->core);
	return ok;
}

/*
 * The providers that the program has loaded are known of the default context only. The program has mapped the file
 * already, so nothing is opened in a sandbox. There is no lock, which a fork might leave locked.
 */
static OSSL_PROVIDER *legacy(struct wdp_default_provider *dp)
{
	OSSL_PROVIDER *loaded = dp->legacy, *none = NULL;

	if (loaded || !dp->in_default_ctx || !OSSL_PROVIDER_available(OSSL_LIB_CTX_get0_global_default(), "legacy"))
		return loaded;
	loaded = OSSL_PROVIDER_load(dp->libctx, "legacy");
	if (!loaded || atomic_compare_exchange_strong(&dp->legacy, &none, loaded))
		return loaded;
	OSSL_PROVIDER_unload(loaded);
	return none;
}

static bool is_of_legacy(struct wdp_default_provider *dp, const OSSL_PARAM *name)
{
	EVP_MD *md = NULL;
	const char *text;
	bool ok;

	if (name && OSSL_PARAM_get_utf8_string_ptr(name, &text) && legacy(dp))
		md = EVP_MD_fetch(dp->libctx, text, NULL);
	ok = md && EVP_MD_get0_provider(md) == dp->legacy;
	EVP_MD_free(md);
	return ok;
}

bool wdp_default_provider_learns(struct wdp_default_provider *dp, const OSSL_PARAM params[])
{
	static const char *const digests[] = {
		OSSL_ALG_PARAM_DIGEST, OSSL_PKEY_PARAM_MGF1_DIGEST, OSSL_EXCHANGE_PARAM_KDF_DIGEST
	};
	bool learns = false;
	unsigned int i;

	wdp_errors_mark(dp->core);
	for (i = 0; params && !learns && i < sizeof(digests) / sizeof(digests[0]); i++)
		learns = is_of_legacy(dp, OSSL_PARAM_locate_const(params, digests[i]));
	wdp_errors_drop(dp->core);
	return learns;
}

bool wdp_default_provider_again(struct wdp_default_provider *dp, bool ok, const OSSL_PARAM params[])
{
	if (ok || !wdp_default_provider_learns(dp, params)) {
		wdp_errors_keep(dp->core);
		return false;
	}
	wdp_errors_drop(dp->core);
	return true;
}

void wdp_default_provider_unload(struct wdp_default_provider *dp)
{
	OSSL_PROVIDER *loaded = dp->legacy;
	unsigned int i;

	for (i = 0; i < WDP_KINDS; i++)
		free(dp->gettable[i]);
	if (loaded)
		OSSL_PROVIDER_unload(loaded);
	if (dp->provider && !dp->core->foreign)
		OSSL_PROVIDER_unload(dp->provider);
	OSSL_LIB_CTX_free(dp->libctx);
}
