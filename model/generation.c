// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Differences between the generations of the device, in tables. */
#include "generation.h"
#include "hw/qm_hw.h"
#include "model.h"

/* Commands of every generation */
#define COMMANDS (1u << QM_MB_CMD_SQC | 1u << QM_MB_CMD_CQC | 1u << QM_MB_CMD_EQC | 1u << QM_MB_CMD_AEQC | \
		  1u << QM_MB_CMD_SQC_BT | 1u << QM_MB_CMD_CQC_BT | 1u << QM_MB_CMD_SQC_VFT)

static const struct wdm_reg regs_v2[] = {
	{ QM_EQ_INT_MASK, 1 },
	{ QM_AEQ_INT_MASK, 1 },
	{ 0, 0 },
};

static const struct wdm_reg regs_v3[] = {
	{ QM_CAP_VERSION, QM_CAP_V3_DEFAULT },
	{ QM_CAP_EQ_DEPTH, QM_AEQ_DEPTH_V2 << 16 | QM_EQ_DEPTH_V2 },
	{ QM_CAP_QP_DEPTH, QM_CQ_DEPTH_V2 << 16 | QM_SQ_DEPTH_V2 },
	{ QM_CAP_EQ_IRQ, 1 << 16 | WDM_IRQ_EQ },
	{ QM_CAP_AEQ_IRQ, 1 << 16 | WDM_IRQ_AEQ },
	{ QM_CAP_EXT_BAR, 0x14 },
	{ QM_EQ_INT_MASK, 1 },
	{ QM_AEQ_INT_MASK, 1 },
	{ QM_IFC_INT_MASK, 1 },
	{ 0, 0 },
};

static const struct wdm_reg_range absent_v2[] = {
	{ QM_IFC_INT_SOURCE_V, QM_PAGE_SIZE + 4 },
	{ QM_VF_STATE, QM_VF_STATE + 4 },
	{ QM_SUB_VERSION_ID, QM_SUB_VERSION_ID + 4 },
	{ QM_CAP_VERSION, QM_CAP_ENGINE_LAST + 4 },
	{ QM_EQC_IMAGE, QM_AEQC_IMAGE + 0x20 },
	{ QM_IFC_READY_STATUS, QM_IFC_INT_SOURCE_P + 8 },
	{ QM_PM_CTRL, QM_PM_CTRL + 4 },
	{ QM_QUEUE_NUM, QM_QUEUE_NUM + 4 },
	{ QM_SHAPER_CFG, QM_SHAPER_CFG + 4 },
	{ QM_OOO_SHUTDOWN_SEL, QM_OOO_SHUTDOWN_SEL + 4 },
	{ 0, 0 },
};

static const struct wdm_reg_range none[] = {
	{ 0, 0 },
};

static const struct wdm_generation generations[WDM_GENERATIONS] = {
	[WDM_ROW(2)] = {
		.name = "v2",
		.revision = QM_HW_V2,
		.api = "hisi_qm_v2",
		.window_bytes = 2 * QM_DB_SQ_CQ,
		.commands = COMMANDS,
		.regs = regs_v2,
		.absent = absent_v2,
	},
	[WDM_ROW(3)] = {
		.name = "v3",
		.revision = QM_HW_V3,
		.api = "hisi_qm_v3",
		.window_bytes = QM_DB_WINDOW,
		.isolated = true,
		.capable = true,
		.pasid_bits = true,
		.shapers = true,
		.commands = COMMANDS | 1u << QM_MB_CMD_STOP_QP | 1u << QM_MB_CMD_FLUSH_QM | 1u << QM_MB_CMD_SRC |
			    1u << QM_MB_CMD_DST | 1u << QM_MB_CMD_PAUSE_QM,
		.regs = regs_v3,
		.absent = none,
	},
};

const struct wdm_generation *wdm_generation(u32 generation)
{
	if (!generation)
		generation = WDM_GENERATION_LAST;
	if (generation < WDM_GENERATION_FIRST || generation > WDM_GENERATION_LAST)
		return NULL;
	return &generations[WDM_ROW(generation)];
}

u32 wdm_generation_find(const char *name)
{
	u32 i;

	for (i = WDM_GENERATION_FIRST; i <= WDM_GENERATION_LAST; i++)
		if (!strcmp(name, wdm_generation(i)->name))
			return i;
	return 0;
}
