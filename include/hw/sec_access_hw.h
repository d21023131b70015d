/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Fields of a SEC descriptor by type, and for each kind of request those that may be set and the memory it names. */
#ifndef WD_SEC_ACCESS_HW_H
#define WD_SEC_ACCESS_HW_H

#include "hw/access_hw.h"
#include "hw/sec_hw.h"

/* Fields that requests use. All other bits are reserved, except addresses, the total and the tag. */
enum sec_f {
	SEC_F_TYPE,
	SEC_F_INVALID,
	SEC_F_CIPHER,
	SEC_F_AUTH,
	SEC_F_SEQ,
	SEC_F_DE,
	SEC_F_SCENE,
	SEC_F_SRC_TYPE,
	SEC_F_DST_TYPE,
	SEC_F_AI_GEN,
	SEC_F_AUTH_PAD,
	SEC_F_MAC_LEN,
	SEC_F_A_KEY_LEN,
	SEC_F_A_ALG,
	SEC_F_C_ICV_LEN,
	SEC_F_C_WIDTH,
	SEC_F_C_KEY_LEN,
	SEC_F_C_MODE,
	SEC_F_C_ALG,
	SEC_F_A_LEN,
	SEC_F_C_LEN,
	SEC_F_CIPHER_SRC_OFFSET,
	SEC_F_CTR_XTS,
	SEC_F_SVA_PREFETCH,
	SEC_F_MAC_SEL,
	SEC_F_NR,
};

/* Fields of two words: addresses, and the length in bits of a whole message */
enum sec_l {
	SEC_L_SRC,
	SEC_L_DST,
	SEC_L_MAC,
	SEC_L_C_KEY,
	SEC_L_A_KEY,
	SEC_L_C_IVIN,
	SEC_L_A_IVIN,
	SEC_L_ADDRESSES,
	SEC_L_TOTAL = SEC_L_ADDRESSES,
	SEC_L_NR,
};

/**
 * struct sec_layout - a type of descriptor
 * @field: the position of each field, or 0 (the position of the type field) where the type doesn't have it
 * @first: the first word of each field of two words
 * @tag, @tag_mask: the first word of the tag; the bits of both
 */
struct sec_layout {
	__u32 field[SEC_F_NR];
	__u32 first[SEC_L_NR];
	__u32 tag;
	__u32 tag_mask[2];
};

HW_TABLE struct sec_layout sec_layouts[HW_GENERATIONS] = {
	[HW_ROW(2)] = {
		.field = {
			[SEC_F_TYPE] = SEC_BD_TYPE,
			[SEC_F_INVALID] = SEC_BD2_INVALID,
			[SEC_F_CIPHER] = SEC_BD2_CIPHER,
			[SEC_F_AUTH] = SEC_BD2_AUTH,
			[SEC_F_SEQ] = SEC_BD2_SEQ,
			[SEC_F_DE] = SEC_BD2_DE,
			[SEC_F_SCENE] = SEC_BD2_SCENE,
			[SEC_F_SRC_TYPE] = SEC_BD2_SRC_TYPE,
			[SEC_F_DST_TYPE] = SEC_BD2_DST_TYPE,
			[SEC_F_AI_GEN] = SEC_BD2_AI_GEN,
			[SEC_F_AUTH_PAD] = SEC_BD2_AUTH_PAD,
			[SEC_F_MAC_LEN] = SEC_BD2_MAC_LEN,
			[SEC_F_A_KEY_LEN] = SEC_BD2_A_KEY_LEN,
			[SEC_F_A_ALG] = SEC_BD2_A_ALG,
			[SEC_F_C_ICV_LEN] = SEC_BD2_C_ICV_LEN,
			[SEC_F_C_WIDTH] = SEC_BD2_C_WIDTH,
			[SEC_F_C_KEY_LEN] = SEC_BD2_C_KEY_LEN,
			[SEC_F_C_MODE] = SEC_BD2_C_MODE,
			[SEC_F_C_ALG] = SEC_BD2_C_ALG,
			[SEC_F_A_LEN] = SEC_BD2_A_LEN,
			[SEC_F_C_LEN] = SEC_BD2_C_LEN,
			[SEC_F_CIPHER_SRC_OFFSET] = SEC_BD2_CIPHER_SRC_OFFSET,
		},
		.first = {
			[SEC_L_SRC] = SEC_BD2_SRC,
			[SEC_L_DST] = SEC_BD2_DST,
			[SEC_L_MAC] = SEC_BD2_MAC,
			[SEC_L_C_KEY] = SEC_BD2_C_KEY,
			[SEC_L_A_KEY] = SEC_BD2_A_KEY,
			[SEC_L_C_IVIN] = SEC_BD2_C_IVIN,
			[SEC_L_A_IVIN] = SEC_BD2_A_IVIN,
			[SEC_L_TOTAL] = SEC_BD2_LONG_A_DATA_LEN,
		},
		.tag = SEC_BD2_TAG >> 16,
		.tag_mask = { 0xffff, 0 },
	},
	[HW_ROW(3)] = {
		.field = {
			[SEC_F_TYPE] = SEC_BD_TYPE,
			[SEC_F_INVALID] = SEC_BD3_INVALID,
			[SEC_F_CIPHER] = SEC_BD3_CIPHER,
			[SEC_F_AUTH] = SEC_BD3_AUTH,
			[SEC_F_SEQ] = SEC_BD3_SEQ,
			[SEC_F_DE] = SEC_BD3_DE,
			[SEC_F_SCENE] = SEC_BD3_SCENE,
			[SEC_F_SRC_TYPE] = SEC_BD3_SRC_TYPE,
			[SEC_F_DST_TYPE] = SEC_BD3_DST_TYPE,
			[SEC_F_AI_GEN] = SEC_BD3_AI_GEN,
			[SEC_F_AUTH_PAD] = SEC_BD3_AUTH_PAD,
			[SEC_F_MAC_LEN] = SEC_BD3_MAC_LEN,
			[SEC_F_A_KEY_LEN] = SEC_BD3_A_KEY_LEN,
			[SEC_F_A_ALG] = SEC_BD3_A_ALG,
			[SEC_F_C_ICV_LEN] = SEC_BD3_C_ICV_LEN,
			[SEC_F_C_WIDTH] = SEC_BD3_C_WIDTH,
			[SEC_F_C_KEY_LEN] = SEC_BD3_C_KEY_LEN,
			[SEC_F_C_MODE] = SEC_BD3_C_MODE,
			[SEC_F_C_ALG] = SEC_BD3_C_ALG,
			[SEC_F_A_LEN] = SEC_BD3_A_LEN,
			[SEC_F_C_LEN] = SEC_BD3_C_LEN,
			[SEC_F_CIPHER_SRC_OFFSET] = SEC_BD3_CIPHER_SRC_OFFSET,
			[SEC_F_CTR_XTS] = SEC_BD3_CTR_XTS,
			[SEC_F_SVA_PREFETCH] = SEC_BD3_SVA_PREFETCH,
			[SEC_F_MAC_SEL] = SEC_BD3_MAC_SEL,
		},
		.first = {
			[SEC_L_SRC] = SEC_BD3_SRC,
			[SEC_L_DST] = SEC_BD3_DST,
			[SEC_L_MAC] = SEC_BD3_MAC,
			[SEC_L_C_KEY] = SEC_BD3_C_KEY,
			[SEC_L_A_KEY] = SEC_BD3_A_KEY,
			[SEC_L_C_IVIN] = SEC_BD3_C_IVIN,
			[SEC_L_A_IVIN] = SEC_BD3_A_IVIN,
			[SEC_L_TOTAL] = SEC_BD3_LONG_A_DATA_LEN,
		},
		.tag = SEC_BD3_TAG,
		.tag_mask = { ~0u, ~0u },
	},
};

/* Which fields an operation uses: the others must be 0. */
#define SEC_BIT(f)	(1u << (f))
#define SEC_USES_ALWAYS	(SEC_BIT(SEC_F_TYPE) | SEC_BIT(SEC_F_SCENE) | SEC_BIT(SEC_F_SRC_TYPE) | \
			 SEC_BIT(SEC_F_SVA_PREFETCH))
#define SEC_USES_CIPHER	(SEC_USES_ALWAYS | SEC_BIT(SEC_F_CIPHER) | SEC_BIT(SEC_F_DE) | \
			 SEC_BIT(SEC_F_DST_TYPE) | SEC_BIT(SEC_F_C_KEY_LEN) | SEC_BIT(SEC_F_C_MODE) | \
			 SEC_BIT(SEC_F_C_ALG) | SEC_BIT(SEC_F_C_LEN) | SEC_BIT(SEC_F_CTR_XTS))
#define SEC_USES_DIGEST	(SEC_USES_ALWAYS | SEC_BIT(SEC_F_AUTH) | SEC_BIT(SEC_F_MAC_LEN) | \
			 SEC_BIT(SEC_F_A_ALG) | SEC_BIT(SEC_F_A_LEN) | SEC_BIT(SEC_F_AI_GEN))
#define SEC_USES_AEAD	(SEC_USES_CIPHER | SEC_BIT(SEC_F_SEQ) | SEC_BIT(SEC_F_A_LEN) | \
			 SEC_BIT(SEC_F_CIPHER_SRC_OFFSET))
#define SEC_USES_KEYED	SEC_BIT(SEC_F_A_KEY_LEN)
#define SEC_USES_PARTS	SEC_BIT(SEC_F_AUTH_PAD)
#define SEC_USES_TOTAL	SEC_BIT(SEC_F_NR)	/* SEC_L_TOTAL */

/* How many bytes an address field is about */
enum sec_extent {
	SEC_EXTENT_NONE,
	SEC_EXTENT_DATA,	/* AAD and data, which follows it */
	SEC_EXTENT_KEY,		/* of the cipher; XTS has two */
	SEC_EXTENT_IV,		/* a block of the cipher, or nothing for ECB */
	SEC_EXTENT_12,
	SEC_EXTENT_16,
	SEC_EXTENT_A_KEY,	/* a_key_len words, or nothing for a hash */
	SEC_EXTENT_STATE,	/* of a hash between two parts of a message */
	SEC_EXTENT_TAG,		/* mac_len words, or c_icv_len bytes for GCM and CCM */
};

/* The process may leave the address out; in type 2 only */
#define SEC_OPTIONAL	0x80
#define SEC_OPTIONAL2	0x40
#define SEC_EXTENT(e)	((e) & 0x3fu)

enum sec_row {
	SEC_ROW_CIPHER,
	SEC_ROW_HASH,		/* and HMAC, whole or in parts */
	SEC_ROW_HASH_FIRST,
	SEC_ROW_HASH_MIDDLE,
	SEC_ROW_HASH_END,
	SEC_ROW_CBC_MAC,	/* XCBC, CMAC */
	SEC_ROW_GMAC,
	SEC_ROW_GCM_AAD,	/* of a stream */
	SEC_ROW_GCM_DATA,
	SEC_ROW_GCM,
	SEC_ROW_CCM,
	SEC_ROW_AUTHENC,	/* CBC and HMAC */
	SEC_ROWS,
};

/**
 * struct sec_access_row - one kind of request
 * @uses, @uses3: fields that may be set; in type 3 in addition
 * @lists: source and destination may be lists
 * @extent: of each address, enum sec_extent and SEC_OPTIONAL; addresses without one aren't used
 *
 * The source and keys are read, the destination is written, the tag is written unless it is verified.
 */
struct sec_access_row {
	__u32 uses, uses3;
	__u8 lists;
	__u8 extent[SEC_L_ADDRESSES];
};

HW_TABLE struct sec_access_row sec_access_rows[SEC_ROWS] = {
	[SEC_ROW_CIPHER] = {
		SEC_USES_CIPHER | SEC_BIT(SEC_F_C_WIDTH), 0, 1, {
			[SEC_L_SRC] = SEC_EXTENT_DATA, [SEC_L_DST] = SEC_EXTENT_DATA,
			[SEC_L_C_KEY] = SEC_EXTENT_KEY, [SEC_L_C_IVIN] = SEC_EXTENT_IV,
		},
	},
	[SEC_ROW_HASH] = {
		SEC_USES_DIGEST | SEC_USES_PARTS | SEC_USES_KEYED, 0, 1, {
			[SEC_L_SRC] = SEC_EXTENT_DATA, [SEC_L_A_KEY] = SEC_EXTENT_A_KEY,
			[SEC_L_MAC] = SEC_EXTENT_TAG,
		},
	},
	[SEC_ROW_HASH_FIRST] = {
		SEC_USES_DIGEST | SEC_USES_PARTS | SEC_USES_KEYED, 0, 0, {
			[SEC_L_SRC] = SEC_EXTENT_DATA, [SEC_L_A_KEY] = SEC_EXTENT_A_KEY,
			[SEC_L_MAC] = SEC_EXTENT_STATE,
		},
	},
	[SEC_ROW_HASH_MIDDLE] = {
		SEC_USES_DIGEST | SEC_USES_PARTS | SEC_USES_KEYED, 0, 0, {
			[SEC_L_SRC] = SEC_EXTENT_DATA, [SEC_L_A_KEY] = SEC_EXTENT_A_KEY,
			[SEC_L_A_IVIN] = SEC_EXTENT_STATE, [SEC_L_MAC] = SEC_EXTENT_STATE,
		},
	},
	[SEC_ROW_HASH_END] = {
		SEC_USES_DIGEST | SEC_USES_PARTS | SEC_USES_KEYED | SEC_USES_TOTAL, 0, 0, {
			[SEC_L_SRC] = SEC_EXTENT_DATA, [SEC_L_A_KEY] = SEC_EXTENT_A_KEY,
			[SEC_L_A_IVIN] = SEC_EXTENT_STATE, [SEC_L_MAC] = SEC_EXTENT_TAG,
		},
	},
	[SEC_ROW_CBC_MAC] = {
		SEC_USES_DIGEST | SEC_USES_KEYED, 0, 1, {
			[SEC_L_SRC] = SEC_EXTENT_DATA, [SEC_L_A_KEY] = SEC_EXTENT_A_KEY,
			[SEC_L_MAC] = SEC_EXTENT_TAG,
		},
	},
	[SEC_ROW_GMAC] = {
		SEC_USES_DIGEST | SEC_USES_KEYED, 0, 1, {
			[SEC_L_SRC] = SEC_EXTENT_DATA, [SEC_L_A_KEY] = SEC_EXTENT_A_KEY,
			[SEC_L_A_IVIN] = SEC_EXTENT_12, [SEC_L_MAC] = SEC_EXTENT_TAG,
		},
	},
	/* Software leaves fields as in the data's descriptor, the destination too; they have no meaning here. */
	[SEC_ROW_GCM_AAD] = {
		SEC_USES_DIGEST | SEC_USES_PARTS | SEC_USES_KEYED | SEC_BIT(SEC_F_DE) | SEC_BIT(SEC_F_DST_TYPE) |
			SEC_BIT(SEC_F_CIPHER_SRC_OFFSET) | SEC_BIT(SEC_F_SEQ),
		SEC_BIT(SEC_F_MAC_SEL) | SEC_BIT(SEC_F_C_MODE) | SEC_BIT(SEC_F_C_ALG) | SEC_BIT(SEC_F_C_KEY_LEN) |
			SEC_BIT(SEC_F_C_ICV_LEN) | SEC_BIT(SEC_F_CTR_XTS), 0, {
			[SEC_L_SRC] = SEC_EXTENT_DATA, [SEC_L_A_KEY] = SEC_EXTENT_A_KEY,
			[SEC_L_MAC] = SEC_EXTENT_16,
		},
	},
	[SEC_ROW_GCM_DATA] = {
		SEC_USES_CIPHER | SEC_USES_PARTS | SEC_USES_KEYED | SEC_BIT(SEC_F_SEQ) | SEC_BIT(SEC_F_AI_GEN) |
			SEC_BIT(SEC_F_MAC_LEN) | SEC_BIT(SEC_F_A_ALG) | SEC_BIT(SEC_F_C_ICV_LEN),
		SEC_BIT(SEC_F_MAC_SEL), 0, {
			[SEC_L_SRC] = SEC_EXTENT_DATA, [SEC_L_DST] = SEC_EXTENT_DATA,
			[SEC_L_C_KEY] = SEC_EXTENT_KEY | SEC_OPTIONAL2, [SEC_L_C_IVIN] = SEC_EXTENT_16,
			[SEC_L_A_KEY] = SEC_EXTENT_A_KEY | SEC_OPTIONAL, [SEC_L_A_IVIN] = SEC_EXTENT_16,
			[SEC_L_MAC] = SEC_EXTENT_16,
		},
	},
	[SEC_ROW_GCM] = {
		SEC_USES_AEAD | SEC_BIT(SEC_F_C_ICV_LEN), 0, 1, {
			[SEC_L_SRC] = SEC_EXTENT_DATA, [SEC_L_DST] = SEC_EXTENT_DATA,
			[SEC_L_C_KEY] = SEC_EXTENT_KEY, [SEC_L_C_IVIN] = SEC_EXTENT_12,
			[SEC_L_A_KEY] = SEC_EXTENT_KEY | SEC_OPTIONAL2, [SEC_L_A_IVIN] = SEC_EXTENT_12,
			[SEC_L_MAC] = SEC_EXTENT_TAG,
		},
	},
	[SEC_ROW_CCM] = {
		SEC_USES_AEAD | SEC_BIT(SEC_F_C_ICV_LEN), 0, 1, {
			[SEC_L_SRC] = SEC_EXTENT_DATA, [SEC_L_DST] = SEC_EXTENT_DATA,
			[SEC_L_C_KEY] = SEC_EXTENT_KEY, [SEC_L_C_IVIN] = SEC_EXTENT_16,
			[SEC_L_A_KEY] = SEC_EXTENT_KEY | SEC_OPTIONAL2, [SEC_L_A_IVIN] = SEC_EXTENT_16,
			[SEC_L_MAC] = SEC_EXTENT_TAG,
		},
	},
	[SEC_ROW_AUTHENC] = {
		SEC_USES_AEAD | SEC_USES_KEYED | SEC_BIT(SEC_F_AUTH) | SEC_BIT(SEC_F_MAC_LEN) |
			SEC_BIT(SEC_F_A_ALG), 0, 1, {
			[SEC_L_SRC] = SEC_EXTENT_DATA, [SEC_L_DST] = SEC_EXTENT_DATA,
			[SEC_L_C_KEY] = SEC_EXTENT_KEY, [SEC_L_C_IVIN] = SEC_EXTENT_16,
			[SEC_L_A_KEY] = SEC_EXTENT_A_KEY, [SEC_L_MAC] = SEC_EXTENT_TAG,
		},
	},
};

/* Key sizes in bytes by the descriptor's code, or 0; DES has only one size, whatever the code. */
static inline __u32 sec_key_bytes(__u32 alg, __u32 code)
{
	static const __u8 sizes[4][4] = {
		[SEC_C_DES] = { 8, 8, 8, 8 },
		[SEC_C_3DES] = { 0, 24, 0, 16 },
		[SEC_C_AES] = { 16, 24, 32, 0 },
		[SEC_C_SM4] = { 16, 0, 0, 0 },
	};

	return alg > SEC_C_SM4 || code > 3 ? 0 : sizes[alg][code];
}

/* Sizes in bytes of a hash (enum sec_a_alg): block, state between two parts, digest. A block of 0: there is none. */
struct sec_hash_size {
	__u8 block, state, digest;
};

static inline struct sec_hash_size sec_hash_size(__u32 a_alg)
{
	static const struct sec_hash_size sizes[] = {
		[SEC_A_SHA1] = { 64, 20, 20 },
		[SEC_A_SHA256] = { 64, 32, 32 },
		[SEC_A_MD5] = { 64, 16, 16 },
		[SEC_A_SHA224] = { 64, 32, 28 },
		[SEC_A_SHA384] = { 128, 64, 48 },
		[SEC_A_SHA512] = { 128, 64, 64 },
		[SEC_A_SHA512_224] = { 128, 64, 28 },
		[SEC_A_SHA512_256] = { 128, 64, 32 },
		[SEC_A_SM3] = { 64, 32, 32 },
	};
	static const struct sec_hash_size none;

	return a_alg < sizeof(sizes) / sizeof(sizes[0]) ? sizes[a_alg] : none;
}

#endif
