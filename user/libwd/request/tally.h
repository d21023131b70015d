/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of finished requests: plain additions under the drain lock, which is held anyway when they finish. */
#ifndef WD_TALLY_H
#define WD_TALLY_H

#include "base/likely.h"
#include "request/core.h"

/* The i-th of the session's rows; NULL: no more. */
struct wd_row *wd_tally_row(struct wd_session *s, unsigned int i);

/* Everything but the common case of wd_tally_add(). */
__attribute__((cold)) void wd_tally_slow(struct wd_queue *q, struct wd_session *s, const struct wd_tally *one);
__attribute__((cold)) void wd_tally_slow_msg(struct wd_queue *q, const struct wd_msg *msg);
/* Counts a request that the software path did without any context. */
void wd_tally_soft(const struct wd_msg *msg);

static inline void wd_tally_good(struct wd_tally *t, __u64 in, __u64 out, __u64 nr)
{
	t->in += in;
	t->out += out;
	t->good += nr;
}

/* Counts nr requests of the session that succeeded on the context. Under the drain lock. */
static inline void wd_tally_add(struct wd_queue *q, struct wd_session *s, __u64 in, __u64 out, __u64 nr)
{
	struct wd_row *row = &s->row;

	if (unlikely(atomic_load_explicit(&row->q, memory_order_relaxed) != q)) {
		wd_tally_slow(q, s, &(struct wd_tally){ .in = in, .out = out, .good = nr });
		return;
	}
	wd_tally_good(&q->tally, in, out, nr);
	wd_tally_good(&row->tally, in, out, nr);
}

/* The same for one request, whether it succeeded or failed. */
static inline void wd_tally_end(struct wd_queue *q, const struct wd_msg *msg)
{
	const struct wd_msg_ends *ends = (const struct wd_msg_ends *)msg;

	if (unlikely(msg->status))
		wd_tally_slow_msg(q, msg);
	else
		wd_tally_add(q, msg->sess, ends->consumed, ends->produced, 1);
}

#endif
