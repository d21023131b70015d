// SPDX-License-Identifier: Apache-2.0
/* KEYMGMT: every call is passed on to the default provider's key. */
#include <string.h>
#include <pthread.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/param_build.h>

#include "key.h"
#include "keygen.h"
#include "keymgmt.h"

/*
 * The parameters that can be imported and exported, by family, and by private, public, parameters. They come from the
 * first libcrypto that loads this module, because libcrypto asks for it without saying which provider is meant.
 */
static struct types {
	const OSSL_PARAM *of[8];
} types[WDP_FAMILIES];
static bool types_known[WDP_FAMILIES];
static pthread_mutex_t types_lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned int types_index(int selection)
{
	return (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY ? 1u : 0) |
	       (selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY ? 2u : 0) |
	       (selection & OSSL_KEYMGMT_SELECT_ALL_PARAMETERS ? 4u : 0);
}

static bool lists_ask(struct wdp_provider *prov, enum wdp_family_id id, struct types *to)
{
	static const int bits[] = {
		OSSL_KEYMGMT_SELECT_PRIVATE_KEY, OSSL_KEYMGMT_SELECT_PUBLIC_KEY, OSSL_KEYMGMT_SELECT_ALL_PARAMETERS,
	};
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(prov->default_provider.libctx, wdp_families[id].name, NULL);
	EVP_KEYMGMT *mgmt = EVP_KEYMGMT_fetch(prov->default_provider.libctx, wdp_families[id].name, NULL);
	bool ok = ctx && mgmt && EVP_PKEY_fromdata_init(ctx) > 0;
	unsigned int i, b;
	int selection;

	for (i = 1; ok && i < 8; i++) {
		for (selection = 0, b = 0; b < 3; b++)
			selection |= i & 1u << b ? bits[b] : 0;
		to->of[i] = EVP_PKEY_fromdata_settable(ctx, selection);
	}
	if (ok) {
		prov->key_lists[id] = (struct wdp_key_lists){
			EVP_KEYMGMT_gettable_params(mgmt), EVP_KEYMGMT_settable_params(mgmt),
			EVP_KEYMGMT_gen_settable_params(mgmt),
		};
	}
	EVP_KEYMGMT_free(mgmt);
	EVP_PKEY_CTX_free(ctx);
	return ok;
}

/* No lock is held while libcrypto is asked: that may make it read its configuration, and load this module once more. */
static bool lists_fill(struct wdp_provider *prov, enum wdp_family_id id)
{
	struct types answer;

	memset(&answer, 0, sizeof(answer));
	if (!lists_ask(prov, id, &answer))
		return false;
	pthread_mutex_lock(&types_lock);
	if (!types_known[id])
		types[id] = answer;
	types_known[id] = true;
	pthread_mutex_unlock(&types_lock);
	return true;
}

void wdp_keymgmt_prepare(struct wdp_provider *prov)
{
	unsigned int id;

	wdp_errors_mark(&prov->core);
	for (id = 0; id < WDP_FAMILIES; id++)
		if (wdp_families[id].algs & prov->algs && !lists_fill(prov, id))
			prov->algs &= ~wdp_families[id].algs;
	wdp_errors_drop(&prov->core);
}

static const struct wdp_key_lists *lists_of(const void *provctx, enum wdp_family_id id)
{
	return &((const struct wdp_provider *)provctx)->key_lists[id];
}

static void key_free(void *keydata)
{
	wdp_key_put(keydata);
}

static int key_has(const void *keydata, int selection)
{
	const struct wdp_key *key = keydata;
	const unsigned int known = OSSL_KEYMGMT_SELECT_ALL;

	if (!key)
		return 0;
	return !((unsigned int)selection & known & ~key->has);
}

static int key_match(const void *keydata1, const void *keydata2, int selection)
{
	const struct wdp_key *a = keydata1, *b = keydata2;

	if (!a->pkey || !b->pkey)
		return 0;
	if (selection & OSSL_KEYMGMT_SELECT_KEYPAIR)
		return EVP_PKEY_eq(a->pkey, b->pkey) > 0;
	return !(selection & OSSL_KEYMGMT_SELECT_ALL_PARAMETERS) || EVP_PKEY_parameters_eq(a->pkey, b->pkey) > 0;
}

/* The function that checks a key, by the selection. */
static int (*check_of(int selection, int type))(EVP_PKEY_CTX *)
{
	switch (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) {
	case OSSL_KEYMGMT_SELECT_KEYPAIR:
		return EVP_PKEY_pairwise_check;
	case OSSL_KEYMGMT_SELECT_PRIVATE_KEY:
		return EVP_PKEY_private_check;
	case OSSL_KEYMGMT_SELECT_PUBLIC_KEY:
		return type == OSSL_KEYMGMT_VALIDATE_QUICK_CHECK ? EVP_PKEY_public_check_quick : EVP_PKEY_public_check;
	}
	return NULL;
}

static int key_validate(const void *keydata, int selection, int type)
{
	const struct wdp_key *key = keydata;
	int (*check)(EVP_PKEY_CTX *ctx) = check_of(selection, type);
	EVP_PKEY_CTX *ctx;
	int ok = 1;

	if (!key->pkey)
		return 0;
	ctx = EVP_PKEY_CTX_new_from_pkey(key->prov->default_provider.libctx, key->pkey, NULL);
	if (!ctx)
		return 0;
	if (selection & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS)
		ok = (type == OSSL_KEYMGMT_VALIDATE_QUICK_CHECK ? EVP_PKEY_param_check_quick :
		      EVP_PKEY_param_check)(ctx) > 0;
	if (ok && check)
		ok = check(ctx) > 0;
	EVP_PKEY_CTX_free(ctx);
	return ok;
}

/* Parts that are imported later are added to those that are there. */
static EVP_PKEY *from_more_data(const struct wdp_key *key, int selection, const OSSL_PARAM *params)
{
	int have = (int)(key->has & OSSL_KEYMGMT_SELECT_ALL);
	OSSL_PARAM *old = NULL, *all = NULL;
	EVP_PKEY *pkey = NULL;

	if (EVP_PKEY_todata(key->pkey, have, &old) > 0)
		all = OSSL_PARAM_merge(old, params);
	if (all)
		pkey = wdp_pkey_from_data(key->prov, key->family, have | selection, all);
	OPENSSL_free(all);
	OSSL_PARAM_free(old);
	return pkey;
}

static int key_import(void *keydata, int selection, const OSSL_PARAM params[])
{
	struct wdp_key *key = keydata;
	EVP_PKEY *pkey;

	if (key->pkey)
		pkey = from_more_data(key, selection, params);
	else
		pkey = wdp_pkey_from_data(key->prov, key->family, selection, params);
	if (!pkey)
		return 0;
	wdp_key_take(key, pkey);
	return 1;
}

static int key_export(void *keydata, int selection, OSSL_CALLBACK *cb, void *arg)
{
	struct wdp_key *key = keydata;

	return key->pkey ? EVP_PKEY_export(key->pkey, selection, cb, arg) : 0;
}

static EVP_PKEY *copy_parameters(const struct wdp_key *key)
{
	EVP_PKEY *pkey = EVP_PKEY_new();

	if (pkey && EVP_PKEY_copy_parameters(pkey, key->pkey) > 0)
		return pkey;
	EVP_PKEY_free(pkey);
	return NULL;
}

/* A copy of the selection. */
static EVP_PKEY *copy_parts(const struct wdp_key *key, int selection)
{
	OSSL_PARAM *params = NULL;
	EVP_PKEY *pkey = NULL;

	if ((selection & OSSL_KEYMGMT_SELECT_ALL) == OSSL_KEYMGMT_SELECT_ALL)
		return EVP_PKEY_dup(key->pkey);
	if (!(selection & OSSL_KEYMGMT_SELECT_KEYPAIR))
		return copy_parameters(key);
	if (EVP_PKEY_todata(key->pkey, selection, &params) > 0)
		pkey = wdp_pkey_from_data(key->prov, key->family, selection, params);
	OSSL_PARAM_free(params);
	return pkey;
}

static void *key_dup(const void *keydata, int selection)
{
	const struct wdp_key *from = keydata;
	struct wdp_key *key = wdp_key_new(from->prov, from->family);
	EVP_PKEY *pkey;

	if (!key || !from->pkey)
		return key;
	pkey = copy_parts(from, selection);
	if (!pkey) {
		wdp_key_put(key);
		return NULL;
	}
	wdp_key_take(key, pkey);
	return key;
}

static int key_get_params(void *keydata, OSSL_PARAM params[])
{
	struct wdp_key *key = keydata;

	return key->pkey ? EVP_PKEY_get_params(key->pkey, params) : 0;
}

static int key_set_params(void *keydata, const OSSL_PARAM params[])
{
	struct wdp_key *key = keydata;

	if (!key->pkey || EVP_PKEY_set_params(key->pkey, (OSSL_PARAM *)params) <= 0)
		return 0;
	wdp_key_changed(key);
	return 1;
}

static const char *rsa_operation(int operation)
{
	(void)operation;
	return "RSA";
}

static const char *ec_operation(int operation)
{
	switch (operation) {
	case OSSL_OP_KEYEXCH:
		return "ECDH";
	case OSSL_OP_SIGNATURE:
		return "ECDSA";
	}
	return NULL;
}

static const char *sm2_operation(int operation)
{
	return operation == OSSL_OP_SIGNATURE ? "SM2" : NULL;
}

static const char *dh_operation(int operation)
{
	(void)operation;
	return "DH";
}

/* The calls without a key don't say which type they are about, so each type has its own. */
#define FAMILY(name, id, ...)											\
static void *name##_new(void *provctx) { return wdp_key_new(provctx, &wdp_families[id]); }			\
static const OSSL_PARAM *name##_types(int selection) { return types[id].of[types_index(selection)]; }	\
static const OSSL_PARAM *name##_gettable(void *provctx) { return lists_of(provctx, id)->gettable; }		\
static const OSSL_PARAM *name##_settable(void *provctx) { return lists_of(provctx, id)->settable; }		\
static void *name##_gen_init(void *provctx, int selection, const OSSL_PARAM params[])				\
{														\
	return wdp_gen_init(provctx, &wdp_families[id], selection, params);					\
}														\
static const OSSL_PARAM *name##_gen_settable(void *genctx, void *provctx)					\
{														\
	(void)genctx;												\
	return lists_of(provctx, id)->gen_settable;								\
}														\
const OSSL_DISPATCH wdp_keymgmt_##name[] = {									\
	WDP_FUNCTION(OSSL_FUNC_KEYMGMT_NEW, name##_new),							\
	WDP_FUNCTION(OSSL_FUNC_KEYMGMT_FREE, key_free),								\
	WDP_FUNCTION(OSSL_FUNC_KEYMGMT_HAS, key_has),								\
	WDP_FUNCTION(OSSL_FUNC_KEYMGMT_MATCH, key_match),							\
	WDP_FUNCTION(OSSL_FUNC_KEYMGMT_VALIDATE, key_validate),							\
	WDP_FUNCTION(OSSL_FUNC_KEYMGMT_IMPORT, key_import),							\
	WDP_FUNCTION(OSSL_FUNC_KEYMGMT_IMPORT_TYPES, name##_types),						\
	WDP_FUNCTION(OSSL_FUNC_KEYMGMT_EXPORT, key_export),							\
	WDP_FUNCTION(OSSL_FUNC_KEYMGMT_EXPORT_TYPES, name##_types),						\
	WDP_FUNCTION(OSSL_FUNC_KEYMGMT_DUP, key_dup),								\
	WDP_FUNCTION(OSSL_FUNC_KEYMGMT_GET_PARAMS, key_get_params),						\
	WDP_FUNCTION(OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS, name##_gettable),					\
	WDP_FUNCTION(OSSL_FUNC_KEYMGMT_SET_PARAMS, key_set_params),						\
	WDP_FUNCTION(OSSL_FUNC_KEYMGMT_SETTABLE_PARAMS, name##_settable),					\
	WDP_FUNCTION(OSSL_FUNC_KEYMGMT_GEN_INIT, name##_gen_init),						\
	WDP_FUNCTION(OSSL_FUNC_KEYMGMT_GEN_SET_TEMPLATE, wdp_gen_set_template),					\
	WDP_FUNCTION(OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS, wdp_gen_set_params),					\
	WDP_FUNCTION(OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS, name##_gen_settable),				\
	WDP_FUNCTION(OSSL_FUNC_KEYMGMT_GEN, wdp_gen),								\
	WDP_FUNCTION(OSSL_FUNC_KEYMGMT_GEN_CLEANUP, wdp_gen_cleanup),						\
	__VA_ARGS__												\
	{ 0, NULL },												\
}

#define NAMED_BY(function)	WDP_FUNCTION(OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME, function),

FAMILY(rsa, WDP_FAM_RSA, NAMED_BY(rsa_operation));
FAMILY(rsa_pss, WDP_FAM_RSA_PSS, NAMED_BY(rsa_operation));
FAMILY(ec, WDP_FAM_EC, NAMED_BY(ec_operation));
FAMILY(x25519, WDP_FAM_X25519, );
FAMILY(x448, WDP_FAM_X448, );
FAMILY(dh, WDP_FAM_DH, NAMED_BY(dh_operation));
FAMILY(dhx, WDP_FAM_DHX, NAMED_BY(dh_operation));
FAMILY(sm2, WDP_FAM_SM2, NAMED_BY(sm2_operation));
