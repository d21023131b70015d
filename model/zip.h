/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* A parsed ZIP request, shared by compression and decompression. */
#ifndef WDM_ZIP_H
#define WDM_ZIP_H

#include "internal.h"
#include "scratch.h"
#include "hw/zip_access_hw.h"

struct wdm_zip_req {
	struct wdm_job *job;
	struct wdm_scratch *s;
	const struct zip_access_req *row;
	u32 type;		/* enum zip_req_type */
	bool sgl;
	bool stream;
	bool begin;		/* first request of its stream */
	bool finish;
	u32 window;
	u64 src, dst, ctx;
	u32 src_skip, dst_skip;
	u32 in_len, out_len;
	u64 literals;		/* 0: requests of this type have none */
	u32 literals_room;
	/* stream state: input, and output when the request succeeds */
	u32 ctx_dw[3];
	u32 checksum;		/* CRC-32 or Adler-32, not the register value */
	u32 isize;
	u32 consumed, produced, nr_literals;
	bool last_block;
};

/* Sizes of the windows: a smaller one than requested is always valid, a larger one never is. */
extern const u32 wdm_zip_windows[];

/* zip_compress.c: a compression's state in the context. Both return an enum zip_status. */
u32 wdm_zip_context_load(struct wdm_zip_req *r, u8 *window, u32 *window_len);
u32 wdm_zip_context_save(struct wdm_zip_req *r, const u8 *window, u32 window_len);

/* Each in its file; they return an enum zip_status. */
u32 wdm_zip_compress(struct wdm_zip_req *r);
u32 wdm_zip_decompress(struct wdm_zip_req *r);
u32 wdm_zip_lz77(struct wdm_zip_req *r);
u32 wdm_zip_lz4(struct wdm_zip_req *r);

/**
 * struct wdm_zip_pieces - a request's data as literals and matches, for lz77 and lz4
 * @put: takes literals and the match behind them, if any: an enum zip_status
 * @data: takes the literals' bytes before that, or NULL
 * @most: bytes of the longest match
 * @repeats: the last three offsets, of lz77_zstd
 * @run: literals behind the last match
 * @literals, @offset, @match: the last match, which may get longer; @match is 0 if there was none
 * @at, @nr: of lz4: bytes of the source that were read again, taken and in memory; of lz77: @nr literals are collected
 * @staged: bytes of output that are collected
 */
struct wdm_zip_pieces {
	struct wdm_zip_req *r;
	u32 (*put)(struct wdm_zip_pieces *p, u32 literals, u32 offset, u32 match);
	u32 (*data)(struct wdm_zip_pieces *p, const u8 *bytes, u32 n);
	u32 most;
	u32 repeats[3];
	u32 run;
	u32 literals, offset, match;
	u32 at, nr;
	u32 staged;
};

/*
 * zip_pieces.c: searches the request's data behind a window that is in @r->s->out already. Matches begin before @start
 * and end before or at @end, positions that count from the window's begin. Afterwards the window's end is there again,
 * @window_len bytes of it.
 */
u32 wdm_zip_pieces_all(struct wdm_zip_pieces *p, bool patient, u32 start, u32 end, u32 *window_len);
/* Collects output, and writes what was collected. */
u32 wdm_zip_stage(struct wdm_zip_pieces *p, const u8 *bytes, u32 n);
u32 wdm_zip_unstage(struct wdm_zip_pieces *p);

/* zip_req.c */
u32 wdm_zip_checksum(const struct wdm_zip_req *r, const u8 *p, u32 len);
u32 wdm_zip_trailer_bytes(const struct wdm_zip_req *r);
/* Status for an error of a cursor or of the context; @dst: the error is the destination's. */
u32 wdm_zip_error(int err, bool dst);

#endif
