// SPDX-License-Identifier: GPL-2.0-or-later
/* The kinds of simulated device. */
#include <linux/numa.h>
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

struct sim_shape sim_shape_default(void)
{
	return (struct sim_shape) {
		.type = &sim_types[0],
		.generation = SIM_GENERATION_MAX,
		.node = NUMA_NO_NODE,
		.queues = SIM_QUEUES_DEFAULT,
		.vf_migration = 1,
		.message_vector = 2,
		.sva = 1,
		.iommu = 1,
	};
}

static bool generation_parse(const char *text, struct sim_shape *shape)
{
	if (text[1] < '0' + SIM_GENERATION_MIN || text[1] > '0' + SIM_GENERATION_MAX || text[2])
		return false;
	shape->generation = text[1] - '0';
	return true;
}

static bool memory_parse(const char *text, struct sim_shape *shape)
{
	shape->sva = 0;
	shape->iommu = !strcmp(text, "nosva");
	return shape->iommu || !strcmp(text, "noiommu");
}

/*
 * "zip", "zip@v2", "zip@nosva" or "zip@v2@noiommu"; @word is cut at each @. -ENODEV: no such kind; -EINVAL: what
 * follows it is wrong.
 */
int sim_type_parse(char *word, struct sim_shape *shape)
{
	char *rest = word;

	strsep(&rest, "@");
	shape->type = sim_type_find(word);
	if (!shape->type)
		return -ENODEV;
	if (rest && *rest == 'v' && !generation_parse(strsep(&rest, "@"), shape))
		return -EINVAL;
	if (rest && !memory_parse(strsep(&rest, "@"), shape))
		return -EINVAL;
	return rest ? -EINVAL : 0;
}
