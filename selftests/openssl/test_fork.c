// SPDX-License-Identifier: Apache-2.0
/* Keys and contexts of a parent are used by it and by three generations of children. */
#include "in_child.h"
#include "provider_test.h"
#include "kselftest_harness.h"

#define LEVELS	3

FIXTURE(forks) {
	struct both b;
	EVP_PKEY *key[3], *stock[3];
	EVP_MD_CTX *ctx;		/* begun by the parent */
	unsigned int level;
};

FIXTURE_SETUP(forks)
{
	static const char *const types[] = { "RSA", "EC", "X25519" };
	unsigned int i;

	ASSERT_TRUE(both_open(&self->b)) errors_print();
	for (i = 0; i < 3; i++) {
		self->stock[i] = key_make(self->b.stock, types[i], i == 1 ? "P-256" : NULL, i ? 0 : 1024);
		self->key[i] = key_in(self->b.ours, self->stock[i], EVP_PKEY_KEYPAIR);
		ASSERT_TRUE(is_ours(self->key[i]));
	}
	self->ctx = EVP_MD_CTX_new();
	ASSERT_EQ(1, EVP_DigestSignInit_ex(self->ctx, NULL, "SHA256", self->b.ours, NULL, self->key[0], NULL));
	ASSERT_EQ(1, EVP_DigestSignUpdate(self->ctx, "ab", 2));
}

FIXTURE_TEARDOWN(forks)
{
	unsigned int i;

	EVP_MD_CTX_free(self->ctx);
	for (i = 0; i < 3; i++) {
		EVP_PKEY_free(self->key[i]);
		EVP_PKEY_free(self->stock[i]);
	}
	both_close(&self->b);
}

static bool signs(FIXTURE_DATA(forks) *self, unsigned int i)
{
	unsigned char sig[1024];
	size_t len;

	sign(self->b.ours, self->key[i], "SHA256", NULL, "abc", 3, sig, &len);
	return len && verify(self->b.stock, self->stock[i], "SHA256", NULL, "abc", 3, sig, len);
}

/* Each process ends a copy of the context that was begun before the first fork. */
static bool ends(FIXTURE_DATA(forks) *self)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	unsigned char sig[1024];
	size_t len = sizeof(sig);
	bool ok = EVP_MD_CTX_copy_ex(ctx, self->ctx) && EVP_DigestSignUpdate(ctx, "c", 1) &&
		  EVP_DigestSignFinal(ctx, sig, &len) > 0 &&
		  verify(self->b.stock, self->stock[0], "SHA256", NULL, "abc", 3, sig, len);

	EVP_MD_CTX_free(ctx);
	return ok;
}

static bool agrees(FIXTURE_DATA(forks) *self)
{
	EVP_PKEY *a = key_make(self->b.ours, "X25519", NULL, 0),
		 *a_stock = key_in(self->b.stock, a, EVP_PKEY_PUBLIC_KEY);
	unsigned char secret[2][1024];
	size_t len[2] = { derive(self->b.ours, a, self->key[2], -1, secret[0]),
			  derive(self->b.stock, self->stock[2], a_stock, -1, secret[1]) };

	EVP_PKEY_free(a);
	EVP_PKEY_free(a_stock);
	return len[0] == 32 && len[1] == 32 && !memcmp(secret[0], secret[1], 32);
}

static int work(void *p)
{
	FIXTURE_DATA(forks) *self = p;
	uint64_t before = taken(&self->b);
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (!signs(self, 0) || !signs(self, 1) || !ends(self) || !agrees(self))
			return 1;
	if (taken(&self->b) != before + 10)
		return 2;
	if (self->level++ < LEVELS && in_child(work, self))
		return 3;
	return signs(self, 0) ? 0 : 4;
}

TEST_F(forks, three_levels_that_all_go_on)
{
	EXPECT_EQ(0, work(self));
}

TEST_F(forks, children_before_the_first_operation)
{
	EXPECT_EQ(0, in_child(work, self));
	EXPECT_EQ(0, in_child(work, self));
	EXPECT_EQ(0, work(self));
}

TEST_HARNESS_MAIN
