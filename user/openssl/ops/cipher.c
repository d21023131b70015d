// SPDX-License-Identifier: Apache-2.0
/*
 * Ciphers. The default provider's context has the state; a device computes the long runs of whole blocks between two of
 * its states.
 */
#include <string.h>
#include <strings.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>

#include "cipher.h"
#include "device/device.h"
#include "symmetric.h"

#define BLOCK_MAX	16

struct context {
	struct wdp_symmetric s;		/* first: see symmetric.h */
	bool tls;			/* the default provider is in a mode of TLS, which it never leaves */
	bool iv_set;
	bool moved;			/* the default provider's iv isn't the program's any more, which is in iv */
	unsigned char iv[BLOCK_MAX];
	size_t held;			/* bytes that the default provider has taken and not given back */
	unsigned char tail[BLOCK_MAX];	/* the last bytes that it has taken */
};

void *wdp_cipher_new(struct wdp_provider *prov, enum wdp_cipher_id id)
{
	return wdp_symmetric_new(sizeof(struct context), prov, id, &wdp_class_cipher);
}

void wdp_cipher_free(void *vctx)
{
	if (vctx)
		wdp_symmetric_free(vctx, sizeof(struct context));
}

void *wdp_cipher_dup(void *vctx)
{
	return wdp_symmetric_dup(vctx, sizeof(struct context));
}

/* A parameter of TLS changes what the default provider's updates do. */
static void tls_note(struct context *c, const OSSL_PARAM params[])
{
	if (params && OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_TLS_VERSION))
		c->tls = true;
}

static bool iv_len_set(const struct context *c, int len)
{
	OSSL_PARAM params[] = { OSSL_PARAM_construct_int(OSSL_CIPHER_PARAM_IVLEN, &len), OSSL_PARAM_END };

	return EVP_CIPHER_CTX_set_params(c->s.ctx, params) > 0;
}

/*
 * None of these ciphers takes another length of iv. But a context of OpenSSL 3.5 keeps a length that the program sets,
 * and takes no iv until that is the cipher's again.
 */
static bool ctx_set_iv(const struct context *c, const unsigned char *iv)
{
	int len = EVP_CIPHER_CTX_get_iv_length(c->s.ctx);
	bool other = len != c->s.cipher->iv_len, ok;

	ok = (!other || iv_len_set(c, c->s.cipher->iv_len)) &&
	     EVP_CipherInit_ex2(c->s.ctx, NULL, NULL, iv, -1, NULL) > 0;
	return (!other || iv_len_set(c, len)) && ok;
}

/* Without an iv some modes begin again with the program's, even if what comes then fails. */
static bool iv_again(struct context *c)
{
	if (!c->moved || c->s.cipher->mode == WD_CIPHER_CTR)
		return true;
	c->moved = !ctx_set_iv(c, c->iv);
	return !c->moved;
}

static int begin(struct context *c, bool encrypt, const unsigned char *key, size_t key_len, const unsigned char *iv,
		 size_t iv_len, const OSSL_PARAM params[])
{
	int ok = (iv || iv_again(c)) && wdp_symmetric_begin(&c->s, encrypt, key, key_len, iv, params);

	c->held = 0;
	if (iv && iv_len == c->s.cipher->iv_len) {
		c->moved = false;
		c->iv_set = true;
	}
	tls_note(c, params);
	return ok;
}

int wdp_cipher_encrypt_init(void *vctx, const unsigned char *key, size_t key_len, const unsigned char *iv,
			    size_t iv_len, const OSSL_PARAM params[])
{
	return begin(vctx, true, key, key_len, iv, iv_len, params);
}

int wdp_cipher_decrypt_init(void *vctx, const unsigned char *key, size_t key_len, const unsigned char *iv,
			    size_t iv_len, const OSSL_PARAM params[])
{
	return begin(vctx, false, key, key_len, iv, iv_len, params);
}

/* --- parameters --- */

static int iv_get(const struct context *c, OSSL_PARAM params[])
{
	OSSL_PARAM *p = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_IV);

	if (!p || !c->moved)
		return 1;
	return (p->data_type == OSSL_PARAM_OCTET_PTR ? OSSL_PARAM_set_octet_ptr : OSSL_PARAM_set_octet_string)
		(p, c->iv, c->s.cipher->iv_len);
}

int wdp_cipher_get_ctx_params(void *vctx, OSSL_PARAM params[])
{
	struct context *c = vctx;

	return wdp_symmetric_get(&c->s, params) && iv_get(c, params);
}

int wdp_cipher_set_ctx_params(void *vctx, const OSSL_PARAM params[])
{
	struct context *c = vctx;

	tls_note(c, params);
	return EVP_CIPHER_CTX_set_params(c->s.ctx, params) > 0;
}

static unsigned int uint_of(const struct context *c, const char *name)
{
	unsigned int value = 0;
	OSSL_PARAM params[] = { OSSL_PARAM_construct_uint(name, &value), OSSL_PARAM_END };

	return EVP_CIPHER_CTX_get_params(c->s.ctx, params) > 0 ? value : 0;
}

static bool padding_set(const struct context *c, unsigned int padding)
{
	OSSL_PARAM params[] = { OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &padding), OSSL_PARAM_END };

	return EVP_CIPHER_CTX_set_params(c->s.ctx, params) > 0;
}

/* --- the default provider's steps --- */

static void tail_note(struct context *c, const unsigned char *in, size_t len)
{
	size_t block = c->s.cipher->block;

	if (len < block)
		memmove(c->tail, c->tail + len, block - len);
	memcpy(c->tail + (len < block ? block - len : 0), in + (len < block ? 0 : len - block),
	       len < block ? len : block);
}

static bool overlap(const unsigned char *a, size_t a_len, const unsigned char *b, size_t b_len)
{
	return a < b + b_len && b < a + a_len;
}

static int step_by_default(struct context *c, unsigned char *out, size_t *out_len, const unsigned char *in, size_t len)
{
	/* In place, the default provider overwrites it; with a block held, before it reads it. */
	if (c->s.cipher->block > 1 && in)
		tail_note(c, in, len);
	if (c->held && overlap(out, c->held + len, in, len))
		c->s.plain = false;
	if (!wdp_symmetric_update(&c->s, out, out_len, in, len))
		return 0;
	c->held += len - *out_len;
	return 1;
}

int wdp_cipher_final(void *vctx, unsigned char *out, size_t *out_len, size_t room)
{
	(void)room;
	return wdp_symmetric_final(vctx, out, out_len);
}

/* --- devices' steps --- */

static handle_t session_open(const struct wdp_target *to, unsigned int op_type)
{
	const struct context *c = to->owner;
	struct wd_cipher_sess_setup setup = {
		.alg = c->s.cipher->alg, .mode = c->s.cipher->mode, .op_type = (__u8)op_type, .flags = WD_SESS_PATH_HW,
		.timeout_ms = to->prov->config.timeout_ms,
	};
	handle_t h = wd_cipher_alloc_sess(&setup, NULL);

	if (h && wd_cipher_set_key(h, c->s.key, (__u32)c->s.key_len)) {
		wd_cipher_free_sess(h);
		h = 0;
	}
	return h;
}

/* The run of an update that a device is to do. */
struct run {
	size_t before;			/* bytes of output that the default provider still holds the input of */
	size_t len;			/* bytes for the device */
	size_t after;			/* bytes of input that the default provider is to hold */
	unsigned char iv[BLOCK_MAX];	/* the default provider's now */
	unsigned char next[BLOCK_MAX];	/* behind the device's bytes */
};

/* Padding is in the last block, so decryption keeps a whole block back. */
static bool run_plan(const struct context *c, struct run *run, const unsigned char *out, size_t room,
		     const unsigned char *in, size_t len)
{
	const struct wdp_cipher *cipher = c->s.cipher;
	bool hold = cipher->block > 1 && !c->s.encrypt && uint_of(c, OSSL_CIPHER_PARAM_PADDING);

	if (c->held && (!hold || c->held != cipher->block))
		return false;
	run->before = c->held;
	run->after = hold ? cipher->block : 0;
	run->len = len - run->after;
	if (!run->len || room < run->before + len || (cipher->block == 1 && uint_of(c, OSSL_CIPHER_PARAM_NUM)))
		return false;
	if ((run->before || out != in) && overlap(out, run->before + run->len, in, len))
		return false;
	return !cipher->iv_len || wdp_symmetric_iv(&c->s, EVP_CIPHER_CTX_get_updated_iv, run->iv, cipher->iv_len);
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
	size_t n = c->s.cipher->iv_len, i;

	memcpy(run->next, run->iv, n);
	switch (c->s.cipher->mode) {
	case WD_CIPHER_CTR:
		counter_add(run->next, run->len / n);
		break;
	case WD_CIPHER_OFB:
		for (i = 0; i < n; i++)
			run->next[i] = in[i - n] ^ out[i - n];
		break;
	case WD_CIPHER_CBC:
	case WD_CIPHER_CFB:
		memcpy(run->next, (c->s.encrypt ? out : in) - n, n);
		break;
	}
}

/* An error leaves src as it was, for the default provider. */
static enum wdp_outcome run_on_device(struct context *c, const struct run *run, unsigned char *to,
				      const unsigned char *in)
{
	bool chains = run->before && c->s.cipher->mode == WD_CIPHER_CBC;
	struct wdp_target target = {
		.prov = c->s.prov, .class = &wdp_class_cipher, .session = &c->s.session, .make = session_open,
		.owner = c,
	};
	struct wdp_call call = {
		.op = c->s.encrypt ? WD_CIPHER_ENCRYPTION : WD_CIPHER_DECRYPTION, .src = in, .src_len = run->len,
		.dst = to, .dst_len = run->len, .extra = !c->s.cipher->iv_len ? NULL : chains ? c->tail : run->iv,
		.extra_len = c->s.cipher->iv_len,
	};

	return wdp_device_do(&target, &call, &c->s.path);
}

/* The default provider goes on from there, with nothing held. */
static bool ctx_move(struct context *c, const unsigned char *iv)
{
	if (!c->s.cipher->iv_len)
		return EVP_CipherInit_ex2(c->s.ctx, NULL, NULL, NULL, -1, NULL) > 0;
	if (!c->moved && !wdp_symmetric_iv(&c->s, EVP_CIPHER_CTX_get_original_iv, c->iv, c->s.cipher->iv_len))
		return false;
	c->moved = true;
	return ctx_set_iv(c, iv);
}

/* The block that the default provider has held; without padding it gives it back at once. */
static bool give_back(struct context *c, const struct run *run, unsigned char *out)
{
	int n = 0;

	return ctx_move(c, run->iv) && padding_set(c, 0) &&
	       EVP_CipherUpdate(c->s.ctx, out, &n, c->tail, (int)run->before) > 0 && (size_t)n == run->before &&
	       padding_set(c, 1);
}

/* The device has done its part; the default provider does what comes before and after, and takes over the state. */
static enum wdp_outcome run_end(struct context *c, const struct run *run, unsigned char *out, size_t *out_len,
				const unsigned char *in)
{
	unsigned int path = c->s.path;
	size_t n = 0;
	bool ok = !run->before || give_back(c, run, out);

	ok = ok && (c->s.cipher->mode == WD_CIPHER_XTS || ctx_move(c, run->next));
	c->held = 0;
	out += run->before + run->len;
	if (ok && run->after)
		ok = step_by_default(c, out, &n, in + run->len, run->after);
	*out_len = run->before + run->len + n;
	c->s.plain = ok;
	c->s.path = path;
	return ok ? WDP_DONE : WDP_ERROR;
}

static enum wdp_outcome run_do(struct context *c, struct run *run, unsigned char *out, size_t *out_len,
			       const unsigned char *in)
{
	unsigned char *own = out == in ? wdp_buffer_take(&c->s.out, run->len) : NULL,
		      *to = own ? own : out + run->before;
	enum wdp_outcome outcome = WDP_TO_DEFAULT;

	if (own || out != in)
		outcome = run_on_device(c, run, to, in);
	if (outcome == WDP_DONE) {
		run_next(c, run, in + run->len, to + run->len);
		if (own)
			memcpy(out, own, run->len);
		outcome = run_end(c, run, out, out_len, in);
	}
	wdp_buffer_drop(&c->s.out);
	return outcome;
}

/* Does an update have the size and the state for a device? */
static bool is_for_devices(const struct context *c, const unsigned char *out, const unsigned char *in, size_t len)
{
	return c->s.plain && !c->tls && c->s.key_len && (c->iv_set || !c->s.cipher->iv_len) && in && out &&
	       len >= c->s.prov->config.min_bytes && len <= WDP_UPDATE_MAX && !(len % c->s.cipher->unit);
}

int wdp_cipher_update(void *vctx, unsigned char *out, size_t *out_len, size_t room, const unsigned char *in, size_t len)
{
	struct context *c = vctx;
	bool fits = is_for_devices(c, out, in, len);
	enum wdp_outcome outcome = WDP_TO_DEFAULT;
	struct run run;
	int ok;

	if (fits && run_plan(c, &run, out, room, in, len)) {
		outcome = run_do(c, &run, out, out_len, in);
		OPENSSL_cleanse(&run, sizeof(run));
	}
	if (outcome != WDP_TO_DEFAULT)
		return wdp_symmetric_outcome(&c->s, outcome);
	ok = step_by_default(c, out, out_len, in, len);
	if (ok && fits)
		wdp_count(c->s.prov, WDP_COUNT_SOFT);
	return ok;
}

/* EVP_Cipher(), which knows no padding: the default provider's. */
int wdp_cipher_whole(void *vctx, unsigned char *out, size_t *out_len, size_t room, const unsigned char *in, size_t len)
{
	(void)room;
	return wdp_symmetric_whole(vctx, out, out_len, in, len);
}
