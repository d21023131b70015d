/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Force-included into every module source: defines the range of supported kernels, and refuses others. */
#ifndef WD_COMPAT_H
#define WD_COMPAT_H

#include <linux/version.h>

/*
 * The only version numbers in the tree. Kbuild.include probes for differences between these
 * kernels; shim/ hides them.
 */
#define COMPAT_KERNEL_FIRST	KERNEL_VERSION(6, 1, 0)
#define COMPAT_KERNEL_BEYOND	KERNEL_VERSION(6, 13, 0)

#if LINUX_VERSION_CODE < COMPAT_KERNEL_FIRST
#error "WarpDrive needs Linux 6.1 or newer"
#endif
#if LINUX_VERSION_CODE >= COMPAT_KERNEL_BEYOND
#error "WarpDrive has not been made to work with Linux 6.13 and newer"
#endif

#endif
