// SPDX-License-Identifier: GPL-2.0-or-later
/* Module entry: initialises the global parts, in order of dependency. */
#include <linux/module.h>
#include "provision.h"

static int __init uacce_provision_init(void)
{
	int ret = uacce_ledger_init();

	if (ret)
		return ret;
	uacce_account_init();
	uacce_event_init(&uacce_genl_family);
	ret = uacce_attach_init();
	if (ret)
		goto err_account_exit;
	ret = uacce_configfs_init();
	if (ret)
		goto err_attach_exit;
	ret = uacce_netlink_init();
	if (ret)
		goto err_configfs_exit;
	return 0;

err_configfs_exit:
	uacce_configfs_exit();
err_attach_exit:
	uacce_attach_exit();
err_account_exit:
	uacce_event_exit();
	uacce_account_exit();
	uacce_ledger_exit();
	return ret;
}

static void uacce_provision_exit(void)
{
	uacce_netlink_exit();
	uacce_configfs_exit();
	uacce_attach_exit();
	uacce_event_exit();
	uacce_account_exit();
	uacce_ledger_exit();
}

static int __init uacce_init(void)
{
	int ret = uacce_class_init();

	if (ret)
		return ret;
	ret = uacce_provision_init();
	if (ret)
		goto err_class_exit;
	ret = uacce_class_open(&uacce_fops);
	if (ret)
		goto err_provision_exit;
	return 0;

err_provision_exit:
	uacce_provision_exit();
err_class_exit:
	uacce_class_exit();
	return ret;
}

static void __exit uacce_exit(void)
{
	uacce_class_close();
	uacce_provision_exit();
	uacce_class_exit();
}

module_init(uacce_init);
module_exit(uacce_exit);

MODULE_DESCRIPTION("User-space accelerator framework");
MODULE_LICENSE("GPL");
MODULE_VERSION(WD_VERSION);
