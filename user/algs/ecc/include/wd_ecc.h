/* SPDX-License-Identifier: Apache-2.0 */
/* Elliptic curves on accelerators, on simulated ones, or on the software path: ECDH, ECDSA, SM2, X25519, X448. */
#ifndef WD_ECC_H
#define WD_ECC_H

#include <stddef.h>
#include <linux/types.h>
#include <wd.h>
#include <wd_number.h>
#include <wd_request.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rules and calls that all classes share are described in wd_request.h. */

enum wd_ecc_alg {
	WD_ECC_ECDH,
	WD_ECC_ECDSA,
	WD_ECC_SM2,
	WD_ECC_X25519,
	WD_ECC_X448,
};

/* The curves of ECDH and ECDSA; their numbers are stable. */
enum wd_ecc_curve {
	WD_ECC_BY_VALUE,		/* setup->params; SM2, X25519 and X448 have their own curves and use this
					 * value */
	WD_ECC_SECP128R1,
	WD_ECC_SECP192K1,
	WD_ECC_SECP192R1,		/* P-192 */
	WD_ECC_SECP224R1,
	WD_ECC_SECP256K1,
	WD_ECC_SECP256R1,		/* P-256 */
	WD_ECC_SECP384R1,
	WD_ECC_SECP521R1,
	WD_ECC_BRAINPOOL_P256R1,
	WD_ECC_BRAINPOOL_P320R1,
	WD_ECC_BRAINPOOL_P384R1,
	WD_ECC_BRAINPOOL_P512R1,
};

/*
 * A request's operation. w is the size of a number in bytes, wd_ecc_sess_bytes().
 * Numbers are big-endian, in fields of w bytes with leading zeroes; a point is
 * x, y (2 w). X25519 and X448 use the little-endian byte strings of RFC 7748
 * (32 and 56 bytes), and a point is one string.
 */
enum wd_ecc_op {
	WD_ECC_KEYGEN,		/* no src; dst a new public point, then its private key (w) */
	WD_ECC_PUBLIC,		/* no src; dst the public point; extra a private key, or NULL for the session's */
	WD_ECC_AGREE,		/* src the peer's point; dst the secret (w); extra as for PUBLIC. ECDH, X25519, X448 */
	WD_ECC_SIGN,		/* src a digest; dst r, s; extra the nonce (w), or NULL for a random one. ECDSA, SM2 */
	WD_ECC_VERIFY,		/* src a digest; extra r, s (2 w); no dst; a wrong signature returns -EBADMSG */
	WD_ECC_ENCRYPT,		/* src a text; dst C1 (2 w), C2 (src_len), C3 (32); extra the nonce, or NULL. SM2 */
	WD_ECC_DECRYPT,		/* the reverse; a wrong C3 returns -EBADMSG */
};

#define WD_ECC_DIGEST_MAX	64u	/* bytes of a digest; SM2 takes exactly 32 */
#define WD_ECC_TEXT_MAX		65536u	/* bytes of a text that SM2 encrypts; devices take 512 */
#define WD_ECC_SM2_EXTRA	96u	/* bytes that a ciphertext is longer than its text */

struct wd_ecc_arg;

/* See "Callbacks" in wd_request.h. */
typedef void wd_alg_ecc_cb_t(struct wd_ecc_arg *arg, void *cb_param);

/* One request. op .. wr_id are read, consumed .. path_reason are written. */
struct wd_ecc_arg {
	const void *src;
	size_t src_len;
	void *dst;			/* NULL for WD_ECC_VERIFY, and so is dst_len */
	size_t *dst_len;		/* in: bytes of room; out: bytes of the result, 0 on an error */
	wd_alg_ecc_cb_t *cb;		/* asynchronous sessions without a completion queue only, else NULL */
	void *cb_param;
	const void *extra;		/* depends on op; extra_len bytes, or NULL */
	__u32 extra_len;
	__u32 op;			/* enum wd_ecc_op */
	__u32 flags;			/* no flag is defined: 0 */
	__u32 timeout_ms;		/* deadline; 0: the session's; UINT_MAX: none */
	__u64 wr_id;			/* the caller's, never changed */
	__u64 consumed;			/* bytes of src used */
	__s32 status;			/* 0 or -errno */
	__u16 path;			/* enum wd_path */
	__u16 path_reason;		/* enum wd_path_reason */
	__u64 reserved[4];		/* 0 */
};

/* A curve y^2 = x^3 + a x + b over p, with a generator of prime order n and a cofactor of 1; up to 576 bits. */
struct wd_ecc_params {
	struct wd_number p;
	struct wd_number a;
	struct wd_number b;
	struct wd_number n;		/* as many bytes as p */
	struct wd_number gx;
	struct wd_number gy;
};

/* The library only reads a setup: several sessions and threads may share one. */
struct wd_ecc_sess_setup {
	const struct wd_ecc_params *params;	/* with WD_ECC_BY_VALUE, else NULL */
	__u32 curve;			/* enum wd_ecc_curve */
	__u8 alg;			/* enum wd_ecc_alg */
	__u8 op_type;			/* enum wd_op_type */
	__u16 reserved16;		/* 0 */
	__u32 flags;			/* WD_SESS_*; unknown bits are -EINVAL */
	__u32 timeout_ms;		/* deadline of requests that set none; 0 or UINT_MAX: none */
	handle_t cq;			/* with WD_SESS_CQ in flags: the completion queue; else 0 */
	__u64 reserved[4];		/* 0 */
};

/*
 * A key. d is the private key; x and y are the public key. If all three are
 * given they must match. X25519 and X448: d and x are strings of exactly their
 * size, and there is no y.
 */
struct wd_ecc_key {
	struct wd_number d;		/* 1 .. n - 1; SM2: 1 .. n - 2 */
	struct wd_number x;
	struct wd_number y;
	__u64 reserved[4];		/* 0 */
};

/*
 * wd_ecc_alloc_sess() - allocate a session: see wd_request.h.
 *
 * EINVAL also for params that describe no such curve. EOPNOTSUPP also if
 * libcrypto lacks the curve, or ECDSA on it, as on the curve of SM2.
 */
handle_t wd_ecc_alloc_sess(const struct wd_ecc_sess_setup *setup, const wd_dev_mask_t *dev_mask);

/* wd_ecc_free_sess() - free a session: see wd_request.h. */
int wd_ecc_free_sess(handle_t sess);

/*
 * wd_ecc_set_key() - set or replace the session's key; the old key is wiped.
 *
 * The key is copied. Returns 0, -EINVAL (empty, out of range, a point that
 * isn't on the curve, parts that don't match: the old key stays), -EBUSY
 * (requests in flight), -ENOMEM.
 */
int wd_ecc_set_key(handle_t sess, const struct wd_ecc_key *key);

/* wd_ecc_sess_bytes() - w, the size in bytes of the session's numbers, or -EINVAL. */
int wd_ecc_sess_bytes(handle_t sess);

/*
 * wd_ecc_sm2_digest() - compute the digest that SM2 signs: SM3(Z, message), with the session's public key.
 *
 * id NULL and id_len 0 stand for the default identity "1234567812345678". digest
 * has room for 32 bytes. libcrypto computes, no device. Returns 0, -EINVAL (not
 * a session of SM2 with a key, a NULL, an id above 8,191 bytes), -EOPNOTSUPP
 * (libcrypto has no SM3).
 */
int wd_ecc_sm2_digest(handle_t sess, const void *id, size_t id_len, const void *msg, size_t len, void *digest);

/*
 * wd_ecc_sync() - do one operation.
 *
 * Returns 0, else (arg->status says the same, *dst_len is 0): -EINVAL (among
 * others: an operation that the algorithm doesn't have, no key, or a public one
 * where a private one is needed, another length, a point that isn't on the
 * curve or is of small order, r or s out of range, a nonce that makes no
 * signature), -EBADMSG (the signature or C3 is wrong; the shared secret is all
 * zeroes), -ENOSPC (dst is too small), -EFBIG (a text above WD_ECC_TEXT_MAX),
 * -EFAULT (a buffer is not mapped), -ETIMEDOUT (the device has been stopped),
 * -ENODEV (device gone), -EIO (device reset or stopped; libcrypto has no SM3 or
 * no random numbers), -EDQUOT (devices only, and the section grants no context
 * for it), -EOPNOTSUPP (devices only, and none takes such a request), -ENOMEM.
 */
int wd_ecc_sync(handle_t sess, struct wd_ecc_arg *arg);

/*
 * wd_ecc_async(), wd_ecc_async_burst() - start asynchronous requests: see wd_request.h.
 *
 * Further errors: -EFAULT, -ENOMEM; -EFBIG for a text above WD_ECC_TEXT_MAX.
 */
int wd_ecc_async(handle_t sess, struct wd_ecc_arg *arg, const wd_ctx_set_t *set);
int wd_ecc_async_burst(handle_t sess, struct wd_ecc_arg *args[], int n, const wd_ctx_set_t *set);

/* wd_ecc_poll(), wd_ecc_poll_wait() - run callbacks of finished requests: see wd_request.h. */
int wd_ecc_poll(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
int wd_ecc_poll_wait(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);

/* wd_ecc_wait(), wd_ecc_wait_set() - sleep until there is room for a request: see wd_request.h. */
int wd_ecc_wait(handle_t sess, unsigned int timeout_ms);
int wd_ecc_wait_set(const wd_ctx_set_t *set, unsigned int timeout_ms);

/* wd_ecc_wakeup(), wd_ecc_wakeup_set() - wake threads that wait for room or for callbacks: see wd_request.h. */
int wd_ecc_wakeup(handle_t sess);
int wd_ecc_wakeup_set(const wd_ctx_set_t *set);

/* wd_ecc_sess_caps() - WD_CAP_* of a session: see wd_request.h. */
int wd_ecc_sess_caps(handle_t sess);

#ifdef __cplusplus
}
#endif
#endif
