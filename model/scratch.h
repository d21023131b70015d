/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* A worker's memory: payload cursors, buffers, and each engine's working state. */
#ifndef WDM_SCRATCH_H
#define WDM_SCRATCH_H

#include "block.h"
#include "checksum.h"
#include "curve.h"
#include "hash.h"
#include "inflate.h"
#include "search.h"
#include "payload.h"
#include "hw/hpre_hw.h"

#define WDM_CHUNK	32768u
#define WDM_WINDOW_MAX	32768u

/* The state of one SEC request. */
struct wdm_sec_work {
	struct wdm_mode mode;
	struct wdm_hmac hmac;
	struct wdm_ghash ghash;
	struct wdm_cbcmac cbcmac;
	u8 first[WDM_BLOCK_BYTES];	/* GCM, CCM: block that encrypts the tag; CMAC, XCBC: key for the last block */
	u8 key[WDM_HASH_BLOCK_MAX];	/* temporary copy */
	u8 mac[WDM_HASH_STATE_MAX];	/* state or result of a digest, from or to memory */
	u8 end[WDM_BLOCK_BYTES];	/* CMAC, XCBC: the last block with its padding and key */
};

/**
 * struct wdm_hpre_work - the state of one HPRE request
 * @num: numbers of RSA: modulus, exponents, halves
 * @curve, @order: for elliptic curves; @order is used by RSA too
 * @g, @q, @point: generator, public key, result
 * @d, @e, @k, @r, @s, @x, @y: private key, digest, random number, signature, coordinates
 */
struct wdm_hpre_work {
	u8 key[HPRE_KEY_MAX];
	u8 in[HPRE_IN_MAX];
	u8 out[HPRE_OUT_MAX];
	u64 num[6][WDM_NUM_WORDS];
	u64 tmp[WDM_INVERSE_TEMPS * WDM_NUM_WORDS];
	struct wdm_curve curve;
	struct wdm_mont order;
	struct wdm_point g, q, point;
	u64 d[WDM_CURVE_WORDS], e[WDM_CURVE_WORDS], k[WDM_CURVE_WORDS];
	u64 r[WDM_CURVE_WORDS], s[WDM_CURVE_WORDS];
	u64 x[WDM_CURVE_WORDS], y[WDM_CURVE_WORDS];
	struct wdm_hash hash;
};

struct wdm_scratch {
	void *engine_ws;
	struct wdm_crc_tables crc;
	struct wdm_inflate inflate;
	struct wdm_lz77 lz77;
	struct wdm_sec_work sec;
	struct wdm_hpre_work hpre;
	struct wdm_cursor src;
	struct wdm_cursor dst;
	struct wdm_cursor literals;	/* of lz77: what they are written to; of lz4: read from, once more */
	u8 in[WDM_CHUNK];			/* of lz77 and lz4: output that is collected */
	u8 out[WDM_WINDOW_MAX + WDM_CHUNK];	/* decompression: window, then new output; of lz77 and lz4: input */
	u8 window[WDM_WINDOW_MAX];		/* compression: the window for the next request */
};

#endif
