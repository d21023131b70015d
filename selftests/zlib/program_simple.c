// SPDX-License-Identifier: Apache-2.0
/* Random calls of the functions without a stream: a buffer at once, checksums, inflateBack(). */
#include <stdlib.h>
#include <string.h>

#include "deflate_streams.h"
#include "program.h"

#define WINDOW_BYTES	(1u << 15)

/* Compresses with one library; returns the value. */
static int compress_with(const struct zlib *z, unsigned char *out, uLongf *len, const unsigned char *in, uLong n,
			 int level)
{
	return level == -2 ? z->compress(out, len, in, n) : z->compress2(out, len, in, n, level);
}

/* The room for n bytes: what compressBound() asks for, more, less, or exactly what it takes. */
static uLong any_room(struct run *r, const unsigned char *in, size_t n, int level)
{
	uLong bound = r->z[STOCK].compressBound(n), exact = ROOM_BYTES;

	switch (rng_below(&r->rng, 6)) {
	case 0:
		return rng_below(&r->rng, bound);
	case 1:
		compress_with(&r->z[SHIM], r->out[SHIM], &exact, in, n, level);
		return exact - (exact && rng_once_in(&r->rng, 2));
	case 2:
		return ROOM_BYTES;
	default:
		return bound;
	}
}

static void simple_compress(struct run *r, const unsigned char *in, size_t n)
{
	int level = rng_once_in(&r->rng, 3) ? -2 : rng_from(&r->rng, -1, 9), side, ret[SIDES];
	bool exact = deflate_exact(r, level == -2 ? Z_DEFAULT_COMPRESSION : level, 15, Z_DEFAULT_STRATEGY) ||
		     n < r->config.min;
	uLong room = any_room(r, in, n, level), len[SIDES], back = n;

	run_call(r, "compress2 of %zu bytes, level %d, %lu bytes of room", n, level, room);
	for (side = STOCK; side < SIDES; side++) {
		len[side] = room;
		ret[side] = compress_with(&r->z[side], r->out[side], &len[side], in, n, level);
	}
	if (exact) {
		run_same(r, "the value", ret[STOCK], ret[SHIM]);
		run_same_bytes(r, "the output", r->out[STOCK], len[STOCK], r->out[SHIM], len[SHIM]);
	}
	RUN_CHECK(r, ret[SHIM] == Z_OK || (ret[SHIM] == Z_BUF_ERROR && room < r->z[STOCK].compressBound(n)),
		  "the value is %d", ret[SHIM]);
	RUN_CHECK(r, len[SHIM] <= room, "%lu bytes in a room of %lu", len[SHIM], room);
	if (ret[SHIM] != Z_OK)
		return;
	run_same(r, "the value of stock uncompress()", Z_OK,
		 r->z[STOCK].uncompress(r->in[STOCK], &back, r->out[SHIM], len[SHIM]));
	run_same_bytes(r, "what came back", in, n, r->in[STOCK], back);
}

static void simple_uncompress(struct run *r, const unsigned char *in, size_t n)
{
	uLong len = ROOM_BYTES, room[SIDES], taken[SIDES];
	int side, ret[SIDES], kind = rng_from(&r->rng, 0, 5);
	bool two = rng_once_in(&r->rng, 2);
	uLong any = rng_size(&r->rng, n);

	r->z[STOCK].compress2(r->in[STOCK], &len, in, n, rng_from(&r->rng, 0, 9));
	if (rng_once_in(&r->rng, 4))
		r->in[STOCK][rng_below(&r->rng, len)] ^= (unsigned char)(1 + rng_below(&r->rng, 255));
	len -= rng_once_in(&r->rng, 6) ? rng_size(&r->rng, len) : 0;
	len += rng_once_in(&r->rng, 6) ? rng_below(&r->rng, 50) : 0;
	any = kind == 0 ? any : kind == 1 ? n + 1 : kind == 2 && n ? n - 1 : kind == 3 ? ROOM_BYTES : n;
	run_call(r, "uncompress%s of %lu bytes to %zu, %lu bytes of room", two ? "2" : "", len, n, any);
	for (side = STOCK; side < SIDES; side++) {
		room[side] = any;
		taken[side] = len;
		ret[side] = two ? r->z[side].uncompress2(r->out[side], &room[side], r->in[STOCK], &taken[side]) :
				  r->z[side].uncompress(r->out[side], &room[side], r->in[STOCK], len);
	}
	run_same(r, "the value", ret[STOCK], ret[SHIM]);
	run_same_bytes(r, "the output", r->out[STOCK], room[STOCK], r->out[SHIM], room[SHIM]);
	run_same(r, "sourceLen", (long long)taken[STOCK], (long long)taken[SHIM]);
}

static void simple_sums(struct run *r, const unsigned char *in, size_t n)
{
	uLong a[SIDES], c[SIDES], more = rng_size(&r->rng, 1u << 30);
	int side;

	run_call(r, "checksums of %zu bytes", n);
	for (side = STOCK; side < SIDES; side++) {
		const struct zlib *z = &r->z[side];

		a[side] = z->adler32(z->adler32_z(z->adler32(0, Z_NULL, 0), in, n), in, (uInt)(n / 2));
		a[side] = z->adler32_combine(a[side], z->adler32(1, in, (uInt)n), (z_off_t)more);
		c[side] = z->crc32(z->crc32_z(z->crc32(0, Z_NULL, 0), in, n), in, (uInt)(n / 2));
		c[side] = z->crc32_combine(c[side], z->crc32(0, in, (uInt)n), (z_off_t)more);
		c[side] ^= z->crc32_combine_op(c[side], c[side] ^ 1, z->crc32_combine_gen((z_off_t)more));
		a[side] ^= z->compressBound(n) ^ z->zlibCompileFlags();
	}
	run_same(r, "Adler-32, compressBound, zlibCompileFlags", (long long)a[STOCK], (long long)a[SHIM]);
	run_same(r, "CRC-32", (long long)c[STOCK], (long long)c[SHIM]);
	run_same_bytes(r, "the CRC's table", r->z[STOCK].get_crc_table(), 1024, r->z[SHIM].get_crc_table(), 1024);
	run_same_text(r, "the version", r->z[STOCK].zlibVersion(), r->z[SHIM].zlibVersion());
	run_same_text(r, "an error's text", r->z[STOCK].zError(-(int)(n % 7)), r->z[SHIM].zError(-(int)(n % 7)));
}

void program_simple(struct run *r)
{
	static void (*const calls[])(struct run *, const unsigned char *, size_t) = {
		simple_compress, simple_compress, simple_uncompress, simple_uncompress, simple_sums
	};
	size_t n = rng_size(&r->rng, rng_once_in(&r->rng, 12) ? POOL_BYTES : 300000);
	unsigned int i = (unsigned int)rng_from(&r->rng, 1, 6);

	run_data(r, n);
	while (i--)
		calls[rng_below(&r->rng, 5)](r, r->pool, rng_once_in(&r->rng, 3) ? rng_size(&r->rng, n) : n);
}

/* What inflateBack() calls: input in cuts, output until the limit. */
struct callbacks {
	unsigned char *in, *out;
	size_t len, at, cut, came, limit;
};

static unsigned int back_in(void *p, z_const unsigned char **buf)
{
	struct callbacks *c = p;
	size_t n = c->cut < c->len - c->at ? c->cut : c->len - c->at;

	*buf = c->in + c->at;
	c->at += n;
	return (unsigned int)n;
}

static int back_out(void *p, unsigned char *buf, unsigned int n)
{
	struct callbacks *c = p;

	if (c->came + n > c->limit)
		return 1;
	memcpy(c->out + c->came, buf, n);
	c->came += n;
	return 0;
}

static size_t back_source(struct run *r, size_t n)
{
	z_stream s;

	run_stream(r, &s, STOCK, false);
	if (zlib_deflate_init(&r->z[STOCK], &s, rng_from(&r->rng, 0, 9), -15, 8, rng_from(&r->rng, 0, 4)) != Z_OK)
		run_fail(r, "stock zlib does not deflate");
	s.next_in = r->pool;
	s.avail_in = (uInt)n;
	s.next_out = r->in[STOCK];
	s.avail_out = ROOM_BYTES;
	r->z[STOCK].deflate(&s, Z_FINISH);
	n = s.total_out;
	r->z[STOCK].deflateEnd(&s);
	if (rng_once_in(&r->rng, 3))
		r->in[STOCK][rng_below(&r->rng, n)] ^= (unsigned char)(1u << rng_below(&r->rng, 8));
	return rng_once_in(&r->rng, 5) ? rng_below(&r->rng, n + 1) : n;
}

static void back_once(struct run *r, z_stream s[SIDES], size_t len, size_t first, size_t cut, size_t limit)
{
	struct callbacks c[SIDES];
	int side, ret[SIDES];

	run_call(r, "inflateBack of %zu bytes, %zu at first, then %zu at a time, to at most %zu", len, first, cut,
		 limit);
	for (side = STOCK; side < SIDES; side++) {
		c[side] = (struct callbacks){ .in = r->in[STOCK], .out = r->out[side], .len = len, .at = first,
					      .cut = cut, .limit = limit };
		s[side].next_in = first ? r->in[STOCK] : Z_NULL;
		s[side].avail_in = (uInt)first;
		ret[side] = r->z[side].inflateBack(&s[side], back_in, &c[side], back_out, &c[side]);
	}
	run_same(r, "the value", ret[STOCK], ret[SHIM]);
	run_same(r, "avail_in", s[STOCK].avail_in, s[SHIM].avail_in);
	run_same(r, "next_in", s[STOCK].next_in ? s[STOCK].next_in - r->in[STOCK] : -1,
		 s[SHIM].next_in ? s[SHIM].next_in - r->in[STOCK] : -1);
	run_same_text(r, "msg", s[STOCK].msg, s[SHIM].msg);
	run_same(r, "input taken", (long long)c[STOCK].at, (long long)c[SHIM].at);
	run_same_bytes(r, "the output", c[STOCK].out, c[STOCK].came, c[SHIM].out, c[SHIM].came);
}

void program_back(struct run *r)
{
	unsigned char *window[SIDES] = { malloc(WINDOW_BYTES), malloc(WINDOW_BYTES) };
	int bits = rng_once_in(&r->rng, 8) ? rng_from(&r->rng, 7, 16) : 15, side, ret[SIDES], i;
	size_t n = rng_size(&r->rng, 300000), len;
	z_stream s[SIDES];

	run_data(r, n);
	run_call(r, "inflateBackInit(%d)", bits);
	for (side = STOCK; side < SIDES; side++) {
		run_stream(r, &s[side], side, true);
		ret[side] = r->z[side].inflateBackInit_(&s[side], bits, window[side], ZLIB_VERSION,
							(int)sizeof(z_stream));
	}
	run_same(r, "the value", ret[STOCK], ret[SHIM]);
	for (i = 0; ret[SHIM] == Z_OK && i < 3; i++) {
		len = back_source(r, n);
		back_once(r, s, len, rng_once_in(&r->rng, 3) ? rng_below(&r->rng, len + 1) : 0,
			  1 + rng_size(&r->rng, 100000),
			  rng_once_in(&r->rng, 4) ? rng_below(&r->rng, n + 1) : ROOM_BYTES);
	}
	for (side = STOCK; ret[SHIM] == Z_OK && side < SIDES; side++)
		run_same(r, "the value of inflateBackEnd", Z_OK, r->z[side].inflateBackEnd(&s[side]));
	free(window[STOCK]);
	free(window[SHIM]);
}
