/* SPDX-License-Identifier: Apache-2.0 */
/* The processes that hold accelerator queues open. */
#ifndef WDCTL_HOLDER_H
#define WDCTL_HOLDER_H

#include "device.h"

struct holder {
	long pid;
	char comm[32];		/* control characters replaced */
	char device[DEVICE_NAME_MAX];
	unsigned int queues;
};

struct holder_list {
	struct holder *holder;
	size_t count;
};

/**
 * holder_list_read() - read the list, with one entry for each process and device.
 * Only root sees other users' processes.
 * Return: 0 or -errno.
 */
int holder_list_read(const struct root *r, const struct device_list *devices,
		     struct holder_list *list);
void holder_list_free(struct holder_list *list);

#endif
