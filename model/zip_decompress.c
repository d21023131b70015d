// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Decompression of the ZIP engine: the model's own inflate between two cursors. */
#include "zip.h"

static u32 stored_left(const struct wdm_inflate *inf)
{
	return inf->mode == WDM_INF_STORED ? inf->stored : 0;
}

/* ctx_dw0 as drivers read it: the stream's position. */
static u32 context_state(const struct wdm_inflate *inf, enum wdm_inflate_result why)
{
	u32 dw0 = inf->final ? ZIP_CTX_BFINAL : 0;

	if (why == WDM_INF_NEED_OUT)
		return dw0 | ZIP_CTX_STATE_NO_SPACE;
	if (inf->mode == WDM_INF_HEADER)
		return ZIP_CTX_STATE_NOT_STARTED | inf->bits << ZIP_CTX_CACHED_SHIFT;
	return dw0;
}

/* A descriptor returns the values that the previous one of its stream reported. */
static u32 context_load(struct wdm_zip_req *r)
{
	struct wdm_inflate *inf = &r->s->inflate;
	u8 *saved = r->s->in;

	if (wdm_payload_read(r->job, r->ctx, saved, WDM_INFLATE_SAVED))
		return ZIP_ST_ADDRESS;
	if (wdm_inflate_load(inf, saved, wdm_zip_trailer_bytes(r)) ||
	    (r->ctx_dw[1] & ZIP_CTX_STORED_MASK) != stored_left(inf) ||
	    (r->ctx_dw[2] & ZIP_CTX_WINDOW_MASK) != inf->valid)
		return ZIP_ST_BAD_CONTEXT;
	if (inf->valid && wdm_payload_read(r->job, r->ctx + ZIP_CTX_HW_WINDOW,
					   r->s->out + WDM_WINDOW_MAX - inf->valid, inf->valid))
		return ZIP_ST_ADDRESS;
	return ZIP_ST_OK;
}

static u32 context_save(struct wdm_zip_req *r, enum wdm_inflate_result why)
{
	struct wdm_inflate *inf = &r->s->inflate;
	u8 *saved = r->s->in, cached = (u8)inf->hold;
	u64 window = r->ctx + ZIP_CTX_HW_WINDOW;

	if (why == WDM_INF_END)
		inf->valid = 0;
	wdm_inflate_save(inf, saved);
	if (wdm_payload_write(r->job, r->ctx, saved, WDM_INFLATE_SAVED) ||
	    (inf->valid && wdm_payload_write(r->job, window, inf->out + inf->pos - inf->valid, inf->valid)))
		return ZIP_ST_ADDRESS;
	r->ctx_dw[0] = context_state(inf, why);
	r->ctx_dw[1] = stored_left(inf);
	r->ctx_dw[2] = inf->valid;
	if (inf->mode == WDM_INF_HEADER && inf->bits &&
	    wdm_payload_write(r->job, window + ((inf->valid + 15) & ~15u), &cached, 1))
		return ZIP_ST_ADDRESS;
	return ZIP_ST_OK;
}

/* Writes the output from @from to the current position, and makes room behind the window. */
static u32 flush(struct wdm_zip_req *r, u32 *from)
{
	struct wdm_inflate *inf = &r->s->inflate;
	u32 n = inf->pos - *from;
	int err = wdm_cursor_write(&r->s->dst, inf->out + *from, n);

	if (err)
		return wdm_zip_error(err, true);
	r->checksum = wdm_zip_checksum(r, inf->out + *from, n);
	r->isize += n;
	r->produced += n;
	if (inf->pos == sizeof(r->s->out)) {
		memcpy(inf->out, inf->out + inf->pos - WDM_WINDOW_MAX, WDM_WINDOW_MAX);
		inf->pos = WDM_WINDOW_MAX;
	}
	*from = inf->pos;
	return ZIP_ST_OK;
}

static u32 refill(struct wdm_zip_req *r, u32 *left)
{
	struct wdm_inflate *inf = &r->s->inflate;
	u32 n = *left < WDM_CHUNK ? *left : WDM_CHUNK;
	int err = wdm_cursor_read(&r->s->src, r->s->in, n);

	if (err)
		return wdm_zip_error(err, false);
	inf->in = r->s->in;
	inf->in_len = n;
	inf->in_used = 0;
	*left -= n;
	return ZIP_ST_OK;
}

/* Runs until input or output space is used up, or the stream has ended. */
static u32 inflate_all(struct wdm_zip_req *r, enum wdm_inflate_result *why)
{
	struct wdm_inflate *inf = &r->s->inflate;
	u32 left = r->in_len, from = WDM_WINDOW_MAX, room, status;

	inf->in_len = inf->in_used = 0;
	inf->out = r->s->out;
	inf->pos = WDM_WINDOW_MAX;
	for (;;) {
		if (wdm_load(&r->job->abort))
			return ZIP_ST_ABORTED;
		room = r->out_len - r->produced;
		inf->limit = (u32)sizeof(r->s->out);
		if (room < inf->limit - inf->pos)
			inf->limit = inf->pos + room;
		*why = wdm_inflate_run(inf);
		if (*why == WDM_INF_BAD)
			return ZIP_ST_BAD_DATA;
		status = flush(r, &from);
		if (!status && *why == WDM_INF_NEED_IN && left)
			status = refill(r, &left);
		else if (*why != WDM_INF_NEED_OUT || r->produced == r->out_len)
			break;
		if (status)
			return status;
	}
	r->consumed = r->in_len - left - (inf->in_len - inf->in_used);
	if (*why != WDM_INF_NEED_IN)
		r->consumed -= wdm_inflate_unread(inf, r->consumed);
	return status;
}

static bool trailer_right(const struct wdm_zip_req *r)
{
	const u8 *t = r->s->inflate.trailer;

	if (r->type == ZIP_REQ_ZLIB)
		return ((u32)t[0] << 24 | t[1] << 16 | t[2] << 8 | t[3]) == r->checksum;
	if (r->type == ZIP_REQ_GZIP)
		return wdm_get32(t) == r->checksum && wdm_get32(t + 4) == r->isize;
	return true;
}

u32 wdm_zip_decompress(struct wdm_zip_req *r)
{
	enum wdm_inflate_result why;
	u32 status = ZIP_ST_OK;

	if (r->begin)
		wdm_inflate_start(&r->s->inflate, wdm_zip_trailer_bytes(r));
	else
		status = context_load(r);
	if (!status)
		status = inflate_all(r, &why);
	if (status)
		return status;
	if (why == WDM_INF_END && !trailer_right(r))
		return ZIP_ST_CHECKSUM;
	r->last_block = why == WDM_INF_END;
	if (!r->stream)
		return why == WDM_INF_END ? ZIP_ST_OK : why == WDM_INF_NEED_OUT ? ZIP_ST_NOSPACE : ZIP_ST_TRUNCATED;
	status = context_save(r, why);
	if (status)
		return status;
	return why == WDM_INF_END ? ZIP_ST_END : ZIP_ST_OK;
}
