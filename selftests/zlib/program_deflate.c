// SPDX-License-Identifier: Apache-2.0
/* Random calls of the functions of deflate streams. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deflate_streams.h"
#include "program.h"

typedef void step_t(struct run *r, struct deflates *p, struct deflating *d);

/* The call moves no data: the caller may have taken the output's room away. */
static void check_still(const struct run *r, const z_stream *before, const z_stream *s)
{
	RUN_CHECK(r, before->avail_in == s->avail_in && before->next_in == s->next_in, "the call has taken input");
	RUN_CHECK(r, before->avail_out == s->avail_out && before->next_out == s->next_out &&
		     before->total_out == s->total_out, "the call has produced output");
}

static void step_plain(struct run *r, struct deflates *p, struct deflating *d)
{
	deflate_step(r, p, d, Z_NO_FLUSH);
}

static void step_flush(struct run *r, struct deflates *p, struct deflating *d)
{
	static const int flushes[] = { Z_PARTIAL_FLUSH, Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_BLOCK, Z_NO_FLUSH };

	deflate_step(r, p, d, flushes[rng_below(&r->rng, 5)]);
}

/* Flushes as the documentation asks for: until there is room left. */
static void step_whole_flush(struct run *r, struct deflates *p, struct deflating *d)
{
	int flush = rng_from(&r->rng, Z_PARTIAL_FLUSH, Z_FULL_FLUSH);

	if (d->m.finishing)
		return;
	deflate_give(r, p, d, rng_below(&r->rng, p->in + 1));
	do
		deflate_offer(r, d, d->m.given_len - d->m.taken, 7 + rng_below(&r->rng, p->out + 20000), flush);
	while (!d->s[SHIM].avail_out);
}

static void step_finish(struct run *r, struct deflates *p, struct deflating *d)
{
	deflate_step(r, p, d, Z_FINISH);
}

/* Of zlib's many uses of a stream behind its end, these have a meaning; and any, if both do the same. */
static void step_behind_the_end(struct run *r, struct deflates *p, struct deflating *d)
{
	if (d->m.finishing && r->config.devices && !d->m.ended)
		return;
	if (d->m.finishing && !d->m.ended)
		d->m.blind = true;
	if (d->m.finishing)
		deflate_offer(r, d, rng_below(&r->rng, 2) ? d->m.given_len - d->m.taken : 0, rng_below(&r->rng, 100),
			      rng_from(&r->rng, Z_NO_FLUSH, Z_BLOCK));
	(void)p;
}

static void step_params(struct run *r, struct deflates *p, struct deflating *d)
{
	bool wrong = rng_once_in(&r->rng, 8);
	int level = wrong ? rng_from(&r->rng, -3, 12) : rng_from(&r->rng, -1, 9);
	int strategy = wrong ? rng_from(&r->rng, -1, 6) :
		       rng_once_in(&r->rng, 3) ? rng_from(&r->rng, 0, 4) : d->strategy;
	bool valid = level >= -1 && level <= 9 && strategy >= 0 && strategy <= 4;
	size_t offer, room = rng_below(&r->rng, p->out + 1);
	struct before b[SIDES] = { 0 };
	int side, ret[SIDES];

	if (d->m.finishing && r->config.devices)
		return;
	d->m.blind |= d->m.finishing;
	deflate_give(r, p, d, rng_below(&r->rng, 1000));
	offer = rng_below(&r->rng, d->m.given_len - d->m.taken + 1);
	run_call(r, "deflateParams(%d, %d) with %zu bytes of input behind %zu, %zu of room", level, strategy, offer,
		 d->m.taken, room);
	for (EACH_SIDE(side, d)) {
		run_stage(r, side, &d->s[side], &b[side], d->m.given + d->m.taken, offer, room);
		ret[side] = r->z[side].deflateParams(&d->s[side], level, strategy);
		run_staged(r, side, &d->s[side], &b[side], false);
	}
	if (d->exact)
		run_same(r, "the value", ret[STOCK], ret[SHIM]);
	deflate_came(r, d, b);
	if (d->m.blind)
		return;
	RUN_CHECK(r, (ret[SHIM] == Z_STREAM_ERROR) == !valid, "the value is %d", ret[SHIM]);
	RUN_CHECK(r, !valid || ret[SHIM] == Z_OK || (ret[SHIM] == Z_BUF_ERROR && !d->s[SHIM].avail_out),
		  "the value is %d", ret[SHIM]);
	d->tuned |= valid;
	d->m.started |= b[SHIM].produced;
	d->m.last = valid && d->m.last != FLUSH_NEVER ? FLUSH_UNKNOWN : d->m.last;
	d->m.flushed &= !b[SHIM].consumed;
	d->m.pending = 0;
	/* What this call has compressed may come later. */
	d->m.filled |= !d->exact;
	d->m.most = valid ? FLUSH_UNKNOWN : d->m.most;
	if (ret[SHIM] == Z_OK)
		d->strategy = strategy;
}

static void step_dictionary(struct run *r, struct deflates *p, struct deflating *d)
{
	size_t n = rng_size(&r->rng, 70000);
	const unsigned char *dict = r->pool + rng_below(&r->rng, POOL_BYTES - n);
	bool fresh = !d->m.started && !d->m.taken && !d->m.dict_set && !d->m.primed;
	bool refused = !d->m.finishing && (d->m.wrap == WRAP_GZIP || (d->m.wrap == WRAP_ZLIB && d->m.started));
	int side, ret[SIDES];
	z_stream before;

	/* In the middle of a block only zlib itself knows whether it may take a dictionary. */
	if (!fresh && !refused && !(d->m.wrap == WRAP_RAW && d->m.flushed && !d->m.finishing && !d->m.primed)) {
		if (r->config.devices)
			return;
		d->m.blind = true;
	}
	run_call(r, "deflateSetDictionary of %zu bytes", n);
	for (EACH_SIDE(side, d)) {
		before = d->s[side];
		ret[side] = r->z[side].deflateSetDictionary(&d->s[side], dict, (uInt)n);
		check_still(r, &before, &d->s[side]);
	}
	if (d->exact) {
		run_same(r, "the value", ret[STOCK], ret[SHIM]);
		run_same_stream(r, d->s);
	}
	(void)p;
	if (d->m.blind)
		return;
	/* A call without input and output may not have begun the stream. */
	if (d->m.wrap == WRAP_GZIP || d->exact || !d->m.started || d->m.taken || d->s[SHIM].total_out)
		run_same(r, "the value", refused ? Z_STREAM_ERROR : Z_OK, ret[SHIM]);
	if (ret[SHIM] != Z_OK)
		return;
	if (d->m.wrap == WRAP_ZLIB)
		run_same(r, "adler", (long long)r->z[STOCK].adler32(1, dict, (uInt)n), (long long)d->s[SHIM].adler);
	meaning_dictionary(&d->m, r, dict, n);
}

static void step_get_dictionary(struct run *r, struct deflates *p, struct deflating *d)
{
	static unsigned char dict[SIDES][1u << 16];
	uInt n[SIDES] = { 0, 0 };
	int side, ret[SIDES];

	run_call(r, "deflateGetDictionary after %zu bytes", d->m.taken);
	for (EACH_SIDE(side, d)) {
		ret[side] = r->z[side].deflateGetDictionary(&d->s[side], dict[side], &n[side]);
		RUN_CHECK(r, ret[side] == Z_OK, "the value is %d", ret[side]);
	}
	if (d->exact)
		run_same_bytes(r, "the dictionary", dict[STOCK], n[STOCK], dict[SHIM], n[SHIM]);
	if (!d->m.dict_len)
		meaning_history(&d->m, r, dict[SHIM], n[SHIM]);
	(void)p;
}

static void step_copy(struct run *r, struct deflates *p, struct deflating *d)
{
	struct deflating *copy = NULL;
	int i, side, ret[SIDES];

	for (i = 0; i < STREAMS; i++)
		if (!p->stream[i].used)
			copy = &p->stream[i];
	if (!copy)
		return;
	run_call(r, "deflateCopy after %zu bytes, to stream %td", d->m.taken, copy - p->stream);
	*copy = *d;
	for (EACH_SIDE(side, d)) {
		memset(&copy->s[side], 0, sizeof(copy->s[side]));
		ret[side] = r->z[side].deflateCopy(&copy->s[side], &d->s[side]);
		RUN_CHECK(r, ret[side] == Z_OK, "the value is %d", ret[side]);
		RUN_CHECK(r, copy->s[side].total_in == d->s[side].total_in && copy->s[side].total_out ==
			     d->s[side].total_out && copy->s[side].adler == d->s[side].adler &&
			     copy->s[side].state != d->s[side].state, "it is no copy");
	}
	meaning_copy(&copy->m, &d->m, r);
}

static void step_reset(struct run *r, struct deflates *p, struct deflating *d)
{
	/* The undocumented function keeps data that is in the stream. */
	bool keep = rng_once_in(&r->rng, 4) && !d->m.started && !d->m.blind && !d->m.dict_set && !d->m.primed;
	int side, ret[SIDES];

	if (r->config.devices && d->tuned)
		return;
	run_call(r, "deflateReset%s after %zu bytes", keep ? "Keep" : "", d->m.taken);
	for (EACH_SIDE(side, d))
		ret[side] = keep ? r->z[side].deflateResetKeep(&d->s[side]) : r->z[side].deflateReset(&d->s[side]);
	if (d->exact) {
		run_same(r, "the value", ret[STOCK], ret[SHIM]);
		run_same_stream(r, d->s);
	}
	run_same(r, "the value", Z_OK, ret[SHIM]);
	run_same(r, "total_in", 0, (long long)d->s[SHIM].total_in);
	run_same(r, "total_out", 0, (long long)d->s[SHIM].total_out);
	run_same(r, "data_type", Z_UNKNOWN, d->s[SHIM].data_type);
	run_same(r, "adler", d->m.wrap == WRAP_GZIP ? 0 : 1, (long long)d->s[SHIM].adler);
	RUN_CHECK(r, !d->s[SHIM].msg, "msg is %s", d->s[SHIM].msg);
	meaning_reset(&d->m, r);
	(void)p;
}

static void step_pending(struct run *r, struct deflates *p, struct deflating *d)
{
	unsigned int bytes[SIDES] = { 0, 0 };
	int bits[SIDES] = { 0, 0 }, side, ret;

	run_call(r, "deflatePending");
	for (EACH_SIDE(side, d)) {
		ret = r->z[side].deflatePending(&d->s[side], rng_once_in(&r->rng, 10) ? Z_NULL : &bytes[side],
						rng_once_in(&r->rng, 10) ? Z_NULL : &bits[side]);
		RUN_CHECK(r, ret == Z_OK, "the value is %d", ret);
		ret = r->z[side].deflatePending(&d->s[side], &bytes[side], &bits[side]);
	}
	if (d->exact) {
		run_same(r, "bytes", bytes[STOCK], bytes[SHIM]);
		run_same(r, "bits", bits[STOCK], bits[SHIM]);
	}
	if (d->m.blind || d->m.primed)
		return;
	RUN_CHECK(r, bits[SHIM] >= 0 && bits[SHIM] <= 7, "%d bits are pending", bits[SHIM]);
	RUN_CHECK(r, !bytes[SHIM] || d->m.filled, "%u bytes are pending, but the last call left room", bytes[SHIM]);
	RUN_CHECK(r, !bytes[SHIM] || !d->m.ended, "%u bytes are pending behind the end", bytes[SHIM]);
	d->m.pending = bytes[SHIM];
	(void)p;
}

static void step_prime(struct run *r, struct deflates *p, struct deflating *d)
{
	/* An empty block of fixed codes: three bits, and seven of its end. */
	int bits = 10, value = 2;
	int side, ret[SIDES];
	z_stream before;

	if (d->m.wrap != WRAP_RAW || d->m.started || d->m.primed || d->m.dict_set)
		return;
	run_call(r, "deflatePrime(%d, %d)", bits, value);
	for (EACH_SIDE(side, d)) {
		before = d->s[side];
		ret[side] = r->z[side].deflatePrime(&d->s[side], bits, value);
		check_still(r, &before, &d->s[side]);
	}
	if (d->exact)
		run_same(r, "the value", ret[STOCK], ret[SHIM]);
	RUN_CHECK(r, ret[SHIM] == Z_OK, "the value is %d", ret[SHIM]);
	d->m.primed = true;
	(void)p;
}

static void step_tune(struct run *r, struct deflates *p, struct deflating *d)
{
	int good = rng_from(&r->rng, 4, 32), lazy = rng_from(&r->rng, 4, 258), nice = rng_from(&r->rng, 8, 258),
	    chain = rng_from(&r->rng, 4, 500);
	z_stream before;
	int side, ret[SIDES];

	run_call(r, "deflateTune(%d, %d, %d, %d)", good, lazy, nice, chain);
	for (EACH_SIDE(side, d)) {
		before = d->s[side];
		ret[side] = r->z[side].deflateTune(&d->s[side], good, lazy, nice, chain);
		check_still(r, &before, &d->s[side]);
		run_same(r, "the value", Z_OK, ret[side]);
	}
	(void)p;
}

static void header_make(struct run *r, struct header *h)
{
	unsigned char *text[] = { h->name, h->comment };
	size_t i, n;

	memset(h, 0, sizeof(*h));
	for (i = 0; i < 2; i++) {
		n = rng_below(&r->rng, HEADER_TEXT - 1);
		memset(text[i], (int)('a' + i), n);
	}
	for (i = 0; i < HEADER_TEXT; i++)
		h->extra[i] = (unsigned char)rng_next(&r->rng);
	h->h = (gz_header){
		.text = rng_from(&r->rng, 0, 1), .time = rng_below(&r->rng, 1u << 31), .os = rng_from(&r->rng, 0, 255),
		.extra = rng_once_in(&r->rng, 2) ? h->extra : Z_NULL,
		.extra_len = (uInt)rng_below(&r->rng, HEADER_TEXT + 1),
		.name = rng_once_in(&r->rng, 2) ? h->name : Z_NULL,
		.comment = rng_once_in(&r->rng, 2) ? h->comment : Z_NULL, .hcrc = rng_from(&r->rng, 0, 1),
	};
}

static void step_header(struct run *r, struct deflates *p, struct deflating *d)
{
	struct header *h = &p->header[p->headers];
	int side, ret[SIDES];

	if (p->headers == HEADERS || d->m.started || d->m.taken)
		return;
	header_make(r, h);
	run_call(r, "deflateSetHeader");
	for (EACH_SIDE(side, d))
		ret[side] = r->z[side].deflateSetHeader(&d->s[side], &h->h);
	if (d->exact)
		run_same(r, "the value", ret[STOCK], ret[SHIM]);
	run_same(r, "the value", d->m.wrap == WRAP_GZIP ? Z_OK : Z_STREAM_ERROR, ret[SHIM]);
	if (ret[SHIM] != Z_OK)
		return;
	p->headers++;
	d->m.header = h;
}

/* The bound that stock zlib has for such a stream. */
static uLong stock_bound(struct run *r, const struct deflating *d, uLong n)
{
	uLong bound = 0;
	z_stream s;

	run_stream(r, &s, STOCK, false);
	if (zlib_deflate_init(&r->z[STOCK], &s, d->level, d->bits, d->memory, Z_DEFAULT_STRATEGY) != Z_OK)
		run_fail(r, "stock zlib does not deflate");
	if (d->m.header)
		r->z[STOCK].deflateSetHeader(&s, (gz_headerp)&d->m.header->h);
	bound = r->z[STOCK].deflateBound(&s, n);
	r->z[STOCK].deflateEnd(&s);
	return bound;
}

/* Everything in one call, in exactly as much room as deflateBound() asks for. */
static void step_bound(struct run *r, struct deflates *p, struct deflating *d)
{
	size_t n = rng_size(&r->rng, p->limit);
	bool fresh = !d->m.started && !d->m.taken && !d->m.given_len && !d->m.primed && !d->tuned;
	uLong bound[SIDES] = { 0, 0 };
	int side, ret;
	bool few;

	run_call(r, "deflateBound(%zu)", n);
	for (EACH_SIDE(side, d))
		bound[side] = r->z[side].deflateBound(&d->s[side], n);
	if (d->exact)
		run_same(r, "the bound", (long long)bound[STOCK], (long long)bound[SHIM]);
	else if (fresh && !d->m.dict_len)
		run_same(r, "the bound", (long long)stock_bound(r, d, n), (long long)bound[SHIM]);
	if (!fresh || d->m.blind || rng_once_in(&r->rng, 2))
		return;
	n = deflate_give(r, p, d, n);
	ret = deflate_offer(r, d, n, r->z[SHIM].deflateBound(&d->s[SHIM], n), Z_FINISH);
	/* zlib itself needs more for a few bytes in small windows, and devices get as little in tests only. */
	few = n < 64 && (!d->exact || d->memory != 8 || (d->bits != 15 && d->bits != -15 && d->bits != 31));
	RUN_CHECK(r, few || ret == Z_STREAM_END, "the value with as much room as deflateBound() asked for is %d", ret);
}

/* Calls that are errors whatever the stream is. Returns how many are not refused. */
static int not_refused(const struct zlib *z, z_streamp s, const struct before *b)
{
	z_stream moved, other = { 0 };
	unsigned int bytes;
	int bits, n = 0;

	s->next_out = Z_NULL;
	n += z->deflate(s, Z_NO_FLUSH) != Z_STREAM_ERROR;
	s->next_out = b->out;
	n += z->deflate(s, -1) != Z_STREAM_ERROR;
	n += z->deflate(s, Z_BLOCK + 1) != Z_STREAM_ERROR;
	s->next_in = Z_NULL;
	n += z->deflate(s, Z_NO_FLUSH) != Z_STREAM_ERROR;
	s->next_in = b->in;
	n += z->deflateParams(s, 10, 0) != Z_STREAM_ERROR;
	n += z->deflateSetDictionary(s, Z_NULL, 10) != Z_STREAM_ERROR;
	n += z->deflateCopy(Z_NULL, s) != Z_STREAM_ERROR;
	n += z->inflate(s, Z_NO_FLUSH) != Z_STREAM_ERROR;
	n += z->inflateReset(s) != Z_STREAM_ERROR;
	n += z->inflateEnd(s) != Z_STREAM_ERROR;
	/* A z_stream must stay where it is. */
	moved = *s;
	n += z->deflate(&moved, Z_NO_FLUSH) != Z_STREAM_ERROR;
	n += z->deflateReset(&moved) != Z_STREAM_ERROR;
	n += z->deflatePending(&moved, &bytes, &bits) != Z_STREAM_ERROR;
	n += z->deflatePrime(&moved, 1, 1) != Z_STREAM_ERROR;
	n += z->deflateTune(&moved, 8, 8, 8, 8) != Z_STREAM_ERROR;
	n += z->deflateSetHeader(&moved, Z_NULL) != Z_STREAM_ERROR;
	n += z->deflateGetDictionary(&moved, Z_NULL, Z_NULL) != Z_STREAM_ERROR;
	n += z->deflateCopy(&other, &moved) != Z_STREAM_ERROR;
	n += z->deflateEnd(&moved) != Z_STREAM_ERROR;
	n += z->deflate(&other, Z_FINISH) != Z_STREAM_ERROR;
	n += z->deflateReset(&other) != Z_STREAM_ERROR;
	n += z->deflateEnd(&other) != Z_STREAM_ERROR;
	n += z->deflate(Z_NULL, Z_FINISH) != Z_STREAM_ERROR;
	n += z->deflateEnd(Z_NULL) != Z_STREAM_ERROR;
	return n;
}

static void step_wrong(struct run *r, struct deflates *p, struct deflating *d)
{
	struct before b;
	int side;

	run_call(r, "wrong calls");
	for (EACH_SIDE(side, d)) {
		run_stage(r, side, &d->s[side], &b, "x", 1, 10);
		run_same(r, "how many wrong calls are not refused", 0, not_refused(&r->z[side], &d->s[side], &b));
		run_staged(r, side, &d->s[side], &b, false);
		RUN_CHECK(r, !b.consumed && !b.produced, "wrong calls have consumed %zu and produced %zu bytes",
			  b.consumed, b.produced);
	}
	(void)p;
}

/* How often each step comes in a hundred, in quiet programs and in wild ones. */
static const struct {
	struct weight weight;
	step_t *step;
} steps[] = {
	{ { 80, 36 }, step_plain },
	{ { 0, 8 }, step_flush },
	{ { 16, 8 }, step_whole_flush },
	{ { 2, 4 }, step_finish },
	{ { 0, 3 }, step_behind_the_end },
	{ { 0, 7 }, step_params },
	{ { 0, 6 }, step_dictionary },
	{ { 0, 4 }, step_get_dictionary },
	{ { 0, 3 }, step_copy },
	{ { 1, 5 }, step_reset },
	{ { 0, 4 }, step_pending },
	{ { 0, 1 }, step_prime },
	{ { 0, 1 }, step_tune },
	{ { 0, 3 }, step_header },
	{ { 1, 5 }, step_bound },
	{ { 0, 2 }, step_wrong },
};

#define STEPS	(sizeof(steps) / sizeof(steps[0]))

static void end_all(struct run *r, struct deflates *p)
{
	struct deflating *d;

	for (d = p->stream; d < p->stream + STREAMS; d++) {
		if (!d->used)
			continue;
		r->place->stream = (unsigned int)(d - p->stream);
		if (!rng_once_in(&r->rng, 5) && !d->m.blind)
			deflate_finish(r, p, d);
		deflate_drop(r, d);
	}
}

void program_deflate(struct run *r)
{
	struct deflates *p = calloc(1, sizeof(*p));
	bool wild = rng_once_in(&r->rng, 2);
	unsigned int n = (unsigned int)rng_from(&r->rng, 1, 150);
	struct deflating *d;

	p->limit = 1 + rng_size(&r->rng, rng_once_in(&r->rng, 12) ? POOL_BYTES - 1 : 400000);
	p->in = 1 + rng_size(&r->rng, CUT_BYTES);
	p->out = 1 + rng_size(&r->rng, CUT_BYTES);
	run_data(r, POOL_BYTES);
	while (n--) {
		r->place->stream = (unsigned int)rng_below(&r->rng, wild ? STREAMS : 1);
		d = &p->stream[r->place->stream];
		if (!d->used)
			deflate_begin(r, d);
		else if (wild && rng_once_in(&r->rng, 60))
			deflate_drop(r, d);
		else
			steps[run_pick(r, &steps[0].weight, sizeof(steps[0]), STEPS, wild)].step(r, p, d);
	}
	end_all(r, p);
	free(p);
}
