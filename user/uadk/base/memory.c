// SPDX-License-Identifier: Apache-2.0
/* Pools of blocks. Devices take any memory, so these are malloc()'s, with the limits that programs set. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "uadk/wd.h"

#define UNIT		4096u		/* of a mempool */

struct mempool {
	pthread_mutex_t lock;
	size_t units;
	size_t used;
};

struct blockpool {
	pthread_mutex_t lock;
	struct mempool *mempool;
	size_t size;
	size_t nr;
	size_t free_nr;
	size_t units;			/* of the mempool */
	char *memory;
	void **free_blocks;		/* a stack of free_nr */
};

static size_t percent(size_t part, size_t whole)
{
	return whole ? part * 100 / whole : 0;
}

handle_t wd_mempool_create(size_t size, int node)
{
	struct mempool *m;

	if (!size || node < NUMA_NO_NODE) {
		errno = WD_EINVAL;
		return 0;
	}
	m = calloc(1, sizeof(*m));
	if (!m)
		return 0;
	pthread_mutex_init(&m->lock, NULL);
	m->units = (size - 1) / UNIT + 1;
	return (handle_t)m;
}

void wd_mempool_destroy(handle_t mempool)
{
	struct mempool *m = (struct mempool *)mempool;

	if (!m)
		return;
	pthread_mutex_destroy(&m->lock);
	free(m);
}

void wd_mempool_stats(handle_t mempool, struct wd_mempool_stats *stats)
{
	struct mempool *m = (struct mempool *)mempool;

	if (!m || !stats)
		return;
	pthread_mutex_lock(&m->lock);
	*stats = (struct wd_mempool_stats){
		.page_type = WD_NORMAL_PAGE,
		.page_size = (unsigned long)sysconf(_SC_PAGESIZE),
		.blk_size = UNIT,
		.blk_num = m->units,
		.free_blk_num = m->units - m->used,
		.blk_usage_rate = percent(m->used, m->units),
	};
	pthread_mutex_unlock(&m->lock);
	stats->page_num = (stats->blk_num * UNIT + stats->page_size - 1) / stats->page_size;
}

/* Return: false if the mempool has not that many. */
static bool mempool_take(struct mempool *m, size_t units)
{
	bool enough;

	pthread_mutex_lock(&m->lock);
	enough = units <= m->units - m->used;
	if (enough)
		m->used += units;
	pthread_mutex_unlock(&m->lock);
	return enough;
}

static void mempool_give(struct mempool *m, size_t units)
{
	pthread_mutex_lock(&m->lock);
	m->used -= units;
	pthread_mutex_unlock(&m->lock);
}

handle_t wd_blockpool_create(handle_t mempool, size_t block_size, size_t block_num)
{
	struct mempool *m = (struct mempool *)mempool;
	struct blockpool *b;
	size_t bytes;

	if (!m || !block_size || !block_num || __builtin_mul_overflow(block_size, block_num, &bytes)) {
		errno = WD_EINVAL;
		return 0;
	}
	b = calloc(1, sizeof(*b));
	if (!b)
		return 0;
	b->units = (bytes - 1) / UNIT + 1;
	if (!mempool_take(m, b->units)) {
		free(b);
		errno = WD_ENOMEM;
		return 0;
	}
	b->memory = malloc(bytes);
	b->free_blocks = calloc(block_num, sizeof(*b->free_blocks));
	if (!b->memory || !b->free_blocks) {
		mempool_give(m, b->units);
		free(b->memory);
		free(b->free_blocks);
		free(b);
		errno = WD_ENOMEM;
		return 0;
	}
	pthread_mutex_init(&b->lock, NULL);
	b->mempool = m;
	b->size = block_size;
	b->nr = block_num;
	for (size_t i = block_num; i-- > 0;)
		b->free_blocks[b->free_nr++] = b->memory + i * block_size;
	return (handle_t)b;
}

void wd_blockpool_destroy(handle_t blkpool)
{
	struct blockpool *b = (struct blockpool *)blkpool;

	if (!b)
		return;
	mempool_give(b->mempool, b->units);
	pthread_mutex_destroy(&b->lock);
	free(b->memory);
	free(b->free_blocks);
	free(b);
}

void wd_blockpool_stats(handle_t blkpool, struct wd_blockpool_stats *stats)
{
	struct blockpool *b = (struct blockpool *)blkpool;

	if (!b || !stats)
		return;
	pthread_mutex_lock(&b->lock);
	*stats = (struct wd_blockpool_stats){
		.block_size = b->size,
		.block_num = b->nr,
		.free_block_num = b->free_nr,
		.block_usage_rate = percent(b->nr - b->free_nr, b->nr),
		.mem_waste_rate = percent(b->units * UNIT - b->nr * b->size, b->units * UNIT),
	};
	pthread_mutex_unlock(&b->lock);
}

void *wd_block_alloc(handle_t blkpool)
{
	struct blockpool *b = (struct blockpool *)blkpool;
	void *block = NULL;

	if (!b) {
		errno = WD_EINVAL;
		return NULL;
	}
	pthread_mutex_lock(&b->lock);
	if (b->free_nr)
		block = b->free_blocks[--b->free_nr];
	pthread_mutex_unlock(&b->lock);
	if (!block)
		errno = WD_ENOMEM;
	return block;
}

void wd_block_free(handle_t blkpool, void *addr)
{
	struct blockpool *b = (struct blockpool *)blkpool;

	if (!b || !addr)
		return;
	pthread_mutex_lock(&b->lock);
	/* Addresses of other pools are ignored, as is a block too many. */
	if ((char *)addr >= b->memory && (size_t)((char *)addr - b->memory) / b->size < b->nr && b->free_nr < b->nr)
		b->free_blocks[b->free_nr++] = addr;
	pthread_mutex_unlock(&b->lock);
}
