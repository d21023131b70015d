// SPDX-License-Identifier: Apache-2.0
/* Which file descriptors are queues. A descriptor holds one reference of its queue. */
#include "emu.h"

static _Atomic(struct emu_queue *) table[EMU_FDS];
static int access_mode[EMU_FDS];	/* O_RDONLY, O_WRONLY or O_RDWR, as opened */

struct emu_queue *emu_fd_get(int fd)
{
	return fd >= 0 && fd < EMU_FDS ? atomic_load_explicit(&table[fd], memory_order_acquire) : NULL;
}

int emu_fd_access(int fd)
{
	return access_mode[fd];
}

void emu_fd_set(int fd, struct emu_queue *q, int access)
{
	access_mode[fd] = access;
	atomic_store(&table[fd], q);
}

struct emu_queue *emu_fd_clear(int fd)
{
	return emu_fd_get(fd) ? atomic_exchange(&table[fd], NULL) : NULL;
}

void emu_fd_foreign(void)
{
	int fd;

	for (fd = 0; fd < EMU_FDS; fd++)
		if (emu_fd_get(fd))
			atomic_store(&emu_fd_get(fd)->foreign, true);
}
