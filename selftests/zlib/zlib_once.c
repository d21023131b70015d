// SPDX-License-Identifier: Apache-2.0
/*
 * A program that compresses and decompresses once, and ends as programs do: what it reads from its environment and writes at
 * its end is tested from outside. What it compresses it also decompresses, with inflate().
 *
 * zlib_once LIBRARY deflate LEVEL BYTES [CUT] | uncompress BYTES | nothing
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
	bool ok = z->compress2(out, &len, in.p, n, 9) == Z_OK && z->uncompress(got, &back, out, len) == Z_OK && back == n &&
		  !memcmp(in.p, got, n);

	free(out);
	free(got);
	bytes_free(&in);
	return !ok;
}

int main(int argc, char **argv)
{
	struct zlib z;

	if (argc < 3)
		return 2;
	zlib_open(&z, argv[1]);
	if (!strcmp(argv[2], "deflate") && argc > 4)
		return deflate_once(&z, atoi(argv[3]), strtoull(argv[4], NULL, 0), argc > 5 ? strtoull(argv[5], NULL, 0) : 0);
	if (!strcmp(argv[2], "uncompress") && argc > 3)
		return uncompress_once(&z, strtoull(argv[3], NULL, 0));
	return strcmp(argv[2], "nothing") ? 2 : 0;
}
