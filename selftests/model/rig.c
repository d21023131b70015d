// SPDX-License-Identifier: Apache-2.0
/* The test's side of a model device. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "echo.h"
#include "rig.h"
#include "emu.h"

#define GUARD_BYTES	4096
#define SENT_BYTES	((size_t)RIG_QUEUES * RIG_DEPTH * RIG_SQE_WORDS * sizeof(u32))

static unsigned char *inside(unsigned char *mem, u64 base, u64 bytes, u64 addr, u32 len)
{
	if (addr < base || len > bytes || addr - base > bytes - len)
		return NULL;
	return mem + (addr - base);
}

static int copy(void *to, const void *from, u32 len)
{
	if (!to || !from)
		return -EFAULT;
	memcpy(to, from, len);
	return 0;
}

static struct rig *of(void *host, u32 fn)
{
	struct rig *r = ((struct rig *)host)->fns[fn];

	if (!r)
		abort();
	return r;
}

static unsigned char *dma_at(void *host, u32 fn, u64 addr, u32 len)
{
	struct rig *r = of(host, fn);

	r->strays += r->lent;
	return inside(r->dma, RIG_DMA_BASE, RIG_DMA_BYTES, addr, len);
}

static int dma_read(void *host, u32 fn, u64 addr, void *buf, u32 len)
{
	return copy(buf, dma_at(host, fn, addr, len), len);
}

static int dma_write(void *host, u32 fn, u64 addr, const void *buf, u32 len)
{
	return copy(dma_at(host, fn, addr, len), buf, len);
}

static int dma_swap(void *host, u32 fn, u64 addr, u32 old, u32 new)
{
	u32 *p = (u32 *)(void *)dma_at(host, fn, addr, sizeof(u32));
	struct rig *pf = host;

	if (pf->on_swap)
		pf->on_swap(pf->on_swap_arg);
	if (!p)
		return -EFAULT;
	if (*p != old)
		return -EAGAIN;
	*p = new;
	return 0;
}

static unsigned char *user_at(void *host, u32 fn, u32 pasid, u64 addr, u32 len)
{
	struct rig *r = of(host, fn);

	if (r->pf->on_payload)
		r->pf->on_payload(r->pf->on_payload_arg);
	r->strays += r->lent;
	if (pasid != RIG_PASID || (addr < r->user_hole_end && addr + len > r->user_hole))
		return NULL;
	return inside(r->user, RIG_USER_BASE, RIG_USER_BYTES, addr, len);
}

static int sva_read(void *host, u32 fn, u32 pasid, u64 addr, void *buf, u32 len)
{
	return copy(buf, user_at(host, fn, pasid, addr, len), len);
}

static int sva_write(void *host, u32 fn, u32 pasid, u64 addr, const void *buf, u32 len)
{
	return copy(user_at(host, fn, pasid, addr, len), buf, len);
}

static void irq(void *host, u32 fn, u32 vector)
{
	of(host, fn)->irqs[vector]++;
}

static void fault(void *host, u32 kind)
{
	((struct rig *)host)->faults[kind]++;
}

static u64 now(void *host)
{
	return ((struct rig *)host)->now;
}

static void *need(void *p)
{
	if (!p)
		abort();
	return p;
}

/*
 * Zeroes, of which only touched pages cost memory: each of many short tests makes a rig. An access behind them ends the
 * test.
 */
static void *pages(size_t bytes)
{
	char *p = mmap(NULL, bytes + GUARD_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		       -1, 0);

	if (p == MAP_FAILED || mprotect(p + bytes, GUARD_BYTES, PROT_NONE))
		abort();
	return p;
}

static void pages_free(void *p, size_t bytes)
{
	munmap(p, bytes + GUARD_BYTES);
}

static const struct emu_kind * const kinds[] = { [WDM_ZIP] = &emu_zip, [WDM_SEC] = &emu_sec, [WDM_HPRE] = &emu_hpre };

u32 rig_sqe_bytes(const struct rig *r)
{
	return 1u << r->kind->sqe_shift;
}

static void function_begin(struct rig *r, struct rig *pf, u32 fn)
{
	r->pf = pf;
	r->fn = fn;
	pf->fns[fn] = r;
	r->bar2_bytes = wdm_bar_size(r->dev, fn, QM_BAR_REGS);
	r->bar2 = pages(r->bar2_bytes);
	r->bar4_bytes = wdm_bar_size(r->dev, fn, QM_BAR_DB);
	if (r->bar4_bytes)
		r->bar4 = pages(r->bar4_bytes);
	r->dma = pages(RIG_DMA_BYTES);
	r->user = pages(RIG_USER_BYTES);
	r->sent = (u32 *)(void *)pages(SENT_BYTES);
	if (wdm_function_attach(r->dev, fn, r->bar2, r->bar4))
		abort();
}

void rig_attach(struct rig *r, struct rig *pf, u32 fn)
{
	memset(r, 0, sizeof(*r));
	r->kind = pf->kind;
	r->generation = pf->generation;
	r->dev = pf->dev;
	function_begin(r, pf, fn);
}

void rig_init_bare(struct rig *r, const struct wdm_attr *attr)
{
	struct wdm_attr a = attr ? *attr : (struct wdm_attr){ .type = WDM_ZIP };

	if (!a.queues)
		a.queues = RIG_QUEUES;
	memset(r, 0, sizeof(*r));
	r->kind = kinds[a.type];
	r->generation = a.generation ? a.generation : WDM_GENERATION_LAST;
	r->now = 1000000000;
	r->env = (struct wdm_env){
		.dma_read = dma_read, .dma_write = dma_write, .dma_swap = dma_swap,
		.sva_read = sva_read, .sva_write = sva_write,
		.irq = irq, .now_ns = now, .fault = fault, .engine = r->kind->engine,
	};
	r->mem = need(malloc(wdm_device_size(&a)));
	r->dev = need(wdm_device_init(r->mem, &a, &r->env, r));
	r->scratch_mem = need(malloc(wdm_scratch_size()));
	r->engine_ws = need(r->kind->ws_alloc());
	r->scratch = wdm_scratch_init(r->scratch_mem, r->engine_ws);
	function_begin(r, r, WDM_PF);
}

static void regs_write(struct rig *r, const struct emu_reg *reg)
{
	for (; reg && reg->reg; reg++)
		rig_reg_set(r, reg->reg, reg->value);
}

void rig_engine_start(struct rig *r)
{
	rig_reg_set(r, QM_DB_TIMEOUT_CFG, QM_DB_TIMEOUT_NS);
	rig_reg_set(r, QM_MEM_START_INIT, 1);
	regs_write(r, r->kind->start[WDM_ROW(r->generation)]);
	regs_write(r, r->kind->sva[WDM_ROW(r->generation)]);
	rig_turn(r);
}

void rig_init(struct rig *r, const struct wdm_attr *attr)
{
	rig_init_bare(r, attr);
	rig_bring_up(r);
}

void rig_bring_up(struct rig *r)
{
	rig_engine_start(r);
	rig_vft_queues(r, WDM_PF, 0, RIG_QUEUES);
	rig_function_up(r);
}

void rig_function_up(struct rig *r)
{
	memset(r->q, 0, sizeof(r->q));
	r->dma_used = 0;
	r->eq_head = r->aeq_head = 0;
	r->eq = rig_dma_alloc(r, QM_EQ_DEPTH_V2 * 4);
	r->aeq = rig_dma_alloc(r, QM_AEQ_DEPTH_V2 * 4);
	if (rig_event_queue(r, QM_MB_CMD_EQC, r->eq, QM_EQ_DEPTH_V2) ||
	    rig_event_queue(r, QM_MB_CMD_AEQC, r->aeq, QM_AEQ_DEPTH_V2))
		abort();
	rig_reg_set(r, QM_EQ_INT_MASK, 0);
	rig_reg_set(r, QM_AEQ_INT_MASK, 0);
}

void rig_other_generation(struct rig *r, const struct wdm_attr *attr)
{
	r->other = need(malloc(sizeof(*r->other)));
	rig_init(r->other, attr);
	pages_free(r->other->user, RIG_USER_BYTES);
	r->other->user = r->user;
	r->other->user_hole = r->user_hole;
	r->other->user_hole_end = r->user_hole_end;
}

void rig_free(struct rig *r)
{
	if (r->pf != r) {
		wdm_function_detach(r->dev, r->fn);
		r->pf->fns[r->fn] = NULL;
	}
	pages_free(r->bar2, r->bar2_bytes);
	if (r->bar4)
		pages_free(r->bar4, r->bar4_bytes);
	pages_free(r->dma, RIG_DMA_BYTES);
	pages_free(r->sent, SENT_BYTES);
	if (r->other) {
		r->other->user = NULL;
		rig_free(r->other);
		free(r->other);
	}
	if (r->user)
		pages_free(r->user, RIG_USER_BYTES);
	if (r->pf == r) {
		free(r->mem);
		r->kind->ws_free(r->engine_ws);
		free(r->scratch_mem);
	}
}

u64 rig_dma_alloc(struct rig *r, u32 bytes)
{
	u64 at = RIG_DMA_BASE + r->dma_used;

	r->dma_used += (bytes + 63) & ~63u;
	if (r->dma_used > RIG_DMA_BYTES)
		abort();
	return at;
}

void *rig_dma(struct rig *r, u64 addr)
{
	return need(inside(r->dma, RIG_DMA_BASE, RIG_DMA_BYTES, addr, 0));
}

void *rig_user(struct rig *r, u64 addr)
{
	return need(inside(r->user, RIG_USER_BASE, RIG_USER_BYTES, addr, 0));
}

void rig_turn(struct rig *r)
{
	struct rig *pf = r->pf;
	struct wdm_job *job;

	wdm_poll(pf->dev, &pf->look);
	while (!pf->hold_jobs && (job = wdm_job_next(pf->dev))) {
		wdm_job_run(job, pf->scratch);
		wdm_job_done(pf->dev, job);
	}
}

void rig_run(struct rig *r, u64 ns)
{
	struct rig *pf = r->pf;
	u64 end = pf->now + ns;

	rig_turn(pf);
	while (pf->now < end) {
		pf->now += RIG_STEP_NS;
		rig_turn(pf);
	}
}

u32 rig_reg(struct rig *r, u32 reg)
{
	return wdm_readl(r->bar2 + reg);
}

u64 rig_reg64(struct rig *r, u32 reg)
{
	return wdm_readq(r->bar2 + reg);
}

void rig_reg_set(struct rig *r, u32 reg, u32 value)
{
	wdm_writel(value, r->bar2 + reg);
}

void rig_mailbox_write(struct rig *r, u32 cmd, u32 flags, u32 queue, u64 base)
{
	rig_reg_set(r, QM_MB, cmd | flags | QM_MB_BUSY | queue << 16);
	rig_reg_set(r, QM_MB_DATA_L, (u32)base);
	rig_reg_set(r, QM_MB_DATA_H, (u32)(base >> 32));
	rig_reg_set(r, QM_MB_LAST, 0);
}

int rig_mailbox(struct rig *r, u32 cmd, u32 flags, u32 queue, u64 base)
{
	struct rig *pf = r->pf;
	u64 end = pf->now + 1000000000ull;

	rig_mailbox_write(r, cmd, flags, queue, base);
	while (pf->now < end) {
		rig_turn(r);
		if (!(rig_reg(r, QM_MB) & QM_MB_BUSY))
			return (rig_reg(r, QM_MB) & QM_MB_STATUS_MASK) >> QM_MB_STATUS_SHIFT;
		pf->now += RIG_STEP_NS;
	}
	return -1;
}

void rig_vft(struct rig *r, u32 type, u32 fn, u64 entry)
{
	rig_reg_set(r, QM_VFT_OP_WR, 0);
	rig_reg_set(r, QM_VFT_TYPE, type);
	rig_reg_set(r, QM_VFT_FUNC, fn);
	rig_reg_set(r, QM_VFT_DATA_L, (u32)entry);
	rig_reg_set(r, QM_VFT_DATA_H, (u32)(entry >> 32));
	rig_reg_set(r, QM_VFT_RDY, 0);
	rig_reg_set(r, QM_VFT_OP_ENABLE, 1);
	rig_turn(r);
}

void rig_vft_queues(struct rig *r, u32 fn, u32 base, u32 num)
{
	u64 entry = num ? (u64)base << QM_VFT_SQC_BASE_SHIFT | QM_VFT_SQC_VALID |
			  (u64)(num - 1) << QM_VFT_SQC_NUM_SHIFT : 0;

	rig_vft(r, QM_VFT_TYPE_SQC, fn, entry);
	rig_vft(r, QM_VFT_TYPE_CQC, fn, num ? QM_VFT_CQC_VALID : 0);
}

int rig_event_queue(struct rig *r, u32 cmd, u64 at, u32 depth)
{
	struct qm_eqc qc = { .base_l = (u32)at, .base_h = (u32)(at >> 32), .dw6 = (depth - 1) | QM_EQC_DW6_PHASE };
	u64 where = rig_dma_alloc(r, sizeof(qc));

	memcpy(rig_dma(r, where), &qc, sizeof(qc));
	return rig_mailbox(r, cmd, 0, 0, where);
}

void rig_sqc(struct rig *r, struct rig_queue *q, const struct rig_queue_opts *o, struct qm_sqc *sqc)
{
	q->sq_depth = o && o->sq_depth ? o->sq_depth : RIG_DEPTH;
	if (!q->sq)
		q->sq = rig_dma_alloc(r, RIG_DEPTH * rig_sqe_bytes(r));
	*sqc = (struct qm_sqc){
		.base_l = (u32)q->sq, .base_h = (u32)(q->sq >> 32),
		.dw3 = (q->sq_depth - 1) | r->kind->sqe_shift << QM_QC_ENTRY_SHIFT, .cq_num = (u16)q->id,
		.w13 = QM_SQC_W13_ORDER_ONE,
	};
	if (!o || !o->no_pasid) {
		sqc->pasid = RIG_PASID;
		sqc->w11 = wdm_generation(r->generation)->pasid_bits ? QM_SQC_W11_PASID : 0;
	}
	if (o) {
		sqc->w8 = (u16)o->rand;
		sqc->w13 = (u16)(sqc->w13 | o->prio | o->alg << QM_SQC_W13_ALG_SHIFT);
	}
}

void rig_cqc(struct rig *r, struct rig_queue *q, const struct rig_queue_opts *o, struct qm_cqc *cqc)
{
	q->cq_depth = o && o->cq_depth ? o->cq_depth : RIG_DEPTH;
	if (!q->cq)
		q->cq = rig_dma_alloc(r, RIG_DEPTH * sizeof(struct qm_cqe));
	memset(rig_dma(r, q->cq), 0, RIG_DEPTH * sizeof(struct qm_cqe));
	*cqc = (struct qm_cqc){
		.base_l = (u32)q->cq, .base_h = (u32)(q->cq >> 32),
		.dw3 = (q->cq_depth - 1) | 4 << QM_QC_ENTRY_SHIFT,
		.dw6 = QM_CQC_DW6_PHASE | QM_CQC_DW6_C_FLAG,
	};
}

int rig_queue_start(struct rig *r, u32 id, const struct rig_queue_opts *o)
{
	struct rig_queue *q = &r->q[id];
	u64 at = rig_dma_alloc(r, QM_QC_SIZE);
	struct qm_sqc sqc;
	struct qm_cqc cqc;
	int status;

	q->id = id;
	q->tail = 0;
	q->cq_head = 0;
	q->cq_phase = 1;
	rig_sqc(r, q, o, &sqc);
	memcpy(rig_dma(r, at), &sqc, sizeof(sqc));
	status = rig_mailbox(r, QM_MB_CMD_SQC, 0, id, at);
	if (status)
		return status;
	rig_cqc(r, q, o, &cqc);
	memcpy(rig_dma(r, at), &cqc, sizeof(cqc));
	return rig_mailbox(r, QM_MB_CMD_CQC, 0, id, at);
}

int rig_queue_stop(struct rig *r, u32 id)
{
	return rig_mailbox(r, QM_MB_CMD_STOP_QP, 0, id, 0);
}

u32 *rig_slot(struct rig *r, u32 q, u32 slot)
{
	return rig_dma(r, r->q[q].sq + (u64)slot * rig_sqe_bytes(r));
}

u32 rig_push(struct rig *r, u32 q, const void *sqe)
{
	u32 slot = r->q[q].tail;

	memcpy(rig_slot(r, q, slot), sqe, rig_sqe_bytes(r));
	echo_sent(r, q, slot);
	r->q[q].tail = (slot + 1) % r->q[q].sq_depth;
	return slot;
}

bool rig_store(struct rig *r, u32 q, const void *sqe, u32 n)
{
	static const u32 part[] = { 0, 1, 3, 2 };
	u32 at = 32 * part[n / 4 % 4] + 8 * (n % 4);

	if (n >= rig_sqe_bytes(r) / 8)
		return false;
	memcpy((char *)rig_slot(r, q, r->q[q].tail) + at, (const char *)sqe + at, 8);
	return true;
}

void rig_ring(struct rig *r, u32 q, u64 value)
{
	wdm_writeq(value, (r->bar4 ? r->bar4 + (size_t)q * QM_DB_WINDOW : r->bar2) + QM_DB_SQ_CQ);
	if (!r->hold_db)
		rig_turn(r);
}

void rig_ring_sq(struct rig *r, u32 q)
{
	rig_ring(r, q, qm_db_value((u16)q, QM_DB_CMD_SQ, (u16)r->q[q].tail, 0));
}

void rig_ring_cq(struct rig *r, u32 q, bool arm)
{
	rig_ring(r, q, qm_db_value((u16)q, QM_DB_CMD_CQ, (u16)r->q[q].cq_head, arm));
}

void rig_ring_eq(struct rig *r)
{
	wdm_writeq(qm_db_value(0, QM_DB_CMD_EQ, (u16)(r->eq_head % QM_EQ_DEPTH_V2), 0), r->bar2 + QM_DB_EQ_AEQ);
	rig_turn(r);
}

int rig_pop(struct rig *r, u32 id)
{
	struct rig_queue *q = &r->q[id];
	struct qm_cqe *cqe = rig_dma(r, q->cq + q->cq_head * sizeof(*cqe));

	if ((cqe->w7 & QM_CQE_PHASE) != q->cq_phase)
		return -1;
	if (cqe->sq_num != id)
		abort();
	q->cq_head = (q->cq_head + 1) % q->cq_depth;
	if (!q->cq_head)
		q->cq_phase ^= 1;
	echo_check(r, id, cqe->sq_head);
	return cqe->sq_head;
}

static int event(struct rig *r, u64 ring, u32 depth, u32 *head)
{
	u32 entry = ((u32 *)rig_dma(r, ring))[*head % depth];

	if ((entry & QM_EQE_PHASE ? 1u : 0u) == (*head / depth & 1))
		return -1;
	++*head;
	return (int)((entry & QM_EQE_QN_MASK) | entry >> QM_AEQE_TYPE_SHIFT << 16);
}

int rig_event(struct rig *r)
{
	return event(r, r->eq, QM_EQ_DEPTH_V2, &r->eq_head);
}

int rig_async_event(struct rig *r)
{
	return event(r, r->aeq, QM_AEQ_DEPTH_V2, &r->aeq_head);
}

enum wdm_refusal rig_refusal(struct rig *r)
{
	struct wdm_refused why;

	wdm_last_refusal(r->dev, &why);
	return why.reason;
}

u64 rig_refused(struct rig *r, enum wdm_refusal reason)
{
	return wdm_device_stats(r->dev)->refused[reason];
}

u64 rig_recovered(struct rig *r)
{
	return wdm_device_stats(r->dev)->sq_recovered;
}

void rig_sqe(struct zip_sqe *sqe, u32 type, u64 src, u32 len, u64 dst, u32 room)
{
	*sqe = (struct zip_sqe){
		.input_data_length = len, .dw7 = ZIP_SQE_TYPE_3 << ZIP_DW7_SQE_TYPE_SHIFT,
		.dw9 = type | ZIP_WIN_32K << ZIP_DW9_WIN_SHIFT, .dest_avail_out = room,
		.source_addr_l = (u32)src, .source_addr_h = (u32)(src >> 32),
		.dest_addr_l = (u32)dst, .dest_addr_h = (u32)(dst >> 32),
	};
}

bool rig_do(struct rig *r, u32 q, void *sqe)
{
	u32 slot = rig_push(r, q, sqe);

	rig_ring_sq(r, q);
	rig_run(r, RIG_STEP_NS);
	if (rig_pop(r, q) != (int)slot)
		return false;
	memcpy(sqe, rig_slot(r, q, slot), rig_sqe_bytes(r));
	rig_ring_cq(r, q, false);
	return true;
}
