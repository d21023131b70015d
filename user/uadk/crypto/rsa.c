// SPDX-License-Identifier: Apache-2.0
/* RSA's bare primitives, and the making of keys. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "rsa.h"

struct wd_rsa_kg_in {
	__u32 k;
	struct wd_dtb e, p, q;
	__u8 src[];			/* e, p, q, as ours has them */
};

struct wd_rsa_kg_out {
	__u32 k;
	struct wd_dtb d, n, qinv, dq, dp;
	__u8 dst[];			/* the same numbers in this order */
};

struct rsa_slot {
	struct uadk_slot slot;
	struct wd_rsa_req req;
	struct own_rsa_arg arg;
	size_t room;
};

UADK_REQUESTS(rsa, status, WD_EIO)

static own_handle_t rsa_make(struct uadk_sess *sess, unsigned int kind)
{
	struct rsa_sess *s = (struct rsa_sess *)sess;
	struct own_rsa_sess_setup setup = {
		.key_bits = s->k * 8,
		.op_type = kind & UADK_ASYNC ? OWN_ASYNC : OWN_SYNC,
		.flags = sess->flags,
	};
	own_handle_t own = own_rsa_alloc_sess(&setup, sess->mask);
	int ret = own && s->state.fresh ? rsa_key_give(sess, own) : 0;

	return uadk_sess_made(sess, own, ret);
}

static void rsa_wipe(struct uadk_sess *sess)
{
	struct rsa_sess *s = (struct rsa_sess *)sess;

	pubkey_state_wipe(&s->state);
	free(s->key);
}

static void kg_out_fill(struct wd_rsa_kg_out *out, bool crt)
{
	__u8 *at = out->dst;
	__u32 k = out->k;

	number_get(&out->d, at, k);
	number_get(&out->n, at + k, k);
	if (!crt)
		return;
	at += (size_t)2 * k;
	number_get(&out->qinv, at, k / 2);
	number_get(&out->dq, at + k / 2, k / 2);
	number_get(&out->dp, at + k, k / 2);
}

static void rsa_finish(const struct rsa_sess *s, struct wd_rsa_req *req, size_t made)
{
	if (req->op_type == WD_RSA_GENKEY)
		kg_out_fill(req->dst, s->crt);
	else
		req->dst_bytes = (__u32)made;
}

static void rsa_deliver(struct uadk_slot *slot)
{
	struct rsa_slot *s = (struct rsa_slot *)slot;

	if (!s->req.status)
		rsa_finish((struct rsa_sess *)uadk_slot_sess(slot), &s->req, s->room);
	s->req.cb(&s->req);
}

static const char *const rsa_algs[] = { "rsa", NULL };

static struct uadk_class rsa_class = {
	.name = "rsa",
	.nr = UADK_NR_rsa,
	.env = "WD_RSA_CTX_NUM",
	.algs = rsa_algs,
	.sess_size = sizeof(struct rsa_sess),
	.slot_size = sizeof(struct rsa_slot),
	.make = rsa_make,
	.wipe = rsa_wipe,
	.send = rsa_send,
	.deliver = rsa_deliver,
	.free_sess = own_rsa_free_sess,
	.poll = own_rsa_poll,
};

UADK_CLASS_CALLS(rsa, &rsa_class)

/* Each number gets k bytes, which the program may fill itself. */
static int rsa_key_init(struct rsa_sess *s)
{
	size_t len = sizeof(*s->key) + (size_t)RSA_NUMBERS * s->k;
	struct wd_dtb *numbers;

	s->key = calloc(1, len);
	if (!s->key)
		return -ENOMEM;
	numbers = &s->key->pub.e;
	for (unsigned int i = 0; i < RSA_NUMBERS; i++)
		numbers[i] = (struct wd_dtb){ s->key->bytes + (size_t)i * s->k, 0, s->k };
	return pubkey_state_init(&s->state, s->key, len);
}
_Static_assert(offsetof(struct rsa_key, bytes) == RSA_NUMBERS * sizeof(struct wd_dtb), "numbers follow each other");

handle_t wd_rsa_alloc_sess(struct wd_rsa_sess_setup *setup)
{
	struct rsa_sess *s;
	int ret;

	errno = WD_EINVAL;
	if (!setup || setup->key_bits % 16)
		return 0;
	s = uadk_sess_new(&rsa_class, "rsa", setup->sched_param);
	if (!s)
		return 0;
	s->k = setup->key_bits / 8;
	s->crt = setup->is_crt;
	ret = uadk_sess_begin(&s->sess, 0);
	if (!ret)
		ret = rsa_key_init(s);
	return uadk_sess_ready(&s->sess, ret);
}

bool wd_rsa_is_crt(handle_t sess)
{
	return sess && ((struct rsa_sess *)sess)->crt;
}

__u32 wd_rsa_get_key_bits(handle_t sess)
{
	return sess ? ((struct rsa_sess *)sess)->k * 8 : 0;
}

void wd_rsa_get_pubkey(handle_t sess, struct wd_rsa_pubkey **pubkey)
{
	if (sess && pubkey)
		*pubkey = &((struct rsa_sess *)sess)->key->pub;
}

void wd_rsa_get_prikey(handle_t sess, struct wd_rsa_prikey **prikey)
{
	if (sess && prikey)
		*prikey = &((struct rsa_sess *)sess)->key->pri;
}

static int set(struct wd_dtb *to, const struct wd_dtb *from)
{
	if (!from)
		return 0;
	if (!number_given(from) || from->dsize > to->bsize)
		return -WD_EINVAL;
	memcpy(to->data, from->data, from->dsize);
	to->dsize = from->dsize;
	return 0;
}

int wd_rsa_set_pubkey_params(handle_t sess, struct wd_dtb *e, struct wd_dtb *n)
{
	struct rsa_sess *s = (struct rsa_sess *)sess;

	return s && !set(&s->key->pub.e, e) && !set(&s->key->pub.n, n) ? 0 : -WD_EINVAL;
}

int wd_rsa_set_prikey_params(handle_t sess, struct wd_dtb *d, struct wd_dtb *n)
{
	struct rsa_sess *s = (struct rsa_sess *)sess;

	return s && !s->crt && !set(&s->key->pri.d, d) && !set(&s->key->pri.n, n) ? 0 : -WD_EINVAL;
}

int wd_rsa_set_crt_prikey_params(handle_t sess, struct wd_dtb *dq, struct wd_dtb *dp, struct wd_dtb *qinv,
				 struct wd_dtb *q, struct wd_dtb *p)
{
	struct rsa_sess *s = (struct rsa_sess *)sess;
	struct wd_rsa_prikey *pri = s && s->crt ? &s->key->pri : NULL;

	return pri && dq && dp && qinv && q && p && !set(&pri->dq, dq) && !set(&pri->dp, dp) &&
		!set(&pri->qinv, qinv) && !set(&pri->q, q) && !set(&pri->p, p) ? 0 : -WD_EINVAL;
}

static void get(struct wd_dtb **to, struct wd_dtb *from)
{
	if (to)
		*to = from;
}

void wd_rsa_get_pubkey_params(struct wd_rsa_pubkey *pbk, struct wd_dtb **e, struct wd_dtb **n)
{
	if (!pbk)
		return;
	get(e, &pbk->e);
	get(n, &pbk->n);
}

void wd_rsa_get_prikey_params(struct wd_rsa_prikey *pvk, struct wd_dtb **d, struct wd_dtb **n)
{
	if (!pvk)
		return;
	get(d, &pvk->d);
	get(n, &pvk->n);
}

void wd_rsa_get_crt_prikey_params(struct wd_rsa_prikey *pvk, struct wd_dtb **dq, struct wd_dtb **dp,
				  struct wd_dtb **qinv, struct wd_dtb **q, struct wd_dtb **p)
{
	if (!pvk)
		return;
	get(dq, &pvk->dq);
	get(dp, &pvk->dp);
	get(qinv, &pvk->qinv);
	get(q, &pvk->q);
	get(p, &pvk->p);
}

struct wd_rsa_kg_in *wd_rsa_new_kg_in(handle_t sess, struct wd_dtb *e, struct wd_dtb *p, struct wd_dtb *q)
{
	const struct rsa_sess *s = (const struct rsa_sess *)sess;
	struct wd_rsa_kg_in *in;

	if (!s || !number_given(e) || !number_given(p) || !number_given(q))
		return NULL;
	in = calloc(1, sizeof(*in) + (size_t)2 * s->k);
	if (!in)
		return NULL;
	in->k = s->k;
	if (!number_put(in->src, in->k, e) || !number_put(in->src + in->k, in->k / 2, p) ||
	    !number_put(in->src + in->k + in->k / 2, in->k / 2, q)) {
		free(in);
		return NULL;
	}
	number_get(&in->e, in->src, in->k);
	number_get(&in->p, in->src + in->k, in->k / 2);
	number_get(&in->q, in->src + in->k + in->k / 2, in->k / 2);
	return in;
}

void wd_rsa_del_kg_in(handle_t sess, struct wd_rsa_kg_in *ki)
{
	(void)sess;
	if (ki)
		explicit_bzero(ki->src, (size_t)2 * ki->k);
	free(ki);
}

static void give(struct wd_dtb *to, const struct wd_dtb *from)
{
	if (to)
		*to = *from;
}

void wd_rsa_get_kg_in_params(struct wd_rsa_kg_in *kin, struct wd_dtb *e, struct wd_dtb *q, struct wd_dtb *p)
{
	if (!kin)
		return;
	give(e, &kin->e);
	give(q, &kin->q);
	give(p, &kin->p);
}

static size_t kg_out_bytes(__u32 k, bool crt)
{
	return (size_t)2 * k + (crt ? k / 2 * 3 : 0);
}

struct wd_rsa_kg_out *wd_rsa_new_kg_out(handle_t sess)
{
	const struct rsa_sess *s = (const struct rsa_sess *)sess;
	struct wd_rsa_kg_out *out = s ? calloc(1, sizeof(*out) + kg_out_bytes(s->k, true)) : NULL;

	if (out)
		out->k = s->k;
	return out;
}

void wd_rsa_del_kg_out(handle_t sess, struct wd_rsa_kg_out *kout)
{
	(void)sess;
	if (kout)
		explicit_bzero(kout->dst, kg_out_bytes(kout->k, true));
	free(kout);
}

void wd_rsa_get_kg_out_params(struct wd_rsa_kg_out *kout, struct wd_dtb *d, struct wd_dtb *n)
{
	if (!kout)
		return;
	give(d, &kout->d);
	give(n, &kout->n);
}

void wd_rsa_get_kg_out_crt_params(struct wd_rsa_kg_out *kout, struct wd_dtb *qinv, struct wd_dtb *dq,
				  struct wd_dtb *dp)
{
	if (!kout)
		return;
	give(qinv, &kout->qinv);
	give(dq, &kout->dq);
	give(dp, &kout->dp);
}

static int rsa_arg_fill(struct own_rsa_arg *arg, const struct rsa_sess *s, const struct wd_rsa_req *req, size_t *room)
{
	arg->dst_len = room;
	if (req->op_type == WD_RSA_GENKEY) {
		struct wd_rsa_kg_in *in = req->src;
		struct wd_rsa_kg_out *out = req->dst;

		if (in->k != s->k || out->k != s->k)
			return -EINVAL;
		arg->op = s->crt ? OWN_RSA_GENKEY_CRT : OWN_RSA_GENKEY;
		arg->src = in->src;
		arg->src_len = (size_t)2 * s->k;
		arg->dst = out->dst;
		*room = kg_out_bytes(s->k, s->crt);
		return 0;
	}
	if (req->src_bytes != s->k || req->dst_bytes < s->k)
		return -EINVAL;
	arg->op = req->op_type == WD_RSA_SIGN ? OWN_RSA_SIGN : OWN_RSA_VERIFY;
	arg->src = req->src;
	arg->src_len = s->k;
	arg->dst = req->dst;
	*room = req->dst_bytes;
	return 0;
}

/* Finds the session of ours, gives it the key, and fills in the request. Return: 0, or -errno. */
static int rsa_begin(struct rsa_sess *s, const struct wd_rsa_req *req, unsigned int kind, struct own_rsa_arg *arg,
		     size_t *room, own_handle_t *own)
{
	int ret;

	*own = uadk_sess_own(&s->sess, kind);
	if (!*own)
		return -errno;
	ret = rsa_arg_fill(arg, s, req, room);
	if (!ret && req->op_type != WD_RSA_GENKEY)
		ret = pubkey_refresh(&s->sess, &s->state, rsa_key_give);
	return ret;
}

static bool rsa_refuse(handle_t sess, const struct wd_rsa_req *req)
{
	return !sess || !req || !req->src || !req->dst || req->data_fmt != WD_FLAT_BUF ||
		req->op_type < WD_RSA_SIGN || req->op_type > WD_RSA_GENKEY;
}

int wd_do_rsa_sync(handle_t sess, struct wd_rsa_req *req)
{
	struct rsa_sess *s = (struct rsa_sess *)sess;
	struct own_rsa_arg arg = { 0 };
	own_handle_t own;
	size_t room;
	int ret;

	if (rsa_refuse(sess, req))
		return -WD_EINVAL;
	ret = rsa_begin(s, req, 0, &arg, &room, &own);
	if (!ret)
		ret = own_rsa_sync(own, &arg);
	req->status = uadk_status(ret, WD_EIO);
	if (!ret)
		rsa_finish(s, req, room);
	return -req->status;
}

static int rsa_begin_async(struct rsa_sess *s, struct rsa_slot *slot, own_handle_t *own)
{
	return rsa_begin(s, &slot->req, UADK_ASYNC, &slot->arg, &slot->room, own);
}

UADK_ASYNC_CALL(rsa, false, WD_EIO)

/* Of drivers only. */
int wd_rsa_kg_in_data(struct wd_rsa_kg_in *ki, char **data)
{
	(void)ki, (void)data;
	UADK_REFUSE();
	return -WD_EINVAL;
}

int wd_rsa_kg_out_data(struct wd_rsa_kg_out *ko, char **data)
{
	(void)ko, (void)data;
	UADK_REFUSE();
	return -WD_EINVAL;
}

void wd_rsa_set_kg_out_crt_psz(struct wd_rsa_kg_out *kout, size_t qinv_sz, size_t dq_sz, size_t dp_sz)
{
	(void)kout, (void)qinv_sz, (void)dq_sz, (void)dp_sz;
	UADK_REFUSE();
}

void wd_rsa_set_kg_out_psz(struct wd_rsa_kg_out *kout, size_t d_sz, size_t n_sz)
{
	(void)kout, (void)d_sz, (void)n_sz;
	UADK_REFUSE();
}
