// SPDX-License-Identifier: Apache-2.0
/* Direct calls: libdeflate for whole buffers, zlib for streams, ISA-L for both where it is the fastest. */
#include <errno.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef HAVE_ISAL
#include <isa-l/igzip_lib.h>
#endif
#include "bench.h"
#include "direct.h"

struct direct {
	char name[24];
	size_t (*run)(struct direct *d, const unsigned char *src, size_t size, unsigned char *dst, size_t room);
	struct libdeflate_compressor *comp;
	struct libdeflate_decompressor *decomp;
	z_stream z;
#ifdef HAVE_ISAL
	struct isal_zstream isal;
	struct inflate_state isal_in;
	int isal_level;
	unsigned char isal_buf[ISAL_DEF_LVL3_DEFAULT];
#endif
};

static size_t good(size_t n, const char *what)
{
	if (!n)
		die(what, -EIO);
	return n;
}

static size_t libdeflate_pack(struct direct *d, const unsigned char *src, size_t size, unsigned char *dst, size_t room)
{
	return good(libdeflate_deflate_compress(d->comp, src, size, dst, room), "libdeflate_deflate_compress");
}

static size_t libdeflate_unpack(struct direct *d, const unsigned char *src, size_t size, unsigned char *dst,
				size_t room)
{
	size_t in, out = 0;

	libdeflate_deflate_decompress_ex(d->decomp, src, size, dst, room, &in, &out);
	return good(out, "libdeflate_deflate_decompress_ex");
}

static size_t zlib_pack(struct direct *d, const unsigned char *src, size_t size, unsigned char *dst, size_t room)
{
	size_t at;

	deflateReset(&d->z);
	d->z.next_out = dst;
	d->z.avail_out = (uInt)room;
	for (at = 0; at < size; at += PIECE) {
		d->z.next_in = (Bytef *)src + at;
		d->z.avail_in = (uInt)(size - at < PIECE ? size - at : PIECE);
		if (deflate(&d->z, at + PIECE >= size ? Z_FINISH : Z_NO_FLUSH) < 0)
			die("deflate", -EIO);
	}
	return d->z.total_out;
}

static void use_libdeflate(struct direct *d, int level)
{
	if (level > 12)
		level = 12;
	if (level) {
		d->run = libdeflate_pack;
		d->comp = libdeflate_alloc_compressor(level);
		snprintf(d->name, sizeof(d->name), "libdeflate-%d", level);
	} else {
		d->run = libdeflate_unpack;
		d->decomp = libdeflate_alloc_decompressor();
		strcpy(d->name, "libdeflate");
	}
}

#ifdef HAVE_ISAL
static size_t isal_pack(struct direct *d, const unsigned char *src, size_t size, unsigned char *dst, size_t room)
{
	struct isal_zstream *z = &d->isal;

	isal_deflate_stateless_init(z);
	z->level = (uint32_t)d->isal_level;
	z->level_buf = d->isal_buf;
	z->level_buf_size = d->isal_level == 1 ? ISAL_DEF_LVL1_DEFAULT : ISAL_DEF_LVL3_DEFAULT;
	z->end_of_stream = 1;
	z->next_in = (uint8_t *)src;
	z->avail_in = (uint32_t)size;
	z->next_out = dst;
	z->avail_out = (uint32_t)room;
	return good(isal_deflate_stateless(z) == COMP_OK ? z->total_out : 0, "isal_deflate_stateless");
}

static size_t isal_pack_stream(struct direct *d, const unsigned char *src, size_t size, unsigned char *dst, size_t room)
{
	struct isal_zstream *z = &d->isal;
	size_t at;

	isal_deflate_init(z);
	z->level = (uint32_t)d->isal_level;
	z->level_buf = d->isal_buf;
	z->level_buf_size = d->isal_level == 1 ? ISAL_DEF_LVL1_DEFAULT : ISAL_DEF_LVL3_DEFAULT;
	z->next_out = dst;
	z->avail_out = (uint32_t)room;
	for (at = 0; at < size; at += PIECE) {
		z->next_in = (uint8_t *)src + at;
		z->avail_in = (uint32_t)(size - at < PIECE ? size - at : PIECE);
		z->end_of_stream = at + PIECE >= size;
		if (isal_deflate(z) != COMP_OK)
			die("isal_deflate", -EIO);
	}
	return z->total_out;
}

static size_t isal_unpack_stream(struct direct *d, const unsigned char *src, size_t size, unsigned char *dst,
				 size_t room)
{
	struct inflate_state *z = &d->isal_in;
	size_t at;

	isal_inflate_init(z);
	z->next_out = dst;
	z->avail_out = (uint32_t)room;
	for (at = 0; at < size; at += PIECE) {
		z->next_in = (uint8_t *)src + at;
		z->avail_in = (uint32_t)(size - at < PIECE ? size - at : PIECE);
		if (isal_inflate(z))
			die("isal_inflate", -EIO);
	}
	return z->total_out;
}

static bool use_isal(struct direct *d, int level, bool stream)
{
	if (level > (stream ? 3 : 1) || (!level && !stream))
		return false;
	d->isal_level = level == 3 ? 3 : 1;
	d->run = !level ? isal_unpack_stream : stream ? isal_pack_stream : isal_pack;
	if (level)
		snprintf(d->name, sizeof(d->name), "isal-%d", d->isal_level);
	else
		strcpy(d->name, "isal");
	return true;
}
#else
static bool use_isal(struct direct *d, int level, bool stream)
{
	(void)d, (void)level, (void)stream;
	return false;
}
#endif

static size_t zlib_unpack(struct direct *d, const unsigned char *src, size_t size, unsigned char *dst, size_t room)
{
	size_t at;

	inflateReset(&d->z);
	d->z.next_out = dst;
	d->z.avail_out = (uInt)room;
	for (at = 0; at < size; at += PIECE) {
		d->z.next_in = (Bytef *)src + at;
		d->z.avail_in = (uInt)(size - at < PIECE ? size - at : PIECE);
		if (inflate(&d->z, Z_NO_FLUSH) < 0)
			die("inflate", -EIO);
	}
	return d->z.total_out;
}

static void use_zlib(struct direct *d, int level)
{
	int ret;

	if (level > 9)
		level = 9;
	d->run = level ? zlib_pack : zlib_unpack;
	ret = level ? deflateInit2(&d->z, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) : inflateInit2(&d->z, -15);
	if (ret != Z_OK)
		die("zlib", -ENOMEM);
	if (level)
		snprintf(d->name, sizeof(d->name), "zlib-%d", level);
	else
		strcpy(d->name, "zlib");
}

struct direct *direct_open(int level, bool stream)
{
	struct direct *d = calloc(1, sizeof(*d));

	if (!d)
		die("direct_open", -ENOMEM);
	if (use_isal(d, level, stream))
		return d;
	if (stream)
		use_zlib(d, level);
	else
		use_libdeflate(d, level);
	return d;
}

void direct_close(struct direct *d)
{
	libdeflate_free_compressor(d->comp);
	libdeflate_free_decompressor(d->decomp);
	if (d->run == zlib_pack)
		deflateEnd(&d->z);
	else if (d->run == zlib_unpack)
		inflateEnd(&d->z);
	free(d);
}

const char *direct_name(const struct direct *d)
{
	return d->name;
}

size_t direct_run(struct direct *d, const unsigned char *src, size_t size, unsigned char *dst, size_t room)
{
	return d->run(d, src, size, dst, room);
}
