// SPDX-License-Identifier: Apache-2.0
/* inflateBack() is zlib's alone, since it asks for its input and gives its output by callbacks. Here it is counted. */
#include "config.h"
#include "stats.h"
#include "zlib_own.h"

/* The caller's callback for output, and what it has got. */
struct counted {
	out_func out;
	void *out_desc;
	uint64_t bytes;
};

static int counted_out(void *desc, unsigned char *at, unsigned int len)
{
	struct counted *c = desc;

	c->bytes += len;
	return c->out(c->out_desc, at, len);
}

PUBLIC int ZEXPORT inflateBackInit_(z_streamp strm, int window_bits, unsigned char *window, const char *version,
				    int stream_size)
{
	int ret = zlib_inflateBackInit_(strm, window_bits, window, version, stream_size);

	wdz_config();
	if (ret == Z_OK)
		wdz_count_for(__builtin_return_address(0), WDZ_INFLATE_STREAMS, 1);
	return ret;
}

PUBLIC int ZEXPORT inflateBack(z_streamp strm, in_func in, void *in_desc, out_func out, void *out_desc)
{
	struct counted c = { .out = out, .out_desc = out_desc };
	int ret;

	if (!wdz_counting)
		return zlib_inflateBack(strm, in, in_desc, out, out_desc);
	ret = zlib_inflateBack(strm, in, in_desc, counted_out, &c);
	wdz_count_for(__builtin_return_address(0), WDZ_INFLATE_ZLIB_BYTES, c.bytes);
	return ret;
}
