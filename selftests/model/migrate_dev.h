/* SPDX-License-Identifier: Apache-2.0 */
/* Two devices, each with a virtual function of the same size; a guest's driver has started the first one. */
#ifndef MODEL_MIGRATE_DEV_H
#define MODEL_MIGRATE_DEV_H

#include <stdlib.h>
#include "kselftest_harness.h"
#include "host.h"

#define BASE	4		/* the VF's first queue on each of the two devices */
#define OTHER	8
#define SHARE	3
#define SMALL	64
#define LEN	600
#define SRC	RIG_USER_BASE
#define DST	(RIG_USER_BASE + (1u << 20))

FIXTURE(two) {
	struct rig pf[2], vf[2];
	u64 tables;
};

FIXTURE_VARIANT(two) {
	bool no_isolation;
};

FIXTURE_VARIANT_ADD(two, isolated) {
};

FIXTURE_VARIANT_ADD(two, shared_doorbells) {
	.no_isolation = true,
};

static inline void device_begin(struct rig *pf, struct rig *vf, bool no_isolation, u32 base)
{
	struct wdm_attr attr = { .functions = 3, .no_isolation = no_isolation, .hidden_passes = 2 };

	rig_init_bare(pf, &attr);
	rig_engine_start(pf);
	rig_vft_queues(pf, WDM_PF, 0, 4);
	guest_attach(vf, pf, base, SHARE);
}

/* The guest's driver starts the function. */
static inline u64 guest_begin(struct rig *vf)
{
	u64 tables;

	rig_function_up(vf);
	tables = rig_dma_alloc(vf, 2 * SHARE * QM_QC_SIZE);
	if (rig_mailbox(vf, QM_MB_CMD_SQC_BT, 0, 0, tables) ||
	    rig_mailbox(vf, QM_MB_CMD_CQC_BT, 0, 0, tables + SHARE * QM_QC_SIZE))
		abort();
	return tables;
}

FIXTURE_SETUP(two)
{
	u32 i;

	device_begin(&self->pf[0], &self->vf[0], variant->no_isolation, BASE);
	device_begin(&self->pf[1], &self->vf[1], variant->no_isolation, OTHER);
	self->tables = guest_begin(&self->vf[0]);
	for (i = 0; i < LEN; i++)
		((u8 *)rig_user(&self->vf[0], SRC))[i] = (u8)(i % 7);
}

FIXTURE_TEARDOWN(two)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		rig_free(&self->vf[i]);
		rig_free(&self->pf[i]);
	}
}

static inline void ring(struct rig *r, u32 q, u64 value)
{
	if (r->bar4)
		wdm_writeq(value, r->bar4 + (size_t)q * QM_DB_WINDOW + QM_DB_SQ_CQ);
	else
		wdm_writeq(value, r->bar2 + QM_DB_SQ_CQ);
}

static inline void ring_sq(struct rig *r, u32 q)
{
	ring(r, q, qm_db_value((u16)q, QM_DB_CMD_SQ, (u16)r->q[q].tail, 0));
}

static inline void ring_cq(struct rig *r, u32 q, bool arm)
{
	ring(r, q, qm_db_value((u16)q, QM_DB_CMD_CQ, (u16)r->q[q].cq_head, arm));
}

static inline void push(struct rig *r, u32 q)
{
	struct zip_sqe sqe;

	rig_sqe(&sqe, ZIP_REQ_DEFLATE, SRC, LEN, DST, LEN);
	rig_push(r, q, &sqe);
}

/* Takes completions until none comes any more. */
static inline u32 drain(struct rig *r, u32 q)
{
	u32 n = 0;

	rig_run(r, 1000000);
	while (rig_pop(r, q) >= 0)
		n++;
	return n;
}

static inline bool move(struct rig *to, struct rig *from)
{
	struct qm_migration record;
	int len = host_save(from, &record);

	guest_move(to, from);
	if (len < 0 || host_load(to, &record, (u32)len) != 1)
		return false;
	host_start(to);
	return true;
}

static inline bool is_busy(struct rig *r)
{
	return rig_reg(r, QM_MB) & QM_MB_BUSY;
}

#endif
