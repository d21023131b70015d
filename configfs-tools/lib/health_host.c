// SPDX-License-Identifier: Apache-2.0
/* Checks NUMA nodes, limits, configfs and the libraries. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "health.h"

static bool list_has(const char *list, long number)
{
	int from, to, used;

	while (sscanf(list, "%d%n", &from, &used) == 1) {
		list += used;
		to = from;
		if (*list == '-' && sscanf(list + 1, "%d%n", &to, &used) == 1)
			list += used + 1;
		if (number >= from && number <= to)
			return true;
		if (*list != ',')
			break;
		list++;
	}
	return false;
}

static void check_numa(struct health *h, const struct health_input *in)
{
	size_t i, wrong = 0;
	char online[256];

	if (root_read(in->root, online, sizeof(online), "/sys/devices/system/node/online")) {
		health_add(h, HEALTH_NOTE, "numa", "this kernel has no NUMA nodes");
		return;
	}
	for (i = 0; i < in->devices->count; i++) {
		const struct device *d = &in->devices->dev[i];

		if (!d->node.known || d->node.value < 0 || list_has(online, d->node.value))
			continue;
		wrong++;
		health_add(h, HEALTH_PROBLEM, "numa", "%s: %s is node %ld, but only %s are online", d->name,
			   device_is_foreign(d) ? "numa_node" : "zone_id", d->node.value, online);
		if (device_is_foreign(d))
			health_command(h, "echo %d >/sys/bus/pci/devices/%s/numa_node", atoi(online), d->parent);
		else
			health_command(h, "wdctl device set %s Zone=%d", d->name, atoi(online));
	}
	if (!wrong)
		health_add(h, HEALTH_OK, "numa", "nodes %s are online", online);
}

static void check_memlock(struct health *h, const struct health_input *in)
{
	struct rlimit limit;
	bool pins = false;
	size_t i;

	for (i = 0; i < in->devices->count; i++)
		pins |= !(in->devices->dev[i].flags & UACCE_DEV_SVA);
	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return;
	if (limit.rlim_cur == RLIM_INFINITY)
		health_add(h, HEALTH_OK, "memlock", "unlimited");
	else
		health_add(h, pins ? HEALTH_NOTE : HEALTH_OK, "memlock", "%llu KiB; %s",
			   (unsigned long long)limit.rlim_cur >> 10,
			   pins ? "a device without shared virtual addressing locks the buffers of requests in flight, "
			   "of which one is always possible" :
			   "enough, as shared virtual addressing locks no memory");
	if (pins && limit.rlim_cur != RLIM_INFINITY)
		health_command(h, "ulimit -l unlimited");
}

bool health_configfs_mounted(const struct root *r)
{
	char mounts[65536];

	return !root_read(r, mounts, sizeof(mounts), "/proc/mounts") && strstr(mounts, " /sys/kernel/config configfs ");
}

static void check_configfs(struct health *h, const struct root *r)
{
	if (!root_exists(r, "/proc/mounts")) {
		health_add(h, HEALTH_NOTE, "configfs", "/proc/mounts can't be read");
		return;
	}
	if (health_configfs_mounted(r)) {
		health_add(h, HEALTH_OK, "configfs", "mounted on /sys/kernel/config");
		return;
	}
	health_add(h, HEALTH_PROBLEM, "configfs", "not mounted on /sys/kernel/config");
	health_command(h, "modprobe configfs && mount -t configfs configfs /sys/kernel/config");
}

/* Asks a symbol instead of a file for the version, to check the library that the loader chooses. */
static void check_library(struct health *h, const struct health_input *in, const char *name)
{
	const char *(*version)(void) = NULL;
	void *lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);

	if (!lib) {
		health_add(h, HEALTH_PROBLEM, "libraries", "%s: the loader can't find or load it", name);
		health_command(h, "make install-user && ldconfig");
		return;
	}
	*(void **)&version = dlsym(lib, "wd_version");
	if (version && strcmp(version(), in->version)) {
		health_add(h, HEALTH_PROBLEM, "libraries", "%s is version %s, but wdctl is version %s", name, version(),
			   in->version);
		health_command(h, "make install-user && ldconfig");
	} else {
		health_add(h, HEALTH_OK, "libraries", "%s", name);
	}
	dlclose(lib);
}

static void check_libraries(struct health *h, const struct health_input *in)
{
	static const char *const names[] = {
		"libwd.so.0", "libhisi_qm.so.0", "libwd_comp.so.0", "libwd_cipher.so.0", "libwd_digest.so.0",
		"libwd_aead.so.0", "libwd_rsa.so.0", "libwd_dh.so.0", "libwd_ecc.so.0",
	};
	size_t i;

	if (root_is_fake(in->root))
		return;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check_library(h, in, names[i]);
}

void health_check_host(struct health *h, const struct health_input *in)
{
	check_numa(h, in);
	check_memlock(h, in);
	/* A container needs no configfs: it asks the kernel by netlink. */
	if (!in->container)
		check_configfs(h, in->root);
	check_libraries(h, in);
}
