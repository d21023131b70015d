// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Decodes an HPRE descriptor: one table of operations. Any bit that the operation doesn't use is refused. */
#include "hpre.h"

enum sizes {
	SIZES_RSA,
	SIZES_DH,
	SIZES_CURVE,
	SIZES_MONTGOMERY,	/* X25519, X448 */
	SIZES_SM2,
	SIZES_NR,
};

static const u16 sizes[SIZES_NR][7] = {
	[SIZES_RSA] = { 128, 256, 384, 512 },
	[SIZES_DH] = { 96, 128, 192, 256, 384, 512 },
	[SIZES_CURVE] = { HPRE_ECC_BYTES_256, HPRE_ECC_BYTES_384, HPRE_ECC_BYTES_576 },
	[SIZES_MONTGOMERY] = { HPRE_ECC_BYTES_256, HPRE_ECC_BYTES_576 },
	[SIZES_SM2] = { HPRE_SM2_BYTES },
};

/* Operands are counted in halves: RSA's primes are half as long as its modulus. */
struct rule {
	u8 known;
	u8 qc_type;
	u8 sizes;
	u8 key, in, out;
	bool text_in, text_out;
	bool random;		/* HPRE_FLAG_SM2_KSEL may be set */
};

#define RSA	1, HPRE_QC_RSA_DH, SIZES_RSA
#define DH	1, HPRE_QC_RSA_DH, SIZES_DH
#define CURVE	1, HPRE_QC_ECC, SIZES_CURVE
#define SM2	1, HPRE_QC_ECC, SIZES_SM2
#define SIGN	2 * HPRE_SIGN_KEY_FIELDS
#define PUBLIC	2 * HPRE_PUBLIC_KEY_FIELDS

static const struct rule rules[HPRE_DW0_ALG_MASK + 1] = {
	[HPRE_RSA] = { RSA, 4, 2, 2, false, false, false },
	[HPRE_RSA_CRT] = { RSA, 5, 2, 2, false, false, false },
	[HPRE_RSA_KEYGEN] = { RSA, 4, 0, 4, false, false, false },
	[HPRE_RSA_KEYGEN_CRT] = { RSA, 4, 0, 7, false, false, false },
	[HPRE_DH_G2] = { DH, 4, 0, 2, false, false, false },
	[HPRE_DH] = { DH, 4, 2, 2, false, false, false },
	[HPRE_ECC_MULTIPLY] = { CURVE, 2 * HPRE_MULTIPLY_KEY_FIELDS, 4, 4, false, false, false },
	[HPRE_ECDSA_SIGN] = { CURVE, SIGN, 4, 4, false, false, false },
	[HPRE_ECDSA_VERIFY] = { CURVE, PUBLIC, 6, 0, false, false, false },
	[HPRE_MONTGOMERY] = { 1, HPRE_QC_ECC, SIZES_MONTGOMERY, 2 * HPRE_MONTGOMERY_KEY_FIELDS, 2, 2, false, false,
			      false },
	[HPRE_SM2_KEYGEN] = { SM2, PUBLIC, 4, 6, false, false, true },
	[HPRE_SM2_SIGN] = { SM2, SIGN, 4, 4, false, false, true },
	[HPRE_SM2_VERIFY] = { SM2, PUBLIC, 6, 0, false, false, false },
	[HPRE_SM2_ENCRYPT] = { SM2, PUBLIC, 2, 6, true, true, true },
	[HPRE_SM2_DECRYPT] = { SM2, SIGN, 6, 0, true, true, false },
};

static bool has_size(u32 which, u32 bytes)
{
	const u16 *size;

	for (size = sizes[which]; *size; size++)
		if (*size == bytes)
			return true;
	return false;
}

static u32 decode_head(struct wdm_hpre_req *r, const u32 *sqe)
{
	u32 dw0 = wdm_get32(sqe), i;

	if (dw0 >> HPRE_DW0_ETYPE_SHIFT != HPRE_DONE_SOFTWARE << (HPRE_DW0_DONE_SHIFT - HPRE_DW0_ETYPE_SHIFT))
		return HPRE_ERR_BAD_SQE;
	for (i = offsetof(struct hpre_sqe, kek_key); i < HPRE_SQE_SIZE; i += 4)
		if (wdm_get32((const u8 *)sqe + i))
			return HPRE_ERR_BAD_SQE;
	r->op = dw0 & HPRE_DW0_ALG_MASK;
	if (!rules[r->op].known || rules[r->op].qc_type != r->job->alg_type)
		return HPRE_ERR_OPERATION;
	return HPRE_ERR_OK;
}

/* In a request on a curve, software may use two fields for its own marks. */
static u32 decode_flags(struct wdm_hpre_req *r, const struct rule *rule, const u8 *b)
{
	u32 flags = b[offsetof(struct hpre_sqe, flags)], dw10 = wdm_get32(b + offsetof(struct hpre_sqe, dw10));
	u32 allowed = rule->random ? HPRE_FLAG_SM2_KSEL : 0;

	if (rule->qc_type == HPRE_QC_ECC)
		allowed |= HPRE_FLAG_RSV2;
	if (flags & ~allowed || dw10 & ~(rule->qc_type == HPRE_QC_ECC ? HPRE_DW10_SM2_MLEN_MASK : 0) ||
	    b[offsetof(struct hpre_sqe, task_len2)] || b[offsetof(struct hpre_sqe, mrttest_num)])
		return HPRE_ERR_BAD_SQE;
	r->own_random = flags & HPRE_FLAG_SM2_KSEL;
	r->text = rule->text_in ? (dw10 & HPRE_DW10_SM2_MLEN_MASK) + 1 : 0;
	return HPRE_ERR_OK;
}

u32 wdm_hpre_decode(struct wdm_hpre_req *r, const u32 *sqe)
{
	const u8 *b = (const u8 *)sqe;
	const struct rule *rule;
	u32 status = decode_head(r, sqe);

	if (status)
		return status;
	rule = &rules[r->op];
	status = decode_flags(r, rule, b);
	if (status)
		return status;
	r->bytes = (b[offsetof(struct hpre_sqe, task_len1)] + 1u) * 8;
	r->words = r->bytes / 8;
	if (!has_size(rule->sizes, r->bytes))
		return HPRE_ERR_LENGTH;
	r->key = wdm_get64(b + offsetof(struct hpre_sqe, key));
	r->in = wdm_get64(b + offsetof(struct hpre_sqe, in));
	r->out = wdm_get64(b + offsetof(struct hpre_sqe, out));
	r->key_bytes = rule->key * r->bytes / 2;
	r->in_bytes = rule->in * r->bytes / 2 + r->text;
	r->out_bytes = rule->out * r->bytes / 2 + (rule->text_out ? r->text : 0);
	if (!r->key || (r->in_bytes && !r->in) || (r->out_bytes && !r->out))
		return HPRE_ERR_BAD_SQE;
	return HPRE_ERR_OK;
}
