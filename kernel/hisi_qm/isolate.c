// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Isolation of a device that needs too many resets: the rule of isolate_strategy. The threshold N isolates by the reset
 * number N + 1 within an hour, so the times of the last N resets decide.
 */
#include <linux/slab.h>
#include "internal.h"

#define QM_ISOLATE_SPAN_MS	(3600ull * MSEC_PER_SEC)

/**
 * qm_isolate_threshold - set how many resets an hour are allowed, and forget those so far
 * @qm: the physical function
 * @number: 0: any number
 */
int qm_isolate_threshold(struct hisi_qm *qm, u32 number)
{
	u64 *times = NULL;

	if (number) {
		times = kvcalloc(number, sizeof(*times), GFP_KERNEL);
		if (!times)
			return -ENOMEM;
	}
	mutex_lock(&qm->state_lock);
	swap(qm->reset_times, times);
	qm->reset_next = 0;
	qm->reset_seen = 0;
	WRITE_ONCE(qm->isolate_threshold, number);
	mutex_unlock(&qm->state_lock);
	kvfree(times);
	qm_isolation_changed(qm);
	return 0;
}

/**
 * qm_isolate_exit - free the times
 * @qm: the function
 */
void qm_isolate_exit(struct hisi_qm *qm)
{
	kvfree(qm->reset_times);
}

/**
 * qm_isolate_count - count a reset of the device that an error has caused
 * @qm: the physical function
 *
 * Returns true if the device is to be isolated after it.
 */
bool qm_isolate_count(struct hisi_qm *qm)
{
	u64 now = ktime_to_ms(ktime_get_boottime());
	bool isolate = false;
	u32 number;

	mutex_lock(&qm->state_lock);
	number = qm->isolate_threshold;
	if (number) {
		isolate = qm->reset_seen == number && now - qm->reset_times[qm->reset_next] < QM_ISOLATE_SPAN_MS;
		qm->reset_times[qm->reset_next] = now;
		qm->reset_next = (qm->reset_next + 1) % number;
		qm->reset_seen = min(qm->reset_seen + 1, number);
	}
	mutex_unlock(&qm->state_lock);
	return isolate;
}

/**
 * qm_isolate_forget - forget the resets so far
 * @qm: the physical function
 */
void qm_isolate_forget(struct hisi_qm *qm)
{
	mutex_lock(&qm->state_lock);
	qm->reset_next = 0;
	qm->reset_seen = 0;
	mutex_unlock(&qm->state_lock);
	qm_isolation_changed(qm);
}

/**
 * qm_isolate - let nobody open queues, until a reset by PCI or until the driver is bound again
 * @qm: the function
 */
void qm_isolate(struct hisi_qm *qm)
{
	WRITE_ONCE(qm->isolated, true);
	if (qm->uacce)
		uacce_isolated(qm->uacce);
	if (qm->pf)
		qm_isolation_changed(qm);
}
