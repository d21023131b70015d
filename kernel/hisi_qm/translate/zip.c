// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* ZIP: source and destination of one kind, and a stream's context. */
#include "engine.h"
#include "hw/zip_access_hw.h"

/* Two buffers of the maximum, and lists of small pieces for some of it. */
#define ZIP_PAGES	(2 * ((ZIP_MAX_INPUT >> TR_PAGE_SHIFT) + 1) + 512)
#define ZIP_DW7		7
#define ZIP_DW8		8
#define ZIP_DW9		9
#define ZIP_OUT		14

static bool zip_bits_known(const struct zip_access_type *type, const u32 *word)
{
	u32 i;

	for (i = 0; i < ZIP_SQE_WORDS; i++)
		if (word[i] & ~type->may[i])
			return false;
	return true;
}

static bool zip_values_known(const struct zip_access_type *type, const u32 *word)
{
	u32 req = word[ZIP_DW9] & ZIP_DW9_REQ_MASK, win = word[ZIP_DW9] >> ZIP_DW9_WIN_SHIFT & ZIP_DW9_WIN_MASK;
	u32 buf = word[ZIP_DW9] >> ZIP_DW9_BUF_SHIFT & ZIP_DW9_BUF_MASK;
	bool skips = word[ZIP_DW7] & ZIP_DW7_SRC_SKIP_MASK || word[ZIP_DW8] & ZIP_DW8_DST_SKIP_MASK;

	return word[ZIP_DW7] >> ZIP_DW7_SQE_TYPE_SHIFT == type->sqe_type && req >= type->first_req &&
	       req <= type->last_req && win <= ZIP_WIN_32K && buf <= ZIP_BUF_SGL && (buf == ZIP_BUF_SGL || !skips);
}

/* No public driver sends lists with a stream, so a flat buffer of a stream stays flat. */
static void zip_add_payload(struct tr_request *r, u32 field, u64 addr, u32 len, u32 skip)
{
	struct tr_access *a = tr_add(r, &zip_access[field], addr, len);

	if (!a)
		return;
	a->list = r->word[ZIP_DW9] >> ZIP_DW9_BUF_SHIFT & ZIP_BUF_SGL;
	a->skip = skip;
	if (field == ZIP_FIELD_DST)
		a->short_end = a->list;
	if (r->word[ZIP_DW7] & ZIP_DW7_STREAM && !a->list)
		a->form = HW_FLAT;
}

static u32 zip_read(struct tr_request *r)
{
	const struct zip_access_type *type = &zip_access_types[HW_ROW(r->q.generation)];
	u32 *word = r->word, in = word[4], out = word[ZIP_OUT], i;
	bool stream = word[ZIP_DW7] & ZIP_DW7_STREAM;
	u64 addr[ZIP_FIELDS];

	for (i = 0; i < ZIP_FIELDS; i++) {
		addr[i] = tr_addr(word, zip_access[i].word);
		if (!addr[i] && (i != ZIP_FIELD_CTX || stream))
			return ZIP_ST_BAD_REQUEST;
		tr_addr_put(word, zip_access[i].word, 0);
	}
	if (!zip_bits_known(type, word) || !zip_values_known(type, word) || in > ZIP_MAX_INPUT)
		return ZIP_ST_BAD_REQUEST;
	if (out > ZIP_MAX_OUTPUT)
		out = ZIP_MAX_OUTPUT;
	if (stream && out < ZIP_STREAM_MIN_OUT)
		return ZIP_ST_NOSPACE;
	zip_add_payload(r, ZIP_FIELD_SRC, addr[ZIP_FIELD_SRC], in, word[ZIP_DW7] & ZIP_DW7_SRC_SKIP_MASK);
	zip_add_payload(r, ZIP_FIELD_DST, addr[ZIP_FIELD_DST], out, word[ZIP_DW8] & ZIP_DW8_DST_SKIP_MASK);
	if (stream)
		tr_add(r, &zip_access[ZIP_FIELD_CTX], addr[ZIP_FIELD_CTX], ZIP_CTX_HW_MAX);
	/* The device can't write more than is mapped. */
	word[ZIP_OUT] = out;
	word[ZIP_DW7] &= ~ZIP_DW7_SRC_SKIP_MASK;
	word[ZIP_DW8] &= ~ZIP_DW8_DST_SKIP_MASK;
	word[ZIP_DW9] &= ~(ZIP_DW9_BUF_MASK << ZIP_DW9_BUF_SHIFT);
	return 0;
}

static int zip_shape(const struct tr_request *r, const struct tr_target *target, u32 *word)
{
	u32 lists = 0, flats = 0, i;
	u64 list = 0;

	for (i = 0; i < r->nr; i++) {
		if (r->access[i].form != HW_FREE)
			continue;
		if (target[i].list) {
			lists++;
			list = target[i].dma;
		} else {
			flats++;
		}
	}
	if (!lists)
		return 0;
	if (flats)
		return -EINVAL;
	word[ZIP_DW9] |= ZIP_BUF_SGL << ZIP_DW9_BUF_SHIFT;
	/* The side without memory is a list, too: the other one's, of which nothing is used. */
	for (i = 0; i < r->nr_empty; i++)
		tr_addr_put(word, r->empty[i], list);
	return 0;
}

static void zip_fail(const struct tr_queue *q, u32 status, __le32 *sqe)
{
	(void)q;
	sqe[0] = sqe[1] = sqe[2] = 0;
	sqe[3] = __cpu_to_le32(status);
}

static u32 zip_result(const struct tr_request *r, u32 word)
{
	(void)r;
	return ZIP_RESULT_WORDS & 1u << word ? ~0u : 0;
}

static u32 zip_deliver(const struct tr_request *r, const struct tr_access *a, const __le32 *device)
{
	u32 status = __le32_to_cpu(device[3]) & ZIP_DW3_STATUS_MASK, produced = __le32_to_cpu(device[1]);

	(void)r;
	if (status != ZIP_ST_OK && status != ZIP_ST_NEGATIVE_COMP && status != ZIP_ST_END)
		return 0;
	return a->field == ZIP_EXTENT_OUT && produced < a->len ? produced : a->len;
}

const struct tr_engine_ops tr_zip_ops = {
	.words = ZIP_SQE_WORDS,
	.pages = ZIP_PAGES,
	.only_results = ZIP_RESULT_ONLY,
	.read = zip_read,
	.shape = zip_shape,
	.fail = zip_fail,
	.result = zip_result,
	.deliver = zip_deliver,
	.status = {
		[TR_WHY_ADDRESS] = ZIP_ST_ADDRESS, [TR_WHY_LIST] = ZIP_ST_BAD_SGL, [TR_WHY_NO_SPACE] = ZIP_ST_NOSPACE,
		[TR_WHY_STOPPED] = ZIP_ST_ABORTED,
	},
};
