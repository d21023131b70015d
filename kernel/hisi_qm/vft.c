// SPDX-License-Identifier: GPL-2.0-or-later
/* The table that assigns the device's queues and bandwidth to functions. */
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

static int qm_vft_run(struct hisi_qm *qm)
{
	hisi_qm_write(qm, QM_VFT_RDY, 0);
	hisi_qm_write(qm, QM_VFT_OP_ENABLE, 1);
	return hisi_qm_wait(qm, QM_VFT_RDY, 1, 1);
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
	return qm_vft_run(qm);
}

static int qm_vft_read(struct hisi_qm *qm, enum qm_vft_type type, u32 function, u64 *entry)
{
	int ret;

	ret = hisi_qm_wait(qm, QM_VFT_RDY, 1, 1);
	if (ret)
		return ret;

	hisi_qm_write(qm, QM_VFT_OP_WR, 1);
	hisi_qm_write(qm, QM_VFT_TYPE, type);
	hisi_qm_write(qm, QM_VFT_FUNC, function);
	ret = qm_vft_run(qm);
	if (!ret)
		*entry = hisi_qm_read(qm, QM_VFT_DATA_L) | (u64)hisi_qm_read(qm, QM_VFT_DATA_H) << 32;
	return ret;
}

/* ------ bandwidth ------ */

/* Writes one entry for each engine class that shares the device's bandwidth. */
static int qm_vft_shape(struct hisi_qm *qm, u32 function, u64 entry)
{
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
 * qm_vft_qos - a function's share of the bandwidth
 * @qm: the physical function
 * @function: 0 for @qm itself
 * @qos: receives the share, in thousandths
 *
 * -EIO if the device limits the function to another one.
 */
int qm_vft_qos(struct hisi_qm *qm, u32 function, u32 *qos)
{
	u64 entry;
	int ret;

	mutex_lock(&qm->vft_lock);
	*qos = qm->qos[function];
	ret = qm_vft_read(qm, QM_VFT_TYPE_SHAPER, function, &entry);
	if (!ret && !qm_qos_is(entry, *qos))
		ret = -EIO;
	mutex_unlock(&qm->vft_lock);
	return ret;
}

/**
 * qm_vft_set_qos - change a function's share of the bandwidth
 * @qm: the physical function
 * @function: 0 for @qm itself, or a virtual function that has queues
 * @qos: 1..QM_QOS_MAX
 *
 * After an error, the old share holds.
 */
int qm_vft_set_qos(struct hisi_qm *qm, u32 function, u32 qos)
{
	int ret;

	mutex_lock(&qm->vft_lock);
	ret = qm_vft_shape(qm, function, qm_qos_entry(qos));
	if (!ret)
		qm->qos[function] = qos;
	else
		qm_vft_shape(qm, function, qm_qos_entry(qm->qos[function]));
	mutex_unlock(&qm->vft_lock);
	return ret;
}

/**
 * qm_vft_forget_qos - give functions the whole bandwidth when they get queues next
 * @qm: the physical function
 * @first: the first of these functions, 0 for @qm itself
 * @last: the last one
 */
void qm_vft_forget_qos(struct hisi_qm *qm, u32 first, u32 last)
{
	u32 i;

	mutex_lock(&qm->vft_lock);
	for (i = first; i <= last; i++)
		qm->qos[i] = QM_QOS_MAX;
	mutex_unlock(&qm->vft_lock);
}

/* ------ queues ------ */

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
	int ret = 0;

	mutex_lock(&qm->vft_lock);
	for (i = 0; i < ARRAY_SIZE(types) && !ret; i++)
		ret = qm_vft_write(qm, types[i], function, qm_vft_entry(types[i], base, number));
	if (!ret)
		ret = qm_vft_shape(qm, function, number ? qm_qos_entry(qm->qos[function]) : 0);
	mutex_unlock(&qm->vft_lock);
	if (ret)
		pci_err(qm->pdev, "queue table of function %u is not ready (%d)\n", function, ret);
	return ret;
}
