/* SPDX-License-Identifier: Apache-2.0 */
/* What ciphers, digests and AEAD, and their drivers, have in common; private, and compiled into each of the three libraries. */
#ifndef WD_CRYPTO_H
#define WD_CRYPTO_H

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "base/lists.h"
#include "driver.h"

/* Largest request of one descriptor: data, with what is only authenticated. */
#define CRYPTO_MAX_BYTES	0xfffe00u

#define CRYPTO_KEY_MAX		64	/* of a cipher */
#define CRYPTO_AKEY_MAX		128	/* of an HMAC; longer ones are hashed first */
#define CRYPTO_IV_MAX		16
#define CRYPTO_MAC_MAX		64

struct soft_evp;
struct crypto_strm;

/* What kind of descriptor */
enum sec_kind {
	SEC_KIND_CIPHER,
	SEC_KIND_DIGEST,
	SEC_KIND_CCM,
	SEC_KIND_GCM,
	SEC_KIND_AUTHENC,
};

/* A step of a long message on a device: what is kept between two of them, and its length so far. */
struct sec_stream {
	__u8 state[CRYPTO_MAC_MAX];
	__u64 bytes;		/* of a hashed message, with this step */
	bool begun;		/* state is one */
	bool last;
};

/* What a device calls it: the constant parts of a descriptor. */
struct crypto_sec {
	__u8 kind;
	__u8 c_alg;
	__u8 c_mode;
	__u8 c_width;
	__u8 a_alg;
};

/* A class's table of algorithms begins its rows with this. */
struct crypto_alg {
	const char *name;		/* for messages */
	struct crypto_sec sec;
	const char *evp;		/* libcrypto's name, with %u for the bits of the key; NULL: hasn't it */
	const char *evp_md;		/* the same for what authenticates */
};

/**
 * struct crypto_msg - one request to a driver
 * @src, @dst:	bytes or struct wd_datalist, as @sgl says
 * @src_len:	all of it: what is only authenticated (@assoc_len), then data
 * @dst_len:	room
 * @iv:		of iv_len bytes
 * @mac:	tag or digest: written, or compared
 * @mac_len:	of so many bytes
 * @decrypt:	else encrypt, or hash
 * @strm:	the device's part of a stream that this is a step of, or NULL
 * @why:	what is wrong, in words, or NULL
 */
struct crypto_msg {
	struct wd_msg m;
	size_t consumed;	/* here and in this order: struct wd_msg_ends */
	size_t produced;
	const void *src;
	void *dst;
	size_t src_len;
	size_t dst_len;
	const __u8 *iv;
	__u8 *mac;
	__u32 iv_len;
	__u32 assoc_len;
	__u32 mac_len;
	bool decrypt;
	bool sgl;
	struct sec_stream *strm;
	const char *why;
};
WD_MSG_ASSERT(struct crypto_msg);

static inline struct crypto_msg *to_crypto_msg(struct wd_msg *m)
{
	return (struct crypto_msg *)m;
}

/**
 * struct crypto_sess - a session of one of the three classes
 * @alg:	its row
 * @keyed:	bits of CRYPTO_HAS_*: the keys that were set
 * @needs:	the same: those that it can't work without
 * @granule:	data comes in multiples of it
 * @mac_len:	of a tag or digest
 * @block:	the least bytes of data of a cipher; of a hash, whose streams are cut there
 * @state_len:	of a hash: what its chaining state has
 * @bd:		what its descriptors have in common: sec.c
 * @evp:	on this CPU: what libcrypto has prepared, or NULL
 * @strm:	its stream, of a class that has them
 * @strm_busy:	wd_fork_trylock() of who is inside
 */
struct crypto_sess {
	struct wd_session s;
	const struct crypto_alg *alg;
	bool sgl;
	__u8 keyed;
	__u8 needs;
	__u8 granule;
	__u8 iv_len;
	__u8 mac_len;
	__u8 block;
	__u8 state_len;
	__u32 key_len;
	__u32 akey_len;
	struct crypto_bd {
		__u64 head[2];		/* words 0 and 1: encryption, decryption */
		__u64 auth[2];		/* words 14 and 15 */
		__u64 a_key;		/* address, or 0 */
	} bd;
	struct soft_evp *evp;
	struct crypto_strm *strm;
	_Atomic __u32 strm_busy;
	_Alignas(16) __u8 key[CRYPTO_KEY_MAX];
	__u8 akey[CRYPTO_AKEY_MAX];
};

#define CRYPTO_HAS_KEY	1
#define CRYPTO_HAS_AKEY	2

static inline struct crypto_sess *to_crypto_sess(struct wd_session *s)
{
	return (struct crypto_sess *)s;
}

/* --- crypto.c --- */

/* A session of that class; alg says what it is. NULL and errno. */
struct crypto_sess *crypto_sess_alloc(const struct wd_class *cls, const struct wd_session_attr *attr,
				      const struct crypto_alg *alg, __u16 data_fmt);
/*
 * What a class has filled in is complete: what its driver and its fast path
 * make of it. Returns its handle; 0 and errno, and the session is gone, when neither a device nor this
 * CPU can serve it.
 */
handle_t crypto_sess_ready(struct crypto_sess *s, bool soft_has_it);
/* 0, -EINVAL, -EBUSY, -EDEADLK. */
int crypto_sess_free(handle_t sess, const struct wd_class *cls);
int crypto_sess_caps(handle_t sess, const struct wd_class *cls);

/* Of len bytes, into to, which has room for room; what was there is wiped. Also tells the drivers. 0, -ENOMEM. */
int crypto_key_put(struct crypto_sess *s, __u8 which, const void *key, __u32 len);

/* Something that drivers have prepared has changed. 0, -ENOMEM. */
int crypto_changed(struct crypto_sess *s);
/* The same for the key of an HMAC, of any length: what is longer than a block of its hash is hashed. */
int crypto_akey_put(struct crypto_sess *s, const void *key, __u32 len);

/* Neither the same nor apart. */
static inline bool crypto_overlap_bad(const void *src, const void *dst, size_t len)
{
	return src != dst && (uintptr_t)src < (uintptr_t)dst + len && (uintptr_t)dst < (uintptr_t)src + len;
}

/* Checks of a request: one look for what is nearly always right, then what is wrong, recorded, or 0 after all. */
__attribute__((cold)) int crypto_refuse_keys(struct crypto_sess *s);
__attribute__((cold)) int crypto_check_ends_slow(struct crypto_sess *s, const void *src, size_t src_len, const void *dst,
						 const size_t *dst_len, size_t room);
__attribute__((cold)) int crypto_check_pair_slow(struct crypto_sess *s, const void *src, const void *dst, size_t len);

static inline int crypto_check_keys(struct crypto_sess *s)
{
	return __builtin_expect(s->needs & ~s->keyed, 0) ? crypto_refuse_keys(s) : 0;
}

/* The ends of a request's buffers; room: what dst must have. */
static inline int crypto_check_ends(struct crypto_sess *s, const void *src, size_t src_len, const void *dst,
				    const size_t *dst_len, size_t room)
{
	if (__builtin_expect(!s->sgl && src && dst && dst_len && *dst_len >= room, 1))
		return 0;
	return crypto_check_ends_slow(s, src, src_len, dst, dst_len, room);
}

/* The same of two ends of that length, for what is no digest. */
static inline int crypto_check_pair(struct crypto_sess *s, const void *src, const void *dst, size_t len)
{
	return __builtin_expect(!s->sgl && !crypto_overlap_bad(src, dst, len), 1) ? 0 : crypto_check_pair_slow(s, src, dst, len);
}

/* Whether it may be done again from the beginning. */
__u8 crypto_may_redo(const struct crypto_msg *c);

/* Do a filled request, on a device or here; results in the message. Returns its status. */
int crypto_do_sync(struct crypto_sess *s, struct crypto_msg *c);
/* The same for one that took the fast path, but not to its end. */
int crypto_do_over(struct crypto_sess *s, struct crypto_msg *c);
/* The same for an asynchronous one that has ended otherwise than well. */
int crypto_do_ended(struct crypto_sess *s, struct crypto_msg *c);
/* Of no bytes: nothing to do. */
int crypto_do_nothing(struct crypto_sess *s, struct crypto_msg *c);

/* A device had the request, and can't compute such. */
static inline bool crypto_lacks(int ret, __u32 vendor)
{
	return ret == -EOPNOTSUPP && vendor;
}

/* What a request has failed with, in words; why: as its message says. Returns ret. */
int crypto_say(struct crypto_sess *s, int ret, const char *why, __u32 vendor);
/* A request has failed: the data in dst is zeroed where it may be what a tag was to vouch for. */
void crypto_failed(struct crypto_msg *c, int ret);

/* --- hisi/sec.c --- */

/* What the session's descriptors have in common, whenever something of that has changed. */
void sec_session(struct crypto_sess *s);

#endif
