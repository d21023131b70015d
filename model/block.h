/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Block ciphers and what is made of them: modes, CBC-MAC, GHASH. The ciphers are the host's, but SM4. */
#ifndef WDM_BLOCK_H
#define WDM_BLOCK_H

#include "env.h"

#define WDM_BLOCK_BYTES		16	/* of all but DES and 3DES: 8 */
#define WDM_BLOCK_BATCH		64
#define WDM_SM4_ROUNDS		32

struct wdm_sm4 {
	u32 round[WDM_SM4_ROUNDS];
};

/* A cipher with its key. Two may be in use at once in a worker: they are told apart by @slot. */
struct wdm_block {
	enum wdm_block_alg alg;
	u32 bytes;		/* of a block */
	u32 slot;
	const struct wdm_engine_ops *engine;
	void *engine_ws;
	int err;		/* the first; what is computed afterwards is garbage */
	struct wdm_sm4 sm4;
};

enum wdm_mode_kind {
	WDM_MODE_ECB,
	WDM_MODE_CBC,
	WDM_MODE_CBC_CS1,
	WDM_MODE_CBC_CS2,
	WDM_MODE_CBC_CS3,
	WDM_MODE_CFB,
	WDM_MODE_OFB,
	WDM_MODE_CTR,
	WDM_MODE_XTS,
};

/**
 * struct wdm_mode - a message on its way through a mode
 * @block, @tweak: ciphers; the second is XTS's
 * @iv: initial value, then what the next block needs
 * @ctr_bytes: CTR: so many last bytes of @iv are the counter
 * @gb: XTS as of GB/T 17964
 * @batch: room for blocks that are computed together
 */
struct wdm_mode {
	enum wdm_mode_kind kind;
	bool encrypt;
	bool gb;
	u32 ctr_bytes;
	struct wdm_block block;
	struct wdm_block tweak;
	u8 iv[WDM_BLOCK_BYTES];
	u8 batch[WDM_BLOCK_BATCH * WDM_BLOCK_BYTES];
};

/* @key: as the algorithm has it; sizes are the caller's to check. */
void wdm_block_init(struct wdm_block *b, enum wdm_block_alg alg, u32 slot, const struct wdm_engine_ops *engine,
		    void *engine_ws, const u8 *key, u32 key_bytes);
/* @n blocks, each by itself; @in may be @out. */
void wdm_block_crypt(struct wdm_block *b, bool encrypt, const u8 *in, u8 *out, u32 n);

/*
 * The next part of the message, in place: whole blocks, but for the last part. The last part of one that steals
 * (XTS, CBC-CS) has more than one block, or is the message.
 */
void wdm_mode_crypt(struct wdm_mode *m, u8 *p, u32 len, bool last);
/* Adds @n to a big-endian counter. */
void wdm_counter_add(u8 *counter, u32 bytes, u32 n);

/* CBC-MAC */
struct wdm_cbcmac {
	struct wdm_block *block;
	u8 x[WDM_BLOCK_BYTES];
	u32 fill;
};

void wdm_cbcmac_init(struct wdm_cbcmac *c, struct wdm_block *block);
void wdm_cbcmac_update(struct wdm_cbcmac *c, const u8 *p, u32 len);
/* Zeroes up to the block's end. */
void wdm_cbcmac_pad(struct wdm_cbcmac *c);

/* GHASH */
struct wdm_ghash {
	u64 high[16];		/* multiples of H by four bits */
	u64 low[16];
	u8 y[WDM_BLOCK_BYTES];
};

void wdm_ghash_init(struct wdm_ghash *g, const u8 *h);
/* Zeroes follow up to the last block's end. */
void wdm_ghash_update(struct wdm_ghash *g, const u8 *p, u32 len);
/* The closing block: lengths in bytes. */
void wdm_ghash_lengths(struct wdm_ghash *g, u64 aad, u64 data);

/* sm4.c */
void wdm_sm4_key(struct wdm_sm4 *k, const u8 *key);
void wdm_sm4_block(const struct wdm_sm4 *k, bool encrypt, const u8 *in, u8 *out);

#endif
