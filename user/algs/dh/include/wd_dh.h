/* SPDX-License-Identifier: Apache-2.0 */
/* Diffie-Hellman over prime fields on accelerators, on simulated ones, or on the software path. */
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

/* The rules and calls that all classes share are described in wd_request.h. */

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
	WD_DH_PUBLIC,		/* no src; dst g^x mod p (k): the public value of x */
	WD_DH_SHARED,		/* src the peer's public value (k); dst src^x mod p (k): the shared secret */
};

struct wd_dh_arg;

/* See "Callbacks" in wd_request.h. */
typedef void wd_alg_dh_cb_t(struct wd_dh_arg *arg, void *cb_param);

/*
 * One request. Numbers in src and dst are big-endian, with leading zeroes.
 * op .. wr_id are read, consumed .. path_reason are written.
 */
struct wd_dh_arg {
	const void *src;
	size_t src_len;
	void *dst;
	size_t *dst_len;		/* in: bytes of room; out: bytes of the result, 0 on an error */
	wd_alg_dh_cb_t *cb;		/* asynchronous sessions without a completion queue only, else NULL */
	void *cb_param;
	const void *key;		/* this request's own private value x, of key_len bytes; NULL: the session's */
	__u32 key_len;			/* leading zeroes are allowed; 0: the session's */
	__u32 op;			/* enum wd_dh_op */
	__u32 flags;			/* no flag is defined: 0 */
	__u32 timeout_ms;		/* deadline; 0: the session's; UINT_MAX: none */
	__u64 wr_id;			/* the caller's, never changed */
	__u64 consumed;			/* bytes of src used */
	__s32 status;			/* 0 or -errno */
	__u16 path;			/* enum wd_path */
	__u16 path_reason;		/* enum wd_path_reason */
	__u64 reserved[4];		/* 0 */
};

/* The library only reads a setup: several sessions and threads may share one. */
struct wd_dh_sess_setup {
	struct wd_number p;		/* with WD_DH_BY_VALUE: 768, 1024, 1536, 2048, 3072 or 4096 bits; else none */
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
 * wd_dh_alloc_sess() - allocate a session: see wd_request.h.
 *
 * EINVAL also for values that p or g can't have. Whether a p given by value is
 * prime is not checked.
 */
handle_t wd_dh_alloc_sess(const struct wd_dh_sess_setup *setup, const wd_dev_mask_t *dev_mask);

/* wd_dh_free_sess() - free a session: see wd_request.h. */
int wd_dh_free_sess(handle_t sess);

/*
 * wd_dh_set_key() - set the session's private value x, 2 .. p - 2; the old one is wiped.
 *
 * The value is copied. Returns 0, -EINVAL (NULL, empty, or out of range: the
 * old value stays), -EBUSY (requests in flight).
 */
int wd_dh_set_key(handle_t sess, const struct wd_number *x);

/* wd_dh_sess_bytes() - k, the size in bytes of p and of each operand and result, or -EINVAL. */
int wd_dh_sess_bytes(handle_t sess);

/*
 * wd_dh_sync() - do one operation.
 *
 * Returns 0, else (arg->status says the same, *dst_len is 0): -EINVAL (among
 * others: no private value, or one out of range, src of another length, a
 * public value that isn't 2 .. p - 2), -EBADMSG (the shared secret is 0, 1 or
 * p - 1: p is no prime, or not a safe one), -ENOSPC (dst is too small), -EFAULT
 * (a buffer is not mapped), -ETIMEDOUT (the device has been stopped), -ENODEV
 * (device gone), -EIO (device reset or stopped), -EDQUOT (devices only, and the
 * section grants no context for it), -EOPNOTSUPP (devices only, and none takes
 * such operands), -ENOMEM.
 */
int wd_dh_sync(handle_t sess, struct wd_dh_arg *arg);

/*
 * wd_dh_async(), wd_dh_async_burst() - start asynchronous requests: see wd_request.h.
 *
 * Further errors: -EFAULT, -ENOMEM.
 */
int wd_dh_async(handle_t sess, struct wd_dh_arg *arg, const wd_ctx_set_t *set);
int wd_dh_async_burst(handle_t sess, struct wd_dh_arg *args[], int n, const wd_ctx_set_t *set);

/* wd_dh_poll(), wd_dh_poll_wait() - run callbacks of finished requests: see wd_request.h. */
int wd_dh_poll(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
int wd_dh_poll_wait(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);

/* wd_dh_wait(), wd_dh_wait_set() - sleep until there is room for a request: see wd_request.h. */
int wd_dh_wait(handle_t sess, unsigned int timeout_ms);
int wd_dh_wait_set(const wd_ctx_set_t *set, unsigned int timeout_ms);

/* wd_dh_wakeup(), wd_dh_wakeup_set() - wake threads that wait for room or for callbacks: see wd_request.h. */
int wd_dh_wakeup(handle_t sess);
int wd_dh_wakeup_set(const wd_ctx_set_t *set);

/* wd_dh_sess_caps() - WD_CAP_* of a session: see wd_request.h. */
int wd_dh_sess_caps(handle_t sess);

#ifdef __cplusplus
}
#endif
#endif
