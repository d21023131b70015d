// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The reset of a whole device: by a capability of the physical function, or by firmware as on hardware. Config space of
 * the physical function is kept, as there.
 */
#include <linux/pci.h>

#include "config.h"
#include "hw/qm_hw.h"

#define CAP_VERSION	1

static unsigned int control_at(const struct sim_dev *sdev)
{
	return sim_reset_capability(sdev) + QM_RESET_CONTROL;
}

void sim_reset_init(struct sim_fn *pf)
{
	unsigned int at = sim_reset_capability(pf->sdev);

	if (!at)
		return;
	config_set32(pf, at, PCI_EXT_CAP_ID_VNDR | CAP_VERSION << 16, 0);
	config_set32(pf, at + PCI_VNDR_HEADER, QM_RESET_VSEC_ID | QM_RESET_VSEC_BYTES << 20, 0);
	config_set32(pf, at + QM_RESET_CONTROL, 0, 0);
}

static void state_set(struct sim_fn *pf, u8 state)
{
	struct sim_dev *sdev = pf->sdev;

	lockdep_assert_held(&pf->lock);
	WRITE_ONCE(sdev->reset, state);
	if (sim_reset_capability(sdev))
		pf->cfg[control_at(sdev)] = state;
}

/* A byte was written to config space. Returns true if it begins a reset. */
bool sim_reset_written(struct sim_fn *fn, int at, u8 byte)
{
	const struct sim_dev *sdev = fn->sdev;

	if (fn->index != SIM_PF || !sim_reset_capability(sdev) || at != control_at(sdev) || !(byte & QM_RESET_START))
		return false;
	state_set(fn, QM_RESET_BUSY);
	return true;
}

bool sim_reset_wanted(const struct sim_dev *sdev)
{
	return READ_ONCE(sdev->reset) & QM_RESET_BUSY;
}

static void state_change(struct sim_dev *sdev, u8 state)
{
	struct sim_fn *pf = sim_pf(sdev);
	unsigned long flags;

	raw_spin_lock_irqsave(&pf->lock, flags);
	state_set(pf, state);
	raw_spin_unlock_irqrestore(&pf->lock, flags);
}

/* A reset by firmware; the caller wakes up the worker. */
void sim_reset_begin(struct sim_dev *sdev)
{
	state_change(sdev, QM_RESET_BUSY);
}

void sim_reset_end(struct sim_dev *sdev, bool failed)
{
	state_change(sdev, failed ? QM_RESET_FAILED : 0);
}
