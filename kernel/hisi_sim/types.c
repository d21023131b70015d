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

/* "zip" or "zip@v2", which is cut at the @. -ENODEV: no such kind; -EINVAL: no such generation. */
int sim_type_parse(char *word, const struct sim_type **type, unsigned int *generation)
{
	char *suffix = strchr(word, '@');

	*generation = SIM_GENERATION_MAX;
	if (suffix)
		*suffix++ = 0;
	*type = sim_type_find(word);
	if (!*type)
		return -ENODEV;
	if (!suffix)
		return 0;
	if (*suffix != 'v' || suffix[1] < '0' + SIM_GENERATION_MIN || suffix[1] > '0' + SIM_GENERATION_MAX || suffix[2])
		return -EINVAL;
	*generation = suffix[1] - '0';
	return 0;
}
