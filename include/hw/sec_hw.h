/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Registers, descriptors and result codes of the SEC engine. */
#ifndef WD_SEC_HW_H
#define WD_SEC_HW_H

#include <linux/types.h>
#include <asm/byteorder.h>
#include "hw/qm_hw.h"

#define SEC_BD_SIZE		128
#define SEC_QUEUES_DEFAULT	256
#define SEC_QC_TYPE		0	/* queue algorithm type of every operation */
#define SEC_SHAPER_RATE		400

/* Capability registers with their V3 defaults */
#define SEC_CAP_NFE_MASK	0x3130
#define SEC_CAP_RESET_MASK	0x3134
#define SEC_CAP_CE_MASK		0x3138
#define SEC_CAP_CORES		0x313c
#define SEC_CAP_CORE_ENABLE	0x3140
#define SEC_CAP_DRV_ALGS_LOW	0x3144
#define SEC_CAP_DRV_ALGS_HIGH	0x3148
#define SEC_CAP_DEV_ALGS_LOW	0x314c
#define SEC_CAP_DEV_ALGS_HIGH	0x3150
#define SEC_CAP_CORE_ALGS_FIRST	0x3154	/* two registers, low and high, per core */

#define SEC_CAP_QM_NFE_V3	0x7c77
#define SEC_CAP_QM_RESET_V3	0x6c77
#define SEC_CAP_QM_CE_V3	0x8
#define SEC_CAP_NFE_MASK_V3	0x60177
#define SEC_CAP_RESET_MASK_V3	0x177
#define SEC_CAP_CE_MASK_V3	0xc088
#define SEC_CAP_CORES_V3	0x110404
#define SEC_CAP_CORE_ENABLE_V3	0xf
#define SEC_CAP_DRV_ALGS_LOW_V3	0x187f0ff
#define SEC_CAP_DRV_ALGS_HIGH_V3 0x395c
#define SEC_CAP_DEV_ALGS_LOW_V3	0xffffffff
#define SEC_CAP_DEV_ALGS_HIGH_V3 0x3fff
#define SEC_CORES		4

/* Errors of generation 2, which has no capability registers */
#define SEC_QM_NFE_V2		0x1c77
#define SEC_QM_CE_V2		0x8
#define SEC_QM_BLOCKS_V2	0x4	/* of these, those that close the bus master */
#define SEC_NFE_V2		0x177
#define SEC_CE_V2		0x88
#define SEC_ERROR_BD		0x80	/* of these: a descriptor was refused */
#define SEC_CORES_V2		0x17f	/* in SEC_SAA_EN */

/* Bits of SEC_CAP_DEV_ALGS_HIGH:LOW, by class */
#define SEC_ALG_CIPHER		0x1e1f03full
#define SEC_ALG_DIGEST		0x7fffe180f00ull
#define SEC_ALG_AEAD		0x3800000600c0ull

/* Engine registers, PF only */
#define SEC_AM_MAX_TRANS	0x300014
#define SEC_AM_MAX_TRANS_VALUE	0x2060
#define SEC_ERR_ENABLE		0x301000	/* 1 = reported, the opposite of the other engines' masks */
#define SEC_ERR_SET		0x301004	/* model: writing 1 raises the error */
#define SEC_ERR_STATUS		0x301008
#define SEC_ERR_SOURCE		0x301010
#define SEC_OOO_SHUTDOWN_SEL	0x301014
#define SEC_RAS_CE		0x301050
#define SEC_RAS_FE		0x301054
#define SEC_RAS_NFE		0x301058
#define SEC_MEM_START_INIT	0x301100
#define SEC_MEM_INIT_DONE	0x301104
#define SEC_CNT_CLR_CE		0x301120
#define SEC_PREFETCH_CFG	0x301130
#define SEC_PREFETCH_DISABLE	(1u << 1)
#define SEC_PREFETCH_ENABLE_CLR	((1u << 11) | (1u << 1) | (1u << 0))
#define SEC_CONTROL		0x301200
#define SEC_CONTROL_ENDIAN	0x3u		/* 0 = little-endian */
#define SEC_CONTROL_CLOCK_GATE	(1u << 3)
#define SEC_CONTROL_TRNG	(1u << 8)
#define SEC_CONTROL_AXI_SHUTDOWN (1u << 12)
#define SEC_DYNAMIC_GATE	0x30121c
#define SEC_DYNAMIC_GATE_ON	0x7bffu
#define SEC_USER_CTRL0_V2	0x301220
#define SEC_USER_CTRL1_V2	0x301224
#define SEC_SAA_EN		0x301270
#define SEC_BD_ERR_CHK_EN0	0x301380
#define SEC_BD_ERR_CHK_EN0_V2	0xefffffffu
#define SEC_BD_ERR_CHK_ALL	0xffffffffu	/* after power on; a bit that is cleared allows what it checks */
#define SEC_BD_ERR_CHK_EN1	0x301384
#define SEC_BD_ERR_CHK_EN1_V2	0x7ffff7fdu
#define SEC_BD_ERR_CHK_EN3	0x30138c
#define SEC_BD_ERR_CHK_EN3_V2	0xffffbfffu
#define SEC_BD_LATENCY_MIN	0x301600
#define SEC_BD_LATENCY_MAX	0x301608
#define SEC_BD_LATENCY_AVG	0x30160c
#define SEC_BD_NUM_IN_SAA0	0x301670
#define SEC_BD_NUM_IN_SAA1	0x301674
#define SEC_BD_NUM_IN_SEC	0x301680
#define SEC_ECC_1BIT_CNT	0x301c00
#define SEC_ECC_1BIT_INFO	0x301c04
#define SEC_ECC_2BIT_CNT	0x301c10
#define SEC_ECC_2BIT_INFO	0x301c14	/* [23:16]: number of the memory */
#define SEC_BD_SAA_FIRST	0x301c20
#define SEC_BD_SAA_LAST		0x301c40
#define SEC_SVA_TRANS		0x301ec4
#define SEC_SVA_TRANS_BUSY	((1u << 7) | (1u << 11))
#define SEC_CORE_AUTO_GATE	0x30212c
#define SEC_CORE_AUTO_GATE_ON	0xfu
#define SEC_USER_CTRL0_V3	0x302220
#define SEC_USER_CTRL1_V3	0x302224
/* These bits mark descriptors and payload as accesses with a substream, in both generations. */
#define SEC_USER_CTRL0_SVA	((1u << 23) | (1u << 15))
#define SEC_USER_CTRL1_V3_KEEP	0xff79e79eu
#define SEC_USER_CTRL1_V3_SVA	((1u << 23) | (1u << 17) | (1u << 11) | (1u << 5))
#define SEC_USER_CTRL1_V2_SVA	((1u << 24) | (1u << 16) | (1u << 8) | (1u << 0))
#define SEC_USER_CTRL1_V2_USER	((1u << 31) | (1u << 23) | (1u << 15) | (1u << 7))

/**
 * struct sec_bd - one request
 *
 * The two layouts share the type field and the result words. A request is built from zeroes:
 * reserved bits, and fields that the operation doesn't use, are 0. The device writes the result
 * words back into the slot before it writes the CQE. All other words come back unchanged.
 */
struct sec_bd {
	__le32 dw[SEC_BD_SIZE / 4];
};
QM_HW_ASSERT("SEC BD is 128 bytes", sizeof(struct sec_bd) == SEC_BD_SIZE);

/* A field: word, lowest bit, number of bits. No field crosses a word, except addresses and the tag of type 3. */
#define SEC_FIELD(dw, low, bits) ((dw) << 16 | (low) << 8 | (bits))

static inline __u32 sec_field_mask(__u32 field)
{
	return ~0u >> (32 - (field & 0xff)) << (field >> 8 & 0xff);
}

static inline __u32 sec_get(const struct sec_bd *bd, __u32 field)
{
	return (__le32_to_cpu(bd->dw[field >> 16]) & sec_field_mask(field)) >> (field >> 8 & 0xff);
}

/* The field must be 0, and @value must fit. */
static inline void sec_put(struct sec_bd *bd, __u32 field, __u32 value)
{
	bd->dw[field >> 16] |= __cpu_to_le32(value << (field >> 8 & 0xff));
}

/* @dw: the first of two words that hold an address, a tag or a length in bits */
static inline __u64 sec_get64(const struct sec_bd *bd, __u32 dw)
{
	return __le32_to_cpu(bd->dw[dw]) | (__u64)__le32_to_cpu(bd->dw[dw + 1]) << 32;
}

static inline void sec_put64(struct sec_bd *bd, __u32 dw, __u64 value)
{
	bd->dw[dw] = __cpu_to_le32((__u32)value);
	bd->dw[dw + 1] = __cpu_to_le32((__u32)(value >> 32));
}

/* Fields of both layouts */
#define SEC_BD_TYPE		SEC_FIELD(0, 0, 4)
#define SEC_BD_DONE		SEC_FIELD(28, 0, 1)
#define SEC_BD_ICV		SEC_FIELD(28, 1, 3)	/* enum sec_icv */
#define SEC_BD_CSC		SEC_FIELD(28, 4, 3)
#define SEC_BD_FLAG		SEC_FIELD(28, 7, 4)	/* enum sec_flag */
#define SEC_BD_DIF		SEC_FIELD(28, 11, 5)	/* type 2 only */
#define SEC_BD_ERROR		SEC_FIELD(28, 16, 8)	/* enum sec_error */
#define SEC_BD_WARNING		SEC_FIELD(28, 24, 8)
#define SEC_BD_RESULT_FIRST	28

/* Fields of type 3 */
#define SEC_BD3_INVALID		SEC_FIELD(0, 4, 1)	/* complete the request without doing it */
#define SEC_BD3_SCENE		SEC_FIELD(0, 5, 4)
#define SEC_BD3_DE		SEC_FIELD(0, 9, 2)	/* 1: the destination address is used */
#define SEC_BD3_SRC_TYPE	SEC_FIELD(0, 11, 3)	/* enum sec_addr_type */
#define SEC_BD3_DST_TYPE	SEC_FIELD(0, 14, 3)
#define SEC_BD3_MAC_TYPE	SEC_FIELD(0, 17, 3)
#define SEC_BD3_CIPHER		SEC_FIELD(1, 0, 2)
#define SEC_BD3_CI_GEN		SEC_FIELD(1, 2, 2)
#define SEC_BD3_C_ICV_LEN	SEC_FIELD(1, 4, 6)	/* bytes */
#define SEC_BD3_C_WIDTH		SEC_FIELD(1, 10, 3)
#define SEC_BD3_C_KEY_LEN	SEC_FIELD(1, 13, 3)
#define SEC_BD3_C_MODE		SEC_FIELD(1, 16, 4)
#define SEC_BD3_C_ALG		SEC_FIELD(1, 20, 4)
#define SEC_BD3_NONCE_LEN	SEC_FIELD(1, 24, 4)
#define SEC_BD3_HUK		SEC_FIELD(1, 28, 1)
#define SEC_BD3_CAL_IV_ADDR_EN	SEC_FIELD(1, 29, 1)
#define SEC_BD3_SEQ		SEC_FIELD(1, 30, 1)
#define SEC_BD3_TAG		2
#define SEC_BD3_SRC		4
#define SEC_BD3_A_KEY		6
#define SEC_BD3_A_IVIN		8
#define SEC_BD3_C_KEY		12
#define SEC_BD3_AUTH		SEC_FIELD(14, 0, 2)
#define SEC_BD3_AI_GEN		SEC_FIELD(14, 2, 2)
#define SEC_BD3_MAC_LEN		SEC_FIELD(14, 4, 5)	/* words */
#define SEC_BD3_A_KEY_LEN	SEC_FIELD(14, 9, 6)	/* words */
#define SEC_BD3_A_ALG		SEC_FIELD(14, 15, 6)
#define SEC_BD3_KEY_SEL		SEC_FIELD(14, 21, 4)
#define SEC_BD3_CTR_XTS		SEC_FIELD(14, 25, 2)	/* enum sec_ctr_xts */
#define SEC_BD3_SVA_PREFETCH	SEC_FIELD(14, 27, 1)
#define SEC_BD3_KEY_WRAP	SEC_FIELD(14, 28, 3)
#define SEC_BD3_UPDATE_KEY	SEC_FIELD(14, 31, 1)
#define SEC_BD3_SALT		SEC_FIELD(15, 0, 32)
#define SEC_BD3_AUTH_SRC_OFFSET	SEC_FIELD(16, 0, 16)
#define SEC_BD3_CIPHER_SRC_OFFSET SEC_FIELD(16, 16, 16)
#define SEC_BD3_A_LEN		SEC_FIELD(17, 0, 24)	/* bytes */
#define SEC_BD3_AUTH_KEY_OFFSET	SEC_FIELD(17, 24, 8)
#define SEC_BD3_C_LEN		SEC_FIELD(18, 0, 24)	/* bytes */
#define SEC_BD3_AUTH_IVIN_OFFSET SEC_FIELD(18, 24, 8)
#define SEC_BD3_DST		19
#define SEC_BD3_MAC		21
#define SEC_BD3_C_IVIN		23
#define SEC_BD3_LONG_A_DATA_LEN	25			/* bits */
#define SEC_BD3_AUTH_PAD	SEC_FIELD(27, 0, 2)	/* enum sec_pad */
#define SEC_BD3_STREAM_PROTOCOL	SEC_FIELD(27, 2, 3)
#define SEC_BD3_MAC_SEL		SEC_FIELD(27, 5, 1)
#define SEC_BD3_PLAINTEXT_TYPE	SEC_FIELD(27, 8, 8)
#define SEC_BD3_PAD_LEN_1P3	SEC_FIELD(27, 16, 16)

/* Fields of type 2 */
#define SEC_BD2_CIPHER		SEC_FIELD(0, 4, 2)
#define SEC_BD2_AUTH		SEC_FIELD(0, 6, 2)
#define SEC_BD2_SEQ		SEC_FIELD(0, 8, 1)
#define SEC_BD2_DE		SEC_FIELD(0, 9, 2)
#define SEC_BD2_SCENE		SEC_FIELD(0, 11, 4)
#define SEC_BD2_SRC_TYPE	SEC_FIELD(0, 15, 3)
#define SEC_BD2_DST_TYPE	SEC_FIELD(0, 18, 3)
#define SEC_BD2_MAC_TYPE	SEC_FIELD(0, 21, 3)
#define SEC_BD2_NONCE_LEN	SEC_FIELD(1, 0, 4)
#define SEC_BD2_HUK		SEC_FIELD(1, 4, 1)
#define SEC_BD2_KEY_S		SEC_FIELD(1, 5, 1)
#define SEC_BD2_CI_GEN		SEC_FIELD(1, 6, 2)
#define SEC_BD2_AI_GEN		SEC_FIELD(1, 8, 2)
#define SEC_BD2_AUTH_PAD	SEC_FIELD(1, 10, 2)
#define SEC_BD2_C_S		SEC_FIELD(1, 12, 2)
#define SEC_BD2_RHF		SEC_FIELD(1, 16, 1)
#define SEC_BD2_C_KEY_TYPE	SEC_FIELD(1, 17, 2)
#define SEC_BD2_A_KEY_TYPE	SEC_FIELD(1, 19, 2)
#define SEC_BD2_WRITE_FRAME_LEN	SEC_FIELD(1, 21, 3)
#define SEC_BD2_CAL_IV_ADDR_EN	SEC_FIELD(1, 24, 1)
#define SEC_BD2_TLS_UP		SEC_FIELD(1, 25, 1)
#define SEC_BD2_INVALID		SEC_FIELD(1, 31, 1)
#define SEC_BD2_MAC_LEN		SEC_FIELD(2, 0, 5)	/* words */
#define SEC_BD2_A_KEY_LEN	SEC_FIELD(2, 5, 6)	/* words */
#define SEC_BD2_A_ALG		SEC_FIELD(2, 11, 6)
#define SEC_BD2_C_ICV_LEN	SEC_FIELD(3, 0, 6)	/* bytes */
#define SEC_BD2_C_WIDTH		SEC_FIELD(3, 6, 3)
#define SEC_BD2_C_KEY_LEN	SEC_FIELD(3, 9, 3)
#define SEC_BD2_C_MODE		SEC_FIELD(3, 12, 4)
#define SEC_BD2_C_ALG		SEC_FIELD(3, 16, 4)
#define SEC_BD2_A_LEN		SEC_FIELD(4, 0, 24)	/* bytes */
#define SEC_BD2_C_LEN		SEC_FIELD(5, 0, 24)	/* bytes */
#define SEC_BD2_AUTH_SRC_OFFSET	SEC_FIELD(6, 0, 16)
#define SEC_BD2_CIPHER_SRC_OFFSET SEC_FIELD(6, 16, 16)
#define SEC_BD2_TAG		SEC_FIELD(10, 0, 16)
#define SEC_BD2_LONG_A_DATA_LEN	12			/* bits */
#define SEC_BD2_A_IVIN		14
#define SEC_BD2_A_KEY		16
#define SEC_BD2_MAC		18
#define SEC_BD2_C_IVIN		20
#define SEC_BD2_C_KEY		22
#define SEC_BD2_SRC		24
#define SEC_BD2_DST		26

enum sec_bd_type {
	SEC_BD_TYPE1 = 1,
	SEC_BD_TYPE2 = 2,
	SEC_BD_TYPE3 = 3,
};

enum sec_scene {
	SEC_SCENE_COMMON = 0,
	SEC_SCENE_IPSEC = 1,
	SEC_SCENE_STREAM = 7,
};

enum sec_addr_type {
	SEC_ADDR_FLAT = 0,
	SEC_ADDR_SGL = 1,
	SEC_ADDR_PRP = 2,
};

enum sec_cipher {
	SEC_CIPHER_NONE = 0,
	SEC_CIPHER_ENCRYPT = 1,
	SEC_CIPHER_DECRYPT = 2,
	SEC_CIPHER_COPY = 3,
};

enum sec_auth {
	SEC_AUTH_NONE = 0,
	SEC_AUTH_CALCULATE = 1,
	SEC_AUTH_VERIFY = 2,
};

enum sec_seq {
	SEC_SEQ_CIPHER_FIRST = 0,	/* encryption */
	SEC_SEQ_DIGEST_FIRST = 1,	/* decryption */
};

/* Source of an initial value */
enum sec_gen {
	SEC_GEN_STANDARD = 0,		/* for a cipher: at the IV address */
	SEC_GEN_ADDRESS = 1,
	SEC_GEN_CALCULATED = 2,
	SEC_GEN_RANDOM = 3,
};

enum sec_pad {
	SEC_PAD_DEVICE = 0,
	SEC_PAD_NONE = 1,
};

enum sec_c_alg {
	SEC_C_DES = 0,
	SEC_C_3DES = 1,
	SEC_C_AES = 2,
	SEC_C_SM4 = 3,
};

enum sec_c_mode {
	SEC_C_ECB = 0,
	SEC_C_CBC = 1,
	SEC_C_CFB = 2,
	SEC_C_OFB = 3,
	SEC_C_CTR = 4,
	SEC_C_CCM = 5,
	SEC_C_GCM = 6,
	SEC_C_XTS = 7,
	SEC_C_CBC_CS = 9,
};

/* CBC-CS: the width selects the variant, 1..3 */
#define SEC_C_WIDTH_CS1		1
#define SEC_C_WIDTH_CS2		2
#define SEC_C_WIDTH_CS3		3

enum sec_c_key_len {
	SEC_C_KEY_AES_128 = 0,
	SEC_C_KEY_AES_192 = 1,
	SEC_C_KEY_AES_256 = 2,
	SEC_C_KEY_SM4 = 0,
	SEC_C_KEY_DES = 1,
	SEC_C_KEY_3DES_3 = 1,		/* three keys, 24 bytes */
	SEC_C_KEY_3DES_2 = 3,		/* two keys, 16 bytes */
};

enum sec_a_alg {
	SEC_A_SHA1 = 0x00,
	SEC_A_SHA256 = 0x01,
	SEC_A_MD5 = 0x02,
	SEC_A_SHA224 = 0x03,
	SEC_A_SHA384 = 0x04,
	SEC_A_SHA512 = 0x05,
	SEC_A_SHA512_224 = 0x06,
	SEC_A_SHA512_256 = 0x07,
	SEC_A_HMAC = 0x10,		/* added to the eight values above */
	SEC_A_HMAC_SHA1 = 0x10,
	SEC_A_HMAC_SHA256 = 0x11,
	SEC_A_HMAC_MD5 = 0x12,
	SEC_A_HMAC_SHA224 = 0x13,
	SEC_A_HMAC_SHA384 = 0x14,
	SEC_A_HMAC_SHA512 = 0x15,
	SEC_A_HMAC_SHA512_224 = 0x16,
	SEC_A_HMAC_SHA512_256 = 0x17,
	SEC_A_AES_XCBC = 0x20,
	SEC_A_AES_CMAC = 0x21,
	SEC_A_AES_GMAC = 0x22,
	SEC_A_SM3 = 0x25,
	SEC_A_HMAC_SM3 = 0x26,
};

enum sec_ctr_xts {
	SEC_XTS_SM4_GB = 1,		/* SM4-XTS according to GB/T 17964, not IEEE 1619 */
	SEC_CTR_ROLLOVER_128 = 2,
};

enum sec_icv {
	SEC_ICV_NONE = 0,
	SEC_ICV_OK = 1,
	SEC_ICV_MISMATCH = 2,
};

enum sec_flag {
	SEC_FLAG_DIGEST = 1,		/* model */
	SEC_FLAG_CIPHER = 2,
	SEC_FLAG_AEAD = 3,
};

/* The values of hardware, except 0, aren't public: these are the simulated device's. */
enum sec_error {
	SEC_ERR_OK = 0,
	SEC_ERR_BAD_BD = 1,		/* invalid field in the descriptor */
	SEC_ERR_ADDRESS = 2,		/* key, IV or payload not mapped */
	SEC_ERR_BAD_SGL = 3,		/* list malformed, or too short for the length */
	SEC_ERR_ALGORITHM = 4,		/* algorithm, mode or key length not supported */
	SEC_ERR_LENGTH = 5,		/* the algorithm doesn't take this length */
	SEC_ERR_VALUE = 6,		/* the initial value contradicts the descriptor (CCM) */
	SEC_ERR_ABORTED = 7,		/* queue stopped, or engine failure */
};

/* Limits */
#define SEC_MAX_BYTES		0xfffe00u	/* data and AAD together */
#define SEC_MAX_AAD		65535u
#define SEC_MAX_CCM_AAD		65279u
#define SEC_MAX_HMAC_KEY	64u		/* software hashes longer keys first */
#define SEC_MAX_HMAC_KEY_512	128u		/* SHA-384 and SHA-512 family */
#define SEC_MAC_BUF		64		/* most bytes that part of a stream may write at the MAC address */
#define SEC_IV_BYTES		16
#define SEC_GCM_IV_BYTES	12
#define SEC_MIN_ICV		4
#define SEC_MAX_ICV		16

#endif
