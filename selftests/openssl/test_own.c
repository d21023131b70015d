// SPDX-License-Identifier: Apache-2.0
/*
 * A program keeps the properties of its own libcrypto. own.sh links this one with the libcrypto of another release,
 * while the module has that of this host; WD_TEST_FOREIGN says so.
 */
#include "provider_test.h"
#include "kselftest_harness.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))
#define ERRORS_MAX	8

FIXTURE(own) {
	struct both b;
	EVP_PKEY *key[2];		/* stock's, ours */
};

FIXTURE_SETUP(own)
{
	ASSERT_TRUE(both_open(&self->b)) errors_print();
}

static void keys_free(FIXTURE_DATA(own) *self)
{
	EVP_PKEY_free(self->key[0]);
	EVP_PKEY_free(self->key[1]);
	self->key[0] = self->key[1] = NULL;
}

FIXTURE_TEARDOWN(own)
{
	keys_free(self);
	both_close(&self->b);
}

static bool keys_make(FIXTURE_DATA(own) *self, const char *type, const char *group, size_t bits)
{
	keys_free(self);
	self->key[0] = key_make(self->b.stock, type, group, bits);
	self->key[1] = key_in(self->b.ours, self->key[0], EVP_PKEY_KEYPAIR);
	return is_ours(self->key[1]);
}

static EVP_PKEY_CTX *context(FIXTURE_DATA(own) *self, int ours)
{
	return EVP_PKEY_CTX_new_from_pkey(ours ? self->b.ours : self->b.stock, self->key[ours], NULL);
}

typedef int init_fn(EVP_PKEY_CTX *ctx);

static const struct {
	const char *type, *group;
	size_t bits;
	init_fn *init;
} rows[] = {
	{ "RSA", NULL, 2048, EVP_PKEY_sign_init },
	{ "RSA", NULL, 2048, EVP_PKEY_verify_init },
	{ "RSA", NULL, 2048, EVP_PKEY_decrypt_init },
	{ "RSA", NULL, 2048, EVP_PKEY_encrypt_init },
	{ "EC", "P-256", 0, EVP_PKEY_sign_init },
	{ "EC", "P-256", 0, EVP_PKEY_verify_init },
	{ "EC", "P-256", 0, EVP_PKEY_derive_init },
	{ "X25519", NULL, 0, EVP_PKEY_derive_init },
	{ "DH", "ffdhe2048", 0, EVP_PKEY_derive_init },
};

static const OSSL_PARAM *settable(EVP_PKEY_CTX *ctx) { return EVP_PKEY_CTX_settable_params(ctx); }
static const OSSL_PARAM *gettable(EVP_PKEY_CTX *ctx) { return EVP_PKEY_CTX_gettable_params(ctx); }

/* The first parameter of a that b lacks, or "". */
static const char *lacks(const OSSL_PARAM *b, const OSSL_PARAM *a)
{
	for (; a && a->key; a++)
		if (!b || !OSSL_PARAM_locate_const(b, a->key))
			return a->key;
	return "";
}

TEST_F(own, parameters_are_those_of_the_program_s_libcrypto)
{
	EVP_PKEY_CTX *ctx[2];
	unsigned int i;

	for (i = 0; i < COUNT(rows); i++) {
		ASSERT_TRUE(keys_make(self, rows[i].type, rows[i].group, rows[i].bits)) TH_LOG("%s", rows[i].type);
		ctx[0] = context(self, 0);
		ctx[1] = context(self, 1);
		ASSERT_EQ(1, rows[i].init(ctx[0]));
		ASSERT_EQ(1, rows[i].init(ctx[1]));
		EXPECT_STREQ("", lacks(settable(ctx[1]), settable(ctx[0]))) TH_LOG("row %u", i);
		EXPECT_STREQ("", lacks(settable(ctx[0]), settable(ctx[1]))) TH_LOG("row %u", i);
		EXPECT_STREQ("", lacks(gettable(ctx[1]), gettable(ctx[0]))) TH_LOG("row %u", i);
		EXPECT_STREQ("warpdrive-path", lacks(gettable(ctx[0]), gettable(ctx[1]))) TH_LOG("row %u", i);
		EXPECT_STREQ("", lacks(EVP_PKEY_gettable_params(self->key[1]), EVP_PKEY_gettable_params(self->key[0])));
		EXPECT_STREQ("", lacks(EVP_PKEY_settable_params(self->key[1]), EVP_PKEY_settable_params(self->key[0])));
		EVP_PKEY_CTX_free(ctx[0]);
		EVP_PKEY_CTX_free(ctx[1]);
	}
}

/* Decrypts a text without padding bytes of PKCS #1; returns what libcrypto returns, and the length. */
static int decrypt_bad(FIXTURE_DATA(own) *self, int ours, unsigned char last, unsigned char out[256], size_t *len)
{
	EVP_PKEY_CTX *ctx = context(self, ours);
	unsigned char text[256] = { 0 };
	int ret = EVP_PKEY_decrypt_init(ctx);

	text[255] = last;
	*len = 256;
	if (ret > 0)
		ret = EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING);
	if (ret > 0)
		ret = EVP_PKEY_decrypt(ctx, out, len, text, sizeof(text));
	EVP_PKEY_CTX_free(ctx);
	return ret;
}

TEST_F(own, what_is_rejected_of_pkcs1_is_the_same)
{
	unsigned char text[2][256];
	size_t len[2];
	int ret[2], i;

	ASSERT_TRUE(keys_make(self, "RSA", NULL, 2048));
	for (i = 2; i < 20; i++) {
		ret[0] = decrypt_bad(self, 0, (unsigned char)i, text[0], &len[0]);
		ret[1] = decrypt_bad(self, 1, (unsigned char)i, text[1], &len[1]);
		ASSERT_EQ(ret[0], ret[1]);
		if (ret[0] > 0) {
			/* The key and the text determine it. */
			ASSERT_EQ(len[0], len[1]);
			ASSERT_EQ(0, memcmp(text[0], text[1], len[0]));
		}
	}
}

static int sign_with(FIXTURE_DATA(own) *self, int ours, unsigned int nonce, unsigned char sig[128], size_t *len)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, (char *)"SHA256", 0),
		OSSL_PARAM_construct_uint("nonce-type", &nonce), OSSL_PARAM_END
	};
	unsigned char digest[32] = { 1, 2, 3 };
	EVP_PKEY_CTX *ctx = context(self, ours);
	int ret = EVP_PKEY_sign_init(ctx);

	*len = 128;
	if (ret > 0)
		ret = EVP_PKEY_CTX_set_params(ctx, params);
	if (ret > 0)
		ret = EVP_PKEY_sign(ctx, sig, len, digest, sizeof(digest));
	EVP_PKEY_CTX_free(ctx);
	return ret;
}

TEST_F(own, deterministic_signatures_are_as_without_us)
{
	unsigned char sig[3][128];
	size_t len[3];
	int same[2];

	ASSERT_TRUE(keys_make(self, "EC", "P-256", 0));
	ASSERT_EQ(sign_with(self, 0, 1, sig[0], &len[0]), sign_with(self, 1, 1, sig[1], &len[1]));
	ASSERT_EQ(1, sign_with(self, 0, 1, sig[2], &len[2]));
	same[0] = len[0] == len[2] && !memcmp(sig[0], sig[2], len[0]);
	same[1] = len[0] == len[1] && !memcmp(sig[0], sig[1], len[0]);
	EXPECT_EQ(same[0], same[1]);
	/* A value that can't be. */
	EXPECT_EQ(sign_with(self, 0, 77, sig[0], &len[0]), sign_with(self, 1, 77, sig[1], &len[1]));
}

/* Library and reason of each error in the program's queue but those of the front. */
static unsigned int errors_take(unsigned long errors[ERRORS_MAX])
{
	unsigned int n = 0;
	unsigned long error;

	while ((error = ERR_get_error()))
		if (n < ERRORS_MAX && ERR_GET_LIB(error) != ERR_LIB_EVP)
			errors[n++] = error;
	return n;
}

static int refused_oaep(FIXTURE_DATA(own) *self, int ours)
{
	EVP_PKEY_CTX *ctx = context(self, ours);
	unsigned char text[256] = { 0 }, out[256];
	size_t len = sizeof(out);
	int ret = EVP_PKEY_decrypt_init(ctx);

	text[255] = 9;
	if (ret > 0)
		ret = EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_OAEP_PADDING);
	if (ret > 0)
		ret = EVP_PKEY_decrypt(ctx, out, &len, text, sizeof(text));
	EVP_PKEY_CTX_free(ctx);
	return ret;
}

static int refused_digest(FIXTURE_DATA(own) *self, int ours)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, (char *)"bogus", 0), OSSL_PARAM_END
	};
	EVP_PKEY_CTX *ctx = context(self, ours);
	int ret = EVP_PKEY_sign_init(ctx);

	if (ret > 0)
		ret = EVP_PKEY_CTX_set_params(ctx, params);
	EVP_PKEY_CTX_free(ctx);
	return ret;
}

static int refused_length(FIXTURE_DATA(own) *self, int ours)
{
	EVP_PKEY_CTX *ctx = context(self, ours);
	unsigned char sig[512], digest[5] = { 0 };
	size_t len = sizeof(sig);
	int ret = EVP_PKEY_sign_init(ctx);

	if (ret > 0)
		ret = EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha256());
	if (ret > 0)
		ret = EVP_PKEY_sign(ctx, sig, &len, digest, sizeof(digest));
	EVP_PKEY_CTX_free(ctx);
	return ret;
}

static int accepted(FIXTURE_DATA(own) *self, int ours)
{
	unsigned char sig[1024];
	size_t len;

	sign(ours ? self->b.ours : self->b.stock, self->key[ours], "SHA256", NULL, "text", 4, sig, &len);
	return len > 0;
}

TEST_F(own, errors_are_in_the_program_s_queue_and_nothing_else_is)
{
	int (*const calls[])(FIXTURE_DATA(own) *self, int ours) = {
		refused_oaep, refused_digest, refused_length, accepted,
	};
	unsigned long errors[2][ERRORS_MAX] = { { 0 } };
	unsigned int n[2], i, j;
	int ret[2];

	ASSERT_TRUE(keys_make(self, "RSA", NULL, 2048));
	for (i = 0; i < COUNT(calls); i++) {
		for (j = 0; j < 2; j++) {
			ERR_clear_error();
			ret[j] = calls[i](self, (int)j);
			n[j] = errors_take(errors[j]);
		}
		EXPECT_EQ(ret[0], ret[1]) TH_LOG("call %u", i);
		EXPECT_EQ(n[0], n[1]) TH_LOG("call %u", i);
		EXPECT_EQ(n[0] ? errors[0][0] : 0, n[1] ? errors[1][0] : 0) TH_LOG("call %u", i);
	}
}

TEST_F(own, devices_do_what_they_can)
{
	unsigned char sig[1024];
	uint64_t before;
	size_t len;

	ASSERT_TRUE(keys_make(self, "RSA", NULL, 2048));
	before = taken(&self->b);
	sign(self->b.ours, self->key[1], "SHA256", NULL, "text", 4, sig, &len);
	EXPECT_TRUE(verify(self->b.stock, self->key[0], "SHA256", NULL, "text", 4, sig, len));
	EXPECT_EQ(before + 1, taken(&self->b));
	ASSERT_TRUE(keys_make(self, "EC", "P-256", 0));
	before = taken(&self->b);
	sign(self->b.ours, self->key[1], "SHA256", NULL, "text", 4, sig, &len);
	EXPECT_TRUE(verify(self->b.stock, self->key[0], "SHA256", NULL, "text", 4, sig, len));
	EXPECT_EQ(before + 1, taken(&self->b));
}

TEST_F(own, what_has_states_in_both_libraries_is_not_offered)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(self->b.ours, "AES-128-CBC", "provider=warpdrive");

	EXPECT_EQ(NULL, cipher);
	EVP_CIPHER_free(cipher);
	if (getenv("WD_TEST_FOREIGN"))
		EXPECT_EQ(NULL, EVP_KEYMGMT_fetch(self->b.ours, "SM2", "provider=warpdrive"));
}

TEST_HARNESS_MAIN
