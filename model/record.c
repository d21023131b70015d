// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Saves and loads what a paused VF has outside memory, as a hypervisor's driver does. */
#include "internal.h"
#include "record.h"
#include "hw/migrate_hw.h"

static struct wdm_function *wdm_record_vf(struct wdm_device *dev, u32 fn)
{
	if (!wdm_has(dev, QM_MB_CMD_PAUSE_QM) || dev->attr.half_vf_regs || fn == WDM_PF ||
	    fn >= dev->attr.functions || !dev->fns[fn].attached || !dev->fns[WDM_PF].attached)
		return NULL;
	return &dev->fns[fn];
}

static u32 wdm_isolation(const struct wdm_device *dev)
{
	return wdm_reg_read(&dev->fns[WDM_PF], QM_QUE_ISO_CFG);
}

static void wdm_match_save(const struct wdm_device *dev, const struct wdm_function *f, struct qm_migration *r)
{
	wdm_put64(&r->magic, QM_MIGRATION_MAGIC);
	wdm_put32(&r->queues, wdm_vft_num(f));
	wdm_put32(&r->device, dev->engine->vf_id);
	wdm_put32(&r->isolation, wdm_isolation(dev));
	wdm_put32(&r->first, wdm_vft_base(f));
	wdm_put32(&r->state, wdm_reg_read(f, QM_VF_STATE));
	wdm_put16(&r->major, QM_MIGRATION_MAJOR);
	wdm_put16(&r->minor, QM_MIGRATION_MINOR);
}

static void wdm_rest_save(const struct wdm_function *f, struct qm_migration *r)
{
	wdm_put32(&r->aeq_mask, wdm_reg_read(f, QM_AEQ_INT_MASK));
	wdm_put32(&r->eq_mask, wdm_reg_read(f, QM_EQ_INT_MASK));
	wdm_put32(&r->ifc_source, wdm_reg_read(f, QM_IFC_INT_SOURCE_V));
	wdm_put32(&r->ifc_mask, wdm_reg_read(f, QM_IFC_INT_MASK));
	wdm_put32(&r->ifc_set, wdm_reg_read(f, QM_IFC_INT_SET_V));
	wdm_put32(&r->page_size, wdm_reg_read(f, QM_PAGE_SIZE));
	wdm_images_read(f, (u8 *)r->eqc, (u8 *)r->aeqc);
	wdm_put64(&r->eq_ring, wdm_get64(&r->eqc[1]));
	wdm_put64(&r->aeq_ring, wdm_get64(&r->aeqc[1]));
	wdm_put64(&r->sqc_table, f->sqc_bt);
	wdm_put64(&r->cqc_table, f->cqc_bt);
}

int wdm_record_save(struct wdm_device *dev, u32 fn, void *record, u32 room)
{
	const struct wdm_function *f = wdm_record_vf(dev, fn);
	struct qm_migration r;
	u32 len;

	if (!f)
		return -EINVAL;
	if (f->pause != WDM_PAUSED)
		return -EBUSY;
	len = wdm_reg_read(f, QM_VF_STATE) & QM_VF_NOT_READY ? QM_MIGRATION_MATCH : sizeof(r);
	if (room < len)
		return -ENOSPC;
	memset(&r, 0, sizeof(r));
	wdm_match_save(dev, f, &r);
	if (len == sizeof(r))
		wdm_rest_save(f, &r);
	memcpy(record, &r, len);
	return (int)len;
}

static bool wdm_match_fits(const struct wdm_device *dev, const struct wdm_function *f, const struct qm_migration *r)
{
	u64 magic = wdm_get64(&r->magic);

	if (magic == QM_MIGRATION_MAGIC) {
		if (wdm_get16(&r->major) != QM_MIGRATION_MAJOR || wdm_get16(&r->minor) != QM_MIGRATION_MINOR)
			return false;
	} else if (magic != QM_MIGRATION_MAGIC_OLD) {
		return false;
	}
	return wdm_get32(&r->device) == dev->engine->vf_id && wdm_get32(&r->queues) == wdm_vft_num(f) &&
	       wdm_get32(&r->isolation) == wdm_isolation(dev);
}

/* The addresses that a function has if its driver has started it. */
static bool wdm_record_ready(const struct qm_migration *r)
{
	return wdm_get64(&r->eqc[1]) && wdm_get64(&r->aeqc[1]) && wdm_get64(&r->sqc_table) && wdm_get64(&r->cqc_table);
}

static bool wdm_rings_fit(const struct qm_migration *r)
{
	if (!wdm_eqc_loads((const u8 *)r->eqc) || !wdm_eqc_loads((const u8 *)r->aeqc))
		return false;
	return wdm_get64(&r->magic) == QM_MIGRATION_MAGIC_OLD ||
	       (wdm_get64(&r->eq_ring) == wdm_get64(&r->eqc[1]) && wdm_get64(&r->aeq_ring) == wdm_get64(&r->aeqc[1]));
}

/* As after a reset: a driver, or another record, has not been here. */
static bool wdm_function_fresh(const struct wdm_device *dev, const struct wdm_function *f)
{
	u32 i;

	for (i = 0; i < dev->nr_active; i++)
		if (dev->queues[dev->active[i]].fn == f->index)
			return false;
	return f->pause == WDM_RUNNING && !f->eq.valid && !f->aeq.valid && !f->sqc_bt && !f->cqc_bt;
}

static void wdm_rest_load(struct wdm_function *f, const struct qm_migration *r)
{
	wdm_reg_write(f, QM_VF_STATE, wdm_get32(&r->state));
	wdm_reg_write(f, QM_AEQ_INT_MASK, wdm_get32(&r->aeq_mask));
	wdm_reg_write(f, QM_EQ_INT_MASK, wdm_get32(&r->eq_mask));
	wdm_reg_write(f, QM_IFC_INT_SET_V, wdm_get32(&r->ifc_set));
	wdm_reg_write(f, QM_PAGE_SIZE, wdm_get32(&r->page_size));
	wdm_images_write(f, (const u8 *)r->eqc, (const u8 *)r->aeqc);
	f->sqc_bt = wdm_get64(&r->sqc_table);
	f->cqc_bt = wdm_get64(&r->cqc_table);
	/* A host ends so: messages are acknowledged and unmasked, whatever the record has. */
	wdm_reg_write(f, QM_IFC_INT_SOURCE_V, 1);
	wdm_reg_write(f, QM_IFC_INT_MASK, 0);
}

int wdm_record_load(struct wdm_device *dev, u32 fn, const void *record, u32 len)
{
	struct wdm_function *f = wdm_record_vf(dev, fn);
	struct qm_migration r;

	if (!f)
		return -EINVAL;
	if (len > sizeof(r))
		return -ENOMEM;
	if (len != sizeof(r) && len != QM_MIGRATION_MATCH)
		return -EINVAL;
	memset(&r, 0, sizeof(r));
	memcpy(&r, record, len);
	if (!wdm_match_fits(dev, f, &r))
		return -EINVAL;
	if (!wdm_function_fresh(dev, f))
		return -EBUSY;
	if (!wdm_record_ready(&r))
		return 0;
	if (!wdm_rings_fit(&r))
		return -EINVAL;
	wdm_rest_load(f, &r);
	return 1;
}
