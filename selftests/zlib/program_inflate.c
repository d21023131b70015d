// SPDX-License-Identifier: Apache-2.0
/*
 * Random calls of the functions of inflate streams. Whatever decompresses, everything that a caller can see is the same
 * as with stock zlib.
 */
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "source.h"

#define STREAMS		3
#define HOLD_BYTES	(1u << 16)	/* more than a window */

struct inflating {
	bool used, counted;
	int bits;
	z_stream s[SIDES];
	size_t at;			/* in the source */
	struct header head[SIDES];	/* where inflateGetHeader() writes */
	bool has_head;
	int last;			/* value of inflate() */
};

struct inflates {
	struct inflating stream[STREAMS];
	struct source source;
	size_t in, out;			/* cuts, as a rule */
};

typedef void step_t(struct run *r, struct inflates *p, struct inflating *d);

static void compare(struct run *r, struct inflating *d, const int ret[SIDES])
{
	const gz_header *a = &d->head[STOCK].h, *b = &d->head[SHIM].h;

	run_same(r, "the value", ret[STOCK], ret[SHIM]);
	run_same_stream(r, d->s);
	if (!d->has_head)
		return;
	run_same(r, "done of the header", a->done, b->done);
	run_same(r, "text of the header", a->text, b->text);
	run_same(r, "time of the header", (long long)a->time, (long long)b->time);
	run_same(r, "xflags of the header", a->xflags, b->xflags);
	run_same(r, "os of the header", a->os, b->os);
	run_same(r, "hcrc of the header", a->hcrc, b->hcrc);
	run_same(r, "extra_len of the header", a->extra_len, b->extra_len);
	run_same(r, "the header has fields", !a->extra + 2 * !a->name + 4 * !a->comment,
		 !b->extra + 2 * !b->name + 4 * !b->comment);
	run_same_bytes(r, "the extra field", d->head[STOCK].extra, HEADER_TEXT, d->head[SHIM].extra, HEADER_TEXT);
	run_same_bytes(r, "the name", d->head[STOCK].name, HEADER_TEXT, d->head[SHIM].name, HEADER_TEXT);
	run_same_bytes(r, "the comment", d->head[STOCK].comment, HEADER_TEXT, d->head[SHIM].comment, HEADER_TEXT);
}

static void inflate_begin(struct run *r, struct inflates *p, struct inflating *d)
{
	struct rng *rng = &r->rng;
	unsigned int refuse = rng_once_in(rng, 30) ? 1 : 0;
	int side, ret[SIDES];

	memset(d, 0, sizeof(*d));
	d->counted = rng_once_in(rng, 2);
	d->bits = !rng_once_in(rng, 8) ? p->source.bits :
		  rng_once_in(rng, 2) ? rng_from(rng, 40, 47) : rng_from(rng, -17, 50);
	run_call(r, "inflateInit2(%d)%s of %zu bytes made with %d", d->bits, d->counted ? " with zalloc" : "",
		 p->source.len, p->source.bits);
	for (side = STOCK; side < SIDES; side++) {
		run_stream(r, &d->s[side], side, d->counted);
		r->heap[side].refuse = d->counted ? refuse : 0;
		ret[side] = zlib_inflate_init(&r->z[side], &d->s[side], d->bits);
		r->heap[side].refuse = 0;
	}
	compare(r, d, ret);
	d->used = ret[SHIM] == Z_OK;
	d->at = rng_once_in(rng, 20) ? rng_below(rng, p->source.len + 1) : 0;
}

static void inflate_drop(struct run *r, struct inflating *d)
{
	int side, ret[SIDES];

	run_call(r, "inflateEnd");
	for (side = STOCK; side < SIDES; side++)
		ret[side] = r->z[side].inflateEnd(&d->s[side]);
	d->has_head = false;
	compare(r, d, ret);
	d->used = false;
}

static void offer(struct run *r, struct inflates *p, struct inflating *d, size_t n, size_t room, int flush)
{
	struct before b[SIDES];
	int side, ret[SIDES];

	n = n < p->source.len - d->at ? n : p->source.len - d->at;
	run_call(r, "inflate(%d) with %zu bytes of input behind %zu of %zu, %zu of room", flush, n, d->at,
		 p->source.len, room);
	for (side = STOCK; side < SIDES; side++) {
		run_stage(r, side, &d->s[side], &b[side], p->source.bytes + d->at, n, room);
		ret[side] = r->z[side].inflate(&d->s[side], flush);
		run_staged(r, side, &d->s[side], &b[side], ret[side] == Z_NEED_DICT);
	}
	compare(r, d, ret);
	run_same_bytes(r, "the output", b[STOCK].out, b[STOCK].produced, b[SHIM].out, b[SHIM].produced);
	d->at += b[SHIM].consumed;
	d->last = ret[SHIM];
}

static size_t cut(struct run *r, size_t usual)
{
	return rng_once_in(&r->rng, 10) ? rng_size(&r->rng, CUT_BYTES) : rng_below(&r->rng, usual + 1);
}

static void step_plain(struct run *r, struct inflates *p, struct inflating *d)
{
	offer(r, p, d, cut(r, p->in), cut(r, p->out), rng_once_in(&r->rng, 4) ? Z_SYNC_FLUSH : Z_NO_FLUSH);
}

static void step_flush(struct run *r, struct inflates *p, struct inflating *d)
{
	offer(r, p, d, cut(r, p->in), cut(r, p->out), rng_from(&r->rng, Z_NO_FLUSH, Z_TREES));
}

/* The rest in one call, in more, just as much, or less room than it takes. */
static void step_whole(struct run *r, struct inflates *p, struct inflating *d)
{
	struct rng *rng = &r->rng;

	offer(r, p, d, rng_once_in(rng, 8) ? cut(r, p->in) : p->source.len,
	      rng_once_in(rng, 3) ? rng_size(rng, ROOM_BYTES) : ROOM_BYTES,
	      rng_once_in(rng, 6) ? Z_SYNC_FLUSH : Z_FINISH);
}

static void step_reset(struct run *r, struct inflates *p, struct inflating *d)
{
	int kind = rng_from(&r->rng, 0, 3), bits = rng_once_in(&r->rng, 2) ? d->bits : rng_from(&r->rng, -17, 50);
	int side, ret[SIDES];

	run_call(r, "reset %d, %d", kind, bits);
	for (side = STOCK; side < SIDES; side++)
		ret[side] = kind == 0 ? r->z[side].inflateReset2(&d->s[side], bits) :
			    kind == 1 ? r->z[side].inflateResetKeep(&d->s[side]) : r->z[side].inflateReset(&d->s[side]);
	compare(r, d, ret);
	d->has_head = false;
	/* The next stream, or this one again. */
	if (rng_once_in(&r->rng, 2))
		d->at = 0;
	(void)p;
}

static void step_dictionary(struct run *r, struct inflates *p, struct inflating *d)
{
	size_t n = rng_once_in(&r->rng, 4) ? rng_size(&r->rng, SOURCE_DICT_BYTES) : p->source.dict_len;
	int side, ret[SIDES];

	run_call(r, "inflateSetDictionary of %zu bytes", n);
	for (side = STOCK; side < SIDES; side++)
		ret[side] = r->z[side].inflateSetDictionary(&d->s[side], p->source.dict, (uInt)n);
	compare(r, d, ret);
	d->last = Z_OK;
}

static void step_get_dictionary(struct run *r, struct inflates *p, struct inflating *d)
{
	static unsigned char dict[SIDES][HOLD_BYTES];
	uInt n[SIDES] = { 0, 0 };
	int side, ret[SIDES];

	run_call(r, "inflateGetDictionary");
	for (side = STOCK; side < SIDES; side++)
		ret[side] = r->z[side].inflateGetDictionary(&d->s[side], dict[side], &n[side]);
	compare(r, d, ret);
	run_same_bytes(r, "the dictionary", dict[STOCK], n[STOCK], dict[SHIM], n[SHIM]);
	(void)p;
}

static void step_copy(struct run *r, struct inflates *p, struct inflating *d)
{
	struct inflating *copy = NULL;
	int i, side, ret[SIDES];

	for (i = 0; i < STREAMS; i++)
		if (!p->stream[i].used)
			copy = &p->stream[i];
	/* A copy writes to the same header. */
	if (!copy || d->has_head)
		return;
	run_call(r, "inflateCopy to stream %td", copy - p->stream);
	*copy = *d;
	for (side = STOCK; side < SIDES; side++) {
		memset(&copy->s[side], 0, sizeof(copy->s[side]));
		ret[side] = r->z[side].inflateCopy(&copy->s[side], &d->s[side]);
	}
	compare(r, copy, ret);
}

static void step_sync(struct run *r, struct inflates *p, struct inflating *d)
{
	size_t n = cut(r, p->in);
	struct before b[SIDES];
	int side, ret[SIDES];

	n = n < p->source.len - d->at ? n : p->source.len - d->at;
	run_call(r, "inflateSync with %zu bytes behind %zu", n, d->at);
	for (side = STOCK; side < SIDES; side++) {
		run_stage(r, side, &d->s[side], &b[side], p->source.bytes + d->at, n, 0);
		ret[side] = r->z[side].inflateSync(&d->s[side]);
		run_staged(r, side, &d->s[side], &b[side], false);
	}
	compare(r, d, ret);
	d->at += b[SHIM].consumed;
}

/* What asks about the stream, or changes how it goes on, in one call. */
static void step_ask(struct run *r, struct inflates *p, struct inflating *d)
{
	int what = rng_from(&r->rng, 0, 6), bits = rng_from(&r->rng, -2, 20), value = (int)rng_below(&r->rng, 1u << 16);
	int check = rng_from(&r->rng, 0, 1), side, ret[SIDES];

	run_call(r, "question %d (%d, %d)", what, bits, value);
	for (side = STOCK; side < SIDES; side++) {
		const struct zlib *z = &r->z[side];
		z_streamp s = &d->s[side];

		ret[side] = what == 0 ? (int)z->inflateMark(s) : what == 1 ? z->inflateSyncPoint(s) :
			    what == 2 ? (int)z->inflateCodesUsed(s) : what == 3 ? z->inflateUndermine(s, check) :
			    what == 4 ? z->inflateValidate(s, check) : what == 5 ? (int)(z->inflateMark(s) >> 16) :
			    z->inflatePrime(s, bits, value);
	}
	compare(r, d, ret);
	(void)p;
}

static void step_header(struct run *r, struct inflates *p, struct inflating *d)
{
	unsigned int max = (unsigned int)rng_below(&r->rng, HEADER_TEXT + 1);
	bool extra = rng_once_in(&r->rng, 2), name = rng_once_in(&r->rng, 2), comment = rng_once_in(&r->rng, 2);
	int side, ret[SIDES];

	/* The stream may be writing to it. */
	if (d->has_head)
		return;
	run_call(r, "inflateGetHeader");
	for (side = STOCK; side < SIDES; side++) {
		struct header *h = &d->head[side];

		memset(h, 0, sizeof(*h));
		h->h = (gz_header){ .extra = extra ? h->extra : Z_NULL, .extra_max = max,
				    .name = name ? h->name : Z_NULL, .name_max = max,
				    .comment = comment ? h->comment : Z_NULL, .comm_max = max };
		ret[side] = r->z[side].inflateGetHeader(&d->s[side], &h->h);
	}
	d->has_head = ret[SHIM] == Z_OK;
	compare(r, d, ret);
	(void)p;
}

static void step_wrong(struct run *r, struct inflates *p, struct inflating *d)
{
	int side, ret[SIDES];

	run_call(r, "wrong calls");
	for (side = STOCK; side < SIDES; side++) {
		const struct zlib *z = &r->z[side];
		z_stream moved, other = { 0 };
		struct before b;

		run_stage(r, side, &d->s[side], &b, "x", 1, 10);
		d->s[side].next_out = Z_NULL;
		ret[side] = z->inflate(&d->s[side], Z_NO_FLUSH) == Z_STREAM_ERROR;
		d->s[side].next_out = b.out;
		d->s[side].next_in = Z_NULL;
		ret[side] += z->inflate(&d->s[side], Z_NO_FLUSH) == Z_STREAM_ERROR;
		d->s[side].next_in = b.in;
		moved = d->s[side];
		ret[side] += z->inflate(&moved, Z_NO_FLUSH) == Z_STREAM_ERROR;
		ret[side] += z->inflateReset(&moved) == Z_STREAM_ERROR;
		ret[side] += z->inflateEnd(&moved) == Z_STREAM_ERROR;
		ret[side] += z->inflateEnd(&other) == Z_STREAM_ERROR;
		ret[side] += z->inflateCopy(&other, &moved) == Z_STREAM_ERROR;
		ret[side] += z->deflate(&d->s[side], Z_FINISH) == Z_STREAM_ERROR;
		ret[side] += z->deflateEnd(&d->s[side]) == Z_STREAM_ERROR;
		ret[side] += z->inflate(Z_NULL, Z_FINISH) == Z_STREAM_ERROR;
		RUN_CHECK(r, ret[side] == 10, "only %d of 10 wrong calls are refused", ret[side]);
		run_staged(r, side, &d->s[side], &b, false);
	}
	compare(r, d, ret);
	(void)p;
}

/* In a hundred, in quiet programs and in wild ones. */
static const struct {
	struct weight weight;
	step_t *step;
} steps[] = {
	{ { 50, 33 }, step_plain },
	{ { 0, 15 }, step_flush },
	{ { 50, 10 }, step_whole },
	{ { 0, 6 }, step_reset },
	{ { 0, 3 }, step_dictionary },
	{ { 0, 6 }, step_get_dictionary },
	{ { 0, 3 }, step_copy },
	{ { 0, 3 }, step_sync },
	{ { 0, 14 }, step_ask },
	{ { 0, 5 }, step_header },
	{ { 0, 2 }, step_wrong },
};

#define STEPS	(sizeof(steps) / sizeof(steps[0]))

/* What a program does when inflate() ends or asks for something. */
static step_t *answer(struct run *r, int last)
{
	if (last == Z_NEED_DICT && !rng_once_in(&r->rng, 8))
		return step_dictionary;
	if ((last == Z_STREAM_END || last == Z_DATA_ERROR) && !rng_once_in(&r->rng, 3))
		return step_reset;
	return last == Z_DATA_ERROR && rng_once_in(&r->rng, 2) ? step_sync : NULL;
}

void program_inflate(struct run *r)
{
	struct inflates *p = calloc(1, sizeof(*p));
	bool wild = rng_once_in(&r->rng, 2);
	unsigned int n = (unsigned int)rng_from(&r->rng, 1, 150);
	struct inflating *d;
	step_t *step;

	p->in = 1 + rng_size(&r->rng, CUT_BYTES);
	p->out = 1 + rng_size(&r->rng, CUT_BYTES);
	source_make(r, &p->source);
	while (n--) {
		r->place->stream = (unsigned int)rng_below(&r->rng, wild ? STREAMS : 1);
		d = &p->stream[r->place->stream];
		if (!d->used) {
			inflate_begin(r, p, d);
			continue;
		}
		step = answer(r, d->last);
		if (!step)
			step = steps[run_pick(r, &steps[0].weight, sizeof(steps[0]), STEPS, wild)].step;
		step(r, p, d);
	}
	for (d = p->stream; d < p->stream + STREAMS; d++)
		if (d->used)
			inflate_drop(r, d);
	free(p->source.bytes);
	free(p);
}
