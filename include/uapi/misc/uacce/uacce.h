/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/* User ABI of the uacce character devices: ioctls, mmap regions, device flags. */
#ifndef _UAPI_MISC_UACCE_UACCE_H
#define _UAPI_MISC_UACCE_UACCE_H

#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * START_Q: starts the queue. EINVAL unless the queue is in its state after open().
 * PUT_Q: stops the queue and drops what was in flight. Portable programs close the file next:
 * kernels differ in whether START_Q works again.
 * Both return ENXIO once the device is gone. While the device is finishing another queue, they
 * wait, or return EBUSY on a file with O_NONBLOCK.
 */
#define UACCE_CMD_START_Q	_IO('W', 0)
#define UACCE_CMD_PUT_Q		_IO('W', 1)

/*
 * The opener has found a result of this queue to be wrong that the device called good: counts one, for the queue, its
 * device and its section. Any time from open() to close(). Never waits. Kernels without it return EINVAL or ENXIO,
 * which is no reason to do anything.
 */
#define UACCE_CMD_WRONG_RESULT	_IO('W', 32)

/* Bits of the sysfs attribute "flags". */
#define UACCE_DEV_SVA		(1 << 0)

/* Region types; the mmap offset of a region is its type times the page size. */
enum uacce_qfrt {
	UACCE_QFRT_MMIO = 0,	/* doorbell window, uncached */
	UACCE_QFRT_DUS = 1,	/* rings shared by device, kernel and user */
	UACCE_QFRT_DEVICE_CQ = 3, /* the device's completion ring, read-only; mediated queues only */
	UACCE_QFRT_MAX = 16,
};

#endif
