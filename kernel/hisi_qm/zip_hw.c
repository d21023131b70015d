// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers of the ZIP engine and of the queue manager's bus side: values at start and stop. */
#include <linux/bits.h>
#include <linux/minmax.h>
#include "zip.h"

struct zip_reg {
	u32 offset;
	u32 value;
};

static const struct zip_reg zip_bus_regs[] = {
	/* queue manager: who accesses memory, and how */
	{ QM_ARUSER_M_CFG_1, QM_AXUSER_BASE },
	{ QM_ARUSER_M_CFG_ENABLE, QM_XUSER_ENABLE },
	{ QM_AWUSER_M_CFG_1, QM_AXUSER_BASE },
	{ QM_AWUSER_M_CFG_ENABLE, QM_XUSER_ENABLE },
	{ QM_WUSER_M_CFG_ENABLE, 0xffffffff },
	{ QM_AXI_M_CFG, QM_AXI_M_CFG_VALUE },
	{ QM_AXI_M_CFG_ENABLE, 0xffffffff },
	/* clearing bus master must not act as a function level reset */
	{ QM_PEH_AXUSER_CFG, QM_PEH_AXUSER_VALUE },
	{ QM_PEH_AXUSER_CFG_ENABLE, 0xffffffff },
	/* engine: cache attributes, then descriptors */
	{ ZIP_PORT_ARCA_0, ZIP_CACHE_ATTR_ALL },
	{ ZIP_PORT_ARCA_1, ZIP_CACHE_ATTR_ALL },
	{ ZIP_PORT_AWCA_0, ZIP_CACHE_ATTR_ALL },
	{ ZIP_PORT_AWCA_1, ZIP_CACHE_ATTR_ALL },
	{ ZIP_BD_RUSER, QM_AXUSER_BASE },
	{ ZIP_BD_WUSER, QM_AXUSER_BASE },
};

/* Payload: where a queue can't carry a PASID, these say that there is one. */
static const u32 zip_payload_regs[] = { ZIP_DATA_RUSER, ZIP_DATA_WUSER, ZIP_SGL_RUSER };

static void zip_set_bits(struct hisi_qm *qm, u32 reg, u32 bits)
{
	hisi_qm_write(qm, reg, hisi_qm_read(qm, reg) | bits);
}

static void zip_clear_bits(struct hisi_qm *qm, u32 reg, u32 bits)
{
	hisi_qm_write(qm, reg, hisi_qm_read(qm, reg) & ~bits);
}

static int zip_prefetch_open(struct hisi_qm *qm)
{
	int ret;

	if (!hisi_qm_has(qm, QM_CAP_SVA_PREFETCH))
		return 0;

	zip_clear_bits(qm, ZIP_PREFETCH_CFG, ZIP_PREFETCH_ENABLE_CLR);
	ret = hisi_qm_wait(qm, ZIP_PREFETCH_CFG, ZIP_PREFETCH_DISABLE, 0);
	if (ret)
		pci_err(hisi_qm_pdev(qm), "cannot open the prefetcher (%d)\n", ret);
	return ret;
}

static void zip_prefetch_close(struct hisi_qm *qm)
{
	if (!hisi_qm_has(qm, QM_CAP_SVA_PREFETCH))
		return;

	zip_set_bits(qm, ZIP_PREFETCH_CFG, ZIP_PREFETCH_DISABLE);
	if (hisi_qm_wait(qm, ZIP_SVA_TRANS, ZIP_SVA_TRANS_BUSY, 0))
		pci_err(hisi_qm_pdev(qm), "cannot close the prefetcher\n");
}

static u32 zip_core_gates(struct hisi_qm *qm)
{
	u32 enable = hisi_qm_cap(qm, ZIP_CAP_ID_CORE_ENABLE);

	return ZIP_DECOMP_CHECK_EN | enable >> 16 | (enable & 0xffff);
}

/**
 * zip_cores - number of core register blocks that may be accessed
 * @qm: the function
 */
u32 zip_cores(struct hisi_qm *qm)
{
	return min_t(u32, ZIP_CORES_MAX, ZIP_DECOMP_CORE_FIRST + hisi_qm_cap(qm, ZIP_CAP_ID_DECOMP_CORES));
}

/* Reading the counters clears them while this is on; twice, so that none is left over. */
static void zip_counters_clear(struct hisi_qm *qm)
{
	unsigned int core, reg;

	hisi_qm_write(qm, QM_DFX_CNT_CLR_CE, 1);
	for (reg = QM_DFX_MB_CNT; reg <= QM_DFX_CQE_CNT; reg += 0x10)
		hisi_qm_read(qm, reg);
	hisi_qm_write(qm, QM_DFX_CNT_CLR_CE, 0);

	zip_set_bits(qm, ZIP_SOFT_CTRL_CNT_CLR, BIT(0) | BIT(2));
	for (core = 0; core < zip_cores(qm); core++)
		for (reg = 0; reg <= ZIP_CORE_LAST; reg += 4)
			hisi_qm_read(qm, ZIP_CORE_BASE + core * ZIP_CORE_STRIDE + reg);
	zip_clear_bits(qm, ZIP_SOFT_CTRL_CNT_CLR, BIT(0) | BIT(2));
}

/**
 * zip_hw_init - give the engine its working values
 * @qm: a function that isn't started
 * @perf_mode: compress faster, not smaller
 */
int zip_hw_init(struct hisi_qm *qm, bool perf_mode)
{
	u32 payload = QM_AXUSER_BASE | (hisi_qm_is_v3(qm) ? 0 : QM_AXUSER_SSV);
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(zip_bus_regs); i++)
		hisi_qm_write(qm, zip_bus_regs[i].offset, zip_bus_regs[i].value);
	for (i = 0; i < ARRAY_SIZE(zip_payload_regs); i++)
		hisi_qm_write(qm, zip_payload_regs[i], payload);

	ret = zip_prefetch_open(qm);
	if (ret)
		return ret;

	hisi_qm_write(qm, ZIP_CLOCK_GATE_CTRL, zip_core_gates(qm));
	hisi_qm_write(qm, QM_CACHE_CTL, QM_CACHE_CTL_VALUE);
	hisi_qm_write(qm, ZIP_HIGH_PERF, (hisi_qm_read(qm, ZIP_HIGH_PERF) & ~1u) | perf_mode);
	if (hisi_qm_is_v3(qm)) {
		zip_clear_bits(qm, ZIP_LIT_LEN_CTRL, BIT(4));
		zip_set_bits(qm, ZIP_CLOCK_GATE_CTRL, ZIP_CLOCK_GATE_V3);
		zip_set_bits(qm, ZIP_CLOCK_GATE_EN, 1);
	}
	zip_set_bits(qm, ZIP_ERR_CTRL, ZIP_ERR_CTRL_AXI_SHUTDOWN);
	zip_counters_clear(qm);
	return 0;
}

/**
 * zip_hw_exit - undo zip_hw_init() as far as it matters
 * @qm: a stopped function
 */
void zip_hw_exit(struct hisi_qm *qm)
{
	zip_clear_bits(qm, ZIP_ERR_CTRL, ZIP_ERR_CTRL_AXI_SHUTDOWN);
	zip_prefetch_close(qm);
}
