// SPDX-License-Identifier: GPL-2.0-or-later
/* The model's mathematics in the kernel: deflate by the kernel's zlib. */
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/zlib.h>

#include "model/env.h"
#include "internal.h"

#define LEVEL		1	/* hardware has no level; speed matters more in a simulation */
#define WBITS_MEM	7	/* memLevel below windowBits: keeps stored blocks short of 9/8 */

struct workspace {
	z_stream strm;
	u8 zlib[] __aligned(16);
};

static size_t workspace_size(void)
{
	return sizeof(struct workspace) + zlib_deflate_workspacesize(MAX_WBITS, MAX_MEM_LEVEL);
}

static int deflate_start(void *ws, u32 window_bytes)
{
	struct workspace *w = ws;
	int wbits = ilog2(window_bytes);

	if (wbits < 12 || wbits > MAX_WBITS)
		return -EINVAL;
	memset(&w->strm, 0, sizeof(w->strm));
	w->strm.workspace = w->zlib;
	if (zlib_deflateInit2(&w->strm, LEVEL, Z_DEFLATED, -wbits, wbits - WBITS_MEM,
			      Z_DEFAULT_STRATEGY) != Z_OK)
		return -EINVAL;
	return 0;
}

static int zip_deflate(void *ws, struct wdm_deflate_io *io, enum wdm_flush flush)
{
	static const int how[] = {
		[WDM_FLUSH_NONE] = Z_NO_FLUSH,
		[WDM_FLUSH_SYNC] = Z_SYNC_FLUSH,
		[WDM_FLUSH_FINISH] = Z_FINISH,
	};
	z_stream *strm = &((struct workspace *)ws)->strm;
	int ret;

	strm->next_in = io->in;
	strm->avail_in = io->in_len;
	strm->next_out = io->out;
	strm->avail_out = io->out_len;
	ret = zlib_deflate(strm, how[flush]);
	io->in = strm->next_in;
	io->in_len = strm->avail_in;
	io->out = strm->next_out;
	io->out_len = strm->avail_out;

	if (ret == Z_STREAM_END)
		return 1;
	/* Z_BUF_ERROR: called again after everything had fitted exactly. */
	if (ret == Z_BUF_ERROR)
		return io->out_len && !io->in_len && flush != WDM_FLUSH_FINISH ? 1 :
		       io->out_len ? -EIO : 0;
	if (ret != Z_OK)
		return -EIO;
	if (flush == WDM_FLUSH_NONE)
		return !io->in_len;
	return flush == WDM_FLUSH_SYNC && !io->in_len && io->out_len;
}

static const struct wdm_engine_ops ops = {
	.deflate_start = deflate_start,
	.deflate = zip_deflate,
};

const struct sim_engine sim_engine_zip = {
	.ops = &ops,
	.workspace_size = workspace_size,
};
