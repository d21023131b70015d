// SPDX-License-Identifier: Apache-2.0
/* Every operation, against the default provider alone; the counters say whether a device did it. */
#include "provider_test.h"
#include "kselftest_harness.h"

#define MESSAGE		"what is signed"
#define KEYPAIR		EVP_PKEY_KEYPAIR
#define TIMES		8

FIXTURE(pkey) {
	struct both b;
	uint64_t before;
};

FIXTURE_SETUP(pkey)
{
	ASSERT_TRUE(both_open(&self->b)) errors_print();
}

FIXTURE_TEARDOWN(pkey)
{
	both_close(&self->b);
}

static const OSSL_PARAM none[] = { OSSL_PARAM_END };

static bool signs(struct both *b, EVP_PKEY *ours, EVP_PKEY *stock, const char *digest, const OSSL_PARAM *params)
{
	unsigned char sig[1024];
	uint64_t before = taken(b);
	size_t len;

	sign(b->ours, ours, digest, params, MESSAGE, sizeof(MESSAGE), sig, &len);
	if (len && taken(b) == before + 1 &&
	    verify(b->stock, stock, digest, params, MESSAGE, sizeof(MESSAGE), sig, len) &&
	    verify(b->ours, ours, digest, params, MESSAGE, sizeof(MESSAGE), sig, len))
		return true;
	printf("# %s with %s: %zu bytes, %llu by the path expected\n", EVP_PKEY_get0_type_name(ours), digest, len,
	       (unsigned long long)(taken(b) - before));
	errors_print();
	return false;
}

static const char *const digests[] = {
	"SHA1", "SHA224", "SHA256", "SHA384", "SHA512", "SHA512-256", "SHA3-256", "SHA3-512"
};

TEST_F(pkey, rsa_signs_by_pkcs1_with_each_digest)
{
	EVP_PKEY *key = key_make(self->b.ours, "RSA", NULL, 2048), *stock = key_in(self->b.stock, key, KEYPAIR);
	unsigned int i;

	ASSERT_TRUE(is_ours(key));
	for (i = 0; i < sizeof(digests) / sizeof(digests[0]); i++)
		EXPECT_TRUE(signs(&self->b, key, stock, digests[i], none));
	EVP_PKEY_free(key);
	EVP_PKEY_free(stock);
}

TEST_F(pkey, rsa_signs_by_pss_with_each_length_of_salt)
{
	static const char *const salts[] = { "digest", "max", "auto", "0", "11" };
	EVP_PKEY *key = key_make(self->b.stock, "RSA", NULL, 1024), *ours = key_in(self->b.ours, key, KEYPAIR);
	unsigned int i;

	for (i = 0; i < sizeof(salts) / sizeof(salts[0]); i++) {
		OSSL_PARAM params[] = {
			OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE, "pss", 0),
			OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, (char *)salts[i], 0),
			OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_DIGEST, i & 1 ? "SHA256" : "SHA1",
							 0),
			OSSL_PARAM_END,
		};

		EXPECT_TRUE(signs(&self->b, ours, key, "SHA256", params)) TH_LOG("salt %s", salts[i]);
	}
	EVP_PKEY_free(key);
	EVP_PKEY_free(ours);
}

TEST_F(pkey, rsa_pss_keys_sign)
{
	EVP_PKEY *key = key_make(self->b.ours, "RSA-PSS", NULL, 1024), *stock = key_in(self->b.stock, key, KEYPAIR);

	ASSERT_TRUE(is_ours(key));
	EXPECT_TRUE(signs(&self->b, key, stock, "SHA256", none));
	EVP_PKEY_free(key);
	EVP_PKEY_free(stock);
}

static EVP_PKEY *restricted_key(OSSL_LIB_CTX *libctx, const char *digest, int salt)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(libctx, "RSA-PSS", NULL);
	size_t bits = 1024;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_size_t(OSSL_PKEY_PARAM_RSA_BITS, &bits),
		OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_RSA_DIGEST, (char *)digest, 0),
		OSSL_PARAM_construct_int(OSSL_PKEY_PARAM_RSA_PSS_SALTLEN, &salt), OSSL_PARAM_END,
	};
	EVP_PKEY *key = NULL;

	if (EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_CTX_set_params(ctx, params) > 0)
		EVP_PKEY_generate(ctx, &key);
	EVP_PKEY_CTX_free(ctx);
	return key;
}

/* What each step of settings and a signature returns: a digit for each. */
static void restricted_sign(OSSL_LIB_CTX *libctx, EVP_PKEY *key, const char *const steps[3], char trace[5])
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(libctx, key, NULL);
	static const char *const names[] = {
		OSSL_SIGNATURE_PARAM_PSS_SALTLEN, OSSL_SIGNATURE_PARAM_DIGEST, OSSL_SIGNATURE_PARAM_PSS_SALTLEN
	};
	OSSL_PARAM params[2] = { OSSL_PARAM_END, OSSL_PARAM_END };
	unsigned char digest[64] = { 1 }, sig[512];
	size_t len = sizeof(sig);
	unsigned int i;

	trace[4] = '\0';
	EVP_PKEY_sign_init(ctx);
	for (i = 0; i < 3; i++) {
		params[0] = OSSL_PARAM_construct_utf8_string(names[i], (char *)steps[i], 0);
		trace[i] = (char)('0' + (EVP_PKEY_CTX_set_params(ctx, params) > 0));
	}
	trace[3] = (char)('0' + (EVP_PKEY_sign(ctx, sig, &len, digest, strcmp(steps[1], "SHA512") ? 32 : 64) > 0));
	EVP_PKEY_CTX_free(ctx);
}

TEST_F(pkey, restrictions_of_rsa_pss_keys_hold)
{
	static const char *const steps[][3] = {
		{ "digest", "SHA256", "digest" }, { "digest", "SHA512", "digest" }, { "max", "SHA512", "39" },
		{ "auto", "SHA256", "40" }, { "40", "SHA512", "0" }, { "digest", "SHA512", "max" },
	};
	static const char *const digests[] = { "SHA512", "SHA256" };
	char trace[2][5];
	EVP_PKEY *key[2];
	unsigned int i, j;
	int ours;

	for (j = 0; j < 2; j++) {
		key[0] = restricted_key(self->b.stock, digests[j], 40);
		key[1] = key_in(self->b.ours, key[0], KEYPAIR);
		ASSERT_TRUE(is_ours(key[1]));
		for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
			for (ours = 0; ours < 2; ours++)
				restricted_sign(ours ? self->b.ours : self->b.stock, key[ours], steps[i], trace[ours]);
			EXPECT_STREQ(trace[0], trace[1]) TH_LOG("%s, %u", digests[j], i);
		}
		EVP_PKEY_free(key[0]);
		EVP_PKEY_free(key[1]);
	}
	EXPECT_LT(self->before + 2, taken(&self->b));
	ERR_clear_error();
}

/* One block to the private key; result and return value must be the same as stock's. */
static bool block(struct both *b, EVP_PKEY *ours, EVP_PKEY *stock, const unsigned char *in, size_t n, bool decrypts)
{
	unsigned char out[2][512];
	size_t len[2] = { 512, 512 };
	uint64_t before = taken(b);
	int i, ret[2];

	for (i = 0; i < 2; i++) {
		EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(i ? b->ours : b->stock, i ? ours : stock, NULL);

		(decrypts ? EVP_PKEY_decrypt_init : EVP_PKEY_sign_init)(ctx);
		EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING);
		ret[i] = (decrypts ? EVP_PKEY_decrypt : EVP_PKEY_sign)(ctx, out[i], &len[i], in, n);
		EVP_PKEY_CTX_free(ctx);
	}
	return ret[0] == 1 && ret[1] == 1 && len[0] == len[1] && !memcmp(out[0], out[1], len[0]) &&
	       taken(b) == before + 1;
}

TEST_F(pkey, rsa_without_padding)
{
	EVP_PKEY *key = key_make(self->b.stock, "RSA", NULL, 1024), *ours = key_in(self->b.ours, key, KEYPAIR);
	unsigned char in[128];

	memset(in, 0x17, sizeof(in));
	EXPECT_TRUE(block(&self->b, ours, key, in, sizeof(in), false));
	EXPECT_TRUE(block(&self->b, ours, key, in, sizeof(in), true));
	EVP_PKEY_free(key);
	EVP_PKEY_free(ours);
}

static int transform(OSSL_LIB_CTX *libctx, EVP_PKEY *key, bool decrypts, const OSSL_PARAM *params,
		     const unsigned char *in, size_t n, unsigned char *out, size_t *len)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(libctx, key, NULL);
	int ret;

	*len = 1200;
	ret = (decrypts ? EVP_PKEY_decrypt_init_ex : EVP_PKEY_encrypt_init_ex)(ctx, params);
	if (ret > 0)
		ret = (decrypts ? EVP_PKEY_decrypt : EVP_PKEY_encrypt)(ctx, out, len, in, n);
	EVP_PKEY_CTX_free(ctx);
	return ret;
}

TEST_F(pkey, rsa_decrypts_oaep_of_each_length)
{
	EVP_PKEY *key = key_make(self->b.stock, "RSA", NULL, 1024), *ours = key_in(self->b.ours, key, KEYPAIR);
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, "oaep", 0),
		OSSL_PARAM_construct_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, "SHA256", 0),
		OSSL_PARAM_construct_utf8_string(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, "SHA1", 0),
		OSSL_PARAM_construct_octet_string(OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL, "label", 5),
		OSSL_PARAM_END,
	};
	unsigned char text[512], ct[1200], out[1200];
	size_t n, ct_len, len;
	uint64_t before = taken(&self->b);

	memset(text, 1, sizeof(text));
	for (n = 0; n <= 128 - 66; n++) {
		ASSERT_EQ(1, transform(self->b.ours, ours, false, params, text, n, ct, &ct_len));
		ASSERT_EQ(1, transform(self->b.ours, ours, true, params, ct, ct_len, out, &len));
		ASSERT_EQ(n, len);
		ASSERT_EQ(0, memcmp(text, out, n));
	}
	EXPECT_EQ(before + n, taken(&self->b));
	ct[5] ^= 1;
	EXPECT_EQ(0, transform(self->b.ours, ours, true, params, ct, ct_len, out, &len));
	EVP_PKEY_free(key);
	EVP_PKEY_free(ours);
}

/* What isn't the text is the program's: behind it, and all of it and the length if there is none. */
TEST_F(pkey, rsa_decrypts_oaep_and_writes_nothing_else)
{
	EVP_PKEY *key[2] = { key_make(self->b.stock, "RSA", NULL, 1024), NULL };
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, "oaep", 0), OSSL_PARAM_END
	};
	unsigned char ct[512], out[2][512];
	uint64_t before = taken(&self->b);
	size_t ct_len, len[2];
	unsigned int bad;
	int ours, ret[2];

	key[1] = key_in(self->b.ours, key[0], KEYPAIR);
	ASSERT_EQ(1, transform(self->b.stock, key[0], false, params, (unsigned char *)"text", 4, ct, &ct_len));
	for (bad = 0; bad < 2; bad++) {
		for (ours = 0; ours < 2; ours++) {
			memset(out[ours], 0x55, sizeof(out[ours]));
			ret[ours] = transform(ours ? self->b.ours : self->b.stock, key[ours], true, params, ct, ct_len,
					      out[ours], &len[ours]);
		}
		EXPECT_EQ(!bad, ret[0]);
		EXPECT_EQ(ret[0], ret[1]);
		EXPECT_EQ(len[0], len[1]);
		EXPECT_EQ(0, memcmp(out[0], out[1], sizeof(out[0]))) TH_LOG("bad %u", bad);
		ct[5] ^= 1;
	}
	EXPECT_EQ(before + (on_device() ? 2 : 1), taken(&self->b));
	EVP_PKEY_free(key[0]);
	EVP_PKEY_free(key[1]);
}

TEST_F(pkey, rsa_decrypts_pkcs1_by_the_default_provider)
{
	EVP_PKEY *key = key_make(self->b.stock, "RSA", NULL, 1024), *ours = key_in(self->b.ours, key, KEYPAIR);
	unsigned char ct[1200], out[1200];
	size_t ct_len, len;
	uint64_t before = soft(&self->b);

	ASSERT_EQ(1, transform(self->b.stock, key, false, none, (unsigned char *)"text", 4, ct, &ct_len));
	ASSERT_EQ(1, transform(self->b.ours, ours, true, none, ct, ct_len, out, &len));
	EXPECT_EQ(4, len);
	EXPECT_EQ(before + 1, soft(&self->b));
	EVP_PKEY_free(key);
	EVP_PKEY_free(ours);
}

static const char *const curves[] = { "P-256", "P-384", "P-521", "P-224", "secp256k1", "brainpoolP256r1",
				      "brainpoolP320r1", "brainpoolP384r1", "brainpoolP512r1" };

TEST_F(pkey, ecdsa_signs_on_each_curve)
{
	unsigned int i, j;

	for (i = 0; i < sizeof(curves) / sizeof(curves[0]); i++) {
		EVP_PKEY *key = key_make(self->b.ours, "EC", curves[i], 0),
			 *stock = key_in(self->b.stock, key, KEYPAIR);

		ASSERT_TRUE(is_ours(key)) TH_LOG("%s", curves[i]);
		for (j = 0; j < 3; j++)
			EXPECT_TRUE(signs(&self->b, key, stock, digests[j + 2], none)) TH_LOG("%s", curves[i]);
		EVP_PKEY_free(key);
		EVP_PKEY_free(stock);
	}
}

TEST_F(pkey, a_curve_of_no_device_is_done_by_the_default_provider)
{
	EVP_PKEY *key = key_make(self->b.ours, "EC", "sect283r1", 0), *stock = key_in(self->b.stock, key, KEYPAIR);
	unsigned char sig[1024];
	uint64_t before = soft(&self->b);
	size_t len;

	ASSERT_TRUE(is_ours(key));
	sign(self->b.ours, key, "SHA256", none, MESSAGE, 3, sig, &len);
	EXPECT_TRUE(verify(self->b.stock, stock, "SHA256", none, MESSAGE, 3, sig, len));
	EXPECT_EQ(before + 1, soft(&self->b));
	EVP_PKEY_free(key);
	EVP_PKEY_free(stock);
}

/* A message in two parts, whose context is copied in between; id NULL: none is set. */
static bool sm2_signs(struct both *b, EVP_PKEY *key, EVP_PKEY *stock, const char *id)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new(), *copy = EVP_MD_CTX_new(), *check = EVP_MD_CTX_new();
	EVP_PKEY_CTX *pctx[2] = { NULL, NULL };
	unsigned char sig[1024];
	size_t len = sizeof(sig);
	bool ok = EVP_DigestSignInit_ex(ctx, &pctx[0], "SM3", b->ours, NULL, key, NULL) > 0 &&
		  EVP_DigestVerifyInit_ex(check, &pctx[1], "SM3", b->stock, NULL, stock, NULL) > 0;

	if (ok && id)
		ok = EVP_PKEY_CTX_set1_id(pctx[0], id, strlen(id)) > 0 &&
		     EVP_PKEY_CTX_set1_id(pctx[1], id, strlen(id)) > 0;
	ok = ok && EVP_DigestSignUpdate(ctx, "ab", 2) > 0 && EVP_MD_CTX_copy_ex(copy, ctx);
	EVP_MD_CTX_free(ctx);
	ok = ok && EVP_DigestSignUpdate(copy, "c", 1) > 0 && EVP_DigestSignFinal(copy, sig, &len) > 0 &&
	     EVP_DigestVerify(check, sig, len, (const unsigned char *)"abc", 3) > 0;
	EVP_MD_CTX_free(copy);
	EVP_MD_CTX_free(check);
	return ok;
}

/* With an identity devices sign; what stands for none is up to libcrypto. */
TEST_F(pkey, sm2_signs_with_an_identity)
{
	EVP_PKEY *key = key_make(self->b.ours, "SM2", NULL, 0), *stock = key_in(self->b.stock, key, KEYPAIR);
	uint64_t before = taken(&self->b), by_default;

	ASSERT_TRUE(is_ours(key));
	EXPECT_EQ(1, before);
	EXPECT_TRUE(sm2_signs(&self->b, key, stock, "1234567812345678"));
	EXPECT_TRUE(sm2_signs(&self->b, key, stock, ""));
	EXPECT_EQ(before + 2, taken(&self->b));
	by_default = soft(&self->b);
	EXPECT_TRUE(sm2_signs(&self->b, key, stock, NULL));
	EXPECT_EQ(by_default + 1, soft(&self->b));
	EVP_PKEY_free(key);
	EVP_PKEY_free(stock);
}

TEST_F(pkey, sm2_signs_a_digest)
{
	EVP_PKEY *key = key_make(self->b.ours, "SM2", NULL, 0), *stock = key_in(self->b.stock, key, KEYPAIR);
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(self->b.ours, key, NULL);
	EVP_PKEY_CTX *check = EVP_PKEY_CTX_new_from_pkey(self->b.stock, stock, NULL);
	unsigned char digest[32], sig[256];
	uint64_t before = taken(&self->b);
	size_t len = sizeof(sig);

	memset(digest, 7, sizeof(digest));
	ASSERT_EQ(1, EVP_PKEY_sign_init(ctx));
	ASSERT_EQ(1, EVP_PKEY_sign(ctx, sig, &len, digest, sizeof(digest)));
	EXPECT_EQ(before + 1, taken(&self->b));
	ASSERT_EQ(1, EVP_PKEY_verify_init(check));
	EXPECT_EQ(1, EVP_PKEY_verify(check, sig, len, digest, sizeof(digest)));
	EVP_PKEY_CTX_free(ctx);
	EVP_PKEY_CTX_free(check);
	EVP_PKEY_free(key);
	EVP_PKEY_free(stock);
}

/* Devices decrypt texts of up to 512 bytes; encryption isn't counted. */
TEST_F(pkey, sm2_decrypts)
{
	static const size_t lengths[] = { 1, 2, 31, 32, 33, 90, 200, 511, 512, 513, 800 };
	EVP_PKEY *key = key_make(self->b.stock, "SM2", NULL, 0), *ours = key_in(self->b.ours, key, KEYPAIR);
	unsigned char text[800], ct[1200], out[1200];
	uint64_t before = taken(&self->b), by_default = soft(&self->b);
	unsigned int i, by_path = on_device() ? 9 : 11;
	size_t ct_len, len;

	memset(text, 0x5a, sizeof(text));
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		ASSERT_EQ(1, transform(i % 2 ? self->b.ours : self->b.stock, i % 2 ? ours : key, false, none, text,
				       lengths[i], ct, &ct_len));
		ASSERT_EQ(1, transform(self->b.ours, ours, true, none, ct, ct_len, out, &len))
			TH_LOG("%zu", lengths[i]);
		EXPECT_EQ(lengths[i], len);
		EXPECT_EQ(0, memcmp(text, out, len));
	}
	EXPECT_EQ(before + by_path, taken(&self->b));
	EXPECT_EQ(by_default + (on_device() ? 2 : 11), soft(&self->b));
	EVP_PKEY_free(key);
	EVP_PKEY_free(ours);
}

/* With any byte changed, or some of them missing, return values and texts are stock's. */
TEST_F(pkey, sm2_refuses_texts_that_stock_refuses)
{
	EVP_PKEY *key = key_make(self->b.stock, "SM2", NULL, 0), *ours = key_in(self->b.ours, key, KEYPAIR);
	unsigned char ct[1200], out[2][1200];
	size_t ct_len, len[2], i;
	int ret[2];

	ASSERT_EQ(1, transform(self->b.stock, key, false, none, (const unsigned char *)MESSAGE, sizeof(MESSAGE), ct,
			       &ct_len));
	for (i = 0; i < 2 * ct_len; i++) {
		size_t n = i < ct_len ? ct_len : i - ct_len;

		ct[i % ct_len] ^= 0x11;
		ret[0] = transform(self->b.stock, key, true, none, ct, n, out[0], &len[0]);
		ret[1] = transform(self->b.ours, ours, true, none, ct, n, out[1], &len[1]);
		ct[i % ct_len] ^= 0x11;
		EXPECT_EQ(ret[0], ret[1]) TH_LOG("%zu", i);
		if (ret[0] > 0 && ret[1] > 0)
			EXPECT_TRUE(len[0] == len[1] && !memcmp(out[0], out[1], len[0]));
	}
	EXPECT_EQ(0, count_of(&self->b, "warpdrive-fallbacks"));
	ERR_clear_error();
	EVP_PKEY_free(key);
	EVP_PKEY_free(ours);
}

/* A size alone, and too little room for the text. */
TEST_F(pkey, sm2_room_for_a_text)
{
	EVP_PKEY *key = key_make(self->b.stock, "SM2", NULL, 0), *ours = key_in(self->b.ours, key, KEYPAIR);
	unsigned char ct[1200], out[1200];
	size_t ct_len, len[2], size[2];
	int i, ret[2];

	ASSERT_EQ(1, transform(self->b.stock, key, false, none, (const unsigned char *)MESSAGE, sizeof(MESSAGE), ct,
			       &ct_len));
	for (i = 0; i < 2; i++) {
		EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(i ? self->b.ours : self->b.stock, i ? ours : key, NULL);
		EVP_PKEY_CTX *copy;

		EXPECT_EQ(1, EVP_PKEY_decrypt_init(ctx));
		EXPECT_EQ(1, EVP_PKEY_decrypt(ctx, NULL, &size[i], ct, ct_len));
		copy = EVP_PKEY_CTX_dup(ctx);
		len[i] = sizeof(MESSAGE) - 1;
		ret[i] = EVP_PKEY_decrypt(ctx, out, &len[i], ct, ct_len);
		len[i] = sizeof(out);
		EXPECT_EQ(1, EVP_PKEY_decrypt(copy, out, &len[i], ct, ct_len));
		EVP_PKEY_CTX_free(ctx);
		EVP_PKEY_CTX_free(copy);
	}
	EXPECT_EQ(size[0], size[1]);
	EXPECT_EQ(ret[0], ret[1]);
	EXPECT_EQ(sizeof(MESSAGE), len[1]);
	ERR_clear_error();
	EVP_PKEY_free(key);
	EVP_PKEY_free(ours);
}

/* Both ends make keys, ours and stock's, and get the same secret; ours counts a key and a secret. */
static bool agrees(struct both *b, const char *type, const char *group, int pad, unsigned int counted)
{
	EVP_PKEY *a = key_make(b->ours, type, group, 0), *c, *a_stock, *c_ours;
	unsigned char secret[2][1024];
	uint64_t before = taken(b);
	size_t len[2];
	bool ok;

	EVP_PKEY_free(a);
	a = key_make(b->ours, type, group, 0);
	c = key_make(b->stock, type, group, 0);
	a_stock = key_in(b->stock, a, EVP_PKEY_PUBLIC_KEY);
	c_ours = key_in(b->ours, c, EVP_PKEY_PUBLIC_KEY);
	len[0] = derive(b->ours, a, c_ours, pad, secret[0]);
	len[1] = derive(b->stock, c, a_stock, pad, secret[1]);
	ok = is_ours(a) && len[0] && len[0] == len[1] && !memcmp(secret[0], secret[1], len[0]) &&
	     taken(b) >= before + counted;
	if (!ok) {
		printf("# %s %s: %zu, %zu bytes, %llu counted\n", type, group ?: "", len[0], len[1],
		       (unsigned long long)(taken(b) - before));
		errors_print();
	}
	EVP_PKEY_free(a);
	EVP_PKEY_free(c);
	EVP_PKEY_free(a_stock);
	EVP_PKEY_free(c_ours);
	return ok;
}

TEST_F(pkey, ecdh_agrees_on_each_curve)
{
	unsigned int i;

	for (i = 0; i < sizeof(curves) / sizeof(curves[0]); i++)
		EXPECT_TRUE(agrees(&self->b, "EC", curves[i], -1, 2));
}

TEST_F(pkey, x25519_and_x448_agree)
{
	EXPECT_TRUE(agrees(&self->b, "X25519", NULL, -1, 2));
	EXPECT_TRUE(agrees(&self->b, "X448", NULL, -1, 2));
}

TEST_F(pkey, dh_agrees_with_and_without_padding)
{
	EXPECT_TRUE(agrees(&self->b, "DH", "ffdhe2048", 0, 1));
	EXPECT_TRUE(agrees(&self->b, "DH", "ffdhe2048", 1, 1));
	EXPECT_TRUE(agrees(&self->b, "DH", "ffdhe2048", -1, 1));
	EXPECT_TRUE(agrees(&self->b, "DHX", "dh_2048_256", -1, 1));
	EXPECT_TRUE(agrees(&self->b, "DH", "modp_1536", -1, 1));
}

TEST_F(pkey, contexts_tell_the_path)
{
	EVP_PKEY *key = key_make(self->b.ours, "EC", "P-256", 0);
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(self->b.ours, key, NULL);
	char path[16] = "x";
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string("warpdrive-path", path, sizeof(path)), OSSL_PARAM_END
	};
	unsigned char sig[256];
	size_t len = sizeof(sig);

	ASSERT_EQ(1, EVP_PKEY_sign_init(ctx));
	EXPECT_EQ(1, EVP_PKEY_CTX_get_params(ctx, params));
	EXPECT_STREQ("", path);
	ASSERT_EQ(1, EVP_PKEY_sign(ctx, sig, &len, (unsigned char *)MESSAGE, 14));
	EXPECT_EQ(1, EVP_PKEY_CTX_get_params(ctx, params));
	EXPECT_STREQ(on_device() ? "sim" : "soft", path);
	EVP_PKEY_CTX_free(ctx);
	EVP_PKEY_free(key);
}

/* libcrypto ends a message in a duplicate of the program's context. */
static void message_tells_the_path(struct __test_metadata *_metadata, OSSL_LIB_CTX *libctx, EVP_PKEY *key,
				   const char *digest)
{
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	EVP_PKEY_CTX *ctx;
	char path[16] = "x";
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string("warpdrive-path", path, sizeof(path)), OSSL_PARAM_END
	};
	unsigned char sig[512];
	unsigned int message;
	size_t len;

	for (message = 0; message < 2; message++) {
		len = sizeof(sig);
		ASSERT_EQ(1, EVP_DigestSignInit_ex(md, &ctx, digest, libctx, NULL, key, NULL));
		EXPECT_EQ(1, EVP_PKEY_CTX_get_params(ctx, params));
		EXPECT_STREQ("", path);
		if (message == 0) {
			ASSERT_EQ(1, EVP_DigestSign(md, sig, &len, (const unsigned char *)MESSAGE, 14));
		} else {
			ASSERT_EQ(1, EVP_DigestSignUpdate(md, MESSAGE, 14));
			ASSERT_EQ(1, EVP_DigestSignFinal(md, sig, &len));
		}
		EXPECT_EQ(1, EVP_PKEY_CTX_get_params(ctx, params));
		EXPECT_STREQ(on_device() ? "sim" : "soft", path);
	}
	EVP_MD_CTX_free(md);
}

TEST_F(pkey, contexts_of_verified_messages_tell_the_path)
{
	static const struct { const char *type, *group, *digest; } kinds[] = {
		{ "EC", "P-256", "SHA256" }, { "SM2", NULL, "SM3" }
	};
	char path[16];
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string("warpdrive-path", path, sizeof(path)), OSSL_PARAM_END
	};
	unsigned char sig[1024];
	EVP_PKEY_CTX *ctx;
	EVP_MD_CTX *md;
	EVP_PKEY *key;
	unsigned int i;
	size_t len;

	for (i = 0; i < 2; i++) {
		key = key_make(self->b.ours, kinds[i].type, kinds[i].group, 0);
		sign(self->b.ours, key, kinds[i].digest, NULL, MESSAGE, 14, sig, &len);
		md = EVP_MD_CTX_new();
		ASSERT_EQ(1, EVP_DigestVerifyInit_ex(md, &ctx, kinds[i].digest, self->b.ours, NULL, key, NULL));
		ASSERT_EQ(1, EVP_DigestVerify(md, sig, len, (const unsigned char *)MESSAGE, 14));
		EXPECT_EQ(1, EVP_PKEY_CTX_get_params(ctx, params));
		/* Messages of SM2 without an identity are the default provider's. */
		EXPECT_STREQ(on_device() && !i ? "sim" : "soft", path) TH_LOG("%s", kinds[i].type);
		EVP_MD_CTX_free(md);
		EVP_PKEY_free(key);
	}
}

TEST_F(pkey, contexts_of_messages_tell_the_path)
{
	EVP_PKEY *ec = key_make(self->b.ours, "EC", "P-256", 0), *rsa = key_make(self->b.ours, "RSA", NULL, 2048);

	message_tells_the_path(_metadata, self->b.ours, ec, "SHA256");
	message_tells_the_path(_metadata, self->b.ours, rsa, "SHA256");
	EVP_PKEY_free(rsa);
	EVP_PKEY_free(ec);
}

/* A secret whose first byte is 0 comes once in 256 times: DH strips it unless it is to pad. */
TEST_F(pkey, dh_strips_the_zeroes_that_stock_strips)
{
	EVP_PKEY *a = key_make(self->b.stock, "DH", "modp_1536", 0), *ours = key_in(self->b.ours, a, KEYPAIR), *peer;
	unsigned char secret[2][1024];
	unsigned int i, shorter = 0;
	size_t len[2];

	for (i = 0; i < 3000 && !shorter; i++) {
		peer = key_make(self->b.stock, "DH", "modp_1536", 0);
		len[0] = derive(self->b.stock, a, peer, 0, secret[0]);
		if (len[0] < 192) {
			EVP_PKEY *peer_ours = key_in(self->b.ours, peer, EVP_PKEY_PUBLIC_KEY);

			len[1] = derive(self->b.ours, ours, peer_ours, 0, secret[1]);
			EXPECT_EQ(len[0], len[1]);
			EXPECT_EQ(0, memcmp(secret[0], secret[1], len[0]));
			EXPECT_EQ(192, derive(self->b.ours, ours, peer_ours, 1, secret[1]));
			EVP_PKEY_free(peer_ours);
			shorter++;
		}
		EVP_PKEY_free(peer);
	}
	EXPECT_EQ(1, shorter);
	EVP_PKEY_free(a);
	EVP_PKEY_free(ours);
}

TEST_HARNESS_MAIN
