// SPDX-License-Identifier: Apache-2.0
/* One part of a stream: its memory, its input, and its result by a device or the raw stream. */
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "stats.h"
#include "stored.h"
#include "stream.h"

#define SMALL	(8u << 10)	/* a part of fewer bytes isn't worth a request: flushed, or the rest of a stream */

/* Collected input touches no more of its buffer than @min bytes. */
static bool room_charge(struct wdz_stream *s, const struct wdz_part *p, bool out)
{
	bool least = p == s->parts;

	if (!p->in && !wdz_memory_take(&s->charged, wdz_config()->min, least))
		return false;
	return !out || p->out || wdz_memory_take(&s->charged, wdz_config()->chunk + s->room, least);
}

bool wdz_part_room(struct wdz_stream *s, struct wdz_part *p, bool out)
{
	if ((!p->in || (out && !p->out)) && !room_charge(s, p, out))
		return false;
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

/* By the raw stream, without history. False: the result is too long. */
static bool part_by_zlib(struct wdz_stream *s, struct wdz_part *p)
{
	zlib_deflateReset(&s->raw);
	s->raw.next_in = p->in;
	s->raw.avail_in = (uInt)p->in_len;
	s->raw.next_out = p->out;
	s->raw.avail_out = (uInt)s->room;
	if (zlib_deflate(&s->raw, Z_SYNC_FLUSH) != Z_OK || s->raw.avail_in || !s->raw.avail_out)
		return false;
	p->len = s->room - s->raw.avail_out;
	return true;
}

/* zlib promises a bound of the whole stream's length, which stored blocks keep, and the end of a flush. */
static void part_bound(struct wdz_part *p)
{
	if (p->len <= wdz_stored_bytes(p->in_len) + (p->flushed ? WDZ_MARK_BYTES : 0))
		return;
	p->len = wdz_stored(p->out, p->in, p->in_len);
	if (p->flushed)
		p->len += wdz_mark(p->out + wdz_stored_bytes(p->in_len));
}

static void part_by_software(struct wdz_stream *s, struct wdz_part *p)
{
	if (!part_by_zlib(s, p))
		p->len = s->room;
	part_bound(p);
	wdz_count(WDZ_DEFLATE_ZLIB_BYTES, p->in_len);
}

/* Ends the open part, which has data. flushed: the caller has asked for a flush. */
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

/* Waits for the result, which a device or zlib computes. */
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

bool wdz_open_has_data(struct wdz_stream *s)
{
	struct wdz_part *p = wdz_part(s, s->open);

	return s->open - s->first < s->ring && p->in_len && !p->len;
}
