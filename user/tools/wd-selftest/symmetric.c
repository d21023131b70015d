// SPDX-License-Identifier: Apache-2.0
/* Runs the cases of the libraries that process bytes: compression, ciphers, digests, authenticated encryption. */
#include <errno.h>
#include <string.h>
#include <wd_aead.h>
#include <wd_cipher.h>
#include <wd_comp.h>
#include <wd_digest.h>

#include "selftest.h"

#define TAG_BYTES	16

static const void *input(const struct kat_run *r, bool bulk)
{
	return bulk ? r->bulk_in : r->in;
}

static size_t input_len(const struct kat_run *r, bool bulk)
{
	return bulk ? BULK_BYTES : r->in_len;
}

static void take(struct kat_run *r, unsigned int path, unsigned int reason, size_t len)
{
	r->path = path;
	r->reason = reason;
	r->out_len = len;
}

/* Compression: a is the format, b the session's further flags, op the direction. */
static int comp_open(struct kat_run *r, const wd_dev_mask_t *mask)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = r->kat->a, .dir_type = r->kat->op, .comp_lv = r->kat->a == WD_LZ4 ? 1 : 6,
		.win_size = WD_COMP_WS_32K, .flags = WD_SESS_PATH_HW | r->kat->b, .timeout_ms = r->timeout_ms,
	};

	r->sess = wd_comp_alloc_sess(&setup, mask);
	return r->sess ? 0 : -errno;
}

/* The software path decompresses the device's output: the answer is the input. */
static int comp_check(struct kat_run *r, const void *packed, size_t packed_len)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = r->kat->a, .dir_type = WD_DIR_DECOMPRESS, .flags = WD_SESS_PATH_SOFT | r->kat->b,
	};
	size_t len = sizeof(r->out);
	struct wd_comp_arg arg = { .src = packed, .src_len = packed_len, .dst = r->out, .dst_len = &len };
	handle_t sess = wd_comp_alloc_sess(&setup, NULL);
	int ret = sess ? wd_decompress(sess, &arg) : -errno;

	if (sess)
		wd_comp_free_sess(sess);
	/* The device's result was no stream: a wrong answer, which is no answer of the right length. */
	r->out_len = ret ? 0 : len;
	return 0;
}

/* The block again, from its sequences and the literals behind them. */
static int lz77_check(struct kat_run *r, const void *packed)
{
	const struct wd_lz77_seq *seq = packed;
	const uint8_t *literals;
	size_t at = 0, i;

	for (i = 0; seq[i].offset; i++)
		;
	literals = (const uint8_t *)(seq + i + 1);
	for (;; seq++) {
		memcpy(r->out + at, literals, seq->literals);
		literals += seq->literals;
		at += seq->literals;
		if (!seq->offset)
			break;
		for (i = 0; i < seq->match; i++, at++)
			r->out[at] = r->out[at - seq->offset];
	}
	r->out_len = at;
	return 0;
}

static int comp_once(struct kat_run *r, bool bulk)
{
	bool packs = r->kat->op == WD_DIR_COMPRESS;
	size_t len = bulk || packs ? BULK_ROOM : sizeof(r->out);
	void *dst = bulk || packs ? r->bulk_out : r->out;
	struct wd_comp_arg arg = { .src = input(r, bulk), .src_len = input_len(r, bulk), .dst = dst, .dst_len = &len,
				   .flags = r->kat->a == WD_LZ77 ? WD_COMP_LITERALS : 0 };
	int ret = packs ? wd_compress(r->sess, &arg) : wd_decompress(r->sess, &arg);

	take(r, arg.path, arg.path_reason, len);
	if (ret || bulk || !packs)
		return ret;
	return r->kat->a == WD_LZ77 ? lz77_check(r, dst) : comp_check(r, dst, len);
}

/* Ciphers: a is the algorithm, b the mode, op the direction, extra the IV. */
static int cipher_open(struct kat_run *r, const wd_dev_mask_t *mask)
{
	struct wd_cipher_sess_setup setup = {
		.alg = r->kat->a, .mode = r->kat->b, .flags = WD_SESS_PATH_HW, .timeout_ms = r->timeout_ms,
	};

	r->sess = wd_cipher_alloc_sess(&setup, mask);
	return r->sess ? wd_cipher_set_key(r->sess, r->key, r->key_len) : -errno;
}

static int cipher_once(struct kat_run *r, bool bulk)
{
	size_t len = bulk ? BULK_BYTES : sizeof(r->out);
	uint8_t iv[WD_CIPHER_IV_MAX];
	struct wd_cipher_arg arg = {
		.src = input(r, bulk), .src_len = input_len(r, bulk), .dst = bulk ? r->bulk_out : r->out,
		.dst_len = &len, .iv = r->extra_len ? iv : NULL, .iv_len = r->extra_len, .op = r->kat->op,
	};
	int ret;

	memcpy(iv, r->extra, sizeof(iv));
	ret = wd_cipher_sync(r->sess, &arg);
	take(r, arg.path, arg.path_reason, len);
	return ret;
}

/* Digests: a is the algorithm. */
static int digest_alloc(struct kat_run *r, const wd_dev_mask_t *mask, int mode)
{
	struct wd_digest_sess_setup setup = {
		.alg = r->kat->a, .mode = mode, .flags = WD_SESS_PATH_HW, .timeout_ms = r->timeout_ms,
	};

	r->sess = wd_digest_alloc_sess(&setup, mask);
	return r->sess ? 0 : -errno;
}

static int digest_open(struct kat_run *r, const wd_dev_mask_t *mask)
{
	return digest_alloc(r, mask, WD_DIGEST_NORMAL);
}

static int hmac_open(struct kat_run *r, const wd_dev_mask_t *mask)
{
	int ret = digest_alloc(r, mask, WD_DIGEST_HMAC);

	return ret ? ret : wd_digest_set_key(r->sess, r->key, r->key_len);
}

static int digest_once(struct kat_run *r, bool bulk)
{
	size_t len = sizeof(r->out);
	struct wd_digest_arg arg = {
		.src = input(r, bulk), .src_len = input_len(r, bulk), .dst = r->out, .dst_len = &len,
	};
	int ret = wd_digest_sync(r->sess, &arg);

	take(r, arg.path, arg.path_reason, len);
	return ret;
}

/* Authenticated encryption: a is the cipher, b the mode, op the bytes of in that are only authenticated. */
static int aead_open(struct kat_run *r, const wd_dev_mask_t *mask)
{
	struct wd_aead_sess_setup setup = {
		.calg = r->kat->a, .cmode = r->kat->b, .flags = WD_SESS_PATH_HW, .timeout_ms = r->timeout_ms,
	};
	int ret;

	r->sess = wd_aead_alloc_sess(&setup, mask);
	if (!r->sess)
		return -errno;
	ret = wd_aead_set_ckey(r->sess, r->key, r->key_len);
	return ret ? ret : wd_aead_set_authsize(r->sess, r->kat->b == WD_CIPHER_CCM ? 4 : TAG_BYTES);
}

/* The answer is the output, beginning with the associated data, and the tag. */
static int aead_once(struct kat_run *r, bool bulk)
{
	size_t len = bulk ? BULK_BYTES : ANSWER_MAX;
	uint8_t tag[TAG_BYTES];
	int size = wd_aead_get_authsize(r->sess), ret;
	struct wd_aead_arg arg = {
		.src = input(r, bulk), .src_len = input_len(r, bulk), .dst = bulk ? r->bulk_out : r->out,
		.dst_len = &len, .iv = r->extra, .iv_len = r->extra_len, .op = WD_CIPHER_ENCRYPTION, .mac = tag,
		.mac_len = size, .assoc_len = r->kat->op,
	};

	ret = wd_aead_sync(r->sess, &arg);
	if (!ret && !bulk)
		memcpy(r->out + len, tag, size);
	take(r, arg.path, arg.path_reason, len + size);
	return ret;
}

const struct kat_class class_comp = { comp_open, comp_once, wd_comp_free_sess, true };
const struct kat_class class_cipher = { cipher_open, cipher_once, wd_cipher_free_sess, true };
const struct kat_class class_digest = { digest_open, digest_once, wd_digest_free_sess, true };
const struct kat_class class_hmac = { hmac_open, digest_once, wd_digest_free_sess, true };
const struct kat_class class_aead = { aead_open, aead_once, wd_aead_free_sess, true };
