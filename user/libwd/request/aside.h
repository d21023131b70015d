/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous requests that have left the ring, but are not delivered yet. Private to libwd. */
#ifndef WD_ASIDE_H
#define WD_ASIDE_H

#include <string.h>

#include "request/lane.h"

/**
 * struct wd_aside - one such request
 * @at:	when a waiting request becomes ready
 * @due: as wd_ready_pop() fills it; if its req is NULL, @msg holds the message
 */
struct wd_aside {
	struct wd_aside *next;
	__u64 at;
	struct wd_due due;
	_Alignas(max_align_t) char msg[WD_MSG_BYTES_MAX];
};

/* NULL: no memory. */
struct wd_aside *wd_aside_new(void);
/* Under the drain lock: queue the request for delivery from that lane; the caller calls wd_lane_count(). */
void wd_aside_put(struct wd_lane *lane, struct wd_aside *a);
/*
 * Put back nr (not 0) requests that wd_ready_pop() took into due, and into msg where due has no req: they are delivered
 * before the lane's other requests here. Cannot fail. No lock is held, and cancellation is disabled.
 */
void wd_aside_back(struct wd_lane *lane, const struct wd_due due[], char msg[][WD_MSG_BYTES_MAX], unsigned int nr);
/* Under the drain lock: take the first of the lane's requests here, with the results of wd_ready_pop(). */
bool wd_aside_pop(struct wd_lane *lane, struct wd_msg *msg, struct wd_due *due);
/* Keep a stopped request, which becomes ready at that time. false: no memory. No lock is held. */
bool wd_aside_wait(struct wd_queue *q, const struct wd_msg *msg, __u64 at);
/* Under the drain lock: make the requests ready whose time has come. Returns the next request's time, 0: none waits. */
__u64 wd_aside_due(struct wd_queue *q, __u64 now);
/* Under the drain lock: the session's waiting requests become ready. Returns whether there are any. */
bool wd_aside_hurry(struct wd_queue *q, const struct wd_session *s);
/* In a fork's child: free all, since they belong to the parent. No other thread knows the queue. */
void wd_aside_forget(struct wd_queue *q);

#endif
