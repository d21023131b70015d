// SPDX-License-Identifier: Apache-2.0
/*
 * Sequences for zstd: descriptors with two destinations. The sequences go to memory of the request's index, the
 * literals to memory that all requests of the queue share: nothing reads them, since the source has them.
 */
#include <errno.h>

#include "lz77.h"
#include "zip.h"

#define SEQS_BYTES(len)	(ZIP_LZ77_SEQ * LZ77_SEQS(len) + ZIP_LZ77_ZSTD_TAIL)
#define LITERALS_BYTES	(WD_LZ77_MAX + ZIP_LZ77_LITERALS_MORE)

static_assert(WD_LZ77_MAX == ZIP_LZ77_ZSTD_MAX, "a request is a block");
static_assert(WD_LZ77_MATCH_MIN == ZIP_LZ77_MATCH_MIN, "matches of zstd");

static __u32 req_type(const struct comp_msg *c)
{
	return c->level < WD_LZ77_PRICE ? ZIP_REQ_LZ77_ZSTD : ZIP_REQ_LZ77_ZSTD_PRICE;
}

/* In the order that zip_write() has its stores in. */
static void sqe_write(__le64 *sqe, const struct comp_msg *c, const void *seqs, const void *literals)
{
	__u32 dw9 = req_type(c) | ZIP_BUF_FLAT << ZIP_DW9_BUF_SHIFT | (__u32)c->win << ZIP_DW9_WIN_SHIFT;

	zero_pair(sqe);
	sqe[2] = htole64(c->src_len);
	sqe[3] = htole64((__u64)(ZIP_SQE_TYPE_3 << ZIP_DW7_SQE_TYPE_SHIFT | ZIP_DW7_NEW_STREAM | ZIP_DW7_FINISH) << 32);
	sqe[4] = htole64((__u64)dw9 << 32);
	sqe[5] = 0;
	sqe[6] = htole64(pair_of(0, (__u32)c->src_len + ZIP_LZ77_LITERALS_MORE));
	sqe[7] = htole64(SEQS_BYTES(c->src_len));
	sqe[8] = 0;
	sqe[9] = htole64((uintptr_t)c->src);
	sqe[10] = htole64((uintptr_t)seqs);
	sqe[13] = htole64(c->m.tag);
	zero_pair(sqe + 14);
	hisi_sqe_order((void *)sqe);
	sqe[11] = 0;
	sqe[12] = htole64((uintptr_t)literals);
}

int zip_lz77_send(struct hisi_queue *z, struct comp_msg *c)
{
	void *literals = hisi_queue_sink(z, LITERALS_BYTES);
	void *seqs = literals ? hisi_queue_get_room(z, HISI_INDEX(&c->m), SEQS_BYTES(WD_LZ77_MAX)) : NULL;

	if (!seqs)
		return -ENOMEM;
	sqe_write(wd_ring_slot(&z->ring, HISI_INDEX(&c->m)), c, seqs, literals);
	return 0;
}

static int seqs_take(struct comp_msg *c, const struct lz77_answer *a)
{
	struct lz77_block b = {
		.src = c->src, .len = c->src_len, .window = lz77_window(c->win), .seq = c->dst,
		.room = c->dst_len / sizeof(*b.seq),
	};
	ssize_t nr = lz77_take(&b, a);

	if (nr < 0)
		return (int)nr;
	c->consumed = c->src_len;
	c->produced = (size_t)nr * sizeof(*b.seq);
	return 0;
}

static int lz77_result(struct hisi_queue *z, struct comp_msg *c, const volatile struct zip_sqe *sqe,
		       unsigned int index)
{
	struct lz77_answer a = {
		.seqs = hisi_queue_room(z, index), .nr = le32toh(sqe->produced),
		.literals = le32toh(sqe->comp_data_length), .extra = le32toh(sqe->checksum),
	};
	__u32 status = le32toh(sqe->dw3) & ZIP_DW3_STATUS_MASK;
	int ret;

	c->m.vendor = status;
	if (!a.seqs || le32toh(sqe->tag_l) != c->m.tag) {
		c->why = "the descriptor came back damaged";
		return -EIO;
	}
	if (status == ZIP_ST_OK || status == ZIP_ST_NEGATIVE_COMP) {
		if (!probe_mapped(c))
			return -EFAULT;
		ret = le32toh(sqe->consumed) == c->src_len ? seqs_take(c, &a) : -EIO;
		c->wrong = ret == -EIO;
		return ret;
	}
	/* There is room for all sequences that a block can have. */
	c->wrong = status == ZIP_ST_NOSPACE;
	return c->wrong ? -EIO : zip_status_error(c, status);
}

void zip_lz77_end(struct hisi_queue *z, struct comp_msg *c, unsigned int index)
{
	c->m.status = lz77_result(z, c, wd_ring_slot(&z->ring, index), index);
	hisi_queue_put_room(z, index);
}
