// SPDX-License-Identifier: Apache-2.0
/*
 * Empty keys, texts and signatures, missing ones, too little room, and calls in an order that can't be: results, return
 * values and errors are those of the default provider alone.
 */
#include "provider_test.h"
#include "trace.h"
#include "kselftest_harness.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))
#define WALKS		3000
#define STEPS		7

FIXTURE(edges) {
	struct both b;
	struct trace trace[2];		/* stock's, ours */
	EVP_PKEY *key[2];
	unsigned int at;
	unsigned char in[256];
};

FIXTURE_SETUP(edges)
{
	unsigned int i;

	setenv("WD_OPENSSL_ALGORITHMS", "all rsa-public aes-ctr aes-ecb", 1);
	setenv("WD_OPENSSL_MIN_BYTES", "1", 1);
	ASSERT_TRUE(both_open(&self->b)) errors_print();
	for (i = 0; i < sizeof(self->in); i++)
		self->in[i] = (unsigned char)(i * 7 + 1);
}

static void keys_free(FIXTURE_DATA(edges) *self)
{
	EVP_PKEY_free(self->key[0]);
	EVP_PKEY_free(self->key[1]);
	self->key[0] = self->key[1] = NULL;
}

FIXTURE_TEARDOWN(edges)
{
	keys_free(self);
	both_close(&self->b);
}

static OSSL_LIB_CTX *libctx_of(FIXTURE_DATA(edges) *self, int ours)
{
	return ours ? self->b.ours : self->b.stock;
}

typedef void case_fn(FIXTURE_DATA(edges) *self, int ours, struct trace *t, const void *row);

/* Runs a case with both. */
static void compare(struct __test_metadata *_metadata, FIXTURE_DATA(edges) *self, case_fn *run, const void *row,
		    unsigned int seed)
{
	int ours;

	memset(self->trace, 0, sizeof(self->trace));
	for (ours = 0; ours < 2; ours++) {
		self->at = seed;
		ERR_clear_error();
		run(self, ours, &self->trace[ours], row);
	}
	ASSERT_GT(sizeof(self->trace[0].text) - 200, self->trace[0].len);
	EXPECT_STREQ(self->trace[0].text, self->trace[1].text) TH_LOG("case %u", seed);
}

static unsigned int draw(FIXTURE_DATA(edges) *self, unsigned int below)
{
	self->at = self->at * 1103515245u + 12345u;
	return (self->at >> 16) % below;
}

#define PICK(self, list)	((list)[draw(self, COUNT(list))])

/* --- HMAC --- */

static const size_t key_sizes[] = { 0, 1, 32, 64, 200 }, rooms[] = { 0, 1, 16, 20, 32, 64 };

/* One parameter, or none. */
static const OSSL_PARAM *mac_params(FIXTURE_DATA(edges) *self, OSSL_PARAM params[2], struct trace *t)
{
	static const char *const digests[] = {
		"SHA2-256", "SHA2-256", "SHA1", "MD5", "SHA3-256", "SHAKE128", "SHAKE256", "bogus", "",
	};
	static size_t record;
	const char *digest = PICK(self, digests);

	params[0] = params[1] = OSSL_PARAM_construct_end();
	record = 3 * draw(self, 30);
	switch (draw(self, 10)) {
	case 0:
		return NULL;
	case 1:
		break;
	case 2:
		params[0] = OSSL_PARAM_construct_octet_string("key", self->in, PICK(self, key_sizes));
		break;
	case 3:
		params[0] = OSSL_PARAM_construct_size_t("size", &record);
		break;
	case 4:
		params[0] = OSSL_PARAM_construct_size_t("tls-data-size", &record);
		break;
	case 5:
		params[0] = OSSL_PARAM_construct_utf8_string("properties", (char *)"provider=none", 0);
		break;
	default:
		params[0] = OSSL_PARAM_construct_utf8_string("digest", (char *)digest, 0);
		trace_add(t, "%s ", digest);
		return params;
	}
	trace_add(t, "%s ", params[0].key ?: "no parameter");
	return params;
}

static void mac_final(FIXTURE_DATA(edges) *self, EVP_MAC_CTX *ctx, struct trace *t)
{
	unsigned char out[64] = { 0 };
	size_t len = 0;
	bool query = !draw(self, 5);
	int ret = EVP_MAC_final(ctx, query ? NULL : out, &len, PICK(self, rooms));

	trace_call(t, query ? "size" : "final", ret);
	trace_bytes(t, out, ret > 0 && !query ? len : 0);
	trace_add(t, "%zu; ", ret > 0 ? len : 0);
}

static void mac_step(FIXTURE_DATA(edges) *self, EVP_MAC_CTX **ctx, struct trace *t)
{
	static const size_t sizes[] = { 0, 1, 64, 200 };
	unsigned char out[64];
	OSSL_PARAM params[2];
	EVP_MAC_CTX *copy;
	size_t len;
	bool key;

	switch (draw(self, 12)) {
	case 0:
	case 1:
	case 2:
		key = draw(self, 3);
		len = PICK(self, key_sizes);
		trace_add(t, "%s %zu ", key ? "key" : "NULL", len);
		trace_call(t, "init", EVP_MAC_init(*ctx, key ? self->in + draw(self, 2) : NULL, len,
						   mac_params(self, params, t)));
		break;
	case 3:
	case 4:
	case 5:
		len = PICK(self, sizes);
		trace_call(t, "update", EVP_MAC_update(*ctx, len || draw(self, 2) ? self->in : NULL, len));
		break;
	case 6:
	case 7:
		mac_final(self, *ctx, t);
		break;
	case 8:
		trace_call(t, "xof", EVP_MAC_finalXOF(*ctx, out, 32));
		break;
	case 9:
		trace_call(t, "set", EVP_MAC_CTX_set_params(*ctx, mac_params(self, params, t)));
		break;
	case 10:
		copy = EVP_MAC_CTX_dup(*ctx);
		trace_call(t, "dup", copy != NULL);
		if (!copy)
			break;
		EVP_MAC_CTX_free(*ctx);
		*ctx = copy;
		break;
	default:
		trace_call(t, "mac size", (int)EVP_MAC_CTX_get_mac_size(*ctx));
		trace_call(t, "block size", (int)EVP_MAC_CTX_get_block_size(*ctx));
	}
}

static void mac_walk(FIXTURE_DATA(edges) *self, int ours, struct trace *t, const void *row)
{
	EVP_MAC *mac = EVP_MAC_fetch(libctx_of(self, ours), "HMAC", NULL);
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string("digest", (char *)"SHA2-256", 0), OSSL_PARAM_END
	};
	EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac);
	unsigned int i;

	(void)row;
	if (draw(self, 4))
		trace_call(t, "begin", EVP_MAC_init(ctx, self->in, 32, params));
	for (i = 0; i < STEPS; i++)
		mac_step(self, &ctx, t);
	EVP_MAC_CTX_free(ctx);
	EVP_MAC_free(mac);
}

TEST_F(edges, hmac)
{
	unsigned int i;

	for (i = 0; i < WALKS; i++)
		compare(_metadata, self, mac_walk, NULL, i * 7919);
	EXPECT_LT(WALKS / 100, taken(&self->b));
}

/* A key of HMAC as a key to sign with, and a text; either may be empty. */
static void mac_sign(FIXTURE_DATA(edges) *self, int ours, struct trace *t, const void *row)
{
	const size_t *sizes = row;
	EVP_PKEY *key = EVP_PKEY_new_raw_private_key_ex(libctx_of(self, ours), "HMAC", NULL, self->in, sizes[0]);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	unsigned char sig[64];
	size_t len = sizeof(sig);
	int ret;

	trace_call(t, "key", key != NULL);
	trace_call(t, "init", EVP_DigestSignInit_ex(ctx, NULL, "SHA256", libctx_of(self, ours), NULL, key, NULL));
	ret = EVP_DigestSign(ctx, sig, &len, self->in, sizes[1]);
	trace_call(t, "sign", ret);
	trace_bytes(t, sig, ret > 0 ? len : 0);
	EVP_MD_CTX_free(ctx);
	EVP_PKEY_free(key);
}

TEST_F(edges, keys_of_hmac)
{
	static const size_t sizes[][2] = { { 0, 0 }, { 0, 100 }, { 32, 0 }, { 32, 100 } };
	unsigned int i;

	for (i = 0; i < COUNT(sizes); i++)
		compare(_metadata, self, mac_sign, sizes[i], i);
}

/* --- digests and ciphers --- */

static void digest_walk(FIXTURE_DATA(edges) *self, int ours, struct trace *t, const void *row)
{
	EVP_MD *md = EVP_MD_fetch(libctx_of(self, ours), row, NULL);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	unsigned char out[64] = { 0 };
	unsigned int i, n = 0;

	trace_call(t, "whole", EVP_Digest(self->in, 0, out, &n, md, NULL));
	trace_bytes(t, out, n);
	trace_call(t, "update before init", EVP_DigestUpdate(ctx, self->in, 1));
	for (i = 0; i < 8; i++) {
		trace_call(t, "init", EVP_DigestInit_ex2(ctx, md, NULL));
		if (i & 1)
			trace_call(t, "empty", EVP_DigestUpdate(ctx, NULL, 0));
		if (i & 2)
			trace_call(t, "update", EVP_DigestUpdate(ctx, self->in, 100));
		if (i & 4)
			trace_call(t, "empty", EVP_DigestUpdate(ctx, self->in, 0));
		trace_call(t, "final", EVP_DigestFinal_ex(ctx, out, &n));
		trace_bytes(t, out, n);
		trace_call(t, "final", EVP_DigestFinal_ex(ctx, out, &n));
		trace_call(t, "update", EVP_DigestUpdate(ctx, self->in, 1));
	}
	trace_call(t, "xof", EVP_DigestFinalXOF(ctx, out, 32));
	EVP_MD_CTX_free(ctx);
	EVP_MD_free(md);
}

TEST_F(edges, digests)
{
	static const char *const names[] = { "MD5", "SHA1", "SHA2-224", "SHA2-256", "SHA2-512", "SHA2-512/256", "SM3" };
	unsigned int i;

	for (i = 0; i < COUNT(names); i++)
		compare(_metadata, self, digest_walk, names[i], i);
}

static void cipher_calls(FIXTURE_DATA(edges) *self, EVP_CIPHER_CTX *ctx, unsigned int which, struct trace *t)
{
	unsigned char out[64] = { 0 };
	int n = -1;

	if (which & 1)
		trace_call(t, "empty", EVP_CipherUpdate(ctx, out, &n, self->in, 0));
	trace_add(t, "%d; ", n);
	if (which & 2)
		trace_call(t, "nothing", EVP_CipherUpdate(ctx, out, &n, NULL, 0));
	trace_add(t, "%d; ", n);
	if (which & 4) {
		trace_call(t, "update", EVP_CipherUpdate(ctx, out, &n, self->in, 32));
		trace_bytes(t, out, n > 0 ? (size_t)n : 0);
	}
	if (which & 8)
		trace_call(t, "whole", EVP_Cipher(ctx, out, self->in, 0));
	n = -1;
	trace_call(t, "final", EVP_CipherFinal_ex(ctx, out, &n));
	trace_add(t, "%d; ", n);
}

static void cipher_walk(FIXTURE_DATA(edges) *self, int ours, struct trace *t, const void *row)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(libctx_of(self, ours), row, NULL);
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	unsigned int which;
	int enc;

	trace_call(t, "fetch", cipher != NULL);
	for (which = 0; cipher && which < 16; which++) {
		for (enc = 0; enc < 2; enc++) {
			trace_call(t, "init", EVP_CipherInit_ex2(ctx, cipher, self->in, self->in + 64, enc, NULL));
			cipher_calls(self, ctx, which, t);
			if (which == 5)
				cipher_calls(self, ctx, 5, t);
		}
	}
	EVP_CIPHER_CTX_reset(ctx);
	cipher_calls(self, ctx, 7, t);
	EVP_CIPHER_CTX_free(ctx);
	EVP_CIPHER_free(cipher);
}

TEST_F(edges, ciphers)
{
	static const char *const names[] = {
		"AES-128-CBC", "AES-256-CTR", "AES-128-ECB", "AES-192-CFB", "AES-128-OFB", "AES-128-XTS",
		"DES-EDE3-CBC", "DES-EDE3-ECB", "SM4-CBC", "SM4-CTR",
	};
	unsigned int i;

	for (i = 0; i < COUNT(names); i++)
		compare(_metadata, self, cipher_walk, names[i], i);
}

/* A message with a tag: which of associated data, empty associated data, data and empty data there is. */
static void aead_message(FIXTURE_DATA(edges) *self, EVP_CIPHER_CTX *ctx, const EVP_CIPHER *cipher, unsigned int which,
			 int enc, struct trace *t)
{
	bool ccm = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_CCM_MODE;
	unsigned char out[64] = { 0 }, tag[16] = { 1, 2, 3 };
	size_t len = which & 4 ? 40 : 0;
	int n = -1;

	EVP_CIPHER_CTX_reset(ctx);
	trace_call(t, "init", EVP_CipherInit_ex2(ctx, cipher, NULL, NULL, enc, NULL));
	if (ccm || !enc)
		trace_call(t, "tag", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, enc ? NULL : tag));
	trace_call(t, "key", EVP_CipherInit_ex2(ctx, NULL, self->in, self->in + 64, enc, NULL));
	if (ccm && which & 16)
		trace_call(t, "total", EVP_CipherUpdate(ctx, NULL, &n, NULL, (int)len));
	if (which & 1)
		trace_call(t, "aad", EVP_CipherUpdate(ctx, NULL, &n, self->in, 20));
	if (which & 2)
		trace_call(t, "no aad", EVP_CipherUpdate(ctx, NULL, &n, self->in, 0));
	if (which & 4) {
		trace_call(t, "data", EVP_CipherUpdate(ctx, out, &n, self->in, (int)len));
		trace_bytes(t, out, n > 0 && enc ? (size_t)n : 0);
	}
	if (which & 8)
		trace_call(t, "no data", EVP_CipherUpdate(ctx, out, &n, self->in, 0));
	trace_add(t, "%d; ", n);
	n = -1;
	trace_call(t, "final", EVP_CipherFinal_ex(ctx, out, &n));
	trace_add(t, "%d; ", n);
	if (!enc)
		return;
	trace_call(t, "no tag", EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 0, out));
	n = EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, out);
	trace_call(t, "tag", n);
	trace_bytes(t, out, n > 0 ? 16 : 0);
}

static void aead_walk(FIXTURE_DATA(edges) *self, int ours, struct trace *t, const void *row)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(libctx_of(self, ours), row, NULL);
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();

	trace_call(t, "fetch", cipher != NULL);
	if (cipher)
		aead_message(self, ctx, cipher, self->at / 2, (int)self->at % 2, t);
	EVP_CIPHER_CTX_free(ctx);
	EVP_CIPHER_free(cipher);
}

TEST_F(edges, messages_with_a_tag)
{
	static const char *const names[] = { "AES-128-GCM", "AES-256-GCM", "AES-128-CCM", "SM4-GCM" };
	unsigned int i, which;

	for (i = 0; i < COUNT(names); i++)
		for (which = 0; which < 64; which++)
			compare(_metadata, self, aead_walk, names[i], which);
}

/* --- keys --- */

typedef int init_fn(EVP_PKEY_CTX *ctx);
typedef int run_fn(EVP_PKEY_CTX *ctx, unsigned char *out, size_t *len, const unsigned char *in, size_t n);

static int verify_empty_text(EVP_PKEY_CTX *ctx, unsigned char *out, size_t *len, const unsigned char *in, size_t n)
{
	return EVP_PKEY_verify(ctx, out, *len, in, n);
}

static int verify_empty_signature(EVP_PKEY_CTX *ctx, unsigned char *out, size_t *len, const unsigned char *in,
				  size_t n)
{
	(void)len;
	(void)n;
	return EVP_PKEY_verify(ctx, out, 0, in, 32);
}

static int derive_into(EVP_PKEY_CTX *ctx, unsigned char *out, size_t *len, const unsigned char *in, size_t n)
{
	(void)in;
	(void)n;
	return EVP_PKEY_derive(ctx, out, len);
}

static const struct operation {
	const char *name;
	init_fn *init;
	run_fn *run;
} operations[] = {
	{ "sign", EVP_PKEY_sign_init, EVP_PKEY_sign },
	{ "verify", EVP_PKEY_verify_init, verify_empty_text },
	{ "verify empty", EVP_PKEY_verify_init, verify_empty_signature },
	{ "recover", EVP_PKEY_verify_recover_init, EVP_PKEY_verify_recover },
	{ "encrypt", EVP_PKEY_encrypt_init, EVP_PKEY_encrypt },
	{ "decrypt", EVP_PKEY_decrypt_init, EVP_PKEY_decrypt },
	{ "derive", EVP_PKEY_derive_init, derive_into },
};

struct key_case {
	const struct operation *op;
	const char *digest, *padding;
	bool missing;			/* NULL in place of an empty text */
};

/* Random padding and DER lengths vary: of what was written only the fact is compared. */
static void key_call(FIXTURE_DATA(edges) *self, int ours, struct trace *t, const void *row)
{
	const struct key_case *k = row;
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(libctx_of(self, ours), self->key[ours], NULL);
	OSSL_PARAM params[3] = { OSSL_PARAM_END, OSSL_PARAM_END, OSSL_PARAM_END };
	unsigned char out[600] = { 0 };
	size_t len = sizeof(out);
	unsigned int n = 0;

	if (k->padding)
		params[n++] = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_PAD_MODE, (char *)k->padding, 0);
	if (k->digest)
		params[n++] = OSSL_PARAM_construct_utf8_string(OSSL_ALG_PARAM_DIGEST, (char *)k->digest, 0);
	trace_add(t, "%s %s ", k->padding ?: "", k->digest ?: "");
	trace_call(t, k->op->name, k->op->init(ctx));
	trace_call(t, "set", EVP_PKEY_CTX_set_params(ctx, params));
	if (k->op->init != EVP_PKEY_verify_init)
		trace_call(t, "query", k->op->run(ctx, NULL, &len, self->in, 0));
	len = self->at ? sizeof(out) : 0;
	trace_call(t, "run", k->op->run(ctx, out, &len, k->missing ? NULL : self->in, 0));
	EVP_PKEY_CTX_free(ctx);
}

static void message_call(FIXTURE_DATA(edges) *self, int ours, struct trace *t, const void *row)
{
	const struct key_case *k = row;
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	unsigned char sig[600];
	size_t len = sizeof(sig);
	int ret;

	trace_call(t, "sign", EVP_DigestSignInit_ex(ctx, NULL, k->digest, libctx_of(self, ours), NULL,
						    self->key[ours], NULL));
	ret = EVP_DigestSign(ctx, sig, &len, self->in, 0);
	trace_call(t, "empty", ret);
	EVP_MD_CTX_free(ctx);
	ctx = EVP_MD_CTX_new();
	trace_call(t, "verify", EVP_DigestVerifyInit_ex(ctx, NULL, k->digest, libctx_of(self, ours), NULL,
							self->key[ours], NULL));
	if (ret > 0)
		trace_call(t, "good", EVP_DigestVerify(ctx, sig, len, self->in, 0));
	EVP_MD_CTX_free(ctx);
	ctx = EVP_MD_CTX_new();
	trace_call(t, "verify", EVP_DigestVerifyInit_ex(ctx, NULL, k->digest, libctx_of(self, ours), NULL,
							self->key[ours], NULL));
	trace_call(t, "no signature", EVP_DigestVerify(ctx, sig, 0, self->in, 0));
	EVP_MD_CTX_free(ctx);
}

static void key_cases(struct __test_metadata *_metadata, FIXTURE_DATA(edges) *self)
{
	static const char *const paddings[] = { NULL, "pkcs1", "pss", "oaep", "none" };
	static const char *const digests[] = { NULL, "SHA256", "SM3" };
	unsigned int op, padding, digest, more;
	struct key_case k;

	for (op = 0; op < COUNT(operations); op++) {
		for (padding = 0; padding < (EVP_PKEY_is_a(self->key[0], "RSA") ? COUNT(paddings) : 1); padding++) {
			for (digest = 0; digest < COUNT(digests); digest++) {
				for (more = 0; more < 4; more++) {
					k = (struct key_case){
						&operations[op], digests[digest], paddings[padding], more & 1
					};
					compare(_metadata, self, key_call, &k, more / 2);
				}
			}
		}
	}
	for (digest = 0; digest < COUNT(digests); digest++) {
		k = (struct key_case){ NULL, digests[digest], NULL, false };
		compare(_metadata, self, message_call, &k, 0);
	}
}

TEST_F(edges, keys)
{
	static const struct {
		const char *type, *group;
		size_t bits;
	} types[] = {
		{ "RSA", NULL, 1024 }, { "EC", "P-256", 0 }, { "SM2", NULL, 0 }, { "X25519", NULL, 0 },
		{ "DH", "ffdhe2048", 0 },
	};
	unsigned int i;

	for (i = 0; i < COUNT(types); i++) {
		keys_free(self);
		self->key[0] = key_make(self->b.stock, types[i].type, types[i].group, types[i].bits);
		self->key[1] = key_in(self->b.ours, self->key[0], EVP_PKEY_KEYPAIR);
		ASSERT_TRUE(is_ours(self->key[1])) TH_LOG("%s", types[i].type);
		key_cases(_metadata, self);
	}
}

TEST_HARNESS_MAIN
