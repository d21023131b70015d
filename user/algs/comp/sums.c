// SPDX-License-Identifier: Apache-2.0
/* Checksums. libdeflate may be a part of this library, whose names nobody else can see. */
#include <libdeflate.h>

#include "sums.h"

__u32 wd_comp_adler32(__u32 sum, const void *at, size_t len)
{
	return libdeflate_adler32(sum, at, len);
}

__u32 wd_comp_crc32(__u32 sum, const void *at, size_t len)
{
	return libdeflate_crc32(sum, at, len);
}
