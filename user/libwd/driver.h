/* SPDX-License-Identifier: Apache-2.0 */
/* Between the request core, the algorithm classes and the drivers linked into them; private, changes with every release. */
#ifndef WD_DRIVER_H
#define WD_DRIVER_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>
#include <wd.h>
#include <wd_cq.h>
#include <wd_request.h>
#include "base/error.h"
#include "base/fork.h"
#include "base/handle.h"
#include "base/keep.h"
#include "base/sleep.h"

struct wd_cq;
struct wd_queue;
struct wd_session;
struct wd_slot;

/* Status of a request that was stopped through no fault of its own; becomes another before its caller sees it. */
#define WD_STOPPED	(-ECANCELED)

/* wd_msg.state of a synchronous request: a futex word that its owner waits on. */
enum wd_msg_state {
	WD_MSG_FLYING = 0,	/* owned by the device */
	WD_MSG_WAITED = 1,	/* the same, and its owner sleeps on the word */
	WD_MSG_DONE = 2,	/* results are in; the memory is its owner's again */
};

/**
 * struct wd_msg - one request inside the core; a class's own message begins with it
 * @sess:	whose it is
 * @req:	the caller's argument struct, for the class's complete()
 * @deadline:	of the monotonic clock in ns, 0 none
 * @state:	enum wd_msg_state
 * @tag:	slot index and generation, as the descriptor carries it
 * @status:	result: 0 or -errno
 * @vendor:	raw device status
 * @aux:	the class's, and all that is kept of an asynchronous message until its completion
 * @over:	requests of the session that are over with this one's completion
 * @path:	who did it, enum wd_path
 * @reason:	why, enum wd_path_reason
 * @redo:	0: it may not be done again. Else how often on a context, and one more
 *		for this CPU; fill says WD_REDO when it is stateless and src and dst don't overlap
 * @waited:	it was stopped, and has waited for a context once
 * @told:	the results of a request that took the fast path are in the caller's struct
 *
 * It lies on the stack of whoever submits, waits or delivers: an asynchronous
 * request has none while it is in flight, only its slot. Of a request that
 * took the fast path (WD_SLOT_FAST) nobody fills one in, unless it ends
 * in another way than most.
 */
struct wd_msg {
	struct wd_session *sess;
	void *req;
	__u64 deadline;
	_Atomic __u32 state;
	__u32 tag;
	__s32 status;
	__u32 vendor;
	__u32 aux;
	__u32 over;
	__u16 path;
	__u16 reason;
	__u8 redo;
	bool told;
	bool waited;
};

/* How every class's message begins: what the counters want to know of a request that went well. */
struct wd_msg_ends {
	struct wd_msg m;
	size_t consumed;
	size_t produced;
};

#define WD_MSG_BYTES_MAX	256	/* a class's message */

/* Behind a class's message. */
#define WD_MSG_ASSERT(type) \
	static_assert(sizeof(type) <= WD_MSG_BYTES_MAX, "it lies in rows of these"); \
	static_assert(offsetof(type, consumed) == offsetof(struct wd_msg_ends, consumed) && \
		      offsetof(type, produced) == offsetof(struct wd_msg_ends, produced), "counters read these")
#define WD_PULL_MAX	64	/* completions that one pull takes off a queue in use */
#define WD_REDO		5	/* contexts that stop under a request before the device is taken for broken */

/**
 * struct wd_class - an algorithm family: everything the core must know of it
 * @name:	"comp"
 * @kind:	of its sessions' handles
 * @what:	"a compression session", for messages
 * @algs:	sysfs algorithm names by the session's alg number, NULL-terminated
 * @drivers:	device drivers, preferred first, NULL-terminated
 * @soft:	the driver that needs no device
 * @too_much:	what an asynchronous request that no device takes is refused with; 0: EOPNOTSUPP
 * @async_other: an asynchronous request that can't take the fast path: check it, wd_request_async()
 * @fill:	message of a checked request, all of it but tag and deadline; 0
 *		or -errno, recorded. No lock is held
 * @refill:	the same of a request that is complete, whose aux fill chose; 0 of one that
 *		took the fast path
 * @bytes:	size of a request, for choosing its path
 * @timeout_ms:	the request's own, 0 none
 * @complete:	results into the caller's struct and its callback (no lock held,
 *		the slot already free), after wd_request_over() and without
 *		another look at the session
 * @call:	only its callback: the results are in the caller's struct, and wd_request_over() was
 * @work:	the same without a callback, before wd_request_over(), for a session with a
 *		completion queue: wr_id, opcode, byte_len and consumed of wc; returns its status
 * @work_told:	the same when the results are in the caller's struct, path and path_reason, too
 */
struct wd_class {
	const char *name;
	enum wd_kind kind;
	const char *what;
	const char *const *algs;
	const struct wd_driver *const *drivers;
	const struct wd_driver *soft;
	int too_much;
	int (*async_other)(struct wd_session *s, void *req);
	int (*fill)(struct wd_session *s, void *req, struct wd_msg *msg);
	void (*refill)(struct wd_session *s, void *req, __u32 aux, struct wd_msg *msg);
	size_t (*bytes)(const void *req);
	__u32 (*timeout_ms)(const void *req);
	void (*complete)(struct wd_msg *msg);
	void (*call)(void *req);
	int (*work)(struct wd_msg *msg, struct wd_wc *wc);
	void (*work_told)(const struct wd_session *s, const void *req, struct wd_wc *wc);
};

/* What became of a synchronous request that was to take the fast path. */
enum wd_fast {
	WD_FAST_TOLD,	/* done well, and the caller's struct says so */
	WD_FAST_OVER,	/* done, and all there is to say is in the message: WD_STOPPED, too */
	WD_FAST_NOT,	/* not begun: let it be checked, and go the other way */
};

/**
 * struct wd_driver - operations of a driver; wd_driver_fill() puts refusing defaults in for what is missing
 * @name:	for messages
 * @apis:	device_api strings it understands, NULL-terminated; NULL: needs no device
 * @min_bytes:	with path "auto", smaller requests aren't worth a real device
 * @begin:	before each session of the class: whatever @exec needs is made ready, once; NULL: nothing
 * @open:	open and start a queue of the device; fills depth, limit, fd and drv of wd_queue_pub()
 * @close:	the reverse, in any state, also twice; nobody else touches the queue. If the device
 *		has not stopped, memory that it was given is never freed, and wd_queue_pub()->stuck
 *		tells the class to do the same
 * @stop:	stop the queue; 0 once the device can't touch memory for it any more,
 *		also when somebody else stopped it. Asks for a second at least, and as much
 *		longer as the kernel takes for an answer. Under the drain lock
 * @push:	fill descriptors for n messages and ring once; returns how many were
 *		taken, or -errno when none was (-EBUSY: no room). Under the producer lock
 * @sync:	the fast path: descriptors from the callers' structs themselves, of requests
 *		that need nothing beside one, which it checks. Of the message, which has the
 *		size of the class's, only req and deadline are filled in. No lock is held. The queue is the last argument, so that those before are
 *		handed on where they are
 * @async_one:	the same for one without a deadline; 0, or what the class's async_other() says
 * @async:	the same for n of one session, up to the first that is not fit; how many
 * @tell:	the reverse: results of the request of that slot, which was sent so, into its
 *		caller's struct, and counted; false, and nothing done, when it did not end as
 *		most do. Under the drain lock
 * @pull:	what is complete (at most max): what tell() can do and needs no poller, else
 *		wd_queue_sync_done() or wd_queue_async_done(); returns how many, or -EIO/-ENODEV once the queue can't complete
 *		anything more. Under the drain lock
 * @result:	status and results of the request that is complete at
 *		that index into its message; its place in the ring is free
 *		afterwards. Under the drain lock
 * @abort:	give back what push took at that index for a request that will not
 *		complete. Under the drain lock
 * @ready:	whether pull would find something. Under the drain lock
 * @arm:	ask for an event with every completion from now on; by the sleeper,
 *		under the drain lock
 * @disarm:	undo it; no lock
 * @exec:	compute one message now (software drivers)
 */
struct wd_driver {
	const char *name;
	const char *const *apis;
	size_t min_bytes;
	void (*begin)(void);
	int (*open)(struct wd_queue *q, const struct uacce_dev_info *dev);
	void (*close)(struct wd_queue *q);
	int (*stop)(struct wd_queue *q);
	int (*push)(struct wd_queue *q, struct wd_msg *const msgs[], unsigned int n);
	enum wd_fast (*sync)(struct wd_session *s, struct wd_msg *msg, size_t bytes, struct wd_queue *q);
	int (*async_one)(struct wd_session *s, void *req, struct wd_queue *q);
	unsigned int (*async)(struct wd_session *s, void *const reqs[], unsigned int n, struct wd_queue *q);
	bool (*tell)(struct wd_queue *q, struct wd_slot *slot, unsigned int index);
	int (*pull)(struct wd_queue *q, unsigned int max);
	void (*result)(struct wd_queue *q, struct wd_msg *msg, unsigned int index);
	void (*abort)(struct wd_queue *q, unsigned int index);
	bool (*ready)(struct wd_queue *q);
	void (*arm)(struct wd_queue *q);
	void (*disarm)(struct wd_queue *q);
	int (*exec)(struct wd_msg *msg);
};

/**
 * struct wd_session_attr - what a class asks a session to be
 * @alg:	index into the class's algs
 * @qc_type:	queue type of the device
 * @async:	asynchronous requests
 * @flags:	WD_SESS_*
 * @timeout_ms:	deadline of requests that bring none
 * @mask:	devices, NULL for all
 * @refuse:	0, or the reason why no device can serve it
 * @features:	WD_CAPA_* that a device must have
 * @cq:		with WD_SESS_CQ: the completion queue
 */
struct wd_session_attr {
	unsigned int alg;
	__u8 qc_type;
	bool async;
	__u32 flags;
	__u32 timeout_ms;
	const wd_dev_mask_t *mask;
	__u16 refuse;
	__u32 features;
	handle_t cq;
};

#define WD_SESS_QUEUES	8	/* contexts that one session spreads over at most */

/* wd_session.fast_call; a class with several synchronous calls counts on from the first. */
#define WD_CALL_ASYNC	1
#define WD_CALL_SYNC	2

/* Requests that are over: bytes and number of those that went well, number of the others. */
struct wd_tally {
	__u64 in;
	__u64 out;
	__u64 good;
	__u64 errors;
};

struct wd_shared_tally {
	_Atomic __u64 in;
	_Atomic __u64 out;
	_Atomic __u64 good;
	_Atomic __u64 errors;
};

/* What one thread has come to on this CPU: it alone writes, and others read. */
struct wd_own_tally {
	_Atomic(const void *) thread;	/* the first that ended a request there; NULL: none yet */
	struct wd_shared_tally tally;
};

#define WD_MORE_ROWS	(WD_SESS_QUEUES - 1)

/* A session's counts for one context, taken at its first completion there; under that context's drain lock. */
struct wd_row {
	_Atomic(struct wd_queue *) q;
	struct wd_tally tally;
};

/* Contexts that a session is bound to, so that they stay open. */
struct wd_hold {
	__u32 gen;			/* wd_fork_now() of the binding */
	unsigned int nr;
	struct wd_queue *queue[WD_SESS_QUEUES];
};

/**
 * struct wd_session - the core's part of a session; a class's own session begins with it
 *
 * @queue, @first and @nr change after fork and removal only, under the engine's lock.
 */
struct wd_session {
	struct wd_object obj;
	const struct wd_class *cls;
	struct wd_session_attr attr;
	unsigned char *mask;		/* copy of attr.mask's bits */
	int mask_len;
	bool soft_ok;			/* policy allows the CPU */
	bool hw_ok;			/* policy allows devices */
	_Atomic __u16 reason;		/* why a request of this session takes the path it takes */
	_Atomic __u32 in_flight;	/* asynchronous requests */
	_Atomic __u64 again_at;		/* when looking for devices again is worth a try; changes under the engine's lock */
	struct wd_hold hold;		/* what it counts for a user of; the same */
	__u32 era;			/* wd_engine.era of its allocation; the same */
	_Atomic __u32 bound_gen;	/* wd_fork_now() of the binding */
	unsigned int own_nr;		/* contexts that serve no other session; under the engine's lock */
	_Atomic unsigned int nr;
	_Atomic(struct wd_queue *) first;	/* queue[0], or NULL when there is none */
	_Atomic(struct wd_queue *) queue[WD_SESS_QUEUES];
	_Atomic(struct wd_queue *) soft;	/* where asynchronous software requests wait for a poller */
	_Atomic __u32 folds;		/* odd while rows become shared counters */
	struct wd_row row;		/* of the first context that a request ended on */
	_Atomic(struct wd_row *) more;	/* WD_MORE_ROWS for others, made when there is one */
	struct wd_own_tally own;	/* on this CPU, of most sessions' only thread */
	struct wd_shared_tally shared[WD_PATH_SOFT];	/* by path, from WD_PATH_HW: what neither a row nor that thread has */
	struct wd_cq *cq;		/* instead of callbacks, or NULL */
	bool fast;			/* requests may be tried on the fast path */
	bool no_cb;			/* a completion queue instead of callbacks */
	__u8 fast_call;			/* the call that begins with the fast path: WD_CALL_*, or 0 */
};

enum wd_slot_state {
	WD_SLOT_FREE,
	WD_SLOT_SYNC,		/* in flight; the message is its caller's */
	WD_SLOT_ASYNC,		/* in flight */
	WD_SLOT_CLAIMED,	/* software: a poller computes it */
	WD_SLOT_READY,		/* complete: results still lie in the ring */
	WD_SLOT_FAILED,		/* complete: aux is the status */
};

#define WD_SLOT_REDO	0x0f	/* wd_msg.redo */
#define WD_SLOT_LATE	0x10	/* its deadline has passed: it fails, whatever becomes of it */
#define WD_SLOT_FAST 0x20	/* its message was never filled in */

/**
 * struct wd_slot - a place in the ring; index = position modulo depth
 * @owner:	struct wd_msg of a synchronous request, the caller's argument struct of another
 * @sess:	whose it is
 * @aux:	wd_msg.aux, or the status
 * @gen:	the tag's generation, to tell a request from its predecessors
 * @state:	enum wd_slot_state. Free ones are the producer's, others the drain lock's
 */
struct wd_slot {
	void *owner;
	struct wd_session *sess;
	__u64 deadline;
	__u32 aux;
	__u16 gen;
	__u8 flags;
	_Atomic __u8 state;
};
static_assert(sizeof(struct wd_slot) <= 32, "two to a cache line");

/* What a driver may know of its queue. */
struct wd_queue_pub {
	void *drv;		/* the driver's own */
	struct wd_slot *slots;
	const struct wd_driver *ops;	/* with refusing defaults */
	size_t worth;		/* with path "auto", smaller requests are for this CPU */
	const struct wd_msg *self;	/* the message of the thread that drains */
	_Atomic int fd;		/* to sleep on, -1 none, or closed; another after it was opened again */
	__u32 depth;		/* places in the ring */
	__u32 limit;		/* requests in flight at most */
	__u8 qc_type;
	__u16 path;		/* enum wd_path */
	const _Atomic __u32 *filling;	/* not 0 while requests may be in the ring that aren't counted yet */
	_Atomic __u32 stuck;	/* times it was closed with a device that had not stopped: see @close */
};

static inline struct wd_queue_pub *wd_queue_pub(struct wd_queue *q)
{
	return (struct wd_queue_pub *)q;
}

/* The session's first context, if requests of so many bytes are worth it; NULL: the slow path finds out. */
static inline __attribute__((always_inline)) struct wd_queue *wd_first_queue(struct wd_session *s, size_t bytes)
{
	struct wd_queue *q = atomic_load_explicit(&s->first, memory_order_acquire);

	return __builtin_expect(!q || (bytes < wd_queue_pub(q)->worth && s->soft_ok), 0) ? NULL : q;
}

/* --- what a class calls --- */

/* Make room for a session of size bytes, bind it and give it a handle. Returns it, or NULL and errno. */
struct wd_session *wd_session_alloc(const struct wd_class *cls, size_t size, const struct wd_session_attr *attr);
/* 0, -EBUSY, -EDEADLK; frees the memory when 0. */
int wd_session_free(struct wd_session *s);
/* Whether wd_session_free() would say no, and what. */
int wd_session_busy(const struct wd_session *s);
/* The session of that handle if it is of that class, else NULL, recorded. */
struct wd_session *wd_session_find(handle_t h, const struct wd_class *cls);
struct wd_session *wd_session_get_slow(handle_t h, const struct wd_class *cls);
/* The same if it is bound to contexts of this process, else NULL, of which nothing is recorded. */
static inline struct wd_session *wd_session_peek(handle_t h, const struct wd_class *cls)
{
	struct wd_session *s = wd_handle_get(h, cls->kind);

	return __builtin_expect(s && wd_fork_is(atomic_load_explicit(&s->bound_gen, memory_order_acquire)), 1) ? s : NULL;
}

/* The same, which is bound if it was not. */
static inline struct wd_session *wd_session_get(handle_t h, const struct wd_class *cls)
{
	struct wd_session *s = wd_session_peek(h, cls);

	return __builtin_expect(s != NULL, 1) ? s : wd_session_get_slow(h, cls);
}
int wd_session_caps(struct wd_session *s);

/* Do msg and wait for it until msg->deadline: on a device, or on this CPU, as the session's policy says. Returns msg->status. */
int wd_request_sync(struct wd_session *s, struct wd_msg *msg, size_t bytes);
/* A request that was stopped, and whose message is filled in now, goes on as wd_request_sync(). */
int wd_request_resume(struct wd_session *s, struct wd_msg *msg, size_t bytes);
/* The same on one queue and nowhere else. */
int wd_request_on(struct wd_queue *q, struct wd_msg *msg, size_t bytes);
/* Whether a request of so many bytes is for this CPU; the path it would take now, and why. */
bool wd_session_soft(struct wd_session *s, size_t bytes, __u16 *path, __u16 *reason);
/* The queue a stream should be bound to; NULL: this CPU (reason says why). Negative errno when neither may serve it. */
int wd_session_pick(struct wd_session *s, struct wd_queue **q, __u16 *reason);
/* This CPU did a request, or a call of a stream, for the session: status negative for an error. */
void wd_session_count_soft(struct wd_session *s, int status, size_t consumed, size_t produced);
/* n checked requests; how many were taken, or -errno when none was. */
int wd_request_async(struct wd_session *s, void *const reqs[], unsigned int n, const wd_ctx_set_t *set);

int wd_class_poll(const struct wd_class *cls, __u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
int wd_class_poll_wait(const struct wd_class *cls, __u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
int wd_session_wait(struct wd_session *s, unsigned int timeout_ms);
int wd_session_wakeup(struct wd_session *s);
int wd_class_wait_set(const struct wd_class *cls, const wd_ctx_set_t *set, unsigned int timeout_ms);
int wd_class_wakeup_set(const struct wd_class *cls, const wd_ctx_set_t *set);

/* --- pollers.c --- */

/* Poll threads end at exit, before what was registered with atexit() until now runs. */
void wd_pollers_end_at_exit(void);

/* --- frame.c: what every class does alike --- */

/* -EINVAL, recorded: it isn't such a session. */
__attribute__((cold)) int wd_frame_refuse_mode(struct wd_session *s, bool async);
static inline int wd_frame_check_mode(struct wd_session *s, bool async)
{
	return __builtin_expect(s->attr.async == async, 1) ? 0 : wd_frame_refuse_mode(s, async);
}
/* The end of an argument struct. 0, or -EINVAL and which member, recorded. */
__attribute__((cold)) int wd_frame_refuse_end(struct wd_session *s, bool has_cb, __u32 flags, const __u64 reserved[4]);
/* The same: one look for what is nearly always right. */
static inline int wd_frame_check_end(struct wd_session *s, bool has_cb, __u32 flags, const __u64 reserved[4])
{
	if (__builtin_expect((has_cb ? s->attr.async && !s->cq : !s->attr.async || s->cq) &&
			     !(flags | reserved[0] | reserved[1] | reserved[2] | reserved[3]), 1))
		return 0;
	return wd_frame_refuse_end(s, has_cb, flags, reserved);
}
/* What setups have in common, into attr. The same. */
int wd_frame_attr(struct wd_session_attr *attr, __u8 op_type, __u16 data_fmt, __u32 flags, __u32 timeout_ms,
		  handle_t cq, const __u64 reserved[4]);
/*
 * The session is made: whether its requests may take the fast path, which plain says of them, and which call is to begin
 * with it: the asynchronous one, or that synchronous one.
 */
void wd_frame_ready(struct wd_session *s, bool plain, __u8 sync_call);
/* The class's call of that name. end frees what the class's own part holds, and may refuse; NULL: nothing. 0, -EINVAL, -EBUSY, -EDEADLK. */
int wd_frame_free_sess(handle_t h, const struct wd_class *cls, int (*end)(struct wd_session *s));
/* The session, if a key may be set in it now, else NULL and *ret. */
struct wd_session *wd_frame_key_begin(handle_t h, const struct wd_class *cls, const void *key, int *ret);
/* Do msg, of a class whose message begins with struct wd_msg_ends, on the software path, whatever the session is bound to. Returns its status. */
int wd_frame_do_soft(struct wd_session *s, struct wd_msg *msg, __u16 reason);
/* Records why a request failed, in words of the class's (why) or of the errno's own; returns ret. */
int wd_frame_fail(struct wd_session *s, int ret, const char *why, __u32 vendor);

/* An asynchronous request is over: when it is the session's last, others may free the session from now on. */
static inline void wd_request_over(struct wd_msg *msg)
{
	if (msg->over)
		atomic_fetch_sub(&msg->sess->in_flight, msg->over);
}

/* --- what a driver calls --- */

/* An asynchronous request's descriptor is complete: it waits for a poller. Only inside pull. */
void wd_queue_async_done(struct wd_queue *q, struct wd_slot *slot, unsigned int index);

/* A synchronous request's is: result() is asked, its slot is free, and its owner, who may leave at once, goes on. The same. */
void wd_queue_sync_done(struct wd_queue *q, struct wd_slot *slot, unsigned int index);

/* A request found no context. -ENODEV, recorded with the reason, which may be that the process has no slot. */
int wd_section_no_device(struct wd_object *obj);

#endif
