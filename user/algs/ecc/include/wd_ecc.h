/* SPDX-License-Identifier: Apache-2.0 */
/* Elliptic curves on accelerators, on simulated ones, or on this CPU: ECDH, ECDSA, SM2, X25519, X448. */
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

enum wd_ecc_alg {
	WD_ECC_ECDH,
	WD_ECC_ECDSA,
	WD_ECC_SM2,
	WD_ECC_X25519,
	WD_ECC_X448,
};

/* Of ECDH and ECDSA; their numbers are stable. */
enum wd_ecc_curve {
	WD_ECC_BY_VALUE,		/* setup->params; also what SM2, X25519 and X448 say, which have their own */
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
 * A request's operation. w: the bytes of a number, wd_ecc_sess_bytes(). Numbers
 * are big-endian, in fields of w bytes with leading zeroes; a point is x, y (2 w).
 * X25519 and X448 have byte strings as RFC 7748 has them (32 and 56 bytes),
 * little-endian, and a point is one of them.
 */
enum wd_ecc_op {
	WD_ECC_KEYGEN,		/* no src; dst a new public point, then its private key (w) */
	WD_ECC_PUBLIC,		/* no src; dst the public point; extra a private key, or NULL: the session's */
	WD_ECC_AGREE,		/* src the peer's point; dst the secret (w); extra as before. ECDH, X25519, X448 */
	WD_ECC_SIGN,		/* src a digest; dst r, s; extra the nonce (w), or NULL: a random one. ECDSA, SM2 */
	WD_ECC_VERIFY,		/* src a digest; extra r, s (2 w); no dst; a wrong signature is -EBADMSG */
	WD_ECC_ENCRYPT,		/* src a text; dst C1 (2 w), C2 (src_len), C3 (32); extra the nonce, or NULL. SM2 */
	WD_ECC_DECRYPT,		/* the reverse; another C3 is -EBADMSG */
};

#define WD_ECC_DIGEST_MAX	64u	/* bytes of a digest; of SM2 exactly 32 */
#define WD_ECC_TEXT_MAX		65536u	/* bytes of a text that SM2 encrypts; devices take 512 */
#define WD_ECC_SM2_EXTRA	96u	/* by which its ciphertext is longer */

struct wd_ecc_arg;

/*
 * Called by whoever polls, once per request, with no lock held and the slot
 * already free: it may submit, poll, free or reuse arg; it may not free its
 * own session (-EDEADLK) nor fork.
 */
typedef void wd_alg_ecc_cb_t(struct wd_ecc_arg *arg, void *cb_param);

/* One request. op .. wr_id are read, consumed .. path_reason are written. */
struct wd_ecc_arg {
	const void *src;
	size_t src_len;
	void *dst;			/* NULL for WD_ECC_VERIFY, as dst_len */
	size_t *dst_len;		/* in: bytes of room; out: of the result, 0 on an error */
	wd_alg_ecc_cb_t *cb;		/* asynchronous sessions without a completion queue only, else NULL */
	void *cb_param;
	const void *extra;		/* what the operation says, of extra_len bytes, or NULL */
	__u32 extra_len;
	__u32 op;			/* enum wd_ecc_op */
	__u32 flags;			/* none is defined: 0 */
	__u32 timeout_ms;		/* deadline; 0: the session's; UINT_MAX: none */
	__u64 wr_id;			/* the caller's, untouched */
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

/* Only read, so one may serve many sessions and threads. */
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
 * A key: d a private one; x and y a public one; all three both, which have to
 * fit. Of X25519 and X448: d and x, strings of exactly their size, no y.
 */
struct wd_ecc_key {
	struct wd_number d;		/* 1 .. n - 1; of SM2 1 .. n - 2 */
	struct wd_number x;
	struct wd_number y;
	__u64 reserved[4];		/* 0 */
};

/*
 * wd_ecc_alloc_sess() - make a session and bind it to contexts.
 *
 * dev_mask: the devices it may use, NULL for all; read only during the call.
 * Returns a handle, or 0 and errno: EINVAL (a NULL, an unknown value or flag,
 * params that are no such curve; the detail names the member), EOPNOTSUPP
 * (WD_PATH forbids what the session asks for; libcrypto lacks the curve, or
 * ECDSA on it, as on SM2's), and those of wd_comp_alloc_sess() about devices,
 * sections and completion queues.
 */
handle_t wd_ecc_alloc_sess(const struct wd_ecc_sess_setup *setup, const wd_dev_mask_t *dev_mask);

/*
 * wd_ecc_free_sess() - wipe the key and free the session.
 *
 * Freeing while another thread is inside a call with it is the caller's error.
 * Returns 0, -EINVAL (not a session of this library, or freed before), -EBUSY
 * (requests in flight, nothing freed), -EDEADLK (from its own callback).
 */
int wd_ecc_free_sess(handle_t sess);

/*
 * wd_ecc_set_key() - set the key, or replace it; the one before is wiped.
 *
 * The key is copied. Returns 0, -EINVAL (nothing given, out of range, a point
 * that isn't on the curve, parts that don't fit: the key before stays), -EBUSY
 * (requests in flight), -ENOMEM.
 */
int wd_ecc_set_key(handle_t sess, const struct wd_ecc_key *key);

/* wd_ecc_sess_bytes() - w, the bytes of a number of the session, or -EINVAL. */
int wd_ecc_sess_bytes(handle_t sess);

/*
 * wd_ecc_sm2_digest() - what SM2 signs of a message: SM3(Z, message), with the session's public key.
 *
 * id NULL and id_len 0: the usual "1234567812345678". digest: 32 bytes. No
 * device is involved. Returns 0, -EINVAL (not a session of SM2 with a key, a
 * NULL, an id above 8,191 bytes), -EOPNOTSUPP (libcrypto has no SM3).
 */
int wd_ecc_sm2_digest(handle_t sess, const void *id, size_t id_len, const void *msg, size_t len, void *digest);

/*
 * wd_ecc_sync() - one request.
 *
 * Returns 0, else (arg->status says the same, *dst_len is 0): -EINVAL (among
 * others: an operation that the algorithm doesn't have, no key, or a public one
 * where a private one is needed, another length, a point that isn't on the
 * curve or is of small order, r or s out of range, a nonce that makes no
 * signature), -EBADMSG (the signature is wrong; C3 is another), -ENOSPC (dst is too
 * small), -EFBIG (a text above WD_ECC_TEXT_MAX), -EFAULT (a buffer is not mapped),
 * -ETIMEDOUT (the device has been stopped), -ENODEV (device gone), -EIO
 * (device reset or stopped; libcrypto has no SM3, or no random numbers), -EDQUOT
 * (the context was closed for another kind of session), -EOPNOTSUPP (no device
 * takes it, and it must be one), -ENOMEM.
 */
int wd_ecc_sync(handle_t sess, struct wd_ecc_arg *arg);

/*
 * wd_ecc_async() - start a request of an asynchronous session.
 *
 * set: contexts to use, NULL for the session's own; read only during the
 * call. From success until the callback starts, or wd_poll_cq() has returned
 * the completion, the library owns arg and all that it points to. On the CPU
 * path the poller computes.
 *
 * Returns 0, -EINVAL, -ENOSPC, -EFBIG, -EFAULT, -EBUSY (full: poll, or
 * wd_ecc_wait()), -ENODEV, -EIO, -EDQUOT, -ENOMEM, -ESTALE, -EOPNOTSUPP (no device takes
 * it, and it must be one). What was refused is untouched, and no callback will run.
 */
int wd_ecc_async(handle_t sess, struct wd_ecc_arg *arg, const wd_ctx_set_t *set);

/*
 * wd_ecc_async_burst() - start up to n requests, one doorbell per context.
 *
 * Returns how many were taken (0 .. n; the first ones), or the error of the
 * first when none was taken for another reason than room.
 */
int wd_ecc_async_burst(handle_t sess, struct wd_ecc_arg *args[], int n, const wd_ctx_set_t *set);

/* wd_ecc_poll(), wd_ecc_poll_wait() - run callbacks of finished requests, as for compression, for the contexts of ECC. */
int wd_ecc_poll(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
int wd_ecc_poll_wait(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);

/*
 * wd_ecc_wait(), wd_ecc_wait_set() - sleep until there is room since the
 * -EBUSY that this thread saw last.
 *
 * timeout_ms 0: don't wait; UINT_MAX: for ever. Returns 0, -ETIMEDOUT, -EINVAL, -ESTALE.
 */
int wd_ecc_wait(handle_t sess, unsigned int timeout_ms);
int wd_ecc_wait_set(const wd_ctx_set_t *set, unsigned int timeout_ms);

/* wd_ecc_wakeup(), wd_ecc_wakeup_set() - wake those who wait so, or in wd_ecc_poll_wait(). Return 0, -EINVAL, -ESTALE. */
int wd_ecc_wakeup(handle_t sess);
int wd_ecc_wakeup_set(const wd_ctx_set_t *set);

/* wd_ecc_sess_caps() - WD_CAP_* of a session as it is bound now, or -EINVAL. */
int wd_ecc_sess_caps(handle_t sess);

#ifdef __cplusplus
}
#endif
#endif
