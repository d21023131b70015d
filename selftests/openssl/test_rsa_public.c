// SPDX-License-Identifier: Apache-2.0
/* RSA's public operations, which devices are given on request: verification and encryption. */
#include "provider_test.h"
#include "kselftest_harness.h"

#define MESSAGE		"what is signed"

FIXTURE(rsa_public) {
	struct both b;
	EVP_PKEY *stock, *ours;		/* ours: the public part */
	unsigned char sig[1024], text[1024], plain[1024];
	size_t len;
};

FIXTURE_SETUP(rsa_public)
{
	setenv("WD_OPENSSL_ALGORITHMS", "rsa-public", 1);
	ASSERT_TRUE(both_open(&self->b)) errors_print();
	self->stock = key_make(self->b.stock, "RSA", NULL, 1024);
	self->ours = key_in(self->b.ours, self->stock, EVP_PKEY_PUBLIC_KEY);
	ASSERT_TRUE(is_ours(self->ours));
}

FIXTURE_TEARDOWN(rsa_public)
{
	EVP_PKEY_free(self->stock);
	EVP_PKEY_free(self->ours);
	both_close(&self->b);
}

static bool verifies(FIXTURE_DATA(rsa_public) *self, const char *digest, const OSSL_PARAM *params)
{
	return verify(self->b.ours, self->ours, digest, params, MESSAGE, sizeof(MESSAGE), self->sig, self->len);
}

/* The verdicts on a signature, as it is and with a bit changed, are those of the default provider. */
static bool verdicts_are_right(FIXTURE_DATA(rsa_public) *self, const char *digest, const OSSL_PARAM *sign_params,
			       const OSSL_PARAM *params)
{
	uint64_t before = taken(&self->b);
	bool good, right;

	sign(self->b.stock, self->stock, digest, sign_params, MESSAGE, sizeof(MESSAGE), self->sig, &self->len);
	good = verify(self->b.stock, self->stock, digest, params, MESSAGE, sizeof(MESSAGE), self->sig, self->len);
	right = self->len && verifies(self, digest, params) == good && (!good || taken(&self->b) == before + 1);
	self->sig[self->len / 2] ^= 4;
	right = right && !verifies(self, digest, params);
	self->len--;
	right = right && !verifies(self, digest, params);
	ERR_clear_error();
	return right;
}

TEST_F(rsa_public, signatures_of_pkcs1)
{
	static const char *const digests[] = { "SHA1", "SHA256", "SHA512", "SHA3-256", "MD5" };
	const OSSL_PARAM none[] = { OSSL_PARAM_END };
	unsigned int i;

	for (i = 0; i < 4; i++)
		EXPECT_TRUE(verdicts_are_right(self, digests[i], none, none)) TH_LOG("%s", digests[i]);
	/* Digests without an encoding here are the default provider's. */
	for (; i < 5; i++) {
		sign(self->b.stock, self->stock, digests[i], none, MESSAGE, sizeof(MESSAGE), self->sig, &self->len);
		EXPECT_TRUE(verifies(self, digests[i], none)) TH_LOG("%s", digests[i]);
	}
}

/* A text that is nobody's digest, of each length from 0 on. */
static int raw_verdict(EVP_PKEY *key, OSSL_LIB_CTX *libctx, const unsigned char *sig, size_t sig_len, size_t len)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(libctx, key, NULL);
	unsigned char text[4] = { 1, 2, 3, 4 };
	int ret = EVP_PKEY_verify_init(ctx);

	if (ret > 0)
		ret = EVP_PKEY_verify(ctx, sig, sig_len, text, len);
	EVP_PKEY_CTX_free(ctx);
	return ret;
}

TEST_F(rsa_public, verdicts_on_short_texts_without_a_digest_are_stock_s)
{
	unsigned char text[4] = { 1, 2, 3, 4 };
	EVP_PKEY_CTX *ctx;
	size_t len;

	for (len = 0; len <= sizeof(text); len++) {
		ctx = EVP_PKEY_CTX_new_from_pkey(self->b.stock, self->stock, NULL);
		self->len = sizeof(self->sig);
		ASSERT_EQ(1, EVP_PKEY_sign_init(ctx));
		ASSERT_EQ(1, EVP_PKEY_sign(ctx, self->sig, &self->len, text, len));
		EVP_PKEY_CTX_free(ctx);
		EXPECT_EQ(raw_verdict(self->stock, self->b.stock, self->sig, self->len, len),
			  raw_verdict(self->ours, self->b.ours, self->sig, self->len, len)) TH_LOG("%zu bytes", len);
	}
	ERR_clear_error();
}

TEST_F(rsa_public, signatures_of_pss)
{
	static const char *const salts[] = { "digest", "max", "auto", "0", "11", "20" };
	unsigned int i, j;

	for (i = 0; i < sizeof(salts) / sizeof(salts[0]); i++) {
		for (j = 0; j < sizeof(salts) / sizeof(salts[0]); j++) {
			OSSL_PARAM made[] = {
				OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE, (char *)"pss", 0),
				OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, (char *)salts[i], 0),
				OSSL_PARAM_END,
			};
			OSSL_PARAM wanted[] = {
				made[0],
				OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, (char *)salts[j], 0),
				OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_DIGEST,
								 (char *)(j % 2 ? "SHA1" : "SHA256"), 0),
				OSSL_PARAM_END,
			};

			EXPECT_TRUE(verdicts_are_right(self, "SHA256", made, wanted))
				TH_LOG("%s for %s", salts[i], salts[j]);
		}
	}
}

static EVP_PKEY_CTX *encryption(FIXTURE_DATA(rsa_public) *self, bool decrypts, const char *pad, const char *digest)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(decrypts ? self->b.stock : self->b.ours,
						       decrypts ? self->stock : self->ours, NULL);
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, (char *)pad, 0),
		OSSL_PARAM_construct_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, (char *)(digest ?: "SHA1"), 0),
		OSSL_PARAM_END,
	};

	if (!digest)
		params[1] = OSSL_PARAM_construct_end();
	if ((decrypts ? EVP_PKEY_decrypt_init : EVP_PKEY_encrypt_init)(ctx) > 0 &&
	    EVP_PKEY_CTX_set_params(ctx, params) > 0)
		return ctx;
	EVP_PKEY_CTX_free(ctx);
	return NULL;
}

static bool encrypts(FIXTURE_DATA(rsa_public) *self, const char *pad, const char *digest, size_t n)
{
	EVP_PKEY_CTX *to = encryption(self, false, pad, digest), *from = encryption(self, true, pad, digest);
	unsigned char in[128];
	size_t len = sizeof(self->plain);
	bool ok;

	memset(in, 0x5a, sizeof(in));
	self->len = sizeof(self->text);
	ok = to && from && EVP_PKEY_encrypt(to, self->text, &self->len, in, n) > 0 && self->len == 128 &&
	     EVP_PKEY_decrypt(from, self->plain, &len, self->text, self->len) > 0 && len == n &&
	     !memcmp(self->plain, in, n);
	EVP_PKEY_CTX_free(to);
	EVP_PKEY_CTX_free(from);
	return ok;
}

TEST_F(rsa_public, texts)
{
	size_t n;

	EXPECT_TRUE(encrypts(self, "none", NULL, 128));
	EXPECT_EQ(1, taken(&self->b));
	EXPECT_FALSE(encrypts(self, "none", NULL, 127));
	for (n = 0; n <= 86; n += 43)
		EXPECT_TRUE(encrypts(self, "oaep", "SHA1", n)) TH_LOG("%zu", n);
	EXPECT_TRUE(encrypts(self, "oaep", "SHA256", 62));
	EXPECT_FALSE(encrypts(self, "oaep", "SHA256", 63));
	EXPECT_EQ(5, taken(&self->b));
	/* The default provider's. */
	EXPECT_TRUE(encrypts(self, "pkcs1", NULL, 100));
	EXPECT_EQ(on_device() ? 5 : 6, taken(&self->b));
	ERR_clear_error();
}

TEST_F(rsa_public, a_wrong_result_refuses_no_good_signature)
{
	const OSSL_PARAM none[] = { OSSL_PARAM_END };

	if (emulated()) {
		sign(self->b.stock, self->stock, "SHA256", none, MESSAGE, sizeof(MESSAGE), self->sig, &self->len);
		ASSERT_TRUE(verifies(self, "SHA256", none));
		ASSERT_EQ(0, emulated_control(DEVICE, "fault corrupt=1/1"));
		EXPECT_TRUE(verifies(self, "SHA256", none));
		EXPECT_EQ(1, soft(&self->b));
	}
}

static void sign_block(EVP_PKEY *key, OSSL_LIB_CTX *libctx, const unsigned char block[128], unsigned char *sig,
		       size_t *len)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(libctx, key, NULL);

	*len = 1024;
	if (EVP_PKEY_sign_init(ctx) <= 0 || EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING) <= 0 ||
	    EVP_PKEY_sign(ctx, sig, len, block, 128) <= 0)
		*len = 0;
	EVP_PKEY_CTX_free(ctx);
}

/* A padding that is refused because of the digest stays set. */
TEST_F(rsa_public, no_padding_and_a_digest)
{
	unsigned char block[128] = { 0, 1, 2, 3 };
	int i, padding[2], verdict[2];

	sign_block(self->stock, self->b.stock, block, self->sig, &self->len);
	EXPECT_EQ(128, self->len);
	for (i = 0; i < 2; i++) {
		EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(i ? self->b.ours : self->b.stock,
							       i ? self->ours : self->stock, NULL);

		EXPECT_EQ(1, EVP_PKEY_verify_init(ctx));
		EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha256());
		padding[i] = EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING);
		verdict[i] = EVP_PKEY_verify(ctx, self->sig, self->len, block, sizeof(block));
		EVP_PKEY_CTX_free(ctx);
	}
	EXPECT_EQ(padding[0], padding[1]);
	EXPECT_EQ(verdict[0], verdict[1]);
	ERR_clear_error();
}

TEST_HARNESS_MAIN
