/* SPDX-License-Identifier: Apache-2.0 */
/* zlib's own functions: the distribution's zlib, linked in under the names zlib_NAME. */
#ifndef WDZ_ZLIB_OWN_H
#define WDZ_ZLIB_OWN_H

#include <zlib.h>

#define ZLIB(name)	extern __typeof__(name) zlib_##name

ZLIB(deflate);
ZLIB(deflateBound);
ZLIB(deflateCopy);
ZLIB(deflateEnd);
ZLIB(deflateGetDictionary);
ZLIB(deflateInit2_);
ZLIB(deflateInit_);
ZLIB(deflateParams);
ZLIB(deflatePending);
ZLIB(deflatePrime);
ZLIB(deflateReset);
ZLIB(deflateResetKeep);
ZLIB(deflateSetDictionary);
ZLIB(deflateSetHeader);
ZLIB(deflateTune);
#if ZLIB_VERNUM >= 0x1320
ZLIB(deflateBound_z);
ZLIB(deflateUsed);
#endif
ZLIB(gzdopen);
ZLIB(gzopen);
ZLIB(gzopen64);
ZLIB(inflate);
ZLIB(inflateBack);
ZLIB(inflateBackInit_);
ZLIB(inflateCodesUsed);
ZLIB(inflateCopy);
ZLIB(inflateEnd);
ZLIB(inflateGetDictionary);
ZLIB(inflateGetHeader);
ZLIB(inflateInit2_);
ZLIB(inflateInit_);
ZLIB(inflateMark);
ZLIB(inflatePrime);
ZLIB(inflateReset);
ZLIB(inflateReset2);
ZLIB(inflateResetKeep);
ZLIB(inflateSetDictionary);
ZLIB(inflateSync);
ZLIB(inflateSyncPoint);
ZLIB(inflateUndermine);
ZLIB(inflateValidate);
ZLIB(uncompress2);

#undef ZLIB

/* The functions that programs call; all else is hidden. */
#define PUBLIC	__attribute__((visibility("default")))

#endif
