// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers of the queue manager's bus side, common to all engines: its master, attributes of memory accesses. */
#include "internal.h"

static const struct hisi_qm_reg qm_bus_regs[] = {
	{ QM_ARUSER_M_CFG_1, QM_AXUSER_BASE },
	{ QM_ARUSER_M_CFG_ENABLE, QM_XUSER_ENABLE },
	{ QM_AWUSER_M_CFG_1, QM_AXUSER_BASE },
	{ QM_AWUSER_M_CFG_ENABLE, QM_XUSER_ENABLE },
	{ QM_WUSER_M_CFG_ENABLE, 0xffffffff },
	{ QM_AXI_M_CFG, QM_AXI_M_CFG_VALUE },
	{ QM_AXI_M_CFG_ENABLE, 0xffffffff },
	{ QM_CACHE_CTL, QM_CACHE_CTL_VALUE },
};

/**
 * qm_master_close - stop all memory accesses of the device, for all its functions
 * @qm: the physical function
 */
int qm_master_close(struct hisi_qm *qm)
{
	int ret;

	hisi_qm_write(qm, ACC_MASTER_GLOBAL_CTRL, 1);
	ret = hisi_qm_wait(qm, ACC_MASTER_TRANS_RETURN, ACC_MASTER_TRANS_IDLE, ACC_MASTER_TRANS_IDLE);
	if (ret)
		pci_err(qm->pdev, "bus transactions did not drain (%d)\n", ret);
	return ret;
}

/**
 * hisi_qm_keep_functions - let the end of bus mastering leave functions as they are; otherwise it resets them
 * @qm: the physical function
 */
void hisi_qm_keep_functions(struct hisi_qm *qm)
{
	hisi_qm_write(qm, QM_PEH_AXUSER_CFG, QM_PEH_AXUSER_VALUE);
	hisi_qm_write(qm, QM_PEH_AXUSER_CFG_ENABLE, ~0u);
}
EXPORT_SYMBOL_GPL(hisi_qm_keep_functions);

/**
 * hisi_qm_bus_init - initialise the bus side's registers
 * @qm: a function that isn't started
 */
void hisi_qm_bus_init(struct hisi_qm *qm)
{
	hisi_qm_write_regs(qm, qm_bus_regs, ARRAY_SIZE(qm_bus_regs));
}
EXPORT_SYMBOL_GPL(hisi_qm_bus_init);

/**
 * hisi_qm_prefetch_open - allow the engine to prefetch translations
 * @qm: the function
 * @prefetch: the engine's prefetch registers
 */
int hisi_qm_prefetch_open(struct hisi_qm *qm, const struct hisi_qm_prefetch *prefetch)
{
	int ret;

	if (!hisi_qm_has(qm, QM_CAP_SVA_PREFETCH))
		return 0;

	hisi_qm_clear_bits(qm, prefetch->config, prefetch->closed);
	ret = hisi_qm_wait(qm, prefetch->config, prefetch->disable, 0);
	if (ret)
		pci_err(qm->pdev, "cannot open the prefetcher (%d)\n", ret);
	return ret;
}
EXPORT_SYMBOL_GPL(hisi_qm_prefetch_open);

/**
 * hisi_qm_prefetch_close - undo hisi_qm_prefetch_open(), and wait for prefetches in flight
 * @qm: the function
 * @prefetch: the engine's prefetch registers
 */
void hisi_qm_prefetch_close(struct hisi_qm *qm, const struct hisi_qm_prefetch *prefetch)
{
	if (!hisi_qm_has(qm, QM_CAP_SVA_PREFETCH))
		return;

	hisi_qm_set_bits(qm, prefetch->config, prefetch->disable);
	if (hisi_qm_wait(qm, prefetch->status, prefetch->busy, 0))
		pci_err(qm->pdev, "cannot close the prefetcher\n");
}
EXPORT_SYMBOL_GPL(hisi_qm_prefetch_close);

static const u32 qm_counter_regs[] = {
	QM_DFX_ECC_1BIT_CNT, QM_DFX_ECC_MBIT_CNT, QM_DFX_MB_CNT, QM_DFX_DB_CNT, QM_DFX_SQE_CNT, QM_DFX_CQE_CNT,
	QM_DFX_SEND_SQE_CNT, QM_DFX_WB_SQE_CNT, QM_DFX_FINISH_CNT, QM_DFX_CQE_ERR_CNT,
};

static const u32 qm_counter_selectors[] = {
	QM_DFX_MB_SELECT, QM_DFX_DB_SELECT, QM_DFX_SQE_SELECT, QM_DFX_CQE_SELECT,
};

/**
 * hisi_qm_counters_clear - clear the queue manager's counters, and select the physical function's first queue
 * @qm: a function that isn't started
 */
void hisi_qm_counters_clear(struct hisi_qm *qm)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(qm_counter_selectors); i++)
		hisi_qm_write(qm, qm_counter_selectors[i], 0);
	hisi_qm_write(qm, QM_DFX_CNT_CLR_CE, 1);
	for (i = 0; i < ARRAY_SIZE(qm_counter_regs); i++)
		hisi_qm_read(qm, qm_counter_regs[i]);
	hisi_qm_write(qm, QM_DFX_CNT_CLR_CE, 0);
}
EXPORT_SYMBOL_GPL(hisi_qm_counters_clear);
