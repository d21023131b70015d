/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accounting members of a device and a context; provision.h has the rest. */
#ifndef WD_UACCE_ACCOUNT_H
#define WD_UACCE_ACCOUNT_H

#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/uacce_netlink.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>

#define UACCE_CTX_NO_ID		((u32)-1)	/* the driver hasn't assigned a queue yet */

struct uacce_device_item;
struct uacce_owner;
struct uacce_slot;

/* How a device may reach the memory of processes. */
enum uacce_memory {
	UACCE_MEMORY_AUTO,		/* shared virtual addressing where it is possible, else mediated queues */
	UACCE_MEMORY_SVA,		/* that or not at all */
	UACCE_MEMORY_MEDIATED,
};

/* An administrator's settings for a device, by its parent's name; kept until the module is unloaded. */
struct uacce_settings {
	struct list_head all;
	int priority;			/* settable to -100 .. 99; internally any int */
	int zone;
	bool zone_set;
	u32 max_ctxs;
	u32 latency;
	u32 throughput;
	enum uacce_nl_doorbells doorbells;	/* if the device's queues share them */
	enum uacce_memory memory;	/* MEDIATED is taken by uacce_alloc() */
	char parent[];
};

/* Calls of open(). */
struct uacce_opens {
	u64 done;
	u64 refused;
	u64 full;			/* of @refused: no context was left or allowed */
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
	u32 mapped;			/* windows with the doorbells of all queues, in address spaces */
	struct uacce_opens opens;	/* since its registration */
	u64 requests;			/* completed, as far as they are settled */
	u32 bandwidth;			/* limit of a section, in thousandths; 0: none */
	struct delayed_work bandwidth_work;
	struct list_head charges;
	struct uacce_settings *settings;
	struct uacce_device_item *item;	/* the device's configfs directory */
};

/* How one open context is charged. */
struct uacce_charge {
	struct list_head node;		/* uacce_account::charges, until the charge ends */
	struct list_head of_owner;	/* uacce_owner::charges, until the last close */
	struct uacce_owner *owner;
	struct uacce_slot *slot;	/* NULL: charged to the pool */
	enum uacce_nl_ctx_class class;
	u32 id;
	u64 serial;			/* counts openings; uacce_account::charges is in this order */
	u64 settled;			/* requests that the sums have */
	u64 settled_wrong;		/* wrong results that the section's sum has */
	kuid_t euid;
	ktime_t since;
	char comm[TASK_COMM_LEN];
};

#endif
