/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Bits of an HPRE descriptor that may be set, and the memory that it names: a row for each operation. */
#ifndef WD_HPRE_ACCESS_HW_H
#define WD_HPRE_ACCESS_HW_H

#include "hw/access_hw.h"
#include "hw/hpre_hw.h"

#define HPRE_SQE_WORDS	(HPRE_SQE_SIZE / 4)

enum hpre_extent {
	HPRE_EXTENT_KEY,
	HPRE_EXTENT_IN,
	HPRE_EXTENT_OUT,
	HPRE_EXTENTS,
};

HW_TABLE struct hw_access hpre_access[HPRE_EXTENTS] = {
	{ 2, HW_READ, HW_SMALL, HPRE_EXTENT_KEY },
	{ 4, HW_READ, HW_SMALL, HPRE_EXTENT_IN },
	{ 6, HW_WRITE, HW_SMALL, HPRE_EXTENT_OUT },
};

/* Sizes of an operand in bytes, ended by 0 */
enum hpre_sizes {
	HPRE_SIZES_RSA,
	HPRE_SIZES_DH,
	HPRE_SIZES_CURVE,
	HPRE_SIZES_MONTGOMERY,	/* X25519, X448 */
	HPRE_SIZES_SM2,
	HPRE_SIZES_NR,
};

HW_TABLE __u16 hpre_sizes[HPRE_SIZES_NR][7] = {
	[HPRE_SIZES_RSA] = { 128, 256, 384, 512 },
	[HPRE_SIZES_DH] = { 96, 128, 192, 256, 384, 512 },
	[HPRE_SIZES_CURVE] = { HPRE_ECC_BYTES_256, HPRE_ECC_BYTES_384, HPRE_ECC_BYTES_576 },
	[HPRE_SIZES_MONTGOMERY] = { HPRE_ECC_BYTES_256, HPRE_ECC_BYTES_576 },
	[HPRE_SIZES_SM2] = { HPRE_SM2_BYTES },
};

/**
 * struct hpre_access_row - an operation
 * @known: it exists
 * @qc_type: the kind of queue that it needs
 * @sizes: enum hpre_sizes
 * @halves: of key, input and output, in halves of an operand: RSA's primes are half as long as its modulus
 * @text: SM2's text comes in addition, bits by enum hpre_extent
 * @random: HPRE_FLAG_SM2_KSEL may be set
 * @verdict: the first word of the output's address is a result
 */
struct hpre_access_row {
	__u8 known;
	__u8 qc_type;
	__u8 sizes;
	__u8 halves[HPRE_EXTENTS];
	__u8 text;
	__u8 random;
	__u8 verdict;
};

#define HPRE_ROW_RSA		1, HPRE_QC_RSA_DH, HPRE_SIZES_RSA
#define HPRE_ROW_DH		1, HPRE_QC_RSA_DH, HPRE_SIZES_DH
#define HPRE_ROW_CURVE		1, HPRE_QC_ECC, HPRE_SIZES_CURVE
#define HPRE_ROW_MONTGOMERY	1, HPRE_QC_ECC, HPRE_SIZES_MONTGOMERY
#define HPRE_ROW_SM2		1, HPRE_QC_ECC, HPRE_SIZES_SM2
#define HPRE_ROW_TEXT		(1 << HPRE_EXTENT_IN | 1 << HPRE_EXTENT_OUT)

HW_TABLE struct hpre_access_row hpre_access_rows[HPRE_DW0_ALG_MASK + 1] = {
	[HPRE_RSA] = { HPRE_ROW_RSA, { 4, 2, 2 }, 0, 0, 0 },
	[HPRE_RSA_CRT] = { HPRE_ROW_RSA, { 5, 2, 2 }, 0, 0, 0 },
	[HPRE_RSA_KEYGEN] = { HPRE_ROW_RSA, { 4, 0, 4 }, 0, 0, 0 },
	[HPRE_RSA_KEYGEN_CRT] = { HPRE_ROW_RSA, { 4, 0, 7 }, 0, 0, 0 },
	[HPRE_DH_G2] = { HPRE_ROW_DH, { 4, 0, 2 }, 0, 0, 0 },
	[HPRE_DH] = { HPRE_ROW_DH, { 4, 2, 2 }, 0, 0, 0 },
	[HPRE_ECC_MULTIPLY] = { HPRE_ROW_CURVE, { 2 * HPRE_MULTIPLY_KEY_FIELDS, 4, 4 }, 0, 0, 0 },
	[HPRE_ECDSA_SIGN] = { HPRE_ROW_CURVE, { 2 * HPRE_SIGN_KEY_FIELDS, 4, 4 }, 0, 0, 0 },
	[HPRE_ECDSA_VERIFY] = { HPRE_ROW_CURVE, { 2 * HPRE_PUBLIC_KEY_FIELDS, 6, 0 }, 0, 0, 1 },
	[HPRE_MONTGOMERY] = { HPRE_ROW_MONTGOMERY, { 2 * HPRE_MONTGOMERY_KEY_FIELDS, 2, 2 }, 0, 0, 0 },
	[HPRE_SM2_KEYGEN] = { HPRE_ROW_SM2, { 2 * HPRE_PUBLIC_KEY_FIELDS, 4, 6 }, 0, 1, 0 },
	[HPRE_SM2_SIGN] = { HPRE_ROW_SM2, { 2 * HPRE_SIGN_KEY_FIELDS, 4, 4 }, 0, 1, 0 },
	[HPRE_SM2_VERIFY] = { HPRE_ROW_SM2, { 2 * HPRE_PUBLIC_KEY_FIELDS, 6, 0 }, 0, 0, 1 },
	[HPRE_SM2_ENCRYPT] = { HPRE_ROW_SM2, { 2 * HPRE_PUBLIC_KEY_FIELDS, 2, 6 }, HPRE_ROW_TEXT, 1, 0 },
	[HPRE_SM2_DECRYPT] = { HPRE_ROW_SM2, { 2 * HPRE_SIGN_KEY_FIELDS, 6, 0 }, HPRE_ROW_TEXT, 0, 0 },
};

static inline __u32 hpre_access_bytes(const struct hpre_access_row *row, __u32 extent, __u32 operand, __u32 text)
{
	return row->halves[extent] * operand / 2 + (row->text & 1u << extent ? text : 0);
}

/*
 * Bits that may be set, by kind of queue and word. In a request on a curve, software may use two fields for its own
 * marks.
 */
HW_TABLE __u32 hpre_access_may[2][HPRE_SQE_WORDS] = {
	[HPRE_QC_RSA_DH] = {
		HPRE_DW0_DONE_MASK << HPRE_DW0_DONE_SHIFT | HPRE_DW0_ALG_MASK, 0xffu,
		~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u,
	},
	[HPRE_QC_ECC] = {
		HPRE_DW0_DONE_MASK << HPRE_DW0_DONE_SHIFT | HPRE_DW0_ALG_MASK,
		0xffu | (__u32)(HPRE_FLAG_RSV2 | HPRE_FLAG_SM2_KSEL) << 24,
		~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, HPRE_DW10_SM2_MLEN_MASK,
	},
};

/* Bits of the first two words that the device writes */
#define HPRE_RESULT_DW0		(~HPRE_DW0_ALG_MASK)
#define HPRE_RESULT_DW1		((__u32)HPRE_FLAG_SVA_STATUS_MASK << (24 + HPRE_FLAG_SVA_STATUS_SHIFT))

#endif
