// SPDX-License-Identifier: Apache-2.0
/* The common part of contexts of ciphers with and without a tag. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/proverr.h>

#include "symmetric.h"

EVP_CIPHER_CTX *wdp_symmetric_ctx(const struct wdp_symmetric *s)
{
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();

	if (ctx && EVP_CipherInit_ex2(ctx, s->cipher->fetched, NULL, NULL, s->encrypt, NULL) > 0)
		return ctx;
	EVP_CIPHER_CTX_free(ctx);
	return NULL;
}

void *wdp_symmetric_new(size_t size, struct wdp_provider *prov, enum wdp_cipher_id id, const struct wdp_class *class)
{
	struct wdp_symmetric *s = calloc(1, size);

	if (!s)
		return NULL;
	s->prov = prov;
	s->cipher = &prov->ciphers[id];
	s->class = class;
	s->ctx = wdp_symmetric_ctx(s);
	if (s->ctx)
		return s;
	free(s);
	return NULL;
}

unsigned char *wdp_buffer_take(struct wdp_buffer *buffer, size_t len)
{
	wdp_buffer_drop(buffer);
	buffer->at = OPENSSL_malloc(len);
	buffer->len = buffer->at ? len : 0;
	return buffer->at;
}

void wdp_buffer_drop(struct wdp_buffer *buffer)
{
	OPENSSL_clear_free(buffer->at, buffer->len);
	memset(buffer, 0, sizeof(*buffer));
}

void wdp_symmetric_free(struct wdp_symmetric *s, size_t size)
{
	wdp_session_close(&s->session, s->class);
	wdp_buffer_drop(&s->in);
	wdp_buffer_drop(&s->out);
	EVP_CIPHER_CTX_free(s->ctx);
	OPENSSL_cleanse(s, size);
	free(s);
}

void *wdp_symmetric_dup(const struct wdp_symmetric *from, size_t size)
{
	struct wdp_symmetric *s = malloc(size);

	if (!s)
		return NULL;
	memcpy(s, from, size);
	memset(&s->session, 0, sizeof(s->session));
	memset(&s->in, 0, sizeof(s->in));
	memset(&s->out, 0, sizeof(s->out));
	s->ctx = EVP_CIPHER_CTX_new();
	if (s->ctx && EVP_CIPHER_CTX_copy(s->ctx, from->ctx))
		return s;
	wdp_symmetric_free(s, size);
	return NULL;
}

static void key_note(struct wdp_symmetric *s, const unsigned char *key, size_t len)
{
	wdp_session_close(&s->session, s->class);
	OPENSSL_cleanse(s->key, sizeof(s->key));
	s->key_len = key && len <= sizeof(s->key) ? len : 0;
	if (s->key_len)
		memcpy(s->key, key, len);
}

int wdp_symmetric_begin(struct wdp_symmetric *s, bool encrypt, const unsigned char *key, size_t key_len,
			const unsigned char *iv, const OSSL_PARAM params[])
{
	int ok = EVP_CipherInit_ex2(s->ctx, NULL, key, iv, encrypt, params) > 0;
	bool turned = encrypt != s->encrypt && s->cipher->mode != WD_CIPHER_GCM;

	s->encrypt = encrypt;
	s->plain = ok;
	s->failed = false;
	s->path = WD_PATH_NONE;
	/*
	 * Without a key the default provider goes on with the key schedule of the other direction, which no device has.
	 * GCM has the same for both.
	 */
	if (key || turned)
		key_note(s, ok ? key : NULL, key_len);
	return ok;
}

int wdp_symmetric_update(struct wdp_symmetric *s, unsigned char *out, size_t *out_len, const unsigned char *in,
			 size_t len)
{
	int n = 0;

	if (len > INT_MAX) {
		wdp_raise(&s->prov->core, PROV_R_CIPHER_OPERATION_FAILED, NULL);
		return 0;
	}
	if (s->failed || EVP_CipherUpdate(s->ctx, out, &n, in, (int)len) <= 0) {
		s->plain = false;
		return 0;
	}
	s->path = WD_PATH_SOFT;
	*out_len = (size_t)n;
	return 1;
}

int wdp_symmetric_final(struct wdp_symmetric *s, unsigned char *out, size_t *out_len)
{
	int n = 0, ok = !s->failed && EVP_CipherFinal_ex(s->ctx, out, &n) > 0;

	s->plain = false;
	*out_len = ok ? (size_t)n : 0;
	return ok;
}

int wdp_symmetric_whole(struct wdp_symmetric *s, unsigned char *out, size_t *out_len, const unsigned char *in,
			size_t len)
{
	int n = len <= INT_MAX && !s->failed ? EVP_Cipher(s->ctx, out, in, (unsigned int)len) : -1;

	s->path = WD_PATH_SOFT;
	if (n < 0)
		return 0;
	*out_len = (size_t)n;
	return 1;
}

int wdp_symmetric_outcome(struct wdp_symmetric *s, enum wdp_outcome outcome)
{
	s->failed = outcome == WDP_ERROR;
	s->plain = s->plain && !s->failed;
	return !s->failed;
}

int wdp_symmetric_get(const struct wdp_symmetric *s, OSSL_PARAM params[])
{
	OSSL_PARAM *path = OSSL_PARAM_locate(params, WDP_PARAM_PATH);

	if (path && !OSSL_PARAM_set_utf8_string(path, s->path == WD_PATH_NONE ? "" : wd_path_str((int)s->path)))
		return 0;
	return EVP_CIPHER_CTX_get_params(s->ctx, params) > 0;
}

/* OpenSSL 3.5 tries two types of parameters, and leaves the error of the first. */
bool wdp_symmetric_iv(const struct wdp_symmetric *s, wdp_iv_fn *get, unsigned char *iv, size_t len)
{
	bool ok;

	wdp_errors_mark(&s->prov->core);
	ok = get(s->ctx, iv, len) > 0;
	wdp_errors_drop(&s->prov->core);
	return ok;
}
