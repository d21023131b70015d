// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sections/<name>/: the shape of a section, and its state, changed by writes to "live".
 *
 * A store parses into a local, then takes uacce_prov, checks and assigns.
 */
#include <linux/configfs.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "provision.h"

/* The attributes that shape the section can't change while it is live or draining. */
static int shape_lock(struct uacce_section *section)
{
	mutex_lock(&uacce_prov);
	if (section->state == UACCE_NL_SECTION_CONFIGURED)
		return 0;
	mutex_unlock(&uacce_prov);
	return -EBUSY;
}

static ssize_t section_changed(struct uacce_section *section, size_t len)
{
	uacce_event_section(UACCE_NL_SECTION_CHANGE, section);
	mutex_unlock(&uacce_prov);
	return len;
}

#define SECTION_SHOW(name, field)							\
static ssize_t section_##name##_show(struct config_item *item, char *page)		\
{											\
	return sprintf(page, "%u\n", READ_ONCE(to_uacce_section(item)->field));		\
}

SECTION_SHOW(num_processes, num_processes)
SECTION_SHOW(limit_dev_access, limit_dev_access)
SECTION_SHOW(sync_ctxs, sync)
SECTION_SHOW(async_ctxs, async)
SECTION_SHOW(queue_priority, queue_priority)
SECTION_SHOW(max_extra_ctxs, max_extra)
SECTION_SHOW(bandwidth, bandwidth)
SECTION_SHOW(max_pinned, max_pinned)

#define SECTION_STORE_SHAPE(name, field, max)						\
static ssize_t section_##name##_store(struct config_item *item, const char *page, size_t len) \
{											\
	struct uacce_section *section = to_uacce_section(item);				\
	u32 n;										\
	int ret = uacce_parse_u32(page, len, 0, max, &n);				\
											\
	if (!ret)									\
		ret = shape_lock(section);						\
	if (ret)									\
		return ret;								\
	WRITE_ONCE(section->field, n);							\
	return section_changed(section, len);						\
}

SECTION_STORE_SHAPE(limit_dev_access, limit_dev_access, 1)
SECTION_STORE_SHAPE(sync_ctxs, sync, UACCE_CTXS_MAX)
SECTION_STORE_SHAPE(async_ctxs, async, UACCE_CTXS_MAX)
SECTION_STORE_SHAPE(bandwidth, bandwidth, UACCE_BANDWIDTH_MAX)

/* These may change at any time. */
#define SECTION_STORE_ANY(name, field, max)						\
static ssize_t section_##name##_store(struct config_item *item, const char *page, size_t len) \
{											\
	struct uacce_section *section = to_uacce_section(item);				\
	u32 n;										\
	int ret = uacce_parse_u32(page, len, 0, max, &n);				\
											\
	if (ret)									\
		return ret;								\
	mutex_lock(&uacce_prov);							\
	WRITE_ONCE(section->field, n);							\
	return section_changed(section, len);						\
}

SECTION_STORE_ANY(queue_priority, queue_priority, UACCE_QUEUE_PRIORITY_MAX)
SECTION_STORE_ANY(max_extra_ctxs, max_extra, U32_MAX)
SECTION_STORE_ANY(max_pinned, max_pinned, UACCE_MAX_PINNED_MAX)

static ssize_t section_num_processes_store(struct config_item *item, const char *page, size_t len)
{
	u32 n;
	int ret = uacce_parse_u32(page, len, 1, UACCE_NUM_PROCESSES_MAX, &n);

	if (ret)
		return ret;
	ret = uacce_section_resize(to_uacce_section(item), n);
	return ret ? ret : len;
}

#define SECTION_SHOW_LIST(name, field, print)						\
static ssize_t section_##name##_show(struct config_item *item, char *page)		\
{											\
	ssize_t n;									\
											\
	mutex_lock(&uacce_prov);							\
	n = print(to_uacce_section(item)->field, page, PAGE_SIZE);			\
	mutex_unlock(&uacce_prov);							\
	return n;									\
}

SECTION_SHOW_LIST(nodes, nodes, uacce_print_nodes)
SECTION_SHOW_LIST(devices, devices, uacce_print_names)
SECTION_SHOW_LIST(allowed_uids, uids, uacce_print_ranges)
SECTION_SHOW_LIST(allowed_gids, gids, uacce_print_ranges)

static ssize_t section_nodes_store(struct config_item *item, const char *page, size_t len)
{
	struct uacce_section *section = to_uacce_section(item);
	struct uacce_nodes *nodes;
	int ret = uacce_parse_nodes(page, len, &nodes);

	if (ret)
		return ret;
	ret = shape_lock(section);
	if (ret) {
		kfree(nodes);
		return ret;
	}
	swap(section->nodes, nodes);
	kfree(nodes);
	return section_changed(section, len);
}

static ssize_t section_devices_store(struct config_item *item, const char *page, size_t len)
{
	struct uacce_section *section = to_uacce_section(item);
	struct uacce_names *names;
	int ret = uacce_parse_names(page, len, &names);

	if (ret)
		return ret;
	ret = shape_lock(section);
	if (ret) {
		uacce_names_free(names);
		return ret;
	}
	swap(section->devices, names);
	uacce_names_free(names);
	return section_changed(section, len);
}

static ssize_t store_ranges(struct uacce_section *section, struct uacce_ranges **field, const char *page, size_t len)
{
	struct uacce_ranges *ranges;
	int ret = uacce_parse_ranges(page, len, &ranges);

	if (ret)
		return ret;
	mutex_lock(&uacce_prov);
	swap(*field, ranges);
	kfree(ranges);
	return section_changed(section, len);
}

static ssize_t section_allowed_uids_store(struct config_item *item, const char *page, size_t len)
{
	struct uacce_section *section = to_uacce_section(item);

	return store_ranges(section, &section->uids, page, len);
}

static ssize_t section_allowed_gids_store(struct config_item *item, const char *page, size_t len)
{
	struct uacce_section *section = to_uacce_section(item);

	return store_ranges(section, &section->gids, page, len);
}

/* ------ live and status ------ */

static const char *const state_names[] = {
	[UACCE_NL_SECTION_CONFIGURED] = "configured",
	[UACCE_NL_SECTION_LIVE] = "live",
	[UACCE_NL_SECTION_DRAINING] = "draining",
};

static ssize_t section_live_show(struct config_item *item, char *page)
{
	return sprintf(page, "%d\n", READ_ONCE(to_uacce_section(item)->state) == UACCE_NL_SECTION_LIVE);
}

static ssize_t section_status_show(struct config_item *item, char *page)
{
	struct uacce_section *section = to_uacce_section(item);
	ssize_t n;

	mutex_lock(&uacce_prov);
	n = sprintf(page, "%s\n", state_names[section->state]);
	if (section->reason[0])
		n += sprintf(page + n, "%s\n", section->reason);
	mutex_unlock(&uacce_prov);
	return n;
}

static void section_reason(struct uacce_section *section, const char *why)
{
	mutex_lock(&uacce_prov);
	uacce_section_refused(section, "%s", why);
	mutex_unlock(&uacce_prov);
}

/* The directory is pinned until the section is configured again; section.c drops the reference. */
static int go_live(struct uacce_section *section)
{
	int ret = configfs_depend_item_unlocked(section->group.cg_subsys, &section->group.cg_item);

	if (ret) {
		section_reason(section, "its directory is being removed");
		return ret;
	}
	ret = uacce_section_live(section);
	if (ret != 1)
		configfs_undepend_item(&section->group.cg_item);
	return min(ret, 0);
}

static int go_down(struct uacce_section *section)
{
	int ret;

	mutex_lock(&uacce_prov);
	ret = uacce_section_drain(section);
	mutex_unlock(&uacce_prov);
	return ret;
}

static ssize_t section_live_store(struct config_item *item, const char *page, size_t len)
{
	struct uacce_section *section = to_uacce_section(item);
	bool is_long = len > UACCE_VALUE_MAX;
	int ret = is_long ? -E2BIG : -EINVAL;

	section_reason(section, "");
	if (!is_long && sysfs_streq(page, "1"))
		ret = go_live(section);
	else if (!is_long && sysfs_streq(page, "0"))
		ret = go_down(section);
	else if (!is_long && sysfs_streq(page, "revoke"))
		ret = uacce_section_revoke(section);
	else
		section_reason(section, "live takes 1, 0 or revoke");
	return ret ? ret : len;
}

CONFIGFS_ATTR(section_, num_processes);
CONFIGFS_ATTR(section_, limit_dev_access);
CONFIGFS_ATTR(section_, sync_ctxs);
CONFIGFS_ATTR(section_, async_ctxs);
CONFIGFS_ATTR(section_, nodes);
CONFIGFS_ATTR(section_, devices);
CONFIGFS_ATTR(section_, queue_priority);
CONFIGFS_ATTR(section_, max_extra_ctxs);
CONFIGFS_ATTR(section_, bandwidth);
CONFIGFS_ATTR(section_, max_pinned);
CONFIGFS_ATTR(section_, allowed_uids);
CONFIGFS_ATTR(section_, allowed_gids);
CONFIGFS_ATTR(section_, live);
CONFIGFS_ATTR_RO(section_, status);

static struct configfs_attribute *section_attrs[] = {
	&section_attr_num_processes,
	&section_attr_limit_dev_access,
	&section_attr_sync_ctxs,
	&section_attr_async_ctxs,
	&section_attr_nodes,
	&section_attr_devices,
	&section_attr_queue_priority,
	&section_attr_max_extra_ctxs,
	&section_attr_bandwidth,
	&section_attr_max_pinned,
	&section_attr_allowed_uids,
	&section_attr_allowed_gids,
	&section_attr_live,
	&section_attr_status,
	NULL,
};

static void section_release(struct config_item *item)
{
	uacce_section_free(to_uacce_section(item));
}

static struct configfs_item_operations section_item_ops = {
	.release = section_release,
};

static const struct config_item_type section_type = {
	.ct_item_ops = &section_item_ops,
	.ct_attrs = section_attrs,
	.ct_owner = THIS_MODULE,
};

/* ------ mkdir and rmdir ------ */

static bool name_is_valid(const char *name)
{
	for (; *name; name++)
		if (!isascii(*name) || !(isalnum(*name) || *name == '_' || *name == '-'))
			return false;
	return true;
}

static struct config_group *sections_make(struct config_group *group, const char *name)
{
	struct uacce_section *section;

	if (strlen(name) > UACCE_SECTION_NAME_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	if (!name_is_valid(name))
		return ERR_PTR(-EINVAL);
	section = uacce_section_new();
	if (IS_ERR(section))
		return ERR_CAST(section);
	config_group_init_type_name(&section->group, name, &section_type);
	/* config_group_init_type_name() doesn't report that it had no memory for a name of 20 bytes or more. */
	if (!section->group.cg_item.ci_name) {
		uacce_section_free(section);
		return ERR_PTR(-ENOMEM);
	}
	mutex_lock(&uacce_prov);
	list_add_tail(&section->all, &uacce_sections);
	uacce_prov_generation++;
	uacce_event_section(UACCE_NL_SECTION_ADD, section);
	mutex_unlock(&uacce_prov);
	return &section->group;
}

/* The section is configured: otherwise its directory would be pinned. */
static void sections_drop(struct config_group *group, struct config_item *item)
{
	struct uacce_section *section = to_uacce_section(item);

	mutex_lock(&uacce_prov);
	list_del(&section->all);
	uacce_prov_generation++;
	uacce_event_section(UACCE_NL_SECTION_DEL, section);
	mutex_unlock(&uacce_prov);
	config_item_put(item);
}

static struct configfs_group_operations sections_ops = {
	.make_group = sections_make,
	.drop_item = sections_drop,
};

const struct config_item_type uacce_sections_type = {
	.ct_group_ops = &sections_ops,
	.ct_owner = THIS_MODULE,
};
