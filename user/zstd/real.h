/* SPDX-License-Identifier: Apache-2.0 */
/* libzstd's own functions, which the replacements call; private. */
#ifndef WDS_REAL_H
#define WDS_REAL_H

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

/* Those that every libzstd has, and those that are declared for static linking only. */
#define REAL_FUNCTIONS(f) \
	f(createCCtx) f(freeCCtx) f(CCtx_reset) f(CCtx_setParameter) f(compressStream2) f(compress2) f(compress) \
	f(compressCCtx) f(compress_usingDict) f(CCtx_loadDictionary) f(CCtx_refCDict) f(CCtx_refPrefix) f(isError) \
	f(versionNumber)
#define REAL_OTHERS(f) \
	f(CCtx_getParameter) f(CCtx_loadDictionary_byReference) f(CCtx_loadDictionary_advanced) \
	f(CCtx_refPrefix_advanced) f(initStaticCCtx) f(registerSequenceProducer)

#define REAL_MEMBER(name)	__typeof__(ZSTD_##name) *name;

/* takes: frames may have matches that others have found. */
struct wds_real {
	REAL_FUNCTIONS(REAL_MEMBER)
	REAL_OTHERS(REAL_MEMBER)
	int takes;
};

/* Never NULL: a program that calls libzstd has it. */
const struct wds_real *wds_real(void);

#endif
