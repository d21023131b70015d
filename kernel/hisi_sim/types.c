// SPDX-License-Identifier: GPL-2.0-or-later
/* The kinds of simulated device. */
#include <linux/string.h>

#include "internal.h"
#include "model/model.h"
#include "hw/qm_hw.h"

const struct sim_type sim_types[SIM_TYPES_NR] = {
	{ "zip", QM_PCI_ID_ZIP_PF, QM_PCI_ID_ZIP_VF, WDM_ZIP, &sim_engine_zip },
	{ "sec", QM_PCI_ID_SEC_PF, QM_PCI_ID_SEC_VF, WDM_SEC, &sim_engine_sec },
	{ "hpre", QM_PCI_ID_HPRE_PF, QM_PCI_ID_HPRE_VF, WDM_HPRE, &sim_engine_hpre },
};

const struct sim_type *sim_type_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sim_types); i++)
		if (sysfs_streq(name, sim_types[i].name))
			return &sim_types[i];
	return NULL;
}
