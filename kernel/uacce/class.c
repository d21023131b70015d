// SPDX-License-Identifier: GPL-2.0-or-later
/* The class, the device numbers and the devices behind them, and the inodes of mappings. */
#include <linux/cdev.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/pseudo_fs.h>
#include <linux/xarray.h>
#include "internal.h"

#define UACCE_FS_MAGIC	0x75616363	/* "uacc" */

struct class uacce_class = {
	.name = "uacce",
};

/*
 * Indexed by id, which is the minor number. An id is taken from allocation to removal; the
 * entry is the device while its node may be opened.
 */
static DEFINE_XARRAY_ALLOC(uacce_devices);
static dev_t uacce_first_devt;
/*
 * One cdev for all numbers. An inode keeps the cdev that it was first opened with, and a node
 * in a container may keep its inode for long: a cdev per device would outlive its device while
 * the inode is open.
 */
static struct cdev *uacce_cdev;
static struct vfsmount *uacce_mnt;

/* Ids count over all devices, lowest free first. */
int uacce_id_alloc(void)
{
	u32 id;
	int ret = xa_alloc(&uacce_devices, &id, NULL, XA_LIMIT(0, MINORMASK), GFP_KERNEL);

	return ret ? (ret == -EBUSY ? -ENOSPC : ret) : id;
}

void uacce_id_free(int id)
{
	xa_erase(&uacce_devices, id);
}

/* From here on, opening the node opens the device. */
void uacce_id_publish(struct uacce_device *uacce)
{
	/* uacce_id_alloc() has allocated the entry, so the store can't fail. */
	WARN_ON(xa_is_err(xa_store(&uacce_devices, uacce->id, uacce, GFP_KERNEL)));
}

/* The id stays taken. */
void uacce_id_withdraw(struct uacce_device *uacce)
{
	xa_store(&uacce_devices, uacce->id, NULL, GFP_KERNEL);
}

/* Returns the device with a reference, or NULL. */
struct uacce_device *uacce_id_find(int id)
{
	struct uacce_device *uacce;

	xa_lock(&uacce_devices);
	uacce = xa_load(&uacce_devices, id);
	if (uacce)
		get_device(&uacce->dev);
	xa_unlock(&uacce_devices);
	return uacce;
}

dev_t uacce_devt(int id)
{
	return MKDEV(MAJOR(uacce_first_devt), id);
}

static int uacce_fs_init_context(struct fs_context *fc)
{
	return init_pseudo(fc, UACCE_FS_MAGIC) ? 0 : -ENOMEM;
}

/* No owner: the mount lives as long as the module and would pin it. */
static struct file_system_type uacce_fs_type = {
	.name = "uacce",
	.init_fs_context = uacce_fs_init_context,
	.kill_sb = kill_anon_super,
};

/*
 * A device can have several nodes, hence several inodes (mknod in a container). So each queue
 * has an inode of its own, whose address space holds all of the queue's mappings.
 */
struct inode *uacce_inode_alloc(void)
{
	return alloc_anon_inode(uacce_mnt->mnt_sb);
}

/* Nodes can be opened from here on. */
int uacce_class_open(const struct file_operations *fops)
{
	int ret;

	uacce_cdev = cdev_alloc();
	if (!uacce_cdev)
		return -ENOMEM;
	uacce_cdev->owner = THIS_MODULE;
	uacce_cdev->ops = fops;
	ret = cdev_add(uacce_cdev, uacce_first_devt, MINORMASK + 1);
	if (ret)
		kobject_put(&uacce_cdev->kobj);
	return ret;
}

void uacce_class_close(void)
{
	cdev_del(uacce_cdev);
}

int uacce_class_init(void)
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
	return 0;

err_free_chrdev_region:
	unregister_chrdev_region(uacce_first_devt, MINORMASK + 1);
err_unmount:
	kern_unmount(uacce_mnt);
	return ret;
}

void uacce_class_exit(void)
{
	class_unregister(&uacce_class);
	unregister_chrdev_region(uacce_first_devt, MINORMASK + 1);
	kern_unmount(uacce_mnt);
	xa_destroy(&uacce_devices);
}
