// SPDX-License-Identifier: Apache-2.0
/* Whole buffers, synchronous and asynchronous: checking, filling, and what the caller is told. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "comp.h"

static const char *const comp_algs[] = {
	[WD_ZLIB] = "zlib",
	[WD_GZIP] = "gzip",
	[WD_DEFLATE_RAW] = "deflate",
	NULL
};

#define LEVEL_MAX	22

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

int comp_fail(struct comp_sess *s, int ret, const char *why, __u32 vendor)
{
	struct wd_object *obj = &s->s.obj;

	if (why && vendor)
		return wd_fail_all(obj, -ret, "%s (device status %x)", why, vendor, 0);
	if (why)
		return wd_fail_str(obj, -ret, "%s", why);
	switch (ret) {
	case -ENOSPC:
		return wd_fail(obj, ENOSPC, "dst is too small for the result");
	case -EFAULT:
		return wd_fail(obj, EFAULT, "a buffer is not mapped, or dst is read-only");
	case -ETIMEDOUT:
		return wd_fail(obj, ETIMEDOUT, "the deadline passed");
	case -ENODEV:
		return wd_fail(obj, ENODEV, "no device is left for the session");
	case -EIO:
		return wd_fail_num(obj, EIO, "the device failed or was stopped (device status %x)", vendor, 0);
	}
	return wd_fail_num(obj, -ret, "the request failed (device status %x)", vendor, 0);
}

/* --- sessions --- */

static int setup_check(const struct wd_comp_sess_setup *setup)
{
	int i;

	if (!setup)
		return wd_fail(NULL, EINVAL, "setup is NULL");
	if (setup->alg_type > WD_DEFLATE_RAW)
		return wd_fail_num(NULL, EINVAL, "setup->alg_type %u is unknown", setup->alg_type, 0);
	if (setup->op_type > WD_ASYNC)
		return wd_fail_num(NULL, EINVAL, "setup->op_type %u is unknown", setup->op_type, 0);
	if (setup->dir_type > WD_DIR_DECOMPRESS)
		return wd_fail_num(NULL, EINVAL, "setup->dir_type %u is unknown", setup->dir_type, 0);
	if (setup->comp_lv > LEVEL_MAX || (!setup->comp_lv && setup->dir_type == WD_DIR_COMPRESS))
		return wd_fail_num(NULL, EINVAL, "setup->comp_lv %u is not in 1 .. %u", setup->comp_lv, LEVEL_MAX);
	if (setup->win_size > WD_COMP_WS_32K)
		return wd_fail_num(NULL, EINVAL, "setup->win_size %u is unknown", setup->win_size, 0);
	if (setup->data_fmt > WD_SGL_BUF)
		return wd_fail_num(NULL, EINVAL, "setup->data_fmt %u is unknown", setup->data_fmt, 0);
	/* The bit says what they hold. */
	for (i = 0; i < 4 && !(setup->flags & WD_SESS_CQ); i++)
		if (setup->reserved[i])
			return wd_fail_num(NULL, EINVAL, "setup->reserved[%u] is not 0", i, 0);
	return 0;
}

handle_t wd_comp_alloc_sess(struct wd_comp_sess_setup *setup, wd_dev_mask_t *dev_mask)
{
	struct wd_session_attr attr = { .mask = dev_mask };
	struct wd_session *base;
	struct comp_sess *s;
	int ret;

	ret = setup_check(setup);
	if (ret)
		return wd_no_handle(ret);
	attr.alg = setup->alg_type;
	/* The queue's type is the direction. */
	attr.qc_type = setup->dir_type;
	attr.async = setup->op_type == WD_ASYNC;
	attr.flags = setup->flags;
	if (setup->flags & WD_SESS_CQ)
		attr.cq = setup->cq;
	attr.timeout_ms = setup->timeout_ms;
	base = wd_session_alloc(&comp_class, sizeof(*s), &attr);
	if (!base)
		return 0;
	s = to_comp_sess(base);
	s->alg = setup->alg_type;
	s->dir = setup->dir_type;
	s->level = setup->comp_lv;
	s->win = setup->win_size;
	s->sgl = setup->data_fmt == WD_SGL_BUF;
	s->fresh = true;
	s->finish = true;
	s->head = format_header_bytes(s->alg);
	s->least = s->head + 2 + format_trailer_bytes(s->alg);
	return base->obj.handle;
}

int wd_comp_free_sess(handle_t sess)
{
	struct wd_session *base = wd_session_find(sess, &comp_class);
	int ret;

	if (!base)
		return -EINVAL;
	ret = wd_session_busy(base);
	if (ret)
		return ret;
	stream_free(to_comp_sess(base));
	return wd_session_free(base);
}

int wd_comp_sess_caps(handle_t sess)
{
	struct wd_session *base = wd_session_get(sess, &comp_class);
	int caps;

	if (!base)
		return -EINVAL;
	caps = wd_session_caps(base);
	if (!base->attr.async)
		caps |= WD_CAP_STREAM;
	if (to_comp_sess(base)->sgl)
		caps |= WD_CAP_SGL;
	return caps;
}

size_t wd_comp_bound(handle_t sess, size_t len)
{
	struct wd_session *base = wd_session_find(sess, &comp_class);
	size_t extra = len / 8 + 256;

	if (!base) {
		errno = EINVAL;
		return 0;
	}
	/* A device may need an eighth more than the data; every software encoder needs less. */
	if (len > SIZE_MAX - extra) {
		wd_fail(&base->obj, EOVERFLOW, "no buffer can be that large");
		errno = EOVERFLOW;
		return 0;
	}
	return len + extra;
}

/* --- requests --- */

int comp_refuse_call(struct comp_sess *s, __u8 op, __u8 dir)
{
	if (s->s.attr.async != (op == WD_ASYNC))
		return wd_fail(&s->s.obj, EINVAL, op == WD_ASYNC ? "a synchronous session was given to an asynchronous call" :
			       "an asynchronous session was given to a synchronous call");
	if (s->dir != dir)
		return wd_fail(&s->s.obj, EINVAL, dir == WD_DIR_COMPRESS ? "a decompression session was asked to compress" :
			       "a compression session was asked to decompress");
	return 0;
}

static int arg_refuse(struct comp_sess *s, const struct wd_comp_arg *arg)
{
	struct wd_object *obj = &s->s.obj;
	int i;

	if (!arg->dst_len)
		return wd_fail(obj, EINVAL, "arg->dst_len is NULL");
	if (!arg->src && arg->src_len)
		return wd_fail(obj, EINVAL, "arg->src is NULL");
	if (!arg->dst)
		return wd_fail(obj, EINVAL, "arg->dst is NULL");
	if (s->s.attr.async && !arg->cb && !s->s.cq)
		return wd_fail(obj, EINVAL, "arg->cb is NULL");
	if (s->s.cq && arg->cb)
		return wd_fail(obj, EINVAL, "arg->cb is set, but the session delivers to a completion queue");
	if (arg->flags)
		return wd_fail_num(obj, EINVAL, "arg->flags %x are unknown", arg->flags, 0);
	for (i = 0; i < 4; i++)
		if (arg->reserved[i])
			return wd_fail_num(obj, EINVAL, "arg->reserved[%u] is not 0", i, 0);
	if (s->sgl && list_check(arg->src, arg->src_len))
		return wd_fail(obj, EINVAL, "the list at arg->src is shorter than src_len, or has a piece without data");
	if (s->sgl && list_check(arg->dst, *arg->dst_len))
		return wd_fail(obj, EINVAL, "the list at arg->dst is shorter than *dst_len, or has a piece without data");
	return 0;
}

static inline int arg_check(struct comp_sess *s, const struct wd_comp_arg *arg)
{
	const __u64 *r = arg->reserved;

	/* One look for what is nearly always right; words only for what is not. */
	if (arg->dst_len && arg->dst && (arg->src || !arg->src_len) && !s->sgl && (arg->cb ? !s->s.cq : !s->s.attr.async || s->s.cq) &&
	    !(arg->flags | r[0] | r[1] | r[2] | r[3]))
		return 0;
	return arg_refuse(s, arg);
}

static bool overlaps(const struct comp_msg *c)
{
	uintptr_t src = (uintptr_t)c->src, dst = (uintptr_t)c->dst;

	/* Lists would have to be compared piece by piece; taking them for overlapping only forbids a second try. */
	return c->sgl || (src < dst + c->dst_len && dst < src + c->src_len);
}

static inline void msg_fill(struct comp_sess *s, const struct wd_comp_arg *arg, struct comp_msg *c)
{
	c->m.sess = &s->s;
	c->m.req = (void *)arg;
	c->m.vendor = 0;
	c->src = arg->src;
	c->dst = arg->dst;
	c->src_len = arg->src_len;
	c->dst_len = *arg->dst_len;
	c->why = NULL;
	c->hw = NULL;
	c->kind = s->kind;
	c->m.redo = overlaps(c) ? 0 : WD_REDO;
}

/* The header, which devices leave to software; 0, -EFAULT, -EBADMSG, -ENOSPC. */
static int msg_read_header(struct comp_msg *c)
{
	if (c->alg != WD_DEFLATE_RAW && !probe_recent(c))
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
	c->head = s->head;
	return c->dst_len < s->least ? -ENOSPC : 0;
}

static inline void arg_result(struct wd_comp_arg *arg, const struct comp_msg *c, int ret)
{
	*arg->dst_len = ret ? 0 : c->produced;
	arg->consumed = ret ? 0 : c->consumed;
	arg->status = ret ? comp_status(ret) : WD_COMP_OK;
	arg->path = c->m.path;
	arg->path_reason = c->m.reason;
}

static int do_empty(struct comp_msg *c)
{
	__u8 buf[32];
	size_t n = format_write_empty(c->alg, c->win, c->level, buf);

	if (c->dst_len < n)
		return -ENOSPC;
	if (!probe_mapped(c))
		return -EFAULT;
	if (c->sgl)
		list_copy_in(c->dst, 0, buf, n);
	else
		memcpy(c->dst, buf, n);
	c->produced = n;
	c->consumed = 0;
	return 0;
}

/* On this CPU, whatever the session is bound to. */
static int do_here(struct comp_sess *s, struct comp_msg *c, __u16 reason)
{
	int ret = s->s.cls->soft->exec(&c->m);

	wd_session_count_soft(&s->s, ret, c->consumed, c->produced);
	c->m.reason = reason;
	return ret;
}

/* More than one descriptor can do: a stream of our own, on one device. */
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
		return do_here(s, c, c->m.reason);
	if (!probe_mapped(c))
		return -EFAULT;
	h = hw_stream_alloc(s, q);
	if (!h)
		return -ENOMEM;
	list_walk_init(&e.in, c->sgl, c->src, c->src_len);
	list_walk_init(&e.out, c->sgl, c->dst, c->dst_len);
	do {
		ret = stream_run(h, NULL, &e, &t);
	} while (!ret);
	hw_stream_free(h);
	c->m.path = wd_queue_pub(q)->path;
	c->m.vendor = t.vendor;
	c->why = t.why;
	c->consumed = e.consumed;
	c->produced = e.produced;
	if (ret > 0)
		return 0;
	/* Its device went: whoever is left may do all of it again. */
	if ((ret == -ENODEV || ret == -EIO) && c->m.redo && s->s.soft_ok)
		ret = do_here(s, c, WD_REASON_GONE);
	return ret;
}

static int do_sync(struct comp_sess *s, struct comp_msg *c)
{
	bool empty = s->dir == WD_DIR_COMPRESS && !c->src_len;
	int ret = empty ? 0 : msg_header(s, c);

	if (__builtin_expect(empty || ret, 0)) {
		wd_session_soft(&s->s, c->src_len, &c->m.path, &c->m.reason);
		return empty ? do_empty(c) : ret;
	}
	ret = wd_request_sync(&s->s, &c->m, c->src_len);
	if (__builtin_expect(!ret, 1))
		return 0;
	/* The driver knows what a descriptor holds. */
	if (ret == -EFBIG || (ret == -ENOSPC && c->more_room && c->m.path != WD_PATH_SOFT))
		return do_stream(s, c);
	if (ret == -E2BIG && s->s.soft_ok)
		return do_here(s, c, WD_REASON_UNSUPPORTED);
	return ret;
}

static __attribute__((noinline)) int sync_refused(struct wd_comp_arg *arg, int ret)
{
	if (arg->dst_len)
		*arg->dst_len = 0;
	arg->consumed = 0;
	arg->status = comp_status(ret);
	arg->path = WD_PATH_NONE;
	arg->path_reason = 0;
	return ret;
}

static int comp_sync(handle_t sess, struct wd_comp_arg *arg, __u8 dir)
{
	struct comp_sess *s = to_comp_sess(wd_session_get(sess, &comp_class));
	struct comp_msg c;
	__u32 timeout;
	int ret;

	if (!s)
		return -EINVAL;
	if (!arg)
		return wd_fail(&s->s.obj, EINVAL, "arg is NULL");
	ret = comp_check_call(s, WD_SYNC, dir);
	if (!ret)
		ret = arg_check(s, arg);
	if (__builtin_expect(ret, 0))
		return sync_refused(arg, ret);
	msg_fill(s, arg, &c);
	timeout = arg->timeout_ms ? arg->timeout_ms : s->s.attr.timeout_ms;
	c.m.deadline = timeout ? wd_deadline(timeout) : 0;
	ret = do_sync(s, &c);
	arg_result(arg, &c, ret);
	return __builtin_expect(ret, 0) ? comp_fail(s, ret, c.why, c.m.vendor) : 0;
}

int wd_compress(handle_t sess, struct wd_comp_arg *arg)
{
	return comp_sync(sess, arg, WD_DIR_COMPRESS);
}

int wd_decompress(handle_t sess, struct wd_comp_arg *arg)
{
	return comp_sync(sess, arg, WD_DIR_DECOMPRESS);
}

/* --- asynchronous requests --- */

static int async_check(struct comp_sess *s, const struct wd_comp_arg *arg)
{
	if (!arg)
		return wd_fail(&s->s.obj, EINVAL, "arg is NULL");
	if (arg->src_len > COMP_MAX_BYTES)
		return wd_fail_num(&s->s.obj, EFBIG, "src_len %u is above %u, the most of an asynchronous request", arg->src_len,
				   COMP_MAX_BYTES);
	return arg_check(s, arg);
}

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
	c->head = aux;
}

static int comp_end(struct wd_msg *m)
{
	struct comp_msg *c = to_comp_msg(m);
	int ret = m->status;

	/* Room there is, but not for one descriptor. */
	if (ret == -ENOSPC && c->more_room && m->path != WD_PATH_SOFT)
		ret = -EFBIG;
	arg_result(m->req, c, ret);
	if (ret)
		comp_fail(to_comp_sess(m->sess), ret, c->why, m->vendor);
	return ret;
}

static void comp_complete(struct wd_msg *m)
{
	struct wd_comp_arg *arg = m->req;
	wd_alg_comp_cb_t *cb = arg->cb;

	comp_end(m);
	wd_request_over(m);
	cb(arg, arg->cb_param);
}

static int comp_work(struct wd_msg *m, struct wd_wc *wc)
{
	struct comp_msg *c = to_comp_msg(m);

	wc->wr_id = ((struct wd_comp_arg *)m->req)->wr_id;
	wc->opcode = c->dir == WD_DIR_COMPRESS ? WD_WC_COMPRESS : WD_WC_DECOMPRESS;
	wc->byte_len = c->produced;
	wc->consumed = c->consumed;
	return comp_end(m);
}

static size_t arg_bytes(const void *req)
{
	return ((const struct wd_comp_arg *)req)->src_len;
}

static __u32 arg_timeout(const void *req)
{
	return ((const struct wd_comp_arg *)req)->timeout_ms;
}

int wd_comp_async_burst(handle_t sess, struct wd_comp_arg *args[], int n, const wd_ctx_set_t *set)
{
	struct comp_sess *s = to_comp_sess(wd_session_get(sess, &comp_class));
	int good, ret = 0;

	if (!s)
		return -EINVAL;
	if (!args || n < 0)
		return wd_fail(&s->s.obj, EINVAL, args ? "n is negative" : "args is NULL");
	ret = comp_check_call(s, WD_ASYNC, s->dir);
	if (ret)
		return ret;
	for (good = 0; good < n; good++) {
		ret = async_check(s, args[good]);
		if (ret)
			break;
	}
	if (!good)
		return ret;
	ret = wd_request_async(&s->s, (void *const *)args, good, set);
	return ret == -EBUSY ? 0 : ret;
}

int wd_comp_async(handle_t sess, struct wd_comp_arg *arg, const wd_ctx_set_t *set)
{
	struct comp_sess *s = to_comp_sess(wd_session_get(sess, &comp_class));
	void *req = arg;
	int ret;

	if (!s)
		return -EINVAL;
	ret = comp_check_call(s, WD_ASYNC, s->dir);
	if (!ret)
		ret = async_check(s, arg);
	if (!ret)
		ret = wd_request_async(&s->s, &req, 1, set);
	return ret > 0 ? 0 : ret;
}

int wd_comp_poll(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set)
{
	return wd_class_poll(&comp_class, count, timeout_ms, set);
}

int wd_comp_wait(handle_t sess, unsigned int timeout_ms)
{
	struct wd_session *s = wd_session_get(sess, &comp_class);

	return s ? wd_session_wait(s, timeout_ms) : -EINVAL;
}

int wd_comp_wait_set(const wd_ctx_set_t *set, unsigned int timeout_ms)
{
	return wd_class_wait_set(&comp_class, set, timeout_ms);
}

int wd_comp_wakeup(handle_t sess)
{
	struct wd_session *s = wd_session_get(sess, &comp_class);

	return s ? wd_session_wakeup(s) : -EINVAL;
}

int wd_comp_wakeup_set(const wd_ctx_set_t *set)
{
	return wd_class_wakeup_set(&comp_class, set);
}

static const struct wd_driver *const comp_drivers[] = { &hisi_zip_driver, NULL };

const struct wd_class comp_class = {
	.name = "compression",
	.kind = WD_KIND_COMP,
	.what = "a compression session",
	.algs = comp_algs,
	.drivers = comp_drivers,
	.soft = &soft_deflate_driver,
	.fill = comp_fill,
	.refill = comp_refill,
	.bytes = arg_bytes,
	.timeout_ms = arg_timeout,
	.complete = comp_complete,
	.work = comp_work,
};
