/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes and HMACs (SM3, MD5, SHA-1, SHA-2) on accelerators, on simulated ones, or on this CPU. */
#ifndef WD_DIGEST_H
#define WD_DIGEST_H

#include <stddef.h>
#include <linux/types.h>
#include <wd.h>
#include <wd_request.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Rules that hold for every function here
 *
 * Errors: 0 or a count, else -errno (errno itself is left alone). A function
 * that returns a handle returns 0 and sets errno. In words:
 * wd_error_detail(session, ...), or wd_error_detail(0, ...) for the calling
 * thread's last failed call.
 *
 * Buffers: any memory of the process. When a call returns, or a callback
 * starts, with whatever result, nobody reads or writes the request's buffers
 * any more. On an error *dst_len is 0, and nothing is ever written past the
 * length given. An asynchronous request that isn't taken is left as it was.
 *
 * Threads: any thread may use any session, several at once; one stream per
 * session, with one call at a time (another gets -EBUSY); a key is set while
 * no other thread is inside a call with the session.
 *
 * fork: the child's copies of sessions go on working, keys included, on the
 * child's own contexts. A half-done stream answers -ESTALE in the child; what
 * was in flight belongs to the parent, whose callbacks never run in the child.
 *
 * Interrupted system calls are retried; nothing here may be called from a
 * signal handler.
 */

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
	WD_DIGEST_HMAC,			/* with a key: wd_digest_set_key() */
};

#define WD_DIGEST_MAX		64	/* bytes of the longest */

struct wd_digest_arg;

/*
 * Called by whoever polls, once per request, with no lock held and the slot
 * already free: it may submit, poll, free or reuse arg; it may not free its
 * own session (-EDEADLK) nor fork.
 */
typedef void wd_alg_digest_cb_t(struct wd_digest_arg *arg, void *cb_param);

/* One message, or a part of a stream. Members up to cb_param and flags .. wr_id are read, consumed .. path_reason are written. */
struct wd_digest_arg {
	const void *src;
	size_t src_len;			/* bytes; 0 is a message, too */
	void *dst;			/* the digest; always flat */
	size_t *dst_len;		/* in: bytes of room; out: bytes of the digest, 0 on an error */
	wd_alg_digest_cb_t *cb;		/* asynchronous sessions without a completion queue only, else NULL */
	void *cb_param;
	__u32 flags;			/* 0; unknown bits are -EINVAL */
	__u32 timeout_ms;		/* deadline; 0: the session's; UINT_MAX: none */
	__u64 wr_id;			/* the caller's, untouched */
	__u64 consumed;			/* bytes of src used */
	__s32 status;			/* 0 or -errno */
	__u16 path;			/* enum wd_path */
	__u16 path_reason;		/* enum wd_path_reason */
	__u64 reserved[4];		/* 0 */
};

/* Only read, so one may serve many sessions and threads. */
struct wd_digest_sess_setup {
	__u8 alg;			/* enum wd_digest_alg */
	__u8 mode;			/* enum wd_digest_mode */
	__u8 op_type;			/* enum wd_op_type */
	__u8 reserved8;			/* 0 */
	__u16 data_fmt;			/* enum wd_buff_type: of src */
	__u16 out_bytes;		/* of the digest, from its beginning: a multiple of 4; 0: all of it */
	__u32 flags;			/* WD_SESS_*; unknown bits are -EINVAL */
	__u32 timeout_ms;		/* deadline of requests that set none; 0 or UINT_MAX: none */
	handle_t cq;			/* with WD_SESS_CQ in flags: the completion queue; else 0 */
	__u64 reserved[4];		/* 0 */
};

/*
 * wd_digest_alloc_sess() - make a session and bind it to contexts.
 *
 * dev_mask: the devices it may use, NULL for all; read only during the call.
 * Returns a handle, or 0 and errno: EINVAL (a NULL, an unknown value or flag, out_bytes that is no
 * such length; the detail names the member), EOPNOTSUPP (neither a device nor this CPU has it; WD_PATH forbids
 * what the session asks for), and those of wd_comp_alloc_sess() about devices, sections
 * and completion queues.
 */
handle_t wd_digest_alloc_sess(const struct wd_digest_sess_setup *setup, const wd_dev_mask_t *dev_mask);

/*
 * wd_digest_free_sess() - wipe the key and free the session, abandoning its stream if it has one.
 *
 * Freeing while another thread is inside a call with it is the caller's error.
 * Returns 0, -EINVAL (not a session of this library, or freed before), -EBUSY
 * (requests in flight, nothing freed), -EDEADLK (from its own callback).
 */
int wd_digest_free_sess(handle_t sess);

/*
 * wd_digest_set_key() - set the key of an HMAC, or replace it; the one before is wiped.
 *
 * The key is copied, and may have any length, 0 too. Returns 0, -EINVAL (NULL, a session
 * without HMAC: the key before stays), -EBUSY (requests in flight, or a stream
 * has begun), -EOPNOTSUPP (a long key has to be hashed, and libcrypto lacks the hash), -ENOMEM (the session
 * has no key then).
 */
int wd_digest_set_key(handle_t sess, const __u8 *key, __u32 key_len);

/*
 * wd_digest_sync() - one message, any size.
 *
 * Returns 0, else (arg->status says the same, *dst_len is 0): -EINVAL (among
 * others: no key), -ENOSPC (room below the digest), -EFAULT (a
 * buffer is not mapped), -ETIMEDOUT (the device has been stopped), -ENODEV
 * (device gone), -EIO (device reset or stopped), -EOPNOTSUPP (devices only, and they lack the
 * algorithm, or a list has more pieces than they take), -EDQUOT (devices only, and no context of the section's grant can be had), -ENOMEM.
 */
int wd_digest_sync(handle_t sess, struct wd_digest_arg *arg);

/*
 * wd_digest_update(), wd_digest_final() - a message in parts: the session's stream.
 *
 * A stream starts by itself with the first part and after wd_digest_final();
 * it is bound to one device or to this CPU when it starts and never moves.
 * Parts may have any length. wd_digest_update() doesn't look at dst and
 * dst_len; wd_digest_final() takes a last part, which may be empty, and writes
 * the digest.
 *
 * Return 0, and the errors of wd_digest_sync(); -EBUSY when another thread is
 * inside, -ESTALE for a stream that a fork's parent began. After any error but
 * -EBUSY, -EINVAL and -ENOSPC the stream is over: wd_digest_reset_sess() starts a new one.
 */
int wd_digest_update(handle_t sess, struct wd_digest_arg *arg);
int wd_digest_final(handle_t sess, struct wd_digest_arg *arg);

/*
 * wd_digest_reset_sess() - abandon the session's stream; the next part starts a new one.
 *
 * Returns 0 (also when there was none), -EINVAL, -EBUSY (a call is inside the stream).
 */
int wd_digest_reset_sess(handle_t sess);

/*
 * wd_digest_async() - start a request of an asynchronous session.
 *
 * set: contexts to use, NULL for the session's own; read only during the
 * call. From success until the callback starts, or wd_poll_cq() has returned
 * the completion, the library owns arg, src, dst, *dst_len and list nodes.
 * On the CPU path the poller computes.
 *
 * Returns 0, -EINVAL, -ENOSPC, -EBUSY (full: poll, or wd_digest_wait()), -EFBIG (src
 * above 16 MiB - 512), -EOPNOTSUPP, -EDQUOT, -ENODEV, -EIO, -ESTALE (as wd_digest_sync()). What was refused is untouched,
 * and no callback will run.
 */
int wd_digest_async(handle_t sess, struct wd_digest_arg *arg, const wd_ctx_set_t *set);

/*
 * wd_digest_async_burst() - start up to n requests, one doorbell per context.
 *
 * Returns how many were taken (0 .. n; the first ones), or the error of the
 * first when none was taken for another reason than room.
 */
int wd_digest_async_burst(handle_t sess, struct wd_digest_arg *args[], int n, const wd_ctx_set_t *set);

/* wd_digest_poll(), wd_digest_poll_wait() - run callbacks of finished requests, as for compression, for the contexts of digests. */
int wd_digest_poll(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
int wd_digest_poll_wait(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);

/*
 * wd_digest_wait(), wd_digest_wait_set() - sleep until there is room since the
 * -EBUSY that this thread saw last.
 *
 * timeout_ms 0: don't wait; UINT_MAX: for ever. Returns 0, -ETIMEDOUT, -EINVAL, -ESTALE.
 */
int wd_digest_wait(handle_t sess, unsigned int timeout_ms);
int wd_digest_wait_set(const wd_ctx_set_t *set, unsigned int timeout_ms);

/* wd_digest_wakeup(), wd_digest_wakeup_set() - wake those who wait so, or in wd_digest_poll_wait(). Return 0, -EINVAL, -ESTALE. */
int wd_digest_wakeup(handle_t sess);
int wd_digest_wakeup_set(const wd_ctx_set_t *set);

/* wd_digest_sess_caps() - WD_CAP_* of a session as it is bound now, or -EINVAL. */
int wd_digest_sess_caps(handle_t sess);

#ifdef __cplusplus
}
#endif
#endif
