/* SPDX-License-Identifier: Apache-2.0 */
/* The accelerators of a machine, as its sysfs describes them. */
#ifndef WDCTL_DEVICE_H
#define WDCTL_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <wd.h>

#include "facts.h"
#include "root.h"

#define DEVICE_NAME_MAX 80

enum device_state {
	DEVICE_OK,
	DEVICE_ISOLATED,	/* the kernel refuses to open it until it is reset */
	DEVICE_RESETTING,	/* usable again in a moment, or isolated afterwards */
	DEVICE_DISABLED,	/* priority out of range: libraries never choose it */
};

/* A number that the kernel may not report. */
struct device_number {
	bool known;
	long value;
};

struct device {
	char name[DEVICE_NAME_MAX];	/* hisi_zip-0 */
	char parent[DEVICE_NAME_MAX];	/* 0000:75:00.0; "": none */
	char physical[DEVICE_NAME_MAX];	/* of a virtual function: the parent of the physical one; "": it is none */
	char api[64];
	char algorithms[512];		/* separated by single spaces */
	char lacks[128];		/* the same: algorithms that a simulated SEC lacks on this kernel */
	char doorbells[16];		/* isolated, kernel, exclusive, mapped; "": not reported */
	char iommu[32];			/* sva-iommu, sva-sim, mediated, none; "": not reported */
	char memory[16];		/* what is demanded: auto, sva, mediated; "": not reported */
	char dev[32];			/* major:minor */
	long flags;
	struct device_number window;	/* bytes of the doorbells that a process maps */
	struct device_number node, priority, simulated, available;
	struct device_number vfs;	/* virtual functions that are enabled, of a physical function that can have
					 * some */
	struct device_number total, reserved, used, free, quarantined;	/* contexts, of a kernel with sections */
	struct device_number resets, opens, refused, refused_full, ctx_errors;	/* by netlink only */
	struct device_number wrong_results;	/* that processes have found; the same */
	struct device_number function_requests;	/* completed on the function's own contexts */
	/* The device's own, too. */
	struct device_number requests, request_errors, bytes_in, bytes_out, busy_cycles;
	enum device_state state;
};

struct device_list {
	struct device *dev;
	size_t count;
};

/**
 * device_list_read() - read all devices, in natural order of their names.
 * A device that disappears while it is read is left out.
 * Return: 0, also when there is no uacce class (an empty list), or -errno.
 */
int device_list_read(const struct root *r, struct device_list *list);
/** device_list_take_counts() - replace the counts, read file by file, by the kernel's, which are of one moment. */
void device_list_take_counts(struct device_list *list, const struct fact_devices *facts);
/** device_lacks_read() - set lacks of a device whose other facts are known. */
void device_lacks_read(const struct root *r, struct device *d);
void device_list_free(struct device_list *list);
const struct device *device_find(const struct device_list *list, const char *name);
/** device_is_foreign() - is it of another uacce than this project's, such as mainline's? */
bool device_is_foreign(const struct device *d);
/** device_list_foreign() - the same of any of them; false without devices. */
bool device_list_foreign(const struct device_list *list);
/** device_way() - how it reaches the memory of processes: "sva", "mediated"; NULL: not at all. */
const char *device_way(const struct device *d);
/** device_is_forbidden() - may nobody open it, since it hasn't the way to memory that is demanded? */
bool device_is_forbidden(const struct device *d);
/** device_may_open() - may the calling user open the device's node? */
bool device_may_open(const struct root *r, const struct device *d);
const char *device_state_name(enum device_state state);

#endif
