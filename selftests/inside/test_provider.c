// SPDX-License-Identifier: Apache-2.0
/*
 * A process that prefers a provider named "warpdrive": the software path never uses it, because the real one would call
 * the library again. The provider here offers what the library needs, and every use of it fails and is counted.
 */
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/rand.h>

#include "kselftest_harness.h"
#include "works.h"

static unsigned int uses;

/* --- functions that fail, of which each algorithm's table has as many as libcrypto requires --- */

static void *used(void)
{
	uses++;
	return NULL;
}

static int fails(void)
{
	uses++;
	return 0;
}

static void nothing(void)
{
}

/* What libcrypto asks of a method when it reads the table, which is no use. */
static int describe(OSSL_PARAM params[])
{
	static const char *const sizes[] = {
		OSSL_DIGEST_PARAM_BLOCK_SIZE, OSSL_DIGEST_PARAM_SIZE, OSSL_CIPHER_PARAM_KEYLEN, OSSL_CIPHER_PARAM_IVLEN
	};
	unsigned int i;
	OSSL_PARAM *p;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		p = OSSL_PARAM_locate(params, sizes[i]);
		if (p)
			OSSL_PARAM_set_size_t(p, 16);
	}
	return 1;
}

#define F(id, f)	{ (id), (void (*)(void))(f) }

static const OSSL_DISPATCH digest[] = {
	F(OSSL_FUNC_DIGEST_NEWCTX, used), F(OSSL_FUNC_DIGEST_INIT, fails), F(OSSL_FUNC_DIGEST_UPDATE, fails),
	F(OSSL_FUNC_DIGEST_FINAL, fails), F(OSSL_FUNC_DIGEST_FREECTX, nothing),
	F(OSSL_FUNC_DIGEST_GET_PARAMS, describe), { 0, NULL },
};
static const OSSL_DISPATCH cipher[] = {
	F(OSSL_FUNC_CIPHER_NEWCTX, used), F(OSSL_FUNC_CIPHER_ENCRYPT_INIT, fails),
	F(OSSL_FUNC_CIPHER_DECRYPT_INIT, fails), F(OSSL_FUNC_CIPHER_UPDATE, fails), F(OSSL_FUNC_CIPHER_FINAL, fails),
	F(OSSL_FUNC_CIPHER_FREECTX, nothing), F(OSSL_FUNC_CIPHER_GET_PARAMS, describe), { 0, NULL },
};
static const OSSL_DISPATCH mac[] = {
	F(OSSL_FUNC_MAC_NEWCTX, used), F(OSSL_FUNC_MAC_DUPCTX, used), F(OSSL_FUNC_MAC_FREECTX, nothing),
	F(OSSL_FUNC_MAC_INIT, fails), F(OSSL_FUNC_MAC_UPDATE, fails), F(OSSL_FUNC_MAC_FINAL, fails), { 0, NULL },
};
static const OSSL_DISPATCH keys[] = {
	F(OSSL_FUNC_KEYMGMT_NEW, used), F(OSSL_FUNC_KEYMGMT_FREE, nothing), F(OSSL_FUNC_KEYMGMT_HAS, fails),
	F(OSSL_FUNC_KEYMGMT_IMPORT, fails), F(OSSL_FUNC_KEYMGMT_IMPORT_TYPES, used), { 0, NULL },
};
static const OSSL_DISPATCH signature[] = {
	F(OSSL_FUNC_SIGNATURE_NEWCTX, used), F(OSSL_FUNC_SIGNATURE_SIGN_INIT, fails),
	F(OSSL_FUNC_SIGNATURE_SIGN, fails), F(OSSL_FUNC_SIGNATURE_VERIFY_INIT, fails),
	F(OSSL_FUNC_SIGNATURE_VERIFY, fails), F(OSSL_FUNC_SIGNATURE_FREECTX, nothing), { 0, NULL },
};
static const OSSL_DISPATCH exchange[] = {
	F(OSSL_FUNC_KEYEXCH_NEWCTX, used), F(OSSL_FUNC_KEYEXCH_INIT, fails), F(OSSL_FUNC_KEYEXCH_SET_PEER, fails),
	F(OSSL_FUNC_KEYEXCH_DERIVE, fails), F(OSSL_FUNC_KEYEXCH_FREECTX, nothing), { 0, NULL },
};
static const OSSL_DISPATCH asym[] = {
	F(OSSL_FUNC_ASYM_CIPHER_NEWCTX, used), F(OSSL_FUNC_ASYM_CIPHER_ENCRYPT_INIT, fails),
	F(OSSL_FUNC_ASYM_CIPHER_ENCRYPT, fails), F(OSSL_FUNC_ASYM_CIPHER_DECRYPT_INIT, fails),
	F(OSSL_FUNC_ASYM_CIPHER_DECRYPT, fails), F(OSSL_FUNC_ASYM_CIPHER_FREECTX, nothing), { 0, NULL },
};

#define ALG(names, table)	{ names, "provider=warpdrive", table, NULL }

/* libcrypto itself fetches SHA-512 for the nonces of ECDSA, so that one isn't offered. */
static const OSSL_ALGORITHM digests[] = { ALG("SHA2-256:SHA-256:SHA256", digest), ALG("SM3", digest), { 0 } };
static const OSSL_ALGORITHM ciphers[] = {
	ALG("AES-128-CBC", cipher), ALG("AES-128-XTS", cipher), ALG("AES-128-GCM", cipher), { 0 },
};
static const OSSL_ALGORITHM macs[] = { ALG("HMAC", mac), { 0 } };
static const OSSL_ALGORITHM key_types[] = {
	ALG("RSA:rsaEncryption", keys), ALG("EC:id-ecPublicKey", keys), ALG("DH:dhKeyAgreement", keys),
	ALG("X25519", keys), ALG("X448", keys), ALG("SM2", keys), { 0 },
};
static const OSSL_ALGORITHM signatures[] = {
	ALG("RSA:rsaEncryption", signature), ALG("ECDSA", signature), ALG("SM2", signature), { 0 }
};
static const OSSL_ALGORITHM exchanges[] = {
	ALG("DH:dhKeyAgreement", exchange), ALG("ECDH", exchange), ALG("X25519", exchange), ALG("X448", exchange), { 0 }
};
static const OSSL_ALGORITHM asyms[] = { ALG("RSA:rsaEncryption", asym), ALG("SM2", asym), { 0 } };

static const OSSL_ALGORITHM *query(void *provctx, int operation, int *no_cache)
{
	static const OSSL_ALGORITHM *const offered[] = {
		[OSSL_OP_DIGEST] = digests, [OSSL_OP_CIPHER] = ciphers, [OSSL_OP_MAC] = macs,
		[OSSL_OP_KEYMGMT] = key_types,
		[OSSL_OP_SIGNATURE] = signatures, [OSSL_OP_KEYEXCH] = exchanges, [OSSL_OP_ASYM_CIPHER] = asyms,
	};

	*no_cache = 0;
	return (size_t)operation < sizeof(offered) / sizeof(offered[0]) ? offered[operation] : NULL;
}

static int provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
			 void **provctx)
{
	static const OSSL_DISPATCH table[] = { F(OSSL_FUNC_PROVIDER_QUERY_OPERATION, query), { 0, NULL } };

	*out = table;
	*provctx = (void *)handle;
	return 1;
}

FIXTURE(preferred) { };

/* libcrypto's random numbers come first, because they fetch with the default properties, too. */
FIXTURE_SETUP(preferred)
{
	unsigned char byte;

	ASSERT_EQ(1, RAND_bytes(&byte, 1));
	ASSERT_EQ(1, RAND_priv_bytes(&byte, 1));
	ASSERT_EQ(1, OSSL_PROVIDER_add_builtin(NULL, "warpdrive", provider_init));
	ASSERT_NE(NULL, OSSL_PROVIDER_load(NULL, "default"));
	ASSERT_NE(NULL, OSSL_PROVIDER_load(NULL, "warpdrive"));
	ASSERT_EQ(1, EVP_set_default_properties(NULL, "?provider=warpdrive"));
	uses = 0;
}

FIXTURE_TEARDOWN(preferred)
{
}

static bool is_fake(const OSSL_PROVIDER *p)
{
	return p && !strcmp(OSSL_PROVIDER_get0_name(p), "warpdrive");
}

/* Else the other test would prove nothing. */
TEST_F(preferred, a_fetch_without_a_query_gets_that_provider)
{
	EVP_KEYMGMT *km = EVP_KEYMGMT_fetch(NULL, "RSA", NULL);
	EVP_SIGNATURE *sig = EVP_SIGNATURE_fetch(NULL, "ECDSA", NULL);
	EVP_KEYEXCH *x = EVP_KEYEXCH_fetch(NULL, "X25519", NULL);
	EVP_CIPHER *c = EVP_CIPHER_fetch(NULL, "AES-128-CBC", NULL);
	EVP_MD *md = EVP_MD_fetch(NULL, "SHA256", NULL);
	EVP_MAC *m = EVP_MAC_fetch(NULL, "HMAC", NULL);
	unsigned char out[32];

	EXPECT_TRUE(is_fake(EVP_KEYMGMT_get0_provider(km)));
	EXPECT_TRUE(is_fake(EVP_SIGNATURE_get0_provider(sig)));
	EXPECT_TRUE(is_fake(EVP_KEYEXCH_get0_provider(x)));
	EXPECT_TRUE(is_fake(EVP_CIPHER_get0_provider(c)));
	EXPECT_TRUE(is_fake(EVP_MD_get0_provider(md)));
	EXPECT_TRUE(is_fake(EVP_MAC_get0_provider(m)));
	EXPECT_EQ(0, EVP_Digest("abc", 3, out, NULL, EVP_sha256(), NULL));
	EXPECT_LT(0, uses);
	EVP_KEYMGMT_free(km);
	EVP_SIGNATURE_free(sig);
	EVP_KEYEXCH_free(x);
	EVP_CIPHER_free(c);
	EVP_MD_free(md);
	EVP_MAC_free(m);
}

TEST_F(preferred, software_computes_without_it)
{
	unsigned int i, before;

	for (i = 0; i < WORKS; i++) {
		before = uses;
		EXPECT_EQ(0, works[i].run()) TH_LOG("%s: %s", works[i].name, detail(0));
		EXPECT_EQ(before, uses) TH_LOG("%s uses the provider", works[i].name);
	}
}

TEST_HARNESS_MAIN
