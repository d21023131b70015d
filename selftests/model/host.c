// SPDX-License-Identifier: Apache-2.0
/* The hypervisor's side of migration, step by step, with nothing but the registers of VF and PF. */
#include <stdlib.h>
#include <string.h>
#include "host.h"
#include "emu.h"

#define LOOKS		101
#define LOOK_NS		100000
#define START_RINGS(i)	qm_db_value((u16)(i), QM_DB_CMD_SQ, 0, QM_DB_START)

static const struct {
	u32 status;	/* register with the engine's errors */
	u32 id;		/* of the VF */
} engines[] = {
	[WDM_ZIP] = { 0x3010ac, 0xa251 }, [WDM_SEC] = { 0x301008, 0xa256 }, [WDM_HPRE] = { 0x301800, 0xa259 },
};

static u32 engine_of(const struct rig *r)
{
	return r->kind == &emu_sec ? WDM_SEC : r->kind == &emu_hpre ? WDM_HPRE : WDM_ZIP;
}

void host_stop_begin(struct rig *vf)
{
	rig_mailbox_write(vf, QM_MB_CMD_PAUSE_QM, 0, 0, 0);
	rig_turn(vf);
}

static bool reads_zero(struct rig *r, u32 reg)
{
	u32 i;

	for (i = 0; i < LOOKS && rig_reg(r, reg); i++)
		rig_run(r, LOOK_NS);
	return !rig_reg(r, reg);
}

int host_stopped(struct rig *vf)
{
	u64 end = vf->pf->now + 2000000000ull;

	while (rig_reg(vf, QM_MB) & QM_MB_BUSY) {
		if (vf->pf->now >= end)
			return -EIO;
		rig_run(vf, RIG_STEP_NS);
	}
	if (rig_reg(vf, QM_MB) & QM_MB_STATUS_MASK)
		return -EIO;
	if (!reads_zero(vf->pf, QM_ABNORMAL_INT_STATUS) || !reads_zero(vf, QM_IFC_INT_STATUS) ||
	    !reads_zero(vf, QM_IFC_INT_SET_V) || !reads_zero(vf->pf, engines[engine_of(vf)].status))
		return -EBUSY;
	rig_reg_set(vf, QM_CACHE_WB_START, 1);
	rig_turn(vf);
	return rig_reg(vf, QM_CACHE_WB_DONE) & 1 ? 0 : -EIO;
}

int host_stop(struct rig *vf)
{
	host_stop_begin(vf);
	return host_stopped(vf);
}

/* The function's share as the PF's registers tell it. */
static u64 share_read(struct rig *vf)
{
	rig_reg_set(vf->pf, QM_VFT_OP_WR, 1);
	rig_reg_set(vf->pf, QM_VFT_TYPE, QM_VFT_TYPE_SQC);
	rig_reg_set(vf->pf, QM_VFT_FUNC, vf->fn);
	rig_reg_set(vf->pf, QM_VFT_RDY, 0);
	rig_reg_set(vf->pf, QM_VFT_OP_ENABLE, 1);
	rig_turn(vf);
	if (!(rig_reg(vf->pf, QM_VFT_RDY) & 1))
		abort();
	return rig_reg(vf->pf, QM_VFT_DATA_L) | (u64)rig_reg(vf->pf, QM_VFT_DATA_H) << 32;
}

static u32 share_queues(u64 entry)
{
	return (u32)(entry >> 45 & 0x3ff) + 1;
}

static u64 mailbox_result(struct rig *vf, u32 cmd)
{
	if (rig_mailbox(vf, cmd, QM_MB_OP_GET, 0, 0))
		abort();
	return rig_reg(vf, QM_MB_DATA_L) | (u64)rig_reg(vf, QM_MB_DATA_H) << 32;
}

static void event_doorbell(struct rig *vf, enum qm_db_cmd cmd, u32 head)
{
	wdm_writeq(qm_db_value(0, cmd, (u16)head, 0), vf->bar2 + QM_DB_EQ_AEQ);
	rig_turn(vf);
}

int host_save(struct rig *vf, struct qm_migration *r)
{
	u64 share = share_read(vf);
	u32 i;

	*r = (struct qm_migration){
		.magic = 0xaaccfeeddecadede, .queues = share_queues(share), .device = engines[engine_of(vf)].id,
		.isolation = rig_reg(vf->pf, 0x30), .first = (u32)(share >> 28 & 0xffff), .state = rig_reg(vf, 0x60),
		.major = 1,
	};
	if (r->state & 1)
		return 40;
	r->aeq_mask = rig_reg(vf, 0x4);
	r->eq_mask = rig_reg(vf, 0xc);
	r->ifc_source = rig_reg(vf, 0x20);
	r->ifc_mask = rig_reg(vf, 0x24);
	r->ifc_set = rig_reg(vf, 0x2c);
	r->page_size = rig_reg(vf, 0x34);
	for (i = 0; i < 7; i++) {
		r->eqc[i] = rig_reg(vf, 0x8000 + 4 * i);
		r->aeqc[i] = rig_reg(vf, 0x8020 + 4 * i);
	}
	r->eq_ring = r->eqc[1] | (u64)r->eqc[2] << 32;
	r->aeq_ring = r->aeqc[1] | (u64)r->aeqc[2] << 32;
	r->sqc_table = mailbox_result(vf, QM_MB_CMD_SQC_BT);
	r->cqc_table = mailbox_result(vf, QM_MB_CMD_CQC_BT);
	event_doorbell(vf, QM_DB_CMD_EQ, r->eqc[0] & 0xffff);
	event_doorbell(vf, QM_DB_CMD_AEQ, r->aeqc[0] & 0xffff);
	return sizeof(*r);
}

int host_load(struct rig *vf, const void *record, u32 len)
{
	struct qm_migration r = { 0 };
	u32 i;

	if (len > sizeof(r))
		return -ENOMEM;
	if (len < 40)
		return -EINVAL;
	memcpy(&r, record, len);
	if (r.magic != 0xaaccfeeddecadede || r.major != 1 || r.minor || r.device != engines[engine_of(vf)].id ||
	    r.queues != share_queues(mailbox_result(vf, QM_MB_CMD_SQC_VFT)) || r.isolation != rig_reg(vf->pf, 0x30))
		return -EINVAL;
	if (len == 40)
		return 0;
	if (len < sizeof(r))
		return -EINVAL;
	if (!r.eq_ring || !r.aeq_ring || !r.sqc_table || !r.cqc_table)
		return 0;
	rig_reg_set(vf, 0x60, r.state);
	rig_reg_set(vf, 0x4, r.aeq_mask);
	rig_reg_set(vf, 0xc, r.eq_mask);
	rig_reg_set(vf, 0x20, r.ifc_source);
	rig_reg_set(vf, 0x24, r.ifc_mask);
	rig_reg_set(vf, 0x2c, r.ifc_set);
	rig_reg_set(vf, 0x30, r.isolation);
	rig_reg_set(vf, 0x34, r.page_size);
	for (i = 0; i < 7; i++) {
		rig_reg_set(vf, 0x8000 + 4 * i, r.eqc[i]);
		rig_reg_set(vf, 0x8020 + 4 * i, r.aeqc[i]);
	}
	if (rig_mailbox(vf, QM_MB_CMD_SQC_BT, 0, 0, r.sqc_table) ||
	    rig_mailbox(vf, QM_MB_CMD_CQC_BT, 0, 0, r.cqc_table))
		return -EIO;
	rig_reg_set(vf, 0x20, 1);
	rig_reg_set(vf, 0x24, 0);
	return 1;
}

static void start(struct rig *vf, bool slowly)
{
	u32 i, num = share_queues(mailbox_result(vf, QM_MB_CMD_SQC_VFT));

	rig_reg_set(vf, QM_IFC_INT_SOURCE_V, 1);
	rig_reg_set(vf, QM_IFC_INT_MASK, 0);
	for (i = 0; i < num; i++) {
		wdm_writeq(START_RINGS(i), vf->bar2 + QM_DB_SQ_CQ);
		if (slowly)
			rig_turn(vf);
	}
	rig_turn(vf);
}

void host_start(struct rig *vf)
{
	start(vf, false);
}

void host_start_slowly(struct rig *vf)
{
	start(vf, true);
}

void guest_move(struct rig *to, struct rig *from)
{
	unsigned char *dma = to->dma, *user = to->user;
	u32 *sent = to->sent;

	to->dma = from->dma;
	to->user = from->user;
	from->dma = dma;
	from->user = user;
	to->sent = from->sent;
	from->sent = sent;
	memcpy(to->pushed, from->pushed, sizeof(to->pushed));
	memcpy(to->lawless, from->lawless, sizeof(to->lawless));
	from->lent = true;
	to->lent = false;
	to->dma_used = from->dma_used;
	to->eq = from->eq;
	to->aeq = from->aeq;
	to->eq_head = from->eq_head;
	to->aeq_head = from->aeq_head;
	memcpy(to->q, from->q, sizeof(to->q));
}

void guest_attach(struct rig *vf, struct rig *pf, u32 base, u32 num)
{
	rig_attach(vf, pf, 1);
	rig_vft_queues(pf, 1, base, num);
}
