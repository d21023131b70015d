// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Decodes a descriptor of type 2 or 3 into a request, or refuses it. No field is trusted. */
#include "sec.h"
#include "hw/sec_access_hw.h"

/* A descriptor's fields; those that its type doesn't have are 0. */
struct bd {
	u32 f[SEC_F_NR];
	u64 l[SEC_L_NR];
	bool type3;
};

static bool bd_reserved_clear(const struct sec_layout *layout, const struct sec_bd *bd)
{
	u32 known[SEC_BD_RESULT_FIRST] = { 0 }, i;

	for (i = 0; i < SEC_F_NR; i++)
		if (layout->field[i])
			known[layout->field[i] >> 16] |= sec_field_mask(layout->field[i]);
	for (i = 0; i < SEC_L_NR; i++)
		known[layout->first[i]] = known[layout->first[i] + 1] = ~0u;
	known[layout->tag] |= layout->tag_mask[0];
	known[layout->tag + 1] |= layout->tag_mask[1];
	for (i = 0; i < SEC_BD_RESULT_FIRST; i++)
		if (__le32_to_cpu(bd->dw[i]) & ~known[i])
			return false;
	return true;
}

static bool bd_read(struct bd *b, const struct sec_bd *bd, u32 generation)
{
	static const u8 types[WDM_GENERATIONS] = { [WDM_ROW(2)] = SEC_BD_TYPE2, [WDM_ROW(3)] = SEC_BD_TYPE3 };
	u32 type = sec_get(bd, SEC_BD_TYPE), i;
	const struct sec_layout *layout = &sec_layouts[HW_ROW(generation)];

	if (type != types[WDM_ROW(generation)] || !bd_reserved_clear(layout, bd))
		return false;
	memset(b, 0, sizeof(*b));
	b->type3 = type == SEC_BD_TYPE3;
	for (i = 0; i < SEC_F_NR; i++)
		if (layout->field[i])
			b->f[i] = sec_get(bd, layout->field[i]);
	for (i = 0; i < SEC_L_NR; i++)
		b->l[i] = sec_get64(bd, layout->first[i]);
	return true;
}

/* Are all fields that the operation doesn't use 0? */
static bool bd_uses_only(const struct bd *b, u32 fields)
{
	u32 i;

	for (i = 0; i < SEC_F_NR; i++)
		if (b->f[i] && !(fields & SEC_BIT(i)))
			return false;
	return !b->l[SEC_L_TOTAL] || fields & SEC_USES_TOTAL;
}

/* ------ ciphers ------ */

static u32 cipher_alg(struct wdm_sec_req *r, const struct bd *b)
{
	static const u8 algs[] = {
		[SEC_C_DES] = WDM_BLOCK_DES, [SEC_C_3DES] = WDM_BLOCK_3DES, [SEC_C_AES] = WDM_BLOCK_AES,
		[SEC_C_SM4] = WDM_BLOCK_SM4,
	};

	r->key_bytes = sec_key_bytes(b->f[SEC_F_C_ALG], b->f[SEC_F_C_KEY_LEN]);
	if (!r->key_bytes)
		return SEC_ERR_ALGORITHM;
	r->alg = algs[b->f[SEC_F_C_ALG]];
	r->encrypt = b->f[SEC_F_CIPHER] == SEC_CIPHER_ENCRYPT;
	return SEC_ERR_OK;
}

static bool cipher_kind(struct wdm_sec_req *r, const struct bd *b)
{
	static const u8 kinds[16] = {
		[SEC_C_ECB] = WDM_MODE_ECB, [SEC_C_CBC] = WDM_MODE_CBC, [SEC_C_CFB] = WDM_MODE_CFB,
		[SEC_C_OFB] = WDM_MODE_OFB,
		[SEC_C_CTR] = WDM_MODE_CTR, [SEC_C_XTS] = WDM_MODE_XTS,
	};
	u32 mode = b->f[SEC_F_C_MODE], width = b->f[SEC_F_C_WIDTH];

	r->kind = kinds[mode];
	if (mode == SEC_C_CBC_CS) {
		r->kind = width == SEC_C_WIDTH_CS1 ? WDM_MODE_CBC_CS1 :
			  width == SEC_C_WIDTH_CS2 ? WDM_MODE_CBC_CS2 : WDM_MODE_CBC_CS3;
		return width >= SEC_C_WIDTH_CS1 && width <= SEC_C_WIDTH_CS3;
	}
	return !width && (r->kind != WDM_MODE_ECB || mode == SEC_C_ECB);
}

/* Generation 2 has three modes, and some of SM4 only while checks are off. */
static bool cipher_has_v2(const struct wdm_sec_req *r)
{
	bool sm4 = r->alg == WDM_BLOCK_SM4;

	switch (r->kind) {
	case WDM_MODE_CBC:
		return true;
	case WDM_MODE_ECB:
		return !sm4 || r->job->checks & WDM_SEC_SM4_ECB;
	case WDM_MODE_XTS:
		return !sm4 || r->job->checks & WDM_SEC_SM4_XTS;
	default:
		return false;
	}
}

/* DES and 3DES have two modes, AES-XTS has two key sizes. */
static bool cipher_has(const struct wdm_sec_req *r, bool type3)
{
	if (!type3 && !cipher_has_v2(r))
		return false;
	if (r->alg == WDM_BLOCK_DES || r->alg == WDM_BLOCK_3DES)
		return r->kind == WDM_MODE_ECB || r->kind == WDM_MODE_CBC;
	return r->kind != WDM_MODE_XTS || r->key_bytes != 24;
}

static bool cipher_takes(const struct wdm_sec_req *r)
{
	u32 block = r->alg == WDM_BLOCK_DES || r->alg == WDM_BLOCK_3DES ? 8 : 16;

	switch (r->kind) {
	case WDM_MODE_ECB:
	case WDM_MODE_CBC:
		return r->len && r->len % block == 0;
	case WDM_MODE_XTS:
		return r->len >= block;
	case WDM_MODE_CBC_CS1:
	case WDM_MODE_CBC_CS2:
	case WDM_MODE_CBC_CS3:
		return r->len > block;
	default:
		return r->len;
	}
}

static u32 decode_cipher(struct wdm_sec_req *r, const struct bd *b)
{
	u32 fields = SEC_USES_CIPHER | SEC_BIT(SEC_F_C_WIDTH), status;

	/* Software for type 2 puts the code of DES's key one field too low. */
	if (!b->type3 && b->f[SEC_F_C_ALG] == SEC_C_DES && b->f[SEC_F_C_ICV_LEN] == SEC_C_KEY_DES)
		fields |= SEC_BIT(SEC_F_C_ICV_LEN);
	if (!bd_uses_only(b, fields))
		return SEC_ERR_BAD_BD;
	r->op = WDM_SEC_CIPHER;
	r->flag = SEC_FLAG_CIPHER;
	r->len = b->f[SEC_F_C_LEN];
	status = cipher_alg(r, b);
	if (status)
		return status;
	if (!cipher_kind(r, b) || !cipher_has(r, b->type3))
		return SEC_ERR_ALGORITHM;
	if (b->f[SEC_F_CTR_XTS] & SEC_XTS_SM4_GB && (r->kind != WDM_MODE_XTS || r->alg != WDM_BLOCK_SM4))
		return SEC_ERR_BAD_BD;
	r->xts_gb = b->f[SEC_F_CTR_XTS] & SEC_XTS_SM4_GB;
	r->ctr_rollover = !b->type3 || b->f[SEC_F_CTR_XTS] & SEC_CTR_ROLLOVER_128;
	if (!r->c_key || (r->kind != WDM_MODE_ECB && !r->c_iv))
		return SEC_ERR_BAD_BD;
	return cipher_takes(r) ? SEC_ERR_OK : SEC_ERR_LENGTH;
}

/* ------ digests ------ */

/* (initial value from memory, device pads): part of a message */
static bool digest_part(struct wdm_sec_req *r, const struct bd *b)
{
	u32 gen = b->f[SEC_F_AI_GEN], pad = b->f[SEC_F_AUTH_PAD];

	if (gen > SEC_GEN_ADDRESS || pad > SEC_PAD_NONE)
		return false;
	r->part = gen ? (pad ? WDM_SEC_MIDDLE : WDM_SEC_END) : pad ? WDM_SEC_FIRST : WDM_SEC_SINGLE;
	if (r->part != WDM_SEC_SINGLE && (r->src_sgl || (b->type3 && b->f[SEC_F_SCENE] != SEC_SCENE_STREAM)))
		return false;
	return (!gen || r->a_iv) && (r->part == WDM_SEC_END) == (b->l[SEC_L_TOTAL] != 0);
}

static u32 digest_length(struct wdm_sec_req *r, const struct bd *b)
{
	u64 before;

	switch (r->part) {
	case WDM_SEC_SINGLE:
		/* Hardware of generation 2, which type 2 is for, has no empty messages. */
		return r->len || b->type3 ? SEC_ERR_OK : SEC_ERR_LENGTH;
	case WDM_SEC_FIRST:
	case WDM_SEC_MIDDLE:
		return r->len && r->len % r->hash->block == 0 ? SEC_ERR_OK : SEC_ERR_LENGTH;
	case WDM_SEC_END:
		r->total = b->l[SEC_L_TOTAL] / 8;
		before = r->total - r->len;
		return b->l[SEC_L_TOTAL] % 8 == 0 && r->total > r->len && before % r->hash->block == 0 ? SEC_ERR_OK :
		       SEC_ERR_LENGTH;
	}
	return SEC_ERR_BAD_BD;
}

/* A part that isn't the last writes its whole state, in generation 2 whatever length is given; 0 means that, too. */
static bool digest_mac_len(const struct wdm_sec_req *r, bool type3)
{
	if (r->part == WDM_SEC_FIRST || r->part == WDM_SEC_MIDDLE)
		return !type3 || (!r->mac_bytes && r->op == WDM_SEC_HASH) ||
		       r->mac_bytes == ((r->hash->digest + 3) & ~3u);
	return r->mac_bytes && r->mac_bytes <= r->hash->digest;
}

static bool hmac_key_fits(const struct wdm_sec_req *r)
{
	return r->a_key && r->a_key_bytes && r->a_key_bytes <= r->hash->block;
}

static u32 decode_hash(struct wdm_sec_req *r, const struct bd *b, u32 a_alg)
{
	u32 fields = SEC_USES_DIGEST | SEC_USES_PARTS | SEC_USES_TOTAL;

	r->op = WDM_SEC_HASH;
	if (a_alg == SEC_A_HMAC_SM3 || (a_alg >= SEC_A_HMAC && a_alg <= SEC_A_HMAC_SHA512_256)) {
		r->op = WDM_SEC_HMAC;
		a_alg = a_alg == SEC_A_HMAC_SM3 ? SEC_A_SM3 : a_alg - SEC_A_HMAC;
		fields |= SEC_BIT(SEC_F_A_KEY_LEN);
	}
	r->hash = wdm_hash_find(a_alg);
	if (!r->hash)
		return SEC_ERR_ALGORITHM;
	if (!bd_uses_only(b, fields) || !digest_part(r, b) || !digest_mac_len(r, b->type3))
		return SEC_ERR_BAD_BD;
	if (r->op == WDM_SEC_HMAC && !hmac_key_fits(r))
		return SEC_ERR_BAD_BD;
	return digest_length(r, b);
}

static u32 decode_mac(struct wdm_sec_req *r, const struct bd *b, u32 a_alg)
{
	bool gmac = a_alg == SEC_A_AES_GMAC;
	u32 key = r->a_key_bytes;

	r->op = gmac ? WDM_SEC_GMAC : a_alg == SEC_A_AES_CMAC ? WDM_SEC_CMAC : WDM_SEC_XCBC;
	r->alg = WDM_BLOCK_AES;
	r->key_bytes = key;
	r->encrypt = true;
	if (!bd_uses_only(b, SEC_USES_DIGEST | SEC_USES_KEYED) || !r->a_key || !r->mac_bytes || r->mac_bytes > 16 ||
	    b->f[SEC_F_AI_GEN] != (gmac ? SEC_GEN_ADDRESS : SEC_GEN_STANDARD) || (gmac && !r->a_iv))
		return SEC_ERR_BAD_BD;
	if (key != 16 && (!gmac || (key != 24 && key != 32)))
		return SEC_ERR_ALGORITHM;
	return r->len || (gmac && b->type3) ? SEC_ERR_OK : SEC_ERR_LENGTH;
}

/* A part of a stream may give the tag's length or 0: software computes the tag. */
static bool gcm_icv_len(const struct bd *b)
{
	u32 tag = b->f[SEC_F_C_ICV_LEN];

	return !tag || (tag >= SEC_MIN_ICV && tag <= SEC_MAX_ICV);
}

/* The AAD of a GCM stream; the result is its hash. */
static u32 decode_gcm_aad(struct wdm_sec_req *r, const struct bd *b)
{
	u32 fields = SEC_USES_DIGEST | SEC_USES_KEYED | SEC_USES_PARTS;
	u32 offset = b->f[SEC_F_CIPHER_SRC_OFFSET], c_alg = b->f[SEC_F_C_ALG] ? b->f[SEC_F_C_ALG] : SEC_C_AES;

	/*
	 * UADK leaves these fields as in the data's descriptor; they have no meaning here. In type 2 it clears the
	 * cipher's.
	 */
	if (b->type3)
		fields |= SEC_BIT(SEC_F_MAC_SEL) | SEC_BIT(SEC_F_C_MODE) | SEC_BIT(SEC_F_C_ALG) |
			  SEC_BIT(SEC_F_C_KEY_LEN) | SEC_BIT(SEC_F_C_ICV_LEN) | SEC_BIT(SEC_F_CTR_XTS);
	fields |= SEC_BIT(SEC_F_DE) | SEC_BIT(SEC_F_DST_TYPE) | SEC_BIT(SEC_F_CIPHER_SRC_OFFSET) | SEC_BIT(SEC_F_SEQ);
	r->op = WDM_SEC_GCM_AAD;
	r->alg = c_alg == SEC_C_SM4 ? WDM_BLOCK_SM4 : WDM_BLOCK_AES;
	r->key_bytes = r->a_key_bytes;
	r->encrypt = true;
	if (!bd_uses_only(b, fields) || b->f[SEC_F_SCENE] != SEC_SCENE_STREAM ||
	    b->f[SEC_F_AI_GEN] != SEC_GEN_STANDARD || b->f[SEC_F_AUTH_PAD] != SEC_PAD_NONE || r->mac_bytes != 16 ||
	    !r->a_key || r->src_sgl || (offset && offset != r->len))
		return SEC_ERR_BAD_BD;
	if (b->f[SEC_F_DST_TYPE] || !gcm_icv_len(b) || (b->f[SEC_F_C_MODE] && b->f[SEC_F_C_MODE] != SEC_C_GCM) ||
	    b->f[SEC_F_CTR_XTS] & SEC_XTS_SM4_GB || (c_alg != SEC_C_AES && c_alg != SEC_C_SM4) ||
	    (b->f[SEC_F_C_KEY_LEN] && r->key_bytes != sec_key_bytes(c_alg, b->f[SEC_F_C_KEY_LEN])))
		return SEC_ERR_BAD_BD;
	if (r->key_bytes != 16 && (r->alg == WDM_BLOCK_SM4 || (r->key_bytes != 24 && r->key_bytes != 32)))
		return SEC_ERR_ALGORITHM;
	return r->len && r->len <= SEC_MAX_AAD ? SEC_ERR_OK : SEC_ERR_LENGTH;
}

static u32 decode_digest(struct wdm_sec_req *r, const struct bd *b)
{
	u32 a_alg = b->f[SEC_F_A_ALG];

	r->flag = SEC_FLAG_DIGEST;
	r->len = b->f[SEC_F_A_LEN];
	if (b->f[SEC_F_AUTH] != SEC_AUTH_CALCULATE || !r->mac)
		return SEC_ERR_BAD_BD;
	if (a_alg == SEC_A_AES_GMAC && (b->type3 ? b->f[SEC_F_MAC_SEL] : b->f[SEC_F_SCENE] == SEC_SCENE_STREAM))
		return decode_gcm_aad(r, b);
	/* Generation 2 has no MACs but HMAC. */
	if (b->type3 && (a_alg == SEC_A_AES_XCBC || a_alg == SEC_A_AES_CMAC || a_alg == SEC_A_AES_GMAC))
		return decode_mac(r, b, a_alg);
	return decode_hash(r, b, a_alg);
}

/* ------ AEAD ------ */

static bool aead_has(const struct wdm_sec_req *r, const struct bd *b)
{
	return r->alg == WDM_BLOCK_AES || (r->alg == WDM_BLOCK_SM4 && b->type3);
}

static u32 decode_authenc(struct wdm_sec_req *r, const struct bd *b)
{
	u32 a_alg = b->f[SEC_F_A_ALG], status;
	bool sm3 = a_alg == SEC_A_HMAC_SM3 && b->type3;

	r->op = WDM_SEC_AUTHENC;
	r->aad = b->f[SEC_F_CIPHER_SRC_OFFSET];
	status = cipher_alg(r, b);
	if (status)
		return status;
	r->kind = WDM_MODE_CBC;
	if (b->f[SEC_F_C_MODE] != SEC_C_CBC || !aead_has(r, b) ||
	    (a_alg != SEC_A_HMAC_SHA1 && a_alg != SEC_A_HMAC_SHA256 && a_alg != SEC_A_HMAC_SHA512 && !sm3))
		return SEC_ERR_ALGORITHM;
	r->hash = wdm_hash_find(sm3 ? SEC_A_SM3 : a_alg - SEC_A_HMAC);
	r->part = WDM_SEC_SINGLE;
	if (!bd_uses_only(b, SEC_USES_AEAD | SEC_USES_KEYED | SEC_BIT(SEC_F_AUTH) | SEC_BIT(SEC_F_MAC_LEN) |
			  SEC_BIT(SEC_F_A_ALG)) ||
	    b->f[SEC_F_AUTH] != (r->encrypt ? SEC_AUTH_CALCULATE : SEC_AUTH_VERIFY) || !r->c_iv || !r->mac_bytes ||
	    b->f[SEC_F_SEQ] != (r->encrypt ? SEC_SEQ_CIPHER_FIRST : SEC_SEQ_DIGEST_FIRST) || !hmac_key_fits(r) ||
	    r->mac_bytes > r->hash->digest)
		return SEC_ERR_BAD_BD;
	return r->len && r->len % 16 == 0 && b->f[SEC_F_A_LEN] == r->aad + r->len ? SEC_ERR_OK : SEC_ERR_LENGTH;
}

static bool gcm_stream(const struct bd *b)
{
	return !b->f[SEC_F_AUTH] && b->f[SEC_F_C_MODE] == SEC_C_GCM && b->f[SEC_F_SCENE] == SEC_SCENE_STREAM;
}

static u32 decode_gcm_data(struct wdm_sec_req *r, const struct bd *b)
{
	r->op = WDM_SEC_GCM_DATA;
	/* Software computes the final tag: only the next generation of hardware does. */
	if (!bd_uses_only(b, SEC_USES_CIPHER | SEC_USES_KEYED | SEC_USES_PARTS | SEC_BIT(SEC_F_SEQ) |
			  SEC_BIT(SEC_F_AI_GEN) | SEC_BIT(SEC_F_MAC_SEL) | SEC_BIT(SEC_F_MAC_LEN) |
			  SEC_BIT(SEC_F_A_ALG) | SEC_BIT(SEC_F_C_ICV_LEN)) ||
	    b->f[SEC_F_AI_GEN] != SEC_GEN_ADDRESS || b->f[SEC_F_AUTH_PAD] != SEC_PAD_NONE ||
	    (b->type3 && !b->f[SEC_F_MAC_SEL]) || r->src_sgl || r->dst_sgl)
		return SEC_ERR_BAD_BD;
	/* The fields of the hash must match, where they are set. */
	if (r->a_key_bytes != r->key_bytes || (b->f[SEC_F_A_ALG] && b->f[SEC_F_A_ALG] != SEC_A_AES_GMAC) ||
	    (r->mac_bytes && r->mac_bytes != SEC_MAX_ICV) || !gcm_icv_len(b))
		return SEC_ERR_BAD_BD;
	return r->len && r->len % 16 == 0 ? SEC_ERR_OK : SEC_ERR_LENGTH;
}

static u32 decode_gcm_ccm(struct wdm_sec_req *r, const struct bd *b)
{
	bool ccm = b->f[SEC_F_C_MODE] == SEC_C_CCM;
	u32 tag = b->f[SEC_F_C_ICV_LEN], status;

	status = cipher_alg(r, b);
	if (status)
		return status;
	if (!aead_has(r, b))
		return SEC_ERR_ALGORITHM;
	r->kind = WDM_MODE_CTR;
	if (!r->c_iv || !r->a_iv)
		return SEC_ERR_BAD_BD;
	if (gcm_stream(b))
		return decode_gcm_data(r, b);
	r->op = ccm ? WDM_SEC_CCM : WDM_SEC_GCM;
	r->mac_bytes = tag;
	r->aad = b->f[SEC_F_A_LEN];
	if (!bd_uses_only(b, SEC_USES_AEAD | SEC_BIT(SEC_F_C_ICV_LEN)) || b->f[SEC_F_CIPHER_SRC_OFFSET] != r->aad ||
	    (r->encrypt && b->f[SEC_F_SEQ] != SEC_SEQ_CIPHER_FIRST) || (b->type3 && !r->a_key) || tag < SEC_MIN_ICV ||
	    tag > SEC_MAX_ICV || (ccm && tag % 2))
		return SEC_ERR_BAD_BD;
	if ((ccm && r->aad > SEC_MAX_CCM_AAD) || (!r->len && !b->type3))
		return SEC_ERR_LENGTH;
	return SEC_ERR_OK;
}

static u32 decode_aead(struct wdm_sec_req *r, const struct bd *b)
{
	r->flag = SEC_FLAG_AEAD;
	r->len = b->f[SEC_F_C_LEN];
	/* Software for type 2 gives the key of a stream in one of two places. */
	if (!b->type3 && gcm_stream(b) && !r->c_key)
		r->c_key = r->a_key;
	/* The value that drivers set in every descriptor of type 3 */
	if (!r->mac || !r->c_key || b->f[SEC_F_CTR_XTS] & SEC_XTS_SM4_GB)
		return SEC_ERR_BAD_BD;
	return b->f[SEC_F_AUTH] ? decode_authenc(r, b) : decode_gcm_ccm(r, b);
}

/* ------ common checks ------ */

/* Does the destination overlap the source without being equal to it? The result of that isn't specified. */
static bool overlaps(const struct wdm_sec_req *r)
{
	u64 n = (u64)r->aad + r->len;

	return !r->in_place && !r->src_sgl && !r->dst_sgl && r->src < r->dst + n && r->dst < r->src + n;
}

static u32 decode_memory(struct wdm_sec_req *r, const struct bd *b)
{
	if (b->f[SEC_F_SCENE] != SEC_SCENE_COMMON && b->f[SEC_F_SCENE] != SEC_SCENE_IPSEC &&
	    b->f[SEC_F_SCENE] != SEC_SCENE_STREAM)
		return SEC_ERR_BAD_BD;
	if (b->f[SEC_F_SRC_TYPE] > SEC_ADDR_SGL || b->f[SEC_F_DST_TYPE] > SEC_ADDR_SGL || b->f[SEC_F_DE] > 1 ||
	    !b->l[SEC_L_SRC])
		return SEC_ERR_BAD_BD;
	r->src = b->l[SEC_L_SRC];
	r->src_sgl = b->f[SEC_F_SRC_TYPE] == SEC_ADDR_SGL;
	r->dst = b->f[SEC_F_DE] ? b->l[SEC_L_DST] : r->src;
	r->dst_sgl = b->f[SEC_F_DE] ? b->f[SEC_F_DST_TYPE] == SEC_ADDR_SGL : r->src_sgl;
	r->in_place = r->dst == r->src && r->dst_sgl == r->src_sgl;
	r->mac = b->l[SEC_L_MAC];
	r->c_key = b->l[SEC_L_C_KEY];
	r->a_key = b->l[SEC_L_A_KEY];
	r->c_iv = b->l[SEC_L_C_IVIN];
	r->a_iv = b->l[SEC_L_A_IVIN];
	r->mac_bytes = b->f[SEC_F_MAC_LEN] * 4;
	r->a_key_bytes = b->f[SEC_F_A_KEY_LEN] * 4;
	return r->dst ? SEC_ERR_OK : SEC_ERR_BAD_BD;
}

u32 wdm_sec_decode(struct wdm_sec_req *r, const struct sec_bd *bd)
{
	struct bd b;
	u32 status;

	if (!bd_read(&b, bd, r->job->generation))
		return SEC_ERR_BAD_BD;
	if (b.f[SEC_F_INVALID]) {
		r->op = WDM_SEC_NOTHING;
		return SEC_ERR_OK;
	}
	status = decode_memory(r, &b);
	if (status)
		return status;
	if (b.f[SEC_F_CIPHER] == SEC_CIPHER_NONE)
		status = decode_digest(r, &b);
	else if (b.f[SEC_F_CIPHER] == SEC_CIPHER_COPY)
		status = SEC_ERR_ALGORITHM;
	else if (b.f[SEC_F_AUTH] || b.f[SEC_F_C_MODE] == SEC_C_GCM || b.f[SEC_F_C_MODE] == SEC_C_CCM)
		status = decode_aead(r, &b);
	else
		status = decode_cipher(r, &b);
	if (status)
		return status;
	if ((u64)r->aad + r->len > SEC_MAX_BYTES)
		return SEC_ERR_LENGTH;
	return r->flag != SEC_FLAG_DIGEST && overlaps(r) ? SEC_ERR_BAD_BD : SEC_ERR_OK;
}
