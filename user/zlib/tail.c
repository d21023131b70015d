// SPDX-License-Identifier: Apache-2.0
/*
 * The raw stream: a stream of zlib's without header and trailer. It continues behind parts, when the stream can't have
 * more parts, because a part ends at a byte. It also compresses parts that no device did.
 */
#include "stats.h"
#include "stream.h"

/* As zconf.h has it. */
static size_t raw_bytes(const struct wdz_stream *s)
{
	return ((size_t)1 << (s->window_bits + 2)) + ((size_t)1 << (s->mem_level + 9));
}

/* False: no memory. The stream's parameters may have changed since it was opened. */
bool wdz_raw_open(struct wdz_stream *s)
{
	if (s->have_raw)
		return zlib_deflateReset(&s->raw) == Z_OK && zlib_deflateParams(&s->raw, s->level, s->strategy) == Z_OK;
	if (!wdz_memory_take(&s->charged, raw_bytes(s), true))
		return false;
	s->raw = (z_stream){ 0 };
	s->have_raw = zlib_deflateInit2_(&s->raw, s->level, Z_DEFLATED, -s->window_bits, s->mem_level, s->strategy,
					 ZLIB_VERSION, (int)sizeof(z_stream)) == Z_OK;
	return s->have_raw;
}

/* Parts need the raw stream no more when they are done. */
void wdz_tail_begin(struct wdz_stream *s)
{
	if (wdz_open_has_data(s))
		wdz_part_submit(s, false);
	wdz_parts_finish(s);
	zlib_deflateReset(&s->raw);
	s->stage = WDZ_TAIL;
}

static void lend(struct wdz_stream *s)
{
	s->raw.next_in = s->strm->next_in;
	s->raw.avail_in = s->strm->avail_in;
	s->raw.next_out = s->strm->next_out;
	s->raw.avail_out = s->strm->avail_out;
}

static void take_back(struct wdz_stream *s)
{
	z_streamp strm = s->strm;
	uInt in = strm->avail_in - s->raw.avail_in;

	if (in)
		wdz_sum(s, strm->next_in, in);
	strm->total_in += in;
	strm->total_out += strm->avail_out - s->raw.avail_out;
	strm->next_in = s->raw.next_in;
	strm->avail_in = s->raw.avail_in;
	strm->next_out = s->raw.next_out;
	strm->avail_out = s->raw.avail_out;
	wdz_count(WDZ_DEFLATE_ZLIB_BYTES, in);
}

int wdz_tail(struct wdz_stream *s, int flush)
{
	z_streamp strm = s->strm;
	uLong before = strm->total_out;
	int ret;

	if (!wdz_output_all(s))
		return Z_OK;
	if (s->ended)
		return Z_STREAM_END;
	if (!strm->avail_out)
		return Z_OK;
	lend(s);
	ret = zlib_deflate(&s->raw, flush);
	take_back(s);
	s->ending = flush == Z_FINISH && !strm->avail_in;
	if (ret == Z_BUF_ERROR && strm->total_out != before)
		return Z_OK;
	if (ret != Z_STREAM_END)
		return ret < 0 ? wdz_fail(strm, ret) : ret;
	wdz_format_end(s, false);
	s->ended = true;
	return wdz_output_all(s) ? Z_STREAM_END : Z_OK;
}

int wdz_tail_params(struct wdz_stream *s, int level, int strategy)
{
	int ret;

	/* Output that zlib writes at once must not overtake the parts. */
	if (s->raw.total_in && !wdz_output_all(s))
		return Z_BUF_ERROR;
	lend(s);
	ret = zlib_deflateParams(&s->raw, level, strategy);
	take_back(s);
	if (ret == Z_OK) {
		s->level = level;
		s->strategy = strategy;
	}
	return ret;
}
