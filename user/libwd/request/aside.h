/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous requests that are off the ring, but not yet delivered. Private to libwd. */
#ifndef WD_ASIDE_H
#define WD_ASIDE_H

#include <string.h>

#include "request/lane.h"

/**
 * struct wd_aside - such a request
 * @at:	when it is to be looked at again, if it waits
 * @due: as wd_ready_pop() says it; without a req @msg is its message
 */
struct wd_aside {
	struct wd_aside *next;
	__u64 at;
	struct wd_due due;
	_Alignas(max_align_t) char msg[WD_MSG_BYTES_MAX];
};

/* NULL: no memory. */
struct wd_aside *wd_aside_new(void);
/* Under the drain lock: to be delivered from that lane; wd_lane_count() is the caller's. */
void wd_aside_put(struct wd_lane *lane, struct wd_aside *a);
/* Under the drain lock: the first of those to be delivered from that lane, as wd_ready_pop(). */
bool wd_aside_pop(struct wd_lane *lane, struct wd_msg *msg, struct wd_due *due);
/* A stopped request, which is to be delivered at that time. false: no memory. No lock is held. */
bool wd_aside_wait(struct wd_queue *q, const struct wd_msg *msg, __u64 at);
/* Under the drain lock: those whose time has come are ready. When the next one's comes, 0 never. */
__u64 wd_aside_due(struct wd_queue *q, __u64 now);
/* They are a fork's parent's. Nobody else knows the queue. */
void wd_aside_forget(struct wd_queue *q);

#endif
