// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /sys/kernel/config/uacce: what the administrator wants. The kernel fills devices/, mkdir
 * fills sections/. None of our locks is held while the kernel creates or removes a directory.
 */
#include <linux/configfs.h>
#include <linux/module.h>
#include "provision.h"

static struct config_group sections_group;

static const struct config_item_type root_type = {
	.ct_owner = THIS_MODULE,
};

static struct configfs_subsystem uacce_subsys = {
	.su_group = {
		.cg_item = {
			.ci_namebuf = "uacce",
			.ci_type = &root_type,
		},
	},
	.su_mutex = __MUTEX_INITIALIZER(uacce_subsys.su_mutex),
};

int uacce_configfs_init(void)
{
	config_group_init(&uacce_subsys.su_group);
	configfs_add_default_group(uacce_configfs_devices(), &uacce_subsys.su_group);
	config_group_init_type_name(&sections_group, "sections", &uacce_sections_type);
	configfs_add_default_group(&sections_group, &uacce_subsys.su_group);
	return configfs_register_subsystem(&uacce_subsys);
}

void uacce_configfs_exit(void)
{
	configfs_unregister_subsystem(&uacce_subsys);
}
