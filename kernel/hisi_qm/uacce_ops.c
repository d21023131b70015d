// SPDX-License-Identifier: GPL-2.0-or-later
/* The uacce framework's operations on the function's queues. */
#include <linux/dma-mapping.h>
#include <linux/iommu.h>
#include <linux/module.h>

#include "internal.h"

/* Completions that one pass with interrupts off may look at. */
#define QM_CQ_BATCH	64

static struct hisi_qp *to_qp(struct uacce_queue *q)
{
	return q->priv;
}

static int qm_uacce_get_available_instances(struct uacce_device *uacce)
{
	return qm_queues_available(uacce_get_drvdata(uacce));
}

static int qm_uacce_get_queue(struct uacce_device *uacce, struct uacce_queue *q)
{
	struct hisi_qm *qm = uacce_get_drvdata(uacce);
	struct hisi_qp *qp;

	if (q->pasid != UACCE_PASID_NONE && q->pasid > U16_MAX) {
		dev_err_ratelimited(&qm->pdev->dev, "PASID %u does not fit into a queue's context\n",
				    q->pasid);
		return -ENOSPC;
	}

	qp = qm_qp_get(qm, q);
	if (IS_ERR(qp))
		return PTR_ERR(qp);

	q->priv = qp;
	q->dus = qp->dus;
	q->device_cq = qm_mediated_cq(qp);
	q->id = qp->id;
	spin_lock_irq(&qp->event_lock);
	qp->file = q;
	spin_unlock_irq(&qp->event_lock);
	return 0;
}

static bool qm_uacce_put_queue(struct uacce_queue *q)
{
	struct hisi_qp *qp = to_qp(q);

	spin_lock_irq(&qp->event_lock);
	qp->file = NULL;
	qp->doomed = false;
	spin_unlock_irq(&qp->event_lock);

	q->priv = NULL;
	q->dus = NULL;
	q->device_cq = NULL;
	return qm_qp_put(qp, q);
}

static int qm_uacce_start_queue(struct uacce_queue *q)
{
	return qm_qp_start(to_qp(q), q->pasid, q->priority);
}

/* The framework has the queue locked, so that nobody else starts or stops it. */
static void qm_uacce_show_requests(struct uacce_queue *q)
{
	WRITE_ONCE(q->requests, READ_ONCE(to_qp(q)->requests));
}

static int qm_uacce_stop_queue(struct uacce_queue *q)
{
	int ret = qm_qp_stop(to_qp(q));

	qm_uacce_show_requests(q);
	return ret;
}

static void qm_uacce_kill_queue(struct uacce_queue *q)
{
	qm_qp_kill(to_qp(q), q->waited_us);
	qm_uacce_show_requests(q);
}

static void qm_uacce_count_requests(struct uacce_queue *q)
{
	qm_requests_update(to_qp(q));
	qm_uacce_show_requests(q);
}

/*
 * Advances the kernel's head past the completed entries, at most @most, and returns their number. User space can write
 * the ring, so no entry is trusted.
 */
static u32 qm_cq_advance(struct hisi_qp *qp, const struct qm_cqe *cq, u32 most)
{
	u32 depth = qp->qm->caps[QM_CAP_ID_CQ_DEPTH];
	u32 seen;

	for (seen = 0; seen < most; seen++) {
		u16 w7 = le16_to_cpu(READ_ONCE(cq[qp->cq_head].w7));

		if (!!(w7 & QM_CQE_PHASE) != qp->cq_phase)
			break;
		if (++qp->cq_head == depth) {
			qp->cq_head = 0;
			qp->cq_phase = !qp->cq_phase;
		}
	}
	return seen;
}

/* Looks at each entry once at most: its owner may write entries all the time. */
static bool qm_uacce_is_q_updated(struct uacce_queue *q)
{
	struct hisi_qp *qp = to_qp(q);
	const struct qm_cqe *cq = q->dus->va + qm_sq_bytes(qp->qm);
	u32 left = qp->qm->caps[QM_CAP_ID_CQ_DEPTH];
	bool updated = false;
	unsigned long flags;
	u32 most, seen;

	if (hisi_qm_mediated(qp->qm))
		return qm_mediated_updated(qp);
	do {
		most = min_t(u32, left, QM_CQ_BATCH);
		spin_lock_irqsave(&qp->event_lock, flags);
		seen = qm_cq_advance(qp, cq, most);
		spin_unlock_irqrestore(&qp->event_lock, flags);
		updated |= seen;
		left -= seen;
	} while (seen == most && left);
	return updated;
}

static int qm_uacce_get_mmio(struct uacce_queue *q, phys_addr_t *start, size_t *size)
{
	struct hisi_qp *qp = to_qp(q);
	struct hisi_qm *qm = qp->qm;

	*start = qm->isolated_doorbells ? qm_qp_window(qp) : qm->io_phys;
	*size = qm->mmio_size;
	return 0;
}

static int qm_uacce_set_ctx(struct uacce_queue *q, void *arg)
{
	struct hisi_qp *qp = to_qp(q);
	struct hisi_qp_ctx *ctx = arg;

	if (ctx->qc_type >= qm_qc_types(qp->qm))
		return -EINVAL;
	qp->qc_type = ctx->qc_type;
	ctx->id = qp->id;
	return 0;
}

static int qm_uacce_get_info(struct uacce_queue *q, void *arg)
{
	struct hisi_qm *qm = to_qp(q)->qm;

	*(struct hisi_qp_info *)arg = (struct hisi_qp_info) {
		.sqe_size = qm->engine->sqe_size,
		.sq_depth = qm->caps[QM_CAP_ID_SQ_DEPTH],
		.cq_depth = qm->caps[QM_CAP_ID_CQ_DEPTH],
	};
	return 0;
}

static enum uacce_dev_state qm_uacce_get_isolate_state(const struct uacce_device *uacce)
{
	return qm_is_isolated(uacce_get_drvdata(uacce)) ? UACCE_DEV_ISOLATE : UACCE_DEV_NORMAL;
}

static u32 qm_uacce_isolate_threshold_read(struct uacce_device *uacce)
{
	struct hisi_qm *qm = uacce_get_drvdata(uacce);

	return READ_ONCE((qm->physical ? qm->physical : qm)->isolate_threshold);
}

static int qm_uacce_isolate_threshold_write(struct uacce_device *uacce, u32 nr)
{
	struct hisi_qm *qm = uacce_get_drvdata(uacce);

	/* The physical function's setting holds for the whole device. */
	if (!qm->pf || qm_is_isolated(qm))
		return -EPERM;
	return qm_isolate_threshold(qm, nr);
}

/* The counters of the whole device, which is the physical function's. */
static void qm_uacce_get_counts(const struct uacce_device *uacce, struct uacce_counts *counts)
{
	struct hisi_qm *qm = uacce_get_drvdata(uacce);

	if (!qm->pf || hisi_qm_look_begin(qm))
		return;
	counts->count[UACCE_WORK_REQUESTS] = hisi_qm_read(qm, QM_DFX_FINISH_CNT);
	counts->count[UACCE_WORK_ERRORS] = hisi_qm_read(qm, QM_DFX_CQE_ERR_CNT);
	counts->known = BIT(UACCE_WORK_REQUESTS) | BIT(UACCE_WORK_ERRORS);
	if (qm->engine->counts)
		qm->engine->counts(qm, counts);
	if (qm_gone(qm, hisi_qm_read(qm, QM_ABNORMAL_INT_STATUS)))
		counts->known = 0;
	hisi_qm_look_end(qm);
}

/* In a guest the limit isn't the function's to set. */
static bool qm_uacce_can_limit(struct hisi_qm *qm)
{
	return (qm->pf || qm->physical) && hisi_qm_has(qm, QM_CAP_QOS);
}

static int qm_uacce_set_bandwidth(struct uacce_device *uacce, u32 thousandths)
{
	struct hisi_qm *qm = uacce_get_drvdata(uacce);

	return qm_share_set(qm->physical ?: qm, qm->pdev, thousandths);
}

static int qm_uacce_ring(struct uacce_queue *q, void *arg)
{
	const struct hisi_qp_doorbell *db = arg;
	struct hisi_qp *qp = to_qp(q);
	struct hisi_qm *qm = qp->qm;

	if (qm->isolated_doorbells)
		return -EOPNOTSUPP;
	if (db->reserved || db->flags & ~(HISI_QP_DB_SQ | HISI_QP_DB_CQ | HISI_QP_DB_EVENT))
		return -EINVAL;
	if (!(db->flags & (HISI_QP_DB_SQ | HISI_QP_DB_CQ)) ||
	    (db->flags & HISI_QP_DB_EVENT && !(db->flags & HISI_QP_DB_CQ)))
		return -EINVAL;
	if (db->flags & HISI_QP_DB_SQ && db->sq_tail >= qm->caps[QM_CAP_ID_SQ_DEPTH])
		return -EINVAL;
	if (db->flags & HISI_QP_DB_CQ && db->cq_head >= qm->caps[QM_CAP_ID_CQ_DEPTH])
		return -EINVAL;
	return qm_qp_ring(qp, db);
}

static int qm_uacce_get_memory(struct uacce_queue *q, void *arg)
{
	if (!hisi_qm_mediated(to_qp(q)->qm))
		return -EOPNOTSUPP;
	qm_mediated_memory(to_qp(q), arg);
	return 0;
}

static void *qm_uacce_hold(struct uacce_queue *q)
{
	return qm_mediated_hold(to_qp(q));
}

static const struct uacce_ioctl qm_uacce_ioctls[] = {
	{ UACCE_CMD_QM_SET_QP_CTX, qm_uacce_set_ctx },
	{ UACCE_CMD_QM_SET_QP_INFO, qm_uacce_get_info },
	{ UACCE_CMD_QM_DOORBELL, qm_uacce_ring, .atomic = true, .waits = qm_mediated_ring },
	{ UACCE_CMD_QM_GET_MEMORY, qm_uacce_get_memory },
	{}
};

static const struct uacce_ops qm_uacce_ops = {
	.get_available_instances = qm_uacce_get_available_instances,
	.get_queue = qm_uacce_get_queue,
	.put_queue = qm_uacce_put_queue,
	.start_queue = qm_uacce_start_queue,
	.stop_queue = qm_uacce_stop_queue,
	.kill_queue = qm_uacce_kill_queue,
	.is_q_updated = qm_uacce_is_q_updated,
	.get_mmio = qm_uacce_get_mmio,
	.ioctls = qm_uacce_ioctls,
	.get_isolate_state = qm_uacce_get_isolate_state,
	.isolate_threshold_read = qm_uacce_isolate_threshold_read,
	.isolate_threshold_write = qm_uacce_isolate_threshold_write,
	.get_counts = qm_uacce_get_counts,
	.count_requests = qm_uacce_count_requests,
	.set_bandwidth = qm_uacce_set_bandwidth,
	.owner = THIS_MODULE,
	.hold = qm_uacce_hold,
	.drop = qm_mediated_drop,
	.look = qm_mediated_look,
};

/* Why no provider can bind address spaces for the device. */
static const char *no_sva_reason(struct device *dev)
{
	struct iommu_domain *domain = iommu_get_domain_for_dev(dev);

	if (IS_ENABLED(CONFIG_ARM64) && !IS_ENABLED(CONFIG_ARM_SMMU_V3_SVA))
		return "this kernel was built without CONFIG_ARM_SMMU_V3_SVA";
	if (!IS_ENABLED(CONFIG_IOMMU_SVA))
		return "this kernel was built without CONFIG_IOMMU_SVA";
	if (!device_iommu_mapped(dev))
		return "no IOMMU translates its addresses; the firmware may have one that is off";
	if (domain && domain->type == IOMMU_DOMAIN_IDENTITY)
		return "the IOMMU passes its addresses on as they are (iommu.passthrough=1 or iommu=pt)";
	return "its IOMMU refuses it";
}

/*
 * The ways to processes' memory that the function may have. On generation 2 the registers of the physical function
 * decide for the whole device; in a guest, the firmware's owner has to fit them to the guest's IOMMU.
 */
static unsigned int qm_uacce_memory(const struct hisi_qm *qm)
{
	if (qm->gen->pasid_in_context || !qm->physical)
		return UACCE_DEV_SVA | UACCE_DEV_MEDIATED;
	return hisi_qm_mediated(qm->physical) ? UACCE_DEV_MEDIATED : UACCE_DEV_SVA;
}

/**
 * qm_uacce_init - allocate the framework's device; user space doesn't see it yet
 * @qm: the function
 *
 * Succeeds without a uacce device when there is no way to processes' memory.
 */
int qm_uacce_init(struct hisi_qm *qm)
{
	struct uacce_interface interface = {
		.flags = qm_uacce_memory(qm) | (qm->isolated_doorbells ? 0 : UACCE_DEV_SHARED_MMIO) |
			 (qm_uacce_can_limit(qm) ? UACCE_DEV_BANDWIDTH : 0) |
			 (qm->pf || qm->physical ? UACCE_DEV_REQUESTS : 0),
		.capa = qm->engine->sgl ? UACCE_CAPA_SGL_MEM : 0,
		.ops = &qm_uacce_ops,
		.api = qm->gen->api,
		.algorithms = qm->algorithms,
		.levels = qm->engine->levels,
		.wd_type = qm->engine->wd_type,
		.mmio_size = qm->mmio_size,
		.mmio_hidden = qm->isolated_doorbells ? 0 : QM_DB_SQ_CQ,
		.dus_size = qm->dus_size,
	};
	struct uacce_device *uacce;

	strscpy(interface.name, qm->engine->name, sizeof(interface.name));
	qm_mediated_memory_needs(qm, interface.rings);

	uacce = uacce_alloc(&qm->pdev->dev, &interface);
	if (IS_ERR(uacce)) {
		if (PTR_ERR(uacce) != -EOPNOTSUPP)
			return PTR_ERR(uacce);
		pci_warn(qm->pdev, "no shared virtual addressing, so no queues for processes: %s\n",
			 no_sva_reason(&qm->pdev->dev));
		return 0;
	}
	uacce_set_drvdata(uacce, qm);
	qm->uacce = uacce;
	if (!uacce_mediated(uacce))
		return 0;
	/* Requests have large buffers; the PCI core's default would make lists of all above 64 KiB. */
	dma_set_max_seg_size(&qm->pdev->dev, UINT_MAX);
	pci_info(qm->pdev, "no shared virtual addressing, so the kernel executes submissions: %s\n",
		 no_sva_reason(&qm->pdev->dev));
	return 0;
}

/**
 * qm_uacce_stop - take the queues from user space for good; all have been put on return
 * @qm: the function
 */
void qm_uacce_stop(struct hisi_qm *qm)
{
	if (qm->uacce)
		uacce_unregister(qm->uacce);
}

/**
 * qm_uacce_exit - remove the framework's device, and unbind the queues that failed to stop
 * @qm: the function; it can't access memory any more
 */
void qm_uacce_exit(struct hisi_qm *qm)
{
	if (qm->uacce)
		uacce_remove(qm->uacce);
	qm->uacce = NULL;
}
