// SPDX-License-Identifier: GPL-2.0-or-later
/* The reset of a whole device, which firmware begins. Config space of the physical function is kept, as on hardware. */
#include "internal.h"

#define RESET_BUSY	1
#define RESET_FAILED	2

bool sim_reset_wanted(const struct sim_dev *sdev)
{
	return READ_ONCE(sdev->reset) == RESET_BUSY;
}

/* The caller wakes up the worker. */
void sim_reset_begin(struct sim_dev *sdev)
{
	WRITE_ONCE(sdev->reset, RESET_BUSY);
}

void sim_reset_end(struct sim_dev *sdev, bool failed)
{
	/* Changes that the reset has made come first. */
	smp_store_release(&sdev->reset, failed ? RESET_FAILED : 0);
}
