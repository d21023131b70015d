// SPDX-License-Identifier: Apache-2.0
/*
 * A PF, two VFs whose drivers are right, and a hostile one do all that they can, in random order: requests, messages,
 * resets, limits, faults, records. The hostile function never changes an answer or the memory of the others.
 * WD_TEST_SEED=N repeats one run, and WD_TEST_LONG=1 does hundreds.
 */
#include <stdio.h>
#include <stdlib.h>
#include "kselftest_harness.h"
#include "host.h"
#include "mix.h"
#include "record.h"

#define VFS		3
#define FNS		(VFS + 1)
#define MOVED		2	/* the VF that is saved and loaded */
#define MAD		3
#define SHARE		(RIG_QUEUES / FNS)
#define JOBS		6
#define STEPS		1500
#define RUNS		12	/* of each engine */
#define LONG_RUNS	300
#define PATIENCE	20000	/* looks */
#define PART		(64u << 10)
#define CANARY		(RIG_USER_BASE + (20u << 20))
#define CANARY_BYTES	4096

/* What a driver knows of its messages to the other side, oldest first: one that was fetched, and what came after it. */
struct mail {
	u64 text[2];
	u32 n;
	bool fetched;
};

struct fn {
	bool up, fresh, sending;
	u32 irqs;		/* seen */
	u32 submitted[SHARE], done[SHARE];
	struct mail out;	/* of a VF, to the PF */
	u64 in;			/* to a VF, and not fetched; 0: none */
	bool in_fetched;
	u64 tables;
	struct mix_req req[SHARE];
};

struct world {
	enum wdm_type type;
	u64 random, hash;
	const char *wrong;
	u32 step;
	u64 batch;		/* what the PF's handler has still to do */
	struct wdm_job *job[JOBS];
	struct fn fn[FNS];
	struct rig r[FNS];
};

static u32 below(struct world *w, u32 n)
{
	return (u32)(mix_random(&w->random) % n);
}

static void must(struct world *w, bool ok, const char *what)
{
	if (!ok && !w->wrong)
		w->wrong = what;
}

static void note(struct world *w, u64 value)
{
	w->hash = (w->hash ^ value) * 0x100000001b3ull;
}

/* --- workers --- */

static void work(struct world *w, bool all)
{
	u32 i, n = below(w, JOBS);

	for (i = 0; i < JOBS; i++)
		if (!w->job[i])
			w->job[i] = wdm_job_next(w->r[0].dev);
	for (i = 0; i < JOBS; i++)
		if (w->job[i] && (all || i == n)) {
			wdm_job_run(w->job[i], w->r[0].scratch);
			wdm_job_done(w->r[0].dev, w->job[i]);
			w->job[i] = NULL;
		}
}

static void look(struct world *w, bool all)
{
	rig_turn(&w->r[0]);
	work(w, all);
	w->r[0].now += RIG_STEP_NS;
}

/* --- requests --- */

static u64 part_of(u32 q)
{
	return RIG_USER_BASE + q * PART;
}

static void submit(struct world *w, u32 fn, u32 q)
{
	struct mix_req *req = &w->fn[fn].req[q];
	struct rig *r = &w->r[fn];

	if (!w->fn[fn].up || req->busy)
		return;
	mix_make(w->type, r, q, part_of(q), &w->random, req);
	req->slot = rig_push(r, q, req->sqe);
	req->busy = true;
	w->fn[fn].submitted[q]++;
	rig_ring_sq(r, q);
}

static void finish(struct world *w, u32 fn, u32 q)
{
	struct mix_req *req = &w->fn[fn].req[q];
	struct rig *r = &w->r[fn];
	int slot;

	if (!w->fn[fn].up || fn == MAD)
		return;
	slot = rig_pop(r, q);
	if (slot < 0)
		return;
	note(w, fn << 16 | q << 12 | (u32)slot);
	must(w, req->busy && slot == (int)req->slot, "a completion that nobody waits for");
	must(w, !req->busy || mix_is_right(w->type, r, req, rig_slot(r, q, (u32)slot)), "a wrong answer");
	req->busy = false;
	w->fn[fn].done[q]++;
	rig_ring_cq(r, q, below(w, 2));
}

static bool is_idle(const struct world *w, u32 fn)
{
	u32 q;

	for (q = 0; q < SHARE; q++)
		if (w->fn[fn].req[q].busy)
			return false;
	return true;
}

static void drain(struct world *w, u32 fn)
{
	u32 i, q;

	for (i = 0; i < PATIENCE && !is_idle(w, fn); i++) {
		look(w, true);
		for (q = 0; q < SHARE; q++)
			finish(w, fn, q);
	}
	must(w, is_idle(w, fn), "a request that doesn't end");
}

/* --- life of a function --- */

static void canaries_put(struct world *w, u32 fn)
{
	if (fn != MAD)
		memset(rig_user(&w->r[fn], CANARY), 0xc0 + (int)fn, CANARY_BYTES);
}

static void canaries_check(struct world *w)
{
	u32 fn, i;

	for (fn = 0; fn < FNS; fn++) {
		const unsigned char *p = rig_user(&w->r[fn], CANARY);

		must(w, !w->r[fn].strays, "memory used after a reset");
		for (i = 0; fn != MAD && i < CANARY_BYTES; i++)
			must(w, p[i] == 0xc0 + fn, "memory of another function");
	}
}

static void fn_up(struct world *w, u32 fn)
{
	struct rig *r = &w->r[fn];
	u32 q;

	r->lent = false;
	r->pf->hold_jobs = true;
	rig_function_up(r);
	w->fn[fn].tables = rig_dma_alloc(r, 2 * SHARE * QM_QC_SIZE);
	must(w, !rig_mailbox(r, QM_MB_CMD_SQC_BT, 0, 0, w->fn[fn].tables) &&
	     !rig_mailbox(r, QM_MB_CMD_CQC_BT, 0, 0, w->fn[fn].tables + SHARE * QM_QC_SIZE), "tables are refused");
	for (q = 0; q < SHARE; q++)
		must(w, !rig_queue_start(r, q, &(struct rig_queue_opts){ .alg = mix_alg(w->type, q) }),
		     "a queue doesn't start");
	rig_reg_set(r, QM_IFC_INT_MASK, 0);
	rig_turn(r);
	w->fn[fn].up = true;
}

/* The reset is over when no worker has a job of the function. */
static void fn_wait(struct world *w, u32 fn)
{
	u32 i;

	for (i = 0; i < PATIENCE && wdm_function_busy(w->r[0].dev, fn); i++)
		look(w, true);
	must(w, !wdm_function_busy(w->r[0].dev, fn), "a reset that doesn't end");
}

static void fn_forget(struct world *w, u32 fn, bool all)
{
	struct fn *f = &w->fn[fn];

	f->up = f->sending = f->in_fetched = false;
	f->in = 0;
	f->irqs = w->r[fn].irqs[WDM_IRQ_MSG];
	memset(f->req, 0, sizeof(f->req));
	memset(f->submitted, 0, sizeof(f->submitted));
	memset(f->done, 0, sizeof(f->done));
	if (all)
		f->out = (struct mail){ 0 };
}

static void vf_reset(struct world *w, u32 fn)
{
	if (!w->fn[fn].up)
		return;
	wdm_function_reset(w->r[0].dev, fn);
	fn_forget(w, fn, false);
	fn_wait(w, fn);
	/* Its memory is someone else's until its driver begins anew. */
	w->r[fn].lent = true;
}

static void shares_set(struct world *w)
{
	u32 fn;

	rig_engine_start(&w->r[0]);
	for (fn = 0; fn < FNS; fn++)
		rig_vft_queues(&w->r[0], fn, fn * SHARE, SHARE);
}

static void device_reset(struct world *w, bool whole)
{
	u32 fn;

	if (whole)
		wdm_device_reset(w->r[0].dev);
	else
		wdm_function_reset(w->r[0].dev, WDM_PF);
	fn_wait(w, WDM_PF);
	w->batch = 0;
	for (fn = 0; fn < FNS; fn++) {
		fn_forget(w, fn, true);
		w->r[fn].lent = true;
	}
	for (fn = below(w, 50); fn; fn--)
		look(w, false);
	shares_set(w);
	for (fn = 0; fn < FNS; fn++)
		fn_up(w, fn);
}

static void world_begin(struct world *w, enum wdm_type type, u64 seed)
{
	struct wdm_attr attr = { .type = type, .functions = FNS, .per_fn_max = SHARE };
	u32 fn;

	memset(w, 0, sizeof(*w));
	w->type = type;
	w->random = seed;
	rig_init_bare(&w->r[0], &attr);
	for (fn = 1; fn < FNS; fn++)
		rig_attach(&w->r[fn], &w->r[0], fn);
	shares_set(w);
	for (fn = 0; fn < FNS; fn++) {
		fn_up(w, fn);
		canaries_put(w, fn);
	}
}

static void world_end(struct world *w)
{
	u32 fn;

	for (fn = FNS; fn-- > 0;)
		rig_free(&w->r[fn]);
}

/* --- messages --- */

static void vf_sends(struct world *w, u32 fn)
{
	struct fn *f = &w->fn[fn];
	struct rig *r = &w->r[fn];
	u64 text = mix_random(&w->random) << 8 | fn;

	if (!f->up || (f->sending && rig_reg(r, QM_IFC_INT_SET_V)))
		return;
	must(w, !f->sending || !f->out.n, "acknowledged before it was fetched");
	must(w, !rig_mailbox(r, QM_MB_CMD_SRC, 0, WDM_PF, text), "a VF's message is refused");
	rig_reg_set(r, QM_IFC_INT_SET_V, 1);
	rig_turn(r);
	f->sending = true;
	f->out.n = f->out.n && f->out.fetched ? 2 : 1;
	f->out.text[f->out.n - 1] = text;
}

static bool fetch(struct rig *r, u32 from, u64 *text)
{
	if (rig_mailbox(r, QM_MB_CMD_DST, 0, from, 0))
		return false;
	*text = rig_reg64(r, QM_MB_DATA_L);
	return true;
}

/* One step of the handler: reads the register once, then fetches and acknowledges each message. */
static void pf_handles(struct world *w)
{
	struct rig *pf = &w->r[0];
	struct fn *f;
	u64 text = 0;
	u32 i = 1;

	if (!w->batch) {
		if (w->fn[0].irqs == pf->irqs[WDM_IRQ_MSG])
			return;
		w->fn[0].irqs = pf->irqs[WDM_IRQ_MSG];
		w->batch = rig_reg64(pf, QM_IFC_INT_SOURCE_P);
		return;
	}
	while (!(w->batch >> i & 1))
		i++;
	f = &w->fn[i];
	if (i == MAD || !f->out.fetched) {
		must(w, fetch(pf, i, &text), "the PF can't fetch what it was shown");
		must(w, i == MAD || text == f->out.text[0], "the PF gets another message");
		f->out.fetched = true;
		if (i != MAD)
			return;
	}
	wdm_writeq(1ull << i, pf->bar2 + QM_IFC_INT_SOURCE_P);
	rig_reg_set(pf, QM_IFC_INT_SOURCE_V, 1);
	rig_turn(pf);
	f->out = (struct mail){ .n = f->out.n == 2, .text = { f->out.text[1] } };
	w->batch &= ~(1ull << i);
	must(w, !w->batch || !(rig_reg64(pf, QM_IFC_INT_SOURCE_P) & ~w->batch), "shown before the batch is done");
}

static void pf_sends(struct world *w, u32 fn)
{
	struct rig *pf = &w->r[0];
	u64 text = mix_random(&w->random) | 1;

	if (!w->fn[fn].up || (rig_reg64(pf, QM_IFC_READY_STATUS) >> fn & 1))
		return;
	must(w, !w->fn[fn].in && !w->fn[fn].in_fetched, "ready before the acknowledgement");
	must(w, !rig_mailbox(pf, QM_MB_CMD_SRC, 0, fn, text), "the PF's message is refused");
	rig_reg_set(pf, QM_IFC_INT_CFG, fn);
	rig_reg_set(pf, QM_IFC_INT_SET_P, 1);
	rig_turn(pf);
	w->fn[fn].in = text;
}

static void vf_handles(struct world *w, u32 fn)
{
	struct rig *r = &w->r[fn];
	struct fn *f = &w->fn[fn];
	u64 text = 0;

	if (!f->up)
		return;
	if (f->in_fetched) {
		rig_reg_set(r, QM_IFC_INT_SOURCE_V, 1);
		rig_turn(r);
		f->in_fetched = false;
	} else if (f->irqs != r->irqs[WDM_IRQ_MSG]) {
		f->irqs = r->irqs[WDM_IRQ_MSG];
		must(w, fetch(r, WDM_PF, &text) && text == f->in, "a VF gets another message");
		f->in = 0;
		f->in_fetched = true;
	}
}

/* --- the others --- */

static void mad_descriptor(struct world *w)
{
	struct rig *r = &w->r[MAD];
	u32 q = below(w, SHARE), i;
	struct mix_req req;
	u32 words[32];

	mix_make(w->type, r, q, below(w, 2) ? CANARY : part_of(q), &w->random, &req);
	memcpy(words, req.sqe, sizeof(words));
	for (i = below(w, 4); i; i--)
		words[below(w, rig_sqe_bytes(r) / 4)] = (u32)mix_random(&w->random);
	if (!r->q[q].sq)
		return;
	rig_push(r, q, words);
	rig_ring_sq(r, q);
}

static void mad_step(struct world *w)
{
	struct rig *r = &w->r[MAD];
	u32 q = below(w, SHARE), i;

	if (!w->fn[MAD].up)
		return;
	switch (below(w, 6)) {
	case 0:
		rig_reg_set(r, below(w, (u32)r->bar2_bytes / 4) * 4, (u32)mix_random(&w->random));
		break;
	case 1:
		rig_mailbox_write(r, below(w, 16), below(w, 2) ? QM_MB_OP_GET : 0, below(w, SHARE + 2),
				  RIG_DMA_BASE + below(w, RIG_DMA_BYTES + 4096));
		break;
	case 2:
		wdm_writeq(mix_random(&w->random), r->bar4 + (size_t)below(w, (u32)(r->bar4_bytes / 8)) * 8);
		break;
	case 3:
		for (i = 0; i < 64; i++)
			((u32 *)r->dma)[below(w, r->dma_used / 4)] = (u32)mix_random(&w->random);
		break;
	case 4:
		wdm_writeq(qm_db_value((u16)q, below(w, 2), (u16)below(w, RIG_DEPTH), 0),
			   r->bar4 + (size_t)q * QM_DB_WINDOW + QM_DB_SQ_CQ);
		break;
	default:
		mad_descriptor(w);
	}
	rig_turn(r);
}

/* Faults concern a queue of the hostile function only. */
static void fault(struct world *w)
{
	static const u32 kinds[] = { WDM_FAULT_FAIL, WDM_FAULT_DELAY, WDM_FAULT_REORDER, WDM_FAULT_DROP,
				     WDM_FAULT_DUPLICATE, WDM_FAULT_CORRUPT, WDM_FAULT_STUCK };
	u32 kind = kinds[below(w, 7)];
	struct wdm_fault_rule rule = {
		.one_in = below(w, 3) * 2, .burst = 1, .queue = MAD * SHARE + below(w, SHARE),
		.value = kind == WDM_FAULT_DELAY ? 500000 : 0,
	};

	must(w, !wdm_fault_set(w->r[0].dev, kind, &rule), "a fault is refused");
}

static void limit(struct world *w)
{
	static const u64 entries[] = { 0, 0x6088c0, 0x808378, 0x988696 };

	rig_reg_set(&w->r[0], QM_SHAPER_CFG, below(w, 4) ? QM_SHAPER_CFG_ENABLE : 0);
	rig_vft(&w->r[0], QM_VFT_TYPE_SHAPER, below(w, FNS), entries[below(w, 4)]);
}

static u32 counted(struct world *w, u32 select, u32 reg, u32 fn, u32 q)
{
	rig_reg_set(&w->r[0], select, fn | q << QM_DFX_SELECT_QUEUE_SHIFT);
	rig_turn(&w->r[0]);
	rig_turn(&w->r[0]);
	return rig_reg(&w->r[0], reg);
}

static void count(struct world *w, u32 fn)
{
	u32 q;

	if (!w->fn[fn].up || fn == MAD)
		return;
	drain(w, fn);
	for (q = 0; q < SHARE; q++) {
		u32 sqes = counted(w, QM_DFX_SQE_SELECT, QM_DFX_SQE_CNT, fn, q);
		u32 cqes = counted(w, QM_DFX_CQE_SELECT, QM_DFX_CQE_CNT, fn, q);

		note(w, (u64)sqes << 32 | cqes);
		must(w, sqes == w->fn[fn].submitted[q] && cqes == w->fn[fn].done[q], "counters that don't add up");
	}
}

/* Pauses the function, saves it, resets it, and lets it go on from its record. */
static void move(struct world *w)
{
	struct fn *f = &w->fn[MOVED];
	struct rig *r = &w->r[MOVED];
	struct qm_migration record;

	if (!f->up || f->out.n || f->in || f->in_fetched)
		return;
	submit(w, MOVED, below(w, SHARE));
	work(w, true);
	r->pf->hold_jobs = false;
	must(w, !host_stop(r), "a function that can't be paused");
	must(w, wdm_record_save(r->dev, MOVED, &record, sizeof(record)) == (int)sizeof(record), "no record");
	wdm_function_reset(r->dev, MOVED);
	fn_wait(w, MOVED);
	must(w, wdm_record_load(r->dev, MOVED, &record, sizeof(record)) == 1, "a record that can't be loaded");
	host_start(r);
	rig_turn(r);
	r->pf->hold_jobs = true;
	f->irqs = r->irqs[WDM_IRQ_MSG];
	f->sending = false;
	drain(w, MOVED);
	memset(f->submitted, 0, sizeof(f->submitted));
	memset(f->done, 0, sizeof(f->done));
	/* Its counters begin with the loading, which may be in the middle of a request. */
	f->fresh = true;
}

static void step(struct world *w)
{
	u32 fn = below(w, FNS), good = below(w, MAD), vf = 1 + below(w, MAD - 1), kind = below(w, 1000);

	if (kind < 250)
		submit(w, good, below(w, SHARE));
	else if (kind < 500)
		finish(w, good, below(w, SHARE));
	else if (kind < 700)
		mad_step(w);
	else if (kind < 760)
		vf_sends(w, vf);
	else if (kind < 840)
		pf_handles(w);
	else if (kind < 870)
		pf_sends(w, vf);
	else if (kind < 920)
		vf_handles(w, vf);
	else if (kind < 940)
		fault(w);
	else if (kind < 955)
		limit(w);
	else if (kind < 970)
		w->fn[good].fresh ? (void)0 : count(w, good);
	else if (kind < 990 && fn)
		w->fn[fn].up ? vf_reset(w, fn) : (w->fn[fn].fresh = false, fn_up(w, fn));
	else if (kind < 994)
		move(w);
	else if (kind < 996)
		device_reset(w, kind & 1);
	look(w, false);
	if (!(w->step % 64))
		canaries_check(w);
}

/* Everything ends: requests, messages; then each queue stops and starts again. */
static void settle(struct world *w)
{
	u32 fn, q, i;

	for (fn = 0; fn < FNS; fn++)
		if (!w->fn[fn].up || fn == MAD) {
			if (w->fn[fn].up)
				vf_reset(w, fn);
			fn_up(w, fn);
		}
	for (i = 0; i < 200; i++) {
		look(w, true);
		pf_handles(w);
		for (fn = 1; fn < MAD; fn++)
			vf_handles(w, fn);
	}
	for (fn = 0; fn < FNS; fn++) {
		must(w, fn == MAD || (!w->fn[fn].out.n && !w->fn[fn].in), "a message that doesn't arrive");
		drain(w, fn);
		w->r[0].hold_jobs = false;
		for (q = 0; q < SHARE; q++) {
			must(w, !rig_queue_stop(&w->r[fn], q), "a queue that doesn't stop");
			must(w, !rig_queue_start(&w->r[fn], q, &(struct rig_queue_opts){ .alg = mix_alg(w->type, q) }),
			     "a queue that doesn't start again");
		}
		w->r[0].hold_jobs = true;
		for (q = 0; q < SHARE && fn != MAD; q++)
			submit(w, fn, q);
		drain(w, fn);
	}
	canaries_check(w);
}

static u64 run(struct world *w, enum wdm_type type, u64 seed)
{
	u32 kind;

	world_begin(w, type, seed);
	for (w->step = 0; w->step < STEPS && !w->wrong; w->step++)
		step(w);
	for (kind = 0; kind < WDM_FAULT_NR && kind != WDM_FAULT_PAGE; kind++)
		wdm_fault_set(w->r[0].dev, kind, &(struct wdm_fault_rule){ .queue = WDM_FAULT_ANY });
	if (!w->wrong)
		settle(w);
	world_end(w);
	return w->hash;
}

static struct world w;

TEST(a_hostile_function_changes_nothing_for_the_others)
{
	const char *seed = getenv("WD_TEST_SEED"), *more = getenv("WD_TEST_LONG");
	u64 n = seed ? 1 : more ? LONG_RUNS : RUNS, first = seed ? strtoull(seed, NULL, 0) : 1, i;
	enum wdm_type type;

	for (i = first; i < first + n; i++)
		for (type = WDM_ZIP; type <= WDM_HPRE; type++) {
			run(&w, type, i);
			ASSERT_EQ(NULL, w.wrong) TH_LOG("%s, engine %d, WD_TEST_SEED=%llu, step %u", w.wrong, type,
							(unsigned long long)i, w.step);
		}
}

TEST(the_same_seed_is_the_same_run)
{
	enum wdm_type type;
	u64 hash;

	for (type = WDM_ZIP; type <= WDM_HPRE; type++) {
		hash = run(&w, type, 77);
		EXPECT_EQ(hash, run(&w, type, 77));
		EXPECT_NE(hash, run(&w, type, 78));
	}
}

TEST_HARNESS_MAIN
