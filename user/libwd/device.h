/* SPDX-License-Identifier: Apache-2.0 */
/* Reading devices from sysfs, and their order of preference. */
#ifndef WD_DEVICE_H
#define WD_DEVICE_H

#include <sched.h>
#include <stdbool.h>
#include <wd.h>

/* What decides between devices that are equal in all other respects. */
enum wd_rank {
	WD_RANK_THROUGHPUT,	/* asynchronous work */
	WD_RANK_LATENCY,	/* synchronous work */
};

#define WD_LEVEL_AVERAGE	10	/* latency, throughput: 0 .. 99 */

/*
 * wd_list_accels() for sessions: rank decides the last criterion, and of devices that say what they can do only those
 * with these features (WD_CAPA_*) are listed. Same result and errors; EOPNOTSUPP when none has them.
 */
struct uacce_dev_list *wd_device_list(const char *alg_name, enum wd_rank rank, unsigned int features);

/* One device by name. 0, -ENODEV (not there, or not complete), -EINVAL (not a device name). Records nothing. */
int wd_device_read(const char *name, struct uacce_dev_info *info);

/* How good the device is at an algorithm; the average on a mainline kernel. */
int wd_device_level(const struct uacce_dev_info *info, const char *alg_name, enum wd_rank rank);

/* Which interface it has for an algorithm: its own by default. */
void wd_device_alg_api(const struct uacce_dev_info *info, const char *alg_name, char api[WD_NAME_SIZE]);

/* The device whose node this is. 0, -ENOENT, -EACCES, -ENODEV, -ENAMETOOLONG. Records nothing. */
int wd_device_of_node(const char *node_path, struct uacce_dev_info *info);

/* Does a line of algs equal alg_name? */
bool wd_device_has_alg(const struct uacce_dev_info *info, const char *alg_name);

/* Neither disabled by its priority nor isolated. */
bool wd_device_usable(const struct uacce_dev_info *info);

/* NUMA node of the calling thread's CPU, -1 unknown. A system call. */
int wd_device_cpu_node(void);

/* How far node to is from node from, by ACPI's numbers; unknown nodes are near. */
int wd_device_distance(int from, int to);

/* The node's CPUs that a cpu_set_t holds. 0 or -errno. */
int wd_device_node_cpus(int node, cpu_set_t *cpus);

/* Tests only: a folder to find /sys and /dev in ("" again for the real ones). Before any other call. */
int wd_device_set_root(const char *root);

#endif
