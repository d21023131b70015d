// SPDX-License-Identifier: Apache-2.0
/*
 * The model's inflate: cut anywhere, with its state saved and loaded between the pieces, it gives zlib's result for the
 * whole. Or its state is changed meanwhile: run() must survive any state that load() accepts.
 * Input: flags, seed of the cuts (4 bytes), raw deflate.
 */
#include <errno.h>
#include <zlib.h>

#include "feed.h"
#include "inflate.h"

#define OUT_MAX		(64u << 10)
#define OUT_MAX_SMALL	4096u	/* when cut into small pieces, as each copies its history */
#define WINDOW		32768u

enum flag {
	FLAG_TRAILER = 3,	/* 0, 4 or 8 bytes of trailer */
	FLAG_TINY = 4,		/* pieces of some bytes */
	FLAG_CHANGED = 8,	/* the saved state is changed */
};

struct stream {
	const uint8_t *in;
	size_t len, at;
	uint8_t *out;
	uint32_t made;
	uint32_t seed, most, out_max;
	uint32_t trailer_bytes;
	bool changed;
	struct wdm_inflate *inf;
};

/* One request: input and room of exactly these sizes, no more history than the state mentions. */
static enum wdm_inflate_result request(struct stream *s, size_t len, uint32_t room)
{
	struct wdm_inflate *inf = s->inf;
	uint32_t valid = inf->valid, n;
	enum wdm_inflate_result why;
	uint8_t *in, *out;

	in = exactly(s->in + s->at, len);
	out = malloc(valid + room + !(valid + room));
	MUST(out);
	memset(out, 0, valid);
	n = valid < s->made ? valid : s->made;
	memcpy(out + valid - n, s->out + s->made - n, n);
	inf->in = in;
	inf->in_len = (u32)len;
	inf->in_used = 0;
	inf->out = out;
	inf->pos = valid;
	inf->limit = valid + room;
	why = wdm_inflate_run(inf);
	MUST(inf->pos >= valid && inf->pos <= inf->limit && inf->in_used <= len);
	MUST(why != WDM_INF_NEED_OUT || inf->pos == inf->limit);
	MUST(why != WDM_INF_NEED_IN || inf->in_used == len);
	memcpy(s->out + s->made, out + valid, inf->pos - valid);
	s->made += inf->pos - valid;
	s->at += inf->in_used;
	if (why == WDM_INF_NEED_OUT || why == WDM_INF_END)
		s->at -= wdm_inflate_unread(inf, inf->in_used);
	free(in);
	free(out);
	return why;
}

static void change(uint8_t *saved, uint32_t *seed)
{
	uint32_t n;

	for (n = drawn(seed, 4); n; n--)
		saved[drawn(seed, 3) ? drawn(seed, 96) :
		      drawn(seed, WDM_INFLATE_SAVED)] = (uint8_t)drawn(seed, drawn(seed, 2) ? 256 : 16);
}

/* What a saved state may suffer in memory: nothing, or changes by its user. */
static bool save_and_load(struct stream *s)
{
	uint8_t *saved = malloc(WDM_INFLATE_SAVED);
	struct wdm_inflate *next = malloc(sizeof(*next));
	int ret;

	MUST(saved && next);
	memset(next, 0xa5, sizeof(*next));
	/* Any bit pattern is a valid integer, but not each is a valid bool. */
	next->final = next->fixed = false;
	wdm_inflate_save(s->inf, saved);
	if (s->changed)
		change(saved, &s->seed);
	ret = wdm_inflate_load(next, saved, s->trailer_bytes);
	MUST(s->changed || !ret, "a state in mode %u is not loaded: %d", s->inf->mode, ret);
	free(saved);
	free(s->inf);
	s->inf = next;
	return !ret;
}

static enum wdm_inflate_result in_pieces(struct stream *s)
{
	enum wdm_inflate_result why = WDM_INF_NEED_IN;
	uint32_t room, idle = 0;
	size_t before, len;

	s->inf = calloc(1, sizeof(*s->inf));
	MUST(s->inf);
	wdm_inflate_start(s->inf, s->trailer_bytes);
	for (;;) {
		len = drawn(&s->seed, s->most + 1);
		if (len > s->len - s->at)
			len = s->len - s->at;
		room = drawn(&s->seed, 4 * s->most + 1);
		if (room > s->out_max - s->made)
			room = s->out_max - s->made;
		before = s->at;
		why = request(s, len, room);
		if (why == WDM_INF_END || why == WDM_INF_BAD)
			break;
		if ((why == WDM_INF_NEED_IN && s->at == s->len) || s->made == s->out_max)
			break;
		/* A run with input, or with room for pending output, makes progress. */
		idle = len && room && s->at == before && !s->made ? idle + 1 : 0;
		MUST(idle < 1000);
		if (!save_and_load(s))
			break;
	}
	return why;
}

struct reference {
	uint8_t *out;
	int ret;
	size_t used;
	uint32_t made;
};

static void by_zlib(struct reference *r, const uint8_t *in, size_t len)
{
	z_stream z = { .next_in = (Bytef *)in, .avail_in = (uInt)len };

	z.next_out = r->out;
	z.avail_out = OUT_MAX;
	MUST(inflateInit2(&z, -15) == Z_OK);
	r->ret = inflate(&z, Z_SYNC_FLUSH);
	r->used = z.total_in;
	r->made = (uint32_t)z.total_out;
	inflateEnd(&z);
}

/* zlib reads the codes of a block before it judges the lengths' own code. */
static bool bad_later(const uint8_t *in, size_t len, struct reference *r)
{
	uint8_t *longer = calloc(1, len + 512);
	uint32_t made = r->made;

	MUST(longer);
	memcpy(longer, in, len);
	by_zlib(r, longer, len + 512);
	free(longer);
	return r->ret == Z_DATA_ERROR && r->made == made;
}

static void compare(struct stream *s, enum wdm_inflate_result why, struct reference *r)
{
	bool ended = why == WDM_INF_END || (why == WDM_INF_NEED_IN && s->inf->mode == WDM_INF_TRAILER);
	uint32_t n = s->made < r->made ? s->made : r->made;

	by_zlib(r, s->in, s->len);
	n = s->made < r->made ? s->made : r->made;
	MUST(!memcmp(s->out, r->out, n), "output differs");
	if (s->made == s->out_max || r->made == OUT_MAX)
		return;
	if (why == WDM_INF_BAD && r->ret != Z_DATA_ERROR)
		MUST(bad_later(s->in, s->len, r));
	MUST((why == WDM_INF_BAD) == (r->ret == Z_DATA_ERROR), "model %d mode %u, zlib %d", why, s->inf->mode, r->ret);
	MUST(ended == (r->ret == Z_STREAM_END), "model %d mode %u, zlib %d", why, s->inf->mode, r->ret);
	MUST(s->made == r->made, "model %u bytes, zlib %u", s->made, r->made);
	if (why != WDM_INF_END)
		return;
	MUST(s->at == r->used + s->trailer_bytes, "model %zu bytes, zlib %zu", s->at, r->used);
	MUST(!memcmp(s->inf->trailer, s->in + r->used, s->trailer_bytes));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t trailers[] = { 0, 4, 8, 0 };
	struct feed f = { data, size };
	uint8_t flags = feed_u8(&f);
	struct stream s = {
		.seed = feed_u32(&f), .trailer_bytes = trailers[flags & FLAG_TRAILER], .changed = flags & FLAG_CHANGED
	};
	struct reference r = { 0 };
	enum wdm_inflate_result why;
	uint8_t *in;

	s.most = flags & FLAG_TINY ? 1 + drawn(&s.seed, 8) : 1 + drawn(&s.seed, 4096);
	s.out_max = s.most < 256 ? OUT_MAX_SMALL : OUT_MAX;
	in = exactly(f.at, f.left);
	s.in = in;
	s.len = f.left;
	s.out = malloc(OUT_MAX);
	r.out = malloc(OUT_MAX);
	MUST(s.out && r.out);
	why = in_pieces(&s);
	if (!s.changed)
		compare(&s, why, &r);
	free(s.inf);
	free(s.out);
	free(r.out);
	free(in);
	return 0;
}
