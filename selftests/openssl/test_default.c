// SPDX-License-Identifier: Apache-2.0
/* What devices are given by default, and with names in 'algorithms': alone, and in asynchronous jobs. */
#include <openssl/async.h>
#include <poll.h>

#include "provider_test.h"
#include "kselftest_harness.h"

/* Operations of a device, or of the default provider. */
struct used {
	uint64_t device, libcrypto;
};

FIXTURE(algs) {
	struct both b;
};

/* list: of 'algorithms'; "": the default. */
FIXTURE_VARIANT(algs) {
	const char *list;
	bool ecdsa, ecdh, x25519;	/* are a device's everywhere */
};

FIXTURE_VARIANT_ADD(algs, by_default) { .list = "" };
FIXTURE_VARIANT_ADD(algs, all) { .list = "all", .ecdsa = true, .ecdh = true, .x25519 = true };
FIXTURE_VARIANT_ADD(algs, pkey) { .list = "pkey", .ecdsa = true, .ecdh = true, .x25519 = true };
FIXTURE_VARIANT_ADD(algs, default_without_dh) { .list = "-dh" };
FIXTURE_VARIANT_ADD(algs, default_and_ecdsa) { .list = "-dh, ecdsa", .ecdsa = true };
FIXTURE_VARIANT_ADD(algs, default_and_x25519) { .list = "-dh x25519", .x25519 = true };

FIXTURE_SETUP(algs)
{
	setenv("WD_OPENSSL_ALGORITHMS", variant->list, 1);
	ASSERT_TRUE(both_open(&self->b)) errors_print();
}

FIXTURE_TEARDOWN(algs)
{
	both_close(&self->b);
}

static struct used used(FIXTURE_DATA(algs) *self)
{
	return (struct used){ sim(&self->b), soft(&self->b) };
}

/* Since then, n operations were a device's if they should have been, and the device is there. */
static bool were(FIXTURE_DATA(algs) *self, struct used since, bool device, unsigned int n)
{
	struct used now = used(self);

	device = device && on_device();
	return now.device - since.device == (device ? n : 0) && now.libcrypto - since.libcrypto == (device ? 0 : n);
}

static EVP_PKEY *key_of(FIXTURE_DATA(algs) *self, const char *type, const char *group)
{
	EVP_PKEY *stock = key_make(self->b.stock, type, group, 0);
	EVP_PKEY *ours = key_in(self->b.ours, stock, EVP_PKEY_KEYPAIR);

	EVP_PKEY_free(stock);
	return ours;
}

static bool signs_and_verifies(FIXTURE_DATA(algs) *self, EVP_PKEY *key)
{
	unsigned char sig[1024];
	size_t len;

	sign(self->b.ours, key, "SHA256", NULL, "abc", 3, sig, &len);
	return len && verify(self->b.ours, key, "SHA256", NULL, "abc", 3, sig, len);
}

TEST_F(algs, signatures)
{
	EVP_PKEY *p256 = key_of(self, "EC", "P-256"), *p384 = key_of(self, "EC", "P-384");
	struct used since = used(self);

	ASSERT_TRUE(is_ours(p256) && is_ours(p384));
	EXPECT_TRUE(signs_and_verifies(self, p256));
	EXPECT_TRUE(were(self, since, variant->ecdsa, 2));
	since = used(self);
	EXPECT_TRUE(signs_and_verifies(self, p384));
	EXPECT_TRUE(were(self, since, true, 2));
	EVP_PKEY_free(p256);
	EVP_PKEY_free(p384);
}

/* Key pairs and agreements. */
static void agree(FIXTURE_DATA(algs) *self, struct __test_metadata *_metadata, const char *type, const char *group,
		  bool device)
{
	struct used since = used(self);
	EVP_PKEY *key = key_make(self->b.ours, type, group, 0), *peer = key_make(self->b.ours, type, group, 0);
	unsigned char secret[1024];

	ASSERT_TRUE(is_ours(key) && is_ours(peer));
	EXPECT_TRUE(were(self, since, device, 2)) TH_LOG("key pairs of %s %s", type, group ? group : "");
	since = used(self);
	EXPECT_LT(0, derive(self->b.ours, key, peer, -1, secret));
	EXPECT_TRUE(were(self, since, device, 1)) TH_LOG("agreement of %s %s", type, group ? group : "");
	EVP_PKEY_free(key);
	EVP_PKEY_free(peer);
}

TEST_F(algs, agreements)
{
	agree(self, _metadata, "EC", "P-256", variant->ecdh);
	agree(self, _metadata, "EC", "P-384", true);
	agree(self, _metadata, "X25519", NULL, variant->x25519);
	agree(self, _metadata, "X448", NULL, true);
}

struct work {
	FIXTURE_DATA(algs) *self;
	EVP_PKEY *ec, *x, *peer;
	bool right;
};

static int work_do(void *arg)
{
	struct work *w = *(struct work **)arg;
	unsigned char secret[1024];

	w->right = signs_and_verifies(w->self, w->ec) &&
		   derive(w->self->b.ours, w->x, w->peer, -1, secret) == 32;
	return 1;
}

TEST_F(algs, in_a_job_all_of_them_are_a_devices)
{
	struct work work = { .self = self, .ec = key_of(self, "EC", "P-256"), .x = key_of(self, "X25519", NULL) };
	struct work *w = &work;
	ASYNC_WAIT_CTX *ctx = ASYNC_WAIT_CTX_new();
	struct used since = used(self);
	ASYNC_JOB *job = NULL;
	int ret;

	work.peer = work.x;
	ASSERT_TRUE(is_ours(work.ec) && is_ours(work.x));
	while (ASYNC_start_job(&job, ctx, &ret, work_do, &w, sizeof(w)) == ASYNC_PAUSE)
		poll(NULL, 0, 1);
	EXPECT_TRUE(work.right);
	EXPECT_TRUE(were(self, since, true, 3));
	ASYNC_WAIT_CTX_free(ctx);
	EVP_PKEY_free(work.ec);
	EVP_PKEY_free(work.x);
}

TEST_HARNESS_MAIN
