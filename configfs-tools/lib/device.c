// SPDX-License-Identifier: Apache-2.0
/* The accelerators of a machine, as its sysfs describes them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "device.h"

#define CLASS WD_SYSFS_CLASS
#define SHARES "/sys/kernel/config/uacce/devices"

static void number_read(const struct root *r, struct device_number *n, const char *name,
			const char *file)
{
	n->known = !root_read_long(r, &n->value, CLASS "/%s/%s", name, file);
}

static void text_read(const struct root *r, char *buf, size_t len, const char *name,
		      const char *file)
{
	if (root_read(r, buf, len, CLASS "/%s/%s", name, file))
		buf[0] = '\0';
}

static void shares_read(const struct root *r, struct device *d)
{
	const struct {
		struct device_number *n;
		const char *file;
	} shares[] = {
		{ &d->total, "total_ctxs" },
		{ &d->reserved, "reserved_ctxs" },
		{ &d->used, "used_ctxs" },
		{ &d->free, "free_ctxs" },
		{ &d->quarantined, "quarantined_ctxs" },
	};
	size_t i;

	if (root_read(r, d->doorbells, sizeof(d->doorbells), SHARES "/%s/doorbells", d->name))
		d->doorbells[0] = '\0';
	if (root_read(r, d->memory, sizeof(d->memory), SHARES "/%s/memory", d->name))
		d->memory[0] = '\0';
	for (i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		shares[i].n->known = !root_read_long(r, &shares[i].n->value, SHARES "/%s/%s", d->name,
						     shares[i].file);
}

static enum device_state state_read(const struct root *r, const struct device *d)
{
	long isolate;

	if (!root_read_long(r, &isolate, CLASS "/%s/isolate", d->name) && isolate)
		return DEVICE_ISOLATED;
	if (d->priority.known && (d->priority.value < WD_PRIORITY_MIN ||
				  d->priority.value > WD_PRIORITY_MAX))
		return DEVICE_DISABLED;
	return DEVICE_OK;
}

static void lines_to_words(char *text)
{
	char *in = text, *out = text;

	for (; *in; in++) {
		if (*in != '\n')
			*out++ = *in;
		else if (out != text && out[-1] != ' ' && in[1])
			*out++ = ' ';
	}
	*out = '\0';
}

static int device_read(const struct root *r, struct device *d, const char *name)
{
	struct device_number flags;
	char folder[ROOT_PATH_MAX];

	if (strlen(name) >= sizeof(d->name))
		return -ENAMETOOLONG;
	memset(d, 0, sizeof(*d));
	strcpy(d->name, name);
	if (root_read(r, d->api, sizeof(d->api), CLASS "/%s/api", name))
		return -ENOENT;
	if (root_link_name(r, d->parent, sizeof(d->parent), CLASS "/%s/device", name))
		d->parent[0] = '\0';
	if (root_link_name(r, d->physical, sizeof(d->physical), CLASS "/%s/device/physfn", name))
		d->physical[0] = '\0';
	number_read(r, &d->vfs, name, "device/sriov_numvfs");
	text_read(r, d->algorithms, sizeof(d->algorithms), name, "algorithms");
	lines_to_words(d->algorithms);
	text_read(r, d->iommu, sizeof(d->iommu), name, "iommu");
	text_read(r, d->dev, sizeof(d->dev), name, "dev");
	number_read(r, &flags, name, "flags");
	d->flags = flags.known ? flags.value : 0;
	d->node.known = !root_path(r, folder, sizeof(folder), CLASS "/%s", name) &&
			!wd_sysfs_node(folder, &d->node.value);
	number_read(r, &d->priority, name, "priority");
	number_read(r, &d->window, name, "region_mmio_size");
	number_read(r, &d->simulated, name, "simulated");
	number_read(r, &d->available, name, "available_instances");
	shares_read(r, d);
	device_lacks_read(r, d);
	d->state = state_read(r, d);
	return 0;
}

int device_list_read(const struct root *r, struct device_list *list)
{
	struct root_names names;
	size_t i;
	int ret;

	list->dev = NULL;
	list->count = 0;
	ret = root_list(r, &names, CLASS);
	if (ret == -ENOENT)
		return 0;
	if (ret)
		return ret;
	list->dev = calloc(names.count ? names.count : 1, sizeof(*list->dev));
	if (!list->dev)
		ret = -ENOMEM;
	for (i = 0; !ret && i < names.count; i++)
		if (!device_read(r, &list->dev[list->count], names.name[i]))
			list->count++;
	root_names_free(&names);
	return ret;
}

void device_list_free(struct device_list *list)
{
	free(list->dev);
	list->dev = NULL;
	list->count = 0;
}

const struct device *device_find(const struct device_list *list, const char *name)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (!strcmp(list->dev[i].name, name) || !strcmp(list->dev[i].parent, name))
			return &list->dev[i];
	return NULL;
}

bool device_is_foreign(const struct device *d)
{
	return !d->priority.known;
}

bool device_list_foreign(const struct device_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (device_is_foreign(&list->dev[i]))
			return true;
	return false;
}

const char *device_way(const struct device *d)
{
	if (!strcmp(d->iommu, "mediated"))
		return "mediated";
	/* Another uacce has no such attribute. */
	return d->flags & UACCE_DEV_SVA && strcmp(d->iommu, "none") ? "sva" : NULL;
}

bool device_is_forbidden(const struct device *d)
{
	return !strcmp(d->iommu, "mediated") && !strcmp(d->memory, "sva");
}

bool device_may_open(const struct root *r, const struct device *d)
{
	char path[ROOT_PATH_MAX];

	return !root_path(r, path, sizeof(path), "/dev/%s", d->name) && !access(path, R_OK | W_OK);
}

const char *device_state_name(enum device_state state)
{
	static const char *const names[] = {
		[DEVICE_OK] = "ok",
		[DEVICE_ISOLATED] = "isolated",
		[DEVICE_RESETTING] = "resetting",
		[DEVICE_DISABLED] = "disabled",
	};

	return names[state];
}
