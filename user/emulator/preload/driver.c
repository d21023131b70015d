// SPDX-License-Identifier: Apache-2.0
/* The kernel driver's part: registers, mailbox, queue contexts, interrupts. */
#include <stdint.h>
#include <misc/uacce/hisi_qm.h>
#include "emu.h"
#include "mediate.h"

#define EQ_AT		0
#define AEQ_AT		(QM_EQ_DEPTH_V2 * 4)
#define QC_AT		(AEQ_AT + QM_AEQ_DEPTH_V2 * 4)
#define PARKED_AT	(QC_AT + QM_QC_SIZE)
#define MAILBOX_LIMIT_NS 30000000000ull
#define MAILBOX_NAP_NS	100000ull
#define PASID		1
#define DRAIN_LIMIT_NS	10000000000ull
#define DRAIN_NAP_NS	100000ull
#define PARKED_DEPTH	2
/* That one request of a mediated queue may name */
#define PAGES_ZIP	4610
#define PAGES_SEC	8704
#define PAGES_HPRE	8

static u32 reg_read(struct emu_device *dev, u32 reg)
{
	return wdm_readl(dev->bar2 + reg);
}

static void reg_write(struct emu_device *dev, u32 reg, u32 value)
{
	wdm_writel(value, dev->bar2 + reg);
}

/* The device's address of something in the driver's rings */
static u64 bus(const struct emu_device *dev, const u8 *p)
{
	return dev->mediated ? dev->rings_at + (u64)(p - dev->rings) : (u64)(uintptr_t)p;
}

void emu_driver_begin(struct emu_device *dev)
{
	while (dev->mailbox_busy)
		pthread_cond_wait(&dev->kick, &dev->lock);
	dev->mailbox_busy = true;
}

void emu_driver_end(struct emu_device *dev)
{
	dev->mailbox_busy = false;
	pthread_cond_broadcast(&dev->kick);
}

static int mailbox(struct emu_device *dev, u32 cmd, u32 queue, u64 base)
{
	unsigned long long limit = emu_now() + emu_faults_patience(MAILBOX_LIMIT_NS);
	struct wdm_look look;

	reg_write(dev, QM_MB, cmd | QM_MB_BUSY | queue << 16);
	reg_write(dev, QM_MB_DATA_L, (u32)base);
	reg_write(dev, QM_MB_DATA_H, (u32)(base >> 32));
	reg_write(dev, QM_MB_LAST, 0);
	for (;;) {
		emu_device_turn(dev, &look);
		if (!(reg_read(dev, QM_MB) & QM_MB_BUSY))
			break;
		if (emu_now() > limit)
			return -ETIMEDOUT;
		emu_wait_until(dev, emu_now() + MAILBOX_NAP_NS);
	}
	return reg_read(dev, QM_MB) & QM_MB_STATUS_MASK ? -EIO : 0;
}

static void vft_write(struct emu_device *dev, enum qm_vft_type type, u64 entry)
{
	struct wdm_look look;

	reg_write(dev, QM_VFT_OP_WR, 0);
	reg_write(dev, QM_VFT_TYPE, type);
	reg_write(dev, QM_VFT_FUNC, WDM_PF);
	reg_write(dev, QM_VFT_DATA_L, (u32)entry);
	reg_write(dev, QM_VFT_DATA_H, (u32)(entry >> 32));
	reg_write(dev, QM_VFT_RDY, 0);
	reg_write(dev, QM_VFT_OP_ENABLE, 1);
	emu_device_turn(dev, &look);
}

static int event_queue(struct emu_device *dev, enum qm_mb_cmd cmd, size_t ring, u32 depth)
{
	struct qm_eqc *qc = (void *)(dev->rings + QC_AT);
	u64 at = bus(dev, dev->rings + ring);

	*qc = (struct qm_eqc){ .base_l = (u32)at, .base_h = (u32)(at >> 32), .dw6 = (depth - 1) | QM_EQC_DW6_PHASE };
	return mailbox(dev, cmd, 0, bus(dev, (const u8 *)qc));
}

static void regs_write(struct emu_device *dev, const struct emu_reg *r)
{
	for (; r && r->reg; r++)
		reg_write(dev, r->reg, r->value);
}

static void engine_start(struct emu_device *dev)
{
	struct wdm_look look;

	reg_write(dev, QM_DB_TIMEOUT_CFG, QM_DB_TIMEOUT_NS);
	reg_write(dev, QM_MEM_START_INIT, 1);
	regs_write(dev, dev->kind->start[WDM_ROW(dev->generation)]);
	if (!dev->mediated)
		regs_write(dev, dev->kind->sva[WDM_ROW(dev->generation)]);
	emu_device_turn(dev, &look);
}

int emu_driver_init(struct emu_device *dev)
{
	int err;

	engine_start(dev);
	memset(dev->rings, 0, QC_AT);
	dev->eq_head = dev->aeq_head = 0;
	vft_write(dev, QM_VFT_TYPE_SQC, QM_VFT_SQC_VALID | (u64)(dev->nr_queues - 1) << QM_VFT_SQC_NUM_SHIFT);
	vft_write(dev, QM_VFT_TYPE_CQC, QM_VFT_CQC_VALID);
	err = event_queue(dev, QM_MB_CMD_EQC, EQ_AT, QM_EQ_DEPTH_V2);
	if (!err)
		err = event_queue(dev, QM_MB_CMD_AEQC, AEQ_AT, QM_AEQ_DEPTH_V2);
	reg_write(dev, QM_EQ_INT_MASK, 0);
	reg_write(dev, QM_AEQ_INT_MASK, 0);
	return err;
}

static int queue_start(struct emu_queue *q, u64 sq, u64 cq)
{
	struct emu_device *dev = q->dev;
	u8 *qc = dev->rings + QC_AT;
	bool pasid_bits = wdm_generation(dev->generation)->pasid_bits && !dev->mediated;
	u16 pasid = dev->mediated ? 0 : PASID;
	struct qm_sqc sqc = {
		.base_l = (u32)sq,
		.base_h = (u32)(sq >> 32), .dw3 = (emu_depth() - 1) | dev->kind->sqe_shift << QM_QC_ENTRY_SHIFT,
		.pasid = pasid, .w11 = pasid_bits ? QM_SQC_W11_PASID : 0, .cq_num = (__le16)q->id,
		.w13 = (__le16)(QM_SQC_W13_ORDER_ONE | q->qc_type << QM_SQC_W13_ALG_SHIFT),
	};
	struct qm_cqc cqc = {
		.base_l = (u32)cq, .base_h = (u32)(cq >> 32), .dw3 = (emu_depth() - 1) | 4 << QM_QC_ENTRY_SHIFT,
		.pasid = pasid, .w11 = pasid_bits ? QM_CQC_W11_PASID : 0, .dw6 = QM_CQC_DW6_PHASE | QM_CQC_DW6_C_FLAG,
	};
	int err;

	memcpy(qc, &sqc, sizeof(sqc));
	err = mailbox(dev, QM_MB_CMD_SQC, q->id, bus(dev, qc));
	if (err)
		return err;
	memcpy(qc, &cqc, sizeof(cqc));
	return mailbox(dev, QM_MB_CMD_CQC, q->id, bus(dev, qc));
}

static int mediation_start(struct emu_queue *q, u64 *sq, u64 *cq)
{
	const struct emu_queue_shape shape = {
		.id = (u16)q->id, .qc_type = (u8)q->qc_type, .depth = emu_depth(),
		.sqe_shift = q->dev->kind->sqe_shift,
	};

	q->mediated = emu_mediated_begin(q->dev, &shape, q->dus, q->dus + emu_sq_size(q->dev), q->device_cq);
	if (!q->mediated)
		return -ENOMEM;
	atomic_store(&q->published, 0);
	*sq = q->mediated->device_sq->piece.start;
	*cq = q->mediated->device_cq->piece.start;
	return 0;
}

int emu_driver_start(struct emu_queue *q)
{
	u64 sq = (uintptr_t)q->dus, cq = sq + emu_sq_size(q->dev);
	int err = 0;

	if (emu_config()->null) {
		emu_null_start(q);
		return 0;
	}
	memset(q->dus + emu_sq_size(q->dev), 0, emu_cq_size());
	q->poll_head = 0;
	atomic_store(&q->event, EMU_EVENT_NONE);
	if (q->dev->mediated)
		err = mediation_start(q, &sq, &cq);
	return err ? err : queue_start(q, sq, cq);
}

static int context_dump(struct emu_queue *q, enum qm_mb_cmd cmd, void *qc)
{
	u8 *at = q->dev->rings + QC_AT;
	int err = mailbox(q->dev, cmd | QM_MB_OP_GET, q->id, bus(q->dev, at));

	memcpy(qc, at, QM_QC_SIZE);
	return err;
}

/* Waits until everything that was submitted has completed. */
static int drain(struct emu_queue *q, unsigned long long limit)
{
	struct qm_sqc sqc;
	struct qm_cqc cqc;
	int err;

	for (;;) {
		err = context_dump(q, QM_MB_CMD_SQC, &sqc);
		if (!err)
			err = context_dump(q, QM_MB_CMD_CQC, &cqc);
		if (err || (sqc.tail == cqc.tail && !((sqc.w11 ^ cqc.w11) & QM_QC_W11_TAIL_WRAP)))
			return err;
		if (emu_now() > limit)
			return -ETIMEDOUT;
		emu_wait_until(q->dev, emu_now() + DRAIN_NAP_NS);
	}
}

/* A queue without an owner: its doorbells have no effect. The submission side ends the queue, so it comes last. */
static int park(struct emu_queue *q)
{
	u8 *qc = q->dev->rings + QC_AT;
	u64 at = bus(q->dev, q->dev->rings + PARKED_AT);
	struct qm_cqc cqc = {
		.base_l = (u32)at, .base_h = (u32)(at >> 32), .dw3 = (PARKED_DEPTH - 1) | 4 << QM_QC_ENTRY_SHIFT,
		.w8 = QM_QC_RAND_PARKED, .dw6 = QM_CQC_DW6_PHASE,
	};
	struct qm_sqc sqc = {
		.base_l = (u32)at, .base_h = (u32)(at >> 32),
		.dw3 = (PARKED_DEPTH - 1) | q->dev->kind->sqe_shift << QM_QC_ENTRY_SHIFT,
		.w8 = QM_QC_RAND_PARKED, .cq_num = (__le16)q->id, .w13 = QM_SQC_W13_ORDER_ONE | QM_SQC_W13_DISABLED,
	};
	int err;

	memcpy(qc, &cqc, sizeof(cqc));
	err = mailbox(q->dev, QM_MB_CMD_CQC, q->id, bus(q->dev, qc));
	if (err)
		return err;
	memcpy(qc, &sqc, sizeof(sqc));
	return mailbox(q->dev, QM_MB_CMD_SQC, q->id, bus(q->dev, qc));
}

/* The doorbell is everybody's, so it may have been rung since the queue was found idle: then it can't be parked. */
static int drain_and_park(struct emu_queue *q)
{
	unsigned long long limit = emu_now() + emu_faults_patience(DRAIN_LIMIT_NS);
	int err;

	do {
		err = drain(q, limit);
		if (!err)
			err = park(q);
	} while (err == -EIO && emu_now() <= limit);
	return err;
}

int emu_driver_stop(struct emu_queue *q)
{
	int err;

	if (emu_config()->null)
		return 0;
	if (q->mediated)
		q->mediated->ending = true;
	if (!(wdm_generation(q->dev->generation)->commands & 1u << QM_MB_CMD_STOP_QP))
		err = drain_and_park(q);
	else
		err = mailbox(q->dev, QM_MB_CMD_STOP_QP, q->id, 0);
	if (!err)
		emu_driver_let_go(q);
	return err;
}

/* ------ mediated queues ------ */

void emu_driver_let_go(struct emu_queue *q)
{
	if (q->mediated)
		emu_mediated_end(q->mediated);
	q->mediated = NULL;
}

static void ring(struct emu_queue *q, enum qm_db_cmd cmd, u32 count, u8 arm)
{
	struct emu_device *dev = q->dev;
	struct wdm_look look;

	wdm_writeq(qm_db_value((u16)q->id, cmd, (u16)(count % emu_depth()), arm), emu_queue_window(q) + QM_DB_SQ_CQ);
	/* Before another doorbell takes its place. */
	if (!dev->held)
		emu_device_turn(dev, &look);
	pthread_cond_broadcast(&dev->kick);
}

/* Completes what the device has done, and with @submits, gives it what it has room for. */
static void mediate(struct emu_queue *q, bool submits)
{
	struct emu_mediated *m = q->mediated;
	u32 head = m->head, tail = m->tail;

	emu_mediated_reap(m);
	if (m->head != head)
		ring(q, QM_DB_CMD_CQ, m->head, QM_DB_C_FLAG);
	if (submits)
		emu_mediated_submit(m);
	if (m->tail != tail)
		ring(q, QM_DB_CMD_SQ, m->tail, 0);
	if (atomic_exchange(&q->published, (unsigned int)m->published) != (unsigned int)m->published)
		emu_queue_wake(q);
}

void emu_driver_look(struct emu_queue *q)
{
	emu_device_enter(q->dev);
	if (q->mediated)
		mediate(q, false);
	emu_device_leave(q->dev);
}

static bool doorbell_fits(const struct hisi_qp_doorbell *db)
{
	const u32 known = HISI_QP_DB_SQ | HISI_QP_DB_CQ | HISI_QP_DB_EVENT | HISI_QP_DB_REAP;

	return db->flags & (known & ~HISI_QP_DB_EVENT) && !(db->flags & ~known) && !db->reserved &&
	       (db->flags & HISI_QP_DB_CQ || !(db->flags & HISI_QP_DB_EVENT)) &&
	       (db->sq_tail < emu_depth() || !(db->flags & HISI_QP_DB_SQ)) &&
	       (db->cq_head < emu_depth() || !(db->flags & HISI_QP_DB_CQ));
}

static int doorbell(struct emu_queue *q, const struct hisi_qp_doorbell *db)
{
	int err = 0;

	if (q->state == EMU_ZOMBIE)
		return -ENXIO;
	if (q->state != EMU_STARTED)
		return -EINVAL;
	if (!q->mediated || q->mediated->ending)
		return -ESHUTDOWN;
	if (!doorbell_fits(db))
		return -EINVAL;
	mediate(q, false);
	if (db->flags & HISI_QP_DB_SQ)
		err = emu_mediated_want(q->mediated, db->sq_tail);
	mediate(q, true);
	return err;
}

int emu_driver_doorbell(struct emu_queue *q, const void *arg)
{
	struct hisi_qp_doorbell db;
	int err;

	if (emu_memory_read((uintptr_t)arg, &db, sizeof(db)))
		return -EFAULT;
	emu_device_enter(q->dev);
	err = doorbell(q, &db);
	emu_device_leave(q->dev);
	return err;
}

int emu_driver_limits(const struct emu_queue *q, void *arg)
{
	static const u32 pages[] = { [WDM_ZIP] = PAGES_ZIP, [WDM_SEC] = PAGES_SEC, [WDM_HPRE] = PAGES_HPRE };
	struct hisi_qp_memory memory = {
		.flat_bytes = EMU_FLAT_BYTES, .request_pages = pages[q->dev->kind->type],
		.pinned_bytes = EMU_PINNED_BYTES,
	};

	return emu_memory_write((uintptr_t)arg, &memory, sizeof(memory));
}

/* ------ interrupts ------ */

static void event_doorbell(struct emu_device *dev, enum qm_db_cmd cmd, u32 head)
{
	wdm_writeq(qm_db_value(0, cmd, (u16)head, 0), dev->bar2 + QM_DB_EQ_AEQ);
}

static bool event_next(const u8 *ring, u32 depth, u32 head, u32 *entry)
{
	*entry = __atomic_load_n((const u32 *)(const void *)ring + head % depth, __ATOMIC_ACQUIRE);
	return (*entry & QM_EQE_PHASE ? 1u : 0u) == (head / depth & 1 ? 0u : 1u);
}

static void irq_eq(struct emu_device *dev)
{
	u32 entry;

	for (; event_next(dev->rings + EQ_AT, QM_EQ_DEPTH_V2, dev->eq_head, &entry); dev->eq_head++) {
		u32 id = entry & QM_EQE_QN_MASK;

		if (id < dev->nr_queues && dev->queues[id])
			emu_queue_wake(dev->queues[id]);
	}
	event_doorbell(dev, QM_DB_CMD_EQ, dev->eq_head % QM_EQ_DEPTH_V2);
}

/* A queue in error refuses its user's requests; it is stopped when its user stops or closes it. */
static void irq_aeq(struct emu_device *dev)
{
	struct emu_queue *q;
	u32 entry;

	for (; event_next(dev->rings + AEQ_AT, QM_AEQ_DEPTH_V2, dev->aeq_head, &entry); dev->aeq_head++) {
		q = (entry & QM_EQE_QN_MASK) < dev->nr_queues ? dev->queues[entry & QM_EQE_QN_MASK] : NULL;
		if (!q)
			continue;
		wdm_writel(1, q->dus + QM_DUS_TX_STOP(emu_dus_size(q->dev)));
		wdm_writel(1, q->dus + QM_DUS_RX_STOP(emu_dus_size(q->dev)));
		emu_queue_wake(q);
	}
	event_doorbell(dev, QM_DB_CMD_AEQ, dev->aeq_head % QM_AEQ_DEPTH_V2);
}

void emu_driver_irq(struct emu_device *dev, unsigned int vector)
{
	if (vector == WDM_IRQ_EQ)
		irq_eq(dev);
	else if (vector == WDM_IRQ_AEQ)
		irq_aeq(dev);
}
