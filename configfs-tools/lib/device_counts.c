// SPDX-License-Identifier: Apache-2.0
/* Counts and states of devices, read by netlink. */
#include "device.h"

static void number_set(struct device_number *n, uint64_t value)
{
	n->known = true;
	n->value = (long)value;
}

static void take_count(struct device_number *n, const struct fact_count *c)
{
	if (c->known)
		number_set(n, c->n);
}

static void take_history(struct device *d, const struct fact_device *f)
{
	number_set(&d->resets, f->resets);
	number_set(&d->opens, f->opens.done);
	number_set(&d->refused, f->opens.refused);
	number_set(&d->refused_full, f->opens.full);
	number_set(&d->ctx_errors, f->ctx_errors);
	take_count(&d->wrong_results, &f->wrong_results);
	take_count(&d->function_requests, &f->function_requests);
	take_count(&d->requests, &f->requests);
	take_count(&d->request_errors, &f->request_errors);
	take_count(&d->bytes_in, &f->bytes_in);
	take_count(&d->bytes_out, &f->bytes_out);
	take_count(&d->busy_cycles, &f->busy_cycles);
}

void device_list_take_counts(struct device_list *list, const struct fact_devices *facts)
{
	const struct fact_device *f;
	size_t i;

	for (i = 0; i < list->count; i++) {
		f = fact_device_find(facts, list->dev[i].name);
		if (!f)
			continue;
		number_set(&list->dev[i].total, f->total);
		number_set(&list->dev[i].reserved, f->reserved);
		number_set(&list->dev[i].used, f->used);
		number_set(&list->dev[i].free, f->free);
		number_set(&list->dev[i].quarantined, f->quarantined);
		take_history(&list->dev[i], f);
		/* sysfs doesn't report a reset */
		if (f->state == UACCE_NL_DEV_RESETTING)
			list->dev[i].state = DEVICE_RESETTING;
	}
}
