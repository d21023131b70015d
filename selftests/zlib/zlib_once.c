// SPDX-License-Identifier: Apache-2.0
/*
 * A program that compresses and decompresses once, and ends as programs do: what it reads from its environment and
 * writes at its end is tested from outside. What it compresses it also decompresses, with inflate().
 *
 * zlib_once LIBRARY deflate LEVEL BYTES [CUT] | uncompress BYTES | again RESET BYTES | back BYTES | nothing
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streams.h"

static int deflate_once(const struct zlib *z, int level, size_t n, size_t cut)
{
	struct bytes in = bytes_of(DATA_TEXT, n), out;
	struct how how = HOW(level, 15);
	bool ok;

	how.cut = cut;
	out = squeeze(z, &how, in.p, n);
	ok = out.len && restores(z, 15, &out, in.p, n);
	printf("%zu\n", out.len);
	bytes_free(&in);
	bytes_free(&out);
	return !ok;
}

static int uncompress_once(const struct zlib *z, size_t n)
{
	struct bytes in = bytes_of(DATA_TEXT, n);
	uLong len = z->compressBound(n), back = n;
	unsigned char *out = malloc(len), *got = malloc(n + 1);
	/* Level 9 is no device's, so only the way back counts. */
	bool ok = z->compress2(out, &len, in.p, n, 9) == Z_OK && z->uncompress(got, &back, out, len) == Z_OK &&
		  back == n && !memcmp(in.p, got, n);

	free(out);
	free(got);
	bytes_free(&in);
	return !ok;
}

static int reset_by(const struct zlib *z, const char *name, z_streamp s)
{
	return !strcmp(name, "inflateReset") ? z->inflateReset(s) : !strcmp(name, "inflateResetKeep") ?
	       z->inflateResetKeep(s) : !strcmp(name, "inflateReset2") ? z->inflateReset2(s, 15) : Z_ERRNO;
}

/* Decompresses a stream in one call, and after a reset again in small pieces, and does not end it. */
static int again_once(const struct zlib *z, const char *reset, size_t n)
{
	static z_stream s;
	struct bytes in = bytes_of(DATA_TEXT, n), out = squeeze(z, &HOW(9, 15), in.p, n);
	unsigned char *got = malloc(n);
	bool ok = zlib_inflate_init(z, &s, 15) == Z_OK;
	int ret = Z_OK;

	s.next_in = out.p;
	s.avail_in = (uInt)out.len;
	s.next_out = got;
	s.avail_out = (uInt)n;
	ok = ok && z->inflate(&s, Z_FINISH) == Z_STREAM_END && reset_by(z, reset, &s) == Z_OK;
	s.next_in = out.p;
	s.next_out = got;
	s.avail_out = (uInt)n;
	while (ok && ret == Z_OK) {
		s.avail_in = 1000;
		ret = z->inflate(&s, Z_NO_FLUSH);
	}
	ok = ok && ret == Z_STREAM_END && !memcmp(in.p, got, n);
	free(got);
	bytes_free(&in);
	bytes_free(&out);
	return !ok;
}

static unsigned int back_in(void *bytes, z_const unsigned char **at)
{
	struct bytes *b = bytes;
	unsigned int n = (unsigned int)b->len;

	*at = b->p;
	b->len = 0;
	return n;
}

static int back_out(void *bytes, unsigned char *at, unsigned int n)
{
	bytes_add(bytes, at, n);
	return 0;
}

static int back_once(const struct zlib *z, size_t n)
{
	static unsigned char window[1u << 15];
	struct bytes in = bytes_of(DATA_TEXT, n), out = squeeze(z, &HOW(9, -15), in.p, n), got = { 0 };
	z_stream s = { 0 };
	bool ok = z->inflateBackInit_(&s, 15, window, ZLIB_VERSION, (int)sizeof(s)) == Z_OK &&
		  z->inflateBack(&s, back_in, &out, back_out, &got) == Z_STREAM_END && z->inflateBackEnd(&s) == Z_OK &&
		  got.len == n && !memcmp(in.p, got.p, n);

	bytes_free(&in);
	bytes_free(&out);
	bytes_free(&got);
	return !ok;
}

int main(int argc, char **argv)
{
	struct zlib z;

	if (argc < 3)
		return 2;
	zlib_open(&z, argv[1]);
	if (!strcmp(argv[2], "deflate") && argc > 4)
		return deflate_once(&z, atoi(argv[3]), strtoull(argv[4], NULL, 0),
				    argc > 5 ? strtoull(argv[5], NULL, 0) : 0);
	if (!strcmp(argv[2], "uncompress") && argc > 3)
		return uncompress_once(&z, strtoull(argv[3], NULL, 0));
	if (!strcmp(argv[2], "again") && argc > 4)
		return again_once(&z, argv[3], strtoull(argv[4], NULL, 0));
	if (!strcmp(argv[2], "back") && argc > 3)
		return back_once(&z, strtoull(argv[3], NULL, 0));
	return strcmp(argv[2], "nothing") ? 2 : 0;
}
