// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* SEC: which row of the table a descriptor belongs to, what the row demands, and the memory that it names. */
#include "engine.h"
#include "hw/sec_access_hw.h"

#define SEC_WORDS	(SEC_BD_SIZE / 4)
#define SEC_RESULTS	(~0u << SEC_BD_RESULT_FIRST)	/* the last four words */
/* Two buffers of the maximum, and lists of small pieces for some of it. */
#define SEC_PAGES	(2 * (((SEC_MAX_BYTES + 511) >> TR_PAGE_SHIFT) + 1) + 512)

/* Where small data is in a slot. Keys have at most 64 and 128 bytes, states and tags 64, initial values 16. */
static const u16 sec_slot[SEC_L_ADDRESSES] = {
	[SEC_L_C_KEY] = 0, [SEC_L_C_IVIN] = 64, [SEC_L_A_KEY] = 128, [SEC_L_A_IVIN] = 256, [SEC_L_MAC] = 384,
};

/* A descriptor's fields, and what follows from them */
struct sec_bits {
	const struct sec_layout *layout;
	const struct sec_access_row *row;
	u32 f[SEC_F_NR];	/* 0: also those that the type doesn't have */
	u64 l[SEC_L_NR];
	u32 kind;		/* enum sec_row */
	bool type3, encrypt, in_place;
	u32 key;		/* bytes of the cipher's key; of both for XTS */
	u32 block;		/* bytes of the cipher's block */
	u32 aad, len;		/* bytes of the AAD, and of the data behind it */
	u32 tag;		/* bytes */
	struct sec_hash_size hash;	/* of a digest, or a MAC by a hash */
};

static u32 sec_field(const u32 *word, u32 field)
{
	return (word[field >> 16] & sec_field_mask(field)) >> (field >> 8 & 0xff);
}

static void sec_field_set(u32 *word, u32 field, u32 value)
{
	word[field >> 16] &= ~sec_field_mask(field);
	word[field >> 16] |= value << (field >> 8 & 0xff);
}

/* false: a bit is set that no field has. */
static bool sec_bits_read(struct sec_bits *b, const u32 *word)
{
	const struct sec_layout *layout = b->layout;
	u32 known[SEC_WORDS] = { 0 }, i;

	for (i = 0; i < SEC_F_NR; i++) {
		if (!layout->field[i])
			continue;
		b->f[i] = sec_field(word, layout->field[i]);
		known[layout->field[i] >> 16] |= sec_field_mask(layout->field[i]);
	}
	for (i = 0; i < SEC_L_NR; i++) {
		b->l[i] = tr_addr(word, layout->first[i]);
		known[layout->first[i]] = known[layout->first[i] + 1] = ~0u;
	}
	known[layout->tag] |= layout->tag_mask[0];
	known[layout->tag + 1] |= layout->tag_mask[1];
	for (i = 0; i < SEC_WORDS; i++)
		if (word[i] & ~known[i])
			return false;
	/* No bit of this field may be set: it is the type. */
	b->f[SEC_F_TYPE] = sec_field(word, SEC_BD_TYPE);
	return b->f[SEC_F_TYPE] == (b->type3 ? SEC_BD_TYPE3 : SEC_BD_TYPE2);
}

/* ------ the row ------ */

static u32 sec_part(const struct sec_bits *b)
{
	if (b->f[SEC_F_AI_GEN] == SEC_GEN_ADDRESS)
		return b->f[SEC_F_AUTH_PAD] ? SEC_ROW_HASH_MIDDLE : SEC_ROW_HASH_END;
	return b->f[SEC_F_AUTH_PAD] ? SEC_ROW_HASH_FIRST : SEC_ROW_HASH;
}

static u32 sec_row(const struct sec_bits *b)
{
	u32 a_alg = b->f[SEC_F_A_ALG];
	bool stream = b->f[SEC_F_SCENE] == SEC_SCENE_STREAM;

	if (b->f[SEC_F_CIPHER] == SEC_CIPHER_NONE) {
		if (a_alg == SEC_A_AES_GMAC && (b->type3 ? b->f[SEC_F_MAC_SEL] : stream))
			return SEC_ROW_GCM_AAD;
		if (b->type3 && a_alg == SEC_A_AES_GMAC)
			return SEC_ROW_GMAC;
		if (b->type3 && (a_alg == SEC_A_AES_XCBC || a_alg == SEC_A_AES_CMAC))
			return SEC_ROW_CBC_MAC;
		return sec_part(b);
	}
	if (b->f[SEC_F_AUTH])
		return SEC_ROW_AUTHENC;
	if (b->f[SEC_F_C_MODE] == SEC_C_GCM)
		return stream ? SEC_ROW_GCM_DATA : SEC_ROW_GCM;
	return b->f[SEC_F_C_MODE] == SEC_C_CCM ? SEC_ROW_CCM : SEC_ROW_CIPHER;
}

static bool sec_only_uses(const struct sec_bits *b)
{
	u32 uses = b->row->uses | (b->type3 ? b->row->uses3 : 0), i;

	/* A plain hash has no key. Software for type 2 puts the code of DES's key one field too low. */
	if (b->kind <= SEC_ROW_HASH_END && b->kind >= SEC_ROW_HASH && b->f[SEC_F_A_ALG] != SEC_A_HMAC_SM3 &&
	    !(b->f[SEC_F_A_ALG] & SEC_A_HMAC))
		uses &= ~SEC_USES_KEYED;
	if (b->kind == SEC_ROW_CIPHER && !b->type3 && b->f[SEC_F_C_ALG] == SEC_C_DES &&
	    b->f[SEC_F_C_ICV_LEN] == SEC_C_KEY_DES)
		uses |= SEC_BIT(SEC_F_C_ICV_LEN);
	for (i = 0; i < SEC_F_NR; i++)
		if (b->f[i] && !(uses & SEC_BIT(i)))
			return false;
	return !(uses & SEC_USES_TOTAL) == !b->l[SEC_L_TOTAL];
}

/* ------ values ------ */

/* The plain algorithm of an HMAC, or the algorithm itself */
static u32 sec_hash_alg(u32 a_alg)
{
	if (a_alg == SEC_A_HMAC_SM3)
		return SEC_A_SM3;
	return a_alg >= SEC_A_HMAC && a_alg <= SEC_A_HMAC_SHA512_256 ? a_alg - SEC_A_HMAC : a_alg;
}

static bool sec_hmac_key(const struct sec_bits *b)
{
	u32 bytes = b->f[SEC_F_A_KEY_LEN] * 4;

	return bytes && bytes <= b->hash.block;
}

static u32 sec_hash(struct sec_bits *b)
{
	u32 alg = sec_hash_alg(b->f[SEC_F_A_ALG]), block, digest;
	bool keyed = alg != b->f[SEC_F_A_ALG], last = b->kind == SEC_ROW_HASH || b->kind == SEC_ROW_HASH_END;
	u64 total = b->l[SEC_L_TOTAL];

	b->hash = sec_hash_size(alg);
	block = b->hash.block;
	digest = b->hash.digest;
	if (!block)
		return SEC_ERR_ALGORITHM;
	if (b->f[SEC_F_AI_GEN] > SEC_GEN_ADDRESS || b->f[SEC_F_AUTH_PAD] > SEC_PAD_NONE ||
	    (b->kind != SEC_ROW_HASH && b->type3 && b->f[SEC_F_SCENE] != SEC_SCENE_STREAM) ||
	    (keyed && !sec_hmac_key(b)))
		return SEC_ERR_BAD_BD;
	if (last ? !b->tag || b->tag > digest : b->type3 && (b->tag || keyed) && b->tag != ((digest + 3) & ~3u))
		return SEC_ERR_BAD_BD;
	switch (b->kind) {
	case SEC_ROW_HASH:
		/* Generation 2 has no empty messages. */
		return b->len || b->type3 ? SEC_ERR_OK : SEC_ERR_LENGTH;
	case SEC_ROW_HASH_END:
		return total % 8 == 0 && total / 8 > b->len && (total / 8 - b->len) % block == 0 ? SEC_ERR_OK :
		       SEC_ERR_LENGTH;
	default:
		return b->len && b->len % block == 0 ? SEC_ERR_OK : SEC_ERR_LENGTH;
	}
}

static u32 sec_mac(const struct sec_bits *b)
{
	bool gmac = b->kind == SEC_ROW_GMAC;
	u32 key = b->f[SEC_F_A_KEY_LEN] * 4;

	if (!b->tag || b->tag > 16 || b->f[SEC_F_AI_GEN] != (gmac ? SEC_GEN_ADDRESS : SEC_GEN_STANDARD))
		return SEC_ERR_BAD_BD;
	if (key != 16 && (!gmac || (key != 24 && key != 32)))
		return SEC_ERR_ALGORITHM;
	return b->len || gmac ? SEC_ERR_OK : SEC_ERR_LENGTH;
}

static bool sec_icv_or_none(const struct sec_bits *b)
{
	u32 icv = b->f[SEC_F_C_ICV_LEN];

	return !icv || (icv >= SEC_MIN_ICV && icv <= SEC_MAX_ICV);
}

static u32 sec_gcm_aad(const struct sec_bits *b)
{
	u32 key = b->f[SEC_F_A_KEY_LEN] * 4, alg = b->f[SEC_F_C_ALG] ? b->f[SEC_F_C_ALG] : SEC_C_AES;
	u32 offset = b->f[SEC_F_CIPHER_SRC_OFFSET], mode = b->f[SEC_F_C_MODE], code = b->f[SEC_F_C_KEY_LEN];

	if (b->f[SEC_F_SCENE] != SEC_SCENE_STREAM || b->f[SEC_F_AI_GEN] != SEC_GEN_STANDARD ||
	    b->f[SEC_F_AUTH_PAD] != SEC_PAD_NONE || b->tag != 16 || (offset && offset != b->len) ||
	    !sec_icv_or_none(b) || (mode && mode != SEC_C_GCM) || (b->f[SEC_F_CTR_XTS] & SEC_XTS_SM4_GB) ||
	    (alg != SEC_C_AES && alg != SEC_C_SM4) || (code && sec_key_bytes(alg, code) != key))
		return SEC_ERR_BAD_BD;
	if (key != 16 && (alg == SEC_C_SM4 || (key != 24 && key != 32)))
		return SEC_ERR_ALGORITHM;
	return b->len && b->len <= SEC_MAX_AAD ? SEC_ERR_OK : SEC_ERR_LENGTH;
}

/* Modes by algorithm: generation 2 has three, and DES and 3DES two. */
static bool sec_mode_known(const struct sec_bits *b)
{
	u32 mode = b->f[SEC_F_C_MODE], width = b->f[SEC_F_C_WIDTH], modes;

	modes = 1u << SEC_C_ECB | 1u << SEC_C_CBC;
	if (b->block == 16)
		modes |= 1u << SEC_C_XTS;
	if (b->block == 16 && b->type3)
		modes |= 1u << SEC_C_CFB | 1u << SEC_C_OFB | 1u << SEC_C_CTR | 1u << SEC_C_CBC_CS;
	if (!(modes & 1u << mode) || (mode == SEC_C_XTS && b->key == 2 * 24))
		return false;
	return mode == SEC_C_CBC_CS ? width >= SEC_C_WIDTH_CS1 && width <= SEC_C_WIDTH_CS3 : !width;
}

static u32 sec_cipher(const struct sec_bits *b)
{
	u32 mode = b->f[SEC_F_C_MODE];
	bool fits = b->len;

	if (!sec_mode_known(b))
		return SEC_ERR_ALGORITHM;
	if (b->f[SEC_F_CTR_XTS] & SEC_XTS_SM4_GB && (mode != SEC_C_XTS || b->f[SEC_F_C_ALG] != SEC_C_SM4))
		return SEC_ERR_BAD_BD;
	if (mode == SEC_C_ECB || mode == SEC_C_CBC)
		fits = b->len && b->len % b->block == 0;
	else if (mode == SEC_C_XTS)
		fits = b->len >= b->block;
	else if (mode == SEC_C_CBC_CS)
		fits = b->len > b->block;
	return fits ? SEC_ERR_OK : SEC_ERR_LENGTH;
}

static u32 sec_authenc(struct sec_bits *b)
{
	u32 alg = b->f[SEC_F_A_ALG];

	if (b->f[SEC_F_C_MODE] != SEC_C_CBC || (alg != SEC_A_HMAC_SHA1 && alg != SEC_A_HMAC_SHA256 &&
						alg != SEC_A_HMAC_SHA512 && (alg != SEC_A_HMAC_SM3 || !b->type3)))
		return SEC_ERR_ALGORITHM;
	b->hash = sec_hash_size(sec_hash_alg(alg));
	if (b->f[SEC_F_AUTH] != (b->encrypt ? SEC_AUTH_CALCULATE : SEC_AUTH_VERIFY) ||
	    b->f[SEC_F_SEQ] != (b->encrypt ? SEC_SEQ_CIPHER_FIRST : SEC_SEQ_DIGEST_FIRST) || !sec_hmac_key(b) ||
	    !b->tag || b->tag > b->hash.digest)
		return SEC_ERR_BAD_BD;
	return b->len && b->len % 16 == 0 && b->f[SEC_F_A_LEN] == b->aad + b->len ? SEC_ERR_OK : SEC_ERR_LENGTH;
}

static u32 sec_gcm_data(const struct sec_bits *b)
{
	u32 a_alg = b->f[SEC_F_A_ALG], mac = b->f[SEC_F_MAC_LEN] * 4;

	if (b->f[SEC_F_AI_GEN] != SEC_GEN_ADDRESS || b->f[SEC_F_AUTH_PAD] != SEC_PAD_NONE ||
	    (b->type3 && !b->f[SEC_F_MAC_SEL]) || b->f[SEC_F_A_KEY_LEN] * 4 != b->key ||
	    (a_alg && a_alg != SEC_A_AES_GMAC) || (mac && mac != SEC_MAX_ICV) || !sec_icv_or_none(b))
		return SEC_ERR_BAD_BD;
	return b->len && b->len % 16 == 0 ? SEC_ERR_OK : SEC_ERR_LENGTH;
}

static u32 sec_gcm_ccm(const struct sec_bits *b)
{
	bool ccm = b->kind == SEC_ROW_CCM;

	if (b->f[SEC_F_CIPHER_SRC_OFFSET] != b->aad || b->tag < SEC_MIN_ICV || b->tag > SEC_MAX_ICV ||
	    (ccm && b->tag % 2) || (b->encrypt && b->f[SEC_F_SEQ] != SEC_SEQ_CIPHER_FIRST))
		return SEC_ERR_BAD_BD;
	/* Generation 2 has no AEAD without data. */
	return (ccm && b->aad > SEC_MAX_CCM_AAD) || (!b->len && !b->type3) ? SEC_ERR_LENGTH : SEC_ERR_OK;
}

/* Key, block and lengths, as the row has them. */
static u32 sec_measure(struct sec_bits *b)
{
	u32 alg = b->f[SEC_F_C_ALG];
	bool digest = b->f[SEC_F_CIPHER] == SEC_CIPHER_NONE;

	b->encrypt = b->f[SEC_F_CIPHER] == SEC_CIPHER_ENCRYPT;
	b->len = b->f[digest ? SEC_F_A_LEN : SEC_F_C_LEN];
	b->tag = b->f[SEC_F_MAC_LEN] * 4;
	if (b->kind == SEC_ROW_AUTHENC)
		b->aad = b->f[SEC_F_CIPHER_SRC_OFFSET];
	if (b->kind == SEC_ROW_GCM || b->kind == SEC_ROW_CCM) {
		b->aad = b->f[SEC_F_A_LEN];
		b->tag = b->f[SEC_F_C_ICV_LEN];
	}
	if (digest)
		return b->f[SEC_F_AUTH] == SEC_AUTH_CALCULATE ? SEC_ERR_OK : SEC_ERR_BAD_BD;
	b->key = sec_key_bytes(alg, b->f[SEC_F_C_KEY_LEN]);
	b->block = alg == SEC_C_DES || alg == SEC_C_3DES ? 8 : 16;
	if (!b->key || b->f[SEC_F_CIPHER] == SEC_CIPHER_COPY)
		return SEC_ERR_ALGORITHM;
	if (b->kind == SEC_ROW_CIPHER) {
		if (b->f[SEC_F_C_MODE] == SEC_C_XTS)
			b->key *= 2;
		return SEC_ERR_OK;
	}
	/* AEAD */
	if (b->f[SEC_F_CTR_XTS] & SEC_XTS_SM4_GB)
		return SEC_ERR_BAD_BD;
	return alg == SEC_C_AES || (alg == SEC_C_SM4 && b->type3) ? SEC_ERR_OK : SEC_ERR_ALGORITHM;
}

static u32 sec_values(struct sec_bits *b)
{
	switch (b->kind) {
	case SEC_ROW_CIPHER:
		return sec_cipher(b);
	case SEC_ROW_CBC_MAC:
	case SEC_ROW_GMAC:
		return sec_mac(b);
	case SEC_ROW_GCM_AAD:
		return sec_gcm_aad(b);
	case SEC_ROW_GCM_DATA:
		return sec_gcm_data(b);
	case SEC_ROW_GCM:
	case SEC_ROW_CCM:
		return sec_gcm_ccm(b);
	case SEC_ROW_AUTHENC:
		return sec_authenc(b);
	default:
		return sec_hash(b);
	}
}

/* ------ memory ------ */

static u32 sec_bytes(const struct sec_bits *b, u32 extent)
{
	switch (SEC_EXTENT(extent)) {
	case SEC_EXTENT_DATA:
		return b->aad + b->len;
	case SEC_EXTENT_KEY:
		return b->key;
	case SEC_EXTENT_IV:
		return b->f[SEC_F_C_MODE] == SEC_C_ECB ? 0 : b->block;
	case SEC_EXTENT_12:
		return SEC_GCM_IV_BYTES;
	case SEC_EXTENT_16:
		return 16;
	case SEC_EXTENT_A_KEY:
		return b->f[SEC_F_A_KEY_LEN] * 4;
	case SEC_EXTENT_STATE:
		return b->hash.state;
	case SEC_EXTENT_TAG:
		return b->tag;
	}
	return 0;
}

/* Are the addresses there that the row needs? */
static bool sec_addresses(const struct sec_bits *b)
{
	u32 i, extent;

	for (i = SEC_L_MAC; i < SEC_L_ADDRESSES; i++) {
		extent = b->row->extent[i];
		if (b->l[i] || !sec_bytes(b, extent) || extent & SEC_OPTIONAL || (extent & SEC_OPTIONAL2 && !b->type3))
			continue;
		return false;
	}
	/* Software for type 2 gives the key of a stream in one of two places. */
	return b->kind != SEC_ROW_GCM_DATA || b->l[SEC_L_C_KEY] || b->l[SEC_L_A_KEY];
}

static bool sec_has_list(const struct sec_bits *b)
{
	return b->f[SEC_F_SRC_TYPE] || (b->f[SEC_F_DE] && b->f[SEC_F_DST_TYPE]);
}

/* The destination overlaps the source without being equal to it: visible in the process' addresses only. */
static bool sec_overlaps(const struct sec_bits *b)
{
	u64 src = b->l[SEC_L_SRC], dst = b->l[SEC_L_DST], n = (u64)b->aad + b->len;

	return b->f[SEC_F_DE] && !b->in_place && !sec_has_list(b) && src < dst + n && dst < src + n;
}

static u32 sec_memory(struct sec_bits *b)
{
	bool dst = b->row->extent[SEC_L_DST];

	b->in_place = !b->f[SEC_F_DE] || (b->l[SEC_L_DST] == b->l[SEC_L_SRC] &&
					  b->f[SEC_F_DST_TYPE] == b->f[SEC_F_SRC_TYPE]);
	if ((!b->row->lists && sec_has_list(b)) || !sec_addresses(b) || (dst && sec_overlaps(b)))
		return SEC_ERR_BAD_BD;
	/* A destination that isn't used is flat. */
	if (b->kind == SEC_ROW_GCM_AAD && b->f[SEC_F_DST_TYPE])
		return SEC_ERR_BAD_BD;
	return b->aad + b->len <= SEC_MAX_BYTES ? SEC_ERR_OK : SEC_ERR_LENGTH;
}

static u32 sec_check(struct sec_bits *b)
{
	u32 scene = b->f[SEC_F_SCENE], status;

	if (scene != SEC_SCENE_COMMON && scene != SEC_SCENE_IPSEC && scene != SEC_SCENE_STREAM)
		return SEC_ERR_BAD_BD;
	if (b->f[SEC_F_SRC_TYPE] > SEC_ADDR_SGL || b->f[SEC_F_DST_TYPE] > SEC_ADDR_SGL || b->f[SEC_F_DE] > 1 ||
	    !b->l[SEC_L_SRC] || (b->f[SEC_F_DE] && !b->l[SEC_L_DST]))
		return SEC_ERR_BAD_BD;
	b->kind = sec_row(b);
	b->row = &sec_access_rows[b->kind];
	status = sec_measure(b);
	if (!status)
		status = sec_only_uses(b) ? sec_values(b) : SEC_ERR_BAD_BD;
	return status ? status : sec_memory(b);
}

static struct tr_access *sec_add(struct tr_request *r, const struct sec_bits *b, u32 l, u32 dir, u32 bytes)
{
	struct hw_access field = { .word = (u8)b->layout->first[l], .dir = (u8)dir, .form = HW_SMALL, .extent = (u8)l };
	struct tr_access *a;

	if (l <= SEC_L_DST)
		field.form = b->row->lists ? HW_FREE : HW_FLAT;
	a = tr_add(r, &field, b->l[l], bytes);
	if (a)
		a->at = sec_slot[l];
	return a;
}

/* One access with both addresses if the request is in place, or where the destination is named but isn't used. */
static void sec_add_payload(struct tr_request *r, const struct sec_bits *b)
{
	bool writes = b->row->extent[SEC_L_DST], apart = writes && !b->in_place;
	u32 bytes = sec_bytes(b, b->row->extent[SEC_L_SRC]);
	struct tr_access *src, *dst;

	src = sec_add(r, b, SEC_L_SRC, writes && b->in_place ? HW_READ | HW_WRITE : HW_READ, bytes);
	dst = b->f[SEC_F_DE] && (apart || !src) ? sec_add(r, b, SEC_L_DST, HW_WRITE, bytes) : NULL;
	if (src) {
		src->list = b->f[SEC_F_SRC_TYPE];
		if (b->f[SEC_F_DE] && !apart)
			src->word[1] = (u8)b->layout->first[SEC_L_DST];
	}
	if (dst) {
		dst->list = b->f[SEC_F_DST_TYPE];
		dst->fill = b->aad;
	}
}

static void sec_add_small(struct tr_request *r, const struct sec_bits *b)
{
	bool verifies = SEC_EXTENT(b->row->extent[SEC_L_MAC]) == SEC_EXTENT_TAG && b->f[SEC_F_CIPHER] && !b->encrypt;
	u32 i, bytes;

	/* Drivers of hardware give an address even where the mode has no initial value. */
	if (b->kind == SEC_ROW_CIPHER && !sec_bytes(b, SEC_EXTENT_IV))
		sec_add(r, b, SEC_L_C_IVIN, HW_READ, 0);
	for (i = SEC_L_MAC; i < SEC_L_ADDRESSES; i++) {
		bytes = b->l[i] ? sec_bytes(b, b->row->extent[i]) : 0;
		if (bytes)
			sec_add(r, b, i, i == SEC_L_MAC && !verifies ? HW_WRITE : HW_READ, bytes);
	}
	r->slot_bytes = TR_SLOT_SEC;
}

static u32 sec_read(struct tr_request *r)
{
	struct sec_bits b = { .layout = &sec_layouts[HW_ROW(r->q.generation)], .type3 = r->q.generation > 2 };
	u32 status, i;

	if (!sec_bits_read(&b, r->word))
		return SEC_ERR_BAD_BD;
	for (i = 0; i < SEC_L_ADDRESSES; i++)
		tr_addr_put(r->word, b.layout->first[i], 0);
	sec_field_set(r->word, b.layout->field[SEC_F_SRC_TYPE], SEC_ADDR_FLAT);
	sec_field_set(r->word, b.layout->field[SEC_F_DST_TYPE], SEC_ADDR_FLAT);
	/* Nothing of the process is prefetched. */
	if (b.type3)
		sec_field_set(r->word, b.layout->field[SEC_F_SVA_PREFETCH], 0);
	if (b.f[SEC_F_INVALID])
		return SEC_ERR_OK;
	status = sec_check(&b);
	if (status)
		return status;
	sec_add_payload(r, &b);
	sec_add_small(r, &b);
	return SEC_ERR_OK;
}

static int sec_shape(const struct tr_request *r, const struct tr_target *target, u32 *word)
{
	const struct sec_layout *layout = &sec_layouts[HW_ROW(r->q.generation)];
	const struct tr_access *a;
	u32 i;

	for (i = 0; i < r->nr; i++) {
		a = &r->access[i];
		if (a->form == HW_SMALL || !target[i].list)
			continue;
		sec_field_set(word, layout->field[a->field == SEC_L_SRC ? SEC_F_SRC_TYPE : SEC_F_DST_TYPE],
			      SEC_ADDR_SGL);
		if (a->word[1])
			sec_field_set(word, layout->field[SEC_F_DST_TYPE], SEC_ADDR_SGL);
	}
	return 0;
}

static void sec_fail(const struct tr_queue *q, u32 status, __le32 *sqe)
{
	(void)q;
	sqe[SEC_BD_RESULT_FIRST] = __cpu_to_le32(status << 16 | 1);
}

/* Not after a wrong tag: the process' memory keeps what it had. */
static u32 sec_deliver(const struct tr_request *r, const struct tr_access *a, const __le32 *device)
{
	u32 result = __le32_to_cpu(device[SEC_BD_RESULT_FIRST]);

	(void)r;
	return result & 1 && !(result & sec_field_mask(SEC_BD_ERROR)) &&
	       (result & sec_field_mask(SEC_BD_ICV)) >> 1 != SEC_ICV_MISMATCH ? a->len : 0;
}

const struct tr_engine_ops tr_sec_ops = {
	.words = SEC_WORDS,
	.pages = SEC_PAGES,
	.only_results = SEC_RESULTS,
	.results = SEC_RESULTS,
	.read = sec_read,
	.shape = sec_shape,
	.fail = sec_fail,
	.deliver = sec_deliver,
	.status = {
		[TR_WHY_ADDRESS] = SEC_ERR_ADDRESS, [TR_WHY_LIST] = SEC_ERR_BAD_SGL,
		[TR_WHY_NO_SPACE] = SEC_ERR_BAD_SGL, [TR_WHY_STOPPED] = SEC_ERR_ABORTED,
	},
};
