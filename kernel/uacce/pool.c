// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory for the contexts that sections reserve.
 *
 * A queue needs many contiguous pages. A host that has run for long may have none left, and a
 * control group may be at its limit, but a reserved context must open all the same. So each
 * device keeps as many zeroed blocks as contexts are reserved on it, less those in use by
 * contexts of slots. A mediated queue needs blocks of several sizes: there is a pool for each.
 *
 * Blocks are allocated without any lock: finding contiguous pages may take long. The pool's own
 * lock is a leaf and spins.
 */
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include "internal.h"

#define for_each_pool(pool, device)								\
	for ((pool) = (device)->pools; (pool) < (device)->pools + ARRAY_SIZE((device)->pools); (pool)++)	\
		if ((pool)->each)

/* An unused block begins with its list node and is zero beyond. */
struct uacce_block {
	struct list_head node;
};

void *uacce_pages_alloc(struct device *dev, size_t size, gfp_t gfp)
{
	int node = dev_to_node(dev);
	unsigned int order = get_order(size);
	struct page *page;
	unsigned long i;

	if (node != NUMA_NO_NODE && !node_online(node))
		node = NUMA_NO_NODE;
	/* A large order: worth some reclaim, but not the OOM killer. */
	page = alloc_pages_node(node, gfp | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL, order);
	if (!page)
		return NULL;
	split_page(page, order);
	for (i = size >> PAGE_SHIFT; i < 1ul << order; i++)
		__free_page(page + i);
	return page_address(page);
}

static bool pool_lacks(const struct uacce_pool *pool, u32 want)
{
	lockdep_assert_held(&pool->lock);
	return !pool->closed && pool->kept + pool->out < want;
}

static void pool_keep(struct uacce_pool *pool, void *va)
{
	struct uacce_block *block = va;

	lockdep_assert_held(&pool->lock);
	list_add(&block->node, &pool->blocks);
	pool->kept++;
}

static void *pool_first(struct uacce_pool *pool)
{
	struct uacce_block *block;

	lockdep_assert_held(&pool->lock);
	block = list_first_entry_or_null(&pool->blocks, struct uacce_block, node);
	if (!block)
		return NULL;
	list_del(&block->node);
	pool->kept--;
	memset(block, 0, sizeof(*block));
	return block;
}

static void pool_trim(struct uacce_pool *pool)
{
	void *va;

	do {
		va = NULL;
		spin_lock(&pool->lock);
		if (pool->kept + pool->out > pool->want)
			va = pool_first(pool);
		spin_unlock(&pool->lock);
		if (va)
			free_pages_exact(va, pool->size);
	} while (va);
}

static bool pool_is_short(struct uacce_pool *pool, u32 want)
{
	bool lacks;

	spin_lock(&pool->lock);
	lacks = pool_lacks(pool, want);
	spin_unlock(&pool->lock);
	return lacks;
}

bool uacce_pool_lacks(struct uacce_device *uacce, u32 want)
{
	struct uacce_pool *pool;

	for_each_pool(pool, uacce)
		if (pool_is_short(pool, want * pool->each))
			return true;
	return false;
}

static int pool_fill(struct uacce_pool *pool, u32 want)
{
	void *va;

	while (pool_is_short(pool, want)) {
		if (fatal_signal_pending(current))
			return -EINTR;
		va = uacce_pages_alloc(pool->uacce->parent, pool->size, GFP_KERNEL);
		if (!va)
			return -ENOMEM;
		spin_lock(&pool->lock);
		pool_keep(pool, va);
		spin_unlock(&pool->lock);
	}
	return 0;
}

/*
 * Allocates blocks until the pools have enough for @want contexts. Blocks beyond pool->want stay
 * until uacce_pool_set(). On -ENOMEM or -EINTR, some blocks were added.
 */
int uacce_pool_fill(struct uacce_device *uacce, u32 want)
{
	struct uacce_pool *pool;
	int ret = 0;

	for_each_pool(pool, uacce)
		if (!ret)
			ret = pool_fill(pool, want * pool->each);
	return ret;
}

/* For a new device, or a mapping that outlives its queue: nobody waits for these blocks. */
static void pool_refill(struct work_struct *work)
{
	struct uacce_pool *pool = container_of(work, struct uacce_pool, refill);

	/* If memory is short now, the open of a slot's context allocates its own block. */
	pool_fill(pool, READ_ONCE(pool->want));
	pool_trim(pool);
}

static void pool_order(struct uacce_pool *pool)
{
	if (pool_lacks(pool, pool->want))
		queue_work(system_unbound_wq, &pool->refill);
}

/* @want contexts are reserved from now on. */
void uacce_pool_set(struct uacce_device *uacce, u32 want)
{
	struct uacce_pool *pool;

	for_each_pool(pool, uacce) {
		spin_lock(&pool->lock);
		WRITE_ONCE(pool->want, want * pool->each);
		pool_order(pool);
		spin_unlock(&pool->lock);
		pool_trim(pool);
	}
}

static void *pool_take(struct uacce_pool *pool)
{
	void *va;

	spin_lock(&pool->lock);
	va = pool_first(pool);
	if (va)
		pool->out++;
	spin_unlock(&pool->lock);
	return va;
}

/* Takes a zeroed block of that size for a context of a slot. NULL: there is none. */
struct uacce_pool *uacce_pool_take(struct uacce_device *uacce, size_t size, void **va)
{
	struct uacce_pool *pool;

	for_each_pool(pool, uacce) {
		*va = pool->size == size ? pool_take(pool) : NULL;
		if (*va)
			return pool;
	}
	return NULL;
}

/* Returns a block that uacce_pool_take() gave out: @va, or NULL when a process still has it. */
void uacce_pool_give(struct uacce_pool *pool, void *va)
{
	if (va)
		memset(va, 0, pool->size);
	spin_lock(&pool->lock);
	pool->out--;
	if (va && pool_lacks(pool, pool->want)) {
		pool_keep(pool, va);
		va = NULL;
	}
	pool_order(pool);
	spin_unlock(&pool->lock);
	if (va)
		free_pages_exact(va, pool->size);
}

void uacce_pool_init(struct uacce_device *uacce, const struct uacce_rings *rings)
{
	struct uacce_pool *pool;
	unsigned int i;

	uacce->pools[0].size = uacce->dus_size;
	uacce->pools[0].each = uacce->dus_size ? 1 : 0;
	for (i = 0; i < UACCE_RINGS_MAX && uacce_mediated(uacce); i++) {
		uacce->pools[i + 1].size = rings[i].size;
		uacce->pools[i + 1].each = rings[i].count;
	}
	for_each_pool(pool, uacce) {
		pool->uacce = uacce;
		spin_lock_init(&pool->lock);
		INIT_LIST_HEAD(&pool->blocks);
		INIT_WORK(&pool->refill, pool_refill);
	}
}

/* Nothing is reserved any more; queues that failed to stop still have their blocks. */
void uacce_pool_exit(struct uacce_device *uacce)
{
	struct uacce_pool *pool;

	for_each_pool(pool, uacce) {
		spin_lock(&pool->lock);
		pool->closed = true;
		pool->want = 0;
		spin_unlock(&pool->lock);
		cancel_work_sync(&pool->refill);
		pool_trim(pool);
	}
}
