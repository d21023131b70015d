// SPDX-License-Identifier: Apache-2.0
/*
 * Messages of GCM in parts. A device hashes and encrypts whole blocks, from a running
 * hash in memory and a counter that software maintains. Operations without a descriptor of
 * their own are made from these: a block of zeroes, encrypted, is a block of key stream (the
 * hash is ignored), and a block, decrypted, updates the running hash (the text is
 * ignored). So a part may end within a block, and the software path needs no hash
 * for the tag.
 */
#include <stdlib.h>
#include <string.h>
#include <openssl/crypto.h>

#include "aead.h"
#include "evp.h"
#include "hw/sec_hw.h"

#define FRAME_ARG	struct wd_aead_arg
#define FRAME_CLASS	aead_class
#include "part.h"

#define BLOCK		16u
#define DATA_MAX	((1ull << 36) - 32)	/* of a message, by SP 800-38D */

/**
 * struct aead_strm - a stream
 * @data:	bytes of data so far
 * @assoc_len:	bytes of associated data
 * @hw:		on a device: its running hash
 * @other:	takes the hash of steps whose hash is ignored
 * @counter:	of the next step
 * @zero:	a block of zeroes
 * @mask:	hides the tag
 * @keys:	key stream of the unfinished block
 * @block:	the unfinished block's ciphertext so far; at the end followed by one more block
 * @text:	takes the text of steps whose text is ignored
 */
struct aead_strm {
	struct crypto_strm c;
	bool decrypt;
	__u32 assoc_len;
	__u64 data;
	struct sec_stream hw;
	__u8 other[CRYPTO_MAC_MAX];
	__u8 counter[BLOCK];
	__u8 zero[BLOCK];
	__u8 mask[BLOCK];
	__u8 keys[BLOCK];
	__u8 block[2 * BLOCK];
	__u8 text[2 * BLOCK];
};

/* State while a part is processed. */
struct part {
	struct crypto_sess *s;
	struct aead_strm *st;
	struct crypto_msg *c;
	struct wd_list_walk src;
	struct wd_list_walk dst;
};

static struct aead_strm *to_aead_strm(struct crypto_strm *st)
{
	return (struct aead_strm *)st;
}

/* The addresses of the next bytes, at most that many; returns how many are contiguous. */
static size_t next_piece(struct part *p, size_t most, const __u8 **src, __u8 **dst)
{
	size_t in, out;

	*src = wd_list_walk_piece(&p->src, &in);
	*dst = wd_list_walk_piece(&p->dst, &out);
	in = in < out ? in : out;
	return in < most ? in : most;
}

static void piece_done(struct part *p, size_t n)
{
	wd_list_walk_advance(&p->src, n);
	wd_list_walk_advance(&p->dst, n);
}

/* --- a device --- */

static int hw_step(struct part *p, struct crypto_msg *c)
{
	struct aead_strm *st = p->st;
	int ret;

	c->m.sess = &p->s->s;
	c->m.deadline = p->c->m.deadline;
	c->mac_len = BLOCK;
	c->strm = &st->hw;
	ret = wd_request_on(st->c.q, &c->m, c->src_len);
	st->c.vendor = c->m.vendor;
	st->c.why = c->why;
	return ret;
}

/* Processes whole blocks; @blocks: counter value, relative to the block that hides the tag. */
static int hw_blocks(struct part *p, const __u8 *src, __u8 *dst, size_t len, __u64 blocks, bool decrypt, __u8 *mac)
{
	struct aead_strm *st = p->st;
	struct crypto_msg c = {
		.src = src, .dst = dst, .src_len = len, .dst_len = len, .iv = st->counter, .iv_len = BLOCK,
		.decrypt = decrypt, .mac = mac,
	};
	int i;

	/* The device begins with the next counter value. */
	for (i = BLOCK - 1; i >= (int)GCM_IV_BYTES; i--, blocks >>= 8)
		st->counter[i] = (__u8)blocks;
	return hw_step(p, &c);
}

static int hw_hash(struct part *p, size_t len)
{
	return hw_blocks(p, p->st->block, p->st->text, len, 0, true, p->st->hw.state);
}

static int hw_keys(struct part *p, __u64 blocks, __u8 *to)
{
	return hw_blocks(p, p->st->zero, to, BLOCK, blocks, false, p->st->other);
}

static __u64 blocks_so_far(const struct aead_strm *st)
{
	return 1 + (st->data + BLOCK - 1) / BLOCK;
}

/* Hashes the associated data, which the device needs in one piece. */
static int hw_assoc(struct part *p)
{
	struct aead_strm *st = p->st;
	struct crypto_msg c = {
		.src_len = st->assoc_len, .assoc_len = st->assoc_len, .decrypt = st->decrypt, .mac = st->hw.state
	};
	size_t n;

	if (!st->assoc_len)
		return 0;
	c.src = wd_list_walk_piece(&p->src, &n);
	if (n < st->assoc_len) {
		st->c.own = malloc(st->assoc_len);
		if (!st->c.own)
			return -ENOMEM;
		wd_list_copy_out(p->c->src, 0, st->c.own, st->assoc_len);
		c.src = st->c.own;
	}
	return hw_step(p, &c);
}

/* Done before any data of the message is written: a device that can't compute GCM fails here. */
static int hw_begin(struct part *p)
{
	struct aead_strm *st = p->st;
	int ret;

	memcpy(st->counter, p->c->iv, GCM_IV_BYTES);
	ret = hw_keys(p, 0, st->mask);
	return ret ? ret : hw_assoc(p);
}

/* Processes bytes of the unfinished block. */
static int hw_bytes(struct part *p, const __u8 *src, __u8 *dst, size_t len)
{
	struct aead_strm *st = p->st;
	unsigned int at = st->data % BLOCK;
	size_t i;

	for (i = 0; i < len; i++) {
		__u8 in = src[i], out = in ^ st->keys[at + i];

		dst[i] = out;
		/* Uses the local value: other threads may write to dst meanwhile. */
		st->block[at + i] = st->decrypt ? in : out;
	}
	st->data += len;
	return st->data % BLOCK ? 0 : hw_hash(p, BLOCK);
}

static int hw_add(struct part *p, const __u8 *src, __u8 *dst, size_t len)
{
	struct aead_strm *st = p->st;
	int ret = 0;
	size_t n;

	for (; len && !ret; src += n, dst += n, len -= n) {
		n = BLOCK - st->data % BLOCK;
		if (n == BLOCK && len >= BLOCK) {
			n = wd_queue_flat(st->c.q, len < CRYPTO_MAX_BYTES ? len : CRYPTO_MAX_BYTES);
			n -= n % BLOCK;
			ret = hw_blocks(p, src, dst, n, blocks_so_far(st), st->decrypt, st->hw.state);
			st->data += n;
			continue;
		}
		if (n == BLOCK)
			ret = hw_keys(p, blocks_so_far(st), st->keys);
		n = n < len ? n : len;
		if (!ret)
			ret = hw_bytes(p, src, dst, n);
	}
	return ret;
}

static void put_bits(__u8 *to, __u64 bytes)
{
	int i;

	for (i = 7, bytes *= 8; i >= 0; i--, bytes >>= 8)
		to[i] = (__u8)bytes;
}

static int hw_end(struct part *p, __u8 *mac)
{
	struct aead_strm *st = p->st;
	unsigned int at = st->data % BLOCK, i;
	__u8 *lengths = st->block + (at ? BLOCK : 0);
	int ret;

	memset(st->block + at, 0, at ? BLOCK - at : 0);
	put_bits(lengths, st->assoc_len);
	put_bits(lengths + 8, st->data);
	ret = hw_hash(p, at ? 2 * BLOCK : BLOCK);
	if (ret)
		return ret;
	for (i = 0; i < BLOCK; i++)
		st->mask[i] ^= st->hw.state[i];
	if (!st->decrypt)
		memcpy(mac, st->mask, p->s->mac_len);
	else if (CRYPTO_memcmp(mac, st->mask, p->s->mac_len))
		ret = -EBADMSG;
	return ret;
}

/* --- the software path --- */

static int soft_begin(struct part *p)
{
	struct crypto_strm *st = &p->st->c;

	if (!st->soft)
		st->soft = soft_ctx_get(p->s, p->st->decrypt);
	if (!st->soft)
		return -ENOMEM;
	return soft_gcm_begin(st->soft, p->c->iv, p->c->iv_len) ? 0 : -EIO;
}

/* dst NULL: associated data. */
static int soft_add(struct part *p, const __u8 *src, __u8 *dst, size_t len)
{
	return soft_cipher_update(p->st->c.soft->cipher, dst, src, len) ? 0 : -EIO;
}

/* --- both --- */

static int strm_pick(struct part *p)
{
	struct aead_strm *st = p->st;
	int ret = crypto_strm_pick(p->s, &st->c);

	if (ret || !st->c.q || (p->c->iv_len == GCM_IV_BYTES && st->assoc_len <= SEC_MAX_AAD))
		return ret;
	if (p->s->s.soft_ok) {
		crypto_strm_to_soft(&st->c, WD_REASON_UNSUPPORTED);
		return 0;
	}
	st->c.why = "a device doesn't take such an iv, or so much associated data";
	return -EOPNOTSUPP;
}

static int strm_begin(struct part *p)
{
	struct aead_strm *st = p->st;
	int ret;

	st->decrypt = p->c->decrypt;
	st->assoc_len = p->c->assoc_len;
	ret = strm_pick(p);
	if (ret)
		return ret;
	ret = st->c.q ? hw_begin(p) : 0;
	if (ret && crypto_strm_instead(p->s, &st->c, ret))
		ret = 0;
	if (!ret && !st->c.q)
		ret = soft_begin(p);
	if (!ret)
		st->c.gen = wd_fork_now();
	return ret;
}

/* Associated data is copied to the result unchanged. */
static int assoc_add(struct part *p)
{
	size_t left = p->c->assoc_len, n;
	const __u8 *src;
	int ret = 0;
	__u8 *dst;

	for (; left && !ret; left -= n) {
		n = next_piece(p, left, &src, &dst);
		if (!p->st->c.q)
			ret = soft_add(p, src, NULL, n);
		if (src != dst)
			memcpy(dst, src, n);
		piece_done(p, n);
	}
	return ret;
}

static int data_add(struct part *p)
{
	size_t left = p->c->src_len - p->c->assoc_len, n;
	const __u8 *src;
	int ret = 0;
	__u8 *dst;

	for (; left && !ret; left -= n) {
		n = next_piece(p, left, &src, &dst);
		ret = p->st->c.q ? hw_add(p, src, dst, n) : soft_add(p, src, dst, n);
		piece_done(p, n);
	}
	if (!p->st->c.q)
		p->st->data += p->c->src_len - p->c->assoc_len;
	return ret;
}

static bool part_mapped(const struct crypto_msg *c, bool last)
{
	return wd_probe(WD_PROBE_RECENT, c->sgl, c->src, c->src_len) &&
	       wd_probe(WD_PROBE_RECENT, c->sgl, c->dst, c->src_len) &&
	       (!c->iv_len || wd_probe(WD_PROBE_RECENT, false, c->iv, c->iv_len)) &&
	       (!last || wd_probe(WD_PROBE_RECENT, false, c->mac, c->mac_len));
}

static int part_run(struct part *p, bool last)
{
	int ret = part_mapped(p->c, last) ? 0 : -EFAULT;

	if (!ret && !p->st->c.gen)
		ret = strm_begin(p);
	if (!ret)
		ret = assoc_add(p);
	if (!ret)
		ret = data_add(p);
	if (!ret && last)
		ret = p->st->c.q ? hw_end(p, p->c->mac) :
		      soft_gcm_end(p->st->c.soft, p->st->decrypt, p->c->mac, p->s->mac_len);
	if (ret == -EBADMSG)
		p->st->c.why = "the tag is wrong";
	return ret;
}

/* --- the session's stream --- */

static int part_check(struct crypto_sess *s, const struct wd_aead_arg *arg, bool last)
{
	int ret = wd_frame_check_end(&s->s, arg->cb, arg->flags, arg->reserved);

	if (!ret && s->alg->sec.kind != SEC_KIND_GCM)
		ret = wd_fail_str(&s->s.obj, EOPNOTSUPP, "%s has no streams: only GCM has", s->alg->name);
	if (!ret)
		ret = crypto_check_keys(s);
	if (!ret && arg->assoc_len > arg->src_len)
		ret = wd_fail_num(&s->s.obj, EINVAL, "assoc_len %u is above src_len %u", arg->assoc_len, arg->src_len);
	if (!ret)
		ret = crypto_check_ends(s, arg->src, arg->src_len, arg->dst, arg->dst_len, arg->src_len);
	if (!ret)
		ret = aead_check_op(s, arg);
	if (!ret && last)
		ret = aead_check_mac(s, arg);
	return ret ? ret : crypto_check_pair(s, arg->src, arg->dst, arg->src_len);
}

/* Checks the members that are for the first part only. */
static int part_fits(struct crypto_sess *s, const struct wd_aead_arg *arg)
{
	const struct aead_strm *st = to_aead_strm(s->strm);
	struct wd_object *obj = &s->s.obj;

	if (arg->src_len - arg->assoc_len > DATA_MAX - st->data)
		return wd_fail(obj, EFBIG, "the message would have more than 2^36 - 32 bytes, GCM's limit");
	if (!st->c.gen)
		return aead_check_iv(s, arg);
	if (arg->iv || arg->iv_len)
		return wd_fail(obj, EINVAL, "only a stream's first part has an iv: arg->iv or iv_len is not 0");
	if (arg->assoc_len)
		return wd_fail(obj, EINVAL, "only a stream's first part has associated data: assoc_len is not 0");
	if (st->decrypt != (arg->op == WD_CIPHER_DECRYPTION))
		return wd_fail_str(obj, EINVAL, "arg->op differs: the stream %s",
				   st->decrypt ? "decrypts" : "encrypts");
	return 0;
}

static int part_failed(struct crypto_sess *s, struct crypto_msg *c, int ret)
{
	struct crypto_strm *st = s->strm;

	/* A stream that hasn't begun has written no data. */
	if (st->gen)
		crypto_failed(c, ret);
	ret = crypto_say(s, ret, st->why, st->vendor);
	st->dead = true;
	if (ret == -EBADMSG || !st->gen)
		crypto_strm_forget(s);
	return ret;
}

static int part_do(struct crypto_sess *s, struct wd_aead_arg *arg, bool last)
{
	struct crypto_msg c = {
		.src = arg->src, .dst = arg->dst, .src_len = arg->src_len, .dst_len = arg->src_len, .iv = arg->iv,
		.iv_len = arg->iv_len, .mac = arg->mac, .mac_len = s->mac_len, .assoc_len = arg->assoc_len,
		.decrypt = arg->op == WD_CIPHER_DECRYPTION, .sgl = s->sgl,
	};
	int ret = crypto_strm_ready(s, sizeof(struct aead_strm), "wd_aead_reset_sess");
	struct part p = { .s = s, .c = &c };

	if (!ret)
		ret = part_fits(s, arg);
	if (ret)
		return ret;
	p.st = to_aead_strm(s->strm);
	c.strm = &p.st->hw;
	if (!last)
		c.mac = p.st->other;
	c.m.deadline = part_deadline(s, arg);
	wd_list_walk_init(&p.src, c.sgl, c.src, c.src_len);
	wd_list_walk_init(&p.dst, c.sgl, c.dst, c.src_len);
	ret = part_run(&p, last);
	arg->path = c.m.path = p.st->c.path;
	arg->path_reason = p.st->c.reason;
	if (p.st->c.path == WD_PATH_SOFT)
		wd_session_count_soft(&s->s, ret, c.src_len, c.src_len);
	if (ret)
		return part_failed(s, &c, ret);
	*arg->dst_len = c.src_len;
	if (last)
		crypto_strm_drop(s->strm);
	return 0;
}

static int part_told(handle_t sess, struct wd_aead_arg *arg, bool last)
{
	int ret = part_call(sess, arg, last);

	if (ret && arg && arg->dst_len)
		*arg->dst_len = 0;
	return ret;
}

int wd_aead_update(handle_t sess, struct wd_aead_arg *arg)
{
	return part_told(sess, arg, false);
}

int wd_aead_final(handle_t sess, struct wd_aead_arg *arg)
{
	return part_told(sess, arg, true);
}

int wd_aead_reset_sess(handle_t sess)
{
	return crypto_strm_reset(sess, &aead_class);
}
