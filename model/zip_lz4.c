// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Blocks of LZ4 by the ZIP engine. */
#include "zip.h"

#define LAST_LITERALS	5u	/* of a block, at least */
#define LAST_MATCH	12u	/* starts so many bytes before the end, at least */
#define MATCH_MIN	4u

/*
 * A token stands before its literals, of which there may be more than is in memory, so the source is read once more.
 * copy: they are literals and go to the output; else they are those of a match.
 */
static u32 source_take(struct wdm_zip_pieces *p, u32 n, bool copy)
{
	struct wdm_scratch *s = p->r->s;
	u32 status = ZIP_ST_OK, part;
	int err;

	for (; n && !status; n -= part) {
		if (p->at == p->nr) {
			p->nr = s->literals.left < sizeof(s->window) ? s->literals.left : (u32)sizeof(s->window);
			p->at = 0;
			err = wdm_cursor_read(&s->literals, s->window, p->nr);
			if (err)
				return wdm_zip_error(err, false);
		}
		part = p->nr - p->at < n ? p->nr - p->at : n;
		if (copy)
			status = wdm_zip_stage(p, s->window + p->at, part);
		p->at += part;
	}
	return status;
}

static u32 byte_put(struct wdm_zip_pieces *p, u32 v)
{
	u8 b = (u8)v;

	p->r->produced++;
	return wdm_zip_stage(p, &b, 1);
}

/* What is left of a length whose first part is in the token. */
static u32 length_put(struct wdm_zip_pieces *p, u32 n)
{
	u32 status = ZIP_ST_OK;

	if (n < 15)
		return status;
	for (n -= 15; n >= 255 && !status; n -= 255)
		status = byte_put(p, 255);
	return status ? status : byte_put(p, n);
}

static u32 half(u32 n)
{
	return n < 15 ? n : 15;
}

static u32 sequence_put(struct wdm_zip_pieces *p, u32 literals, u32 offset, u32 match)
{
	u32 more = match ? match - MATCH_MIN : 0;
	u32 status = byte_put(p, half(literals) << 4 | half(more));

	if (!status)
		status = length_put(p, literals);
	p->r->produced += literals;
	if (!status)
		status = source_take(p, literals, true);
	if (status || !match)
		return status;
	status = byte_put(p, offset & 255);
	if (!status)
		status = byte_put(p, offset >> 8);
	if (!status)
		status = length_put(p, more);
	return status ? status : source_take(p, match, false);
}

u32 wdm_zip_lz4(struct wdm_zip_req *r)
{
	struct wdm_zip_pieces p = { .r = r, .put = sequence_put, .most = ZIP_MAX_INPUT };
	u32 len = r->in_len, start = len < LAST_MATCH ? 0 : len - LAST_MATCH + 1, window_len = 0, status;
	int err = wdm_cursor_init(&r->s->literals, r->job, r->sgl, r->src, r->src_skip, len);

	if (err)
		return wdm_zip_error(err, false);
	r->checksum = 0;
	status = wdm_zip_pieces_all(&p, false, start, start ? len - LAST_LITERALS : 0, &window_len);
	if (!status)
		status = sequence_put(&p, p.run, 0, 0);
	if (!status)
		status = wdm_zip_unstage(&p);
	if (status)
		return status;
	r->consumed = len;
	return r->produced >= len ? ZIP_ST_NEGATIVE_COMP : ZIP_ST_OK;
}
