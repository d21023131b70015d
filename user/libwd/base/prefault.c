// SPDX-License-Identifier: Apache-2.0
/* Faults pages in before a device uses them. */
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wd.h>
#include "base/error.h"

/* Linux 5.14; older C libraries don't define them. */
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ	22
#define MADV_POPULATE_WRITE	23
#endif

static int populate(uintptr_t start, size_t len)
{
	int saved = errno;
	int ret = 0;

	/* Writing first, so that a copy-on-write page is already the process' own. */
	if (madvise((void *)start, len, MADV_POPULATE_WRITE) &&
	    madvise((void *)start, len, MADV_POPULATE_READ))
		ret = -errno;
	errno = saved;
	return ret;
}

int wd_prefault(void *buf, size_t len)
{
	uintptr_t mask = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
	uintptr_t start = (uintptr_t)buf & ~mask;
	uintptr_t end;
	int ret;

	if (!len)
		return 0;
	if (!buf)
		return wd_fail(NULL, EINVAL, "wd_prefault: buffer is NULL");
	if (__builtin_add_overflow((uintptr_t)buf, len, &end) || end > UINTPTR_MAX - mask)
		return wd_fail(NULL, EINVAL, "wd_prefault: buffer wraps around the address space");
	end = (end + mask) & ~mask;

	ret = populate(start, end - start);
	if (ret == -EINVAL)
		return wd_fail(NULL, EOPNOTSUPP, "wd_prefault: this kernel doesn't support MADV_POPULATE_READ");
	if (ret)
		return wd_fail_num(NULL, -ret, "wd_prefault: can't populate %u bytes at %x", len, (uintptr_t)buf);
	return 0;
}
