/* SPDX-License-Identifier: Apache-2.0 */
/* Reads devices from sysfs and ranks them. */
#ifndef WD_DEVICE_H
#define WD_DEVICE_H

#include <stdbool.h>
#include <sys/types.h>
#include <wd.h>

/* The criterion between devices that are equal in all others. */
enum wd_rank {
	WD_RANK_THROUGHPUT,	/* asynchronous work */
	WD_RANK_LATENCY,	/* synchronous work */
};

#define WD_LEVEL_AVERAGE	10	/* latency, throughput: 0 .. 99 */

/*
 * wd_list_accels() for sessions: rank selects the last criterion, and a device that reports its features is listed only
 * if it has these (WD_CAPA_*). Same result and errors; EOPNOTSUPP when no device has the features, ENODEV when there is
 * no device.
 */
struct uacce_dev_list *wd_device_list(const char *alg_name, enum wd_rank rank, unsigned int features);

/*
 * Reads one device by name. 0, -ENODEV (absent, or incomplete), -EINVAL (not a device name); -EMFILE, -ENFILE, -ENOMEM,
 * -EACCES when it can't be read now. Records nothing.
 */
int wd_device_read(const char *name, struct uacce_dev_info *info);

/* The device's NUMA node now, -1 unknown. */
int wd_device_node(const char *name);

/* The device's rating for an algorithm; the average on a mainline kernel. */
int wd_device_level(const struct uacce_dev_info *info, const char *alg_name, enum wd_rank rank);

/*
 * The interface for the list's algorithm, of a device in a list of wd_device_list(): the device's own api by default.
 */
const char *wd_device_listed_api(const struct uacce_dev_info *info);

/*
 * The device that this node belongs to. Fills only the members that don't change during the device's life (the others
 * are 0), and the device number, or 0 if it isn't known. 0, -ENOENT, -EACCES, -ENODEV, -ENAMETOOLONG. Records nothing.
 */
int wd_device_of_node(const char *node_path, struct uacce_dev_info *info, dev_t *rdev);

/* Does a line of algs equal alg_name? */
bool wd_device_has_alg(const struct uacce_dev_info *info, const char *alg_name);

/* Neither disabled by its priority nor isolated. */
bool wd_device_usable(const struct uacce_dev_info *info);

struct wd_class;
struct wd_driver;

/* The class's driver for that interface, or NULL. */
const struct wd_driver *wd_driver_find(const struct wd_class *cls, const char *api);
/* Copies the driver and supplies refusing defaults for missing operations. */
void wd_driver_fill(struct wd_driver *full, const struct wd_driver *drv);

/*
 * For tests only: the folder that stands for / in paths below /sys and /dev ("" for the real one). Before any other
 * call.
 */
int wd_device_set_root(const char *root);

#endif
