// SPDX-License-Identifier: Apache-2.0
/* The base of the SEC engine's drivers: descriptors of both types from messages, and their results. */
#include <errno.h>
#include <string.h>

#include "sec.h"

const char *const sec_apis[] = { "hisi_qm_v3", "hisi_qm_v5", NULL };
const char *const sec_v2_apis[] = { "hisi_qm_v2", NULL };

/*
 * Where the fields are that sessions and steps set; 0: the type doesn't have the field. auth_word is the first of the
 * two words of crypto_bd.auth.
 */
struct layout {
	enum sec_bd_type type;
	enum sec_scene digest_scene;
	__u32 auth_word;
	__u32 invalid;
	__u32 scene;
	__u32 de;
	__u32 src_type;
	__u32 dst_type;
	__u32 cipher;
	__u32 c_icv_len;
	__u32 c_width;
	__u32 c_key_len;
	__u32 c_mode;
	__u32 c_alg;
	__u32 seq;
	__u32 auth;
	__u32 ai_gen;
	__u32 auth_pad;
	__u32 mac_len;
	__u32 a_key_len;
	__u32 a_alg;
	__u32 ctr_xts;
	__u32 mac_sel;
};

static const struct layout layouts[CRYPTO_BD_TYPES] = {
	[CRYPTO_BD3] = {
		.type = SEC_BD_TYPE3, .digest_scene = SEC_SCENE_STREAM, .auth_word = 14, .invalid = SEC_BD3_INVALID,
		.scene = SEC_BD3_SCENE, .de = SEC_BD3_DE, .src_type = SEC_BD3_SRC_TYPE, .dst_type = SEC_BD3_DST_TYPE,
		.cipher = SEC_BD3_CIPHER, .c_icv_len = SEC_BD3_C_ICV_LEN, .c_width = SEC_BD3_C_WIDTH,
		.c_key_len = SEC_BD3_C_KEY_LEN, .c_mode = SEC_BD3_C_MODE, .c_alg = SEC_BD3_C_ALG, .seq = SEC_BD3_SEQ,
		.auth = SEC_BD3_AUTH, .ai_gen = SEC_BD3_AI_GEN, .auth_pad = SEC_BD3_AUTH_PAD,
		.mac_len = SEC_BD3_MAC_LEN, .a_key_len = SEC_BD3_A_KEY_LEN, .a_alg = SEC_BD3_A_ALG,
		.ctr_xts = SEC_BD3_CTR_XTS, .mac_sel = SEC_BD3_MAC_SEL,
	},
	[CRYPTO_BD2] = {
		.type = SEC_BD_TYPE2, .digest_scene = SEC_SCENE_IPSEC, .auth_word = 2, .invalid = SEC_BD2_INVALID,
		.scene = SEC_BD2_SCENE, .de = SEC_BD2_DE, .src_type = SEC_BD2_SRC_TYPE, .dst_type = SEC_BD2_DST_TYPE,
		.cipher = SEC_BD2_CIPHER, .c_icv_len = SEC_BD2_C_ICV_LEN, .c_width = SEC_BD2_C_WIDTH,
		.c_key_len = SEC_BD2_C_KEY_LEN, .c_mode = SEC_BD2_C_MODE, .c_alg = SEC_BD2_C_ALG, .seq = SEC_BD2_SEQ,
		.auth = SEC_BD2_AUTH, .ai_gen = SEC_BD2_AI_GEN, .auth_pad = SEC_BD2_AUTH_PAD,
		.mac_len = SEC_BD2_MAC_LEN, .a_key_len = SEC_BD2_A_KEY_LEN, .a_alg = SEC_BD2_A_ALG,
	},
};

/* Sets a field of which the type may have none. */
static void put(struct sec_bd *bd, __u32 field, __u32 value)
{
	if (!field)
		return;
	bd->dw[field >> 16] &= ~htole32(sec_field_mask(field));
	sec_put(bd, field, value);
}

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

static void head_fill(const struct crypto_sess *s, const struct layout *l, struct sec_bd *bd, bool decrypt)
{
	const struct crypto_sec *sec = &s->alg->sec;
	bool tagged = sec->kind == SEC_KIND_CCM || sec->kind == SEC_KIND_GCM;

	put(bd, SEC_BD_TYPE, l->type);
	put(bd, l->src_type, s->sgl ? SEC_ADDR_SGL : SEC_ADDR_FLAT);
	if (sec->kind == SEC_KIND_DIGEST) {
		put(bd, l->scene, l->digest_scene);
		return;
	}
	put(bd, l->scene, SEC_SCENE_IPSEC);
	put(bd, l->de, 1);
	put(bd, l->dst_type, s->sgl ? SEC_ADDR_SGL : SEC_ADDR_FLAT);
	put(bd, l->cipher, decrypt ? SEC_CIPHER_DECRYPT : SEC_CIPHER_ENCRYPT);
	put(bd, l->c_alg, sec->c_alg);
	put(bd, l->c_mode, sec->c_mode);
	put(bd, l->c_width, sec->c_width);
	put(bd, l->c_key_len, key_code(s));
	if (tagged)
		put(bd, l->c_icv_len, s->mac_len);
	if (sec->kind != SEC_KIND_CIPHER)
		put(bd, l->seq, decrypt ? SEC_SEQ_DIGEST_FIRST : SEC_SEQ_CIPHER_FIRST);
}

static void auth_fill(const struct crypto_sess *s, const struct layout *l, struct sec_bd *bd, bool decrypt)
{
	const struct crypto_sec *sec = &s->alg->sec;

	if (sec->kind == SEC_KIND_CIPHER && sec->c_mode == SEC_C_CTR)
		put(bd, l->ctr_xts, SEC_CTR_ROLLOVER_128);
	if (sec->kind != SEC_KIND_DIGEST && sec->kind != SEC_KIND_AUTHENC)
		return;
	put(bd, l->auth, decrypt ? SEC_AUTH_VERIFY : SEC_AUTH_CALCULATE);
	put(bd, l->mac_len, s->mac_len / 4u);
	put(bd, l->a_alg, sec->a_alg);
	/* A key whose length isn't a multiple of 4 is padded with zeroes, as HMAC defines. */
	if (s->keyed & CRYPTO_HAS_AKEY)
		put(bd, l->a_key_len, s->akey_len ? (s->akey_len + 3) / 4 : 1);
}

static void type_fill(struct crypto_sess *s, enum crypto_bd_type type)
{
	const struct layout *l = &layouts[type];
	int decrypt;

	for (decrypt = 0; decrypt < 2; decrypt++) {
		struct sec_bd bd = { 0 };

		head_fill(s, l, &bd, decrypt);
		auth_fill(s, l, &bd, decrypt);
		s->bd[type].head[decrypt] = sec_get64(&bd, 0);
		s->bd[type].auth[decrypt] = sec_get64(&bd, l->auth_word);
	}
}

void sec_session(struct crypto_sess *s)
{
	__u8 kind = s->alg->sec.kind;

	/* CCM and GCM have one key for both purposes. */
	s->a_key = kind == SEC_KIND_CCM || kind == SEC_KIND_GCM ? addr_of(s->key) :
		   s->keyed & CRYPTO_HAS_AKEY ? addr_of(s->akey) : 0;
	type_fill(s, CRYPTO_BD3);
	type_fill(s, CRYPTO_BD2);
}

/*
 * What generation 2 has of the classes' algorithms: three modes of ciphers, all digests, and AES with other hashes than
 * SM3 for AEAD.
 */
bool sec_v2_serves(const struct wd_session_attr *attr)
{
	const struct crypto_sec *sec = &((const struct crypto_alg *)attr->row)->sec;

	switch (sec->kind) {
	case SEC_KIND_CIPHER:
		return sec->c_mode == SEC_C_ECB || sec->c_mode == SEC_C_CBC || sec->c_mode == SEC_C_XTS;
	case SEC_KIND_DIGEST:
		return true;
	}
	return sec->c_alg == SEC_C_AES && sec->a_alg != SEC_A_HMAC_SM3;
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

/* Requests that generation 2 doesn't take in addition: nothing to hash, or to encrypt. A message's end may be empty. */
static int refuse_v2(const struct crypto_sess *s, const struct crypto_msg *c)
{
	const struct sec_stream *strm = c->strm;

	switch (s->alg->sec.kind) {
	case SEC_KIND_DIGEST:
		return c->src_len || (strm && strm->begun && strm->last) ? 0 : -E2BIG;
	case SEC_KIND_CCM:
	case SEC_KIND_GCM:
		return c->src_len == c->assoc_len && !strm ? -E2BIG : 0;
	}
	return 0;
}

static int job_blocks(struct hisi_queue *h, __u8 kind, const struct crypto_msg *c, unsigned int index,
		      struct sec_job *j)
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
	j->mac = addr_of(strm->state);
	if (strm->begun)
		j->a_iv = j->mac;
	if (strm->last)
		j->bits = strm->bytes * 8;
}

/* A step of GCM's: associated data, which begins the running hash, or data, whose blocks software counts. */
static void job_gcm_step(struct sec_job *j)
{
	if (j->c_len)
		j->a_iv = j->mac;
	else
		j->c_iv = 0;
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

static int job_fill(struct hisi_queue *h, const struct crypto_sess *s, const struct crypto_msg *c, unsigned int index,
		    struct sec_job *j)
{
	__u64 src = addr_of(c->sgl ? h->lists[index].src : c->src),
	      dst = addr_of(c->sgl ? h->lists[index].dst : c->dst);
	__u8 kind = s->alg->sec.kind;

	if (kind == SEC_KIND_DIGEST) {
		job_of_digest(c, src, j);
		return 0;
	}
	sec_job_cipher(j, kind, src, dst, c->iv_len ? addr_of(c->iv) : 0, addr_of(c->mac), (__u32)c->src_len,
		       c->assoc_len);
	if (c->strm) {
		job_gcm_step(j);
		/* Associated data has no destination, but type 2 names one. */
		if (!c->dst)
			j->dst = j->mac;
		return 0;
	}
	return kind == SEC_KIND_CCM || kind == SEC_KIND_GCM ? job_blocks(h, kind, c, index, j) : 0;
}

/* The length of an unfinished hash's state; 0 means the whole state, for the plain hashes but SM3. */
static __u32 state_words(const struct crypto_sess *s)
{
	__u8 alg = s->alg->sec.a_alg;

	return alg < SEC_A_HMAC ? 0 : s->state_len / 4u;
}

static void hash_step(const struct crypto_sess *s, const struct layout *l, const struct crypto_msg *c,
		      struct sec_bd *bd)
{
	const struct sec_stream *strm = c->strm;

	put(bd, l->auth_pad, strm->last ? SEC_PAD_DEVICE : SEC_PAD_NONE);
	if (strm->begun)
		put(bd, l->ai_gen, SEC_GEN_ADDRESS);
	if (!strm->last)
		put(bd, l->mac_len, state_words(s));
}

/*
 * Associated data is only hashed: the descriptor says nothing of a cipher, but type 3 needs to know which one's key it
 * is.
 */
static void gcm_assoc_step(const struct layout *l, const struct crypto_msg *c, struct sec_bd *bd)
{
	put(bd, l->cipher, SEC_CIPHER_NONE);
	put(bd, l->de, l->type == SEC_BD_TYPE2);
	put(bd, l->c_icv_len, 0);
	put(bd, l->auth, SEC_AUTH_CALCULATE);
	put(bd, l->a_alg, SEC_A_AES_GMAC);
	put(bd, l->mac_len, c->mac_len / 4u);
	if (l->type == SEC_BD_TYPE2) {
		put(bd, l->c_alg, 0);
		put(bd, l->c_mode, 0);
		put(bd, l->c_key_len, 0);
	}
}

static void gcm_step(const struct crypto_sess *s, const struct layout *l, const struct crypto_msg *c, struct sec_bd *bd)
{
	put(bd, l->scene, SEC_SCENE_STREAM);
	put(bd, l->auth_pad, SEC_PAD_NONE);
	put(bd, l->mac_sel, 1);
	put(bd, l->a_key_len, s->key_len / 4);
	if (c->assoc_len)
		gcm_assoc_step(l, c, bd);
	else
		put(bd, l->ai_gen, SEC_GEN_ADDRESS);
}

/*
 * Sets the fields that differ from the session's. Ciphertext stealing with one block is plain CBC, and the device needs
 * the mode for CBC then.
 */
static void request_fields(const struct crypto_sess *s, const struct layout *l, const struct crypto_msg *c,
			   struct sec_bd *bd)
{
	__u8 kind = s->alg->sec.kind;

	/* With no data the device has nothing to do: it only returns the descriptor. */
	if (kind == SEC_KIND_CIPHER && !c->src_len)
		put(bd, l->invalid, 1);
	if (c->sgl != s->sgl) {
		put(bd, l->src_type, SEC_ADDR_FLAT);
		put(bd, l->dst_type, SEC_ADDR_FLAT);
	}
	if (s->alg->sec.c_width && c->src_len == SEC_IV_BYTES) {
		put(bd, l->c_mode, SEC_C_CBC);
		put(bd, l->c_width, 0);
	}
	if (c->strm && kind == SEC_KIND_GCM)
		gcm_step(s, l, c, bd);
	else if (c->strm)
		hash_step(s, l, c, bd);
}

static void msg_write(struct hisi_queue *h, enum crypto_bd_type type, const struct crypto_sess *s,
		      const struct crypto_msg *c, struct sec_job *j)
{
	const struct layout *l = &layouts[type];
	struct sec_bd bd = { 0 };

	sec_put64(&bd, 0, s->bd[type].head[c->decrypt]);
	sec_put64(&bd, l->auth_word, s->bd[type].auth[c->decrypt]);
	request_fields(s, l, c, &bd);
	j->pad = sec_get(&bd, SEC_FIELD(27, 0, 32));
	sec_write(wd_ring_slot(&h->ring, HISI_INDEX(&c->m)), type, sec_get64(&bd, 0), sec_get64(&bd, l->auth_word),
		  s->key_len && (!c->strm || !c->assoc_len) ? addr_of(s->key) : 0, s->a_key, j, c->m.tag);
}

static int msg_lists(struct hisi_queue *h, const struct crypto_sess *s, const struct crypto_msg *c)
{
	struct wd_datalist mac = { .data = c->mac, .len = c->mac_len };

	/* A digest's result isn't data, and the device needs a source list even if it reads nothing. */
	return hisi_queue_get_lists(h, HISI_INDEX(&c->m), c->src_len ? c->src : &mac,
				    s->alg->sec.kind == SEC_KIND_DIGEST ? &mac : c->dst);
}

int sec_send(const struct fast_ops *ops, struct hisi_queue *h, struct wd_msg *m)
{
	const struct crypto_sess *s = to_crypto_sess(m->sess);
	struct crypto_msg *c = to_crypto_msg(m);
	struct sec_job j;
	int ret = refuse(s, c);

	if (!ret && ops->type == CRYPTO_BD2)
		ret = refuse_v2(s, c);
	if (!ret && c->sgl)
		ret = msg_lists(h, s, c);
	if (ret)
		return ret;
	ret = job_fill(h, s, c, HISI_INDEX(&c->m), &j);
	if (ret) {
		hisi_queue_put_lists(h, HISI_INDEX(&c->m));
		return ret;
	}
	msg_write(h, ops->type, s, c, &j);
	return 0;
}

/* --- results --- */

static bool ends_there(const struct crypto_msg *c)
{
	return wd_probe(WD_PROBE_READ, c->sgl, c->src, c->src_len) &&
	       (!c->dst || wd_probe(WD_PROBE_WRITE, c->sgl, c->dst, c->src_len)) &&
	       (!c->iv_len || wd_probe(WD_PROBE_READ, false, c->iv, c->iv_len)) &&
	       (!c->mac || wd_probe(c->decrypt ? WD_PROBE_READ : WD_PROBE_WRITE, false, c->mac, c->mac_len));
}

static __u32 error_of(__u32 w28)
{
	return w28 >> 16 & 0xff;
}

static int status_of(struct crypto_msg *c, __u32 w28)
{
	__u32 error = error_of(w28);

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

bool sec_stopped(struct wd_queue *q, unsigned int index)
{
	const volatile struct sec_bd *bd = wd_ring_slot(&hisi_queue_of(q)->ring, (__u16)index);

	return error_of(le32toh(bd->dw[SEC_BD_RESULT_FIRST])) == SEC_ERR_ABORTED;
}

void sec_end(const struct fast_ops *ops, struct hisi_queue *h, struct wd_msg *m, unsigned int index)
{
	struct crypto_msg *c = to_crypto_msg(m);
	struct sec_answer answer;

	sec_read(wd_ring_slot(&h->ring, (__u16)index), ops->type, &answer);
	c->consumed = c->src_len;
	c->produced = to_crypto_sess(m->sess)->alg->sec.kind == SEC_KIND_DIGEST ? c->mac_len : c->src_len;
	if (!sec_is_of(&answer, ops->type, m->tag, index)) {
		c->why = "the descriptor came back damaged";
		m->status = -EIO;
	} else {
		m->status = status_of(c, answer.result);
	}
	hisi_queue_put_lists(h, index);
}
