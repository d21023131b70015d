/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of zstd and LZ4, made and read by their own libraries. */
#ifndef FRAMES_TEST_H
#define FRAMES_TEST_H

#include <lz4frame.h>
#include <zstd.h>

#include "comp_test.h"
#include "kselftest_harness.h"

static inline long zstd_make(const void *src, size_t n, void *dst, size_t room, int level, bool sum)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t ret;

	ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, sum);
	ret = ZSTD_compress2(c, dst, room, src, n);
	ZSTD_freeCCtx(c);
	return ZSTD_isError(ret) ? -1 : (long)ret;
}

static inline long lz4_make(const void *src, size_t n, void *dst, size_t room, int level, bool sum)
{
	LZ4F_preferences_t prefs = {
		.frameInfo = { .contentChecksumFlag = sum ? LZ4F_contentChecksumEnabled : 0, .contentSize = n },
		.compressionLevel = level,
	};
	size_t ret = LZ4F_compressFrame(dst, room, src, n, &prefs);

	return LZ4F_isError(ret) ? -1 : (long)ret;
}

/* A frame that is all of src. */
static inline long zstd_read(const void *src, size_t n, void *dst, size_t room)
{
	size_t ret = ZSTD_findFrameCompressedSize(src, n) == n ? ZSTD_decompress(dst, room, src, n) : (size_t)-1;

	return ZSTD_isError(ret) ? -1 : (long)ret;
}

static inline long lz4_read(const void *src, size_t n, void *dst, size_t room)
{
	size_t in = 0, out = 0, ret = 1, took, made;
	LZ4F_dctx *d;

	LZ4F_createDecompressionContext(&d, LZ4F_VERSION);
	do {
		took = n - in;
		made = room - out;
		ret = LZ4F_decompress(d, (char *)dst + out, &made, (const char *)src + in, &took, NULL);
		if (LZ4F_isError(ret))
			break;
		in += took;
		out += made;
	} while (ret && (took || made));
	LZ4F_freeDecompressionContext(d);
	return ret || in != n ? -1 : (long)out;
}

static inline long frame_make(int alg, const void *src, size_t n, void *dst, size_t room, int level, bool sum)
{
	return alg == WD_ZSTD ? zstd_make(src, n, dst, room, level, sum) : lz4_make(src, n, dst, room, level, sum);
}

static inline long frame_read(int alg, const void *src, size_t n, void *dst, size_t room)
{
	return alg == WD_ZSTD ? zstd_read(src, n, dst, room) : lz4_read(src, n, dst, room);
}

/* One request; the length of the result, or -errno. */
static inline long frame_do(handle_t h, bool comp, const void *src, size_t n, void *dst, size_t room, size_t *used)
{
	struct wd_comp_arg arg = { .src = src, .src_len = n, .dst = dst, .dst_len = &room };
	int ret = comp ? wd_compress(h, &arg) : wd_decompress(h, &arg);

	if (used)
		*used = arg.consumed;
	return ret ? ret : (long)room;
}

/* Text, noise, and a run. */
static inline void fill_mix(unsigned char *p, size_t n, unsigned int seed)
{
	fill_text(p, n, seed);
	fill_noise(p + n / 2, n / 6, seed);
	memset(p + n / 3 * 2, 0, n / 6);
}

#endif
