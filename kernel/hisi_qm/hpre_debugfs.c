// SPDX-License-Identifier: GPL-2.0-or-later
/* The HPRE engine and its clusters in debugfs. For debugging, not an ABI. */
#include <linux/bits.h>
#include <linux/debugfs.h>
#include <linux/device.h>
#include "hpre.h"

static const struct hisi_qm_named_reg hpre_debugfs_regs[] = {
	{ HPRE_CNT_CLR_CE, "READ_CLR_EN" },
	{ HPRE_AXQOS, "AXQOS" },
	{ HPRE_AWUSER_FP, "AWUSR_CFG" },
	{ HPRE_BD_ENDIAN, "BD_ENDIAN" },
	{ HPRE_ECC_BYPASS, "ECC_CHECK_CTRL" },
	{ HPRE_RAS_WIDTH, "RAS_INT_WIDTH" },
	{ HPRE_POISON_BYPASS, "POISON_BYPASS" },
	{ HPRE_BD_READ_USER, "BD_ARUSER" },
	{ HPRE_BD_WRITE_USER, "BD_AWUSER" },
	{ HPRE_DATA_READ_USER, "DATA_ARUSER" },
	{ HPRE_DATA_WRITE_USER, "DATA_AWUSER" },
	{ HPRE_ERR_STATUS, "INT_STATUS" },
	{ HPRE_ERR_MASK, "INT_MASK" },
	{ HPRE_RAS_CE, "RAS_CE_ENB" },
	{ HPRE_RAS_NFE, "RAS_NFE_ENB" },
	{ HPRE_RAS_FE, "RAS_FE_ENB" },
	{ HPRE_ERR_SET, "INT_SET" },
	{ HPRE_RNG_TIMEOUTS, "RNG_TIMEOUT_NUM" },
};

static const struct hisi_qm_named_reg hpre_cluster_regs[] = {
	{ HPRE_CLUSTER_CORES, "CORES_EN_STATUS" },
	{ HPRE_CLUSTER_START, "CORES_INI_CFG" },
	{ HPRE_CLUSTER_READY, "CORES_INI_STATUS" },
	{ HPRE_CLUSTER_HEARTBEAT, "CORES_HTBT_WARN" },
	{ HPRE_CLUSTER_SCHEDULED, "CORES_IS_SCHD" },
};

/* A device register shown in a file. */
struct hpre_view {
	struct hisi_qm *qm;
	u32 base;
};

static int hpre_cluster_ctrl_get(void *data, u64 *value)
{
	struct hpre_view *view = data;
	int ret = hisi_qm_look_begin(view->qm);

	if (ret)
		return ret;
	*value = hisi_qm_read(view->qm, view->base + HPRE_CLUSTER_ANSWER);
	hisi_qm_look_end(view->qm);
	return 0;
}

static int hpre_cluster_ctrl_set(void *data, u64 value)
{
	struct hpre_view *view = data;
	int ret;

	if (value >= hisi_qm_cap(view->qm, HPRE_CAP_ID_CORES))
		return -EINVAL;
	ret = hisi_qm_look_begin(view->qm);
	if (ret)
		return ret;
	hisi_qm_write(view->qm, view->base + HPRE_CLUSTER_INQUIRY, value);
	hisi_qm_look_end(view->qm);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(hpre_cluster_ctrl_fops, hpre_cluster_ctrl_get, hpre_cluster_ctrl_set, "%llu\n");

static void hpre_cluster_dir(struct hisi_qm *qm, struct dentry *parent, u32 number)
{
	struct hpre_view *view = devm_kmalloc(&hisi_qm_pdev(qm)->dev, sizeof(*view), GFP_KERNEL);
	struct dentry *dir;
	char name[24];

	snprintf(name, sizeof(name), "cluster%u", number);
	dir = debugfs_create_dir(name, parent);
	hisi_qm_debugfs_regs(qm, dir, hpre_cluster(number), hpre_cluster_regs, ARRAY_SIZE(hpre_cluster_regs));
	if (!view)
		return;
	*view = (struct hpre_view) { .qm = qm, .base = hpre_cluster(number) };
	debugfs_create_file("cluster_ctrl", 0600, dir, view, &hpre_cluster_ctrl_fops);
}

/**
 * hpre_debugfs_init - create the engine's files
 * @qm: a started function
 * @dir: directory; removed, with its contents, before the function stops
 */
void hpre_debugfs_init(struct hisi_qm *qm, struct dentry *dir)
{
	u32 i;

	hisi_qm_debugfs_regs(qm, dir, 0, hpre_debugfs_regs, ARRAY_SIZE(hpre_debugfs_regs));
	hisi_qm_debugfs_switch(qm, dir, "rdclr_en", HPRE_CNT_CLR_CE, BIT(0));
	for (i = 0; i < hpre_clusters(qm); i++)
		hpre_cluster_dir(qm, dir, i);
}
