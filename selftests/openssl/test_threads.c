// SPDX-License-Identifier: Apache-2.0
/* Threads that share keys, from the first operation on, which opens the session. */
#include <pthread.h>

#include "provider_test.h"
#include "kselftest_harness.h"

#define THREADS	8
#define ROUNDS	20

FIXTURE(threads) {
	struct both b;
	EVP_PKEY *rsa[2], *ec[2], *x[2];	/* stock's, ours */
	pthread_barrier_t start;
};

FIXTURE_SETUP(threads)
{
	ASSERT_TRUE(both_open(&self->b)) errors_print();
	self->rsa[0] = key_make(self->b.stock, "RSA", NULL, 1024);
	self->ec[0] = key_make(self->b.stock, "EC", "P-256", 0);
	self->x[0] = key_make(self->b.stock, "X25519", NULL, 0);
	self->rsa[1] = key_in(self->b.ours, self->rsa[0], EVP_PKEY_KEYPAIR);
	self->ec[1] = key_in(self->b.ours, self->ec[0], EVP_PKEY_KEYPAIR);
	self->x[1] = key_in(self->b.ours, self->x[0], EVP_PKEY_KEYPAIR);
	pthread_barrier_init(&self->start, NULL, THREADS);
}

FIXTURE_TEARDOWN(threads)
{
	int i;

	for (i = 0; i < 2; i++) {
		EVP_PKEY_free(self->rsa[i]);
		EVP_PKEY_free(self->ec[i]);
		EVP_PKEY_free(self->x[i]);
	}
	pthread_barrier_destroy(&self->start);
	both_close(&self->b);
}

static bool signs(FIXTURE_DATA(threads) *self, EVP_PKEY *key[2])
{
	unsigned char sig[1024];
	size_t len;

	sign(self->b.ours, key[1], "SHA256", NULL, "abc", 3, sig, &len);
	return len && verify(self->b.stock, key[0], "SHA256", NULL, "abc", 3, sig, len);
}

static bool agrees(FIXTURE_DATA(threads) *self)
{
	EVP_PKEY *mine = key_make(self->b.ours, "X25519", NULL, 0),
		 *stock = key_in(self->b.stock, mine, EVP_PKEY_PUBLIC_KEY);
	unsigned char secret[2][1024];
	bool ok = derive(self->b.ours, mine, self->x[1], -1, secret[0]) == 32 &&
		  derive(self->b.stock, self->x[0], stock, -1, secret[1]) == 32 && !memcmp(secret[0], secret[1], 32);

	EVP_PKEY_free(mine);
	EVP_PKEY_free(stock);
	return ok;
}

static void *work(void *p)
{
	FIXTURE_DATA(threads) *self = p;
	uintptr_t good = 0;
	unsigned int i;

	pthread_barrier_wait(&self->start);
	for (i = 0; i < ROUNDS; i++)
		good += signs(self, self->rsa) && signs(self, self->ec) && agrees(self);
	return (void *)good;
}

TEST_F(threads, share_keys)
{
	uint64_t before = taken(&self->b);
	pthread_t thread[THREADS];
	unsigned int i;
	void *good;

	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, work, self));
	}
	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, pthread_join(thread[i], &good));
		EXPECT_EQ(ROUNDS, (uintptr_t)good);
	}
	EXPECT_EQ(before + 4 * THREADS * ROUNDS, taken(&self->b));
	EXPECT_EQ(0, count_of(&self->b, "warpdrive-fallbacks"));
}

TEST_HARNESS_MAIN
