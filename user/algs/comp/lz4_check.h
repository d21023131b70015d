/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of LZ4 that a device has made; private. */
#ifndef WD_COMP_LZ4_CHECK_H
#define WD_COMP_LZ4_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the block of n bytes is one of the data, by the rules of the format, without decompressing it. */
bool lz4_is_block_of(const void *block, size_t n, const void *src, size_t len);

#endif
