// SPDX-License-Identifier: Apache-2.0
/* Ciphers: the same results, lengths and errors as without the provider, on devices and not. */
#include <openssl/rand.h>
#include <stdarg.h>

#include "cipher_test.h"
#include "kselftest_harness.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))
#define WALKS		12
#define STEPS		10

static const char *const names[] = {
	"AES-128-CBC", "AES-192-CBC", "AES-256-CBC", "AES-128-XTS", "AES-256-XTS", "AES-128-CFB", "AES-192-CFB",
	"AES-256-CFB", "AES-128-OFB", "AES-192-OFB", "AES-256-OFB", "AES-128-CTR", "AES-192-CTR", "AES-256-CTR",
	"AES-128-ECB", "AES-192-ECB", "AES-256-ECB", "DES-EDE3-CBC", "DES-EDE3-ECB", "SM4-CBC", "SM4-CFB", "SM4-OFB",
	"SM4-CTR", "SM4-ECB",
};

FIXTURE(cipher) {
	struct both b;
	struct pair t;
	unsigned int at;
};

FIXTURE_SETUP(cipher)
{
}

FIXTURE_TEARDOWN(cipher)
{
	pair_close(&self->t);
	both_close(&self->b);
}

static bool open_with(FIXTURE_DATA(cipher) *self, const char *algorithms, const char *min_bytes)
{
	setenv("WD_OPENSSL_ALGORITHMS", algorithms, 1);
	if (min_bytes)
		setenv("WD_OPENSSL_MIN_BYTES", min_bytes, 1);
	if (both_open(&self->b))
		return true;
	errors_print();
	return false;
}

#define OPEN(self)	ASSERT_TRUE(open_with(self, "ciphers aes-ctr aes-ecb", "64"))

static unsigned int draw(FIXTURE_DATA(cipher) *self, unsigned int below)
{
	self->at = self->at * 1103515245u + 12345u;
	return (self->at >> 16) % below;
}

static bool any_step(FIXTURE_DATA(cipher) *self, bool enc)
{
	static const size_t sizes[] = { 64, 80, 128, 256, 1024, 4096, 16, 48, 0, 1, 8, 15, 17, 63, 65, 200 };
	size_t len = sizes[draw(self, draw(self, 4) ? 8 : COUNT(sizes))];
	unsigned char iv[16];
	bool in_place;

	switch (draw(self, 10)) {
	case 0:
		return pair_copy(&self->t);
	case 1:
		fill(iv, sizeof(iv), self->at);
		return pair_init(&self->t, &self->b, NULL, NULL, draw(self, 2) ? iv : NULL, draw(self, 8) ? -1 : !enc,
				  NULL);
	case 2:
		/* What is decrypted in place comes a block later, onto what isn't read yet. */
		in_place = enc || EVP_CIPHER_CTX_get_block_size(self->t.ctx[0]) == 1;
		return pair_in_place(&self->t, len & ~(size_t)15, 0) || !in_place;
	case 3:
		return draw(self, 3) ? pair_ask(&self->t) : pair_set(&self->t, "padding", draw(self, 2));
	case 4:
		return draw(self, 4) || pair_final(&self->t);
	default:
		return pair_update(&self->t, len);
	}
}

static void walk(struct __test_metadata *_metadata, FIXTURE_DATA(cipher) *self, const char *name, unsigned int seed)
{
	bool enc = seed % 2;
	unsigned int i;

	self->at = seed * 7919;
	ASSERT_TRUE(pair_open(&self->t, &self->b, name, enc)) TH_LOG("%s: %s", name, self->t.what);
	pair_set(&self->t, "padding", draw(self, 2));
	for (i = 0; i < STEPS; i++) {
		EXPECT_TRUE(any_step(self, enc)) TH_LOG("%s, walk %u, step %u: %s", name, seed, i, self->t.what);
	}
	EXPECT_TRUE(pair_final(&self->t)) TH_LOG("%s, walk %u: %s", name, seed, self->t.what);
	pair_close(&self->t);
	memset(&self->t, 0, sizeof(self->t));
	ERR_clear_error();
}

TEST_F(cipher, calls_do_what_they_do_without_us)
{
	uint64_t before;
	unsigned int i, j;

	OPEN(self);
	for (i = 0; i < COUNT(names); i++) {
		before = taken(&self->b);
		for (j = 0; j < WALKS; j++)
			walk(_metadata, self, names[i], i * WALKS + j);
		EXPECT_LT(before + WALKS / 2, taken(&self->b)) TH_LOG("%s", names[i]);
	}
	EXPECT_EQ(0, count_of(&self->b, "warpdrive-fallbacks"));
}

/* Each of these is refused by libcrypto, or leaves out what comes first. */
static void malformed(FIXTURE_DATA(cipher) *self, const char *name, unsigned int seed)
{
	static const char *const params[] = {
		"padding", "num", "keylen", "ivlen", "tls-version", "tls-mac-size", "use-bits", "nothing",
	};
	unsigned char key[64] = { 0 }, iv[16] = { 0 };
	unsigned int i;

	self->at = seed * 104729;
	if (draw(self, 4))
		fill(key, sizeof(key), seed);
	for (i = 0; i < 6; i++) {
		switch (draw(self, 5)) {
		case 0:
			pair_init(&self->t, &self->b, NULL, draw(self, 2) ? key : NULL, draw(self, 2) ? iv : NULL,
				   (int)draw(self, 3) - 1, NULL);
			break;
		case 1:
			pair_set(&self->t, params[draw(self, COUNT(params))], draw(self, 20));
			break;
		case 2:
			pair_final(&self->t);
			break;
		default:
			pair_update(&self->t, 16 * draw(self, 20) + (draw(self, 3) ? 0 : draw(self, 16)));
		}
	}
}

TEST_F(cipher, malformed_calls_return_what_they_return_without_us)
{
	unsigned int i, j;

	OPEN(self);
	for (i = 0; i < COUNT(names) * 40; i++) {
		pair_open(&self->t, &self->b, names[i % COUNT(names)], 0);
		for (j = 0; j < 2; j++) {
			EVP_CIPHER_CTX_reset(self->t.ctx[j]);
			memset(self->t.out[j], 0, ROOM / 16);
		}
		pair_init(&self->t, &self->b, names[i % COUNT(names)], NULL, NULL, (int)i % 2, NULL);
		malformed(self, names[i % COUNT(names)], i);
		EXPECT_STREQ("", self->t.what) TH_LOG("%s, %u", names[i % COUNT(names)], i);
		pair_close(&self->t);
		memset(&self->t, 0, sizeof(self->t));
		ERR_clear_error();
	}
	if (on_device())
		EXPECT_LT(100, sim(&self->b));
}

/* The context keeps it or not, which depends on the release of libcrypto. A device computes before and after. */
static bool ivs_with_length(FIXTURE_DATA(cipher) *self, const char *name, unsigned int len)
{
	unsigned char key[64], iv[16];
	struct pair *t = &self->t;

	fill(key, sizeof(key), 3);
	fill(iv, sizeof(iv), 4);
	pair_open(t, &self->b, name, 1);
	pair_update(t, 256);
	pair_set(t, "ivlen", len);
	pair_update(t, 256);
	pair_ask(t);
	pair_init(t, &self->b, NULL, NULL, iv, -1, NULL);
	pair_update(t, 256);
	pair_init(t, &self->b, NULL, NULL, NULL, -1, NULL);
	pair_update(t, 256);
	pair_ask(t);
	pair_init(t, &self->b, NULL, key, NULL, -1, NULL);
	pair_update(t, 256);
	pair_set(t, "ivlen", (unsigned int)EVP_CIPHER_get_iv_length(EVP_CIPHER_CTX_get0_cipher(t->ctx[0])));
	pair_init(t, &self->b, NULL, NULL, NULL, 0, NULL);
	pair_update(t, 256);
	pair_init(t, &self->b, NULL, key, iv, 0, NULL);
	pair_update(t, 256);
	pair_update(t, 256);
	pair_final(t);
	return !*t->what;
}

TEST_F(cipher, a_length_of_iv_that_cannot_be_does_what_it_does_without_us)
{
	static const unsigned int lengths[] = { 0, 1, 7, 12, 15, 17, 64 };
	uint64_t before;
	unsigned int i, j;

	OPEN(self);
	for (i = 0; i < COUNT(names); i++) {
		for (j = 0; j < COUNT(lengths); j++) {
			before = taken(&self->b);
			EXPECT_TRUE(ivs_with_length(self, names[i], lengths[j]))
				TH_LOG("%s, %u: %s", names[i], lengths[j], self->t.what);
			EXPECT_LT(before + 3, taken(&self->b)) TH_LOG("%s, %u", names[i], lengths[j]);
			pair_close(&self->t);
			memset(&self->t, 0, sizeof(self->t));
			ERR_clear_error();
		}
	}
}

TEST_F(cipher, the_size_decides)
{
	static const size_t sizes[] = { 8176, 8192, 8193, 8208, 65536, 100000 };
	unsigned int i, due = 0;
	char path[8];

	ASSERT_TRUE(open_with(self, "aes-cbc", NULL));
	ASSERT_TRUE(pair_open(&self->t, &self->b, "AES-256-CBC", 1));
	for (i = 0; i < COUNT(sizes); i++) {
		ASSERT_TRUE(pair_init(&self->t, &self->b, NULL, NULL, NULL, -1, NULL));
		ASSERT_TRUE(pair_update(&self->t, sizes[i])) TH_LOG("%s", self->t.what);
		due += sizes[i] >= 8192 && !(sizes[i] % 16);
		EXPECT_EQ(due, taken(&self->b)) TH_LOG("%zu", sizes[i]);
		path_of(&self->t, path);
		EXPECT_STREQ(on_device() && sizes[i] >= 8192 && !(sizes[i] % 16) ? "sim" : "soft", path);
	}
}

TEST_F(cipher, what_overlaps_is_the_default_provider_s)
{
	OPEN(self);
	ASSERT_TRUE(pair_open(&self->t, &self->b, "AES-128-CTR", 1));
	EXPECT_TRUE(pair_in_place(&self->t, 4096, 0)) TH_LOG("%s", self->t.what);
	EXPECT_EQ(1, taken(&self->b));
	EXPECT_TRUE(pair_in_place(&self->t, 4096, 4096)) TH_LOG("%s", self->t.what);
	EXPECT_EQ(2, taken(&self->b));
	pair_in_place(&self->t, 4096, 16);
	EXPECT_EQ(on_device() ? 2 : 3, taken(&self->b));
}

TEST_F(cipher, what_is_not_named_is_not_offered)
{
	static const struct {
		const char *algorithms, *name;
		bool offered;
	} rows[] = {
		{ "pkey", "AES-128-CBC", false }, { "ciphers", "AES-128-CBC", true },
		{ "ciphers -aes-cbc", "AES-128-CBC", false }, { "ciphers", "AES-256-CTR", false },
		{ "ciphers", "AES-256-ECB", false }, { "aes-ctr", "AES-256-CTR", true },
		{ "aes-ctr", "AES-256-ECB", false }, { "pkey aes-ctr -ciphers", "AES-256-CTR", false },
		{ "sm4", "SM4-CTR", true }, { "3des", "DES3", true }, { "ciphers", "AES128", true },
		{ "ciphers", "2.16.840.1.101.3.4.1.2", true },
	};
	EVP_CIPHER *cipher;
	unsigned int i;

	for (i = 0; i < COUNT(rows); i++) {
		ASSERT_TRUE(open_with(self, rows[i].algorithms, "64"));
		cipher = EVP_CIPHER_fetch(self->b.ours, rows[i].name, NULL);
		EXPECT_EQ(rows[i].offered, EVP_CIPHER_get0_provider(cipher) == self->b.provider) TH_LOG("row %u", i);
		EVP_CIPHER_free(cipher);
		both_close(&self->b);
	}
	ASSERT_TRUE(open_with(self, "ciphers", "64"));
}

/* Of a cipher without a context. */
TEST_F(cipher, facts_are_the_default_providers)
{
	EVP_CIPHER *cipher[2];
	unsigned int i;

	OPEN(self);
	for (i = 0; i < COUNT(names); i++) {
		cipher[0] = EVP_CIPHER_fetch(self->b.stock, names[i], NULL);
		cipher[1] = EVP_CIPHER_fetch(self->b.ours, names[i], NULL);
		EXPECT_EQ(EVP_CIPHER_get_nid(cipher[0]), EVP_CIPHER_get_nid(cipher[1]));
		EXPECT_EQ(EVP_CIPHER_get_flags(cipher[0]), EVP_CIPHER_get_flags(cipher[1]));
		EXPECT_EQ(EVP_CIPHER_get_mode(cipher[0]), EVP_CIPHER_get_mode(cipher[1]));
		EXPECT_EQ(EVP_CIPHER_get_block_size(cipher[0]), EVP_CIPHER_get_block_size(cipher[1]));
		EXPECT_EQ(EVP_CIPHER_get_key_length(cipher[0]), EVP_CIPHER_get_key_length(cipher[1]));
		EXPECT_EQ(EVP_CIPHER_get_iv_length(cipher[0]), EVP_CIPHER_get_iv_length(cipher[1]));
		EXPECT_EQ(self->b.provider, EVP_CIPHER_get0_provider(cipher[1]));
		EVP_CIPHER_free(cipher[0]);
		EVP_CIPHER_free(cipher[1]);
	}
}

/* The generator fetches its cipher when it is first used. */
TEST_F(cipher, random_numbers_use_no_device)
{
	unsigned char random[32768];

	ASSERT_TRUE(open_with(self, "ciphers", "64"));
	ASSERT_EQ(1, RAND_bytes_ex(self->b.ours, random, sizeof(random), 0));
	EXPECT_EQ(0, taken(&self->b));
}

static char logged[256];

/* The provider's. */
void syslog(int priority, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(logged, sizeof(logged), format, args);
	va_end(args);
}

/* Since OpenSSL 3.5 the generator takes its own provider's cipher, and there is nothing to say. */
TEST_F(cipher, the_log_says_whether_random_numbers_will)
{
	bool will = OpenSSL_version_num() < 0x30500000;
	unsigned char random[32768];

	setenv("WD_OPENSSL_LOG", "errors", 1);
	ASSERT_TRUE(open_with(self, "ciphers", "64"));
	EXPECT_STREQ("", logged);
	both_close(&self->b);
	ASSERT_TRUE(open_with(self, "ciphers aes-ctr", "64"));
	EXPECT_EQ(will, !!strstr(logged, "aes-ctr is offered")) TH_LOG("%s", logged);
	ASSERT_EQ(1, RAND_bytes_ex(self->b.ours, random, sizeof(random), 0));
	EXPECT_EQ(will, taken(&self->b) > 0);
}

static bool loads_without_device(const char *log)
{
	OSSL_LIB_CTX *libctx = OSSL_LIB_CTX_new();
	OSSL_PROVIDER *provider;

	*logged = '\0';
	setenv("WD_OPENSSL_LOG", log, 1);
	setenv("WD_OPENSSL_DEVICES", "auto", 1);
	OSSL_PROVIDER_set_default_search_path(libctx, modules());
	provider = OSSL_PROVIDER_load(libctx, "warpdrive");
	if (provider)
		OSSL_PROVIDER_unload(provider);
	OSSL_LIB_CTX_free(libctx);
	return provider;
}

/* A machine without devices has no line of each program. */
TEST_F(cipher, only_the_whole_log_says_that_nothing_is_offered)
{
	if (on_device())
		SKIP(return, "there is a device");
	ASSERT_TRUE(open_with(self, "all", "64"));
	ASSERT_TRUE(loads_without_device("errors"));
	EXPECT_STREQ("", logged);
	ASSERT_TRUE(loads_without_device("all"));
	EXPECT_NE(NULL, strstr(logged, "nothing is offered")) TH_LOG("%s", logged);
}

TEST_HARNESS_MAIN
