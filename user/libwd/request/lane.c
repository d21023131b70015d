// SPDX-License-Identifier: Apache-2.0
/* Lanes of a context: their memory, and the completion queue that each belongs to. */
#include <stdlib.h>

#include "request/lane.h"

static void lane_clear(struct wd_lane *lane)
{
	atomic_store(&lane->cq, NULL);
	atomic_store(&lane->nr, 0);
	atomic_store(&lane->event, 0);
	lane->first = 0;
	lane->aside.first = NULL;
	lane->users = 0;
	lane->watched = false;
	lane->fresh = false;
}

int wd_lanes_make(struct wd_queue *q, unsigned int max)
{
	unsigned int i;

	/* For both halves of the slots. */
	q->link = calloc(2 * (size_t)q->pub.depth, sizeof(*q->link));
	q->lane = calloc(max, sizeof(*q->lane));
	if (!q->link || !q->lane)
		return -ENOMEM;
	for (i = 0; i < max; i++)
		q->lane[i].q = q;
	q->lanes_max = max;
	atomic_store(&q->lanes, !q->for_cq);
	return 0;
}

void wd_lanes_free(struct wd_queue *q)
{
	free(q->link);
	free(q->lane);
}

void wd_lanes_forget(struct wd_queue *q)
{
	unsigned int i;

	for (i = 0; i < atomic_load(&q->lanes); i++)
		lane_clear(&q->lane[i]);
	atomic_store(&q->lanes, !q->for_cq);
	atomic_store(&q->ready_nr, 0);
	q->fresh = false;
}

struct wd_lane *wd_lane_find(struct wd_queue *q, const struct wd_cq *cq)
{
	unsigned int nr = atomic_load_explicit(&q->lanes, memory_order_acquire), i;

	for (i = 0; i < nr; i++)
		if (atomic_load_explicit(&q->lane[i].cq, memory_order_relaxed) == cq)
			return &q->lane[i];
	return NULL;
}

struct wd_lane *wd_lane_spare(struct wd_queue *q)
{
	unsigned int nr = atomic_load(&q->lanes);
	struct wd_lane *lane = wd_lane_find(q, NULL);

	return lane || nr == q->lanes_max ? lane : &q->lane[nr];
}

bool wd_lanes_shared(struct wd_queue *q)
{
	unsigned int nr = 0, i;

	for (i = 0; i < atomic_load(&q->lanes); i++)
		nr += atomic_load(&q->lane[i].cq) != NULL;
	return nr > 1;
}

void wd_lane_give(struct wd_lane *lane, struct wd_cq *cq)
{
	unsigned int nr = (unsigned int)(lane - lane->q->lane) + 1;

	lane_clear(lane);
	atomic_store(&lane->cq, cq);
	if (nr > atomic_load(&lane->q->lanes))
		atomic_store_explicit(&lane->q->lanes, nr, memory_order_release);
}
