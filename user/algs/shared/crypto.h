/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by ciphers, digests and AEAD and their drivers; private, and compiled into each of the three libraries. */
#ifndef WD_CRYPTO_H
#define WD_CRYPTO_H

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "base/likely.h"
#include "base/lists.h"
#include "driver.h"

/* Largest request of one descriptor: associated data and data. */
#define CRYPTO_MAX_BYTES	0xfffe00u

#define CRYPTO_KEY_MAX		64	/* of a cipher */
#define CRYPTO_AKEY_MAX		128	/* of an HMAC; longer keys are hashed first */
#define CRYPTO_IV_MAX		16
#define CRYPTO_MAC_MAX		64

struct soft_evp;
struct crypto_strm;

/* Types of descriptors: hardware of generation 3, and of generation 2. A session may use devices of both. */
enum crypto_bd_type {
	CRYPTO_BD3,
	CRYPTO_BD2,
	CRYPTO_BD_TYPES,
};

/* The kind of descriptor. */
enum sec_kind {
	SEC_KIND_CIPHER,
	SEC_KIND_DIGEST,
	SEC_KIND_CCM,
	SEC_KIND_GCM,
	SEC_KIND_AUTHENC,
};

/* A step of a long message on a device: the state between two steps, and the length so far. */
struct sec_stream {
	__u8 state[CRYPTO_MAC_MAX];
	__u64 bytes;		/* of a hashed message, including this step */
	bool begun;		/* state is valid */
	bool last;
};

/* A device's codes for an algorithm: the constant parts of a descriptor. */
struct crypto_sec {
	__u8 kind;
	__u8 c_alg;
	__u8 c_mode;
	__u8 c_width;
	__u8 a_alg;
};

/* First member of a row in a class's table of algorithms. */
struct crypto_alg {
	const char *name;		/* for messages */
	struct crypto_sec sec;
	const char *evp;		/* libcrypto's name, with %u for the bits of the key; NULL: not supported */
	const char *evp_md;		/* the same for the hash */
};

/**
 * struct crypto_msg - one request to a driver
 * @src, @dst:	bytes or struct wd_datalist, as @sgl says
 * @src_len:	total length: associated data (@assoc_len), then data
 * @dst_len:	size of dst
 * @iv:		iv_len bytes
 * @mac:	tag or digest: written or compared
 * @mac_len:	length of the tag or digest
 * @decrypt:	else encrypt, or hash
 * @strm:	the device's state, for a step of a stream, or NULL
 * @why:	text of the error, or NULL
 */
struct crypto_msg {
	struct wd_msg m;
	size_t consumed;	/* here and in this order because of struct wd_msg_ends */
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
 * @alg:	row of the algorithm
 * @keyed:	bits of CRYPTO_HAS_*: the keys that are set
 * @needs:	bits of CRYPTO_HAS_*: the keys that requests need
 * @granule:	length of data is a multiple of it
 * @mac_len:	length of a tag or digest
 * @block:	smallest length of a cipher's data; for a hash, the block at which streams are cut
 * @fast_least:	smallest length of a cipher's data on a device's fast path
 * @state_len:	for a hash: size of the chaining state
 * @bd:		the constant part of the session's descriptors, of either type: sec.c
 * @a_key:	the same
 * @evp:	software path: libcrypto's objects, or NULL
 * @strm:	the session's stream, if the class has streams
 * @strm_busy:	wd_fork_trylock() of the thread that uses the stream
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
	__u8 fast_least;
	struct crypto_bd {
		__u64 head[2];		/* words 0 and 1: encryption, decryption */
		__u64 auth[2];		/* words 14 and 15; of type 2: words 2 and 3 */
	} bd[CRYPTO_BD_TYPES];
	__u64 a_key;			/* address, or 0 */
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

/* A session of that class with the algorithm alg. NULL and errno on failure. */
struct crypto_sess *crypto_sess_alloc(const struct wd_class *cls, const struct wd_session_attr *attr,
				      const struct crypto_alg *alg, __u16 data_fmt);
/*
 * To be called when the class's part of the session is complete: prepares the driver and
 * the fast path. Returns the handle; 0 and errno, with the session freed, when neither a
 * device nor the software path can serve it.
 */
handle_t crypto_sess_ready(struct crypto_sess *s, bool soft_has_it);
/* 0, -EINVAL, -EBUSY, -EDEADLK. */
int crypto_sess_free(handle_t sess, const struct wd_class *cls);
int crypto_sess_caps(handle_t sess, const struct wd_class *cls);

/* Sets the key that which names, wipes the old one and updates the drivers. 0, -ENOMEM. */
int crypto_key_put(struct crypto_sess *s, __u8 which, const void *key, __u32 len);

/* Updates the drivers after a change of the session. 0, -ENOMEM. */
int crypto_changed(struct crypto_sess *s);
/* The same for an HMAC's key, of any length: a key longer than a block of its hash is hashed. */
int crypto_akey_put(struct crypto_sess *s, const void *key, __u32 len);

/* True if src and dst overlap, but are not the same. */
static inline bool crypto_overlap_bad(const void *src, const void *dst, size_t len)
{
	return src != dst && (uintptr_t)src < (uintptr_t)dst + len && (uintptr_t)dst < (uintptr_t)src + len;
}

/*
 * Checks of a request: an inlined test for the usual case; otherwise the full check, which returns 0 or records the
 * error.
 */
__attribute__((cold)) int crypto_refuse_keys(struct crypto_sess *s);
__attribute__((cold)) int crypto_check_ends_slow(struct crypto_sess *s, const void *src, size_t src_len,
						 const void *dst, const size_t *dst_len, size_t room);
__attribute__((cold)) int crypto_check_pair_slow(struct crypto_sess *s, const void *src, const void *dst, size_t len);

static inline int crypto_check_keys(struct crypto_sess *s)
{
	return unlikely(s->needs & ~s->keyed) ? crypto_refuse_keys(s) : 0;
}

/* Checks a request's buffers; room: the size that dst needs. */
static inline int crypto_check_ends(struct crypto_sess *s, const void *src, size_t src_len, const void *dst,
				    const size_t *dst_len, size_t room)
{
	if (likely(!s->sgl && src && dst && dst_len && *dst_len >= room))
		return 0;
	return crypto_check_ends_slow(s, src, src_len, dst, dst_len, room);
}

/* Checks two buffers of the same length; not for digests. */
static inline int crypto_check_pair(struct crypto_sess *s, const void *src, const void *dst, size_t len)
{
	return likely(!s->sgl && !crypto_overlap_bad(src, dst, len)) ? 0 : crypto_check_pair_slow(s, src, dst, len);
}

/* struct wd_class's may_redo(). */
bool crypto_may_redo(const struct wd_msg *m);

/* --- struct wd_class's, for all three classes --- */

/* For refill(): fills in what the three classes have in common; iv, mac and assoc_len are missing. */
struct crypto_msg *crypto_msg_begin(struct wd_session *s, void *req, struct wd_msg *m);
int crypto_fill(struct wd_session *s, void *req, struct wd_msg *m);
/* Executes a filled request, on a device or on the software path; results in the message. Returns its status. */
int crypto_run(struct wd_session *s, struct wd_msg *m);
int crypto_run_over(struct wd_session *s, struct wd_msg *m);
int crypto_result(struct wd_session *s, void *req, struct wd_msg *m, int ret);
int crypto_ended(struct wd_msg *m);

/* The members of a class's table that the three have in common; name: as for FRAME_PUBLIC(). */
#define CRYPTO_CLASS(name) \
	FRAME_CLASS(name), \
	.async_most = CRYPTO_MAX_BYTES, \
	.fill = crypto_fill, \
	.may_redo = crypto_may_redo, \
	.run_over = crypto_run_over, \
	.result = crypto_result, \
	.ended = crypto_ended

/* For a request without data: sets an empty result. */
int crypto_do_nothing(struct crypto_sess *s, struct crypto_msg *c);

/* A device took the request, and can't compute it. */
static inline bool crypto_lacks(int ret, __u32 vendor)
{
	return ret == -EOPNOTSUPP && vendor;
}

/* Records why a request failed; why: text from its message. Returns ret. */
int crypto_say(struct crypto_sess *s, int ret, const char *why, __u32 vendor);
/* After a failed request: zeroes the data in dst if it may be decrypted data that no tag has verified. */
void crypto_failed(struct crypto_msg *c, int ret);

/* --- hisi/sec.c --- */

/* Computes the constant part of the session's descriptors; to be called after each change of the session. */
void sec_session(struct crypto_sess *s);

#endif
