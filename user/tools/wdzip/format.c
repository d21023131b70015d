// SPDX-License-Identifier: Apache-2.0
/* The formats of compressed files, and how each is recognised. */
#include <string.h>

#include "wdzip.h"

#define MAGIC_BYTES 4
#define ZSTD_MAGIC 0xfd2fb528u
#define LZ4_MAGIC 0x184d2204u
#define LZ4_LEGACY 0x184c2102u
/* Frames of zstd and LZ4 that decoders skip: a number, a length, and so many bytes. */
#define SKIPPABLE 0x184d2a50u
#define SKIPPABLE_MASK 0xfffffff0u
#define SKIPPABLE_HEAD 8

const struct format formats[] = {
	[WD_ZLIB] = { .name = "zlib", .suffix = ".zz", .method = "zlib", .level = 6, .level_most = 9, .ends = 6 },
	[WD_GZIP] = { .name = "gzip", .suffix = ".gz", .method = "defla", .level = 6, .level_most = 9,
		      .ends = HEADER_BYTES + TRAILER_BYTES },
	[WD_ZSTD] = { .name = "zstd", .suffix = ".zst", .method = "zstd", .level = 3, .level_most = 19,
		      .framed = true },
	[WD_LZ4] = { .name = "lz4", .suffix = ".lz4", .method = "lz4", .level = 1, .level_most = 12, .framed = true },
};

#define FORMATS ((int)(sizeof(formats) / sizeof(formats[0])))

int format_find(const char *name)
{
	int alg;

	for (alg = 0; alg < FORMATS; alg++)
		if (formats[alg].name && !strcmp(formats[alg].name, name))
			return alg;
	return -1;
}

static __u32 number_at(const unsigned char *at)
{
	return at[0] | at[1] << 8 | at[2] << 16 | (__u32)at[3] << 24;
}

static bool is_skippable(const unsigned char *at, size_t len)
{
	return len >= MAGIC_BYTES && (number_at(at) & SKIPPABLE_MASK) == SKIPPABLE;
}

bool format_begins(int alg, const unsigned char *at, size_t len)
{
	switch (alg) {
	case WD_GZIP:
		return len >= 2 && at[0] == 0x1f && at[1] == 0x8b;
	case WD_ZLIB:
		return len >= 2 && (at[0] & 0xf) == 8 && at[0] >> 4 <= 7 && !((at[0] << 8 | at[1]) % 31);
	case WD_ZSTD:
		return is_skippable(at, len) || (len >= MAGIC_BYTES && number_at(at) == ZSTD_MAGIC);
	case WD_LZ4:
		return is_skippable(at, len) || (len >= MAGIC_BYTES && number_at(at) == LZ4_MAGIC);
	}
	return false;
}

size_t format_magic_bytes(int alg)
{
	return formats[alg].framed ? MAGIC_BYTES : 2;
}

/* Behind the frames that decoders skip, as far as it is there: which of the two formats it is. */
static int framed_recognize(const unsigned char *at, size_t len)
{
	__u64 n;

	while (is_skippable(at, len) && len >= SKIPPABLE_HEAD) {
		n = SKIPPABLE_HEAD + (__u64)number_at(at + MAGIC_BYTES);
		if (n > len)
			break;
		at += n;
		len -= n;
	}
	return format_begins(WD_ZSTD, at, len) ? WD_ZSTD : format_begins(WD_LZ4, at, len) ? WD_LZ4 : WD_ZSTD;
}

int format_recognize(int wanted, const unsigned char *at, size_t len)
{
	/* Any text may begin like zlib's format: it must be asked for. */
	if (wanted == WD_ZLIB)
		return format_begins(WD_ZLIB, at, len) ? WD_ZLIB : -1;
	if (format_begins(WD_GZIP, at, len))
		return WD_GZIP;
	if (format_begins(WD_ZSTD, at, len) || format_begins(WD_LZ4, at, len))
		return framed_recognize(at, len);
	return -1;
}

const char *format_unread(const unsigned char *at, size_t len)
{
	static const struct {
		unsigned char second;
		const char *name;
	} old[] = { { 0x9d, "compress (.Z)" }, { 0x1e, "pack" }, { 0xa0, "lzh" } };
	size_t i;

	for (i = 0; len >= 2 && at[0] == 0x1f && i < sizeof(old) / sizeof(old[0]); i++)
		if (at[1] == old[i].second)
			return old[i].name;
	return len >= MAGIC_BYTES && number_at(at) == LZ4_LEGACY ? "LZ4's legacy frames" : NULL;
}
