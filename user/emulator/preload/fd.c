// SPDX-License-Identifier: Apache-2.0
/*
 * The file descriptors that are queues, and those that only this library has. Each descriptor holds one reference to
 * its queue.
 */
#include "emu.h"

/* This library's descriptors are above the range that a program usually uses. */
#define PRIVATE_FD_MIN	512

EMU_REAL(int, close, int fd)
EMU_REAL(int, fcntl, int fd, int cmd, ...)

const struct emu_fd_epoll *emu_fd_epoll;

static _Atomic(struct emu_queue *) table[EMU_FDS];
static int open_flags[EMU_FDS];	/* EMU_FD_FLAGS, as opened */

struct emu_queue *emu_fd_get(int fd)
{
	return fd >= 0 && fd < EMU_FDS ? atomic_load_explicit(&table[fd], memory_order_acquire) : NULL;
}

int emu_fd_flags(int fd)
{
	return open_flags[fd];
}

void emu_fd_set(int fd, struct emu_queue *q, int flags)
{
	open_flags[fd] = flags & EMU_FD_FLAGS;
	atomic_store(&table[fd], q);
}

struct emu_queue *emu_fd_clear(int fd)
{
	return emu_fd_get(fd) ? atomic_exchange(&table[fd], NULL) : NULL;
}

static _Atomic bool private_fds[EMU_FDS];

bool emu_fd_is_private(int fd)
{
	return fd >= 0 && fd < EMU_FDS && atomic_load_explicit(&private_fds[fd], memory_order_relaxed);
}

int emu_fd_private(int fd)
{
	int moved = fd < 0 ? -1 : real_fcntl()(fd, F_DUPFD_CLOEXEC, PRIVATE_FD_MIN);

	if (moved >= 0) {
		real_close()(fd);
		fd = moved;
	}
	if (fd >= 0 && fd < EMU_FDS)
		atomic_store(&private_fds[fd], true);
	return fd;
}

void emu_fd_private_close(int fd)
{
	if (fd < 0)
		return;
	if (fd < EMU_FDS)
		atomic_store(&private_fds[fd], false);
	real_close()(fd);
}

void emu_fd_foreign(void)
{
	int fd;

	for (fd = 0; fd < EMU_FDS; fd++)
		if (emu_fd_get(fd))
			atomic_store(&emu_fd_get(fd)->foreign, true);
}
