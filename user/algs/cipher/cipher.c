// SPDX-License-Identifier: Apache-2.0
/* Block ciphers: their table, checks of a request, and work before and after a descriptor. */
#include <errno.h>
#include <string.h>

#include "cipher.h"
#include "evp.h"
#include "hw/sec_hw.h"
#include "request/frame.h"

static const struct wd_class cipher_class;

#define XTS_MAX_BYTES	(16u << 20)	/* of a data unit: 2^20 blocks */

/* A set of key lengths, one bit per 8 bytes. */
#define K(bytes)	(1u << (bytes) / 8)

/**
 * struct cipher_alg - a row
 * @keys:	K() of the valid lengths; for XTS of both halves together
 * @granule:	length of data is a multiple of it
 * @least:	smallest length of data; 0: an empty request is valid
 */
struct cipher_alg {
	struct crypto_alg a;
	__u8 alg;
	__u8 mode;
	__u8 iv_len;
	__u8 granule;
	__u8 least;
	__u16 keys;
};

#define SEC(c, m, w)	.sec = { .kind = SEC_KIND_CIPHER, .c_alg = SEC_C_##c, .c_mode = SEC_C_##m, .c_width = w }
#define AES_KEYS	(K(16) | K(24) | K(32))

static const struct cipher_alg cipher_rows[] = {
	{ { "ecb(aes)", SEC(AES, ECB, 0), .evp = "AES-%u-ECB" }, WD_CIPHER_AES, WD_CIPHER_ECB, 0, 16, 0, AES_KEYS },
	{ { "cbc(aes)", SEC(AES, CBC, 0), .evp = "AES-%u-CBC" }, WD_CIPHER_AES, WD_CIPHER_CBC, 16, 16, 0, AES_KEYS },
	{ { "ctr(aes)", SEC(AES, CTR, 0), .evp = "AES-%u-CTR" }, WD_CIPHER_AES, WD_CIPHER_CTR, 16, 1, 0, AES_KEYS },
	{ { "ofb(aes)", SEC(AES, OFB, 0), .evp = "AES-%u-OFB" }, WD_CIPHER_AES, WD_CIPHER_OFB, 16, 1, 0, AES_KEYS },
	{ { "cfb(aes)", SEC(AES, CFB, 0), .evp = "AES-%u-CFB" }, WD_CIPHER_AES, WD_CIPHER_CFB, 16, 1, 0, AES_KEYS },
	{ { "xts(aes)", SEC(AES, XTS, 0), .evp = "AES-%u-XTS" },
	  WD_CIPHER_AES, WD_CIPHER_XTS, 16, 1, 16, K(32) | K(64) },
	{ { "cbc-cs1(aes)", SEC(AES, CBC_CS, SEC_C_WIDTH_CS1), .evp = "AES-%u-CBC-CTS" },
	  WD_CIPHER_AES, WD_CIPHER_CBC_CS1, 16, 1, 16, AES_KEYS },
	{ { "cbc-cs2(aes)", SEC(AES, CBC_CS, SEC_C_WIDTH_CS2), .evp = "AES-%u-CBC-CTS" },
	  WD_CIPHER_AES, WD_CIPHER_CBC_CS2, 16, 1, 16, AES_KEYS },
	{ { "cbc-cs3(aes)", SEC(AES, CBC_CS, SEC_C_WIDTH_CS3), .evp = "AES-%u-CBC-CTS" },
	  WD_CIPHER_AES, WD_CIPHER_CBC_CS3, 16, 1, 16, AES_KEYS },
	{ { "ecb(sm4)", SEC(SM4, ECB, 0), .evp = "SM4-ECB" }, WD_CIPHER_SM4, WD_CIPHER_ECB, 0, 16, 0, K(16) },
	{ { "cbc(sm4)", SEC(SM4, CBC, 0), .evp = "SM4-CBC" }, WD_CIPHER_SM4, WD_CIPHER_CBC, 16, 16, 0, K(16) },
	{ { "ctr(sm4)", SEC(SM4, CTR, 0), .evp = "SM4-CTR" }, WD_CIPHER_SM4, WD_CIPHER_CTR, 16, 1, 0, K(16) },
	{ { "ofb(sm4)", SEC(SM4, OFB, 0), .evp = "SM4-OFB" }, WD_CIPHER_SM4, WD_CIPHER_OFB, 16, 1, 0, K(16) },
	{ { "cfb(sm4)", SEC(SM4, CFB, 0), .evp = "SM4-CFB" }, WD_CIPHER_SM4, WD_CIPHER_CFB, 16, 1, 0, K(16) },
	{ { "xts(sm4)", SEC(SM4, XTS, 0) }, WD_CIPHER_SM4, WD_CIPHER_XTS, 16, 1, 16, K(32) },
	{ { "cbc-cs1(sm4)", SEC(SM4, CBC_CS, SEC_C_WIDTH_CS1) }, WD_CIPHER_SM4, WD_CIPHER_CBC_CS1, 16, 1, 16, K(16) },
	{ { "cbc-cs2(sm4)", SEC(SM4, CBC_CS, SEC_C_WIDTH_CS2) }, WD_CIPHER_SM4, WD_CIPHER_CBC_CS2, 16, 1, 16, K(16) },
	{ { "cbc-cs3(sm4)", SEC(SM4, CBC_CS, SEC_C_WIDTH_CS3) }, WD_CIPHER_SM4, WD_CIPHER_CBC_CS3, 16, 1, 16, K(16) },
	{ { "ecb(des3_ede)", SEC(3DES, ECB, 0), .evp = "DES-EDE3-ECB" },
	  WD_CIPHER_3DES, WD_CIPHER_ECB, 0, 8, 0, K(16) | K(24) },
	{ { "cbc(des3_ede)", SEC(3DES, CBC, 0), .evp = "DES-EDE3-CBC" },
	  WD_CIPHER_3DES, WD_CIPHER_CBC, 8, 8, 0, K(16) | K(24) },
};

static const struct cipher_alg *row_of(const struct crypto_sess *s)
{
	return (const struct cipher_alg *)s->alg;
}

/* --- requests --- */

static int refuse_length(struct crypto_sess *s, size_t len)
{
	const struct cipher_alg *row = row_of(s);
	struct wd_object *obj = &s->s.obj;

	if (len % row->granule)
		return wd_fail_all(obj, EINVAL, "src_len %u: %s takes whole blocks of %u bytes", row->a.name, len,
				   row->granule);
	return wd_fail_all(obj, EINVAL, "src_len %u: %s takes at least %u bytes", row->a.name, len, row->least);
}

static int refuse_chain(struct crypto_sess *s, const struct wd_cipher_arg *arg)
{
	struct wd_object *obj = &s->s.obj;
	__u8 mode = row_of(s)->mode;

	if (s->s.attr.async)
		return wd_fail(obj, EINVAL, "WD_CIPHER_CHAIN: asynchronous requests can't be chained");
	if (mode != WD_CIPHER_CBC && mode != WD_CIPHER_CTR && mode != WD_CIPHER_OFB && mode != WD_CIPHER_CFB)
		return wd_fail_str(obj, EINVAL, "WD_CIPHER_CHAIN: requests of %s can't be chained", s->alg->name);
	if (arg->src_len % s->iv_len)
		return wd_fail_num(obj, EINVAL, "WD_CIPHER_CHAIN: src_len %u ends within a block", arg->src_len, 0);
	return 0;
}

static int check_iv(struct crypto_sess *s, const struct wd_cipher_arg *arg)
{
	struct wd_object *obj = &s->s.obj;

	if (arg->op > WD_CIPHER_DECRYPTION)
		return wd_fail_num(obj, EINVAL, "arg->op %u is unknown", arg->op, 0);
	if (arg->iv_len != s->iv_len)
		return wd_fail_all(obj, EINVAL, "iv_len is %u: %s has an iv of %u bytes", s->alg->name, arg->iv_len,
				   s->iv_len);
	if (!arg->iv && s->iv_len)
		return wd_fail(obj, EINVAL, "arg->iv is NULL");
	return 0;
}

static int cipher_check(struct wd_session *base, const void *req, int call)
{
	struct crypto_sess *s = to_crypto_sess(base);
	const struct wd_cipher_arg *arg = req;
	int ret = wd_frame_check_end(&s->s, arg->cb, arg->flags & ~WD_CIPHER_CHAIN, arg->reserved);

	(void)call;
	if (!ret)
		ret = crypto_check_keys(s);
	if (!ret)
		ret = check_iv(s, arg);
	if (!ret && !cipher_fits(s, arg->src_len))
		ret = refuse_length(s, arg->src_len);
	if (!ret && row_of(s)->mode == WD_CIPHER_XTS && arg->src_len > XTS_MAX_BYTES)
		ret = wd_fail_num(&s->s.obj, EINVAL, "src_len %u is above %u, an XTS data unit's limit", arg->src_len,
				  XTS_MAX_BYTES);
	if (!ret)
		ret = crypto_check_ends(s, arg->src, arg->src_len, arg->dst, arg->dst_len, arg->src_len);
	if (!ret)
		ret = crypto_check_pair(s, arg->src, arg->dst, arg->src_len);
	if (!ret && arg->flags & WD_CIPHER_CHAIN)
		ret = refuse_chain(s, arg);
	return ret;
}

static void cipher_refill(struct wd_session *s, void *req, __u32 aux, struct wd_msg *m)
{
	struct crypto_msg *c = crypto_msg_begin(s, req, m);
	const struct wd_cipher_arg *arg = req;

	(void)aux;
	c->iv = arg->iv;
	c->iv_len = arg->iv_len;
	c->decrypt = arg->op == WD_CIPHER_DECRYPTION;
	c->mac = NULL;
	c->mac_len = 0;
	c->assoc_len = 0;
}

/* --- chains, and requests larger than a descriptor --- */

static void counter_add(__u8 *ctr, __u64 n)
{
	int i;

	for (i = CIPHER_BLOCK - 1; i >= 0 && n; i--) {
		n += ctr[i];
		ctr[i] = (__u8)n;
		n >>= 8;
	}
}

static void last_block(bool sgl, const void *buf, size_t len, __u8 *to, size_t n)
{
	if (sgl)
		wd_list_copy_out(buf, len - n, to, n);
	else
		memcpy(to, (const __u8 *)buf + len - n, n);
}

/*
 * The iv of a following request. The last block of src is saved before the request, because an in-place request
 * overwrites it.
 */
struct next_iv {
	__u8 src[CRYPTO_IV_MAX];
	__u8 iv[CRYPTO_IV_MAX];
};

static void next_iv_before(struct next_iv *next, const struct crypto_msg *c)
{
	last_block(c->sgl, c->src, c->src_len, next->src, c->iv_len);
	memcpy(next->iv, c->iv, c->iv_len);
}

static void next_iv_after(struct next_iv *next, const struct crypto_sess *s, const struct crypto_msg *c)
{
	__u8 dst[CRYPTO_IV_MAX];
	__u32 i;

	if (row_of(s)->mode == WD_CIPHER_CTR) {
		counter_add(next->iv, c->src_len / CIPHER_BLOCK);
		return;
	}
	last_block(c->sgl, c->dst, c->src_len, dst, c->iv_len);
	for (i = 0; i < c->iv_len; i++)
		next->iv[i] = row_of(s)->mode == WD_CIPHER_OFB ? next->src[i] ^ dst[i] :
			      c->decrypt ? next->src[i] : dst[i];
	explicit_bzero(dst, sizeof(dst));
}

/* Whether a device can do a too large request in pieces. */
static bool may_cut(const struct crypto_sess *s, const struct crypto_msg *c)
{
	__u8 mode = row_of(s)->mode;

	return c->src_len > CRYPTO_MAX_BYTES && !c->sgl && mode <= WD_CIPHER_CFB && mode != WD_CIPHER_XTS;
}

/* Does the pieces one after the other; each continues the one before. */
static int do_pieces(struct crypto_sess *s, struct crypto_msg *c)
{
	const __u8 *iv = c->iv, *src = c->src;
	__u8 *dst = c->dst;
	size_t left = c->src_len;
	struct next_iv next;
	int ret = 0;

	/* The software path reads the last block of each piece. */
	if (c->iv_len && !wd_probe(WD_PROBE_RECENT, false, src, left))
		return -EFAULT;
	if (c->iv_len)
		memcpy(next.iv, iv, c->iv_len);
	for (; left && !ret; left -= c->src_len) {
		c->m.redo = WD_REDO;
		c->src = src;
		c->dst = dst;
		c->src_len = left < CRYPTO_MAX_BYTES ? left : CRYPTO_MAX_BYTES;
		c->dst_len = c->src_len;
		c->iv = next.iv;
		if (c->iv_len && c->src_len < left)
			last_block(false, src, c->src_len, next.src, c->iv_len);
		ret = crypto_run(&s->s, &c->m);
		if (!ret && c->iv_len && c->src_len < left)
			next_iv_after(&next, s, c);
		src += c->src_len;
		dst += c->src_len;
	}
	/* It may hold plaintext, and for OFB key stream. */
	explicit_bzero(&next, sizeof(next));
	c->iv = iv;
	return ret;
}

static int do_whole(struct crypto_sess *s, struct crypto_msg *c)
{
	size_t len = c->src_len;
	__u16 path, reason;
	int ret;

	if (!len)
		return crypto_do_nothing(s, c);
	if (!may_cut(s, c) || wd_session_soft(&s->s, len, &path, &reason))
		return crypto_run(&s->s, &c->m);
	ret = do_pieces(s, c);
	c->consumed = len;
	c->produced = len;
	return ret;
}

static int cipher_run(struct wd_session *base, struct wd_msg *m)
{
	struct crypto_sess *s = to_crypto_sess(base);
	struct crypto_msg *c = to_crypto_msg(m);
	struct wd_cipher_arg *arg = m->req;
	bool chain = arg->flags & WD_CIPHER_CHAIN && arg->src_len;
	struct next_iv next;
	struct crypto_msg whole;
	int ret;

	if (!chain)
		return do_whole(s, c);
	if (!wd_probe(WD_PROBE_RECENT, c->sgl, c->src, c->src_len))
		return -EFAULT;
	next_iv_before(&next, c);
	whole = *c;
	ret = do_whole(s, c);
	if (!ret) {
		next_iv_after(&next, s, &whole);
		memcpy(arg->iv, next.iv, arg->iv_len);
	}
	explicit_bzero(&next, sizeof(next));
	return ret;
}

static __u32 cipher_opcode(const struct wd_session *s, const void *req)
{
	const struct wd_cipher_arg *arg = req;

	(void)s;
	return arg->op == WD_CIPHER_DECRYPTION ? WD_WC_DECRYPT : WD_WC_ENCRYPT;
}

/* --- sessions --- */

static const struct cipher_alg *row_find(__u8 alg, __u8 mode)
{
	unsigned int i;

	for (i = 0; i < sizeof(cipher_rows) / sizeof(cipher_rows[0]); i++)
		if (cipher_rows[i].alg == alg && cipher_rows[i].mode == mode)
			return &cipher_rows[i];
	return NULL;
}

static int setup_check(const struct wd_cipher_sess_setup *setup, struct wd_session_attr *attr)
{
	if (!setup)
		return wd_fail(NULL, EINVAL, "setup is NULL");
	if (setup->alg > WD_CIPHER_3DES)
		return wd_fail_num(NULL, EINVAL, "setup->alg %u is unknown", setup->alg, 0);
	if (setup->mode > WD_CIPHER_GCM)
		return wd_fail_num(NULL, EINVAL, "setup->mode %u is unknown", setup->mode, 0);
	if (setup->reserved8 || setup->reserved16)
		return wd_fail(NULL, EINVAL, "setup->reserved8 or reserved16 is not 0");
	if (!row_find(setup->alg, setup->mode))
		return wd_fail_num(NULL, EOPNOTSUPP, "setup->mode %u is not supported with setup->alg %u", setup->mode,
				   setup->alg);
	return wd_frame_attr(attr, setup->op_type, setup->data_fmt, setup->flags, setup->timeout_ms, setup->cq,
			     setup->reserved);
}

handle_t wd_cipher_alloc_sess(const struct wd_cipher_sess_setup *setup, const wd_dev_mask_t *dev_mask)
{
	struct wd_session_attr attr = { .mask = dev_mask };
	const struct cipher_alg *row;
	struct crypto_sess *s;
	int ret = setup_check(setup, &attr);

	if (ret)
		return wd_no_handle(ret);
	row = row_find(setup->alg, setup->mode);
	s = crypto_sess_alloc(&cipher_class, &attr, &row->a, setup->data_fmt);
	if (!s)
		return 0;
	s->needs = CRYPTO_HAS_KEY;
	s->granule = row->granule;
	s->iv_len = row->iv_len;
	s->block = row->least;
	/* Ciphertext stealing with a single block is plain CBC. */
	s->fast_least = row->a.sec.c_width ? CIPHER_BLOCK + 1 : row->least;
	return crypto_sess_ready(s, !soft_evp_alloc(s, NULL, NULL, row->mode == WD_CIPHER_XTS ? 256 : 128));
}

int wd_cipher_free_sess(handle_t sess)
{
	return crypto_sess_free(sess, &cipher_class);
}

static int key_check(struct crypto_sess *s, const __u8 *key, __u32 len)
{
	const struct cipher_alg *row = row_of(s);

	if (!len || len % 8 || len > CRYPTO_KEY_MAX || !(row->keys & K(len)))
		return wd_fail_all(&s->s.obj, EINVAL, "%s has no key of %u bytes", row->a.name, len, 0);
	if (row->mode == WD_CIPHER_XTS && !memcmp(key, key + len / 2, len / 2))
		return wd_fail(&s->s.obj, EINVAL, "the halves of the XTS key are equal");
	return 0;
}

int wd_cipher_set_key(handle_t sess, const __u8 *key, __u32 key_len)
{
	struct crypto_sess *s;
	__u8 three[24];
	int ret;

	s = to_crypto_sess(wd_frame_key_begin(sess, &cipher_class, key, &ret));
	if (!s)
		return ret;
	ret = key_check(s, key, key_len);
	if (ret)
		return ret;
	if (row_of(s)->alg != WD_CIPHER_3DES || key_len == sizeof(three))
		return crypto_key_put(s, CRYPTO_HAS_KEY, key, key_len);
	/* A key of two keys: the first is also the third. */
	memcpy(three, key, 16);
	memcpy(three + 16, key, 8);
	ret = crypto_key_put(s, CRYPTO_HAS_KEY, three, sizeof(three));
	explicit_bzero(three, sizeof(three));
	return ret;
}

int wd_cipher_sess_caps(handle_t sess)
{
	return crypto_sess_caps(sess, &cipher_class);
}

/* --- calls --- */

FRAME_SYNC(wd_cipher, cipher_class)
FRAME_PUBLIC(wd_cipher, cipher_class)

static const char *const cipher_algs[] = { "cipher", NULL };
static const struct wd_driver *const cipher_drivers[] = { &hisi_cipher_driver, &hisi_cipher_v2_driver, NULL };

static const struct wd_class cipher_class = {
	.name = "ciphers",
	.kind = WD_KIND_CIPHER,
	.what = "a cipher session",
	.algs = cipher_algs,
	.drivers = cipher_drivers,
	.soft = &soft_cipher_driver,
	CRYPTO_CLASS(wd_cipher),
	.check = cipher_check,
	.refill = cipher_refill,
	.run = cipher_run,
	.opcode = cipher_opcode,
};
