// SPDX-License-Identifier: Apache-2.0
/* Counts and states of devices, read by netlink. */
#include "device.h"

static void number(struct device_number *n, long value)
{
	n->known = true;
	n->value = value;
}

void device_list_take_counts(struct device_list *list, const struct fact_devices *facts)
{
	const struct fact_device *f;
	size_t i;

	for (i = 0; i < list->count; i++) {
		f = fact_device_find(facts, list->dev[i].name);
		if (!f)
			continue;
		number(&list->dev[i].total, f->total);
		number(&list->dev[i].reserved, f->reserved);
		number(&list->dev[i].used, f->used);
		number(&list->dev[i].free, f->free);
		number(&list->dev[i].quarantined, f->quarantined);
		/* sysfs doesn't report a reset */
		if (f->state == UACCE_NL_DEV_RESETTING)
			list->dev[i].state = DEVICE_RESETTING;
	}
}
