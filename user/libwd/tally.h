/* SPDX-License-Identifier: Apache-2.0 */
/* Counting what requests came to: plain additions under the drain lock that their ends are taken in with. */
#ifndef WD_TALLY_H
#define WD_TALLY_H

#include "engine.h"

/* Everything but the common case of wd_tally_end(). */
__attribute__((cold)) void wd_tally_slow(struct wd_queue *q, const struct wd_msg *msg);
/* This CPU did it, and no context had it. */
void wd_tally_soft(const struct wd_msg *msg);

static inline void wd_tally_good(struct wd_tally *t, const struct wd_msg *msg)
{
	const struct wd_msg_ends *ends = (const struct wd_msg_ends *)msg;

	t->in += ends->consumed;
	t->out += ends->produced;
	t->good++;
}

/* A request's stay on the context is over. Under the drain lock. */
static inline void wd_tally_end(struct wd_queue *q, const struct wd_msg *msg)
{
	struct wd_row *row = &msg->sess->row[0];

	if (__builtin_expect(msg->status || atomic_load_explicit(&row->q, memory_order_relaxed) != q, 0)) {
		wd_tally_slow(q, msg);
		return;
	}
	wd_tally_good(&q->tally, msg);
	wd_tally_good(&row->tally, msg);
}

#endif
