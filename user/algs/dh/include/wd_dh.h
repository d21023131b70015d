/* SPDX-License-Identifier: Apache-2.0 */
/* Diffie-Hellman over prime fields on accelerators, on simulated ones, or on this CPU. */
#ifndef WD_DH_H
#define WD_DH_H

#include <stddef.h>
#include <linux/types.h>
#include <wd.h>
#include <wd_number.h>
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
 * any more. Until then nobody else writes to them: an operand that changes
 * after it was checked is an error of the caller's, whatever comes out. On an
 * error *dst_len is 0, and dst may have changed, or hold a result that came too
 * late. An asynchronous request that isn't taken is left as it was. src and dst
 * may be the same.
 *
 * Threads: any thread may use any session, several at once; a key is set
 * while no other thread is inside a call with the session.
 *
 * fork: the child's copies of sessions go on working, keys included, on the
 * child's own contexts. What was in flight belongs to the parent, whose
 * callbacks never run in the child.
 *
 * Secrets: keys are copied, and wiped when they are replaced or the session is
 * freed; what a request left in the library's memory is wiped when it ends.
 *
 * Interrupted system calls are retried; nothing here may be called from a
 * signal handler.
 */

/* Groups of RFC 2409, 3526 and 7919, all with a generator of 2; their numbers are stable. */
enum wd_dh_group {
	WD_DH_BY_VALUE,		/* setup->p and setup->g */
	WD_DH_MODP_768,
	WD_DH_MODP_1024,
	WD_DH_MODP_1536,
	WD_DH_MODP_2048,
	WD_DH_MODP_3072,
	WD_DH_MODP_4096,
	WD_DH_FFDHE2048,
	WD_DH_FFDHE3072,
	WD_DH_FFDHE4096,
};

/* A request's operation; k: bytes of p. */
enum wd_dh_op {
	WD_DH_PUBLIC,		/* src none; dst g^x mod p (k): the public value of x */
	WD_DH_SHARED,		/* src the peer's public value (k); dst its power x mod p (k): the shared secret */
};

struct wd_dh_arg;

/*
 * Called by whoever polls, once per request, with no lock held and the slot
 * already free: it may submit, poll, free or reuse arg; it may not free its
 * own session (-EDEADLK) nor fork.
 */
typedef void wd_alg_dh_cb_t(struct wd_dh_arg *arg, void *cb_param);

/*
 * One request. Numbers in src and dst are big-endian, with leading zeroes.
 * op .. wr_id are read, consumed .. path_reason are written.
 */
struct wd_dh_arg {
	const void *src;
	size_t src_len;
	void *dst;
	size_t *dst_len;		/* in: bytes of room; out: of the result, 0 on an error */
	wd_alg_dh_cb_t *cb;		/* asynchronous sessions without a completion queue only, else NULL */
	void *cb_param;
	const void *key;		/* this request's own private value x, of key_len bytes; NULL: the session's */
	__u32 key_len;			/* leading zeroes may be there or not; 0: the session's */
	__u32 op;			/* enum wd_dh_op */
	__u32 flags;			/* none is defined: 0 */
	__u32 timeout_ms;		/* deadline; 0: the session's; UINT_MAX: none */
	__u64 wr_id;			/* the caller's, untouched */
	__u64 consumed;			/* bytes of src used */
	__s32 status;			/* 0 or -errno */
	__u16 path;			/* enum wd_path */
	__u16 path_reason;		/* enum wd_path_reason */
	__u64 reserved[4];		/* 0 */
};

/* Only read, so one may serve many sessions and threads. */
struct wd_dh_sess_setup {
	struct wd_number p;		/* by value: of 768, 1024, 1536, 2048, 3072 or 4096 bits; else none */
	struct wd_number g;		/* 2 .. p - 2 */
	__u32 group;			/* enum wd_dh_group */
	__u8 op_type;			/* enum wd_op_type */
	__u8 reserved8;			/* 0 */
	__u16 reserved16;		/* 0 */
	__u32 flags;			/* WD_SESS_*; unknown bits are -EINVAL */
	__u32 timeout_ms;		/* deadline of requests that set none; 0 or UINT_MAX: none */
	handle_t cq;			/* with WD_SESS_CQ in flags: the completion queue; else 0 */
	__u64 reserved[4];		/* 0 */
};

/*
 * wd_dh_alloc_sess() - make a session and bind it to contexts.
 *
 * dev_mask: the devices it may use, NULL for all; read only during the call.
 * That a p by value is prime is not looked at. Returns a handle, or 0 and
 * errno: EINVAL (a NULL, an unknown value or flag, p or g that can't be; the detail
 * names the member), EOPNOTSUPP (WD_PATH forbids what the session asks for), and those
 * of wd_comp_alloc_sess() about devices, sections and completion queues.
 */
handle_t wd_dh_alloc_sess(const struct wd_dh_sess_setup *setup, const wd_dev_mask_t *dev_mask);

/*
 * wd_dh_free_sess() - wipe the private value and free the session.
 *
 * Freeing while another thread is inside a call with it is the caller's error.
 * Returns 0, -EINVAL (not a session of this library, or freed before), -EBUSY
 * (requests in flight, nothing freed), -EDEADLK (from its own callback).
 */
int wd_dh_free_sess(handle_t sess);

/*
 * wd_dh_set_key() - set the session's private value x, 2 .. p - 2; the one before is wiped.
 *
 * It is copied. Returns 0, -EINVAL (NULL, none, or out of range: the one
 * before stays), -EBUSY (requests in flight).
 */
int wd_dh_set_key(handle_t sess, const struct wd_number *x);

/* wd_dh_sess_bytes() - k, the bytes of p and of each operand and result, or -EINVAL. */
int wd_dh_sess_bytes(handle_t sess);

/*
 * wd_dh_sync() - one request.
 *
 * Returns 0, else (arg->status says the same, *dst_len is 0): -EINVAL (among
 * others: no private value, or one out of range, src of another length, a
 * public value that isn't 2 .. p - 2), -EBADMSG (the shared secret is 0, 1 or
 * p - 1: p is no prime, or not a safe one), -ENOSPC (dst is too small), -EFAULT (a
 * buffer is not mapped), -ETIMEDOUT (the device has been stopped), -ENODEV
 * (device gone), -EIO (device reset or stopped), -EDQUOT (the context was closed
 * for another kind of session), -EOPNOTSUPP (no device takes it, and it must be
 * one), -ENOMEM.
 */
int wd_dh_sync(handle_t sess, struct wd_dh_arg *arg);

/*
 * wd_dh_async() - start a request of an asynchronous session.
 *
 * set: contexts to use, NULL for the session's own; read only during the
 * call. From success until the callback starts, or wd_poll_cq() has returned
 * the completion, the library owns arg and all that it points to. On the CPU
 * path the poller computes.
 *
 * Returns 0, -EINVAL, -ENOSPC, -EFAULT, -EBUSY (full: poll, or wd_dh_wait()),
 * -ENODEV, -EIO, -EDQUOT, -ENOMEM, -ESTALE, -EOPNOTSUPP (no device takes it, and it
 * must be one). What was refused is untouched, and no callback will run.
 */
int wd_dh_async(handle_t sess, struct wd_dh_arg *arg, const wd_ctx_set_t *set);

/*
 * wd_dh_async_burst() - start up to n requests, one doorbell per context.
 *
 * Returns how many were taken (0 .. n; the first ones), or the error of the
 * first when none was taken for another reason than room.
 */
int wd_dh_async_burst(handle_t sess, struct wd_dh_arg *args[], int n, const wd_ctx_set_t *set);

/* wd_dh_poll(), wd_dh_poll_wait() - run callbacks of finished requests, as for compression, for the contexts of DH. */
int wd_dh_poll(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
int wd_dh_poll_wait(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);

/*
 * wd_dh_wait(), wd_dh_wait_set() - sleep until there is room since the
 * -EBUSY that this thread saw last.
 *
 * timeout_ms 0: don't wait; UINT_MAX: for ever. Returns 0, -ETIMEDOUT, -EINVAL, -ESTALE.
 */
int wd_dh_wait(handle_t sess, unsigned int timeout_ms);
int wd_dh_wait_set(const wd_ctx_set_t *set, unsigned int timeout_ms);

/* wd_dh_wakeup(), wd_dh_wakeup_set() - wake those who wait so, or in wd_dh_poll_wait(). Return 0, -EINVAL, -ESTALE. */
int wd_dh_wakeup(handle_t sess);
int wd_dh_wakeup_set(const wd_ctx_set_t *set);

/* wd_dh_sess_caps() - WD_CAP_* of a session as it is bound now, or -EINVAL. */
int wd_dh_sess_caps(handle_t sess);

#ifdef __cplusplus
}
#endif
#endif
