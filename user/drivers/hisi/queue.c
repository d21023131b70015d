// SPDX-License-Identifier: Apache-2.0
/* Contexts of the hisi drivers: opening, stopping, sleeping, and memory that requests need beside a descriptor. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "queue.h"
#include "request/fast.h"
#include "section/ctx.h"

#define STOP_NS		1000000000ull
#define POOL_LISTS	256
#define POOL_ENTRIES	255
#define STATE_ALIGN	4096

static_assert(WD_PULL_MAX <= WD_RING_ROW, "the limit leaves room for one pull");

/* Queues that were closed while the device was finishing another process' queue: they are stopped later. */
static struct hisi_queue *_Atomic unstopped;

/* 0 once the device can't touch memory for the queue any more. */
static int put_q(struct hisi_queue *h)
{
	int ret = 0;

	if (!h->stopped)
		do
			ret = wd_ctx_ioctl(h->ring.ctx, UACCE_CMD_PUT_Q, NULL);
		while (ret == -EINTR);

	/*
	 * -ENODEV: the queue is lost. The kernel reports this in the stop word too, which it may set before the device
	 * has stopped.
	 */
	h->stopped = !ret || (ret == -ENODEV && wd_ring_rx_stopped(&h->ring));
	h->error = h->stopped ? 0 : ret;
	return h->error;
}

/*
 * A second try, because a stop that is refused for a moment doesn't make a queue stuck, and a stuck queue is kept for
 * ever. But -ETIMEDOUT comes after the kernel has waited for the device as long as it does, seconds: it waits once more
 * when the file is closed, and a request may be waiting for that.
 */
static int put_q_finally(struct hisi_queue *h)
{
	unsigned int i;

	for (i = 0; i < 2 && h->error != -ETIMEDOUT; i++)
		if (!put_q(h))
			break;
	return h->error;
}

static void row_free(const struct hisi_queue *h, void **row)
{
	unsigned int i;

	for (i = 0; row && i < h->ring.sq_depth; i++)
		free(row[i]);
	free(row);
}

static void memory_free(struct hisi_queue *h)
{
	unsigned int i;

	row_free(h, h->states);
	row_free(h, h->rooms);
	for (i = 0; i < HISI_SPARES; i++)
		free(h->spare[i]);
	free(h->sink);
}

/* A stuck queue is kept for ever: the kernel keeps its number, its rings and its access to this address space. */
static void queue_free(struct hisi_queue *h, bool stuck)
{
	h->ring.ctx->stuck = stuck;
	wd_ctx_stop(h->ctx);
	wd_release_ctx(h->ctx);
	if (stuck) {
		wd_keep(&h->kept);
		return;
	}
	if (h->pool)
		wd_sglpool_free(h->pool);
	free(h->lists);
	memory_free(h);
	/* If the context is closed before all requests have ended, nothing else wipes their data. */
	if (h->scratch)
		explicit_bzero(h->scratch, h->ring.sq_depth * h->scratch_bytes);
	free(h->scratch);
	free(h);
}

/* The queue's file stays open: once it is closed, there is no way to ask whether the device still uses the memory. */
static void unstopped_add(struct hisi_queue *h)
{
	h->next = atomic_load(&unstopped);
	while (!atomic_compare_exchange_weak(&unstopped, &h->next, h))
		;
}

/*
 * Needs no lock: a queue belongs to the thread that took it off the list. A fork's child has copies of its parent's
 * queues.
 */
static void unstopped_try(void)
{
	struct hisi_queue *h = atomic_exchange(&unstopped, NULL), *next;
	int ret;

	for (; h; h = next) {
		next = h->next;
		ret = wd_stale(&h->ring.ctx->obj) ? 0 : put_q(h);
		if (ret == -EBUSY)
			unstopped_add(h);
		else
			queue_free(h, ret);
	}
}

/* The library's own threads sleep without a time limit where nothing is in flight. */
static void stole_event(void *arg)
{
	wd_pollers_wake(arg);
}

int hisi_queue_open(struct wd_queue *q, const struct uacce_dev_info *dev, __u32 sqe_size, size_t scratch_bytes)
{
	struct wd_queue_pub *pub = wd_queue_pub(q);
	struct wd_ring_cfg cfg = {
		.sqe_size = sqe_size, .qc_type = pub->qc_type, .sleeps = true, .filling = pub->filling,
		.filler = pub->filler, .impatient = true, .stole = stole_event, .stole_arg = q
	};
	struct hisi_queue *h;
	int ret;

	unstopped_try();
	h = aligned_alloc(_Alignof(struct hisi_queue), sizeof(*h));
	if (!h)
		return -ENOMEM;
	memset(h, 0, sizeof(*h));
	h->scratch_bytes = scratch_bytes;
	h->ctx = wd_request_ctx(dev->dev_root);
	if (!h->ctx) {
		ret = -errno;
		goto err_free;
	}
	ret = wd_ring_open(&h->ring, h->ctx, &cfg);
	/* There was a queue, but the device can't start it now. */
	if (ret == -EBUSY)
		ret = -EINPROGRESS;
	if (ret)
		goto err_release;
	pub->drv = h;
	pub->fd = h->ring.fd;
	pub->depth = h->ring.sq_depth;
	pub->limit = h->ring.limit;
	pub->flat = h->ring.flat;
	return 0;

err_release:
	wd_release_ctx(h->ctx);
err_free:
	free(h);
	return ret;
}

void hisi_queue_close(struct wd_queue *q)
{
	struct wd_queue_pub *pub = wd_queue_pub(q);
	struct hisi_queue *h = pub->drv;
	int ret = 0;

	if (!h)
		return;
	pub->drv = NULL;
	pub->fd = -1;
	unstopped_try();
	/* A fork's child only has a copy of the memory, which the parent's queue can't touch. */
	if (!wd_stale(&h->ring.ctx->obj))
		ret = put_q_finally(h);
	if (ret)
		atomic_fetch_add(&pub->stuck, 1);
	if (ret == -EBUSY)
		unstopped_add(h);
	else
		queue_free(h, ret);
}

int hisi_queue_stop(struct wd_queue *q)
{
	struct hisi_queue *h = hisi_queue_of(q);
	__u64 end = wd_now_ns() + STOP_NS;
	int ret;

	if (!h)
		return 0;
	for (;;) {
		ret = put_q(h);
		if (!ret || wd_now_ns() >= end)
			return ret;
		poll(NULL, 0, 1);
	}
}

static void list_put(struct hisi_queue *h, void **sgl)
{
	if (*sgl)
		wd_sglpool_put(h->pool, *sgl);
	*sgl = NULL;
}

void hisi_queue_put_lists(struct hisi_queue *h, unsigned int index)
{
	struct hisi_lists *lists = atomic_load_explicit(&h->lists, memory_order_acquire);

	if (!lists)
		return;
	list_put(h, &lists[index].src);
	list_put(h, &lists[index].dst);
}

/* Published empty: a thread that meanwhile drains requests without lists finds none at their indexes. */
static struct hisi_lists *lists_make(struct hisi_queue *h)
{
	struct hisi_lists *lists = atomic_load_explicit(&h->lists, memory_order_relaxed);

	if (!lists) {
		lists = calloc(h->ring.sq_depth, sizeof(*lists));
		atomic_store_explicit(&h->lists, lists, memory_order_release);
	}
	if (lists && !h->pool)
		h->pool = wd_sglpool_new(POOL_LISTS, POOL_ENTRIES);
	return h->pool ? lists : NULL;
}

static int list_get(struct hisi_queue *h, const struct wd_datalist *list, void **sgl)
{
	int ret = 0;

	*sgl = wd_sglpool_get(h->pool, list, &ret);
	return *sgl ? 0 : ret;
}

static int lists_get(struct hisi_queue *h, unsigned int index, const struct wd_datalist *src,
		     const struct wd_datalist *dst)
{
	struct hisi_lists *lists = lists_make(h);
	int ret = lists ? list_get(h, src, &lists[index].src) : -ENOMEM;

	if (!ret)
		ret = list_get(h, dst, &lists[index].dst);
	if (ret)
		hisi_queue_put_lists(h, index);
	return ret;
}

int hisi_queue_get_lists(struct hisi_queue *h, unsigned int index, const struct wd_datalist *src,
			 const struct wd_datalist *dst)
{
	int ret = lists_get(h, index, src, dst);

	/* Only this side takes lists from the pool: a request that doesn't fit into the whole pool never will. */
	if (ret == -EBUSY && !wd_sglpool_used(h->pool)) {
		ret = lists_get(h, index, src, dst);
		if (ret == -EBUSY)
			ret = -E2BIG;
	}
	return ret;
}

__u8 *hisi_queue_make_scratch(struct hisi_queue *h)
{
	__u8 *scratch = calloc(h->ring.sq_depth, h->scratch_bytes);

	atomic_store_explicit(&h->scratch, scratch, memory_order_release);
	return scratch;
}

/* Pointers by ring index. The draining thread finds none at the indexes of other requests. */
static void **row_make(const struct hisi_queue *h, void **_Atomic *at)
{
	void **row = atomic_load_explicit(at, memory_order_relaxed);

	if (!row) {
		row = calloc(h->ring.sq_depth, sizeof(*row));
		atomic_store_explicit(at, row, memory_order_release);
	}
	return row;
}

/* A fork's child frees what it finds at the index, whatever its parent's thread was about to do. */
static void *row_take(void **_Atomic *at, unsigned int index)
{
	void **row = atomic_load_explicit(at, memory_order_acquire), *memory;

	if (!row)
		return NULL;
	memory = row[index];
	row[index] = NULL;
	atomic_signal_fence(memory_order_seq_cst);
	return memory;
}

void *hisi_queue_get_state(struct hisi_queue *h, unsigned int index, size_t bytes)
{
	void **states = row_make(h, &h->states);

	if (!states)
		return NULL;
	if (!states[index])
		states[index] = aligned_alloc(STATE_ALIGN, bytes);
	return states[index] ? memset(states[index], 0, bytes) : NULL;
}

void hisi_queue_put_state(struct hisi_queue *h, unsigned int index)
{
	free(row_take(&h->states, index));
}

void *hisi_queue_get_room(struct hisi_queue *h, unsigned int index, size_t bytes)
{
	void **rooms = row_make(h, &h->rooms);
	unsigned int i;

	if (!rooms)
		return NULL;
	for (i = 0; !rooms[index] && i < HISI_SPARES; i++)
		rooms[index] = atomic_exchange(&h->spare[i], NULL);
	if (!rooms[index])
		rooms[index] = aligned_alloc(STATE_ALIGN, (bytes + STATE_ALIGN - 1) & ~(size_t)(STATE_ALIGN - 1));
	return rooms[index];
}

void hisi_queue_put_room(struct hisi_queue *h, unsigned int index)
{
	void *room = row_take(&h->rooms, index), *none = NULL;
	unsigned int i;

	for (i = 0; room && i < HISI_SPARES; i++, none = NULL)
		if (atomic_compare_exchange_strong(&h->spare[i], &none, room))
			return;
	free(room);
}

void *hisi_queue_sink(struct hisi_queue *h, size_t bytes)
{
	if (!h->sink)
		h->sink = malloc(bytes);
	return h->sink;
}

void hisi_queue_abort(struct wd_queue *q, unsigned int index)
{
	struct hisi_queue *h = hisi_queue_of(q);

	if (h)
		hisi_queue_put_lists(h, index);
}

bool hisi_queue_ready(struct wd_queue *q)
{
	return wd_ring_ready(&hisi_queue_of(q)->ring);
}

void hisi_queue_arm(struct wd_queue *q)
{
	wd_ring_arm(&hisi_queue_of(q)->ring);
}

void hisi_queue_disarm(struct wd_queue *q)
{
	struct hisi_queue *h = hisi_queue_of(q);

	if (h)
		wd_ring_disarm(&h->ring);
}

int hisi_queue_why_nothing(struct hisi_queue *h)
{
	return wd_ring_nothing(&h->ring) ? wd_ring_why(&h->ring) : 0;
}
