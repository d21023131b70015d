// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* ZIP: source, destination and literals of one kind, and a stream's context. */
#include "engine.h"
#include "hw/zip_access_hw.h"

#define ZIP_BUFFER_PAGES ((ZIP_MAX_INPUT >> TR_PAGE_SHIFT) + 1)
/* Two buffers of the maximum, and lists of small pieces for some of it; requests with literals have a third one. */
#define ZIP_PAGES	(2 * ZIP_BUFFER_PAGES + 512)
#define ZIP_IN		4
#define ZIP_DW7		7
#define ZIP_DW8		8
#define ZIP_DW9		9
#define ZIP_OUT		14

static bool zip_bits_known(const struct zip_access_type *type, const struct zip_access_req *row, const u32 *word)
{
	bool known = true;
	u32 i;

	for (i = 0; i < ZIP_SQE_WORDS; i++)
		known &= zip_access_bits_known(type, row, i, word[i]);
	return known;
}

static bool zip_values_known(const struct zip_access_type *type, const u32 *word)
{
	u32 win = word[ZIP_DW9] >> ZIP_DW9_WIN_SHIFT & ZIP_DW9_WIN_MASK;
	u32 buf = word[ZIP_DW9] >> ZIP_DW9_BUF_SHIFT & ZIP_DW9_BUF_MASK;
	bool skips = word[ZIP_DW7] & ZIP_DW7_SRC_SKIP_MASK || word[ZIP_DW8] & ZIP_DW8_DST_SKIP_MASK;

	return word[ZIP_DW7] >> ZIP_DW7_SQE_TYPE_SHIFT == type->sqe_type && win <= ZIP_WIN_32K && buf <= ZIP_BUF_SGL &&
	       (buf == ZIP_BUF_SGL || !skips);
}

/* Whether the queue's engine does requests of that type, and one of that size. */
static bool zip_row_fits(const struct tr_queue *q, const struct zip_access_req *row, const u32 *word)
{
	u32 flags = row->flags, in = word[ZIP_IN];

	if (flags & ZIP_ONLY_COMPRESSES && q->qc_type != ZIP_QC_COMPRESS)
		return false;
	if ((flags & ZIP_ONLY_WHOLE && word[ZIP_DW7] & ZIP_DW7_STREAM) || (flags & ZIP_NEVER_EMPTY && !in))
		return false;
	return in <= row->most && !(flags & ZIP_HAS_LITERALS && word[ZIP_DW8] & ZIP_DW8_DST_SKIP_MASK);
}

/* No public driver sends lists with a stream, so a flat buffer of a stream stays flat. */
static void zip_add_payload(struct tr_request *r, u32 field, u64 addr, u32 len, u32 skip)
{
	struct tr_access *a = tr_add(r, &zip_access[field], addr, len);

	if (!a)
		return;
	a->list = r->word[ZIP_DW9] >> ZIP_DW9_BUF_SHIFT & ZIP_BUF_SGL;
	a->skip = skip;
	if (field != ZIP_FIELD_SRC)
		a->short_end = a->list;
	if (r->word[ZIP_DW7] & ZIP_DW7_STREAM && !a->list)
		a->form = HW_FLAT;
}

/* Takes the addresses out of the copy; false: one is missing. */
static bool zip_addresses(u32 *word, const struct zip_access_req *row, u64 *addr)
{
	u32 i;

	for (i = 0; i < ZIP_FIELDS; i++) {
		/* Without literals these words have to be 0. */
		if (i == ZIP_FIELD_LITERALS && !(row->flags & ZIP_HAS_LITERALS))
			continue;
		addr[i] = tr_addr(word, zip_access[i].word);
		if (!addr[i] && (i != ZIP_FIELD_CTX || word[ZIP_DW7] & ZIP_DW7_STREAM))
			return false;
		tr_addr_put(word, zip_access[i].word, 0);
	}
	return true;
}

/* The device can't write more than is mapped. */
static u32 zip_clamp(u32 *room)
{
	if (*room > ZIP_MAX_OUTPUT)
		*room = ZIP_MAX_OUTPUT;
	return *room;
}

static u32 zip_read(struct tr_request *r)
{
	const struct zip_access_type *type = &zip_access_types[HW_ROW(r->q.generation)];
	const struct zip_access_req *row = zip_access_req_of(r->q.generation, r->word[ZIP_DW9] & ZIP_DW9_REQ_MASK);
	u32 *word = r->word, in = word[ZIP_IN], out, room = 0;
	bool stream = word[ZIP_DW7] & ZIP_DW7_STREAM;
	u64 addr[ZIP_FIELDS] = { 0 };

	if (!row || !zip_addresses(word, row, addr) || !zip_bits_known(type, row, word) ||
	    !zip_values_known(type, word) || !zip_row_fits(&r->q, row, word))
		return ZIP_ST_BAD_REQUEST;
	out = zip_clamp(&word[ZIP_OUT]);
	if (addr[ZIP_FIELD_LITERALS])
		room = zip_clamp(&word[ZIP_LITERALS_ROOM]);
	if ((stream && out < row->stream_room) || out < row->tail ||
	    (addr[ZIP_FIELD_LITERALS] && room < in + ZIP_LZ77_LITERALS_MORE))
		return ZIP_ST_NOSPACE;
	zip_add_payload(r, ZIP_FIELD_SRC, addr[ZIP_FIELD_SRC], in, word[ZIP_DW7] & ZIP_DW7_SRC_SKIP_MASK);
	zip_add_payload(r, ZIP_FIELD_DST, addr[ZIP_FIELD_DST], out, word[ZIP_DW8] & ZIP_DW8_DST_SKIP_MASK);
	if (addr[ZIP_FIELD_LITERALS]) {
		zip_add_payload(r, ZIP_FIELD_LITERALS, addr[ZIP_FIELD_LITERALS], room, 0);
		r->pages += ZIP_BUFFER_PAGES;
	}
	if (stream)
		tr_add(r, &zip_access[ZIP_FIELD_CTX], addr[ZIP_FIELD_CTX], ZIP_CTX_HW_MAX);
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

static u32 zip_deliver(const struct tr_request *r, const struct tr_access *a, const __le32 *device)
{
	const struct zip_access_req *row = zip_access_req_of(r->q.generation, r->word[ZIP_DW9] & ZIP_DW9_REQ_MASK);
	u32 status = __le32_to_cpu(device[3]) & ZIP_DW3_STATUS_MASK;
	u64 bytes = a->len;

	if (status != ZIP_ST_OK && status != ZIP_ST_NEGATIVE_COMP && status != ZIP_ST_END)
		return 0;
	if (a->field == ZIP_EXTENT_LITERALS)
		bytes = __le32_to_cpu(device[2]);
	else if (a->field == ZIP_EXTENT_OUT)
		bytes = (u64)__le32_to_cpu(device[1]) * (row->flags & ZIP_HAS_LITERALS ? ZIP_LZ77_SEQ : 1) + row->tail;
	return bytes < a->len ? (u32)bytes : a->len;
}

const struct tr_engine_ops tr_zip_ops = {
	.words = ZIP_SQE_WORDS,
	.pages = ZIP_PAGES,
	.only_results = ZIP_RESULT_ONLY,
	.results = ZIP_RESULT_WORDS,
	.read = zip_read,
	.shape = zip_shape,
	.fail = zip_fail,
	.deliver = zip_deliver,
	.status = {
		[TR_WHY_ADDRESS] = ZIP_ST_ADDRESS, [TR_WHY_LIST] = ZIP_ST_BAD_SGL, [TR_WHY_NO_SPACE] = ZIP_ST_NOSPACE,
		[TR_WHY_STOPPED] = ZIP_ST_ABORTED,
	},
};
