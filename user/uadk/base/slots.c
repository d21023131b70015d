// SPDX-License-Identifier: Apache-2.0
/*
 * Asynchronous requests: the library's copies of them, and the delivery of results. Our callbacks only collect: the
 * program's run afterwards, in its own poll, where they may submit, poll and free sessions.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "class.h"

#define DRAIN	64u

/* What the poll of this thread has collected; NULL: no poll of a program. */
struct batch {
	struct uadk_slot *first;
	struct uadk_slot **last;
	unsigned int nr;
};

static _Thread_local struct batch *collecting;

static struct uadk_slot *slot_at(struct uadk_class *c, uint32_t index)
{
	char *chunk = atomic_load_explicit(&c->slots.chunk[index / UADK_CHUNK], memory_order_acquire);

	return (struct uadk_slot *)(chunk + index % UADK_CHUNK * c->slot_size);
}

static void free_push(struct uadk_class *c, struct uadk_slot *slot)
{
	uint64_t head = atomic_load_explicit(&c->slots.free, memory_order_relaxed), next;

	do {
		atomic_store_explicit(&slot->next_free, (uint32_t)head, memory_order_relaxed);
		next = ((head >> 32) + 1) << 32 | (slot->index + 1);
	} while (!atomic_compare_exchange_weak_explicit(&c->slots.free, &head, next, memory_order_release,
							memory_order_relaxed));
}

static struct uadk_slot *free_pop(struct uadk_class *c)
{
	uint64_t head = atomic_load_explicit(&c->slots.free, memory_order_acquire), next;
	struct uadk_slot *slot;

	do {
		if (!(uint32_t)head)
			return NULL;
		slot = slot_at(c, (uint32_t)head - 1);
		next = ((head >> 32) + 1) << 32 | atomic_load_explicit(&slot->next_free, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(&c->slots.free, &head, next, memory_order_acquire,
							memory_order_acquire));
	return slot;
}

/* Return: false if there are too many, or no memory. A chunk may be there from before a fork. */
static bool grow(struct uadk_class *c)
{
	struct uadk_slots *s = &c->slots;
	char *chunk = NULL;

	pthread_mutex_lock(&s->lock);
	/* Another thread may have added one meanwhile. */
	if ((uint32_t)atomic_load(&s->free)) {
		pthread_mutex_unlock(&s->lock);
		return true;
	}
	if (s->chunks < UADK_CHUNKS) {
		chunk = atomic_load(&s->chunk[s->chunks]);
		if (!chunk)
			chunk = calloc(UADK_CHUNK, c->slot_size);
	}
	if (chunk) {
		uint32_t first = s->chunks * UADK_CHUNK;

		atomic_store_explicit(&s->chunk[s->chunks++], chunk, memory_order_release);
		for (uint32_t i = UADK_CHUNK; i-- > 0;) {
			struct uadk_slot *slot = slot_at(c, first + i);

			slot->index = first + i;
			free_push(c, slot);
		}
	}
	pthread_mutex_unlock(&s->lock);
	return chunk;
}

void *uadk_slot_take(struct uadk_sess *sess)
{
	struct uadk_class *c = sess->class;
	struct uadk_slot *slot;

	while (!(slot = free_pop(c)))
		if (!grow(c))
			return NULL;
	atomic_fetch_add_explicit(&sess->refs, 1, memory_order_relaxed);
	slot->sess = sess;
	slot->extra = NULL;
	return slot;
}

void uadk_sess_drop(struct uadk_sess *sess)
{
	if (atomic_fetch_sub(&sess->refs, 1) != 1)
		return;
	own_dev_mask_free(sess->mask);
	pthread_mutex_destroy(&sess->lock);
	free(sess);
}

void uadk_slot_give(struct uadk_slot *slot)
{
	struct uadk_sess *sess = slot->sess;

	free(slot->extra);
	free_push(sess->class, slot);
	uadk_sess_drop(sess);
}

void uadk_slots_forget(struct uadk_class *c)
{
	struct uadk_slots *s = &c->slots;

	pthread_mutex_init(&s->lock, NULL);
	s->chunks = 0;
	s->first = NULL;
	s->last = &s->first;
	atomic_store(&s->done, 0);
	atomic_store(&s->free, 0);
	collecting = NULL;
}

static void keep(struct uadk_slots *s, struct batch *batch)
{
	if (!batch->nr)
		return;
	pthread_mutex_lock(&s->lock);
	*batch->last = NULL;
	*s->last = batch->first;
	s->last = batch->last;
	atomic_fetch_add(&s->done, batch->nr);
	pthread_mutex_unlock(&s->lock);
}

static void batch_add(struct batch *batch, struct uadk_slot *slot)
{
	slot->next = NULL;
	*batch->last = slot;
	batch->last = &slot->next;
	batch->nr++;
}

/* Without a poll of the program, one of the library's own threads has the result. */
void uadk_slot_done(struct uadk_slot *slot)
{
	struct batch one = { .last = &one.first };

	if (collecting) {
		batch_add(collecting, slot);
		return;
	}
	batch_add(&one, slot);
	keep(&slot->sess->class->slots, &one);
}

static int collect(struct uadk_class *c, struct batch *batch, __u32 count, unsigned int timeout_ms)
{
	struct batch *outer = collecting;
	int ret;

	*batch = (struct batch){ .last = &batch->first };
	collecting = batch;
	ret = c->poll(count, timeout_ms, NULL);
	collecting = outer;
	return ret;
}

unsigned int uadk_drain(struct uadk_class *c)
{
	struct batch batch;

	collect(c, &batch, DRAIN, 0);
	keep(&c->slots, &batch);
	return batch.nr;
}

int uadk_submit(struct uadk_slot *slot, own_handle_t own, int ret, int bad)
{
	struct uadk_class *c = slot->sess->class;

	if (!ret)
		do {
			ret = c->send(slot, own);
		} while (ret == -EBUSY && uadk_drain(c));
	if (!ret)
		return 0;
	uadk_slot_give(slot);
	return -uadk_status(ret, bad);
}

/* Return: whether the program heard of it. */
static unsigned int deliver(struct uadk_slot *slot)
{
	bool heard = !atomic_load_explicit(&slot->sess->ended, memory_order_relaxed);

	if (heard)
		slot->sess->class->deliver(slot);
	uadk_slot_give(slot);
	return heard;
}

static struct uadk_slot *kept_pop(struct uadk_slots *s)
{
	struct uadk_slot *slot;

	if (!atomic_load_explicit(&s->done, memory_order_relaxed))
		return NULL;
	pthread_mutex_lock(&s->lock);
	slot = s->first;
	if (slot) {
		s->first = slot->next;
		if (!s->first)
			s->last = &s->first;
		atomic_fetch_sub(&s->done, 1);
	}
	pthread_mutex_unlock(&s->lock);
	return slot;
}

/* A callback that leaves by an exception leaves the rest to the next poll. */
static void batch_end(struct batch *batch)
{
	if (batch->nr)
		keep(&batch->first->sess->class->slots, batch);
}

static __u32 deliver_batch(struct batch *all)
{
	__attribute__((cleanup(batch_end))) struct batch batch = *all;
	__u32 heard = 0;

	while (batch.nr) {
		struct uadk_slot *slot = batch.first;

		batch.first = slot->next;
		batch.nr--;
		heard += deliver(slot);
	}
	return heard;
}

static __u32 poll_for(struct uadk_class *c, __u32 expt, unsigned int timeout_ms)
{
	struct uadk_slot *slot;
	struct batch batch;
	__u32 got = 0;

	do {
		while (got < expt && (slot = kept_pop(&c->slots)))
			got += deliver(slot);
		if (got == expt)
			break;
		collect(c, &batch, expt - got, timeout_ms);
		if (!batch.nr && (!timeout_ms || !atomic_load(&c->slots.done)))
			break;
		got += deliver_batch(&batch);
	} while (got < expt && timeout_ms);
	return got;
}

int uadk_poll(struct uadk_class *c, __u32 expt, __u32 *count)
{
	if (!count)
		return -WD_EINVAL;
	*count += poll_for(c, expt, UINT_MAX);
	return 0;
}

int uadk_poll_ctx(struct uadk_class *c, __u32 idx, __u32 expt, __u32 *count)
{
	if (!count)
		return -WD_EINVAL;
	*count = 0;
	if (!expt || idx >= c->ctxs)
		return -WD_EINVAL;
	*count = poll_for(c, expt, 0);
	return *count < expt ? -WD_EAGAIN : 0;
}
