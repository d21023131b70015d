/* SPDX-License-Identifier: Apache-2.0 */
/* Authenticated encryption (GCM, CCM, CBC with HMAC) on accelerators, on simulated ones, or on the software path. */
#ifndef WD_AEAD_H
#define WD_AEAD_H

#include <stddef.h>
#include <linux/types.h>
#include <wd.h>
#include <wd_cipher.h>
#include <wd_digest.h>
#include <wd_request.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rules and calls that all classes share are described in wd_request.h. */

struct wd_aead_arg;

/* See "Callbacks" in wd_request.h. */
typedef void wd_alg_aead_cb_t(struct wd_aead_arg *arg, void *cb_param);

/*
 * One request, or a part of a stream. Members up to assoc_len and flags .. wr_id are read, consumed .. path_reason are
 * written.
 *
 * src begins with assoc_len bytes that are only authenticated; the data follows.
 * dst has the same layout: the authenticated bytes are copied. The tag is in a
 * buffer of its own. A decryption whose tag is wrong returns -EBADMSG and
 * releases nothing: its data in dst is zeroed, also if dst is src. The same
 * holds after -EIO, -ENODEV and -ETIMEDOUT, and, as far as dst is mapped, after
 * -EFAULT and -EOPNOTSUPP from a device.
 */
struct wd_aead_arg {
	const void *src;
	size_t src_len;			/* bytes, including assoc_len; CBC takes whole blocks of data */
	void *dst;			/* src itself, or memory that src doesn't overlap */
	size_t *dst_len;		/* in: bytes of room, src_len or more; out: src_len, 0 on an error */
	wd_alg_aead_cb_t *cb;		/* asynchronous sessions without a completion queue only, else NULL */
	void *cb_param;
	const void *iv;			/* never written; an address that isn't mapped may raise SIGSEGV */
	__u32 iv_len;			/* bytes: GCM 12 (1 .. 128 on the software path), CCM 7 .. 13, CBC 16 */
	__u32 op;			/* enum wd_cipher_op */
	void *mac;			/* the tag, flat: written when encrypting, compared when decrypting */
	__u32 mac_len;			/* bytes at mac: the session's tag size, or more when encrypting */
	__u32 assoc_len;		/* bytes of src that are only authenticated */
	__u32 flags;			/* 0; unknown bits are -EINVAL */
	__u32 timeout_ms;		/* deadline; 0: the session's; UINT_MAX: none */
	__u64 wr_id;			/* the caller's, never changed */
	__u64 consumed;			/* bytes of src used */
	__s32 status;			/* 0 or -errno */
	__u16 path;			/* enum wd_path */
	__u16 path_reason;		/* enum wd_path_reason */
	__u64 reserved[4];		/* 0 */
};

/* The library only reads a setup: several sessions and threads may share one. */
struct wd_aead_sess_setup {
	__u8 calg;			/* enum wd_cipher_alg: WD_CIPHER_AES, WD_CIPHER_SM4 */
	__u8 cmode;			/* enum wd_cipher_mode: WD_CIPHER_GCM, WD_CIPHER_CCM, WD_CIPHER_CBC */
	__u8 dalg;			/* CBC: enum wd_digest_alg, SHA-1, SHA-256, SHA-512 or SM3; else 0 */
	__u8 dmode;			/* CBC: WD_DIGEST_HMAC; else 0 */
	__u8 op_type;			/* enum wd_op_type */
	__u8 reserved8;			/* 0 */
	__u16 data_fmt;			/* enum wd_buff_type */
	__u32 flags;			/* WD_SESS_*; unknown bits are -EINVAL */
	__u32 timeout_ms;		/* deadline of requests that set none; 0 or UINT_MAX: none */
	handle_t cq;			/* with WD_SESS_CQ in flags: the completion queue; else 0 */
	__u64 reserved[4];		/* 0 */
};

/*
 * wd_aead_alloc_sess() - allocate a session: see wd_request.h.
 *
 * CBC with HMAC is encrypt-then-MAC over the associated data and the
 * ciphertext, as in IPsec. EOPNOTSUPP also if the combination doesn't exist,
 * or neither a device nor libcrypto offers it.
 */
handle_t wd_aead_alloc_sess(const struct wd_aead_sess_setup *setup, const wd_dev_mask_t *dev_mask);

/* wd_aead_free_sess() - free a session: see wd_request.h. */
int wd_aead_free_sess(handle_t sess);

/*
 * wd_aead_set_ckey(), wd_aead_set_akey() - set or replace the key of the cipher
 * and that of the HMAC; the old key is wiped.
 *
 * GCM and CCM have only a cipher key. An HMAC key may have any length, also 0.
 * The key is copied. Return 0, -EINVAL (NULL, a length that the algorithm
 * doesn't have, or the session has no such key: the old key stays), -EBUSY
 * (requests in flight, or a stream has begun), -EOPNOTSUPP (a long key has to
 * be hashed, and libcrypto lacks the hash), -ENOMEM (the session then has no
 * such key).
 */
int wd_aead_set_ckey(handle_t sess, const __u8 *key, __u32 key_len);
int wd_aead_set_akey(handle_t sess, const __u8 *key, __u32 key_len);

/*
 * wd_aead_set_authsize() - set the size of tags in bytes; the default is the largest.
 *
 * GCM 4, 8, 12 .. 16; CCM 4, 6 .. 16 (even sizes); CBC with HMAC a multiple of
 * 4 up to the size of the hash. Returns 0, -EINVAL (no such size), -EBUSY
 * (requests in flight, or a stream has begun), -ENOMEM. After an error the old
 * size stays.
 */
int wd_aead_set_authsize(handle_t sess, __u32 authsize);

/*
 * wd_aead_get_authsize(), wd_aead_get_maxauthsize() - the current and the largest size of a tag in bytes, or -EINVAL.
 */
int wd_aead_get_authsize(handle_t sess);
int wd_aead_get_maxauthsize(handle_t sess);

/*
 * wd_aead_sync() - encrypt and authenticate, or verify and decrypt, one message.
 *
 * Returns 0, else (arg->status says the same, *dst_len is 0): -EBADMSG (the
 * tag is wrong), -EINVAL (among others: a key is missing, an iv or a length
 * that the mode doesn't take, buffers that overlap partly), -ENOSPC (room below
 * src_len), -EFBIG (devices only, and above 16 MiB - 512; CCM on the software
 * path above 2 GiB - 1), -EOPNOTSUPP (devices only, and nothing to encrypt or
 * authenticate, another length of iv, more associated data or a list of more
 * pieces than they take, or they lack the algorithm), -EFAULT (a buffer is not
 * mapped), -ETIMEDOUT (the device has been stopped), -ENODEV (device gone),
 * -EIO (device reset or stopped), -EDQUOT (devices only, and the section
 * grants no context for it), -ENOMEM.
 */
int wd_aead_sync(handle_t sess, struct wd_aead_arg *arg);

/*
 * wd_aead_update(), wd_aead_final() - process a message of GCM in parts.
 *
 * A DECRYPTION IN PARTS RELEASES PLAINTEXT BEFORE ITS TAG IS KNOWN. The output
 * of wd_aead_update() may be forged. The caller must not act on it, and must
 * discard it unless wd_aead_final() returns 0.
 *
 * A synchronous session has one stream. It starts with the first part and ends
 * with wd_aead_final(), also if that returns -EBADMSG. The first part has the
 * iv and all of the associated data. In later parts iv is NULL, iv_len and
 * assoc_len are 0, and op is the same. Parts may have any length, also 0, and
 * each writes as many bytes as it has. On a device a part of whole blocks of 16
 * bytes costs one descriptor, any other up to three. wd_aead_final() takes the
 * last part, and writes or compares the tag; wd_aead_update() ignores mac.
 * Other requests of the session don't disturb the stream. While it lasts,
 * setting a key or the size of the tag returns -EBUSY.
 *
 * Return what wd_aead_sync() does, and: -EOPNOTSUPP (CCM, which must know its
 * lengths first, and CBC with HMAC, for which devices have no parts), -EFBIG
 * (more than 2^36 - 32 bytes of data), -EINVAL (members that belong to another
 * part; the stream has ended with an error), -EBUSY (another thread is inside
 * the stream), -ESTALE. A decryption that fails or whose tag is wrong zeroes
 * the data of this part in dst, as wd_aead_sync() does. After -EFAULT,
 * -ETIMEDOUT, -ENODEV, -EIO, -EDQUOT and -ENOMEM a stream that has begun is
 * over, and only wd_aead_reset_sess() starts another. Other errors change
 * nothing.
 */
int wd_aead_update(handle_t sess, struct wd_aead_arg *arg);
int wd_aead_final(handle_t sess, struct wd_aead_arg *arg);

/* wd_aead_reset_sess() - abandon the stream; the next part starts a new one. Returns 0, -EINVAL, -EBUSY. */
int wd_aead_reset_sess(handle_t sess);

/*
 * wd_aead_async(), wd_aead_async_burst() - start asynchronous requests: see wd_request.h.
 *
 * src may have at most 16 MiB - 512 bytes.
 */
int wd_aead_async(handle_t sess, struct wd_aead_arg *arg, const wd_ctx_set_t *set);
int wd_aead_async_burst(handle_t sess, struct wd_aead_arg *args[], int n, const wd_ctx_set_t *set);

/* wd_aead_poll(), wd_aead_poll_wait() - run callbacks of finished requests: see wd_request.h. */
int wd_aead_poll(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
int wd_aead_poll_wait(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);

/* wd_aead_wait(), wd_aead_wait_set() - sleep until there is room for a request: see wd_request.h. */
int wd_aead_wait(handle_t sess, unsigned int timeout_ms);
int wd_aead_wait_set(const wd_ctx_set_t *set, unsigned int timeout_ms);

/* wd_aead_wakeup(), wd_aead_wakeup_set() - wake threads that wait for room or for callbacks: see wd_request.h. */
int wd_aead_wakeup(handle_t sess);
int wd_aead_wakeup_set(const wd_ctx_set_t *set);

/* wd_aead_sess_caps() - WD_CAP_* of a session: see wd_request.h. */
int wd_aead_sess_caps(handle_t sess);

#ifdef __cplusplus
}
#endif
#endif
