/* SPDX-License-Identifier: Apache-2.0 */
/* libzstd and liblz4, which only programs load that use their formats; private. */
#ifndef WD_SOFT_CODECS_H
#define WD_SOFT_CODECS_H

#define ZSTD_STATIC_LINKING_ONLY
#include <lz4.h>
#include <lz4frame.h>
#include <lz4hc.h>
#include <zstd.h>
#include <zstd_errors.h>

/* The names of libzstd's functions that are used here. */
#define ZSTD_FUNCTIONS(f) \
	f(createCCtx) f(freeCCtx) f(CCtx_reset) f(CCtx_setParameter) f(CCtx_setPledgedSrcSize) f(compressStream2) \
	f(sizeof_CCtx) f(createDCtx) f(freeDCtx) f(DCtx_reset) f(DCtx_setParameter) f(decompressStream) \
	f(getFrameContentSize) f(isError) f(getErrorCode) f(getErrorName) f(versionNumber)

#define LZ4F_FUNCTIONS(f) \
	f(createCompressionContext) f(freeCompressionContext) f(compressBegin) f(compressUpdate) f(flush) \
	f(compressEnd) f(compressBound) f(compressFrame) f(compressFrameBound) f(createDecompressionContext) \
	f(freeDecompressionContext) f(resetDecompressionContext) f(decompress) f(isError) f(getErrorName)

#define LZ4_FUNCTIONS(f) \
	f(compress_default) f(compress_HC) f(decompress_safe)

#define CODEC_ZSTD(name)	__typeof__(ZSTD_##name) *name;
#define CODEC_LZ4F(name)	__typeof__(LZ4F_##name) *name;
#define CODEC_LZ4(name)		__typeof__(LZ4_##name) *name;

/* take_sequences: ZSTD_registerSequenceProducer(), which libzstd has from 1.5.4 on; else NULL. */
struct zstd_codec {
	ZSTD_FUNCTIONS(CODEC_ZSTD)
	__typeof__(ZSTD_registerSequenceProducer) *take_sequences;
};

struct lz4_codec {
	LZ4F_FUNCTIONS(CODEC_LZ4F)
	LZ4_FUNCTIONS(CODEC_LZ4)
};

/* NULL: the library can't be loaded. The answer never changes within a process. */
const struct zstd_codec *soft_zstd(void);
const struct lz4_codec *soft_lz4(void);

#endif
