/* SPDX-License-Identifier: Apache-2.0 */
/* Authenticated encryption (GCM, CCM, CBC with HMAC) on accelerators, on simulated ones, or on this CPU. */
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
 * session, with one call at a time (another gets -EBUSY); keys and the size of
 * the tag are set while no other thread is inside a call with the session.
 *
 * fork: the child's copies of sessions go on working, keys included, on the
 * child's own contexts. A half-done stream answers -ESTALE in the child; what
 * was in flight belongs to the parent, whose callbacks never run in the child.
 *
 * Interrupted system calls are retried; nothing here may be called from a
 * signal handler.
 */

struct wd_aead_arg;

/*
 * Called by whoever polls, once per request, with no lock held and the slot
 * already free: it may submit, poll, free or reuse arg; it may not free its
 * own session (-EDEADLK) nor fork.
 */
typedef void wd_alg_aead_cb_t(struct wd_aead_arg *arg, void *cb_param);

/*
 * One request, or a part of a stream. Members up to assoc_len and flags .. wr_id are read, consumed .. path_reason are written.
 *
 * src is assoc_len bytes that are only authenticated, and behind them the
 * data; dst has the same layout, with those bytes copied. The tag is apart.
 * A decryption whose tag is wrong is -EBADMSG, and releases nothing: its data
 * in dst is zeroed, in place too, as it is after -EIO, -ENODEV and -ETIMEDOUT, and, as far as dst is
 * there, after -EFAULT and -EOPNOTSUPP from a device.
 */
struct wd_aead_arg {
	const void *src;
	size_t src_len;			/* bytes, with assoc_len; data of CBC is whole blocks */
	void *dst;			/* src itself, or memory that src doesn't overlap */
	size_t *dst_len;		/* in: bytes of room, src_len or more; out: src_len, 0 on an error */
	wd_alg_aead_cb_t *cb;		/* asynchronous sessions without a completion queue only, else NULL */
	void *cb_param;
	const void *iv;			/* never written, nor looked after: one that isn't mapped may be a SIGSEGV */
	__u32 iv_len;			/* bytes: GCM 12 (others on this CPU only, up to 128), CCM 7 .. 13, CBC 16 */
	__u32 op;			/* enum wd_cipher_op */
	void *mac;			/* the tag, flat: written when encrypting, compared when decrypting */
	__u32 mac_len;			/* bytes there: the session's size of a tag, or more when encrypting */
	__u32 assoc_len;		/* bytes of src that are only authenticated */
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
 * wd_aead_alloc_sess() - make a session and bind it to contexts.
 *
 * CBC with HMAC is encrypt-then-MAC, of the associated data and the
 * ciphertext, as IPsec has it. dev_mask: the devices it may use, NULL for
 * all; read only during the call. Returns a handle, or 0 and errno: EINVAL (a NULL, an unknown value or flag;
 * the detail names the member), EOPNOTSUPP (no such combination, or neither a device nor this CPU has
 * it; WD_PATH forbids what the session asks for), and those of
 * wd_comp_alloc_sess() about devices, sections and completion queues.
 */
handle_t wd_aead_alloc_sess(const struct wd_aead_sess_setup *setup, const wd_dev_mask_t *dev_mask);

/*
 * wd_aead_free_sess() - wipe the keys and free the session.
 *
 * Freeing while another thread is inside a call with it is the caller's error.
 * Returns 0, -EINVAL (not a session of this library, or freed before), -EBUSY
 * (requests in flight, nothing freed), -EDEADLK (from its own callback).
 */
int wd_aead_free_sess(handle_t sess);

/*
 * wd_aead_set_ckey(), wd_aead_set_akey() - set the cipher's key, and that of
 * the HMAC, or replace them; the one before is wiped.
 *
 * GCM and CCM have a cipher's key only; an HMAC's may have any length, 0 too. The key is
 * copied. Return 0, -EINVAL (NULL, a length that the algorithm doesn't have, no
 * such key here: the one before stays), -EBUSY (requests in flight, or a stream has begun), -EOPNOTSUPP (a long key has to be hashed, and libcrypto lacks
 * the hash), -ENOMEM (the session has no such key then).
 */
int wd_aead_set_ckey(handle_t sess, const __u8 *key, __u32 key_len);
int wd_aead_set_akey(handle_t sess, const __u8 *key, __u32 key_len);

/*
 * wd_aead_set_authsize() - bytes of the tag; at first the most that there are.
 *
 * GCM 4, 8, 12 .. 16; CCM 4, 6 .. 16; CBC with HMAC a multiple of 4 up to the
 * hash's. Returns 0, -EINVAL (no such size), -EBUSY (requests in flight, or a stream has
 * begun), -ENOMEM; then the one before stays.
 */
int wd_aead_set_authsize(handle_t sess, __u32 authsize);

/* wd_aead_get_authsize(), wd_aead_get_maxauthsize() - bytes of the tag now; the most there can be. Or -EINVAL. */
int wd_aead_get_authsize(handle_t sess);
int wd_aead_get_maxauthsize(handle_t sess);

/*
 * wd_aead_sync() - one request.
 *
 * Returns 0, else (arg->status says the same, *dst_len is 0): -EBADMSG (the
 * tag is wrong), -EINVAL (among others: a key is missing, an iv or a length
 * that the mode doesn't take, buffers that overlap otherwise than exactly), -ENOSPC (room below
 * src_len), -EFBIG (devices only, and above 16 MiB - 512; CCM on this CPU, and above 2 GiB - 1), -EOPNOTSUPP (devices only, and nothing to
 * encrypt nor authenticate, another iv, more associated data or a list of more pieces than they take, or they lack the
 * algorithm), -EFAULT (a buffer is not mapped), -ETIMEDOUT (the device has been stopped), -ENODEV (device gone),
 * -EIO (device reset or stopped), -EDQUOT (devices only, and no context of the section's grant can be had), -ENOMEM.
 */
int wd_aead_sync(handle_t sess, struct wd_aead_arg *arg);

/*
 * wd_aead_update(), wd_aead_final() - a message of GCM in parts.
 *
 * A DECRYPTION IN PARTS RELEASES PLAINTEXT BEFORE ITS TAG IS KNOWN: what
 * wd_aead_update() has written may be forged. The caller must not act upon it,
 * and must throw it away, unless wd_aead_final() returns 0 in the end.
 *
 * A synchronous session has one stream, which starts by itself with the first
 * part and ends with wd_aead_final(), also when that says -EBADMSG. The first
 * part has the iv and all of the associated data; in those that follow iv is
 * NULL, iv_len and assoc_len are 0, and op is the same. Parts may have any length, 0
 * too, and each writes as many bytes as it has; on a device such of whole blocks of 16 bytes cost one
 * descriptor, others up to three. wd_aead_final() adds the last one, and writes
 * the tag or compares it; wd_aead_update() doesn't look at mac. Other requests of the session
 * don't disturb the stream; -EBUSY is what setting a key or the tag's size returns while there is one.
 *
 * Return what wd_aead_sync() does, and: -EOPNOTSUPP (CCM, which has to know its lengths first, and CBC
 * with HMAC, of which devices have no parts), -EFBIG (more than 2^36 - 32 bytes of data), -EINVAL
 * (what belongs to another part; the stream has ended with an error), -EBUSY (another thread is inside), -ESTALE. A
 * decryption that fails in the middle, or whose tag is wrong, zeroes the data of this part in dst, as wd_aead_sync() would.
 * After -EFAULT, -ETIMEDOUT, -ENODEV, -EIO, -EDQUOT and -ENOMEM a stream that has begun is over, and only
 * wd_aead_reset_sess() starts another; what else is refused changes nothing.
 */
int wd_aead_update(handle_t sess, struct wd_aead_arg *arg);
int wd_aead_final(handle_t sess, struct wd_aead_arg *arg);

/* wd_aead_reset_sess() - abandon the stream; the next part starts a new one. Returns 0, -EINVAL, -EBUSY. */
int wd_aead_reset_sess(handle_t sess);

/*
 * wd_aead_async() - start a request of an asynchronous session.
 *
 * set: contexts to use, NULL for the session's own; read only during the
 * call. From success until the callback starts, or wd_poll_cq() has returned
 * the completion, the library owns arg, src, dst, *dst_len, iv, mac and list nodes.
 * On the CPU path the poller computes.
 *
 * Returns 0, -EINVAL, -ENOSPC, -EOPNOTSUPP, -EBUSY (full: poll, or wd_aead_wait()), -EFBIG (src
 * above 16 MiB - 512), -EDQUOT, -ENODEV, -EIO, -ESTALE. What was refused is untouched,
 * and no callback will run.
 */
int wd_aead_async(handle_t sess, struct wd_aead_arg *arg, const wd_ctx_set_t *set);

/*
 * wd_aead_async_burst() - start up to n requests, one doorbell per context.
 *
 * Returns how many were taken (0 .. n; the first ones), or the error of the
 * first when none was taken for another reason than room.
 */
int wd_aead_async_burst(handle_t sess, struct wd_aead_arg *args[], int n, const wd_ctx_set_t *set);

/* wd_aead_poll(), wd_aead_poll_wait() - run callbacks of finished requests, as for compression, for the contexts of AEAD. */
int wd_aead_poll(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
int wd_aead_poll_wait(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);

/*
 * wd_aead_wait(), wd_aead_wait_set() - sleep until there is room since the
 * -EBUSY that this thread saw last.
 *
 * timeout_ms 0: don't wait; UINT_MAX: for ever. Returns 0, -ETIMEDOUT, -EINVAL, -ESTALE.
 */
int wd_aead_wait(handle_t sess, unsigned int timeout_ms);
int wd_aead_wait_set(const wd_ctx_set_t *set, unsigned int timeout_ms);

/* wd_aead_wakeup(), wd_aead_wakeup_set() - wake those who wait so, or in wd_aead_poll_wait(). Return 0, -EINVAL, -ESTALE. */
int wd_aead_wakeup(handle_t sess);
int wd_aead_wakeup_set(const wd_ctx_set_t *set);

/* wd_aead_sess_caps() - WD_CAP_* of a session as it is bound now, or -EINVAL. */
int wd_aead_sess_caps(handle_t sess);

#ifdef __cplusplus
}
#endif
#endif
