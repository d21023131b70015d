// SPDX-License-Identifier: Apache-2.0
/* Random numbers for requests on a device, off the fast path too: no thread waits for another that makes a number. */
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <openssl/bn.h>
#include <openssl/rand.h>
#include <wd_user.h>

#include "ecc_test.h"
#include "kselftest_harness.h"

#define LATE_MS	1000000	/* a deadline so far away that no request misses it */

static _Thread_local bool stays;
static atomic_bool there, go_on;

static _Thread_local unsigned int made;

static void stay(void)
{
	made++;
	if (!stays)
		return;
	there = true;
	while (!go_on)
		poll(NULL, 0, 1);
}

int RAND_priv_bytes(unsigned char *buf, int num)
{
	union { void *p; __typeof__(&RAND_priv_bytes) f; } u = { .p = dlsym(RTLD_NEXT, "RAND_priv_bytes") };

	stay();
	return u.f(buf, num);
}

int BN_generate_dsa_nonce(BIGNUM *out, const BIGNUM *range, const BIGNUM *priv, const unsigned char *message,
			  size_t message_len, BN_CTX *ctx)
{
	union { void *p; __typeof__(&BN_generate_dsa_nonce) f; } u = { .p = dlsym(RTLD_NEXT, "BN_generate_dsa_nonce") };

	stay();
	return u.f(out, range, priv, message, message_len, ctx);
}

static handle_t h;
static atomic_uint nr_done, nr_good;

static int keygen(void)
{
	unsigned char pair[96];
	size_t len = sizeof(pair);

	return ecc_do(h, WD_ECC_KEYGEN, NULL, 0, NULL, 0, pair, &len);
}

static int encrypt(void)
{
	unsigned char text[32] = "not too short a text for devices", out[32 + WD_ECC_SM2_EXTRA];
	size_t len = sizeof(out);

	return ecc_do(h, WD_ECC_ENCRYPT, text, sizeof(text), NULL, 0, out, &len);
}

static void done(struct wd_ecc_arg *arg, void *param)
{
	(void)param;
	nr_good += !arg->status && arg->path == WD_PATH_SIM;
	nr_done++;
}

/* Submits a signature; the test polls for the result. */
static int sign_soon(void)
{
	static struct {
		struct wd_ecc_arg arg;
		unsigned char digest[32], out[64];
		size_t len;
	} all[2], *r;
	static atomic_uint next;

	r = &all[next++];
	memset(r->digest, 0x71, sizeof(r->digest));
	r->len = sizeof(r->out);
	r->arg = (struct wd_ecc_arg){
		.src = r->digest, .src_len = sizeof(r->digest), .dst = r->out, .dst_len = &r->len, .op = WD_ECC_SIGN,
		.timeout_ms = LATE_MS, .cb = done,
	};
	return wd_ecc_async(h, &r->arg, NULL);
}

static void *run_and_stay(void *arg)
{
	int (*request)(void) = *(int (**)(void))arg;

	stays = true;
	return (void *)(intptr_t)request();
}

FIXTURE(ahead) {
	pthread_t thread;
};

FIXTURE_VARIANT(ahead) {
	int alg, curve, mode;
	int (*request)(void);
};

FIXTURE_VARIANT_ADD(ahead, new_key) { .alg = WD_ECC_ECDH, .curve = WD_ECC_SECP256R1, .mode = WD_SYNC,
				      .request = keygen };
FIXTURE_VARIANT_ADD(ahead, new_x25519_key) { .alg = WD_ECC_X25519, .mode = WD_SYNC, .request = keygen };
FIXTURE_VARIANT_ADD(ahead, text) { .alg = WD_ECC_SM2, .mode = WD_SYNC, .request = encrypt };
FIXTURE_VARIANT_ADD(ahead, signature_with_a_deadline) {
	.alg = WD_ECC_ECDSA, .curve = WD_ECC_SECP256R1, .mode = WD_ASYNC, .request = sign_soon,
};

FIXTURE_SETUP(ahead)
{
	unsigned char d[32] = { 0x11, 0x22, 0x33 };
	struct wd_ecc_key key = { .d = { .data = d, .len = sizeof(d) } };

	h = ecc_open(variant->alg, variant->curve, variant->mode, WD_SESS_PATH_HW);
	ASSERT_NE(0, h);
	ASSERT_EQ(0, wd_ecc_set_key(h, &key)) TH_LOG("%s", detail(h));
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, run_and_stay, (void *)&variant->request));
	while (!there)
		poll(NULL, 0, 1);
}

FIXTURE_TEARDOWN(ahead)
{
	EXPECT_EQ(0, wd_ecc_free_sess(h));
}

TEST_F(ahead, other_requests_of_the_context_go_on)
{
	void *ret;

	EXPECT_EQ(0, variant->request()) TH_LOG("%s", detail(h));
	go_on = true;
	ASSERT_EQ(0, pthread_join(self->thread, &ret));
	EXPECT_EQ(NULL, ret);
	if (variant->mode == WD_SYNC)
		return;
	while (nr_done < 2) {
		ASSERT_LE(0, wd_ecc_poll(2, WAIT_MS, NULL));
	}
	EXPECT_EQ(2, nr_good);
}

/* How many random numbers a signature and a key take on the software path. */
static unsigned int numbers_of(__u32 flags)
{
	unsigned char d[32] = { 0x11, 0x22, 0x33 }, digest[32] = { 1 }, out[96];
	struct wd_ecc_key key = { .d = { .data = d, .len = sizeof(d) } };
	size_t len = sizeof(out);
	int ret = -1;

	h = ecc_open(WD_ECC_ECDSA, WD_ECC_SECP256R1, WD_SYNC, flags);
	made = 0;
	if (h && !wd_ecc_set_key(h, &key))
		ret = ecc_do(h, WD_ECC_SIGN, digest, sizeof(digest), NULL, 0, out, &len) || keygen();
	wd_ecc_free_sess(h);
	return ret ? ~0u : made;
}

TEST(a_session_that_has_no_context_makes_none_for_devices)
{
	unsigned int soft;

	ASSERT_EQ(0, wd_user_ctxs("0+0"));
	soft = numbers_of(WD_SESS_PATH_SOFT);
	ASSERT_NE(~0u, soft);
	EXPECT_EQ(soft, numbers_of(0));
}

TEST_HARNESS_MAIN
