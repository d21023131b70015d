// SPDX-License-Identifier: GPL-2.0-or-later
/* The table that says which of the device's queues belong to which function. */
#include "internal.h"

static u64 qm_vft_entry(enum qm_vft_type type, u32 base, u32 number)
{
	if (!number)
		return 0;
	if (type == QM_VFT_TYPE_CQC)
		return QM_VFT_CQC_VALID;
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

/**
 * qm_vft_set - give queues to a function
 * @qm: the physical function
 * @function: 0 for itself
 * @base: its first queue, counted over the whole device
 * @number: how many; 0 takes all away
 */
int qm_vft_set(struct hisi_qm *qm, u32 function, u32 base, u32 number)
{
	static const enum qm_vft_type types[] = { QM_VFT_TYPE_SQC, QM_VFT_TYPE_CQC };
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		ret = qm_vft_write(qm, types[i], function, qm_vft_entry(types[i], base, number));
		if (ret) {
			pci_err(qm->pdev, "queue table of function %u: not ready (%d)\n", function, ret);
			return ret;
		}
	}
	return 0;
}
