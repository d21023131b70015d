/* SPDX-License-Identifier: Apache-2.0 */
/* Small requests with results that are cheap to check: their data follows from a number. */
#ifndef PAYLOAD_H
#define PAYLOAD_H

#include <stdbool.h>
#include <string.h>
#include <zlib.h>
#include <linux/types.h>

#define PLAIN_MAX	200
#define STORED_HEAD	5

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

/* Fills a source of n plain bytes: as they are to compress, in a stored block to decompress. Returns its length. */
static inline unsigned int source_fill(unsigned char *src, bool compress, unsigned int n, __u64 number)
{
	if (compress) {
		plain_fill(src, n, number);
		return n;
	}
	src[0] = 1;
	src[1] = n;
	src[2] = 0;
	src[3] = ~n;
	src[4] = 0xff;
	plain_fill(src + STORED_HEAD, n, number);
	return n + STORED_HEAD;
}

static inline bool inflates_to(const unsigned char *packed, size_t packed_len, const unsigned char *plain, size_t n)
{
	z_stream z = { .next_in = (Bytef *)packed, .avail_in = packed_len };
	unsigned char out[PLAIN_MAX + 1];
	bool right;

	if (inflateInit2(&z, -15))
		return false;
	z.next_out = out;
	z.avail_out = sizeof(out);
	right = inflate(&z, Z_FINISH) == Z_STREAM_END && !z.avail_in && z.total_out == n && !memcmp(out, plain, n);
	inflateEnd(&z);
	return right;
}

/* Is this the result of that source? */
static inline bool result_right(const unsigned char *src, bool compress, unsigned int n, const unsigned char *dst, size_t len)
{
	return compress ? inflates_to(dst, len, src, n) : len == n && !memcmp(dst, src + STORED_HEAD, n);
}

#endif
