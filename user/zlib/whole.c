// SPDX-License-Identifier: Apache-2.0
/* Whole streams, which a device decompresses or zlib from the beginning: what is wrong with data is zlib's to say. */
#include "config.h"
#include "inflate.h"
#include "stats.h"

#define FDICT	0x20

/* A window of 32 KiB at most, and no dictionary. */
static bool zlib_head(const unsigned char *at)
{
	return (at[0] & 0xf) == Z_DEFLATED && at[0] >> 4 <= MAX_WBITS - 8 && !(at[1] & FDICT) && (at[0] << 8 | at[1]) % 31 == 0;
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

bool wdz_whole(enum wdz_format format, struct wd_comp_arg *arg)
{
	enum wd_comp_alg_type alg;
	handle_t sess;

	if (arg->src_len < wdz_config()->min || !wdz_head_alg(format, arg->src, arg->src_len, &alg) || !wdz_library())
		return false;
	sess = wdz_session_whole(alg);
	if (!sess || wdz_decompress(sess, arg))
		return false;
	wdz_count(WDZ_INFLATE_DEVICE_BYTES, *arg->dst_len);
	return true;
}

PUBLIC int ZEXPORT uncompress2(Bytef *dest, uLongf *dest_len, const Bytef *source, uLong *source_len)
{
	size_t produced = *dest_len;
	struct wd_comp_arg arg = { .src = source, .src_len = *source_len, .dst = dest, .dst_len = &produced };

	if (produced && wdz_config()->inflate != WDZ_INFLATE_OFF && wdz_device_may(__builtin_return_address(0)) &&
	    wdz_whole(WDZ_FORMAT_ZLIB, &arg)) {
		wdz_count(WDZ_INFLATE_STREAMS, 1);
		wdz_count(WDZ_INFLATE_ZLIB_BYTES, produced);
		*dest_len = produced;
		*source_len = arg.consumed;
		return Z_OK;
	}
	return twin_uncompress2(dest, dest_len, source, source_len);
}

PUBLIC int ZEXPORT uncompress(Bytef *dest, uLongf *dest_len, const Bytef *source, uLong source_len)
{
	return uncompress2(dest, dest_len, source, &source_len);
}
