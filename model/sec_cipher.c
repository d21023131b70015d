// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Plain ciphers, and the cipher part of combined operations. */
#include "sec.h"

static bool two_keys(const struct wdm_sec_req *r)
{
	return r->kind == WDM_MODE_XTS;
}

static void block_init(struct wdm_sec_req *r, struct wdm_block *b, u32 slot, u8 *key)
{
	u32 bytes = r->key_bytes;

	/* With two keys for 3DES, the first is also the third. */
	if (r->alg == WDM_BLOCK_3DES && bytes == 16) {
		memcpy(key + 16, key, 8);
		bytes = 24;
	}
	wdm_block_init(b, r->alg, slot, r->job->env->engine, r->s->engine_ws, key, bytes);
}

u32 wdm_sec_mode(struct wdm_sec_req *r, const u8 *iv)
{
	struct wdm_mode *m = &r->s->sec.mode;
	u8 *key = r->s->sec.key;
	u32 status, bytes = r->key_bytes * (two_keys(r) ? 2 : 1);

	status = wdm_sec_fetch(r, r->c_key, key, bytes);
	if (status)
		return status;
	m->kind = r->kind;
	m->encrypt = r->encrypt;
	m->gb = r->xts_gb;
	m->ctr_bytes = WDM_BLOCK_BYTES;
	block_init(r, &m->block, 0, key);
	if (two_keys(r))
		block_init(r, &m->tweak, 1, key + r->key_bytes);
	if (iv)
		memcpy(m->iv, iv, m->block.bytes);
	else if (r->kind != WDM_MODE_ECB)
		status = wdm_sec_fetch(r, r->c_iv, m->iv, m->block.bytes);
	if (!status && two_keys(r))
		wdm_block_crypt(&m->tweak, true, m->iv, m->iv, 1);
	return status ? status : wdm_sec_engine_error(m->block.err ? m->block.err : m->tweak.err);
}

/*
 * Whether the counter's carry goes beyond 32 bits depends on a bit of the descriptor. Without
 * that bit the behaviour isn't known.
 */
static bool counter_wraps(const struct wdm_sec_req *r)
{
	return r->kind == WDM_MODE_CTR && !r->ctr_rollover &&
	       (u64)wdm_get_be32(r->s->sec.mode.iv + 12) + (r->len + 15) / 16 > 1ull << 32;
}

static void crypt_chunk(struct wdm_sec_req *r, u8 *p, u32 len)
{
	wdm_mode_crypt(&r->s->sec.mode, p, len, r->last);
}

u32 wdm_sec_cipher(struct wdm_sec_req *r)
{
	u32 status = wdm_sec_mode(r, NULL);

	if (!status && counter_wraps(r))
		status = SEC_ERR_VALUE;
	if (!status)
		status = wdm_sec_open(r);
	if (!status)
		status = wdm_sec_data(r, crypt_chunk);
	return status ? status : wdm_sec_engine_error(r->s->sec.mode.block.err);
}
