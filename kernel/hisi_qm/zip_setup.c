// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers of the ZIP engine: initialisation and shutdown. */
#include <linux/bits.h>
#include <linux/minmax.h>
#include "zip.h"

/* Cache attributes, then the address space of descriptors. */
static const struct hisi_qm_reg zip_bus_regs[] = {
	{ ZIP_PORT_ARCA_0, ZIP_CACHE_ATTR_ALL },
	{ ZIP_PORT_ARCA_1, ZIP_CACHE_ATTR_ALL },
	{ ZIP_PORT_AWCA_0, ZIP_CACHE_ATTR_ALL },
	{ ZIP_PORT_AWCA_1, ZIP_CACHE_ATTR_ALL },
	{ ZIP_BD_RUSER, QM_AXUSER_BASE },
	{ ZIP_BD_WUSER, QM_AXUSER_BASE },
};

/* Payload: on generation 2, where a queue can't carry a PASID, these registers enable PASIDs. */
static const u32 zip_payload_regs[] = { ZIP_DATA_RUSER, ZIP_DATA_WUSER, ZIP_SGL_RUSER };

static const struct hisi_qm_prefetch zip_prefetch = {
	.config = ZIP_PREFETCH_CFG,
	.disable = ZIP_PREFETCH_DISABLE,
	.closed = ZIP_PREFETCH_ENABLE_CLR,
	.status = ZIP_SVA_TRANS,
	.busy = ZIP_SVA_TRANS_BUSY,
};

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

/**
 * zip_cores_sum - a register, summed over all cores
 * @qm: the function
 * @offset: the register's, in the block of a core
 */
u64 zip_cores_sum(struct hisi_qm *qm, u32 offset)
{
	u64 sum = 0;
	u32 core;

	for (core = 0; core < zip_cores(qm); core++)
		sum += hisi_qm_read(qm, ZIP_CORE_BASE + core * ZIP_CORE_STRIDE + offset);
	return sum;
}

/**
 * zip_counts - add what the cores count
 * @qm: the function
 * @counts: the counters of the whole device
 */
void zip_counts(struct hisi_qm *qm, struct uacce_counts *counts)
{
	counts->count[UACCE_WORK_ERRORS] += zip_cores_sum(qm, ZIP_CORE_ERROR_BD);
	counts->count[UACCE_WORK_BYTES_IN] = zip_cores_sum(qm, ZIP_CORE_CONSUMED);
	counts->count[UACCE_WORK_BYTES_OUT] = zip_cores_sum(qm, ZIP_CORE_PRODUCED);
	counts->count[UACCE_WORK_BUSY_CYCLES] = zip_cores_sum(qm, ZIP_CORE_WORK_CYCLE);
	counts->known |= BIT(UACCE_WORK_BYTES_IN) | BIT(UACCE_WORK_BYTES_OUT) | BIT(UACCE_WORK_BUSY_CYCLES);
}

/* Reading the counters clears them while this bit is set. */
static void zip_counters_clear(struct hisi_qm *qm)
{
	unsigned int core, reg;

	hisi_qm_counters_clear(qm);
	hisi_qm_set_bits(qm, ZIP_SOFT_CTRL_CNT_CLR, ZIP_SOFT_CTRL_CNT_CLR_ON);
	for (core = 0; core < zip_cores(qm); core++)
		for (reg = 0; reg <= ZIP_CORE_LAST; reg += 4)
			hisi_qm_read(qm, ZIP_CORE_BASE + core * ZIP_CORE_STRIDE + reg);
	hisi_qm_clear_bits(qm, ZIP_SOFT_CTRL_CNT_CLR, ZIP_SOFT_CTRL_CNT_CLR_ON);
}

/**
 * zip_hw_init - initialise the engine's registers
 * @qm: a function that isn't started
 * @perf_mode: compress for speed, not for size
 */
int zip_hw_init(struct hisi_qm *qm, bool perf_mode)
{
	u32 payload = QM_AXUSER_BASE | (hisi_qm_is_v3(qm) || hisi_qm_mediated(qm) ? 0 : QM_AXUSER_SSV);
	unsigned int i;
	int ret;

	hisi_qm_bus_init(qm);
	hisi_qm_write_regs(qm, zip_bus_regs, ARRAY_SIZE(zip_bus_regs));
	for (i = 0; i < ARRAY_SIZE(zip_payload_regs); i++)
		hisi_qm_write(qm, zip_payload_regs[i], payload);

	ret = hisi_qm_prefetch_open(qm, &zip_prefetch);
	if (ret)
		return ret;

	hisi_qm_write(qm, ZIP_CLOCK_GATE_CTRL, zip_core_gates(qm));
	hisi_qm_write(qm, ZIP_HIGH_PERF, (hisi_qm_read(qm, ZIP_HIGH_PERF) & ~1u) | perf_mode);
	if (hisi_qm_is_v3(qm)) {
		hisi_qm_clear_bits(qm, ZIP_LIT_LEN_CTRL, BIT(4));
		hisi_qm_set_bits(qm, ZIP_CLOCK_GATE_CTRL, ZIP_CLOCK_GATE_V3);
		hisi_qm_set_bits(qm, ZIP_CLOCK_GATE_EN, 1);
	}
	hisi_qm_set_bits(qm, ZIP_ERR_CTRL, ZIP_ERR_CTRL_AXI_SHUTDOWN);
	zip_counters_clear(qm);
	return 0;
}

/**
 * zip_hw_exit - undo zip_hw_init() as far as needed
 * @qm: a stopped function
 */
void zip_hw_exit(struct hisi_qm *qm)
{
	hisi_qm_clear_bits(qm, ZIP_ERR_CTRL, ZIP_ERR_CTRL_AXI_SHUTDOWN);
	hisi_qm_prefetch_close(qm, &zip_prefetch);
}
