/* SPDX-License-Identifier: Apache-2.0 */
/* One context of a cipher without the provider and one with it, which get the same calls. */
#ifndef CIPHER_TEST_H
#define CIPHER_TEST_H

#include "provider_test.h"

#define SEC		"hisi_sec2-0"
#define ROOM		(1u << 17)

struct pair {
	EVP_CIPHER_CTX *ctx[2];		/* stock's, ours */
	unsigned char *in, *out[2];
	char what[128];			/* the call that differed; "": none */
	int ret, n;			/* of the last call */
};

static inline void fill(unsigned char *p, size_t n, unsigned int seed)
{
	size_t i;

	for (i = 0; i < n; i++) {
		seed = seed * 1103515245u + 12345u;
		p[i] = (unsigned char)(seed >> 16);
	}
}

static inline void pair_close(struct pair *t)
{
	int i;

	for (i = 0; i < 2; i++) {
		EVP_CIPHER_CTX_free(t->ctx[i]);
		free(t->out[i]);
	}
	free(t->in);
}

/* Do both do the same? */
static inline bool pair_same(struct pair *t, const char *call, size_t len, const int ret[2], const int n[2])
{
	t->ret = ret[0];
	t->n = n[0];
	if ((ret[0] == ret[1] && n[0] == n[1] && (n[0] <= 0 || !memcmp(t->out[0], t->out[1], n[0]))) || t->what[0])
		return !t->what[0];
	snprintf(t->what, sizeof(t->what), "%s %zu: returns %d, %d, length %d, %d", call, len, ret[0], ret[1], n[0],
		 n[1]);
	return false;
}

/* cipher NULL: the one that there is; enc as EVP_CipherInit_ex2() takes it. */
static inline bool pair_init(struct pair *t, const struct both *b, const char *name, const unsigned char *key,
			      const unsigned char *iv, int enc, const OSSL_PARAM *params)
{
	int ret[2], none[2] = { 0, 0 }, i;
	EVP_CIPHER *cipher;

	for (i = 0; i < 2; i++) {
		cipher = name ? EVP_CIPHER_fetch(i ? b->ours : b->stock, name, NULL) : NULL;
		ret[i] = EVP_CipherInit_ex2(t->ctx[i], cipher, key, iv, enc, params);
		EVP_CIPHER_free(cipher);
	}
	return pair_same(t, "init", 0, ret, none);
}

static inline bool pair_open(struct pair *t, const struct both *b, const char *name, int enc)
{
	unsigned char key[64], iv[16];
	int i;

	memset(t, 0, sizeof(*t));
	t->in = malloc(ROOM);
	fill(t->in, ROOM, 7);
	fill(key, sizeof(key), 1);
	fill(iv, sizeof(iv), 2);
	for (i = 0; i < 2; i++) {
		t->ctx[i] = EVP_CIPHER_CTX_new();
		t->out[i] = malloc(ROOM);
	}
	return pair_init(t, b, name, key, iv, enc, NULL);
}

static inline bool pair_update(struct pair *t, size_t len)
{
	int ret[2], n[2] = { 0, 0 }, i;

	for (i = 0; i < 2; i++)
		ret[i] = EVP_CipherUpdate(t->ctx[i], t->out[i], &n[i], t->in, (int)len);
	return pair_same(t, "update", len, ret, n);
}

static inline bool pair_in_place(struct pair *t, size_t len, size_t shift)
{
	int ret[2], n[2] = { 0, 0 }, i;

	for (i = 0; i < 2; i++) {
		memcpy(t->out[i] + shift, t->in, len);
		ret[i] = EVP_CipherUpdate(t->ctx[i], t->out[i], &n[i], t->out[i] + shift, (int)len);
	}
	return pair_same(t, shift ? "overlapping" : "in place", len, ret, n);
}

static inline bool pair_final(struct pair *t)
{
	int ret[2], n[2] = { 0, 0 }, i;

	for (i = 0; i < 2; i++)
		ret[i] = EVP_CipherFinal_ex(t->ctx[i], t->out[i], &n[i]);
	return pair_same(t, "final", 0, ret, n);
}

static inline bool pair_copy(struct pair *t)
{
	int ret[2], none[2] = { 0, 0 }, i;
	EVP_CIPHER_CTX *copy;

	for (i = 0; i < 2; i++) {
		copy = EVP_CIPHER_CTX_new();
		ret[i] = EVP_CIPHER_CTX_copy(copy, t->ctx[i]);
		EVP_CIPHER_CTX_free(ret[i] ? t->ctx[i] : copy);
		if (ret[i])
			t->ctx[i] = copy;
	}
	return pair_same(t, "copy", 0, ret, none);
}

static inline bool pair_set(struct pair *t, const char *name, unsigned int value)
{
	OSSL_PARAM params[] = { OSSL_PARAM_construct_uint(name, &value), OSSL_PARAM_END };
	int ret[2], none[2] = { 0, 0 }, i;

	for (i = 0; i < 2; i++)
		ret[i] = EVP_CIPHER_CTX_set_params(t->ctx[i], params);
	return pair_same(t, name, value, ret, none);
}

/* What can be asked of a context. */
static inline bool pair_ask(struct pair *t)
{
	unsigned char iv[2][32];
	int ret[2], n[2], i;

	memset(iv, 0, sizeof(iv));
	for (i = 0; i < 2; i++) {
		ret[i] = EVP_CIPHER_CTX_get_original_iv(t->ctx[i], iv[i], 16) +
			 2 * EVP_CIPHER_CTX_get_updated_iv(t->ctx[i], iv[i] + 16, 16);
		n[i] = EVP_CIPHER_CTX_get_num(t->ctx[i]) + 100 * EVP_CIPHER_CTX_get_key_length(t->ctx[i]) +
		       10000 * EVP_CIPHER_CTX_get_iv_length(t->ctx[i]);
		memcpy(t->out[i], iv[i], sizeof(iv[i]));
	}
	return pair_same(t, "parameters", 0, ret, (int[2]){ n[0] == n[1] ? 32 : n[0], n[0] == n[1] ? 32 : n[1] });
}

static inline void path_of(const struct pair *t, char path[8])
{
	OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string("warpdrive-path", path, 8), OSSL_PARAM_END };

	path[0] = '\0';
	EVP_CIPHER_CTX_get_params(t->ctx[1], params);
}

#endif
