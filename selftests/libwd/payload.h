/* SPDX-License-Identifier: Apache-2.0 */
/* Small requests with results that are cheap to check: their data follows from a number. */
#ifndef PAYLOAD_H
#define PAYLOAD_H

#include <stdbool.h>
#include <string.h>
#include <zlib.h>
#include <linux/types.h>
#include <wd_comp.h>

#define PLAIN_MAX	200
#define STORED_HEAD	5
#define ZLIB_HEAD	2
#define SOURCE_MAX	(ZLIB_HEAD + STORED_HEAD + PLAIN_MAX + 4)

static inline void plain_fill(unsigned char *p, unsigned int n, __u64 number)
{
	__u64 x = number * 0x9e3779b97f4a7c15ull;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (i % 8 == 0)
			x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull + i;
		p[i] = x >> i % 8 * 8;
	}
}

/*
 * Fills a source of n plain bytes: as they are to compress, in a stored block to decompress; alg: WD_ZLIB or
 * WD_DEFLATE_RAW. Returns its length, at most SOURCE_MAX.
 */
static inline unsigned int source_fill(unsigned char *src, int alg, bool compress, unsigned int n, __u64 number)
{
	unsigned char *p = src;
	uLong sum;
	int i;

	if (compress) {
		plain_fill(src, n, number);
		return n;
	}
	if (alg == WD_ZLIB) {
		*p++ = 0x78;
		*p++ = 0x01;
	}
	*p++ = 1;
	*p++ = n;
	*p++ = 0;
	*p++ = ~n;
	*p++ = 0xff;
	plain_fill(p, n, number);
	sum = adler32(1, p, n);
	p += n;
	for (i = 24; alg == WD_ZLIB && i >= 0; i -= 8)
		*p++ = sum >> i;
	return p - src;
}

static inline bool inflates_to(int alg, const unsigned char *packed, size_t packed_len, const unsigned char *plain,
			       size_t n)
{
	z_stream z = { .next_in = (Bytef *)packed, .avail_in = packed_len };
	unsigned char out[PLAIN_MAX + 1];
	bool right;

	if (inflateInit2(&z, alg == WD_ZLIB ? 15 : -15))
		return false;
	z.next_out = out;
	z.avail_out = sizeof(out);
	right = inflate(&z, Z_FINISH) == Z_STREAM_END && !z.avail_in && z.total_out == n && !memcmp(out, plain, n);
	inflateEnd(&z);
	return right;
}

/* Is this the result of that source? */
static inline bool result_right(const unsigned char *src, int alg, bool compress, unsigned int n,
				const unsigned char *dst, size_t len)
{
	if (compress)
		return inflates_to(alg, dst, len, src, n);
	return len == n && !memcmp(dst, src + STORED_HEAD + (alg == WD_ZLIB ? ZLIB_HEAD : 0), n);
}

#endif
