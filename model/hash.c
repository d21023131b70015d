// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Hashes and HMAC: initial values, padding and the chaining state. The host provides the compression functions. */
#include "hash.h"
#include "internal.h"
#include "hw/sec_hw.h"

static const u32 md5_init[8] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };
static const u32 sha1_init[8] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
static const u32 sha224_init[8] = {
	0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4,
};
static const u32 sha256_init[8] = {
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};
static const u64 sha384_init[8] = {
	0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
	0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
};
static const u64 sha512_init[8] = {
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};
static const u64 sha512_224_init[8] = {
	0x8c3d37c819544da2, 0x73e1996689dcd4d6, 0x1dfab7ae32ff9c82, 0x679dd514582f9fcf,
	0x0f6d2b697bd44da8, 0x77e36f7304c48942, 0x3f9d85a86a1d36c8, 0x1112e6ad91d692a1,
};
static const u64 sha512_256_init[8] = {
	0x22312194fc2bf72c, 0x9f555fa3c84c64c2, 0x2393b86b6f53b151, 0x963877195940eabd,
	0x96283ee2a88effe3, 0xbe5e1e2553863992, 0x2b0199fc2c85b8aa, 0x0eb72ddc81c52ca2,
};
static const u32 sm3_init[8] = {
	0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e,
};

static const struct wdm_hash_info infos[] = {
	[SEC_A_SHA1] = { WDM_HASH_SHA1, 64, 20, 20, sha1_init },
	[SEC_A_SHA256] = { WDM_HASH_SHA256, 64, 32, 32, sha256_init },
	[SEC_A_MD5] = { WDM_HASH_MD5, 64, 16, 16, md5_init },
	[SEC_A_SHA224] = { WDM_HASH_SHA256, 64, 32, 28, sha224_init },
	[SEC_A_SHA384] = { WDM_HASH_SHA512, 128, 64, 48, sha384_init },
	[SEC_A_SHA512] = { WDM_HASH_SHA512, 128, 64, 64, sha512_init },
	[SEC_A_SHA512_224] = { WDM_HASH_SHA512, 128, 64, 28, sha512_224_init },
	[SEC_A_SHA512_256] = { WDM_HASH_SHA512, 128, 64, 32, sha512_256_init },
	[SEC_A_SM3] = { WDM_HASH_SM3, 64, 32, 32, sm3_init },
};

const struct wdm_hash_info *wdm_hash_find(u32 a_alg)
{
	return a_alg < sizeof(infos) / sizeof(infos[0]) && infos[a_alg].block ? &infos[a_alg] : NULL;
}

static void hash_start(struct wdm_hash *h)
{
	memcpy(&h->state, h->info->init, h->info->core == WDM_HASH_SHA512 ? sizeof(h->state.d) : sizeof(h->state.w));
	h->bytes = 0;
	h->fill = 0;
}

void wdm_hash_init(struct wdm_hash *h, const struct wdm_hash_info *info, const struct wdm_engine_ops *engine,
		   void *engine_ws)
{
	h->info = info;
	h->engine = engine;
	h->engine_ws = engine_ws;
	h->err = 0;
	hash_start(h);
}

static void hash_blocks(struct wdm_hash *h, const u8 *p, u32 blocks)
{
	if (h->err || !blocks)
		return;
	if (h->info->core == WDM_HASH_SM3)
		wdm_sm3_blocks(h->state.w, p, blocks);
	else
		h->err = h->engine->hash(h->engine_ws, h->info->core, &h->state, p, blocks);
}

void wdm_hash_update(struct wdm_hash *h, const u8 *p, u32 len)
{
	u32 block = h->info->block, n;

	h->bytes += len;
	if (h->fill) {
		n = block - h->fill < len ? block - h->fill : len;
		memcpy(h->buf + h->fill, p, n);
		h->fill += n;
		p += n;
		len -= n;
		if (h->fill < block)
			return;
		hash_blocks(h, h->buf, 1);
		h->fill = 0;
	}
	hash_blocks(h, p, len / block);
	h->fill = len % block;
	memcpy(h->buf, p + (len - h->fill), h->fill);
}

void wdm_hash_export(const struct wdm_hash *h, u8 *state)
{
	u32 i;

	for (i = 0; i < h->info->state / 4; i++) {
		if (h->info->core == WDM_HASH_SHA512)
			wdm_put_be32(state + 4 * i, (u32)(h->state.d[i / 2] >> (i & 1 ? 0 : 32)));
		else if (h->info->core == WDM_HASH_MD5)
			wdm_put32(state + 4 * i, h->state.w[i]);
		else
			wdm_put_be32(state + 4 * i, h->state.w[i]);
	}
}

void wdm_hash_import(struct wdm_hash *h, const u8 *state, u64 bytes)
{
	u32 i;

	for (i = 0; i < h->info->state / 4; i++) {
		if (h->info->core == WDM_HASH_SHA512)
			h->state.d[i / 2] = h->state.d[i / 2] << 32 | wdm_get_be32(state + 4 * i);
		else if (h->info->core == WDM_HASH_MD5)
			h->state.w[i] = wdm_get32(state + 4 * i);
		else
			h->state.w[i] = wdm_get_be32(state + 4 * i);
	}
	h->bytes = bytes;
	h->fill = 0;
}

int wdm_hash_final(struct wdm_hash *h, u8 *digest)
{
	u32 length = h->info->block == 128 ? 16 : 8, i;
	u64 bits = h->bytes * 8;
	u8 pad[WDM_HASH_BLOCK_MAX + 16] = { 0x80 };
	u32 n = h->info->block - (h->fill + length) % h->info->block;

	for (i = 0; i < 8; i++)
		pad[n + (h->info->core == WDM_HASH_MD5 ? i : length - 1 - i)] = (u8)(bits >> 8 * i);
	wdm_hash_update(h, pad, n + length);
	wdm_hash_export(h, digest);
	return h->err;
}

static void hmac_key_block(struct wdm_hmac *h, u8 with)
{
	u32 i, n = h->hash.info->block;

	for (i = 0; i < n; i++)
		h->key[i] ^= with;
	wdm_hash_update(&h->hash, h->key, n);
	for (i = 0; i < n; i++)
		h->key[i] ^= with;
}

void wdm_hmac_start(struct wdm_hmac *h, const u8 *key, u32 len, bool resumed)
{
	memset(h->key, 0, sizeof(h->key));
	memcpy(h->key, key, len);
	if (!resumed)
		hmac_key_block(h, 0x36);
}

int wdm_hmac_final(struct wdm_hmac *h, u8 *digest)
{
	wdm_hash_final(&h->hash, digest);
	hash_start(&h->hash);
	hmac_key_block(h, 0x5c);
	wdm_hash_update(&h->hash, digest, h->hash.info->digest);
	return wdm_hash_final(&h->hash, digest);
}
