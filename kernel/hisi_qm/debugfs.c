// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers, state and counters of the queue manager in debugfs. For debugging, not an ABI. */
#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/overflow.h>
#include <linux/seq_file.h>
#include "internal.h"

static const struct hisi_qm_named_reg qm_debugfs_regs[] = {
	{ 0x104000, "QM_ECC_1BIT_CNT" },
	{ 0x104004, "QM_ECC_1BIT_INF" },
	{ 0x104008, "QM_ECC_MBIT_CNT" },
	{ 0x10400c, "QM_ECC_MBIT_INF" },
	{ QM_DFX_MB_CNT, "QM_DFX_MB_CNT" },
	{ QM_DFX_DB_CNT, "QM_DFX_DB_CNT" },
	{ QM_DFX_SQE_CNT, "QM_DFX_SQE_CNT" },
	{ QM_DFX_CQE_CNT, "QM_DFX_CQE_CNT" },
	{ 0x104050, "QM_DFX_SEND_SQE_TO_ACC_CNT" },
	{ 0x104058, "QM_DFX_WB_SQE_FROM_ACC_CNT" },
	{ 0x104060, "QM_DFX_ACC_FINISH_CNT" },
	{ 0x1040a0, "QM_DFX_ACC_RDY_VLD0" },
	{ 0x1040a4, "QM_DFX_ACC_RDY_VLD1" },
	{ 0x1040a8, "QM_DFX_AXI_RDY_VLD" },
	{ 0x1040b4, "QM_DFX_CQE_ERR_CNT" },
	{ 0x1040c8, "QM_DFX_FF_ST0" },
	{ 0x1040cc, "QM_DFX_FF_ST1" },
	{ 0x1040d0, "QM_DFX_FF_ST2" },
	{ 0x1040d4, "QM_DFX_FF_ST3" },
	{ 0x1040d8, "QM_DFX_FF_ST4" },
	{ 0x1040dc, "QM_DFX_FF_ST5" },
	{ 0x1040e0, "QM_DFX_FF_ST6" },
	{ 0x1040e4, "QM_IN_IDLE_ST" },
	{ QM_DFX_FUNS_ACTIVE_ST, "QM_DFX_FUNS_ACTIVE_ST" },
};

static const struct hisi_qm_named_reg qm_vf_debugfs_regs[] = {
	{ QM_DFX_FUNS_ACTIVE_ST, "QM_DFX_FUNS_ACTIVE_ST" },
};

/* The registers behind the files "regs" and "diff_regs"; @first: values at creation. */
struct qm_regs {
	struct hisi_qm *qm;
	u32 base;
	const struct hisi_qm_named_reg *regs;
	unsigned int nr;
	u32 first[];
};

static u32 qm_regs_read(const struct qm_regs *r, unsigned int i)
{
	return hisi_qm_read(r->qm, r->base + r->regs[i].offset);
}

static int qm_regs_show(struct seq_file *s, void *unused)
{
	struct qm_regs *r = s->private;
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		seq_printf(s, "%s= 0x%08x\n", r->regs[i].name, qm_regs_read(r, i));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(qm_regs);

static int qm_diff_regs_show(struct seq_file *s, void *unused)
{
	struct qm_regs *r = s->private;
	unsigned int i;
	u32 now;

	for (i = 0; i < r->nr; i++) {
		now = qm_regs_read(r, i);
		if (now != r->first[i])
			seq_printf(s, "%s= 0x%08x -> 0x%08x\n", r->regs[i].name, r->first[i], now);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(qm_diff_regs);

/**
 * hisi_qm_debugfs_regs - create a file "regs" that shows registers, and "diff_regs" that shows
 * those changed since
 * @qm: a started function
 * @dir: directory; removed, with its contents, before the function stops
 * @base: added to the registers' offsets
 * @regs: the registers; must remain valid
 * @nr: number of @regs
 *
 * As usual with debugfs, a failure only means that a file is missing.
 */
void hisi_qm_debugfs_regs(struct hisi_qm *qm, struct dentry *dir, u32 base,
			  const struct hisi_qm_named_reg *regs, unsigned int nr)
{
	struct qm_regs *r = devm_kmalloc(&qm->pdev->dev, struct_size(r, first, nr), GFP_KERNEL);
	unsigned int i;

	if (!r)
		return;
	*r = (struct qm_regs) { .qm = qm, .base = base, .regs = regs, .nr = nr };
	for (i = 0; i < nr; i++)
		r->first[i] = qm_regs_read(r, i);
	debugfs_create_file("regs", 0444, dir, r, &qm_regs_fops);
	debugfs_create_file("diff_regs", 0444, dir, r, &qm_diff_regs_fops);
}
EXPORT_SYMBOL_GPL(hisi_qm_debugfs_regs);

/* Bits of a register that a file sets or clears together. */
struct qm_switch {
	struct hisi_qm *qm;
	u32 reg;
	u32 bits;
};

static int qm_switch_get(void *data, u64 *value)
{
	struct qm_switch *sw = data;

	*value = (hisi_qm_read(sw->qm, sw->reg) & sw->bits) == sw->bits;
	return 0;
}

static int qm_switch_set(void *data, u64 value)
{
	struct qm_switch *sw = data;

	if (value > 1)
		return -EINVAL;
	if (value)
		hisi_qm_set_bits(sw->qm, sw->reg, sw->bits);
	else
		hisi_qm_clear_bits(sw->qm, sw->reg, sw->bits);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(qm_switch_fops, qm_switch_get, qm_switch_set, "%llu\n");

/**
 * hisi_qm_debugfs_switch - create a file that sets and clears bits of a register
 * @qm: a started function
 * @dir: directory; removed, with its contents, before the function stops
 * @name: name of the file
 * @reg: offset in BAR2
 * @bits: all set by writing 1, all cleared by writing 0
 */
void hisi_qm_debugfs_switch(struct hisi_qm *qm, struct dentry *dir, const char *name, u32 reg, u32 bits)
{
	struct qm_switch *sw = devm_kmalloc(&qm->pdev->dev, sizeof(*sw), GFP_KERNEL);

	if (!sw)
		return;
	*sw = (struct qm_switch) { .qm = qm, .reg = reg, .bits = bits };
	debugfs_create_file(name, 0600, dir, sw, &qm_switch_fops);
}
EXPORT_SYMBOL_GPL(hisi_qm_debugfs_switch);

static int qm_status_show(struct seq_file *s, void *unused)
{
	static const char * const names[] = {
		[QM_STOPPED] = "stop",
		[QM_STARTED] = "start",
		[QM_RESETTING] = "reset",
	};
	struct hisi_qm *qm = s->private;

	seq_printf(s, "%s\n", names[READ_ONCE(qm->state)]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(qm_status);

static int qm_queues_show(struct seq_file *s, void *unused)
{
	struct hisi_qm *qm = s->private;

	mutex_lock(&qm->state_lock);
	seq_printf(s, "total %u\nused %u\nquarantined %u\n", qm->qp_num, qm->qp_used, qm->qp_stuck);
	mutex_unlock(&qm->state_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(qm_queues);

static int qm_current_q_get(void *data, u64 *value)
{
	struct hisi_qm *qm = data;

	*value = hisi_qm_read(qm, QM_DFX_SQE_SELECT) >> QM_DFX_SELECT_QUEUE_SHIFT;
	return 0;
}

static void qm_current_q_write(struct hisi_qm *qm, u32 reg, u32 queue)
{
	u32 low = hisi_qm_read(qm, reg) & GENMASK(QM_DFX_SELECT_QUEUE_SHIFT - 1, 0);

	hisi_qm_write(qm, reg, low | queue << QM_DFX_SELECT_QUEUE_SHIFT);
}

static int qm_current_q_set(void *data, u64 value)
{
	struct hisi_qm *qm = data;

	if (value >= qm->qp_num)
		return -EINVAL;
	qm_current_q_write(qm, QM_DFX_SQE_SELECT, value);
	qm_current_q_write(qm, QM_DFX_CQE_SELECT, value);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(qm_current_q_fops, qm_current_q_get, qm_current_q_set, "%llu\n");

static int qm_counter_get(void *data, u64 *value)
{
	*value = (u32)atomic_read(data);
	return 0;
}

static int qm_counter_set(void *data, u64 value)
{
	if (value)
		return -EINVAL;
	atomic_set(data, 0);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(qm_counter_fops, qm_counter_get, qm_counter_set, "%llu\n");

static const char * const qm_counter_names[QM_COUNT_NR] = {
	[QM_COUNT_ERR_IRQ] = "err_irq",
	[QM_COUNT_AEQ_IRQ] = "aeq_irq",
	[QM_COUNT_ABNORMAL_IRQ] = "abnormal_irq",
	[QM_COUNT_CREATE_QP_ERR] = "create_qp_err",
	[QM_COUNT_MB_ERR] = "mb_err",
};

/**
 * qm_debugfs_init - create the function's files
 * @qm: a started function
 * @root: the driver's directory
 *
 * Returns the function's directory, where the engine's driver adds its own files. As usual with
 * debugfs, a failure only means that files are missing.
 */
struct dentry *qm_debugfs_init(struct hisi_qm *qm, struct dentry *root)
{
	struct dentry *dir;
	unsigned int i;

	qm->debugfs = debugfs_create_dir(pci_name(qm->pdev), root);
	dir = debugfs_create_dir("qm", qm->debugfs);

	if (qm->pf)
		hisi_qm_debugfs_regs(qm, dir, 0, qm_debugfs_regs, ARRAY_SIZE(qm_debugfs_regs));
	else
		hisi_qm_debugfs_regs(qm, dir, 0, qm_vf_debugfs_regs, ARRAY_SIZE(qm_vf_debugfs_regs));
	debugfs_create_file("status", 0444, dir, qm, &qm_status_fops);
	debugfs_create_file("queues", 0444, dir, qm, &qm_queues_fops);
	debugfs_create_file("cmd", 0600, dir, qm, &qm_debugfs_cmd_fops);
	if (qm->pf) {
		debugfs_create_file_unsafe("current_q", 0600, dir, qm, &qm_current_q_fops);
		hisi_qm_debugfs_switch(qm, dir, "clear_enable", QM_DFX_CNT_CLR_CE, BIT(0));
	}
	for (i = 0; i < QM_COUNT_NR; i++)
		debugfs_create_file_unsafe(qm_counter_names[i], 0644, dir, &qm->counters[i],
					   &qm_counter_fops);
	return qm->debugfs;
}

/**
 * qm_debugfs_exit - remove the function's files; waits for their readers
 * @qm: the function
 */
void qm_debugfs_exit(struct hisi_qm *qm)
{
	debugfs_remove(qm->debugfs);
}
