/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a device and a context carry of their accounting; provision.h has the rest. */
#ifndef WD_UACCE_ACCOUNT_H
#define WD_UACCE_ACCOUNT_H

#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/uacce_netlink.h>
#include <linux/uidgid.h>

#define UACCE_CTX_NO_ID		((u32)-1)	/* the driver hasn't given it a queue yet */

struct uacce_device_item;
struct uacce_owner;
struct uacce_slot;

/* What an admin set for the device in some place; remembered until the module goes. */
struct uacce_settings {
	struct list_head all;
	int priority;			/* any int; chosen only in -100 .. 99 */
	int zone;
	bool zone_set;
	u32 max_ctxs;
	u32 latency;
	u32 throughput;
	char parent[];
};

/* Contexts of one device: total = reserved + used_pool + quarantined + free. */
struct uacce_account {
	struct list_head all;		/* uacce_accounts, by id */
	bool on;			/* registered: may be charged */
	u32 total;
	u32 reserved;
	u32 used;			/* open contexts, charged to slots or to the pool */
	u32 used_pool;
	u32 quarantined;
	struct list_head charges;
	struct uacce_settings *settings;
	struct uacce_device_item *item;	/* its directory */
};

/* One open context, in what it is counted. */
struct uacce_charge {
	struct list_head node;		/* uacce_account::charges, while counted there */
	struct list_head of_owner;	/* uacce_owner::charges, until the last close */
	struct uacce_owner *owner;
	struct uacce_slot *slot;	/* NULL: the pool's */
	enum uacce_nl_ctx_class class;
	u32 id;
	u64 serial;			/* counts openings: the device's list is in its order */
	kuid_t euid;
	ktime_t since;
	char comm[TASK_COMM_LEN];
};

#endif
