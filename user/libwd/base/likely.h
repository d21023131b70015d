/* SPDX-License-Identifier: Apache-2.0 */
/* Branches: the compiler lays out the likely way without a jump. */
#ifndef WD_LIKELY_H
#define WD_LIKELY_H

/* likely(): x is 0 or 1. unlikely(): x is an integer. No pointers. */
#define likely(x)	__builtin_expect((x), 1)
#define unlikely(x)	__builtin_expect((x), 0)

#endif
