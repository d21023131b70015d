// SPDX-License-Identifier: Apache-2.0
/* A fork's child uses its parent's sessions and keys. */
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ecc_test.h"
#include "in_child.h"
#include "kselftest_harness.h"

static atomic_int ran;

static void on_done(struct wd_ecc_arg *arg, void *param)
{
	(void)arg, (void)param;
	atomic_fetch_add(&ran, 1);
}

FIXTURE(forked) {
	handle_t s, a;
	unsigned char pair[96], want[32];
	size_t len;
};

FIXTURE_SETUP(forked)
{
	struct wd_ecc_key key = { .d = number(self->pair + 64, 32) };

	self->s = ecc_open(WD_ECC_ECDH, WD_ECC_SECP256R1, WD_SYNC, 0);
	self->a = ecc_open(WD_ECC_ECDH, WD_ECC_SECP256R1, WD_ASYNC, 0);
	ASSERT_TRUE(self->s && self->a);
	self->len = sizeof(self->pair);
	ASSERT_EQ(0, ecc_do(self->s, WD_ECC_KEYGEN, NULL, 0, NULL, 0, self->pair, &self->len));
	ASSERT_EQ(0, wd_ecc_set_key(self->s, &key));
	ASSERT_EQ(0, wd_ecc_set_key(self->a, &key));
	self->len = 32;
	ASSERT_EQ(0, ecc_do(self->s, WD_ECC_AGREE, self->pair, 64, NULL, 0, self->want, &self->len));
	atomic_store(&ran, 0);
}

FIXTURE_TEARDOWN(forked)
{
	EXPECT_EQ(0, wd_ecc_free_sess(self->s));
	EXPECT_EQ(0, wd_ecc_free_sess(self->a));
}

static int agree_again(void *p)
{
	FIXTURE_DATA(forked) *self = p;
	unsigned char out[32];
	size_t len = sizeof(out);

	if (ecc_do(self->s, WD_ECC_AGREE, self->pair, 64, NULL, 0, out, &len))
		return 1;
	return memcmp(out, self->want, 32) ? 2 : 0;
}

TEST_F(forked, a_child_uses_the_session_and_its_key)
{
	EXPECT_EQ(0, in_child(agree_again, self));
	EXPECT_EQ(0, agree_again(self));
}

static int agree_async(void *p)
{
	FIXTURE_DATA(forked) *self = p;
	unsigned char out[32];
	size_t len = sizeof(out);
	struct wd_ecc_arg arg = {
		.src = self->pair, .src_len = 64, .dst = out, .dst_len = &len, .op = WD_ECC_AGREE, .cb = on_done,
	};
	int before = atomic_load(&ran);

	if (wd_ecc_async(self->a, &arg, NULL))
		return 1;
	while (atomic_load(&ran) == before)
		if (wd_ecc_poll(1, WAIT_MS, NULL) <= 0)
			return 2;
	return arg.status || memcmp(out, self->want, 32) ? 3 : 0;
}

TEST_F(forked, what_was_in_flight_belongs_to_the_parent)
{
	unsigned char out[32];
	size_t len = sizeof(out);
	struct wd_ecc_arg arg = {
		.src = self->pair, .src_len = 64, .dst = out, .dst_len = &len, .op = WD_ECC_AGREE, .cb = on_done,
	};

	ASSERT_EQ(0, wd_ecc_async(self->a, &arg, NULL));
	EXPECT_EQ(0, in_child(agree_async, self));
	while (!atomic_load(&ran)) {
		ASSERT_LT(0, wd_ecc_poll(1, WAIT_MS, NULL));
	}
	EXPECT_EQ(1, atomic_load(&ran));
	EXPECT_EQ(0, memcmp(out, self->want, 32));
	EXPECT_EQ(0, agree_async(self));
}

TEST_HARNESS_MAIN
