// SPDX-License-Identifier: Apache-2.0
/* Whole streams. A device decompresses one, or zlib does from its beginning: zlib reports what is wrong with data. */
#include <stdint.h>

#include "config.h"
#include "inflate.h"
#include "stats.h"
#include "stored.h"

#define FDICT		0x20
#define HEAD_BYTES	1024	/* of gzip, with a name */
#define LEAST		1024	/* bytes that are worth a request */

/* A window of 32 KiB at most, and no dictionary. */
static bool zlib_head(const unsigned char *at)
{
	return (at[0] & 0xf) == Z_DEFLATED && at[0] >> 4 <= MAX_WBITS - 8 && !(at[1] & FDICT) &&
	       (at[0] << 8 | at[1]) % 31 == 0;
}

static bool gzip_head(const unsigned char *at)
{
	return at[0] == 0x1f && at[1] == 0x8b;
}

bool wdz_head_alg(enum wdz_format format, const unsigned char *at, size_t len, enum wd_comp_alg_type *alg)
{
	if (len < 2)
		return false;
	*alg = format == WDZ_FORMAT_RAW ? WD_DEFLATE_RAW : gzip_head(at) ? WD_GZIP : WD_ZLIB;
	if (*alg == WD_ZLIB)
		return format != WDZ_FORMAT_GZIP && zlib_head(at);
	return *alg == WD_DEFLATE_RAW || format != WDZ_FORMAT_ZLIB;
}

/* zlib decompresses in place if the input is at the end of the room. A device may write before it fails. */
static bool overlaps(const struct wd_comp_arg *arg, size_t room)
{
	uintptr_t src = (uintptr_t)arg->src, dst = (uintptr_t)arg->dst;

	return src < dst + room && dst < src + arg->src_len;
}

bool wdz_whole(enum wdz_format format, struct wd_comp_arg *arg, enum wd_comp_alg_type *alg)
{
	size_t room = *arg->dst_len;

	if (room < wdz_config()->min || !arg->src || !arg->dst || overlaps(arg, room))
		return false;
	/* A caller may offer more than the stream: compressed data is hardly longer than its output. */
	if (arg->src_len > wdz_stored_bytes(room) + HEAD_BYTES)
		arg->src_len = wdz_stored_bytes(room) + HEAD_BYTES;
	if (arg->src_len < LEAST || !wdz_head_alg(format, arg->src, arg->src_len, alg) || !wdz_library())
		return false;
	if (!wdz_decompress(*alg, arg))
		return false;
	wdz_count(WDZ_INFLATE_DEVICE_BYTES, *arg->dst_len);
	return true;
}

static int buffer_uncompress(Bytef *dest, uLongf *dest_len, const Bytef *source, uLong *source_len, const void *caller)
{
	size_t produced = *dest_len;
	struct wd_comp_arg arg = { .src = source, .src_len = *source_len, .dst = dest, .dst_len = &produced };
	enum wd_comp_alg_type alg;
	int ret;

	if (produced && wdz_config()->inflate != WDZ_INFLATE_OFF && wdz_device_may(caller) &&
	    wdz_whole(WDZ_FORMAT_ZLIB, &arg, &alg)) {
		wdz_count(WDZ_INFLATE_STREAMS, 1);
		*dest_len = produced;
		*source_len = arg.consumed;
		return Z_OK;
	}
	ret = zlib_uncompress2(dest, dest_len, source, source_len);
	wdz_count_for(caller, WDZ_INFLATE_STREAMS, 1);
	wdz_count_for(caller, WDZ_INFLATE_ZLIB_BYTES, *dest_len);
	return ret;
}

PUBLIC int ZEXPORT uncompress2(Bytef *dest, uLongf *dest_len, const Bytef *source, uLong *source_len)
{
	return buffer_uncompress(dest, dest_len, source, source_len, __builtin_return_address(0));
}

PUBLIC int ZEXPORT uncompress(Bytef *dest, uLongf *dest_len, const Bytef *source, uLong source_len)
{
	return buffer_uncompress(dest, dest_len, source, &source_len, __builtin_return_address(0));
}
