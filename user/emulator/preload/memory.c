// SPDX-License-Identifier: Apache-2.0
/* Access of a device to this process' memory: an unmapped address is an error, never a signal. */
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "emu.h"

EMU_REAL(long, syscall, long number, ...)

/* Raw system calls, because sanitizers must not see the device's accesses as those of a thread. */
static int memory_copy(long nr, unsigned long long addr, void *buf, unsigned int len)
{
	struct iovec local = { .iov_base = buf, .iov_len = len };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)addr, .iov_len = len };
	long n;

	if (!len)
		return 0;
	n = real_syscall()(nr, getpid(), &local, 1UL, &remote, 1UL, 0UL);
	return n == (long)len ? 0 : -EFAULT;
}

int emu_memory_read(unsigned long long addr, void *buf, unsigned int len)
{
	return memory_copy(SYS_process_vm_readv, addr, buf, len);
}

int emu_memory_write(unsigned long long addr, const void *buf, unsigned int len)
{
	return memory_copy(SYS_process_vm_writev, addr, (void *)(uintptr_t)buf, len);
}
