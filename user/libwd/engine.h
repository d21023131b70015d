/* SPDX-License-Identifier: Apache-2.0 */
/* The request core's own structures: contexts in use and their slots; private to libwd. */
#ifndef WD_ENGINE_H
#define WD_ENGINE_H

#include <errno.h>
#include "driver.h"
#include "set.h"

#define WD_ENGINE_QUEUES	1024	/* contexts that a process can have had at once and before */

/**
 * struct wd_slot - a place in the ring; index = position modulo depth
 * @msg:	whose request it is
 * @tag:	index and generation
 * @used:	from submit until the result has been copied out
 */
struct wd_slot {
	_Atomic(struct wd_msg *) msg;
	__u32 tag;
	_Atomic __u32 used;
};

/**
 * struct wd_queue - one context of the process; its memory and number stay for ever
 *
 * @state: 0 usable, -EIO stopped (may be opened again), -ENODEV gone, -ESTALE
 * inherited. It leaves 0 under @produce, and returns to 0 with @produce, the
 * drain lock and the sleeper's role held, when nobody else can touch the ring.
 */
struct wd_queue {
	struct wd_queue_pub pub;
	unsigned int index;
	const struct wd_class *cls;
	struct wd_driver drv;		/* with the refusing defaults */
	char dev_name[WD_NAME_SIZE];
	int node_id;
	int numa_node;
	bool async;
	bool simulated;
	unsigned int limit;		/* in flight at most */

	_Atomic int state;
	bool settled;			/* out of use, and nothing is in flight any more; under the drain lock */
	__u64 retry_at;			/* when opening it again is worth a try */

	pthread_mutex_t produce;	/* tail, slots being filled, the SQ doorbell */
	__u32 tail;
	__u32 gen;
	struct wd_slot *slots;
	char *msgs;			/* of asynchronous requests, by slot */

	_Atomic __u32 in_flight;
	_Atomic __u32 async_nr;		/* asynchronous ones among them */
	_Atomic __u64 deadline;		/* not later than the first of the asynchronous ones'; 0 none */

	_Atomic int draining;		/* the drain lock */
	__u32 *ready;			/* slots whose callbacks are due, a ring; under the drain lock */
	__u32 ready_head;
	_Atomic __u32 ready_nr;
	__u32 soft_head;		/* software: next slot to compute; under the drain lock */

	_Atomic int sleeper;		/* somebody is in poll() on fd */
};

struct wd_engine {
	pthread_mutex_t lock;		/* the table, binding of sessions */
	_Atomic unsigned int nr;
	struct wd_queue *queue[WD_ENGINE_QUEUES];
	unsigned int turn;		/* round robin over sessions */
	_Atomic __u32 room_seq;		/* futex: room, or a wake-up */
	_Atomic __u32 room_waiters;
	_Atomic __u32 done_seq;		/* futex: an asynchronous request was finished */
	_Atomic __u32 done_waiters;
};

extern struct wd_engine wd_engine;

/* --- engine.c --- */
void wd_engine_init(void);
/* Contexts for the session, opened as needed. Under the engine's lock. 0 or -errno when devices only and none. */
int wd_engine_bind(struct wd_session *s);
/* Try to open a stopped queue again. Under its produce lock. */
void wd_queue_reopen(struct wd_queue *q);

/* --- session.c --- */
/* It was bound by a fork's parent: bind it to contexts of this process. */
void wd_session_rebind(struct wd_session *s);
void *wd_callback_enter(struct wd_session *s);
void wd_callback_leave(void *outer);

/* --- slot.c --- */
/* n slots at the tail for these messages, tags filled in; how many there were. Under the produce lock. */
unsigned int wd_slots_take(struct wd_queue *q, unsigned int n);
struct wd_slot *wd_slot_at(struct wd_queue *q, __u32 pos);
/* Undo the last n taken. */
void wd_slots_untake(struct wd_queue *q, unsigned int n);
/* The message that belongs to a slot, for asynchronous requests. */
struct wd_msg *wd_slot_msg(struct wd_queue *q, __u32 pos);
void wd_slot_release(struct wd_queue *q, struct wd_slot *slot);
void wd_room_made(void);

/* --- drain.c --- */
bool wd_drain_trylock(struct wd_queue *q);
void wd_drain_lock(struct wd_queue *q);
void wd_drain_unlock(struct wd_queue *q);
/* Copy out what is complete. Returns how many; 0 also when somebody else does it. */
int wd_queue_drain(struct wd_queue *q);
/* Stop the queue for a deadline's sake; afterwards the device has nothing of it. */
void wd_queue_stop(struct wd_queue *q);
/* The queue said that it is over: -EIO or -ENODEV for all that is in it. */
void wd_queue_broken(struct wd_queue *q, int err);
/* Wake those who wait for asynchronous completions. */
void wd_async_done(void);

/* --- sleep.c --- */
struct pollfd;
/* Look a while before sleeping, until msg is done (NULL: anything was drained); false: it is time to sleep. */
bool wd_spin(struct wd_queue *q, struct wd_msg *msg);
/* Sleep for msg or its deadline; may return early. */
void wd_queue_sleep(struct wd_queue *q, struct wd_msg *msg);
bool wd_sleeper_enter(struct wd_queue *q);
void wd_sleeper_leave(struct wd_queue *q);
/* As the sleeper: ask for an event; false when there is something to drain already. */
bool wd_sleeper_arm(struct wd_queue *q);
/* Leave, and have one of those who wait take over. */
void wd_sleeper_pass_on(struct wd_queue *q);
/* poll() until an absolute time; not a cancellation point for callers that disabled it. */
void wd_poll_fds(struct pollfd *pfd, unsigned int n, __u64 end);

/* --- submit.c --- */
/* A request that was stopped for another's sake goes to a context again. 0 when it was taken. */
int wd_request_again(const struct wd_msg *msg);
/* The sequence of room as it was before this thread's last -EBUSY. */
__u32 wd_busy_seq(void);

/* --- driver.c --- */
void wd_driver_fill(struct wd_driver *full, const struct wd_driver *drv);
const struct wd_driver *wd_driver_find(const struct wd_class *cls, const char *api);

/* --- futex.c --- */
void wd_futex_wait(_Atomic __u32 *word, __u32 value, __u64 until);
void wd_futex_wake(_Atomic __u32 *word, int nr);

#endif
