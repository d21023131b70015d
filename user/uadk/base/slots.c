// SPDX-License-Identifier: Apache-2.0
/*
 * Asynchronous requests: the library's copies of them, and the delivery of results. In a poll of the program's our
 * callbacks call the program's. Elsewhere they collect results, which are delivered afterwards: in a poll inside a
 * callback, whose depth ours limits, in the submission to a full context, and on the library's own threads.
 */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "class.h"

#define DRAIN		64u
#define RING		64u		/* slots of a new ring */
#define RING_MOST	65536u		/* and of one that grows */

struct chunk {
	struct chunk *next;
	unsigned int nr;
	size_t bytes;			/* of a slot */
	_Alignas(max_align_t) char slots[];
};

/* Of a class. Under the lock, except that @done may be read at any time. */
static struct slots {
	pthread_mutex_t lock;
	struct chunk *chunks;
	struct uadk_slot *spare;	/* one of each ring whose thread has ended */
	struct uadk_sess *spare_sess;	/* memory of freed sessions, which other threads may look at */
	struct uadk_slot *first;	/* finished while no program polled */
	struct uadk_slot **last;
	atomic_uint done;		/* of them */
} all_slots[UADK_CLASSES];

/* Results of a class that a poll collects. */
struct uadk_batch {
	struct uadk_class *class;
	struct uadk_slot *first;
	struct uadk_slot **last;
	unsigned int nr;
};

/* A thread without a ring finds a slot in use. */
static struct uadk_sess busy_sess;
static struct uadk_slot busy = { .next = &busy, .sess = &busy_sess };

#define THREAD_NEW	{ .at = { &busy, &busy, &busy, &busy, &busy, &busy, &busy } }
_Static_assert(UADK_CLASSES == 7, "each class has a first slot");
UADK_THREAD_LOCAL struct uadk_thread uadk_thread = THREAD_NEW;

/* --- copies of requests ---
 *
 * A thread has a ring of slots and takes one after the other. The thread that delivers a request makes its slot free,
 * mostly before it is met again.
 */

static pthread_key_t ends_key;
static pthread_once_t ends_once = PTHREAD_ONCE_INIT;
static bool ends_seen;

/* Under the lock. */
static void ring_spare(struct slots *s, struct uadk_slot *ring)
{
	ring->ring = s->spare;
	s->spare = ring;
}

static void thread_ends(void *unused)
{
	(void)unused;
	for (unsigned int nr = 0; nr < UADK_CLASSES; nr++) {
		struct uadk_slot *ring = uadk_thread.at[nr];

		if (ring == &busy)
			continue;
		uadk_thread.at[nr] = &busy;
		pthread_mutex_lock(&all_slots[nr].lock);
		ring_spare(&all_slots[nr], ring);
		pthread_mutex_unlock(&all_slots[nr].lock);
	}
}

static void ends_begin(void)
{
	ends_seen = !pthread_key_create(&ends_key, thread_ends);
}

static struct uadk_slot *chunk_slot(struct chunk *chunk, unsigned int i)
{
	return (struct uadk_slot *)(chunk->slots + i % chunk->nr * chunk->bytes);
}

/* All of its slots are free. */
static struct uadk_slot *chunk_ring(const struct uadk_class *c, struct chunk *chunk)
{
	for (unsigned int i = 0; i < chunk->nr; i++) {
		struct uadk_slot *slot = chunk_slot(chunk, i);

		slot->next = chunk_slot(chunk, i + 1);
		slot->extra = NULL;
		if (c->slot_init)
			c->slot_init(slot);
		uadk_slot_give(slot);
	}
	return chunk_slot(chunk, 0);
}

static struct chunk *chunk_new(size_t bytes, unsigned int nr)
{
	struct chunk *chunk = calloc(1, sizeof(*chunk) + nr * bytes);

	if (chunk) {
		chunk->nr = nr;
		chunk->bytes = bytes;
	}
	return chunk;
}

/* A ring whose slots may be in use, or a new one. Return: one of its slots, or NULL: no memory. */
static struct uadk_slot *ring_get(const struct uadk_class *c, unsigned int nr)
{
	struct slots *s = &all_slots[c->nr];
	struct uadk_slot *ring;
	struct chunk *chunk;

	pthread_mutex_lock(&s->lock);
	ring = s->spare;
	if (ring) {
		s->spare = ring->ring;
	} else {
		chunk = chunk_new(c->slot_size, nr);
		if (chunk) {
			ring = chunk_ring(c, chunk);
			chunk->next = s->chunks;
			s->chunks = chunk;
		}
	}
	pthread_mutex_unlock(&s->lock);
	return ring;
}

/* Two rings become one, or the thread's first. Return: whether there was memory. */
static bool ring_grow(const struct uadk_class *c, unsigned int nr)
{
	struct uadk_slot **at = &uadk_thread.at[c->nr], *more = ring_get(c, nr), *next;

	if (more && *at != &busy) {
		next = (*at)->next;
		(*at)->next = more->next;
		more->next = next;
	}
	if (more)
		*at = more;
	return more;
}

/* Stops at the first slot that is free. Return: it, or NULL: there is none among *@nr. */
static struct uadk_slot *ring_search(struct uadk_slot **at, unsigned int *nr)
{
	struct uadk_slot *slot = *at;

	*nr = 0;
	do {
		if (uadk_slot_is_free(slot)) {
			*at = slot->next;
			return slot;
		}
		++*nr;
		slot = slot->next;
	} while (slot != *at);
	return NULL;
}

struct uadk_slot *uadk_slot_search(const struct uadk_class *c)
{
	struct uadk_slot *slot;
	unsigned int nr;

	/* Without a key the ring is lost with the thread. */
	pthread_once(&ends_once, ends_begin);
	if (ends_seen && !pthread_getspecific(ends_key))
		pthread_setspecific(ends_key, &uadk_thread);
	while (!(slot = ring_search(&uadk_thread.at[c->nr], &nr)))
		if (nr >= RING_MOST || !ring_grow(c, nr > RING ? nr : RING))
			return NULL;
	return slot;
}

void uadk_slots_begin(const struct uadk_class *c)
{
	struct slots *s = &all_slots[c->nr];

	pthread_mutex_init(&s->lock, NULL);
	s->spare = NULL;
	s->first = NULL;
	s->last = &s->first;
	atomic_store(&s->done, 0);
}

/* What was in flight is the parent's, and its other threads aren't here. */
void uadk_slots_forget(const struct uadk_class *c)
{
	struct slots *s = &all_slots[c->nr];

	uadk_slots_begin(c);
	for (struct chunk *chunk = s->chunks; chunk; chunk = chunk->next)
		ring_spare(s, chunk_ring(c, chunk));
	uadk_thread = (struct uadk_thread)THREAD_NEW;
}

/* --- results --- */

static void keep(struct uadk_batch *batch)
{
	struct slots *s = &all_slots[batch->class->nr];

	if (!batch->nr)
		return;
	pthread_mutex_lock(&s->lock);
	*batch->last = NULL;
	*s->last = batch->first;
	s->last = batch->last;
	atomic_fetch_add(&s->done, batch->nr);
	pthread_mutex_unlock(&s->lock);
}

static void batch_begin(struct uadk_batch *batch, struct uadk_class *c)
{
	*batch = (struct uadk_batch){ .class = c, .last = &batch->first };
}

static void batch_add(struct uadk_batch *batch, struct uadk_slot *slot)
{
	slot->follower = NULL;
	*batch->last = slot;
	batch->last = &slot->follower;
	batch->nr++;
}

/* A callback that leaves by an exception has been delivered. Return: whether the program heard of the request. */
static bool deliver(struct uadk_slot *slot)
{
	__attribute__((cleanup(uadk_delivered))) struct uadk_slot *delivered = slot;
	struct uadk_sess *sess = uadk_slot_sess(slot);
	bool heard = atomic_load(&sess->life) == slot->life;

	if (heard)
		sess->class->deliver(slot);
	(void)delivered;
	return heard;
}

/* A poll inside a callback of another class meets results of that one. */
void uadk_slot_over(struct uadk_slot *slot)
{
	struct uadk_class *c = uadk_slot_sess(slot)->class;
	struct uadk_batch one, *batch = uadk_thread.collecting;

	if (uadk_thread.at_once) {
		uadk_thread.unheard += !deliver(slot);
		return;
	}
	uadk_thread.unheard += uadk_thread.later;
	if (batch && batch->class == c) {
		batch_add(batch, slot);
		return;
	}
	batch_begin(&one, c);
	batch_add(&one, slot);
	keep(&one);
}

/* What our callbacks do with results in a poll of ours. */
struct way {
	bool at_once;
	bool later;
	struct uadk_batch *collecting;
};

static struct way way_set(const struct way *way)
{
	struct way before = { uadk_thread.at_once, uadk_thread.later, uadk_thread.collecting };

	uadk_thread.at_once = way->at_once;
	uadk_thread.later = way->later;
	uadk_thread.collecting = way->collecting;
	return before;
}

static bool way_is_nested(void)
{
	return uadk_thread.at_once || uadk_thread.later;
}

/* Also when a callback has left the poll by an exception. A session that its own callback freed can go now. */
static void way_back(const struct way *before)
{
	struct uadk_sess *sess;

	way_set(before);
	while (!way_is_nested() && (sess = uadk_thread.freed)) {
		uadk_thread.freed = sess->next;
		uadk_sess_free(sess);
	}
}

static int poll_own(struct uadk_class *c, __u32 count, unsigned int timeout_ms, const struct way *way)
{
	__attribute__((cleanup(way_back))) struct way before = way_set(way);

	return c->poll(count, timeout_ms, NULL);
}

static int collect(struct uadk_class *c, struct uadk_batch *batch, __u32 count, unsigned int timeout_ms)
{
	batch_begin(batch, c);
	return poll_own(c, count, timeout_ms, &(struct way){ .collecting = batch });
}

unsigned int uadk_drain(struct uadk_class *c)
{
	struct uadk_batch batch;

	collect(c, &batch, DRAIN, 0);
	keep(&batch);
	return batch.nr;
}

struct uadk_sess *uadk_sess_alloc(struct uadk_class *c)
{
	const size_t lasts = offsetof(struct uadk_sess, own);
	struct slots *s = &all_slots[c->nr];
	struct uadk_sess *sess;

	pthread_mutex_lock(&s->lock);
	sess = s->spare_sess;
	if (sess)
		s->spare_sess = sess->next;
	pthread_mutex_unlock(&s->lock);
	if (sess) {
		memset((char *)sess + lasts, 0, c->sess_size - lasts);
		return sess;
	}
	sess = calloc(1, c->sess_size);
	if (sess)
		sess->class = c;
	return sess;
}

/* Return: false in a callback of the session's own. Another thread may be about to take its results. */
static bool own_free(struct uadk_class *c, own_handle_t own)
{
	int ret = c->free_sess(own);

	if (ret == -EBUSY)
		own_sess_cancel(own);
	while (ret == -EBUSY) {
		if (!uadk_drain(c))
			sched_yield();
		ret = c->free_sess(own);
	}
	return ret != -EDEADLK;
}

static void free_later(struct uadk_sess *sess)
{
	sess->next = uadk_thread.freed;
	uadk_thread.freed = sess;
	/* Of what this poll has taken, some may be the session's. */
	uadk_thread.later = uadk_thread.later || uadk_thread.at_once;
	uadk_thread.at_once = false;
}

void uadk_sess_free(struct uadk_sess *sess)
{
	struct uadk_class *c = sess->class;

	atomic_fetch_add(&sess->life, 1);
	for (unsigned int kind = 0; kind < UADK_KINDS; kind++) {
		own_handle_t own = atomic_load(&sess->own[kind]);

		if (own && !own_free(c, own)) {
			free_later(sess);
			return;
		}
		atomic_store(&sess->own[kind], 0);
	}
	if (c->wipe)
		c->wipe(sess);
	own_dev_mask_free(sess->mask);
	pthread_mutex_destroy(&sess->lock);
	pthread_mutex_lock(&all_slots[c->nr].lock);
	sess->next = all_slots[c->nr].spare_sess;
	all_slots[c->nr].spare_sess = sess;
	pthread_mutex_unlock(&all_slots[c->nr].lock);
}

int uadk_submit_not(struct uadk_slot *slot, int ret, int bad)
{
	uadk_extra_free(slot);
	uadk_slot_give(slot);
	return -uadk_status(ret, bad);
}

int uadk_submit_again(struct uadk_slot *slot, own_handle_t own, int ret, int bad)
{
	struct uadk_class *c = uadk_slot_sess(slot)->class;

	while (ret == -EBUSY && uadk_drain(c))
		ret = c->send(slot, own);
	return ret ? uadk_submit_not(slot, ret, bad) : 0;
}

static struct uadk_slot *kept_pop(struct slots *s)
{
	struct uadk_slot *slot;

	if (!atomic_load_explicit(&s->done, memory_order_relaxed))
		return NULL;
	pthread_mutex_lock(&s->lock);
	slot = s->first;
	if (slot) {
		s->first = slot->follower;
		if (!s->first)
			s->last = &s->first;
		atomic_fetch_sub(&s->done, 1);
	}
	pthread_mutex_unlock(&s->lock);
	return slot;
}

/* A callback that leaves by an exception leaves the rest to the next poll. */
static __u32 deliver_batch(const struct uadk_batch *all)
{
	__attribute__((cleanup(keep))) struct uadk_batch batch = *all;
	__u32 heard = 0;

	while (batch.nr) {
		struct uadk_slot *slot = batch.first;

		batch.first = slot->follower;
		batch.nr--;
		heard += deliver(slot);
	}
	return heard;
}

/* Adds what the program heard to *@got. Return: as the poll of ours. */
static int poll_some(struct uadk_class *c, __u32 count, unsigned int timeout_ms, __u32 *got)
{
	struct uadk_batch batch;
	int ret;

	if (way_is_nested()) {
		ret = collect(c, &batch, count, timeout_ms);
		*got += deliver_batch(&batch);
		return ret;
	}
	uadk_thread.unheard = 0;
	ret = poll_own(c, count, timeout_ms, &(struct way){ .at_once = true });
	if (ret > 0)
		*got += (__u32)ret - uadk_thread.unheard;
	return ret;
}

static __u32 poll_for(struct uadk_class *c, __u32 expt, unsigned int timeout_ms)
{
	struct slots *s = &all_slots[c->nr];
	struct uadk_slot *slot;
	__u32 got = 0;

	do {
		while (got < expt && (slot = kept_pop(s)))
			got += deliver(slot);
		if (got == expt)
			break;
		if (poll_some(c, expt - got, timeout_ms, &got) <= 0 && !atomic_load(&s->done))
			break;
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
