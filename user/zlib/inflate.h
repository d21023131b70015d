/* SPDX-License-Identifier: Apache-2.0 */
/* Decompression by devices. */
#ifndef WDZ_INFLATE_H
#define WDZ_INFLATE_H

#include <stdbool.h>

#include "device.h"
#include "zlib_own.h"

/* The formats that a stream's windowBits allow. */
enum wdz_format {
	WDZ_FORMAT_RAW,
	WDZ_FORMAT_ZLIB,
	WDZ_FORMAT_GZIP,
	WDZ_FORMAT_EITHER,	/* zlib or gzip, as its header says */
};

/**
 * wdz_whole() - let a device decompress a whole stream
 * @arg: as for wd_decompress()
 * @alg: is set to the format of the stream
 *
 * Return: false if the data is not a device's, or the device didn't reach its end: nothing counts then
 */
bool wdz_whole(enum wdz_format format, struct wd_comp_arg *arg, enum wd_comp_alg_type *alg);

/* wdz_head_alg() - the format of data that a device may have; false: zlib reports what is wrong with it. */
bool wdz_head_alg(enum wdz_format format, const unsigned char *at, size_t len, enum wd_comp_alg_type *alg);

#endif
