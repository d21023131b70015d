// SPDX-License-Identifier: GPL-2.0-or-later
/* The table that assigns the device's queues to functions. */
#include "internal.h"

/*
 * The whole bandwidth for one function, 1000 of 1000 or 100 Gbit/s: a rate is cir_b * 2^cir_u *
 * 8000 / (768 * 2^cir_s) Mbit/s; cbs_b and cbs_s are the burst.
 */
#define QM_SHAPER_CIR_B		150
#define QM_SHAPER_CIR_U		6
#define QM_SHAPER_CIR_S		0
#define QM_SHAPER_CBS_B		1
#define QM_SHAPER_CBS_S		19

/**
 * qm_vft_bandwidth - bandwidth of each function, in Mbit/s
 */
u32 qm_vft_bandwidth(void)
{
	return (QM_SHAPER_CIR_B << QM_SHAPER_CIR_U) * 8000 / (768 << QM_SHAPER_CIR_S);
}

static u64 qm_vft_entry(enum qm_vft_type type, u32 base, u32 number)
{
	if (!number)
		return 0;
	if (type == QM_VFT_TYPE_CQC)
		return QM_VFT_CQC_VALID;
	if (type == QM_VFT_TYPE_SHAPER)
		return QM_SHAPER_CIR_B | QM_SHAPER_CIR_U << QM_VFT_SHAPER_CIR_U_SHIFT |
		       QM_SHAPER_CIR_S << QM_VFT_SHAPER_CIR_S_SHIFT |
		       QM_SHAPER_CBS_B << QM_VFT_SHAPER_CBS_B_SHIFT |
		       QM_SHAPER_CBS_S << QM_VFT_SHAPER_CBS_S_SHIFT;
	return (base & QM_VFT_SQC_BASE_MASK) << QM_VFT_SQC_BASE_SHIFT | QM_VFT_SQC_VALID |
	       ((number - 1) & QM_VFT_SQC_NUM_MASK) << QM_VFT_SQC_NUM_SHIFT;
}

static int qm_vft_write(struct hisi_qm *qm, enum qm_vft_type type, u32 function, u64 entry)
{
	int ret;

	ret = hisi_qm_wait(qm, QM_VFT_RDY, 1, 1);
	if (ret)
		return ret;

	hisi_qm_write(qm, QM_VFT_OP_WR, 0);
	hisi_qm_write(qm, QM_VFT_TYPE, type);
	hisi_qm_write(qm, QM_VFT_FUNC, function);
	hisi_qm_write(qm, QM_VFT_DATA_L, lower_32_bits(entry));
	hisi_qm_write(qm, QM_VFT_DATA_H, upper_32_bits(entry));
	hisi_qm_write(qm, QM_VFT_RDY, 0);
	hisi_qm_write(qm, QM_VFT_OP_ENABLE, 1);
	return hisi_qm_wait(qm, QM_VFT_RDY, 1, 1);
}

/* Writes one entry for each engine class that shares the device's bandwidth. */
static int qm_vft_shape(struct hisi_qm *qm, u32 function, u32 number)
{
	u64 entry = qm_vft_entry(QM_VFT_TYPE_SHAPER, 0, number);
	unsigned int i;
	int ret;

	if (!hisi_qm_has(qm, QM_CAP_QOS))
		return 0;
	hisi_qm_write(qm, QM_SHAPER_CFG, QM_SHAPER_CFG_ENABLE | qm->engine->shaper_rates[0] |
					 qm->engine->shaper_rates[1] << QM_SHAPER_CFG_RATE1_SHIFT);
	for (i = 0; i < ARRAY_SIZE(qm->engine->shaper_rates); i++) {
		ret = qm_vft_write(qm, QM_VFT_TYPE_SHAPER, function | i << QM_VFT_FUNC_CLASS_SHIFT, entry);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * qm_vft_own - the queues that the physical function has given to this virtual one
 * @qm: the virtual function
 * @number: receives their number
 */
int qm_vft_own(struct hisi_qm *qm, u32 *number)
{
	u64 entry;
	int ret;

	ret = qm_mailbox_get(qm, QM_MB_CMD_SQC_VFT, 0, &entry);
	if (ret)
		return ret;
	/* Without the check, an empty entry would read as one queue, which another function has. */
	if (!(entry & QM_VFT_SQC_VALID))
		return -ENODEV;
	*number = (entry >> QM_VFT_SQC_NUM_SHIFT & QM_VFT_SQC_NUM_MASK) + 1;
	return 0;
}

/**
 * qm_vft_set - assign queues and a share of the bandwidth to a function
 * @qm: the physical function
 * @function: 0 for @qm itself
 * @base: the first queue, counted over the whole device
 * @number: number of queues; 0 removes all
 */
int qm_vft_set(struct hisi_qm *qm, u32 function, u32 base, u32 number)
{
	static const enum qm_vft_type types[] = { QM_VFT_TYPE_SQC, QM_VFT_TYPE_CQC };
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		ret = qm_vft_write(qm, types[i], function, qm_vft_entry(types[i], base, number));
		if (ret)
			goto err_log;
	}
	ret = qm_vft_shape(qm, function, number);
	if (ret)
		goto err_log;
	return 0;

err_log:
	pci_err(qm->pdev, "queue table of function %u is not ready (%d)\n", function, ret);
	return ret;
}
