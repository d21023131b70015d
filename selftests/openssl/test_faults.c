// SPDX-License-Identifier: Apache-2.0
/*
 * Devices that compute wrongly, that don't answer, that are gone: the default provider does it, or an error says why.
 */
#include <openssl/async.h>
#include <poll.h>
#include <pthread.h>

#include "provider_test.h"
#include "wait_ms.h"
#include "kselftest_harness.h"

FIXTURE(faults) {
	struct both b;
	EVP_PKEY *key, *stock;
	unsigned char sig[1024];
	size_t len;
};

static void open_with(FIXTURE_DATA(faults) *self, const char *type, const char *group, size_t bits)
{
	if (!both_open(&self->b))
		errors_print();
	self->stock = key_make(self->b.stock, type, group, bits);
	self->key = key_in(self->b.ours, self->stock, EVP_PKEY_KEYPAIR);
}

/*
 * On a machine with other work, a device that works may be late: only requests that the device doesn't answer may have
 * a short deadline. The others never meet theirs.
 */
static void deadline(const char *ms)
{
	setenv("WD_OPENSSL_TIMEOUT_MS", ms, 1);
}

#define LONG	"3600000"
#define SHORT	"50"

/* Each request fails at once: the engine has aborted it. */
#define FAIL	"fault fail=1/1:9"

FIXTURE_SETUP(faults)
{
	ASSERT_TRUE(emulated());
	deadline(LONG);
}

FIXTURE_TEARDOWN(faults)
{
	EVP_PKEY_free(self->key);
	EVP_PKEY_free(self->stock);
	both_close(&self->b);
}

static bool signs(FIXTURE_DATA(faults) *self)
{
	sign(self->b.ours, self->key, "SHA256", NULL, "abc", 3, self->sig, &self->len);
	return self->len && verify(self->b.stock, self->stock, "SHA256", NULL, "abc", 3, self->sig, self->len);
}

static uint64_t count(FIXTURE_DATA(faults) *self, const char *what)
{
	return count_of(&self->b, what);
}

TEST_F(faults, after_three_wrong_results_the_device_is_left_alone)
{
	unsigned int i;

	open_with(self, "RSA", NULL, 1024);
	ASSERT_TRUE(signs(self));
	ASSERT_EQ(0, emulated_control(DEVICE, "fault corrupt=1/1"));
	for (i = 1; i <= 5; i++) {
		ASSERT_TRUE(signs(self));
		EXPECT_EQ(i < 3 ? i : 3, count(self, "warpdrive-bad-results"));
		EXPECT_EQ(i < 3 ? i : 3, count(self, "warpdrive-fallbacks"));
		EXPECT_EQ(i, soft(&self->b));
	}
	EXPECT_EQ(1, sim(&self->b));
}

TEST_F(faults, a_right_result_begins_the_count_anew)
{
	unsigned int i;

	open_with(self, "RSA", NULL, 1024);
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, emulated_control(DEVICE, "fault corrupt=1/1"));
		ASSERT_TRUE(signs(self));
		ASSERT_EQ(0, emulated_control(DEVICE, "fault corrupt=0"));
		ASSERT_TRUE(signs(self));
	}
	EXPECT_EQ(4, count(self, "warpdrive-bad-results"));
	EXPECT_EQ(4, sim(&self->b));
}

/* A TLS server agrees on a secret before each signature. */
TEST_F(faults, results_that_nobody_checks_are_no_right_ones)
{
	EVP_PKEY *other;
	unsigned int i;

	open_with(self, "RSA", NULL, 1024);
	other = key_make(self->b.ours, "X25519", NULL, 0);
	ASSERT_NE(NULL, other);
	EVP_PKEY_free(other);
	for (i = 1; i <= 4; i++) {
		ASSERT_EQ(0, emulated_control(DEVICE, "fault corrupt=1/1"));
		ASSERT_TRUE(signs(self));
		EXPECT_EQ(i < 3 ? i : 3, count(self, "warpdrive-bad-results"));
		ASSERT_EQ(0, emulated_control(DEVICE, "fault corrupt=0"));
		EVP_PKEY_free(key_make(self->b.ours, "X25519", NULL, 0));
	}
}

/* libssl takes any error in the queue for one of the connection. */
TEST_F(faults, a_key_pair_off_its_curve_is_made_again)
{
	EVP_PKEY *pair;

	open_with(self, "EC", "P-256", 0);
	ASSERT_EQ(0, emulated_control(DEVICE, "fault corrupt=1/1"));
	ERR_clear_error();
	pair = key_make(self->b.ours, "EC", "P-256", 0);
	EXPECT_NE(NULL, pair);
	EVP_PKEY_free(pair);
	EXPECT_EQ(0, ERR_peek_error());
	EXPECT_EQ(1, count(self, "warpdrive-bad-results"));
	EXPECT_EQ(1, count(self, "warpdrive-fallbacks"));
}

/* Nothing else shows that a string, which is a public value always, isn't that of the secret. */
TEST_F(faults, key_pairs_are_checked_if_all_results_are)
{
	static const struct { const char *type, *group; } kinds[] = {
		{ "X25519", NULL }, { "X448", NULL }, { "EC", "P-256" },
	};
	EVP_PKEY *pair, *same;
	unsigned int i;
	unsigned char secret[64];
	size_t len;

	setenv("WD_OPENSSL_CHECK_RESULTS", "all", 1);
	open_with(self, "EC", "P-256", 0);
	for (i = 0; i < 3; i++) {
		pair = key_make(self->b.ours, kinds[i].type, kinds[i].group, 0);
		EXPECT_EQ(i + 1, sim(&self->b));
		EVP_PKEY_free(pair);
	}
	ASSERT_EQ(0, emulated_control(DEVICE, "fault corrupt=1/1"));
	for (i = 0; i < 2; i++) {
		pair = key_make(self->b.ours, kinds[i].type, NULL, 0);
		len = sizeof(secret);
		ASSERT_EQ(1, EVP_PKEY_get_raw_private_key(pair, secret, &len));
		same = EVP_PKEY_new_raw_private_key_ex(self->b.stock, kinds[i].type, NULL, secret, len);
		EXPECT_EQ(1, EVP_PKEY_eq(same, pair));
		EXPECT_EQ(i + 1, count(self, "warpdrive-bad-results"));
		EVP_PKEY_free(same);
		EVP_PKEY_free(pair);
	}
}

TEST_F(faults, ecdsa_is_checked_if_all_results_are)
{
	setenv("WD_OPENSSL_CHECK_RESULTS", "all", 1);
	open_with(self, "EC", "P-256", 0);
	ASSERT_TRUE(signs(self));
	EXPECT_EQ(1, sim(&self->b));
	ASSERT_EQ(0, emulated_control(DEVICE, "fault corrupt=1/1"));
	ASSERT_TRUE(signs(self));
	EXPECT_EQ(1, count(self, "warpdrive-bad-results"));
	EXPECT_EQ(1, soft(&self->b));
}

/* The fault is in the last byte: of a point that is in y, which is no secret. */
TEST_F(faults, secrets_are_checked_if_all_results_are)
{
	static const struct { const char *type, *group; } kinds[] = {
		{ "X25519", NULL }, { "X448", NULL }, { "DH", "ffdhe2048" },
	};
	unsigned char secret[2][1024];
	EVP_PKEY *stock, *key;
	unsigned int i;
	size_t len;

	setenv("WD_OPENSSL_CHECK_RESULTS", "all", 1);
	open_with(self, "EC", "P-256", 0);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		stock = key_make(self->b.stock, kinds[i].type, kinds[i].group, 0);
		key = key_in(self->b.ours, stock, EVP_PKEY_KEYPAIR);
		len = derive(self->b.stock, stock, stock, -1, secret[0]);
		ASSERT_LT(0, len);
		EXPECT_EQ(len, derive(self->b.ours, key, key, -1, secret[1]));
		EXPECT_EQ(0, memcmp(secret[0], secret[1], len));
		EXPECT_EQ(i, count(self, "warpdrive-bad-results"));
		ASSERT_EQ(0, emulated_control(DEVICE, "fault corrupt=1/1"));
		EXPECT_EQ(len, derive(self->b.ours, key, key, -1, secret[1]));
		EXPECT_EQ(0, memcmp(secret[0], secret[1], len));
		EXPECT_EQ(i + 1, count(self, "warpdrive-bad-results"));
		ASSERT_EQ(0, emulated_control(DEVICE, "fault corrupt=0"));
		EVP_PKEY_free(key);
		EVP_PKEY_free(stock);
	}
	EXPECT_EQ(0, ERR_peek_error());
}

/* Decrypts a text of SM2. */
static bool decrypts(FIXTURE_DATA(faults) *self, const unsigned char *in, size_t in_len)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(self->b.ours, self->key, NULL);
	unsigned char text[1024];
	size_t len = sizeof(text);
	bool ok = EVP_PKEY_decrypt_init(ctx) > 0 && EVP_PKEY_decrypt(ctx, text, &len, in, in_len) > 0 && len == 3 &&
		  !memcmp(text, "abc", 3);

	EVP_PKEY_CTX_free(ctx);
	return ok;
}

TEST_F(faults, texts_are_checked_if_all_results_are)
{
	unsigned char secret[1024];
	size_t len = sizeof(secret);
	EVP_PKEY_CTX *ctx;

	setenv("WD_OPENSSL_CHECK_RESULTS", "all", 1);
	open_with(self, "SM2", NULL, 0);
	ctx = EVP_PKEY_CTX_new_from_pkey(self->b.stock, self->stock, NULL);
	ASSERT_EQ(1, EVP_PKEY_encrypt_init(ctx));
	ASSERT_EQ(1, EVP_PKEY_encrypt(ctx, secret, &len, (const unsigned char *)"abc", 3));
	EVP_PKEY_CTX_free(ctx);
	EXPECT_TRUE(decrypts(self, secret, len));
	EXPECT_EQ(1, sim(&self->b));
	EXPECT_EQ(0, count(self, "warpdrive-bad-results"));
	ASSERT_EQ(0, emulated_control(DEVICE, "fault corrupt=1/1"));
	EXPECT_TRUE(decrypts(self, secret, len));
	EXPECT_EQ(1, count(self, "warpdrive-bad-results"));
}

TEST_F(faults, a_device_that_does_not_answer_costs_the_deadline)
{
	uint64_t fallbacks, softly;

	deadline(SHORT);
	open_with(self, "RSA", NULL, 1024);
	/* This one may be late, too. */
	ASSERT_TRUE(signs(self));
	fallbacks = count(self, "warpdrive-fallbacks");
	softly = soft(&self->b);
	ASSERT_EQ(0, emulated_control(DEVICE, "hold"));
	ASSERT_TRUE(signs(self));
	EXPECT_EQ(fallbacks + 1, count(self, "warpdrive-fallbacks"));
	EXPECT_EQ(softly + 1, soft(&self->b));
	ASSERT_EQ(0, emulated_control(DEVICE, "release"));
}

static void three_failures(FIXTURE_DATA(faults) *self, struct __test_metadata *_metadata, const char *fault)
{
	unsigned int i;

	open_with(self, "RSA", NULL, 1024);
	ASSERT_EQ(0, emulated_control(DEVICE, fault));
	for (i = 1; i <= 3; i++) {
		ASSERT_TRUE(signs(self));
		EXPECT_EQ(i, count(self, "warpdrive-fallbacks"));
	}
}

/* Signs until the counter has changed. */
static void signs_until(FIXTURE_DATA(faults) *self, struct __test_metadata *_metadata, const char *what)
{
	uint64_t was = count(self, what);
	unsigned int i;

	for (i = 0; i < WAIT_MS / 10 && count(self, what) == was; i++) {
		poll(NULL, 0, 10);
		ASSERT_TRUE(signs(self));
	}
	ASSERT_EQ(was + 1, count(self, what));
}

TEST_F(faults, after_three_failures_in_a_row_the_device_rests)
{
	unsigned int i;

	deadline(SHORT);
	three_failures(self, _metadata, "fault drop=1/1");
	for (i = 0; i < 100; i++)
		ASSERT_TRUE(signs(self));
	EXPECT_EQ(3, count(self, "warpdrive-fallbacks"));
	EXPECT_EQ(103, soft(&self->b));
	EXPECT_EQ(0, count(self, "warpdrive-bad-results"));
}

/* Its queue has to be taken away by closing it. */
TEST_F(faults, so_does_a_device_whose_queue_is_stuck)
{
	unsigned int i;

	deadline(SHORT);
	open_with(self, "RSA", NULL, 1024);
	ASSERT_EQ(0, emulated_control(DEVICE, "fault stuck=1/1"));
	for (i = 0; i < 100; i++)
		ASSERT_TRUE(signs(self));
	EXPECT_EQ(3, count(self, "warpdrive-fallbacks"));
	EXPECT_EQ(100, soft(&self->b));
}

TEST_F(faults, a_success_ends_the_row_of_failures)
{
	unsigned int i;

	open_with(self, "RSA", NULL, 1024);
	for (i = 1; i <= 4; i++) {
		ASSERT_EQ(0, emulated_control(DEVICE, FAIL));
		ASSERT_TRUE(signs(self));
		ASSERT_EQ(0, emulated_control(DEVICE, "fault fail=0"));
		ASSERT_TRUE(signs(self));
		EXPECT_EQ(i, count(self, "warpdrive-fallbacks"));
		EXPECT_EQ(i, sim(&self->b));
	}
}

static void *tries(void *arg)
{
	FIXTURE_DATA(faults) *self = arg;
	unsigned char sig[1024];
	unsigned int i, more = 0;
	size_t len = 1;

	for (i = 0; i < WAIT_MS / 10 && more < 20 && len; i++) {
		poll(NULL, 0, 10);
		sign(self->b.ours, self->key, "SHA256", NULL, "abc", 3, sig, &len);
		more += count(self, "warpdrive-fallbacks") > 3;
	}
	return len ? self : NULL;
}

/* A failure during the trial begins another rest at once. */
TEST_F_TIMEOUT(faults, after_the_rest_one_of_several_threads_tries, 100)
{
	pthread_t thread[4];
	unsigned int i;
	void *ret;

	deadline(SHORT);
	three_failures(self, _metadata, "fault drop=1/1");
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, tries, self));
	for (i = 0; i < ARRAY_SIZE(thread); i++) {
		ASSERT_EQ(0, pthread_join(thread[i], &ret));
		EXPECT_EQ(self, ret);
	}
	EXPECT_EQ(4, count(self, "warpdrive-fallbacks"));
}

TEST_F_TIMEOUT(faults, after_the_rest_a_success_ends_it, 100)
{
	unsigned int i;

	three_failures(self, _metadata, FAIL);
	ASSERT_EQ(0, emulated_control(DEVICE, "fault fail=0"));
	signs_until(self, _metadata, "warpdrive-requests-sim");
	for (i = 0; i < 10; i++)
		ASSERT_TRUE(signs(self));
	EXPECT_EQ(11, sim(&self->b));
	/* The row is over, too. */
	ASSERT_EQ(0, emulated_control(DEVICE, FAIL));
	ASSERT_TRUE(signs(self));
	ASSERT_TRUE(signs(self));
	EXPECT_EQ(5, count(self, "warpdrive-fallbacks"));
}

TEST_F(faults, without_fallback_no_failure_makes_the_device_rest)
{
	unsigned int i;

	setenv("WD_OPENSSL_FALLBACK", "no", 1);
	open_with(self, "RSA", NULL, 1024);
	ASSERT_EQ(0, emulated_control(DEVICE, FAIL));
	for (i = 0; i < 5; i++)
		EXPECT_FALSE(signs(self));
	ASSERT_EQ(0, emulated_control(DEVICE, "fault fail=0"));
	EXPECT_TRUE(signs(self));
	EXPECT_EQ(1, sim(&self->b));
	EXPECT_EQ(0, soft(&self->b));
}

static int sign_in_job(void *arg)
{
	return signs(*(FIXTURE_DATA(faults) **)arg);
}

static void signs_in_job(FIXTURE_DATA(faults) *self, struct __test_metadata *_metadata)
{
	ASYNC_WAIT_CTX *ctx = ASYNC_WAIT_CTX_new();
	ASYNC_JOB *job = NULL;
	struct pollfd fd;
	int ret = 0, status;
	size_t n;

	while ((status = ASYNC_start_job(&job, ctx, &ret, sign_in_job, &self, sizeof(self))) == ASYNC_PAUSE) {
		ASSERT_EQ(1, ASYNC_WAIT_CTX_get_all_fds(ctx, &fd.fd, &n));
		fd.events = POLLIN;
		ASSERT_EQ(1, poll(&fd, 1, WAIT_MS));
	}
	EXPECT_EQ(ASYNC_FINISH, status);
	EXPECT_EQ(1, ret);
	ASYNC_WAIT_CTX_free(ctx);
}

TEST_F(faults, a_job_has_the_deadline_too)
{
	deadline(SHORT);
	open_with(self, "RSA", NULL, 1024);
	ASSERT_EQ(0, emulated_control(DEVICE, "hold"));
	signs_in_job(self, _metadata);
	EXPECT_EQ(1, count(self, "warpdrive-fallbacks"));
	EXPECT_EQ(1, soft(&self->b));
	ASSERT_EQ(0, emulated_control(DEVICE, "release"));
}

TEST_F(faults, after_failures_of_jobs_the_device_rests_too)
{
	unsigned int i;

	deadline(SHORT);
	open_with(self, "RSA", NULL, 1024);
	ASSERT_EQ(0, emulated_control(DEVICE, "fault drop=1/1"));
	for (i = 0; i < 10; i++)
		signs_in_job(self, _metadata);
	EXPECT_EQ(3, count(self, "warpdrive-fallbacks"));
	EXPECT_EQ(10, soft(&self->b));
}

TEST_F(faults, a_device_that_is_removed_is_done_without)
{
	open_with(self, "RSA", NULL, 1024);
	ASSERT_TRUE(signs(self));
	ASSERT_EQ(0, emulated_control(DEVICE, "remove"));
	ASSERT_TRUE(signs(self));
	ASSERT_TRUE(signs(self));
	EXPECT_EQ(1, sim(&self->b));
	EXPECT_EQ(2, soft(&self->b));
	EXPECT_EQ(0, emulated_control(DEVICE, "return"));
}

TEST_F(faults, without_fallback_it_is_an_error_that_says_why)
{
	unsigned long error;
	const char *data;
	int flags;

	setenv("WD_OPENSSL_FALLBACK", "no", 1);
	open_with(self, "RSA", NULL, 1024);
	ASSERT_TRUE(signs(self));
	ASSERT_EQ(0, emulated_control(DEVICE, "fault corrupt=1/1"));
	ERR_clear_error();
	EXPECT_FALSE(signs(self));
	error = ERR_peek_error_data(&data, &flags);
	EXPECT_EQ(ERR_R_OPERATION_FAIL, ERR_GET_REASON(error));
	EXPECT_NE(NULL, strstr(data, "result is wrong")) TH_LOG("%s", data);
	EXPECT_EQ(0, soft(&self->b));
	EXPECT_EQ(0, count(self, "warpdrive-fallbacks"));
}

TEST_HARNESS_MAIN
