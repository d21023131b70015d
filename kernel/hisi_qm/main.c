// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Life cycle of a function: from a bare PCI device to queues that users can open, and back.
 * Each step has its reverse.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "internal.h"

/* Total queues of the device and the most that one function may have, in QM_QUEUE_NUM. */
#define QM_QUEUE_NUM_BITS	11
#define QM_QUEUE_NUM_MASK	0x7ff

/* ------ PCI ------ */

/**
 * hisi_qm_pdev - the PCI device of a function
 * @qm: the function
 */
struct pci_dev *hisi_qm_pdev(struct hisi_qm *qm)
{
	return qm->pdev;
}
EXPORT_SYMBOL_GPL(hisi_qm_pdev);

static int qm_pci_init(struct hisi_qm *qm)
{
	struct pci_dev *pdev = qm->pdev;
	u32 size = qm->pf ? qm->engine->regs_size : QM_VF_REGS_END;
	resource_size_t len;
	int ret;

	ret = pci_enable_device_mem(pdev);
	if (ret) {
		pci_err(pdev, "cannot enable memory (%d)\n", ret);
		return ret;
	}

	ret = pci_request_mem_regions(pdev, qm->engine->name);
	if (ret) {
		pci_err(pdev, "cannot reserve the BARs (%d)\n", ret);
		goto err_disable_device;
	}

	len = pci_resource_len(pdev, QM_BAR_REGS);
	if (len < size) {
		pci_err(pdev, "BAR%d has %pa bytes, expected at least %u\n", QM_BAR_REGS, &len, size);
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
		pci_err(pdev, "cannot set a 64-bit DMA mask (%d)\n", ret);
		goto err_unmap_registers;
	}
	return 0;

err_unmap_registers:
	iounmap(qm->io);
err_release_regions:
	pci_release_mem_regions(pdev);
err_disable_device:
	pci_disable_device(pdev);
	return ret;
}

/* Work that an earlier driver or kernel left in the device must not run before it is cleared. */
static void qm_master_end(struct hisi_qm *qm)
{
	u16 command;

	pci_read_config_word(qm->pdev, PCI_COMMAND, &command);
	if (qm->pf && command & PCI_COMMAND_MASTER)
		qm->engine->keep_functions(qm);
	pci_clear_master(qm->pdev);
}

static void qm_pci_exit(struct hisi_qm *qm)
{
	pci_clear_master(qm->pdev);
	iounmap(qm->io);
	pci_release_mem_regions(qm->pdev);
	pci_disable_device(qm->pdev);
}

/* ------ number of queues ------ */

/* The number that the doorbell windows of a function allow. */
static u32 qm_queue_windows(struct hisi_qm *qm)
{
	return qm->isolated_doorbells ? pci_resource_len(qm->pdev, QM_BAR_DB) / QM_DB_WINDOW : QM_MAX_QUEUES_V2;
}

static int qm_queue_number_of_pf(struct hisi_qm *qm, const struct hisi_qm_config *config)
{
	u32 most;
	u32 reg;

	qm->queues_total = QM_MAX_QUEUES_V2;
	if (qm->gen->cap_registers) {
		reg = hisi_qm_read(qm, QM_QUEUE_NUM);
		qm->queues_total = min_t(u32, qm->queues_total, reg & QM_QUEUE_NUM_MASK);
	}
	qm->queues_most = qm->queues_total;
	if (qm->gen->cap_registers && qm->isolated_doorbells)
		qm->queues_most = min(qm->queues_most, reg >> QM_QUEUE_NUM_BITS & QM_QUEUE_NUM_MASK);
	most = min(qm->queues_most, qm_queue_windows(qm));

	if (most < HISI_QM_QUEUES_MIN) {
		pci_err(qm->pdev, "the device offers %u queues, expected at least %u\n",
			most, HISI_QM_QUEUES_MIN);
		return -ENODEV;
	}
	if (config->queues > most && config->queues_asked) {
		pci_err(qm->pdev, "pf_q_num=%u: expected at most %u for this function\n",
			config->queues, most);
		return -EINVAL;
	}
	qm->qp_num = min(config->queues, most);
	return 0;
}

static int qm_queue_number_of_vf(struct hisi_qm *qm)
{
	u32 number;
	int ret;

	ret = qm_vft_own(qm, &number);
	if (!ret && number > qm_queue_windows(qm))
		ret = -ENODEV;
	if (ret) {
		pci_err(qm->pdev, "the physical function gave it no queues (%d)\n", ret);
		return ret;
	}
	qm->qp_num = number;
	return 0;
}

static int qm_queue_number_init(struct hisi_qm *qm, const struct hisi_qm_config *config)
{
	int ret = qm->pf ? qm_queue_number_of_pf(qm, config) : qm_queue_number_of_vf(qm);

	if (ret)
		return ret;
	qm->mmio_size = qm->isolated_doorbells ? QM_DB_WINDOW : PAGE_ALIGN(QM_DB_SQ_CQ + 1);
	return 0;
}

/* ------ memory for the device ------ */

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

/* ------ interface for driver.c ------ */

/**
 * qm_alloc - take over a PCI device, up to but not including its start
 * @pdev: the device
 * @physical: see qm_physical()
 * @pf: it is a physical function
 * @engine: description of the engine
 * @config: the administrator's settings
 *
 * The caller initialises the engine's registers next, if it has any, then calls qm_start().
 */
struct hisi_qm *qm_alloc(struct pci_dev *pdev, struct hisi_qm *physical, bool pf,
			 const struct hisi_qm_engine *engine, const struct hisi_qm_config *config)
{
	struct hisi_qm *qm;
	int ret;

	qm = kzalloc(sizeof(*qm), GFP_KERNEL);
	if (!qm)
		return ERR_PTR(-ENOMEM);
	qm->pdev = pdev;
	qm->physical = physical;
	qm->pf = pf;
	qm->engine = engine;
	INIT_LIST_HEAD(&qm->vfs);
	INIT_LIST_HEAD(&qm->snapshots);
	init_rwsem(&qm->regs_lock);
	qm_claim_init(qm);
	mutex_init(&qm->vfs_list_lock);
	mutex_init(&qm->state_lock);
	sema_init(&qm->count_lock, 1);
	mutex_init(&qm->aeq_lock);
	mutex_init(&qm->vft_lock);
	init_waitqueue_head(&qm->ask_wait);
	qm_vft_forget_qos(qm, 0, QM_MAX_VFS);
	qm_reset_init(qm);
	qm_functions_reset_init(qm);
	qm_reset_method_init(qm);
	qm_mailbox_init(qm);

	ret = qm_pci_init(qm);
	if (ret)
		goto err_free_qm;
	ret = qm_caps_init(qm);
	if (ret)
		goto err_exit_pci;
	qm_master_end(qm);
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
	ret = qm_message_init(qm);
	if (ret)
		goto err_exit_irq;
	ret = pf ? qm_device_reset(qm, false) : 0;
	if (!ret && pf)
		ret = qm_hw_init(qm);
	if (ret)
		goto err_exit_message;
	if (config->user)
		ret = qm_uacce_init(qm);
	if (ret)
		goto err_exit_message;
	return qm;

err_exit_message:
	qm_message_exit(qm);
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
	qm_isolate_exit(qm);
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
		pci_warn(qm->pdev, "context caches were not written back in time\n");
	/* Late writes of the device must not reach freed memory or a reused PASID. */
	pci_clear_master(qm->pdev);
	qm_uacce_exit(qm);
	qm_message_exit(qm);
	qm_irq_exit(qm);
	qm_queues_exit(qm);
	qm_memory_exit(qm);
	qm_caps_exit(qm);
	qm_pci_exit(qm);
	qm_isolate_exit(qm);
	kfree(qm->config);
	kfree(qm);
}

/**
 * qm_register - allow user space to open queues
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
	qm_close(qm);
	qm_uacce_stop(qm);
}

/**
 * qm_shutdown - end all DMA, before the machine shuts down or boots another kernel
 * @qm: a registered function; only qm_free() may follow
 */
void qm_shutdown(struct hisi_qm *qm)
{
	qm_message_stop(qm);
	qm_close(qm);
	if (qm->uacce)
		uacce_kill_queues(qm->uacce);
	qm_stop(qm);
	pci_clear_master(qm->pdev);
}

static int __init qm_init(void)
{
	return qm_mediated_init();
}
module_init(qm_init);

static void __exit qm_exit(void)
{
	qm_mediated_exit();
}
module_exit(qm_exit);

MODULE_DESCRIPTION("HiSilicon accelerator queue manager");
MODULE_AUTHOR("The WarpDrive authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(WD_VERSION);
