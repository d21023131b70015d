// SPDX-License-Identifier: Apache-2.0
/* Authenticated encryption, of whole messages and, with GCM, of parts. */
#include <errno.h>
#include <stdlib.h>

#include "key.h"
#include "own_aead.h"
#include "uadk/wd_aead.h"

struct aead_sess {
	struct uadk_sess sess;
	struct own_aead_sess_setup setup;
	__u16 authsize;			/* 0: the largest */
	struct crypto_key ckey;
	struct crypto_key akey;
};

struct aead_slot {
	struct uadk_slot slot;
	struct wd_aead_req req;
	struct own_aead_arg arg;
	size_t room;
};

UADK_REQUESTS(aead, state, WD_VERIFY_ERR)

static own_handle_t aead_make(struct uadk_sess *sess, unsigned int kind)
{
	struct aead_sess *s = (struct aead_sess *)sess;
	struct own_aead_sess_setup setup = s->setup;
	own_handle_t own;
	int ret;

	setup.op_type = kind & UADK_ASYNC ? OWN_ASYNC : OWN_SYNC;
	setup.data_fmt = kind & UADK_LISTS ? OWN_SGL_BUF : OWN_FLAT_BUF;
	setup.flags = sess->flags;
	own = own_aead_alloc_sess(&setup, sess->mask);
	if (!own)
		return 0;
	ret = crypto_key_give(&s->ckey, own, own_aead_set_ckey);
	if (!ret)
		ret = crypto_key_give(&s->akey, own, own_aead_set_akey);
	if (!ret && s->authsize)
		ret = own_aead_set_authsize(own, s->authsize);
	return uadk_sess_made(sess, own, ret);
}

static void aead_wipe(struct uadk_sess *sess)
{
	crypto_key_wipe(&((struct aead_sess *)sess)->ckey);
	crypto_key_wipe(&((struct aead_sess *)sess)->akey);
}

CRYPTO_DELIVER(aead)

static const char *const aead_algs[] = { "aead", NULL };

static struct uadk_class aead_class = {
	.name = "aead",
	.nr = UADK_NR_aead,
	.env = "WD_AEAD_CTX_NUM",
	.algs = aead_algs,
	.sess_size = sizeof(struct aead_sess),
	.slot_size = sizeof(struct aead_slot),
	.make = aead_make,
	.wipe = aead_wipe,
	.send = aead_send,
	.deliver = aead_deliver,
	.free_sess = own_aead_free_sess,
	.poll = own_aead_poll,
};

UADK_CLASS_CALLS(aead, &aead_class)

_Static_assert((int)WD_CIPHER_GCM == (int)OWN_CIPHER_GCM, "modes have the same numbers");

handle_t wd_aead_alloc_sess(struct wd_aead_sess_setup *setup)
{
	bool cbc = setup && setup->cmode == WD_CIPHER_CBC;
	struct aead_sess *s;

	errno = WD_EINVAL;
	if (!setup)
		return 0;
	if (setup->calg >= WD_CIPHER_ALG_TYPE_MAX || setup->cmode >= WD_CIPHER_XTS_GB ||
	    (cbc && (setup->dalg > WD_DIGEST_SHA512_256 || setup->dmode >= WD_DIGEST_MODE_MAX)))
		return uadk_sess_refused(&aead_class, setup->calg, setup->cmode);
	s = uadk_sess_new(&aead_class, "aead", setup->sched_param);
	if (!s)
		return 0;
	/* Only CBC has a digest; with other modes programs leave its members undefined. */
	s->setup = (struct own_aead_sess_setup){
		.calg = (__u8)setup->calg,
		.cmode = (__u8)setup->cmode,
		.dalg = cbc ? (__u8)setup->dalg : 0,
		.dmode = cbc ? (__u8)setup->dmode : 0,
	};
	return uadk_sess_ready_alg(&s->sess, uadk_sess_begin(&s->sess, 0), setup->calg, setup->cmode);
}

int wd_aead_set_ckey(handle_t h_sess, const __u8 *key, __u16 key_len)
{
	struct aead_sess *s = (struct aead_sess *)h_sess;

	if (!h_sess || !key || !key_len)
		return -WD_EINVAL;
	return crypto_key_set(&s->sess, &s->ckey, key, key_len, own_aead_set_ckey);
}

int wd_aead_set_akey(handle_t h_sess, const __u8 *key, __u16 key_len)
{
	struct aead_sess *s = (struct aead_sess *)h_sess;

	if (!h_sess || !key || !key_len)
		return -WD_EINVAL;
	return crypto_key_set(&s->sess, &s->akey, key, key_len, own_aead_set_akey);
}

int wd_aead_set_authsize(handle_t h_sess, __u16 authsize)
{
	struct aead_sess *s = (struct aead_sess *)h_sess;
	int ret = 0;

	if (!h_sess)
		return -WD_EINVAL;
	pthread_mutex_lock(&s->sess.lock);
	for (unsigned int kind = 0; kind < UADK_KINDS && !ret; kind++) {
		own_handle_t own = atomic_load(&s->sess.own[kind]);

		if (own)
			ret = own_aead_set_authsize(own, authsize);
	}
	if (!ret)
		s->authsize = authsize;
	pthread_mutex_unlock(&s->sess.lock);
	return -uadk_status(ret, WD_EINVAL);
}

/* Any of the sessions of ours; the first is made with the session. */
static own_handle_t aead_any(const struct aead_sess *s)
{
	own_handle_t own = 0;

	for (unsigned int kind = 0; kind < UADK_KINDS && !own; kind++)
		own = atomic_load(&s->sess.own[kind]);
	return own;
}

int wd_aead_get_authsize(handle_t h_sess)
{
	return h_sess ? own_aead_get_authsize(aead_any((struct aead_sess *)h_sess)) : -WD_EINVAL;
}

int wd_aead_get_maxauthsize(handle_t h_sess)
{
	return h_sess ? own_aead_get_maxauthsize(aead_any((struct aead_sess *)h_sess)) : -WD_EINVAL;
}

/* The first part may have no data, and then no destination. */
static bool aead_refuse(handle_t h_sess, const struct wd_aead_req *req)
{
	__u64 all;

	if (!h_sess || !req || req->op_type > WD_CIPHER_DECRYPTION_DIGEST || req->data_fmt > WD_SGL_BUF ||
	    req->msg_state >= AEAD_MSG_INVALID)
		return true;
	all = (__u64)req->in_bytes + (req->msg_state <= AEAD_MSG_FIRST ? req->assoc_bytes : 0);
	if (all > UINT32_MAX || (all && !req->src))
		return true;
	if (req->msg_state == AEAD_MSG_FIRST && !req->in_bytes)
		return false;
	return (all && !req->dst) || req->out_bytes < all;
}

static int aead_arg_fill(struct own_aead_arg *arg, const struct wd_aead_req *req, size_t *room, void **block)
{
	bool begins = req->msg_state <= AEAD_MSG_FIRST;

	arg->assoc_len = begins ? req->assoc_bytes : 0;
	arg->src = req->src;
	arg->src_len = (size_t)req->in_bytes + arg->assoc_len;
	arg->dst = req->dst;
	*room = arg->src_len;
	arg->dst_len = room;
	arg->iv = begins ? req->iv : NULL;
	arg->iv_len = begins ? req->iv_bytes : 0;
	arg->op = req->op_type;
	arg->mac = req->mac;
	arg->mac_len = req->mac_bytes;
	return crypto_buffers(&arg->src, &arg->dst, req->data_fmt == WD_SGL_BUF, block);
}

static int aead_run(own_handle_t own, const struct wd_aead_req *req, struct own_aead_arg *arg)
{
	/* Ours copies what is only authenticated. */
	void *none = req->msg_state == AEAD_MSG_FIRST && !req->in_bytes && arg->src_len &&
		req->data_fmt == WD_FLAT_BUF ? malloc(arg->src_len) : NULL;
	int ret;

	if (none)
		arg->dst = none;
	if (req->msg_state == AEAD_MSG_BLOCK)
		ret = own_aead_sync(own, arg);
	else if (req->msg_state == AEAD_MSG_END)
		ret = own_aead_final(own, arg);
	else
		ret = own_aead_update(own, arg);
	free(none);
	if (ret && ret != -EBUSY && req->msg_state != AEAD_MSG_BLOCK)
		own_aead_reset_sess(own);
	return ret;
}

int wd_do_aead_sync(handle_t h_sess, struct wd_aead_req *req)
{
	struct aead_sess *s = (struct aead_sess *)h_sess;
	struct own_aead_arg arg = { 0 };
	own_handle_t own;
	void *block = NULL;
	size_t room;
	int ret;

	if (aead_refuse(h_sess, req))
		return -WD_EINVAL;
	own = uadk_sess_own(&s->sess, req->data_fmt == WD_SGL_BUF ? UADK_LISTS : 0);
	ret = own ? aead_arg_fill(&arg, req, &room, &block) : -errno;
	if (!ret)
		ret = aead_run(own, req, &arg);
	if (block)
		free(block);
	req->state = (__u16)uadk_status(ret, WD_VERIFY_ERR);
	return ret ? -(int)req->state : 0;
}

static int aead_begin_async(struct aead_sess *sess, struct aead_slot *slot, own_handle_t *own)
{
	*own = uadk_sess_own(&sess->sess, UADK_ASYNC | (slot->req.data_fmt == WD_SGL_BUF ? UADK_LISTS : 0));
	return *own ? aead_arg_fill(&slot->arg, &slot->req, &slot->room, &slot->slot.extra) : -errno;
}

/* A message in parts is synchronous. */
UADK_ASYNC_CALL(aead, req->msg_state != AEAD_MSG_BLOCK, WD_VERIFY_ERR)
