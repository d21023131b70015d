// SPDX-License-Identifier: GPL-2.0-or-later
/* A function's setup in its device: initialisation, queues and event rings, start and stop. */
#include "internal.h"

/* ------ initialisation ------ */

/**
 * qm_hw_init - bring the queue manager to a known state
 * @qm: the physical function, after qm_device_reset(); its engine is initialised after this
 */
int qm_hw_init(struct hisi_qm *qm)
{
	int ret;

	qm->engine->keep_functions(qm);
	hisi_qm_write(qm, QM_DB_TIMEOUT_CFG, QM_DB_TIMEOUT_NS);
	if (qm->gen->pm_control)
		hisi_qm_write(qm, QM_PM_CTRL, hisi_qm_read(qm, QM_PM_CTRL) | QM_PM_CTRL_IDLE_DISABLE);

	hisi_qm_write(qm, QM_MEM_START_INIT, 1);
	ret = hisi_qm_wait(qm, QM_MEM_INIT_DONE, 1, 1);
	if (ret) {
		pci_err(qm->pdev, "memory of the queue manager is not ready (%d)\n", ret);
		return ret;
	}
	/* An earlier driver may have closed the bus master; the contexts that it left are gone now. */
	hisi_qm_write(qm, ACC_MASTER_GLOBAL_CTRL, 0);
	return 0;
}

/* ------ queues and event rings ------ */

static int qm_eventq_load(struct hisi_qm *qm, enum qm_mb_cmd cmd, struct qm_eventq *q)
{
	struct qm_eqc eqc = {
		.base_l = cpu_to_le32(lower_32_bits(q->dma)),
		.base_h = cpu_to_le32(upper_32_bits(q->dma)),
		.dw6 = cpu_to_le32((q->depth - 1) | QM_EQC_DW6_PHASE),
	};

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

/* A virtual function tells the program that migrates it whether it has a state to take along. */
static void qm_vf_state(struct hisi_qm *qm, u32 state)
{
	if (!qm->pf && qm->gen->version >= QM_HW_V3)
		hisi_qm_write(qm, QM_VF_STATE, state);
}

static void qm_eventq_rewind(struct qm_eventq *q)
{
	q->head = 0;
	q->phase = true;
}

/* A concurrent qm_qp_put() reads the asynchronous event ring. It finds nothing there until the device writes. */
static void qm_memory_clear(struct hisi_qm *qm)
{
	mutex_lock(&qm->aeq_lock);
	memset(qm->mem, 0, qm->mem_size);
	qm_eventq_rewind(&qm->eq);
	qm_eventq_rewind(&qm->aeq);
	mutex_unlock(&qm->aeq_lock);
}

/**
 * qm_function_start - give the function its queues and event rings
 * @qm: the function; the device may access memory
 */
int qm_function_start(struct hisi_qm *qm)
{
	int ret;

	qm_memory_clear(qm);
	ret = qm->pf ? qm_vft_set(qm, 0, 0, qm->qp_num) : 0;
	if (!ret)
		ret = qm_contexts_load(qm);
	if (ret)
		goto err_clear_vft;

	if (hisi_qm_has(qm, QM_CAP_SVA_PREFETCH))
		hisi_qm_write(qm, QM_PAGE_SIZE, (PAGE_SHIFT - 12) / 2);
	qm_irq_unmask(qm);
	qm_vf_state(qm, QM_VF_READY);
	return 0;

err_clear_vft:
	if (qm->pf)
		qm_vft_set(qm, 0, 0, 0);
	return ret;
}

/**
 * qm_function_stop - undo qm_function_start()
 * @qm: the function; its queues have ended
 */
void qm_function_stop(struct hisi_qm *qm)
{
	qm_vf_state(qm, QM_VF_NOT_READY);
	qm_irq_mask(qm);
	if (qm->pf)
		qm_vft_set(qm, 0, 0, 0);
}

/* ------ start and stop ------ */

/**
 * qm_start - give the function its queues and enable error reporting
 * @qm: an allocated function, engine initialised
 *
 * From here on the device may access memory, until qm_free() or a reset.
 */
int qm_start(struct hisi_qm *qm)
{
	int ret;

	qm_error_init(qm);
	pci_set_master(qm->pdev);
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
	qm_ending(qm);
	qm_state_set(qm, QM_STOPPED);
	qm_queues_kill(qm);
	qm_function_stop(qm);
	qm_error_exit(qm);
}
