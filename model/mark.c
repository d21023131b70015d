// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Marks in free slots: they tell a whole descriptor whose doorbell was lost from one that is being written. */
#include "internal.h"
#include "mapping.h"

_Static_assert(!(((1ull << WDM_MAPPED_BITS) - 1) >> 32 & WDM_MARK_ADDRESS),
	       "no address without SVA takes the place of a mark");

#define WDM_MARK	0x5a4d4457u
#define WDM_MARK_BATCH	64

static u32 wdm_mark_of(const struct wdm_mark *m)
{
	return WDM_MARK & m->mask;
}

static bool wdm_mark_is(const struct wdm_mark *m, u32 word)
{
	return (word & m->mask) == wdm_mark_of(m);
}

bool wdm_marked(const struct wdm_device *dev, const u32 *sqe)
{
	const struct wdm_mark *m;

	for (m = dev->variant->marks; m->mask; m++)
		if (wdm_mark_is(m, wdm_get32(sqe + m->dw)))
			return true;
	return false;
}

/* The half of the word that has no mark, if there is one. */
static u16 wdm_mark_rest(const struct wdm_mark *m, u32 word)
{
	word &= ~m->mask;
	return (u16)(word | word >> 16);
}

void wdm_slot_keep(const struct wdm_device *dev, struct wdm_queue *q, u32 slot, const u32 *sqe)
{
	u16 *kept = q->kept + (size_t)slot * WDM_MARKS_MAX;
	const struct wdm_mark *m;

	for (m = dev->variant->marks; m->mask; m++)
		*kept++ = wdm_mark_rest(m, wdm_get32(sqe + m->dw));
	q->marked[slot] = true;
}

static void wdm_mark(const struct wdm_device *dev, u32 *sqe)
{
	const struct wdm_mark *m;

	for (m = dev->variant->marks; m->mask; m++)
		wdm_put32(sqe + m->dw, (wdm_get32(sqe + m->dw) & ~m->mask) | wdm_mark_of(m));
}

void wdm_slot_begin(const struct wdm_device *dev, struct wdm_queue *q, u32 slot, u32 *sqe)
{
	wdm_mark(dev, sqe);
	wdm_slot_keep(dev, q, slot, sqe);
	q->digest[slot] = wdm_slot_digest(sqe, 1u << dev->engine->sqe_shift);
}

/*
 * A mark is in bits that were 0, so it can be taken back. It may be left in a descriptor whose word was written, with
 * its old value, just before the slot was marked.
 */
void wdm_slot_take(const struct wdm_device *dev, struct wdm_queue *q, u32 slot, u32 *sqe)
{
	const u16 *kept = q->kept + (size_t)slot * WDM_MARKS_MAX;
	const struct wdm_mark *m;
	u32 word;

	for (m = dev->variant->marks; q->marked[slot] && m->mask; m++, kept++) {
		word = wdm_get32(sqe + m->dw);
		if (wdm_mark_is(m, word) && wdm_mark_rest(m, word) == *kept)
			wdm_put32(sqe + m->dw, word & ~m->mask);
	}
	q->marked[slot] = false;
}

static bool wdm_has_room(const struct wdm_device *dev, const u32 *sqe)
{
	const struct wdm_mark *m;

	for (m = dev->variant->marks; m->mask; m++)
		if (wdm_get32(sqe + m->dw) & m->mask)
			return false;
	return true;
}

/* Replaces the marked words of @from by those of @to, each if it is still as in @from. */
static void wdm_words_swap(struct wdm_device *dev, const struct wdm_queue *q, u64 at, const u32 *from, const u32 *to)
{
	const struct wdm_mark *m;

	for (m = dev->variant->marks; m->mask; m++)
		dev->env->dma_swap(dev->host, q->fn, at + m->dw * 4, from[m->dw], to[m->dw]);
}

/*
 * The owner may write the slot at any time. If it has begun, no mark stays: what is left then of the device's marks
 * couldn't be told from words that are still to be written.
 */
static void wdm_slot_mark(struct wdm_device *dev, struct wdm_queue *q, u32 slot)
{
	u32 old[WDM_SQE_MAX / 4], new[WDM_SQE_MAX / 4], now[WDM_SQE_MAX / 4], bytes = 1u << dev->engine->sqe_shift;
	u64 at = q->sq_base + (u64)slot * bytes;

	if (wdm_dma_read(dev, q->fn, at, old, bytes) || wdm_slot_digest(old, bytes) != q->digest[slot] ||
	    !wdm_has_room(dev, old))
		return;
	memcpy(new, old, bytes);
	wdm_mark(dev, new);
	wdm_words_swap(dev, q, at, old, new);
	if (wdm_dma_read(dev, q->fn, at, now, bytes) || memcmp(now, new, bytes)) {
		wdm_words_swap(dev, q, at, new, old);
		return;
	}
	q->digest[slot] = wdm_slot_digest(new, bytes);
	wdm_slot_keep(dev, q, slot, new);
}

/* Has the owner consumed the last completion of that slot? */
static bool wdm_slot_free(const struct wdm_device *dev, const struct wdm_queue *q, u32 slot)
{
	return (u32)q->cq_tail - q->answered_at[slot] >= wdm_cq_unconsumed(dev, q);
}

void wdm_slots_mark(struct wdm_device *dev, struct wdm_queue *q)
{
	u32 nr;

	if (!q->sq_valid || !q->cq_valid || q->stopping || q->overflow)
		return;
	if (q->free < q->tail)
		q->free = q->tail;
	for (nr = 0; q->free < q->done + q->sq_depth && wdm_slot_free(dev, q, (u32)(q->free % q->sq_depth)); nr++) {
		if (nr == WDM_MARK_BATCH) {
			dev->worked = true;
			return;
		}
		if (!q->marked[q->free % q->sq_depth])
			wdm_slot_mark(dev, q, (u32)(q->free % q->sq_depth));
		q->free++;
	}
}
