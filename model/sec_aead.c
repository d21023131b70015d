// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Encryption with authentication: GCM and GMAC (SP 800-38D), CCM (SP 800-38C), CBC with HMAC. */
#include "sec.h"

/* ------ GCM ------ */

/* Cipher and hash key; @j0 becomes the counter block that encrypts the tag. */
static u32 gcm_start(struct wdm_sec_req *r, const u8 *j0)
{
	struct wdm_sec_work *w = &r->s->sec;
	u32 status;

	r->kind = WDM_MODE_CTR;
	status = wdm_sec_mode(r, j0);
	if (status)
		return status;
	w->mode.ctr_bytes = 4;
	memset(w->first, 0, sizeof(w->first));
	wdm_block_crypt(&w->mode.block, true, w->first, w->first, 1);
	wdm_ghash_init(&w->ghash, w->first);
	wdm_block_crypt(&w->mode.block, true, j0, w->first, 1);
	wdm_counter_add(w->mode.iv + 12, 4, 1);
	return wdm_sec_engine_error(w->mode.block.err);
}

static void gcm_aad_chunk(struct wdm_sec_req *r, u8 *p, u32 len)
{
	wdm_ghash_update(&r->s->sec.ghash, p, len);
}

static void gcm_data_chunk(struct wdm_sec_req *r, u8 *p, u32 len)
{
	struct wdm_sec_work *w = &r->s->sec;

	if (!r->encrypt)
		wdm_ghash_update(&w->ghash, p, len);
	wdm_mode_crypt(&w->mode, p, len, r->last);
	if (r->encrypt)
		wdm_ghash_update(&w->ghash, p, len);
}

static u32 gcm_finish(struct wdm_sec_req *r, u32 aad, u32 data)
{
	struct wdm_sec_work *w = &r->s->sec;
	u32 i;

	wdm_ghash_lengths(&w->ghash, aad, data);
	for (i = 0; i < WDM_BLOCK_BYTES; i++)
		w->ghash.y[i] ^= w->first[i];
	return w->mode.block.err ? wdm_sec_engine_error(w->mode.block.err) : wdm_sec_tag(r, w->ghash.y);
}

static u32 gcm_first_counter(struct wdm_sec_req *r, u64 iv, u8 *j0)
{
	memset(j0, 0, WDM_BLOCK_BYTES);
	j0[15] = 1;
	return wdm_sec_fetch(r, iv, j0, SEC_GCM_IV_BYTES);
}

u32 wdm_sec_gcm(struct wdm_sec_req *r)
{
	u8 j0[WDM_BLOCK_BYTES], given[SEC_GCM_IV_BYTES];
	u32 status;

	status = gcm_first_counter(r, r->c_iv, j0);
	if (!status)
		status = wdm_sec_fetch(r, r->a_iv, given, sizeof(given));
	if (!status && memcmp(given, j0, sizeof(given)))
		status = SEC_ERR_VALUE;
	if (!status)
		status = gcm_start(r, j0);
	if (!status)
		status = wdm_sec_open(r);
	if (!status)
		status = wdm_sec_aad(r, gcm_aad_chunk);
	if (!status)
		status = wdm_sec_data(r, gcm_data_chunk);
	return status ? status : gcm_finish(r, r->aad, r->len);
}

u32 wdm_sec_gmac(struct wdm_sec_req *r)
{
	u8 j0[WDM_BLOCK_BYTES];
	u32 status;

	r->c_key = r->a_key;
	status = gcm_first_counter(r, r->a_iv, j0);
	if (!status)
		status = gcm_start(r, j0);
	if (!status)
		status = wdm_sec_open(r);
	if (!status)
		status = wdm_sec_data(r, gcm_aad_chunk);
	return status ? status : gcm_finish(r, r->len, 0);
}

/* AAD or data of a stream: the running hash is read from and written to memory; software keeps the counter. */
u32 wdm_sec_gcm_part(struct wdm_sec_req *r)
{
	struct wdm_sec_work *w = &r->s->sec;
	bool data = r->op == WDM_SEC_GCM_DATA;
	u8 counter[WDM_BLOCK_BYTES] = { 0 };
	u32 status = SEC_ERR_OK;

	if (!data)
		r->c_key = r->a_key;
	else
		status = wdm_sec_fetch(r, r->c_iv, counter, sizeof(counter));
	if (!status)
		status = gcm_start(r, counter);
	if (!status && data)
		status = wdm_sec_fetch(r, r->a_iv, w->ghash.y, sizeof(w->ghash.y));
	if (!status)
		status = wdm_sec_open(r);
	if (!status)
		status = wdm_sec_data(r, data ? gcm_data_chunk : gcm_aad_chunk);
	if (!status)
		status = wdm_sec_engine_error(w->mode.block.err);
	return status ? status : wdm_sec_store(r, r->mac, w->ghash.y, sizeof(w->ghash.y));
}

/* ------ CCM ------ */

/* Does the first block of the MAC match the nonce, the size of the length field and the lengths? */
static bool ccm_agrees(const struct wdm_sec_req *r, const u8 *ctr, const u8 *b0)
{
	u32 l = ctr[0] + 1u, flags = ctr[0] | (r->mac_bytes - 2) / 2 << 3 | (r->aad ? 0x40 : 0), i;
	u64 len = 0, first = 0;

	if (l < 2 || l > 8 || b0[0] != flags || memcmp(ctr + 1, b0 + 1, 15 - l))
		return false;
	for (i = 16 - l; i < 16; i++) {
		len = len << 8 | b0[i];
		first = first << 8 | ctr[i];
	}
	return len == r->len && first == 1;
}

static void ccm_aad_chunk(struct wdm_sec_req *r, u8 *p, u32 len)
{
	wdm_cbcmac_update(&r->s->sec.cbcmac, p, len);
}

static void ccm_data_chunk(struct wdm_sec_req *r, u8 *p, u32 len)
{
	struct wdm_sec_work *w = &r->s->sec;

	if (r->encrypt)
		wdm_cbcmac_update(&w->cbcmac, p, len);
	wdm_mode_crypt(&w->mode, p, len, r->last);
	if (!r->encrypt)
		wdm_cbcmac_update(&w->cbcmac, p, len);
}

static u32 ccm_start(struct wdm_sec_req *r)
{
	struct wdm_sec_work *w = &r->s->sec;
	u8 ctr[WDM_BLOCK_BYTES], b0[WDM_BLOCK_BYTES], size[2] = { (u8)(r->aad >> 8), (u8)r->aad };
	u32 status;

	status = wdm_sec_fetch(r, r->c_iv, ctr, sizeof(ctr));
	if (!status)
		status = wdm_sec_fetch(r, r->a_iv, b0, sizeof(b0));
	if (!status && !ccm_agrees(r, ctr, b0))
		status = SEC_ERR_VALUE;
	if (!status)
		status = wdm_sec_mode(r, ctr);
	if (status)
		return status;
	w->mode.ctr_bytes = ctr[0] + 1u;
	ctr[15] = 0;
	wdm_block_crypt(&w->mode.block, true, ctr, w->first, 1);
	wdm_cbcmac_init(&w->cbcmac, &w->mode.block);
	wdm_cbcmac_update(&w->cbcmac, b0, sizeof(b0));
	if (r->aad)
		wdm_cbcmac_update(&w->cbcmac, size, sizeof(size));
	return SEC_ERR_OK;
}

u32 wdm_sec_ccm(struct wdm_sec_req *r)
{
	struct wdm_sec_work *w = &r->s->sec;
	u32 status, i;

	status = ccm_start(r);
	if (!status)
		status = wdm_sec_open(r);
	if (!status)
		status = wdm_sec_aad(r, ccm_aad_chunk);
	if (status)
		return status;
	wdm_cbcmac_pad(&w->cbcmac);
	status = wdm_sec_data(r, ccm_data_chunk);
	if (status)
		return status;
	wdm_cbcmac_pad(&w->cbcmac);
	for (i = 0; i < WDM_BLOCK_BYTES; i++)
		w->cbcmac.x[i] ^= w->first[i];
	return w->mode.block.err ? wdm_sec_engine_error(w->mode.block.err) : wdm_sec_tag(r, w->cbcmac.x);
}

/* ------ CBC with HMAC: the MAC covers the ciphertext ------ */

static void authenc_aad_chunk(struct wdm_sec_req *r, u8 *p, u32 len)
{
	wdm_hash_update(&r->s->sec.hmac.hash, p, len);
}

static void authenc_data_chunk(struct wdm_sec_req *r, u8 *p, u32 len)
{
	struct wdm_sec_work *w = &r->s->sec;

	if (!r->encrypt)
		wdm_hash_update(&w->hmac.hash, p, len);
	wdm_mode_crypt(&w->mode, p, len, r->last);
	if (r->encrypt)
		wdm_hash_update(&w->hmac.hash, p, len);
}

u32 wdm_sec_authenc(struct wdm_sec_req *r)
{
	struct wdm_sec_work *w = &r->s->sec;
	u32 status;

	status = wdm_sec_mode(r, NULL);
	if (!status)
		status = wdm_sec_hash_start(r);
	if (!status)
		status = wdm_sec_open(r);
	if (!status)
		status = wdm_sec_aad(r, authenc_aad_chunk);
	if (!status)
		status = wdm_sec_data(r, authenc_data_chunk);
	if (status)
		return status;
	wdm_hmac_final(&w->hmac, w->mac);
	if (w->mode.block.err || w->hmac.hash.err)
		return wdm_sec_engine_error(w->mode.block.err ? w->mode.block.err : w->hmac.hash.err);
	return wdm_sec_tag(r, w->mac);
}
