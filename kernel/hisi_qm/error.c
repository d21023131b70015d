// SPDX-License-Identifier: GPL-2.0-or-later
/* Errors of the device, i.e. of queue manager and engine: which are reported, and their log messages. */
#include <linux/interrupt.h>
#include "internal.h"

static const struct hisi_qm_error qm_errors[] = {
	{ QM_ERR_AXI_RRESP, "bus read error" },
	{ QM_ERR_AXI_BRESP, "bus write error" },
	{ QM_ERR_ECC_MBIT, "uncorrectable memory error" },
	{ QM_ERR_ECC_1BIT, "corrected memory error" },
	{ QM_ERR_GET_TASK_TIMEOUT, "engine took no task in time" },
	{ QM_ERR_DO_TASK_TIMEOUT, "engine did not finish a task in time" },
	{ QM_ERR_WB_NOT_READY, "write-back not ready in time" },
	{ QM_ERR_SQ_CQ_VF_INVALID, "queue outside of its function" },
	{ QM_ERR_CQ_VF_INVALID, "completion queue outside of its function" },
	{ QM_ERR_SQ_VF_INVALID, "submission queue outside of its function" },
	{ QM_ERR_DB_TIMEOUT, "doorbell not served in time" },
	{ QM_ERR_OF_FIFO, "event fifo overflow" },
	{ QM_ERR_DB_RANDOM, "doorbell with a wrong tag" },
	{ QM_ERR_MB_TIMEOUT, "mailbox not served in time" },
	{ QM_ERR_FLR_TIMEOUT, "function level reset not finished in time" },
	{}
};

static const struct hisi_qm_error_block qm_error_block = {
	.name = "qm",
	.source = QM_ABNORMAL_INT_SOURCE,
	.mask = QM_ABNORMAL_INT_MASK,
	.status = QM_ABNORMAL_INT_STATUS,
	.ce = QM_RAS_CE_ENABLE,
	.nfe = QM_RAS_NFE_ENABLE,
	.fe = QM_RAS_FE_ENABLE,
	.shutdown = QM_OOO_SHUTDOWN_SEL,
	.errors = qm_errors,
};

/* The error masks of a block, from the capability table. */
struct qm_error_masks {
	u32 ce;
	u32 nfe;
	u32 reset;
};

static struct qm_error_masks qm_masks(struct hisi_qm *qm)
{
	return (struct qm_error_masks) {
		.ce = qm->engine_caps[HISI_QM_ENGINE_CAP_QM_CE],
		.nfe = qm->engine_caps[HISI_QM_ENGINE_CAP_QM_NFE],
		.reset = qm->engine_caps[HISI_QM_ENGINE_CAP_QM_RESET],
	};
}

static struct qm_error_masks engine_masks(struct hisi_qm *qm)
{
	return (struct qm_error_masks) {
		.ce = qm->engine_caps[HISI_QM_ENGINE_CAP_CE],
		.nfe = qm->engine_caps[HISI_QM_ENGINE_CAP_NFE],
		.reset = qm->engine_caps[HISI_QM_ENGINE_CAP_RESET],
	};
}

static u32 qm_error_reported(struct hisi_qm *qm, const struct hisi_qm_error_block *block)
{
	u32 mask = hisi_qm_read(qm, block->mask);

	return block->mask_enables ? mask : ~mask;
}

static void qm_error_report(struct hisi_qm *qm, const struct hisi_qm_error_block *block, u32 bits)
{
	hisi_qm_write(qm, block->mask, block->mask_enables ? bits : ~bits);
}

static void qm_error_block_enable(struct hisi_qm *qm, const struct hisi_qm_error_block *block,
				  struct qm_error_masks masks)
{
	hisi_qm_write(qm, block->source, masks.ce | masks.nfe);
	hisi_qm_write(qm, block->ce, masks.ce);
	hisi_qm_write(qm, block->nfe, masks.nfe);
	hisi_qm_write(qm, block->fe, 0);
	if (qm->gen->shutdown_on_error)
		hisi_qm_write(qm, block->shutdown, masks.reset);
	qm_error_report(qm, block, masks.ce | masks.nfe);
}

static void qm_error_block_disable(struct hisi_qm *qm, const struct hisi_qm_error_block *block)
{
	qm_error_report(qm, block, 0);
	if (qm->gen->shutdown_on_error)
		hisi_qm_write(qm, block->shutdown, 0);
}

/* Logs and acknowledges the errors of @block; returns true if the device needs a reset. */
static bool qm_error_block_handle(struct hisi_qm *qm, const struct hisi_qm_error_block *block,
				  struct qm_error_masks masks)
{
	const struct hisi_qm_error *error;
	u32 status = hisi_qm_read(qm, block->status);
	u32 fatal = status & masks.reset;

	if (!status || status == ~0u)
		return false;

	for (error = block->errors; error->bit; error++)
		if (status & error->bit)
			dev_err_ratelimited(&qm->pdev->dev, "%s error: %s%s\n", block->name, error->text,
					    fatal & error->bit ? " (needs a reset)" : "");

	/* An error that persists until a reset would keep interrupting. */
	if (fatal)
		hisi_qm_write(qm, block->nfe, hisi_qm_read(qm, block->nfe) & ~fatal);
	if (fatal)
		qm_error_report(qm, block, qm_error_reported(qm, block) & ~fatal);
	hisi_qm_write(qm, block->source, status & ~fatal);
	return fatal;
}

/**
 * qm_error_handle - log and acknowledge all present errors; the device breaks if one needs a reset
 * @qm: the physical function
 */
void qm_error_handle(struct hisi_qm *qm)
{
	bool reset;

	reset = qm_error_block_handle(qm, &qm_error_block, qm_masks(qm));
	reset |= qm_error_block_handle(qm, qm->engine->errors, engine_masks(qm));
	if (reset)
		qm_break(qm, "device error");
}

/* Threaded: it may log a lot and isn't urgent. */
irqreturn_t qm_error_irq(int irq, void *data)
{
	struct hisi_qm *qm = data;

	qm_count(qm, QM_COUNT_ABNORMAL_IRQ);
	qm_error_handle(qm);
	return IRQ_HANDLED;
}

/**
 * qm_error_init - enable error reporting of queue manager and engine, which the physical function has
 * @qm: the function
 */
void qm_error_init(struct hisi_qm *qm)
{
	if (!qm->pf)
		return;
	hisi_qm_write(qm, QM_RAS_CE_THRESHOLD, 1);
	qm_error_block_enable(qm, &qm_error_block, qm_masks(qm));
	qm_error_block_enable(qm, qm->engine->errors, engine_masks(qm));
}

/**
 * qm_error_exit - undo qm_error_init()
 * @qm: the function
 */
void qm_error_exit(struct hisi_qm *qm)
{
	if (!qm->pf)
		return;
	qm_error_block_disable(qm, qm->engine->errors);
	qm_error_block_disable(qm, &qm_error_block);
}

/* Its interrupt; 0: the device has none. */
static int qm_error_line(struct hisi_qm *qm)
{
	return qm->caps[QM_CAP_ID_ABNORMAL_IRQ_TYPE] ?
	       pci_irq_vector(qm->pdev, qm->caps[QM_CAP_ID_ABNORMAL_IRQ_VECTOR]) : 0;
}

/**
 * qm_error_hold - handle no errors until qm_error_release(), and none any more on return
 * @qm: the physical function
 *
 * Errors from before are handled first, and then those that are reported meanwhile.
 */
void qm_error_hold(struct hisi_qm *qm)
{
	if (qm_error_line(qm))
		disable_irq(qm_error_line(qm));
	if (!READ_ONCE(qm->broken))
		qm_error_handle(qm);
}

/**
 * qm_error_release - undo qm_error_hold()
 * @qm: the physical function
 */
void qm_error_release(struct hisi_qm *qm)
{
	if (qm_error_line(qm))
		enable_irq(qm_error_line(qm));
}

/**
 * qm_error_suspend - report no errors while a virtual function is reset, which may look like errors
 * @qm: the physical function
 */
void qm_error_suspend(struct hisi_qm *qm)
{
	qm_error_hold(qm);
	qm_error_exit(qm);
}

/**
 * qm_error_resume - undo qm_error_suspend()
 * @qm: the physical function
 */
void qm_error_resume(struct hisi_qm *qm)
{
	if (!READ_ONCE(qm->broken))
		qm_error_init(qm);
	qm_error_release(qm);
}
