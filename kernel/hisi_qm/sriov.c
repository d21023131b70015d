// SPDX-License-Identifier: GPL-2.0-or-later
/* Virtual functions: their shares of the queues, enabling and disabling. */
#include <linux/pci.h>
#include "internal.h"

/* ------ shares ------ */

/*
 * What the physical function doesn't use is divided evenly, and the last virtual function gets the remainder. If that
 * is more than a function may have, the last ones get one more each. A function's queues follow those of the next
 * higher number; virtual functions of other drivers learn theirs from the device.
 */
static u32 qm_vf_share(const struct hisi_qm *qm, unsigned int vfs, unsigned int function)
{
	u32 rest = qm->queues_total - qm->qp_num;
	u32 share = rest / vfs, more = rest % vfs;

	if (share + more <= qm->queues_most)
		share += function == vfs ? more : 0;
	else
		share += vfs - function < more;
	return min(share, qm->queues_most);
}

/**
 * qm_function_queues - number of queues of a function of the device
 * @qm: the physical function
 * @function: 0: itself, else a virtual function; 0 queues if that isn't enabled
 */
u32 qm_function_queues(const struct hisi_qm *qm, unsigned int function)
{
	unsigned int vfs = pci_num_vf(qm->pdev);

	if (!function)
		return qm->qp_num;
	return function <= vfs ? qm_vf_share(qm, vfs, function) : 0;
}

static void qm_vfs_clear_shares(struct hisi_qm *qm, unsigned int vfs)
{
	unsigned int i;

	for (i = 1; i <= vfs; i++)
		qm_vft_set(qm, i, 0, 0);
}

/**
 * qm_vfs_set_shares - give virtual functions their queues
 * @qm: a started physical function
 * @vfs: how many
 */
int qm_vfs_set_shares(struct hisi_qm *qm, unsigned int vfs)
{
	u32 base = qm->qp_num, share;
	unsigned int i;
	int ret;

	for (i = vfs; i; i--) {
		share = qm_vf_share(qm, vfs, i);
		ret = qm_vft_set(qm, i, base, share);
		if (ret)
			goto err_clear_shares;
		base += share;
	}
	return 0;

err_clear_shares:
	qm_vfs_clear_shares(qm, vfs);
	return ret;
}

/* ------ functions of one device ------ */

/**
 * qm_physical - the physical function of a virtual one
 * @pdev: the virtual function
 *
 * NULL in a guest, and where another driver has the physical function. Otherwise valid as long as the virtual function
 * exists: the physical function's driver disables virtual functions before it goes.
 */
struct hisi_qm *qm_physical(struct pci_dev *pdev)
{
	struct pci_dev *physfn = pci_physfn(pdev);

	return physfn != pdev && physfn->dev.driver == pdev->dev.driver ? pci_get_drvdata(physfn) : NULL;
}

/* ------ enabling and disabling ------ */

/*
 * Drivers of virtual functions take the lock when they bind, so it isn't held while functions appear and disappear. A
 * reset of the device waits until this has ended.
 */
static int qm_vfs_change_begin(struct hisi_qm *qm)
{
	int ret = 0;

	qm_claim(qm);
	if (READ_ONCE(qm->broken)) {
		pci_err(qm->pdev, "its virtual functions stay as they are: the device needs a reset\n");
		ret = qm_reset_follows(qm) ? -EAGAIN : -EIO;
	} else {
		qm->vfs_changing = true;
	}
	qm_claim_end(qm);
	return ret;
}

static void qm_vfs_change_end(struct hisi_qm *qm)
{
	qm_claim(qm);
	qm->vfs_changing = false;
	qm_claim_end(qm);
}

static void qm_vfs_let_sleep(struct hisi_qm *qm)
{
	if (!qm->vfs_awake)
		return;
	qm->vfs_awake = false;
	qm_power_put(qm);
}

static int qm_vfs_provide(struct hisi_qm *qm, unsigned int vfs)
{
	int ret;

	ret = qm_power_get(qm);
	if (ret)
		return ret;
	qm->vfs_awake = true;
	qm_vft_forget_qos(qm, 1, vfs);
	ret = qm_vfs_set_shares(qm, vfs);
	if (ret)
		qm_vfs_let_sleep(qm);
	return ret;
}

static int qm_vfs_appear(struct hisi_qm *qm, unsigned int vfs)
{
	int ret;

	ret = qm_vfs_provide(qm, vfs);
	if (ret)
		return ret;
	ret = pci_enable_sriov(qm->pdev, vfs);
	if (ret) {
		pci_err(qm->pdev, "cannot enable %u virtual functions (%d)\n", vfs, ret);
		qm_vfs_clear_shares(qm, vfs);
		qm_vfs_let_sleep(qm);
	}
	return ret;
}

/**
 * qm_vfs_enable - give virtual functions their queues and enable them; their drivers bind in this call
 * @qm: a registered physical function without virtual functions
 * @vfs: how many
 */
static int qm_vfs_enable(struct hisi_qm *qm, unsigned int vfs)
{
	unsigned int most = pci_sriov_get_totalvfs(qm->pdev);
	int ret;

	if (vfs > most) {
		pci_err(qm->pdev, "%u virtual functions: expected at most %u on this device\n", vfs, most);
		return -ERANGE;
	}
	if (qm->queues_total - qm->qp_num < vfs) {
		pci_err(qm->pdev,
			"%u virtual functions: expected at most %u, as the physical function has %u of %u queues\n",
			vfs, qm->queues_total - qm->qp_num, qm->qp_num, qm->queues_total);
		return -EINVAL;
	}
	ret = qm_vfs_change_begin(qm);
	if (ret)
		return ret;
	ret = qm_vfs_appear(qm, vfs);
	qm_vfs_change_end(qm);
	return ret;
}

/**
 * qm_vfs_begin - see to the virtual functions of a physical one that has just been bound
 * @qm: the physical function
 * @vfs: how many the administrator wants, 0: not said
 *
 * A driver that has left its virtual functions enabled, such as pci-pf-stub, decides about their number; the device has
 * forgotten their queues.
 */
int qm_vfs_begin(struct hisi_qm *qm, unsigned int vfs)
{
	unsigned int there = pci_num_vf(qm->pdev);
	int ret;

	if (!there)
		return vfs ? qm_vfs_enable(qm, vfs) : 0;
	ret = qm_vfs_change_begin(qm);
	if (ret)
		return ret;
	ret = qm_vfs_provide(qm, there);
	qm_vfs_change_end(qm);
	if (!ret)
		pci_info(qm->pdev, "%u virtual functions of an earlier driver have their queues\n", there);
	return ret;
}

static int qm_vfs_check_idle(struct hisi_qm *qm)
{
	struct hisi_qm *vf;

	list_for_each_entry(vf, &qm->vfs, vf_node) {
		if (READ_ONCE(vf->qp_used)) {
			pci_info(qm->pdev, "%s has %u open queues: its virtual functions stay\n",
				 pci_name(vf->pdev), READ_ONCE(vf->qp_used));
			return -EBUSY;
		}
	}
	return 0;
}

static void qm_vfs_freeze(struct hisi_qm *qm, bool freeze)
{
	struct hisi_qm *vf;

	list_for_each_entry(vf, &qm->vfs, vf_node)
		qm_freeze(vf, freeze);
}

/* Looks before it refuses anybody a queue, and again when no further queue can be opened. */
static int qm_vfs_close(struct hisi_qm *qm)
{
	int ret;

	qm_claim(qm);
	ret = qm_vfs_check_idle(qm);
	if (ret)
		goto unlock;
	qm_vfs_freeze(qm, true);
	ret = qm_vfs_check_idle(qm);
	if (ret)
		qm_vfs_freeze(qm, false);
unlock:
	qm_claim_end(qm);
	return ret;
}

/**
 * qm_vfs_disable - disable all virtual functions, in use or not
 * @qm: the physical function
 */
void qm_vfs_disable(struct hisi_qm *qm)
{
	unsigned int vfs = pci_num_vf(qm->pdev);

	if (!vfs)
		return;
	pci_disable_sriov(qm->pdev);
	atomic64_set(&qm->vfs_follow_isolation, 0);
	qm->vfs_missed = 0;
	qm_vfs_clear_shares(qm, vfs);
	qm_vfs_let_sleep(qm);
}

/**
 * hisi_qm_configure_vfs - a write to the attribute sriov_numvfs
 * @pdev: the physical function
 * @vfs: number of virtual functions, 0 to disable them
 *
 * Disabling is -EBUSY while a process has a queue of one of them, and -EPERM while one is assigned to a guest. Both are
 * -EAGAIN when a reset of the device is about to begin, and -EIO when the device needs one and can't have it.
 */
int hisi_qm_configure_vfs(struct pci_dev *pdev, int vfs)
{
	struct hisi_qm *qm = pci_get_drvdata(pdev);
	int ret;

	if (vfs) {
		ret = qm_vfs_enable(qm, vfs);
		return ret ? ret : vfs;
	}
	if (pci_vfs_assigned(pdev)) {
		pci_err(pdev, "a virtual function is assigned to a guest: its virtual functions stay\n");
		return -EPERM;
	}
	ret = qm_vfs_change_begin(qm);
	if (ret)
		return ret;
	ret = qm_vfs_close(qm);
	if (!ret)
		qm_vfs_disable(qm);
	qm_vfs_change_end(qm);
	return ret;
}
EXPORT_SYMBOL_GPL(hisi_qm_configure_vfs);
