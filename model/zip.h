/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* A parsed ZIP request, shared by compression and decompression. */
#ifndef WDM_ZIP_H
#define WDM_ZIP_H

#include "internal.h"
#include "scratch.h"
#include "hw/zip_hw.h"

struct wdm_zip_req {
	struct wdm_job *job;
	struct wdm_scratch *s;
	u32 type;		/* enum zip_req_type */
	bool sgl;
	bool stream;
	bool begin;		/* first request of its stream */
	bool finish;
	u32 window;
	u64 src, dst, ctx;
	u32 src_skip, dst_skip;
	u32 in_len, out_len;
	/* stream state: input, and output when the request succeeds */
	u32 ctx_dw[3];
	u32 checksum;		/* CRC-32 or Adler-32, not the register value */
	u32 isize;
	u32 consumed, produced;
	bool last_block;
};

/* zip_compress.c, zip_decompress.c: both return an enum zip_status */
u32 wdm_zip_compress(struct wdm_zip_req *r);
u32 wdm_zip_decompress(struct wdm_zip_req *r);

/* zip_req.c */
u32 wdm_zip_checksum(const struct wdm_zip_req *r, const u8 *p, u32 len);
u32 wdm_zip_trailer_bytes(const struct wdm_zip_req *r);
/* Status for an error of a cursor or of the context; @dst: the error is the destination's. */
u32 wdm_zip_error(int err, bool dst);

#endif
