// SPDX-License-Identifier: GPL-2.0-or-later
/* Module entry: the class, the device numbers, and the inodes behind mappings. */
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/kdev_t.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/pseudo_fs.h>
#include "provision.h"

#define UACCE_FS_MAGIC	0x75616363	/* "uacc" */

struct class uacce_class = {
	.name = "uacce",
};

static DEFINE_IDA(uacce_ids);
static dev_t uacce_first_devt;
static struct vfsmount *uacce_mnt;

/* Ids count over all devices, lowest free first; the id is the minor number. */
int uacce_id_alloc(void)
{
	return ida_alloc_max(&uacce_ids, MINORMASK, GFP_KERNEL);
}

void uacce_id_free(int id)
{
	ida_free(&uacce_ids, id);
}

dev_t uacce_devt(int id)
{
	return MKDEV(MAJOR(uacce_first_devt), id);
}

static int uacce_fs_init_context(struct fs_context *fc)
{
	return init_pseudo(fc, UACCE_FS_MAGIC) ? 0 : -ENOMEM;
}

/* No owner: the mount, which lives as long as the module, would pin it. */
static struct file_system_type uacce_fs_type = {
	.name = "uacce",
	.init_fs_context = uacce_fs_init_context,
	.kill_sb = kill_anon_super,
};

/*
 * A device can have several nodes, hence several inodes (mknod in a container),
 * so a queue brings its own: all its mappings hang on that one's address space.
 */
struct inode *uacce_inode_alloc(void)
{
	return alloc_anon_inode(uacce_mnt->mnt_sb);
}

static int __init uacce_provision_init(void)
{
	int ret = uacce_account_init();

	if (ret)
		return ret;
	ret = uacce_event_init();
	if (ret)
		goto err_account_exit;
	ret = uacce_attach_init();
	if (ret)
		goto err_event_exit;
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
err_event_exit:
	uacce_event_exit();
err_account_exit:
	uacce_account_exit();
	return ret;
}

static void __exit uacce_provision_exit(void)
{
	uacce_netlink_exit();
	uacce_configfs_exit();
	uacce_attach_exit();
	uacce_event_exit();
	uacce_account_exit();
}

static int __init uacce_init(void)
{
	int ret;

	uacce_mnt = kern_mount(&uacce_fs_type);
	if (IS_ERR(uacce_mnt))
		return PTR_ERR(uacce_mnt);
	ret = alloc_chrdev_region(&uacce_first_devt, 0, MINORMASK + 1, "uacce");
	if (ret)
		goto err_unmount;
	ret = class_register(&uacce_class);
	if (ret)
		goto err_free_chrdev_region;
	ret = uacce_provision_init();
	if (ret)
		goto err_unregister_class;
	return 0;

err_unregister_class:
	class_unregister(&uacce_class);
err_free_chrdev_region:
	unregister_chrdev_region(uacce_first_devt, MINORMASK + 1);
err_unmount:
	kern_unmount(uacce_mnt);
	return ret;
}

static void __exit uacce_exit(void)
{
	uacce_provision_exit();
	class_unregister(&uacce_class);
	unregister_chrdev_region(uacce_first_devt, MINORMASK + 1);
	kern_unmount(uacce_mnt);
	ida_destroy(&uacce_ids);
}

module_init(uacce_init);
module_exit(uacce_exit);

MODULE_DESCRIPTION("User-space accelerator framework");
MODULE_LICENSE("GPL");
MODULE_VERSION(WD_VERSION);
