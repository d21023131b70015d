// SPDX-License-Identifier: Apache-2.0
/*
 * The beginning of a stream: input is collected until there is enough for a device. zlib compresses a stream that is
 * flushed or ended before: its output is the distribution's, byte for byte.
 */
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "stored.h"
#include "stream.h"

#define ASIDE_BYTES	(1u << 10)	/* a header without names, and more */
#define NARROW_LEAST	64u

/* The caller's input, while zlib has the collected one. */
struct caller {
	z_const Bytef *next_in;
	uInt avail_in;
	uLong total_in, adler;
};

static void input_lend(struct wdz_stream *s, struct caller *caller)
{
	struct wdz_part *p = wdz_part(s, s->open);
	z_streamp strm = s->strm;

	*caller = (struct caller){ strm->next_in, strm->avail_in, strm->total_in, strm->adler };
	strm->next_in = p->in + s->drained;
	strm->avail_in = (uInt)(p->in_len - s->drained);
	/* The caller's count includes the collected bytes. zlib counts them itself when it takes them. */
	strm->total_in -= strm->avail_in;
	strm->adler = s->zlib_adler;
	wdz_lend(s);
}

static void input_take_back(struct wdz_stream *s, const struct caller *caller)
{
	s->drained = wdz_part(s, s->open)->in_len - s->strm->avail_in;
	s->strm->next_in = caller->next_in;
	s->strm->avail_in = caller->avail_in;
	s->strm->total_in = caller->total_in;
	s->zlib_adler = s->strm->adler;
	s->strm->adler = caller->adler;
	wdz_take_back(s);
}

/* zlib gets the collected input that it has not taken yet. */
static int zlib_take(struct wdz_stream *s, int flush)
{
	struct caller caller;
	int ret;

	input_lend(s, &caller);
	ret = zlib_deflate(s->strm, flush);
	input_take_back(s, &caller);
	return ret;
}

/* zlib takes the rest of the collected input. There is some, or output of zlib's waits for room. */
int wdz_drain(struct wdz_stream *s, int flush)
{
	int ret;

	s->stage = WDZ_DRAIN;
	wdz_output(s, false);
	if (s->head.taken < s->head.len)
		return Z_OK;
	if (s->drained < wdz_part(s, s->open)->in_len)
		zlib_take(s, Z_NO_FLUSH);
	/* zlib doesn't know that a call that has filled its room may be repeated. */
	if (s->drained < wdz_part(s, s->open)->in_len || !s->strm->avail_out)
		return Z_OK;
	wdz_stream_to_zlib(s);
	ret = wdz_zlib_deflate(s, flush);
	return ret == Z_BUF_ERROR ? Z_OK : ret;
}

/* All of the caller's input is collected. If there is room, zlib sees one call, as the caller made it. */
static int gathered_to_zlib(struct wdz_stream *s, int flush)
{
	int ret;

	s->stage = WDZ_DRAIN;
	ret = zlib_take(s, flush);
	if (s->drained == wdz_part(s, s->open)->in_len)
		wdz_stream_to_zlib(s);
	return ret;
}

/* zlib takes all collected input; its output waits in s->head. False: no memory. */
static bool drain_aside(struct wdz_stream *s)
{
	z_streamp strm = s->strm;
	Bytef *next_out = strm->next_out;
	uInt avail_out = strm->avail_out;
	uLong total_out = strm->total_out;
	size_t room = ASIDE_BYTES + 2 * wdz_part(s, s->open)->in_len;

	s->head.at = malloc(room);
	if (!s->head.at)
		return false;
	s->stage = WDZ_DRAIN;
	strm->next_out = s->head.at;
	strm->avail_out = (uInt)room;
	zlib_take(s, Z_NO_FLUSH);
	s->head.len = room - strm->avail_out;
	strm->next_out = next_out;
	strm->avail_out = avail_out;
	strm->total_out = total_out;
	return true;
}

/* The same into the caller's room. False: it is too small. */
static bool drain_to_caller(struct wdz_stream *s)
{
	s->stage = WDZ_DRAIN;
	zlib_take(s, Z_NO_FLUSH);
	return s->drained == wdz_part(s, s->open)->in_len;
}

/**
 * wdz_gather_end() - before a call that only zlib can answer: zlib gets all collected input
 * @give: the call may write to the caller's room
 *
 * Afterwards the stream is zlib's own, unless output of zlib's still waits for the caller.
 *
 * Return: false without memory, unless the caller's room was enough
 */
bool wdz_gather_end(struct wdz_stream *s, bool give)
{
	bool zlib_behind = s->begun && s->stage == WDZ_GATHER;

	/* A stream without data so far may have begun, too: zlib has written its header. */
	if ((zlib_behind || s->drained < wdz_part(s, s->open)->in_len) && !s->head.at && !drain_aside(s) &&
	    (!give || !drain_to_caller(s)))
		return false;
	if (give)
		wdz_output(s, false);
	if (s->head.taken == s->head.len && s->drained == wdz_part(s, s->open)->in_len &&
	    (s->strm->avail_out || !s->head.len))
		wdz_stream_to_zlib(s);
	return true;
}

/* False: no device, or no memory for one part at a time. */
static bool device_begin(struct wdz_stream *s)
{
	static _Atomic unsigned long turns;
	size_t chunk = wdz_config()->chunk;

	/* Short streams begin with another device each time. */
	s->turn = atomic_fetch_add(&turns, 1);
	s->room = wdz_library() ? wdz_parts_bound(s->window_bits, s->turn, chunk) : 0;
	if (!s->room)
		return false;
	s->ring = 2 * wdz_devices() > WDZ_RING_MIN ? 2 * wdz_devices() : WDZ_RING_MIN;
	if (s->room < wdz_stored_bytes(chunk) + WDZ_MARK_BYTES)
		s->room = wdz_stored_bytes(chunk) + WDZ_MARK_BYTES;
	return wdz_part_room(s, wdz_part(s, s->open), true) && wdz_raw_open(s) && wdz_format_head(s);
}

/*
 * The least length of a device's stream. Unless window and memory are the default, zlib's bound for so few bytes is an
 * eighth more and a little, and incompressible parts need more than that.
 */
static size_t least(const struct wdz_stream *s)
{
	size_t min = wdz_config()->min;
	bool narrow = s->window_bits != MAX_WBITS || s->mem_level != WDZ_MEM_LEVEL;

	return narrow && min < NARROW_LEAST ? NARROW_LEAST : min;
}

int wdz_gather(struct wdz_stream *s, int flush)
{
	struct wdz_part *p = wdz_part(s, s->open);
	size_t min = least(s), n;
	z_streamp strm = s->strm;

	/* A gzip header is the caller's again after the first call, in which zlib writes it. */
	if (!p->in_len &&
	    (((flush != Z_NO_FLUSH || s->header) && strm->avail_in < min) || !wdz_part_room(s, p, false))) {
		wdz_stream_to_zlib(s);
		return wdz_zlib_deflate(s, flush);
	}
	n = wdz_part_take(s, p, min);
	wdz_sum(s, p->in + p->in_len - n, n);
	if (p->in_len < min)
		return flush == Z_NO_FLUSH ? Z_OK : gathered_to_zlib(s, flush);
	if (!device_begin(s))
		return strm->avail_in ? wdz_drain(s, flush) : gathered_to_zlib(s, flush);
	strm->data_type = wdz_format_data_type(p->in, p->in_len);
	s->stage = WDZ_DEVICE;
	return wdz_device(s, flush);
}
