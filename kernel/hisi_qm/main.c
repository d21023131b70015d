// SPDX-License-Identifier: GPL-2.0-or-later
/* Life cycle of a function: from a bare PCI device to working queues and back, each step mirrored. */
#include <linux/acpi.h>
#include <linux/dma-mapping.h>
#include <linux/iopoll.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "internal.h"

/* Total queues of the device and the most that one function may have, in QM_QUEUE_NUM. */
#define QM_QUEUE_NUM_BITS	11
#define QM_QUEUE_NUM_MASK	0x7ff

/* ------ registers ------ */

/**
 * hisi_qm_read - read a 32-bit register
 * @qm: the function
 * @reg: offset in BAR2
 */
u32 hisi_qm_read(struct hisi_qm *qm, u32 reg)
{
	return readl(qm->io + reg);
}
EXPORT_SYMBOL_GPL(hisi_qm_read);

/**
 * hisi_qm_write - write a 32-bit register
 * @qm: the function
 * @reg: offset in BAR2
 * @value: the value
 */
void hisi_qm_write(struct hisi_qm *qm, u32 reg, u32 value)
{
	writel(value, qm->io + reg);
}
EXPORT_SYMBOL_GPL(hisi_qm_write);

/**
 * hisi_qm_wait - wait until the device has set bits of a register
 * @qm: the function
 * @reg: offset in BAR2
 * @mask: bits looked at
 * @value: what they must become
 *
 * Hardware needs microseconds, but a software device on a busy machine can be
 * away for long. -ETIMEDOUT, -ENODEV when the device is gone. Sleeps.
 */
int hisi_qm_wait(struct hisi_qm *qm, u32 reg, u32 mask, u32 value)
{
	u32 now;
	int ret;

	ret = read_poll_timeout(hisi_qm_read, now, (now & mask) == value || qm_gone(qm, now),
				QM_REG_PERIOD_US, QM_REG_TIMEOUT_US, false, qm, reg);
	if ((now & mask) == value)
		return 0;
	return qm_gone(qm, now) ? -ENODEV : ret;
}
EXPORT_SYMBOL_GPL(hisi_qm_wait);

/**
 * hisi_qm_pdev - the PCI device of a function
 * @qm: the function
 */
struct pci_dev *hisi_qm_pdev(struct hisi_qm *qm)
{
	return qm->pdev;
}
EXPORT_SYMBOL_GPL(hisi_qm_pdev);

/* ------ PCI ------ */

static int qm_pci_init(struct hisi_qm *qm)
{
	struct pci_dev *pdev = qm->pdev;
	resource_size_t len;
	int ret;

	ret = pci_enable_device_mem(pdev);
	if (ret) {
		pci_err(pdev, "cannot enable memory (%d)\n", ret);
		return ret;
	}

	ret = pci_request_mem_regions(pdev, qm->engine->name);
	if (ret) {
		pci_err(pdev, "BARs are taken (%d)\n", ret);
		goto err_disable_device;
	}

	len = pci_resource_len(pdev, QM_BAR_REGS);
	if (len < qm->engine->regs_size) {
		pci_err(pdev, "BAR%d has %pa bytes, expected %u\n", QM_BAR_REGS, &len,
			qm->engine->regs_size);
		ret = -ENODEV;
		goto err_release_regions;
	}

	qm->io_phys = pci_resource_start(pdev, QM_BAR_REGS);
	qm->io = ioremap(qm->io_phys, len);
	if (!qm->io) {
		ret = -ENOMEM;
		goto err_release_regions;
	}

	ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (ret) {
		pci_err(pdev, "no 64-bit DMA (%d)\n", ret);
		goto err_unmap_registers;
	}
	pci_set_master(pdev);
	return 0;

err_unmap_registers:
	iounmap(qm->io);
err_release_regions:
	pci_release_mem_regions(pdev);
err_disable_device:
	pci_disable_device(pdev);
	return ret;
}

static void qm_pci_exit(struct hisi_qm *qm)
{
	pci_clear_master(qm->pdev);
	iounmap(qm->io);
	pci_release_mem_regions(qm->pdev);
	pci_disable_device(qm->pdev);
}

/* ------ how many queues ------ */

static int qm_queue_number_init(struct hisi_qm *qm, const struct hisi_qm_config *config)
{
	u32 most = QM_MAX_QUEUES_V2;
	u32 reg;

	if (qm->gen->cap_registers) {
		reg = hisi_qm_read(qm, QM_QUEUE_NUM);
		most = min_t(u32, most, reg & QM_QUEUE_NUM_MASK);
		if (qm->isolated_doorbells)
			most = min(most, reg >> QM_QUEUE_NUM_BITS & QM_QUEUE_NUM_MASK);
	}
	if (qm->isolated_doorbells)
		most = min_t(u64, most, pci_resource_len(qm->pdev, QM_BAR_DB) / QM_DB_WINDOW);

	if (most < HISI_QM_QUEUES_MIN) {
		pci_err(qm->pdev, "the device offers %u queues, expected at least %u\n",
			most, HISI_QM_QUEUES_MIN);
		return -ENODEV;
	}
	if (config->queues > most && config->queues_asked) {
		pci_err(qm->pdev, "pf_q_num=%u: the device has %u for this function\n",
			config->queues, most);
		return -EINVAL;
	}
	qm->qp_num = min(config->queues, most);
	qm->mmio_size = qm->isolated_doorbells ? QM_DB_WINDOW : PAGE_ALIGN(QM_DB_SQ_CQ + 1);
	return 0;
}

/* ------ bringing the device to a known state ------ */

/* Afterwards the device, with all its functions, accesses no memory. */
static int qm_master_close(struct hisi_qm *qm)
{
	int ret;

	hisi_qm_write(qm, ACC_MASTER_GLOBAL_CTRL, 1);
	ret = hisi_qm_wait(qm, ACC_MASTER_TRANS_RETURN, ACC_MASTER_TRANS_IDLE, ACC_MASTER_TRANS_IDLE);
	if (ret)
		pci_err(qm->pdev, "bus transactions don't end (%d)\n", ret);
	return ret;
}

static int qm_acpi_reset(struct hisi_qm *qm)
{
	unsigned long long result = 0;
	acpi_handle handle = ACPI_HANDLE(&qm->pdev->dev);
	char *method = (char *)qm->engine->reset_method;
	int ret;

	if (!handle || !acpi_has_method(handle, method))
		return 0;

	ret = qm_master_close(qm);
	if (ret)
		return ret;
	if (ACPI_FAILURE(acpi_evaluate_integer(handle, method, NULL, &result)) || result) {
		pci_err(qm->pdev, "reset by %s failed (%llu)\n", method, result);
		return -EIO;
	}
	return 0;
}

static int qm_hw_init(struct hisi_qm *qm)
{
	int ret;

	ret = qm_acpi_reset(qm);
	if (ret)
		return ret;

	if (qm->gen->pm_control)
		hisi_qm_write(qm, QM_PM_CTRL, hisi_qm_read(qm, QM_PM_CTRL) | QM_PM_CTRL_IDLE_DISABLE);

	hisi_qm_write(qm, QM_MEM_START_INIT, 1);
	ret = hisi_qm_wait(qm, QM_MEM_INIT_DONE, 1, 1);
	if (ret) {
		pci_err(qm->pdev, "memory of the queue manager is not ready (%d)\n", ret);
		return ret;
	}
	/* An earlier driver may have closed it; the contexts that it left there are gone now. */
	hisi_qm_write(qm, ACC_MASTER_GLOBAL_CTRL, 0);
	return 0;
}

/* ------ memory that the device uses for the function ------ */

static size_t qm_memory_part(size_t *offset, size_t bytes)
{
	size_t part = *offset;

	*offset = ALIGN(part + bytes, QM_MEMORY_ALIGN);
	return part;
}

static int qm_memory_init(struct hisi_qm *qm)
{
	size_t eq, aeq, sqc, cqc, context, parking;
	size_t size = 0;

	qm->eq.depth = qm->caps[QM_CAP_ID_EQ_DEPTH];
	qm->aeq.depth = qm->caps[QM_CAP_ID_AEQ_DEPTH];
	parking = qm_memory_part(&size, QM_PARKING_BYTES);
	eq = qm_memory_part(&size, qm->eq.depth * sizeof(__le32));
	aeq = qm_memory_part(&size, qm->aeq.depth * sizeof(__le32));
	sqc = qm_memory_part(&size, QM_QC_SIZE * qm->qp_num);
	cqc = qm_memory_part(&size, QM_QC_SIZE * qm->qp_num);
	context = qm_memory_part(&size, QM_QC_SIZE);

	qm->mem = dma_alloc_coherent(&qm->pdev->dev, size, &qm->mem_dma, GFP_KERNEL);
	if (!qm->mem)
		return -ENOMEM;
	qm->mem_size = size;

	qm->parking = qm->mem_dma + parking;
	qm->eq.ring = qm->mem + eq;
	qm->eq.dma = qm->mem_dma + eq;
	qm->aeq.ring = qm->mem + aeq;
	qm->aeq.dma = qm->mem_dma + aeq;
	qm->sqc_table = qm->mem_dma + sqc;
	qm->cqc_table = qm->mem_dma + cqc;
	qm->context = qm->mem + context;
	qm->context_dma = qm->mem_dma + context;
	return 0;
}

static void qm_memory_exit(struct hisi_qm *qm)
{
	dma_free_coherent(&qm->pdev->dev, qm->mem_size, qm->mem, qm->mem_dma);
}

/* ------ start and stop of the function in the device ------ */

static int qm_eventq_load(struct hisi_qm *qm, enum qm_mb_cmd cmd, struct qm_eventq *q)
{
	struct qm_eqc eqc = {
		.base_l = cpu_to_le32(lower_32_bits(q->dma)),
		.base_h = cpu_to_le32(upper_32_bits(q->dma)),
		.dw6 = cpu_to_le32((q->depth - 1) | QM_EQC_DW6_PHASE),
	};

	q->head = 0;
	q->phase = true;
	return qm_context_load(qm, cmd, 0, &eqc, sizeof(eqc));
}

static int qm_contexts_load(struct hisi_qm *qm)
{
	int ret;

	ret = qm_eventq_load(qm, QM_MB_CMD_EQC, &qm->eq);
	if (ret)
		return ret;
	ret = qm_eventq_load(qm, QM_MB_CMD_AEQC, &qm->aeq);
	if (ret)
		return ret;
	ret = qm_mailbox(qm, QM_MB_CMD_SQC_BT, 0, qm->sqc_table);
	if (ret)
		return ret;
	return qm_mailbox(qm, QM_MB_CMD_CQC_BT, 0, qm->cqc_table);
}

static int qm_function_start(struct hisi_qm *qm)
{
	int ret;

	/* Whoever puts a queue reads the asynchronous event ring. */
	mutex_lock(&qm->aeq_lock);
	memset(qm->mem, 0, qm->mem_size);
	ret = qm_vft_set(qm, 0, 0, qm->qp_num);
	if (!ret)
		ret = qm_contexts_load(qm);
	mutex_unlock(&qm->aeq_lock);
	if (ret)
		goto err_clear_vft;

	if (hisi_qm_has(qm, QM_CAP_SVA_PREFETCH))
		hisi_qm_write(qm, QM_PAGE_SIZE, (PAGE_SHIFT - 12) / 2);
	qm_irq_unmask(qm);
	return 0;

err_clear_vft:
	qm_vft_set(qm, 0, 0, 0);
	return ret;
}

static void qm_function_stop(struct hisi_qm *qm)
{
	qm_irq_mask(qm);
	qm_vft_set(qm, 0, 0, 0);
}

static void qm_state_set(struct hisi_qm *qm, enum qm_state state)
{
	mutex_lock(&qm->state_lock);
	WRITE_ONCE(qm->state, state);
	mutex_unlock(&qm->state_lock);
}

/* ------ restart after an event was lost, and the end after an error ------ */

static void qm_restart_work(struct work_struct *work)
{
	struct hisi_qm *qm = container_of(work, struct hisi_qm, restart_work);
	bool broken = READ_ONCE(qm->broken);
	/* After a restart that ended half way: framework and listeners know. */
	bool again = qm->state == QM_RESTARTING;
	int ret;

	qm_state_set(qm, QM_RESTARTING);
	/*
	 * Not every generation closes its master by itself, nor does any say when
	 * the accesses under way have ended.
	 */
	if (broken)
		WRITE_ONCE(qm->silent, !qm_master_close(qm));
	if (qm->uacce && !again)
		uacce_kill_queues(qm->uacce);
	/* One that was just being opened wasn't on the framework's list. */
	qm_queues_kill(qm);
	if (broken) {
		qm_state_set(qm, QM_STOPPED);
		if (qm->uacce)
			uacce_isolated(qm->uacce);
		return;
	}
	/* Broken since: this work comes again, and closes the master first. */
	if (READ_ONCE(qm->broken))
		return;
	qm_function_stop(qm);

	ret = qm_function_start(qm);
	if (ret) {
		pci_err(qm->pdev, "restart failed (%d), bind the driver again to recover\n", ret);
		qm_break(qm);
		return;
	}
	qm_state_set(qm, QM_STARTED);
}

/**
 * qm_restart_schedule - stop and start the function soon, all queues end
 * @qm: the function; nothing happens when it is about to end anyway
 */
void qm_restart_schedule(struct hisi_qm *qm)
{
	mutex_lock(&qm->state_lock);
	if (!qm->ending && qm->state == QM_STARTED)
		schedule_work(&qm->restart_work);
	mutex_unlock(&qm->state_lock);
}

/**
 * qm_break - only a reset helps the device: all queues end soon, none is opened
 * @qm: the function
 *
 * That is a reset that failed, until there is one, so the device is isolated.
 * The queues are stuck, since a device in that state is asked for nothing, and
 * what is in its contexts would be used by whoever opens its bus master again.
 */
void qm_break(struct hisi_qm *qm)
{
	bool before;

	mutex_lock(&qm->state_lock);
	before = qm->broken;
	/* The work looks without the lock. */
	WRITE_ONCE(qm->broken, true);
	/* Once, however often it is reported; not while it starts: qm_start() looks in the end. */
	if (!before && !qm->ending && qm->state != QM_STOPPED)
		schedule_work(&qm->restart_work);
	mutex_unlock(&qm->state_lock);
}

static void qm_restart_cancel(struct hisi_qm *qm)
{
	mutex_lock(&qm->state_lock);
	qm->ending = true;
	mutex_unlock(&qm->state_lock);
	cancel_work_sync(&qm->restart_work);
}

/* ------ for driver.c ------ */

/**
 * qm_alloc - take over a PCI device: everything up to, not including, its start
 * @pdev: the device
 * @engine: what it is
 * @config: what the administrator wants
 *
 * The engine's own registers come next, then qm_start().
 */
struct hisi_qm *qm_alloc(struct pci_dev *pdev, const struct hisi_qm_engine *engine,
			 const struct hisi_qm_config *config)
{
	struct hisi_qm *qm;
	int ret;

	qm = kzalloc(sizeof(*qm), GFP_KERNEL);
	if (!qm)
		return ERR_PTR(-ENOMEM);
	qm->pdev = pdev;
	qm->engine = engine;
	mutex_init(&qm->state_lock);
	mutex_init(&qm->aeq_lock);
	INIT_WORK(&qm->restart_work, qm_restart_work);
	qm_mailbox_init(qm);

	ret = qm_pci_init(qm);
	if (ret)
		goto err_free_qm;
	ret = qm_caps_init(qm);
	if (ret)
		goto err_exit_pci;
	ret = qm_queue_number_init(qm, config);
	if (ret)
		goto err_exit_caps;
	ret = qm_memory_init(qm);
	if (ret)
		goto err_exit_caps;
	ret = qm_queues_init(qm);
	if (ret)
		goto err_exit_memory;
	ret = qm_irq_init(qm);
	if (ret)
		goto err_exit_queues;
	ret = qm_hw_init(qm);
	if (ret)
		goto err_exit_irq;
	if (config->user)
		ret = qm_uacce_init(qm);
	if (ret)
		goto err_exit_irq;
	return qm;

err_exit_irq:
	qm_irq_exit(qm);
err_exit_queues:
	qm_queues_exit(qm);
err_exit_memory:
	qm_memory_exit(qm);
err_exit_caps:
	qm_caps_exit(qm);
err_exit_pci:
	qm_pci_exit(qm);
err_free_qm:
	kfree(qm);
	return ERR_PTR(ret);
}

/**
 * qm_free - undo qm_alloc()
 * @qm: a stopped function
 */
void qm_free(struct hisi_qm *qm)
{
	qm_uacce_stop(qm);
	hisi_qm_write(qm, QM_CACHE_WB_START, 1);
	if (hisi_qm_wait(qm, QM_CACHE_WB_DONE, 1, 1))
		pci_warn(qm->pdev, "context caches were not written back\n");
	/* Whatever the device still wants to write must not find freed memory or another's PASID. */
	pci_clear_master(qm->pdev);
	qm_uacce_exit(qm);
	qm_irq_exit(qm);
	qm_queues_exit(qm);
	qm_memory_exit(qm);
	qm_caps_exit(qm);
	qm_pci_exit(qm);
	kfree(qm);
}

/* From here on qm_break() has its work done; until here it has only been noted. */
static int qm_started(struct hisi_qm *qm)
{
	int ret = 0;

	mutex_lock(&qm->state_lock);
	qm->ending = false;
	if (qm->broken)
		ret = -EIO;
	else
		WRITE_ONCE(qm->state, QM_STARTED);
	mutex_unlock(&qm->state_lock);
	return ret;
}

/**
 * qm_start - the function gets its queues; errors are reported
 * @qm: an allocated function, engine initialised
 */
int qm_start(struct hisi_qm *qm)
{
	int ret;

	qm_error_init(qm);
	ret = qm_function_start(qm);
	if (ret)
		goto err_exit_error;
	ret = qm_started(qm);
	if (ret)
		goto err_stop_function;
	return 0;

err_stop_function:
	qm_function_stop(qm);
err_exit_error:
	pci_err(qm->pdev, "cannot start (%d)\n", ret);
	qm_error_exit(qm);
	return ret;
}

/**
 * qm_stop - undo qm_start(): all queues end
 * @qm: a started function
 */
void qm_stop(struct hisi_qm *qm)
{
	qm_restart_cancel(qm);
	qm_state_set(qm, QM_STOPPED);
	qm_queues_kill(qm);
	qm_function_stop(qm);
	qm_error_exit(qm);
}

/**
 * qm_register - user space may open queues from now on
 * @qm: a started function
 */
int qm_register(struct hisi_qm *qm)
{
	int ret;

	if (!qm->uacce)
		return 0;
	ret = uacce_register(qm->uacce);
	if (ret)
		pci_err(qm->pdev, "cannot register with uacce (%d)\n", ret);
	return ret;
}

/**
 * qm_unregister - undo qm_register(); doesn't wait for user space
 * @qm: a registered function
 */
void qm_unregister(struct hisi_qm *qm)
{
	qm_restart_cancel(qm);
	qm_uacce_stop(qm);
}

/**
 * qm_shutdown - the machine goes down or boots another kernel: no DMA any more
 * @qm: a registered function; nothing but qm_free() may follow
 */
void qm_shutdown(struct hisi_qm *qm)
{
	qm_restart_cancel(qm);
	if (qm->uacce)
		uacce_kill_queues(qm->uacce);
	qm_stop(qm);
	pci_clear_master(qm->pdev);
}

MODULE_DESCRIPTION("HiSilicon accelerator queue manager");
MODULE_AUTHOR("The WarpDrive authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(WD_VERSION);
