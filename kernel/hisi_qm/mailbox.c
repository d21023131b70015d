// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands to the device through its 16-byte mailbox register. */
#include <linux/io.h>
#include "qm_trace.h"

/* A start that had to wait comes before the stops that wait as well. It asks more often than that. */
#define QM_START_FIRST_MS	200

/* Reads dword 0 until the device has let go of the mailbox. */
static int qm_mailbox_wait(struct hisi_qm *qm, u64 timeout_us, u32 *value)
{
	int ret = qm_poll(qm, QM_MB, QM_MB_BUSY, 0, timeout_us, value);

	/* A channel that is offline takes no command, whatever the register says. */
	return !ret && qm_gone(qm, *value) ? -ENODEV : ret;
}

/*
 * The device starts when the last byte arrives. Hardware wants one 128-bit
 * store; where there is none, the first dword carries "busy" and the last dword
 * is what a device that looks at memory waits for, so the order counts.
 */
#ifdef CONFIG_ARM64
static void qm_mailbox_write(void __iomem *reg, const struct qm_mailbox *mb)
{
	const u64 *half = (const u64 *)mb;

	/* what the command points at first */
	wmb();
	asm volatile("stp %x0, %x1, [%2]" : : "rZ" (half[0]), "rZ" (half[1]), "r" (reg) : "memory");
}
#else
static void qm_mailbox_write(void __iomem *reg, const struct qm_mailbox *mb)
{
	writel(le16_to_cpu(mb->w0) | (u32)le16_to_cpu(mb->queue) << 16, reg);
	writel(le32_to_cpu(mb->base_l), reg + 4);
	writel(le32_to_cpu(mb->base_h), reg + 8);
	writel(le32_to_cpu(mb->rsvd), reg + 12);
}
#endif

static u64 qm_mailbox_timeout_us(enum qm_mb_cmd cmd)
{
	return cmd == QM_MB_CMD_STOP_QP ? QM_STOP_TIMEOUT_US : QM_MB_TIMEOUT_US;
}

/*
 * The command can't be called back: it keeps the register until it is done. A
 * STOP_QP may take minutes, because it waits for what its queue was given.
 */
static void qm_mailbox_give_up(struct hisi_qm *qm, bool stopping)
{
	qm->mb_busy = true;
	qm->mb_stopping = stopping;
	qm->mb_busy_us = 0;
	qm->mb_seen = ktime_get();
	qm_stuck_schedule(qm);
}

/* Still busy with what was given up: what has passed since the last look counts. */
static void qm_mailbox_found_busy(struct hisi_qm *qm)
{
	qm->mb_busy_us += qm_looked(&qm->mb_seen, QM_MB_LOOK_MAX_US);
}

static int qm_mailbox_locked(struct hisi_qm *qm, u16 w0, u16 queue, u64 base,
			     const void *context, size_t size)
{
	enum qm_mb_cmd cmd = w0 & QM_MB_CMD_MASK;
	struct qm_mailbox mb __aligned(16) = {
		.w0 = cpu_to_le16(w0 | QM_MB_BUSY),
		.queue = cpu_to_le16(queue),
		.base_l = cpu_to_le32(lower_32_bits(base)),
		.base_h = cpu_to_le32(upper_32_bits(base)),
	};
	u32 value;
	int ret;

	lockdep_assert_held(&qm->mb_lock);

	/* One look if a command was given up: the next users needn't all wait as long. */
	ret = qm_mailbox_wait(qm, qm->mb_busy ? QM_REG_PERIOD_US : QM_MB_TIMEOUT_US, &value);
	if (ret == -ETIMEDOUT) {
		if (qm->mb_busy)
			qm_mailbox_found_busy(qm);
		else
			qm_mailbox_give_up(qm, false);
		ret = -EBUSY;
	}
	if (ret)
		goto err_count;
	qm->mb_busy = false;

	/* Not earlier: a command that was given up may have been reading the buffer until now. */
	if (context) {
		memset(qm->context, 0, QM_QC_SIZE);
		memcpy(qm->context, context, size);
	}
	qm_mailbox_write(qm->io + QM_MB, &mb);
	ret = qm_mailbox_wait(qm, qm_mailbox_timeout_us(cmd), &value);
	if (ret == -ETIMEDOUT)
		qm_mailbox_give_up(qm, cmd == QM_MB_CMD_STOP_QP);
	if (!ret && (value & QM_MB_STATUS_MASK))
		ret = -EIO;
	if (ret)
		goto err_count;
	trace_mailbox(qm, w0, queue, base, 0);
	return 0;

err_count:
	trace_mailbox(qm, w0, queue, base, ret);
	qm_count(qm, QM_COUNT_MB_ERR);
	dev_err_ratelimited(&qm->pdev->dev, "mailbox command 0x%x for queue %u: %d (register 0x%x)\n",
			    w0, queue, ret, value);
	if (ret == -ENODEV)
		qm_break(qm, "the device is off the bus");
	return ret;
}

/**
 * qm_mailbox_init - prepare the software side; the register needs nothing
 * @qm: the function
 */
void qm_mailbox_init(struct hisi_qm *qm)
{
	mutex_init(&qm->stop_lock);
	mutex_init(&qm->mb_lock);
}

/**
 * qm_mailbox - send one command and wait until the device has done it
 * @qm: the function
 * @cmd: the command, of the kind that sets something
 * @queue: queue number within the function
 * @base: 64-bit argument
 *
 * -EBUSY: the device doesn't take commands; -ETIMEDOUT: no answer in time;
 * -EIO: it refused; -ENODEV: it is gone.
 */
int qm_mailbox(struct hisi_qm *qm, enum qm_mb_cmd cmd, u16 queue, u64 base)
{
	int ret;

	mutex_lock(&qm->mb_lock);
	ret = qm_mailbox_locked(qm, cmd, queue, base, NULL, 0);
	mutex_unlock(&qm->mb_lock);
	return ret;
}

/* The device finishes a queue, and that was given up: it isn't a fault, and may take minutes. */
static bool qm_mailbox_is_stopping(struct hisi_qm *qm)
{
	u32 value;

	lockdep_assert_held(&qm->mb_lock);
	if (!qm->mb_busy || !qm->mb_stopping || qm_mailbox_wait(qm, QM_REG_PERIOD_US, &value) != -ETIMEDOUT)
		return false;
	qm_mailbox_found_busy(qm);
	return true;
}

static bool qm_mailbox_has_starts(struct hisi_qm *qm)
{
	lockdep_assert_held(&qm->mb_lock);
	return qm->mb_start_asked && ktime_ms_delta(ktime_get(), qm->mb_start_asked) < QM_START_FIRST_MS;
}

/**
 * qm_mailbox_stop_qp - have the device finish a queue
 * @qm: the function; its stop_lock is held
 * @queue: queue number
 * @by_owner: who lives and can wait, or be killed
 *
 * Otherwise as qm_mailbox(). An owner has two errors more, and nothing was
 * asked of the device then: -EINTR, he was killed; -EAGAIN, the device finishes
 * another queue, or a start comes first.
 */
int qm_mailbox_stop_qp(struct hisi_qm *qm, u16 queue, bool by_owner)
{
	int ret;

	lockdep_assert_held(&qm->stop_lock);
	ret = qm_mutex_lock(&qm->mb_lock, by_owner);
	if (ret)
		return ret;
	if (by_owner && (qm_mailbox_is_stopping(qm) || qm_mailbox_has_starts(qm)))
		ret = -EAGAIN;
	else
		ret = qm_mailbox_locked(qm, QM_MB_CMD_STOP_QP, queue, 0, NULL, 0);
	mutex_unlock(&qm->mb_lock);
	return ret;
}

/**
 * qm_mailbox_begin - have the mailbox for several commands of a process that can wait
 * @qm: the function
 *
 * -EINTR: the process was killed; -EAGAIN: the device finishes another queue.
 * After 0, qm_mailbox_end() follows.
 */
int qm_mailbox_begin(struct hisi_qm *qm)
{
	if (mutex_lock_killable(&qm->mb_lock))
		return -EINTR;
	if (!qm_mailbox_is_stopping(qm)) {
		qm->mb_start_asked = 0;
		return 0;
	}
	qm->mb_start_asked = ktime_get();
	mutex_unlock(&qm->mb_lock);
	return -EAGAIN;
}

/**
 * qm_mailbox_end - let others have the mailbox
 * @qm: the function, after qm_mailbox_begin()
 */
void qm_mailbox_end(struct hisi_qm *qm)
{
	mutex_unlock(&qm->mb_lock);
}

/**
 * qm_mailbox_may_recover - it is worth to ask a busy device again
 * @qm: the function
 *
 * For a while after the mailbox hung, not for each who finds it so; not while
 * the device finishes a queue, which takes as long as it takes.
 */
bool qm_mailbox_may_recover(struct hisi_qm *qm)
{
	bool may;

	mutex_lock(&qm->mb_lock);
	may = !qm->mb_busy || (!qm->mb_stopping && qm->mb_busy_us < QM_MB_TIMEOUT_US);
	mutex_unlock(&qm->mb_lock);
	return may;
}

/**
 * qm_mailbox_look - see whether the device takes commands
 * @qm: the function
 *
 * 0, -EBUSY or -ENODEV. One that has been busy for longer than any command
 * takes is broken then.
 */
int qm_mailbox_look(struct hisi_qm *qm)
{
	bool late = false;
	u32 value;
	int ret;

	mutex_lock(&qm->mb_lock);
	ret = qm_mailbox_wait(qm, QM_REG_PERIOD_US, &value);
	if (!ret)
		qm->mb_busy = false;
	if (qm->mb_busy) {
		qm_mailbox_found_busy(qm);
		late = qm->mb_busy_us > (qm->mb_stopping ? QM_STOPPING_LIMIT_US : QM_HUNG_LIMIT_US);
	}
	mutex_unlock(&qm->mb_lock);

	if (ret == -ENODEV)
		qm_break(qm, "the device is off the bus");
	else if (late)
		qm_break(qm, qm->mb_stopping ? "a queue doesn't stop" : "the mailbox doesn't answer");
	return ret == -ETIMEDOUT ? -EBUSY : ret;
}

/**
 * qm_mailbox_reset - forget what was under way
 * @qm: the function; the device was reset
 */
void qm_mailbox_reset(struct hisi_qm *qm)
{
	mutex_lock(&qm->mb_lock);
	qm->mb_busy = false;
	qm->mb_start_asked = 0;
	mutex_unlock(&qm->mb_lock);
}

/**
 * qm_context_load_locked - give the device a context
 * @qm: the function, between qm_mailbox_begin() and qm_mailbox_end()
 * @cmd: QM_MB_CMD_SQC, CQC, EQC or AEQC
 * @queue: queue number
 * @context: the context
 * @size: its bytes
 */
int qm_context_load_locked(struct hisi_qm *qm, enum qm_mb_cmd cmd, u16 queue, const void *context,
			   size_t size)
{
	return qm_mailbox_locked(qm, cmd, queue, qm->context_dma, context, size);
}

/**
 * qm_context_load - give the device a context
 * @qm: the function
 * @cmd: QM_MB_CMD_SQC, CQC, EQC or AEQC
 * @queue: queue number
 * @context: the context
 * @size: its bytes
 */
int qm_context_load(struct hisi_qm *qm, enum qm_mb_cmd cmd, u16 queue, const void *context, size_t size)
{
	int ret;

	mutex_lock(&qm->mb_lock);
	ret = qm_context_load_locked(qm, cmd, queue, context, size);
	mutex_unlock(&qm->mb_lock);
	return ret;
}

/**
 * qm_context_dump - read the device's current copy of a context
 * @qm: the function
 * @cmd: QM_MB_CMD_SQC, CQC, EQC or AEQC
 * @queue: queue number
 * @context: filled
 * @size: its bytes
 */
int qm_context_dump(struct hisi_qm *qm, enum qm_mb_cmd cmd, u16 queue, void *context, size_t size)
{
	int ret;

	mutex_lock(&qm->mb_lock);
	ret = qm_mailbox_locked(qm, cmd | QM_MB_OP_GET, queue, qm->context_dma, NULL, 0);
	if (!ret) {
		dma_rmb();
		memcpy(context, qm->context, size);
	}
	mutex_unlock(&qm->mb_lock);
	return ret;
}
