/* SPDX-License-Identifier: Apache-2.0 */
/* The regions of a device's queue, and the kernel's commands, under the names that programs for UADK know. */
#ifndef UADK_UACCE_H
#define UADK_UACCE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define UACCE_CMD_START		_IO('W', 0)
#define UACCE_CMD_PUT_Q		_IO('W', 1)
#define UACCE_DEV_SVA		(1 << 0)

enum uacce_qfrt {
	UACCE_QFRT_MMIO = 0,
	UACCE_QFRT_DUS = 1,
	UACCE_QFRT_SS = 2,
	UACCE_QFRT_MAX = 3,
};

#endif
