// SPDX-License-Identifier: Apache-2.0
/* One request with SVA and translated: memory, windows of the device, and a kernel's steps between both. */
#include <stdlib.h>
#include "emu.h"
#include "hpre.h"
#include "internal.h"
#include "sec.h"
#include "twin.h"
#include "hw/hpre_hw.h"
#include "hw/sec_access_hw.h"
#include "hw/zip_access_hw.h"

#define PAGE		4096u
#define POOL_BYTES	(8u << 20)
#define SVA		0
#define MEDIATED	1

/* ------ a process' memory ------ */

static bool there(const struct twin *t, u64 addr, u32 len)
{
	if (!len)
		return true;
	if (t->gone || addr < TWIN_USER || addr - TWIN_USER >= TWIN_BYTES)
		return false;
	return len <= TWIN_BYTES - (addr - TWIN_USER) && (addr + len <= t->hole || addr >= t->hole_end);
}

u8 *twin_at(struct twin *t, u32 which, u64 addr)
{
	return t->user[which] + (addr - TWIN_USER);
}

void twin_put(struct twin *t, u64 addr, const void *from, u32 bytes)
{
	memcpy(twin_at(t, SVA, addr), from, bytes);
	memcpy(twin_at(t, MEDIATED, addr), from, bytes);
}

void twin_sync(struct twin *t)
{
	memcpy(t->user[MEDIATED], t->user[SVA], TWIN_BYTES);
}

/* ------ the devices ------ */

static int sva_read(void *host, u32 fn, u32 pasid, u64 addr, void *buf, u32 len)
{
	struct twin *t = host;

	(void)fn;
	(void)pasid;
	if (!there(t, addr, len))
		return -EFAULT;
	memcpy(buf, twin_at(t, SVA, addr), len);
	return 0;
}

static int sva_write(void *host, u32 fn, u32 pasid, u64 addr, const void *buf, u32 len)
{
	struct twin *t = host;

	(void)fn;
	(void)pasid;
	if (!there(t, addr, len))
		return -EFAULT;
	memcpy(twin_at(t, SVA, addr), buf, len);
	return 0;
}

/* Reads into @in, or writes from @out. Pieces beside each other are one range: an IOMMU has merged them. */
static int dma_access(struct twin *t, u64 addr, u8 *in, const u8 *out, u32 len)
{
	u64 done, n;
	u8 *mem;

	t->accesses++;
	for (done = 0; done < len; done += n) {
		n = len - done;
		mem = wdm_map_reach(&t->map, addr + done, in ? WDM_MAY_READ : WDM_MAY_WRITE, &n);
		if (!mem) {
			t->strays++;
			return -EFAULT;
		}
		if (in)
			memcpy(in + done, mem, n);
		else
			memcpy(mem, out + done, n);
	}
	return 0;
}

static int dma_read(void *host, u32 fn, u64 addr, void *buf, u32 len)
{
	(void)fn;
	return dma_access(host, addr, buf, NULL, len);
}

static int dma_write(void *host, u32 fn, u64 addr, const void *buf, u32 len)
{
	(void)fn;
	return dma_access(host, addr, NULL, buf, len);
}

/* The same numbers for both. */
static int random_bytes(void *ws, u8 *p, u32 len)
{
	(void)ws;
	for (; len; len--)
		*p++ = (u8)(len * 37 + 1);
	return 0;
}

static enum wdm_type type_of(const struct twin *t)
{
	return t->q.engine == TR_ZIP ? WDM_ZIP : t->q.engine == TR_SEC ? WDM_SEC : WDM_HPRE;
}

static void run(struct twin *t, u32 *sqe, bool sva)
{
	enum wdm_type type = type_of(t);
	struct wdm_engine_ops ops = *t->kind[type]->engine;
	struct wdm_env env = t->env;
	struct wdm_job job = {
		.pasid = 1, .pasid_valid = sva, .alg_type = t->q.qc_type, .generation = t->q.generation, .checks = 3,
		.sqe_bytes = (u8)tr_sqe_bytes(&t->q), .env = &env, .env_host = t, .engine = wdm_engine(type),
	};

	ops.random = random_bytes;
	env.engine = &ops;
	memcpy(job.sqe, sqe, job.sqe_bytes);
	wdm_job_run(&job, t->scratch[type]);
	memcpy(sqe, job.sqe, job.sqe_bytes);
}

static u32 results_only(const struct twin *t, u32 i)
{
	return t->q.engine == TR_ZIP ? i < 4 : t->q.engine == TR_SEC ? i >= SEC_BD_RESULT_FIRST : 0;
}

static void results_clear(const struct twin *t, u32 *sqe)
{
	u32 i;

	for (i = 0; i < tr_sqe_bytes(&t->q) / 4; i++)
		if (results_only(t, i))
			sqe[i] = 0;
}

void twin_sva(struct twin *t, u32 *sqe)
{
	results_clear(t, sqe);
	run(t, sqe, true);
}

/* The room that the model wants before it looks at any memory. */
static bool zip_has_room(const struct twin *t, const u32 *sqe)
{
	const struct zip_access_req *row = zip_access_req_of(t->q.generation, sqe[9] & ZIP_DW9_REQ_MASK);

	if ((sqe[7] & ZIP_DW7_STREAM && sqe[14] < row->stream_room) || sqe[14] < row->tail)
		return false;
	return !(row->flags & ZIP_HAS_LITERALS) || sqe[13] >= sqe[4] + ZIP_LZ77_LITERALS_MORE;
}

bool twin_accepts(struct twin *t, const u32 *sqe)
{
	struct wdm_job job = { .alg_type = t->q.qc_type, .generation = t->q.generation, .checks = 3 };
	struct wdm_sec_req sec = { .job = &job };
	struct wdm_hpre_req hpre = { .job = &job };
	u32 copy[TR_WORDS_MAX];

	memcpy(copy, sqe, tr_sqe_bytes(&t->q));
	results_clear(t, copy);
	switch (t->q.engine) {
	case TR_SEC:
		return !wdm_sec_decode(&sec, (const struct sec_bd *)copy);
	case TR_HPRE:
		return !wdm_hpre_decode(&hpre, copy);
	case TR_ZIP:
		break;
	}
	/* The model's checks are part of its work: it is done without memory. */
	t->gone = true;
	run(t, copy, true);
	t->gone = false;
	return copy[3] != ZIP_ST_BAD_REQUEST && zip_has_room(t, sqe);
}

u32 twin_status(const struct twin *t, const u32 *sqe)
{
	return t->q.engine == TR_ZIP ? sqe[3] & ZIP_DW3_STATUS_MASK :
	       t->q.engine == TR_SEC ? sec_get((const struct sec_bd *)sqe, SEC_BD_ERROR) :
	       sqe[0] >> HPRE_DW0_ETYPE_SHIFT & HPRE_DW0_ETYPE_MASK;
}

bool twin_good(const struct twin *t, const u32 *sqe)
{
	u32 status = twin_status(t, sqe);

	return !status || (t->q.engine == TR_ZIP && (status == ZIP_ST_NEGATIVE_COMP || status == ZIP_ST_END));
}

/* ------ the kernel's part ------ */

#define USE_LATE	1	/* read while results are written */
#define USE_WRITE	2

static void use(struct twin *t, u64 addr, u32 len, u8 how)
{
	u8 *p = t->use + (addr - TWIN_USER);

	for (; len; len--, p++) {
		t->clash |= *p & USE_WRITE || (how == USE_WRITE && *p);
		*p |= how;
	}
}

/* As copy_from_user(), from a process whose other threads write all the time. */
static int copy_user(void *arg, void *to, u64 from, u32 bytes)
{
	struct twin *t = arg;
	u32 at, i;

	if (!there(t, from, bytes))
		return -EFAULT;
	if (t->walking)
		use(t, from, bytes, USE_LATE);
	at = (u32)(from - TWIN_USER);
	memcpy(to, t->user[MEDIATED] + at, bytes);
	for (i = 0; i < bytes; i++) {
		if (t->copied[at + i]) {
			t->twice++;
			if (t->how.flip)
				((u8 *)to)[i] ^= (u8)(0x55u << (t->copied[at + i] & 3));
		}
		t->copied[at + i] += t->copied[at + i] < 255;
	}
	return 0;
}

static u8 *pool_take(struct twin *t, u32 bytes)
{
	u8 *p = t->pool + t->pool_used;

	bytes = (bytes + 63) & ~63u;
	if (t->pool_used + bytes > POOL_BYTES)
		abort();
	t->pool_used += bytes;
	memset(p, 0xdb, bytes);
	return p;
}

static u64 dma_next(struct twin *t, u32 len)
{
	return len ? wdm_map_place(&t->map, len, PAGE) : 0;
}

static void window_open(struct twin *t, u64 dma, u32 len, u8 dir, u8 *to)
{
	struct wdm_piece *piece = &t->window[t->windows++];

	if (!dma || t->windows > TWIN_WINDOWS)
		abort();
	*piece = (struct wdm_piece){
		.start = dma, .len = len, .mem = to,
		.rights = (dir & HW_READ ? WDM_MAY_READ : 0) | (dir & HW_WRITE ? WDM_MAY_WRITE : 0),
	};
	wdm_map_add(&t->map, piece);
}

struct mapped {
	u8 *bounce;		/* the copy, or NULL */
	u32 first, nr;		/* of t->piece */
	u32 bytes;
	bool need_list;
};

/* Cuts a piece at pages, as a kernel finds them. */
static u32 piece_keep(struct twin *t, u32 nr, struct tr_piece piece)
{
	u32 n;

	for (; piece.len; piece.len -= n, piece.addr += n) {
		n = piece.len;
		if (t->how.pages && n > PAGE - piece.addr % PAGE)
			n = PAGE - piece.addr % PAGE;
		if (nr == TWIN_PIECES)
			abort();
		t->piece[nr++] = (struct tr_piece){ piece.addr, n };
	}
	return nr;
}

/* Finds the pieces of access @i; each must be there as if it were pinned. */
static bool pin(struct twin *t, u32 i, struct mapped *m, u32 first)
{
	struct tr_user user = { copy_user, t };
	struct tr_piece piece;
	struct tr_walk w;
	u32 nr = first;
	int ret;

	m->first = first;
	t->walking = true;
	tr_walk_begin(&w, &t->request, i, &user);
	while ((ret = tr_walk_next(&w, &piece)) == 1) {
		if (!there(t, piece.addr, piece.len)) {
			t->why = TR_WHY_ADDRESS;
			t->walking = false;
			return false;
		}
		use(t, piece.addr, piece.len, t->request.access[i].dir & HW_WRITE ? USE_WRITE : USE_LATE);
		nr = piece_keep(t, nr, piece);
		m->bytes += piece.len;
	}
	t->walking = false;
	m->nr = nr - first;
	t->why = ret == -EFAULT ? TR_WHY_ADDRESS : ret ? TR_WHY_LIST : TR_WHY_NO_SPACE;
	return !ret && m->bytes;
}

static void pieces_copy(struct twin *t, const struct mapped *m, u8 *p, u32 bytes, bool in)
{
	u32 i, n;

	for (i = m->first; i < m->first + m->nr && bytes; i++, bytes -= n, p += n) {
		n = t->piece[i].len < bytes ? t->piece[i].len : bytes;
		if (in)
			memcpy(p, twin_at(t, MEDIATED, t->piece[i].addr), n);
		else
			memcpy(twin_at(t, MEDIATED, t->piece[i].addr), p, n);
	}
}

static void bounce(struct twin *t, u32 i, struct mapped *m, const struct mapped *src, struct tr_target *target)
{
	const struct tr_access *a = &t->request.access[i];

	m->bounce = pool_take(t, m->bytes);
	target->dma = dma_next(t, m->bytes);
	if (a->dir & HW_READ)
		pieces_copy(t, m, m->bounce, m->bytes, true);
	else if (a->fill)
		pieces_copy(t, src, m->bounce, a->fill, true);
	window_open(t, target->dma, m->bytes, a->dir, m->bounce);
}

/* One range, which consists of many windows. */
static void merge(struct twin *t, const struct mapped *m, u8 dir, struct tr_target *target)
{
	u64 dma = target->dma = dma_next(t, m->bytes);
	u32 i;

	for (i = m->first; i < m->first + m->nr; i++) {
		window_open(t, dma, t->piece[i].len, dir, twin_at(t, MEDIATED, t->piece[i].addr));
		dma += t->piece[i].len;
	}
}

static u8 *table_new(struct twin *t, u64 *dma)
{
	u32 bytes = TR_TABLE_BYTES(t->how.capacity);
	u8 *table = pool_take(t, bytes);

	*dma = dma_next(t, bytes);
	window_open(t, *dma, bytes, HW_READ, table);
	return table;
}

static void list_make(struct twin *t, const struct mapped *m, u8 dir, struct tr_target *target)
{
	u32 i, left, n;
	struct tr_list l;
	u64 dma, next;
	u8 *table;

	target->list = true;
	tr_list_begin(&l, table_new(t, &target->dma), t->how.capacity);
	for (i = m->first; i < m->first + m->nr; i++) {
		dma = dma_next(t, t->piece[i].len);
		window_open(t, dma, t->piece[i].len, dir, twin_at(t, MEDIATED, t->piece[i].addr));
		for (left = t->piece[i].len; left; left -= n, dma += n) {
			n = tr_list_add(&l, dma, left);
			if (n)
				continue;
			table = table_new(t, &next);
			tr_list_chain(&l, table, next);
		}
	}
	tr_list_end(&l);
}

/* The device must find the end of a destination that ends early. */
static bool fits_flat(const struct twin *t, u32 i, const struct mapped *m)
{
	return m->bytes == t->request.access[i].len && (m->nr == 1 || t->how.merge || m->bytes <= t->how.bounce);
}

/* ZIP has one kind of buffer for both sides. */
static bool wants_lists(const struct twin *t, const struct mapped *m)
{
	u32 i;

	for (i = 0; t->q.engine == TR_ZIP && i < t->request.nr; i++)
		if (t->request.access[i].form == HW_FREE && !fits_flat(t, i, &m[i]))
			return true;
	return false;
}

static void map(struct twin *t, u32 i, struct mapped *m, bool list, struct tr_target *target)
{
	const struct tr_access *a = &t->request.access[i];

	target->bytes = m[i].bytes;
	if (a->form == HW_FREE && (list || !fits_flat(t, i, &m[i])))
		list_make(t, &m[i], a->dir, target);
	else if (m[i].bytes <= t->how.bounce || (m[i].nr > 1 && !t->how.merge))
		bounce(t, i, &m[i], m, target);
	else
		merge(t, &m[i], a->dir, target);
}

/* Pins and maps all that the request names. */
static bool prepare(struct twin *t, struct mapped *m, struct tr_target *target, u64 *slot)
{
	struct tr_user user = { copy_user, t };
	const struct tr_access *a;
	u32 i, first = 0;
	bool list;

	for (i = 0; i < t->request.nr; i++) {
		if (t->request.access[i].form == HW_SMALL)
			continue;
		if (!pin(t, i, &m[i], first))
			return false;
		first += m[i].nr;
	}
	t->why = TR_WHY_ADDRESS;
	if (tr_slot_fill(&t->request, t->slot, &user))
		return false;
	*slot = dma_next(t, t->request.slot_bytes);
	list = wants_lists(t, m);
	for (i = 0; i < t->request.nr; i++) {
		a = &t->request.access[i];
		if (a->form == HW_SMALL && a->dir & HW_WRITE && !there(t, a->addr, a->len))
			return false;
		/* A tag that is compared is read last. */
		if (a->form == HW_SMALL && (a->dir & HW_WRITE || (t->q.engine == TR_SEC && a->field == SEC_L_MAC)))
			use(t, a->addr, a->len, a->dir & HW_WRITE ? USE_WRITE : USE_LATE);
		if (a->form == HW_SMALL)
			window_open(t, *slot + a->at, a->len, a->dir, t->slot + a->at);
		else
			map(t, i, m, list, &target[i]);
	}
	return true;
}

static void deliver(struct twin *t, const struct mapped *m, const u32 *device)
{
	const struct tr_access *a;
	u32 i, bytes;

	for (i = 0; i < t->request.nr; i++) {
		a = &t->request.access[i];
		bytes = tr_deliver(&t->request, i, device);
		if (bytes > a->len)
			abort();
		if (a->form == HW_SMALL && bytes)
			memcpy(twin_at(t, MEDIATED, a->addr), t->slot + a->at, bytes);
		else if (m[i].bounce)
			pieces_copy(t, &m[i], m[i].bounce, bytes, false);
	}
}

static void begin(struct twin *t)
{
	memset(t->copied, 0, TWIN_BYTES);
	memset(t->use, 0, TWIN_BYTES);
	t->clash = false;
	t->map.root = NULL;
	t->twice = t->strays = t->accesses = t->windows = t->pool_used = 0;
}

void twin_translated(struct twin *t, u32 *sqe)
{
	struct mapped m[TR_ACCESSES_MAX] = { { 0 } };
	struct tr_target target[TR_ACCESSES_MAX] = { { 0 } };
	u64 slot = 0, zeroes;
	u32 device[TR_WORDS_MAX], status;

	begin(t);
	t->end = TWIN_REFUSED;
	status = tr_read(&t->request, &t->q, sqe);
	if (status) {
		tr_fail(&t->q, status, sqe);
		return;
	}
	t->pages = t->request.pages;
	t->end = TWIN_MEMORY;
	if (!prepare(t, m, target, &slot)) {
		tr_fail(&t->q, tr_status(&t->q, t->why), sqe);
		return;
	}
	t->end = TWIN_DONE;
	zeroes = dma_next(t, PAGE);
	window_open(t, zeroes, PAGE, HW_READ, t->zeroes);
	if (tr_write(&t->request, slot, target, zeroes, device))
		abort();
	run(t, device, false);
	tr_results(&t->request, device, sqe);
	deliver(t, m, device);
}

/* ------ comparison ------ */

bool twin_all_there(struct twin *t, bool *list)
{
	struct tr_user user = { copy_user, t };
	const struct tr_access *a;
	struct tr_piece piece;
	struct tr_walk w;
	bool all = true, flip = t->how.flip;
	u32 i, bytes;
	int ret;

	*list = true;
	t->how.flip = false;
	t->request.pages = t->pages;
	for (i = 0; i < t->request.nr; i++) {
		a = &t->request.access[i];
		if (a->form == HW_SMALL) {
			all = all && there(t, a->addr, a->len);
			continue;
		}
		tr_walk_begin(&w, &t->request, i, &user);
		for (bytes = 0; (ret = tr_walk_next(&w, &piece)) == 1; bytes += piece.len)
			all = all && there(t, piece.addr, piece.len);
		all = all && ret != -EFAULT;
		*list = *list && (!ret || ret == -EFAULT) && (bytes || ret);
	}
	t->how.flip = flip;
	return all;
}

/* The word of an address that only the low half of a verdict comes back in. */
static bool compared(const struct twin *t, u32 i)
{
	return t->q.engine != TR_HPRE || i != 7;
}

static bool mismatch(const struct twin *t, const u32 *sqe)
{
	return t->q.engine == TR_SEC && sec_get((const struct sec_bd *)sqe, SEC_BD_ICV) == SEC_ICV_MISMATCH;
}

/* With SVA the device looks at a list of which it skips all, and needs nothing. */
static bool skips_only(const struct twin *t, const u32 *sva)
{
	u32 status = twin_status(t, sva);

	return t->q.engine == TR_ZIP && t->request.nr_empty &&
	       (status == ZIP_ST_ADDRESS || status == ZIP_ST_BAD_SGL || status == ZIP_ST_NOSPACE);
}

static const char *differs(struct twin *t, const u32 *sva, const u32 *sqe)
{
	u32 i;

	if (!twin_good(t, sva))
		return twin_status(t, sva) == twin_status(t, sqe) || skips_only(t, sva) ? NULL :
		       "it fails in another way";
	for (i = 0; i < tr_sqe_bytes(&t->q) / 4; i++)
		if (compared(t, i) && sva[i] != sqe[i])
			return "a word of the descriptor differs";
	/* A wrong plaintext isn't delivered. */
	if (!mismatch(t, sva) && memcmp(t->user[SVA], t->user[MEDIATED], TWIN_BYTES))
		return "memory differs";
	return NULL;
}

const char *twin_compare(struct twin *t, u32 *sqe)
{
	bool accepted = twin_accepts(t, sqe), lists;
	u32 sva[TR_WORDS_MAX];

	memcpy(sva, sqe, sizeof(sva));
	twin_translated(t, sqe);
	if (t->strays)
		return "the device leaves what was mapped";
	if (accepted != (t->end != TWIN_REFUSED))
		return accepted ? "the table refuses what the model takes" : "the table takes what the model refuses";
	twin_sva(t, sva);
	t->sva_status = twin_status(t, sva);
	/* What was copied twice may have changed between both. */
	if (t->clash || (t->how.flip && t->twice))
		return NULL;
	if (t->end == TWIN_REFUSED)
		return twin_good(t, sva) ? "the model does what it refuses" : NULL;
	if (t->end == TWIN_DONE)
		return differs(t, sva, sqe);
	if (twin_good(t, sva) && twin_all_there(t, &lists) && lists)
		return "all memory is there, but the request failed";
	return NULL;
}

/* ------ the whole ------ */

static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

void twin_init(struct twin *t)
{
	u32 i;

	*t = (struct twin){
		.q = { TR_ZIP, 3, 0 }, .how = { .merge = true, .capacity = 126 },
		.kind = { [WDM_ZIP] = &emu_zip, [WDM_SEC] = &emu_sec, [WDM_HPRE] = &emu_hpre },
		.env = { .dma_read = dma_read, .dma_write = dma_write, .sva_read = sva_read, .sva_write = sva_write },
	};
	wdm_map_init(&t->map, 1);
	for (i = 0; i < 2; i++)
		t->user[i] = must(calloc(1, TWIN_BYTES));
	t->copied = must(calloc(1, TWIN_BYTES));
	t->use = must(calloc(1, TWIN_BYTES));
	t->window = must(calloc(TWIN_WINDOWS, sizeof(*t->window)));
	t->piece = must(calloc(TWIN_PIECES, sizeof(*t->piece)));
	t->slot = must(calloc(1, TR_SLOT_HPRE));
	t->zeroes = must(calloc(1, PAGE));
	t->pool = must(malloc(POOL_BYTES));
	for (i = 0; i < 3; i++) {
		t->ws[i] = must(t->kind[i]->ws_alloc());
		t->scratch_mem[i] = must(malloc(wdm_scratch_size()));
		t->scratch[i] = wdm_scratch_init(t->scratch_mem[i], t->ws[i]);
	}
}

void twin_free(struct twin *t)
{
	u32 i;

	for (i = 0; i < 3; i++) {
		t->kind[i]->ws_free(t->ws[i]);
		free(t->scratch_mem[i]);
	}
	for (i = 0; i < 2; i++)
		free(t->user[i]);
	free(t->copied);
	free(t->use);
	free(t->window);
	free(t->piece);
	free(t->slot);
	free(t->zeroes);
	free(t->pool);
}
