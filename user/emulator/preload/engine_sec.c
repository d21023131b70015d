// SPDX-License-Identifier: Apache-2.0
/*
 * The mathematics of the emulated SEC engine: libcrypto's block ciphers and compression functions. The functions are
 * those below EVP, although they are deprecated: EVP doesn't give access to the chaining state, and allocates, which
 * a worker must not (a fork's child would find malloc's lock held).
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/aes.h>
#include <openssl/crypto.h>
#include <openssl/des.h>
#include <openssl/md5.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include "emu.h"
#include "hw/sec_hw.h"

struct key {
	enum wdm_block_alg alg;
	AES_KEY encrypt;
	AES_KEY decrypt;
	DES_key_schedule des[3];
};

struct engine_ws {
	struct key key[WDM_BLOCK_SLOTS];
};

static int aes_key(struct key *k, const u8 *key, u32 bytes)
{
	return AES_set_encrypt_key(key, (int)bytes * 8, &k->encrypt) ||
	       AES_set_decrypt_key(key, (int)bytes * 8, &k->decrypt) ? -EINVAL : 0;
}

/* The hardware checks neither parity nor weak keys. */
static int des_keys(struct key *k, const u8 *key, u32 bytes)
{
	u32 i;

	for (i = 0; i < bytes / 8; i++)
		DES_set_key_unchecked((const_DES_cblock *)(const void *)(key + 8 * i), &k->des[i]);
	return 0;
}

static int block_key(void *ws, u32 slot, enum wdm_block_alg alg, const u8 *key, u32 bytes)
{
	struct key *k = &((struct engine_ws *)ws)->key[slot];

	k->alg = alg;
	switch (alg) {
	case WDM_BLOCK_AES:
		return aes_key(k, key, bytes);
	case WDM_BLOCK_DES:
	case WDM_BLOCK_3DES:
		return des_keys(k, key, bytes);
	case WDM_BLOCK_SM4:
		break;
	}
	return -EOPNOTSUPP;
}

static void des_block(struct key *k, bool encrypt, const u8 *in, u8 *out)
{
	const_DES_cblock *from = (const_DES_cblock *)(const void *)in;
	DES_cblock *to = (DES_cblock *)(void *)out;

	if (k->alg == WDM_BLOCK_DES)
		DES_ecb_encrypt(from, to, &k->des[0], encrypt ? DES_ENCRYPT : DES_DECRYPT);
	else
		DES_ecb3_encrypt(from, to, &k->des[0], &k->des[1], &k->des[2], encrypt ? DES_ENCRYPT : DES_DECRYPT);
}

static int block(void *ws, u32 slot, bool encrypt, const u8 *in, u8 *out, u32 blocks)
{
	struct key *k = &((struct engine_ws *)ws)->key[slot];
	u32 step = k->alg == WDM_BLOCK_AES ? 16 : 8;

	for (; blocks; blocks--, in += step, out += step) {
		if (k->alg != WDM_BLOCK_AES)
			des_block(k, encrypt, in, out);
		else if (encrypt)
			AES_encrypt(in, out, &k->encrypt);
		else
			AES_decrypt(in, out, &k->decrypt);
	}
	return 0;
}

static void md5(u32 *state, const u8 *data, u32 blocks)
{
	MD5_CTX c = { .A = state[0], .B = state[1], .C = state[2], .D = state[3] };

	for (; blocks; blocks--, data += 64)
		MD5_Transform(&c, data);
	state[0] = c.A;
	state[1] = c.B;
	state[2] = c.C;
	state[3] = c.D;
	OPENSSL_cleanse(&c, sizeof(c));
}

static void sha1(u32 *state, const u8 *data, u32 blocks)
{
	SHA_CTX c = { .h0 = state[0], .h1 = state[1], .h2 = state[2], .h3 = state[3], .h4 = state[4] };

	for (; blocks; blocks--, data += 64)
		SHA1_Transform(&c, data);
	state[0] = c.h0;
	state[1] = c.h1;
	state[2] = c.h2;
	state[3] = c.h3;
	state[4] = c.h4;
	OPENSSL_cleanse(&c, sizeof(c));
}

static void sha256(u32 *state, const u8 *data, u32 blocks)
{
	SHA256_CTX c;

	memcpy(c.h, state, sizeof(c.h));
	for (; blocks; blocks--, data += 64)
		SHA256_Transform(&c, data);
	memcpy(state, c.h, sizeof(c.h));
	OPENSSL_cleanse(&c, sizeof(c));
}

static void sha512(u64 *state, const u8 *data, u32 blocks)
{
	SHA512_CTX c;

	memcpy(c.h, state, sizeof(c.h));
	for (; blocks; blocks--, data += 128)
		SHA512_Transform(&c, data);
	memcpy(state, c.h, sizeof(c.h));
	OPENSSL_cleanse(&c, sizeof(c));
}

static int hash(void *ws, enum wdm_hash_core core, void *state, const u8 *data, u32 blocks)
{
	(void)ws;
	switch (core) {
	case WDM_HASH_MD5:
		md5(state, data, blocks);
		return 0;
	case WDM_HASH_SHA1:
		sha1(state, data, blocks);
		return 0;
	case WDM_HASH_SHA256:
		sha256(state, data, blocks);
		return 0;
	case WDM_HASH_SHA512:
		sha512(state, data, blocks);
		return 0;
	case WDM_HASH_SM3:
		break;
	}
	return -EOPNOTSUPP;
}

static void forget(void *ws)
{
	OPENSSL_cleanse(ws, sizeof(struct engine_ws));
}

/* Computes nothing. */
static int no_key(void *ws, u32 slot, enum wdm_block_alg alg, const u8 *key, u32 bytes)
{
	(void)ws, (void)slot, (void)alg, (void)key, (void)bytes;
	return 0;
}

static int no_block(void *ws, u32 slot, bool encrypt, const u8 *in, u8 *out, u32 blocks)
{
	(void)ws, (void)slot, (void)encrypt, (void)in, (void)out, (void)blocks;
	return 0;
}

static int no_hash(void *ws, enum wdm_hash_core core, void *state, const u8 *data, u32 blocks)
{
	(void)ws, (void)core, (void)state, (void)data, (void)blocks;
	return 0;
}

static void no_forget(void *ws)
{
	(void)ws;
}

static const struct wdm_engine_ops none = {
	.block_key = no_key,
	.block = no_block,
	.hash = no_hash,
	.forget = no_forget,
};

static const struct wdm_engine_ops engine = {
	.block_key = block_key,
	.block = block,
	.hash = hash,
	.forget = forget,
};

static void *engine_ws_alloc(void)
{
	return calloc(1, sizeof(struct engine_ws));
}

static const struct emu_reg start_v2[] = {
	{ SEC_MEM_START_INIT, 1 },
	{ SEC_SAA_EN, SEC_CORES_V2 },
	{ SEC_USER_CTRL1_V2, SEC_USER_CTRL1_V2_USER },
	{ SEC_BD_ERR_CHK_EN0, SEC_BD_ERR_CHK_EN0_V2 },
	{ SEC_BD_ERR_CHK_EN1, SEC_BD_ERR_CHK_EN1_V2 },
	{ SEC_BD_ERR_CHK_EN3, SEC_BD_ERR_CHK_EN3_V2 },
	{ SEC_CONTROL, SEC_CONTROL_TRNG | SEC_CONTROL_AXI_SHUTDOWN },
	{ 0, 0 },
};

static const struct emu_reg sva_v2[] = {
	{ SEC_USER_CTRL0_V2, SEC_USER_CTRL0_SVA },
	{ SEC_USER_CTRL1_V2, SEC_USER_CTRL1_V2_USER | SEC_USER_CTRL1_V2_SVA },
	{ 0, 0 },
};

static const struct emu_reg start_v3[] = {
	{ SEC_MEM_START_INIT, 1 },
	{ SEC_SAA_EN, SEC_CAP_CORE_ENABLE_V3 },
	{ SEC_CONTROL, SEC_CONTROL_TRNG | SEC_CONTROL_AXI_SHUTDOWN },
	{ 0, 0 },
};

const struct emu_kind emu_sec = {
	.name = "hisi_sec2",
	.type = WDM_SEC,
	.qc_types = { [WDM_ROW(2)] = 1, [WDM_ROW(3)] = 1 },
	.sqe_shift = 7,
	.start = { [WDM_ROW(2)] = start_v2, [WDM_ROW(3)] = start_v3 },
	.sva = { [WDM_ROW(2)] = sva_v2 },
	.engine = &engine,
	.no_engine = &none,
	.ws_alloc = engine_ws_alloc,
	.ws_free = free,
};
