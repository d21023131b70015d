// SPDX-License-Identifier: Apache-2.0
/* Threads that copy one context, of which a device may have done a part, at the same time. */
#include <pthread.h>

#include "provider_test.h"
#include "kselftest_harness.h"

#define THREADS	8
#define ROUNDS	20

FIXTURE(copies) {
	struct both b;
	pthread_barrier_t start;
};

FIXTURE_SETUP(copies)
{
	setenv("WD_OPENSSL_ALGORITHMS", "ciphers digests", 1);
	ASSERT_TRUE(both_open(&self->b)) errors_print();
	pthread_barrier_init(&self->start, NULL, THREADS);
}

FIXTURE_TEARDOWN(copies)
{
	pthread_barrier_destroy(&self->start);
	both_close(&self->b);
}

struct template {
	EVP_MD_CTX *md;
	EVP_MAC_CTX *mac;
	EVP_CIPHER_CTX *gcm;
	unsigned char result[3][32];	/* without the provider */
	unsigned char in[65536];
};

static struct template templates[2];	/* stock's, ours */

static bool template_make(struct template *t, OSSL_LIB_CTX *libctx)
{
	OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string("digest", (char *)"SHA2-256", 0), OSSL_PARAM_END };
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(libctx, "AES-128-GCM", NULL);
	EVP_MD *md = EVP_MD_fetch(libctx, "SHA2-256", NULL);
	EVP_MAC *mac = EVP_MAC_fetch(libctx, "HMAC", NULL);
	unsigned char out[sizeof(t->in)];
	bool ok;
	int n;

	t->md = EVP_MD_CTX_new();
	t->mac = EVP_MAC_CTX_new(mac);
	t->gcm = EVP_CIPHER_CTX_new();
	ok = EVP_DigestInit_ex2(t->md, md, NULL) && EVP_DigestUpdate(t->md, t->in, sizeof(t->in)) &&
	     EVP_MAC_init(t->mac, t->in, 32, params) && EVP_MAC_update(t->mac, t->in, sizeof(t->in)) &&
	     EVP_CipherInit_ex2(t->gcm, cipher, t->in, t->in, 1, NULL) &&
	     EVP_CipherUpdate(t->gcm, out, &n, t->in, sizeof(t->in));
	EVP_CIPHER_free(cipher);
	EVP_MD_free(md);
	EVP_MAC_free(mac);
	return ok;
}

static void template_free(struct template *t)
{
	EVP_MD_CTX_free(t->md);
	EVP_MAC_CTX_free(t->mac);
	EVP_CIPHER_CTX_free(t->gcm);
}

static bool copies_end(const struct template *t, unsigned char result[3][32])
{
	EVP_CIPHER_CTX *gcm = EVP_CIPHER_CTX_new();
	EVP_MAC_CTX *mac = EVP_MAC_CTX_dup(t->mac);
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	unsigned char out[16];
	size_t len;
	bool ok;
	int n;

	memset(result, 0, 3 * 32);
	ok = mac && EVP_MD_CTX_copy_ex(md, t->md) && EVP_CIPHER_CTX_copy(gcm, t->gcm) &&
	     EVP_DigestFinal_ex(md, result[0], NULL) && EVP_MAC_final(mac, result[1], &len, 32) &&
	     EVP_CipherFinal_ex(gcm, out, &n) && EVP_CIPHER_CTX_ctrl(gcm, EVP_CTRL_AEAD_GET_TAG, 16, result[2]) > 0;
	EVP_CIPHER_CTX_free(gcm);
	EVP_MAC_CTX_free(mac);
	EVP_MD_CTX_free(md);
	return ok;
}

static void *copy(void *p)
{
	FIXTURE_DATA(copies) *self = p;
	unsigned char result[3][32];

	pthread_barrier_wait(&self->start);
	return (void *)(uintptr_t)(copies_end(&templates[1], result) &&
				   !memcmp(result, templates[0].result, sizeof(result)));
}

static bool all_copy(FIXTURE_DATA(copies) *self)
{
	pthread_t thread[THREADS];
	unsigned int i, good = 0;
	void *ret;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, copy, self))
			abort();
	for (i = 0; i < THREADS; i++)
		good += !pthread_join(thread[i], &ret) && ret;
	return good == THREADS;
}

TEST_F(copies, of_one_context)
{
	unsigned int i;

	ASSERT_TRUE(template_make(&templates[0], self->b.stock) && copies_end(&templates[0], templates[0].result));
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_TRUE(template_make(&templates[1], self->b.ours));
		EXPECT_TRUE(all_copy(self));
		template_free(&templates[1]);
	}
	template_free(&templates[0]);
}

TEST_HARNESS_MAIN
