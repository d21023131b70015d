// SPDX-License-Identifier: GPL-2.0-or-later
/* The ZIP engine's cores and request counters in debugfs. For debugging, not an ABI. */
#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/seq_file.h>
#include "zip.h"

static const struct hisi_qm_named_reg zip_core_regs[] = {
	{ ZIP_CORE_GET_BD, "HZIP_GET_BD_NUM" },
	{ ZIP_CORE_RIGHT_BD, "HZIP_GET_RIGHT_BD" },
	{ ZIP_CORE_ERROR_BD, "HZIP_GET_ERROR_BD" },
	{ ZIP_CORE_DONE_BD, "HZIP_DONE_BD_NUM" },
	{ ZIP_CORE_WORK_CYCLE, "HZIP_WORK_CYCLE" },
	{ 0x18, "HZIP_IDLE_CYCLE" },
	{ ZIP_CORE_MAX_DELAY, "HZIP_MAX_DELAY" },
	{ ZIP_CORE_MIN_DELAY, "HZIP_MIN_DELAY" },
	{ ZIP_CORE_AVG_DELAY, "HZIP_AVG_DELAY" },
	{ 0x30, "HZIP_MEM_VISIBLE_DATA" },
	{ 0x34, "HZIP_MEM_VISIBLE_ADDR" },
	{ ZIP_CORE_CONSUMED, "HZIP_CONSUMED_BYTE" },
	{ ZIP_CORE_PRODUCED, "HZIP_PRODUCED_BYTE" },
	{ 0x70, "HZIP_COMP_INF" },
	{ 0x78, "HZIP_PRE_OUT" },
	{ 0x7c, "HZIP_BD_RD" },
	{ 0x80, "HZIP_BD_WR" },
	{ 0x84, "HZIP_GET_BD_AXI_ERR_NUM" },
	{ 0x88, "HZIP_GET_BD_PARSE_ERR_NUM" },
	{ 0x8c, "HZIP_ADD_BD_AXI_ERR_NUM" },
	{ 0x94, "HZIP_DECOMP_STF_RELOAD_CURR_ST" },
	{ ZIP_CORE_LAST, "HZIP_DECOMP_LZ77_CURR_ST" },
};

/* A register shown in a file, summed over all cores. */
struct zip_view {
	struct hisi_qm *qm;
	u32 offset;
};

static int zip_sum_show(struct seq_file *s, void *unused)
{
	struct zip_view *view = s->private;
	u64 sum;
	int ret;

	ret = hisi_qm_look_begin(view->qm);
	if (ret)
		return ret;
	sum = zip_cores_sum(view->qm, view->offset);
	hisi_qm_look_end(view->qm);
	seq_printf(s, "%llu\n", sum);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(zip_sum);

static void zip_core_dir(struct hisi_qm *qm, struct dentry *dir, const char *kind, u32 nr, u32 first)
{
	char name[24];
	u32 i;

	for (i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "%s_core%u", kind, i);
		hisi_qm_debugfs_regs(qm, debugfs_create_dir(name, dir), ZIP_CORE_BASE + (first + i) * ZIP_CORE_STRIDE,
				     zip_core_regs, ARRAY_SIZE(zip_core_regs));
	}
}

/**
 * zip_debugfs_init - create the engine's files
 * @qm: a started function
 * @dir: directory; removed, with its contents, before the function stops
 */
void zip_debugfs_init(struct hisi_qm *qm, struct dentry *dir)
{
	static const struct {
		const char *name;
		u32 offset;
	} sums[] = {
		{ "send_cnt", ZIP_CORE_GET_BD },
		{ "recv_cnt", ZIP_CORE_DONE_BD },
		{ "err_bd_cnt", ZIP_CORE_ERROR_BD },
	};
	struct dentry *dfx = debugfs_create_dir("zip_dfx", dir);
	struct zip_view *view;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sums); i++) {
		view = devm_kmalloc(&hisi_qm_pdev(qm)->dev, sizeof(*view), GFP_KERNEL);
		if (!view)
			return;
		*view = (struct zip_view) { .qm = qm, .offset = sums[i].offset };
		debugfs_create_file(sums[i].name, 0444, dfx, view, &zip_sum_fops);
	}
	hisi_qm_debugfs_switch(qm, dir, "clear_enable", ZIP_SOFT_CTRL_CNT_CLR, ZIP_SOFT_CTRL_CNT_CLR_ON);
	zip_core_dir(qm, dir, "comp",
		     min_t(u32, ZIP_DECOMP_CORE_FIRST, hisi_qm_cap(qm, ZIP_CAP_ID_COMP_CORES)), 0);
	zip_core_dir(qm, dir, "decomp", zip_cores(qm) - ZIP_DECOMP_CORE_FIRST, ZIP_DECOMP_CORE_FIRST);
}
