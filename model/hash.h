/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Hashes and HMAC on the host's compression functions, with a chaining state that can be exported and imported. */
#ifndef WDM_HASH_H
#define WDM_HASH_H

#include "env.h"

#define WDM_HASH_BLOCK_MAX	128
#define WDM_HASH_STATE_MAX	64

struct wdm_hash_info {
	enum wdm_hash_core core;
	u32 block;		/* block size in bytes */
	u32 state;		/* size of the chaining state in bytes */
	u32 digest;		/* size of the result in bytes, taken from the start of the state */
	const void *init;	/* initial state, in words of the algorithm */
};

union wdm_hash_state {
	u32 w[8];
	u64 d[8];
};

struct wdm_hash {
	const struct wdm_hash_info *info;
	const struct wdm_engine_ops *engine;
	void *engine_ws;
	union wdm_hash_state state;
	u64 bytes;		/* bytes of the message so far */
	u32 fill;
	int err;		/* the first error; later calls do nothing */
	u8 buf[WDM_HASH_BLOCK_MAX];
};

/* For HMAC, the key padded to a block; never longer. */
struct wdm_hmac {
	struct wdm_hash hash;
	u8 key[WDM_HASH_BLOCK_MAX];
};

/* @a_alg: number of the plain algorithm (enum sec_a_alg). NULL if there is none. */
const struct wdm_hash_info *wdm_hash_find(u32 a_alg);

void wdm_hash_init(struct wdm_hash *h, const struct wdm_hash_info *info, const struct wdm_engine_ops *engine,
		   void *engine_ws);
void wdm_hash_update(struct wdm_hash *h, const u8 *p, u32 len);
/* Writes info->state bytes, which may be more than the digest has. */
int wdm_hash_final(struct wdm_hash *h, u8 *digest);
/* The chaining state in natural byte order; only between whole blocks. */
void wdm_hash_export(const struct wdm_hash *h, u8 *state);
void wdm_hash_import(struct wdm_hash *h, const u8 *state, u64 bytes);

/* Called right after wdm_hash_init(). @resumed: the first block is in the imported state already. */
void wdm_hmac_start(struct wdm_hmac *h, const u8 *key, u32 len, bool resumed);
int wdm_hmac_final(struct wdm_hmac *h, u8 *digest);

/* sm3.c */
void wdm_sm3_blocks(u32 *state, const u8 *data, u32 blocks);

#endif
