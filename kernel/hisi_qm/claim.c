// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The claim to the functions of a device: one task at a time binds, unbinds or resets them.
 *
 * A claim is no lock: a reset by PCI has it from one call of the PCI core to another one. In between, the core calls
 * for the other functions that the same reset reaches, so a task may claim again what it has.
 */
#include <linux/sched.h>
#include "internal.h"

/**
 * qm_claim_init - initialise a device's claim
 * @qm: a new function
 */
void qm_claim_init(struct hisi_qm *qm)
{
	spin_lock_init(&qm->claim_lock);
	init_waitqueue_head(&qm->claim_wait);
}

/**
 * qm_claim_try - claim the functions of a device, unless another task has them
 * @device: its physical function, or a virtual function whose physical one this driver doesn't have
 *
 * After true, the caller must call qm_claim_end().
 */
bool qm_claim_try(struct hisi_qm *device)
{
	bool mine;

	spin_lock(&device->claim_lock);
	mine = !device->claims || device->claimer == current;
	if (mine) {
		device->claimer = current;
		device->claims++;
	}
	spin_unlock(&device->claim_lock);
	return mine;
}

/**
 * qm_claim - claim the functions of a device; waits for another task to end its claim
 * @device: as for qm_claim_try()
 */
void qm_claim(struct hisi_qm *device)
{
	might_sleep();
	wait_event(device->claim_wait, qm_claim_try(device));
}

/**
 * qm_claim_end - undo qm_claim()
 * @device: as for qm_claim_try()
 */
void qm_claim_end(struct hisi_qm *device)
{
	spin_lock(&device->claim_lock);
	if (!--device->claims)
		device->claimer = NULL;
	/* Under the lock: the woken task may free the device. */
	wake_up(&device->claim_wait);
	spin_unlock(&device->claim_lock);
}
