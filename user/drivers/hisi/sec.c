// SPDX-License-Identifier: Apache-2.0
/* The base of the SEC engine's drivers: descriptors of type 3 from messages, and their results. */
#include <errno.h>
#include <string.h>

#include "sec.h"

const char *const sec_apis[] = { "hisi_qm_v3", "hisi_qm_v5", NULL };

static_assert(CRYPTO_MAX_BYTES == SEC_MAX_BYTES, "the classes check this limit");
static_assert(CRYPTO_MAC_MAX == SEC_MAC_BUF, "a stream's state fits");

static __u64 addr_of(const void *p)
{
	return (uintptr_t)p;
}

int sec_open(struct wd_queue *q, const struct uacce_dev_info *dev)
{
	return hisi_queue_open(q, dev, SEC_BD_SIZE, sizeof(struct sec_scratch));
}

/* --- the part of a descriptor that is constant in a session --- */

static __u32 key_code(const struct crypto_sess *s)
{
	const struct crypto_sec *sec = &s->alg->sec;
	__u32 len = sec->c_mode == SEC_C_XTS ? s->key_len / 2 : s->key_len;

	if (sec->c_alg == SEC_C_3DES)
		return SEC_C_KEY_3DES_3;
	return sec->c_alg == SEC_C_SM4 ? SEC_C_KEY_SM4 : len == 16 ? SEC_C_KEY_AES_128 : len == 24 ? SEC_C_KEY_AES_192 :
	       SEC_C_KEY_AES_256;
}

static void head_fill(const struct crypto_sess *s, struct sec_bd *bd, bool decrypt)
{
	const struct crypto_sec *sec = &s->alg->sec;
	bool tagged = sec->kind == SEC_KIND_CCM || sec->kind == SEC_KIND_GCM;

	sec_put(bd, SEC_BD_TYPE, SEC_BD_TYPE3);
	sec_put(bd, SEC_BD3_SRC_TYPE, s->sgl ? SEC_ADDR_SGL : SEC_ADDR_FLAT);
	if (sec->kind == SEC_KIND_DIGEST) {
		sec_put(bd, SEC_BD3_SCENE, SEC_SCENE_STREAM);
		return;
	}
	sec_put(bd, SEC_BD3_SCENE, SEC_SCENE_IPSEC);
	sec_put(bd, SEC_BD3_DE, 1);
	sec_put(bd, SEC_BD3_DST_TYPE, s->sgl ? SEC_ADDR_SGL : SEC_ADDR_FLAT);
	sec_put(bd, SEC_BD3_CIPHER, decrypt ? SEC_CIPHER_DECRYPT : SEC_CIPHER_ENCRYPT);
	sec_put(bd, SEC_BD3_C_ALG, sec->c_alg);
	sec_put(bd, SEC_BD3_C_MODE, sec->c_mode);
	sec_put(bd, SEC_BD3_C_WIDTH, sec->c_width);
	sec_put(bd, SEC_BD3_C_KEY_LEN, key_code(s));
	if (tagged)
		sec_put(bd, SEC_BD3_C_ICV_LEN, s->mac_len);
	if (sec->kind == SEC_KIND_AUTHENC)
		sec_put(bd, SEC_BD3_SEQ, decrypt ? SEC_SEQ_DIGEST_FIRST : SEC_SEQ_CIPHER_FIRST);
}

static void auth_fill(const struct crypto_sess *s, struct sec_bd *bd, bool decrypt)
{
	const struct crypto_sec *sec = &s->alg->sec;

	if (sec->kind == SEC_KIND_CIPHER && sec->c_mode == SEC_C_CTR)
		sec_put(bd, SEC_BD3_CTR_XTS, SEC_CTR_ROLLOVER_128);
	if (sec->kind != SEC_KIND_DIGEST && sec->kind != SEC_KIND_AUTHENC)
		return;
	sec_put(bd, SEC_BD3_AUTH, decrypt ? SEC_AUTH_VERIFY : SEC_AUTH_CALCULATE);
	sec_put(bd, SEC_BD3_MAC_LEN, s->mac_len / 4u);
	sec_put(bd, SEC_BD3_A_ALG, sec->a_alg);
	/* A key whose length isn't a multiple of 4 is padded with zeroes, as HMAC defines. */
	if (s->keyed & CRYPTO_HAS_AKEY)
		sec_put(bd, SEC_BD3_A_KEY_LEN, s->akey_len ? (s->akey_len + 3) / 4 : 1);
}

void sec_session(struct crypto_sess *s)
{
	__u8 kind = s->alg->sec.kind;
	int decrypt;

	/* CCM and GCM have one key for both purposes. */
	s->bd.a_key = kind == SEC_KIND_CCM || kind == SEC_KIND_GCM ? addr_of(s->key) :
		      s->keyed & CRYPTO_HAS_AKEY ? addr_of(s->akey) : 0;
	for (decrypt = 0; decrypt < 2; decrypt++) {
		struct sec_bd bd = { 0 };

		head_fill(s, &bd, decrypt);
		auth_fill(s, &bd, decrypt);
		s->bd.head[decrypt] = sec_get64(&bd, 0);
		s->bd.auth[decrypt] = sec_get64(&bd, 14);
	}
}

/* --- requests --- */

static void ccm_blocks(const struct crypto_msg *c, struct sec_scratch *b)
{
	__u8 nonce[1 + SEC_IV_BYTES] = { 0 };

	memcpy(nonce + 1, c->iv, c->iv_len);
	sec_ccm_blocks(b, nonce + 1, c->iv_len, c->mac_len, c->assoc_len, c->src_len - c->assoc_len);
}

static void gcm_blocks(const struct crypto_msg *c, struct sec_scratch *b)
{
	memset(b, 0, sizeof(*b));
	memcpy(b->c_iv, c->iv, SEC_GCM_IV_BYTES);
	memcpy(b->a_iv, c->iv, SEC_GCM_IV_BYTES);
}

/* Requests that no device takes: 0, -E2BIG, -EFBIG. */
static int refuse(const struct crypto_sess *s, const struct crypto_msg *c)
{
	__u8 kind = s->alg->sec.kind;

	if (c->src_len > SEC_MAX_BYTES)
		return -EFBIG;
	if (kind == SEC_KIND_GCM && !c->strm && (c->iv_len != SEC_GCM_IV_BYTES || !c->src_len))
		return -E2BIG;
	if (kind == SEC_KIND_CCM && !c->src_len)
		return -E2BIG;
	if (kind != SEC_KIND_DIGEST && kind != SEC_KIND_CIPHER &&
	    c->assoc_len > (kind == SEC_KIND_CCM ? SEC_MAX_CCM_AAD : SEC_MAX_AAD))
		return -E2BIG;
	if (kind == SEC_KIND_AUTHENC && c->src_len == c->assoc_len)
		return -E2BIG;
	return 0;
}

static int job_blocks(struct hisi_queue *h, __u8 kind, const struct crypto_msg *c, unsigned int index, struct sec_job *j)
{
	struct sec_scratch *b = hisi_queue_scratch(h, index);

	if (!b)
		return -ENOMEM;
	if (kind == SEC_KIND_CCM)
		ccm_blocks(c, b);
	else
		gcm_blocks(c, b);
	j->c_iv = addr_of(b->c_iv);
	j->a_iv = addr_of(b->a_iv);
	return 0;
}

/* A step of a hash's stream: reads the state, writes state or digest to the same memory. */
static void job_hash_step(struct sec_job *j, struct sec_stream *strm)
{
	struct sec_bd bd = { 0 };

	j->mac = addr_of(strm->state);
	if (strm->begun)
		j->a_iv = j->mac;
	if (strm->last)
		j->bits = strm->bytes * 8;
	sec_put(&bd, SEC_BD3_AUTH_PAD, strm->last ? SEC_PAD_DEVICE : SEC_PAD_NONE);
	j->pad = sec_get(&bd, SEC_FIELD(27, 0, 32));
}

/* A step of GCM's: associated data, which begins the running hash, or data, whose blocks software counts. */
static void job_gcm_step(struct sec_job *j)
{
	struct sec_bd bd = { 0 };

	/* Data begins where associated data ended, in another step. */
	j->offset = 0;
	if (j->c_len)
		j->a_iv = j->mac;
	else
		j->c_iv = 0;
	sec_put(&bd, SEC_BD3_AUTH_PAD, SEC_PAD_NONE);
	sec_put(&bd, SEC_BD3_MAC_SEL, 1);
	j->pad = sec_get(&bd, SEC_FIELD(27, 0, 32));
}

static void job_of_digest(const struct crypto_msg *c, __u64 src, struct sec_job *j)
{
	sec_job_digest(j, src, (__u32)c->src_len, addr_of(c->mac));
	if (c->strm)
		job_hash_step(j, c->strm);
	/* The device reads nothing, but the address must be valid. */
	if (!c->src_len && !c->sgl)
		j->src = j->mac;
}

static int job_fill(struct hisi_queue *h, const struct crypto_sess *s, const struct crypto_msg *c, unsigned int index, struct sec_job *j)
{
	__u64 src = addr_of(c->sgl ? h->lists[index].src : c->src), dst = addr_of(c->sgl ? h->lists[index].dst : c->dst);
	__u8 kind = s->alg->sec.kind;

	if (kind == SEC_KIND_DIGEST) {
		job_of_digest(c, src, j);
		return 0;
	}
	sec_job_cipher(j, kind, src, dst, c->iv_len ? addr_of(c->iv) : 0, addr_of(c->mac), (__u32)c->src_len, c->assoc_len);
	if (c->strm) {
		job_gcm_step(j);
		return 0;
	}
	return kind == SEC_KIND_CCM || kind == SEC_KIND_GCM ? job_blocks(h, kind, c, index, j) : 0;
}

static void put_over(struct sec_bd *bd, __u32 field, __u32 value)
{
	bd->dw[field >> 16] &= ~htole32(sec_field_mask(field));
	sec_put(bd, field, value);
}

static void gcm_auth(const struct crypto_sess *s, const struct crypto_msg *c, struct sec_bd *bd)
{
	sec_put(bd, SEC_BD3_A_KEY_LEN, s->key_len / 4);
	if (!c->assoc_len) {
		sec_put(bd, SEC_BD3_AI_GEN, SEC_GEN_ADDRESS);
		return;
	}
	sec_put(bd, SEC_BD3_AUTH, SEC_AUTH_CALCULATE);
	sec_put(bd, SEC_BD3_A_ALG, SEC_A_AES_GMAC);
	sec_put(bd, SEC_BD3_MAC_LEN, c->mac_len / 4u);
}

/* The length of an unfinished hash's state; 0 means the whole state, for the plain hashes but SM3. */
static __u32 state_words(const struct crypto_sess *s)
{
	__u8 alg = s->alg->sec.a_alg;

	return alg < SEC_A_HMAC ? 0 : s->state_len / 4u;
}

/* Replaces the session's fields by those of a stream's step. */
static __u64 step_auth(const struct crypto_sess *s, const struct crypto_msg *c)
{
	const struct sec_stream *strm = c->strm;
	struct sec_bd bd = { 0 };

	sec_put64(&bd, 14, s->bd.auth[0]);
	if (s->alg->sec.kind == SEC_KIND_GCM) {
		gcm_auth(s, c, &bd);
		return sec_get64(&bd, 14);
	}
	if (strm->begun)
		sec_put(&bd, SEC_BD3_AI_GEN, SEC_GEN_ADDRESS);
	if (!strm->last)
		put_over(&bd, SEC_BD3_MAC_LEN, state_words(s));
	return sec_get64(&bd, 14);
}

static void gcm_head(const struct crypto_msg *c, struct sec_bd *bd)
{
	put_over(bd, SEC_BD3_SCENE, SEC_SCENE_STREAM);
	put_over(bd, SEC_BD3_C_ICV_LEN, 0);
	if (c->assoc_len) {
		put_over(bd, SEC_BD3_CIPHER, SEC_CIPHER_NONE);
		put_over(bd, SEC_BD3_DE, 0);
	}
}

/*
 * The same for the head. Ciphertext stealing with one block is plain CBC, and the device needs the mode for CBC then.
 */
static __u64 step_head(const struct crypto_sess *s, const struct crypto_msg *c)
{
	struct sec_bd bd = { 0 };

	sec_put64(&bd, 0, s->bd.head[c->decrypt]);
	/* With no data the device has nothing to do: it only returns the descriptor. */
	if (s->alg->sec.kind == SEC_KIND_CIPHER && !c->src_len)
		sec_put(&bd, SEC_BD3_INVALID, 1);
	if (c->sgl != s->sgl) {
		put_over(&bd, SEC_BD3_SRC_TYPE, SEC_ADDR_FLAT);
		put_over(&bd, SEC_BD3_DST_TYPE, SEC_ADDR_FLAT);
	}
	if (s->alg->sec.kind == SEC_KIND_GCM && c->strm)
		gcm_head(c, &bd);
	if (s->alg->sec.c_width && c->src_len == SEC_IV_BYTES) {
		put_over(&bd, SEC_BD3_C_MODE, SEC_C_CBC);
		put_over(&bd, SEC_BD3_C_WIDTH, 0);
	}
	return sec_get64(&bd, 0);
}

static int msg_lists(struct hisi_queue *h, const struct crypto_sess *s, const struct crypto_msg *c)
{
	struct wd_datalist mac = { .data = c->mac, .len = c->mac_len };

	/* A digest's result isn't data, and the device needs a source list even if it reads nothing. */
	return hisi_queue_get_lists(h, HISI_INDEX(&c->m), c->src_len ? c->src : &mac,
				    s->alg->sec.kind == SEC_KIND_DIGEST ? &mac : c->dst);
}

static int msg_send(struct hisi_queue *h, struct wd_msg *m)
{
	const struct crypto_sess *s = to_crypto_sess(m->sess);
	struct crypto_msg *c = to_crypto_msg(m);
	struct sec_job j;
	int ret = refuse(s, c);

	if (!ret && c->sgl)
		ret = msg_lists(h, s, c);
	if (ret)
		return ret;
	ret = job_fill(h, s, c, HISI_INDEX(&c->m), &j);
	if (ret) {
		hisi_queue_put_lists(h, HISI_INDEX(&c->m));
		return ret;
	}
	sec_write(wd_ring_slot(&h->ring, HISI_INDEX(&c->m)), step_head(s, c),
		  c->strm ? step_auth(s, c) : s->bd.auth[c->decrypt], s->key_len ? addr_of(s->key) : 0, s->bd.a_key, &j, c->m.tag);
	return 0;
}

int sec_push(struct wd_queue *q, struct wd_msg *const msgs[], unsigned int n)
{
	return hisi_queue_push(q, msgs, n, msg_send, hisi_queue_abort);
}

/* --- results --- */

static bool ends_there(const struct crypto_msg *c)
{
	return wd_probe(WD_PROBE_READ, c->sgl, c->src, c->src_len) &&
	       (!c->dst || wd_probe(WD_PROBE_WRITE, c->sgl, c->dst, c->src_len)) &&
	       (!c->iv_len || wd_probe(WD_PROBE_READ, false, c->iv, c->iv_len)) &&
	       (!c->mac || wd_probe(c->decrypt ? WD_PROBE_READ : WD_PROBE_WRITE, false, c->mac, c->mac_len));
}

static int status_of(struct crypto_msg *c, __u32 w28)
{
	__u32 error = w28 >> 16 & 0xff;

	c->m.vendor = error;
	if ((w28 >> 1 & 7) == SEC_ICV_MISMATCH) {
		c->why = "the tag is wrong";
		return -EBADMSG;
	}
	if (sec_is_good(w28))
		return 0;
	if (error == SEC_ERR_ABORTED)
		return WD_STOPPED;
	if (error == SEC_ERR_ALGORITHM)
		return -EOPNOTSUPP;
	if (error == SEC_ERR_ADDRESS || !ends_there(c))
		return -EFAULT;
	c->why = error ? "the device refused the descriptor" : "the descriptor came back damaged";
	return -EIO;
}

void sec_result(struct wd_queue *q, struct wd_msg *m, unsigned int index)
{
	struct hisi_queue *h = hisi_queue_of(q);
	struct crypto_msg *c = to_crypto_msg(m);
	struct sec_answer answer;

	sec_read(wd_ring_slot(&h->ring, (__u16)index), &answer);
	c->consumed = c->src_len;
	c->produced = to_crypto_sess(m->sess)->alg->sec.kind == SEC_KIND_DIGEST ? c->mac_len : c->src_len;
	if (answer.tag != m->tag) {
		c->why = "the descriptor came back damaged";
		m->status = -EIO;
	} else {
		m->status = status_of(c, answer.result);
	}
	hisi_queue_put_lists(h, index);
}
