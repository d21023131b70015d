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
#include "slot.h"

#define CLASS	"/sys/class/uacce"

static _Atomic unsigned int devices;

static bool attr_names_zlib(int folder, const char *device)
{
	char path[NAME_MAX + sizeof("/algorithms")], text[512];
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

/* -errno: the class's folder can't be opened, which is the only system call then. */
static int class_devices(void)
{
	DIR *class = opendir(CLASS);
	struct dirent *entry;
	int n = 0;

	if (!class)
		return -errno;
	while (n < (int)WDZ_SESSIONS && (entry = readdir(class)))
		if (entry->d_name[0] != '.' && attr_names_zlib(dirfd(class), entry->d_name))
			n++;
	closedir(class);
	return n;
}

/* zlib's functions neither change errno nor are cancellation points. */
static int devices_look(void)
{
	int saved = errno, state, n;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	n = class_devices();
	pthread_setcancelstate(state, NULL);
	errno = saved;
	return n;
}

/* A sandbox that lets this call fail may end the process at the next one. */
static bool is_refused(int err)
{
	return err == -EACCES || err == -EPERM || err == -ENOSYS;
}

/*
 * Drivers may be loaded after a service was started. After each look without success the rest is longer, as after
 * failures.
 */
static void look(struct wdz_slot *looks)
{
	static _Atomic bool refused;
	unsigned int rest_count;
	int n;

	if (atomic_load_explicit(&refused, memory_order_relaxed) || !wdz_slot_enter(looks, &rest_count))
		return;
	n = devices_look();
	atomic_store(&refused, is_refused(n));
	atomic_store(&devices, n > 0 ? (unsigned int)n : 0);
	wdz_slot_leave(looks, rest_count, n > 0 ? 0 : -ETIMEDOUT);
}

bool wdz_device_here(void)
{
	static _Atomic unsigned int looked;
	static struct wdz_slot looks;
	unsigned int now;

	if (wdz_config()->off)
		return false;
	now = process_generation();
	if (atomic_exchange(&looked, now) != now) {
		atomic_store(&devices, 0);
		atomic_store(&looks.rest_count, 0);
		atomic_store(&looks.until, 0);
	}
	if (!atomic_load(&devices))
		look(&looks);
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
