// SPDX-License-Identifier: GPL-2.0-or-later
/* /sys/kernel/config/hisi_sim: mkdir creates a device, writes shape it, "live" commits it. */
/*
 * Lock		protects			taken under
 * item->lock	shape, sdev			configfs' lock of an open attribute, also of faults/
 * made_lock	made				nothing
 *
 * item->lock is held while a device is added or removed; mkdir and rmdir take neither lock.
 */
#include <linux/err.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "item.h"

#define LATENCY_MAX_NS		(60ull * NSEC_PER_SEC)
#define BANDWIDTH_MAX_MBPS	1000000u

static LIST_HEAD(made);
static DEFINE_MUTEX(made_lock);
static struct configfs_subsystem subsystem;

static struct sim_item *to_sim_item(struct config_item *item)
{
	return container_of(to_config_group(item), struct sim_item, group);
}

/* Stores a shape attribute that the caller has parsed, unless the device is live. */
#define STORE_SHAPE(item, field, val) ({			\
	int err_ = 0;						\
	mutex_lock(&(item)->lock);				\
	if ((item)->sdev)					\
		err_ = -EBUSY;					\
	else							\
		(item)->shape.field = (val);			\
	mutex_unlock(&(item)->lock);				\
	err_;							\
})

#define SHOW_SHAPE(item, page, fmt, field) ({			\
	ssize_t len_;						\
	mutex_lock(&(item)->lock);				\
	len_ = sysfs_emit(page, fmt "\n", (item)->shape.field);	\
	mutex_unlock(&(item)->lock);				\
	len_;							\
})

static ssize_t sim_item_type_show(struct config_item *ci, char *page)
{
	return SHOW_SHAPE(to_sim_item(ci), page, "%s", type->name);
}

static ssize_t sim_item_type_store(struct config_item *ci, const char *page, size_t len)
{
	struct sim_item *item = to_sim_item(ci);
	const struct sim_type *type = sim_type_find(page);
	int err;

	if (!type)
		return -EINVAL;
	err = STORE_SHAPE(item, type, type);
	return err ?: len;
}
CONFIGFS_ATTR(sim_item_, type);

static ssize_t sim_item_node_show(struct config_item *ci, char *page)
{
	return SHOW_SHAPE(to_sim_item(ci), page, "%d", node);
}

static ssize_t sim_item_node_store(struct config_item *ci, const char *page, size_t len)
{
	struct sim_item *item = to_sim_item(ci);
	int node, err;

	err = kstrtoint(page, 10, &node);
	if (err)
		return err;
	if (node != NUMA_NO_NODE && (node < 0 || node >= MAX_NUMNODES || !node_online(node)))
		return -EINVAL;
	err = STORE_SHAPE(item, node, node);
	return err ?: len;
}
CONFIGFS_ATTR(sim_item_, node);

static int number_parse(const char *page, unsigned int least, unsigned int most, unsigned int *number)
{
	int err = kstrtouint(page, 10, number);

	if (err)
		return err;
	return *number < least || *number > most ? -EINVAL : 0;
}

/* An attribute of that name, for a number of the device's shape. */
#define SHAPE_NUMBER(name, least, most)							\
static ssize_t sim_item_##name##_show(struct config_item *ci, char *page)		\
{											\
	return SHOW_SHAPE(to_sim_item(ci), page, "%u", name);				\
}											\
											\
static ssize_t sim_item_##name##_store(struct config_item *ci, const char *page, size_t len)	\
{											\
	struct sim_item *item = to_sim_item(ci);					\
	unsigned int number;								\
	int err;									\
											\
	err = number_parse(page, least, most, &number);					\
	if (!err)									\
		err = STORE_SHAPE(item, name, number);					\
	return err ?: len;								\
}											\
CONFIGFS_ATTR(sim_item_, name)

SHAPE_NUMBER(generation, SIM_GENERATION_MIN, SIM_GENERATION_MAX);
SHAPE_NUMBER(queues, SIM_QUEUES_MIN, SIM_QUEUES_MAX);
SHAPE_NUMBER(vfs, 0, SIM_VFS_MAX);
SHAPE_NUMBER(function_queues, 0, SIM_QUEUES_MAX);
SHAPE_NUMBER(bridge, 0, 1);
SHAPE_NUMBER(iommu, 0, 1);
SHAPE_NUMBER(vf_migration, 0, 1);
SHAPE_NUMBER(sub_version, 0, U8_MAX);
SHAPE_NUMBER(message_vector, 2, 3);

/* Only a kernel in which devices may have operations of their own maps memory for a device without SVA. */
static int sva_check(struct sim_item *item, unsigned int sva)
{
	if (sva || sim_dma_ops_work())
		return 0;
	pr_err("hisi_sim: %s: sva 0: the kernel was built without CONFIG_ARCH_HAS_DMA_OPS (before 6.12: DMA_OPS)\n",
	       config_item_name(&item->group.cg_item));
	return -EOPNOTSUPP;
}

static ssize_t sim_item_sva_show(struct config_item *ci, char *page)
{
	return SHOW_SHAPE(to_sim_item(ci), page, "%u", sva);
}

static ssize_t sim_item_sva_store(struct config_item *ci, const char *page, size_t len)
{
	struct sim_item *item = to_sim_item(ci);
	unsigned int sva;
	int err;

	err = number_parse(page, 0, 1, &sva) ?: sva_check(item, sva);
	if (!err)
		err = STORE_SHAPE(item, sva, sva);
	return err ?: len;
}
CONFIGFS_ATTR(sim_item_, sva);

static ssize_t sim_item_mappings_show(struct config_item *ci, char *page)
{
	struct sim_item *item = to_sim_item(ci);
	static const struct sim_maps none;
	const struct sim_maps *maps;
	ssize_t len;

	mutex_lock(&item->lock);
	maps = item->sdev ? &item->sdev->maps : &none;
	len = sysfs_emit(page, "present %lld\nmade %lld\nsegments %lld\nfailed %lld\nfaults %lld\n",
			 atomic64_read(&maps->present), atomic64_read(&maps->made), atomic64_read(&maps->segments),
			 atomic64_read(&maps->failed), atomic64_read(&maps->faults));
	mutex_unlock(&item->lock);
	return len;
}
CONFIGFS_ATTR_RO(sim_item_, mappings);

static const char *const reset_methods[] = {
	[SIM_RESET_AUTO] = "auto",
	[SIM_RESET_ACPI] = "acpi",
	[SIM_RESET_NONE] = "none",
};

static ssize_t sim_item_reset_method_show(struct config_item *ci, char *page)
{
	struct sim_item *item = to_sim_item(ci);
	enum sim_reset_method method;

	mutex_lock(&item->lock);
	method = item->shape.reset_method;
	mutex_unlock(&item->lock);
	return sysfs_emit(page, "%s\n", reset_methods[method]);
}

static ssize_t sim_item_reset_method_store(struct config_item *ci, const char *page, size_t len)
{
	struct sim_item *item = to_sim_item(ci);
	int method = sysfs_match_string(reset_methods, page);
	int err;

	if (method < 0)
		return method;
	err = STORE_SHAPE(item, reset_method, method);
	return err ?: len;
}
CONFIGFS_ATTR(sim_item_, reset_method);

static void apply_pace(struct sim_item *item)
{
	lockdep_assert_held(&item->lock);
	if (item->sdev)
		sim_worker_set_pace(item->sdev, item->shape.latency_ns, item->shape.bandwidth_mbps);
}

static ssize_t sim_item_latency_ns_show(struct config_item *ci, char *page)
{
	return SHOW_SHAPE(to_sim_item(ci), page, "%llu", latency_ns);
}

static ssize_t sim_item_latency_ns_store(struct config_item *ci, const char *page, size_t len)
{
	struct sim_item *item = to_sim_item(ci);
	u64 latency;
	int err;

	err = kstrtou64(page, 10, &latency);
	if (err)
		return err;
	if (latency > LATENCY_MAX_NS)
		return -EINVAL;
	mutex_lock(&item->lock);
	item->shape.latency_ns = latency;
	apply_pace(item);
	mutex_unlock(&item->lock);
	return len;
}
CONFIGFS_ATTR(sim_item_, latency_ns);

static ssize_t sim_item_bandwidth_mbps_show(struct config_item *ci, char *page)
{
	return SHOW_SHAPE(to_sim_item(ci), page, "%u", bandwidth_mbps);
}

static ssize_t sim_item_bandwidth_mbps_store(struct config_item *ci, const char *page, size_t len)
{
	struct sim_item *item = to_sim_item(ci);
	u32 bandwidth;
	int err;

	err = kstrtou32(page, 10, &bandwidth);
	if (err)
		return err;
	if (bandwidth > BANDWIDTH_MAX_MBPS)
		return -EINVAL;
	mutex_lock(&item->lock);
	item->shape.bandwidth_mbps = bandwidth;
	apply_pace(item);
	mutex_unlock(&item->lock);
	return len;
}
CONFIGFS_ATTR(sim_item_, bandwidth_mbps);

static ssize_t sim_item_address_show(struct config_item *ci, char *page)
{
	struct sim_item *item = to_sim_item(ci);
	ssize_t len = 0;

	mutex_lock(&item->lock);
	if (item->sdev)
		len = sysfs_emit(page, "%04x:%02x:00.0\n", sim_bus_domain(), sim_bus_number(item->sdev));
	mutex_unlock(&item->lock);
	return len;
}
CONFIGFS_ATTR_RO(sim_item_, address);

/* Attributes that are valid alone may not fit each other. */
static int shape_check(struct sim_item *item)
{
	const struct sim_shape *shape = &item->shape;
	const char *name = config_item_name(&item->group.cg_item);

	/* The parameter's devices come here without a write to the attribute. */
	if (sva_check(item, shape->sva))
		return -EOPNOTSUPP;
	if (shape->generation == 2)
		return 0;
	if (shape->vfs >= shape->queues) {
		pr_err("hisi_sim: %s: %u queues are too few for %u functions\n", name, shape->queues, 1 + shape->vfs);
		return -EINVAL;
	}
	if (shape->function_queues > shape->queues) {
		pr_err("hisi_sim: %s: function_queues %u is more than the device's %u queues\n", name,
		       shape->function_queues, shape->queues);
		return -EINVAL;
	}
	return 0;
}

static int go_live(struct sim_item *item)
{
	struct sim_dev *sdev;
	int err;

	lockdep_assert_held(&item->lock);
	err = shape_check(item) ?: sim_faults_check(item);
	if (err)
		return err;
	/* The rmdir callback can't refuse, so the dependency does. */
	if (!item->by_parameter) {
		err = configfs_depend_item_unlocked(&subsystem, &item->group.cg_item);
		if (err)
			return err;
	}
	sdev = sim_device_add(config_item_name(&item->group.cg_item), &item->shape);
	if (IS_ERR(sdev)) {
		if (!item->by_parameter)
			configfs_undepend_item(&item->group.cg_item);
		return PTR_ERR(sdev);
	}
	item->sdev = sdev;
	return 0;
}

void sim_item_go_away(struct sim_item *item, bool surprise)
{
	lockdep_assert_held(&item->lock);
	sim_faults_keep(item);
	sim_device_remove(item->sdev, surprise);
	item->sdev = NULL;
	if (!item->by_parameter)
		configfs_undepend_item(&item->group.cg_item);
}

static void item_pull_out(struct work_struct *work)
{
	struct sim_item *item = container_of(work, struct sim_item, pull_out);

	mutex_lock(&item->lock);
	/* Not another device that has become live meanwhile. */
	if (item->sdev && READ_ONCE(item->sdev->pulled_out))
		sim_item_go_away(item, true);
	mutex_unlock(&item->lock);
}

static ssize_t sim_item_live_show(struct config_item *ci, char *page)
{
	struct sim_item *item = to_sim_item(ci);
	bool live;

	mutex_lock(&item->lock);
	live = item->sdev;
	mutex_unlock(&item->lock);
	return sysfs_emit(page, "%d\n", live);
}

static ssize_t sim_item_live_store(struct config_item *ci, const char *page, size_t len)
{
	struct sim_item *item = to_sim_item(ci);
	unsigned int live;
	int err;

	err = kstrtouint(page, 10, &live);
	if (err)
		return err;
	if (live > 1)
		return -EINVAL;
	mutex_lock(&item->lock);
	if (live && !item->sdev)
		err = go_live(item);
	else if (!live && item->sdev)
		sim_item_go_away(item, false);
	mutex_unlock(&item->lock);
	return err ?: len;
}
CONFIGFS_ATTR(sim_item_, live);

static struct configfs_attribute *sim_item_attrs[] = {
	&sim_item_attr_type,
	&sim_item_attr_generation,
	&sim_item_attr_node,
	&sim_item_attr_queues,
	&sim_item_attr_vfs,
	&sim_item_attr_function_queues,
	&sim_item_attr_vf_migration,
	&sim_item_attr_sub_version,
	&sim_item_attr_message_vector,
	&sim_item_attr_reset_method,
	&sim_item_attr_bridge,
	&sim_item_attr_sva,
	&sim_item_attr_iommu,
	&sim_item_attr_latency_ns,
	&sim_item_attr_bandwidth_mbps,
	&sim_item_attr_live,
	&sim_item_attr_address,
	&sim_item_attr_mappings,
	NULL,
};

static void item_free(struct config_item *ci)
{
	struct sim_item *item = to_sim_item(ci);

	cancel_work_sync(&item->pull_out);
	mutex_destroy(&item->lock);
	kfree(item);
}

static struct configfs_item_operations item_ops = {
	.release = item_free,
};

static const struct config_item_type item_type = {
	.ct_item_ops = &item_ops,
	.ct_attrs = sim_item_attrs,
	.ct_owner = THIS_MODULE,
};

static struct sim_item *item_alloc(const char *name, const struct sim_shape *shape)
{
	struct sim_item *item = kzalloc(sizeof(*item), GFP_KERNEL);

	if (!item)
		return NULL;
	mutex_init(&item->lock);
	INIT_WORK(&item->pull_out, item_pull_out);
	item->shape = *shape;
	item->shape.pull_out = &item->pull_out;
	config_group_init_type_name(&item->group, name, &item_type);
	/* config_group_init_type_name() doesn't report that it had no memory for a name of 20 bytes or more. */
	if (!item->group.cg_item.ci_name) {
		mutex_destroy(&item->lock);
		kfree(item);
		return NULL;
	}
	sim_faults_init(item);
	return item;
}

static struct config_group *make_item(struct config_group *parent, const char *name)
{
	struct sim_shape shape = sim_shape_default();
	struct sim_item *item = item_alloc(name, &shape);

	return item ? &item->group : ERR_PTR(-ENOMEM);
}

static struct configfs_group_operations group_ops = {
	.make_group = make_item,
};

static const struct config_item_type group_type = {
	.ct_group_ops = &group_ops,
	.ct_owner = THIS_MODULE,
};

/* Adds a live device whose directory the kernel owns; its files work like the others'. */
int sim_configfs_add(const char *name, const struct sim_shape *shape)
{
	struct sim_item *item = item_alloc(name, shape);
	int err;

	if (!item)
		return -ENOMEM;
	item->by_parameter = true;
	mutex_lock(&item->lock);
	err = go_live(item);
	mutex_unlock(&item->lock);
	if (err)
		goto err_put_item;
	err = configfs_register_group(&subsystem.su_group, &item->group);
	if (err)
		goto err_go_away;
	mutex_lock(&made_lock);
	list_add(&item->made, &made);
	mutex_unlock(&made_lock);
	return 0;

err_go_away:
	mutex_lock(&item->lock);
	sim_item_go_away(item, false);
	mutex_unlock(&item->lock);
err_put_item:
	config_group_put(&item->group);
	return err;
}

int sim_configfs_init(void)
{
	config_group_init_type_name(&subsystem.su_group, "hisi_sim", &group_type);
	mutex_init(&subsystem.su_mutex);
	return configfs_register_subsystem(&subsystem);
}

void sim_configfs_exit(void)
{
	struct sim_item *item, *next;

	list_for_each_entry_safe(item, next, &made, made) {
		configfs_unregister_group(&item->group);
		mutex_lock(&item->lock);
		if (item->sdev)
			sim_item_go_away(item, false);
		mutex_unlock(&item->lock);
		list_del(&item->made);
		config_group_put(&item->group);
	}
	configfs_unregister_subsystem(&subsystem);
	mutex_destroy(&subsystem.su_mutex);
}
