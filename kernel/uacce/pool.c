// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory of the contexts that sections reserve.
 *
 * A queue needs many contiguous pages. A host that has run for long may have
 * none, and a control group at its limit may not take them; a reserved context
 * opens all the same. So each device keeps as many wiped blocks as are
 * reserved on it, less those that contexts of slots have.
 *
 * Blocks are made without any lock: finding contiguous pages may take long.
 * The pool's own lock is a leaf and spins.
 */
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include "internal.h"

/* A block that nobody has begins with its place in the pool, and is zero beyond. */
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
	/* Large: worth some reclaim, not somebody's life. */
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

static void pool_trim(struct uacce_device *uacce)
{
	struct uacce_pool *pool = &uacce->pool;
	void *va;

	do {
		va = NULL;
		spin_lock(&pool->lock);
		if (pool->kept + pool->out > pool->want)
			va = pool_first(pool);
		spin_unlock(&pool->lock);
		if (va)
			free_pages_exact(va, uacce->dus_size);
	} while (va);
}

bool uacce_pool_lacks(struct uacce_device *uacce, u32 want)
{
	bool lacks;

	spin_lock(&uacce->pool.lock);
	lacks = pool_lacks(&uacce->pool, want);
	spin_unlock(&uacce->pool.lock);
	return uacce->dus_size && lacks;
}

/*
 * Makes blocks until the pool would do for @want contexts. What is beyond the
 * number set waits for uacce_pool_set(). -ENOMEM, -EINTR: some were made.
 */
int uacce_pool_fill(struct uacce_device *uacce, u32 want)
{
	struct uacce_pool *pool = &uacce->pool;
	void *va;

	while (uacce_pool_lacks(uacce, want)) {
		if (fatal_signal_pending(current))
			return -EINTR;
		va = uacce_pages_alloc(uacce->parent, uacce->dus_size, GFP_KERNEL);
		if (!va)
			return -ENOMEM;
		spin_lock(&pool->lock);
		pool_keep(pool, va);
		spin_unlock(&pool->lock);
	}
	return 0;
}

/* A device's arrival, a mapping that outlives its queue: nobody waits for these blocks. */
static void pool_refill(struct work_struct *work)
{
	struct uacce_pool *pool = container_of(work, struct uacce_pool, refill);
	struct uacce_device *uacce = container_of(pool, struct uacce_device, pool);

	/* Without memory now, an open of a slot tries by itself. */
	uacce_pool_fill(uacce, READ_ONCE(pool->want));
	pool_trim(uacce);
}

static void pool_order(struct uacce_pool *pool)
{
	if (pool_lacks(pool, pool->want))
		queue_work(system_unbound_wq, &pool->refill);
}

/* So many contexts are reserved now. */
void uacce_pool_set(struct uacce_device *uacce, u32 want)
{
	struct uacce_pool *pool = &uacce->pool;

	if (!uacce->dus_size)
		return;
	spin_lock(&pool->lock);
	WRITE_ONCE(pool->want, want);
	pool_order(pool);
	spin_unlock(&pool->lock);
	pool_trim(uacce);
}

/* A zeroed block for a context of a slot, or NULL. */
void *uacce_pool_take(struct uacce_device *uacce)
{
	struct uacce_pool *pool = &uacce->pool;
	void *va;

	spin_lock(&pool->lock);
	va = pool_first(pool);
	if (va)
		pool->out++;
	spin_unlock(&pool->lock);
	return va;
}

/* The end of what uacce_pool_take() gave: @va, or NULL when somebody still has it mapped. */
void uacce_pool_give(struct uacce_device *uacce, void *va)
{
	struct uacce_pool *pool = &uacce->pool;

	if (va)
		memset(va, 0, uacce->dus_size);
	spin_lock(&pool->lock);
	pool->out--;
	if (va && pool_lacks(pool, pool->want)) {
		pool_keep(pool, va);
		va = NULL;
	}
	pool_order(pool);
	spin_unlock(&pool->lock);
	if (va)
		free_pages_exact(va, uacce->dus_size);
}

void uacce_pool_init(struct uacce_device *uacce)
{
	spin_lock_init(&uacce->pool.lock);
	INIT_LIST_HEAD(&uacce->pool.blocks);
	INIT_WORK(&uacce->pool.refill, pool_refill);
}

/* Nothing is reserved on it any more; queues that never stopped still have theirs. */
void uacce_pool_exit(struct uacce_device *uacce)
{
	struct uacce_pool *pool = &uacce->pool;

	spin_lock(&pool->lock);
	pool->closed = true;
	pool->want = 0;
	spin_unlock(&pool->lock);
	cancel_work_sync(&pool->refill);
	pool_trim(uacce);
}
