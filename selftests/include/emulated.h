/* SPDX-License-Identifier: Apache-2.0 */
/* The emulator that a test runs under: faults, order of events, reset and removal, forbidden memory. */
#ifndef WD_TEST_EMULATED_H
#define WD_TEST_EMULATED_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "control.h"

#define EMULATED_DEVICE	"hisi_zip-0"

/* Does the test run under the emulator? Otherwise the devices are real, or simulated by the kernel. */
static inline bool emulated(void)
{
	return dlsym(RTLD_DEFAULT, "wd_emulate_control");
}

static inline int emulated_control(const char *device, const char *command)
{
	union { void *p; __typeof__(&wd_emulate_control) f; } u = { .p = dlsym(RTLD_DEFAULT, "wd_emulate_control") };

	return u.p ? u.f(device, command) : -ENOSYS;
}

static inline unsigned long long emulated_count(const char *device, const char *what)
{
	union { void *p; __typeof__(&wd_emulate_count) f; } u = { .p = dlsym(RTLD_DEFAULT, "wd_emulate_count") };
	unsigned long long value;

	return u.p && !u.f(device, what, &value) ? value : 0;
}

/*
 * The emulator's tree consists of files. A system call bypasses the emulator, which refuses writes to read-only
 * attributes.
 */
static inline int emulated_attribute(unsigned int device, const char *name, const char *value)
{
	char path[4096];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/sys/class/uacce/hisi_zip-%u/%s", getenv("WD_EMULATE_ROOT"), device, name);
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_TRUNC);
	if (fd < 0)
		return -errno;
	ret = (int)syscall(SYS_write, fd, value, strlen(value));
	syscall(SYS_close, fd);
	return ret == (int)strlen(value) ? 0 : -EIO;
}

/*
 * Buffers in granules of 256 bytes that the device may access only while they
 * are lent: from before a request is submitted until it has completed.
 */
#define LOAN_SHIFT	8
#define LOAN_BYTES	(1u << LOAN_SHIFT)

struct loans {
	unsigned char *base;
	unsigned char *home;	/* per granule: 1 = not lent */
	size_t len;
};

static inline void loans_guard(const struct loans *l, size_t len)
{
	union { void *p; __typeof__(&wd_emulate_guard) f; } u = { .p = dlsym(RTLD_DEFAULT, "wd_emulate_guard") };

	if (u.p)
		u.f(l->base, len, LOAN_SHIFT, l->home);
}

static inline int loans_open(struct loans *l, size_t granules)
{
	size_t i;

	l->len = granules << LOAN_SHIFT;
	l->base = mmap(NULL, l->len + granules, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (l->base == MAP_FAILED)
		return -errno;
	l->home = l->base + l->len;
	for (i = 0; i < granules; i++)
		l->home[i] = 1;
	loans_guard(l, l->len);
	return 0;
}

static inline void loans_close(struct loans *l)
{
	loans_guard(l, 0);
	munmap(l->base, l->len + (l->len >> LOAN_SHIFT));
}

static inline unsigned char *loans_at(const struct loans *l, size_t granule)
{
	return l->base + (granule << LOAN_SHIFT);
}

static inline void loans_mark(const struct loans *l, const void *p, size_t granules, unsigned char home)
{
	size_t at = (size_t)((const unsigned char *)p - l->base) >> LOAN_SHIFT;

	while (granules--)
		__atomic_store_n(&l->home[at++], home, __ATOMIC_SEQ_CST);
}

static inline void lend(const struct loans *l, const void *p, size_t granules)
{
	loans_mark(l, p, granules, 0);
}

static inline void take_back(const struct loans *l, const void *p, size_t granules)
{
	loans_mark(l, p, granules, 1);
}

#endif
