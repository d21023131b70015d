/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Block ciphers and what is built on them: modes, CBC-MAC, GHASH. The host provides the ciphers, except SM4. */
#ifndef WDM_BLOCK_H
#define WDM_BLOCK_H

#include "env.h"

#define WDM_BLOCK_BYTES		16	/* for all ciphers except DES and 3DES, which have 8 */
#define WDM_BLOCK_BATCH		64
#define WDM_SM4_ROUNDS		32

struct wdm_sm4 {
	u32 round[WDM_SM4_ROUNDS];
};

/* A cipher with its key. A worker may use two at a time, which @slot distinguishes. */
struct wdm_block {
	enum wdm_block_alg alg;
	u32 bytes;		/* block size in bytes */
	u32 slot;
	const struct wdm_engine_ops *engine;
	void *engine_ws;
	int err;		/* the first error; later results are garbage */
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
 * struct wdm_mode - a message that is being processed in a mode
 * @block, @tweak: ciphers; @tweak is for XTS
 * @iv: initial value, then the state for the next block
 * @ctr_bytes: CTR: the last bytes of @iv that are the counter
 * @gb: XTS according to GB/T 17964
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

/* @key is in the algorithm's own format; the caller checks sizes. */
void wdm_block_init(struct wdm_block *b, enum wdm_block_alg alg, u32 slot, const struct wdm_engine_ops *engine,
		    void *engine_ws, const u8 *key, u32 key_bytes);
/* Processes @n independent blocks; @in may be @out. */
void wdm_block_crypt(struct wdm_block *b, bool encrypt, const u8 *in, u8 *out, u32 n);

/*
 * Processes the next part of the message, in place. All parts but the last are whole blocks.
 * With ciphertext stealing (XTS, CBC-CS), the last part is more than one block, or the whole
 * message.
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
/* Pads with zeroes to the end of the block. */
void wdm_cbcmac_pad(struct wdm_cbcmac *c);

/* GHASH */
struct wdm_ghash {
	u64 high[16];		/* multiples of H by four-bit numbers */
	u64 low[16];
	u8 y[WDM_BLOCK_BYTES];
};

void wdm_ghash_init(struct wdm_ghash *g, const u8 *h);
/* Pads the last block with zeroes. */
void wdm_ghash_update(struct wdm_ghash *g, const u8 *p, u32 len);
/* Adds the closing block; lengths are in bytes. */
void wdm_ghash_lengths(struct wdm_ghash *g, u64 aad, u64 data);

/* sm4.c */
void wdm_sm4_key(struct wdm_sm4 *k, const u8 *key);
void wdm_sm4_block(const struct wdm_sm4 *k, bool encrypt, const u8 *in, u8 *out);

#endif
