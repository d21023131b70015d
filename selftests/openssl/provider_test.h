/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of the provider: two library contexts, with and without it, and keys in both. */
#ifndef PROVIDER_TEST_H
#define PROVIDER_TEST_H

#include <limits.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>
#include <stdlib.h>

#include "emulated.h"

#define DEVICE	"hisi_hpre-1"

struct both {
	OSSL_LIB_CTX *stock;		/* the default provider alone */
	OSSL_LIB_CTX *ours;		/* the default provider, and ours preferred */
	OSSL_PROVIDER *provider;
	OSSL_PROVIDER *defaults[2];	/* the default providers of both */
};

/* Do devices take operations? Emulated ones; in a VM simulated ones, which the test's caller has made. */
static inline bool on_device(void)
{
	return emulated() || getenv("WD_TEST_SIMULATED");
}

/* The folder of the module, below the program's. */
static inline const char *modules(void)
{
	static char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 64);
	int i;

	for (i = 0; n > 0 && i < 3; i++) {
		path[n] = '\0';
		n = strrchr(path, '/') - path;
	}
	strcpy(path + n, "/ossl-modules");
	return path;
}

/* Without a device the provider is asked to offer its algorithms nevertheless. */
static inline bool both_open(struct both *b)
{
	setenv("WD_OPENSSL_DEVICES", on_device() ? "require" : "later", 1);
	setenv("WD_OPENSSL_LOG", "off", 0);
	/* By default P-256 and X25519 are a device's in asynchronous jobs only. */
	setenv("WD_OPENSSL_ALGORITHMS", "pkey", 0);
	setvbuf(stdout, NULL, _IOLBF, 0);
	b->stock = OSSL_LIB_CTX_new();
	b->ours = OSSL_LIB_CTX_new();
	b->defaults[0] = OSSL_PROVIDER_load(b->stock, "default");
	b->defaults[1] = OSSL_PROVIDER_load(b->ours, "default");
	if (!OSSL_PROVIDER_set_default_search_path(b->ours, modules()))
		return false;
	b->provider = OSSL_PROVIDER_load(b->ours, "warpdrive");
	return b->provider && EVP_set_default_properties(b->ours, "?provider=warpdrive");
}

static inline void both_close(struct both *b)
{
	if (b->provider)
		OSSL_PROVIDER_unload(b->provider);
	OSSL_PROVIDER_unload(b->defaults[0]);
	OSSL_PROVIDER_unload(b->defaults[1]);
	OSSL_LIB_CTX_free(b->ours);
	OSSL_LIB_CTX_free(b->stock);
}

static inline uint64_t count_of(const struct both *b, const char *name)
{
	uint64_t value = UINT64_MAX;
	OSSL_PARAM params[] = { OSSL_PARAM_construct_uint64(name, &value), OSSL_PARAM_END };

	return OSSL_PROVIDER_get_params(b->provider, params) ? value : UINT64_MAX;
}

static inline uint64_t soft(const struct both *b)
{
	return count_of(b, "warpdrive-requests-soft");
}

static inline uint64_t sim(const struct both *b)
{
	return count_of(b, "warpdrive-requests-sim");
}

/* Where the operations go that devices take. */
static inline uint64_t taken(const struct both *b)
{
	return on_device() ? sim(b) : soft(b);
}

static inline void errors_print(void)
{
	unsigned long error;
	const char *data;
	int flags;

	while ((error = ERR_get_error_all(NULL, NULL, NULL, &data, &flags)))
		printf("# %s: %s\n", ERR_reason_error_string(error) ?: "?", flags & ERR_TXT_STRING ? data : "");
}

/* The same key in another library context, by way of numbers. */
static inline EVP_PKEY *key_in(OSSL_LIB_CTX *libctx, const EVP_PKEY *key, int selection)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(libctx, EVP_PKEY_get0_type_name(key), NULL);
	OSSL_PARAM *params = NULL;
	EVP_PKEY *copy = NULL;

	if (ctx && EVP_PKEY_todata(key, selection, &params) > 0 && EVP_PKEY_fromdata_init(ctx) > 0)
		EVP_PKEY_fromdata(ctx, &copy, selection, params);
	OSSL_PARAM_free(params);
	EVP_PKEY_CTX_free(ctx);
	return copy;
}

/* group NULL: a type that has none; bits 0: no size. */
static inline EVP_PKEY *key_make(OSSL_LIB_CTX *libctx, const char *type, const char *group, size_t bits)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(libctx, type, NULL);
	OSSL_PARAM params[2] = { OSSL_PARAM_END, OSSL_PARAM_END };
	EVP_PKEY *key = NULL;

	if (group)
		params[0] = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)group, 0);
	else if (bits)
		params[0] = OSSL_PARAM_construct_size_t(OSSL_PKEY_PARAM_RSA_BITS, &bits);
	if (ctx && EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_CTX_set_params(ctx, params) > 0)
		EVP_PKEY_generate(ctx, &key);
	EVP_PKEY_CTX_free(ctx);
	return key;
}

static inline bool is_ours(const EVP_PKEY *key)
{
	const OSSL_PROVIDER *provider = key ? EVP_PKEY_get0_provider(key) : NULL;

	return provider && !strcmp(OSSL_PROVIDER_get0_name(provider), "warpdrive");
}

/* Signs a message; *len is 0 if that fails. */
static inline void sign(OSSL_LIB_CTX *libctx, EVP_PKEY *key, const char *digest, const OSSL_PARAM *params,
			const void *msg, size_t n, unsigned char sig[1024], size_t *len)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();

	*len = 1024;
	if (EVP_DigestSignInit_ex(ctx, NULL, digest, libctx, NULL, key, params) <= 0 ||
	    EVP_DigestSign(ctx, sig, len, msg, n) <= 0)
		*len = 0;
	EVP_MD_CTX_free(ctx);
}

static inline bool verify(OSSL_LIB_CTX *libctx, EVP_PKEY *key, const char *digest, const OSSL_PARAM *params,
			  const void *msg, size_t n, const unsigned char *sig, size_t len)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	bool ok = EVP_DigestVerifyInit_ex(ctx, NULL, digest, libctx, NULL, key, params) > 0 &&
		  EVP_DigestVerify(ctx, sig, len, msg, n) > 0;

	EVP_MD_CTX_free(ctx);
	return ok;
}

/* Derives a secret; pad -1: not set. Returns its length, or 0. */
static inline size_t derive(OSSL_LIB_CTX *libctx, EVP_PKEY *key, EVP_PKEY *peer, int pad, unsigned char secret[1024])
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(libctx, key, NULL);
	OSSL_PARAM params[] = { OSSL_PARAM_construct_int(OSSL_EXCHANGE_PARAM_PAD, &pad), OSSL_PARAM_END };
	size_t len = 1024;

	if (!ctx || EVP_PKEY_derive_init(ctx) <= 0 || (pad >= 0 && EVP_PKEY_CTX_set_params(ctx, params) <= 0) ||
	    EVP_PKEY_derive_set_peer(ctx, peer) <= 0 || EVP_PKEY_derive(ctx, secret, &len) <= 0)
		len = 0;
	EVP_PKEY_CTX_free(ctx);
	return len;
}

#endif
