// SPDX-License-Identifier: Apache-2.0
/* Authenticated encryption on the software path. */
#include <errno.h>
#include <string.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>

#include "aead.h"
#include "evp.h"
#include "libcrypto.h"

/* One request, with its data in one piece. */
struct work {
	struct crypto_sess *s;
	struct soft_ctx *x;
	const struct crypto_msg *c;
	const __u8 *assoc;
	const __u8 *in;
	__u8 *out;
	size_t len;
};

static bool mac_of(const struct work *w, const __u8 *data, size_t len, __u8 *mac)
{
	size_t n;

	return EVP_MAC_init(w->x->mac, NULL, 0, NULL) && EVP_MAC_update(w->x->mac, data, len) &&
	       EVP_MAC_final(w->x->mac, mac, &n, CRYPTO_MAC_MAX);
}

static bool cbc_of(const struct work *w)
{
	return EVP_CipherInit_ex(w->x->cipher, NULL, NULL, NULL, w->c->iv, -1) &&
	       soft_cipher_update(w->x->cipher, w->out, w->in, w->len);
}

/* The data follows the associated data in both buffers. */
static int authenc(const struct work *w)
{
	const struct crypto_msg *c = w->c;
	__u8 mac[CRYPTO_MAC_MAX];
	bool same;

	if (!c->decrypt) {
		bool good = cbc_of(w) && mac_of(w, w->out - c->assoc_len, c->src_len, mac);

		memcpy(c->mac, mac, good ? c->mac_len : 0);
		OPENSSL_cleanse(mac, sizeof(mac));
		return good ? 0 : -EIO;
	}
	if (!mac_of(w, w->assoc, c->src_len, mac)) {
		OPENSSL_cleanse(mac, sizeof(mac));
		return -EIO;
	}
	same = !CRYPTO_memcmp(mac, c->mac, c->mac_len);
	/* A forged message would need the tag. */
	OPENSSL_cleanse(mac, sizeof(mac));
	return !same ? -EBADMSG : cbc_of(w) ? 0 : -EIO;
}

static bool ctrl(const struct work *w, int type, int len, void *p)
{
	return EVP_CIPHER_CTX_ctrl(w->x->cipher, type, len, p) > 0;
}

/* Does what the control operation does, without its search for the method. */
#define TAG_OF(mac, len) \
	{ OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, mac, len), OSSL_PARAM_construct_end() }

bool soft_gcm_begin(struct soft_ctx *x, const __u8 *iv, __u32 iv_len)
{
	if (x->iv_len != iv_len && EVP_CIPHER_CTX_ctrl(x->cipher, EVP_CTRL_AEAD_SET_IVLEN, (int)iv_len, NULL) <= 0)
		return false;
	x->iv_len = iv_len;
	return EVP_CipherInit_ex(x->cipher, NULL, NULL, NULL, iv, -1);
}

int soft_gcm_end(struct soft_ctx *x, bool decrypt, __u8 *mac, __u32 mac_len)
{
	OSSL_PARAM tag[] = TAG_OF(mac, mac_len);
	__u8 rest[16];
	int n;

	if (!decrypt)
		return EVP_CipherFinal_ex(x->cipher, rest, &n) && EVP_CIPHER_CTX_get_params(x->cipher, tag) ? 0 : -EIO;
	if (!EVP_CIPHER_CTX_set_params(x->cipher, tag))
		return -EIO;
	return EVP_CipherFinal_ex(x->cipher, rest, &n) > 0 ? 0 : -EBADMSG;
}

static int gcm(const struct work *w)
{
	const struct crypto_msg *c = w->c;

	if (!soft_gcm_begin(w->x, c->iv, c->iv_len) ||
	    (c->assoc_len && !soft_cipher_update(w->x->cipher, NULL, w->assoc, c->assoc_len)) ||
	    (w->len && !soft_cipher_update(w->x->cipher, w->out, w->in, w->len)))
		return -EIO;
	return soft_gcm_end(w->x, c->decrypt, c->mac, c->mac_len);
}

/* libcrypto derives values from the key and the sizes of nonce and tag: set the key again after them. */
static bool ccm_sizes(const struct work *w)
{
	const struct crypto_msg *c = w->c;

	if (w->x->iv_len == c->iv_len)
		return true;
	w->x->iv_len = 0;
	if (!ctrl(w, EVP_CTRL_AEAD_SET_IVLEN, (int)c->iv_len, NULL) ||
	    !ctrl(w, EVP_CTRL_AEAD_SET_TAG, (int)c->mac_len, NULL) ||
	    !EVP_CipherInit_ex(w->x->cipher, NULL, NULL, w->s->key, NULL, -1))
		return false;
	w->x->iv_len = c->iv_len;
	return true;
}

/* libcrypto reports a wrong tag as an error. Its error queue belongs to the application, whose TLS reads it. */
static int ccm_compare(const struct work *w, const __u8 *in, __u8 *out)
{
	bool good;
	int n;

	ERR_set_mark();
	good = EVP_CipherUpdate(w->x->cipher, out, &n, in, (int)w->len);
	ERR_pop_to_mark();
	return good ? 0 : -EBADMSG;
}

static int ccm(const struct work *w)
{
	static const __u8 nothing[1];
	const struct crypto_msg *c = w->c;
	OSSL_PARAM tag[] = TAG_OF(c->mac, c->mac_len);
	const __u8 *in = w->len ? w->in : nothing;
	__u8 none[1], *out = w->len ? w->out : none;
	int n;

	/* EVP lengths are int. */
	if (w->len > INT32_MAX || c->assoc_len > INT32_MAX)
		return -EFBIG;
	if (!ccm_sizes(w))
		return -EIO;
	if ((c->decrypt && !EVP_CIPHER_CTX_set_params(w->x->cipher, tag)) ||
	    !EVP_CipherInit_ex(w->x->cipher, NULL, NULL, NULL, c->iv, -1) ||
	    !EVP_CipherUpdate(w->x->cipher, NULL, &n, NULL, (int)w->len) ||
	    (c->assoc_len && !EVP_CipherUpdate(w->x->cipher, NULL, &n, w->assoc, (int)c->assoc_len)))
		return -EIO;
	if (c->decrypt)
		return ccm_compare(w, in, out);
	return EVP_CipherUpdate(w->x->cipher, out, &n, in, (int)w->len) &&
	       EVP_CIPHER_CTX_get_params(w->x->cipher, tag) ? 0 : -EIO;
}

static int aead_flat(struct crypto_sess *s, struct crypto_msg *c, const struct soft_flat *f)
{
	struct work w = {
		.s = s, .x = soft_ctx_get(s, c->decrypt), .c = c, .assoc = f->src, .in = f->src + c->assoc_len,
		.out = f->dst + c->assoc_len, .len = f->len - c->assoc_len,
	};
	int ret;

	if (!w.x)
		return -ENOMEM;
	if (f->dst != f->src && c->assoc_len)
		memcpy(f->dst, f->src, c->assoc_len);
	switch (s->alg->sec.kind) {
	case SEC_KIND_GCM:
		ret = gcm(&w);
		break;
	case SEC_KIND_CCM:
		ret = ccm(&w);
		break;
	default:
		ret = authenc(&w);
	}
	soft_ctx_put(w.x);
	if (ret)
		c->why = ret == -EBADMSG ? "the tag is wrong" : ret == -EFBIG ?
			 "the request is longer than libcrypto's limit" : "libcrypto refused the request";
	return ret;
}

static int aead_exec(struct wd_msg *m)
{
	struct crypto_msg *c = to_crypto_msg(m);
	struct soft_flat f;

	m->path = WD_PATH_SOFT;
	c->consumed = c->src_len;
	c->produced = c->src_len;
	m->status = soft_flat_begin(&f, c, true);
	if (m->status)
		return m->status;
	m->status = aead_flat(to_crypto_sess(m->sess), c, &f);
	soft_flat_end(&f, c, !m->status);
	return m->status;
}

const struct wd_driver soft_aead_driver = {
	.name = "soft",
	.begin = soft_libcrypto_begin,
	.exec = aead_exec,
};
