// SPDX-License-Identifier: Apache-2.0
/* The replacement of zlib: where its file is, and what devices do for it. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "beside.h"
#include "pci.h"
#include "zlib_shim.h"

#define AREA "zlib"
#define FILE_BELOW_LIBDIR "warpdrive/zlib/libz.so.1"
/* The replacement itself looks for this word in sysfs. */
#define ALGORITHM "zlib"

/* --- the file --- */

/* Where LIBDIR is neither lib nor lib64 beside the program's folder, its libraries still know their folder. */
static int beside_library(char *path, size_t len)
{
	void *lib = dlopen("libwd_comp.so.0", RTLD_NOW | RTLD_LOCAL);
	struct link_map *map;
	const char *slash;
	int ret = -ENOENT;

	if (!lib)
		return ret;
	if (!dlinfo(lib, RTLD_DI_LINKMAP, &map)) {
		slash = strrchr(map->l_name, '/');
		if (slash && (size_t)snprintf(path, len, "%.*s/" FILE_BELOW_LIBDIR, (int)(slash - map->l_name),
					      map->l_name) < len && !access(path, F_OK))
			ret = 0;
	}
	dlclose(lib);
	return ret;
}

int zlib_shim_find(char *path, size_t len)
{
	char other[PATH_MAX];

	if (!beside_find(path, len, FILE_BELOW_LIBDIR))
		return 0;
	if (beside_library(other, sizeof(other)) || (size_t)snprintf(path, len, "%s", other) >= len)
		return -ENOENT;
	return 0;
}

static bool check_file(struct health *h, enum health_state lack)
{
	char path[PATH_MAX];
	void *lib;

	if (zlib_shim_find(path, sizeof(path))) {
		health_add(h, lack, AREA, "the replacement of zlib isn't installed: there is no %s", path);
		health_remedy(h, "If programs that use zlib shall use devices, install the package warpdrive-zlib. "
			      "A build without libz.a (zlib1g-dev) leaves it out.");
		return false;
	}
	if (access(path, R_OK)) {
		health_add(h, HEALTH_PROBLEM, AREA, "%s: user %u can't read it", path, getuid());
		health_command(h, "chmod a+r %s", path);
		return false;
	}
	lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!lib) {
		health_add(h, HEALTH_PROBLEM, AREA, "%s can't be loaded: %s", path, dlerror());
		health_command(h, "make install-user && ldconfig");
		return false;
	}
	dlclose(lib);
	health_add(h, HEALTH_OK, AREA, "%s", path);
	return true;
}

/* --- devices --- */

static bool compresses(const struct device *d)
{
	return strstr(d->algorithms, ALGORITHM);
}

bool zlib_shim_device(const struct root *r, const struct device *d)
{
	return compresses(d) && d->state == DEVICE_OK && device_may_open(r, d);
}

static void no_device(struct health *h, const struct health_input *in, enum health_state lack)
{
	if (!root_exists(in->root, WD_SYSFS_CLASS))
		health_add(h, lack, AREA, "there is no " WD_SYSFS_CLASS ", because the module uacce isn't loaded; "
			   "so zlib itself does the work");
	else if (!in->devices->count)
		health_add(h, lack, AREA, "there is no device, so zlib itself does the work");
	else
		health_add(h, lack, AREA, "none of the devices compresses, so zlib itself does the work");
	if (pci_present(in->root, "hisi_zip"))
		health_command(h, "wdctl load");
	else
		health_command(h, "wdctl load --sim zip");
}

/* Why a device that compresses has no part in it. */
static void check_device(struct health *h, const struct root *r, const struct device *d, enum health_state lack)
{
	if (d->state != DEVICE_OK)
		health_add(h, lack, AREA, "%s is %s, so it does nothing for zlib", d->name,
			   device_state_name(d->state));
	else if (!device_may_open(r, d))
		health_add(h, lack, AREA, "user %u can't open /dev/%s, so it does nothing for zlib", getuid(), d->name);
	else
		health_add(h, HEALTH_OK, AREA, "%s may compress for zlib", d->name);
	if (d->state != DEVICE_OK || !device_may_open(r, d))
		health_remedy(h, "Do what the findings of 'wdctl doctor' about devices and nodes say, "
			      "for the user of the program.");
}

static void check_devices(struct health *h, const struct health_input *in, enum health_state lack)
{
	size_t i, fit = 0, usable = 0;

	for (i = 0; i < in->devices->count; i++) {
		fit += compresses(&in->devices->dev[i]);
		usable += zlib_shim_device(in->root, &in->devices->dev[i]);
	}
	if (!fit)
		no_device(h, in, lack);
	/* Beside a device that may be used, the others are no problem. */
	for (i = 0; i < in->devices->count; i++)
		if (compresses(&in->devices->dev[i]))
			check_device(h, in->root, &in->devices->dev[i], usable ? HEALTH_NOTE : lack);
}

void zlib_shim_check(struct health *h, const struct health_input *in, enum health_state lack)
{
	if (check_file(h, lack))
		check_devices(h, in, lack);
}

void health_check_zlib(struct health *h, const struct health_input *in)
{
	if (!root_is_fake(in->root))
		zlib_shim_check(h, in, HEALTH_NOTE);
}
