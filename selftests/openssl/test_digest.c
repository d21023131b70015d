// SPDX-License-Identifier: Apache-2.0
/*
 * Digests and HMAC: the same results as without the provider, in one update, in parts, duplicated, and after failures.
 */
#include <openssl/core_dispatch.h>

#include "provider_test.h"
#include "kselftest_harness.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))
#define SEC		"hisi_sec2-0"
#define LEAST		"64"
#define WALKS		20
#define STEPS		8

static const char *const names[] = {
	"MD5", "SHA1", "SHA2-224", "SHA2-256", "SHA2-384", "SHA2-512", "SHA2-512/224", "SHA2-512/256", "SM3",
};

FIXTURE(digest) {
	struct both b;
	unsigned int at;
	unsigned char in[20000], out[2][64];
	unsigned int len[2];
};

FIXTURE_SETUP(digest)
{
	unsigned int i;

	setenv("WD_OPENSSL_ALGORITHMS", "digests", 1);
	setenv("WD_OPENSSL_MIN_BYTES", LEAST, 1);
	ASSERT_TRUE(both_open(&self->b)) errors_print();
	for (i = 0; i < sizeof(self->in); i++)
		self->in[i] = (unsigned char)(i * i >> 3);
}

FIXTURE_TEARDOWN(digest)
{
	both_close(&self->b);
}

static unsigned int draw(FIXTURE_DATA(digest) *self, unsigned int below)
{
	self->at = self->at * 1103515245u + 12345u;
	return (self->at >> 16) % below;
}

static OSSL_LIB_CTX *libctx_of(FIXTURE_DATA(digest) *self, int ours)
{
	return ours ? self->b.ours : self->b.stock;
}

static bool same(FIXTURE_DATA(digest) *self)
{
	return self->len[0] == self->len[1] && !memcmp(self->out[0], self->out[1], self->len[0]);
}

TEST_F(digest, messages_of_all_sizes)
{
	static const size_t sizes[] = { 0, 1, 63, 64, 65, 128, 1000, 8192, 20000 };
	unsigned int i, j, due = 0;
	EVP_MD *md;
	int ours;

	for (i = 0; i < COUNT(names); i++) {
		for (j = 0; j < COUNT(sizes); j++) {
			for (ours = 0; ours < 2; ours++) {
				md = EVP_MD_fetch(libctx_of(self, ours), names[i], NULL);
				EXPECT_EQ(ours, EVP_MD_get0_provider(md) == self->b.provider);
				EXPECT_EQ(1,
					  EVP_Digest(self->in, sizes[j], self->out[ours], &self->len[ours], md, NULL));
				EVP_MD_free(md);
			}
			EXPECT_TRUE(same(self)) TH_LOG("%s, %zu", names[i], sizes[j]);
			due += sizes[j] >= 64;
			EXPECT_EQ(due, taken(&self->b)) TH_LOG("%s, %zu", names[i], sizes[j]);
		}
	}
}

TEST_F(digest, facts_are_the_default_providers)
{
	EVP_MD *md[2];
	unsigned int i;
	int ours;

	for (i = 0; i < COUNT(names); i++) {
		for (ours = 0; ours < 2; ours++)
			md[ours] = EVP_MD_fetch(libctx_of(self, ours), names[i], NULL);
		EXPECT_EQ(EVP_MD_get_type(md[0]), EVP_MD_get_type(md[1]));
		EXPECT_EQ(EVP_MD_get_size(md[0]), EVP_MD_get_size(md[1]));
		EXPECT_EQ(EVP_MD_get_block_size(md[0]), EVP_MD_get_block_size(md[1]));
		EXPECT_EQ(EVP_MD_get_flags(md[0]), EVP_MD_get_flags(md[1]));
		EVP_MD_free(md[0]);
		EVP_MD_free(md[1]);
	}
}

/* The calls that a context gets; the same choices for both providers. */
static void md_walk(FIXTURE_DATA(digest) *self, int ours, const char *name, char trace[STEPS + 1])
{
	static const size_t sizes[] = { 64, 100, 5000, 0, 1, 63 };
	EVP_MD *md = EVP_MD_fetch(libctx_of(self, ours), name, NULL);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new(), *copy;
	unsigned int i;
	int ret;

	EVP_DigestInit_ex2(ctx, md, NULL);
	for (i = 0; i < STEPS; i++) {
		switch (draw(self, 6)) {
		case 0:
			copy = EVP_MD_CTX_new();
			ret = EVP_MD_CTX_copy_ex(copy, ctx);
			EVP_MD_CTX_free(ctx);
			ctx = copy;
			break;
		case 1:
			ret = EVP_DigestFinal_ex(ctx, self->out[ours], &self->len[ours]) &&
			      EVP_DigestInit_ex2(ctx, draw(self, 2) ? md : NULL, NULL);
			break;
		case 2:
			ret = EVP_DigestInit_ex2(ctx, NULL, NULL);
			break;
		default:
			ret = EVP_DigestUpdate(ctx, self->in + draw(self, 9), sizes[draw(self, COUNT(sizes))]);
		}
		trace[i] = (char)('0' + ret);
	}
	EVP_DigestFinal_ex(ctx, self->out[ours], &self->len[ours]);
	EVP_MD_CTX_free(ctx);
	EVP_MD_free(md);
}

TEST_F(digest, any_calls_do_what_they_do_without_us)
{
	char trace[2][STEPS + 1];
	unsigned int i;
	int ours;

	memset(trace, 0, sizeof(trace));
	for (i = 0; i < COUNT(names) * WALKS; i++) {
		for (ours = 0; ours < 2; ours++) {
			self->at = i * 7919;
			md_walk(self, ours, names[i % COUNT(names)], trace[ours]);
		}
		EXPECT_TRUE(same(self)) TH_LOG("%s, walk %u", names[i % COUNT(names)], i);
		EXPECT_STREQ(trace[0], trace[1]) TH_LOG("%s, walk %u", names[i % COUNT(names)], i);
	}
	EXPECT_LT(COUNT(names) * WALKS / 4, taken(&self->b));
}

/* libcrypto has no use for this function yet. */
TEST_F(digest, the_function_for_a_whole_message)
{
	int no_cache;
	const OSSL_ALGORITHM *alg = OSSL_PROVIDER_query_operation(self->b.provider, OSSL_OP_DIGEST, &no_cache);
	const OSSL_DISPATCH *f;
	size_t len = 0;
	unsigned int i;

	while (strncmp(alg->algorithm_names, "SHA2-256", 8))
		alg++;
	for (f = alg->implementation; f->function_id != OSSL_FUNC_DIGEST_DIGEST; f++)
		;
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(1, OSSL_FUNC_digest_digest(f)(OSSL_PROVIDER_get0_provider_ctx(self->b.provider), self->in,
							i ? 5000 : 10, self->out[1], &len, sizeof(self->out[1])));
		EXPECT_EQ(32, len);
		EXPECT_EQ(1,
			  EVP_Q_digest(self->b.stock, "SHA2-256", NULL, self->in, i ? 5000 : 10, self->out[0], NULL));
		EXPECT_EQ(0, memcmp(self->out[0], self->out[1], 32));
		EXPECT_EQ(i, taken(&self->b));
	}
	EXPECT_EQ(0, OSSL_FUNC_digest_digest(f)(OSSL_PROVIDER_get0_provider_ctx(self->b.provider), self->in, 5000,
						self->out[1], &len, 31));
}

/* --- HMAC --- */

static void mac_walk(FIXTURE_DATA(digest) *self, int ours, const char *name, char trace[STEPS + 1])
{
	static const size_t sizes[] = { 64, 100, 5000, 0, 1, 63 }, keys[] = { 32, 1, 64, 200, 0 };
	OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string("digest", (char *)name, 0), OSSL_PARAM_END };
	EVP_MAC *mac = EVP_MAC_fetch(libctx_of(self, ours), "HMAC", NULL);
	EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac), *copy;
	size_t len = 0;
	unsigned int i;
	int ret;

	trace[0] = (char)('0' + EVP_MAC_init(ctx, self->in, keys[draw(self, COUNT(keys) - 1)], params));
	for (i = 1; i < STEPS; i++) {
		switch (draw(self, 7)) {
		case 0:
			copy = EVP_MAC_CTX_dup(ctx);
			EVP_MAC_CTX_free(ctx);
			ctx = copy;
			ret = ctx != NULL;
			break;
		case 1:
			ret = EVP_MAC_final(ctx, self->out[ours], &len, sizeof(self->out[ours])) &&
			      EVP_MAC_init(ctx, NULL, 0, NULL);
			break;
		case 2:
			ret = EVP_MAC_init(ctx, draw(self, 2) ? self->in + 7 : NULL, keys[draw(self, COUNT(keys))],
					   draw(self, 2) ? params : NULL);
			break;
		default:
			ret = EVP_MAC_update(ctx, self->in + draw(self, 9), sizes[draw(self, COUNT(sizes))]);
		}
		trace[i] = (char)('0' + ret);
	}
	self->len[ours] = EVP_MAC_final(ctx, self->out[ours], &len, sizeof(self->out[ours])) > 0 ? (unsigned int)len :
			  0;
	EVP_MAC_CTX_free(ctx);
	EVP_MAC_free(mac);
}

TEST_F(digest, hmac_does_what_it_does_without_us)
{
	static const char *const others[] = { "SHA3-256", "bogus" };
	char trace[2][STEPS + 1];
	const char *name;
	unsigned int i;
	int ours;

	memset(trace, 0, sizeof(trace));
	for (i = 0; i < (COUNT(names) + 2) * WALKS; i++) {
		name = i % (COUNT(names) + 2) < COUNT(names) ? names[i % (COUNT(names) + 2)] : others[i % 2];
		for (ours = 0; ours < 2; ours++) {
			self->at = i * 7919;
			mac_walk(self, ours, name, trace[ours]);
		}
		EXPECT_TRUE(same(self)) TH_LOG("%s, walk %u", name, i);
		EXPECT_STREQ(trace[0], trace[1]) TH_LOG("%s, walk %u", name, i);
	}
	EXPECT_LT(COUNT(names) * WALKS / 8, taken(&self->b));
	ERR_clear_error();
}

/* The master secret of SSL 3 is a part of the message. */
TEST_F(digest, parameters_of_an_initialization)
{
	OSSL_PARAM params[] = { OSSL_PARAM_construct_octet_string("ssl3-ms", self->in, 48), OSSL_PARAM_END };
	EVP_MD_CTX *ctx;
	EVP_MD *md;
	int ours;

	for (ours = 0; ours < 2; ours++) {
		md = EVP_MD_fetch(libctx_of(self, ours), "SHA1", NULL);
		ctx = EVP_MD_CTX_new();
		self->len[ours] = 0;
		EXPECT_EQ(1, EVP_DigestInit_ex2(ctx, md, params));
		EXPECT_EQ(1, EVP_DigestUpdate(ctx, self->in, 5000));
		EXPECT_EQ(1, EVP_DigestFinal_ex(ctx, self->out[ours], &self->len[ours]));
		EVP_MD_CTX_free(ctx);
		EVP_MD_free(md);
	}
	EXPECT_TRUE(same(self));
}

/* Parameters that are refused, or say nothing, and then a message; with an empty key, stock keeps the old one. */
static void mac_after(FIXTURE_DATA(digest) *self, int ours, const OSSL_PARAM odd[], const unsigned char *key)
{
	OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string("digest", (char *)"SHA2-256", 0), OSSL_PARAM_END };
	EVP_MAC *mac = EVP_MAC_fetch(libctx_of(self, ours), "HMAC", NULL);
	EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac);
	size_t len = 0;

	EVP_MAC_init(ctx, self->in, 32, params);
	EVP_MAC_CTX_set_params(ctx, odd);
	EVP_MAC_init(ctx, key, 32, NULL);
	EVP_MAC_update(ctx, self->in, 5000);
	self->len[ours] = EVP_MAC_final(ctx, self->out[ours], &len, sizeof(self->out[ours])) > 0 ? (unsigned int)len :
			  0;
	EVP_MAC_CTX_free(ctx);
	EVP_MAC_free(mac);
}

TEST_F(digest, hmac_after_odd_parameters)
{
	unsigned int number = 7;
	const OSSL_PARAM refused[] = {
		OSSL_PARAM_construct_utf8_string("digest", (char *)"SHA2-512/256", 0),
		OSSL_PARAM_construct_uint("key", &number), OSSL_PARAM_END,
	}, no_key[] = { OSSL_PARAM_construct_octet_string("key", NULL, 0), OSSL_PARAM_END };
	int ours, key;

	for (key = 0; key < 2; key++) {
		for (ours = 0; ours < 2; ours++)
			mac_after(self, ours, refused, key ? self->in : NULL);
		EXPECT_TRUE(same(self)) TH_LOG("refused, key %d", key);
		for (ours = 0; ours < 2; ours++)
			mac_after(self, ours, no_key, key ? self->in : NULL);
		EXPECT_TRUE(same(self)) TH_LOG("without data, key %d", key);
	}
	ERR_clear_error();
}

/* A message, an initialization that is refused, and what comes of the message. */
static void mac_refused(struct __test_metadata *_metadata, FIXTURE_DATA(digest) *self, int ours, const char *name,
			bool ended)
{
	OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string("digest", (char *)"SHA2-384", 0), OSSL_PARAM_END };
	EVP_MAC *mac = EVP_MAC_fetch(libctx_of(self, ours), "HMAC", NULL);
	EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac);
	size_t len = 0;

	EXPECT_EQ(1, EVP_MAC_init(ctx, self->in, 77, params));
	EXPECT_EQ(1, EVP_MAC_update(ctx, self->in, 5000));
	if (ended)
		EXPECT_EQ(1, EVP_MAC_final(ctx, self->out[ours], &len, sizeof(self->out[ours])));
	params[0] = OSSL_PARAM_construct_utf8_string("digest", (char *)name, 0);
	EXPECT_EQ(0, EVP_MAC_init(ctx, self->in + 7, 32, params));
	if (ended)
		EVP_MAC_update(ctx, self->in, 100);
	self->len[ours] = EVP_MAC_final(ctx, self->out[ours], &len, sizeof(self->out[ours])) > 0 ? (unsigned int)len :
			  0;
	EVP_MAC_CTX_free(ctx);
	EVP_MAC_free(mac);
}

TEST_F(digest, hmac_after_an_initialization_that_is_refused)
{
	static const char *const refused[] = { "SHAKE128", "bogus" };
	unsigned int i;
	int ours;

	for (i = 0; i < 2 * COUNT(refused); i++) {
		for (ours = 0; ours < 2; ours++)
			mac_refused(_metadata, self, ours, refused[i / 2], i % 2);
		EXPECT_TRUE(same(self)) TH_LOG("%s, ended %u", refused[i / 2], i % 2);
		if (!(i % 2))
			EXPECT_EQ(48, self->len[0]);
	}
	ERR_clear_error();
}

TEST_F(digest, hmac_of_whole_messages)
{
	unsigned int i;
	size_t len;
	int ours;

	for (i = 0; i < COUNT(names); i++) {
		for (ours = 0; ours < 2; ours++) {
			EXPECT_NE(NULL, EVP_Q_mac(libctx_of(self, ours), "HMAC", NULL, names[i], NULL, self->in, 20 * i,
						  self->in, 5000, self->out[ours], sizeof(self->out[ours]), &len));
			self->len[ours] = (unsigned int)len;
		}
		EXPECT_TRUE(same(self)) TH_LOG("%s", names[i]);
		EXPECT_EQ(i + 1, taken(&self->b)) TH_LOG("%s", names[i]);
	}
}

TEST_F(digest, a_device_that_fails_is_done_without)
{
	static const char *const events[] = { "fault fail=2:3", "remove" };
	unsigned int i;
	size_t len;
	int ours;

	for (i = 0; emulated() && i < COUNT(events); i++) {
		EXPECT_EQ(1, EVP_Q_digest(self->b.ours, "SM3", NULL, self->in, 5000, self->out[1], NULL));
		EXPECT_EQ(1, sim(&self->b));
		ASSERT_EQ(0, emulated_control(SEC, events[i]));
		for (ours = 0; ours < 2; ours++) {
			EXPECT_EQ(1, EVP_Q_digest(libctx_of(self, ours), "SM3", NULL, self->in, 5000, self->out[ours],
						  NULL));
			EXPECT_NE(NULL, EVP_Q_mac(libctx_of(self, ours), "HMAC", NULL, "SM3", NULL, "key", 3, self->in,
						  5000, self->out[ours] + 32, 32, &len));
		}
		EXPECT_EQ(0, memcmp(self->out[0], self->out[1], 64));
		EXPECT_EQ(1, sim(&self->b));
		EXPECT_EQ(2, soft(&self->b));
		both_close(&self->b);
		emulated_control(SEC, "return");
		ASSERT_TRUE(both_open(&self->b)) errors_print();
	}
}

TEST_HARNESS_MAIN
