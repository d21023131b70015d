// SPDX-License-Identifier: Apache-2.0
/* Whole streams: data to compressed bytes and back, with cuts, by either library. */
#include <stdlib.h>
#include <string.h>

#include "streams.h"

#define ROOM_BYTES	(1u << 20)
#define SEED		20

struct bytes bytes_of(enum data_kind kind, size_t n)
{
	struct bytes b = { .p = malloc(n + 1), .len = n, .room = n + 1 };
	struct rng rng = { .state = SEED + kind };

	data_fill(b.p, n, kind, &rng);
	return b;
}

void bytes_free(struct bytes *b)
{
	free(b->p);
	*b = (struct bytes){ 0 };
}

void bytes_add(struct bytes *b, const void *p, size_t n)
{
	if (b->room < b->len + n + 1) {
		b->room = 2 * (b->len + n + 1);
		b->p = realloc(b->p, b->room);
	}
	memcpy(b->p + b->len, p, n);
	b->len += n;
}

/* Until there is room left, or the end. */
static int squeeze_call(const struct zlib *z, z_streamp s, unsigned char *buf, size_t room, int flush,
			struct bytes *out)
{
	int ret;

	do {
		s->next_out = buf;
		s->avail_out = (uInt)room;
		ret = z->deflate(s, flush);
		bytes_add(out, buf, room - s->avail_out);
	} while (ret == Z_OK && !s->avail_out);
	return ret;
}

int squeeze_on(const struct zlib *z, z_streamp s, const struct how *how, const void *in, size_t n, int finish,
	       struct bytes *out)
{
	size_t room = how->room ? how->room : ROOM_BYTES, cut = how->cut ? how->cut : n, left = n;
	/* The library must not need the caller's input behind the call. */
	unsigned char *own = malloc(cut + 1), *buf = malloc(room);
	unsigned int calls = 0;
	int ret = Z_OK;

	while (left && ret == Z_OK) {
		cut = cut < left ? cut : left;
		memcpy(own, (const unsigned char *)in + (n - left), cut);
		left -= cut;
		s->next_in = own;
		s->avail_in = (uInt)cut;
		ret = squeeze_call(z, s, buf, room, !left && finish == Z_FINISH ? Z_FINISH :
				   how->every && ++calls % how->every == 0 ? how->flush : Z_NO_FLUSH, out);
		memset(own, 0x5c, cut);
	}
	if (!n || (finish != Z_FINISH && finish != Z_NO_FLUSH && ret == Z_OK)) {
		s->next_in = own;
		s->avail_in = 0;
		ret = squeeze_call(z, s, buf, room, finish, out);
	}
	free(own);
	free(buf);
	return ret;
}

struct bytes squeeze(const struct zlib *z, const struct how *how, const void *in, size_t n)
{
	struct bytes out = { 0 };
	z_stream s = { 0 };

	if (zlib_deflate_init(z, &s, how->level, how->bits, how->memory, how->strategy) != Z_OK)
		return out;
	if (squeeze_on(z, &s, how, in, n, Z_FINISH, &out) != Z_STREAM_END || s.total_in != n || s.total_out != out.len)
		bytes_free(&out);
	if (z->deflateEnd(&s) != Z_OK)
		bytes_free(&out);
	return out;
}

bool restores(const struct zlib *z, int bits, const struct bytes *b, const void *want, size_t n)
{
	unsigned char *buf = malloc(n + 1);
	z_stream s = { .next_in = b->p, .avail_in = (uInt)b->len, .next_out = buf, .avail_out = (uInt)n + 1 };
	bool ok = zlib_inflate_init(z, &s, bits) == Z_OK && z->inflate(&s, Z_SYNC_FLUSH) == Z_STREAM_END &&
		  !s.avail_in && s.total_out == n && !memcmp(buf, want, n);

	z->inflateEnd(&s);
	free(buf);
	return ok;
}
