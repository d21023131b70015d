/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the SEC engine's drivers; private. */
#ifndef WD_SEC_PRIVATE_H
#define WD_SEC_PRIVATE_H

#include <endian.h>

#include "base/likely.h"
#include "crypto.h"
#include "fast.h"
#include "queue.h"
#include "hw/sec_hw.h"

#define SEC_TAG2_MASK		0xffffu
#define SEC_NOT_WORTH_IT	1024	/* bytes: below this, a real device is slower than the software path */

/* The memory of the request at one ring index: the blocks of CCM and GCM. */
struct sec_scratch {
	__u8 c_iv[SEC_IV_BYTES];
	__u8 a_iv[SEC_IV_BYTES];
};

/* The part of a descriptor that differs between requests of a session. */
struct sec_job {
	__u64 src;
	__u64 dst;
	__u64 mac;
	__u64 c_iv;
	__u64 a_iv;
	__u64 bits;		/* length of a whole message, in its last step */
	__u32 c_len;
	__u32 a_len;
	__u32 offset;		/* where the data to encrypt begins */
	__u32 pad;		/* word 27 of type 3 */
};

/* The job of a whole message's digest. */
static inline __attribute__((always_inline)) void sec_job_digest(struct sec_job *j, __u64 src, __u32 len, __u64 mac)
{
	*j = (struct sec_job){ .src = src, .mac = mac, .a_len = len };
}

/*
 * The job of a whole request of a cipher or of AEAD (mac and assoc are 0 for ciphers). For CCM and GCM the addresses of
 * the blocks are missing.
 */
static inline __attribute__((always_inline)) void sec_job_cipher(struct sec_job *j, __u8 kind, __u64 src, __u64 dst,
								 __u64 iv, __u64 mac, __u32 len, __u32 assoc)
{
	*j = (struct sec_job){
		.src = src, .dst = dst, .mac = mac, .c_iv = iv, .offset = assoc, .c_len = len - assoc,
		.a_len = kind == SEC_KIND_AUTHENC ? len : assoc,
	};
}

/* Stores 64 bits from an odd 32-bit word on: shifting them into place would cost more than the store. */
static inline __attribute__((always_inline)) void sec_store(__le64 *bd, unsigned int word, __u64 v)
{
	v = htole64(v);
	memcpy((__u8 *)bd + 4 * word, &v, sizeof(v));
}

/*
 * A software device may read the descriptor before the doorbell, and must find the old one or the new one: the stores
 * stand together, and the last one goes to the word in which the model last marks a descriptor as taken.
 */
static inline __attribute__((always_inline)) void sec_write3(__le64 *bd, __u64 head, __u64 auth, __u64 c_key,
							     __u64 a_key, const struct sec_job *j, __u32 tag)
{
	bd[0] = htole64(head);
	bd[1] = htole64(tag);
	bd[2] = htole64(j->src);
	bd[3] = htole64(a_key);
	bd[4] = htole64(j->a_iv);
	bd[5] = 0;
	bd[6] = htole64(c_key);
	bd[7] = htole64(auth);
	bd[8] = htole64((__u64)j->a_len << 32 | j->offset << 16);
	/* Each store repairs the word that the one before it wrote too far. */
	bd[9] = htole64(j->c_len);
	sec_store(bd, 19, j->dst);
	sec_store(bd, 21, j->mac);
	sec_store(bd, 23, j->c_iv);
	sec_store(bd, 25, j->bits);
	sec_store(bd, 27, j->pad);
	bd[14] = 0;
	hisi_sqe_order((void *)bd);
	bd[15] = 0;
}

/* The same for type 2, whose tag has 16 bits: the ring index. */
static inline __attribute__((always_inline)) void sec_write2(__le64 *bd, __u64 head, __u64 auth, __u64 c_key,
							     __u64 a_key, const struct sec_job *j, __u32 tag)
{
	bd[0] = htole64(head);
	bd[1] = htole64(auth);
	bd[2] = htole64((__u64)j->c_len << 32 | j->a_len);
	bd[3] = htole64(j->offset << 16);
	bd[4] = 0;
	bd[5] = htole64(tag & SEC_TAG2_MASK);
	bd[6] = htole64(j->bits);
	bd[7] = htole64(j->a_iv);
	bd[8] = htole64(a_key);
	bd[9] = htole64(j->mac);
	bd[10] = htole64(j->c_iv);
	bd[11] = htole64(c_key);
	bd[12] = htole64(j->src);
	bd[13] = htole64(j->dst);
	bd[14] = 0;
	hisi_sqe_order((void *)bd);
	bd[15] = 0;
}

/* type is a constant on the fast path, here and below: the compiler leaves one of the two. */
static inline __attribute__((always_inline)) void sec_write(__le64 *bd, enum crypto_bd_type type,
							    __u64 head, __u64 auth, __u64 c_key, __u64 a_key,
							    const struct sec_job *j, __u32 tag)
{
	if (type == CRYPTO_BD2)
		sec_write2(bd, head, auth, c_key, a_key, j, tag);
	else
		sec_write3(bd, head, auth, c_key, a_key, j, tag);
}

/* The device's answer, read once: the device shares the memory. */
struct sec_answer {
	__u32 result;
	__u32 tag;
};

static inline __attribute__((always_inline)) void sec_read(const volatile struct sec_bd *bd, enum crypto_bd_type type,
							   struct sec_answer *a)
{
	a->result = le32toh(bd->dw[SEC_BD_RESULT_FIRST]);
	a->tag = type == CRYPTO_BD2 ? le32toh(bd->dw[SEC_BD2_TAG >> 16]) & SEC_TAG2_MASK : le32toh(bd->dw[SEC_BD3_TAG]);
}

/* Whether the answer is that of the request with this tag, which is at that ring index. */
static inline __attribute__((always_inline)) bool sec_is_of(const struct sec_answer *a, enum crypto_bd_type type,
							    __u32 tag, unsigned int index)
{
	return a->tag == (type == CRYPTO_BD2 ? index : tag);
}

/* Done, no error, no mismatch. */
static inline bool sec_is_good(__u32 result)
{
	return (result & 0x00ff000du) == 0x00000001u;
}

/* Writes the descriptor of a whole request; of the fast path. */
static inline __attribute__((always_inline)) void sec_write_whole(__le64 *bd, enum crypto_bd_type type,
								  const struct crypto_sess *s, __u32 decrypt,
								  const void *c_key, const struct sec_job *j, __u32 tag)
{
	const struct crypto_bd *own = &s->bd[type];

	sec_write(bd, type, own->head[decrypt], own->auth[decrypt], (uintptr_t)c_key, s->a_key, j, tag);
}

/* Whether the device has done that request, without an error. */
static inline __attribute__((always_inline)) bool sec_is_done(const __le64 *bd, enum crypto_bd_type type, __u32 tag,
							      unsigned int index)
{
	struct sec_answer answer;

	sec_read((const volatile void *)bd, type, &answer);
	return likely(sec_is_good(answer.result) && sec_is_of(&answer, type, tag, index));
}

/* --- sec.c --- */
int sec_open(struct wd_queue *q, const struct uacce_dev_info *dev);
bool sec_v2_serves(const struct wd_session_attr *attr);
extern const char *const sec_apis[];
extern const char *const sec_v2_apis[];
/* struct fast_ops's */
int sec_send(const struct fast_ops *ops, struct hisi_queue *h, struct wd_msg *m);
void sec_end(const struct fast_ops *ops, struct hisi_queue *h, struct wd_msg *m, unsigned int index);
bool sec_stopped(struct wd_queue *q, unsigned int index);

/*
 * Counter block and B0 of CCM (SP 800-38C, A.2 and A.3): a byte of flags, a nonce of 7 to 13 bytes, and a number in the
 * remaining bytes. This reads the first and the last eight bytes of the nonce, so a nonce of seven bytes needs readable
 * memory on either side.
 */
static inline void sec_ccm_blocks(struct sec_scratch *b, const __u8 *nonce, __u32 nonce_len, __u32 mac_len,
				  __u32 assoc_len, __u64 len)
{
	__u32 q = SEC_IV_BYTES - 2 - nonce_len;
	__u64 first, rest, word;

	memcpy(&first, nonce, sizeof(first));
	memcpy(&rest, nonce + nonce_len - sizeof(rest), sizeof(rest));
	first = le64toh(first) << 8 | q;
	rest = htole64(le64toh(rest) >> 8 * q >> 8);
	word = htole64(first);
	memcpy(b->c_iv, &word, sizeof(word));
	word = htole64(first + 4 * mac_len - 8 + (assoc_len ? 0x40 : 0));
	memcpy(b->a_iv, &word, sizeof(word));
	word = rest | htobe64(1);
	memcpy(b->c_iv + sizeof(word), &word, sizeof(word));
	rest |= htobe64(len);
	memcpy(b->a_iv + sizeof(word), &rest, sizeof(word));
}

#define SEC_DRIVER_COMMON \
	.name = "hisi_sec2", \
	.min_bytes = SEC_NOT_WORTH_IT, \
	.open = sec_open, \
	.abort = hisi_queue_abort, \
	.stopped = sec_stopped, \
	HISI_QUEUE_DRIVER

#define SEC_DRIVER \
	SEC_DRIVER_COMMON, \
	.apis = sec_apis

/* For hardware of generation 2. */
#define SEC_V2_DRIVER \
	SEC_DRIVER_COMMON, \
	.apis = sec_v2_apis, \
	.serves = sec_v2_serves

/* The members of struct fast_ops that are the same for all classes. */
#define SEC_FAST \
	.send = sec_send, .end = sec_end, .abort = hisi_queue_abort

#endif
