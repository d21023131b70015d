// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers, state and counters of the queue manager in debugfs. For debugging, not an ABI. */
#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/seq_file.h>
#include "internal.h"

static const struct hisi_qm_named_reg qm_debugfs_regs[] = {
	{ QM_DFX_ECC_1BIT_CNT, "QM_ECC_1BIT_CNT" },
	{ QM_DFX_ECC_1BIT_INF, "QM_ECC_1BIT_INF" },
	{ QM_DFX_ECC_MBIT_CNT, "QM_ECC_MBIT_CNT" },
	{ QM_DFX_ECC_MBIT_INF, "QM_ECC_MBIT_INF" },
	{ QM_DFX_MB_CNT, "QM_DFX_MB_CNT" },
	{ QM_DFX_DB_CNT, "QM_DFX_DB_CNT" },
	{ QM_DFX_SQE_CNT, "QM_DFX_SQE_CNT" },
	{ QM_DFX_CQE_CNT, "QM_DFX_CQE_CNT" },
	{ QM_DFX_SEND_SQE_CNT, "QM_DFX_SEND_SQE_TO_ACC_CNT" },
	{ QM_DFX_WB_SQE_CNT, "QM_DFX_WB_SQE_FROM_ACC_CNT" },
	{ QM_DFX_FINISH_CNT, "QM_DFX_ACC_FINISH_CNT" },
	{ 0x1040a0, "QM_DFX_ACC_RDY_VLD0" },
	{ 0x1040a4, "QM_DFX_ACC_RDY_VLD1" },
	{ 0x1040a8, "QM_DFX_AXI_RDY_VLD" },
	{ QM_DFX_CQE_ERR_CNT, "QM_DFX_CQE_ERR_CNT" },
	{ 0x1040c8, "QM_DFX_FF_ST0" },
	{ 0x1040cc, "QM_DFX_FF_ST1" },
	{ 0x1040d0, "QM_DFX_FF_ST2" },
	{ 0x1040d4, "QM_DFX_FF_ST3" },
	{ 0x1040d8, "QM_DFX_FF_ST4" },
	{ 0x1040dc, "QM_DFX_FF_ST5" },
	{ 0x1040e0, "QM_DFX_FF_ST6" },
	{ QM_DFX_IDLE_ST, "QM_IN_IDLE_ST" },
	{ QM_CACHE_CTL, "QM_CACHE_CTL" },
	{ 0x100070, "QM_TIMEOUT_CFG" },
	{ QM_DB_TIMEOUT_CFG, "QM_DB_TIMEOUT_CFG" },
	{ 0x100078, "QM_FLR_PENDING_TIME_CFG" },
	{ QM_ARUSER_M_CFG_1, "QM_ARUSR_MCFG1" },
	{ QM_AWUSER_M_CFG_1, "QM_AWUSR_MCFG1" },
	{ QM_AXI_M_CFG_ENABLE, "QM_AXI_M_CFG_ENABLE" },
	{ QM_RAS_CE_THRESHOLD, "QM_RAS_CE_THRESHOLD" },
	{ 0x100120, "QM_AXI_TIMEOUT_CTRL" },
	{ 0x100124, "QM_AXI_TIMEOUT_STATUS" },
	{ 0x100144, "QM_CQE_AGGR_TIMEOUT_CTRL" },
	{ 0x1040fc, "ACC_RAS_MSI_INT_SEL" },
	{ 0x104100, "QM_CQE_OUT" },
	{ 0x104104, "QM_EQE_OUT" },
	{ 0x104108, "QM_AEQE_OUT" },
	{ 0x104180, "QM_DB_INFO0" },
	{ 0x104184, "QM_DB_INFO1" },
	{ ACC_MASTER_GLOBAL_CTRL, "QM_AM_CTRL_GLOBAL" },
	{ 0x300100, "QM_AM_CURR_PORT_STS" },
	{ ACC_MASTER_TRANS_RETURN, "QM_AM_CURR_TRANS_RETURN" },
	{ 0x300154, "QM_AM_CURR_RD_MAX_TXID" },
	{ 0x300158, "QM_AM_CURR_WR_MAX_TXID" },
	{ 0x300180, "QM_AM_ALARM_RRESP" },
	{ 0x300184, "QM_AM_ALARM_BRESP" },
	{ QM_DFX_FUNS_ACTIVE_ST, "QM_DFX_FUNS_ACTIVE_ST" },
};

static const struct hisi_qm_named_reg qm_vf_debugfs_regs[] = {
	{ QM_DFX_FUNS_ACTIVE_ST, "QM_DFX_FUNS_ACTIVE_ST" },
};

static int qm_regs_show(struct seq_file *s, void *unused)
{
	struct qm_snapshot *r = s->private;
	unsigned int i;
	int ret;

	ret = hisi_qm_look_begin(r->qm);
	if (ret)
		return ret;
	for (i = 0; i < r->nr; i++)
		seq_printf(s, "%-30s= 0x%08x\n", r->regs[i].name, qm_snapshot_now(r, i));
	hisi_qm_look_end(r->qm);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(qm_regs);

static int qm_diff_regs_show(struct seq_file *s, void *unused)
{
	struct qm_snapshot *r = s->private;
	unsigned int i;
	int ret;
	u32 now;

	ret = hisi_qm_look_begin(r->qm);
	if (ret)
		return ret;
	for (i = 0; i < r->nr; i++) {
		now = qm_snapshot_now(r, i);
		if (now != r->first[i])
			seq_printf(s, "%-30s= 0x%08x -> 0x%08x\n", r->regs[i].name, r->first[i], now);
	}
	hisi_qm_look_end(r->qm);
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
	struct qm_snapshot *s = qm_snapshot_take(qm, base, regs, nr);

	if (!s)
		return;
	debugfs_create_file("regs", 0444, dir, s, &qm_regs_fops);
	debugfs_create_file("diff_regs", 0444, dir, s, &qm_diff_regs_fops);
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
	int ret = hisi_qm_look_begin(sw->qm);

	if (ret)
		return ret;
	*value = (hisi_qm_read(sw->qm, sw->reg) & sw->bits) == sw->bits;
	hisi_qm_look_end(sw->qm);
	return 0;
}

static int qm_switch_set(void *data, u64 value)
{
	struct qm_switch *sw = data;
	int ret;

	if (value > 1)
		return -EINVAL;
	ret = hisi_qm_look_begin(sw->qm);
	if (ret)
		return ret;
	if (value)
		hisi_qm_set_bits(sw->qm, sw->reg, sw->bits);
	else
		hisi_qm_clear_bits(sw->qm, sw->reg, sw->bits);
	hisi_qm_look_end(sw->qm);
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

/* ------ whose commands, doorbells, descriptors and completions the registers count ------ */

static int qm_current_qm_get(void *data, u64 *value)
{
	struct hisi_qm *qm = data;
	int ret = hisi_qm_look_begin(qm);

	if (ret)
		return ret;
	*value = hisi_qm_read(qm, QM_DFX_MB_SELECT);
	hisi_qm_look_end(qm);
	return 0;
}

/* Changes the bits of @mask in the selectors of queues. */
static void qm_select_queue(struct hisi_qm *qm, u32 mask, u32 bits)
{
	hisi_qm_write(qm, QM_DFX_SQE_SELECT, (hisi_qm_read(qm, QM_DFX_SQE_SELECT) & ~mask) | bits);
	hisi_qm_write(qm, QM_DFX_CQE_SELECT, (hisi_qm_read(qm, QM_DFX_CQE_SELECT) & ~mask) | bits);
}

/* Counts of requests select queues, too. */
static int qm_select_begin(struct hisi_qm *qm)
{
	int ret = qm_counters_lock(qm);

	if (ret)
		return ret;
	ret = hisi_qm_look_begin(qm);
	if (ret)
		qm_counters_unlock(qm);
	return ret;
}

static void qm_select_end(struct hisi_qm *qm)
{
	hisi_qm_look_end(qm);
	qm_counters_unlock(qm);
}

/* The number of the queue stays, as in mainline, also if the function has no such queue. */
static int qm_current_qm_set(void *data, u64 value)
{
	struct hisi_qm *qm = data;
	int ret;

	if (value > pci_num_vf(qm->pdev))
		return -EINVAL;
	ret = qm_select_begin(qm);
	if (ret)
		return ret;
	hisi_qm_write(qm, QM_DFX_MB_SELECT, value);
	hisi_qm_write(qm, QM_DFX_DB_SELECT, value);
	qm_select_queue(qm, QM_DFX_SELECT_FUNC_MASK, value);
	qm_select_end(qm);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(qm_current_qm_fops, qm_current_qm_get, qm_current_qm_set, "%llu\n");

static int qm_current_q_get(void *data, u64 *value)
{
	struct hisi_qm *qm = data;
	int ret = hisi_qm_look_begin(qm);

	if (ret)
		return ret;
	*value = hisi_qm_read(qm, QM_DFX_SQE_SELECT) >> QM_DFX_SELECT_QUEUE_SHIFT;
	hisi_qm_look_end(qm);
	return 0;
}

static int qm_current_q_set(void *data, u64 value)
{
	struct hisi_qm *qm = data;
	int ret = qm_select_begin(qm);

	if (ret)
		return ret;
	if (value < qm_function_queues(qm, hisi_qm_read(qm, QM_DFX_MB_SELECT)))
		qm_select_queue(qm, GENMASK(31, QM_DFX_SELECT_QUEUE_SHIFT), value << QM_DFX_SELECT_QUEUE_SHIFT);
	else
		ret = -EINVAL;
	qm_select_end(qm);
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(qm_current_q_fops, qm_current_q_get, qm_current_q_set, "%llu\n");

/* ------ state, capabilities, counters of the driver ------ */

static int qm_idle_get(void *data, u64 *value)
{
	struct hisi_qm *qm = data;
	int ret = hisi_qm_look_begin(qm);

	if (ret)
		return ret;
	*value = hisi_qm_read(qm, QM_DFX_IDLE_ST) & 1;
	hisi_qm_look_end(qm);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(qm_idle_fops, qm_idle_get, NULL, "%llu\n");

static const struct hisi_qm_named_reg qm_cap_regs[] = {
	{ QM_CAP_VERSION, "QM_CAP_VERSION" },
	{ QM_CAP_EQ_DEPTH, "QM_EQ_DEPTH" },
	{ QM_CAP_QP_DEPTH, "QM_QP_DEPTH" },
	{ QM_CAP_EQ_IRQ, "QM_EQ_IRQ" },
	{ QM_CAP_AEQ_IRQ, "QM_AEQ_IRQ" },
	{ QM_CAP_ABNORMAL_IRQ, "QM_ABNORMAL_IRQ" },
	{ QM_CAP_MSG_IRQ, "QM_MSG_IRQ" },
	{ QM_CAP_IRQ_NUM, "QM_IRQ_NUM" },
	{ QM_CAP_EXT_BAR, "QM_EXT_BAR" },
	{ QM_CAP_NFE_MASK, "QM_NFE_MASK" },
	{ QM_CAP_RESET_MASK, "QM_RESET_MASK" },
	{ QM_CAP_CE_MASK, "QM_CE_MASK" },
};

/* The values that the device delivered when the driver was bound. */
static int qm_cap_regs_show(struct seq_file *s, void *unused)
{
	struct qm_snapshot *r = s->private;
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		seq_printf(s, "%s= 0x%08x\n", r->regs[i].name, r->first[i]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(qm_cap_regs);

static void qm_debugfs_caps(struct hisi_qm *qm)
{
	struct qm_snapshot *s;

	if (!qm->gen->cap_registers)
		return;
	s = qm_snapshot_take(qm, 0, qm_cap_regs, ARRAY_SIZE(qm_cap_regs));
	if (s)
		debugfs_create_file("cap_regs", 0444, qm->debugfs, s, &qm_cap_regs_fops);
}

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
	qm_debugfs_caps(qm);
	if (qm->pf) {
		debugfs_create_file_unsafe("current_qm", 0600, qm->debugfs, qm, &qm_current_qm_fops);
		debugfs_create_file_unsafe("qm_state", 0444, dir, qm, &qm_idle_fops);
		debugfs_create_file_unsafe("current_q", 0600, dir, qm, &qm_current_q_fops);
		hisi_qm_debugfs_switch(qm, dir, "clear_enable", QM_DFX_CNT_CLR_CE, BIT(0));
	}
	for (i = 0; i < QM_COUNT_NR; i++)
		debugfs_create_file_unsafe(qm_counter_names[i], 0644, dir, &qm->counters[i],
					   &qm_counter_fops);
	qm_debugfs_qos_init(qm);
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
