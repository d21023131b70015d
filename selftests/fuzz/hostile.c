// SPDX-License-Identifier: Apache-2.0
/* A process' possible actions on its queues and memory, one by one from an input; the rig does the rest. */
#include "echo.h"
#include "hostile.h"

enum step {
	STEP_MEMORY,		/* write user memory */
	STEP_DESCRIPTOR,	/* submit a good descriptor with some words changed */
	STEP_RAW,		/* submit whatever is in the slot */
	STEP_SLOT,		/* change a slot that the device may own */
	STEP_DOORBELL,
	STEP_HOLD,		/* jobs wait, or go on */
	STEP_TIME,
	STEP_ACKNOWLEDGE,	/* acknowledge all completions so far */
	STEP_NR,
};

static void memory(struct rig *r, struct feed *f, const struct hostile *h)
{
	u64 where = h->areas[feed_u8(f) % h->nr_areas];
	u8 bytes[255], n;

	where += feed_u16(f);
	n = feed_u8(f);
	feed_bytes(f, bytes, n);
	memcpy(rig_user(r, where), bytes, n);
}

static void change(struct feed *f, u32 *sqe, u32 words)
{
	u32 n;

	for (n = feed_u8(f) % 4; n; n--) {
		u32 word = feed_u8(f) % words;

		sqe[word] ^= feed_u32(f);
	}
}

static void submit(struct rig *r, u32 q, const u32 *sqe)
{
	rig_push(r, q, sqe);
	rig_ring_sq(r, q);
}

static bool step(struct rig *r, struct feed *f, const struct hostile *h)
{
	u32 words = rig_sqe_bytes(r) / 4, sqe[WDM_SQE_MAX / 4], q;
	u8 what = feed_u8(f);

	if (!f->left)
		return false;
	q = h->first + (what >> 4) % h->queues;
	switch ((what & 15) % STEP_NR) {
	case STEP_MEMORY:
		memory(r, f, h);
		break;
	case STEP_DESCRIPTOR:
		h->descriptor(f, q, sqe);
		change(f, sqe, words);
		submit(r, q, sqe);
		break;
	case STEP_RAW:
		feed_bytes(f, sqe, sizeof(sqe));
		submit(r, q, sqe);
		break;
	case STEP_SLOT:
		echo_lawless(r, q);
		change(f, rig_slot(r, q, (r->q[q].tail + feed_u8(f) - 128) % RIG_DEPTH), words);
		break;
	case STEP_DOORBELL:
		echo_lawless(r, q);
		/* A value that is likely to be accepted, or any value. */
		if (feed_u8(f) & 1)
			rig_ring(r, q, qm_db_value((u16)q, feed_u8(f) & 1, feed_u16(f), feed_u8(f) & 1));
		else
			rig_ring(r, q, feed_u64(f));
		break;
	case STEP_HOLD:
		r->hold_jobs = !r->hold_jobs;
		break;
	case STEP_TIME:
		r->now += (u64)feed_u16(f) << 8;
		rig_turn(r);
		break;
	case STEP_ACKNOWLEDGE:
		while (rig_pop(r, q) >= 0)
			;
		rig_ring_cq(r, q, feed_u8(f) & 1);
		break;
	}
	return true;
}

static void settle(struct rig *r, const struct hostile *h)
{
	u32 i, q;

	r->hold_jobs = false;
	for (i = 0; i < 100 && (!i || r->look.busy); i++)
		rig_run(r, RIG_STEP_NS);
	/* A completion ring that no client reads holds its queue up until the queue is stopped. */
	for (q = h->first; q < h->first + h->queues; q++)
		MUST(!rig_queue_stop(r, q), "queue %u doesn't stop", q);
	for (i = 0; i < 100 && r->look.busy; i++)
		rig_run(r, RIG_STEP_NS);
	MUST(!r->look.busy, "%u descriptors are under way for ever", r->look.busy);
}

void hostile_run(struct rig *r, struct feed *f, const struct hostile *h)
{
	u32 i;

	for (i = 0; i < h->steps && f->left && *f->at != 0xff; i++)
		if (!step(r, f, h))
			break;
	settle(r, h);
	feed_u8(f);
}
