// SPDX-License-Identifier: GPL-2.0-or-later
/* The process' memory: what a request names is copied to its slot, or pinned and accounted. */
#include <linux/capability.h>
#include <linux/memremap.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "mediated.h"

#define MED_PIN_BATCH	64

static int med_copy_user(void *arg, void *to, u64 from, u32 bytes)
{
	return copy_from_user(to, u64_to_user_ptr(from), bytes) ? -EFAULT : 0;
}

static const struct tr_user med_user = { .copy = med_copy_user };

/* ------ accounting ------ */

/* The request that all others wait for may always pin what it names, so that a queue never stands still. */
static int med_charge(struct med_run *run, struct med_request *r, unsigned long pages)
{
	s64 all = atomic64_add_return(pages, &run->mm->pinned_vm);
	bool over = all > rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT && !capable(CAP_IPC_LOCK);

	spin_lock(&run->lock);
	over |= run->pinned + ((u64)pages << PAGE_SHIFT) > run->max_pinned;
	if (r->index == run->published)
		over = false;
	if (!over)
		run->pinned += (u64)pages << PAGE_SHIFT;
	spin_unlock(&run->lock);
	if (over) {
		atomic64_sub(pages, &run->mm->pinned_vm);
		return -EAGAIN;
	}
	r->pages += pages;
	return 0;
}

static void med_uncharge(struct med_run *run, struct med_request *r, unsigned long pages)
{
	atomic64_sub(pages, &run->mm->pinned_vm);
	spin_lock(&run->lock);
	run->pinned -= (u64)pages << PAGE_SHIFT;
	spin_unlock(&run->lock);
	r->pages -= pages;
}

/* ------ pieces ------ */

static int med_pieces_grow(struct med_request *r)
{
	u32 room = 4 * r->room;
	struct med_piece *more = kvmalloc_array(room, sizeof(*more), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);

	if (!more)
		return -EAGAIN;
	memcpy(more, r->piece, r->pieces * sizeof(*more));
	if (r->piece != r->inline_piece)
		kvfree(r->piece);
	r->piece = more;
	r->room = room;
	return 0;
}

static struct page *med_piece_page(const struct med_piece *piece, unsigned long n)
{
	return pfn_to_page(page_to_pfn(piece->page) + n);
}

static unsigned long med_piece_pages(const struct med_piece *piece)
{
	return (piece->offset + (unsigned long)piece->len + PAGE_SIZE - 1) >> PAGE_SHIFT;
}

/* A piece goes on with the next page, of which it has no part yet. So its pages are as many as its pins. */
static bool med_piece_joins(const struct med_piece *last, const struct page *page, u32 offset, u32 len)
{
	u64 end = (u64)last->offset + last->len;

	return !offset && PAGE_ALIGNED(end) && end + len <= U32_MAX &&
	       page_to_pfn(last->page) + (end >> PAGE_SHIFT) == page_to_pfn(page);
}

/* There is room for one more. */
static void med_piece_add(struct med_request *r, struct med_access *m, struct page *page, u32 offset, u32 len)
{
	struct med_piece *last = m->nr ? &r->piece[m->first + m->nr - 1] : NULL;

	if (last && med_piece_joins(last, page, offset, len)) {
		last->len += len;
		return;
	}
	r->piece[r->pieces++] = (struct med_piece){ page, offset, len };
	m->nr++;
}

/* ------ pins ------ */

/*
 * No registers of a device, and nothing is written to memory that a driver has mapped for the process: its driver may
 * use that again while it is pinned. The fast way of pinning finds both.
 */
static bool med_page_allowed(struct page *page, bool write)
{
	return !is_pci_p2pdma_page(page) && (!write || READ_ONCE(page_folio(page)->mapping));
}

/* As block/bio.c does for direct I/O: dirty now, since nothing may wait at completion. */
static void med_dirty(struct page *page)
{
	if (!PageDirty(page))
		set_page_dirty_lock(page);
}

/* Keeps @nr pins, which begin at @offset of the first page. On an error none of the rest is pinned. */
static int med_pins_keep(struct med_request *r, struct med_access *m, struct page **page, u32 nr, u32 offset,
			 u32 bytes, bool write)
{
	u32 i, len;
	int err;

	for (i = 0; i < nr; i++) {
		err = r->pieces == r->room ? med_pieces_grow(r) : 0;
		if (!err && !med_page_allowed(page[i], write))
			err = -EFAULT;
		if (err) {
			unpin_user_pages(page + i, nr - i);
			return err;
		}
		len = min_t(u32, bytes, PAGE_SIZE - offset);
		med_piece_add(r, m, page[i], offset, len);
		if (write)
			med_dirty(page[i]);
		bytes -= len;
		offset = 0;
	}
	return 0;
}

/* What fails for want of memory or because of a signal is tried again by a later call. */
static int med_pin_error(long err)
{
	if (err == -EINTR || fatal_signal_pending(current))
		return -EINTR;
	return err == -ENOMEM || err == -EAGAIN ? -EAGAIN : -EFAULT;
}

static int med_pin_range(struct med_run *run, struct med_request *r, struct med_access *m, u64 addr, u32 bytes,
			 bool write)
{
	struct page *page[MED_PIN_BATCH] __uninitialized;
	u32 offset, want, len;
	long got;
	int err;

	for (; bytes; bytes -= len, addr += len) {
		offset = offset_in_page(addr);
		want = min_t(u64, MED_PIN_BATCH, ((u64)offset + bytes + PAGE_SIZE - 1) >> PAGE_SHIFT);
		err = med_charge(run, r, want);
		if (err)
			return err;
		got = pin_user_pages_fast(addr - offset, want, write ? FOLL_WRITE : 0, page);
		if (got <= 0)
			return med_pin_error(got);
		len = min_t(u64, bytes, ((u64)got << PAGE_SHIFT) - offset);
		err = med_pins_keep(r, m, page, got, offset, len, write);
		if (err)
			return err;
		/* The rest is charged again. */
		if (got < want)
			med_uncharge(run, r, want - got);
	}
	return 0;
}

/* Room for a payload in the slot, or NULL: it is too long, or another one has it (lz77 has two results). */
static void *med_bounce(struct med_run *run, struct med_request *r, u32 i)
{
	const struct tr_access *a = &r->tr.access[i];
	void *at = med_slot(run, r) + run->bounce_at + (a->dir & HW_READ ? 0 : MED_BOUNCE);

	if (a->len > MED_BOUNCE)
		return NULL;
	while (i--)
		if (med_copy_of(&r->access[i]) == at)
			return NULL;
	return at;
}

/* Payload: copied to the slot or pinned, in the order of its bytes. -ENODATA: a destination without any room. */
static int med_pin_payload(struct med_run *run, struct med_request *r, u32 i)
{
	const struct tr_access *a = &r->tr.access[i];
	struct med_access *m = &r->access[i];
	struct tr_walk walk __uninitialized;
	void *copy = med_bounce(run, r, i);
	struct tr_piece piece;
	int ret;

	if (copy) {
		m->use = MED_SLOT;
		m->copy = copy;
	}
	tr_walk_begin(&walk, &r->tr, i, &med_user);
	while ((ret = tr_walk_next(&walk, &piece)) == 1) {
		ret = 0;
		if (copy && a->dir & HW_READ)
			ret = med_copy_user(NULL, copy + m->bytes, piece.addr, piece.len);
		if (!ret && (!copy || a->dir & HW_WRITE))
			ret = med_pin_range(run, r, m, piece.addr, piece.len, a->dir & HW_WRITE);
		if (ret)
			return ret;
		m->bytes += piece.len;
	}
	if (ret)
		return ret == -EFAULT ? ret : -EINVAL;
	return m->bytes ? 0 : -ENODATA;
}

static int med_pin_access(struct med_run *run, struct med_request *r, u32 i)
{
	const struct tr_access *a = &r->tr.access[i];
	struct med_access *m = &r->access[i];

	m->first = r->pieces;
	if (a->form != HW_SMALL)
		return med_pin_payload(run, r, i);
	if (!(a->dir & HW_WRITE))
		return 0;
	m->bytes = a->len;
	return a->addr + (a->len - 1) < a->addr ? -EFAULT : med_pin_range(run, r, m, a->addr, a->len, true);
}

static enum tr_why med_why(int err)
{
	return err == -EINVAL ? TR_WHY_LIST : err == -ENODATA ? TR_WHY_NO_SPACE : TR_WHY_ADDRESS;
}

/**
 * med_pin - find all memory that a request names
 * @run: its run
 * @r: the request, taken by the caller; its descriptor has been read
 *
 * May wait for the process' memory for ever. 0, the status of a bad request, -EAGAIN: no room, or -EINTR. The pins are
 * the request's, and stay after an error, too.
 */
int med_pin(struct med_run *run, struct med_request *r)
{
	int err = 0;
	u32 i;

	for (i = 0; i < r->tr.nr && !err; i++)
		err = med_pin_access(run, r, i);
	if (!err)
		err = tr_slot_fill(&r->tr, med_slot(run, r), &med_user);
	if (err == -EAGAIN || err == -EINTR || !err)
		return err;
	return tr_status(&r->tr.q, med_why(err));
}

/**
 * med_copy - copy between a request's pinned memory and a buffer of the kernel
 * @r: the request
 * @m: the memory
 * @buffer: the buffer
 * @bytes: how many, from the beginning; at most what is there
 * @in: to the buffer
 */
void med_copy(const struct med_request *r, const struct med_access *m, void *buffer, u32 bytes, bool in)
{
	const struct med_piece *piece = &r->piece[m->first];
	void *va;
	u32 len;

	for (; bytes; bytes -= len, buffer += len, piece++) {
		len = min(bytes, piece->len);
		va = page_address(piece->page) + piece->offset;
		if (in)
			memcpy(buffer, va, len);
		else
			memcpy(va, buffer, len);
	}
}

/* ------ the end of pins ------ */

/* Pages that a process has cleaned while the device wrote: they are dirty, but their lock may be held for long. */
struct med_cleaned {
	struct work_struct work;
	u32 nr;
	struct med_piece piece[];
};

static void med_cleaned_work(struct work_struct *work)
{
	struct med_cleaned *cleaned = container_of(work, struct med_cleaned, work);
	const struct med_piece *piece;

	for (piece = cleaned->piece; piece < cleaned->piece + cleaned->nr; piece++)
		unpin_user_page_range_dirty_lock(piece->page, med_piece_pages(piece), true);
	kvfree(cleaned);
}

static bool med_piece_is_clean(const struct med_piece *piece)
{
	unsigned long i;

	for (i = 0; i < med_piece_pages(piece); i++)
		if (!PageDirty(med_piece_page(piece, i)))
			return true;
	return false;
}

/* Nobody waits for the work item. Without memory for it the caller has to wait. */
static void med_unpin_later(const struct med_piece *piece, u32 nr)
{
	struct med_cleaned *cleaned = kvmalloc(struct_size(cleaned, piece, nr), GFP_KERNEL | __GFP_NOWARN);
	u32 i;

	if (!cleaned) {
		for (i = 0; i < nr; i++)
			unpin_user_page_range_dirty_lock(piece[i].page, med_piece_pages(&piece[i]), true);
		return;
	}
	INIT_WORK(&cleaned->work, med_cleaned_work);
	cleaned->nr = nr;
	memcpy(cleaned->piece, piece, nr * sizeof(*piece));
	queue_work(med_wq, &cleaned->work);
}

static void med_unpin_pieces(const struct med_piece *piece, u32 nr, bool write)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		/* The rest goes along. */
		if (write && med_piece_is_clean(&piece[i])) {
			med_unpin_later(piece + i, nr - i);
			return;
		}
		unpin_user_page_range_dirty_lock(piece[i].page, med_piece_pages(&piece[i]), false);
	}
}

static void med_unpin(struct med_run *run, struct med_request *r)
{
	struct med_access *m;
	u32 i;

	for (i = 0; i < r->tr.nr; i++) {
		m = &r->access[i];
		med_unpin_pieces(&r->piece[m->first], m->nr, r->tr.access[i].dir & HW_WRITE);
	}
	if (r->piece != r->inline_piece)
		kvfree(r->piece);
	r->piece = r->inline_piece;
	r->room = MED_PIECES;
	r->pieces = 0;
	memset(r->access, 0, r->tr.nr * sizeof(*r->access));
	if (r->pages)
		med_uncharge(run, r, r->pages);
}

/* Wipes what the process' data, and the device, may have left in the slot. */
static void med_wipe(struct med_run *run, struct med_request *r)
{
	u32 i;

	memzero_explicit(med_slot(run, r), r->tr.slot_bytes);
	for (i = 0; i < r->tr.nr; i++)
		if (r->access[i].use == MED_SLOT)
			memzero_explicit(r->access[i].copy, r->tr.access[i].len);
}

/**
 * med_drop - give back all that a request has, of which nothing is mapped
 * @run: its run
 * @r: the request
 */
void med_drop(struct med_run *run, struct med_request *r)
{
	med_wipe(run, r);
	med_unpin(run, r);
	r->tr.nr = 0;
	r->tr.slot_bytes = 0;
}
