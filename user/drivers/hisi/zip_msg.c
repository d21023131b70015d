// SPDX-License-Identifier: Apache-2.0
/*
 * The base of the ZIP engine's drivers: the part of a descriptor that a session's requests share, and descriptors of
 * both types from messages, for all requests that don't take the fast path, and their results.
 */
#include <errno.h>

#include "zip.h"

static inline __u32 req_type(__u8 alg)
{
	static const __u8 types[] = {
		[WD_ZLIB] = ZIP_REQ_ZLIB, [WD_GZIP] = ZIP_REQ_GZIP, [WD_DEFLATE_RAW] = ZIP_REQ_DEFLATE,
		[WD_ZSTD] = ZIP_REQ_LZ77_ZSTD, [WD_LZ4] = ZIP_REQ_LZ4, [WD_LZ77] = ZIP_REQ_LZ77_ZSTD,
	};

	return types[alg];
}

int zip_open(struct wd_queue *q, const struct uacce_dev_info *dev)
{
	return hisi_queue_open(q, dev, ZIP_SQE_SIZE, COMP_BOUNCE_BYTES);
}

void hisi_zip_session(struct comp_sess *s)
{
	/*
	 * What hardware of generation 2 does with the window of a decompression isn't known: the largest is always
	 * right.
	 */
	__u32 win = s->dir == WD_DIR_COMPRESS && !comp_win_log(s->win) ? s->win : ZIP_WIN_32K;
	__u32 dw9 = req_type(s->alg) | ZIP_BUF_FLAT << ZIP_DW9_BUF_SHIFT | win << ZIP_DW9_WIN_SHIFT;
	struct wd_queue *q = atomic_load_explicit(&s->s.first, memory_order_acquire);

	s->sqe_word = (__u64)dw9 << 32;
	/*
	 * A decompression must have seen the end of the stream, for which simulated devices have no status of their
	 * own. Any other answer goes to the slow path, with the same result.
	 */
	s->sqe_good_mask = ZIP_DW3_STATUS_MASK | (s->dir == WD_DIR_COMPRESS ? 0 : ZIP_DW3_LAST_BLOCK);
	s->sqe_good = ZIP_ST_OK;
	if (s->dir == WD_DIR_DECOMPRESS)
		s->sqe_good = ZIP_DW3_LAST_BLOCK | (q && wd_queue_pub(q)->path == WD_PATH_SIM ? ZIP_ST_OK : ZIP_ST_END);
}

/* A part is a step of a stream, but isn't cut: flat buffers that can't be in one piece for the device become lists. */
static bool part_is_long(const struct hisi_queue *z, const struct comp_msg *c)
{
	return c->part && !c->sgl && (c->src_len > z->ring.flat || c->room > z->ring.flat);
}

static int part_lists(struct hisi_queue *z, const struct comp_msg *c)
{
	struct wd_datalist src = { .data = (void *)c->src, .len = c->src_len };
	struct wd_datalist dst = { .data = c->dst, .len = c->room };

	return hisi_queue_get_lists(z, HISI_INDEX(&c->m), &src, &dst);
}

static int msg_lists(struct hisi_queue *z, struct comp_msg *c)
{
	struct wd_datalist bounce = { .data = c->bounce, .len = COMP_BOUNCE_BYTES };

	/* The device reads nothing from an empty source, but needs a list. */
	return hisi_queue_get_lists(z, HISI_INDEX(&c->m), c->src_len ? c->src : &bounce, c->bounce ? &bounce : c->dst);
}

/* Whether the device has written to the header's page. */
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

/* How the output room is used; true: through a bounce buffer. Gives the same result each time. */
static inline bool msg_plan(struct comp_msg *c)
{
	c->room = c->dst_len - (c->dir == WD_DIR_COMPRESS ? c->head : 0);
	c->more_room = c->room > ZIP_MAX_OUTPUT;
	if (c->more_room)
		c->room = ZIP_MAX_OUTPUT;
	/* A part never needs as much. */
	c->more_room &= !c->part;
	if (c->hw || (c->room >= COMP_MIN_OUT && !(c->sgl && !c->src_len)))
		return false;
	c->room = COMP_BOUNCE_BYTES;
	return true;
}

/* Provides what the request needs beside its descriptor. */
static int msg_prepare(struct hisi_queue *z, struct comp_msg *c)
{
	bool comp = c->dir == WD_DIR_COMPRESS;
	int ret = 0;

	c->bounce = NULL;
	/* The limit also holds for a header: a descriptor has few bits for the length to skip in a list. */
	if (c->src_len - (comp ? 0 : c->head) > ZIP_MAX_INPUT || c->head > ZIP_MAX_INPUT)
		return -EFBIG;
	/* A device needs some minimum of room, maybe more than it uses. */
	if (msg_plan(c)) {
		c->bounce = hisi_queue_scratch(z, HISI_INDEX(&c->m));
		ret = c->bounce ? 0 : -ENOMEM;
	}
	if (!ret && c->part && !hisi_queue_get_state(z, HISI_INDEX(&c->m), COMP_CTX_BYTES))
		ret = -ENOMEM;
	if (!ret && c->sgl)
		ret = msg_lists(z, c);
	else if (!ret && part_is_long(z, c))
		ret = part_lists(z, c);
	return ret;
}

/* A step of a stream, with the device's state. */
static void job_step(const struct comp_msg *c, const struct comp_hw_state *state, __u32 type, struct zip_job *j)
{
	j->dw7 = type << ZIP_DW7_SQE_TYPE_SHIFT | ZIP_DW7_STREAM | (c->fresh ? ZIP_DW7_NEW_STREAM : 0) |
		 (c->finish && !c->part ? ZIP_DW7_FINISH : 0);
	j->state = state;
}

/* state: of the request's stream, or NULL. */
static void job_of_msg(const struct hisi_queue *z, const struct comp_msg *c, const struct comp_hw_state *state,
		       __u32 type, struct zip_job *j)
{
	bool comp = c->dir == WD_DIR_COMPRESS;
	__u32 head = (__u32)c->head, src_head = comp ? 0 : head, dst_head = comp && !c->bounce ? head : 0;
	uintptr_t dst = c->bounce ? (uintptr_t)c->bounce : (uintptr_t)c->dst + dst_head;
	const struct hisi_lists *lists = c->sgl || part_is_long(z, c) ? &z->lists[HISI_INDEX(&c->m)] : NULL;

	zip_job_flat(to_comp_sess(c->m.sess), type, (uintptr_t)c->src + src_head, c->src_len - src_head, dst, c->room,
		     j);
	j->tag = c->m.tag;
	if (state)
		job_step(c, state, type, j);
	if (lists) {
		j->dw7 |= src_head;
		j->dw8_9 |= pair_of(dst_head, ZIP_BUF_SGL << ZIP_DW9_BUF_SHIFT);
		j->src = (uintptr_t)lists->src;
		j->dst = (uintptr_t)lists->dst;
	} else if (!j->src_len) {
		/* The device reads nothing, but the address must be valid. */
		j->src = j->dst;
	}
}

int zip_send(const struct fast_ops *ops, struct hisi_queue *z, struct wd_msg *m)
{
	struct comp_msg *c = to_comp_msg(m);
	struct comp_hw_state part = { .ctx = NULL };
	struct zip_job j;
	int ret;

	if (c->alg == WD_LZ77)
		return zip_lz77_send(z, c);
	ret = msg_prepare(z, c);
	if (ret)
		return ret;
	/* A part is the first step of a stream that has no other. */
	if (c->part)
		part.ctx = hisi_queue_state(z, HISI_INDEX(m));
	job_of_msg(z, c, c->part ? &part : c->hw, ops->type, &j);
	zip_write(wd_ring_slot(&z->ring, HISI_INDEX(m)), ops->type, &j);
	return 0;
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

static int msg_result(struct comp_msg *c, const volatile struct zip_sqe *sqe, __u32 type)
{
	bool comp = c->dir == WD_DIR_COMPRESS;
	struct zip_answer a;
	__u32 status;
	int ret = 0;

	zip_read(sqe, type, &a);
	status = a.dw3 & ZIP_DW3_STATUS_MASK;
	c->m.vendor = status;
	c->consumed = a.consumed;
	c->produced = a.produced;
	c->last_block = a.dw3 & ZIP_DW3_LAST_BLOCK;
	c->ended = c->last_block && status == ZIP_ST_END;
	if (a.tag != c->m.tag || c->consumed > c->src_len - (comp ? 0 : c->head) || c->produced > c->room) {
		c->why = "the descriptor came back damaged";
		return -EIO;
	}
	if (c->hw)
		stream_keep(c, sqe);
	/* A decompression also has to reach the end of the stream. */
	if (status != ZIP_ST_OK || !comp)
		ret = zip_status_error(c, status);
	if (!ret && c->part && c->consumed != c->src_len) {
		c->why = "the device left data of a part over";
		ret = -EIO;
	}
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

bool zip_stopped(struct wd_queue *q, unsigned int index)
{
	const volatile struct zip_sqe *sqe = wd_ring_slot(&hisi_queue_of(q)->ring, (__u16)index);

	return (le32toh(sqe->dw3) & ZIP_DW3_STATUS_MASK) == ZIP_ST_ABORTED;
}

void zip_end(const struct fast_ops *ops, struct hisi_queue *z, struct wd_msg *m, unsigned int index)
{
	struct comp_msg *c = to_comp_msg(m);

	if (c->alg == WD_LZ77) {
		zip_lz77_end(z, c, index);
		return;
	}
	c->bounce = msg_plan(c) ? hisi_queue_scratch_at(z, index) : NULL;
	m->status = msg_result(c, wd_ring_slot(&z->ring, index), ops->type);
	hisi_queue_put_lists(z, index);
	hisi_queue_put_state(z, index);
}
