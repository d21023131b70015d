// SPDX-License-Identifier: GPL-2.0-or-later
/* The class, the device numbers and who they are, and the inodes behind mappings. */
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

/* By id, which is the minor number: from allocation to removal, and the device while its node may be opened. */
static DEFINE_XARRAY_ALLOC(uacce_devices);
static dev_t uacce_first_devt;
/*
 * One for all numbers. An inode keeps the cdev that it was opened with first, and a node in a container
 * is one inode for long: a cdev of a device that has gone would stay there while anybody has it open.
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

/* From here on its node opens it. */
void uacce_id_publish(struct uacce_device *uacce)
{
	/* The id's place is there already. */
	WARN_ON(xa_is_err(xa_store(&uacce_devices, uacce->id, uacce, GFP_KERNEL)));
}

/* Its number stays taken. */
void uacce_id_withdraw(struct uacce_device *uacce)
{
	xa_store(&uacce_devices, uacce->id, NULL, GFP_KERNEL);
}

/* With a reference to it, or NULL. */
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

/* Opened from here on. */
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
