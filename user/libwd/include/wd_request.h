/* SPDX-License-Identifier: Apache-2.0 */
/* What requests of every algorithm class share: paths, reasons, context numbers and session-independent queries. */
#ifndef WD_REQUEST_H
#define WD_REQUEST_H

#include <stddef.h>
#include <linux/types.h>
#include <wd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who did the work of a request: arg->path. */
enum wd_path {
	WD_PATH_NONE = 0,	/* nobody: refused before it was given to anyone */
	WD_PATH_HW = 1,		/* a device */
	WD_PATH_SIM = 2,	/* a simulated device (sysfs "simulated" is 1) */
	WD_PATH_SOFT = 3,	/* this CPU */
};

/* Why that path was taken: arg->path_reason. */
enum wd_path_reason {
	WD_REASON_BEST = 0,		/* the best device present, nothing spoke against it */
	WD_REASON_POLICY = 1,		/* the session's flags or WD_PATH asked for it */
	WD_REASON_NO_DEVICE = 2,	/* no device offers this algorithm */
	WD_REASON_NO_QUEUE = 3,		/* every fitting device is out of queues */
	WD_REASON_NO_ACCESS = 4,	/* the device nodes may not be opened by this process, or can't be now */
	WD_REASON_NO_DRIVER = 5,	/* the devices present speak an API that is not known here */
	WD_REASON_UNSUPPORTED = 6,	/* the devices present can't do what this session needs */
	WD_REASON_SIZE = 7,		/* smaller than what is worth giving to a device */
	WD_REASON_GONE = 8,		/* the devices were removed, isolated or stopped */
	WD_REASON_MASKED = 9,		/* the session's device mask leaves no fitting device */
};

/*
 * Bits of "flags" in a session's setup, equal for all classes. Neither: the
 * environment's WD_PATH (auto, hw, soft), which restricts and never widens:
 * a session whose flag says otherwise than WD_PATH can't be allocated
 * (-EOPNOTSUPP).
 */
#define WD_SESS_PATH_HW		0x1u	/* devices only (simulated ones included) */
#define WD_SESS_PATH_SOFT	0x2u	/* this CPU only */

/* Another bit of them: the setup's cq names a completion queue (wd_cq.h), which takes the place of callbacks. */
#define WD_SESS_CQ		0x4u

/* What wd_<alg>_sess_caps() returns. */
#define WD_CAP_HW		0x01	/* bound to a device */
#define WD_CAP_SIM		0x02	/* bound to a simulated device */
#define WD_CAP_SOFT		0x04	/* may be served by this CPU */
#define WD_CAP_ASYNC		0x08	/* takes asynchronous requests */
#define WD_CAP_STREAM		0x10	/* takes streams */
#define WD_CAP_SGL		0x20	/* buffers are lists */

/* A session's setup->op_type. */
enum wd_op_type {
	WD_SYNC,		/* calls that return with the result */
	WD_ASYNC,		/* calls that return at once, and callbacks or a completion queue */
};

/* One context of this process, as its number names it. */
struct wd_ctx_info {
	char dev_name[64];	/* "hisi_zip-0"; "soft" for the CPU's place */
	int numa_node;		/* -1 unknown */
	__u16 path;		/* enum wd_path */
	__u8 qc_type;		/* queue type, device specific */
	__u8 async;		/* 1: serves asynchronous sessions */
	__u32 depth;		/* requests that may be in flight */
	__u32 in_flight;
	__s32 state;		/* 0 usable, else the -errno that its requests get */
	__u64 reserved[4];
};

/*
 * wd_ctx_info() - describe context number i of this process.
 *
 * Numbers are never reused in a process. Any thread. Returns 0, -EINVAL for
 * a NULL info, -ENOENT for a number that no context ever had.
 */
int wd_ctx_info(unsigned int i, struct wd_ctx_info *info);

/* Requests by what became of them. All counters only grow. */
struct wd_counts {
	__u64 submitted;	/* given to it; in flight: submitted - completed */
	__u64 completed;	/* over, in whatever way */
	__u64 errors;		/* over with an error */
	__u64 bytes_in;		/* consumed by those without one */
	__u64 bytes_out;	/* produced by them */
	__u64 reserved[3];
};

struct wd_ctx_stats {
	struct wd_counts all;
	__u32 in_flight;
	__u16 path;		/* enum wd_path */
	__u16 reserved16;
	__u64 reserved[7];
};

struct wd_sess_stats {
	struct wd_counts path[8];	/* index: enum wd_path; WD_PATH_NONE and beyond WD_PATH_SOFT: 0 */
};

/*
 * wd_ctx_stats() - what went through context number i of this process.
 * wd_sess_stats() - what a session's requests came to, by the path that did the work.
 *
 * What is counted is a request's stay on a context: one that is done again
 * elsewhere, because a context was stopped, is an error there and a request
 * here. Large buffers and streams count for each piece that was given to a
 * device, streams on this CPU for each call. A synchronous request on this CPU
 * goes through no context, and is counted when it ends. Requests refused
 * before they were given to anyone aren't counted.
 *
 * Exact: nothing is submitted to, or taken from, a context while it is read,
 * so this is for looking now and then. Any thread, callbacks too; not signal
 * handlers. A fork's child begins with zeroes for its sessions.
 * Return 0, -EINVAL (NULL, not a session), -ENOENT (no context ever had that
 * number), -ESTALE (a context of a fork's parent).
 */
int wd_ctx_stats(unsigned int i, struct wd_ctx_stats *stats);
int wd_sess_stats(handle_t sess, struct wd_sess_stats *stats);

/*
 * wd_ctx_set_from_sess() - add the contexts that a session uses to a set.
 *
 * These are the devices' contexts. Requests that name the set are never given
 * to this CPU because devices are full: that is -EBUSY. Only the set of a
 * session without any device has the CPU's place.
 *
 * Any thread, one at a time per set. Returns 0, -EINVAL for a stale session or
 * a bad set, -ESTALE for a set that was made before fork(), -ENOMEM.
 */
int wd_ctx_set_from_sess(handle_t sess, wd_ctx_set_t *set);

/*
 * wd_ctx_set_add_soft() - add this CPU's place to a set: the software path.
 *
 * Asynchronous requests of the session that name the set go to this CPU when
 * all devices in it are full, or can't take them. Any thread, one at a time per
 * set. Returns as wd_ctx_set_from_sess(); -EOPNOTSUPP for a session that is
 * for devices only, or synchronous.
 */
int wd_ctx_set_add_soft(handle_t sess, wd_ctx_set_t *set);

/*
 * wd_sess_own_ctxs() - n contexts that serve this session and no other.
 *
 * They are opened now, on the devices that the session may use: the best ones,
 * each in turn. From now on the session's requests use them only. n is the
 * whole number, 8 at most: calling it again opens or closes the difference, 0
 * has the session share contexts again. They are closed with the session. set:
 * NULL, or what their numbers are added to, as by wd_ctx_set_from_sess().
 *
 * In a section they count among the slot's grants and extras. Outside of one
 * they are beyond what wd_user_ctxs() says. A fork's child opens as many as it
 * can have when it uses the session; so does a session whose devices had gone.
 *
 * Any thread, with no other in a call with the session. Returns 0, or, with
 * nothing changed: -EINVAL (not a session, not a set, n is too large), -EBUSY
 * (the devices have no more free queues, or requests are in flight on a
 * context that would be closed), -EDQUOT (the section grants no more),
 * -ENODEV, -EACCES, -EOPNOTSUPP (a session on a completion queue, or for this
 * CPU only), -ESTALE, -ENOMEM.
 */
int wd_sess_own_ctxs(handle_t sess, unsigned int n, wd_ctx_set_t *set);

/*
 * wd_in_flight() - how many requests are in flight in a set.
 *
 * set NULL: every context of the process. Any thread. Returns the count,
 * -EINVAL for a bad set, -ESTALE for one that was made before fork().
 */
int wd_in_flight(const wd_ctx_set_t *set);

/*
 * wd_start_pollers() - have threads of the library run the callbacks.
 *
 * config: "2@0,2@1": at most so many threads on each of these NUMA nodes; a
 * count without a node: threads that may run anywhere. 64 threads, 16 nodes at
 * most. NULL: what WD_POLL_THREADS says; without it, a thread on every node
 * that this process may run on. With WD_POLL_THREADS in the environment the
 * first asynchronous session starts them by itself.
 *
 * A node's threads share its contexts; those of nodes without any go to the
 * nearest; requests for this CPU are everybody's. One thread a node waits,
 * the others help when it can't keep up. Who has nothing to do sleeps without
 * waking. They block all signals. A callback that blocks holds up others'.
 * wd_<alg>_poll() may be called as before, and then tells of what itself ran.
 *
 * A fork's child has none, until it starts its own; with WD_POLL_THREADS its
 * first asynchronous call does. Any thread. Returns 0, -EALREADY (they run
 * already), -EINVAL (the text, or a node without a CPU for this process;
 * wd_error_detail() says which), -EAGAIN, -ENOMEM, -EMFILE.
 */
int wd_start_pollers(const char *config);

/*
 * wd_stop_pollers() - end them, and wait for callbacks that run now.
 *
 * What is in flight is from now on for wd_<alg>_poll(). At exit they are
 * stopped too, before functions that were registered with atexit() before they
 * were started, but waited for a second at most. Any thread but theirs. Returns 0, -EDEADLK in a callback on one of them.
 */
int wd_stop_pollers(void);

/* Names for people: "hw", "sim", "soft"; a few words for a reason. Never NULL, static storage. */
const char *wd_path_str(unsigned int path);
const char *wd_path_reason_str(unsigned int reason);

#ifdef __cplusplus
}
#endif
#endif
