// SPDX-License-Identifier: Apache-2.0
/*
 * Hardware scatter/gather lists in pools.
 *
 * Lock: wd_sglpool.lock protects the free list and states; a list in use
 * belongs to the caller that took it.
 *
 * Links and counts lie outside the lists, because the device could write to the lists.
 */
#include <endian.h>
#include <errno.h>
#include <hisi_qm.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/fork.h"
#include "base/handle.h"
#include "hw/qm_hw.h"
#include "sgl.h"

#define SGL_NUM_MAX	65535
#define NODES_MAX	(1u << 20)	/* a list of buffers with more nodes counts as endless */
#define NONE		0xffffffffu

enum sgl_state {
	SGL_FREE,
	SGL_HEAD,	/* in use, first of its chain */
	SGL_CHAINED,	/* in use, behind another list */
};

struct sgl_info {
	uint32_t next;	/* in the free list, or the chain */
	enum sgl_state state;
};

struct wd_sglpool {
	struct wd_object obj;	/* used by the public functions only */
	unsigned char *memory;
	size_t stride;
	__u32 sgl_num;
	__u32 sge_num;
	pthread_mutex_t lock;
	__u32 used;
	uint32_t first_free;
	struct sgl_info info[];
};

struct wd_sglpool *wd_sglpool_new(__u32 sgl_num, __u32 sge_num)
{
	struct wd_sglpool *pool;
	__u32 i;

	if (!sgl_num || sgl_num > SGL_NUM_MAX || !sge_num || sge_num > QM_SGL_MAX_ENTRIES)
		return wd_null(wd_fail_num(NULL, EINVAL,
					   "SGL pool of %u lists with %u entries: not in 1 .. 65535, 1 .. 255",
					   sgl_num, sge_num));
	pool = calloc(1, sizeof(*pool) + sgl_num * sizeof(pool->info[0]));
	if (!pool)
		return wd_null(wd_fail(NULL, ENOMEM, "no memory for the SGL pool"));
	pool->stride = (sizeof(struct qm_sgl) + sge_num * sizeof(struct qm_sge) + QM_SGL_ALIGN - 1) &
		       ~(size_t)(QM_SGL_ALIGN - 1);
	pool->memory = aligned_alloc(QM_SGL_ALIGN, pool->stride * sgl_num);
	if (!pool->memory) {
		free(pool);
		return wd_null(wd_fail(NULL, ENOMEM, "no memory for the SGL pool"));
	}
	memset(pool->memory, 0, pool->stride * sgl_num);
	pool->sgl_num = sgl_num;
	pool->sge_num = sge_num;
	for (i = 0; i < sgl_num; i++)
		pool->info[i].next = i + 1 < sgl_num ? i + 1 : NONE;
	pthread_mutex_init(&pool->lock, NULL);
	return pool;
}

void wd_sglpool_free(struct wd_sglpool *pool)
{
	if (!pool)
		return;
	pthread_mutex_destroy(&pool->lock);
	free(pool->memory);
	free(pool);
}

static struct qm_sgl *sgl_at(struct wd_sglpool *pool, uint32_t i)
{
	return (struct qm_sgl *)(pool->memory + i * pool->stride);
}

/* The number of entries that the list needs; a list without bytes needs one. -EINVAL, -E2BIG. */
static int64_t count_entries(const struct wd_sglpool *pool, const struct wd_datalist *list)
{
	uint64_t most = (uint64_t)pool->sge_num * (pool->sgl_num < QM_SGL_MAX_CHAIN ? pool->sgl_num : QM_SGL_MAX_CHAIN);
	uint64_t entries = 0;
	unsigned int nodes;

	for (nodes = 0; list; list = list->next) {
		if (list->len && !list->data)
			return -EINVAL;
		entries += list->len / QM_SGE_MAX_BYTES + !!(list->len % QM_SGE_MAX_BYTES);
		if (entries > most || ++nodes > NODES_MAX)
			return -E2BIG;
	}
	return entries ? (int64_t)entries : 1;
}

/* Takes n lists as one chain; the index of the first, or NONE. */
static uint32_t take(struct wd_sglpool *pool, uint32_t n)
{
	uint32_t first, i, last = NONE;

	pthread_mutex_lock(&pool->lock);
	if (pool->sgl_num - pool->used < n) {
		pthread_mutex_unlock(&pool->lock);
		return NONE;
	}
	first = pool->first_free;
	for (i = first; n--; i = pool->info[i].next) {
		pool->info[i].state = i == first ? SGL_HEAD : SGL_CHAINED;
		pool->used++;
		last = i;
	}
	pool->first_free = pool->info[last].next;
	pool->info[last].next = NONE;
	pthread_mutex_unlock(&pool->lock);
	return first;
}

/* The position of the next entry while a chain is filled. */
struct cursor {
	struct wd_sglpool *pool;
	uint32_t index;
	uint16_t filled;	/* of this list */
	uint16_t total;		/* of the chain */
};

static void cursor_start(struct cursor *c, uint32_t index)
{
	struct qm_sgl *sgl = sgl_at(c->pool, index);

	memset(sgl, 0, sizeof(*sgl));
	sgl->entry_length_in_sgl = htole16((uint16_t)c->pool->sge_num);
	sgl->entry_sum_in_chain = htole16(c->total);
	c->index = index;
	c->filled = 0;
}

static void cursor_add(struct cursor *c, const void *data, uint32_t len)
{
	struct qm_sgl *sgl = sgl_at(c->pool, c->index);
	struct qm_sge *sge;

	if (c->filled == c->pool->sge_num) {
		uint32_t next = c->pool->info[c->index].next;

		sgl->next_dma = htole64((uintptr_t)sgl_at(c->pool, next));
		cursor_start(c, next);
		sgl = sgl_at(c->pool, next);
	}
	sge = (struct qm_sge *)(sgl + 1) + c->filled++;
	memset(sge, 0, sizeof(*sge));
	sge->buf = htole64((uintptr_t)data);
	sge->len = htole32(len);
	sgl->entry_sum_in_sgl = htole16(c->filled);
}

static void fill(struct cursor *c, const struct wd_datalist *list, int64_t entries)
{
	const struct wd_datalist *node;

	for (node = list; node && entries; node = node->next) {
		const unsigned char *data = node->data;
		uint64_t left = node->len;

		/* A node that grows meanwhile must not use more entries than were counted. */
		for (; left && entries; entries--) {
			uint32_t len = left < QM_SGE_MAX_BYTES ? (uint32_t)left : QM_SGE_MAX_BYTES;

			cursor_add(c, data, len);
			data += len;
			left -= len;
		}
	}
	if (!c->filled)
		cursor_add(c, list, 0);
}

void *wd_sglpool_get(struct wd_sglpool *pool, const struct wd_datalist *list, int *ret)
{
	struct cursor c = { .pool = pool };
	int64_t entries = count_entries(pool, list);
	uint32_t first;

	if (entries < 0) {
		*ret = (int)entries;
		return NULL;
	}
	first = take(pool, (uint32_t)((entries + pool->sge_num - 1) / pool->sge_num));
	if (first == NONE) {
		*ret = -EBUSY;
		return NULL;
	}
	c.total = (uint16_t)entries;
	cursor_start(&c, first);
	fill(&c, list, entries);
	return sgl_at(pool, first);
}

int wd_sglpool_put(struct wd_sglpool *pool, void *sgl)
{
	size_t offset = (size_t)((unsigned char *)sgl - pool->memory);
	uint32_t first = (uint32_t)(offset / pool->stride);
	uint32_t i, last = NONE;

	if (!sgl || offset >= pool->stride * pool->sgl_num || offset % pool->stride)
		return -EINVAL;
	pthread_mutex_lock(&pool->lock);
	if (pool->info[first].state != SGL_HEAD) {
		pthread_mutex_unlock(&pool->lock);
		return -EINVAL;
	}
	for (i = first; i != NONE; i = pool->info[i].next) {
		pool->info[i].state = SGL_FREE;
		pool->used--;
		last = i;
	}
	pool->info[last].next = pool->first_free;
	pool->first_free = first;
	pthread_mutex_unlock(&pool->lock);
	return 0;
}

__u32 wd_sglpool_used(struct wd_sglpool *pool)
{
	__u32 used;

	pthread_mutex_lock(&pool->lock);
	used = pool->used;
	pthread_mutex_unlock(&pool->lock);
	return used;
}

handle_t hisi_qm_create_sglpool(__u32 sgl_num, __u32 sge_num)
{
	struct wd_sglpool *pool = wd_sglpool_new(sgl_num, sge_num);

	if (!pool)
		return 0;
	if (!wd_handle_new(WD_KIND_SGLPOOL, &pool->obj)) {
		wd_sglpool_free(pool);
		return wd_no_handle(wd_fail(NULL, ENOMEM, "no memory for the SGL pool's handle"));
	}
	return pool->obj.handle;
}

static struct wd_sglpool *pool_lookup(handle_t h, int *ret)
{
	struct wd_sglpool *pool = wd_handle_get(h, WD_KIND_SGLPOOL);

	if (!pool)
		*ret = wd_handle_bad(h, "an SGL pool");
	else if (wd_stale(&pool->obj))
		*ret = wd_fail(&pool->obj, ESTALE, "the SGL pool belongs to the parent process");
	else
		return pool;
	return NULL;
}

int hisi_qm_destroy_sglpool(handle_t h_pool)
{
	struct wd_sglpool *pool = wd_handle_get(h_pool, WD_KIND_SGLPOOL);
	__u32 used;

	if (!pool)
		return wd_handle_bad(h_pool, "an SGL pool");
	/* The parent's lists in use are no reason to keep the child's memory. */
	used = wd_stale(&pool->obj) ? 0 : wd_sglpool_used(pool);
	if (used)
		return wd_fail_num(&pool->obj, EBUSY, "%u lists of the SGL pool are still in use", used, 0);
	wd_handle_free(h_pool);
	wd_sglpool_free(pool);
	return 0;
}

void *hisi_qm_get_hw_sgl(handle_t h_pool, const struct wd_datalist *list)
{
	struct wd_sglpool *pool;
	int ret = 0;
	void *sgl;

	pool = pool_lookup(h_pool, &ret);
	if (!pool)
		return wd_null(ret);
	if (!list)
		return wd_null(wd_fail(&pool->obj, EINVAL, "hisi_qm_get_hw_sgl: list is NULL"));
	sgl = wd_sglpool_get(pool, list, &ret);
	switch (ret) {
	case 0:
		return sgl;
	case -EINVAL:
		return wd_null(wd_fail(&pool->obj, EINVAL, "hisi_qm_get_hw_sgl: a piece has a length, but no data"));
	case -E2BIG:
		return wd_null(wd_fail_num(&pool->obj, E2BIG, "the list never fits %u hardware lists of %u entries",
					   pool->sgl_num, pool->sge_num));
	default:
		return wd_null(wd_fail_num(&pool->obj, EBUSY, "too few of the pool's %u hardware lists are free",
					   pool->sgl_num, 0));
	}
}

int hisi_qm_put_hw_sgl(handle_t h_pool, void *sgl)
{
	struct wd_sglpool *pool;
	int ret = 0;

	pool = pool_lookup(h_pool, &ret);
	if (!pool)
		return ret;
	ret = wd_sglpool_put(pool, sgl);
	if (ret)
		wd_fail_num(&pool->obj, EINVAL, "%x is not a list in use of this pool", (uintptr_t)sgl, 0);
	return ret;
}
