// SPDX-License-Identifier: Apache-2.0
/* Hashes and HMACs on the software path. */
#include <errno.h>
#include <string.h>

#include "base/likely.h"
#include "digest.h"
#include "evp.h"
#include "libcrypto.h"

bool soft_digest_begin(struct soft_ctx *x)
{
	return x->mac ? EVP_MAC_init(x->mac, NULL, 0, NULL) : EVP_DigestInit_ex(x->md, NULL, NULL);
}

bool soft_digest_add(struct soft_ctx *x, const void *data, size_t len)
{
	return x->mac ? EVP_MAC_update(x->mac, data, len) : EVP_DigestUpdate(x->md, data, len);
}

static bool digest_final(struct soft_ctx *x, __u8 *mac)
{
	unsigned int n;
	size_t len;

	return x->mac ? EVP_MAC_final(x->mac, mac, &len, CRYPTO_MAC_MAX) : EVP_DigestFinal_ex(x->md, mac, &n);
}

bool soft_digest_end(struct soft_ctx *x, __u8 *mac, __u32 mac_len)
{
	__u8 whole[CRYPTO_MAC_MAX];
	bool good;

	if (likely(mac_len == x->mac_len))
		return digest_final(x, mac);
	good = digest_final(x, whole);
	memcpy(mac, whole, good ? mac_len : 0);
	/* The bytes beyond a truncated result must not stay in memory. */
	explicit_bzero(whole, sizeof(whole));
	return good;
}

static bool digest_flat(struct soft_ctx *x, const struct crypto_msg *c, const struct soft_flat *f)
{
	return soft_digest_begin(x) && soft_digest_add(x, f->src, f->len) && soft_digest_end(x, c->mac, c->mac_len);
}

static int digest_exec(struct wd_msg *m)
{
	struct crypto_sess *s = to_crypto_sess(m->sess);
	struct crypto_msg *c = to_crypto_msg(m);
	struct soft_ctx *x;
	struct soft_flat f;

	m->path = WD_PATH_SOFT;
	c->consumed = c->src_len;
	c->produced = c->mac_len;
	m->status = soft_flat_begin(&f, c, false);
	if (m->status)
		return m->status;
	x = soft_ctx_get(s, false);
	m->status = !x ? -ENOMEM : digest_flat(x, c, &f) ? 0 : -EIO;
	if (x)
		soft_ctx_put(x);
	soft_flat_end(&f, c, false);
	return m->status;
}

const struct wd_driver soft_digest_driver = {
	.name = "soft",
	.begin = soft_libcrypto_begin,
	.exec = digest_exec,
};
