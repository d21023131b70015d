// SPDX-License-Identifier: GPL-2.0-or-later
/* devices/<dev>/: an administrator's settings for a device, and its state. */
#include <linux/configfs.h>
#include <linux/device.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "provision.h"

/* Open attributes may outlive the device, so the item holds a reference to it. */
struct uacce_device_item {
	struct config_group group;
	struct uacce_device *uacce;
};

static struct uacce_device *to_device(struct config_item *item)
{
	return container_of(to_config_group(item), struct uacce_device_item, group)->uacce;
}

#define DEVICE_SHOW(name, expression)							\
static ssize_t device_##name##_show(struct config_item *item, char *page)		\
{											\
	struct uacce_device *uacce = to_device(item);					\
	s64 n;										\
											\
	mutex_lock(&uacce_prov);							\
	n = (expression);								\
	mutex_unlock(&uacce_prov);							\
	return sprintf(page, "%lld\n", n);						\
}

DEVICE_SHOW(priority, uacce->acct.settings->priority)
DEVICE_SHOW(zone_id, uacce_account_zone(uacce))
DEVICE_SHOW(max_ctxs_per_process, uacce->acct.settings->max_ctxs)
DEVICE_SHOW(latency, uacce->acct.settings->latency)
DEVICE_SHOW(throughput, uacce->acct.settings->throughput)
DEVICE_SHOW(total_ctxs, uacce->acct.total)
DEVICE_SHOW(reserved_ctxs, uacce->acct.reserved)
DEVICE_SHOW(used_ctxs, uacce->acct.used)
DEVICE_SHOW(free_ctxs, uacce_account_room(uacce))
DEVICE_SHOW(quarantined_ctxs, uacce->acct.quarantined)

/* Called under uacce_prov, after a change of the settings. */
static void device_changed(struct uacce_device *uacce)
{
	if (uacce->acct.on)
		uacce_event_dev(UACCE_NL_DEV_CHANGE, uacce);
}

static ssize_t device_priority_store(struct config_item *item, const char *page, size_t len)
{
	struct uacce_device *uacce = to_device(item);
	int n, ret = uacce_parse_int(page, len, &n);

	if (ret)
		return ret;
	mutex_lock(&uacce_prov);
	uacce->acct.settings->priority = n;
	device_changed(uacce);
	mutex_unlock(&uacce_prov);
	return len;
}

static ssize_t device_zone_id_store(struct config_item *item, const char *page, size_t len)
{
	struct uacce_device *uacce = to_device(item);
	int n, ret = uacce_parse_int(page, len, &n);

	if (ret)
		return ret;
	if (n < NUMA_NO_NODE || n >= MAX_NUMNODES)
		return -ERANGE;
	mutex_lock(&uacce_prov);
	if (n != uacce_account_zone(uacce) && uacce_section_uses_nodes_of(uacce)) {
		ret = -EBUSY;
	} else {
		uacce->acct.settings->zone = n;
		uacce->acct.settings->zone_set = true;
		device_changed(uacce);
	}
	mutex_unlock(&uacce_prov);
	return ret ? ret : len;
}

static ssize_t store_setting(struct config_item *item, const char *page, size_t len, u32 *setting, u32 max)
{
	u32 n;
	int ret = uacce_parse_u32(page, len, 0, max, &n);

	if (ret)
		return ret;
	mutex_lock(&uacce_prov);
	*setting = n;
	device_changed(to_device(item));
	mutex_unlock(&uacce_prov);
	return len;
}

static ssize_t device_max_ctxs_per_process_store(struct config_item *item, const char *page, size_t len)
{
	return store_setting(item, page, len, &to_device(item)->acct.settings->max_ctxs, U32_MAX);
}

static ssize_t device_latency_store(struct config_item *item, const char *page, size_t len)
{
	return store_setting(item, page, len, &to_device(item)->acct.settings->latency, UACCE_LEVEL_MAX);
}

static ssize_t device_throughput_store(struct config_item *item, const char *page, size_t len)
{
	return store_setting(item, page, len, &to_device(item)->acct.settings->throughput, UACCE_LEVEL_MAX);
}

static const char * const doorbells_names[] = {
	[UACCE_NL_DOORBELLS_ISOLATED] = "isolated",
	[UACCE_NL_DOORBELLS_KERNEL] = "kernel",
	[UACCE_NL_DOORBELLS_EXCLUSIVE] = "exclusive",
	[UACCE_NL_DOORBELLS_MAPPED] = "mapped",
};

static ssize_t device_doorbells_show(struct config_item *item, char *page)
{
	enum uacce_nl_doorbells mode;

	mutex_lock(&uacce_prov);
	mode = uacce_doorbells(to_device(item));
	mutex_unlock(&uacce_prov);
	return sprintf(page, "%s\n", doorbells_names[mode]);
}

static ssize_t device_doorbells_store(struct config_item *item, const char *page, size_t len)
{
	struct uacce_device *uacce = to_device(item);
	int mode = __sysfs_match_string(doorbells_names, ARRAY_SIZE(doorbells_names), page), ret;

	if (mode < 0) {
		dev_notice(&uacce->dev, "doorbells: \"%.*s\": expected kernel, exclusive or mapped\n",
			   (int)strcspn(page, "\n"), page);
		return mode;
	}
	mutex_lock(&uacce_prov);
	ret = uacce_doorbells_set(uacce, mode);
	if (!ret) {
		device_changed(uacce);
		/* Those that have waited for an exclusive device. */
		uacce_claims_retry(uacce);
	}
	mutex_unlock(&uacce_prov);
	return ret ? ret : len;
}

static const char * const memory_names[] = {
	[UACCE_MEMORY_AUTO] = "auto",
	[UACCE_MEMORY_SVA] = "sva",
	[UACCE_MEMORY_MEDIATED] = "mediated",
};

static ssize_t device_memory_show(struct config_item *item, char *page)
{
	return sprintf(page, "%s\n", memory_names[READ_ONCE(to_device(item)->acct.settings->memory)]);
}

static ssize_t device_memory_store(struct config_item *item, const char *page, size_t len)
{
	struct uacce_device *uacce = to_device(item);
	int memory = __sysfs_match_string(memory_names, ARRAY_SIZE(memory_names), page);

	if (memory < 0) {
		dev_notice(&uacce->dev, "memory: \"%.*s\": expected auto, sva or mediated\n",
			   (int)strcspn(page, "\n"), page);
		return memory;
	}
	if (memory == UACCE_MEMORY_MEDIATED && !uacce->can_mediate) {
		dev_notice(&uacce->dev, "memory: its driver can't execute submissions: expected auto or sva\n");
		return -EOPNOTSUPP;
	}
	mutex_lock(&uacce_prov);
	WRITE_ONCE(uacce->acct.settings->memory, memory);
	device_changed(uacce);
	mutex_unlock(&uacce_prov);
	return len;
}

CONFIGFS_ATTR(device_, priority);
CONFIGFS_ATTR(device_, doorbells);
CONFIGFS_ATTR(device_, memory);
CONFIGFS_ATTR(device_, zone_id);
CONFIGFS_ATTR(device_, max_ctxs_per_process);
CONFIGFS_ATTR(device_, latency);
CONFIGFS_ATTR(device_, throughput);
CONFIGFS_ATTR_RO(device_, total_ctxs);
CONFIGFS_ATTR_RO(device_, reserved_ctxs);
CONFIGFS_ATTR_RO(device_, used_ctxs);
CONFIGFS_ATTR_RO(device_, free_ctxs);
CONFIGFS_ATTR_RO(device_, quarantined_ctxs);

static struct configfs_attribute *device_attrs[] = {
	&device_attr_priority,
	&device_attr_zone_id,
	&device_attr_max_ctxs_per_process,
	&device_attr_latency,
	&device_attr_throughput,
	&device_attr_doorbells,
	&device_attr_memory,
	&device_attr_total_ctxs,
	&device_attr_reserved_ctxs,
	&device_attr_used_ctxs,
	&device_attr_free_ctxs,
	&device_attr_quarantined_ctxs,
	NULL,
};

static void device_item_release(struct config_item *item)
{
	struct uacce_device_item *d = container_of(to_config_group(item), struct uacce_device_item, group);

	put_device(&d->uacce->dev);
	kfree(d);
}

static struct configfs_item_operations device_item_ops = {
	.release = device_item_release,
};

static const struct config_item_type device_type = {
	.ct_item_ops = &device_item_ops,
	.ct_attrs = device_attrs,
	.ct_owner = THIS_MODULE,
};

static const struct config_item_type devices_type = {
	.ct_owner = THIS_MODULE,
};

static struct config_group devices_group;

struct config_group *uacce_configfs_devices(void)
{
	config_group_init_type_name(&devices_group, "devices", &devices_type);
	return &devices_group;
}

int uacce_configfs_add_device(struct uacce_device *uacce)
{
	struct uacce_device_item *d = kzalloc(sizeof(*d), GFP_KERNEL);
	int ret;

	if (!d)
		return -ENOMEM;
	get_device(&uacce->dev);
	d->uacce = uacce;
	config_group_init_type_name(&d->group, dev_name(&uacce->dev), &device_type);
	/* config_group_init_type_name() doesn't report that it had no memory for a long name. */
	ret = d->group.cg_item.ci_name ? configfs_register_group(&devices_group, &d->group) : -ENOMEM;
	if (ret) {
		config_group_put(&d->group);
		return ret;
	}
	uacce->acct.item = d;
	return 0;
}

void uacce_configfs_del_device(struct uacce_device *uacce)
{
	struct uacce_device_item *d = uacce->acct.item;

	if (!d)
		return;
	uacce->acct.item = NULL;
	configfs_unregister_group(&d->group);
	config_group_put(&d->group);
}
