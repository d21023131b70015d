// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages between a physical function and virtual functions that this driver doesn't have: in a guest, for example.
 * The protocol is mainline's. Virtual functions of this driver on this host are called directly (sriov.c).
 */
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/pci.h>
#include "internal.h"

#define QM_MESSAGE_PERIOD_US	1000

#define QM_TARGET_ALL		0xffff	/* of the mailbox command */
#define QM_TARGET_MASK		0x7f	/* of the register that raises the interrupt */

/* Mainline's limits. An order may take 21 seconds until its acknowledgement, and again until its answer. */
#define QM_ORDER_LIMIT_US	(42ull * USEC_PER_SEC)
#define QM_VF_ACK_LIMIT_US	(21ull * USEC_PER_SEC)
#define QM_VF_TURN_US		(1ull * USEC_PER_SEC)	/* the same, while others wait for an answer */
#define QM_PF_ACK_LIMIT_US	(41ull * USEC_PER_SEC)
#define QM_START_LIMIT_US	(60ull * USEC_PER_SEC)
#define QM_ANSWER_LIMIT		(41 * HZ)

/* The lower 32 bits of a message; the upper 32 bits are a value. */
enum qm_message {
	QM_MSG_STOP_FUNCTION = 1,	/* to virtual functions, before a reset of the physical one */
	QM_MSG_STOP_DEVICE = 2,		/* the same, before a reset of the device */
	QM_MSG_START = 3,		/* to virtual functions: the reset has ended; of the device, with
					 * QM_MSG_ISOLATION's value */
	QM_MSG_STOPPED = 4,		/* answers to these orders */
	QM_MSG_NOT_STOPPED = 5,
	QM_MSG_STARTED = 6,
	QM_MSG_NOT_STARTED = 7,
	QM_MSG_BANDWIDTH = 8,		/* answer to a virtual function: Mbit/s */
	QM_MSG_ASK_BANDWIDTH = 9,
	QM_MSG_ASK_ISOLATION = 0xb,
	QM_MSG_ISOLATION = 0xc,		/* answer to a virtual function, and news: QM_ISOLATED and the threshold */
};

#define QM_ISOLATED		BIT(31)
#define QM_THRESHOLD_MASK	0xffff

/* ------ waiting ------ */

/* The interrupt's thread gives up when qm_message_stop() waits for it, and so does a reset when a removal does. */
static int qm_message_wait(struct hisi_qm *qm, bool (*is_over)(struct hisi_qm *qm, u64 what), u64 what, u64 limit_us)
{
	ktime_t seen = ktime_get();
	u64 waited_us = 0;

	while (!is_over(qm, what)) {
		if (READ_ONCE(qm->messages_end) || READ_ONCE(qm->removing))
			return -ECANCELED;
		if (waited_us > limit_us)
			return -ETIMEDOUT;
		usleep_range(QM_MESSAGE_PERIOD_US / 4, QM_MESSAGE_PERIOD_US);
		waited_us += qm_looked(&seen, QM_LOOK_MAX_US);
	}
	return 0;
}

/* ------ physical function: receiving ------ */

static void qm_vf_says(struct hisi_qm *qm, unsigned int vf, u32 message)
{
	qm->vfs_missed &= ~BIT_ULL(vf);
	switch (message) {
	case QM_MSG_NOT_STOPPED:
	case QM_MSG_NOT_STARTED:
		dev_warn_ratelimited(&qm->pdev->dev, "virtual function %u did not %s\n", vf,
				     message == QM_MSG_NOT_STOPPED ? "stop" : "start again");
		fallthrough;
	case QM_MSG_STOPPED:
	case QM_MSG_STARTED:
		qm->vfs_answered |= BIT_ULL(vf);
		break;
	case QM_MSG_ASK_BANDWIDTH:
		qm->vfs_ask_bandwidth |= BIT_ULL(vf);
		break;
	case QM_MSG_ASK_ISOLATION:
		qm->vfs_ask_isolation |= BIT_ULL(vf);
		/* A driver that asks also understands the news. Drivers of before Linux 7.2 don't. */
		atomic64_or(BIT_ULL(vf), &qm->vfs_follow_isolation);
		break;
	default:
		dev_warn_ratelimited(&qm->pdev->dev, "unknown message 0x%x from virtual function %u\n", message, vf);
	}
}

/* A device that polls its registers takes a moment. Until then, acknowledged messages read like new ones. */
static void qm_vfs_acknowledge(struct hisi_qm *qm, u64 bits)
{
	writeq(bits, qm->io + QM_IFC_INT_SOURCE_P);
	hisi_qm_write(qm, QM_IFC_INT_SOURCE_V, 1);
	hisi_qm_wait(qm, QM_IFC_INT_SOURCE_V, 1, 0);
}

/* -EIO: there was nothing to fetch. After other errors the message stays, for a later attempt. */
static int qm_vf_listen(struct hisi_qm *qm, unsigned int vf)
{
	u64 text;
	int ret = qm_mailbox_get(qm, QM_MB_CMD_DST, vf, &text);

	if (!ret)
		qm_vf_says(qm, vf, lower_32_bits(text));
	return ret == -EIO ? 0 : ret;
}

/* Returns true if no message is left. Bit 0 would be the physical function's own: it means nothing. */
static bool qm_vfs_listen(struct hisi_qm *qm)
{
	u64 bits = readq(qm->io + QM_IFC_INT_SOURCE_P), heard = 0;
	unsigned int vf;

	if (!bits)
		return true;
	if (qm_gone(qm, lower_32_bits(bits)))
		return false;
	for (vf = 1; vf <= QM_MAX_VFS; vf++)
		if ((bits & BIT_ULL(vf)) && !qm_vf_listen(qm, vf))
			heard |= BIT_ULL(vf);
	if (heard)
		qm_vfs_acknowledge(qm, heard);
	return heard == (bits & ~BIT_ULL(0));
}

/* ------ physical function: sending ------ */

static int qm_vfs_tell(struct hisi_qm *qm, u16 target, u64 text)
{
	int ret = qm_mailbox(qm, QM_MB_CMD_SRC, target, text);

	if (ret)
		return ret;
	hisi_qm_write(qm, QM_IFC_INT_CFG,
		      (hisi_qm_read(qm, QM_IFC_INT_CFG) & ~QM_TARGET_MASK) | (target & QM_TARGET_MASK));
	hisi_qm_write(qm, QM_IFC_INT_SET_P, 1);
	return 0;
}

/* The sender of a message doesn't fetch one, so two that only wait for each other would wait for ever. */
static bool qm_vfs_acknowledged(struct hisi_qm *qm, u64 bits)
{
	qm_vfs_listen(qm);
	return !(readq(qm->io + QM_IFC_READY_STATUS) & bits);
}

/* As with mainline, a function whose limit isn't what it should be gets no answer. */
static int qm_bandwidth_answer(struct hisi_qm *qm, unsigned int vf, u64 *text)
{
	u32 qos;
	int ret = qm_vft_qos(qm, vf, &qos);

	*text = QM_MSG_BANDWIDTH | (u64)qm_qos_mbps(qos) << 32;
	return ret;
}

static u64 qm_isolation(struct hisi_qm *qm)
{
	u64 isolation = (qm_is_isolated(qm) ? QM_ISOLATED : 0) |
			min_t(u32, READ_ONCE(qm->isolate_threshold), QM_THRESHOLD_MASK);

	return isolation << 32;
}

static int qm_isolation_answer(struct hisi_qm *qm, unsigned int vf, u64 *text)
{
	*text = QM_MSG_ISOLATION | qm_isolation(qm);
	return 0;
}

static bool qm_vf_fetched_or_others_ask(struct hisi_qm *qm, u64 bit)
{
	return qm_vfs_acknowledged(qm, bit) || ((qm->vfs_ask_bandwidth | qm->vfs_ask_isolation) & ~bit);
}

static void qm_vf_did_not_fetch(struct hisi_qm *qm, unsigned int vf)
{
	dev_warn_ratelimited(&qm->pdev->dev, "virtual function %u did not fetch its answer\n", vf);
	atomic64_andnot(BIT_ULL(vf), &qm->vfs_follow_isolation);
}

/* @others: wait for their answers, which this one must not delay. */
static void qm_vf_wait_fetched(struct hisi_qm *qm, unsigned int vf, bool others)
{
	int ret = qm_message_wait(qm, qm_vfs_acknowledged, BIT_ULL(vf), QM_VF_TURN_US);

	if (ret == -ETIMEDOUT && !others)
		ret = qm_message_wait(qm, qm_vf_fetched_or_others_ask, BIT_ULL(vf),
				      QM_VF_ACK_LIMIT_US - QM_VF_TURN_US);
	if (ret != -ECANCELED && !qm_vfs_acknowledged(qm, BIT_ULL(vf)))
		qm_vf_did_not_fetch(qm, vf);
}

/*
 * A question that can't be answered now, since the mailbox is busy or a reset begins, stays. A function that
 * hasn't fetched the last message isn't waited for again. @rest: functions that are answered next.
 */
static void qm_vfs_answer(struct hisi_qm *qm, u64 bits, u64 rest, u64 *asked,
			  int (*answer)(struct hisi_qm *qm, unsigned int vf, u64 *text))
{
	unsigned int vf;
	bool late;
	u64 text;

	for (; bits && !READ_ONCE(qm->messages_end); bits &= bits - 1) {
		vf = __ffs64(bits);
		if (answer(qm, vf, &text))
			continue;
		late = !qm_vfs_acknowledged(qm, BIT_ULL(vf));
		if (qm_vfs_tell(qm, vf, text)) {
			*asked |= BIT_ULL(vf);
			continue;
		}
		if (!late)
			qm_vf_wait_fetched(qm, vf, rest | (bits & (bits - 1)));
	}
	*asked |= bits;
}

/*
 * Each function that asks is answered once before any is answered again. Returns true if there was nothing left to do.
 * Questions are received during every wait.
 */
static bool qm_vfs_serve(struct hisi_qm *qm, u64 unused)
{
	bool all = qm_vfs_listen(qm);
	u64 bandwidth = qm->vfs_ask_bandwidth, isolation = qm->vfs_ask_isolation;

	if (xchg(&qm->isolation_news, false))
		isolation |= atomic64_read(&qm->vfs_follow_isolation);
	qm->vfs_ask_bandwidth = 0;
	qm->vfs_ask_isolation = 0;
	qm_vfs_answer(qm, bandwidth, isolation, &qm->vfs_ask_bandwidth, qm_bandwidth_answer);
	qm_vfs_answer(qm, isolation, 0, &qm->vfs_ask_isolation, qm_isolation_answer);
	return all && !bandwidth && !isolation;
}

/* ------ physical function: orders ------ */

static bool qm_vf_is_ours(struct hisi_qm *qm, struct pci_dev *pdev)
{
	struct hisi_qm *vf;

	list_for_each_entry(vf, &qm->vfs, vf_node)
		if (vf->pdev == pdev)
			return true;
	return false;
}

/*
 * Virtual functions without a driver neither acknowledge nor answer. One that this driver is about to bind waits for
 * the end of the reset.
 */
static bool qm_vf_is_of_others(struct hisi_qm *qm, struct pci_dev *pdev)
{
	struct device_driver *driver = READ_ONCE(pdev->dev.driver);

	if (!pdev->is_virtfn || pci_physfn(pdev) != qm->pdev || !driver)
		return false;
	return !qm_vf_is_ours(qm, pdev) && (driver != qm->pdev->dev.driver || pci_get_drvdata(pdev));
}

/* Without bus mastering it gets no interrupts: the driver that has it, such as vfio, has it for nobody. */
static bool qm_vf_is_idle(struct pci_dev *pdev)
{
	u16 command;

	pci_read_config_word(pdev, PCI_COMMAND, &command);
	return !(command & PCI_COMMAND_MASTER);
}

static u64 qm_vfs_of_others(struct hisi_qm *qm, bool in_use)
{
	struct pci_dev *pdev = NULL;
	u64 bits = 0;

	qm_assert_claimed(qm);

	if (!pci_num_vf(qm->pdev))
		return 0;
	while ((pdev = pci_get_device(qm->pdev->vendor, PCI_ANY_ID, pdev)))
		if (qm_vf_is_of_others(qm, pdev) && !(in_use && qm_vf_is_idle(pdev)))
			bits |= BIT_ULL(pci_iov_vf_id(pdev) + 1);
	return bits;
}

static bool qm_vfs_ordered(struct hisi_qm *qm, u64 order)
{
	return !qm_vfs_tell(qm, QM_TARGET_ALL, order);
}

static bool qm_vfs_have_answered(struct hisi_qm *qm, u64 bits)
{
	qm_vfs_listen(qm);
	return !(bits & ~qm->vfs_answered & qm_vfs_of_others(qm, false));
}

/* A queue that doesn't stop may keep the mailbox for minutes. */
static void qm_vfs_order_and_wait(struct hisi_qm *qm, u64 order, u64 bits)
{
	u64 missed;

	if (!qm_message_wait(qm, qm_vfs_ordered, order, QM_VF_ACK_LIMIT_US) &&
	    !qm_message_wait(qm, qm_vfs_have_answered, bits, QM_ORDER_LIMIT_US))
		return;
	missed = bits & ~qm->vfs_answered & qm_vfs_of_others(qm, false);
	qm->vfs_missed |= missed;
	pci_warn(qm->pdev, "virtual functions 0x%llx did not %s in time\n", missed,
		 lower_32_bits(order) == QM_MSG_START ? "start again" : "stop");
}

/*
 * All are told, and those in @bits are waited for, but a function that has missed an order only after it has spoken
 * again.
 */
static void qm_vfs_order(struct hisi_qm *qm, u64 order, u64 bits)
{
	u64 others = qm_has_messages(qm) ? qm_vfs_of_others(qm, false) : 0;

	qm->vfs_answered = 0;
	qm->vfs_missed &= others;
	bits &= others & ~qm->vfs_missed;
	if (bits)
		qm_vfs_order_and_wait(qm, order, bits);
	else if (others)
		qm_vfs_ordered(qm, order);
}

/**
 * qm_vfs_order_stop - have other drivers stop their virtual functions before a reset
 * @qm: the physical function, whose messages are stopped and whose functions are the caller's
 * @device: the device is reset, not just the physical function
 *
 * Functions that don't stop in time are reset all the same.
 */
void qm_vfs_order_stop(struct hisi_qm *qm, bool device)
{
	qm->vfs_in_use = qm_has_messages(qm) ? qm_vfs_of_others(qm, true) : 0;
	qm_vfs_order(qm, device ? QM_MSG_STOP_DEVICE : QM_MSG_STOP_FUNCTION, qm->vfs_in_use);
}

/**
 * qm_vfs_order_start - have other drivers start their virtual functions after a reset
 * @qm: the physical function, restarted, which has given the others their queues; after qm_vfs_order_stop()
 */
void qm_vfs_order_start(struct hisi_qm *qm)
{
	qm_vfs_order(qm, QM_MSG_START | qm_isolation(qm), qm->vfs_in_use);
}

/* ------ virtual function ------ */

/* During a reset the register has all bits set. */
static bool qm_pf_has_sent(struct hisi_qm *qm)
{
	return hisi_qm_read(qm, QM_IFC_INT_SOURCE_V) == 1;
}

/* Fetches the message, or 0 if there is none. */
static bool qm_pf_fetched(struct hisi_qm *qm, u64 unused)
{
	u64 text = 0;
	int ret = qm_mailbox_get(qm, QM_MB_CMD_DST, 0, &text);

	qm->message = lower_32_bits(text);
	qm->message_value = upper_32_bits(text);
	return !ret || ret == -EIO;
}

static void qm_pf_acknowledge(struct hisi_qm *qm)
{
	hisi_qm_write(qm, QM_IFC_INT_SOURCE_V, 1);
}

static bool qm_pf_orders_start(struct hisi_qm *qm, u64 unused)
{
	if (!qm_pf_has_sent(qm) || !qm_pf_fetched(qm, 0))
		return false;
	qm_pf_acknowledge(qm);
	if (qm->message == QM_MSG_START)
		return true;
	/* Until the device has seen it, the acknowledgement reads like the next message. */
	hisi_qm_wait(qm, QM_IFC_INT_SOURCE_V, 1, 0);
	return false;
}

static bool qm_pf_told(struct hisi_qm *qm, u64 text)
{
	return !qm_mailbox(qm, QM_MB_CMD_SRC, 0, text);
}

static bool qm_pf_acknowledged(struct hisi_qm *qm, u64 unused)
{
	return !hisi_qm_read(qm, QM_IFC_INT_SET_V);
}

/* The physical function's order comes first: while it sends, it may not fetch. */
static bool qm_pf_acknowledged_or_orders(struct hisi_qm *qm, u64 unused)
{
	return qm_pf_acknowledged(qm, 0) || qm_pf_has_sent(qm);
}

static void qm_pf_tell(struct hisi_qm *qm, enum qm_message message, bool (*is_over)(struct hisi_qm *qm, u64 unused))
{
	int ret = qm_message_wait(qm, qm_pf_told, message, QM_VF_ACK_LIMIT_US);

	if (!ret) {
		hisi_qm_write(qm, QM_IFC_INT_SET_V, 1);
		ret = qm_message_wait(qm, is_over, 0, QM_PF_ACK_LIMIT_US);
	}
	if (ret == -ETIMEDOUT)
		pci_warn(qm->pdev, "the physical function did not fetch message 0x%x in time\n", message);
}

/* A function that has failed itself stays isolated. */
static void qm_pf_isolates(struct hisi_qm *qm, u32 value)
{
	bool isolated = value & QM_ISOLATED;

	WRITE_ONCE(qm->isolate_threshold, value & QM_THRESHOLD_MASK);
	if (READ_ONCE(qm->broken) || READ_ONCE(qm->isolated) == isolated)
		return;
	if (isolated) {
		qm_isolate(qm);
		return;
	}
	WRITE_ONCE(qm->isolated, false);
	if (qm->uacce)
		uacce_isolation_ended(qm->uacce);
}

static bool qm_ask_state(struct hisi_qm *qm, enum qm_ask from, enum qm_ask to)
{
	return cmpxchg(&qm->ask, from, to) == from;
}

/*
 * The physical function may not wait for the answer, so the config space is saved first. The function is left stopped
 * when the driver is removed or the function is reset meanwhile. Without its bus master it gets no interrupts, so an
 * order that comes too late doesn't start it any more.
 */
static void qm_pf_obey_stop(struct hisi_qm *qm)
{
	bool device = qm->message == QM_MSG_STOP_DEVICE, isolated = READ_ONCE(qm->isolated) && !READ_ONCE(qm->broken);
	int ret;

	hisi_qm_write(qm, QM_IFC_INT_MASK, 1);
	pci_save_state(qm->pdev);
	qm_close(qm);
	qm_reset_prepare(qm);
	/* The answer to the order may replace a question in the device: asked again afterwards. */
	qm_ask_state(qm, QM_ASK_SENT, QM_ASK_WANTED);
	qm_pf_tell(qm, QM_MSG_STOPPED, qm_pf_acknowledged);

	ret = qm_message_wait(qm, qm_pf_orders_start, 0, QM_START_LIMIT_US);
	if (ret == -ETIMEDOUT)
		qm_reset_failed(qm, "the physical function did not end its reset");
	if (ret)
		return;
	pci_restore_state(qm->pdev);
	/* Off again, until the device has dropped the state of before. */
	pci_clear_master(qm->pdev);
	qm->isolate_next = device ? !!(qm->message_value & QM_ISOLATED) : isolated;
	qm_reset_done(qm);
	qm->isolate_next = false;
	hisi_qm_write(qm, QM_IFC_INT_MASK, 0);
	qm_pf_tell(qm, READ_ONCE(qm->broken) ? QM_MSG_NOT_STARTED : QM_MSG_STARTED, qm_pf_acknowledged);
}

/* An answer that comes too late is nobody's. */
static void qm_pf_answers(struct hisi_qm *qm)
{
	WRITE_ONCE(qm->bandwidth, qm->message_value);
	if (qm_ask_state(qm, QM_ASK_SENT, QM_ASK_ANSWERED))
		wake_up(&qm->ask_wait);
}

static void qm_pf_ask_isolation(struct hisi_qm *qm)
{
	if (qm_is_ending(qm) || !xchg(&qm->isolation_news, false))
		return;
	qm_pf_tell(qm, QM_MSG_ASK_ISOLATION, qm_pf_acknowledged_or_orders);
	/* The answer to an order may replace the question in the device. */
	if (!qm_pf_acknowledged(qm, 0))
		WRITE_ONCE(qm->isolation_news, true);
}

static void qm_pf_ask(struct hisi_qm *qm)
{
	if (!qm_is_ending(qm) && qm_ask_state(qm, QM_ASK_WANTED, QM_ASK_SENT))
		qm_pf_tell(qm, QM_MSG_ASK_BANDWIDTH, qm_pf_acknowledged_or_orders);
}

static void qm_pf_obey(struct hisi_qm *qm)
{
	int ret = qm_message_wait(qm, qm_pf_fetched, 0, QM_VF_ACK_LIMIT_US);

	if (ret == -ECANCELED)
		return;
	/* Only orders come unasked, and the reset comes whether this one could be fetched or not. */
	if (ret)
		qm->message = QM_MSG_STOP_FUNCTION;
	qm_pf_acknowledge(qm);

	if (qm->message == QM_MSG_STOP_FUNCTION || qm->message == QM_MSG_STOP_DEVICE)
		qm_pf_obey_stop(qm);
	else if (qm->message == QM_MSG_BANDWIDTH)
		qm_pf_answers(qm);
	else if (qm->message == QM_MSG_ISOLATION)
		qm_pf_isolates(qm, qm->message_value);
	else if (qm->message)
		pci_warn(qm->pdev, "unexpected message 0x%x from the physical function\n", qm->message);
}

/* ------ interrupt ------ */

static irqreturn_t qm_message_irq(int irq, void *data)
{
	struct hisi_qm *qm = data;
	u32 status = hisi_qm_read(qm, QM_IFC_INT_STATUS);

	if (qm_gone(qm, status))
		return IRQ_HANDLED;
	if (qm->pf) {
		qm_message_wait(qm, qm_vfs_serve, 0, QM_VF_ACK_LIMIT_US);
		return IRQ_HANDLED;
	}
	if (status & 1)
		qm_pf_obey(qm);
	qm_pf_ask_isolation(qm);
	qm_pf_ask(qm);
	return IRQ_HANDLED;
}

/**
 * qm_has_messages - does this function exchange messages?
 * @qm: the function, with its interrupt vectors
 */
bool qm_has_messages(struct hisi_qm *qm)
{
	return !qm->physical && hisi_qm_has(qm, QM_CAP_PF_VF_MSG) && !qm->gen->message_registers &&
	       qm->caps[QM_CAP_ID_MESSAGE_IRQ_TYPE] && qm->caps[QM_CAP_ID_MESSAGE_IRQ_VECTOR] < qm->vectors;
}

/**
 * qm_message_init - request the interrupt of messages, disabled
 * @qm: the function, with its interrupt vectors
 */
int qm_message_init(struct hisi_qm *qm)
{
	if (!qm_has_messages(qm))
		return 0;
	return request_threaded_irq(qm_message_irq_number(qm), NULL, qm_message_irq,
				    IRQF_ONESHOT | IRQF_NO_AUTOEN, qm->engine->name, qm);
}

/**
 * qm_message_exit - undo qm_message_init()
 * @qm: the function; its messages are stopped
 */
void qm_message_exit(struct hisi_qm *qm)
{
	if (qm_has_messages(qm))
		free_irq(qm_message_irq_number(qm), qm);
}

/**
 * qm_message_forget - drop what was sent to an earlier driver
 * @qm: the function, whose messages aren't started yet
 */
void qm_message_forget(struct hisi_qm *qm)
{
	if (!qm_has_messages(qm))
		return;
	if (qm->pf) {
		qm_vfs_acknowledge(qm, ~0ull);
		return;
	}
	if (qm_pf_has_sent(qm))
		qm_pf_fetched(qm, 0);
	qm_pf_acknowledge(qm);
}

/* No question begins while messages are stopped: its work would run beside a reset or removal. */
static void qm_messages_set(struct hisi_qm *qm, bool on)
{
	mutex_lock(&qm->state_lock);
	WRITE_ONCE(qm->messages_on, on);
	mutex_unlock(&qm->state_lock);
}

/**
 * qm_message_start - react to messages
 * @qm: a started function, whose messages are stopped
 *
 * A physical function also answers what it was asked during a reset. A virtual one asks whether it is isolated.
 */
void qm_message_start(struct hisi_qm *qm)
{
	int irq;

	if (!qm_has_messages(qm))
		return;
	irq = qm_message_irq_number(qm);
	/* A reset of its own has made it forget. */
	if (!qm->pf)
		WRITE_ONCE(qm->isolation_news, true);
	enable_irq(irq);
	qm_messages_set(qm, true);
	hisi_qm_write(qm, QM_IFC_INT_MASK, 0);
	irq_wake_thread(irq, qm);
}

/**
 * qm_message_stop - undo qm_message_start(), if it was called
 * @qm: the function
 *
 * The thread doesn't run afterwards. It may have left a virtual function stopped.
 */
void qm_message_stop(struct hisi_qm *qm)
{
	if (!qm->messages_on)
		return;
	WRITE_ONCE(qm->messages_end, true);
	qm_messages_set(qm, false);
	wake_up(&qm->ask_wait);
	disable_irq(qm_message_irq_number(qm));
	hisi_qm_write(qm, QM_IFC_INT_MASK, 1);
	WRITE_ONCE(qm->messages_end, false);
}

/* ------ questions ------ */

/* Leaves the question to the thread of the interrupt, which sends and receives everything else as well. */
static int qm_ask_begin(struct hisi_qm *qm)
{
	int ret = -EAGAIN;

	mutex_lock(&qm->state_lock);
	if (qm->messages_on && qm_ask_state(qm, QM_ASK_NOTHING, QM_ASK_WANTED)) {
		irq_wake_thread(qm_message_irq_number(qm), qm);
		ret = 0;
	}
	mutex_unlock(&qm->state_lock);
	return ret;
}

static bool qm_ask_is_over(struct hisi_qm *qm)
{
	return READ_ONCE(qm->ask) == QM_ASK_ANSWERED || !READ_ONCE(qm->messages_on);
}

/**
 * qm_message_ask_bandwidth - ask the physical function for this function's bandwidth
 * @qm: a virtual function that has messages
 * @mbps: receives the answer, in Mbit/s
 *
 * -EAGAIN: another process asks, or a reset or removal has begun; -ETIMEDOUT: no answer; -ERESTARTSYS: a signal.
 */
int qm_message_ask_bandwidth(struct hisi_qm *qm, u32 *mbps)
{
	long left;
	int ret = qm_ask_begin(qm);

	if (ret)
		return ret;
	left = wait_event_interruptible_timeout(qm->ask_wait, qm_ask_is_over(qm), QM_ANSWER_LIMIT);
	if (xchg(&qm->ask, QM_ASK_NOTHING) == QM_ASK_ANSWERED) {
		*mbps = READ_ONCE(qm->bandwidth);
		return 0;
	}
	if (left < 0)
		return left;
	return left ? -EAGAIN : -ETIMEDOUT;
}
