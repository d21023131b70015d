/* SPDX-License-Identifier: Apache-2.0 */
/* Reading devices from sysfs, and their order of preference. */
#ifndef WD_DEVICE_H
#define WD_DEVICE_H

#include <stdbool.h>
#include <sys/types.h>
#include <wd.h>

/* What decides between devices that are equal in all other respects. */
enum wd_rank {
	WD_RANK_THROUGHPUT,	/* asynchronous work */
	WD_RANK_LATENCY,	/* synchronous work */
};

#define WD_LEVEL_AVERAGE	10	/* latency, throughput: 0 .. 99 */

/*
 * wd_list_accels() for sessions: rank decides the last criterion, and of devices that say what they can do only those
 * with these features (WD_CAPA_*) are listed. Same result and errors; EOPNOTSUPP when none has them, ENODEV when there is none.
 */
struct uacce_dev_list *wd_device_list(const char *alg_name, enum wd_rank rank, unsigned int features);

/*
 * One device by name. 0, -ENODEV (not there, or not complete), -EINVAL (not a device name); -EMFILE, -ENFILE, -ENOMEM,
 * -EACCES when it can't be read now. Records nothing.
 */
int wd_device_read(const char *name, struct uacce_dev_info *info);

/* The device's NUMA node now, -1 unknown. */
int wd_device_node(const char *name);

/* How good the device is at an algorithm; the average on a mainline kernel. */
int wd_device_level(const struct uacce_dev_info *info, const char *alg_name, enum wd_rank rank);

/* Which interface it has for an algorithm: its own by default. */
void wd_device_alg_api(const struct uacce_dev_info *info, const char *alg_name, char api[WD_NAME_SIZE]);

/*
 * The device whose node this is, by what stays as long as it lives (the others are 0), and its device number as far as it
 * is known, or 0. 0, -ENOENT, -EACCES, -ENODEV, -ENAMETOOLONG. Records nothing.
 */
int wd_device_of_node(const char *node_path, struct uacce_dev_info *info, dev_t *rdev);

/* Does a line of algs equal alg_name? */
bool wd_device_has_alg(const struct uacce_dev_info *info, const char *alg_name);

/* Neither disabled by its priority nor isolated. */
bool wd_device_usable(const struct uacce_dev_info *info);

struct wd_class;
struct wd_driver;

/* The class's driver that understands that interface, or NULL. */
const struct wd_driver *wd_driver_find(const struct wd_class *cls, const char *api);
/* The driver with refusing defaults for what it lacks. */
void wd_driver_fill(struct wd_driver *full, const struct wd_driver *drv);

/* Tests only: a folder to find devices' part of /sys and /dev in ("" again for the real ones). Before any other call. */
int wd_device_set_root(const char *root);

#endif
