// SPDX-License-Identifier: Apache-2.0
/* Authenticated encryption: its table, keys and tags, and checks of a request. */
#include <errno.h>
#include <string.h>

#include "aead.h"
#include "evp.h"
#include "hw/sec_hw.h"
#include "request/frame.h"
#include "stream.h"

#define CCM_NONCE_MIN	7
#define CCM_NONCE_MAX	13

/**
 * struct aead_alg - a row
 * @tag:	length of a whole tag
 * @block:	block size of the hash
 */
struct aead_alg {
	struct crypto_alg a;
	__u8 calg;
	__u8 cmode;
	__u8 dalg;
	__u8 tag;
	__u8 block;
};

#define TAGGED(name_, c, mode, evp_) \
	{ { .name = name_, .sec = { .kind = SEC_KIND_##mode, .c_alg = SEC_C_##c, .c_mode = SEC_C_##mode }, \
	    .evp = evp_ }, \
	  WD_CIPHER_##c, WD_CIPHER_##mode, 0, 16, 0 }
#define AUTHENC(hmac, cipher, c, evp_, a, md, tag, block) \
	{ { .name = "authenc(" hmac "," cipher ")", \
	    .sec = { .kind = SEC_KIND_AUTHENC, .c_alg = SEC_C_##c, .c_mode = SEC_C_CBC, .a_alg = SEC_A_HMAC_##a }, \
	    .evp = evp_, .evp_md = md }, \
	  WD_CIPHER_##c, WD_CIPHER_CBC, WD_DIGEST_##a, tag, block }

static const struct aead_alg aead_rows[] = {
	TAGGED("gcm(aes)", AES, GCM, "AES-%u-GCM"),
	TAGGED("ccm(aes)", AES, CCM, "AES-%u-CCM"),
	TAGGED("gcm(sm4)", SM4, GCM, "SM4-GCM"),
	TAGGED("ccm(sm4)", SM4, CCM, "SM4-CCM"),
	AUTHENC("hmac(sha1)", "cbc(aes)", AES, "AES-%u-CBC", SHA1, "SHA1", 20, 64),
	AUTHENC("hmac(sha256)", "cbc(aes)", AES, "AES-%u-CBC", SHA256, "SHA2-256", 32, 64),
	AUTHENC("hmac(sha512)", "cbc(aes)", AES, "AES-%u-CBC", SHA512, "SHA2-512", 64, 128),
	AUTHENC("hmac(sm3)", "cbc(aes)", AES, "AES-%u-CBC", SM3, "SM3", 32, 64),
	AUTHENC("hmac(sha1)", "cbc(sm4)", SM4, "SM4-CBC", SHA1, "SHA1", 20, 64),
	AUTHENC("hmac(sha256)", "cbc(sm4)", SM4, "SM4-CBC", SHA256, "SHA2-256", 32, 64),
	AUTHENC("hmac(sha512)", "cbc(sm4)", SM4, "SM4-CBC", SHA512, "SHA2-512", 64, 128),
	AUTHENC("hmac(sm3)", "cbc(sm4)", SM4, "SM4-CBC", SM3, "SM3", 32, 64),
};

static const struct aead_alg *row_of(const struct crypto_sess *s)
{
	return (const struct aead_alg *)s->alg;
}

/* --- requests --- */

int aead_check_iv(struct crypto_sess *s, const struct wd_aead_arg *arg)
{
	struct wd_object *obj = &s->s.obj;
	__u32 len = arg->iv_len;
	bool good;

	switch (row_of(s)->cmode) {
	case WD_CIPHER_GCM:
		if (len > AEAD_IV_MAX)
			return wd_fail_num(obj, EOPNOTSUPP, "iv_len is %u: the limit is %u", len, AEAD_IV_MAX);
		good = len;
		break;
	case WD_CIPHER_CCM:
		good = len >= CCM_NONCE_MIN && len <= CCM_NONCE_MAX;
		break;
	default:
		good = len == CRYPTO_IV_MAX;
	}
	if (!good)
		return wd_fail_all(obj, EINVAL, "iv_len is %u: %s has no iv of this length", s->alg->name, len, 0);
	return arg->iv ? 0 : wd_fail(obj, EINVAL, "arg->iv is NULL");
}

int aead_check_op(struct crypto_sess *s, const struct wd_aead_arg *arg)
{
	return arg->op <= WD_CIPHER_DECRYPTION ? 0 :
	       wd_fail_num(&s->s.obj, EINVAL, "arg->op %u is unknown", arg->op, 0);
}

int aead_check_mac(struct crypto_sess *s, const struct wd_aead_arg *arg)
{
	struct wd_object *obj = &s->s.obj;
	bool decrypt = arg->op == WD_CIPHER_DECRYPTION;

	if (!arg->mac)
		return wd_fail(obj, EINVAL, "arg->mac is NULL");
	if (arg->mac_len < s->mac_len || (decrypt && arg->mac_len != s->mac_len))
		return wd_fail_num(obj, EINVAL, "mac_len is %u, and the session's tags have %u bytes", arg->mac_len,
				   s->mac_len);
	if (!s->sgl && (uintptr_t)arg->mac < (uintptr_t)arg->dst + arg->src_len &&
	    (uintptr_t)arg->dst < (uintptr_t)arg->mac + s->mac_len)
		return wd_fail(obj, EINVAL, "the tag at arg->mac lies in dst");
	return 0;
}

static int check_lengths(struct crypto_sess *s, const struct wd_aead_arg *arg)
{
	struct wd_object *obj = &s->s.obj;
	size_t len = arg->src_len - arg->assoc_len;
	__u32 field = CRYPTO_IV_MAX - 1 - arg->iv_len;

	if (arg->assoc_len > arg->src_len)
		return wd_fail_num(obj, EINVAL, "assoc_len %u is above src_len %u", arg->assoc_len, arg->src_len);
	switch (row_of(s)->cmode) {
	case WD_CIPHER_CBC:
		if (len % CRYPTO_IV_MAX)
			return wd_fail_all(obj, EINVAL, "%u bytes of data: %s takes whole blocks of %u bytes",
					   s->alg->name, len, CRYPTO_IV_MAX);
		break;
	case WD_CIPHER_CCM:
		if (field < sizeof(len) && len >> 8 * field)
			return wd_fail_num(obj, EINVAL, "%u bytes of data are too many for a nonce of %u bytes", len,
					   arg->iv_len);
		break;
	}
	return 0;
}

/* Checks for requests that no device takes, and software may not do. */
static int check_device(struct crypto_sess *s, const struct wd_aead_arg *arg)
{
	struct wd_object *obj = &s->s.obj;
	__u8 mode = row_of(s)->cmode;

	if (s->s.soft_ok)
		return 0;
	if (mode == WD_CIPHER_GCM && arg->iv_len != GCM_IV_BYTES)
		return wd_fail_num(obj, EOPNOTSUPP, "devices take an iv of %u bytes only, not of %u", GCM_IV_BYTES,
				   arg->iv_len);
	if (mode == WD_CIPHER_CBC ? arg->src_len == arg->assoc_len : !arg->src_len)
		return wd_fail_str(obj, EOPNOTSUPP, "devices don't compute %s without data", s->alg->name);
	if (arg->assoc_len > (mode == WD_CIPHER_CCM ? SEC_MAX_CCM_AAD : SEC_MAX_AAD))
		return wd_fail_num(obj, EOPNOTSUPP, "assoc_len %u is more than devices take", arg->assoc_len, 0);
	return 0;
}

static int aead_check(struct wd_session *base, const void *req, int call)
{
	struct crypto_sess *s = to_crypto_sess(base);
	const struct wd_aead_arg *arg = req;
	int ret = wd_frame_check_end(&s->s, arg->cb, arg->flags, arg->reserved);

	(void)call;
	if (!ret)
		ret = crypto_check_keys(s);
	if (!ret)
		ret = aead_check_iv(s, arg);
	if (!ret)
		ret = check_lengths(s, arg);
	if (!ret)
		ret = crypto_check_ends(s, arg->src, arg->src_len, arg->dst, arg->dst_len, arg->src_len);
	if (!ret)
		ret = aead_check_op(s, arg);
	if (!ret)
		ret = aead_check_mac(s, arg);
	if (!ret)
		ret = crypto_check_pair(s, arg->src, arg->dst, arg->src_len);
	return ret ? ret : check_device(s, arg);
}

static void aead_refill(struct wd_session *s, void *req, __u32 aux, struct wd_msg *m)
{
	struct crypto_msg *c = crypto_msg_begin(s, req, m);
	const struct wd_aead_arg *arg = req;

	(void)aux;
	c->iv = arg->iv;
	c->iv_len = arg->iv_len;
	c->decrypt = arg->op == WD_CIPHER_DECRYPTION;
	c->mac = arg->mac;
	c->mac_len = to_crypto_sess(s)->mac_len;
	c->assoc_len = arg->assoc_len;
}

static __u32 aead_opcode(const struct wd_session *s, const void *req)
{
	const struct wd_aead_arg *arg = req;

	(void)s;
	return arg->op == WD_CIPHER_DECRYPTION ? WD_WC_DECRYPT : WD_WC_ENCRYPT;
}

/* --- sessions --- */

static const struct aead_alg *row_find(const struct wd_aead_sess_setup *setup)
{
	unsigned int i;

	for (i = 0; i < sizeof(aead_rows) / sizeof(aead_rows[0]); i++)
		if (aead_rows[i].calg == setup->calg && aead_rows[i].cmode == setup->cmode &&
		    aead_rows[i].dalg == setup->dalg)
			return &aead_rows[i];
	return NULL;
}

static int setup_check(const struct wd_aead_sess_setup *setup, struct wd_session_attr *attr)
{
	if (!setup)
		return wd_fail(NULL, EINVAL, "setup is NULL");
	if (setup->calg > WD_CIPHER_3DES)
		return wd_fail_num(NULL, EINVAL, "setup->calg %u is unknown", setup->calg, 0);
	if (setup->cmode > WD_CIPHER_GCM)
		return wd_fail_num(NULL, EINVAL, "setup->cmode %u is unknown", setup->cmode, 0);
	if (setup->dalg > WD_DIGEST_SHA512_256)
		return wd_fail_num(NULL, EINVAL, "setup->dalg %u is unknown", setup->dalg, 0);
	if (setup->dmode != (setup->cmode == WD_CIPHER_CBC ? WD_DIGEST_HMAC : 0))
		return wd_fail_num(NULL, EINVAL, "setup->dmode %u doesn't go with setup->cmode %u", setup->dmode,
				   setup->cmode);
	if (setup->reserved8)
		return wd_fail(NULL, EINVAL, "setup->reserved8 is not 0");
	if (!row_find(setup))
		return wd_fail_all(NULL, EOPNOTSUPP, "setup->calg %u doesn't go with cmode %u and this dalg", NULL,
				   setup->calg, setup->cmode);
	return wd_frame_attr(attr, setup->op_type, setup->data_fmt, setup->flags, setup->timeout_ms, setup->cq,
			     setup->reserved);
}

handle_t wd_aead_alloc_sess(const struct wd_aead_sess_setup *setup, const wd_dev_mask_t *dev_mask)
{
	struct wd_session_attr attr = { .mask = dev_mask };
	const struct aead_alg *row;
	struct crypto_sess *s;
	int ret = setup_check(setup, &attr);

	if (ret)
		return wd_no_handle(ret);
	row = row_find(setup);
	s = crypto_sess_alloc(&aead_class, &attr, &row->a, setup->data_fmt);
	if (!s)
		return 0;
	s->needs = row->cmode == WD_CIPHER_CBC ? CRYPTO_HAS_KEY | CRYPTO_HAS_AKEY : CRYPTO_HAS_KEY;
	/* CCM: part of a context's preparation, and set when a request has chosen it. */
	s->iv_len = row->cmode == WD_CIPHER_GCM ? GCM_IV_BYTES : row->cmode == WD_CIPHER_CCM ? 0 : CRYPTO_IV_MAX;
	s->granule = row->cmode == WD_CIPHER_CBC ? CRYPTO_IV_MAX : 1;
	s->mac_len = row->tag;
	s->block = row->block;
	return crypto_sess_ready(s, !soft_evp_alloc(s, row->a.evp_md, row->a.evp_md ? "HMAC" : NULL, 128));
}

int wd_aead_free_sess(handle_t sess)
{
	return crypto_strm_sess_free(sess, &aead_class);
}

int wd_aead_set_ckey(handle_t sess, const __u8 *key, __u32 key_len)
{
	struct crypto_sess *s;
	int ret;

	s = to_crypto_sess(wd_frame_key_begin(sess, &aead_class, key, &ret));
	if (!s)
		return ret;
	if (key_len != 16 && (row_of(s)->calg != WD_CIPHER_AES || (key_len != 24 && key_len != 32)))
		return wd_fail_all(&s->s.obj, EINVAL, "%s has no key of %u bytes", s->alg->name, key_len, 0);
	ret = crypto_strm_check(s);
	return ret ? ret : crypto_key_put(s, CRYPTO_HAS_KEY, key, key_len);
}

int wd_aead_set_akey(handle_t sess, const __u8 *key, __u32 key_len)
{
	struct crypto_sess *s;
	int ret;

	s = to_crypto_sess(wd_frame_key_begin(sess, &aead_class, key, &ret));
	if (!s)
		return ret;
	if (!(s->needs & CRYPTO_HAS_AKEY))
		return wd_fail_str(&s->s.obj, EINVAL, "%s has no key of its own for authentication", s->alg->name);
	return crypto_akey_put(s, key, key_len);
}

static bool tag_size_good(const struct aead_alg *row, __u32 n)
{
	if (n < 4 || n > row->tag)
		return false;
	switch (row->cmode) {
	case WD_CIPHER_GCM:
		return n == 4 || n == 8 || n >= 12;
	case WD_CIPHER_CCM:
		return !(n % 2);
	}
	return !(n % 4);
}

int wd_aead_set_authsize(handle_t sess, __u32 authsize)
{
	struct crypto_sess *s;
	__u8 before;
	int ret;

	s = to_crypto_sess(wd_frame_key_begin(sess, &aead_class, "", &ret));
	if (!s)
		return ret;
	if (!tag_size_good(row_of(s), authsize))
		return wd_fail_all(&s->s.obj, EINVAL, "%s has no tag of %u bytes", s->alg->name, authsize, 0);
	ret = crypto_strm_check(s);
	if (ret)
		return ret;
	before = s->mac_len;
	s->mac_len = (__u8)authsize;
	ret = crypto_changed(s);
	if (ret) {
		s->mac_len = before;
		sec_session(s);
	}
	return ret;
}

int wd_aead_get_authsize(handle_t sess)
{
	struct wd_session *s = wd_session_get(sess, &aead_class);

	return s ? to_crypto_sess(s)->mac_len : -EINVAL;
}

int wd_aead_get_maxauthsize(handle_t sess)
{
	struct wd_session *s = wd_session_get(sess, &aead_class);

	return s ? row_of(to_crypto_sess(s))->tag : -EINVAL;
}

int wd_aead_sess_caps(handle_t sess)
{
	int caps = crypto_sess_caps(sess, &aead_class);

	if (caps < 0 || caps & WD_CAP_ASYNC ||
	    row_of(to_crypto_sess(wd_session_get(sess, &aead_class)))->cmode != WD_CIPHER_GCM)
		return caps;
	return caps | WD_CAP_STREAM;
}

/* --- calls --- */

FRAME_SYNC(wd_aead, aead_class)
FRAME_PUBLIC(wd_aead, aead_class)

static const char *const aead_algs[] = { "aead", NULL };
static const struct wd_driver *const aead_drivers[] = { &hisi_aead_driver, &hisi_aead_v2_driver, NULL };

const struct wd_class aead_class = {
	.name = "AEAD",
	.kind = WD_KIND_AEAD,
	.what = "an AEAD session",
	.algs = aead_algs,
	.drivers = aead_drivers,
	.soft = &soft_aead_driver,
	CRYPTO_CLASS(wd_aead),
	.check = aead_check,
	.refill = aead_refill,
	.run = crypto_run,
	.opcode = aead_opcode,
};
