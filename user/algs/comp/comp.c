// SPDX-License-Identifier: Apache-2.0
/* Whole buffers, synchronous and asynchronous: checks, messages, and results. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/likely.h"
#include "comp.h"
#include "lz4_check.h"
#include "lz77.h"
#include "request/frame.h"

static const char *const comp_algs[] = {
	[WD_ZLIB] = "zlib",
	[WD_GZIP] = "gzip",
	[WD_DEFLATE_RAW] = "deflate",
	[WD_ZSTD] = "zstd",
	[WD_LZ4] = "lz4",
	[WD_LZ77] = "lz77_zstd",
	NULL
};

__s32 comp_status(int ret)
{
	switch (ret) {
	case 0:
		return WD_COMP_OK;
	case -EINVAL:
		return WD_COMP_PARMS;
	case -EBADMSG:
		return WD_DATA_ERR;
	case -ENOSPC:
		return WD_COMP_OUT_NOSPACE;
	}
	return ret;
}

const char *wd_comp_status_str(int status)
{
	switch (status) {
	case WD_COMP_PARMS:
		return wd_status_str(-EINVAL);
	case WD_DATA_ERR:
		return "the data is corrupt, cut off, or has a wrong checksum";
	case WD_COMP_OUT_NOSPACE:
		return wd_status_str(-ENOSPC);
	}
	return wd_status_str(status);
}

int comp_fail(struct comp_sess *s, int ret, const char *why, __u32 vendor)
{
	return wd_frame_fail(&s->s, ret, why, vendor);
}

/* --- requests --- */

int comp_refuse_call(struct comp_sess *s, __u8 op, __u8 dir)
{
	int ret = wd_frame_check_mode(&s->s, op == WD_ASYNC);

	if (!ret && s->dir != dir)
		ret = wd_fail(&s->s.obj, EINVAL,
			      dir == WD_DIR_COMPRESS ? "a decompression session was asked to compress" :
			      "a compression session was asked to decompress");
	return ret;
}

/* Whether the session may compress that much as a part. */
static int part_refuse(struct comp_sess *s, const struct wd_comp_arg *arg)
{
	struct wd_object *obj = &s->s.obj;

	if (s->dir != WD_DIR_COMPRESS)
		return wd_fail(obj, EINVAL, "WD_COMP_PART in arg->flags: the session doesn't compress");
	if (comp_is_framed(s->alg))
		return wd_fail(obj, EINVAL,
			       "WD_COMP_PART in arg->flags: a part of zstd or LZ4 is a frame, which needs no flag");
	if (!arg->src_len)
		return wd_fail(obj, EINVAL,
			       "WD_COMP_PART in arg->flags, and src_len is 0: there is no part without data");
	if (arg->src_len > COMP_PART_MAX)
		return wd_fail_num(obj, EFBIG, "src_len %u is above %u, the limit of a part", arg->src_len,
				   COMP_PART_MAX);
	return 0;
}

static bool buffers_meet(bool sgl, const void *src, size_t src_len, const void *dst, size_t dst_len)
{
	struct wd_list_walk from, to;

	wd_list_walk_init(&from, sgl, src, src_len);
	wd_list_walk_init(&to, sgl, dst, dst_len);
	return wd_list_walks_meet(from, &to);
}

/* Whether it is a block that can have sequences. */
static int block_refuse(struct comp_sess *s, const struct wd_comp_arg *arg)
{
	struct wd_object *obj = &s->s.obj;

	if (!arg->src_len)
		return wd_fail(obj, EINVAL, "src_len is 0: a block of WD_LZ77 has data");
	if (arg->src_len > WD_LZ77_MAX)
		return wd_fail_num(obj, EFBIG, "src_len %u is above %u, the limit of a block", arg->src_len,
				   WD_LZ77_MAX);
	if ((uintptr_t)arg->dst % _Alignof(struct wd_lz77_seq))
		return wd_fail(obj, EINVAL, "arg->dst is not aligned to 4 bytes");
	if (buffers_meet(false, arg->src, arg->src_len, arg->dst, *arg->dst_len))
		return wd_fail(obj, EINVAL, "src and dst overlap, and sequences refer to the source");
	return 0;
}

static int arg_refuse(struct comp_sess *s, const struct wd_comp_arg *arg)
{
	struct wd_object *obj = &s->s.obj;
	int ret;

	if (!arg->dst_len)
		return wd_fail(obj, EINVAL, "arg->dst_len is NULL");
	if (!arg->src && arg->src_len)
		return wd_fail(obj, EINVAL, "arg->src is NULL");
	if (!arg->dst)
		return wd_fail(obj, EINVAL, "arg->dst is NULL");
	ret = wd_frame_refuse_end(&s->s, arg->cb, arg->flags & ~(s->alg == WD_LZ77 ? WD_COMP_LITERALS : WD_COMP_PART),
				  arg->reserved);
	if (!ret && s->alg == WD_LZ77)
		ret = block_refuse(s, arg);
	if (!ret && (arg->flags & WD_COMP_PART))
		ret = part_refuse(s, arg);
	if (ret)
		return ret;
	if (s->sgl && wd_list_check(arg->src, arg->src_len))
		return wd_fail(obj, EINVAL,
			       "the list at arg->src is shorter than src_len, or has a piece without data");
	if (s->sgl && wd_list_check(arg->dst, *arg->dst_len))
		return wd_fail(obj, EINVAL,
			       "the list at arg->dst is shorter than *dst_len, or has a piece without data");
	if (s->verify && s->apart && buffers_meet(s->sgl, arg->src, arg->src_len, arg->dst, *arg->dst_len))
		return wd_fail(obj, EINVAL,
			       "src and dst overlap, and the session verifies results: it needs the source");
	return 0;
}

static inline int arg_check(struct comp_sess *s, const struct wd_comp_arg *arg)
{
	const __u64 *r = arg->reserved;

	/* An inlined test for the usual case; the error texts are in arg_refuse(). */
	if (arg->dst_len && arg->dst && (arg->src || !arg->src_len) && !s->sgl && !s->verify &&
	    (arg->cb ? !s->s.cq : !s->s.attr.async || s->s.cq) && !(arg->flags | r[0] | r[1] | r[2] | r[3]))
		return 0;
	return arg_refuse(s, arg);
}

/* A synchronous call has a direction, which must be the session's. */
static int comp_check(struct wd_session *base, const void *req, int call)
{
	struct comp_sess *s = to_comp_sess(base);
	int ret = call == WD_CALL_ASYNC ? 0 : comp_check_call(s, WD_SYNC, (__u8)(call - COMP_CALL(0)));

	return ret ? ret : arg_check(s, req);
}

static bool comp_may_redo(const struct wd_msg *m)
{
	const struct comp_msg *c = (const struct comp_msg *)m;

	return !buffers_meet(c->sgl, c->src, c->src_len, c->dst, c->dst_len);
}

static inline void msg_fill(struct comp_sess *s, const struct wd_comp_arg *arg, struct comp_msg *c)
{
	wd_msg_begin(&c->m, &s->s, (void *)arg);
	c->src = arg->src;
	c->dst = arg->dst;
	c->src_len = arg->src_len;
	c->dst_len = *arg->dst_len;
	c->why = NULL;
	c->hw = NULL;
	c->by_path = 0;
	c->kind = s->kind;
	c->part = arg->flags & WD_COMP_PART;
	c->wrong = false;
}

/* Reads the header, which devices leave to software; 0, -EFAULT, -EBADMSG, -ENOSPC. */
static int msg_read_header(struct comp_msg *c)
{
	if (c->alg < WD_DEFLATE_RAW && !probe_recent(c))
		return -EFAULT;
	if (format_read_header(c->alg, c->sgl, c->src, c->src_len, &c->head, &c->why))
		return -EBADMSG;
	if (c->src_len > c->head)
		return 0;
	c->why = "the stream ends early";
	return -EBADMSG;
}

static inline int msg_header(const struct comp_sess *s, struct comp_msg *c)
{
	if (s->dir != WD_DIR_COMPRESS)
		return msg_read_header(c);
	/* Parts are raw, whatever the session's format. */
	c->head = c->part ? 0 : s->head;
	/* It isn't known what a device does with a part for which there is less room. */
	return c->dst_len < (c->part ? comp_bound(c->src_len) : s->least) ? -ENOSPC : 0;
}

static inline void arg_result(struct wd_comp_arg *arg, const struct comp_msg *c, int ret)
{
	*arg->dst_len = ret ? 0 : c->produced;
	arg->consumed = ret ? 0 : c->consumed;
	arg->status = ret ? comp_status(ret) : WD_COMP_OK;
	arg->path = c->m.path;
	arg->path_reason = c->m.reason;
}

static int do_empty(struct comp_sess *s, struct comp_msg *c)
{
	__u8 buf[32];
	size_t n;

	if (comp_is_framed(c->alg))
		return wd_frame_do_soft(&s->s, &c->m, c->m.reason);
	n = format_write_empty(c->alg, c->win, c->level, buf);
	if (c->dst_len < n)
		return -ENOSPC;
	if (!probe_mapped(c))
		return -EFAULT;
	if (c->sgl)
		wd_list_copy_in(c->dst, 0, buf, n);
	else
		memcpy(c->dst, buf, n);
	c->produced = n;
	c->consumed = 0;
	return 0;
}

/* For more data than a descriptor holds: a stream of its own, on one device. */
static int do_stream(struct comp_sess *s, struct comp_msg *c)
{
	struct comp_ends e = { .consumed = 0 };
	struct comp_step t = { .last = true, .deadline = c->m.deadline };
	struct hw_stream *h;
	struct wd_queue *q;
	int ret;

	ret = wd_session_pick(&s->s, &q, &c->m.reason);
	if (ret)
		return ret;
	if (!q)
		return wd_frame_do_soft(&s->s, &c->m, c->m.reason);
	if (!probe_mapped(c))
		return -EFAULT;
	/* The whole result is verified at its end. */
	h = hw_stream_alloc(s, q, false);
	if (!h)
		return -ENOMEM;
	wd_list_walk_init(&e.in, c->sgl, c->src, c->src_len);
	wd_list_walk_init(&e.out, c->sgl, c->dst, c->dst_len);
	do {
		ret = hw_stream_run(h, &e, &t);
	} while (!ret);
	hw_stream_free(h);
	c->m.by = wd_queue_pub(q)->by;
	c->m.vendor = t.vendor;
	c->why = t.why;
	c->consumed = e.consumed;
	c->produced = e.produced;
	if (ret > 0)
		return 0;
	/* The device is gone: the software path, if allowed, repeats the whole request. */
	if ((ret == -ENODEV || ret == -EIO) && s->s.soft_ok && comp_may_redo(&c->m))
		ret = wd_frame_do_soft(&s->s, &c->m, WD_REASON_GONE);
	return ret;
}

/* Continues a request that a descriptor can't hold, or that no device takes. */
static int sync_over(struct comp_sess *s, struct comp_msg *c, int ret)
{
	if (s->block)
		return ret;
	/* Only the driver knows a descriptor's limits. */
	if (ret == -EFBIG || (ret == -ENOSPC && c->more_room && c->m.path != WD_PATH_SOFT))
		return do_stream(s, c);
	if (ret == -E2BIG && s->s.soft_ok)
		return wd_frame_do_soft(&s->s, &c->m, WD_REASON_UNSUPPORTED);
	return ret;
}

static int comp_do(struct wd_session *base, struct wd_msg *m)
{
	struct comp_sess *s = to_comp_sess(base);
	struct comp_msg *c = to_comp_msg(m);
	bool empty = s->dir == WD_DIR_COMPRESS && !c->src_len;
	int ret = empty ? 0 : msg_header(s, c);

	if (unlikely(empty || ret)) {
		wd_session_soft(&s->s, c->src_len, &c->m.path, &c->m.reason);
		return empty ? do_empty(s, c) : ret;
	}
	return sync_over(s, c, wd_request_sync(&s->s, &c->m, c->src_len));
}

static int comp_do_over(struct wd_session *base, struct wd_msg *m)
{
	struct comp_msg *c = to_comp_msg(m);
	int ret = m->status;

	if (ret == WD_STOPPED)
		ret = wd_request_resume(base, m, c->src_len);
	return sync_over(to_comp_sess(base), c, ret);
}

/*
 * What a device calls corrupt is decompressed again, too: the software path has the last word. Its answer to data that
 * is corrupt is the same as the device's.
 */
static int prove_bad(struct comp_sess *s, struct comp_msg *c)
{
	__u16 path = c->m.path, reason = c->m.reason;
	__u32 vendor = c->m.vendor;
	int ret;

	if (!s->s.soft_ok)
		return -EBADMSG;
	c->m.vendor = 0;
	ret = wd_frame_do_soft(&s->s, &c->m, WD_REASON_WRONG);
	if (!ret)
		wd_frame_wrong(&s->s, &c->m);
	if (ret == -EBADMSG) {
		c->m.path = path;
		c->m.reason = reason;
		c->m.vendor = vendor;
	}
	return ret;
}

/* The driver has checked the sequences. */
static int lz77_end(struct comp_sess *s, struct comp_msg *c, int ret)
{
	const struct wd_comp_arg *arg = c->m.req;

	if (c->wrong) {
		c->wrong = false;
		ret = wd_frame_again(&s->s, &c->m);
		if (c->m.path != WD_PATH_SOFT)
			c->why = "the device's sequences are wrong: they don't describe the block";
	}
	return ret || !(arg->flags & WD_COMP_LITERALS) ? ret : lz77_literals(c);
}

/* A device has less room than there may be, and takes less data. What it makes is compared with the source. */
static int lz4_end(struct comp_sess *s, struct comp_msg *c, int ret)
{
	if (c->m.path == WD_PATH_SOFT)
		return ret;
	if (ret == -EFBIG || (ret == -ENOSPC && c->more_room))
		return s->s.soft_ok ? wd_frame_do_soft(&s->s, &c->m, WD_REASON_UNSUPPORTED) : ret;
	if (ret || (c->consumed == c->src_len && lz4_is_block_of(c->dst, c->produced, c->src, c->src_len)))
		return ret;
	ret = wd_frame_again(&s->s, &c->m);
	if (c->m.path != WD_PATH_SOFT)
		c->why = "the device's block is wrong: it isn't one of the source";
	return ret;
}

/*
 * Verifies what a device made; what is wrong is made again, by the session's software path if it has one. A program
 * whose environment asks for it knows nothing of that, and may have overwritten the source.
 */
static __attribute__((noinline)) int prove(struct comp_sess *s, struct comp_msg *c, int ret)
{
	int right;

	if (s->alg == WD_LZ77)
		return lz77_end(s, c, ret);
	if (s->block)
		return lz4_end(s, c, ret);
	if (c->m.path == WD_PATH_SOFT || (s->dir == WD_DIR_COMPRESS && !c->src_len))
		return ret;
	if (!s->apart && buffers_meet(s->sgl, c->src, c->src_len, c->dst, c->dst_len))
		return ret;
	if (ret == -EBADMSG)
		return prove_bad(s, c);
	right = ret ? 1 : soft_proves(c);
	if (right)
		return right < 0 ? right : ret;
	ret = wd_frame_again(&s->s, &c->m);
	if (c->m.path != WD_PATH_SOFT)
		c->why = "the device's result is wrong: verifying it found other data";
	return ret;
}

static int comp_result(struct wd_session *base, void *req, struct wd_msg *m, int ret)
{
	struct comp_sess *s = to_comp_sess(base);
	struct comp_msg *c = to_comp_msg(m);

	if (s->verify)
		ret = prove(s, c, ret);
	if (c->by_path) {
		m->path = c->by_path;
		m->reason = c->by_reason;
	}
	arg_result(req, c, ret);
	return ret ? comp_fail(s, ret, c->why, m->vendor) : 0;
}

int wd_compress(handle_t sess, struct wd_comp_arg *arg)
{
	return frame_sync(&comp_class, sess, arg, COMP_CALL(WD_DIR_COMPRESS));
}

int wd_decompress(handle_t sess, struct wd_comp_arg *arg)
{
	return frame_sync(&comp_class, sess, arg, COMP_CALL(WD_DIR_DECOMPRESS));
}

/* --- asynchronous requests --- */

static int comp_fill(struct wd_session *base, void *req, struct wd_msg *m)
{
	struct comp_msg *c = to_comp_msg(m);
	int ret;

	msg_fill(to_comp_sess(base), req, c);
	ret = msg_header(to_comp_sess(base), c);
	m->aux = (__u32)c->head;
	return ret ? comp_fail(to_comp_sess(base), ret, c->why, 0) : 0;
}

static void comp_refill(struct wd_session *base, void *req, __u32 aux, struct wd_msg *m)
{
	struct comp_msg *c = to_comp_msg(m);

	msg_fill(to_comp_sess(base), req, c);
	c->head = to_comp_sess(base)->plain && !c->part ? to_comp_sess(base)->head : aux;
}

static int comp_ended(struct wd_msg *m)
{
	int ret = m->status;

	/* There is room, but one descriptor can't use all of it. */
	if (ret == -ENOSPC && to_comp_msg(m)->more_room && m->path != WD_PATH_SOFT && !to_comp_sess(m->sess)->block)
		ret = -EFBIG;
	return comp_result(m->sess, m->req, m, ret);
}

static __u32 comp_opcode(const struct wd_session *s, const void *req)
{
	(void)req;
	return ((const struct comp_sess *)s)->dir == WD_DIR_COMPRESS ? WD_WC_COMPRESS : WD_WC_DECOMPRESS;
}

FRAME_PUBLIC(wd_comp, comp_class)

static const struct wd_driver *const comp_drivers[] = { &hisi_zip_driver, &hisi_zip_v2_driver, NULL };

const struct wd_class comp_class = {
	.name = "compression",
	.kind = WD_KIND_COMP,
	.what = "a compression session",
	.algs = comp_algs,
	.drivers = comp_drivers,
	.soft = &soft_deflate_driver,
	.verifies = true,
	.too_much = E2BIG,
	.async_most = COMP_MAX_BYTES,
	.check = comp_check,
	.fill = comp_fill,
	.refill = comp_refill,
	.may_redo = comp_may_redo,
	.run = comp_do,
	.run_over = comp_do_over,
	.result = comp_result,
	.ended = comp_ended,
	.opcode = comp_opcode,
	.status = comp_status,
	FRAME_CLASS(wd_comp),
};
