// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* A request's data as literals and matches: the search over a source that is in memory piece by piece. */
#include "zip.h"

u32 wdm_zip_unstage(struct wdm_zip_pieces *p)
{
	struct wdm_zip_req *r = p->r;
	int err = wdm_cursor_write(&r->s->dst, r->s->in, p->staged);

	p->staged = 0;
	return err ? wdm_zip_error(err, true) : ZIP_ST_OK;
}

u32 wdm_zip_stage(struct wdm_zip_pieces *p, const u8 *bytes, u32 n)
{
	struct wdm_scratch *s = p->r->s;
	u32 status = ZIP_ST_OK, part;

	for (; n && !status; n -= part, bytes += part) {
		part = (u32)sizeof(s->in) - p->staged;
		if (part > n)
			part = n;
		memcpy(s->in + p->staged, bytes, part);
		p->staged += part;
		if (p->staged == sizeof(s->in))
			status = wdm_zip_unstage(p);
	}
	return status;
}

static u32 match_over(struct wdm_zip_pieces *p)
{
	u32 status = p->match ? p->put(p, p->literals, p->offset, p->match) : ZIP_ST_OK;

	p->match = 0;
	return status;
}

static u32 literals(struct wdm_zip_pieces *p, const u8 *bytes, u32 n)
{
	u32 status = n ? match_over(p) : ZIP_ST_OK;

	p->run += n;
	return n && !status && p->data ? p->data(p, bytes, n) : status;
}

/* A match that the end of a piece has cut goes on with the next one. */
static u32 match(struct wdm_zip_pieces *p, const struct wdm_lz77_match *m)
{
	u32 status;

	if (p->match && !p->run && p->offset == m->offset && p->match + m->len <= p->most) {
		p->match += m->len;
		return ZIP_ST_OK;
	}
	status = match_over(p);
	p->literals = p->run;
	p->offset = m->offset;
	p->match = m->len;
	p->run = 0;
	return status;
}

static u32 piece(struct wdm_zip_pieces *p, struct wdm_lz77 *z)
{
	u32 status = ZIP_ST_OK, from = z->at;
	struct wdm_lz77_match m;

	while (!status && wdm_lz77_next(z, &m)) {
		status = literals(p, z->buf + from, m.at - from);
		if (!status)
			status = match(p, &m);
		from = m.at + m.len;
	}
	return status ? status : literals(p, z->buf + from, z->len - from);
}

/* Keeps what later matches may refer to, at the buffer's begin. */
static void window_keep(struct wdm_scratch *s, struct wdm_lz77 *z)
{
	u32 drop = z->len > WDM_WINDOW_MAX ? z->len - WDM_WINDOW_MAX : 0;

	memmove(s->out, s->out + drop, z->len - drop);
	wdm_lz77_slide(z, drop);
}

u32 wdm_zip_pieces_all(struct wdm_zip_pieces *p, bool patient, u32 start, u32 end, u32 *window_len)
{
	struct wdm_scratch *s = p->r->s;
	struct wdm_lz77 *z = &s->lz77;
	u32 status = ZIP_ST_OK, left = p->r->in_len, n;
	int err;

	wdm_lz77_begin(z, s->out, *window_len, wdm_zip_windows[p->r->window], patient);
	z->start = start;
	z->end = end;
	wdm_lz77_pass(z);
	for (; left && !status; left -= n) {
		n = left < WDM_CHUNK ? left : WDM_CHUNK;
		err = wdm_cursor_read(&s->src, s->out + z->len, n);
		if (err)
			return wdm_zip_error(err, false);
		if (wdm_load(&p->r->job->abort))
			return ZIP_ST_ABORTED;
		z->len += n;
		status = piece(p, z);
		window_keep(s, z);
	}
	*window_len = z->len;
	return status ? status : match_over(p);
}
