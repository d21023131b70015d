// SPDX-License-Identifier: GPL-2.0-or-later
/* Event rings: completions (EQ) and queue errors (AEQ). */
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/log2.h>
#include "internal.h"

static bool qm_eventq_next(struct qm_eventq *q, u32 *entry)
{
	u32 value = le32_to_cpu(READ_ONCE(q->ring[q->head]));

	if (!!(value & QM_EQE_PHASE) != q->phase)
		return false;
	*entry = value;
	if (++q->head == q->depth) {
		q->head = 0;
		q->phase = !q->phase;
	}
	return true;
}

/*
 * Entries are handled one by one as they are read, never collected, so a misbehaving device
 * can't overrun a buffer. Each queue has at most one entry outstanding, so one pass over as
 * many entries as there are queues is enough; further entries raise the interrupt again at the
 * doorbell.
 */
static irqreturn_t qm_eq_irq(int irq, void *data)
{
	struct hisi_qm *qm = data;
	unsigned int budget = qm->qp_num;
	unsigned int handled = 0;
	u32 entry;

	while (handled < budget && qm_eventq_next(&qm->eq, &entry)) {
		u32 id = entry & QM_EQE_QN_MASK;

		handled++;
		if (id < qm->qp_num)
			qm_qp_notify(&qm->qps[id]);
		else
			qm_count(qm, QM_COUNT_ERR_IRQ);
	}
	if (!handled)
		qm_count(qm, QM_COUNT_ERR_IRQ);

	qm_doorbell_event(qm, QM_DB_CMD_EQ, qm->eq.head);
	return IRQ_HANDLED;
}

static void qm_aeqe_handle(struct hisi_qm *qm, u32 entry)
{
	u32 type = entry >> QM_AEQE_TYPE_SHIFT & QM_AEQE_TYPE_MASK;
	u32 id = entry & QM_EQE_QN_MASK;

	switch (type) {
	case QM_AEQE_EQ_OVERFLOW:
		dev_err_ratelimited(&qm->pdev->dev, "event queue overflow, restarting the function\n");
		qm_restart_schedule(qm);
		return;
	case QM_AEQE_CQ_OVERFLOW:
	case QM_AEQE_CQE_ERROR:
		if (id >= qm->qp_num)
			break;
		dev_err_ratelimited(&qm->pdev->dev, "queue %u: %s, stopping it\n", id,
				    type == QM_AEQE_CQ_OVERFLOW ? "completion queue overflow" :
								  "completion error");
		qm_qp_doom(&qm->qps[id]);
		return;
	}
	dev_err_ratelimited(&qm->pdev->dev, "unknown asynchronous event 0x%x\n", entry);
}

static irqreturn_t qm_aeq_irq(int irq, void *data)
{
	struct hisi_qm *qm = data;

	qm_count(qm, QM_COUNT_AEQ_IRQ);
	return IRQ_WAKE_THREAD;
}

static bool qm_aeq_handle(struct hisi_qm *qm)
{
	unsigned int budget = qm->aeq.depth;
	unsigned int handled = 0;
	u32 entry;

	lockdep_assert_held(&qm->aeq_lock);
	while (handled < budget && qm_eventq_next(&qm->aeq, &entry)) {
		handled++;
		qm_aeqe_handle(qm, entry);
	}
	return handled;
}

static irqreturn_t qm_aeq_thread(int irq, void *data)
{
	struct hisi_qm *qm = data;

	mutex_lock(&qm->aeq_lock);
	qm_aeq_handle(qm);
	qm_doorbell_event(qm, QM_DB_CMD_AEQ, qm->aeq.head);
	mutex_unlock(&qm->aeq_lock);
	return IRQ_HANDLED;
}

/**
 * qm_aeq_drain - handle every asynchronous event that the device has written by now
 * @qm: the function
 *
 * A stopped queue raises no more events, so afterwards no event for it is left, and its next
 * owner isn't stopped for the errors of the last. Every close calls this: events are noted here, and
 * nothing is waited for.
 */
void qm_aeq_drain(struct hisi_qm *qm)
{
	mutex_lock(&qm->aeq_lock);
	if (qm_aeq_handle(qm))
		qm_doorbell_event(qm, QM_DB_CMD_AEQ, qm->aeq.head);
	mutex_unlock(&qm->aeq_lock);
}

static const struct {
	enum qm_cap type;
	enum qm_cap vector;
	irq_handler_t handler;
	irq_handler_t thread;
	bool ring;
	const char *name;
} qm_irqs[] = {
	{ QM_CAP_ID_EQ_IRQ_TYPE, QM_CAP_ID_EQ_IRQ_VECTOR, qm_eq_irq, NULL, true, "eq" },
	{ QM_CAP_ID_AEQ_IRQ_TYPE, QM_CAP_ID_AEQ_IRQ_VECTOR, qm_aeq_irq, qm_aeq_thread, true, "aeq" },
	{ QM_CAP_ID_ABNORMAL_IRQ_TYPE, QM_CAP_ID_ABNORMAL_IRQ_VECTOR, NULL, qm_error_irq, false, "error" },
};

/* A virtual function has its rings' interrupts; errors are reported to the physical function. */
static bool qm_irq_exists(const struct hisi_qm *qm, unsigned int i)
{
	return qm->caps[qm_irqs[i].type] && (qm->pf || qm_irqs[i].ring);
}

static int qm_irq_request(struct hisi_qm *qm, unsigned int i)
{
	unsigned long flags = qm_irqs[i].ring ? IRQF_NO_AUTOEN : IRQF_ONESHOT;
	u32 vector = qm->caps[qm_irqs[i].vector];

	if (!qm_irq_exists(qm, i))
		return 0;
	if (vector >= qm->vectors) {
		pci_err(qm->pdev, "%s interrupt: vector %u, expected less than %d\n",
			qm_irqs[i].name, vector, qm->vectors);
		return -EINVAL;
	}
	return request_threaded_irq(pci_irq_vector(qm->pdev, vector), qm_irqs[i].handler,
				    qm_irqs[i].thread, flags, qm->engine->name, qm);
}

static void qm_irq_release(struct hisi_qm *qm, unsigned int i)
{
	if (qm_irq_exists(qm, i))
		free_irq(pci_irq_vector(qm->pdev, qm->caps[qm_irqs[i].vector]), qm);
}

/*
 * Masking at the device doesn't recall an interrupt message in flight, whose handler would read
 * a ring that is being cleared. So the lines are disabled too.
 */
static void qm_irq_lines(struct hisi_qm *qm, bool on)
{
	unsigned int i;

	if (qm->irqs_on == on)
		return;
	qm->irqs_on = on;
	for (i = 0; i < ARRAY_SIZE(qm_irqs); i++) {
		int irq;

		if (!qm_irqs[i].ring || !qm->caps[qm_irqs[i].type])
			continue;
		irq = pci_irq_vector(qm->pdev, qm->caps[qm_irqs[i].vector]);
		if (on)
			enable_irq(irq);
		else
			disable_irq(irq);
	}
}

/**
 * qm_irq_init - allocate vectors and request the interrupts
 * @qm: the function; its rings exist and its event interrupts are masked
 */
int qm_irq_init(struct hisi_qm *qm)
{
	u32 number = qm->caps[qm->pf ? QM_CAP_ID_PF_IRQ_NUM : QM_CAP_ID_VF_IRQ_NUM];
	unsigned int want = roundup_pow_of_two(max(number, 1u));
	unsigned int i;
	int ret;

	ret = pci_alloc_irq_vectors(qm->pdev, want, want, PCI_IRQ_MSI);
	if (ret < 0) {
		pci_err(qm->pdev, "cannot allocate %u MSI vectors (%d)\n", want, ret);
		return ret;
	}
	qm->vectors = ret;

	for (i = 0; i < ARRAY_SIZE(qm_irqs); i++) {
		ret = qm_irq_request(qm, i);
		if (ret)
			goto err_release_irqs;
	}
	return 0;

err_release_irqs:
	while (i--)
		qm_irq_release(qm, i);
	pci_free_irq_vectors(qm->pdev);
	return ret;
}

/**
 * qm_irq_unmask - enable the interrupts of the event rings
 * @qm: the function; the device knows its rings
 */
void qm_irq_unmask(struct hisi_qm *qm)
{
	qm_doorbell_event(qm, QM_DB_CMD_AEQ, qm->aeq.head);
	qm_doorbell_event(qm, QM_DB_CMD_EQ, qm->eq.head);
	qm_irq_lines(qm, true);
	hisi_qm_write(qm, QM_EQ_INT_MASK, 0);
	hisi_qm_write(qm, QM_AEQ_INT_MASK, 0);
}

/**
 * qm_irq_mask - disable the interrupts of the event rings
 * @qm: the function; its interrupts are requested
 *
 * No handler accesses the rings afterwards.
 */
void qm_irq_mask(struct hisi_qm *qm)
{
	hisi_qm_write(qm, QM_EQ_INT_MASK, 1);
	hisi_qm_write(qm, QM_AEQ_INT_MASK, 1);
	qm_irq_lines(qm, false);
}

/**
 * qm_irq_exit - undo qm_irq_init(); no handler runs afterwards
 * @qm: the function
 */
void qm_irq_exit(struct hisi_qm *qm)
{
	unsigned int i = ARRAY_SIZE(qm_irqs);

	while (i--)
		qm_irq_release(qm, i);
	pci_free_irq_vectors(qm->pdev);
}
