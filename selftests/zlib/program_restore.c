// SPDX-License-Identifier: Apache-2.0
/*
 * Random calls of inflate() when devices decompress streams in several calls (WD_ZLIB_INFLATE=stream). A device takes
 * its input and gives its output at other times than zlib, but in the end everything is the same.
 */
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "source.h"

struct restoring {
	struct source source;
	unsigned char *want;		/* what stock zlib makes of it */
	z_stream stock;			/* as it was then */
	int stock_ret;
	z_stream s;
	size_t at;			/* in the source */
};

/* Everything at once, by stock zlib. */
static bool restore_stock(struct run *r, struct restoring *p)
{
	const struct zlib *z = &r->z[STOCK];
	z_stream *s = &p->stock;

	if (zlib_inflate_init(z, s, p->source.bits) != Z_OK)
		return false;
	s->next_in = p->source.bytes;
	s->avail_in = (uInt)p->source.len;
	s->next_out = p->want;
	s->avail_out = ROOM_BYTES;
	p->stock_ret = z->inflate(s, Z_SYNC_FLUSH);
	if (p->stock_ret == Z_NEED_DICT && z->inflateSetDictionary(s, p->source.dict, (uInt)p->source.dict_len) == Z_OK)
		p->stock_ret = z->inflate(s, Z_SYNC_FLUSH);
	z->inflateEnd(s);
	return true;
}

/* As after a call that zlib has ended without an error: of the output so far. */
static void same_sum(struct run *r, const struct restoring *p)
{
	const struct zlib *z = &r->z[STOCK];
	uInt n = (uInt)p->s.total_out;

	if (n && p->source.bits > 0)
		run_same(r, "adler", (long long)(p->source.bits > 15 ? z->crc32(0, p->want, n) :
						 z->adler32(1, p->want, n)), (long long)p->s.adler);
}

/* Returns false at the end of the stream. */
static bool restore_step(struct run *r, struct restoring *p, size_t n, size_t room, int flush)
{
	z_streamp s = &p->s;
	struct before b;
	int ret;

	n = n < p->source.len - p->at ? n : p->source.len - p->at;
	run_call(r, "inflate(%d) with %zu bytes of input behind %zu of %zu, %zu of room", flush, n, p->at,
		 p->source.len, room);
	run_stage(r, SHIM, s, &b, p->source.bytes + p->at, n, room);
	ret = r->z[SHIM].inflate(s, flush);
	run_staged(r, SHIM, s, &b, ret == Z_NEED_DICT);
	p->at += b.consumed;
	RUN_CHECK(r, s->total_out <= p->stock.total_out, "it has %lu bytes, stock zlib %lu", s->total_out,
		  p->stock.total_out);
	run_same_bytes(r, "the output", p->want + s->total_out - b.produced, b.produced, b.out, b.produced);
	if (ret == Z_NEED_DICT)
		return r->z[SHIM].inflateSetDictionary(s, p->source.dict, (uInt)p->source.dict_len) == Z_OK;
	if (ret == Z_STREAM_END) {
		run_same(r, "the value in the end", p->stock_ret, ret);
		run_same(r, "total_out in the end", (long long)p->stock.total_out, (long long)s->total_out);
		run_same(r, "avail_in in the end", p->stock.avail_in, (long long)(p->source.len - p->at));
		run_same(r, "adler in the end", (long long)p->stock.adler, (long long)s->adler);
		return false;
	}
	if (ret == Z_DATA_ERROR) {
		run_same(r, "the value of a call", p->stock_ret, ret);
		RUN_CHECK(r, s->msg, "there is no message");
		return false;
	}
	RUN_CHECK(r, ret == Z_OK || ret == Z_BUF_ERROR, "the value is %d", ret);
	same_sum(r, p);
	RUN_CHECK(r, ret == Z_OK || flush == Z_FINISH || (!b.consumed && !b.produced),
		  "%zu bytes consumed, %zu produced", b.consumed, b.produced);
	/* Given everything and room, it must come to an end. */
	if (n && room == ROOM_BYTES && !b.consumed && !b.produced)
		run_fail(r, "it stands still");
	return p->at < p->source.len || b.produced == room;
}

void program_restore(struct run *r)
{
	static const int flushes[] = { Z_NO_FLUSH, Z_SYNC_FLUSH, Z_NO_FLUSH, Z_SYNC_FLUSH, Z_NO_FLUSH, Z_FINISH };
	struct restoring *p = calloc(1, sizeof(*p));
	size_t in = 1 + rng_size(&r->rng, CUT_BYTES), out = 1 + rng_size(&r->rng, CUT_BYTES);
	unsigned int n = 200;
	bool more = true;

	p->want = malloc(ROOM_BYTES);
	source_make(r, &p->source);
	if (restore_stock(r, p)) {
		run_stream(r, &p->s, SHIM, rng_once_in(&r->rng, 2));
		run_call(r, "inflateInit2(%d)", p->source.bits);
		run_same(r, "the value", Z_OK, zlib_inflate_init(&r->z[SHIM], &p->s, p->source.bits));
		while (n-- && more)
			more = restore_step(r, p, rng_below(&r->rng, in + 1), rng_below(&r->rng, out + 1),
					    flushes[rng_below(&r->rng, 6)]);
		while (more)
			more = restore_step(r, p, ROOM_BYTES, ROOM_BYTES, Z_SYNC_FLUSH);
		run_call(r, "inflateEnd");
		run_same(r, "the value", Z_OK, r->z[SHIM].inflateEnd(&p->s));
	}
	free(p->source.bytes);
	free(p->want);
	free(p);
}
