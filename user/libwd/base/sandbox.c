// SPDX-License-Identifier: Apache-2.0
/*
 * Sandboxes such as sshd's let openat() fail, because libraries try it, and end the process at calls that they don't
 * expect: msync(), membarrier(), ioctl(). A process may enter one at any time.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sandbox.h"

/* -1 is no folder: the kernel answers EBADF before it looks at any path. */
static bool refused_now(void)
{
	int saved = errno, err;

	syscall(SYS_openat, -1, "uacce", O_PATH | O_CLOEXEC);
	err = errno;
	errno = saved;
	return err == EACCES || err == EPERM || err == ENOSYS;
}

static _Atomic int contexts;

void wd_sandbox_context(int n)
{
	atomic_fetch_add_explicit(&contexts, n, memory_order_relaxed);
}

void wd_sandbox_no_context(void)
{
	atomic_store_explicit(&contexts, 0, memory_order_relaxed);
}

bool wd_sandbox(void)
{
	static _Atomic bool refused;

	if (atomic_load_explicit(&refused, memory_order_relaxed))
		return true;
	if (atomic_load_explicit(&contexts, memory_order_relaxed) > 0 || !refused_now())
		return false;
	atomic_store_explicit(&refused, true, memory_order_relaxed);
	return true;
}
