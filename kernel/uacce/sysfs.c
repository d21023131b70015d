// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sysfs attributes of a device, and a group for each of its algorithms.
 *
 * device_del() removes them and waits for readers before uacce_remove() frees anything that
 * they show, so they take no lock.
 */
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include "provision.h"

#define UACCE_ISOLATE_STRATEGY_MAX	65535
#define UACCE_FLAGS_SHOWN		UACCE_DEV_SVA


/* The group "<driver>-<algorithm>". Only the name differs between groups. */
struct uacce_alg {
	char *name;			/* a whole line of "algorithms" */
	u32 capa;
	u32 latency;
	u32 throughput;
	struct dev_ext_attribute name_attr;
	struct dev_ext_attribute latency_attr;
	struct dev_ext_attribute throughput_attr;
	struct dev_ext_attribute flags_attr;
	struct attribute *attrs[8];
	struct attribute_group group;
};

static ssize_t api_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", to_uacce_device(dev)->api);
}
static DEVICE_ATTR_RO(api);

static ssize_t flags_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", to_uacce_device(dev)->flags & UACCE_FLAGS_SHOWN);
}
static DEVICE_ATTR_RO(flags);

static ssize_t available_instances_show(struct device *dev, struct device_attribute *attr,
					char *buf)
{
	struct uacce_device *uacce = to_uacce_device(dev);

	return sysfs_emit(buf, "%u\n", uacce_account_left(uacce));
}
static DEVICE_ATTR_RO(available_instances);

static ssize_t algorithms_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", to_uacce_device(dev)->algorithms);
}
static DEVICE_ATTR_RO(algorithms);

static ssize_t region_mmio_size_show(struct device *dev, struct device_attribute *attr,
				     char *buf)
{
	return sysfs_emit(buf, "%zu\n", to_uacce_device(dev)->mmio_size);
}
static DEVICE_ATTR_RO(region_mmio_size);

static ssize_t region_dus_size_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%zu\n", to_uacce_device(dev)->dus_size);
}
static DEVICE_ATTR_RO(region_dus_size);

static ssize_t isolate_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct uacce_device *uacce = to_uacce_device(dev);

	return sysfs_emit(buf, "%d\n", uacce->ops->get_isolate_state(uacce));
}
static DEVICE_ATTR_RO(isolate);

static ssize_t isolate_strategy_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct uacce_device *uacce = to_uacce_device(dev);

	if (!uacce->ops->isolate_threshold_read)
		return -ENOENT;
	return sysfs_emit(buf, "%u\n", uacce->ops->isolate_threshold_read(uacce));
}

static ssize_t isolate_strategy_store(struct device *dev, struct device_attribute *attr,
				      const char *buf, size_t count)
{
	struct uacce_device *uacce = to_uacce_device(dev);
	unsigned long value;
	int ret;

	if (!uacce->ops->isolate_threshold_write)
		return -ENOENT;
	if (kstrtoul(buf, 0, &value) || value > UACCE_ISOLATE_STRATEGY_MAX)
		return -EINVAL;
	ret = uacce->ops->isolate_threshold_write(uacce, value);
	return ret ? ret : count;
}
static DEVICE_ATTR_RW(isolate_strategy);

static ssize_t simulated_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", uacce_sva_simulated(to_uacce_device(dev)));
}
static DEVICE_ATTR_RO(simulated);

static ssize_t zone_id_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", uacce_account_zone(to_uacce_device(dev)));
}
static DEVICE_ATTR_RO(zone_id);

static ssize_t priority_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(to_uacce_device(dev)->acct.settings->priority));
}
static DEVICE_ATTR_RO(priority);

static ssize_t iommu_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", uacce_sva_name(to_uacce_device(dev)));
}
static DEVICE_ATTR_RO(iommu);

static struct attribute *uacce_attrs[] = {
	&dev_attr_api.attr,
	&dev_attr_flags.attr,
	&dev_attr_available_instances.attr,
	&dev_attr_algorithms.attr,
	&dev_attr_region_mmio_size.attr,
	&dev_attr_region_dus_size.attr,
	&dev_attr_isolate.attr,
	&dev_attr_isolate_strategy.attr,
	&dev_attr_simulated.attr,
	&dev_attr_zone_id.attr,
	&dev_attr_priority.attr,
	&dev_attr_iommu.attr,
	NULL,
};

static umode_t uacce_attr_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	struct uacce_device *uacce = to_uacce_device(kobj_to_dev(kobj));
	bool shown = true;

	if (attr == &dev_attr_region_mmio_size.attr)
		shown = uacce->mmio_size;
	else if (attr == &dev_attr_region_dus_size.attr)
		shown = uacce->dus_size;
	else if (attr == &dev_attr_isolate.attr)
		shown = uacce->ops->get_isolate_state;
	else if (attr == &dev_attr_isolate_strategy.attr)
		shown = uacce->ops->isolate_threshold_read || uacce->ops->isolate_threshold_write;
	return shown ? attr->mode : 0;
}

static const struct attribute_group uacce_group = {
	.attrs = uacce_attrs,
	.is_visible = uacce_attr_visible,
};

static ssize_t wd_type_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", to_uacce_device(dev)->wd_type);
}
static DEVICE_ATTR_RO(wd_type);

static ssize_t alg_name_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct dev_ext_attribute *ext = container_of(attr, struct dev_ext_attribute, attr);

	return sysfs_emit(buf, "%s\n", (char *)ext->var);
}

static u32 own_value(struct device_attribute *attr)
{
	return *(u32 *)container_of(attr, struct dev_ext_attribute, attr)->var;
}

/*
 * At the default setting, 10, shows the driver's level for the algorithm; any other setting is
 * the administrator's and takes precedence.
 */
static ssize_t level_emit(char *buf, u32 setting, struct device_attribute *attr)
{
	return sysfs_emit(buf, "%u\n", setting == UACCE_LEVEL_AVERAGE ? own_value(attr) : setting);
}

static ssize_t latency_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return level_emit(buf, READ_ONCE(to_uacce_device(dev)->acct.settings->latency), attr);
}

static ssize_t throughput_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return level_emit(buf, READ_ONCE(to_uacce_device(dev)->acct.settings->throughput), attr);
}

static ssize_t alg_flags_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct uacce_device *uacce = to_uacce_device(dev);
	u32 capa = (uacce->capa | own_value(attr)) & ~UACCE_CAPA_SHARE_ALL;

	/* Also a mediated queue takes any address of its process. */
	if (uacce->flags & (UACCE_DEV_SVA | UACCE_DEV_MEDIATED))
		capa |= UACCE_CAPA_SHARE_ALL;
	return sysfs_emit(buf, "0x%08x\n", capa);
}
static struct device_attribute dev_attr_device_api = __ATTR(device_api, 0444, api_show, NULL);

static struct attribute *uacce_alg_attr(struct dev_ext_attribute *ext, const char *name, void *var,
					ssize_t (*show)(struct device *, struct device_attribute *,
							char *))
{
	sysfs_attr_init(&ext->attr.attr);
	ext->attr.attr.name = name;
	ext->attr.attr.mode = 0444;
	ext->attr.show = show;
	ext->var = var;
	return &ext->attr.attr;
}

static void uacce_alg_set_level(struct uacce_alg *alg, const struct uacce_alg_level *level)
{
	alg->latency = UACCE_LEVEL_AVERAGE;
	alg->throughput = UACCE_LEVEL_AVERAGE;
	while (level && level->name && strcmp(level->name, alg->name))
		level++;
	if (!level || !level->name)
		return;
	alg->capa = level->capa;
	alg->latency = level->latency;
	alg->throughput = level->throughput;
}

static int uacce_alg_init(struct uacce_alg *alg, const struct uacce_alg_level *levels,
			  const char *driver, const char *name, size_t len)
{
	struct attribute **attr = alg->attrs;

	alg->name = kstrndup(name, len, GFP_KERNEL);
	if (!alg->name)
		return -ENOMEM;
	uacce_alg_set_level(alg, levels);
	alg->group.name = kasprintf(GFP_KERNEL, "%s-%s", driver, alg->name);
	if (!alg->group.name) {
		kfree(alg->name);
		return -ENOMEM;
	}
	*attr++ = &dev_attr_wd_type.attr;
	*attr++ = uacce_alg_attr(&alg->name_attr, "name", alg->name, alg_name_show);
	*attr++ = uacce_alg_attr(&alg->latency_attr, "latency", &alg->latency, latency_show);
	*attr++ = uacce_alg_attr(&alg->throughput_attr, "throughput", &alg->throughput,
				 throughput_show);
	*attr++ = uacce_alg_attr(&alg->flags_attr, "flags", &alg->capa, alg_flags_show);
	*attr++ = &dev_attr_available_instances.attr;
	*attr++ = &dev_attr_device_api.attr;
	alg->group.attrs = alg->attrs;
	return 0;
}

static void uacce_alg_exit(struct uacce_alg *alg)
{
	kfree(alg->group.name);
	kfree(alg->name);
}

static unsigned int uacce_lines(const char *s)
{
	unsigned int nr = 0;

	for (; *s; s += strcspn(s, "\n"), s += !!*s)
		nr++;
	return nr;
}

/* Groups of the device, present before its node is announced. */
int uacce_sysfs_init(struct uacce_device *uacce, const struct uacce_alg_level *levels)
{
	unsigned int lines = uacce_lines(uacce->algorithms);
	const char *line = uacce->algorithms;
	const struct attribute_group **groups;

	uacce->algs = kcalloc(lines, sizeof(*uacce->algs), GFP_KERNEL);
	groups = kcalloc(lines + 2, sizeof(*groups), GFP_KERNEL);
	uacce->groups = groups;
	if (!uacce->algs || !groups)
		return -ENOMEM;
	*groups++ = &uacce_group;
	for (; *line; line += strcspn(line, "\n"), line += !!*line) {
		struct uacce_alg *alg = &uacce->algs[uacce->algs_nr];

		if (uacce_alg_init(alg, levels, uacce->name, line, strcspn(line, "\n")))
			return -ENOMEM;
		uacce->algs_nr++;
		*groups++ = &alg->group;
	}
	uacce->dev.groups = uacce->groups;
	return 0;
}

/* Called at the last reference; also undoes a uacce_sysfs_init() that failed midway. */
void uacce_sysfs_exit(struct uacce_device *uacce)
{
	while (uacce->algs_nr)
		uacce_alg_exit(&uacce->algs[--uacce->algs_nr]);
	kfree(uacce->groups);
	kfree(uacce->algs);
}
