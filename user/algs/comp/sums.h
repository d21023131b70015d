/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums by libdeflate, for the replacement of zlib, which finds these functions by their names; private. */
#ifndef COMP_SUMS_H
#define COMP_SUMS_H

#include <stddef.h>
#include <linux/types.h>

/* wd_comp_adler32(), wd_comp_crc32() - of more bytes; sum: of those before, at first 1 and 0. */
__u32 wd_comp_adler32(__u32 sum, const void *at, size_t len);
__u32 wd_comp_crc32(__u32 sum, const void *at, size_t len);

#endif
