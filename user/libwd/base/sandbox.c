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

bool wd_sandbox(void)
{
	static _Atomic bool refused;

	if (atomic_load_explicit(&refused, memory_order_relaxed))
		return true;
	if (!refused_now())
		return false;
	atomic_store_explicit(&refused, true, memory_order_relaxed);
	return true;
}
