// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Digests: hashes and HMAC, whole or in parts, and the MACs based on AES. */
#include "sec.h"

u32 wdm_sec_hash_start(struct wdm_sec_req *r)
{
	struct wdm_sec_work *w = &r->s->sec;
	struct wdm_hmac *h = &w->hmac;
	bool resumed = r->part == WDM_SEC_MIDDLE || r->part == WDM_SEC_END;
	bool keyed = r->op != WDM_SEC_HASH;
	u32 status;

	wdm_hash_init(&h->hash, r->hash, r->job->env->engine, r->s->engine_ws);
	if (resumed) {
		status = wdm_sec_fetch(r, r->a_iv, w->mac, r->hash->state);
		if (status)
			return status;
		/* The length includes the key's block; before the last part it doesn't matter. */
		wdm_hash_import(&h->hash, w->mac,
				r->total - (r->part == WDM_SEC_END ? r->len : 0) + (keyed ? r->hash->block : 0));
	}
	if (!keyed)
		return SEC_ERR_OK;
	status = wdm_sec_fetch(r, r->a_key, w->key, r->a_key_bytes);
	if (status)
		return status;
	wdm_hmac_start(h, w->key, r->a_key_bytes, resumed);
	/* Report an error of the computation before anything is written. */
	return h->hash.err ? wdm_sec_engine_error(h->hash.err) : SEC_ERR_OK;
}

static void hash_chunk(struct wdm_sec_req *r, u8 *p, u32 len)
{
	wdm_hash_update(&r->s->sec.hmac.hash, p, len);
}

u32 wdm_sec_digest(struct wdm_sec_req *r)
{
	struct wdm_hmac *h = &r->s->sec.hmac;
	u8 *out = r->s->sec.mac;
	u32 status;

	status = wdm_sec_hash_start(r);
	if (!status)
		status = wdm_sec_open(r);
	if (!status)
		status = wdm_sec_data(r, hash_chunk);
	if (status)
		return status;
	if (r->part == WDM_SEC_FIRST || r->part == WDM_SEC_MIDDLE) {
		wdm_hash_export(&h->hash, out);
		r->mac_bytes = r->hash->state;
	} else if (r->op == WDM_SEC_HMAC) {
		wdm_hmac_final(h, out);
	} else {
		wdm_hash_final(&h->hash, out);
	}
	return h->hash.err ? wdm_sec_engine_error(h->hash.err) : wdm_sec_tag(r, out);
}

/* ------ CMAC (SP 800-38B) and XCBC (RFC 3566) ------ */

static void double_block(u8 *p)
{
	u32 carry = p[0] >> 7, i;

	for (i = 0; i < 15; i++)
		p[i] = (u8)(p[i] << 1 | p[i + 1] >> 7);
	p[15] = (u8)(p[15] << 1 ^ (carry ? 0x87 : 0));
}

/* The value XORed into the last block, which is @whole or not. XCBC also changes to another key. */
static void mac_last_key(struct wdm_sec_req *r, bool whole, u8 *last)
{
	struct wdm_block *b = &r->s->sec.mode.block;
	u8 *key = r->s->sec.key;

	if (r->op == WDM_SEC_CMAC) {
		memset(last, 0, WDM_BLOCK_BYTES);
		wdm_block_crypt(b, true, last, last, 1);
		double_block(last);
		if (!whole)
			double_block(last);
		return;
	}
	memset(key, 1, WDM_BLOCK_BYTES);
	wdm_block_crypt(b, true, key, key, 1);
	memset(last, whole ? 2 : 3, WDM_BLOCK_BYTES);
	wdm_block_crypt(b, true, last, last, 1);
	if (!b->err)
		wdm_block_init(b, r->alg, 0, r->job->env->engine, r->s->engine_ws, key, WDM_BLOCK_BYTES);
}

static void mac_chunk(struct wdm_sec_req *r, u8 *p, u32 len)
{
	struct wdm_cbcmac *c = &r->s->sec.cbcmac;
	u32 tail = r->last ? (len % WDM_BLOCK_BYTES ? len % WDM_BLOCK_BYTES : WDM_BLOCK_BYTES) : 0;
	u8 *end = r->s->sec.end, *key = r->s->sec.first;
	u32 i;

	wdm_cbcmac_update(c, p, len - tail);
	if (!r->last)
		return;
	memset(end, 0, WDM_BLOCK_BYTES);
	memcpy(end, p + (len - tail), tail);
	if (tail < WDM_BLOCK_BYTES)
		end[tail] = 0x80;
	for (i = 0; i < WDM_BLOCK_BYTES; i++)
		end[i] ^= key[i];
	wdm_cbcmac_update(c, end, WDM_BLOCK_BYTES);
}

u32 wdm_sec_mac(struct wdm_sec_req *r)
{
	static const u8 no_iv[WDM_BLOCK_BYTES];
	struct wdm_sec_work *w = &r->s->sec;
	u32 status;

	r->c_key = r->a_key;
	r->kind = WDM_MODE_ECB;
	status = wdm_sec_mode(r, no_iv);
	if (status)
		return status;
	mac_last_key(r, r->len % WDM_BLOCK_BYTES == 0, w->first);
	wdm_cbcmac_init(&w->cbcmac, &w->mode.block);
	status = wdm_sec_open(r);
	if (!status)
		status = wdm_sec_data(r, mac_chunk);
	if (!status)
		status = wdm_sec_engine_error(w->mode.block.err);
	return status ? status : wdm_sec_tag(r, w->cbcmac.x);
}
