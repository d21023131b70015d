// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Compression of the ZIP engine: the host's deflate between two cursors. */
#include "zip.h"

#define CTX_MAGIC	0x31634357u
#define CTX_BYTES	16

const u32 wdm_zip_windows[] = { 4096, 8192, 16384, 24576, 32768 };

u32 wdm_zip_context_load(struct wdm_zip_req *r, u8 *window, u32 *window_len)
{
	u8 saved[CTX_BYTES];
	u32 len;

	if (wdm_payload_read(r->job, r->ctx, saved, sizeof(saved)))
		return ZIP_ST_ADDRESS;
	len = wdm_get32(saved + 8);
	if (wdm_get32(saved) != CTX_MAGIC || wdm_get32(saved + 4) != r->type || len > WDM_WINDOW_MAX ||
	    r->ctx_dw[0] || r->ctx_dw[1] || r->ctx_dw[2] != len)
		return ZIP_ST_BAD_CONTEXT;
	if (len && wdm_payload_read(r->job, r->ctx + ZIP_CTX_HW_WINDOW, window, len))
		return ZIP_ST_ADDRESS;
	*window_len = len;
	return ZIP_ST_OK;
}

/* The context of a finished stream can't be continued. */
u32 wdm_zip_context_save(struct wdm_zip_req *r, const u8 *window, u32 window_len)
{
	u8 saved[CTX_BYTES] = { 0 };

	if (!r->finish) {
		wdm_put32(saved, CTX_MAGIC);
		wdm_put32(saved + 4, r->type);
		wdm_put32(saved + 8, window_len);
	} else {
		window_len = 0;
	}
	if (wdm_payload_write(r->job, r->ctx, saved, sizeof(saved)) ||
	    (window_len && wdm_payload_write(r->job, r->ctx + ZIP_CTX_HW_WINDOW, window, window_len)))
		return ZIP_ST_ADDRESS;
	r->ctx_dw[0] = 0;
	r->ctx_dw[1] = 0;
	r->ctx_dw[2] = window_len;
	return ZIP_ST_OK;
}

/* Passes the window to the host's engine and discards the output, up to a byte boundary. */
static u32 window_prime(struct wdm_zip_req *r, u32 window_len)
{
	const struct wdm_engine_ops *engine = r->job->env->engine;
	struct wdm_deflate_io io = { .in = r->s->window, .in_len = window_len };
	int done;

	do {
		io.out = r->s->out;
		io.out_len = sizeof(r->s->out);
		done = engine->deflate(r->s->engine_ws, &io, WDM_FLUSH_SYNC);
	} while (!done);
	return done < 0 ? ZIP_ST_ABORTED : ZIP_ST_OK;
}

static u32 window_append(struct wdm_scratch *s, u32 window_len, u32 n)
{
	u32 keep = window_len + n > WDM_WINDOW_MAX ? WDM_WINDOW_MAX - n : window_len;

	memmove(s->window, s->window + window_len - keep, keep);
	memcpy(s->window + keep, s->in, n);
	return keep + n;
}

static u32 put(struct wdm_zip_req *r, u32 n)
{
	int err;

	if (n > r->out_len - r->produced)
		return ZIP_ST_NOSPACE;
	err = wdm_cursor_write(&r->s->dst, r->s->out, n);
	if (err)
		return wdm_zip_error(err, true);
	r->produced += n;
	return ZIP_ST_OK;
}

static u32 deflate_chunk(struct wdm_zip_req *r, u32 n, enum wdm_flush flush)
{
	const struct wdm_engine_ops *engine = r->job->env->engine;
	struct wdm_deflate_io io = { .in = r->s->in, .in_len = n };
	u32 status;
	int done;

	do {
		io.out = r->s->out;
		io.out_len = sizeof(r->s->out);
		done = engine->deflate(r->s->engine_ws, &io, flush);
		if (done < 0 || wdm_load(&r->job->abort))
			return ZIP_ST_ABORTED;
		status = put(r, (u32)sizeof(r->s->out) - io.out_len);
	} while (!done && !status);
	return status;
}

static u32 trailer(struct wdm_zip_req *r)
{
	u8 *p = r->s->out;

	if (r->type == ZIP_REQ_ZLIB) {
		p[0] = (u8)(r->checksum >> 24);
		p[1] = (u8)(r->checksum >> 16);
		p[2] = (u8)(r->checksum >> 8);
		p[3] = (u8)r->checksum;
	} else if (r->type == ZIP_REQ_GZIP) {
		wdm_put32(p, r->checksum);
		wdm_put32(p + 4, r->isize);
	}
	return put(r, wdm_zip_trailer_bytes(r));
}

u32 wdm_zip_compress(struct wdm_zip_req *r)
{
	const struct wdm_engine_ops *engine = r->job->env->engine;
	u32 status = ZIP_ST_OK, left = r->in_len, window_len = 0, n;
	int err;

	if (!r->begin)
		status = wdm_zip_context_load(r, r->s->window, &window_len);
	if (!status && engine->deflate_start(r->s->engine_ws, wdm_zip_windows[r->window]))
		status = ZIP_ST_ABORTED;
	if (!status && window_len)
		status = window_prime(r, window_len);
	if (status)
		return status;
	do {
		n = left < WDM_CHUNK ? left : WDM_CHUNK;
		err = wdm_cursor_read(&r->s->src, r->s->in, n);
		if (err)
			return wdm_zip_error(err, false);
		left -= n;
		r->checksum = wdm_zip_checksum(r, r->s->in, n);
		r->isize += n;
		if (!r->finish)
			window_len = window_append(r->s, window_len, n);
		status = deflate_chunk(r, n, left ? WDM_FLUSH_NONE : r->finish ? WDM_FLUSH_FINISH : WDM_FLUSH_SYNC);
	} while (left && !status);
	if (!status && r->finish)
		status = trailer(r);
	if (!status && r->stream)
		status = wdm_zip_context_save(r, r->s->window, window_len);
	if (status)
		return status;
	r->consumed = r->in_len;
	r->last_block = r->finish;
	return r->produced >= r->consumed ? ZIP_ST_NEGATIVE_COMP : ZIP_ST_OK;
}
