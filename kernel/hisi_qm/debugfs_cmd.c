// SPDX-License-Identifier: GPL-2.0-or-later
/* debugfs qm/cmd: dumps contexts and ring entries into the kernel log. */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "internal.h"

#define QM_CMD_MAX	1024

/* In all contexts, the dwords with the address of the ring. */
#define QM_CMD_BASE_DW	1
#define QM_CMD_BASE_DWS	2

/* A command: its name, the number of arguments, and the function that prints. */
struct qm_cmd {
	const char *name;
	int numbers;
	int (*run)(struct hisi_qm *qm, u32 queue, u32 entry);
};

static void qm_cmd_print(struct hisi_qm *qm, const char *what, const void *data, size_t bytes)
{
	const __le32 *words = data;
	size_t i;

	for (i = 0; i < bytes / sizeof(*words); i++)
		pci_info(qm->pdev, "%s DW%zu = 0x%08x\n", what, i, le32_to_cpu(words[i]));
}

/* A reader of the log needn't know where rings are. */
static void qm_cmd_print_context(struct hisi_qm *qm, const char *what, u8 *context, size_t bytes)
{
	memset(context + QM_CMD_BASE_DW * sizeof(u32), 0xff, QM_CMD_BASE_DWS * sizeof(u32));
	qm_cmd_print(qm, what, context, bytes);
}

static int qm_cmd_context(struct hisi_qm *qm, enum qm_mb_cmd cmd, u32 queue, const char *what, size_t bytes)
{
	u8 context[QM_QC_SIZE] __aligned(8);
	int ret;

	ret = qm_context_dump(qm, cmd, queue, context, bytes);
	if (!ret)
		qm_cmd_print_context(qm, what, context, bytes);
	return ret;
}

/* A device that takes no commands can't dump a context, but may have written it to the table in memory. */
static int qm_cmd_queue_context(struct hisi_qm *qm, enum qm_mb_cmd cmd, u32 queue, const char *what, dma_addr_t table)
{
	u8 context[QM_QC_SIZE] __aligned(8);
	char soft[16];

	if (queue >= qm->qp_num)
		return -EINVAL;
	if (!qm_cmd_context(qm, cmd, queue, what, sizeof(context)))
		return 0;
	memcpy(context, qm->mem + (table - qm->mem_dma) + QM_QC_SIZE * queue, sizeof(context));
	snprintf(soft, sizeof(soft), "SOFT %s", what);
	qm_cmd_print_context(qm, soft, context, sizeof(context));
	return 0;
}

static int qm_cmd_sqc(struct hisi_qm *qm, u32 queue, u32 entry)
{
	return qm_cmd_queue_context(qm, QM_MB_CMD_SQC, queue, "SQC", qm->sqc_table);
}

static int qm_cmd_cqc(struct hisi_qm *qm, u32 queue, u32 entry)
{
	return qm_cmd_queue_context(qm, QM_MB_CMD_CQC, queue, "CQC", qm->cqc_table);
}

static int qm_cmd_eqc(struct hisi_qm *qm, u32 queue, u32 entry)
{
	return qm_cmd_context(qm, QM_MB_CMD_EQC, 0, "EQC", sizeof(struct qm_eqc));
}

static int qm_cmd_aeqc(struct hisi_qm *qm, u32 queue, u32 entry)
{
	return qm_cmd_context(qm, QM_MB_CMD_AEQC, 0, "AEQC", sizeof(struct qm_eqc));
}

static int qm_cmd_ring(struct hisi_qm *qm, u32 queue, size_t offset, size_t bytes, void *copy)
{
	struct hisi_qp *qp;
	int ret = -ENOENT;

	if (queue >= qm->qp_num)
		return -EINVAL;
	qp = &qm->qps[queue];
	mutex_lock(&qp->lock);
	if (qp->dus) {
		memcpy(copy, qp->dus->va + offset, bytes);
		ret = 0;
	}
	mutex_unlock(&qp->lock);
	return ret;
}

static int qm_cmd_sq(struct hisi_qm *qm, u32 queue, u32 entry)
{
	const struct hisi_qm_engine *engine = qm->engine;
	u8 sqe[128] __aligned(8);
	int ret;

	if (entry >= qm->caps[QM_CAP_ID_SQ_DEPTH] || engine->sqe_size > sizeof(sqe))
		return -EINVAL;
	ret = qm_cmd_ring(qm, queue, (size_t)engine->sqe_size * entry, engine->sqe_size, sqe);
	if (ret)
		return ret;
	memset(sqe + engine->sqe_hide, 0xff, engine->sqe_hide_bytes);
	qm_cmd_print(qm, "SQE", sqe, engine->sqe_size);
	return 0;
}

static int qm_cmd_cq(struct hisi_qm *qm, u32 queue, u32 entry)
{
	struct qm_cqe cqe;
	int ret;

	if (entry >= qm->caps[QM_CAP_ID_CQ_DEPTH])
		return -EINVAL;
	ret = qm_cmd_ring(qm, queue, qm_sq_bytes(qm) + sizeof(cqe) * entry, sizeof(cqe), &cqe);
	if (!ret)
		qm_cmd_print(qm, "CQE", &cqe, sizeof(cqe));
	return ret;
}

static int qm_cmd_eq(struct hisi_qm *qm, u32 entry, u32 unused)
{
	if (entry >= qm->eq.depth)
		return -EINVAL;
	qm_cmd_print(qm, "EQE", &qm->eq.ring[entry], sizeof(__le32));
	return 0;
}

static int qm_cmd_aeq(struct hisi_qm *qm, u32 entry, u32 unused)
{
	if (entry >= qm->aeq.depth)
		return -EINVAL;
	qm_cmd_print(qm, "AEQE", &qm->aeq.ring[entry], sizeof(__le32));
	return 0;
}

static int qm_cmd_help(struct hisi_qm *qm, u32 unused, u32 unused2)
{
	pci_info(qm->pdev, "sqc QUEUE, cqc QUEUE, eqc, aeqc, sq QUEUE ENTRY, cq QUEUE ENTRY, eq ENTRY, aeq ENTRY\n");
	return 0;
}

static const struct qm_cmd qm_cmds[] = {
	{ "help", 0, qm_cmd_help },
	{ "sqc", 1, qm_cmd_sqc },
	{ "cqc", 1, qm_cmd_cqc },
	{ "eqc", 0, qm_cmd_eqc },
	{ "aeqc", 0, qm_cmd_aeqc },
	{ "sq", 2, qm_cmd_sq },
	{ "cq", 2, qm_cmd_cq },
	{ "eq", 1, qm_cmd_eq },
	{ "aeq", 1, qm_cmd_aeq },
};

static int qm_cmd_run(struct hisi_qm *qm, const char *line)
{
	u32 numbers[2] = {};
	char name[8] = "", rest;
	unsigned int i;
	int found;

	found = sscanf(line, "%7s %u %u %c", name, &numbers[0], &numbers[1], &rest) - 1;
	for (i = 0; i < ARRAY_SIZE(qm_cmds); i++)
		if (!strcmp(name, qm_cmds[i].name) && found == qm_cmds[i].numbers)
			return qm_cmds[i].run(qm, numbers[0], numbers[1]);
	return -EINVAL;
}

static ssize_t qm_cmd_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	static const char hint[] = "write \"help\" here, and read the kernel log\n";

	return simple_read_from_buffer(buf, count, pos, hint, sizeof(hint) - 1);
}

static ssize_t qm_cmd_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	struct hisi_qm *qm = file->private_data;
	char *line;
	int ret;

	if (count > QM_CMD_MAX)
		return -ENOSPC;
	line = memdup_user_nul(buf, count);
	if (IS_ERR(line))
		return PTR_ERR(line);
	*strchrnul(line, '\n') = 0;
	ret = qm_power_get(qm);
	if (ret)
		goto free_line;
	/* While it is reset, or isolated. */
	ret = READ_ONCE(qm->state) == QM_STARTED ? qm_cmd_run(qm, line) : -EAGAIN;
	qm_power_put(qm);
free_line:
	kfree(line);
	return ret ? ret : count;
}

const struct file_operations qm_debugfs_cmd_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = qm_cmd_read,
	.write = qm_cmd_write,
	.llseek = default_llseek,
};
