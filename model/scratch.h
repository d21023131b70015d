/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* A worker's memory: payload cursors, buffers, and what each engine keeps while it works. */
#ifndef WDM_SCRATCH_H
#define WDM_SCRATCH_H

#include "block.h"
#include "checksum.h"
#include "hash.h"
#include "inflate.h"
#include "payload.h"

#define WDM_CHUNK	32768u
#define WDM_WINDOW_MAX	32768u

/* The state of one SEC request. */
struct wdm_sec_work {
	struct wdm_mode mode;
	struct wdm_hmac hmac;
	struct wdm_ghash ghash;
	struct wdm_cbcmac cbcmac;
	u8 first[WDM_BLOCK_BYTES];	/* GCM, CCM: the block that hides the tag; CMAC, XCBC: the last block's key */
	u8 key[WDM_HASH_BLOCK_MAX];	/* on its way to where it is used */
};

struct wdm_scratch {
	void *engine_ws;
	struct wdm_crc_tables crc;
	struct wdm_inflate inflate;
	struct wdm_sec_work sec;
	struct wdm_cursor src;
	struct wdm_cursor dst;
	u8 in[WDM_CHUNK];
	u8 out[WDM_WINDOW_MAX + WDM_CHUNK];	/* decompression: window, then new output */
	u8 window[WDM_WINDOW_MAX];		/* compression: what the next request may refer to */
};

#endif
