// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Memory in pieces: a walk over a process' flat buffer or list, and lists for the device. */
#include "engine.h"
#include "hw/qm_hw.h"

/* ------ the process' memory ------ */

static u32 tr_get16(const u8 *p)
{
	return p[0] | (u32)p[1] << 8;
}

static u32 tr_get32(const u8 *p)
{
	return tr_get16(p) | tr_get16(p + 2) << 16;
}

static u64 tr_get64(const u8 *p)
{
	return tr_get32(p) | (u64)tr_get32(p + 4) << 32;
}

/* Copies for a list; a range that wraps isn't there. */
static int tr_copy(const struct tr_walk *w, void *to, u64 from, u32 bytes)
{
	return from + (bytes - 1) < from ? -EFAULT : w->user->copy(w->user->arg, to, from, bytes);
}

void tr_walk_begin(struct tr_walk *w, struct tr_request *r, u32 i, const struct tr_user *user)
{
	const struct tr_access *a = &r->access[i];

	/* Copies of entries aren't looked at before they are made. */
	memset(w, 0, offsetof(struct tr_walk, sge));
	w->user = user;
	w->r = r;
	w->list = a->list;
	w->short_end = a->short_end;
	w->left = a->len;
	w->skip = a->skip;
	if (a->list) {
		w->next = a->addr;
	} else {
		w->addr = a->addr;
		w->piece = a->len;
	}
}

/* -ENODATA: there is no further table. */
static int tr_table_open(struct tr_walk *w)
{
	u32 sum, capacity;
	u8 header[16];
	int err;

	if (!w->next)
		return -ENODATA;
	if (w->next % QM_SGL_ALIGN || w->tables++ >= QM_SGL_MAX_CHAIN)
		return -EINVAL;
	err = tr_copy(w, header, w->next, sizeof(header));
	if (err)
		return err;
	sum = tr_get16(header + offsetof(struct qm_sgl, entry_sum_in_sgl));
	capacity = tr_get16(header + offsetof(struct qm_sgl, entry_length_in_sgl));
	if (!sum || sum > capacity || sum > QM_SGL_MAX_ENTRIES)
		return -EINVAL;
	w->entry = w->next + sizeof(struct qm_sgl);
	w->entries = sum;
	w->next = tr_get64(header + offsetof(struct qm_sgl, next_dma));
	return 0;
}

static int tr_entries_copy(struct tr_walk *w)
{
	u32 nr = w->entries < TR_BATCH ? w->entries : TR_BATCH;
	int err = tr_copy(w, w->sge, w->entry, nr * sizeof(struct qm_sge));

	if (err)
		return err;
	w->entry += nr * sizeof(struct qm_sge);
	w->entries -= nr;
	w->batch = nr;
	w->batch_at = 0;
	return 0;
}

/* The next piece that isn't empty. Each table has an entry, so the number of tables bounds the loop. */
static int tr_list_next(struct tr_walk *w)
{
	const u8 *sge;
	int err;

	for (;;) {
		while (w->batch_at == w->batch) {
			err = w->entries ? tr_entries_copy(w) : tr_table_open(w);
			if (err)
				return err;
		}
		sge = w->sge[w->batch_at++];
		w->addr = tr_get64(sge + offsetof(struct qm_sge, buf));
		w->piece = tr_get32(sge + offsetof(struct qm_sge, len));
		if (w->piece > QM_SGE_MAX_BYTES)
			return -EINVAL;
		if (w->piece)
			return 0;
	}
}

/* Takes at most @most bytes of the current piece. */
static int tr_step(struct tr_walk *w, u32 most, struct tr_piece *piece)
{
	int err = w->piece ? 0 : w->list ? tr_list_next(w) : -ENODATA;

	if (err)
		return err;
	piece->addr = w->addr;
	piece->len = w->piece < most ? w->piece : most;
	w->addr += piece->len;
	w->piece -= piece->len;
	return 0;
}

static int tr_pages_take(struct tr_request *r, const struct tr_piece *piece)
{
	u64 last = piece->addr + (piece->len - 1);
	u64 pages = (last >> TR_PAGE_SHIFT) - (piece->addr >> TR_PAGE_SHIFT) + 1;

	if (last < piece->addr)
		return -EFAULT;
	if (pages > r->pages)
		return -EINVAL;
	r->pages -= (u32)pages;
	return 0;
}

int tr_walk_next(struct tr_walk *w, struct tr_piece *piece)
{
	int err = 0;

	while (w->skip && !err) {
		err = tr_step(w, w->skip, piece);
		if (!err)
			w->skip -= piece->len;
	}
	if (!w->left && !err)
		return 0;
	if (!err)
		err = tr_step(w, w->left, piece);
	if (!err)
		err = tr_pages_take(w->r, piece);
	if (err)
		return err == -ENODATA && w->short_end ? 0 : err;
	w->left -= piece->len;
	return 1;
}

/* ------ the device's list ------ */

static void tr_put16(u8 *p, u32 v)
{
	p[0] = (u8)v;
	p[1] = (u8)(v >> 8);
}

static void tr_put32(u8 *p, u32 v)
{
	tr_put16(p, v);
	tr_put16(p + 2, v >> 16);
}

static void tr_put64(u8 *p, u64 v)
{
	tr_put32(p, (u32)v);
	tr_put32(p + 4, (u32)(v >> 32));
}

static void tr_table_begin(struct tr_list *l, void *table)
{
	l->table = table;
	l->entries = 0;
	memset(table, 0, sizeof(struct qm_sgl));
}

static void tr_table_end(struct tr_list *l)
{
	tr_put16(l->table + offsetof(struct qm_sgl, entry_sum_in_sgl), l->entries);
	tr_put16(l->table + offsetof(struct qm_sgl, entry_length_in_sgl), l->capacity);
	l->total += l->entries;
}

void tr_list_begin(struct tr_list *l, void *table, u32 capacity)
{
	l->first = table;
	l->capacity = capacity;
	l->total = 0;
	tr_table_begin(l, table);
}

void tr_list_chain(struct tr_list *l, void *table, u64 dma)
{
	tr_put64(l->table + offsetof(struct qm_sgl, next_dma), dma);
	tr_table_end(l);
	tr_table_begin(l, table);
}

u32 tr_list_add(struct tr_list *l, u64 dma, u32 bytes)
{
	u8 *sge = l->table + sizeof(struct qm_sgl) + l->entries * sizeof(struct qm_sge);

	if (l->entries == l->capacity)
		return 0;
	if (bytes > QM_SGE_MAX_BYTES)
		bytes = QM_SGE_MAX_BYTES;
	memset(sge, 0, sizeof(struct qm_sge));
	tr_put64(sge + offsetof(struct qm_sge, buf), dma);
	tr_put32(sge + offsetof(struct qm_sge, len), bytes);
	l->entries++;
	return bytes;
}

void tr_list_end(struct tr_list *l)
{
	tr_table_end(l);
	tr_put16(l->first + offsetof(struct qm_sgl, entry_sum_in_chain), l->total);
}
