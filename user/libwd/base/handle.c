// SPDX-License-Identifier: Apache-2.0
/*
 * The handle table: its address range is reserved as a whole, and backed by memory on
 * first use.
 *
 * Changes of the free list and the set-up of the table exclude each other and fork().
 * Checks take no lock: a handle's entry is written before any thread can hold the handle.
 */
#include <errno.h>
#include <sys/mman.h>
#include "base/fork.h"
#include "base/handle.h"

#define ENTRIES		(1u << WD_HANDLE_INDEX_BITS)
#define GEN_MASK	((1ull << WD_HANDLE_GEN_BITS) - 1)

/* The second word of a free entry: generation above, next free index below; index 0 is never used and ends the list. */
#define SPARE(gen, next)	(((gen) & GEN_MASK) << WD_HANDLE_INDEX_BITS | (next))
#define SPARE_GEN(spare)	((spare) >> WD_HANDLE_INDEX_BITS)
#define SPARE_NEXT(spare)	((uint32_t)(spare) & WD_HANDLE_INDEX_MASK)

_Atomic(struct wd_handle_entry *) wd_handle_table;

static uint32_t first_free;	/* head of the list of entries that were used before */
static uint32_t never_used = 1;	/* the lowest index that was never used */

static struct wd_handle_entry *table_get(void)
{
	struct wd_handle_entry *table = atomic_load_explicit(&wd_handle_table, memory_order_relaxed);

	if (table)
		return table;
	table = mmap(NULL, ENTRIES * sizeof(*table), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (table == MAP_FAILED)
		return NULL;
	atomic_store_explicit(&wd_handle_table, table, memory_order_release);
	return table;
}

handle_t wd_handle_new(enum wd_kind kind, struct wd_object *obj)
{
	struct wd_handle_entry *table, *entry;
	uint64_t gen = 1;
	uint32_t index;

	obj->fork_gen = wd_fork_now();
	wd_fork_block();
	table = table_get();
	if (!table || (!first_free && never_used == ENTRIES)) {
		wd_fork_unblock();
		errno = ENOMEM;
		return 0;
	}
	index = first_free;
	if (index) {
		uint64_t spare = atomic_load_explicit(&table[index].spare, memory_order_relaxed);

		first_free = SPARE_NEXT(spare);
		gen = SPARE_GEN(spare);
	} else {
		index = never_used++;
	}
	wd_fork_unblock();

	entry = &table[index];
	obj->handle = (handle_t)kind << WD_HANDLE_KIND_SHIFT | gen << WD_HANDLE_INDEX_BITS | index;
	atomic_store_explicit(&entry->obj, obj, memory_order_relaxed);
	atomic_store_explicit(&entry->tag, obj->handle, memory_order_release);
	return obj->handle;
}

void wd_handle_free(handle_t h)
{
	struct wd_handle_entry *table = atomic_load_explicit(&wd_handle_table, memory_order_acquire);
	uint32_t index = h & WD_HANDLE_INDEX_MASK;
	uint64_t gen = h >> WD_HANDLE_INDEX_BITS & GEN_MASK;

	atomic_store_explicit(&table[index].tag, 0, memory_order_relaxed);
	wd_fork_block();
	atomic_store_explicit(&table[index].spare, SPARE(gen + 1, first_free), memory_order_relaxed);
	first_free = index;
	wd_fork_unblock();
}
