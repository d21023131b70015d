// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* A keyed block cipher, the host's or SM4, and its CBC-MAC. */
#include "block.h"
#include "internal.h"

void wdm_block_init(struct wdm_block *b, enum wdm_block_alg alg, u32 slot, const struct wdm_engine_ops *engine,
		    void *engine_ws, const u8 *key, u32 key_bytes)
{
	b->alg = alg;
	b->bytes = alg == WDM_BLOCK_DES || alg == WDM_BLOCK_3DES ? 8 : 16;
	b->slot = slot;
	b->engine = engine;
	b->engine_ws = engine_ws;
	b->err = 0;
	if (alg == WDM_BLOCK_SM4)
		wdm_sm4_key(&b->sm4, key);
	else
		b->err = engine->block_key(engine_ws, slot, alg, key, key_bytes);
}

void wdm_block_crypt(struct wdm_block *b, bool encrypt, const u8 *in, u8 *out, u32 n)
{
	if (b->err)
		return;
	if (b->alg != WDM_BLOCK_SM4) {
		b->err = b->engine->block(b->engine_ws, b->slot, encrypt, in, out, n);
		return;
	}
	for (; n; n--, in += 16, out += 16)
		wdm_sm4_block(&b->sm4, encrypt, in, out);
}

void wdm_cbcmac_init(struct wdm_cbcmac *c, struct wdm_block *block)
{
	c->block = block;
	memset(c->x, 0, sizeof(c->x));
	c->fill = 0;
}

void wdm_cbcmac_update(struct wdm_cbcmac *c, const u8 *p, u32 len)
{
	for (; len; len--) {
		c->x[c->fill++] ^= *p++;
		if (c->fill == WDM_BLOCK_BYTES)
			wdm_cbcmac_pad(c);
	}
}

void wdm_cbcmac_pad(struct wdm_cbcmac *c)
{
	if (c->fill)
		wdm_block_crypt(c->block, true, c->x, c->x, 1);
	c->fill = 0;
}
