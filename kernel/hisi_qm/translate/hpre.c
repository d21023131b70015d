// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* HPRE: key, input and output of fixed sizes, all small. */
#include "engine.h"
#include "hw/hpre_access_hw.h"

#define HPRE_DW1	1	/* sizes and flags */
#define HPRE_DW10	10
#define HPRE_VERDICT	6	/* first word of the output's address */

static bool hpre_has_size(u32 sizes, u32 bytes)
{
	const __u16 *size;

	for (size = hpre_sizes[sizes]; *size; size++)
		if (*size == bytes)
			return true;
	return false;
}

static bool hpre_bits_known(const struct tr_request *r)
{
	const __u32 *may = hpre_access_may[r->q.qc_type];
	u32 i;

	for (i = 0; i < HPRE_SQE_WORDS; i++)
		if (r->word[i] & ~may[i])
			return false;
	return r->word[0] >> HPRE_DW0_DONE_SHIFT == HPRE_DONE_SOFTWARE;
}

/*
 * Hardware may read more of a curve's key than is known, so the key has as many zeroes behind it as the largest key of
 * its curve is longer.
 */
static u32 hpre_slot_bytes(const struct hpre_access_row *row, u32 extent, u32 operand, u32 len)
{
	if (extent == HPRE_EXTENT_KEY && row->qc_type == HPRE_QC_ECC)
		len = HPRE_PUBLIC_KEY_FIELDS * operand;
	return (len + TR_ALIGN - 1) & ~(TR_ALIGN - 1u);
}

static u32 hpre_read(struct tr_request *r)
{
	u32 operand = ((r->word[HPRE_DW1] & 0xff) + 1) * 8, text = 0, len, i;
	const struct hpre_access_row *row;
	struct tr_access *a;
	u64 addr;

	if (!hpre_bits_known(r))
		return HPRE_ERR_BAD_SQE;
	r->row = r->word[0] & HPRE_DW0_ALG_MASK;
	row = &hpre_access_rows[r->row];
	if (!row->known || row->qc_type != r->q.qc_type)
		return HPRE_ERR_OPERATION;
	if (!row->random && r->word[HPRE_DW1] >> 24 & HPRE_FLAG_SM2_KSEL)
		return HPRE_ERR_BAD_SQE;
	if (!hpre_has_size(row->sizes, operand))
		return HPRE_ERR_LENGTH;
	if (row->text)
		text = (r->word[HPRE_DW10] & HPRE_DW10_SM2_MLEN_MASK) + 1;
	for (i = 0; i < HPRE_EXTENTS; i++) {
		len = hpre_access_bytes(row, i, operand, text);
		addr = tr_addr(r->word, hpre_access[i].word);
		tr_addr_put(r->word, hpre_access[i].word, 0);
		if (!len)
			continue;
		if (!addr)
			return HPRE_ERR_BAD_SQE;
		a = tr_add(r, &hpre_access[i], addr, len);
		a->at = r->slot_bytes;
		r->slot_bytes += hpre_slot_bytes(row, i, operand, len);
	}
	return 0;
}

static void hpre_fail(const struct tr_queue *q, u32 status, __le32 *sqe)
{
	u32 dw0 = __le32_to_cpu(sqe[0]) & HPRE_DW0_ALG_MASK, dw1 = __le32_to_cpu(sqe[HPRE_DW1]) & ~HPRE_RESULT_DW1;

	dw0 |= status << HPRE_DW0_ETYPE_SHIFT | HPRE_DONE_HARDWARE << HPRE_DW0_DONE_SHIFT;
	/* Generation 2 doesn't have these fields. */
	if (status == HPRE_ERR_ADDRESS && q->generation > 2) {
		dw0 |= HPRE_ETYPE1_SVA << HPRE_DW0_ETYPE1_SHIFT;
		dw1 |= 1u << (24 + HPRE_FLAG_SVA_STATUS_SHIFT);
	}
	sqe[0] = __cpu_to_le32(dw0);
	sqe[HPRE_DW1] = __cpu_to_le32(dw1);
}

/* Only a verdict comes back in the word of an address. */
static u32 hpre_result(const struct tr_request *r, u32 word)
{
	if (word == HPRE_VERDICT)
		return hpre_access_rows[r->row].verdict ? ~0u : 0;
	return word == HPRE_DW1 ? HPRE_RESULT_DW1 : HPRE_RESULT_DW0;
}

static u32 hpre_deliver(const struct tr_request *r, const struct tr_access *a, const __le32 *device)
{
	u32 dw0 = __le32_to_cpu(device[0]);

	(void)r;
	/* Neither of the two errors */
	return (dw0 & HPRE_RESULT_DW0) == HPRE_DONE_HARDWARE << HPRE_DW0_DONE_SHIFT ? a->len : 0;
}

const struct tr_engine_ops tr_hpre_ops = {
	.words = HPRE_SQE_WORDS,
	.results = 1u << 0 | 1u << HPRE_DW1 | 1u << HPRE_VERDICT,
	.read = hpre_read,
	.fail = hpre_fail,
	.result = hpre_result,
	.deliver = hpre_deliver,
	.status = {
		[TR_WHY_ADDRESS] = HPRE_ERR_ADDRESS, [TR_WHY_LIST] = HPRE_ERR_ADDRESS,
		[TR_WHY_NO_SPACE] = HPRE_ERR_ADDRESS, [TR_WHY_STOPPED] = HPRE_ERR_ABORTED,
	},
};
