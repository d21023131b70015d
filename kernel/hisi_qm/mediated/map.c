// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Requests for the device: mappings, lists, contiguous buffers, and the descriptor that names them. Nothing here
 * touches a process' address space: pinned pages are reached by the kernel's own addresses.
 */
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include "mediated.h"

/* Nothing is synchronised: devices are coherent, and two requests may have the same destination. */
#define MED_ATTRS	DMA_ATTR_SKIP_CPU_SYNC
/* A stop waits for what runs here. So memory that isn't there isn't waited for: no process is killed to make room. */
#define MED_GFP		(GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

/* ------ pages ------ */

static int med_map_single(struct med_run *run, const struct tr_access *a, struct med_access *m,
			  const struct med_piece *piece)
{
	m->dma = dma_map_page_attrs(run->dev, piece->page, piece->offset, piece->len, med_direction(a), MED_ATTRS);
	if (dma_mapping_error(run->dev, m->dma))
		return -ENOMEM;
	m->use = MED_SINGLE;
	return 0;
}

static int med_map_many(struct med_run *run, const struct tr_access *a, struct med_access *m,
			const struct med_piece *piece)
{
	struct scatterlist *sg;
	unsigned int i;
	int err;

	err = sg_alloc_table(&m->table, m->nr, MED_GFP);
	if (err)
		return err;
	for_each_sgtable_sg(&m->table, sg, i)
		sg_set_page(sg, piece[i].page, piece[i].len, piece[i].offset);
	err = dma_map_sgtable(run->dev, &m->table, med_direction(a), MED_ATTRS);
	if (err)
		sg_free_table(&m->table);
	else
		m->use = MED_MANY;
	return err;
}

static void med_unmap_pages(struct med_run *run, const struct tr_access *a, const struct med_request *r,
			    struct med_access *m)
{
	if (m->use == MED_SINGLE) {
		dma_unmap_page_attrs(run->dev, m->dma, r->piece[m->first].len, med_direction(a), MED_ATTRS);
	} else if (m->use == MED_MANY) {
		dma_unmap_sgtable(run->dev, &m->table, med_direction(a), MED_ATTRS);
		sg_free_table(&m->table);
	} else {
		return;
	}
	m->use = MED_NOTHING;
}

/* ------ contiguous buffers ------ */

/* A destination has to begin with a part of the source, which is the request's first access. */
static void med_fill(const struct med_request *r, const struct tr_access *a, void *copy)
{
	const struct med_access *src = &r->access[0];

	if (!a->fill)
		return;
	if (med_copy_of(src))
		memcpy(copy, src->copy, a->fill);
	else
		med_copy(r, src, copy, a->fill, true);
}

/*
 * The largest buffer so far stays with the run, so that a stream doesn't look for contiguous pages with each request.
 * An unused one is zero.
 */
static void *med_buffer_take(struct med_run *run, u32 *bytes)
{
	void *buffer = NULL;

	spin_lock(&run->lock);
	if (run->spare_bytes >= *bytes) {
		swap(buffer, run->spare);
		*bytes = run->spare_bytes;
		run->spare_bytes = 0;
	}
	spin_unlock(&run->lock);
	return buffer ?: alloc_pages_exact(*bytes, MED_GFP | __GFP_ZERO);
}

static void med_buffer_give(struct med_run *run, void *buffer, u32 bytes)
{
	spin_lock(&run->lock);
	if (run->spare_bytes < bytes) {
		swap(buffer, run->spare);
		swap(bytes, run->spare_bytes);
	}
	spin_unlock(&run->lock);
	if (buffer)
		free_pages_exact(buffer, bytes);
}

static int med_buffer_alloc(struct med_run *run, const struct tr_access *a, const struct med_request *r,
			    struct med_access *m)
{
	u32 bytes = PAGE_ALIGN(m->bytes);
	void *buffer;

	if (m->bytes > MED_FLAT_MAX)
		return -EFAULT;
	buffer = med_buffer_take(run, &bytes);
	if (!buffer)
		return -ENOMEM;
	m->dma = dma_map_single_attrs(run->dev, buffer, m->bytes, med_direction(a), MED_ATTRS);
	if (dma_mapping_error(run->dev, m->dma)) {
		med_buffer_give(run, buffer, bytes);
		return -ENOMEM;
	}
	if (a->dir & HW_READ)
		med_copy(r, m, buffer, m->bytes, true);
	else
		med_fill(r, a, buffer);
	m->use = MED_BUFFER;
	m->copy = buffer;
	m->buffer = bytes;
	return 0;
}

static void med_buffer_free(struct med_run *run, const struct tr_access *a, struct med_access *m)
{
	if (m->use != MED_BUFFER)
		return;
	dma_unmap_single_attrs(run->dev, m->dma, m->bytes, med_direction(a), MED_ATTRS);
	memzero_explicit(m->copy, m->bytes);
	med_buffer_give(run, m->copy, m->buffer);
	m->use = MED_NOTHING;
}

/* ------ accesses ------ */

static bool med_is_range(const struct tr_access *a, const struct med_access *m)
{
	return m->bytes == a->len && (m->use != MED_MANY || m->table.nents == 1);
}

static dma_addr_t med_range(struct med_run *run, const struct med_request *r, const struct med_access *m)
{
	if (m->use == MED_MANY)
		return sg_dma_address(m->table.sgl);
	return m->use == MED_SLOT ? med_slot_dma(run, r) + (m->copy - med_slot(run, r)) : m->dma;
}

static int med_map_access(struct med_run *run, struct med_request *r, u32 i)
{
	const struct tr_access *a = &r->tr.access[i];
	struct med_access *m = &r->access[i];
	int err;

	if (a->form == HW_SMALL)
		return 0;
	if (m->use == MED_SLOT) {
		if (!(a->dir & HW_READ))
			med_fill(r, a, m->copy);
		return 0;
	}
	err = m->nr == 1 ? med_map_single(run, a, m, &r->piece[m->first]) :
			   med_map_many(run, a, m, &r->piece[m->first]);
	if (err || a->form != HW_FLAT || med_is_range(a, m))
		return err;
	med_unmap_pages(run, a, r, m);
	return med_buffer_alloc(run, a, r, m);
}

/* ------ lists ------ */

static struct med_table *med_table_new(struct med_run *run, struct med_request *r)
{
	struct med_table *table = kmalloc(sizeof(*table), MED_GFP);

	if (!table)
		return NULL;
	table->va = (void *)__get_free_page(MED_GFP);
	if (!table->va)
		goto err_free_table;
	table->dma = dma_map_single(run->dev, table->va, PAGE_SIZE, DMA_TO_DEVICE);
	if (dma_mapping_error(run->dev, table->dma))
		goto err_free_page;
	table->next = r->tables;
	r->tables = table;
	return table;

err_free_page:
	free_page((unsigned long)table->va);
err_free_table:
	kfree(table);
	return NULL;
}

static void med_tables_free(struct med_run *run, struct med_request *r)
{
	struct med_table *table;

	while ((table = r->tables)) {
		r->tables = table->next;
		dma_unmap_single(run->dev, table->dma, PAGE_SIZE, DMA_TO_DEVICE);
		free_page((unsigned long)table->va);
		kfree(table);
	}
}

static int med_list_range(struct med_run *run, struct med_request *r, struct tr_list *list, u64 dma, u64 bytes)
{
	struct med_table *table;
	u32 n;

	for (; bytes; bytes -= n, dma += n) {
		n = tr_list_add(list, dma, min_t(u64, bytes, U32_MAX));
		if (n)
			continue;
		table = med_table_new(run, r);
		if (!table)
			return -ENOMEM;
		tr_list_chain(list, table->va, table->dma);
	}
	return 0;
}

static int med_list_make(struct med_run *run, struct med_request *r, const struct med_access *m,
			 struct tr_target *target)
{
	struct med_table *table = med_table_new(run, r);
	struct scatterlist *sg;
	struct tr_list list;
	unsigned int i;
	int err = 0;

	if (!table)
		return -ENOMEM;
	target->dma = table->dma;
	target->list = true;
	tr_list_begin(&list, table->va, TR_CAPACITY(PAGE_SIZE));
	if (m->use != MED_MANY) {
		err = med_list_range(run, r, &list, med_range(run, r, m), m->bytes);
	} else {
		for_each_sgtable_dma_sg(&m->table, sg, i) {
			err = med_list_range(run, r, &list, sg_dma_address(sg), sg_dma_len(sg));
			if (err)
				break;
		}
	}
	if (!err)
		tr_list_end(&list);
	return err;
}

/* Tables are written after they are mapped: devices are coherent. */
static int med_target(struct med_run *run, struct med_request *r, u32 i, bool list, struct tr_target *target)
{
	const struct tr_access *a = &r->tr.access[i];
	const struct med_access *m = &r->access[i];

	if (a->form == HW_SMALL)
		return 0;
	target->bytes = m->bytes;
	if (a->form == HW_FREE && (list || !med_is_range(a, m)))
		return med_list_make(run, r, m, target);
	target->dma = med_range(run, r, m);
	return 0;
}

/* ZIP has one kind of buffer for both sides. */
static bool med_wants_lists(const struct med_request *r)
{
	u32 i;

	for (i = 0; r->tr.q.engine == TR_ZIP && i < r->tr.nr; i++)
		if (r->tr.access[i].form == HW_FREE && !med_is_range(&r->tr.access[i], &r->access[i]))
			return true;
	return false;
}

static int med_map_all(struct med_run *run, struct med_request *r)
{
	struct tr_target target[TR_ACCESSES_MAX] = {};
	bool list;
	int err = 0;
	u32 i;

	for (i = 0; i < r->tr.nr && !err; i++)
		err = med_map_access(run, r, i);
	list = !err && med_wants_lists(r);
	for (i = 0; i < r->tr.nr && !err; i++)
		err = med_target(run, r, i, list, &target[i]);
	return err ?: tr_write(&r->tr, med_slot_dma(run, r), target, run->zeroes, r->sqe);
}

/**
 * med_map - make a request's memory reachable for the device, and write the descriptor for it
 * @run: its run, which isn't over
 * @r: the request, whose memory is pinned
 *
 * 0, the status with which the kernel completes it, or -EAGAIN: there is no memory until others complete.
 */
int med_map(struct med_run *run, struct med_request *r)
{
	int err = med_map_all(run, r);

	if (err == -ENOMEM && !med_is_oldest(run, r))
		return -EAGAIN;
	return err ? tr_status(&r->tr.q, TR_WHY_ADDRESS) : 0;
}

/**
 * med_unmap - undo med_map(), as far as it got
 * @run: its run, which isn't over
 * @r: the request; the device has let go of it
 */
void med_unmap(struct med_run *run, struct med_request *r)
{
	const struct tr_access *a;
	u32 i;

	for (i = 0; i < r->tr.nr; i++) {
		a = &r->tr.access[i];
		med_unmap_pages(run, a, r, &r->access[i]);
		med_buffer_free(run, a, &r->access[i]);
	}
	med_tables_free(run, r);
}
