// SPDX-License-Identifier: Apache-2.0
/* Verification of ECDSA and SM2: the verdicts are the default provider's, whatever a device says. */
#include <openssl/asn1.h>
#include <openssl/async.h>
#include <openssl/ec.h>
#include <poll.h>

#include "provider_test.h"
#include "wait_ms.h"
#include "kselftest_harness.h"

#define MESSAGE		"what is signed"
#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

static const OSSL_PARAM none[] = { OSSL_PARAM_END };

FIXTURE(verify) {
	struct both b;
	EVP_PKEY *stock, *ours, *public;	/* public, stock_public: that part only */
	EVP_PKEY *stock_public;
	unsigned char sig[1024];
	size_t len;
};

FIXTURE_SETUP(verify) {}

static void keys_free(FIXTURE_DATA(verify) *self)
{
	EVP_PKEY_free(self->stock);
	EVP_PKEY_free(self->stock_public);
	EVP_PKEY_free(self->ours);
	EVP_PKEY_free(self->public);
}

FIXTURE_TEARDOWN(verify)
{
	keys_free(self);
	both_close(&self->b);
}

static bool keys_make(FIXTURE_DATA(verify) *self, const char *type, const char *group)
{
	if (!self->b.provider && !both_open(&self->b)) {
		errors_print();
		return false;
	}
	keys_free(self);
	self->stock = key_make(self->b.stock, type, group, 0);
	self->stock_public = key_in(self->b.stock, self->stock, EVP_PKEY_PUBLIC_KEY);
	self->ours = key_in(self->b.ours, self->stock, EVP_PKEY_KEYPAIR);
	self->public = key_in(self->b.ours, self->stock, EVP_PKEY_PUBLIC_KEY);
	return is_ours(self->ours) && is_ours(self->public);
}

static void sign_by_stock(FIXTURE_DATA(verify) *self, const char *digest)
{
	sign(self->b.stock, self->stock, digest, none, MESSAGE, sizeof(MESSAGE), self->sig, &self->len);
}

static bool accepts(FIXTURE_DATA(verify) *self, EVP_PKEY *key, const char *digest)
{
	return verify(self->b.ours, key, digest, none, MESSAGE, sizeof(MESSAGE), self->sig, self->len);
}

static uint64_t count(FIXTURE_DATA(verify) *self, const char *what)
{
	return count_of(&self->b, what);
}

/* A good signature is one request; with a bit changed it is none that anybody takes. */
static bool verdicts_are_right(FIXTURE_DATA(verify) *self, EVP_PKEY *key, const char *digest)
{
	uint64_t before = taken(&self->b);
	bool right;

	sign_by_stock(self, digest);
	right = accepts(self, key, digest) && taken(&self->b) == before + 1;
	self->sig[self->len - 3] ^= 4;
	return right && !accepts(self, key, digest) && taken(&self->b) == before + 1 &&
	       !count(self, "warpdrive-bad-results");
}

TEST_F(verify, ecdsa_on_each_curve)
{
	static const char *const curves[] = { "P-256", "P-384", "P-521", "P-224", "P-192",
					      "secp256k1", "brainpoolP256r1", "brainpoolP320r1", "brainpoolP384r1",
					      "brainpoolP512r1" };
	static const char *const digests[] = { "SHA1", "SHA256", "SHA512", "SHA3-512" };
	unsigned int i, j;

	for (i = 0; i < COUNT(curves); i++) {
		ASSERT_TRUE(keys_make(self, "EC", curves[i])) TH_LOG("%s", curves[i]);
		for (j = 0; j < COUNT(digests); j++) {
			EXPECT_TRUE(verdicts_are_right(self, self->public, digests[j]))
				TH_LOG("%s, %s", curves[i], digests[j]);
			EXPECT_TRUE(verdicts_are_right(self, self->ours, digests[j]))
				TH_LOG("%s, %s", curves[i], digests[j]);
		}
	}
}

TEST_F(verify, a_curve_of_no_device_is_not_counted)
{
	ASSERT_TRUE(keys_make(self, "EC", "sect283r1"));
	sign_by_stock(self, "SHA256");
	EXPECT_TRUE(accepts(self, self->public, "SHA256"));
	EXPECT_EQ(0, sim(&self->b));
	EXPECT_EQ(0, soft(&self->b));
}

TEST_F(verify, without_ecdsa_among_the_algorithms_it_is_the_default_provider_s)
{
	setenv("WD_OPENSSL_ALGORITHMS", "ecdh", 1);
	ASSERT_TRUE(keys_make(self, "EC", "P-256"));
	sign_by_stock(self, "SHA256");
	EXPECT_TRUE(accepts(self, self->public, "SHA256"));
	EXPECT_EQ(0, sim(&self->b));
}

static int verify_digest(OSSL_LIB_CTX *libctx, EVP_PKEY *key, const unsigned char *sig, size_t len,
			 const unsigned char *digest, size_t n)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(libctx, key, NULL);
	int ret = EVP_PKEY_verify_init(ctx) > 0 ? EVP_PKEY_verify(ctx, sig, len, digest, n) : -9;

	EVP_PKEY_CTX_free(ctx);
	return ret;
}

static void sign_digest(FIXTURE_DATA(verify) *self, const unsigned char *digest, size_t n)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(self->b.stock, self->stock, NULL);

	self->len = sizeof(self->sig);
	if (EVP_PKEY_sign_init(ctx) <= 0 || EVP_PKEY_sign(ctx, self->sig, &self->len, digest, n) <= 0)
		self->len = 0;
	EVP_PKEY_CTX_free(ctx);
}

TEST_F(verify, sm2_of_digests)
{
	unsigned char digest[32];

	memset(digest, 7, sizeof(digest));
	ASSERT_TRUE(keys_make(self, "SM2", NULL));
	sign_digest(self, digest, sizeof(digest));
	EXPECT_EQ(1, verify_digest(self->b.ours, self->public, self->sig, self->len, digest, sizeof(digest)));
	EXPECT_EQ(1, taken(&self->b));
	digest[5] ^= 1;
	EXPECT_EQ(0, verify_digest(self->b.ours, self->public, self->sig, self->len, digest, sizeof(digest)));
	EXPECT_EQ(1, taken(&self->b));
	EXPECT_EQ(0, count(self, "warpdrive-bad-results"));
}

/* In two parts, with a copy of the context in between; id NULL: none is set. */
static int sm2_verifies(OSSL_LIB_CTX *libctx, EVP_PKEY *key, const char *id, const unsigned char *sig, size_t len,
			const char *end)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new(), *copy = EVP_MD_CTX_new();
	EVP_PKEY_CTX *pctx = NULL;
	int ret = -9;

	if (EVP_DigestVerifyInit_ex(ctx, &pctx, "SM3", libctx, NULL, key, NULL) > 0 &&
	    (!id || EVP_PKEY_CTX_set1_id(pctx, id, strlen(id)) > 0) && EVP_DigestVerifyUpdate(ctx, "ab", 2) > 0 &&
	    EVP_MD_CTX_copy_ex(copy, ctx) && EVP_DigestVerifyUpdate(copy, end, strlen(end)) > 0)
		ret = EVP_DigestVerifyFinal(copy, sig, len);
	EVP_MD_CTX_free(ctx);
	EVP_MD_CTX_free(copy);
	return ret;
}

static void sm2_sign(FIXTURE_DATA(verify) *self, const char *id)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	EVP_PKEY_CTX *pctx = NULL;

	self->len = sizeof(self->sig);
	if (EVP_DigestSignInit_ex(ctx, &pctx, "SM3", self->b.stock, NULL, self->stock, NULL) <= 0 ||
	    (id && EVP_PKEY_CTX_set1_id(pctx, id, strlen(id)) <= 0) ||
	    EVP_DigestSign(ctx, self->sig, &self->len, (const unsigned char *)"abc", 3) <= 0)
		self->len = 0;
	EVP_MD_CTX_free(ctx);
}

/* With an identity a message is the device's; what stands for none is up to libcrypto. */
TEST_F(verify, sm2_of_messages)
{
	static const char *const ids[] = { "1234567812345678", "", NULL };
	uint64_t by_path[] = { 1, 2, on_device() ? 2 : 3 };
	unsigned int i;

	ASSERT_TRUE(keys_make(self, "SM2", NULL));
	for (i = 0; i < COUNT(ids); i++) {
		sm2_sign(self, ids[i]);
		EXPECT_EQ(1, sm2_verifies(self->b.ours, self->public, ids[i], self->sig, self->len, "c"))
			TH_LOG("%s", ids[i]);
		EXPECT_EQ(by_path[i], taken(&self->b)) TH_LOG("%s", ids[i]);
		EXPECT_EQ(0, sm2_verifies(self->b.ours, self->public, ids[i], self->sig, self->len, "d"))
			TH_LOG("%s", ids[i]);
		EXPECT_EQ(by_path[i], taken(&self->b)) TH_LOG("%s", ids[i]);
	}
	EXPECT_EQ(0, count(self, "warpdrive-bad-results"));
}

/* --- signatures that can't be --- */

static const struct {
	const char *what, *r, *s;	/* hexadecimal; NULL: that of a good signature; "n": the order */
} oddities[] = {
	{ "r is 0", "0", NULL }, { "s is 0", NULL, "0" }, { "r is negative", "-1", NULL },
	{ "s is negative", NULL, "-5" }, { "r is n", "n", NULL }, { "s is n", NULL, "n" },
	{ "r has 264 bits", "1000000000000000000000000000000000000000000000000000000000000000FF", NULL },
};

/* Appends the encoding of a number, that of a good signature or another one. */
static unsigned char *put_number(unsigned char *to, const BIGNUM *good, const char *other, const BIGNUM *order)
{
	BIGNUM *bn = NULL;
	ASN1_INTEGER *number;

	if (other && strcmp(other, "n"))
		BN_hex2bn(&bn, other);
	number = BN_to_ASN1_INTEGER(bn ? bn : other ? order : good, NULL);
	i2d_ASN1_INTEGER(number, &to);
	ASN1_INTEGER_free(number);
	BN_free(bn);
	return to;
}

static size_t odd_signature(const FIXTURE_DATA(verify) *self, unsigned int i, unsigned char der[128])
{
	const unsigned char *at = self->sig;
	ECDSA_SIG *good = d2i_ECDSA_SIG(NULL, &at, (long)self->len);
	unsigned char numbers[128], *end, *to = der;
	BIGNUM *order = NULL;

	EVP_PKEY_get_bn_param(self->stock, OSSL_PKEY_PARAM_EC_ORDER, &order);
	end = put_number(numbers, ECDSA_SIG_get0_r(good), oddities[i].r, order);
	end = put_number(end, ECDSA_SIG_get0_s(good), oddities[i].s, order);
	ASN1_put_object(&to, 1, (int)(end - numbers), V_ASN1_SEQUENCE, V_ASN1_UNIVERSAL);
	memcpy(to, numbers, (size_t)(end - numbers));
	ECDSA_SIG_free(good);
	BN_free(order);
	return (size_t)(to - der + (end - numbers));
}

/* The verdict, and the last error, are those of the default provider. */
static bool same_verdict(FIXTURE_DATA(verify) *self, const unsigned char *sig, size_t len, int *verdict)
{
	unsigned char digest[32] = { 1, 2, 3 };
	unsigned long error[2];
	int ret[2];

	ERR_clear_error();
	ret[0] = verify_digest(self->b.stock, self->stock_public, sig, len, digest, sizeof(digest));
	error[0] = ERR_peek_last_error();
	ERR_clear_error();
	ret[1] = verify_digest(self->b.ours, self->public, sig, len, digest, sizeof(digest));
	error[1] = ERR_peek_last_error();
	ERR_clear_error();
	*verdict = ret[1];
	return ret[0] == ret[1] && error[0] == error[1];
}

static bool oddities_are_refused(FIXTURE_DATA(verify) *self)
{
	unsigned int i, good = 0;
	unsigned char der[128];
	int verdict;

	for (i = 0; i < COUNT(oddities); i++) {
		if (same_verdict(self, der, odd_signature(self, i, der), &verdict) && verdict <= 0)
			good++;
		else
			printf("# %s\n", oddities[i].what);
	}
	return good == COUNT(oddities);
}

TEST_F(verify, numbers_out_of_range_ask_no_device)
{
	const unsigned char digest[32] = { 1, 2, 3 };
	const char *const types[] = { "EC", "SM2" };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(keys_make(self, types[i], i ? NULL : "P-256"));
		sign_digest(self, digest, sizeof(digest));
		if (emulated())
			ASSERT_EQ(0, emulated_control(DEVICE, "hold"));
		EXPECT_TRUE(oddities_are_refused(self)) TH_LOG("%s", types[i]);
		if (emulated())
			ASSERT_EQ(0, emulated_control(DEVICE, "release"));
	}
	EXPECT_EQ(0, taken(&self->b));
	EXPECT_EQ(0, count(self, "warpdrive-fallbacks"));
}

/* 30 81 LEN is no DER of less than 128 bytes; neither are bytes behind it, or a zero in front of a number. */
TEST_F(verify, other_encodings_are_no_signatures)
{
	const unsigned char digest[32] = { 1, 2, 3 };
	const char *const types[] = { "EC", "SM2" };
	unsigned char odd[1024];
	unsigned int i;
	int verdict;

	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(keys_make(self, types[i], i ? NULL : "P-256"));
		sign_digest(self, digest, sizeof(digest));
		memcpy(odd, self->sig, self->len);
		odd[self->len] = 0;
		EXPECT_TRUE(same_verdict(self, odd, self->len, &verdict));
		EXPECT_EQ(1, verdict);
		EXPECT_TRUE(same_verdict(self, odd, self->len + 1, &verdict));
		EXPECT_GT(1, verdict);
		EXPECT_TRUE(same_verdict(self, odd, self->len - 1, &verdict));
		EXPECT_GT(1, verdict);
		EXPECT_TRUE(same_verdict(self, odd, 0, &verdict));
		EXPECT_GT(1, verdict);
		odd[1] = 0x81;
		memcpy(odd + 2, self->sig + 1, self->len - 1);
		EXPECT_TRUE(same_verdict(self, odd, self->len + 1, &verdict));
		EXPECT_GT(1, verdict);
		memcpy(odd, self->sig, 4);
		odd[1]++;
		odd[3]++;
		odd[4] = 0;
		memcpy(odd + 5, self->sig + 4, self->len - 4);
		EXPECT_TRUE(same_verdict(self, odd, self->len + 1, &verdict));
		EXPECT_GT(1, verdict);
	}
	EXPECT_EQ(2, taken(&self->b));
}

TEST_F(verify, a_digest_of_another_length_than_was_set)
{
	const unsigned char digest[64] = { 1, 2, 3 };
	int i, ret[2];

	ASSERT_TRUE(keys_make(self, "EC", "P-256"));
	sign_digest(self, digest, 20);
	for (i = 0; i < 2; i++) {
		EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(i ? self->b.ours : self->b.stock,
							       i ? self->public : self->stock_public, NULL);

		EXPECT_EQ(1, EVP_PKEY_verify_init(ctx));
		EXPECT_EQ(1, EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha256()));
		ret[i] = EVP_PKEY_verify(ctx, self->sig, self->len, digest, 20);
		EVP_PKEY_CTX_free(ctx);
	}
	EXPECT_EQ(ret[0], ret[1]);
	EXPECT_GT(1, ret[1]);
	EXPECT_EQ(0, taken(&self->b));
	ERR_clear_error();
}

/* --- jobs, and devices whose verdicts are wrong --- */

static int verify_in_job(void *arg)
{
	FIXTURE_DATA(verify) *self = *(FIXTURE_DATA(verify) **)arg;

	return accepts(self, self->public, "SHA256");
}

static int job_result(FIXTURE_DATA(verify) *self, unsigned int *pauses)
{
	ASYNC_WAIT_CTX *ctx = ASYNC_WAIT_CTX_new();
	ASYNC_JOB *job = NULL;
	struct pollfd fd;
	int ret = 0, status;
	size_t n;

	for (*pauses = 0; (status = ASYNC_start_job(&job, ctx, &ret, verify_in_job, &self, sizeof(self))) ==
			  ASYNC_PAUSE; ++*pauses) {
		if (!*pauses && emulated_control(DEVICE, "release"))
			break;
		fd.events = POLLIN;
		if (!ASYNC_WAIT_CTX_get_all_fds(ctx, &fd.fd, &n) || poll(&fd, 1, WAIT_MS) != 1)
			break;
	}
	ASYNC_WAIT_CTX_free(ctx);
	return status == ASYNC_FINISH ? ret : -9;
}

TEST_F(verify, in_a_job)
{
	unsigned int pauses;

	if (!emulated())
		SKIP(return, "needs an emulated device");
	ASSERT_TRUE(keys_make(self, "EC", "P-256"));
	sign_by_stock(self, "SHA256");
	ASSERT_EQ(0, emulated_control(DEVICE, "hold"));
	EXPECT_EQ(1, job_result(self, &pauses));
	EXPECT_LT(0, pauses);
	EXPECT_EQ(1, sim(&self->b));
	self->sig[self->len - 3] ^= 4;
	ASSERT_EQ(0, emulated_control(DEVICE, "hold"));
	EXPECT_EQ(0, job_result(self, &pauses));
	EXPECT_LT(0, pauses);
	EXPECT_EQ(1, sim(&self->b));
	EXPECT_EQ(0, count(self, "warpdrive-bad-results"));
}

TEST_F(verify, a_wrong_verdict_refuses_no_good_signature)
{
	const char *const fallback[] = { "yes", "no" };
	unsigned int i;

	if (!emulated())
		SKIP(return, "needs an emulated device");
	for (i = 0; i < 2; i++) {
		setenv("WD_OPENSSL_FALLBACK", fallback[i], 1);
		ASSERT_TRUE(keys_make(self, "EC", "P-256"));
		sign_by_stock(self, "SHA256");
		ASSERT_EQ(0, emulated_control(DEVICE, "fault corrupt=1/1"));
		ERR_clear_error();
		EXPECT_TRUE(accepts(self, self->public, "SHA256"));
		EXPECT_EQ(0, ERR_peek_error());
		EXPECT_EQ(1, soft(&self->b));
		EXPECT_EQ(1, count(self, "warpdrive-bad-results"));
		EXPECT_EQ(1, count(self, "warpdrive-fallbacks"));
		ASSERT_EQ(0, emulated_control(DEVICE, "fault corrupt=0"));
		keys_free(self);
		self->stock = self->stock_public = self->ours = self->public = NULL;
		both_close(&self->b);
		memset(&self->b, 0, sizeof(self->b));
	}
	ASSERT_TRUE(keys_make(self, "EC", "P-256"));
}

TEST_F(verify, three_wrong_verdicts_leave_the_device_alone)
{
	unsigned int i;

	if (!emulated())
		SKIP(return, "needs an emulated device");
	ASSERT_TRUE(keys_make(self, "SM2", NULL));
	sm2_sign(self, "id");
	ASSERT_EQ(0, emulated_control(DEVICE, "fault corrupt=1/1"));
	for (i = 1; i <= 5; i++) {
		EXPECT_EQ(1, sm2_verifies(self->b.ours, self->public, "id", self->sig, self->len, "c"));
		EXPECT_EQ(i < 3 ? i : 3, count(self, "warpdrive-bad-results"));
		EXPECT_EQ(i, soft(&self->b));
	}
}

/* Only if all results are checked a device is found out that accepts what is wrong. */
TEST_F(verify, all_results_are_checked_on_request)
{
	if (!emulated())
		SKIP(return, "needs an emulated device");
	setenv("WD_OPENSSL_CHECK_RESULTS", "all", 1);
	ASSERT_TRUE(keys_make(self, "EC", "P-256"));
	sign_by_stock(self, "SHA256");
	EXPECT_TRUE(accepts(self, self->public, "SHA256"));
	EXPECT_EQ(1, sim(&self->b));
	self->sig[self->len - 3] ^= 4;
	ASSERT_EQ(0, emulated_control(DEVICE, "fault corrupt=1/1"));
	EXPECT_FALSE(accepts(self, self->public, "SHA256"));
	EXPECT_EQ(1, count(self, "warpdrive-bad-results"));
	EXPECT_EQ(1, count(self, "warpdrive-fallbacks"));
}

TEST_HARNESS_MAIN
