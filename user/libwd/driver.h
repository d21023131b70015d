/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface between the request core, the algorithm classes and the drivers linked into them; private, changes with
 * every release.
 */
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
#include "base/likely.h"
#include "base/sleep.h"

struct wd_cq;
struct wd_queue;
struct wd_session;
struct wd_session_attr;
struct wd_slot;

/*
 * Status of a request that was stopped through no fault of its own. Its caller never sees this status: it is replaced
 * first.
 */
#define WD_STOPPED	(-ERESTART)

/* How the argument structs of all classes begin. */
struct wd_arg {
	const void *src;
	size_t src_len;
	void *dst;
	size_t *dst_len;
	void (*cb)(void);	/* of each class's own type: only compared with NULL here */
	void *cb_param;
} __attribute__((may_alias));

/* How a request ended, and its members at once. */
union wd_how {
	struct {
		__s32 status;
		__u16 path;
		__u16 path_reason;
	};
	__u64 all;
} __attribute__((may_alias));

/* How they end. */
struct wd_arg_end {
	__u32 flags;
	__u32 timeout_ms;
	__u64 wr_id;
	__u64 consumed;
	union {
		union wd_how how;
		struct {
			__s32 status;
			__u16 path;
			__u16 path_reason;
		};
	};
	__u64 reserved[4];
} __attribute__((may_alias));

/* The end of an argument struct of that size. */
static inline struct wd_arg_end *wd_arg_end(const void *arg, size_t bytes)
{
	return (struct wd_arg_end *)(void *)((char *)arg + bytes - sizeof(struct wd_arg_end));
}

/* The size of a request, for choosing its path. */
static inline size_t wd_arg_bytes(const void *arg)
{
	return ((const struct wd_arg *)arg)->src_len;
}

#define WD_ARG_SAME(type, member) \
	static_assert(offsetof(type, member) == offsetof(struct wd_arg, member), "a struct begins like the others")
#define WD_ARG_SAME_END(type, member) \
	static_assert(sizeof(type) - offsetof(type, member) == \
		      sizeof(struct wd_arg_end) - offsetof(struct wd_arg_end, member), "a struct ends like the others")
/* Of each class's argument struct. */
#define WD_ARG_ASSERT(type) \
	WD_ARG_SAME(type, src); \
	WD_ARG_SAME(type, src_len); \
	WD_ARG_SAME(type, dst); \
	WD_ARG_SAME(type, dst_len); \
	WD_ARG_SAME(type, cb); \
	WD_ARG_SAME(type, cb_param); \
	WD_ARG_SAME_END(type, flags); \
	WD_ARG_SAME_END(type, timeout_ms); \
	WD_ARG_SAME_END(type, wr_id); \
	WD_ARG_SAME_END(type, consumed); \
	WD_ARG_SAME_END(type, status); \
	WD_ARG_SAME_END(type, path); \
	WD_ARG_SAME_END(type, path_reason); \
	WD_ARG_SAME_END(type, reserved)

/* wd_msg.state of a synchronous request: a futex word that its owner waits on. */
enum wd_msg_state {
	WD_MSG_FLYING = 0,	/* owned by the device */
	WD_MSG_WAITED = 1,	/* the same, and the owner sleeps on the word */
	WD_MSG_DONE = 2,	/* the results are in; the owner has its memory back */
};

/* The executor of a request: members that are copied from a context to its requests at once. */
struct wd_taker {
	__u16 path;		/* enum wd_path */
	__u16 ctx;		/* the context's number */
};

/**
 * struct wd_msg - one request inside the core; a class's own message begins with it
 * @sess:	the request's session
 * @req:	the caller's argument struct, for the class's result() and call()
 * @deadline:	on the monotonic clock, in ns; 0: none
 * @state:	enum wd_msg_state
 * @tag:	slot index and generation, as the descriptor carries them
 * @status:	result: 0 or -errno
 * @vendor:	raw device status
 * @aux:	owned by the class; the only part of an asynchronous message that is kept until completion
 * @over:	number of the session's requests that are over with this completion
 * @path:	the path that the request took, enum wd_path
 * @ctx:	number of the context that it took last, if @path is a device's
 * @reason:	why it took that path, enum wd_path_reason
 * @redo:	0: no retry. Otherwise the retries left on a context, plus one for the software path.
 *		fill() sets WD_REDO; the class's may_redo() is asked when a device may have begun
 * @cancels:	the session's @cancelled when the request was stopped, or when the slow path began it
 * @waited:	the request was stopped, and has waited for a context once
 * @told:	the request took the fast path, and its results are in the caller's struct
 *
 * The message lies on the stack of the thread that submits, waits or delivers: an
 * asynchronous request in flight has only its slot. For a request that took the fast
 * path (WD_SLOT_FAST) no message is filled in, unless the request ends unusually.
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
	__u32 cancels;
	union {
		struct wd_taker by;
		struct {
			__u16 path;
			__u16 ctx;
		};
	};
	__u16 reason;
	__u8 redo;
	bool told;
	bool waited;
};

#define WD_REDO		15	/* stops of a request's context after which the device counts as broken */

/* Fills in what all classes' messages have, of a request that may be repeated. */
static inline void wd_msg_begin(struct wd_msg *m, struct wd_session *s, void *req)
{
	m->sess = s;
	m->req = req;
	m->vendor = 0;
	m->aux = 0;
	m->redo = WD_REDO;
}

/* How every class's message begins: what the counters need from a request that succeeded. */
struct wd_msg_ends {
	struct wd_msg m;
	size_t consumed;
	size_t produced;
};

#define WD_MSG_BYTES_MAX	256	/* size of a class's message at most */

/* Stands after the definition of a class's message. */
#define WD_MSG_ASSERT(type) \
	static_assert(sizeof(type) <= WD_MSG_BYTES_MAX, "it lies in rows of these"); \
	static_assert(offsetof(type, consumed) == offsetof(struct wd_msg_ends, consumed) && \
		      offsetof(type, produced) == offsetof(struct wd_msg_ends, produced), "counters read these")
#define WD_PULL_MAX	64	/* completions that one pull() takes from a queue in use, at most */
#define WD_BURST_MAX	32	/* messages that one call fills in at once, before a device has them */

/**
 * struct wd_class - an algorithm family: everything the core must know about it
 * @name:	"comp"
 * @kind:	kind of its sessions' handles
 * @what:	"a compression session", for messages
 * @algs:	sysfs algorithm names by the session's alg number, NULL-terminated
 * @drivers:	device drivers, preferred first, NULL-terminated
 * @soft:	the driver that needs no device
 * @verifies:	whether sessions may ask for verified results: WD_SESS_VERIFY
 * @too_much:	the errno for an asynchronous request that no device takes; 0: EOPNOTSUPP
 * @arg_bytes:	size of its argument struct, which begins with struct wd_arg and ends with struct wd_arg_end
 * @async_most:	largest src_len of an asynchronous request; 0: no limit
 * @async_other: wd_frame_async_other(), which drivers and the core reach through here
 * @sync_other:	wd_frame_sync_other(); the same
 * @check:	check the argument struct for that call, WD_CALL_*; 0 or -errno, recorded
 * @fill:	fill in the message of a checked request, all but tag and deadline; 0
 *		or -errno, recorded. No lock is held
 * @refill:	the same for a completed request, with the aux that fill() chose; 0 for a request
 *		that took the fast path, and for a synchronous one
 * @may_redo:	whether the request can be repeated that this message describes, although a device may have done a
 *		part of it: see "Repeats" in wd_request.h. Asked only after a context's end. NULL: always
 * @run:	do a synchronous request; the message has its deadline, and what refill() fills in. Returns the status
 * @run_over:	the same for a request that began on the fast path, but didn't end there
 * @result:	put the results of a request that ended with ret into the argument struct. Returns the error, recorded,
 *		or 0
 * @ended:	the same for an asynchronous request, which ended with msg->status. The slot is free, and no lock is
 *		held
 * @call:	call the request's callback
 * @opcode:	enum wd_wc_opcode of the request
 * @status:	arg->status of a request that is refused with ret; NULL: ret
 */
struct wd_class {
	const char *name;
	enum wd_kind kind;
	const char *what;
	const char *const *algs;
	const struct wd_driver *const *drivers;
	const struct wd_driver *soft;
	bool verifies;
	int too_much;
	size_t arg_bytes;
	size_t async_most;
	int (*async_other)(struct wd_session *s, void *req);
	int (*sync_other)(struct wd_session *s, struct wd_msg *msg, bool begun);
	int (*check)(struct wd_session *s, const void *req, int call);
	int (*fill)(struct wd_session *s, void *req, struct wd_msg *msg);
	void (*refill)(struct wd_session *s, void *req, __u32 aux, struct wd_msg *msg);
	bool (*may_redo)(const struct wd_msg *msg);
	int (*run)(struct wd_session *s, struct wd_msg *msg);
	int (*run_over)(struct wd_session *s, struct wd_msg *msg);
	int (*result)(struct wd_session *s, void *req, struct wd_msg *msg, int ret);
	int (*ended)(struct wd_msg *msg);
	void (*call)(void *req);
	__u32 (*opcode)(const struct wd_session *s, const void *req);
	__s32 (*status)(int ret);
};

/**
 * struct wd_driver - operations of a driver; wd_driver_fill() supplies refusing defaults for missing ones
 * @name:	for messages
 * @apis:	device_api strings that the driver understands, NULL-terminated; NULL: needs no device
 * @min_bytes:	with path "auto", smaller requests aren't worth a real device
 * @serves:	whether the driver's devices can do what a session asks for, apart from single requests; NULL: always
 * @begin:	before each session of the class: prepare, once, whatever @exec needs; 0 or -errno,
 *		recorded; NULL: nothing
 * @open:	open and start a queue of the device; fills depth, limit, fd, flat and drv of wd_queue_pub(). -EBUSY:
 *		the device has none; -EINPROGRESS: it can't start one before it has finished another process' queue
 * @close:	undo @open, in any state, also twice; no other thread touches the queue. If the device
 *		has not stopped, memory that it was given is not freed before it has, or never, and
 *		wd_queue_pub()->stuck tells the class never to free what it gave
 * @stop:	stop the queue; 0 once the device can't touch memory for it any more, also
 *		when another thread stopped it. Retries for at least a second, plus the time that
 *		the kernel takes to answer. Under the drain lock
 * @push:	fill descriptors for n messages and ring the doorbell once; returns how many were
 *		taken, or -errno when none was (-EBUSY: no room). Under the producer lock
 * @sync:	the fast path: build the descriptor straight from the caller's struct, for a request
 *		that needs only a descriptor, which the driver checks, and wait for it. 0, or what the class's
 *		sync_other() returns. No lock is held. The queue is the last argument, so that the arguments before it
 *		are passed on in the same registers
 * @async_one:	the same for one asynchronous request without a deadline; 0, or what the class's async_other() returns
 * @async:	the same for n requests of one session, up to the first that can't take the fast path; returns how many
 * @tell:	for the request in that slot, which took the fast path: put the results into the
 *		caller's struct and count the request. False, with nothing done, when the request
 *		ended unusually. Under the drain lock
 * @pull:	take completions (at most max). Those that tell() can handle and that need no poller are
 *		finished at once, the others by wd_queue_sync_done() or wd_queue_async_done(). Returns
 *		how many, or -EIO/-ENODEV once the queue can't complete anything more. Under the drain lock
 * @result:	put status and results of the completed request at that index into its
 *		message; the ring entry is free afterwards. Under the drain lock
 * @abort:	release what push() took at that index for a request that will not
 *		complete. Under the drain lock
 * @stopped:	whether the completed request at that index came back undone, because the queue was stopped. Under
 *		the drain lock
 * @ready:	whether pull() would find a completion. Under the drain lock
 * @arm:	ask for an event with every completion from now on; called by the sleeper,
 *		under the drain lock
 * @disarm:	undo @arm; no lock
 * @exec:	compute one message now (software drivers)
 */
struct wd_driver {
	const char *name;
	const char *const *apis;
	size_t min_bytes;
	bool (*serves)(const struct wd_session_attr *attr);
	int (*begin)(void);
	int (*open)(struct wd_queue *q, const struct uacce_dev_info *dev);
	void (*close)(struct wd_queue *q);
	int (*stop)(struct wd_queue *q);
	int (*push)(struct wd_queue *q, struct wd_msg *const msgs[], unsigned int n);
	int (*sync)(struct wd_session *s, void *req, __u64 deadline, struct wd_queue *q);
	int (*async_one)(struct wd_session *s, void *req, struct wd_queue *q);
	unsigned int (*async)(struct wd_session *s, void *const reqs[], unsigned int n, struct wd_queue *q);
	bool (*tell)(struct wd_queue *q, struct wd_slot *slot, unsigned int index);
	int (*pull)(struct wd_queue *q, unsigned int max);
	void (*result)(struct wd_queue *q, struct wd_msg *msg, unsigned int index);
	void (*abort)(struct wd_queue *q, unsigned int index);
	bool (*stopped)(struct wd_queue *q, unsigned int index);
	bool (*ready)(struct wd_queue *q);
	void (*arm)(struct wd_queue *q);
	void (*disarm)(struct wd_queue *q);
	int (*exec)(struct wd_msg *msg);
};

/**
 * struct wd_session_attr - the properties of a session that a class asks for
 * @alg:	index into the class's algs
 * @row:	the algorithm in more detail, for a driver's serves(); NULL: alg says all
 * @qc_type:	queue type of the device
 * @async:	asynchronous requests
 * @flags:	WD_SESS_*
 * @timeout_ms:	deadline of requests without one of their own
 * @mask:	permitted devices, NULL for all
 * @behind:	devices that it uses are those of another session, whose policy holds
 * @refuse:	0, or the reason why no device can serve the session
 * @features:	WD_CAPA_* that a device must have
 * @cq:		with WD_SESS_CQ: the completion queue
 */
struct wd_session_attr {
	unsigned int alg;
	const void *row;
	__u8 qc_type;
	bool async;
	__u32 flags;
	__u32 timeout_ms;
	const wd_dev_mask_t *mask;
	bool behind;
	__u16 refuse;
	__u32 features;
	handle_t cq;
};

#define WD_SESS_QUEUES	8	/* contexts that one session uses, at most */

/* wd_session.fast_call; a class with several synchronous calls numbers the others upwards from WD_CALL_SYNC. */
#define WD_CALL_ASYNC	1
#define WD_CALL_SYNC	2

/* Requests that are over: bytes and number of the successful ones, number of the others. */
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
	_Atomic __u64 wrong;	/* good ones, according to the device, that verifying found wrong */
};

/* Counters of one thread's requests on the software path: only that thread writes, others read. */
struct wd_own_tally {
	_Atomic(const void *) thread;	/* the first that ended a software request; NULL: none yet */
	struct wd_shared_tally tally;
};

#define WD_MORE_ROWS	(WD_SESS_QUEUES - 1)

/* A session's counts for one context, assigned at its first completion there; under that context's drain lock. */
struct wd_row {
	_Atomic(struct wd_queue *) q;
	struct wd_tally tally;
};

/* Contexts that a session is bound to; the binding keeps them open. */
struct wd_hold {
	__u32 gen;			/* wd_fork_now() at the binding */
	unsigned int nr;
	struct wd_queue *queue[WD_SESS_QUEUES];
};

/**
 * struct wd_session - the core's part of a session; a class's own session begins with it
 *
 * @queue, @first and @nr change only after a fork or a removal, under the engine's lock.
 */
struct wd_session {
	struct wd_object obj;
	const struct wd_class *cls;
	struct wd_session_attr attr;
	unsigned char *mask;		/* copy of attr.mask's bits */
	int mask_len;
	bool soft_ok;			/* policy allows the software path */
	bool hw_ok;			/* policy allows devices */
	_Atomic __u16 reason;		/* why a request of this session takes the path it takes */
	_Atomic __u32 in_flight;	/* asynchronous requests */
	_Atomic __u64 again_at;		/* when looking for devices again is worth a try; changes under the engine's
					 * lock */
	struct wd_hold hold;		/* what it counts for a user of; the same */
	__u32 era;			/* wd_engine.era of its allocation; the same */
	_Atomic __u32 bound_gen;	/* wd_fork_now() of the binding, with WD_GEN_LEAVES if it is to be made anew */
	__u32 binding;			/* the same while a thread binds it, else 0; under the engine's lock */
	unsigned int own_nr;		/* contexts that serve no other session; under the engine's lock */
	_Atomic unsigned int nr;
	_Atomic(struct wd_queue *) first;	/* queue[0], or NULL when there is none */
	_Atomic(struct wd_queue *) queue[WD_SESS_QUEUES];
	_Atomic(struct wd_queue *) soft;	/* where asynchronous software requests wait for a poller */
	__u32 computing;		/* of those: what pollers compute now; under its drain lock */
	_Atomic __u32 folds;		/* odd while rows are added to the shared counters */
	struct wd_row row;		/* for the first context that a request ended on */
	_Atomic(struct wd_row *) more;	/* WD_MORE_ROWS for others, allocated on first use */
	struct wd_own_tally own;	/* on the software path, by most sessions' only thread */
	struct wd_shared_tally shared[WD_PATH_SOFT];	/* by path, from WD_PATH_HW: counts in no row and not in own */
	struct wd_cq *cq;		/* replaces callbacks, or NULL */
	bool fast;			/* requests may be tried on the fast path */
	bool no_cb;			/* a completion queue instead of callbacks */
	bool takes_resting;		/* it uses devices that rest, since it has no other; changes in its turn to be
					 * bound */
	_Atomic __u32 cancels;		/* wd_sess_cancel() so far */
	_Atomic __u32 cancelled;	/* those that have returned */
	__u8 fast_call;			/* the call that begins with the fast path: WD_CALL_*, or 0 */
};

#define WD_GEN_LEAVES	0x80000000u	/* no generation has this bit */

/* Whether a fork's parent has bound the session. */
static inline bool wd_session_inherited(const struct wd_session *s)
{
	return (atomic_load_explicit(&s->bound_gen, memory_order_acquire) & ~WD_GEN_LEAVES) != wd_fork_now();
}

enum wd_slot_state {
	WD_SLOT_FREE,
	WD_SLOT_SYNC,		/* in flight; the message is its caller's */
	WD_SLOT_ASYNC,		/* in flight */
	WD_SLOT_READY,		/* complete: results are still in the ring */
	WD_SLOT_FAILED,		/* complete: aux is the status */
};

#define WD_SLOT_REDO	0x0f	/* wd_msg.redo */
#define WD_SLOT_LATE	0x10	/* its deadline has passed: it fails, however it ends */
#define WD_SLOT_FAST 0x20	/* its message was never filled in */
#define WD_SLOT_CANCEL	0x40	/* it isn't repeated: if it has no result, it was cancelled */

/**
 * struct wd_slot - a position in the ring; index = position modulo depth
 * @owner:	struct wd_msg of a synchronous request, the caller's argument struct of an asynchronous one
 * @sess:	the request's session
 * @aux:	wd_msg.aux, or the status
 * @gen:	the tag's generation, which tells a request from its predecessors
 * @state:	enum wd_slot_state. Free slots belong to the producer, others are under the drain lock
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

/* The part of a queue that its driver may use. */
struct wd_queue_pub {
	void *drv;		/* owned by the driver */
	struct wd_slot *slots;
	const struct wd_driver *ops;	/* with refusing defaults */
	size_t worth;		/* with path "auto", smaller requests take the software path */
	const struct wd_msg *self;	/* the message of the thread that drains */
	_Atomic int fd;		/* to sleep on; -1: none or closed; changes when the queue is opened again */
	__u32 depth;		/* entries in the ring */
	__u32 limit;		/* requests in flight, at most */
	__u8 qc_type;
	union {
		struct wd_taker by;
		__u16 path;	/* enum wd_path */
	};
	const _Atomic __u32 *filling;	/* one isn't 0 while requests that aren't counted yet may be in the ring */
	_Atomic(const void *) *filler;
	_Atomic __u32 stuck;	/* number of times it was closed before its device had stopped: see @close */
	__u32 flat;		/* bytes at most of data that must be in one piece for the device */
};

static inline struct wd_queue_pub *wd_queue_pub(struct wd_queue *q)
{
	return (struct wd_queue_pub *)q;
}

/* How much of so many bytes a descriptor may have that must be in one piece for the device. */
static inline size_t wd_queue_flat(struct wd_queue *q, size_t bytes)
{
	__u32 flat = wd_queue_pub(q)->flat;

	return bytes < flat ? bytes : flat;
}

/* The session's first context, if requests of that size are worth it; NULL: the slow path decides. */
static inline __attribute__((always_inline)) struct wd_queue *wd_first_queue(struct wd_session *s, size_t bytes)
{
	struct wd_queue *q = atomic_load_explicit(&s->first, memory_order_acquire);

	return unlikely(!q || (bytes < wd_queue_pub(q)->worth && s->soft_ok)) ? NULL : q;
}

/* --- what a class calls --- */

/* Allocate a session of size bytes, bind it and give it a handle. Returns the session, or NULL and errno. */
struct wd_session *wd_session_alloc(const struct wd_class *cls, size_t size, const struct wd_session_attr *attr);
/* 0, -EBUSY, -EDEADLK; frees the memory only when it returns 0. */
int wd_session_free(struct wd_session *s);
/* The error that wd_session_free() would return now, or 0. */
int wd_session_busy(struct wd_session *s);
/* The session with that handle if it is of that class, else NULL, recorded. */
struct wd_session *wd_session_find(handle_t h, const struct wd_class *cls);
struct wd_session *wd_session_get_slow(handle_t h, const struct wd_class *cls);
/* The same, only for a session bound to contexts of this process; else NULL, not recorded. */
static inline struct wd_session *wd_session_peek(handle_t h, const struct wd_class *cls)
{
	struct wd_session *s = wd_handle_get(h, cls->kind);

	return likely(s && wd_fork_is(atomic_load_explicit(&s->bound_gen, memory_order_acquire))) ? s : NULL;
}

/* The same; binds the session if it isn't bound. */
static inline struct wd_session *wd_session_get(handle_t h, const struct wd_class *cls)
{
	struct wd_session *s = wd_session_peek(h, cls);

	return likely(s != NULL) ? s : wd_session_get_slow(h, cls);
}
int wd_session_caps(struct wd_session *s);

/*
 * Execute msg and wait for it until msg->deadline: on a device or on the software path, as the session's policy says.
 * Returns msg->status.
 */
int wd_request_sync(struct wd_session *s, struct wd_msg *msg, size_t bytes);
/* Continue a request that was stopped, and whose message is filled in now, like wd_request_sync(). */
int wd_request_resume(struct wd_session *s, struct wd_msg *msg, size_t bytes);
/* The same on one queue only. */
int wd_request_on(struct wd_queue *q, struct wd_msg *msg, size_t bytes);
/* Whether a request of that size takes the software path; the path it would take now, and why. */
bool wd_session_soft(struct wd_session *s, size_t bytes, __u16 *path, __u16 *reason);
/*
 * The queue that a stream should be bound to; NULL: the software path (reason says why). Negative errno when neither
 * may serve it.
 */
int wd_session_pick(struct wd_session *s, struct wd_queue **q, __u16 *reason);
/* Count a request, or a call of a stream, that the software path did for the session; a negative status is an error. */
void wd_session_count_soft(struct wd_session *s, int status, size_t consumed, size_t produced);
/* Submit n checked requests; returns how many were taken, or -errno when none was. */
int wd_request_async(struct wd_session *s, void *const reqs[], unsigned int n, const wd_ctx_set_t *set);

int wd_class_poll(const struct wd_class *cls, __u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
int wd_class_poll_wait(const struct wd_class *cls, __u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
int wd_session_wait(struct wd_session *s, unsigned int timeout_ms);
int wd_session_wakeup(struct wd_session *s);
int wd_class_wait_set(const struct wd_class *cls, const wd_ctx_set_t *set, unsigned int timeout_ms);
int wd_class_wakeup_set(const struct wd_class *cls, const wd_ctx_set_t *set);

/* --- pollers.c --- */

/* Makes poll threads end at exit, before handlers run that were registered with atexit() until now. */
void wd_pollers_end_at_exit(void);

/* --- frame.c: shared by all classes --- */

/* -EINVAL, recorded: the session is not synchronous (async false) or not asynchronous (async true). */
__attribute__((cold)) int wd_frame_refuse_mode(struct wd_session *s, bool async);
static inline int wd_frame_check_mode(struct wd_session *s, bool async)
{
	return likely(s->attr.async == async) ? 0 : wd_frame_refuse_mode(s, async);
}
/* Checks the last members of an argument struct. 0, or -EINVAL, recorded with the name of the member. */
__attribute__((cold)) int wd_frame_refuse_end(struct wd_session *s, bool has_cb, __u32 flags, const __u64 reserved[4]);
/* The same, with one inlined test for the usual case. */
static inline int wd_frame_check_end(struct wd_session *s, bool has_cb, __u32 flags, const __u64 reserved[4])
{
	if (likely((has_cb ? s->attr.async && !s->cq : !s->attr.async || s->cq) &&
		   !(flags | reserved[0] | reserved[1] | reserved[2] | reserved[3])))
		return 0;
	return wd_frame_refuse_end(s, has_cb, flags, reserved);
}
/* Puts the members that all setups share into attr. Returns as above. */
int wd_frame_attr(struct wd_session_attr *attr, __u8 op_type, __u16 data_fmt, __u32 flags, __u32 timeout_ms,
		  handle_t cq, const __u64 reserved[4]);
/*
 * Continue a public call that can't take the fast path, or not to its end. A burst of requests returns how many were
 * taken; all return 0 or more, or -errno, recorded.
 */
int wd_frame_burst(struct wd_session *s, void *const args[], int n, const wd_ctx_set_t *set);
int wd_frame_async(handle_t sess, void *arg, const wd_ctx_set_t *set, const struct wd_class *cls);
int wd_frame_async_other(struct wd_session *s, void *arg);
int wd_frame_sync(handle_t sess, void *arg, int call, const struct wd_class *cls);
/*
 * The same for a request that was tried on the fast path. begun: it has ended, and the message has everything, also for
 * WD_STOPPED.
 */
int wd_frame_sync_other(struct wd_session *s, struct wd_msg *msg, bool begun);
/*
 * Called when the session is complete. plain: its requests may take the fast path. That path is tried first by the
 * asynchronous call, or by the synchronous call sync_call.
 */
void wd_frame_ready(struct wd_session *s, bool plain, __u8 sync_call);
/*
 * The class's call of that name. end frees what the class's own part holds, and may refuse; NULL: nothing to free. 0,
 * -EINVAL, -EBUSY, -EDEADLK.
 */
int wd_frame_free_sess(handle_t h, const struct wd_class *cls, int (*end)(struct wd_session *s));
/* The session, if a key may be set in it now, else NULL and *ret. */
struct wd_session *wd_frame_key_begin(handle_t h, const struct wd_class *cls, const void *key, int *ret);
/*
 * Execute msg, of a class whose message begins with struct wd_msg_ends, on the software path, whatever the session is
 * bound to. Returns its status.
 */
int wd_frame_do_soft(struct wd_session *s, struct wd_msg *msg, __u16 reason);
/* Whether a session with those WD_SESS_* verifies what devices make. 0, or -EINVAL for a bad WD_VERIFY, recorded. */
int wd_frame_verify(__u32 flags, bool *verify);
/*
 * A result of that context's device is wrong: count it, report it to the kernel, and let the device rest. No lock is
 * held.
 */
void wd_result_wrong(struct wd_session *s, struct wd_queue *q);
/* The same for msg, which was a device's. */
void wd_frame_wrong(struct wd_session *s, const struct wd_msg *msg);
/* The same, and execute msg on the software path if the session may use that, else -EIO. */
int wd_frame_again(struct wd_session *s, struct wd_msg *msg);
/* Records why a request failed, in the class's words (why) or in those of the errno; returns ret. */
int wd_frame_fail(struct wd_session *s, int ret, const char *why, __u32 vendor);

/* An asynchronous request is over: if it was the session's last, another thread may free the session from now on. */
static inline void wd_request_over(struct wd_msg *msg)
{
	if (msg->over)
		atomic_fetch_sub(&msg->sess->in_flight, msg->over);
}

/* --- what a driver calls --- */

/* An asynchronous request's descriptor is complete: the request waits for a poller. Only inside pull(). */
void wd_queue_async_done(struct wd_queue *q, struct wd_slot *slot, unsigned int index);

/*
 * The same for a synchronous request: result() is called, the slot is freed, and the owner continues, which may return
 * at once. Only inside pull().
 */
void wd_queue_sync_done(struct wd_queue *q, struct wd_slot *slot, unsigned int index);

/* A request found no context. -ENODEV, recorded with the reason, which may be that the process has no slot. */
int wd_section_no_device(struct wd_object *obj);

#endif
