// SPDX-License-Identifier: Apache-2.0
/* A request of a queue without shared virtual addressing, as the kernel translates it. */
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "mediate.h"

#define BOUNCE_BYTES	512u		/* payload up to so long is copied */
#define CAPACITY	TR_CAPACITY(EMU_PAGE)

EMU_REAL(int, madvise, void *addr, size_t len, int advice)

static int copy_user(void *arg, void *to, u64 from, u32 bytes)
{
	(void)arg;
	return emu_memory_read(from, to, bytes);
}

static const struct tr_user user = { .copy = copy_user };

/* ------ the program's memory ------ */

/* Is it there for that direction? Pages are faulted in, as pinning does. */
static bool there(u64 addr, u32 len, u8 dir)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE), first = addr & ~(page - 1), last = (addr + len - 1) | (page - 1);
	int advice = dir & HW_WRITE ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;

	return addr + (len - 1) >= addr && !real_madvise()((void *)(uintptr_t)first, last - first + 1, advice);
}

/* Pieces that meet between two pages are one range behind an IOMMU. Without one, no two pages are. */
static bool part_add(const struct emu_device *dev, struct emu_part *p, struct tr_piece piece)
{
	struct emu_mapping *w;
	u32 n;

	for (; piece.len; piece.addr += n, piece.len -= n) {
		n = EMU_PAGE - (u32)(piece.addr % EMU_PAGE);
		if (dev->iommu || n > piece.len)
			n = piece.len;
		w = emu_mapping_new((void *)(uintptr_t)piece.addr, n, true);
		if (!w)
			return false;
		w->joins = dev->iommu && p->meets && piece.addr % EMU_PAGE == 0;
		p->meets = (piece.addr + n) % EMU_PAGE == 0;
		p->ranges += !w->joins;
		p->bytes += n;
		*p->end = w;
		p->end = &w->next;
	}
	return true;
}

/* Finds all of an access. False: why. */
static bool pin(const struct emu_device *dev, struct emu_request *r, u32 i, enum tr_why *why)
{
	struct emu_part *p = &r->part[i];
	struct tr_piece piece;
	struct tr_walk w;
	int ret;

	p->end = &p->first;
	*why = TR_WHY_ADDRESS;
	tr_walk_begin(&w, &r->tr, i, &user);
	while ((ret = tr_walk_next(&w, &piece)) == 1)
		if (!there(piece.addr, piece.len, r->tr.access[i].dir) || !part_add(dev, p, piece))
			return false;
	r->pinned += p->bytes;
	if (ret && ret != -EFAULT)
		*why = TR_WHY_LIST;
	else if (!ret)
		*why = TR_WHY_NO_SPACE;
	return !ret && p->bytes;
}

static int part_copy(const struct emu_part *p, unsigned char *copy, u32 bytes, bool in)
{
	const struct emu_mapping *w;
	int err = 0;
	u32 n;

	for (w = p->first; w && bytes && !err; w = w->next, bytes -= n, copy += n) {
		n = w->piece.len < bytes ? (u32)w->piece.len : bytes;
		err = in ? emu_memory_read((uintptr_t)w->piece.mem, copy, n) :
		      emu_memory_write((uintptr_t)w->piece.mem, copy, n);
	}
	return err;
}

/* ------ the device's addresses ------ */

static u32 rights_of(u8 dir)
{
	return (dir & HW_READ ? WDM_MAY_READ : 0) | (dir & HW_WRITE ? WDM_MAY_WRITE : 0);
}

/* Memory of the emulator for the request. */
static unsigned char *own_new(struct emu_device *dev, struct emu_request *r, u32 bytes, u32 rights, u64 *at)
{
	struct emu_mapping *w = emu_mapping_own(dev, bytes, rights);

	if (!w)
		return NULL;
	w->next = r->own;
	r->own = w;
	*at = w->piece.start;
	return w->piece.mem;
}

/* Opens the range that begins at *w, which moves behind it. Returns its address; 0: there is none. */
static u64 range_open(struct emu_device *dev, struct emu_mapping **w, u8 dir, u32 *len)
{
	const struct emu_mapping *next;
	u64 at, all = (*w)->piece.len;

	for (next = (*w)->next; next && next->joins; next = next->next)
		all += next->piece.len;
	at = emu_mapped_place(dev, all);
	*len = (u32)all;
	for (all = at; at && *w != next; *w = (*w)->next) {
		emu_mapping_open(dev, *w, all, rights_of(dir));
		all += (*w)->piece.len;
	}
	return at;
}

static bool list_add(struct emu_device *dev, struct emu_request *r, struct tr_list *l, u64 at, u32 len)
{
	unsigned char *table;
	u64 next;
	u32 n;

	for (; len; len -= n, at += n) {
		n = tr_list_add(l, at, len);
		if (n)
			continue;
		table = own_new(dev, r, TR_TABLE_BYTES(CAPACITY), WDM_MAY_READ, &next);
		if (!table)
			return false;
		tr_list_chain(l, table, next);
	}
	return true;
}

static bool list_make(struct emu_device *dev, struct emu_request *r, u32 i, struct tr_target *target)
{
	unsigned char *table = own_new(dev, r, TR_TABLE_BYTES(CAPACITY), WDM_MAY_READ, &target->dma);
	struct emu_mapping *w = r->part[i].first;
	struct tr_list l;
	u32 len;
	u64 at;

	if (!table)
		return false;
	target->list = true;
	tr_list_begin(&l, table, CAPACITY);
	while (w) {
		at = range_open(dev, &w, r->tr.access[i].dir, &len);
		if (!at || !list_add(dev, r, &l, at, len))
			return false;
	}
	tr_list_end(&l);
	return true;
}

/* A destination begins with what the source has there, if the device may leave that out. */
static bool copy_make(struct emu_device *dev, struct emu_request *r, u32 i, struct tr_target *target)
{
	const struct tr_access *a = &r->tr.access[i];
	struct emu_part *p = &r->part[i];

	if (p->bytes > EMU_FLAT_BYTES)
		return false;
	p->copy = own_new(dev, r, p->bytes, rights_of(a->dir), &target->dma);
	if (!p->copy)
		return false;
	if (a->dir & HW_READ)
		return !part_copy(p, p->copy, p->bytes, true);
	return !a->fill || !part_copy(&r->part[0], p->copy, a->fill, true);
}

/* The device must find the end of a destination that ends early, so that one is a list. */
static bool fits_flat(const struct emu_request *r, u32 i)
{
	const struct emu_part *p = &r->part[i];

	return p->bytes == r->tr.access[i].len && (p->ranges == 1 || p->bytes <= BOUNCE_BYTES);
}

/* ZIP has one kind of buffer for both sides. */
static bool wants_lists(const struct emu_request *r)
{
	u32 i;

	for (i = 0; r->tr.q.engine == TR_ZIP && i < r->tr.nr; i++)
		if (r->tr.access[i].form == HW_FREE && !fits_flat(r, i))
			return true;
	return false;
}

static bool map_payload(struct emu_device *dev, struct emu_request *r, u32 i, bool list, struct tr_target *target)
{
	const struct emu_part *p = &r->part[i];
	struct emu_mapping *w = p->first;
	u32 len;

	target->bytes = p->bytes;
	if (r->tr.access[i].form == HW_FREE && (list || !fits_flat(r, i)))
		return list_make(dev, r, i, target);
	if (p->bytes <= BOUNCE_BYTES || p->ranges > 1)
		return copy_make(dev, r, i, target);
	target->dma = range_open(dev, &w, r->tr.access[i].dir, &len);
	return target->dma;
}

/* Small data has its place in the slot, and a mapping of its own. */
static bool map_small(struct emu_device *dev, struct emu_request *r, u32 i, u64 slot)
{
	const struct tr_access *a = &r->tr.access[i];
	struct emu_mapping *w;

	if (a->dir & HW_WRITE && !there(a->addr, a->len, a->dir))
		return false;
	w = emu_mapping_new(r->slot + a->at, a->len, false);
	if (!w)
		return false;
	w->next = r->own;
	r->own = w;
	emu_mapping_open(dev, w, slot + a->at, rights_of(a->dir));
	return true;
}

static bool map_all(struct emu_device *dev, struct emu_request *r, u64 *slot, struct tr_target *target)
{
	bool list = wants_lists(r);
	u32 i;

	r->slot = calloc(1, r->tr.slot_bytes + 1);
	*slot = r->tr.slot_bytes ? emu_mapped_place(dev, r->tr.slot_bytes) : 0;
	if (!r->slot || (r->tr.slot_bytes && !*slot) || tr_slot_fill(&r->tr, r->slot, &user))
		return false;
	for (i = 0; i < r->tr.nr; i++)
		if (r->tr.access[i].form == HW_SMALL ? !map_small(dev, r, i, *slot) :
		    !map_payload(dev, r, i, list, &target[i]))
			return false;
	return true;
}

/* ------ a request ------ */

/* Returns why the device can't have it, or 0. */
static u32 translate(struct emu_device *dev, struct emu_request *r, u64 zeroes)
{
	struct tr_target target[TR_ACCESSES_MAX] = { { 0 } };
	enum tr_why why = TR_WHY_ADDRESS;
	u64 slot;
	u32 i;

	for (i = 0; i < r->tr.nr; i++)
		if (r->tr.access[i].form != HW_SMALL && !pin(dev, r, i, &why))
			return tr_status(&r->tr.q, why);
	if (!map_all(dev, r, &slot, target) || tr_write(&r->tr, slot, target, zeroes, r->sqe))
		return tr_status(&r->tr.q, TR_WHY_ADDRESS);
	return 0;
}

struct emu_request *emu_request_new(struct emu_device *dev, const struct tr_queue *q, const __le32 *sqe, u64 zeroes)
{
	struct emu_request *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->status = tr_read(&r->tr, q, sqe);
	if (!r->status)
		r->status = translate(dev, r, zeroes);
	r->done = r->status;
	return r;
}

void emu_request_stopped(struct emu_request *r)
{
	if (!r->done)
		r->status = tr_status(&r->tr.q, TR_WHY_STOPPED);
	r->done = true;
}

/* What the device has written to copies. */
static void deliver(const struct emu_request *r)
{
	u32 i, bytes;

	for (i = 0; i < r->tr.nr; i++) {
		bytes = tr_deliver(&r->tr, i, r->sqe);
		if (bytes && r->tr.access[i].form == HW_SMALL)
			emu_memory_write(r->tr.access[i].addr, r->slot + r->tr.access[i].at, bytes);
		else if (bytes && r->part[i].copy)
			part_copy(&r->part[i], r->part[i].copy, bytes, false);
	}
}

void emu_request_end(struct emu_request *r, __le32 *sqe)
{
	if (r->status) {
		tr_fail(&r->tr.q, r->status, sqe);
		return;
	}
	deliver(r);
	tr_results(&r->tr, r->sqe, sqe);
}

void emu_request_free(struct emu_device *dev, struct emu_request *r)
{
	u32 i;

	for (i = 0; i < r->tr.nr; i++)
		emu_mapping_close(dev, r->part[i].first);
	emu_mapping_close(dev, r->own);
	/* It may have had a key. */
	if (r->slot)
		explicit_bzero(r->slot, r->tr.slot_bytes);
	free(r->slot);
	free(r);
}
