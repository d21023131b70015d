// SPDX-License-Identifier: Apache-2.0
/* Keys come and go in all of libcrypto's ways: encodings, copies, comparisons across providers, parameters, sets. */
#include <openssl/decoder.h>
#include <openssl/encoder.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "provider_test.h"
#include "kselftest_harness.h"

FIXTURE(keys) {
	struct both b;
};

static const struct {
	const char *type, *group;
	size_t bits;
} kinds[] = {
	{ "RSA", NULL, 1024 }, { "RSA-PSS", NULL, 1024 }, { "EC", "P-256", 0 }, { "EC", "sect283r1", 0 },
	{ "SM2", NULL, 0 }, { "X25519", NULL, 0 }, { "X448", NULL, 0 }, { "DH", "ffdhe2048", 0 },
	{ "DHX", "dh_2048_256", 0 },
};

#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

FIXTURE_SETUP(keys)
{
	ASSERT_TRUE(both_open(&self->b)) errors_print();
}

FIXTURE_TEARDOWN(keys)
{
	both_close(&self->b);
}

static EVP_PKEY *make(OSSL_LIB_CTX *libctx, unsigned int kind)
{
	return key_make(libctx, kinds[kind].type, kinds[kind].group, kinds[kind].bits);
}

static bool encode(EVP_PKEY *key, const char *form, const char *structure, int selection, unsigned char **data,
		   size_t *len)
{
	OSSL_ENCODER_CTX *ctx = OSSL_ENCODER_CTX_new_for_pkey(key, selection, form, structure, NULL);
	bool ok;

	*data = NULL;
	ok = ctx && OSSL_ENCODER_to_data(ctx, data, len);
	OSSL_ENCODER_CTX_free(ctx);
	return ok;
}

static EVP_PKEY *decode(OSSL_LIB_CTX *libctx, const unsigned char *data, size_t len)
{
	EVP_PKEY *key = NULL;
	OSSL_DECODER_CTX *ctx = OSSL_DECODER_CTX_new_for_pkey(&key, NULL, NULL, NULL, 0, libctx, NULL);

	if (ctx)
		OSSL_DECODER_from_data(ctx, &data, &len);
	OSSL_DECODER_CTX_free(ctx);
	return key;
}

/* libcrypto leaves a decoded key with its decoder's provider, until the first operation brings it here. */
static bool works(struct both *b, EVP_PKEY *key, int selection)
{
	uint64_t before = sim(b) + soft(b);
	unsigned char out[1024];
	size_t len;

	if (selection != EVP_PKEY_KEYPAIR)
		return true;
	if (EVP_PKEY_can_sign(key))
		sign(b->ours, key, EVP_PKEY_is_a(key, "SM2") ? "SM3" : "SHA256", NULL, "abc", 3, out, &len);
	else
		len = derive(b->ours, key, key, -1, out);
	return len && sim(b) + soft(b) == before + 1;
}

/* What stock encodes we decode and encode to the same bytes. */
static bool goes_through(struct both *b, EVP_PKEY *stock, const char *form, const char *structure, int selection)
{
	unsigned char *data = NULL, *again = NULL;
	size_t len, again_len;
	EVP_PKEY *key = NULL;
	bool ok = encode(stock, form, structure, selection, &data, &len);

	if (ok) {
		key = decode(b->ours, data, len);
		ok = key && works(b, key, selection) && encode(key, form, structure, selection, &again, &again_len) &&
		     again_len == len && !memcmp(data, again, len) && EVP_PKEY_eq(key, stock) == 1 &&
		     EVP_PKEY_eq(stock, key) == 1;
	}
	EVP_PKEY_free(key);
	OPENSSL_free(data);
	OPENSSL_free(again);
	return ok;
}

TEST_F(keys, encodings)
{
	unsigned int i;

	for (i = 0; i < KINDS; i++) {
		EVP_PKEY *key = make(self->b.stock, i);

		EXPECT_TRUE(goes_through(&self->b, key, "PEM", "PrivateKeyInfo", EVP_PKEY_KEYPAIR)) TH_LOG("%u", i);
		EXPECT_TRUE(goes_through(&self->b, key, "DER", "PrivateKeyInfo", EVP_PKEY_KEYPAIR)) TH_LOG("%u", i);
		EXPECT_TRUE(goes_through(&self->b, key, "PEM", "SubjectPublicKeyInfo", EVP_PKEY_PUBLIC_KEY))
			TH_LOG("%u", i);
		EVP_PKEY_free(key);
	}
}

TEST_F(keys, text_and_numbers)
{
	unsigned int i;

	for (i = 0; i < KINDS; i++) {
		EVP_PKEY *key = make(self->b.stock, i), *ours = key_in(self->b.ours, key, EVP_PKEY_KEYPAIR);
		char *text[2];
		long len[2];
		BIO *bio[2];
		int j;

		for (j = 0; j < 2; j++) {
			bio[j] = BIO_new(BIO_s_mem());
			EXPECT_EQ(1, EVP_PKEY_print_private(bio[j], j ? ours : key, 0, NULL));
			len[j] = BIO_get_mem_data(bio[j], &text[j]);
		}
		EXPECT_EQ(len[0], len[1]);
		EXPECT_EQ(0, memcmp(text[0], text[1], (size_t)len[0]));
		EXPECT_EQ(EVP_PKEY_get_bits(key), EVP_PKEY_get_bits(ours));
		EXPECT_EQ(EVP_PKEY_get_size(key), EVP_PKEY_get_size(ours));
		EXPECT_EQ(EVP_PKEY_get_security_bits(key), EVP_PKEY_get_security_bits(ours));
		BIO_free(bio[0]);
		BIO_free(bio[1]);
		EVP_PKEY_free(key);
		EVP_PKEY_free(ours);
	}
}

TEST_F(keys, copies_and_comparisons)
{
	unsigned int i;

	for (i = 0; i < KINDS; i++) {
		EVP_PKEY *key = make(self->b.ours, i), *other = make(self->b.ours, i), *copy = EVP_PKEY_dup(key);
		EVP_PKEY *public = key_in(self->b.ours, key, EVP_PKEY_PUBLIC_KEY);

		EXPECT_TRUE(is_ours(copy));
		EXPECT_EQ(1, EVP_PKEY_eq(key, copy)) TH_LOG("%u", i);
		EXPECT_EQ(1, EVP_PKEY_eq(key, public)) TH_LOG("%u", i);
		EXPECT_EQ(0, EVP_PKEY_eq(key, other)) TH_LOG("%u", i);
		EVP_PKEY_free(key);
		EXPECT_LT(0, EVP_PKEY_get_bits(copy));
		EVP_PKEY_free(copy);
		EVP_PKEY_free(other);
		EVP_PKEY_free(public);
	}
}

typedef int check_fn(EVP_PKEY_CTX *ctx);

TEST_F(keys, checks)
{
	static check_fn *const checks[] = {
		EVP_PKEY_check, EVP_PKEY_public_check, EVP_PKEY_public_check_quick, EVP_PKEY_private_check,
		EVP_PKEY_pairwise_check, EVP_PKEY_param_check_quick,
	};
	unsigned int i, j, k;

	for (i = 0; i < KINDS; i++) {
		EVP_PKEY *key = make(self->b.stock, i);

		for (k = 0; k < 2; k++) {
			int selection = k ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR;
			EVP_PKEY *stock = key_in(self->b.stock, key, selection),
				 *ours = key_in(self->b.ours, key, selection);

			for (j = 0; j < sizeof(checks) / sizeof(checks[0]); j++) {
				EVP_PKEY_CTX *a = EVP_PKEY_CTX_new_from_pkey(self->b.stock, stock, NULL);
				EVP_PKEY_CTX *b = EVP_PKEY_CTX_new_from_pkey(self->b.ours, ours, NULL);

				EXPECT_EQ(checks[j](a), checks[j](b)) TH_LOG("%u %u %u", i, j, k);
				EVP_PKEY_CTX_free(a);
				EVP_PKEY_CTX_free(b);
			}
			EVP_PKEY_free(stock);
			EVP_PKEY_free(ours);
		}
		EVP_PKEY_free(key);
	}
}

/* As libssl makes a peer's key: parameters, then the encoded point. */
TEST_F(keys, an_encoded_public_key_is_set)
{
	unsigned int i;

	for (i = 2; i < KINDS - 1; i++) {
		EVP_PKEY *key = make(self->b.ours, i), *peer = EVP_PKEY_new();
		unsigned char *point = NULL;
		size_t len = EVP_PKEY_get1_encoded_public_key(key, &point);

		ASSERT_LT(0, len);
		ASSERT_EQ(1, EVP_PKEY_copy_parameters(peer, key)) TH_LOG("%u", i);
		EXPECT_TRUE(is_ours(peer));
		EXPECT_EQ(1, EVP_PKEY_set1_encoded_public_key(peer, point, len)) TH_LOG("%u", i);
		EXPECT_EQ(1, EVP_PKEY_eq(key, peer)) TH_LOG("%u", i);
		OPENSSL_free(point);
		EVP_PKEY_free(key);
		EVP_PKEY_free(peer);
	}
}

/* Devices are given the public key that is there now, in whichever form libcrypto would write it. */
TEST_F(keys, a_new_public_key_replaces_the_old_one)
{
	static const unsigned int exchanges[] = { 2, 5, 6 };
	unsigned char before[1024], after[1024], wanted[1024], *point;
	unsigned int i;
	uint64_t n;

	for (i = 0; i < sizeof(exchanges) / sizeof(exchanges[0]); i++) {
		EVP_PKEY *own = make(self->b.ours, exchanges[i]), *peer = make(self->b.ours, exchanges[i]);
		EVP_PKEY *other = make(self->b.ours, exchanges[i]);
		size_t w = derive(self->b.ours, own, other, -1, wanted),
		       len = EVP_PKEY_get1_encoded_public_key(other, &point);

		ASSERT_LT(0, w);
		EXPECT_EQ(w, derive(self->b.ours, own, peer, -1, before));
		EXPECT_NE(0, memcmp(before, wanted, w));
		EXPECT_EQ(1, EVP_PKEY_set1_encoded_public_key(peer, point, len));
		if (exchanges[i] == 2)
			EXPECT_EQ(1, EVP_PKEY_set_utf8_string_param(peer, OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT,
								    "compressed"));
		n = taken(&self->b);
		EXPECT_EQ(w, derive(self->b.ours, own, peer, -1, after));
		EXPECT_EQ(0, memcmp(after, wanted, w));
		EXPECT_EQ(n + 1, taken(&self->b));
		OPENSSL_free(point);
		EVP_PKEY_free(own);
		EVP_PKEY_free(peer);
		EVP_PKEY_free(other);
	}
}

/*
 * A program that works in other contexts may have left the default one without any provider, even of random numbers.
 * libwd computes with that one: what it can't do for a device then, the default provider does, and no error of it is
 * left behind.
 */
TEST_F(keys, work_without_a_provider_in_the_default_context)
{
	OSSL_PROVIDER *none = OSSL_PROVIDER_load(NULL, "null");
	unsigned char sig[1024];
	unsigned int i, round;
	EVP_PKEY *key;
	size_t len;

	ASSERT_NE(NULL, none);
	for (i = 0; i < KINDS; i++) {
		key = make(self->b.ours, i);
		for (round = 0; i < 4 && round < 2; round++) {
			sign(self->b.ours, key, "SHA256", NULL, "a", 1, sig, &len);
			EXPECT_TRUE(verify(self->b.ours, key, "SHA256", NULL, "a", 1, sig, len));
		}
		EXPECT_EQ(0, ERR_peek_error()) errors_print();
		EVP_PKEY_free(key);
	}
	OSSL_PROVIDER_unload(none);
}

/* What a key that is made from a template with that value of a parameter has there. */
static void made_from_template(OSSL_LIB_CTX *libctx, const char *name, const char *value, char text[32])
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(libctx, "EC", NULL);
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"P-256", 0),
		OSSL_PARAM_construct_utf8_string(name, (char *)value, 0),
		OSSL_PARAM_END,
	};
	EVP_PKEY *template = NULL, *key = NULL;
	size_t len;

	*text = '\0';
	if (EVP_PKEY_paramgen_init(ctx) == 1 && EVP_PKEY_CTX_set_params(ctx, params) == 1)
		EVP_PKEY_generate(ctx, &template);
	EVP_PKEY_CTX_free(ctx);
	ctx = EVP_PKEY_CTX_new_from_pkey(libctx, template, NULL);
	if (ctx && EVP_PKEY_keygen_init(ctx) == 1 && EVP_PKEY_generate(ctx, &key) == 1)
		EVP_PKEY_get_utf8_string_param(key, name, text, 32, &len);
	EVP_PKEY_CTX_free(ctx);
	EVP_PKEY_free(key);
	EVP_PKEY_free(template);
}

TEST_F(keys, a_template_s_way_to_write_a_curve_is_kept_as_by_stock)
{
	static const struct { const char *name, *value; } ways[] = {
		{ OSSL_PKEY_PARAM_EC_ENCODING, "explicit" },
		{ OSSL_PKEY_PARAM_EC_ENCODING, "named_curve" },
		{ OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, "compressed" },
		{ OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, "uncompressed" },
	};
	char stock[32], ours[32];
	unsigned int i;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		made_from_template(self->b.stock, ways[i].name, ways[i].value, stock);
		made_from_template(self->b.ours, ways[i].name, ways[i].value, ours);
		EXPECT_STREQ(stock, ours) TH_LOG("%s %s", ways[i].name, ways[i].value);
		EXPECT_STRNE("", stock);
	}
}

TEST_F(keys, a_template_makes_keys_of_its_group)
{
	unsigned int i;

	for (i = 2; i < KINDS - 1; i++) {
		EVP_PKEY *template = make(self->b.ours, i), *key = NULL;
		EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(self->b.ours, template, NULL);

		ASSERT_EQ(1, EVP_PKEY_keygen_init(ctx));
		ASSERT_EQ(1, EVP_PKEY_generate(ctx, &key)) TH_LOG("%u", i);
		EXPECT_TRUE(is_ours(key));
		EXPECT_EQ(1, EVP_PKEY_parameters_eq(template, key)) TH_LOG("%u", i);
		EXPECT_EQ(0, EVP_PKEY_eq(template, key));
		EVP_PKEY_CTX_free(ctx);
		EVP_PKEY_free(key);
		EVP_PKEY_free(template);
	}
}

static int progress(EVP_PKEY_CTX *ctx)
{
	(*(unsigned int *)EVP_PKEY_CTX_get_app_data(ctx))++;
	return 1;
}

TEST_F(keys, generation_reports_its_progress)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(self->b.ours, "RSA", NULL);
	unsigned int calls = 0;
	EVP_PKEY *key = NULL;

	ASSERT_EQ(1, EVP_PKEY_keygen_init(ctx));
	ASSERT_EQ(1, EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, 1024));
	EVP_PKEY_CTX_set_app_data(ctx, &calls);
	EVP_PKEY_CTX_set_cb(ctx, progress);
	ASSERT_EQ(1, EVP_PKEY_generate(ctx, &key));
	EXPECT_LT(1, calls);
	EVP_PKEY_free(key);
	EVP_PKEY_CTX_free(ctx);
}

TEST_HARNESS_MAIN
