// SPDX-License-Identifier: Apache-2.0
/* Block ciphers. */
#include <errno.h>
#include <stdlib.h>

#include "key.h"
#include "own_cipher.h"
#include "uadk/wd_cipher.h"

struct cipher_sess {
	struct uadk_sess sess;
	__u8 alg;
	__u8 mode;
	__u8 chains;			/* bytes of a block, in modes with a value for the next request; else 0 */
	struct crypto_key key;
};

struct cipher_slot {
	struct uadk_slot slot;
	struct wd_cipher_req req;
	struct own_cipher_arg arg;
	size_t room;
};

UADK_REQUESTS(cipher, state, WD_EIO)

static own_handle_t cipher_make(struct uadk_sess *sess, unsigned int kind)
{
	struct cipher_sess *s = (struct cipher_sess *)sess;
	struct own_cipher_sess_setup setup = {
		.alg = s->alg,
		.mode = s->mode,
		.op_type = kind & UADK_ASYNC ? OWN_ASYNC : OWN_SYNC,
		.data_fmt = kind & UADK_LISTS ? OWN_SGL_BUF : OWN_FLAT_BUF,
		.flags = sess->flags,
	};

	return crypto_keyed(sess, own_cipher_alloc_sess(&setup, sess->mask), &s->key, own_cipher_set_key);
}

static void cipher_wipe(struct uadk_sess *sess)
{
	crypto_key_wipe(&((struct cipher_sess *)sess)->key);
}

CRYPTO_DELIVER(cipher)

static const char *const cipher_algs[] = { "cipher", NULL };

static struct uadk_class cipher_class = {
	.name = "cipher",
	.nr = UADK_NR_cipher,
	.env = "WD_CIPHER_CTX_NUM",
	.algs = cipher_algs,
	.sess_size = sizeof(struct cipher_sess),
	.slot_size = sizeof(struct cipher_slot),
	.make = cipher_make,
	.wipe = cipher_wipe,
	.send = cipher_send,
	.deliver = cipher_deliver,
	.free_sess = own_cipher_free_sess,
	.poll = own_cipher_poll,
};

UADK_CLASS_CALLS(cipher, &cipher_class)

/* Both have the same numbers, up to those that are refused. */
_Static_assert((int)WD_CIPHER_3DES == (int)OWN_CIPHER_3DES, "algorithms");
_Static_assert((int)WD_CIPHER_CBC_CS3 == (int)OWN_CIPHER_CBC_CS3, "modes");

handle_t wd_cipher_alloc_sess(struct wd_cipher_sess_setup *setup)
{
	struct cipher_sess *s;

	errno = WD_EINVAL;
	if (!setup)
		return 0;
	if (setup->alg >= WD_CIPHER_ALG_TYPE_MAX || setup->mode > WD_CIPHER_CBC_CS3)
		return uadk_sess_refused(&cipher_class, setup->alg, setup->mode);
	s = uadk_sess_new(&cipher_class, "cipher", setup->sched_param);
	if (!s)
		return 0;
	s->alg = (__u8)setup->alg;
	s->mode = (__u8)setup->mode;
	if (s->mode == WD_CIPHER_CBC || s->mode == WD_CIPHER_CTR || s->mode == WD_CIPHER_OFB ||
	    s->mode == WD_CIPHER_CFB)
		s->chains = s->alg == WD_CIPHER_3DES ? DES3_BLOCK_SIZE : AES_BLOCK_SIZE;
	return uadk_sess_ready_alg(&s->sess, uadk_sess_begin(&s->sess, 0), setup->alg, setup->mode);
}

int wd_cipher_set_key(handle_t h_sess, const __u8 *key, __u32 key_len)
{
	struct cipher_sess *s = (struct cipher_sess *)h_sess;

	if (!h_sess || !key || !key_len)
		return -WD_EINVAL;
	return crypto_key_set(&s->sess, &s->key, key, key_len, own_cipher_set_key);
}

static bool cipher_refuse(handle_t h_sess, const struct wd_cipher_req *req)
{
	return !h_sess || !req || !req->in_bytes || !req->src || !req->dst || req->op_type > WD_CIPHER_DECRYPTION ||
		req->data_fmt > WD_SGL_BUF || req->out_buf_bytes < req->in_bytes;
}

static int cipher_arg_fill(struct own_cipher_arg *arg, const struct cipher_sess *s, const struct wd_cipher_req *req,
			   size_t *room, void **block)
{
	bool iv = s->mode != WD_CIPHER_ECB;

	*room = req->out_buf_bytes;
	arg->src = req->src;
	arg->src_len = req->in_bytes;
	arg->dst = req->dst;
	arg->dst_len = room;
	/* Programs pass an iv to ECB as well. */
	arg->iv = iv ? req->iv : NULL;
	arg->iv_len = iv ? req->iv_bytes : 0;
	arg->op = req->op_type;
	return crypto_buffers(&arg->src, &arg->dst, req->data_fmt == WD_SGL_BUF, block);
}

int wd_do_cipher_sync(handle_t h_sess, struct wd_cipher_req *req)
{
	struct cipher_sess *s = (struct cipher_sess *)h_sess;
	struct own_cipher_arg arg = { 0 };
	own_handle_t own;
	void *block = NULL;
	size_t room;
	int ret;

	if (cipher_refuse(h_sess, req))
		return -WD_EINVAL;
	if (s->chains && !(req->in_bytes & (s->chains - 1u)))
		arg.flags = OWN_CIPHER_CHAIN;
	own = uadk_sess_own(&s->sess, req->data_fmt == WD_SGL_BUF ? UADK_LISTS : 0);
	ret = own ? cipher_arg_fill(&arg, s, req, &room, &block) : -errno;
	if (!ret)
		ret = own_cipher_sync(own, &arg);
	if (block)
		free(block);
	req->state = (__u16)uadk_status(ret, WD_EIO);
	if (ret)
		return -(int)req->state;
	req->out_bytes = (__u32)room;
	return 0;
}

static int cipher_begin_async(struct cipher_sess *sess, struct cipher_slot *slot, own_handle_t *own)
{
	*own = uadk_sess_own(&sess->sess, UADK_ASYNC | (slot->req.data_fmt == WD_SGL_BUF ? UADK_LISTS : 0));
	return *own ? cipher_arg_fill(&slot->arg, sess, &slot->req, &slot->room, &slot->slot.extra) : -errno;
}

UADK_ASYNC_CALL(cipher, false, WD_EIO)
