/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lanes: the finished requests of a context, by receiver. Callbacks have one lane. A context that serves completion
 * queues has a lane for each of them, so that they can share the context. Private to libwd.
 */
#ifndef WD_LANE_H
#define WD_LANE_H

#include "base/likely.h"
#include "request/core.h"

/* Makes lanes for a new context that serves at most max receivers. 0, -ENOMEM. */
int wd_lanes_make(struct wd_queue *q, unsigned int max);
/* Frees the lanes, before any other thread knows the context. */
void wd_lanes_free(struct wd_queue *q);
/* In a fork's child: empties the lanes, whose requests are the parent's. No other thread knows the context. */
void wd_lanes_forget(struct wd_queue *q);

/* The lane of a completion queue (NULL: callbacks), or NULL. Under the drain lock, or the engine's. */
struct wd_lane *wd_lane_find(struct wd_queue *q, const struct wd_cq *cq);
/* A lane without an owner, or NULL. Under the engine's lock. */
struct wd_lane *wd_lane_spare(struct wd_queue *q);
/* Whether several receivers have lanes. */
bool wd_lanes_shared(struct wd_queue *q);
/* Gives the lane to a completion queue, or (NULL) takes it away from its owner. Under the drain lock. */
void wd_lane_give(struct wd_lane *lane, struct wd_cq *cq);

/* The lane of a session's requests. Under the drain lock. */
static inline struct wd_lane *wd_lane_of(struct wd_queue *q, const struct wd_session *s)
{
	return likely(!q->for_cq) ? q->lane : wd_lane_find(q, s->cq);
}

/* Counts one more request, of which the receiver will be told. Under the drain lock. */
static inline void wd_lane_count(struct wd_lane *lane)
{
	struct wd_queue *q = lane->q;

	wd_count(&lane->nr, 1);
	wd_count(&q->ready_nr, 1);
	if (unlikely(q->for_cq))
		lane->fresh = q->fresh = true;
}

/* Counts one request less, after it was taken. */
static inline void wd_lane_uncount(struct wd_lane *lane)
{
	wd_count(&lane->nr, -1u);
	wd_count(&lane->q->ready_nr, -1u);
}

/* Appends a slot, by its number. Under the drain lock; the caller calls wd_lane_count(). */
static inline void wd_lane_append(struct wd_lane *lane, __u32 number)
{
	__u32 *link = lane->q->link;

	link[number] = 0;
	if (lane->first)
		link[lane->last - 1] = number + 1;
	else
		lane->first = number + 1;
	lane->last = number + 1;
}

/* Takes the first slot and returns its number; the lane isn't empty. Under the drain lock. */
static inline __u32 wd_lane_take(struct wd_lane *lane)
{
	__u32 number = lane->first - 1;

	lane->first = lane->q->link[number];
	return number;
}

#endif
