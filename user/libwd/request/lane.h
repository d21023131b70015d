/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lanes: the finished requests of a context, by who receives them. Callbacks
 * have one lane; a context of completion queues has one for each of them, so
 * that they can share it. Private to libwd.
 */
#ifndef WD_LANE_H
#define WD_LANE_H

#include "request/core.h"

/* Lanes for a new context that serves that many receivers at most. 0, -ENOMEM. */
int wd_lanes_make(struct wd_queue *q, unsigned int max);
/* Their memory, before anybody else knows the context. */
void wd_lanes_free(struct wd_queue *q);
/* They are a fork's parent's. Nobody else knows the context. */
void wd_lanes_forget(struct wd_queue *q);

/* The lane of a completion queue (NULL: callbacks), or NULL. Under the drain lock, or the engine's. */
struct wd_lane *wd_lane_find(struct wd_queue *q, const struct wd_cq *cq);
/* A lane that nobody has, or NULL. Under the engine's lock. */
struct wd_lane *wd_lane_spare(struct wd_queue *q);
/* Whether several receivers have lanes. */
bool wd_lanes_shared(struct wd_queue *q);
/* Somebody's from now on, or (NULL) nobody's. Under the drain lock. */
void wd_lane_give(struct wd_lane *lane, struct wd_cq *cq);

/* The lane of a session's requests. Under the drain lock. */
static inline struct wd_lane *wd_lane_of(struct wd_queue *q, const struct wd_session *s)
{
	return __builtin_expect(!q->for_cq, 1) ? q->lane : wd_lane_find(q, s->cq);
}

/* One request more, for its receiver to hear of. Under the drain lock. */
static inline void wd_lane_count(struct wd_lane *lane)
{
	struct wd_queue *q = lane->q;

	wd_count(&lane->nr, 1);
	wd_count(&q->ready_nr, 1);
	if (__builtin_expect(q->for_cq, 0))
		lane->fresh = q->fresh = true;
}

/* The reverse, when it has been taken. */
static inline void wd_lane_uncount(struct wd_lane *lane)
{
	wd_count(&lane->nr, -1u);
	wd_count(&lane->q->ready_nr, -1u);
}

/* A slot, by its number, at the end. Under the drain lock; wd_lane_count() is the caller's. */
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

/* The first slot's number; there is one. Under the drain lock. */
static inline __u32 wd_lane_take(struct wd_lane *lane)
{
	__u32 number = lane->first - 1;

	lane->first = lane->q->link[number];
	return number;
}

#endif
