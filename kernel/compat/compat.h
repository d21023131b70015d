/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Force-included into every module source: refuses kernels that are too old. */
#ifndef WD_COMPAT_H
#define WD_COMPAT_H

#include <linux/version.h>

/*
 * The only version number in the tree. Kbuild.include probes for differences between later kernels; shim/ hides them.
 */
#define COMPAT_KERNEL_FIRST	KERNEL_VERSION(6, 1, 0)

#if LINUX_VERSION_CODE < COMPAT_KERNEL_FIRST
#error "WarpDrive needs Linux 6.1 or newer"
#endif

#endif
