// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands to the device through its 16-byte mailbox register. */
#include <linux/io.h>
#include "qm_trace.h"

/*
 * Time for which stops of live owners give way to a start that found the device busy. The start
 * retries more often than that.
 */
#define QM_START_FIRST_MS	200

/* Polls dword 0 until the device releases the mailbox. */
static int qm_mailbox_wait(struct hisi_qm *qm, u64 timeout_us, u32 *value)
{
	int ret = qm_poll(qm, QM_MB, QM_MB_BUSY, 0, timeout_us, value);

	/* An offline channel takes no command, whatever the register reads. */
	return !ret && qm_gone(qm, *value) ? -ENODEV : ret;
}

/*
 * The device starts when the last byte arrives. Hardware needs one 128-bit store. Without such
 * a store the order counts: the first dword carries "busy", and a device that polls memory
 * waits for the last dword.
 */
#ifdef CONFIG_ARM64
static void qm_mailbox_write(void __iomem *reg, const struct qm_mailbox *mb)
{
	const u64 *half = (const u64 *)mb;

	/* first, the memory that the command points to */
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
 * A command that has timed out can't be cancelled: it keeps the register until it is done. A
 * STOP_QP may take minutes, because it waits for all requests of its queue.
 */
static void qm_mailbox_give_up(struct hisi_qm *qm, bool stopping)
{
	qm->mb_busy = true;
	qm->mb_stopping = stopping;
	qm->mb_busy_us = 0;
	qm->mb_seen = ktime_get();
	qm_stuck_schedule(qm);
}

/* Still busy with the command that timed out: the time since the last poll counts. */
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

	/* Only one poll after an earlier timeout: the next callers need not wait as long. */
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

	/* Not earlier: a command that timed out may have been reading the buffer until now. */
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
	dev_err_ratelimited(&qm->pdev->dev, "mailbox command 0x%x for queue %u returned %d (register 0x%x)\n",
			    w0, queue, ret, value);
	if (ret == -ENODEV)
		qm_vanished(qm);
	return ret;
}

/**
 * qm_mailbox_init - initialise the mailbox's locks
 * @qm: the function
 *
 * The register needs no initialisation.
 */
void qm_mailbox_init(struct hisi_qm *qm)
{
	init_waitqueue_head(&qm->turn_wait);
	mutex_init(&qm->mb_lock);
}

/**
 * qm_mailbox - send one command and wait until the device has done it
 * @qm: the function
 * @cmd: the command; must be one that sets something
 * @queue: queue number within the function
 * @base: 64-bit argument
 *
 * -EBUSY: the device doesn't take commands; -ETIMEDOUT: no answer in time; -EIO: the device
 * refused; -ENODEV: it is gone.
 */
int qm_mailbox(struct hisi_qm *qm, enum qm_mb_cmd cmd, u16 queue, u64 base)
{
	int ret;

	mutex_lock(&qm->mb_lock);
	ret = qm_mailbox_locked(qm, cmd, queue, base, NULL, 0);
	mutex_unlock(&qm->mb_lock);
	return ret;
}

/**
 * qm_mailbox_get - send a command that asks for a value in the mailbox register
 * @qm: the function
 * @cmd: the command
 * @queue: queue number within the function
 * @result: receives the value
 *
 * Errors are those of qm_mailbox().
 */
int qm_mailbox_get(struct hisi_qm *qm, enum qm_mb_cmd cmd, u16 queue, u64 *result)
{
	int ret;

	mutex_lock(&qm->mb_lock);
	ret = qm_mailbox_locked(qm, cmd | QM_MB_OP_GET, queue, 0, NULL, 0);
	if (!ret)
		*result = hisi_qm_read(qm, QM_MB + 4) | (u64)hisi_qm_read(qm, QM_MB + 8) << 32;
	mutex_unlock(&qm->mb_lock);
	return ret;
}

/* The device is still finishing a queue whose STOP_QP has timed out. That isn't a fault, and may take minutes. */
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
 * qm_mailbox_stop_qp - make the device finish a queue
 * @qm: the function; it is the queue's turn
 * @queue: queue number
 * @by_owner: called for a live owner, who can wait or be killed
 *
 * Errors are those of qm_mailbox(). With @by_owner there are two more, after which nothing was
 * sent to the device: -EINTR, the owner was killed; -EAGAIN, the device is finishing another
 * queue, or a start goes first.
 */
int qm_mailbox_stop_qp(struct hisi_qm *qm, u16 queue, bool by_owner)
{
	int ret;

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
 * qm_mailbox_begin - lock the mailbox for several commands of a process that can wait
 * @qm: the function
 *
 * -EINTR: the process was killed; -EAGAIN: the device is finishing another queue. After 0, the
 * caller must call qm_mailbox_end().
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
 * qm_mailbox_try - lock the mailbox for several commands, if it is idle
 * @qm: the function
 *
 * After true, the caller must call qm_mailbox_end().
 */
bool qm_mailbox_try(struct hisi_qm *qm)
{
	if (!mutex_trylock(&qm->mb_lock))
		return false;
	if (!qm->mb_busy)
		return true;
	mutex_unlock(&qm->mb_lock);
	return false;
}

/**
 * qm_mailbox_end - unlock the mailbox
 * @qm: the function, after qm_mailbox_begin() or qm_mailbox_try()
 */
void qm_mailbox_end(struct hisi_qm *qm)
{
	mutex_unlock(&qm->mb_lock);
}

/**
 * qm_mailbox_may_recover - is it worth sending a command to a busy device again?
 * @qm: the function
 *
 * True for a limited time after the mailbox hung, shared by all callers. False while the device
 * is finishing a queue, which may take any time.
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
 * qm_mailbox_look - check whether the device takes commands
 * @qm: the function
 *
 * Returns 0, -EBUSY or -ENODEV. A device that has been busy for longer than any command takes
 * becomes broken.
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
		qm_vanished(qm);
	else if (late)
		qm_break(qm, qm->mb_stopping ? "a queue did not stop in time" : "the mailbox did not answer in time");
	return ret == -ETIMEDOUT ? -EBUSY : ret;
}

/**
 * qm_mailbox_reset - forget a command that timed out
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
 * qm_context_load_locked - load a context into the device, with the mailbox locked
 * @qm: the function, between qm_mailbox_begin() and qm_mailbox_end()
 * @cmd: QM_MB_CMD_SQC, CQC, EQC or AEQC
 * @queue: queue number
 * @context: the context
 * @size: its size in bytes
 */
int qm_context_load_locked(struct hisi_qm *qm, enum qm_mb_cmd cmd, u16 queue, const void *context,
			   size_t size)
{
	return qm_mailbox_locked(qm, cmd, queue, qm->context_dma, context, size);
}

/**
 * qm_context_load - load a context into the device
 * @qm: the function
 * @cmd: QM_MB_CMD_SQC, CQC, EQC or AEQC
 * @queue: queue number
 * @context: the context
 * @size: its size in bytes
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
 * qm_context_dump_locked - read the device's current copy of a context, with the mailbox locked
 * @qm: the function, between qm_mailbox_begin() and qm_mailbox_end()
 * @cmd: QM_MB_CMD_SQC, CQC, EQC or AEQC
 * @queue: queue number
 * @context: receives the context
 * @size: its size in bytes
 */
int qm_context_dump_locked(struct hisi_qm *qm, enum qm_mb_cmd cmd, u16 queue, void *context, size_t size)
{
	int ret = qm_mailbox_locked(qm, cmd | QM_MB_OP_GET, queue, qm->context_dma, NULL, 0);

	if (ret)
		return ret;
	dma_rmb();
	memcpy(context, qm->context, size);
	return 0;
}

/**
 * qm_context_dump - read the device's current copy of a context
 * @qm: the function
 * @cmd: QM_MB_CMD_SQC, CQC, EQC or AEQC
 * @queue: queue number
 * @context: receives the context
 * @size: its size in bytes
 */
int qm_context_dump(struct hisi_qm *qm, enum qm_mb_cmd cmd, u16 queue, void *context, size_t size)
{
	int ret;

	mutex_lock(&qm->mb_lock);
	ret = qm_context_dump_locked(qm, cmd, queue, context, size);
	mutex_unlock(&qm->mb_lock);
	return ret;
}
