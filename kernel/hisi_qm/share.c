// SPDX-License-Identifier: GPL-2.0-or-later
/* A function's share of the bandwidth, for callers that don't know what else happens to the device at this moment. */
#include <linux/pci.h>
#include "internal.h"

/*
 * The table isn't what it should be while functions are reset, bound, enabled or disabled. The lock is only tried:
 * removing a function holds it, and waits for callers of these.
 */
static int qm_share_begin(struct hisi_qm *pf)
{
	int ret;

	ret = qm_power_get(pf);
	if (ret)
		return ret;
	ret = -EAGAIN;
	if (!qm_claim_try(pf))
		goto err_put_power;
	if (qm_is_isolated(pf))
		ret = -EIO;
	else if (!pf->vfs_changing && !qm_is_ending(pf))
		return 0;
	qm_claim_end(pf);
err_put_power:
	qm_power_put(pf);
	return ret;
}

static void qm_share_end(struct hisi_qm *pf)
{
	qm_claim_end(pf);
	qm_power_put(pf);
}

/**
 * qm_share_get - a function's share of the bandwidth, in thousandths
 * @qm: a physical function, or a virtual one whose physical function this driver has
 * @qos: receives the share; of a physical function 0, as in mainline, if the device has another limit or doesn't answer
 */
int qm_share_get(struct hisi_qm *qm, u32 *qos)
{
	struct hisi_qm *pf = qm->physical ?: qm;
	int ret = qm_share_begin(pf);

	if (ret)
		return ret;
	ret = qm_vft_qos(pf, qm_function_number(qm->pdev), qos);
	qm_share_end(pf);
	if (ret && qm->pf) {
		*qos = 0;
		ret = 0;
	}
	return ret;
}

/**
 * qm_share_set - change a function's share of the bandwidth
 * @pf: the physical function
 * @pdev: @pf's own device, or one of its virtual functions
 * @qos: 1..QM_QOS_MAX
 *
 * -EAGAIN during a reset, -EIO if the device is isolated, -EINVAL if it refuses: the old share holds.
 */
int qm_share_set(struct hisi_qm *pf, struct pci_dev *pdev, u32 qos)
{
	u32 function = qm_function_number(pdev);
	int ret = qm_share_begin(pf);

	if (ret)
		return ret;
	ret = qm_vft_set_qos(pf, function, qos);
	qm_share_end(pf);
	if (ret) {
		pci_err(pf->pdev, "cannot limit the bandwidth of function %u (%d): its limit stays\n", function, ret);
		return -EINVAL;
	}
	pci_info(pf->pdev, "function %u has %u of %u of the bandwidth\n", function, qos, QM_QOS_MAX);
	return 0;
}
