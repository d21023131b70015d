/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes and HMACs (SM3, MD5, SHA-1, SHA-2) on accelerators, on simulated ones, or on the software path. */
#ifndef WD_DIGEST_H
#define WD_DIGEST_H

#include <stddef.h>
#include <linux/types.h>
#include <wd.h>
#include <wd_request.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rules and calls that all classes share are described in wd_request.h. */

enum wd_digest_alg {
	WD_DIGEST_SM3,			/* 32 bytes */
	WD_DIGEST_MD5,			/* 16 */
	WD_DIGEST_SHA1,			/* 20 */
	WD_DIGEST_SHA256,		/* 32 */
	WD_DIGEST_SHA224,		/* 28 */
	WD_DIGEST_SHA384,		/* 48 */
	WD_DIGEST_SHA512,		/* 64 */
	WD_DIGEST_SHA512_224,		/* 28 */
	WD_DIGEST_SHA512_256,		/* 32 */
};

enum wd_digest_mode {
	WD_DIGEST_NORMAL,
	WD_DIGEST_HMAC,			/* needs a key: wd_digest_set_key() */
};

#define WD_DIGEST_MAX		64	/* bytes of the longest digest */

struct wd_digest_arg;

/* See "Callbacks" in wd_request.h. */
typedef void wd_alg_digest_cb_t(struct wd_digest_arg *arg, void *cb_param);

/*
 * One message, or a part of a stream. Up to cb_param and flags .. wr_id are read, consumed .. path_reason are written.
 */
struct wd_digest_arg {
	const void *src;
	size_t src_len;			/* bytes; 0 is valid */
	void *dst;			/* the digest; always flat */
	size_t *dst_len;		/* in: bytes of room; out: bytes of the digest, 0 on an error */
	wd_alg_digest_cb_t *cb;		/* asynchronous sessions without a completion queue only, else NULL */
	void *cb_param;
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
struct wd_digest_sess_setup {
	__u8 alg;			/* enum wd_digest_alg */
	__u8 mode;			/* enum wd_digest_mode */
	__u8 op_type;			/* enum wd_op_type */
	__u8 reserved8;			/* 0 */
	__u16 data_fmt;			/* enum wd_buff_type: of src */
	__u16 out_bytes;		/* truncates the digest to a multiple of 4 bytes; 0: the whole digest */
	__u32 flags;			/* WD_SESS_*; unknown bits are -EINVAL */
	__u32 timeout_ms;		/* deadline of requests that set none; 0 or UINT_MAX: none */
	handle_t cq;			/* with WD_SESS_CQ in flags: the completion queue; else 0 */
	__u64 reserved[4];		/* 0 */
};

/*
 * wd_digest_alloc_sess() - allocate a session: see wd_request.h.
 *
 * EINVAL also for an out_bytes that the digest can't have. EOPNOTSUPP also if
 * neither a device nor libcrypto offers the digest.
 */
handle_t wd_digest_alloc_sess(const struct wd_digest_sess_setup *setup, const wd_dev_mask_t *dev_mask);

/* wd_digest_free_sess() - free a session: see wd_request.h. */
int wd_digest_free_sess(handle_t sess);

/*
 * wd_digest_set_key() - set or replace the key of an HMAC; the old key is wiped.
 *
 * The key is copied, and may have any length, also 0. Returns 0, -EINVAL (NULL,
 * or the session has no HMAC: the old key stays), -EBUSY (requests in flight,
 * or a stream has begun), -EOPNOTSUPP (a long key has to be hashed, and
 * libcrypto lacks the hash), -ENOMEM (the session then has no key).
 */
int wd_digest_set_key(handle_t sess, const __u8 *key, __u32 key_len);

/*
 * wd_digest_sync() - hash one message of any size.
 *
 * Returns 0, else (arg->status says the same, *dst_len is 0): -EINVAL (among
 * others: no key), -ENOSPC (less room than the digest needs), -EFAULT (a
 * buffer is not mapped), -ETIMEDOUT (the device has been stopped), -ENODEV
 * (device gone), -EIO (device reset or stopped), -EOPNOTSUPP (devices only, and
 * they lack the algorithm, or a list has more pieces than they take), -EDQUOT
 * (devices only, and the section grants no context for it), -ENOMEM.
 */
int wd_digest_sync(handle_t sess, struct wd_digest_arg *arg);

/*
 * wd_digest_update(), wd_digest_final() - hash a message in parts, the session's stream.
 *
 * A stream starts with the first part, and again with the first part after
 * wd_digest_final(). It is bound to one device or to the software path when it
 * starts, and never moves. Parts may have any length. wd_digest_update()
 * ignores dst and dst_len. wd_digest_final() takes the last part, which may be
 * empty, and writes the digest.
 *
 * Return 0, and the errors of wd_digest_sync(); -EBUSY if another thread is
 * inside the stream, -ESTALE if a fork's parent began it. After any error but
 * -EBUSY, -EINVAL and -ENOSPC the stream is over: wd_digest_reset_sess() starts
 * a new one.
 */
int wd_digest_update(handle_t sess, struct wd_digest_arg *arg);
int wd_digest_final(handle_t sess, struct wd_digest_arg *arg);

/*
 * wd_digest_reset_sess() - abandon the session's stream; the next part starts a new one.
 *
 * Returns 0 (also if there was no stream), -EINVAL, -EBUSY (a call is inside the stream).
 */
int wd_digest_reset_sess(handle_t sess);

/*
 * wd_digest_async(), wd_digest_async_burst() - start asynchronous requests: see wd_request.h.
 *
 * src may have at most 16 MiB - 512 bytes.
 */
int wd_digest_async(handle_t sess, struct wd_digest_arg *arg, const wd_ctx_set_t *set);
int wd_digest_async_burst(handle_t sess, struct wd_digest_arg *args[], int n, const wd_ctx_set_t *set);

/* wd_digest_poll(), wd_digest_poll_wait() - run callbacks of finished requests: see wd_request.h. */
int wd_digest_poll(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
int wd_digest_poll_wait(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);

/* wd_digest_wait(), wd_digest_wait_set() - sleep until there is room for a request: see wd_request.h. */
int wd_digest_wait(handle_t sess, unsigned int timeout_ms);
int wd_digest_wait_set(const wd_ctx_set_t *set, unsigned int timeout_ms);

/* wd_digest_wakeup(), wd_digest_wakeup_set() - wake threads that wait for room or for callbacks: see wd_request.h. */
int wd_digest_wakeup(handle_t sess);
int wd_digest_wakeup_set(const wd_ctx_set_t *set);

/* wd_digest_sess_caps() - WD_CAP_* of a session: see wd_request.h. */
int wd_digest_sess_caps(handle_t sess);

#ifdef __cplusplus
}
#endif
#endif
