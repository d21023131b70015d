// SPDX-License-Identifier: Apache-2.0
/* In a sandbox that ends the process at a system call which it doesn't expect, libcrypto computes. */
#include <openssl/rand.h>

#include "in_child.h"
#include "provider_test.h"
#include "sandbox.h"
#include "kselftest_harness.h"

#define NO_SANDBOX	99

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED	1
#else
#define SANITIZED	0
#endif

FIXTURE(sandbox) {
	struct both b;
	EVP_PKEY *key, *stock;
};

/*
 * Everything is logged. The random numbers are libcrypto's, which asks the kernel for a seed before the sandbox begins.
 */
FIXTURE_SETUP(sandbox)
{
	unsigned char byte;

	ASSERT_EQ(0, setenv("WD_OPENSSL_LOG", "all", 1));
	ASSERT_TRUE(both_open(&self->b)) errors_print();
	ASSERT_EQ(1, RAND_bytes_ex(self->b.ours, &byte, 1, 0));
	self->stock = key_make(self->b.stock, "RSA", NULL, 1024);
	self->key = key_in(self->b.ours, self->stock, EVP_PKEY_KEYPAIR);
	ASSERT_TRUE(is_ours(self->key));
}

FIXTURE_TEARDOWN(sandbox)
{
	EVP_PKEY_free(self->key);
	EVP_PKEY_free(self->stock);
	both_close(&self->b);
}

static int works(FIXTURE_DATA(sandbox) *self)
{
	unsigned char sig[1024];
	size_t len;

	sign(self->b.ours, self->key, "SHA256", NULL, "abc", 3, sig, &len);
	return len && verify(self->b.stock, self->stock, "SHA256", NULL, "abc", 3, sig, len) ? 0 : 1;
}

static int works_inside(void *p)
{
	return sandbox_enter() ? NO_SANDBOX : works(p);
}

TEST_F(sandbox, the_first_operation_is_inside)
{
	int ret;

	if (SANITIZED)
		SKIP(return, "a sanitizer makes system calls of its own");
	ret = in_child(works_inside, self);
	if (ret == NO_SANDBOX)
		SKIP(return, "this kernel has no seccomp filters");
	EXPECT_EQ(0, ret);
}

/* As a server whose parent has used its key, and whose child meets the network. */
TEST_F(sandbox, the_parent_has_used_the_key)
{
	int ret;

	if (SANITIZED)
		SKIP(return, "a sanitizer makes system calls of its own");
	ASSERT_EQ(0, works(self));
	ret = in_child(works_inside, self);
	if (ret == NO_SANDBOX)
		SKIP(return, "this kernel has no seccomp filters");
	EXPECT_EQ(0, ret);
}

TEST_HARNESS_MAIN
