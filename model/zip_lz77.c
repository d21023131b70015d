// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* lz77_zstd and lz77_only of the ZIP engine: sequences to one destination, literals to another. */
#include "zip.h"

static const u32 first_repeats[3] = { 1, 4, 8 };

static bool of_zstd(const struct wdm_zip_req *r)
{
	return r->type == ZIP_REQ_LZ77_ZSTD || r->type == ZIP_REQ_LZ77_ZSTD_PRICE;
}

static u32 literals_write(struct wdm_zip_pieces *p)
{
	struct wdm_scratch *s = p->r->s;
	int err = wdm_cursor_write(&s->literals, s->window, p->nr);

	p->nr = 0;
	return err ? wdm_zip_error(err, true) : ZIP_ST_OK;
}

static u32 literals_put(struct wdm_zip_pieces *p, const u8 *bytes, u32 n)
{
	struct wdm_scratch *s = p->r->s;
	u32 status = ZIP_ST_OK;

	/* A piece of the source is not longer than the buffer. */
	if (p->nr + n > sizeof(s->window))
		status = literals_write(p);
	memcpy(s->window + p->nr, bytes, n);
	p->nr += n;
	p->r->nr_literals += n;
	return status;
}

/* The code for the offset, behind so many literals; 0: it has none. */
static u32 repeat_code(const u32 *repeats, u32 literals, u32 offset)
{
	u32 first = literals ? 0 : 1, i;

	for (i = first; i < 3; i++)
		if (repeats[i] == offset)
			return i - first + 1;
	return !literals && repeats[0] - 1 == offset ? 3 : 0;
}

/* The offset goes to the front. Without a code it replaces the last one, else the entry of the code. */
static void repeats_take(u32 *repeats, u32 literals, u32 offset, u32 code)
{
	u32 entry = code + (literals ? 0 : 1);

	if (code && entry == 1)
		return;
	if (!code || entry > 2)
		repeats[2] = repeats[1];
	repeats[1] = repeats[0];
	repeats[0] = offset;
}

static u32 sequence_put(struct wdm_zip_pieces *p, u32 literals, u32 offset, u32 match)
{
	struct wdm_zip_req *r = p->r;
	u32 code = of_zstd(r) ? repeat_code(p->repeats, literals, offset) : 0;
	u8 seq[ZIP_LZ77_SEQ];

	if (of_zstd(r))
		repeats_take(p->repeats, literals, offset, code);
	if (literals > ZIP_LZ77_LEN_MAX) {
		/* There is room for one, of lz77_zstd; a block can't have two. */
		if (!of_zstd(r))
			return ZIP_ST_NOSPACE;
		r->checksum = 1u << ZIP_LZ77_LONG_SHIFT | r->produced;
		literals -= ZIP_LZ77_LONG_MORE;
	}
	if ((r->produced + 1) * ZIP_LZ77_SEQ + r->row->tail > r->out_len)
		return ZIP_ST_NOSPACE;
	wdm_put32(seq, code ? code : offset + ZIP_LZ77_REPEATS);
	wdm_put16(seq + 4, literals);
	wdm_put16(seq + 6, match - ZIP_LZ77_MATCH_MIN);
	r->produced++;
	return wdm_zip_stage(p, seq, sizeof(seq));
}

/* What a device writes behind the sequences isn't public, but there has to be room for it. */
static u32 tail_put(struct wdm_zip_pieces *p)
{
	static const u8 zeroes[64];
	u32 left = p->r->row->tail, status = ZIP_ST_OK, n;

	for (; left && !status; left -= n) {
		n = left < sizeof(zeroes) ? left : (u32)sizeof(zeroes);
		status = wdm_zip_stage(p, zeroes, n);
	}
	return status;
}

/* A new session's context is zeroed. */
static u32 repeats_load(struct wdm_zip_req *r, u32 *repeats)
{
	u8 saved[16];
	u32 i;

	if (wdm_payload_read(r->job, r->ctx + ZIP_CTX_HW_REPEATS, saved, sizeof(saved)))
		return ZIP_ST_ADDRESS;
	if (wdm_get32(saved + 12))
		return ZIP_ST_BAD_CONTEXT;
	for (i = 0; i < 3; i++)
		repeats[i] = wdm_get32(saved + 4 * i);
	if (!repeats[0] && !repeats[1] && !repeats[2])
		memcpy(repeats, first_repeats, sizeof(first_repeats));
	return ZIP_ST_OK;
}

/* The word behind them is not 0 then: a driver that doesn't clear it would be found. */
static u32 repeats_save(struct wdm_zip_req *r, const u32 *repeats)
{
	u8 saved[16];
	u32 i;

	for (i = 0; i < 3; i++)
		wdm_put32(saved + 4 * i, repeats[i]);
	wdm_put32(saved + 12, r->nr_literals + 1);
	return wdm_payload_write(r->job, r->ctx + ZIP_CTX_HW_REPEATS, saved, sizeof(saved)) ? ZIP_ST_ADDRESS : 0;
}

static u32 stream_load(struct wdm_zip_req *r, u32 *repeats, u32 *window_len)
{
	u32 status = r->begin ? ZIP_ST_OK : wdm_zip_context_load(r, r->s->out, window_len);

	return status || !of_zstd(r) ? status : repeats_load(r, repeats);
}

static u32 stream_save(struct wdm_zip_req *r, const u32 *repeats, u32 window_len)
{
	u32 status = wdm_zip_context_save(r, r->s->out, window_len);

	return status || !of_zstd(r) ? status : repeats_save(r, repeats);
}

u32 wdm_zip_lz77(struct wdm_zip_req *r)
{
	struct wdm_zip_pieces p = {
		.r = r, .put = sequence_put, .data = literals_put, .most = ZIP_LZ77_LEN_MAX + ZIP_LZ77_MATCH_MIN,
	};
	bool patient = r->type == ZIP_REQ_LZ77_ZSTD_PRICE || r->type == ZIP_REQ_LZ77_ONLY_PRICE;
	u32 status = ZIP_ST_OK, window_len = 0;

	memcpy(p.repeats, first_repeats, sizeof(first_repeats));
	r->checksum = 0;
	if (r->stream)
		status = stream_load(r, p.repeats, &window_len);
	if (!status)
		status = wdm_zip_pieces_all(&p, patient, ~0u, ~0u, &window_len);
	if (!status)
		status = literals_write(&p);
	/* What is behind the sequences is a piece of its own, so that a corrupt answer has a wrong sequence. */
	if (!status)
		status = wdm_zip_unstage(&p);
	if (!status)
		status = tail_put(&p);
	if (!status)
		status = wdm_zip_unstage(&p);
	if (!status && r->stream)
		status = stream_save(r, p.repeats, window_len);
	if (!status)
		r->consumed = r->in_len;
	return status;
}
