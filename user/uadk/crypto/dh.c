// SPDX-License-Identifier: Apache-2.0
/* Diffie-Hellman. A request has its own p here, and a session has one in ours. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "own_dh.h"
#include "pubkey.h"
#include "uadk/wd_dh.h"

#define DH_BYTES	512u

struct dh_sess {
	struct uadk_sess sess;
	__u32 k;			/* bytes of p */
	bool g2;
	struct wd_dtb g;
	char g_bytes[DH_BYTES];
	/* Of the sessions of ours. */
	__u8 p[DH_BYTES];
	__u8 given_g[DH_BYTES];
	__u32 given_g_len;		/* 0: there are none */
};

struct dh_slot {
	struct uadk_slot slot;
	struct wd_dh_req req;
	struct own_dh_arg arg;
	size_t room;
	__u8 pv[DH_BYTES];
	__u8 dst[DH_BYTES];
};

UADK_REQUESTS(dh, status, WD_EINVAL)

static own_handle_t dh_make(struct uadk_sess *sess, unsigned int kind)
{
	const struct dh_sess *s = (const struct dh_sess *)sess;
	struct own_dh_sess_setup setup = {
		.p = { s->p, s->k },
		.g = { s->given_g, s->given_g_len },
		.op_type = kind & UADK_ASYNC ? OWN_ASYNC : OWN_SYNC,
		.flags = sess->flags,
	};

	return own_dh_alloc_sess(&setup, sess->mask);
}

/* Results have no leading zeroes. */
static void dh_finish(struct wd_dh_req *req, __u8 *dst, size_t made)
{
	struct wd_dtb result;

	number_get(&result, dst, (__u32)made);
	memcpy(req->pri, result.data, result.dsize);
	req->pri_bytes = (__u16)result.dsize;
	explicit_bzero(dst, made);
}

static void dh_deliver(struct uadk_slot *slot)
{
	struct dh_slot *s = (struct dh_slot *)slot;

	if (!s->req.status)
		dh_finish(&s->req, s->dst, s->room);
	s->req.cb(&s->req);
}

static const char *const dh_algs[] = { "dh", NULL };

static struct uadk_class dh_class = {
	.name = "dh",
	.nr = UADK_NR_dh,
	.env = "WD_DH_CTX_NUM",
	.algs = dh_algs,
	.sess_size = sizeof(struct dh_sess),
	.slot_size = sizeof(struct dh_slot),
	.make = dh_make,
	.send = dh_send,
	.deliver = dh_deliver,
	.free_sess = own_dh_free_sess,
	.poll = own_dh_poll,
};

UADK_CLASS_CALLS(dh, &dh_class)

/* The first request makes the session of ours. */
handle_t wd_dh_alloc_sess(struct wd_dh_sess_setup *setup)
{
	struct dh_sess *s;

	errno = WD_EINVAL;
	if (!setup || !setup->key_bits || setup->key_bits % 8 || setup->key_bits > DH_BYTES * 8)
		return 0;
	s = uadk_sess_new(&dh_class, "dh", setup->sched_param);
	if (!s)
		return 0;
	s->k = setup->key_bits / 8;
	s->g2 = setup->is_g2;
	s->g = (struct wd_dtb){ s->g_bytes, 0, s->k };
	if (s->g2) {
		s->g_bytes[0] = 2;
		s->g.dsize = 1;
	}
	return (handle_t)s;
}

int wd_dh_get_mode(handle_t sess, __u8 *alg_mode)
{
	if (!sess || !alg_mode)
		return -WD_EINVAL;
	*alg_mode = ((struct dh_sess *)sess)->g2;
	return 0;
}

__u32 wd_dh_key_bits(handle_t sess)
{
	return sess ? ((struct dh_sess *)sess)->k * 8 : 0;
}

int wd_dh_set_g(handle_t sess, struct wd_dtb *g)
{
	struct dh_sess *s = (struct dh_sess *)sess;

	if (!s || !number_given(g) || g->dsize > s->k || (s->g2 && (g->dsize != 1 || g->data[0] != 2)))
		return -WD_EINVAL;
	memcpy(s->g_bytes, g->data, g->dsize);
	s->g.dsize = g->dsize;
	return 0;
}

void wd_dh_get_g(handle_t sess, struct wd_dtb **g)
{
	if (sess && g)
		*g = &((struct dh_sess *)sess)->g;
}

/* Another p or g takes other sessions of ours. Return: 0, or -errno; -EBUSY while requests of the old are in flight. */
static int dh_group(struct dh_sess *s, const __u8 *p)
{
	int ret = 0;

	pthread_mutex_lock(&s->sess.lock);
	if (!s->given_g_len || memcmp(p, s->p, s->k) || s->given_g_len != s->g.dsize ||
	    memcmp(s->given_g, s->g_bytes, s->g.dsize)) {
		for (unsigned int kind = 0; kind < UADK_KINDS && !ret; kind++) {
			own_handle_t own = atomic_load(&s->sess.own[kind]);

			if (own)
				ret = own_dh_free_sess(own);
			if (!ret)
				atomic_store(&s->sess.own[kind], 0);
		}
		if (!ret) {
			memcpy(s->p, p, s->k);
			memcpy(s->given_g, s->g_bytes, s->g.dsize);
			s->given_g_len = s->g.dsize;
		}
	}
	pthread_mutex_unlock(&s->sess.lock);
	return ret;
}

static bool dh_refuse(handle_t sess, const struct wd_dh_req *req)
{
	const struct dh_sess *s = (const struct dh_sess *)sess;

	return !s || !req || !req->x_p || !req->pri || req->data_fmt != WD_FLAT_BUF ||
		(req->op_type != WD_DH_PHASE1 && req->op_type != WD_DH_PHASE2) ||
		(req->op_type == WD_DH_PHASE2 && (!req->pv || !req->pvbytes || req->pvbytes > s->k)) ||
		!req->xbytes || req->xbytes > s->k || !req->pbytes || req->pbytes > s->k || req->pri_bytes < s->k ||
		(req->op_type == WD_DH_PHASE1 && !s->g.dsize);
}

/* Return: 0, or -errno. @pv has k bytes. */
static int dh_begin(struct dh_sess *s, const struct wd_dh_req *req, unsigned int kind, struct own_dh_arg *arg,
		    __u8 *pv, own_handle_t *own)
{
	__u8 p[DH_BYTES];
	const struct wd_dtb p_of_req = { (char *)req->x_p + s->k, req->pbytes, req->pbytes };
	const struct wd_dtb pv_of_req = { req->pv, req->pvbytes, req->pvbytes };
	int ret;

	number_put(p, s->k, &p_of_req);
	/* Phase 2 needs no generator, and a session of ours needs any. */
	if (!s->g.dsize) {
		s->g_bytes[0] = 2;
		s->g.dsize = 1;
	}
	do {
		ret = dh_group(s, p);
	} while (ret == -EBUSY && uadk_drain(&dh_class));
	if (ret)
		return ret;
	*own = uadk_sess_own(&s->sess, kind);
	if (!*own)
		return -errno;
	arg->key = req->x_p;
	arg->key_len = req->xbytes;
	arg->op = req->op_type == WD_DH_PHASE1 ? OWN_DH_PUBLIC : OWN_DH_SHARED;
	if (req->op_type == WD_DH_PHASE2) {
		number_put(pv, s->k, &pv_of_req);
		arg->src = pv;
		arg->src_len = s->k;
	}
	return 0;
}

int wd_do_dh_sync(handle_t sess, struct wd_dh_req *req)
{
	struct dh_sess *s = (struct dh_sess *)sess;
	__u8 pv[DH_BYTES], dst[DH_BYTES];
	size_t room = sizeof(dst);
	struct own_dh_arg arg = { .dst = dst, .dst_len = &room };
	own_handle_t own;
	int ret;

	if (dh_refuse(sess, req))
		return -WD_EINVAL;
	ret = dh_begin(s, req, 0, &arg, pv, &own);
	if (!ret)
		ret = own_dh_sync(own, &arg);
	req->status = uadk_status(ret, WD_EINVAL);
	if (!ret)
		dh_finish(req, dst, room);
	return -req->status;
}

static int dh_begin_async(struct dh_sess *s, struct dh_slot *slot, own_handle_t *own)
{
	slot->room = sizeof(slot->dst);
	slot->arg.dst = slot->dst;
	slot->arg.dst_len = &slot->room;
	return dh_begin(s, &slot->req, UADK_ASYNC, &slot->arg, slot->pv, own);
}

UADK_ASYNC_CALL(dh, false, WD_EINVAL)
