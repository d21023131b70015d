// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Decodes an HPRE descriptor by the table of operations. Any bit that the operation doesn't use is refused. */
#include "hpre.h"
#include "hw/hpre_access_hw.h"

static bool has_size(u32 which, u32 bytes)
{
	const u16 *size;

	for (size = hpre_sizes[which]; *size; size++)
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
	if (!hpre_access_rows[r->op].known || hpre_access_rows[r->op].qc_type != r->job->alg_type)
		return HPRE_ERR_OPERATION;
	return HPRE_ERR_OK;
}

/* In a request on a curve, software may use two fields for its own marks. */
static u32 decode_flags(struct wdm_hpre_req *r, const struct hpre_access_row *row, const u8 *b)
{
	u32 flags = b[offsetof(struct hpre_sqe, flags)], dw10 = wdm_get32(b + offsetof(struct hpre_sqe, dw10));
	u32 allowed = row->random ? HPRE_FLAG_SM2_KSEL : 0;

	if (row->qc_type == HPRE_QC_ECC)
		allowed |= HPRE_FLAG_RSV2;
	if (flags & ~allowed || dw10 & ~(row->qc_type == HPRE_QC_ECC ? HPRE_DW10_SM2_MLEN_MASK : 0) ||
	    b[offsetof(struct hpre_sqe, task_len2)] || b[offsetof(struct hpre_sqe, mrttest_num)])
		return HPRE_ERR_BAD_SQE;
	r->own_random = flags & HPRE_FLAG_SM2_KSEL;
	r->text = row->text ? (dw10 & HPRE_DW10_SM2_MLEN_MASK) + 1 : 0;
	return HPRE_ERR_OK;
}

u32 wdm_hpre_decode(struct wdm_hpre_req *r, const u32 *sqe)
{
	const u8 *b = (const u8 *)sqe;
	const struct hpre_access_row *row;
	u32 status = decode_head(r, sqe);

	if (status)
		return status;
	row = &hpre_access_rows[r->op];
	status = decode_flags(r, row, b);
	if (status)
		return status;
	r->bytes = (b[offsetof(struct hpre_sqe, task_len1)] + 1u) * 8;
	r->words = r->bytes / 8;
	if (!has_size(row->sizes, r->bytes))
		return HPRE_ERR_LENGTH;
	r->key = wdm_get64(b + offsetof(struct hpre_sqe, key));
	r->in = wdm_get64(b + offsetof(struct hpre_sqe, in));
	r->out = wdm_get64(b + offsetof(struct hpre_sqe, out));
	r->key_bytes = hpre_access_bytes(row, HPRE_EXTENT_KEY, r->bytes, r->text);
	r->in_bytes = hpre_access_bytes(row, HPRE_EXTENT_IN, r->bytes, r->text);
	r->out_bytes = hpre_access_bytes(row, HPRE_EXTENT_OUT, r->bytes, r->text);
	if (!r->key || (r->in_bytes && !r->in) || (r->out_bytes && !r->out))
		return HPRE_ERR_BAD_SQE;
	return HPRE_ERR_OK;
}
