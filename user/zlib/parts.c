// SPDX-License-Identifier: Apache-2.0
/*
 * A stream of a device: parts of raw deflate (WD_COMP_PART), of which several are in flight. Input is copied, so that a
 * part that a device fails can be done again, and a call needs not wait for the parts that it has begun. What one part
 * and the raw twin need is there when the first part begins: no call fails for memory, as zlib's don't.
 */
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "stats.h"
#include "stored.h"
#include "stream.h"

#define SMALL	(8u << 10)	/* a part of fewer bytes isn't worth a request: flushed, or the rest of a stream */

bool wdz_part_room(struct wdz_stream *s, struct wdz_part *p, bool out)
{
	if (!p->in)
		p->in = malloc(wdz_config()->chunk);
	if (out && !p->out)
		p->out = malloc(s->room);
	return p->in && (!out || p->out);
}

/* Returns the bytes that the part has got from the caller. */
size_t wdz_part_take(struct wdz_stream *s, struct wdz_part *p, size_t limit)
{
	z_streamp strm = s->strm;
	size_t n = limit - p->in_len;

	if (n > strm->avail_in)
		n = strm->avail_in;
	if (!n)
		return 0;
	memcpy(p->in + p->in_len, strm->next_in, n);
	p->in_len += n;
	strm->next_in += n;
	strm->avail_in -= (uInt)n;
	strm->total_in += n;
	return n;
}

/* By the raw twin, without history. False: the result is too long. */
static bool part_by_twin(struct wdz_stream *s, struct wdz_part *p)
{
	twin_deflateReset(&s->raw);
	s->raw.next_in = p->in;
	s->raw.avail_in = (uInt)p->in_len;
	s->raw.next_out = p->out;
	s->raw.avail_out = (uInt)s->room;
	if (twin_deflate(&s->raw, Z_SYNC_FLUSH) != Z_OK || s->raw.avail_in || !s->raw.avail_out)
		return false;
	p->len = s->room - s->raw.avail_out;
	return true;
}

/* zlib promises a bound of the whole stream's length, which stored blocks keep; and what a flush ends with. */
static void part_bound(struct wdz_part *p)
{
	if (p->len > wdz_stored_bytes(p->in_len) + (p->flushed ? WDZ_MARK_BYTES : 0))
		p->len = wdz_stored(p->out, p->in, p->in_len) + (p->flushed ? wdz_mark(p->out + wdz_stored_bytes(p->in_len)) : 0);
}

static void part_by_software(struct wdz_stream *s, struct wdz_part *p)
{
	if (!part_by_twin(s, p))
		p->len = s->room;
	part_bound(p);
	wdz_count(WDZ_DEFLATE_ZLIB_BYTES, p->in_len);
}

/* Ends the open part, of which there is one with data. flushed: by a flush of the caller's. */
void wdz_part_submit(struct wdz_stream *s, bool flushed)
{
	struct wdz_part *p = wdz_part(s, s->open);
	struct wd_comp_arg *arg = &p->request.arg;
	unsigned long turn = s->turn + s->open;

	*arg = (struct wd_comp_arg){ .src = p->in, .src_len = p->in_len, .dst = p->out, .dst_len = &p->len,
				     .flags = WD_COMP_PART };
	p->len = s->room;
	p->taken = 0;
	p->flushed = flushed;
	s->open++;
	wdz_count(WDZ_PARTS, 1);
	if (p->in_len >= SMALL || p->in_len >= wdz_config()->min) {
		p->submitted = wdz_submit(&p->request, s->window_bits, turn);
		if (p->submitted)
			return;
		wdz_count(WDZ_PARTS_REDONE, 1);
	}
	part_by_software(s, p);
}

/* Waits for the result, whoever computes it. */
void wdz_part_finish(struct wdz_stream *s, struct wdz_part *p)
{
	bool ended;

	if (!p->submitted)
		return;
	ended = wdz_wait(&p->request);
	p->submitted = false;
	if (!ended || p->request.arg.status || !p->len) {
		wdz_count(WDZ_PARTS_REDONE, 1);
		part_by_software(s, p);
		return;
	}
	part_bound(p);
	wdz_count(WDZ_DEFLATE_DEVICE_BYTES, p->in_len);
}

void wdz_parts_finish(struct wdz_stream *s)
{
	unsigned long n;

	for (n = s->first; n != s->open; n++)
		wdz_part_finish(s, wdz_part(s, n));
}

/* The part that gets input, or NULL if its slot still has output that the caller has no room for. */
static struct wdz_part *part_open(struct wdz_stream *s)
{
	struct wdz_part *p;

	/* Slots get their memory in turn. If there is none, the ring consists of those before, of which there is one at least. */
	if (!wdz_part_room(s, wdz_part(s, s->open), true))
		s->ring = (unsigned int)s->open;
	if (s->open - s->first == s->ring)
		wdz_output(s, true);
	if (s->open - s->first == s->ring)
		return NULL;
	p = wdz_part(s, s->open);
	/* A slot's old data is kept for deflateGetDictionary() until now. */
	if (p->len)
		p->in_len = p->len = p->taken = 0;
	return p;
}

/* Takes input until there is none, or no room for output. */
static void input_take(struct wdz_stream *s)
{
	size_t chunk = wdz_config()->chunk, n;
	struct wdz_part *p;

	while (s->strm->avail_in) {
		p = part_open(s);
		if (!p)
			return;
		n = wdz_part_take(s, p, chunk);
		wdz_sum(s, p->in + p->in_len - n, n);
		s->marked = Z_NO_FLUSH;
		if (p->in_len == chunk)
			wdz_part_submit(s, false);
	}
}

bool wdz_open_has_data(struct wdz_stream *s)
{
	struct wdz_part *p = wdz_part(s, s->open);

	return s->open - s->first < s->ring && p->in_len && !p->len;
}

/* The end of a flush, once: an empty stored block, which a part has anyway. False: no room for it yet. */
static bool flush_mark(struct wdz_stream *s, int flush)
{
	struct wdz_part *p;

	if (s->marked == flush)
		return true;
	if (wdz_open_has_data(s)) {
		wdz_part_submit(s, true);
	} else {
		p = part_open(s);
		if (!p)
			return false;
		p->len = wdz_mark(p->out);
		s->open++;
	}
	s->marked = flush;
	return true;
}

static int device_end(struct wdz_stream *s)
{
	if (wdz_open_has_data(s))
		wdz_part_submit(s, false);
	s->ending = true;
	if (!wdz_output_all(s))
		return Z_OK;
	if (!s->ended) {
		wdz_format_end(s, true);
		s->ended = true;
	}
	return wdz_output_all(s) ? Z_STREAM_END : Z_OK;
}

/* All of the caller's input becomes parts, without a flush's end. False: there is no room for all. */
bool wdz_device_take(struct wdz_stream *s)
{
	input_take(s);
	if (s->strm->avail_in)
		return false;
	if (wdz_open_has_data(s))
		wdz_part_submit(s, false);
	return true;
}

int wdz_device(struct wdz_stream *s, int flush)
{
	uLong in = s->strm->total_in, out = s->strm->total_out;

	input_take(s);
	if (s->strm->avail_in)
		return Z_OK;
	if (flush == Z_FINISH)
		return device_end(s);
	/* A part ends at a byte, so there are no bits to hold back, and nothing to mark. */
	if (flush == Z_BLOCK) {
		if (wdz_open_has_data(s))
			wdz_part_submit(s, false);
		wdz_output_all(s);
		return Z_OK;
	}
	if (flush != Z_NO_FLUSH) {
		if (flush_mark(s, flush))
			wdz_output_all(s);
		return Z_OK;
	}
	wdz_output(s, false);
	/* Progress for a caller who repeats a call without input. */
	if (s->strm->total_in == in && s->strm->total_out == out)
		wdz_output(s, true);
	return Z_OK;
}
