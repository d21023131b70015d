// SPDX-License-Identifier: Apache-2.0
/*
 * A stream of a device: parts of raw deflate (WD_COMP_PART), of which several are in flight. Input is copied, so that
 * zlib can compress a part that a device fails, and a call need not wait for the parts that it has begun. The memory of
 * one part and of the raw stream is allocated before the first part begins: no call fails for want of it.
 */
#include "config.h"
#include "stored.h"
#include "stream.h"

/* The part that gets input, or NULL if its slot still has output that the caller has no room for. */
static struct wdz_part *part_open(struct wdz_stream *s)
{
	struct wdz_part *p;

	/* Slots get their memory in turn. Without memory for one, the ring ends before it; it has one slot at least. */
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

/* Writes the end of a flush, once: an empty stored block, which a part has anyway. False: no room for it yet. */
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

/* Makes parts of all of the caller's input, without the end of a flush. False: there is no room for all. */
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
	/* A caller that repeats a call without input gets on: the oldest part is waited for. */
	if (s->strm->total_in == in && s->strm->total_out == out)
		wdz_output(s, true);
	return Z_OK;
}
