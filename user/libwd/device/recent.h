/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of devices that are kept for a moment, so that a session costs no scan of sysfs. */
#ifndef WD_RECENT_H
#define WD_RECENT_H

#include "device/device.h"

/**
 * struct wd_recent - a list as wd_device_list() makes it; shared, so only read
 * @list:	the devices, best first
 *
 * The other members are private.
 */
struct wd_recent {
	const struct uacce_dev_list *list;
	const char *alg_name;
	enum wd_rank rank;
	unsigned int features;
	int node;
	__u64 until;
	unsigned int refs;
};

/*
 * A list that is at most 100 ms old; *old says whether it was kept. alg_name has to last as long as the process. The
 * caller drops it by wd_recent_put(). NULL and errno, recorded, as wd_device_list(): a refusal is never kept.
 */
struct wd_recent *wd_recent_get(const char *alg_name, enum wd_rank rank, unsigned int features, bool *old);
void wd_recent_put(struct wd_recent *recent);

/* Something has happened to a device: the next lists are new. */
void wd_recent_forget(void);

#endif
