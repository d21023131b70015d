/* SPDX-License-Identifier: Apache-2.0 */
/* The common part of contexts of ciphers: the default provider's context, the key, and a session of libwd with it. */
#ifndef WDP_SYMMETRIC_H
#define WDP_SYMMETRIC_H

#include <openssl/evp.h>
#include <wd_cipher.h>

#include "core/provider.h"
#include "device/class.h"
#include "device/device.h"

/*
 * Bytes of an update that a device is given: a device works on a copy of most of them. The default provider does longer
 * ones.
 */
#define WDP_UPDATE_MAX	(8u << 20)

/* Memory of a request. The context has it, since a job that waits for a device may be abandoned. */
struct wdp_buffer {
	unsigned char *at;
	size_t len;
};

struct wdp_symmetric {
	struct wdp_provider *prov;
	const struct wdp_cipher *cipher;
	const struct wdp_class *class;
	EVP_CIPHER_CTX *ctx;
	struct wdp_session session;	/* with this key */
	unsigned int path;		/* enum wd_path, of the last operation */
	bool encrypt;
	bool plain;			/* no step has failed since the last initialization */
	bool failed;			/* a device has, with fallback = no: nothing works until an initialization */
	struct wdp_buffer in, out;
	size_t key_len;			/* 0: none */
	unsigned char key[WD_CIPHER_KEY_MAX];
};

/* wdp_symmetric_new() - a context of that size, which begins with a struct wdp_symmetric; all else is zero. */
void *wdp_symmetric_new(size_t size, struct wdp_provider *prov, enum wdp_cipher_id id, const struct wdp_class *class);

/* wdp_symmetric_ctx() - a context of the default provider's in which nothing is set, or NULL. */
EVP_CIPHER_CTX *wdp_symmetric_ctx(const struct wdp_symmetric *s);

/* wdp_symmetric_free() - wipe a context of that size. */
void wdp_symmetric_free(struct wdp_symmetric *s, size_t size);

/* wdp_symmetric_dup() - copy all of a context of that size but the session and the buffers; NULL: no memory. */
void *wdp_symmetric_dup(const struct wdp_symmetric *from, size_t size);

/* wdp_buffer_take() - memory of that size, or NULL. wdp_buffer_drop() - wipe and free it. */
unsigned char *wdp_buffer_take(struct wdp_buffer *buffer, size_t len);
void wdp_buffer_drop(struct wdp_buffer *buffer);

/*
 * wdp_symmetric_begin() - an initialization; the key stays if it is NULL and still that of the default provider. 1 or
 * 0.
 */
int wdp_symmetric_begin(struct wdp_symmetric *s, bool encrypt, const unsigned char *key, size_t key_len,
			const unsigned char *iv, const OSSL_PARAM params[]);

/* wdp_symmetric_update(), wdp_symmetric_final(), wdp_symmetric_whole() - the default provider does it. 1 or 0. */
int wdp_symmetric_update(struct wdp_symmetric *s, unsigned char *out, size_t *out_len, const unsigned char *in,
			 size_t len);
int wdp_symmetric_final(struct wdp_symmetric *s, unsigned char *out, size_t *out_len);
int wdp_symmetric_whole(struct wdp_symmetric *s, unsigned char *out, size_t *out_len, const unsigned char *in,
			size_t len);

/* wdp_symmetric_outcome() - a device has ended an update: 1, or 0 for an error. */
int wdp_symmetric_outcome(struct wdp_symmetric *s, enum wdp_outcome outcome);

/* wdp_symmetric_get() - parameters of the default provider, and "warpdrive-path". 1 or 0. */
int wdp_symmetric_get(const struct wdp_symmetric *s, OSSL_PARAM params[]);

/* wdp_symmetric_iv() - one of the default provider's; get: libcrypto's function. No error is reported. */
typedef int wdp_iv_fn(EVP_CIPHER_CTX *ctx, void *iv, size_t len);
bool wdp_symmetric_iv(const struct wdp_symmetric *s, wdp_iv_fn *get, unsigned char *iv, size_t len);

#endif
