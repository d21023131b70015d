// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The reset of a whole device: a capability of the physical function, which firmware's method replaces on hardware. Config
 * space of the physical function is kept, as there.
 */
#include <linux/pci.h>

#include "config.h"
#include "hw/qm_hw.h"

#define CAP_VERSION	1

static unsigned int control_at(const struct sim_fn *pf)
{
	return sim_reset_capability(pf->sdev) + QM_RESET_CONTROL;
}

void sim_reset_init(struct sim_fn *pf)
{
	unsigned int at = sim_reset_capability(pf->sdev);

	config_set32(pf, at, PCI_EXT_CAP_ID_VNDR | CAP_VERSION << 16, 0);
	config_set32(pf, at + PCI_VNDR_HEADER, QM_RESET_VSEC_ID | QM_RESET_VSEC_BYTES << 20, 0);
	config_set32(pf, at + QM_RESET_CONTROL, 0, 0);
}

/* A byte was written to config space. Returns true if it begins a reset. */
bool sim_reset_written(struct sim_fn *pf, int at, u8 byte)
{
	lockdep_assert_held(&pf->lock);
	if (pf->index != SIM_PF || at != control_at(pf) || !(byte & QM_RESET_START))
		return false;
	pf->cfg[at] = QM_RESET_BUSY;
	return true;
}

bool sim_reset_wanted(const struct sim_dev *sdev)
{
	const struct sim_fn *pf = &sdev->fns[SIM_PF];

	return READ_ONCE(pf->cfg[control_at(pf)]) & QM_RESET_BUSY;
}

void sim_reset_end(struct sim_dev *sdev, bool failed)
{
	struct sim_fn *pf = sim_pf(sdev);
	unsigned long flags;

	raw_spin_lock_irqsave(&pf->lock, flags);
	pf->cfg[control_at(pf)] = failed ? QM_RESET_FAILED : 0;
	raw_spin_unlock_irqrestore(&pf->lock, flags);
}
