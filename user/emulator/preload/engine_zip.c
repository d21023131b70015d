// SPDX-License-Identifier: Apache-2.0
/* The mathematics of the emulated ZIP engine: zlib's deflate, or none. */
#include <stdlib.h>
#include <zlib.h>
#include "emu.h"
#include "hw/zip_hw.h"

/* The hardware prefers speed to ratio. */
#define ENGINE_LEVEL	1

struct engine_ws {
	z_stream z;
	int bits;	/* 0: no stream yet */
};

static void engine_ws_free(void *ws)
{
	struct engine_ws *e = ws;

	if (e && e->bits)
		deflateEnd(&e->z);
	free(e);
}

static int window_bits(u32 window_bytes)
{
	int bits = 9;

	/* Never more than requested: 24 KiB becomes 16 KiB. */
	while (bits < MAX_WBITS && 2u << bits <= window_bytes)
		bits++;
	return bits;
}

static int engine_start(void *ws, u32 window_bytes)
{
	struct engine_ws *e = ws;
	int bits = window_bits(window_bytes);

	if (e->bits == bits)
		return deflateReset(&e->z) == Z_OK ? 0 : -EIO;
	if (e->bits)
		deflateEnd(&e->z);
	e->bits = 0;
	memset(&e->z, 0, sizeof(e->z));
	if (deflateInit2(&e->z, ENGINE_LEVEL, Z_DEFLATED, -bits, bits - 7, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	e->bits = bits;
	return 0;
}

/*
 * The stream of the usual window is made here, not by the worker at its first job: a fork during the worker's malloc()
 * would leave malloc's lock held in the child, if malloc() doesn't prevent that (AddressSanitizer's doesn't).
 */
static void *engine_ws_alloc(void)
{
	struct engine_ws *e = calloc(1, sizeof(*e));

	if (e && engine_start(e, 1u << MAX_WBITS)) {
		free(e);
		return NULL;
	}
	return e;
}

static int engine_deflate(void *ws, struct wdm_deflate_io *io, enum wdm_flush flush)
{
	static const int zflush[] = {
		[WDM_FLUSH_NONE] = Z_NO_FLUSH, [WDM_FLUSH_SYNC] = Z_SYNC_FLUSH, [WDM_FLUSH_FINISH] = Z_FINISH,
	};
	struct engine_ws *e = ws;
	int ret;

	e->z.next_in = (Bytef *)io->in;
	e->z.avail_in = io->in_len;
	e->z.next_out = io->out;
	e->z.avail_out = io->out_len;
	ret = deflate(&e->z, zflush[flush]);
	io->in = e->z.next_in;
	io->in_len = e->z.avail_in;
	io->out = e->z.next_out;
	io->out_len = e->z.avail_out;
	if (ret == Z_STREAM_END)
		return 1;
	/* zlib returns this for a second flush in a row. */
	if (ret == Z_BUF_ERROR && flush != WDM_FLUSH_FINISH)
		return 1;
	if (ret != Z_OK && ret != Z_BUF_ERROR)
		return -EIO;
	return flush != WDM_FLUSH_FINISH && !io->in_len && io->out_len;
}

/* Consumes all input, and produces an empty stream. */
static int none_start(void *ws, u32 window_bytes)
{
	(void)ws, (void)window_bytes;
	return 0;
}

static int none_deflate(void *ws, struct wdm_deflate_io *io, enum wdm_flush flush)
{
	(void)ws;
	io->in += io->in_len;
	io->in_len = 0;
	if (flush != WDM_FLUSH_FINISH)
		return 1;
	if (io->out_len < 2)
		return 0;
	io->out[0] = 3;
	io->out[1] = 0;
	io->out += 2;
	io->out_len -= 2;
	return 1;
}

static const struct wdm_engine_ops none = {
	.deflate_start = none_start,
	.deflate = none_deflate,
};

static const struct wdm_engine_ops engine = {
	.deflate_start = engine_start,
	.deflate = engine_deflate,
};

static const struct emu_reg start_v2[] = {
	{ ZIP_DATA_RUSER, QM_AXUSER_BASE },
	{ ZIP_DATA_WUSER, QM_AXUSER_BASE },
	{ ZIP_SGL_RUSER, QM_AXUSER_BASE },
	{ ZIP_ERR_CTRL, ZIP_ERR_CTRL_AXI_SHUTDOWN },
	{ 0, 0 },
};

static const struct emu_reg sva_v2[] = {
	{ ZIP_DATA_RUSER, QM_AXUSER_BASE | QM_AXUSER_SSV },
	{ ZIP_DATA_WUSER, QM_AXUSER_BASE | QM_AXUSER_SSV },
	{ ZIP_SGL_RUSER, QM_AXUSER_BASE | QM_AXUSER_SSV },
	{ 0, 0 },
};

static const struct emu_reg start_v3[] = {
	{ ZIP_ERR_CTRL, ZIP_ERR_CTRL_AXI_SHUTDOWN },
	{ 0, 0 },
};

const struct emu_kind emu_zip = {
	.name = "hisi_zip",
	.type = WDM_ZIP,
	.qc_types = { [WDM_ROW(2)] = 2, [WDM_ROW(3)] = 2 },
	.sqe_shift = 7,
	.start = { [WDM_ROW(2)] = start_v2, [WDM_ROW(3)] = start_v3 },
	.sva = { [WDM_ROW(2)] = sva_v2 },
	.engine = &engine,
	.no_engine = &none,
	.ws_alloc = engine_ws_alloc,
	.ws_free = engine_ws_free,
};
