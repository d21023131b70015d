/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The submission and completion ring of one queue. Without locks: the caller has one for producing and one for
 * draining.
 */
#ifndef HISI_QM_RING_H
#define HISI_QM_RING_H

#include <assert.h>
#include <errno.h>
#include <misc/uacce/hisi_qm.h>
#include <stdalign.h>
#include <stdbool.h>
#include <string.h>
#include <wd.h>
#include "barrier.h"
#include "base/likely.h"
#include "hw/qm_hw.h"

struct wd_ctx;

/*
 * Counters run freely and are compared by difference. produced is written
 * under the producer lock, consumed and acked under the drain lock.
 *
 * The rings' content is not trusted: the device and all other code in this
 * process can write to it.
 */
struct wd_ring {
	/* constant once open */
	unsigned char *sq;
	struct qm_cqe *cq;
	_Atomic uint64_t *doorbell;	/* NULL: the kernel rings, see wd_ring_call() */
	const _Atomic uint32_t *tx_stop;
	const _Atomic uint32_t *rx_stop;	/* 0: nothing but the ring needs a look; see wd_ring_look() */
	const _Atomic uint32_t *filling;	/* see wd_ring_filling() */
	_Atomic(const void *) *filler;	/* the same; may be NULL */
	struct wd_ctx *ctx;
	int fd;
	uint32_t sqe_size;
	uint16_t sq_depth;
	uint16_t cq_depth;
	uint16_t qn;
	uint64_t sq_db;		/* the SQ doorbell's value without the tail */
	uint16_t batch;		/* completions between two CQ doorbells, or two polls of the kernel */
	uint32_t limit;		/* requests in flight, at most */
	bool sleeps;		/* a thread may sleep on fd */
	bool filled;		/* completion entries are valid in advance */
	bool mediated;		/* the kernel executes submissions, and completes them when it is called */
	uint32_t flat;		/* most bytes of data that must be in one piece for the device */
	/* of a mediated ring */
	const _Atomic uint32_t *stop;	/* what rx_stop is for others: that one is never 0 */
	const struct qm_cqe *device_cq;	/* what the device completes; NULL: it isn't known */
	void (*stole)(void *arg);	/* see struct wd_ring_cfg */
	void *stole_arg;

	alignas(64) _Atomic uint32_t produced;
	_Atomic uint32_t heed_at;	/* once produced reaches this, the producer calls wd_ring_heed() */

	alignas(64) _Atomic uint32_t consumed;
	_Atomic uint32_t acked;	/* number of completions that the device was told about */
	uint32_t taken;		/* consumed, not yet published */
	_Atomic uint32_t polled;	/* consumed when the kernel last polled; not above the kernel's head */
	_Atomic uint32_t quiet_until;	/* until taken reaches this, wd_ring_due() has nothing to do */
	_Atomic uint32_t cq_pos;	/* next completion: index, and the phase that makes it valid */
	atomic_bool broken;	/* the completion ring is corrupt */
	atomic_bool armed;	/* a thread sleeps: CQ doorbells ask for an event */
	uint32_t device_seen;	/* of a mediated ring: the end of device_cq's entries at the last call */
};

struct wd_ring_cfg {
	uint32_t sqe_size;	/* must equal the device's */
	uint16_t qc_type;
	bool sleeps;		/* keep the kernel's head close (wd_ring_end()), at the cost of ring space */
	bool impatient;		/* O_NONBLOCK: a start or stop fails rather than wait for another process' queue */
	const _Atomic uint32_t *filling;	/* see wd_ring_filling() */
	_Atomic(const void *) *filler;	/* the same; may be NULL */
	/*
	 * A submission or wd_ring_end() has polled, and consumed an event for which a thread may sleep without a time
	 * limit: wake it. The caller may hold its locks. NULL: no thread sleeps so.
	 */
	void (*stole)(void *arg);
	void *stole_arg;
};

/*
 * Maps, configures and starts the context's queue. 0 or -errno as documented for
 * hisi_qm_alloc_qp(), recorded as a failure of ctx. The context must outlive the
 * ring; the ring ends with wd_ctx_stop().
 */
int wd_ring_open(struct wd_ring *ring, handle_t h_ctx, const struct wd_ring_cfg *cfg);

/*
 * Rings by a system call, where the queues of a device share their doorbell, or have none. An error isn't returned: a
 * queue that can't be rung any more has its stop words set.
 */
void wd_ring_call(const struct wd_ring *ring, uint32_t flags, uint16_t sq_tail, uint16_t cq_head);

/* Acknowledges completions, and makes the kernel poll, if either is due. For wd_ring_end(). */
void wd_ring_due(struct wd_ring *ring);

/*
 * Before so many requests are submitted that something may be due: the next wd_ring_end() looks. Where the completions
 * could lap the kernel's head before that, makes the kernel poll. For wd_ring_submit_to().
 */
void wd_ring_heed(struct wd_ring *ring, uint32_t produced);

/* Why a stopped ring was stopped: -ENODEV or -EIO. A system call. */
int wd_ring_why(struct wd_ring *ring);

/* Whether the kernel disabled the queue for sending, or for receiving. */
static inline bool wd_ring_tx_stopped(const struct wd_ring *ring)
{
	return atomic_load_explicit(ring->tx_stop, memory_order_acquire);
}

/* For rings whose rx_stop isn't 0: those that were stopped, and mediated ones. */
__attribute__((cold, pure)) bool wd_ring_ended(const struct wd_ring *ring);
__attribute__((cold)) bool wd_ring_look_closer(struct wd_ring *ring);

/* Not 0: the ring may have been stopped. */
static inline uint32_t wd_ring_rx_word(const struct wd_ring *ring)
{
	return atomic_load_explicit(ring->rx_stop, memory_order_acquire);
}

static inline bool wd_ring_rx_stopped(const struct wd_ring *ring)
{
	return unlikely(wd_ring_rx_word(ring)) && wd_ring_ended(ring);
}

/*
 * Under the drain lock, when the ring has no valid entry: whether it deserves another look, because it has been
 * stopped, or because the kernel was called, which may have completed requests of a mediated ring.
 */
static inline bool wd_ring_look(struct wd_ring *ring)
{
	return unlikely(wd_ring_rx_word(ring)) && wd_ring_look_closer(ring);
}

#define WD_RING_BATCH	256
#define WD_RING_ROW	64	/* most completions before wd_ring_end(), for callers that respect only the limit */

/*
 * Computes the limits from the depth. A caller that respects only the limit, and doesn't use qp_ring_room(), may reuse
 * the slots of completions that were taken, but not acknowledged yet: at most a batch minus one, plus the row that is
 * being taken.
 */
static inline void wd_ring_limits(struct wd_ring *ring, bool sleeps)
{
	ring->sleeps = sleeps;
	ring->batch = ring->sq_depth / 4;
	if (ring->batch > WD_RING_BATCH)
		ring->batch = WD_RING_BATCH;
	ring->limit = ring->sq_depth -
		      (sleeps ? ring->batch + (ring->batch < WD_RING_ROW ? ring->batch : WD_RING_ROW) : 1u);
}

/* --- producing: under the producer lock --- */

static inline uint32_t wd_ring_in_flight(const struct wd_ring *ring)
{
	uint32_t consumed = atomic_load_explicit(&ring->consumed, memory_order_acquire);

	return atomic_load_explicit(&ring->produced, memory_order_relaxed) - consumed;
}

/* The slot after index. */
static inline uint32_t wd_ring_after(const struct wd_ring *ring, uint32_t index)
{
	return unlikely(++index == ring->sq_depth) ? 0 : index;
}

/* The descriptor of a slot. */
static inline void *wd_ring_slot(const struct wd_ring *ring, uint16_t index)
{
	return ring->sq + (size_t)index * ring->sqe_size;
}

/*
 * Call after reading a completion that matches no counted descriptor. While this is true,
 * it may belong to a descriptor that is in the ring, but isn't counted yet. Once this is
 * false, all counts are visible.
 */
static inline bool wd_ring_filling(const struct wd_ring *ring)
{
	return atomic_load_explicit(ring->filling, memory_order_acquire) ||
	       (ring->filler && atomic_load_explicit(ring->filler, memory_order_acquire));
}

/* Passes n descriptors, up to the slot before tail, to the device, and rings the doorbell. */
static inline void wd_ring_submit_to(struct wd_ring *ring, uint32_t n, uint32_t tail)
{
	uint32_t produced = atomic_load_explicit(&ring->produced, memory_order_relaxed) + n;

	if (unlikely((int32_t)(produced - atomic_load_explicit(&ring->heed_at, memory_order_relaxed)) >= 0))
		wd_ring_heed(ring, produced);
	/* Before the doorbell: a drain accepts no completions beyond this count. */
	atomic_store_explicit(&ring->produced, produced, memory_order_release);
	if (unlikely(!ring->doorbell))
		wd_ring_call(ring, HISI_QP_DB_SQ, (uint16_t)tail, 0);
	else
		wd_ring_publish(ring->doorbell, ring->sq_db | (uint64_t)tail << QM_DB_INDEX_SHIFT);
}

/* --- draining: under the drain lock --- */

#define WD_RING_PHASE	0x10000u	/* bit of the phase in cq_pos; the index is below it */

static inline uint16_t wd_ring_cq_head(const struct wd_ring *ring)
{
	return (uint16_t)atomic_load_explicit(&ring->cq_pos, memory_order_relaxed);
}

/* A place in the completion ring, for a row of completions. */
struct wd_ring_at {
	const struct qm_cqe *cqe;
	const struct qm_cqe *end;	/* of the ring */
	uint32_t phase;		/* the lowest bit: the phase that makes the entry valid */
};

/* A position as a place, and the other way round. */
static inline struct wd_ring_at wd_ring_at(const struct wd_ring *ring, uint32_t pos)
{
	static_assert(QM_CQE_PHASE == 1 && WD_RING_PHASE == 1 << 16, "one look at both");
	return (struct wd_ring_at){
		.cqe = &ring->cq[(uint16_t)pos], .end = ring->cq + ring->cq_depth, .phase = pos >> 16
	};
}

static inline uint32_t wd_ring_pos_of(const struct wd_ring *ring, const struct wd_ring_at *at)
{
	return (uint32_t)(at->cqe - ring->cq) | (at->phase & 1) << 16;
}

static inline bool wd_ring_at_valid(const struct wd_ring_at *at)
{
	return !((wd_ring_consume((const _Atomic uint16_t *)&at->cqe->w7) ^ at->phase) & QM_CQE_PHASE);
}

static inline bool wd_ring_valid_at(const struct wd_ring *ring, uint32_t pos)
{
	const struct wd_ring_at at = wd_ring_at(ring, pos);

	return wd_ring_at_valid(&at);
}

static inline bool wd_ring_cqe_valid(const struct wd_ring *ring)
{
	return wd_ring_valid_at(ring, atomic_load_explicit(&ring->cq_pos, memory_order_relaxed));
}

/*
 * Whether wd_ring_peek() would return something other than "nothing yet". False for a
 * completion with nothing in flight. Without the drain lock the answer may be
 * outdated.
 */
static inline bool wd_ring_ready(const struct wd_ring *ring)
{
	return (wd_ring_cqe_valid(ring) && wd_ring_in_flight(ring)) || wd_ring_rx_stopped(ring);
}

/* Why there is nothing to take: 0: not yet; -EIO: the queue is stopped, or the ring is corrupt. */
static inline int wd_ring_nothing(const struct wd_ring *ring)
{
	return wd_ring_rx_stopped(ring) || atomic_load_explicit(&ring->broken, memory_order_relaxed) ? -EIO : 0;
}

/*
 * The number of completions, up to max, that there can be. The ring may hold valid entries
 * for descriptors that were never sent: pre-filled entries, or overwritten ones.
 */
static inline uint32_t wd_ring_may_take(const struct wd_ring *ring, uint32_t max)
{
	uint32_t sent = atomic_load_explicit(&ring->produced, memory_order_acquire) - ring->taken;

	if (unlikely(atomic_load_explicit(&ring->broken, memory_order_relaxed)))
		return 0;
	return sent < max ? sent : max;
}

/* The start of a row of completions: for wd_ring_at() and wd_ring_took(). */
static inline uint32_t wd_ring_pos(const struct wd_ring *ring)
{
	return atomic_load_explicit(&ring->cq_pos, memory_order_relaxed);
}

static inline uint32_t wd_ring_pos_after(const struct wd_ring *ring, uint32_t pos)
{
	pos++;
	return unlikely((uint16_t)pos == ring->cq_depth) ? ~pos & WD_RING_PHASE : pos;
}

/*
 * The next completion: stores the slot that it belongs to. The caller counts the completions that it accepts, up to
 * wd_ring_may_take(), and calls wd_ring_step() for these and for the ones that it ignores. Returns 1; 0 for nothing
 * yet; -EIO for a stopped queue with nothing left to take (see wd_ring_why()), and for a corrupt ring. Call
 * wd_ring_took() and wd_ring_end() after the last completion of a row, and wd_ring_look() before a row for which
 * nothing is valid yet, or else wd_ring_peek_looked().
 */
static inline __attribute__((always_inline)) int wd_ring_peek_how(struct wd_ring *ring, const struct wd_ring_at *at,
								  uint16_t *index, bool look)
{
	/* The stop word is set after the last completion, which may have arrived between the two reads. */
	if (unlikely(!wd_ring_at_valid(at)) &&
	    (!(look ? wd_ring_look(ring) : wd_ring_rx_word(ring)) || !wd_ring_at_valid(at)))
		return wd_ring_nothing(ring);
	*index = le16toh(at->cqe->sq_head);
	if (unlikely(*index >= ring->sq_depth)) {
		atomic_store_explicit(&ring->broken, true, memory_order_relaxed);
		return -EIO;
	}
	return 1;
}

static inline int wd_ring_peek(struct wd_ring *ring, const struct wd_ring_at *at, uint16_t *index)
{
	return wd_ring_peek_how(ring, at, index, false);
}

static inline int wd_ring_peek_looked(struct wd_ring *ring, const struct wd_ring_at *at, uint16_t *index)
{
	return wd_ring_peek_how(ring, at, index, true);
}

static inline void wd_ring_step(const struct wd_ring *ring, struct wd_ring_at *at)
{
	if (unlikely(++at->cqe == at->end)) {
		at->cqe = ring->cq;
		at->phase ^= 1;
	}
}

/*
 * After wd_ring_peek(), if nothing else makes sure that the descriptor is seen as it
 * was sent: it may have been sent after wd_ring_may_take().
 */
static inline void wd_ring_see_sent(const struct wd_ring *ring)
{
	(void)atomic_load_explicit(&ring->produced, memory_order_acquire);
}

/* Whether the completion at pos has arrived, and belongs to that slot. */
static inline bool wd_ring_is_about(const struct wd_ring *ring, uint32_t pos, uint16_t index)
{
	const struct wd_ring_at at = wd_ring_at(ring, pos);

	return wd_ring_at_valid(&at) && le16toh(at.cqe->sq_head) == index;
}

/* n completions were accepted; pos is the position after the last one. */
static inline void wd_ring_took(struct wd_ring *ring, uint32_t pos, uint32_t n)
{
	atomic_store_explicit(&ring->cq_pos, pos, memory_order_relaxed);
	ring->taken += n;
}

/* Tells the device how far the completion ring has been read. */
static inline void wd_ring_ack(struct wd_ring *ring)
{
	bool armed = atomic_load_explicit(&ring->armed, memory_order_relaxed);

	if (unlikely(!ring->doorbell))
		wd_ring_call(ring, HISI_QP_DB_CQ | (armed ? HISI_QP_DB_EVENT : 0), 0, wd_ring_cq_head(ring));
	else
		wd_ring_publish(ring->doorbell,
				qm_db_value(ring->qn, QM_DB_CMD_CQ, wd_ring_cq_head(ring), armed ? QM_DB_C_FLAG : 0));
	atomic_store_explicit(&ring->acked, ring->taken, memory_order_relaxed);
}

/* Ends a row of completions: only now producers see the room. Doorbell and system call once per batch. */
static inline void wd_ring_end(struct wd_ring *ring)
{
	uint32_t quiet_until = atomic_load_explicit(&ring->quiet_until, memory_order_relaxed);

	if (unlikely((int32_t)(ring->taken - quiet_until) >= 0))
		wd_ring_due(ring);
	atomic_store_explicit(&ring->consumed, ring->taken, memory_order_release);
}

/*
 * With nothing in flight, a completion is a repeated one. A device that is asked for
 * an event would report it at once, again and again.
 */
static inline void wd_ring_drop_strays(struct wd_ring *ring)
{
	uint32_t pos = wd_ring_pos(ring);

	/* Reads the entry before the counters: a genuine completion's descriptor is counted then, or filling is set. */
	while (!ring->filled && wd_ring_valid_at(ring, pos) && !wd_ring_filling(ring) && !wd_ring_may_take(ring, 1))
		pos = wd_ring_pos_after(ring, pos);
	wd_ring_took(ring, pos, 0);
}

/*
 * Asks for an event with the next completion; until wd_ring_disarm() each CQ doorbell asks
 * again. Afterwards check wd_ring_ready() once more, then sleep in poll(fd) with a time
 * limit, as other threads' polls consume events, or until wd_ring_cfg.stole is called. That
 * poll may report completions that were taken before.
 */
static inline void wd_ring_arm(struct wd_ring *ring)
{
	wd_ring_drop_strays(ring);
	atomic_store_explicit(&ring->armed, true, memory_order_relaxed);
	wd_ring_ack(ring);
	wd_ring_settle();
}

static inline void wd_ring_disarm(struct wd_ring *ring)
{
	atomic_store_explicit(&ring->armed, false, memory_order_relaxed);
}

#endif
