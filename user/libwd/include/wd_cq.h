/* SPDX-License-Identifier: Apache-2.0 */
/* Completion queues: the results of asynchronous sessions as records that are polled, with a descriptor to sleep on. */
#ifndef WD_CQ_H
#define WD_CQ_H

#include <linux/types.h>
#include <wd.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A session whose setup has WD_SESS_CQ in flags and the queue's handle in cq
 * delivers to the queue: its requests have no callback. Each request ends as
 * one struct wd_wc, which the first thread to poll takes. Sessions of several
 * libraries may share a queue.
 *
 * The sessions of completion queues have contexts of their own, which
 * wd_<alg>_poll() skips. Completion queues share these contexts: on each
 * device, for each class and queue type, there are as many as wd_user_ctxs()
 * sets for asynchronous sessions (one by default), or as the section grants. A
 * program that wants a context for each of its threads sets that number.
 *
 * A shared context ends for all of its completion queues when a request on it
 * passes its deadline or its device fails: requests of the other queues are
 * repeated elsewhere where that is allowed. A thread that polls any of the
 * queues wakes those that sleep; a sleeping thread also looks by itself after
 * 2, 4, 8 .. 100 ms. So poll a queue soon after its descriptor has become
 * readable.
 *
 * Threads: any number of threads may use one queue at the same time.
 *
 * fork: in the child the queue and its sessions return -ESTALE. Destroying the
 * queue and freeing the sessions there only frees memory.
 */

#define WD_CQ_DEPTH_MAX		65536u

/* The operation: wc->opcode. Later libraries append their own. */
enum wd_wc_opcode {
	WD_WC_COMPRESS = 1,
	WD_WC_DECOMPRESS = 2,
	WD_WC_ENCRYPT = 3,	/* ciphers and AEAD */
	WD_WC_DECRYPT = 4,
	WD_WC_DIGEST = 5,
	WD_WC_SIGN = 6,		/* and other operations of RSA's private key */
	WD_WC_VERIFY = 7,	/* and other operations of RSA's public key */
	WD_WC_KEYGEN = 8,
	WD_WC_AGREE = 9,	/* on a shared secret: DH, ECDH, X25519, X448 */
};

/*
 * A completed request. If status is not 0 only wr_id, status, vendor_err, sess
 * and ctx are valid, and the others are 0. The request's argument struct holds its
 * results as well, and is the caller's again, as its buffers are.
 */
struct wd_wc {
	__u64 wr_id;		/* the request's, untouched */
	__s32 status;		/* 0 or -errno, as the synchronous call returns it */
	__u32 opcode;		/* enum wd_wc_opcode */
	__u32 vendor_err;	/* status as the device gave it, 0 if none did */
	__u32 flags;		/* none is defined: 0 */
	__u64 byte_len;		/* bytes produced */
	__u64 consumed;		/* bytes of the source used */
	__u32 ctx;		/* number of the context, as for wd_ctx_info() */
	__u16 path;		/* enum wd_path */
	__u16 path_reason;	/* enum wd_path_reason */
	handle_t sess;		/* the session that submitted it; another thread may have freed that since */
	__u64 reserved;		/* 0 */
};

enum wd_event_type {
	WD_EVENT_CQ_ERR = 1,	/* a context is broken: its ring overran or is invalid, or its device failed or is
				 * gone */
};

struct wd_async_event {
	__u32 event;		/* enum wd_event_type */
	__s32 err;		/* -EIO: the next submission tries to open the context again; -ENODEV: its device is
				 * gone */
	__u32 ctx;		/* number of the context */
	__u32 flags;		/* 0 */
	handle_t cq;
	__u64 reserved[4];	/* 0 */
};

/*
 * wd_cq_create() - make a completion queue for at most depth requests that
 * are submitted and not yet polled.
 *
 * depth: 1 .. WD_CQ_DEPTH_MAX. A submission beyond it returns -EBUSY, so the
 * queue itself can't overrun. Returns a handle, or 0 and errno EINVAL, ENOMEM.
 */
handle_t wd_cq_create(__u32 depth);

/*
 * wd_cq_destroy() - destroy a completion queue.
 *
 * Its descriptor is closed: remove it from epoll sets before. Returns 0, -EINVAL (not a
 * completion queue, or already destroyed), -EBUSY (sessions name it).
 */
int wd_cq_destroy(handle_t cq);

/*
 * wd_cq_set_priv(), wd_cq_get_priv() - set and get a pointer of the program; NULL at first.
 *
 * With it an event loop finds its own state from the queue in an event
 * (wd_get_async_event()). Any thread. wd_cq_set_priv() returns 0, -EINVAL,
 * -ESTALE; wd_cq_get_priv() NULL and errno EINVAL, ESTALE for a bad handle.
 */
int wd_cq_set_priv(handle_t cq, void *priv);
void *wd_cq_get_priv(handle_t cq);

/*
 * wd_poll_cq() - take up to num_entries completions; never waits for a device.
 *
 * Requests that take the software path are computed in this call. Requests
 * whose deadline has passed end in it as well (-ETIMEDOUT), after their device
 * no longer accesses their buffers. No order is promised. Returns how many
 * entries of wc were filled, 0 if nothing is complete; -EINVAL (not a
 * completion queue, num_entries below 1, wc NULL), -ESTALE.
 */
int wd_poll_cq(handle_t cq, int num_entries, struct wd_wc *wc);

/*
 * wd_cq_fd() - return the descriptor to sleep on: after wd_cq_arm() it becomes
 * readable when wd_poll_cq() or wd_get_async_event() has work.
 *
 * For poll() and epoll, without EPOLLEXCLUSIVE, since it is an epoll set
 * itself. The descriptor belongs to the queue: don't read, change
 * or close it. Returns the same descriptor at each call, but a new one after
 * the program has closed all descriptors; -EINVAL, -ESTALE, or -errno of the
 * system (-EMFILE, ...) if it can't be created.
 */
int wd_cq_fd(handle_t cq);

/*
 * wd_cq_arm() - make the descriptor readable at the next completion or event,
 * or at once if there is one already.
 *
 * This works once: arm again before the next sleep, and after epoll_ctl(). The
 * order that loses nothing is: epoll_ctl(), wd_cq_arm(), wd_poll_cq() until it
 * returns 0, sleep. Completions that the thread takes between wd_cq_arm() and
 * that 0 leave the queue armed. If several threads arm, the completions that
 * one of them takes make the descriptor readable for the others. The
 * descriptor may be readable without a reason. Returns 0, and the errors of
 * wd_cq_fd().
 */
int wd_cq_arm(handle_t cq);

/*
 * wd_get_async_event() - take one event of the queue.
 *
 * A context that breaks raises WD_EVENT_CQ_ERR once. Its requests in flight end
 * with errors, or are repeated elsewhere where that is allowed, and are polled
 * as usual; requests that had finished before are not lost. The queue stays
 * usable, also after a ring overran: its other contexts continue, and a
 * context that is opened again has a new ring. Returns 0, -EAGAIN (no event),
 * -EINVAL, -ESTALE.
 */
int wd_get_async_event(handle_t cq, struct wd_async_event *ev);

#ifdef __cplusplus
}
#endif
#endif
