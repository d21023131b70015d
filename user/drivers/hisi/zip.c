// SPDX-License-Identifier: Apache-2.0
/* Driver of the ZIP engine: one descriptor for each request, and what became of it; zip_straight.c has the way of most. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "../../libhisi_qm/sgl.h"
#include "../../libwd/ctx.h"
#include "zip.h"

#define STOP_NS		1000000000ull
#define POOL_LISTS	256
#define POOL_ENTRIES	255
#define NOT_WORTH_IT	1024	/* bytes: below, a real device is slower than this CPU */

static_assert(WD_PULL_MAX <= WD_RING_ROW, "the limit leaves room for a pull's");

static int zip_open(struct wd_queue *q, const struct uacce_dev_info *dev)
{
	struct wd_queue_pub *pub = wd_queue_pub(q);
	struct wd_ring_cfg cfg = { .sqe_size = ZIP_SQE_SIZE, .qc_type = pub->qc_type, .sleeps = true };
	struct zip_queue *z;
	int ret;

	z = aligned_alloc(_Alignof(struct zip_queue), sizeof(*z));
	if (!z)
		return -ENOMEM;
	memset(z, 0, sizeof(*z));
	z->ctx = wd_request_ctx(dev->dev_root);
	if (!z->ctx) {
		ret = -errno;
		goto err_free;
	}
	ret = wd_ring_open(&z->ring, z->ctx, &cfg);
	if (ret)
		goto err_release;
	pub->drv = z;
	pub->fd = z->ring.fd;
	pub->depth = z->ring.sq_depth;
	pub->limit = z->ring.limit;
	return 0;

err_release:
	wd_release_ctx(z->ctx);
err_free:
	free(z);
	return ret;
}

/* 0 once the device can't touch memory for the queue any more. */
static int put_q(struct zip_queue *z)
{
	int ret = z->stopped ? 0 : wd_ctx_ioctl(z->ring.ctx, UACCE_CMD_PUT_Q, NULL);

	/* Who has lost the queue can't ask any more: the kernel says it with this word, which it may also set before it is so. */
	z->stopped = !ret || (ret == -ENODEV && wd_ring_rx_stopped(&z->ring));
	return z->stopped ? 0 : ret;
}

/*
 * The kernel keeps the queue's number, its rings and the right to this address
 * space: the device may still write here. Kept where a search for leaks finds it.
 */
static void keep(struct zip_queue *z)
{
	static _Atomic(struct zip_queue *) kept;

	z->kept = atomic_load(&kept);
	while (!atomic_compare_exchange_weak(&kept, &z->kept, z))
		;
}

static void zip_close(struct wd_queue *q)
{
	struct wd_queue_pub *pub = wd_queue_pub(q);
	struct zip_queue *z = pub->drv;
	bool stuck;

	if (!z)
		return;
	pub->drv = NULL;
	stuck = put_q(z);
	wd_ctx_stop(z->ctx);
	wd_ring_close(&z->ring);
	wd_release_ctx(z->ctx);
	if (stuck) {
		atomic_fetch_add(&pub->stuck, 1);
		keep(z);
		return;
	}
	if (z->pool)
		wd_sglpool_free(z->pool);
	free(z->lists);
	free(z->bounce);
	free(z);
}

static int zip_stop(struct wd_queue *q)
{
	struct zip_queue *z = zip_of(q);
	__u64 end = wd_now_ns() + STOP_NS;
	int ret;

	if (!z)
		return 0;
	for (;;) {
		ret = put_q(z);
		if (!ret || wd_now_ns() >= end)
			return ret;
		poll(NULL, 0, 1);
	}
}

static void addr_set(__le32 *low, __le32 *high, const void *p)
{
	*low = htole32((__u32)(uintptr_t)p);
	*high = htole32((__u32)((__u64)(uintptr_t)p >> 32));
}

static int list_get(struct zip_queue *z, const struct wd_datalist *list, void **sgl)
{
	int ret = 0;

	*sgl = wd_sglpool_get(z->pool, list, &ret);
	return *sgl ? 0 : ret;
}

static void list_put(struct zip_queue *z, void **sgl)
{
	if (*sgl)
		wd_sglpool_put(z->pool, *sgl);
	*sgl = NULL;
}

static inline void lists_put(struct zip_queue *z, unsigned int index)
{
	if (!z->lists)
		return;
	list_put(z, &z->lists[index].src);
	list_put(z, &z->lists[index].dst);
}

/* A device wants some room, more than it may need in the end. */
static int bounce_get(struct zip_queue *z, struct comp_msg *c)
{
	size_t depth = z->ring.sq_depth;

	if (!z->bounce)
		z->bounce = malloc(depth * COMP_BOUNCE_BYTES);
	if (!z->bounce)
		return -ENOMEM;
	c->bounce = z->bounce + ZIP_INDEX(&c->m) * COMP_BOUNCE_BYTES;
	return 0;
}

static int lists_make(struct zip_queue *z)
{
	if (!z->lists)
		z->lists = calloc(z->ring.sq_depth, sizeof(*z->lists));
	if (z->lists && !z->pool)
		z->pool = wd_sglpool_new(POOL_LISTS, POOL_ENTRIES);
	return z->pool ? 0 : -ENOMEM;
}

static int lists_get(struct zip_queue *z, struct comp_msg *c)
{
	struct wd_datalist bounce = { .data = c->bounce, .len = COMP_BOUNCE_BYTES };
	unsigned int index = ZIP_INDEX(&c->m);
	int ret = lists_make(z);

	/* Nothing is read from an empty source, but the device wants a list. */
	if (!ret)
		ret = list_get(z, c->src_len ? c->src : &bounce, &z->lists[index].src);
	if (!ret)
		ret = list_get(z, c->bounce ? &bounce : c->dst, &z->lists[index].dst);
	if (ret)
		lists_put(z, index);
	return ret;
}

static int msg_lists(struct zip_queue *z, struct comp_msg *c)
{
	int ret = lists_get(z, c);

	/* Only this side takes from the pool: what doesn't fit into all of it never will. */
	if (ret == -EBUSY && !wd_sglpool_used(z->pool)) {
		ret = lists_get(z, c);
		if (ret == -EBUSY)
			ret = -E2BIG;
	}
	return ret;
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
		list_copy_in(c->dst, 0, head, c->head);
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
static int msg_prepare(struct zip_queue *z, struct comp_msg *c)
{
	bool comp = c->dir == WD_DIR_COMPRESS;
	int ret = 0;

	c->bounce = NULL;
	/* Also a header: a descriptor has little room to say how much of a list to skip. */
	if (c->src_len - (comp ? 0 : c->head) > ZIP_MAX_INPUT || c->head > ZIP_MAX_INPUT)
		return -EFBIG;
	if (msg_plan(c))
		ret = bounce_get(z, c);
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

static void sqe_fill(const struct zip_queue *z, struct zip_sqe *sqe, const struct comp_msg *c)
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
		src = z->lists[ZIP_INDEX(&c->m)].src;
		dst = z->lists[ZIP_INDEX(&c->m)].dst;
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

static int push_nothing(struct zip_queue *z, struct wd_msg *const msgs[], unsigned int n)
{
	while (n--)
		lists_put(z, ZIP_INDEX(msgs[n]));
	return wd_ring_why(&z->ring);
}

static int zip_push(struct wd_queue *q, struct wd_msg *const msgs[], unsigned int n)
{
	struct zip_queue *z = zip_of(q);
	unsigned int i, tail;
	struct zip_sqe sqe;
	int ret = 0;

	/* The core keeps to the limit, with which there is always room in both rings. */
	for (i = 0; i < n; i++) {
		struct comp_msg *c = to_comp_msg(msgs[i]);

		ret = msg_prepare(z, c);
		if (ret)
			break;
		sqe_fill(z, &sqe, c);
		/* In one go: a software device may look before the doorbell. */
		memcpy(wd_ring_slot(&z->ring, ZIP_INDEX(&c->m)), &sqe, sizeof(sqe));
	}
	if (wd_ring_tx_stopped(&z->ring))
		return push_nothing(z, msgs, i);
	if (!i)
		return ret;
	tail = ZIP_INDEX(msgs[i - 1]) + 1;
	wd_ring_submit_to(&z->ring, i, tail == z->ring.sq_depth ? 0 : tail);
	return i;
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
		list_copy_in(c->dst, head, c->bounce, c->produced);
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

static void zip_result(struct wd_queue *q, struct wd_msg *m, unsigned int index)
{
	struct zip_queue *z = zip_of(q);
	struct comp_msg *c = to_comp_msg(m);

	c->bounce = msg_plan(c) ? z->bounce + (size_t)index * COMP_BOUNCE_BYTES : NULL;
	m->status = msg_result(c, wd_ring_slot(&z->ring, index));
	lists_put(z, index);
}

static void zip_abort(struct wd_queue *q, unsigned int index)
{
	struct zip_queue *z = zip_of(q);

	if (z)
		lists_put(z, index);
}

static bool zip_ready(struct wd_queue *q)
{
	return wd_ring_ready(&zip_of(q)->ring);
}

static void zip_arm(struct wd_queue *q)
{
	wd_ring_arm(&zip_of(q)->ring);
}

static void zip_disarm(struct wd_queue *q)
{
	struct zip_queue *z = zip_of(q);

	if (z)
		wd_ring_disarm(&z->ring);
}

static const char *const zip_apis[] = { "hisi_qm_v3", "hisi_qm_v5", NULL };

const struct wd_driver hisi_zip_driver = {
	.name = "hisi_zip",
	.apis = zip_apis,
	.min_bytes = NOT_WORTH_IT,
	.open = zip_open,
	.close = zip_close,
	.stop = zip_stop,
	.push = zip_push,
	.sync = zip_sync,
	.async_one = zip_async_one,
	.async = zip_async,
	.tell = zip_tell,
	.pull = zip_pull,
	.result = zip_result,
	.abort = zip_abort,
	.ready = zip_ready,
	.arm = zip_arm,
	.disarm = zip_disarm,
};
