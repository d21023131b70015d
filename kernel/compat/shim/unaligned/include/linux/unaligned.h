/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header's place since 6.12. */
#ifndef WD_SHIM_LINUX_UNALIGNED_H
#define WD_SHIM_LINUX_UNALIGNED_H

#include <asm/unaligned.h>

#endif
