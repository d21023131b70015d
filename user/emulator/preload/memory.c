// SPDX-License-Identifier: Apache-2.0
/* A device's accesses to this process' memory. In the program's, an unmapped address is an error, never a signal. */
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

/* Aligned words are read and written by single accesses, because a client uses them at the same time. */
void emu_bus_read(const unsigned char *p, void *buf, u32 len)
{
	u64 *to = buf;
	u32 i;

	if ((uintptr_t)p % 8 || len % 8 || (uintptr_t)buf % 8) {
		memcpy(buf, p, len);
		return;
	}
	for (i = 0; i < len / 8; i++)
		to[i] = __atomic_load_n((const u64 *)(const void *)p + i, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
}

void emu_bus_write(unsigned char *p, const void *buf, u32 len)
{
	u32 word;

	if (len == 4 && (uintptr_t)p % 4 == 0) {
		memcpy(&word, buf, 4);
		__atomic_store_n((u32 *)(void *)p, word, __ATOMIC_RELEASE);
	} else {
		memcpy(p, buf, len);
	}
}
