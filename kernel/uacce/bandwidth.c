// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bandwidth of devices that sections limit. A section's limit is known under uacce_prov, and the driver is
 * called by a work item, without it.
 */
#include <linux/device.h>
#include "provision.h"

#define RETRY_MS	20

static void bandwidth_work(struct work_struct *work)
{
	struct uacce_account *acct = container_of(to_delayed_work(work), struct uacce_account, bandwidth_work);
	struct uacce_device *uacce = uacce_of_account(acct);
	u32 want;
	int ret;

	mutex_lock(&uacce_prov);
	want = acct->bandwidth ?: UACCE_BANDWIDTH_MAX;
	mutex_unlock(&uacce_prov);
	ret = uacce->ops->set_bandwidth(uacce, want);
	if (ret == -EAGAIN)
		queue_delayed_work(uacce_wq, &acct->bandwidth_work, msecs_to_jiffies(RETRY_MS));
	else if (ret)
		dev_err(&uacce->dev, "cannot limit its bandwidth to %u of %u (%d)\n", want, UACCE_BANDWIDTH_MAX, ret);
}

void uacce_bandwidth_init(struct uacce_device *uacce)
{
	INIT_DELAYED_WORK(&uacce->acct.bandwidth_work, bandwidth_work);
}

/* @limit: in thousandths; 0: none. Called with uacce_prov held. */
void uacce_bandwidth_set(struct uacce_device *uacce, u32 limit)
{
	if (uacce->acct.bandwidth == limit)
		return;
	uacce->acct.bandwidth = limit;
	mod_delayed_work(uacce_wq, &uacce->acct.bandwidth_work, 0);
}

/* The device is off, so no section wants anything from it any more. A last change is tried once. */
void uacce_bandwidth_exit(struct uacce_device *uacce)
{
	flush_delayed_work(&uacce->acct.bandwidth_work);
	cancel_delayed_work_sync(&uacce->acct.bandwidth_work);
}
