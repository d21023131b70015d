/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header's location as of 6.12. */
#ifndef WD_SHIM_LINUX_UNALIGNED_H
#define WD_SHIM_LINUX_UNALIGNED_H

#include <asm/unaligned.h>

#endif
