// SPDX-License-Identifier: Apache-2.0
/* The straight way's doors: which context it leads to, and what is done when it is not straight to the end. */
#include "straight.h"

enum wd_straight wd_request_straight(struct wd_session *s, struct wd_msg *msg, size_t bytes)
{
	struct wd_queue *q = wd_first_queue(s, bytes);

	return __builtin_expect(q != NULL, 1) ? q->drv.sync(s, msg, bytes, q) : WD_STRAIGHT_NOT;
}

enum wd_straight wd_straight_wait(struct wd_queue *q, struct wd_msg *msg, size_t bytes)
{
	wd_queue_wait(q, msg, bytes);
	return msg->told ? WD_STRAIGHT_TOLD : WD_STRAIGHT_OVER;
}

int wd_request_straight_one(struct wd_session *s, void *req, size_t bytes)
{
	struct wd_queue *q = wd_first_queue(s, bytes);

	return __builtin_expect(q != NULL, 1) ? q->drv.async_one(s, req, q) : s->cls->async_other(s, req);
}

unsigned int wd_request_straight_async(struct wd_session *s, void *const reqs[], unsigned int n, size_t bytes)
{
	struct wd_queue *q = wd_first_queue(s, bytes);

	return __builtin_expect(q != NULL, 1) ? q->drv.async(s, reqs, n, q) : 0;
}
