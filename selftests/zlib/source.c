// SPDX-License-Identifier: Apache-2.0
/* Random input for inflate: made by stock zlib, with all of deflate's parameters, and sometimes damaged. */
#include <stdlib.h>

#include "source.h"

/* Appends a stream of random parameters, with flushes, to the source. */
static void append_stream(struct run *r, struct source *p, const unsigned char *plain, size_t n)
{
	const struct zlib *z = &r->z[STOCK];
	struct rng *rng = &r->rng;
	size_t cut;
	z_stream s;

	run_stream(r, &s, STOCK, false);
	if (zlib_deflate_init(z, &s, rng_from(rng, -1, 9), p->bits, rng_from(rng, 6, 9),
			      rng_once_in(rng, 4) ? rng_from(rng, 0, 4) : 0) != Z_OK)
		run_fail(r, "stock zlib does not deflate");
	if (p->dict_len)
		z->deflateSetDictionary(&s, p->dict, (uInt)p->dict_len);
	s.next_out = p->bytes + p->len;
	s.avail_out = (uInt)(ROOM_BYTES - p->len);
	s.next_in = (unsigned char *)plain;
	while (n) {
		cut = rng_once_in(rng, 3) ? 1 + rng_size(rng, n - 1) : n;
		s.avail_in = (uInt)cut;
		z->deflate(&s, cut == n ? Z_NO_FLUSH : rng_from(rng, Z_NO_FLUSH, Z_FULL_FLUSH));
		n -= cut - s.avail_in;
		/* More flushes than there is room for. */
		if (s.avail_in || s.avail_out < 4096)
			break;
	}
	z->deflate(&s, Z_FINISH);
	p->len = ROOM_BYTES - s.avail_out;
	z->deflateEnd(&s);
}

static void damage(struct run *r, struct source *p)
{
	struct rng *rng = &r->rng;
	unsigned int n = (unsigned int)rng_from(rng, 1, 3);

	if (rng_once_in(rng, 5))
		p->len = rng_below(rng, p->len + 1);
	while (n-- && p->len)
		p->bytes[rng_once_in(rng, 3) ? rng_below(rng, p->len < 30 ? p->len : 30) : rng_below(rng, p->len)] ^=
			(unsigned char)(1u << rng_below(rng, 8));
}

void source_make(struct run *r, struct source *p)
{
	static const int bits[] = { 15, 15, -15, 31, 12, -12, 28, 9, -9, 25 };
	struct rng *rng = &r->rng;
	size_t n = rng_size(rng, rng_once_in(rng, 12) ? POOL_BYTES - 1 : 300000);

	p->bytes = calloc(1, ROOM_BYTES);
	run_data(r, n > SOURCE_DICT_BYTES ? n : SOURCE_DICT_BYTES);
	p->bits = bits[rng_below(rng, 10)];
	p->dict = r->pool;
	p->dict_len = p->bits < 16 && rng_once_in(rng, 6) ? 1 + rng_size(rng, SOURCE_DICT_BYTES - 1) : 0;
	append_stream(r, p, r->pool, n);
	if (rng_once_in(rng, 5))
		append_stream(r, p, r->pool, rng_size(rng, 5000));
	if (rng_once_in(rng, 5) && p->len < ROOM_BYTES - 100)
		p->len += rng_below(rng, 100);
	if (rng_once_in(rng, 3))
		damage(r, p);
}
