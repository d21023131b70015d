/* SPDX-License-Identifier: Apache-2.0 */
/* The processes that hold accelerator queues open. */
#ifndef WDCTL_HOLDER_H
#define WDCTL_HOLDER_H

#include "device.h"
#include "facts.h"

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

/**
 * holder_ctxs() - read the contexts as facts_ctxs() does, with the processes that hold them.
 *
 * If the process that opened a context has ended or closed the file, pid and comm become those of a process that has
 * it open, and passed is true; pid 0: no process that is visible here. Only root sees other users' processes.
 */
int holder_ctxs(struct wd_nl *f, struct fact_ctxs *l);

/** holder_name() - print "NAME (PID)", or that the process has ended. */
#define HOLDER_NAME_SIZE (FACT_COMM_MAX + 32)
const char *holder_name(char buf[HOLDER_NAME_SIZE], const struct fact_ctx *c);

#endif
