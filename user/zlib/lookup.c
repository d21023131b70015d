// SPDX-License-Identifier: Apache-2.0
/* Whether there are devices, and whether a caller may have them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "caller.h"
#include "config.h"
#include "device.h"
#include "generation.h"

#define CLASS	"/sys/class/uacce"

static _Atomic unsigned int devices;

static bool attr_names_zlib(int folder, const char *device)
{
	char path[PATH_MAX], text[512];
	ssize_t len;
	int fd;

	if (snprintf(path, sizeof(path), "%s/algorithms", device) >= (int)sizeof(path))
		return false;
	fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (len <= 0)
		return false;
	text[len] = '\0';
	return strstr(text, "zlib");
}

static unsigned int class_devices(void)
{
	DIR *class = opendir(CLASS);
	struct dirent *entry;
	unsigned int n = 0;

	if (!class)
		return 0;
	while (n < WDZ_SESSIONS && (entry = readdir(class)))
		if (entry->d_name[0] != '.' && attr_names_zlib(dirfd(class), entry->d_name))
			n++;
	closedir(class);
	return n;
}

/* zlib's functions neither change errno nor are cancellation points. */
static unsigned int devices_look(void)
{
	int saved = errno, state;
	unsigned int n;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	n = class_devices();
	pthread_setcancelstate(state, NULL);
	errno = saved;
	return n;
}

bool wdz_device_here(void)
{
	static _Atomic unsigned int looked;
	unsigned int now;

	if (wdz_config()->off)
		return false;
	now = process_generation();
	if (atomic_load(&looked) != now) {
		atomic_store(&devices, devices_look());
		atomic_store(&looked, now);
	}
	return atomic_load(&devices);
}

unsigned int wdz_devices(void)
{
	unsigned int n = atomic_load(&devices);

	return n ? n : 1;
}

bool wdz_device_may(const void *caller)
{
	return wdz_device_here() && !wdz_is_warpdrive(caller);
}
