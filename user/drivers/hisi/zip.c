// SPDX-License-Identifier: Apache-2.0
/* Driver of the ZIP engine: one descriptor for each request, and what became of it; zip_straight.c has the way of most. */
#include <errno.h>
#include <string.h>

#include "zip.h"

int zip_open(struct wd_queue *q, const struct uacce_dev_info *dev)
{
	return hisi_queue_open(q, dev, ZIP_SQE_SIZE, COMP_BOUNCE_BYTES);
}

static void addr_set(__le32 *low, __le32 *high, const void *p)
{
	*low = htole32((__u32)(uintptr_t)p);
	*high = htole32((__u32)((__u64)(uintptr_t)p >> 32));
}

static int msg_lists(struct hisi_queue *z, struct comp_msg *c)
{
	struct wd_datalist bounce = { .data = c->bounce, .len = COMP_BOUNCE_BYTES };

	/* Nothing is read from an empty source, but the device wants a list. */
	return hisi_queue_get_lists(z, HISI_INDEX(&c->m), c->src_len ? c->src : &bounce, c->bounce ? &bounce : c->dst);
}

/* Whether the device has written to where the header goes, or at least on that page. */
static bool header_near(const struct comp_msg *c)
{
	const struct wd_datalist *first = c->dst;

	if (c->sgl)
		return first->len > c->head && !zip_head_apart(first->data, c->head);
	return !zip_head_apart(c->dst, c->head);
}

static int header_put(struct comp_msg *c)
{
	__u8 head[16];

	if (!header_near(c) && !probe_head(c))
		return -EFAULT;
	format_write_header(c->alg, c->win, c->level, head);
	if (c->sgl)
		wd_list_copy_in(c->dst, 0, head, c->head);
	else
		memcpy(c->dst, head, c->head);
	return 0;
}

/* How the room is used; true: by way of a bounce buffer. The same whenever it is asked. */
static inline bool msg_plan(struct comp_msg *c)
{
	c->room = c->dst_len - (c->dir == WD_DIR_COMPRESS ? c->head : 0);
	c->more_room = c->room > ZIP_MAX_OUTPUT;
	if (c->more_room)
		c->room = ZIP_MAX_OUTPUT;
	if (c->hw || (c->room >= COMP_MIN_OUT && !(c->sgl && !c->src_len)))
		return false;
	c->room = COMP_BOUNCE_BYTES;
	return true;
}

/* What the request needs beside its descriptor. */
static int msg_prepare(struct hisi_queue *z, struct comp_msg *c)
{
	bool comp = c->dir == WD_DIR_COMPRESS;
	int ret = 0;

	c->bounce = NULL;
	/* Also a header: a descriptor has little room to say how much of a list to skip. */
	if (c->src_len - (comp ? 0 : c->head) > ZIP_MAX_INPUT || c->head > ZIP_MAX_INPUT)
		return -EFBIG;
	/* A device wants some room, more than it may need in the end. */
	if (msg_plan(c)) {
		c->bounce = hisi_queue_scratch(z, HISI_INDEX(&c->m));
		ret = c->bounce ? 0 : -ENOMEM;
	}
	if (!ret && c->sgl)
		ret = msg_lists(z, c);
	return ret;
}

static void sqe_fill_stream(struct zip_sqe *sqe, const struct comp_msg *c)
{
	const struct comp_hw_state *hw = c->hw;

	addr_set(&sqe->stream_ctx_addr_l, &sqe->stream_ctx_addr_h, (__u8 *)hw->ctx + ZIP_CTX_HW_OFFSET);
	sqe->ctx_dw0 = htole32(hw->ctx_dw[0]);
	sqe->ctx_dw1 = htole32(hw->ctx_dw[1]);
	sqe->ctx_dw2 = htole32(hw->ctx_dw[2]);
	sqe->isize = htole32(hw->isize);
	sqe->checksum = htole32(hw->checksum);
}

static void sqe_fill(const struct hisi_queue *z, struct zip_sqe *sqe, const struct comp_msg *c)
{
	bool comp = c->dir == WD_DIR_COMPRESS;
	__u32 head = (__u32)c->head, src_head = comp ? 0 : head, dst_head = comp && !c->bounce ? head : 0;
	__u32 dw7 = ZIP_SQE_TYPE_3 << ZIP_DW7_SQE_TYPE_SHIFT;
	__u8 *dst = c->bounce ? c->bounce : (__u8 *)c->dst + dst_head;
	const __u8 *src = (const __u8 *)c->src + src_head;

	memset(sqe, 0, sizeof(*sqe));
	sqe->input_data_length = htole32((__u32)(c->src_len - src_head));
	if (c->hw)
		dw7 |= ZIP_DW7_STREAM;
	if (c->fresh || !c->hw)
		dw7 |= ZIP_DW7_NEW_STREAM;
	if (c->finish || !c->hw)
		dw7 |= ZIP_DW7_FINISH;
	if (c->sgl) {
		dw7 |= src_head;
		sqe->dw8 = htole32(dst_head);
		src = z->lists[HISI_INDEX(&c->m)].src;
		dst = z->lists[HISI_INDEX(&c->m)].dst;
	} else if (c->src_len == src_head) {
		/* Nothing is read, but the address must be a good one. */
		src = dst;
	}
	sqe->dw7 = htole32(dw7);
	sqe->dw9 = htole32(zip_req_type(c->alg) |
			   (c->sgl ? ZIP_BUF_SGL : ZIP_BUF_FLAT) << ZIP_DW9_BUF_SHIFT |
			   (comp ? (__u32)c->win << ZIP_DW9_WIN_SHIFT : 0));
	sqe->dest_avail_out = htole32((__u32)c->room);
	addr_set(&sqe->source_addr_l, &sqe->source_addr_h, src);
	addr_set(&sqe->dest_addr_l, &sqe->dest_addr_h, dst);
	sqe->tag_l = htole32(c->m.tag);
	if (c->hw)
		sqe_fill_stream(sqe, c);
}

static int msg_send(struct hisi_queue *z, struct wd_msg *m)
{
	struct comp_msg *c = to_comp_msg(m);
	struct zip_sqe sqe;
	int ret = msg_prepare(z, c);

	if (ret)
		return ret;
	sqe_fill(z, &sqe, c);
	/* In one go: a software device may look before the doorbell. */
	memcpy(wd_ring_slot(&z->ring, HISI_INDEX(m)), &sqe, sizeof(sqe));
	return 0;
}

int zip_push(struct wd_queue *q, struct wd_msg *const msgs[], unsigned int n)
{
	return hisi_queue_push(q, msgs, n, msg_send, hisi_queue_abort);
}

/* The engine's status, as an error and in words. */
static int msg_status(struct comp_msg *c, __u32 status)
{
	switch (status) {
	case ZIP_ST_OK:
	case ZIP_ST_NEGATIVE_COMP:
	case ZIP_ST_END:
		if (c->hw || c->last_block || c->dir == WD_DIR_COMPRESS)
			return 0;
		c->why = "the stream ends early";
		return -EBADMSG;
	case ZIP_ST_NOSPACE:
		return -ENOSPC;
	case ZIP_ST_CHECKSUM:
		c->why = "the checksum of the data is wrong";
		return -EBADMSG;
	case ZIP_ST_ABORTED:
		return WD_STOPPED;
	}
	if (status == ZIP_ST_ADDRESS || !probe_msg(c))
		return -EFAULT;
	if (c->dir == WD_DIR_COMPRESS)
		return -EIO;
	c->why = status == ZIP_ST_TRUNCATED ? "the stream ends early" : "the data is corrupt or cut off";
	return -EBADMSG;
}

static int bounce_out(struct comp_msg *c)
{
	size_t head = c->dir == WD_DIR_COMPRESS ? c->head : 0;

	if (c->produced + head > c->dst_len)
		return -ENOSPC;
	if (!probe_mapped(c))
		return -EFAULT;
	if (c->sgl)
		wd_list_copy_in(c->dst, head, c->bounce, c->produced);
	else
		memcpy((__u8 *)c->dst + head, c->bounce, c->produced);
	return 0;
}

static void stream_keep(struct comp_msg *c, const volatile struct zip_sqe *sqe)
{
	c->hw->ctx_dw[0] = le32toh(sqe->ctx_dw0);
	c->hw->ctx_dw[1] = le32toh(sqe->ctx_dw1);
	c->hw->ctx_dw[2] = le32toh(sqe->ctx_dw2);
	c->hw->isize = le32toh(sqe->isize);
	c->hw->checksum = le32toh(sqe->checksum);
}

static int msg_result(struct comp_msg *c, const volatile struct zip_sqe *sqe)
{
	bool comp = c->dir == WD_DIR_COMPRESS;
	__u32 dw3 = le32toh(sqe->dw3), status = dw3 & ZIP_DW3_STATUS_MASK;
	int ret = 0;

	c->m.vendor = status;
	c->consumed = le32toh(sqe->consumed);
	c->produced = le32toh(sqe->produced);
	c->last_block = dw3 & ZIP_DW3_LAST_BLOCK;
	c->ended = c->last_block && status == ZIP_ST_END;
	if (le32toh(sqe->tag_l) != c->m.tag || c->consumed > c->src_len - (comp ? 0 : c->head) || c->produced > c->room) {
		c->why = "the descriptor came back damaged";
		return -EIO;
	}
	if (c->hw)
		stream_keep(c, sqe);
	/* Else the end of the stream counts, too. */
	if (status != ZIP_ST_OK || !comp)
		ret = msg_status(c, status);
	if (!ret && c->bounce)
		ret = bounce_out(c);
	if (!ret && comp && c->head && !c->hw)
		ret = header_put(c);
	if (comp)
		c->produced += c->hw ? 0 : c->head;
	else
		c->consumed += c->hw ? 0 : c->head;
	return ret;
}

void zip_result(struct wd_queue *q, struct wd_msg *m, unsigned int index)
{
	struct hisi_queue *z = hisi_queue_of(q);
	struct comp_msg *c = to_comp_msg(m);

	c->bounce = msg_plan(c) ? hisi_queue_scratch_at(z, index) : NULL;
	m->status = msg_result(c, wd_ring_slot(&z->ring, index));
	hisi_queue_put_lists(z, index);
}
