/* SPDX-License-Identifier: Apache-2.0 */
/* RSA on accelerators, on simulated ones, or on this CPU: the arithmetic, padding is the caller's. */
#ifndef WD_RSA_H
#define WD_RSA_H

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

/* A request's operation: operands in src, results in dst, each of exactly the bytes said; k: those of the modulus. */
enum wd_rsa_op {
	WD_RSA_SIGN,		/* src (k) by the private key: sign or decrypt; dst k */
	WD_RSA_VERIFY,		/* src (k) by the public key: verify or encrypt; dst k */
	WD_RSA_GENKEY,		/* src e (k), p, q (k / 2 each); dst d, n (k each). No key is needed */
	WD_RSA_GENKEY_CRT,	/* the same; dst d, n (k each), qinv, dq, dp (k / 2 each) */
};

struct wd_rsa_arg;

/*
 * Called by whoever polls, once per request, with no lock held and the slot
 * already free: it may submit, poll, free or reuse arg; it may not free its
 * own session (-EDEADLK) nor fork.
 */
typedef void wd_alg_rsa_cb_t(struct wd_rsa_arg *arg, void *cb_param);

/* One request. Numbers are big-endian, with leading zeroes. op .. wr_id are read, consumed .. path_reason are written. */
struct wd_rsa_arg {
	const void *src;
	size_t src_len;
	void *dst;
	size_t *dst_len;		/* in: bytes of room; out: of the result, 0 on an error */
	wd_alg_rsa_cb_t *cb;		/* asynchronous sessions without a completion queue only, else NULL */
	void *cb_param;
	__u32 op;			/* enum wd_rsa_op */
	__u32 reserved32;		/* 0 */
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
struct wd_rsa_sess_setup {
	__u32 key_bits;			/* of the modulus: 1024, 2048, 3072 or 4096 */
	__u8 op_type;			/* enum wd_op_type */
	__u8 reserved8;			/* 0 */
	__u16 reserved16;		/* 0 */
	__u32 flags;			/* WD_SESS_*; unknown bits are -EINVAL */
	__u32 timeout_ms;		/* deadline of requests that set none; 0 or UINT_MAX: none */
	handle_t cq;			/* with WD_SESS_CQ in flags: the completion queue; else 0 */
	__u64 reserved[4];		/* 0 */
};

/*
 * A key. n and e: a public one; with d a private one, too; with all of p, q,
 * dp, dq and qinv, which is q^-1 mod p, its operations are about three times as fast.
 */
struct wd_rsa_key {
	struct wd_number n;
	struct wd_number e;
	struct wd_number d;
	struct wd_number p;
	struct wd_number q;
	struct wd_number dp;
	struct wd_number dq;
	struct wd_number qinv;
	__u64 reserved[4];		/* 0 */
};

/*
 * wd_rsa_alloc_sess() - make a session and bind it to contexts.
 *
 * dev_mask: the devices it may use, NULL for all; read only during the call.
 * Returns a handle, or 0 and errno: EINVAL (a NULL, an unknown value or flag, a
 * size that there isn't; the detail names the member), EOPNOTSUPP (WD_PATH
 * forbids what the session asks for), and those of wd_comp_alloc_sess() about
 * devices, sections and completion queues.
 */
handle_t wd_rsa_alloc_sess(const struct wd_rsa_sess_setup *setup, const wd_dev_mask_t *dev_mask);

/*
 * wd_rsa_free_sess() - wipe the key and free the session.
 *
 * Freeing while another thread is inside a call with it is the caller's error.
 * Returns 0, -EINVAL (not a session of this library, or freed before), -EBUSY
 * (requests in flight, nothing freed), -EDEADLK (from its own callback).
 */
int wd_rsa_free_sess(handle_t sess);

/*
 * wd_rsa_set_key() - set the key, or replace it; the one before is wiped.
 *
 * The key is copied. Returns 0, -EINVAL (a part is missing, or the parts don't
 * make a key: the detail says which; the key before stays), -EBUSY (requests
 * in flight), -ENOMEM.
 */
int wd_rsa_set_key(handle_t sess, const struct wd_rsa_key *key);

/*
 * wd_rsa_sync() - one request.
 *
 * Returns 0, else (arg->status says the same, *dst_len is 0): -EINVAL (among
 * others: no key, or a public one where a private one is needed, src of
 * another length, an operand that isn't below the modulus), -ENOSPC (dst is
 * too small), -EFAULT (a buffer is not mapped), -ETIMEDOUT (the device has been
 * stopped), -ENODEV (device gone), -EIO (device reset or stopped; libcrypto
 * failed), -EDQUOT (the context was closed for another kind of session),
 * -EOPNOTSUPP (no device takes it, and it must be one), -ENOMEM.
 */
int wd_rsa_sync(handle_t sess, struct wd_rsa_arg *arg);

/*
 * wd_rsa_async() - start a request of an asynchronous session.
 *
 * set: contexts to use, NULL for the session's own; read only during the
 * call. From success until the callback starts, or wd_poll_cq() has returned
 * the completion, the library owns arg and all that it points to. On the CPU
 * path the poller computes.
 *
 * Returns 0, -EINVAL, -ENOSPC, -EFAULT, -EBUSY (full: poll, or wd_rsa_wait()),
 * -ENODEV, -EIO, -EDQUOT, -ENOMEM, -ESTALE, -EOPNOTSUPP (no device takes it, and it
 * must be one). What was refused is untouched, and no callback will run.
 */
int wd_rsa_async(handle_t sess, struct wd_rsa_arg *arg, const wd_ctx_set_t *set);

/*
 * wd_rsa_async_burst() - start up to n requests, one doorbell per context.
 *
 * Returns how many were taken (0 .. n; the first ones), or the error of the
 * first when none was taken for another reason than room.
 */
int wd_rsa_async_burst(handle_t sess, struct wd_rsa_arg *args[], int n, const wd_ctx_set_t *set);

/* wd_rsa_poll(), wd_rsa_poll_wait() - run callbacks of finished requests, as for compression, for the contexts of RSA. */
int wd_rsa_poll(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
int wd_rsa_poll_wait(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);

/*
 * wd_rsa_wait(), wd_rsa_wait_set() - sleep until there is room since the
 * -EBUSY that this thread saw last.
 *
 * timeout_ms 0: don't wait; UINT_MAX: for ever. Returns 0, -ETIMEDOUT, -EINVAL, -ESTALE.
 */
int wd_rsa_wait(handle_t sess, unsigned int timeout_ms);
int wd_rsa_wait_set(const wd_ctx_set_t *set, unsigned int timeout_ms);

/* wd_rsa_wakeup(), wd_rsa_wakeup_set() - wake those who wait so, or in wd_rsa_poll_wait(). Return 0, -EINVAL, -ESTALE. */
int wd_rsa_wakeup(handle_t sess);
int wd_rsa_wakeup_set(const wd_ctx_set_t *set);

/* wd_rsa_sess_caps() - WD_CAP_* of a session as it is bound now, or -EINVAL. */
int wd_rsa_sess_caps(handle_t sess);

#ifdef __cplusplus
}
#endif
#endif
