/* SPDX-License-Identifier: Apache-2.0 */
/* Callers of zlib's functions. */
#ifndef WDZ_CALLER_H
#define WDZ_CALLER_H

#include <stdbool.h>

/* Whether this code is libwd's or the emulator's. */
bool wdz_is_warpdrive(const void *caller);

#endif
