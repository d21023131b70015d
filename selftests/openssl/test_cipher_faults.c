// SPDX-License-Identifier: Apache-2.0
/* Ciphers on devices that fail, don't answer or are gone: not a byte differs. And in asynchronous jobs. */
#include <openssl/async.h>
#include <poll.h>

#include "aead_test.h"
#include "wait_ms.h"
#include "kselftest_harness.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

FIXTURE(cipher_faults) {
	struct both b;
	struct pair t;
	int enc;
	bool aead;
};

FIXTURE_SETUP(cipher_faults)
{
	ASSERT_TRUE(emulated());
	setenv("WD_OPENSSL_ALGORITHMS", "ciphers aes-ctr", 1);
	setenv("WD_OPENSSL_MIN_BYTES", "64", 1);
}

FIXTURE_TEARDOWN(cipher_faults)
{
	pair_close(&self->t);
	both_close(&self->b);
}

TEST_F(cipher_faults, a_device_that_is_removed_is_done_without)
{
	ASSERT_TRUE(both_open(&self->b)) errors_print();
	ASSERT_TRUE(pair_open(&self->t, &self->b, "AES-128-CBC", 0));
	ASSERT_TRUE(pair_update(&self->t, 4096));
	ASSERT_EQ(1, sim(&self->b));
	ASSERT_EQ(0, emulated_control(SEC, "remove"));
	EXPECT_TRUE(pair_update(&self->t, 4096)) TH_LOG("%s", self->t.what);
	EXPECT_TRUE(pair_update(&self->t, 4096)) TH_LOG("%s", self->t.what);
	EXPECT_EQ(1, sim(&self->b));
	EXPECT_EQ(2, soft(&self->b));
	EXPECT_EQ(0, emulated_control(SEC, "return"));
}

TEST_F(cipher_faults, a_device_that_fails_costs_no_byte)
{
	static const char *const modes[] = { "AES-128-CBC", "AES-128-XTS", "AES-128-OFB", "AES-128-CTR" };
	unsigned int i;

	ASSERT_TRUE(both_open(&self->b)) errors_print();
	for (i = 0; i < COUNT(modes); i++) {
		ASSERT_TRUE(pair_open(&self->t, &self->b, modes[i], 1));
		ASSERT_TRUE(pair_update(&self->t, 4096)) TH_LOG("%s: %s", modes[i], self->t.what);
		ASSERT_EQ(0, emulated_control(SEC, "fault fail=2:3"));
		EXPECT_TRUE(pair_in_place(&self->t, 4096, 0)) TH_LOG("%s: %s", modes[i], self->t.what);
		EXPECT_TRUE(pair_update(&self->t, 4096)) TH_LOG("%s: %s", modes[i], self->t.what);
		EXPECT_TRUE(pair_in_place(&self->t, 4096, 0)) TH_LOG("%s: %s", modes[i], self->t.what);
		pair_close(&self->t);
		memset(&self->t, 0, sizeof(self->t));
	}
	EXPECT_EQ(2 * COUNT(modes), soft(&self->b));
	EXPECT_EQ(2 * COUNT(modes), sim(&self->b));
	EXPECT_EQ(2 * COUNT(modes), count_of(&self->b, "warpdrive-fallbacks"));
}

TEST_F(cipher_faults, without_fallback_it_is_an_error)
{
	setenv("WD_OPENSSL_FALLBACK", "no", 1);
	ASSERT_TRUE(both_open(&self->b)) errors_print();
	ASSERT_TRUE(pair_open(&self->t, &self->b, "SM4-CBC", 1));
	ASSERT_TRUE(pair_update(&self->t, 4096));
	ASSERT_EQ(0, emulated_control(SEC, "fault fail=1:3"));
	EXPECT_FALSE(pair_update(&self->t, 4096));
	EXPECT_STREQ("update 4096: returns 1, 0, length 4096, 0", self->t.what);
	EXPECT_EQ(0, soft(&self->b));
}

TEST_F(cipher_faults, a_device_that_does_not_answer_costs_the_deadline)
{
	uint64_t fallbacks;

	setenv("WD_OPENSSL_TIMEOUT_MS", "50", 1);
	ASSERT_TRUE(both_open(&self->b)) errors_print();
	ASSERT_TRUE(pair_open(&self->t, &self->b, "AES-256-CFB", 0));
	/* On a machine with other work, this one may be late, too. */
	ASSERT_TRUE(pair_update(&self->t, 4096));
	fallbacks = count_of(&self->b, "warpdrive-fallbacks");
	ASSERT_EQ(0, emulated_control(SEC, "hold"));
	EXPECT_TRUE(pair_in_place(&self->t, 4096, 0)) TH_LOG("%s", self->t.what);
	EXPECT_EQ(fallbacks + 1, count_of(&self->b, "warpdrive-fallbacks"));
	EXPECT_EQ(0, emulated_control(SEC, "release"));
}

static bool seal(struct pair *t, const struct both *b)
{
	unsigned char iv[12] = { 0 };

	return pair_init(t, b, NULL, NULL, iv, 1, NULL) && pair_aad(t, t->in, 5) && pair_in_place(t, 4096, 0) &&
	       pair_final(t) && pair_tag_get(t, 16);
}

static int update_in_job(void *arg)
{
	FIXTURE_DATA(cipher_faults) *self = *(FIXTURE_DATA(cipher_faults) **)arg;

	if (self->aead)
		return seal(&self->t, &self->b);
	return pair_update(&self->t, 4096) && (!self->enc || pair_in_place(&self->t, 4096, 0)) &&
	       pair_update(&self->t, 64) && pair_update(&self->t, 1024) && pair_final(&self->t);
}

static void in_job(struct __test_metadata *_metadata, FIXTURE_DATA(cipher_faults) *self, const char *name, int enc)
{
	ASYNC_WAIT_CTX *ctx = ASYNC_WAIT_CTX_new();
	ASYNC_JOB *job = NULL;
	struct pollfd fd;
	int ret = 0, status;
	size_t n;

	self->enc = enc;
	ASSERT_TRUE(pair_open(&self->t, &self->b, name, enc));
	while ((status = ASYNC_start_job(&job, ctx, &ret, update_in_job, &self, sizeof(self))) == ASYNC_PAUSE) {
		ASSERT_EQ(1, ASYNC_WAIT_CTX_get_all_fds(ctx, &fd.fd, &n));
		fd.events = POLLIN;
		ASSERT_EQ(1, poll(&fd, 1, WAIT_MS));
	}
	EXPECT_EQ(ASYNC_FINISH, status);
	EXPECT_EQ(1, ret) TH_LOG("%s: %s", name, self->t.what);
	ASYNC_WAIT_CTX_free(ctx);
	pair_close(&self->t);
	memset(&self->t, 0, sizeof(self->t));
}

TEST_F(cipher_faults, jobs_do_the_same)
{
	static const char *const names[] = {
		"AES-128-CBC", "AES-256-XTS", "AES-128-CFB", "AES-128-OFB", "AES-192-CTR", "DES-EDE3-CBC", "SM4-ECB",
	};
	unsigned int i;
	uint64_t before;

	ASSERT_TRUE(both_open(&self->b)) errors_print();
	for (i = 0; i < COUNT(names); i++) {
		in_job(_metadata, self, names[i], 1);
		in_job(_metadata, self, names[i], 0);
	}
	before = sim(&self->b);
	EXPECT_LE(3 * COUNT(names), before);
	self->aead = true;
	in_job(_metadata, self, "AES-128-GCM", 1);
	EXPECT_EQ(before + 1, sim(&self->b));
}

TEST_F(cipher_faults, a_message_with_a_tag_is_done_again)
{
	ASSERT_TRUE(both_open(&self->b)) errors_print();
	ASSERT_TRUE(pair_open(&self->t, &self->b, "AES-256-GCM", 1));
	EXPECT_TRUE(seal(&self->t, &self->b)) TH_LOG("%s", self->t.what);
	EXPECT_EQ(1, sim(&self->b));
	ASSERT_EQ(0, emulated_control(SEC, "fault fail=1:3"));
	EXPECT_TRUE(seal(&self->t, &self->b)) TH_LOG("%s", self->t.what);
	EXPECT_EQ(1, count_of(&self->b, "warpdrive-fallbacks"));
	ASSERT_EQ(0, emulated_control(SEC, "remove"));
	EXPECT_TRUE(seal(&self->t, &self->b)) TH_LOG("%s", self->t.what);
	EXPECT_EQ(1, sim(&self->b));
	EXPECT_EQ(0, emulated_control(SEC, "return"));
}

/* Nothing may look like the result of all of the message. */
TEST_F(cipher_faults, without_a_fallback_nothing_works_behind_a_failure)
{
	static const char *const names[] = { "AES-128-CBC", "AES-128-GCM" };
	unsigned char in[4096] = { 0 }, out[4096 + 32], key[32] = { 1 };
	EVP_CIPHER_CTX *ctx;
	EVP_CIPHER *cipher;
	unsigned int i;
	int n;

	setenv("WD_OPENSSL_FALLBACK", "no", 1);
	ASSERT_TRUE(both_open(&self->b)) errors_print();
	for (i = 0; i < COUNT(names); i++) {
		cipher = EVP_CIPHER_fetch(self->b.ours, names[i], NULL);
		ctx = EVP_CIPHER_CTX_new();
		ASSERT_EQ(0, emulated_control(SEC, "fault fail=1:3"));
		EXPECT_EQ(1, EVP_CipherInit_ex2(ctx, cipher, key, key, 1, NULL));
		EXPECT_EQ(0, EVP_CipherUpdate(ctx, out, &n, in, sizeof(in)));
		EXPECT_EQ(0, EVP_CipherUpdate(ctx, out, &n, in, 16));
		EXPECT_EQ(0, EVP_CipherUpdate(ctx, out, &n, in, sizeof(in)));
		EXPECT_EQ(0, EVP_CipherFinal_ex(ctx, out, &n));
		EXPECT_EQ(0, i && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, out) > 0);
		EXPECT_EQ(1, EVP_CipherInit_ex2(ctx, NULL, NULL, key, 1, NULL));
		EXPECT_EQ(1, EVP_CipherUpdate(ctx, out, &n, in, sizeof(in)));
		EXPECT_EQ(1, EVP_CipherFinal_ex(ctx, out, &n));
		EVP_CIPHER_CTX_free(ctx);
		EVP_CIPHER_free(cipher);
	}
	ERR_clear_error();
}

TEST_HARNESS_MAIN
