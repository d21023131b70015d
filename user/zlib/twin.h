/* SPDX-License-Identifier: Apache-2.0 */
/* The twin: the distribution's own zlib, linked in under other names. */
#ifndef WDZ_TWIN_H
#define WDZ_TWIN_H

#include <zlib.h>

#define TWIN(name)	extern __typeof__(name) twin_##name

TWIN(deflate);
TWIN(deflateBound);
TWIN(deflateCopy);
TWIN(deflateEnd);
TWIN(deflateGetDictionary);
TWIN(deflateInit2_);
TWIN(deflateInit_);
TWIN(deflateParams);
TWIN(deflatePending);
TWIN(deflatePrime);
TWIN(deflateReset);
TWIN(deflateResetKeep);
TWIN(deflateSetDictionary);
TWIN(deflateSetHeader);
TWIN(deflateTune);
#if ZLIB_VERNUM >= 0x1320
TWIN(deflateBound_z);
TWIN(deflateUsed);
#endif
TWIN(gzdopen);
TWIN(gzopen);
TWIN(gzopen64);
TWIN(inflate);
TWIN(inflateBack);
TWIN(inflateBackInit_);
TWIN(inflateCodesUsed);
TWIN(inflateCopy);
TWIN(inflateEnd);
TWIN(inflateGetDictionary);
TWIN(inflateGetHeader);
TWIN(inflateInit2_);
TWIN(inflateInit_);
TWIN(inflateMark);
TWIN(inflatePrime);
TWIN(inflateReset);
TWIN(inflateReset2);
TWIN(inflateResetKeep);
TWIN(inflateSetDictionary);
TWIN(inflateSync);
TWIN(inflateSyncPoint);
TWIN(inflateUndermine);
TWIN(inflateValidate);
TWIN(uncompress2);

#undef TWIN

/* The functions that programs call; all else is hidden. */
#define PUBLIC	__attribute__((visibility("default")))

#endif
