// SPDX-License-Identifier: Apache-2.0
/*
 * The beginning of a stream: input is collected until there is enough for a device. A stream that is flushed or ended
 * before is the twin's: what it writes is what zlib writes.
 */
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "stored.h"
#include "stream.h"

#define ASIDE_BYTES	(1u << 10)	/* a header without names, and more */
#define NARROW_LEAST	64u

/* The caller's input, while the twin has the collected one. */
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
	/* The caller's count has the collected bytes, which the twin counts as it takes them. */
	strm->total_in -= strm->avail_in;
	strm->adler = s->twin_adler;
	wdz_lend(s);
}

static void input_take_back(struct wdz_stream *s, const struct caller *caller)
{
	s->drained = wdz_part(s, s->open)->in_len - s->strm->avail_in;
	s->strm->next_in = caller->next_in;
	s->strm->avail_in = caller->avail_in;
	s->strm->total_in = caller->total_in;
	s->twin_adler = s->strm->adler;
	s->strm->adler = caller->adler;
	wdz_take_back(s);
}

/* The twin gets what was collected and it has not taken yet. */
static int twin_take(struct wdz_stream *s, int flush)
{
	struct caller caller;
	int ret;

	input_lend(s, &caller);
	ret = twin_deflate(s->strm, flush);
	input_take_back(s, &caller);
	return ret;
}

/* The twin takes what it has not taken yet; there is something, or output of its that waits. */
int wdz_drain(struct wdz_stream *s, int flush)
{
	int ret;

	s->stage = WDZ_DRAIN;
	wdz_output(s, false);
	if (s->head.taken < s->head.len)
		return Z_OK;
	if (s->drained < wdz_part(s, s->open)->in_len)
		twin_take(s, Z_NO_FLUSH);
	/* A call that has filled its room may be repeated, which the twin doesn't know. */
	if (s->drained < wdz_part(s, s->open)->in_len || !s->strm->avail_out)
		return Z_OK;
	wdz_stream_rest(s);
	ret = wdz_twin_deflate(s, flush);
	return ret == Z_BUF_ERROR ? Z_OK : ret;
}

/* All of the caller's input is collected. If there is room, the twin sees one call, as zlib would. */
static int gathered_to_twin(struct wdz_stream *s, int flush)
{
	int ret;

	s->stage = WDZ_DRAIN;
	ret = twin_take(s, flush);
	if (s->drained == wdz_part(s, s->open)->in_len)
		wdz_stream_rest(s);
	return ret;
}

/* The twin takes all that was collected; what it writes waits in s->head. False: no memory. */
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
	twin_take(s, Z_NO_FLUSH);
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
	twin_take(s, Z_NO_FLUSH);
	return s->drained == wdz_part(s, s->open)->in_len;
}

/**
 * wdz_gather_end() - before a call that only the twin does: it gets all that was collected
 * @give: the call may write to the caller's room
 *
 * Afterwards the stream is the twin's, unless the caller has yet to get what the twin has written.
 *
 * Return: false without memory, unless the caller's room was enough
 */
bool wdz_gather_end(struct wdz_stream *s, bool give)
{
	bool twin_behind = s->begun && s->stage == WDZ_GATHER;

	/* A stream without data so far may have begun, too: zlib has written its header. */
	if ((twin_behind || s->drained < wdz_part(s, s->open)->in_len) && !s->head.at && !drain_aside(s) &&
	    (!give || !drain_to_caller(s)))
		return false;
	if (give)
		wdz_output(s, false);
	if (s->head.taken == s->head.len && s->drained == wdz_part(s, s->open)->in_len &&
	    (s->strm->avail_out || !s->head.len))
		wdz_stream_rest(s);
	return true;
}

/* False: no device, or not the memory that one part at a time needs. */
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
 * How much a device's stream has at least. zlib's bound of so few bytes is an eighth more and a little, unless window
 * and memory are the default, and parts that don't get shorter need more.
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

	/* A gzip header of the caller's is his again after the first call, in which zlib writes it. */
	if (!p->in_len &&
	    (((flush != Z_NO_FLUSH || s->header) && strm->avail_in < min) || !wdz_part_room(s, p, false))) {
		wdz_stream_rest(s);
		return wdz_twin_deflate(s, flush);
	}
	n = wdz_part_take(s, p, min);
	wdz_sum(s, p->in + p->in_len - n, n);
	if (p->in_len < min)
		return flush == Z_NO_FLUSH ? Z_OK : gathered_to_twin(s, flush);
	if (!device_begin(s))
		return strm->avail_in ? wdz_drain(s, flush) : gathered_to_twin(s, flush);
	strm->data_type = wdz_format_data_type(p->in, p->in_len);
	s->stage = WDZ_DEVICE;
	return wdz_device(s, flush);
}
