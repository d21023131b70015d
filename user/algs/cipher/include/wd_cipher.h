/* SPDX-License-Identifier: Apache-2.0 */
/* Block ciphers (AES, SM4, 3DES) on accelerators, on simulated ones, or on the software path. */
#ifndef WD_CIPHER_H
#define WD_CIPHER_H

#include <stddef.h>
#include <linux/types.h>
#include <wd.h>
#include <wd_request.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rules and calls that all classes share are described in wd_request.h. */

enum wd_cipher_alg {
	WD_CIPHER_SM4,		/* key 16 bytes (XTS: 32) */
	WD_CIPHER_AES,		/* key 16, 24 or 32 bytes (XTS: 32 or 64) */
	WD_CIPHER_DES,		/* not supported: EOPNOTSUPP */
	WD_CIPHER_3DES,		/* key 16 (two keys) or 24 bytes; ECB and CBC */
};

enum wd_cipher_mode {
	WD_CIPHER_ECB,
	WD_CIPHER_CBC,
	WD_CIPHER_CTR,		/* the counter is the whole block, and wraps around */
	WD_CIPHER_XTS,		/* IEEE 1619; at least 16 bytes, at most 16 MiB; the halves of the key must differ */
	WD_CIPHER_OFB,
	WD_CIPHER_CFB,		/* feedback of whole blocks (CFB-128) */
	WD_CIPHER_CBC_CS1,	/* ciphertext stealing, SP 800-38A addendum; at least 16 bytes, in one request */
	WD_CIPHER_CBC_CS2,
	WD_CIPHER_CBC_CS3,
	WD_CIPHER_CCM,		/* wd_aead.h */
	WD_CIPHER_GCM,		/* wd_aead.h */
};

enum wd_cipher_op {
	WD_CIPHER_ENCRYPTION,
	WD_CIPHER_DECRYPTION,
};

#define WD_CIPHER_KEY_MAX	64	/* bytes */
#define WD_CIPHER_IV_MAX	16

/*
 * arg->flags: write to iv the value with which the next request continues this
 * one. For synchronous requests of CBC, CTR, OFB and CFB that have whole
 * blocks. After an error iv is unchanged.
 */
#define WD_CIPHER_CHAIN		0x1u

struct wd_cipher_arg;

/* See "Callbacks" in wd_request.h. */
typedef void wd_alg_cipher_cb_t(struct wd_cipher_arg *arg, void *cb_param);

/* One request. Members up to iv_len and flags .. wr_id are read, consumed .. path_reason are written. */
struct wd_cipher_arg {
	const void *src;
	size_t src_len;			/* bytes; ECB and CBC take whole blocks */
	void *dst;			/* src itself, or memory that src doesn't overlap */
	size_t *dst_len;		/* in: bytes of room, src_len or more; out: src_len, 0 on an error */
	wd_alg_cipher_cb_t *cb;		/* asynchronous sessions without a completion queue only, else NULL */
	void *cb_param;
	void *iv;			/* NULL for ECB; an address that isn't mapped may raise SIGSEGV */
	__u32 iv_len;			/* bytes: the size of a block, 0 for ECB */
	__u32 op;			/* enum wd_cipher_op */
	__u32 flags;			/* WD_CIPHER_CHAIN; unknown bits are -EINVAL */
	__u32 timeout_ms;		/* deadline; 0: the session's; UINT_MAX: none */
	__u64 wr_id;			/* the caller's, never changed */
	__u64 consumed;			/* bytes of src used */
	__s32 status;			/* 0 or -errno */
	__u16 path;			/* enum wd_path */
	__u16 path_reason;		/* enum wd_path_reason */
	__u64 reserved[4];		/* 0 */
};

/* The library only reads a setup: several sessions and threads may share one. */
struct wd_cipher_sess_setup {
	__u8 alg;			/* enum wd_cipher_alg */
	__u8 mode;			/* enum wd_cipher_mode */
	__u8 op_type;			/* enum wd_op_type */
	__u8 reserved8;			/* 0 */
	__u16 data_fmt;			/* enum wd_buff_type */
	__u16 reserved16;		/* 0 */
	__u32 flags;			/* WD_SESS_*; unknown bits are -EINVAL */
	__u32 timeout_ms;		/* deadline of requests that set none; 0 or UINT_MAX: none */
	handle_t cq;			/* with WD_SESS_CQ in flags: the completion queue; else 0 */
	__u64 reserved[4];		/* 0 */
};

/*
 * wd_cipher_alloc_sess() - allocate a session: see wd_request.h.
 *
 * EOPNOTSUPP also if the mode doesn't exist for the algorithm, or neither a
 * device nor libcrypto offers it.
 */
handle_t wd_cipher_alloc_sess(const struct wd_cipher_sess_setup *setup, const wd_dev_mask_t *dev_mask);

/* wd_cipher_free_sess() - free a session: see wd_request.h. */
int wd_cipher_free_sess(handle_t sess);

/*
 * wd_cipher_set_key() - set or replace the session's key; the old key is wiped.
 *
 * The key is copied. Returns 0, -EINVAL (NULL, a length that the algorithm
 * doesn't have, equal halves of an XTS key: the old key stays), -EBUSY
 * (requests in flight), -ENOMEM (the session then has no key).
 */
int wd_cipher_set_key(handle_t sess, const __u8 *key, __u32 key_len);

/*
 * wd_cipher_sync() - encrypt or decrypt one request of any size.
 *
 * Returns 0, else (arg->status says the same, *dst_len is 0): -EINVAL (among
 * others: no key, a length that the mode doesn't take, buffers that overlap
 * partly), -ENOSPC (room below src_len), -EFBIG (devices only, and more than
 * they take at once; ciphertext stealing of more than 1 GiB), -EFAULT (a
 * buffer is not mapped), -ETIMEDOUT (the device has been stopped), -ENODEV
 * (device gone), -EIO (device reset or stopped), -EOPNOTSUPP (devices only, and
 * they lack the algorithm, or a list has more pieces than they take), -EDQUOT
 * (devices only, and the section grants no context for it), -ENOMEM.
 */
int wd_cipher_sync(handle_t sess, struct wd_cipher_arg *arg);

/*
 * wd_cipher_async(), wd_cipher_async_burst() - start asynchronous requests: see wd_request.h.
 *
 * src may have at most 16 MiB - 512 bytes.
 */
int wd_cipher_async(handle_t sess, struct wd_cipher_arg *arg, const wd_ctx_set_t *set);
int wd_cipher_async_burst(handle_t sess, struct wd_cipher_arg *args[], int n, const wd_ctx_set_t *set);

/* wd_cipher_poll(), wd_cipher_poll_wait() - run callbacks of finished requests: see wd_request.h. */
int wd_cipher_poll(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
int wd_cipher_poll_wait(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);

/* wd_cipher_wait(), wd_cipher_wait_set() - sleep until there is room for a request: see wd_request.h. */
int wd_cipher_wait(handle_t sess, unsigned int timeout_ms);
int wd_cipher_wait_set(const wd_ctx_set_t *set, unsigned int timeout_ms);

/* wd_cipher_wakeup(), wd_cipher_wakeup_set() - wake threads that wait for room or for callbacks: see wd_request.h. */
int wd_cipher_wakeup(handle_t sess);
int wd_cipher_wakeup_set(const wd_ctx_set_t *set);

/* wd_cipher_sess_caps() - WD_CAP_* of a session: see wd_request.h. */
int wd_cipher_sess_caps(handle_t sess);

#ifdef __cplusplus
}
#endif
#endif
