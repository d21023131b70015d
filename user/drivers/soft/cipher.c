// SPDX-License-Identifier: Apache-2.0
/* Block ciphers on the software path. */
#include <errno.h>

#include "base/likely.h"
#include "cipher.h"
#include "evp.h"
#include "libcrypto.h"

static int cipher_flat(struct crypto_sess *s, struct crypto_msg *c, const struct soft_flat *f)
{
	struct soft_ctx *x = soft_ctx_get(s, c->decrypt);
	bool good;

	if (!x)
		return -ENOMEM;
	good = (!c->iv_len || EVP_CipherInit_ex(x->cipher, NULL, NULL, NULL, c->iv, -1)) &&
	       soft_cipher_update(x->cipher, f->dst, f->src, f->len);
	soft_ctx_put(x);
	if (!good)
		c->why = "libcrypto refused the request";
	return good ? 0 : -EIO;
}

/* For ciphertext stealing libcrypto needs the whole data at once, and its length in an int. */
static bool too_much(const struct crypto_sess *s, const struct crypto_msg *c)
{
	return s->alg->sec.c_width && c->src_len > SOFT_UPDATE_MAX;
}

static int cipher_exec(struct wd_msg *m)
{
	struct crypto_msg *c = to_crypto_msg(m);
	struct soft_flat f;

	m->path = WD_PATH_SOFT;
	if (unlikely(too_much(to_crypto_sess(m->sess), c))) {
		c->why = "the request is longer than libcrypto's limit";
		return m->status = -EFBIG;
	}
	m->status = soft_flat_begin(&f, c, true);
	if (m->status)
		return m->status;
	m->status = cipher_flat(to_crypto_sess(m->sess), c, &f);
	soft_flat_end(&f, c, !m->status);
	c->consumed = c->src_len;
	c->produced = c->src_len;
	return m->status;
}

const struct wd_driver soft_cipher_driver = {
	.name = "soft",
	.begin = soft_libcrypto_begin,
	.exec = cipher_exec,
};
