// SPDX-License-Identifier: Apache-2.0
/* Hashes and HMACs: their table, and checks of a request. */
#include <errno.h>
#include <string.h>

#include "digest.h"
#include "evp.h"
#include "hw/sec_hw.h"
#include "request/frame.h"
#include "steps.h"

/**
 * struct digest_alg - a row
 * @bytes:	length of a whole digest
 * @block:	block size of the hash
 * @state:	size of the state between two blocks
 */
struct digest_alg {
	struct crypto_alg a;
	__u8 bytes;
	__u8 block;
	__u8 state;
};

#define ROW(name_, code, md, bytes, block, state) \
	{ { .name = name_, .sec = { .kind = SEC_KIND_DIGEST, .a_alg = SEC_A_##code }, .evp_md = md }, \
	  bytes, block, state }

/* By algorithm and mode. */
static const struct digest_alg digest_rows[][2] = {
	[WD_DIGEST_SM3] = { ROW("sm3", SM3, "SM3", 32, 64, 32), ROW("hmac(sm3)", HMAC_SM3, "SM3", 32, 64, 32) },
	[WD_DIGEST_MD5] = { ROW("md5", MD5, "MD5", 16, 64, 16), ROW("hmac(md5)", HMAC_MD5, "MD5", 16, 64, 16) },
	[WD_DIGEST_SHA1] = { ROW("sha1", SHA1, "SHA1", 20, 64, 20), ROW("hmac(sha1)", HMAC_SHA1, "SHA1", 20, 64, 20) },
	[WD_DIGEST_SHA256] = { ROW("sha256", SHA256, "SHA2-256", 32, 64, 32),
			       ROW("hmac(sha256)", HMAC_SHA256, "SHA2-256", 32, 64, 32) },
	[WD_DIGEST_SHA224] = { ROW("sha224", SHA224, "SHA2-224", 28, 64, 28),
			       ROW("hmac(sha224)", HMAC_SHA224, "SHA2-224", 28, 64, 28) },
	[WD_DIGEST_SHA384] = { ROW("sha384", SHA384, "SHA2-384", 48, 128, 48),
			       ROW("hmac(sha384)", HMAC_SHA384, "SHA2-384", 48, 128, 48) },
	[WD_DIGEST_SHA512] = { ROW("sha512", SHA512, "SHA2-512", 64, 128, 64),
			       ROW("hmac(sha512)", HMAC_SHA512, "SHA2-512", 64, 128, 64) },
	[WD_DIGEST_SHA512_224] = { ROW("sha512/224", SHA512_224, "SHA2-512/224", 28, 128, 28),
				   ROW("hmac(sha512/224)", HMAC_SHA512_224, "SHA2-512/224", 28, 128, 28) },
	[WD_DIGEST_SHA512_256] = { ROW("sha512/256", SHA512_256, "SHA2-512/256", 32, 128, 32),
				   ROW("hmac(sha512/256)", HMAC_SHA512_256, "SHA2-512/256", 32, 128, 32) },
};

/* --- requests --- */

static int digest_check(struct wd_session *base, const void *req, int call)
{
	struct crypto_sess *s = to_crypto_sess(base);
	const struct wd_digest_arg *arg = req;
	int ret = wd_frame_check_end(&s->s, arg->cb, arg->flags, arg->reserved);

	(void)call;
	if (!ret)
		ret = crypto_check_keys(s);
	return ret ? ret : crypto_check_ends(s, arg->src, arg->src_len, arg->dst, arg->dst_len, s->mac_len);
}

static void digest_refill(struct wd_session *s, void *req, __u32 aux, struct wd_msg *m)
{
	struct crypto_msg *c = crypto_msg_begin(s, req, m);
	const struct wd_digest_arg *arg = req;

	(void)aux;
	c->iv = NULL;
	c->iv_len = 0;
	c->decrypt = false;
	c->dst = NULL;
	c->mac = arg->dst;
	c->mac_len = to_crypto_sess(s)->mac_len;
	c->assoc_len = 0;
}

static int digest_run(struct wd_session *s, struct wd_msg *m)
{
	struct crypto_msg *c = to_crypto_msg(m);
	__u16 path, reason;

	if (c->src_len <= CRYPTO_MAX_BYTES || wd_session_soft(s, c->src_len, &path, &reason))
		return crypto_run(s, m);
	return digest_do_long(to_crypto_sess(s), c);
}

static __u32 digest_opcode(const struct wd_session *s, const void *req)
{
	(void)s, (void)req;
	return WD_WC_DIGEST;
}

/* --- sessions --- */

static int setup_check(const struct wd_digest_sess_setup *setup, struct wd_session_attr *attr)
{
	__u8 bytes;

	if (!setup)
		return wd_fail(NULL, EINVAL, "setup is NULL");
	if (setup->alg > WD_DIGEST_SHA512_256)
		return wd_fail_num(NULL, EINVAL, "setup->alg %u is unknown", setup->alg, 0);
	if (setup->mode > WD_DIGEST_HMAC)
		return wd_fail_num(NULL, EINVAL, "setup->mode %u is unknown", setup->mode, 0);
	if (setup->reserved8)
		return wd_fail(NULL, EINVAL, "setup->reserved8 is not 0");
	bytes = digest_rows[setup->alg][setup->mode].bytes;
	if (setup->out_bytes % 4 || setup->out_bytes > bytes)
		return wd_fail_num(NULL, EINVAL, "setup->out_bytes %u is not a multiple of 4 up to %u",
				   setup->out_bytes, bytes);
	return wd_frame_attr(attr, setup->op_type, setup->data_fmt, setup->flags, setup->timeout_ms, setup->cq,
			     setup->reserved);
}

handle_t wd_digest_alloc_sess(const struct wd_digest_sess_setup *setup, const wd_dev_mask_t *dev_mask)
{
	struct wd_session_attr attr = { .mask = dev_mask };
	const struct digest_alg *row;
	struct crypto_sess *s;
	int ret = setup_check(setup, &attr);

	if (ret)
		return wd_no_handle(ret);
	row = &digest_rows[setup->alg][setup->mode];
	s = crypto_sess_alloc(&digest_class, &attr, &row->a, setup->data_fmt);
	if (!s)
		return 0;
	s->needs = setup->mode == WD_DIGEST_HMAC ? CRYPTO_HAS_AKEY : 0;
	s->mac_len = (__u8)(setup->out_bytes ? setup->out_bytes : row->bytes);
	s->block = row->block;
	s->state_len = row->state;
	return crypto_sess_ready(s, !soft_evp_alloc(s, row->a.evp_md, s->needs ? "HMAC" : NULL, 0));
}

int wd_digest_free_sess(handle_t sess)
{
	return crypto_strm_sess_free(sess, &digest_class);
}

int wd_digest_set_key(handle_t sess, const __u8 *key, __u32 key_len)
{
	struct crypto_sess *s;
	int ret;

	s = to_crypto_sess(wd_frame_key_begin(sess, &digest_class, key, &ret));
	if (!s)
		return ret;
	if (!s->needs)
		return wd_fail_str(&s->s.obj, EINVAL, "%s has no key", s->alg->name);
	ret = crypto_strm_check(s);
	return ret ? ret : crypto_akey_put(s, key, key_len);
}

int wd_digest_sess_caps(handle_t sess)
{
	int caps = crypto_sess_caps(sess, &digest_class);

	return caps < 0 || caps & WD_CAP_ASYNC ? caps : caps | WD_CAP_STREAM;
}

/* --- calls --- */

FRAME_SYNC(wd_digest, digest_class)
FRAME_PUBLIC(wd_digest, digest_class)

static const char *const digest_algs[] = { "digest", NULL };
static const struct wd_driver *const digest_drivers[] = { &hisi_digest_driver, &hisi_digest_v2_driver, NULL };

const struct wd_class digest_class = {
	.name = "digests",
	.kind = WD_KIND_DIGEST,
	.what = "a digest session",
	.algs = digest_algs,
	.drivers = digest_drivers,
	.soft = &soft_digest_driver,
	CRYPTO_CLASS(wd_digest),
	.check = digest_check,
	.refill = digest_refill,
	.run = digest_run,
	.opcode = digest_opcode,
};
