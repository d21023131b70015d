// SPDX-License-Identifier: GPL-2.0-or-later
/* Devices without shared virtual addressing: the memory that drivers have mapped for a function, and nothing else. */
/*
 * Lock			protects	taken under
 * fn->memory.lock	map		anything; interrupts are off
 * maps->lock		left, fate	anything; interrupts are off
 */
#include <linux/log2.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "internal.h"
#include "model/model.h"

/* One of the ranges of a mapping, as far as its memory is consecutive. */
struct piece {
	struct wdm_piece piece;
	struct piece *next;	/* of the same mapping */
	bool first;
};

void sim_mapped_init(struct sim_dev *sdev)
{
	unsigned int i;

	raw_spin_lock_init(&sdev->maps.lock);
	for (i = 0; i < sdev->nr_fns; i++) {
		raw_spin_lock_init(&sdev->fns[i].memory.lock);
		wdm_map_init(&sdev->fns[i].memory.map, get_random_u64());
	}
}

/* The @nth mapping from now on gets this fate. 0: none. */
void sim_mapped_doom(struct sim_dev *sdev, u32 nth, enum sim_fate fate)
{
	struct sim_maps *maps = &sdev->maps;
	unsigned long flags;

	raw_spin_lock_irqsave(&maps->lock, flags);
	maps->left = nth;
	maps->fate = nth ? fate : SIM_MAP_WORKS;
	raw_spin_unlock_irqrestore(&maps->lock, flags);
}

enum sim_fate sim_mapped_doomed(struct sim_dev *sdev, u32 *nth)
{
	struct sim_maps *maps = &sdev->maps;
	enum sim_fate fate;
	unsigned long flags;

	raw_spin_lock_irqsave(&maps->lock, flags);
	*nth = maps->left;
	fate = maps->fate;
	raw_spin_unlock_irqrestore(&maps->lock, flags);
	return fate;
}

static enum sim_fate next_fate(struct sim_maps *maps)
{
	enum sim_fate fate = SIM_MAP_WORKS;
	unsigned long flags;

	raw_spin_lock_irqsave(&maps->lock, flags);
	if (maps->left && !--maps->left)
		swap(fate, maps->fate);
	raw_spin_unlock_irqrestore(&maps->lock, flags);
	return fate;
}

/* ------ mappings ------ */

static void pieces_free(struct piece *first)
{
	struct piece *p;

	while ((p = first)) {
		first = p->next;
		kfree(p);
	}
}

static u32 rights_of(enum dma_data_direction dir)
{
	return (dir != DMA_FROM_DEVICE ? WDM_MAY_READ : 0) | (dir != DMA_TO_DEVICE ? WDM_MAY_WRITE : 0);
}

/* Drivers map memory of the kernel only, no registers. Nothing is behind the address of an empty entry. */
static struct piece *piece_new(struct scatterlist *sg, u32 rights)
{
	struct piece *p = kzalloc(sizeof(*p), GFP_ATOMIC);

	if (!p || !pfn_to_online_page(page_to_pfn(sg_page(sg)))) {
		kfree(p);
		return NULL;
	}
	p->piece.mem = sg_virt(sg);
	p->piece.len = sg->length ?: 1;
	p->piece.rights = sg->length ? rights : 0;
	return p;
}

static struct piece *pieces_new(struct scatterlist *sgl, int nents, u32 rights)
{
	struct piece *first = NULL, **next = &first;
	struct scatterlist *sg;
	int i;

	for_each_sg(sgl, sg, nents, i) {
		*next = piece_new(sg, rights);
		if (!*next) {
			pieces_free(first);
			return NULL;
		}
		next = &(*next)->next;
	}
	if (first)
		first->first = true;
	return first;
}

static u64 address_get(struct sim_memory *memory, u64 len, size_t align)
{
	unsigned long flags;
	u64 at;

	raw_spin_lock_irqsave(&memory->lock, flags);
	at = wdm_map_place(&memory->map, len, align);
	raw_spin_unlock_irqrestore(&memory->lock, flags);
	return at;
}

/* The pages that it needs: an IOMMU translates whole ones. */
static u64 piece_span(const struct piece *p)
{
	return PAGE_ALIGN(offset_in_page(p->piece.mem) + p->piece.len);
}

/* With an IOMMU all pieces are in consecutive pages; else each is somewhere. */
static int pieces_place(struct sim_fn *fn, struct piece *first, size_t align)
{
	u64 at = 0, all = 0;
	struct piece *p;

	for (p = first; p; p = p->next)
		all += piece_span(p);
	for (p = first; p; p = p->next) {
		if (p->first || !fn->sdev->shape.iommu)
			at = address_get(&fn->memory, fn->sdev->shape.iommu ? all : piece_span(p), align);
		if (!at)
			return -ENOMEM;
		p->piece.start = at + offset_in_page(p->piece.mem);
		at += piece_span(p);
	}
	return 0;
}

/* No driver uses an address before it has been told, so the lock needn't be held for all pieces. */
static void pieces_add(struct sim_memory *memory, struct piece *p)
{
	unsigned long flags;

	for (; p; p = p->next) {
		raw_spin_lock_irqsave(&memory->lock, flags);
		wdm_map_add(&memory->map, &p->piece);
		raw_spin_unlock_irqrestore(&memory->lock, flags);
	}
}

/* May the piece become a part of the segment before it? */
static bool piece_joins(struct device *dev, const struct scatterlist *segment, const struct piece *p)
{
	return sg_dma_address(segment) + sg_dma_len(segment) == p->piece.start &&
	       (p->piece.start & dma_get_seg_boundary(dev)) &&
	       sg_dma_len(segment) + p->piece.len <= dma_get_max_seg_size(dev);
}

/* Returns the number of segments that the device sees. */
static int segments_fill(struct device *dev, struct scatterlist *sgl, int nents, const struct piece *p)
{
	struct scatterlist *segment = NULL, *sg;
	int count = 0, i;

	for_each_sg(sgl, sg, nents, i) {
		sg_dma_len(sg) = 0;
		if (segment && piece_joins(dev, segment, p)) {
			sg_dma_len(segment) += sg->length;
		} else {
			segment = segment ? sg_next(segment) : sgl;
			sg_dma_address(segment) = p->piece.start;
			sg_dma_len(segment) = sg->length;
			count++;
		}
		p = p->next;
	}
	return count;
}

/**
 * sim_mapped_add - make memory reachable for a function
 * @fn: the function
 * @dev: its device, whose limits segments have
 * @sgl: the memory
 * @nents: its entries
 * @dir: what the device may do there
 * @align: alignment of the first address, if the memory has it, too; at least a page
 *
 * Return: the number of segments, or -ENOMEM.
 */
int sim_mapped_add(struct sim_fn *fn, struct device *dev, struct scatterlist *sgl, int nents,
		   enum dma_data_direction dir, size_t align)
{
	struct sim_maps *maps = &fn->sdev->maps;
	enum sim_fate fate = next_fate(maps);
	struct piece *first = NULL;
	int segments;

	if (fate != SIM_MAP_FAILS)
		first = pieces_new(sgl, nents, fate == SIM_MAP_LOST ? 0 : rights_of(dir));
	if (!first || pieces_place(fn, first, align)) {
		pieces_free(first);
		atomic64_inc(&maps->failed);
		return -ENOMEM;
	}
	pieces_add(&fn->memory, first);
	atomic64_inc(&maps->made);
	atomic64_inc(&maps->present);
	segments = segments_fill(dev, sgl, nents, first);
	atomic64_add(segments, &maps->segments);
	return segments;
}

static struct piece *to_piece(struct wdm_piece *piece)
{
	return piece ? container_of(piece, struct piece, piece) : NULL;
}

static void pieces_remove(struct sim_memory *memory, struct piece *p)
{
	unsigned long flags;

	for (; p; p = p->next) {
		raw_spin_lock_irqsave(&memory->lock, flags);
		wdm_map_remove(&memory->map, &p->piece);
		raw_spin_unlock_irqrestore(&memory->lock, flags);
	}
}

/* @addr: the first address of a mapping. On return no access is under way, and none begins. */
void sim_mapped_remove(struct sim_fn *fn, u64 addr)
{
	struct sim_memory *memory = &fn->memory;
	unsigned long flags;
	struct piece *p;

	raw_spin_lock_irqsave(&memory->lock, flags);
	p = to_piece(wdm_map_find(&memory->map, addr));
	if (p && (!p->first || p->piece.start != addr))
		p = NULL;
	raw_spin_unlock_irqrestore(&memory->lock, flags);
	if (WARN_ONCE(!p, "hisi_sim: a driver unmaps %#llx, where no mapping begins\n", addr))
		return;
	pieces_remove(memory, p);
	pieces_free(p);
	atomic64_dec(&fn->sdev->maps.present);
}

/* The function is gone: forgets what its driver has left. */
void sim_mapped_drop(struct sim_fn *fn)
{
	struct wdm_map *map = &fn->memory.map;
	unsigned int left = 0;
	struct piece *p;

	while ((p = to_piece(map->root))) {
		unsigned long flags;

		raw_spin_lock_irqsave(&fn->memory.lock, flags);
		wdm_map_remove(map, &p->piece);
		raw_spin_unlock_irqrestore(&fn->memory.lock, flags);
		left += p->first;
		kfree(p);
	}
	atomic64_sub(left, &fn->sdev->maps.present);
	if (left)
		pr_err("hisi_sim: function %u of bus %u: %u mappings were left\n", fn->index,
		       sim_bus_number(fn->sdev), left);
}

/* ------ accesses ------ */

/* @fn->memory.lock is held. Cuts @len to the memory that is consecutive. */
void *sim_mapped_reach(struct sim_fn *fn, u64 addr, bool write, size_t *len)
{
	u64 reach = *len;
	void *mem;

	lockdep_assert_held(&fn->memory.lock);
	mem = wdm_map_reach(&fn->memory.map, addr, write ? WDM_MAY_WRITE : WDM_MAY_READ, &reach);
	*len = reach;
	return mem;
}

/* An access to what isn't mapped, or not for it: the bus has aborted it. */
void sim_mapped_fault(struct sim_fn *fn, u64 addr, size_t len, bool write)
{
	struct sim_maps *maps = &fn->sdev->maps;

	atomic64_inc(&maps->faults);
	set_bit(write ? ilog2(QM_ERR_AXI_BRESP) : ilog2(QM_ERR_AXI_RRESP), &maps->errors);
	pr_err_ratelimited("hisi_sim: function %u of bus %u: %s of %zu bytes at %#llx, which isn't mapped for it\n",
			   fn->index, sim_bus_number(fn->sdev), write ? "write" : "read", len, addr);
}

/* The control thread reports them as errors of the device. */
void sim_mapped_report(struct sim_dev *sdev, struct wdm_device *model)
{
	unsigned long errors = xchg(&sdev->maps.errors, 0);
	unsigned int bit;

	for_each_set_bit(bit, &errors, BITS_PER_LONG)
		wdm_fault_error(model, WDM_ERRORS_QM, bit);
}
