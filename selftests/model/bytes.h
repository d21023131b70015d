/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes for tests: written as digits, and random ones that are the same in each run. */
#ifndef BYTES_H
#define BYTES_H

#include "env.h"

/* Hexadecimal digits into memory, spaces ignored; returns the number of bytes. */
u32 hex(unsigned char *to, const char *digits);
/* Does memory hold these digits' bytes? */
bool is_hex(const unsigned char *p, const char *digits);
u32 rnd(void);
void rnd_fill(unsigned char *p, u32 len);

#endif
