// SPDX-License-Identifier: Apache-2.0
/*
 * Ciphers. The twin's context has the state; a device computes the long runs of whole blocks between two of its states.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/proverr.h>

#include "cipher.h"
#include "device.h"
#include "twin.h"

#define BLOCK_MAX	16

struct context {
	struct wdp_provider *prov;
	const struct wdp_cipher *cipher;
	EVP_CIPHER_CTX *twin;
	struct wdp_session session;	/* with this key */
	unsigned int path;		/* enum wd_path */
	bool encrypt;
	bool tls;			/* the twin is in a mode of TLS, which it never leaves */
	bool plain;			/* no step has failed since the last initialization */
	bool iv_set;
	bool moved;			/* the twin's iv isn't the program's any more, which is in iv */
	unsigned char iv[BLOCK_MAX];
	size_t held;			/* bytes that the twin has taken and not given back */
	unsigned char tail[BLOCK_MAX];	/* the last bytes that it has taken */
	size_t key_len;			/* 0: none */
	unsigned char key[WD_CIPHER_KEY_MAX];
};

/* --- life --- */

void *wdp_cipher_new(struct wdp_provider *prov, enum wdp_cipher_id id)
{
	struct context *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->prov = prov;
	c->cipher = &prov->ciphers[id];
	c->twin = EVP_CIPHER_CTX_new();
	if (c->twin && EVP_CipherInit_ex2(c->twin, c->cipher->twin, NULL, NULL, 0, NULL) > 0)
		return c;
	wdp_cipher_free(c);
	return NULL;
}

void wdp_cipher_free(void *vctx)
{
	struct context *c = vctx;

	if (!c)
		return;
	wdp_session_close(&c->session, &wdp_class_cipher);
	EVP_CIPHER_CTX_free(c->twin);
	OPENSSL_cleanse(c, sizeof(*c));
	free(c);
}

void *wdp_cipher_dup(void *vctx)
{
	struct context *from = vctx, *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	*c = *from;
	c->session = (struct wdp_session){ { 0 }, { 0 } };
	c->twin = EVP_CIPHER_CTX_new();
	if (c->twin && EVP_CIPHER_CTX_copy(c->twin, from->twin))
		return c;
	wdp_cipher_free(c);
	return NULL;
}

static void key_note(struct context *c, const unsigned char *key, size_t len)
{
	wdp_session_close(&c->session, &wdp_class_cipher);
	OPENSSL_cleanse(c->key, sizeof(c->key));
	c->key_len = key && len <= sizeof(c->key) ? len : 0;
	if (c->key_len)
		memcpy(c->key, key, len);
}

/* A parameter of TLS changes what the twin's updates do. */
static void tls_note(struct context *c, const OSSL_PARAM params[])
{
	if (params && OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_TLS_VERSION))
		c->tls = true;
}

/* Without an iv some modes begin again with the program's. */
static const unsigned char *iv_again(const struct context *c)
{
	return c->moved && c->cipher->mode != WD_CIPHER_CTR ? c->iv : NULL;
}

static int begin(struct context *c, bool encrypt, const unsigned char *key, size_t key_len, const unsigned char *iv,
		 const OSSL_PARAM params[])
{
	int ok = EVP_CipherInit_ex2(c->twin, NULL, key, iv ? iv : iv_again(c), encrypt, params) > 0;
	bool turned = encrypt != c->encrypt;

	c->encrypt = encrypt;
	c->plain = ok;
	c->held = 0;
	c->path = WD_PATH_NONE;
	/* Without a key the twin goes on with the key schedule of the other direction, which no device has. */
	if (key || turned || !ok)
		key_note(c, ok ? key : NULL, key_len);
	if (iv)
		c->moved = false;
	c->iv_set = c->iv_set || iv;
	tls_note(c, params);
	return ok;
}

int wdp_cipher_encrypt_init(void *vctx, const unsigned char *key, size_t key_len, const unsigned char *iv, size_t iv_len,
			    const OSSL_PARAM params[])
{
	(void)iv_len;
	return begin(vctx, true, key, key_len, iv, params);
}

int wdp_cipher_decrypt_init(void *vctx, const unsigned char *key, size_t key_len, const unsigned char *iv, size_t iv_len,
			    const OSSL_PARAM params[])
{
	(void)iv_len;
	return begin(vctx, false, key, key_len, iv, params);
}

/* --- parameters --- */

static int iv_get(const struct context *c, OSSL_PARAM params[])
{
	OSSL_PARAM *p = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_IV);

	return !p || !c->moved || OSSL_PARAM_set_octet_string(p, c->iv, c->cipher->iv_len) ||
	       OSSL_PARAM_set_octet_ptr(p, c->iv, c->cipher->iv_len);
}

int wdp_cipher_get_ctx_params(void *vctx, OSSL_PARAM params[])
{
	struct context *c = vctx;
	OSSL_PARAM *path = OSSL_PARAM_locate(params, WDP_PARAM_PATH);

	if (path && !OSSL_PARAM_set_utf8_string(path, c->path == WD_PATH_NONE ? "" : wd_path_str((int)c->path)))
		return 0;
	return EVP_CIPHER_CTX_get_params(c->twin, params) > 0 && iv_get(c, params);
}

int wdp_cipher_set_ctx_params(void *vctx, const OSSL_PARAM params[])
{
	struct context *c = vctx;

	tls_note(c, params);
	return EVP_CIPHER_CTX_set_params(c->twin, params) > 0;
}

static unsigned int uint_of(const struct context *c, const char *name)
{
	unsigned int value = 0;
	OSSL_PARAM params[] = { OSSL_PARAM_construct_uint(name, &value), OSSL_PARAM_END };

	return EVP_CIPHER_CTX_get_params(c->twin, params) > 0 ? value : 0;
}

static bool padding_set(const struct context *c, unsigned int padding)
{
	OSSL_PARAM params[] = { OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &padding), OSSL_PARAM_END };

	return EVP_CIPHER_CTX_set_params(c->twin, params) > 0;
}

/* --- the twin's steps --- */

static void tail_note(struct context *c, const unsigned char *in, size_t len)
{
	size_t block = c->cipher->block;

	if (len < block)
		memmove(c->tail, c->tail + len, block - len);
	memcpy(c->tail + (len < block ? block - len : 0), in + (len < block ? 0 : len - block), len < block ? len : block);
}

static bool overlap(const unsigned char *a, size_t a_len, const unsigned char *b, size_t b_len)
{
	return a < b + b_len && b < a + a_len;
}

static int step_by_twin(struct context *c, unsigned char *out, size_t *out_len, const unsigned char *in, size_t len)
{
	int n = 0;

	if (len > INT_MAX) {
		ERR_raise(ERR_LIB_PROV, PROV_R_CIPHER_OPERATION_FAILED);
		return 0;
	}
	/* In place, the twin overwrites it; with a block held, before it reads it. */
	if (c->cipher->block > 1 && in)
		tail_note(c, in, len);
	if (c->held && overlap(out, c->held + len, in, len))
		c->plain = false;
	if (EVP_CipherUpdate(c->twin, out, &n, in, (int)len) <= 0) {
		c->plain = false;
		return 0;
	}
	c->held += len - (size_t)n;
	*out_len = (size_t)n;
	return 1;
}

int wdp_cipher_final(void *vctx, unsigned char *out, size_t *out_len, size_t room)
{
	struct context *c = vctx;
	int n = 0, ok = EVP_CipherFinal_ex(c->twin, out, &n) > 0;

	(void)room;
	c->plain = false;
	*out_len = ok ? (size_t)n : 0;
	return ok;
}

/* --- devices' steps --- */

static handle_t session_open(const struct wdp_target *to, unsigned int op_type)
{
	const struct context *c = to->owner;
	struct wd_cipher_sess_setup setup = {
		.alg = c->cipher->alg, .mode = c->cipher->mode, .op_type = (__u8)op_type, .flags = WD_SESS_PATH_HW,
		.timeout_ms = to->prov->config.timeout_ms,
	};
	handle_t h = wd_cipher_alloc_sess(&setup, NULL);

	if (h && wd_cipher_set_key(h, c->key, (__u32)c->key_len)) {
		wd_cipher_free_sess(h);
		h = 0;
	}
	return h;
}

/* What a device is to do of an update. */
struct run {
	size_t before;			/* bytes of output that the twin still holds the input of */
	size_t len;			/* bytes for the device */
	size_t after;			/* bytes of input that the twin is to hold */
	unsigned char iv[BLOCK_MAX];	/* the twin's now */
	unsigned char next[BLOCK_MAX];	/* behind the device's bytes */
};

/* Padding is in the last block, so decryption keeps a whole block back. */
static bool run_plan(const struct context *c, struct run *run, const unsigned char *out, size_t room, const unsigned char *in,
		     size_t len)
{
	const struct wdp_cipher *cipher = c->cipher;
	bool hold = cipher->block > 1 && !c->encrypt && uint_of(c, OSSL_CIPHER_PARAM_PADDING);

	if (c->held && (!hold || c->held != cipher->block))
		return false;
	run->before = c->held;
	run->after = hold ? cipher->block : 0;
	run->len = len - run->after;
	if (!run->len || room < run->before + len || (cipher->block == 1 && uint_of(c, OSSL_CIPHER_PARAM_NUM)))
		return false;
	if ((run->before || out != in) && overlap(out, run->before + run->len, in, len))
		return false;
	return !cipher->iv_len || EVP_CIPHER_CTX_get_updated_iv(c->twin, run->iv, cipher->iv_len) > 0;
}

static void counter_add(unsigned char *counter, size_t n)
{
	int i;

	for (i = BLOCK_MAX - 1; i >= 0 && n; i--) {
		n += counter[i];
		counter[i] = (unsigned char)n;
		n >>= 8;
	}
}

/* Requests of asynchronous sessions can't have WD_CIPHER_CHAIN. in and out end where the device's bytes end. */
static void run_next(const struct context *c, struct run *run, const unsigned char *in, const unsigned char *out)
{
	size_t n = c->cipher->iv_len, i;

	memcpy(run->next, run->iv, n);
	switch (c->cipher->mode) {
	case WD_CIPHER_CTR:
		counter_add(run->next, run->len / n);
		break;
	case WD_CIPHER_OFB:
		for (i = 0; i < n; i++)
			run->next[i] = in[i - n] ^ out[i - n];
		break;
	case WD_CIPHER_CBC:
	case WD_CIPHER_CFB:
		memcpy(run->next, (c->encrypt ? out : in) - n, n);
		break;
	}
}

/* An error leaves src as it was, for the twin. */
static enum wdp_outcome run_on_device(struct context *c, const struct run *run, unsigned char *to, const unsigned char *in)
{
	bool chains = run->before && c->cipher->mode == WD_CIPHER_CBC;
	struct wdp_target target = {
		.prov = c->prov, .class = &wdp_class_cipher, .session = &c->session, .make = session_open, .owner = c,
	};
	struct wdp_call call = {
		.op = c->encrypt ? WD_CIPHER_ENCRYPTION : WD_CIPHER_DECRYPTION, .src = in, .src_len = run->len, .dst = to,
		.dst_len = run->len, .extra = !c->cipher->iv_len ? NULL : chains ? c->tail : run->iv,
		.extra_len = c->cipher->iv_len,
	};

	return wdp_device_do(&target, &call, &c->path);
}

/* The twin goes on from there, with nothing held. */
static bool twin_move(struct context *c, const unsigned char *iv)
{
	if (!c->cipher->iv_len)
		return EVP_CipherInit_ex2(c->twin, NULL, NULL, NULL, -1, NULL) > 0;
	if (!c->moved && EVP_CIPHER_CTX_get_original_iv(c->twin, c->iv, c->cipher->iv_len) <= 0)
		return false;
	c->moved = true;
	return EVP_CipherInit_ex2(c->twin, NULL, NULL, iv, -1, NULL) > 0;
}

/* The block that the twin has held; without padding it gives it back at once. */
static bool give_back(struct context *c, const struct run *run, unsigned char *out)
{
	int n = 0;

	return twin_move(c, run->iv) && padding_set(c, 0) &&
	       EVP_CipherUpdate(c->twin, out, &n, c->tail, (int)run->before) > 0 && (size_t)n == run->before && padding_set(c, 1);
}

/* The device has done its part; the twin does what comes before and after, and takes over the state. */
static enum wdp_outcome run_end(struct context *c, const struct run *run, unsigned char *out, size_t *out_len,
				const unsigned char *in)
{
	size_t n = 0;
	bool ok = !run->before || give_back(c, run, out);

	ok = ok && (c->cipher->mode == WD_CIPHER_XTS || twin_move(c, run->next));
	c->held = 0;
	out += run->before + run->len;
	if (ok && run->after)
		ok = step_by_twin(c, out, &n, in + run->len, run->after);
	*out_len = run->before + run->len + n;
	c->plain = ok;
	return ok ? WDP_DONE : WDP_ERROR;
}

static enum wdp_outcome run_do(struct context *c, struct run *run, unsigned char *out, size_t *out_len, const unsigned char *in)
{
	unsigned char *own = out == in ? OPENSSL_malloc(run->len) : NULL, *to = own ? own : out + run->before;
	enum wdp_outcome outcome = WDP_TWIN;

	if (own || out != in)
		outcome = run_on_device(c, run, to, in);
	if (outcome == WDP_DONE) {
		run_next(c, run, in + run->len, to + run->len);
		if (own)
			memcpy(out, own, run->len);
		outcome = run_end(c, run, out, out_len, in);
	}
	OPENSSL_clear_free(own, run->len);
	return outcome;
}

/* Does an update have the size and the state for a device? */
static bool is_for_devices(const struct context *c, const unsigned char *out, const unsigned char *in, size_t len)
{
	return c->plain && !c->tls && c->key_len && (c->iv_set || !c->cipher->iv_len) && in && out && len >= c->prov->config.min_bytes &&
	       !(len % c->cipher->unit);
}

int wdp_cipher_update(void *vctx, unsigned char *out, size_t *out_len, size_t room, const unsigned char *in, size_t len)
{
	struct context *c = vctx;
	bool fits = is_for_devices(c, out, in, len);
	enum wdp_outcome outcome = WDP_TWIN;
	struct run run;
	int ok;

	if (fits && run_plan(c, &run, out, room, in, len)) {
		outcome = run_do(c, &run, out, out_len, in);
		OPENSSL_cleanse(&run, sizeof(run));
	}
	if (outcome != WDP_TWIN)
		return (int)outcome;
	ok = step_by_twin(c, out, out_len, in, len);
	if (ok)
		c->path = WD_PATH_SOFT;
	if (ok && fits)
		wdp_count(c->prov, WDP_COUNT_SOFT);
	return ok;
}

/* EVP_Cipher(), which knows no padding: the twin's. */
int wdp_cipher_whole(void *vctx, unsigned char *out, size_t *out_len, size_t room, const unsigned char *in, size_t len)
{
	struct context *c = vctx;
	int n = len <= INT_MAX ? EVP_Cipher(c->twin, out, in, (unsigned int)len) : -1;

	(void)room;
	c->path = WD_PATH_SOFT;
	if (n < 0)
		return 0;
	*out_len = (size_t)n;
	return 1;
}
