// SPDX-License-Identifier: Apache-2.0
/*
 * The null engine: a ring that is complete in advance, so that only the client is measured. There is no thread and no
 * trap: the device works only in poll(), where it gives the consumed entries the phase of the next pass.
 */
#include "emu.h"

static struct qm_cqe *ring(const struct emu_queue *q)
{
	return (struct qm_cqe *)(void *)(q->dus + emu_sq_size(q->dev));
}

static unsigned long long *doorbell(const struct emu_queue *q)
{
	return (unsigned long long *)(void *)(q->dev->bar4 + (size_t)q->id * QM_DB_WINDOW + QM_DB_SQ_CQ);
}

void emu_null_start(struct emu_queue *q)
{
	u32 i;

	for (i = 0; i < emu_depth(); i++)
		ring(q)[i] = (struct qm_cqe){ .sq_head = (__le16)i, .sq_num = (__le16)q->id, .w7 = QM_CQE_PHASE };
	*doorbell(q) = 0;
	q->null_bell = 0;
	q->null_head = 0;
	q->null_tail = 0;
	q->null_missed = false;
	q->null_guessed = false;
}

static u32 distance(u32 from, u32 to)
{
	return (to + emu_depth() - from % emu_depth()) % emu_depth();
}

/* So many more entries were consumed. This is part of the measurement, so it computes nothing per entry. */
static void renew(struct emu_queue *q, u32 entries)
{
	struct qm_cqe *cqes = ring(q);
	u32 depth = emu_depth(), head = q->null_head % depth;
	bool odd = q->null_head / depth & 1;

	q->null_head += entries;
	while (entries--) {
		__atomic_store_n(&cqes[head].w7, (__le16)(odd ? QM_CQE_PHASE : 0), __ATOMIC_RELEASE);
		if (++head == depth) {
			head = 0;
			odd = !odd;
		}
	}
}

/*
 * So many entries at least were consumed, if it isn't below 0: a client that sleeps in poll() must have at most three
 * quarters of a ring in flight.
 */
static int consumed_least(const struct emu_queue *q)
{
	u32 depth = emu_depth(), most = depth - (depth / 4 < 256 ? depth / 4 : 256);

	return (int)(q->null_tail - q->null_head - most);
}

/*
 * The doorbell has the consumer's position, which may be a ring ahead of the last one that was seen: when so many
 * entries were consumed at least, or after doorbells that were overwritten, as clients ring only after consuming, or to
 * ask for an event.
 */
static u32 consumed_told(struct emu_queue *q, u32 index, bool asks)
{
	u32 n = distance(q->null_head, index);

	if ((int)n < consumed_least(q) || (!n && (q->null_guessed || (q->null_missed && !asks))))
		n += emu_depth();
	q->null_missed = false;
	q->null_guessed = false;
	if ((int)(q->null_head + n - q->null_tail) > 0)
		q->null_tail = q->null_head + n;
	return n;
}

/*
 * An SQ doorbell has overwritten the position. The next CQ doorbell may be in time, as a pass has room for that. If it
 * is lost, too, the position is guessed as the lowest that is possible.
 */
static u32 consumed_guess(struct emu_queue *q, u32 index)
{
	bool first = !q->null_missed;

	q->null_tail += distance(q->null_tail, index);
	q->null_missed = true;
	if (first || consumed_least(q) < 0)
		return 0;
	q->null_guessed = true;
	return (u32)consumed_least(q);
}

/* Called with the queue's poll lock: has the client rung since the last call? */
bool emu_null_look(struct emu_queue *q)
{
	unsigned long long bell = __atomic_load_n(doorbell(q), __ATOMIC_ACQUIRE);
	u32 index = (u32)(bell >> QM_DB_INDEX_SHIFT & 0xffff) % emu_depth();

	if (bell == q->null_bell)
		return false;
	q->null_bell = bell;
	if ((bell >> QM_DB_CMD_SHIFT & 0xf) == QM_DB_CMD_CQ)
		renew(q, consumed_told(q, index, bell >> QM_DB_PRIO_SHIFT & QM_DB_C_FLAG));
	else
		renew(q, consumed_guess(q, index));
	return true;
}
