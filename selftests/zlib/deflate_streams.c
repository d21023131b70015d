// SPDX-License-Identifier: Apache-2.0
/* Deflate streams of both libraries: their beginning, the data through them, their end. */
#include <stdlib.h>
#include <string.h>

#include "deflate_streams.h"

#define FINISH_ROOM	(64u << 10)

bool deflate_exact(const struct run *r, int level, int bits, int strategy)
{
	int size = bits < 0 ? -bits : bits;

	level = level == Z_DEFAULT_COMPRESSION ? 6 : level;
	return !r->config.devices || level < r->config.lo || level > r->config.hi || !level ||
	       strategy != Z_DEFAULT_STRATEGY || size < 12;
}

static int any_bits(struct rng *rng)
{
	static const int most[] = { 15, 15, 15, -15, 31, 31 };
	int bits;

	if (!rng_once_in(rng, 3))
		return most[rng_below(rng, 6)];
	bits = rng_from(rng, 8, 15);
	return rng_once_in(rng, 3) ? bits : rng_once_in(rng, 2) ? -bits : bits + 16;
}

/* One of ten has parameters that may be wrong. */
static void any_parameters(struct run *r, struct deflating *d)
{
	struct rng *rng = &r->rng;

	d->level = rng_once_in(rng, 3) ? rng_from(rng, -1, 9) : rng_from(rng, 1, 6);
	d->bits = any_bits(rng);
	d->memory = rng_once_in(rng, 3) ? rng_from(rng, 1, 9) : 8;
	d->strategy = rng_once_in(rng, 5) ? rng_from(rng, 0, 4) : Z_DEFAULT_STRATEGY;
	if (!rng_once_in(rng, 10))
		return;
	d->level = rng_from(rng, -3, 11);
	d->bits = rng_from(rng, -17, 50);
	d->memory = rng_from(rng, -1, 11);
	d->strategy = rng_from(rng, -1, 6);
}

void deflate_begin(struct run *r, struct deflating *d)
{
	unsigned int refuse = rng_once_in(&r->rng, 30) ? (unsigned int)rng_from(&r->rng, 1, 6) : 0;
	int side, ret[SIDES] = { 0, 0 };

	any_parameters(r, d);
	d->exact = deflate_exact(r, d->level, d->bits, d->strategy);
	d->counted = rng_once_in(&r->rng, 2);
	d->tuned = false;
	run_call(r, "deflateInit2(%d, %d, %d, %d)%s%s", d->level, d->bits, d->memory, d->strategy,
		 d->counted ? " with zalloc" : "", d->exact ? "" : ", for devices");
	for (side = STOCK; side < SIDES; side++) {
		run_stream(r, &d->s[side], side, d->counted);
		r->heap[side].refuse = d->counted && d->exact ? refuse : 0;
		ret[side] = zlib_deflate_init(&r->z[side], &d->s[side], d->level, d->bits, d->memory, d->strategy);
		r->heap[side].refuse = 0;
	}
	run_same(r, "the value", ret[STOCK], ret[SHIM]);
	run_same_stream(r, d->s);
	if (ret[SHIM] != Z_OK)
		return;
	d->used = true;
	if (!d->exact)
		r->z[STOCK].deflateEnd(&d->s[STOCK]);
	meaning_open(&d->m, r, d->bits < 0 ? WRAP_RAW : d->bits > 15 ? WRAP_GZIP : WRAP_ZLIB);
}

void deflate_drop(struct run *r, struct deflating *d)
{
	int side, ret[SIDES];

	run_call(r, "deflateEnd after %zu bytes", d->m.taken);
	for (EACH_SIDE(side, d)) {
		ret[side] = r->z[side].deflateEnd(&d->s[side]);
		RUN_CHECK(r, !d->s[side].state, "state is not NULL");
	}
	if (d->exact)
		run_same(r, "the value", ret[STOCK], ret[SHIM]);
	meaning_ended(&d->m, r, ret[SHIM]);
	meaning_close(&d->m, r);
	d->used = false;
}

size_t deflate_give(struct run *r, struct deflates *p, struct deflating *d, size_t n)
{
	struct meaning *m = &d->m;
	size_t at;

	if (m->finishing || m->given_len >= p->limit)
		return 0;
	if (n > p->limit - m->given_len)
		n = p->limit - m->given_len;
	/* From where it ended, as a rule. */
	at = rng_once_in(&r->rng, 8) ? rng_below(&r->rng, POOL_BYTES - n + 1) : m->given_len;
	memcpy(m->given + m->given_len, r->pool + at, n);
	m->given_len += n;
	return n;
}

void deflate_came(struct run *r, struct deflating *d, const struct before b[SIDES])
{
	if (d->exact) {
		run_same_bytes(r, "the output", b[STOCK].out, b[STOCK].produced, b[SHIM].out, b[SHIM].produced);
		run_same_stream(r, d->s);
	}
	meaning_output(&d->m, r, &b[SHIM], &d->s[SHIM]);
}

int deflate_offer(struct run *r, struct deflating *d, size_t offer, size_t room, int flush)
{
	const unsigned char *in = d->m.given + d->m.taken;
	struct before b[SIDES] = { 0 };
	int side, ret[SIDES];

	run_call(r, "deflate(%d) with %zu bytes of input behind %zu, %zu of room", flush, offer, d->m.taken, room);
	for (EACH_SIDE(side, d)) {
		run_stage(r, side, &d->s[side], &b[side], in, offer, room);
		ret[side] = r->z[side].deflate(&d->s[side], flush);
		run_staged(r, side, &d->s[side], &b[side], false);
	}
	if (d->exact)
		run_same(r, "the value", ret[STOCK], ret[SHIM]);
	deflate_came(r, d, b);
	meaning_deflate(&d->m, r, &b[SHIM], &d->s[SHIM], flush, ret[SHIM]);
	return ret[SHIM];
}

/* As large as usual in this program, or of any size. */
static size_t cut(struct run *r, size_t usual)
{
	return rng_once_in(&r->rng, 10) ? rng_size(&r->rng, CUT_BYTES) : rng_below(&r->rng, usual + 1);
}

void deflate_step(struct run *r, struct deflates *p, struct deflating *d, int flush)
{
	size_t left;

	deflate_give(r, p, d, cut(r, p->in));
	left = d->m.given_len - d->m.taken;
	if (d->m.finishing)
		flush = Z_FINISH;
	/* With Z_FINISH zlib wants to get everything. */
	if (flush != Z_FINISH && rng_once_in(&r->rng, 4))
		left = rng_below(&r->rng, left + 1);
	deflate_offer(r, d, left, cut(r, p->out), flush);
}

void deflate_finish(struct run *r, struct deflates *p, struct deflating *d)
{
	size_t room;

	while (!d->m.ended) {
		room = cut(r, p->out);
		deflate_offer(r, d, d->m.given_len - d->m.taken,
			      room > FINISH_ROOM || rng_once_in(&r->rng, 4) ? room : FINISH_ROOM, Z_FINISH);
		if (d->m.blind)
			return;
	}
}
