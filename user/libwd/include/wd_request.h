/* SPDX-License-Identifier: Apache-2.0 */
/* The common part of all algorithm classes: rules, calls, paths, reasons, contexts, statistics and poller threads. */
#ifndef WD_REQUEST_H
#define WD_REQUEST_H

#include <stddef.h>
#include <linux/types.h>
#include <wd.h>

#ifdef __cplusplus
extern "C" {
/* Some functions have the names of the structs that they fill in, which C allows, and C++ as well. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif

/*
 * Rules that hold for every class
 *
 * The classes are compression, ciphers, digests, AEAD, RSA, DH and ECC. The
 * header of a class says where that class differs.
 *
 * Errors: a function returns 0 or a count on success, and -errno on failure; it
 * doesn't change errno. A function that returns a handle or a size returns 0
 * on failure and sets errno. wd_error_detail(sess, ...) describes the session's
 * last failure in words, wd_error_detail(0, ...) the calling thread's.
 *
 * Buffers may lie anywhere in the process' memory. When a call returns or a
 * callback starts, successful or not, neither the library nor a device
 * accesses the request's buffers any more. On an error *dst_len is 0. Nothing
 * is ever written beyond the given length. An asynchronous request that is
 * refused is left unchanged: its results and *dst_len keep their values, and
 * no callback runs.
 *
 * RSA, DH and ECC: no other thread may write to a request's buffers while the
 * request is in flight. If an operand changes after the library checked it,
 * the result is undefined. After an error dst may have changed, or may hold a
 * result that came too late. src and dst may be the same buffer.
 *
 * Threads: any thread may use any session, and several threads may use one
 * session at once. A session has one stream, which takes one call at a time; a
 * second concurrent call returns -EBUSY. While a thread sets a key or the size
 * of a tag, no other thread may be inside a call with the session.
 *
 * fork: sessions, with their keys, go on working in the child, on contexts of
 * its own. A stream that the parent began returns -ESTALE in the child.
 * Requests in flight belong to the parent: their callbacks never run in the
 * child. Sessions on a completion queue: see wd_cq.h.
 *
 * Repeats: a reset, an error or the removal of a device, and another request's
 * deadline, stop a context with all requests on it. The library does a stopped
 * request again from its start, on the same or another context or on the
 * software path, as the session and the request's deadline allow. Its result
 * is that of a request that was never stopped. That takes a source which is
 * still what it was, whatever the device has written: no byte of the source,
 * of the iv or of a tag that is compared lies in the room for a result (dst,
 * *dst_len bytes; the tag that is made). Flat buffers and lists may be mixed.
 * RSA, DH and ECC copy what a result may overwrite: their requests are always
 * repeated. A digest has no result but dst, which may lie anywhere outside of
 * src. Requests in place and parts of a stream aren't repeated: they end with
 * -EIO, or -ENODEV if the device is gone. So do others for devices only when no
 * context takes them. A step of a compression stream is repeated on its own
 * context, at most three times, unless its source and destination overlap.
 *
 * Secrets: keys are copied into the session. The library wipes a key when it
 * is replaced and when the session is freed. RSA, DH and ECC also wipe what a
 * request leaves in the library's memory.
 *
 * Signals: interrupted system calls are retried. No function may be called
 * from a signal handler.
 */

/*
 * The calls that every class has
 *
 * <alg> is comp, cipher, digest, aead, rsa, dh or ecc.
 *
 * handle_t wd_<alg>_alloc_sess(const struct wd_<alg>_sess_setup *setup, const wd_dev_mask_t *dev_mask);
 *
 *	Allocates a session and binds it to contexts. dev_mask names the devices
 *	that the session may use; NULL allows all. Both structs are only read, and
 *	only during the call. Without a mask a session that may use the software
 *	path needs no device. A mask is binding: one of its devices must be present.
 *
 *	Returns a handle, or 0 and errno: EINVAL (a NULL, or a member that is
 *	unknown or out of range; the detail names the member), ENODEV (devices
 *	only or a mask, and no device fits), EBUSY (devices only, and all queues
 *	are in use), EDQUOT (devices only, and all contexts that the section
 *	grants are in use), ENOENT, EUSERS, ESHUTDOWN (the process' section is
 *	unavailable: wd_user.h), EACCES, EOPNOTSUPP (WD_PATH forbids what the
 *	session asks for, or no path offers it, or libcrypto, which the classes
 *	other than compression need, was ended by OPENSSL_cleanup()), ESTALE (the completion queue was
 *	created before fork()), ENOMEM.
 *
 * int wd_<alg>_free_sess(handle_t sess);
 *
 *	Wipes the session's keys, abandons its stream and frees it. Freeing a
 *	session while another thread is inside a call with it is the caller's
 *	error. Returns 0, -EINVAL (not a session of this class, or already freed),
 *	-EBUSY (requests are in flight, or a thread is inside the stream; nothing
 *	is freed), -EDEADLK (called from the session's own callback).
 *
 * int wd_<alg>_sess_caps(handle_t sess);
 *
 *	Returns the WD_CAP_* bits of the session as it is bound now, or -EINVAL.
 *
 * int wd_<alg>_async(handle_t sess, struct wd_<alg>_arg *arg, const wd_ctx_set_t *set);
 *
 *	Starts one request of an asynchronous session. set names the contexts to
 *	use, NULL the session's own; it is only read, and only during the call.
 *	From success until the callback starts, or until wd_poll_cq() has returned
 *	the completion, the library owns arg and everything that it points to. On
 *	the software path the polling thread computes.
 *
 *	Returns 0, -EINVAL, -EBUSY (the contexts or the completion queue are full:
 *	poll, or call wd_<alg>_wait()), -ENOSPC (dst is too small for any result),
 *	-EFBIG (src exceeds the class's limit), -EOPNOTSUPP (devices only, and none
 *	takes such a request), -EDQUOT (devices only, and the section grants no
 *	context for it), -ENODEV, -EIO, -ESTALE (set was created before fork()).
 *	The header of the class lists further errors.
 *
 * int wd_<alg>_async_burst(handle_t sess, struct wd_<alg>_arg *args[], int n, const wd_ctx_set_t *set);
 *
 *	Starts up to n requests with one doorbell per context. Returns how many
 *	were started, 0 .. n; they are the first ones. If none was started for
 *	another reason than lack of room, returns the error of the first.
 *
 * Callbacks, wd_alg_<alg>_cb_t: each request's callback runs once, on a polling
 *	thread. The library holds no lock then, and the request's slot is free.
 *	A callback may submit, poll, reuse and free arg. It must not call fork(), and
 *	can't free its own session (-EDEADLK).
 *
 *	A callback may throw a C++ exception, which passes through the poll to the
 *	poll's caller, or end its thread by pthread_exit(). Cancellation is disabled
 *	while a callback runs; a callback that enables it may be cancelled. In all
 *	three cases its request counts as delivered, and the next poll by any thread
 *	runs the callbacks that this poll would have run. No callback is lost or
 *	runs twice. longjmp() out of a callback is undefined. The threads of
 *	wd_start_pollers() have no caller: see there.
 *
 * int wd_<alg>_poll(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
 *
 *	Runs the callbacks of finished requests. Returns when count callbacks have
 *	run, when nothing is in flight in set (NULL: on all asynchronous contexts
 *	of the class), or when timeout_ms has passed (0: doesn't wait; UINT_MAX:
 *	no limit). Any number of threads may poll. Returns the number of callbacks
 *	that ran; 0: nothing is in flight, or timeout_ms is 0 and nothing has
 *	finished; -ETIME: the time has passed, requests are in flight and none
 *	has finished; -ENODEV: every context of set is gone; -EINVAL: count is 0,
 *	set is not a set or names no context of the class; -ESTALE: set was created
 *	before fork(); -EDEADLK: the thread is inside 8 polls already, each in a
 *	callback of the one before. The callbacks are left to those polls.
 *
 * int wd_<alg>_poll_wait(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
 *
 *	The loop of a thread that does nothing else. Sleeps until there are
 *	callbacks to run, even while nothing is in flight, and returns after the
 *	first ones, at most count. Returns the number of callbacks that ran; 0:
 *	wd_<alg>_wakeup(), wd_<alg>_wakeup_set() or wd_wakeup() was called since
 *	this thread's last 0 from the function of this class; -ETIME: the time has
 *	passed and no callback ran; and the errors of wd_<alg>_poll().
 *
 * int wd_<alg>_wait(handle_t sess, unsigned int timeout_ms);
 * int wd_<alg>_wait_set(const wd_ctx_set_t *set, unsigned int timeout_ms);
 *
 *	Sleep until a context of the session or set has room. Room that appeared
 *	after this thread's last -EBUSY counts, so none is missed. timeout_ms 0:
 *	don't wait; UINT_MAX: no limit. Return 0, -ETIME, -EINVAL, -ESTALE.
 *
 * int wd_<alg>_wakeup(handle_t sess);
 * int wd_<alg>_wakeup_set(const wd_ctx_set_t *set);
 *
 *	Wake all threads in wd_<alg>_wait(), wd_<alg>_wait_set() and
 *	wd_<alg>_poll_wait() of the class, and those in wd_poll_wait(). sess and
 *	set are checked, and don't restrict who is woken. Return 0, -EINVAL,
 *	-ESTALE. wd_wakeup() wakes the threads of all classes.
 *
 * Members of each request: timeout_ms is its deadline in milliseconds; 0 takes
 *	the session's, UINT_MAX sets none. A request past its deadline has the
 *	status -ETIMEDOUT, while -ETIME is the end of a call that waits or polls.
 *	wr_id is the caller's and never changed. The library writes consumed (bytes
 *	of src used), status, path and path_reason. Reserved members and undefined
 *	bits of flags must be 0.
 */

/* The path that did a request: arg->path. */
enum wd_path {
	WD_PATH_NONE = 0,	/* none: the request was refused before it was submitted */
	WD_PATH_HW = 1,		/* a device */
	WD_PATH_SIM = 2,	/* a simulated device (sysfs "simulated" is 1) */
	WD_PATH_SOFT = 3,	/* the software path: a CPU */
};

/* Why that path was taken: arg->path_reason. */
enum wd_path_reason {
	WD_REASON_BEST = 0,		/* the best device present */
	WD_REASON_POLICY = 1,		/* the session's flags or WD_PATH ask for it */
	WD_REASON_NO_DEVICE = 2,	/* no device offers this algorithm */
	WD_REASON_NO_QUEUE = 3,		/* all queues of all suitable devices are in use */
	WD_REASON_NO_ACCESS = 4,	/* this process can't open the device nodes */
	WD_REASON_NO_DRIVER = 5,	/* this library doesn't know the API of the devices present */
	WD_REASON_UNSUPPORTED = 6,	/* the devices present can't do what this session needs */
	WD_REASON_SIZE = 7,		/* the request is too small to be worth a device */
	WD_REASON_GONE = 8,		/* the devices were removed, isolated or stopped */
	WD_REASON_MASKED = 9,		/* the session's device mask leaves no suitable device */
	WD_REASON_WRONG = 10,		/* a device's result was wrong; computed again unless that is an error */
	WD_REASON_RESTS = 11,		/* the devices rest, because results of theirs were wrong */
	WD_REASON_NOT_IN_SLOT = 12,	/* the process' slot of a section has no device for this algorithm */
};

/*
 * Bits of "flags" in a session's setup, the same for all classes. Without
 * either flag the environment's WD_PATH (auto, hw, soft) decides. WD_PATH can
 * restrict a session but never widen it: a session whose flag contradicts
 * WD_PATH can't be allocated (EOPNOTSUPP).
 */
#define WD_SESS_PATH_HW		0x1u	/* devices only (simulated ones included) */
#define WD_SESS_PATH_SOFT	0x2u	/* the software path only */

/*
 * Another bit of flags: what a device makes is verified before it is delivered. A wrong result is made again by the
 * software path, with WD_REASON_WRONG; in a session for devices only, and in a stream, it is -EIO. The environment's
 * WD_VERIFY replaces the bit: 1 sets it in all sessions that have it, 0 clears it. Compression has it (wd_comp.h); RSA
 * verifies its private operations with and without it. Sessions of other classes can't be allocated with it
 * (EOPNOTSUPP).
 *
 * A device whose result was wrong rests for ten seconds (WD_REST, in seconds; 0: never). The session leaves it, what is
 * in flight excepted; sessions that are bound meanwhile get another device, or the software path with WD_REASON_RESTS.
 * Sessions for devices only use it if there is no other. A wrong result within the same time after a rest doubles the
 * next one, up to 64 times. A session that has gone to the software path returns to the device after the rest. Each
 * wrong result is reported to the kernel, which counts it for the administrator.
 */
#define WD_SESS_VERIFY		0x8u

/* Another bit of flags: the setup's cq names a completion queue (wd_cq.h), which replaces callbacks. */
#define WD_SESS_CQ		0x4u

/* What wd_<alg>_sess_caps() returns. */
#define WD_CAP_HW		0x01	/* bound to a device */
#define WD_CAP_SIM		0x02	/* bound to a simulated device */
#define WD_CAP_SOFT		0x04	/* may use the software path */
#define WD_CAP_ASYNC		0x08	/* takes asynchronous requests */
#define WD_CAP_STREAM		0x10	/* takes streams */
#define WD_CAP_SGL		0x20	/* buffers are lists */

/* A session's setup->op_type. */
enum wd_op_type {
	WD_SYNC,		/* calls that return the result */
	WD_ASYNC,		/* calls that return at once; a callback or completion queue delivers the result */
};

/* One context of this process. */
struct wd_ctx_info {
	char dev_name[64];	/* "hisi_zip-0"; "soft" for the software path */
	int numa_node;		/* -1 unknown */
	__u16 path;		/* enum wd_path */
	__u8 qc_type;		/* queue type, device specific */
	__u8 async;		/* 1: serves asynchronous sessions */
	__u32 depth;		/* requests that may be in flight */
	__u32 in_flight;
	__s32 state;		/* 0: usable; else the -errno that its requests return */
	__u64 reserved[4];
};

/*
 * wd_ctx_info() - describe context number i of this process.
 *
 * A process never reuses a number. Any thread. Returns 0, -EINVAL (info is
 * NULL), -ENOENT (no context ever had this number).
 */
int wd_ctx_info(unsigned int i, struct wd_ctx_info *info);

/*
 * wd_poll(), wd_poll_wait() - wd_<alg>_poll() and wd_<alg>_poll_wait() for the
 * contexts of all classes.
 *
 * One thread runs the callbacks of every class that the program uses. set may
 * name contexts of several classes; NULL: all asynchronous contexts of the
 * process, those of completion queues excepted. Return as the calls of a class
 * do; -EINVAL: count is 0, set is not a set or names no context of any class.
 * wd_poll_wait() returns 0 for a wake-up of any class and for wd_wakeup(), also
 * if this thread has returned from wd_<alg>_poll_wait() for the same one.
 */
int wd_poll(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
int wd_poll_wait(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);

/*
 * wd_wakeup() - wake the threads that wait or poll for work, in all classes.
 *
 * Those in wd_poll_wait(), and in wd_<alg>_poll_wait(), wd_<alg>_wait() and
 * wd_<alg>_wait_set() of each class. It is remembered as the wake-ups of the
 * classes are. Any thread, also in callbacks. Returns 0.
 */
int wd_wakeup(void);

/* Requests by outcome. No counter ever decreases. */
struct wd_counts {
	__u64 submitted;	/* in flight: submitted - completed */
	__u64 completed;	/* ended, with or without an error */
	__u64 errors;		/* ended with an error */
	__u64 bytes_in;		/* consumed by requests without an error */
	__u64 bytes_out;	/* produced by requests without an error */
	__u64 wrong;		/* of a session: results that the device called good, and that verifying found wrong */
	__u64 reserved[2];
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
 * wd_ctx_stats() - count the requests of context number i of this process.
 * wd_sess_stats() - count a session's requests by the path that did the work.
 *
 * The unit is one request's stay on one context. If a context is stopped and
 * its request is repeated elsewhere, the request is an error on the first
 * context and a new request on the second. A wrong result that
 * verifying finds (WD_SESS_VERIFY, RSA) counts as a success of the device, in
 * wrong, and again on the software path. A large buffer or a stream counts
 * once for each piece that is submitted to a device, a stream on the software
 * path once for each call. A synchronous request on the software path uses no
 * context and is counted when it ends. Refused requests aren't counted.
 *
 * The counts are exact: while a context is read, nothing is submitted to it or
 * taken from it. Don't call this for every request. Any thread, also in
 * callbacks; not in signal handlers. In a fork's child the counts of sessions
 * start at 0.
 * Return 0, -EINVAL (NULL, or not a session), -ENOENT (no context ever had
 * this number), -ESTALE (a context of a fork's parent).
 */
int wd_ctx_stats(unsigned int i, struct wd_ctx_stats *stats);
int wd_sess_stats(handle_t sess, struct wd_sess_stats *stats);

/*
 * wd_ctx_set_from_sess() - add the contexts that a session uses to a set.
 *
 * Only contexts of devices are added. When they are full, requests that name
 * the set return -EBUSY and don't take the software path. The software path's
 * context is added only if the session has no device at all.
 *
 * Any thread, one at a time per set. Returns 0, -EINVAL (not a live session or
 * not a set), -ESTALE (the set was created before fork()), -ENOMEM.
 */
int wd_ctx_set_from_sess(handle_t sess, wd_ctx_set_t *set);

/*
 * wd_ctx_set_add_soft() - add the software path's context to a set.
 *
 * Asynchronous requests of the session that name the set take the software
 * path when all devices in the set are full or can't take them. Any thread,
 * one at a time per set. Returns as wd_ctx_set_from_sess(); -EOPNOTSUPP for a
 * session that is synchronous or restricted to devices.
 */
int wd_ctx_set_add_soft(handle_t sess, wd_ctx_set_t *set);

/*
 * wd_sess_own_ctxs() - open n contexts that serve this session and no other.
 *
 * The contexts are opened now, on the best devices that the session may use,
 * in turn. From now on the session's requests use only these contexts. n is
 * the total, 8 at most: a later call opens or closes the difference, and with
 * 0 the session shares contexts again. Freeing the session closes them. If set
 * is not NULL, their numbers are added to it as by wd_ctx_set_from_sess().
 *
 * In a section the contexts count against the slot's grants and extras.
 * Outside of sections they come on top of what wd_user_ctxs() allows. A fork's
 * child opens as many as it can get when it first uses the session; so does a
 * session whose devices were gone and have returned.
 *
 * Any thread, while no other is in a call with the session. Returns 0, or, with
 * nothing changed: -EINVAL (not a session, not a set, n is too large), -EBUSY
 * (the devices have no more free queues, or requests are in flight on a
 * context that would be closed), -EDQUOT (the section grants no more),
 * -ENODEV, -EACCES, -EOPNOTSUPP (a session on a completion queue, or on the
 * software path only), -ESTALE, -ENOMEM.
 */
int wd_sess_own_ctxs(handle_t sess, unsigned int n, wd_ctx_set_t *set);

/*
 * wd_sess_cancel() - end the requests of a session that are in flight.
 *
 * For requests that a device has lost or that nobody waits for any more: a
 * request without a deadline otherwise lasts as long as the device takes, and
 * holds its buffers and its session. The call stops the contexts that have
 * requests of the session, and returns when the device has let go of their
 * buffers: usually within a millisecond, later by the time that the kernel
 * takes for a queue that doesn't stop (wd(7)). Each request that has no result
 * by then ends with -ECANCELED, a synchronous one as the result of its call, an
 * asynchronous one as any other: its callback runs in the next poll, its
 * completion is polled. Afterwards the session can be freed. Requests that had
 * finished keep their results. Of other sessions' requests on a stopped context
 * the library repeats those that may be repeated; the rest end with -EIO, as
 * after a neighbour's deadline. A stream whose request was cancelled is over.
 * Requests that are submitted meanwhile may be cancelled or not; later ones
 * aren't, since the session goes on.
 *
 * Any class. Any thread, also in callbacks; not in signal handlers. In a fork's
 * child there is nothing to cancel of what its parent submitted. Returns 0, or
 * -EINVAL (not a session).
 */
int wd_sess_cancel(handle_t sess);

/*
 * wd_in_flight() - count the requests in flight in a set.
 *
 * set NULL: every context of the process. Any thread. Returns the count,
 * -EINVAL (not a set), -ESTALE (the set was created before fork()).
 */
int wd_in_flight(const wd_ctx_set_t *set);

/*
 * wd_start_pollers() - start threads of the library that run callbacks.
 *
 * config "2@0,2@1" allows at most two threads on each of the NUMA nodes 0 and
 * 1. A count without a node is for threads that may run anywhere. The limits
 * are 64 threads and 16 nodes. NULL takes the value of WD_POLL_THREADS; if
 * that isn't set, one thread on every node that this process may run on. If
 * WD_POLL_THREADS is set, the first asynchronous session starts the threads.
 *
 * The threads of a node share the contexts of that node. Contexts of a node
 * without threads go to the nearest node that has some. Every thread serves
 * the software path. One thread of each node waits for completions; the others
 * help when it can't keep up. A thread without work sleeps. The threads block
 * all signals. A callback that blocks delays other callbacks. An exception that
 * a callback doesn't catch itself ends the process, as in any thread. A callback
 * that calls pthread_exit() ends its thread for good; callbacks that are due on
 * the thread's contexts then wait for a poll of the program, or until the
 * threads are stopped and started again. wd_<alg>_poll() may still be called,
 * and returns the number of callbacks that it ran itself.
 *
 * A fork's child has no such threads until it starts its own; with
 * WD_POLL_THREADS its first asynchronous call does. Any thread. Returns 0,
 * -EALREADY (the threads are running), -EINVAL (config is malformed, or names
 * a node without a CPU for this process; wd_error_detail() says which),
 * -EAGAIN, -ENOMEM, -EMFILE.
 */
int wd_start_pollers(const char *config);

/*
 * wd_stop_pollers() - end the poller threads and wait for their running callbacks.
 *
 * From now on the program polls for what is in flight. The library also stops
 * the threads at exit, and then waits at most a second for callbacks. That
 * comes before functions that were passed to atexit() before the threads
 * were started. Any thread but the pollers. Returns 0, or -EDEADLK in a callback
 * on one of them.
 */
int wd_stop_pollers(void);

/* Names to print: "hw", "sim", "soft", and a few words for a reason. Never NULL, static storage. */
const char *wd_path_str(unsigned int path);
const char *wd_path_reason_str(unsigned int reason);

/*
 * wd_status_str() - what a status means to these libraries, in a few words.
 *
 * status: 0, or a -errno that a function here returned, a request's
 * arg->status, or a completion's status. errno's own words (strerror()) are
 * about files and sockets: -ESHUTDOWN is "the section was shut down, ..."
 * here. Compression's arg->status has values of its own: wd_comp_status_str().
 * wd_error_detail() says more about the last failure.
 *
 * Static storage, English, never NULL, for every int. Any thread.
 */
const char *wd_status_str(int status);

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
