// SPDX-License-Identifier: Apache-2.0
/* Compression of whole buffers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "comp.h"
#include "lists.h"

struct comp_slot {
	struct uadk_slot slot;
	struct wd_comp_req req;
	struct own_comp_arg arg;
	size_t room;
};

_Static_assert(offsetof(struct wd_comp_req, data_fmt) == offsetof(struct wd_comp_req, op_type) + 4 &&
	       sizeof(((struct wd_comp_req *)NULL)->data_fmt) == 4 && WD_FLAT_BUF == 0 &&
	       __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a direction and flat buffers are one number");

/* The names that devices have, by UADK's numbers; "": none. */
static const char *const comp_algs[] = {
	[WD_DEFLATE] = "deflate",
	[WD_ZLIB] = "zlib",
	[WD_GZIP] = "gzip",
	[WD_LZ77_ZSTD] = "",
	[WD_LZ4] = "lz4",
	NULL
};

static const __u8 own_algs[] = {
	[WD_DEFLATE] = OWN_DEFLATE_RAW,
	[WD_ZLIB] = OWN_ZLIB,
	[WD_GZIP] = OWN_GZIP,
	[WD_LZ4] = OWN_LZ4,
};

static own_handle_t comp_make(struct uadk_sess *sess, unsigned int kind)
{
	const struct comp_sess *s = (const struct comp_sess *)sess;
	struct own_comp_sess_setup setup = {
		.alg_type = s->alg,
		.op_type = kind & UADK_ASYNC ? OWN_ASYNC : OWN_SYNC,
		.dir_type = kind & UADK_DECOMPRESS ? OWN_DIR_DECOMPRESS : OWN_DIR_COMPRESS,
		.comp_lv = s->level,
		.win_size = s->window,
		.data_fmt = kind & UADK_LISTS ? OWN_SGL_BUF : OWN_FLAT_BUF,
		/* Those of LZ4 are whole blocks, without a frame. */
		.flags = sess->flags | (s->alg == OWN_LZ4 ? OWN_COMP_SESS_BLOCK : 0),
	};

	return own_comp_alloc_sess(&setup, sess->mask);
}

static int comp_send(struct uadk_slot *slot, own_handle_t own)
{
	return own_comp_async(own, &((struct comp_slot *)slot)->arg, NULL);
}

static void comp_deliver(struct uadk_slot *slot)
{
	struct comp_slot *s = (struct comp_slot *)slot;

	s->req.src_len = (__u32)s->arg.consumed;
	s->req.dst_len = (__u32)s->room;
	s->req.cb(&s->req, s->req.cb_param);
}

static __attribute__((cold, noinline)) void comp_failed(struct comp_slot *s)
{
	int status = s->arg.status;

	s->req.status = (__u32)uadk_status(status == OWN_COMP_PARMS ? -EINVAL : status == OWN_DATA_ERR ? -EBADMSG :
					   status == OWN_COMP_OUT_NOSPACE ? -ENOSPC : status, WD_IN_EPARA);
	uadk_slot_over(&s->slot);
}

static void comp_done(struct own_comp_arg *arg, void *param)
{
	struct comp_slot *s = param;

	if (__builtin_expect(arg->status, 0)) {
		comp_failed(s);
		return;
	}
	s->req.status = 0;
	uadk_slot_done(&s->slot, true, comp_deliver);
}

/* It would do for each request. */
static void comp_lists_done(struct own_comp_arg *arg, void *param)
{
	arg->cb = comp_done;
	uadk_extra_free(&((struct comp_slot *)param)->slot);
	comp_done(arg, param);
}

/* Requests write nothing else but what differs between them. */
static void comp_slot_init(struct uadk_slot *slot)
{
	struct comp_slot *s = (struct comp_slot *)slot;

	s->arg.cb = comp_done;
	s->arg.cb_param = s;
	s->arg.dst_len = &s->room;
}

struct uadk_class comp_class = {
	.name = "comp",
	.nr = UADK_NR_comp,
	.env = "WD_COMP_CTX_NUM",
	.algs = comp_algs,
	.sess_size = sizeof(struct comp_sess),
	.slot_size = sizeof(struct comp_slot),
	.make = comp_make,
	.slot_init = comp_slot_init,
	.send = comp_send,
	.deliver = comp_deliver,
	.free_sess = own_comp_free_sess,
	.poll = own_comp_poll,
};

UADK_CLASS_CALLS(comp, &comp_class)

/* mm_ops and mm_type aren't read: callers leave them undefined. */
handle_t wd_comp_alloc_sess(struct wd_comp_sess_setup *setup)
{
	bool back = setup && setup->op_type == WD_DIR_DECOMPRESS;
	struct comp_sess *s;

	if (setup && (setup->alg_type >= sizeof(own_algs) || !*comp_algs[setup->alg_type]))
		return uadk_sess_refused(&comp_class, setup->alg_type, 0);
	if (!setup || setup->op_type >= WD_DIR_MAX ||
	    (!back && (setup->comp_lv > WD_COMP_L15 || setup->win_sz > WD_COMP_WS_32K))) {
		errno = WD_EINVAL;
		return 0;
	}
	s = uadk_sess_new(&comp_class, comp_algs[setup->alg_type], setup->sched_param);
	if (!s)
		return 0;
	s->alg = own_algs[setup->alg_type];
	/* A session that decompresses may compress, too, with what its setup didn't say. */
	s->level = back || !setup->comp_lv ? WD_COMP_L6 : (__u8)setup->comp_lv;
	s->window = back ? OWN_COMP_WS_32K : (__u16)setup->win_sz;
	return uadk_sess_ready(&s->sess, uadk_sess_begin(&s->sess, back ? UADK_DECOMPRESS : 0));
}

static bool comp_refuse(handle_t h_sess, const struct wd_comp_req *req)
{
	return !h_sess || !req || !req->src_len || !req->src || !req->dst ||
		((unsigned int)req->op_type | (unsigned int)req->data_fmt) > 1;
}

/* Lists are copied to *@block, which lasts as long as the request. Return: 0, -WD_ENOMEM. */
static int comp_arg_fill(struct own_comp_arg *arg, const struct wd_comp_req *req, size_t *room, void **block)
{
	struct own_datalist *src, *dst;

	*room = req->dst_len;
	arg->src = req->src;
	arg->src_len = req->src_len;
	arg->dst = req->dst;
	arg->dst_len = room;
	if (req->data_fmt == WD_FLAT_BUF)
		return 0;
	*block = uadk_lists(req->list_src, &src, req->list_dst, &dst);
	if (!*block)
		return -WD_ENOMEM;
	arg->src = src;
	arg->dst = dst;
	return 0;
}

static inline int comp_run(struct comp_sess *s, struct own_comp_arg *arg, unsigned int kind)
{
	own_handle_t own = uadk_sess_own(&s->sess, kind);

	if (!own)
		return -errno;
	return kind & UADK_DECOMPRESS ? own_decompress(own, arg) : own_compress(own, arg);
}

static int comp_lists(struct comp_sess *s, struct wd_comp_req *req, struct own_comp_arg *arg, size_t *room)
{
	void *block = NULL;
	int ret = comp_arg_fill(arg, req, room, &block);

	if (!ret)
		ret = comp_run(s, arg, comp_kind(req) | UADK_LISTS);
	free(block);
	return ret;
}

int wd_do_comp_sync(handle_t h_sess, struct wd_comp_req *req)
{
	struct comp_sess *s = (struct comp_sess *)h_sess;
	size_t room;
	struct own_comp_arg arg = { .dst_len = &room };
	int ret;

	if (comp_refuse(h_sess, req) || req->cb)
		return -WD_EINVAL;
	if (req->data_fmt == WD_FLAT_BUF) {
		room = req->dst_len;
		arg.src = req->src;
		arg.src_len = req->src_len;
		arg.dst = req->dst;
		ret = comp_run(s, &arg, comp_kind(req));
	} else {
		ret = comp_lists(s, req, &arg, &room);
	}
	req->status = (__u32)uadk_status(ret, WD_IN_EPARA);
	if (ret)
		return -(int)req->status;
	req->src_len = (__u32)arg.consumed;
	req->dst_len = (__u32)room;
	return 0;
}

int wd_do_comp_sync2(handle_t h_sess, struct wd_comp_req *req)
{
	return wd_do_comp_sync(h_sess, req);
}

static unsigned int comp_async_kind(const struct wd_comp_req *req)
{
	return UADK_ASYNC | comp_kind(req) | (req->data_fmt == WD_SGL_BUF ? UADK_LISTS : 0);
}

static __attribute__((cold, noinline)) int comp_again(struct comp_slot *s, int ret)
{
	own_handle_t own = uadk_sess_own(uadk_slot_sess(&s->slot), comp_async_kind(&s->req));

	return uadk_submit_again(&s->slot, own, ret, WD_IN_EPARA);
}

static int comp_async(struct comp_sess *sess, const struct wd_comp_req *req)
{
	struct comp_slot *s;
	own_handle_t own;
	int ret;

	if (comp_refuse((handle_t)sess, req) || !req->cb || !req->cb_param)
		return -WD_EINVAL;
	own = uadk_sess_own(&sess->sess, comp_async_kind(req));
	if (!own)
		return -uadk_status(-errno, WD_EINVAL);
	s = uadk_slot_take(&sess->sess);
	if (!s)
		return -WD_EBUSY;
	s->req = *req;
	if (req->data_fmt == WD_SGL_BUF)
		s->arg.cb = comp_lists_done;
	ret = comp_arg_fill(&s->arg, req, &s->room, &s->slot.extra);
	if (ret)
		return uadk_submit_not(&s->slot, ret, WD_IN_EPARA);
	ret = comp_send(&s->slot, own);
	return ret ? comp_again(s, ret) : 0;
}

/* The usual case, in which ours refuses buffers that are NULL. */
int wd_do_comp_async(handle_t h_sess, struct wd_comp_req *req)
{
	struct comp_sess *sess = (struct comp_sess *)h_sess;
	struct comp_slot *s = (struct comp_slot *)uadk_thread.at[UADK_NR_comp];
	own_handle_t own;
	__u64 op_and_fmt;
	size_t len;
	int ret;

	if (__builtin_expect(!sess || !req, 0))
		return -WD_EINVAL;
	/* Flat buffers of either direction: both members in one comparison. */
	memcpy(&op_and_fmt, &req->op_type, sizeof(op_and_fmt));
	len = req->src_len;
	if (__builtin_expect(!len || op_and_fmt > WD_DIR_DECOMPRESS || !req->cb || !req->cb_param ||
			     !uadk_slot_is_free(&s->slot), 0))
		return comp_async(sess, req);
	own = atomic_load_explicit(&sess->sess.own[UADK_ASYNC + op_and_fmt * UADK_DECOMPRESS], memory_order_acquire);
	if (__builtin_expect(!own, 0))
		return comp_async(sess, req);
	uadk_thread.at[UADK_NR_comp] = s->slot.next;
	uadk_slot_set(&s->slot, &sess->sess);
	s->req = *req;
	s->arg.src = req->src;
	s->arg.src_len = len;
	s->arg.dst = req->dst;
	s->room = req->dst_len;
	ret = comp_send(&s->slot, own);
	if (__builtin_expect(ret, 0))
		return comp_again(s, ret);
	return ret;
}
