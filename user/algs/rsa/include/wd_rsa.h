/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RSA on accelerators, on simulated ones, or on the software path: the bare
 * primitives of RFC 8017, sections 5.1 and 5.2 (RSAEP, RSADP, RSASP1, RSAVP1).
 * This is not a signature or encryption scheme: the caller has to add the
 * padding, and without it the results are neither signatures nor secrets.
 */
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

/* The rules and calls that all classes share are described in wd_request.h. */

/* A request's operation: operands in src, results in dst, each of exactly the size given; k: bytes of the modulus. */
enum wd_rsa_op {
	WD_RSA_SIGN,		/* src (k) to the private exponent: sign or decrypt; dst k */
	WD_RSA_VERIFY,		/* src (k) to the public exponent: verify or encrypt; dst k */
	WD_RSA_GENKEY,		/* src e (k), p, q (k / 2 each); dst d, n (k each). No key is needed */
	WD_RSA_GENKEY_CRT,	/* the same; dst d, n (k each), qinv, dq, dp (k / 2 each) */
};

struct wd_rsa_arg;

/* See "Callbacks" in wd_request.h. */
typedef void wd_alg_rsa_cb_t(struct wd_rsa_arg *arg, void *cb_param);

/*
 * One request. Numbers are big-endian, with leading zeroes. op .. wr_id are read, consumed .. path_reason are written.
 */
struct wd_rsa_arg {
	const void *src;
	size_t src_len;
	void *dst;
	size_t *dst_len;		/* in: bytes of room; out: bytes of the result, 0 on an error */
	wd_alg_rsa_cb_t *cb;		/* asynchronous sessions without a completion queue only, else NULL */
	void *cb_param;
	__u32 op;			/* enum wd_rsa_op */
	__u32 reserved32;		/* 0 */
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
 * A key. n and e make a public key, d added makes a private key. With all of p,
 * q, dp, dq and qinv = q^-1 mod p private operations are about three times as
 * fast.
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
 * wd_rsa_alloc_sess() - allocate a session: see wd_request.h.
 *
 * EINVAL also for a key_bits that is not listed above.
 */
handle_t wd_rsa_alloc_sess(const struct wd_rsa_sess_setup *setup, const wd_dev_mask_t *dev_mask);

/* wd_rsa_free_sess() - free a session: see wd_request.h. */
int wd_rsa_free_sess(handle_t sess);

/*
 * wd_rsa_set_key() - set or replace the session's key; the old key is wiped.
 *
 * The key is copied. Returns 0, -EINVAL (a part is missing, or the parts don't
 * make a key: the detail says which; the old key stays), -EBUSY (requests in
 * flight), -ENOMEM.
 */
int wd_rsa_set_key(handle_t sess, const struct wd_rsa_key *key);

/*
 * wd_rsa_sync() - do one operation.
 *
 * Wrong results: one wrong result that was computed with the primes is enough
 * to find them. If the key has all of p, q, dp, dq and qinv, and e is below
 * 2^32, a device's WD_RSA_SIGN is verified with e before it is handed out. A
 * wrong result is computed again on the software path, or is -EIO in a session
 * that is restricted to devices; dst is wiped then. In both cases path_reason is
 * WD_REASON_WRONG. Other results of devices are not verified.
 *
 * Returns 0, else (arg->status says the same, *dst_len is 0): -EINVAL (among
 * others: no key, or a public key where a private one is needed, src of
 * another length, an operand that isn't below the modulus), -ENOSPC (dst is
 * too small), -EFAULT (a buffer is not mapped), -ETIMEDOUT (the device has been
 * stopped), -ENODEV (device gone), -EIO (device reset or stopped; its result is
 * wrong; libcrypto failed), -EDQUOT (devices only, and the section grants no context for it),
 * -EOPNOTSUPP (devices only, and none takes such operands), -ENOMEM.
 */
int wd_rsa_sync(handle_t sess, struct wd_rsa_arg *arg);

/*
 * wd_rsa_async(), wd_rsa_async_burst() - start asynchronous requests: see wd_request.h.
 *
 * Further errors: -EFAULT, -ENOMEM.
 */
int wd_rsa_async(handle_t sess, struct wd_rsa_arg *arg, const wd_ctx_set_t *set);
int wd_rsa_async_burst(handle_t sess, struct wd_rsa_arg *args[], int n, const wd_ctx_set_t *set);

/* wd_rsa_poll(), wd_rsa_poll_wait() - run callbacks of finished requests: see wd_request.h. */
int wd_rsa_poll(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
int wd_rsa_poll_wait(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);

/* wd_rsa_wait(), wd_rsa_wait_set() - sleep until there is room for a request: see wd_request.h. */
int wd_rsa_wait(handle_t sess, unsigned int timeout_ms);
int wd_rsa_wait_set(const wd_ctx_set_t *set, unsigned int timeout_ms);

/* wd_rsa_wakeup(), wd_rsa_wakeup_set() - wake threads that wait for room or for callbacks: see wd_request.h. */
int wd_rsa_wakeup(handle_t sess);
int wd_rsa_wakeup_set(const wd_ctx_set_t *set);

/* wd_rsa_sess_caps() - WD_CAP_* of a session: see wd_request.h. */
int wd_rsa_sess_caps(handle_t sess);

#ifdef __cplusplus
}
#endif
#endif
