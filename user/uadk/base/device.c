// SPDX-License-Identifier: Apache-2.0
/* Devices as UADK describes them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alg.h"
#include "log.h"
#include "own.h"
#include "uadk/wd.h"

static void device_fill(struct uacce_dev *dev, const struct own_uacce_dev_info *info)
{
	dev->flags = info->flags & OWN_UACCE_DEV_SVA ? UACCE_DEV_SVA : 0;
	/* Queues without shared addresses work all the same, and programs refuse devices that lack the flag. */
	if (info->mediated)
		dev->flags |= UACCE_DEV_SVA;
	dev->numa_id = info->numa_node;
	memcpy(dev->api, info->api, sizeof(dev->api));
	memcpy(dev->algs, info->algs, sizeof(dev->algs));
	memcpy(dev->dev_root, info->alg_path, sizeof(dev->dev_root));
	memcpy(dev->char_dev_path, info->dev_root, sizeof(dev->char_dev_path));
	dev->qfrs_offs[UACCE_QFRT_MMIO] = info->qfrs_offs[OWN_UACCE_QFRT_MMIO];
	dev->qfrs_offs[UACCE_QFRT_DUS] = info->qfrs_offs[OWN_UACCE_QFRT_DUS];
}

/* Sets errno if @name is no algorithm. */
static struct own_uacce_dev_list *devices_of(const char *name)
{
	const char *alg = uadk_alg_of_devices(name);

	if (!alg) {
		errno = WD_EINVAL;
		return NULL;
	}
	return own_list_accels(alg);
}

void wd_free_list_accels(struct uacce_dev_list *list)
{
	struct uacce_dev_list *next;

	for (; list; list = next) {
		next = list->next;
		free(list->dev);
		free(list);
	}
}

struct uacce_dev_list *wd_get_accel_list(const char *alg_name)
{
	struct own_uacce_dev_list *found = devices_of(alg_name);
	struct uacce_dev_list *list = NULL, **end = &list;

	for (const struct own_uacce_dev_list *l = found; l; l = l->next) {
		struct uacce_dev_list *node = calloc(1, sizeof(*node));

		if (node)
			node->dev = calloc(1, sizeof(*node->dev));
		if (!node || !node->dev) {
			free(node);
			wd_free_list_accels(list);
			own_free_list_accels(found);
			errno = WD_ENOMEM;
			return NULL;
		}
		device_fill(node->dev, l->info);
		*end = node;
		end = &node->next;
	}
	own_free_list_accels(found);
	return list;
}

struct uacce_dev *wd_get_accel_dev(const char *alg_name)
{
	struct own_uacce_dev_list *found = devices_of(alg_name);
	struct uacce_dev *dev = found ? calloc(1, sizeof(*dev)) : NULL;

	if (dev)
		device_fill(dev, found->info);
	own_free_list_accels(found);
	return dev;
}

struct uacce_dev *wd_find_dev_by_numa(struct uacce_dev_list *list, int numa_id)
{
	for (; list; list = list->next)
		if (list->dev && list->dev->numa_id == numa_id)
			return list->dev;
	return NULL;
}

struct uacce_dev *wd_clone_dev(struct uacce_dev *dev)
{
	struct uacce_dev *copy = dev ? malloc(sizeof(*copy)) : NULL;

	if (copy)
		*copy = *dev;
	return copy;
}

void wd_add_dev_to_list(struct uacce_dev_list *head, struct uacce_dev_list *node)
{
	if (!head || !node)
		return;
	while (head->next)
		head = head->next;
	head->next = node;
}

char *wd_get_accel_name(char *dev_path, int no_apdx)
{
	return own_get_accel_name(dev_path, no_apdx);
}

int wd_get_avail_ctx(struct uacce_dev *dev)
{
	int ret = dev ? own_ctx_get_avail_ctx(dev->char_dev_path) : -WD_EINVAL;

	return ret == -ENOENT ? -WD_ENODEV : ret;
}

int wd_is_isolate(struct uacce_dev *dev)
{
	struct own_uacce_dev_list *all;
	int ret = -WD_ENODEV;

	if (!dev)
		return -WD_EINVAL;
	all = own_list_accels(NULL);
	for (const struct own_uacce_dev_list *l = all; l; l = l->next)
		if (!strcmp(l->info->dev_root, dev->char_dev_path))
			ret = l->info->isolated;
	own_free_list_accels(all);
	return ret;
}
