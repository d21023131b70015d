// SPDX-License-Identifier: Apache-2.0
/* The provider's encoders write what stock's write for the same key. */
#include <openssl/decoder.h>
#include <openssl/encoder.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "provider_test.h"
#include "kselftest_harness.h"

FIXTURE(encode) {
	struct both b;
};

FIXTURE_SETUP(encode)
{
	ASSERT_TRUE(both_open(&self->b)) errors_print();
}

FIXTURE_TEARDOWN(encode)
{
	both_close(&self->b);
}

struct written {
	unsigned char *data;
	size_t len;
};

/* NULL data: refused. cipher: NULL, or that of an encrypted form, whose pass phrase is x. */
static struct written written_as(EVP_PKEY *key, int selection, const char *output, const char *structure,
				 const char *cipher)
{
	OSSL_ENCODER_CTX *ctx = OSSL_ENCODER_CTX_new_for_pkey(key, selection, output, structure, NULL);
	struct written w = { NULL, 0 };

	if (ctx && (!cipher || (OSSL_ENCODER_CTX_set_cipher(ctx, cipher, NULL) &&
				OSSL_ENCODER_CTX_set_passphrase(ctx, (const unsigned char *)"x", 1))))
		OSSL_ENCODER_to_data(ctx, &w.data, &w.len);
	OSSL_ENCODER_CTX_free(ctx);
	return w;
}

static EVP_PKEY *read_from(OSSL_LIB_CTX *libctx, const struct written *w)
{
	EVP_PKEY *key = NULL;
	OSSL_DECODER_CTX *ctx = OSSL_DECODER_CTX_new_for_pkey(&key, NULL, NULL, NULL, 0, libctx, NULL);
	const unsigned char *data = w->data;
	size_t len = w->len;

	if (ctx && OSSL_DECODER_CTX_set_passphrase(ctx, (const unsigned char *)"x", 1) && data)
		OSSL_DECODER_from_data(ctx, &data, &len);
	OSSL_DECODER_CTX_free(ctx);
	return key;
}

static const char *const outputs[] = { "DER", "PEM", "TEXT", "blob", "none" };
static const char *const structures[] = {
	NULL, "type-specific", "EC", "SM2", "X9.62", "PrivateKeyInfo", "EncryptedPrivateKeyInfo",
	"SubjectPublicKeyInfo", "none",
};
static const int selections[] = { EVP_PKEY_KEYPAIR, EVP_PKEY_PUBLIC_KEY, EVP_PKEY_KEY_PARAMETERS, 0 };

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

/* All forms, refused ones as well; returns how many were written. */
static unsigned int compare(struct __test_metadata *_metadata, EVP_PKEY *stock, EVP_PKEY *ours)
{
	unsigned int i, written = 0;

	for (i = 0; i < COUNT(outputs) * COUNT(structures) * COUNT(selections); i++) {
		const char *output = outputs[i % COUNT(outputs)];
		const char *structure = structures[i / COUNT(outputs) % COUNT(structures)];
		int selection = selections[i / COUNT(outputs) / COUNT(structures)];
		struct written a = written_as(stock, selection, output, structure, NULL);
		struct written b = written_as(ours, selection, output, structure, NULL);

		EXPECT_EQ(a.len, b.len) TH_LOG("%s, %s, %#x", output, structure, (unsigned int)selection);
		EXPECT_EQ(!a.data, !b.data);
		if (a.data && b.data && a.len == b.len)
			EXPECT_EQ(0, memcmp(a.data, b.data, a.len))
				TH_LOG("%s, %s, %#x", output, structure, (unsigned int)selection);
		written += !!a.data;
		OPENSSL_free(a.data);
		OPENSSL_free(b.data);
	}
	ERR_clear_error();
	return written;
}

TEST_F(encode, all_forms_are_stock_s)
{
	static const struct { const char *type, *group; } kinds[] = {
		{ "EC", "P-256" }, { "EC", "P-521" }, { "EC", "sect283r1" }, { "SM2", NULL },
	};
	EVP_PKEY *stock, *ours;
	unsigned int i;

	for (i = 0; i < COUNT(kinds); i++) {
		stock = key_make(self->b.stock, kinds[i].type, kinds[i].group, 0);
		ours = key_in(self->b.ours, stock, EVP_PKEY_KEYPAIR);
		EXPECT_LT(15, compare(_metadata, stock, ours));
		EVP_PKEY_free(ours);
		EVP_PKEY_free(stock);
	}
}

/* As a program sets them. */
TEST_F(encode, how_a_key_is_written_is_part_of_it)
{
	EVP_PKEY *stock = key_make(self->b.stock, "EC", "P-384", 0),
		 *ours = key_in(self->b.ours, stock, EVP_PKEY_KEYPAIR);
	EVP_PKEY *both[] = { stock, ours };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(1, EVP_PKEY_set_utf8_string_param(both[i], OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT,
							    "compressed"));
		ASSERT_EQ(1, EVP_PKEY_set_utf8_string_param(both[i], OSSL_PKEY_PARAM_EC_ENCODING, "explicit"));
		ASSERT_EQ(1, EVP_PKEY_set_int_param(both[i], OSSL_PKEY_PARAM_EC_INCLUDE_PUBLIC, 0));
	}
	EXPECT_LT(20, compare(_metadata, stock, ours));
	EVP_PKEY_free(ours);
	EVP_PKEY_free(stock);
}

TEST_F(encode, encrypted_keys_come_back)
{
	static const char *const structures_of[] = { "EncryptedPrivateKeyInfo", "PrivateKeyInfo", "type-specific" };
	EVP_PKEY *ours = key_make(self->b.ours, "EC", "P-256", 0), *back;
	struct written w;
	unsigned int i;

	for (i = 0; i < COUNT(structures_of); i++) {
		w = written_as(ours, EVP_PKEY_KEYPAIR, "PEM", structures_of[i], "AES-128-CBC");
		ASSERT_NE(NULL, w.data) TH_LOG("%s", structures_of[i]);
		ASSERT_LT(40, w.len);
		back = read_from(self->b.stock, &w);
		EXPECT_EQ(1, EVP_PKEY_eq(ours, back)) TH_LOG("%s", structures_of[i]);
		EVP_PKEY_free(back);
		OPENSSL_free(w.data);
	}
	w = written_as(ours, EVP_PKEY_KEYPAIR, "PEM", "PrivateKeyInfo", "no-such-cipher");
	EXPECT_EQ(NULL, w.data);
	EVP_PKEY_free(ours);
}

static int refuse(char *pass, size_t size, size_t *len, const OSSL_PARAM params[], void *arg)
{
	(void)pass, (void)size, (void)params;
	*len = 0;
	++*(unsigned int *)arg;
	return 0;
}

TEST_F(encode, the_program_is_asked_for_the_pass_phrase_and_may_refuse)
{
	EVP_PKEY *ours = key_make(self->b.ours, "EC", "P-256", 0);
	OSSL_ENCODER_CTX *ctx = OSSL_ENCODER_CTX_new_for_pkey(ours, EVP_PKEY_KEYPAIR, "PEM", "PrivateKeyInfo", NULL);
	unsigned char *data = NULL;
	unsigned int asked = 0;
	size_t len;

	ASSERT_EQ(1, OSSL_ENCODER_CTX_set_cipher(ctx, "AES-128-CBC", NULL));
	ASSERT_EQ(1, OSSL_ENCODER_CTX_set_passphrase_cb(ctx, refuse, &asked));
	EXPECT_EQ(0, OSSL_ENCODER_to_data(ctx, &data, &len));
	EXPECT_EQ(1, asked);
	OSSL_ENCODER_CTX_free(ctx);
	EVP_PKEY_free(ours);
}

/* The default provider makes such keys, but imports none. */
TEST_F(encode, keys_of_ec_on_the_curve_of_sm2_are_written)
{
	EVP_PKEY *ours = key_make(self->b.ours, "EC", "SM2", 0), *back;
	struct written private, public, again;

	ASSERT_NE(NULL, ours);
	private = written_as(ours, EVP_PKEY_KEYPAIR, "PEM", "PrivateKeyInfo", NULL);
	public = written_as(ours, EVP_PKEY_PUBLIC_KEY, "DER", "SubjectPublicKeyInfo", NULL);
	ASSERT_NE(NULL, private.data) errors_print();
	ASSERT_NE(NULL, public.data);
	back = read_from(self->b.stock, &private);
	ASSERT_NE(NULL, back);
	again = written_as(back, EVP_PKEY_PUBLIC_KEY, "DER", "SubjectPublicKeyInfo", NULL);
	ASSERT_EQ(public.len, again.len);
	EXPECT_EQ(0, memcmp(public.data, again.data, again.len));
	OPENSSL_free(again.data);
	OPENSSL_free(public.data);
	OPENSSL_free(private.data);
	EVP_PKEY_free(back);
	EVP_PKEY_free(ours);
}

static int encoders_of(OSSL_LIB_CTX *libctx, const struct written *w)
{
	EVP_PKEY *key = read_from(libctx, w);
	OSSL_ENCODER_CTX *ctx = OSSL_ENCODER_CTX_new_for_pkey(key, EVP_PKEY_KEYPAIR, "DER", "PrivateKeyInfo", NULL);
	int nr = OSSL_ENCODER_CTX_get_num_encoders(ctx);

	OSSL_ENCODER_CTX_free(ctx);
	EVP_PKEY_free(key);
	return nr;
}

/* libcrypto leaves a decoded key with its decoder's provider. */
TEST_F(encode, keys_of_other_providers_have_the_same_encoders_as_before)
{
	EVP_PKEY *stock = key_make(self->b.stock, "EC", "P-256", 0);
	struct written w = written_as(stock, EVP_PKEY_KEYPAIR, "DER", "PrivateKeyInfo", NULL);

	EXPECT_LT(0, encoders_of(self->b.stock, &w));
	EXPECT_EQ(encoders_of(self->b.stock, &w), encoders_of(self->b.ours, &w));
	OPENSSL_free(w.data);
	EVP_PKEY_free(stock);
}

TEST_HARNESS_MAIN
