/* SPDX-License-Identifier: Apache-2.0 */
/* Block ciphers (AES, SM4, 3DES) on accelerators, on simulated ones, or on this CPU. */
#ifndef WD_CIPHER_H
#define WD_CIPHER_H

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
 * Threads: any thread may use any session, several at once; a key is set
 * while no other thread is inside a call with the session.
 *
 * fork: the child's copies of sessions go on working, keys included, on the
 * child's own contexts. What was in flight belongs to the parent, whose
 * callbacks never run in the child.
 *
 * Interrupted system calls are retried; nothing here may be called from a
 * signal handler.
 */

enum wd_cipher_alg {
	WD_CIPHER_SM4,		/* key 16 bytes (XTS: 32) */
	WD_CIPHER_AES,		/* key 16, 24 or 32 bytes (XTS: 32 or 64) */
	WD_CIPHER_DES,		/* not offered: -EOPNOTSUPP */
	WD_CIPHER_3DES,		/* key 16 (two keys) or 24 bytes; ECB and CBC */
};

enum wd_cipher_mode {
	WD_CIPHER_ECB,
	WD_CIPHER_CBC,
	WD_CIPHER_CTR,		/* the counter is the whole block, and rolls over */
	WD_CIPHER_XTS,		/* IEEE 1619; at least 16 bytes, at most 16 MiB; halves of the key must differ */
	WD_CIPHER_OFB,
	WD_CIPHER_CFB,		/* of whole blocks (CFB-128) */
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
 * arg->flags: write into iv the value with which a following request goes on
 * as if both were one. Synchronous requests of CBC, CTR, OFB and CFB, of whole
 * blocks. After an error iv is as it was.
 */
#define WD_CIPHER_CHAIN		0x1u

struct wd_cipher_arg;

/*
 * Called by whoever polls, once per request, with no lock held and the slot
 * already free: it may submit, poll, free or reuse arg; it may not free its
 * own session (-EDEADLK) nor fork.
 */
typedef void wd_alg_cipher_cb_t(struct wd_cipher_arg *arg, void *cb_param);

/* One request. Members up to iv_len and flags .. wr_id are read, consumed .. path_reason are written. */
struct wd_cipher_arg {
	const void *src;
	size_t src_len;			/* bytes: of ECB and CBC whole blocks */
	void *dst;			/* src itself, or memory that src doesn't overlap */
	size_t *dst_len;		/* in: bytes of room, src_len or more; out: src_len, 0 on an error */
	wd_alg_cipher_cb_t *cb;		/* asynchronous sessions without a completion queue only, else NULL */
	void *cb_param;
	void *iv;			/* NULL for ECB; not looked after: one that isn't mapped may be a SIGSEGV */
	__u32 iv_len;			/* bytes: the block's, 0 for ECB */
	__u32 op;			/* enum wd_cipher_op */
	__u32 flags;			/* WD_CIPHER_CHAIN; unknown bits are -EINVAL */
	__u32 timeout_ms;		/* deadline; 0: the session's; UINT_MAX: none */
	__u64 wr_id;			/* the caller's, untouched */
	__u64 consumed;			/* bytes of src used */
	__s32 status;			/* 0 or -errno */
	__u16 path;			/* enum wd_path */
	__u16 path_reason;		/* enum wd_path_reason */
	__u64 reserved[4];		/* 0 */
};

/* Only read, so one may serve many sessions and threads. */
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
 * wd_cipher_alloc_sess() - make a session and bind it to contexts.
 *
 * dev_mask: the devices it may use, NULL for all; read only during the call.
 * Returns a handle, or 0 and errno: EINVAL (a NULL, an unknown value or flag;
 * the detail names the member), EOPNOTSUPP (no such combination of algorithm
 * and mode, or neither a device nor this CPU has it; WD_PATH forbids what the
 * session asks for), and those of wd_comp_alloc_sess() about devices, sections
 * and completion queues.
 */
handle_t wd_cipher_alloc_sess(const struct wd_cipher_sess_setup *setup, const wd_dev_mask_t *dev_mask);

/*
 * wd_cipher_free_sess() - wipe the key and free the session.
 *
 * Freeing while another thread is inside a call with it is the caller's error.
 * Returns 0, -EINVAL (not a session of this library, or freed before), -EBUSY
 * (requests in flight, nothing freed), -EDEADLK (from its own callback).
 */
int wd_cipher_free_sess(handle_t sess);

/*
 * wd_cipher_set_key() - set the key, or replace it; the one before is wiped.
 *
 * The key is copied. Returns 0, -EINVAL (NULL, a length that the algorithm
 * doesn't have, equal halves of an XTS key: the key before stays), -EBUSY
 * (requests in flight), -ENOMEM (the session has no key then).
 */
int wd_cipher_set_key(handle_t sess, const __u8 *key, __u32 key_len);

/*
 * wd_cipher_sync() - one request, any size.
 *
 * Returns 0, else (arg->status says the same, *dst_len is 0): -EINVAL (among
 * others: no key, a length that the mode doesn't take, buffers that overlap
 * otherwise than exactly), -ENOSPC (room below src_len), -EFBIG (devices only,
 * and more than they take at once; ciphertext stealing of more than 1 GiB), -EFAULT (a buffer is not mapped), -ETIMEDOUT (the device
 * has been stopped), -ENODEV (device gone), -EIO (device reset or stopped),
 * -EOPNOTSUPP (devices only, and they lack the algorithm, or a list has more pieces than they take),
 * -EDQUOT (devices only, and no context of the section's grant can be had), -ENOMEM.
 */
int wd_cipher_sync(handle_t sess, struct wd_cipher_arg *arg);

/*
 * wd_cipher_async() - start a request of an asynchronous session.
 *
 * set: contexts to use, NULL for the session's own; read only during the
 * call. From success until the callback starts, or wd_poll_cq() has returned
 * the completion, the library owns arg, src, dst, *dst_len, iv and list nodes.
 * On the CPU path the poller computes.
 *
 * Returns 0, -EINVAL, -ENOSPC, -EBUSY (full: poll, or wd_cipher_wait()), -EFBIG (src
 * above 16 MiB - 512), -EOPNOTSUPP, -EDQUOT, -ENODEV, -EIO, -ESTALE (as wd_cipher_sync()). What was refused is untouched,
 * and no callback will run.
 */
int wd_cipher_async(handle_t sess, struct wd_cipher_arg *arg, const wd_ctx_set_t *set);

/*
 * wd_cipher_async_burst() - start up to n requests, one doorbell per context.
 *
 * Returns how many were taken (0 .. n; the first ones), or the error of the
 * first when none was taken for another reason than room.
 */
int wd_cipher_async_burst(handle_t sess, struct wd_cipher_arg *args[], int n, const wd_ctx_set_t *set);

/* wd_cipher_poll(), wd_cipher_poll_wait() - run callbacks of finished requests, as for compression, for the contexts of ciphers. */
int wd_cipher_poll(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
int wd_cipher_poll_wait(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);

/*
 * wd_cipher_wait(), wd_cipher_wait_set() - sleep until there is room since the
 * -EBUSY that this thread saw last.
 *
 * timeout_ms 0: don't wait; UINT_MAX: for ever. Returns 0, -ETIMEDOUT, -EINVAL, -ESTALE.
 */
int wd_cipher_wait(handle_t sess, unsigned int timeout_ms);
int wd_cipher_wait_set(const wd_ctx_set_t *set, unsigned int timeout_ms);

/* wd_cipher_wakeup(), wd_cipher_wakeup_set() - wake those who wait so, or in wd_cipher_poll_wait(). Return 0, -EINVAL, -ESTALE. */
int wd_cipher_wakeup(handle_t sess);
int wd_cipher_wakeup_set(const wd_ctx_set_t *set);

/* wd_cipher_sess_caps() - WD_CAP_* of a session as it is bound now, or -EINVAL. */
int wd_cipher_sess_caps(handle_t sess);

#ifdef __cplusplus
}
#endif
#endif
