// SPDX-License-Identifier: Apache-2.0
/* Hashes and HMACs, of whole messages and of parts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "key.h"
#include "own_digest.h"
#include "uadk/wd_digest.h"

struct digest_sess {
	struct uadk_sess sess;
	__u8 alg;
	__u8 mode;
	__u8 bytes;
	bool parts;			/* a message has begun; one thread at a time uses it */
	__u8 parts_fmt;			/* whether its parts are lists */
	struct crypto_key key;
};

struct digest_slot {
	struct uadk_slot slot;
	struct wd_digest_req req;
	struct own_digest_arg arg;
	size_t room;
	__u8 digest[OWN_DIGEST_MAX];
};

UADK_REQUESTS(digest, state, WD_EIO)

static own_handle_t digest_make(struct uadk_sess *sess, unsigned int kind)
{
	struct digest_sess *s = (struct digest_sess *)sess;
	struct own_digest_sess_setup setup = {
		.alg = s->alg,
		.mode = s->mode,
		.op_type = kind & UADK_ASYNC ? OWN_ASYNC : OWN_SYNC,
		.data_fmt = kind & UADK_LISTS ? OWN_SGL_BUF : OWN_FLAT_BUF,
		.flags = sess->flags,
	};

	return crypto_keyed(sess, own_digest_alloc_sess(&setup, sess->mask), &s->key, own_digest_set_key);
}

static void digest_wipe(struct uadk_sess *sess)
{
	crypto_key_wipe(&((struct digest_sess *)sess)->key);
}

/* The callback's only argument is the request. */
static void digest_deliver(struct uadk_slot *slot)
{
	struct digest_slot *s = (struct digest_slot *)slot;

	if (!s->req.state)
		memcpy(s->req.out, s->digest, s->req.out_bytes);
	s->req.cb(&s->req);
}

static const char *const digest_algs[] = { "digest", NULL };

static struct uadk_class digest_class = {
	.name = "digest",
	.nr = UADK_NR_digest,
	.env = "WD_DIGEST_CTX_NUM",
	.algs = digest_algs,
	.sess_size = sizeof(struct digest_sess),
	.slot_size = sizeof(struct digest_slot),
	.make = digest_make,
	.wipe = digest_wipe,
	.send = digest_send,
	.deliver = digest_deliver,
	.free_sess = own_digest_free_sess,
	.poll = own_digest_poll,
};

UADK_CLASS_CALLS(digest, &digest_class)

static const __u8 digest_bytes[] = {
	[WD_DIGEST_SM3] = WD_DIGEST_SM3_LEN,
	[WD_DIGEST_MD5] = WD_DIGEST_MD5_LEN,
	[WD_DIGEST_SHA1] = WD_DIGEST_SHA1_LEN,
	[WD_DIGEST_SHA256] = WD_DIGEST_SHA256_LEN,
	[WD_DIGEST_SHA224] = WD_DIGEST_SHA224_LEN,
	[WD_DIGEST_SHA384] = WD_DIGEST_SHA384_LEN,
	[WD_DIGEST_SHA512] = WD_DIGEST_SHA512_LEN,
	[WD_DIGEST_SHA512_224] = WD_DIGEST_SHA512_224_LEN,
	[WD_DIGEST_SHA512_256] = WD_DIGEST_SHA512_256_LEN,
};
_Static_assert((int)WD_DIGEST_SHA512_256 == (int)OWN_DIGEST_SHA512_256, "algorithms have the same numbers");
_Static_assert((int)WD_DIGEST_HMAC == (int)OWN_DIGEST_HMAC, "modes have the same numbers");

handle_t wd_digest_alloc_sess(struct wd_digest_sess_setup *setup)
{
	struct digest_sess *s;

	errno = WD_EINVAL;
	if (!setup)
		return 0;
	if (setup->alg > WD_DIGEST_SHA512_256 || setup->mode >= WD_DIGEST_MODE_MAX)
		return uadk_sess_refused(&digest_class, setup->alg, setup->mode);
	s = uadk_sess_new(&digest_class, "digest", setup->sched_param);
	if (!s)
		return 0;
	s->alg = (__u8)setup->alg;
	s->mode = (__u8)setup->mode;
	s->bytes = digest_bytes[setup->alg];
	return uadk_sess_ready_alg(&s->sess, uadk_sess_begin(&s->sess, 0), setup->alg, setup->mode);
}

int wd_digest_set_key(handle_t h_sess, const __u8 *key, __u32 key_len)
{
	struct digest_sess *s = (struct digest_sess *)h_sess;

	if (!h_sess || !key || !key_len)
		return -WD_EINVAL;
	return crypto_key_set(&s->sess, &s->key, key, key_len, own_digest_set_key);
}

static bool more(const struct wd_digest_req *req)
{
	return req->has_next == WD_DIGEST_DOING || req->has_next == WD_DIGEST_STREAM_DOING;
}

/* Parts that aren't the last write no digest here, whatever room they have. */
static bool digest_refuse(handle_t h_sess, const struct wd_digest_req *req)
{
	const struct digest_sess *s = (const struct digest_sess *)h_sess;

	if (!h_sess || !req || req->has_next >= WD_DIGEST_MSG_STATE_MAX || req->data_fmt > WD_SGL_BUF ||
	    (req->in_bytes && !req->in))
		return true;
	return !more(req) && (!req->out || !req->out_bytes || req->out_bytes > s->bytes ||
			      req->out_buf_bytes < req->out_bytes);
}

static int digest_arg_fill(struct own_digest_arg *arg, const struct wd_digest_req *req, void *to, size_t *room,
			   void **block)
{
	void *none = NULL;

	*room = OWN_DIGEST_MAX;
	arg->src = req->in;
	arg->src_len = req->in_bytes;
	arg->dst = to;
	arg->dst_len = room;
	return crypto_buffers(&arg->src, &none, req->data_fmt == WD_SGL_BUF, block);
}

/* A message in parts is one session's of ours: its parts are all lists, or none is. */
static int digest_run(struct digest_sess *s, own_handle_t own, const struct wd_digest_req *req,
		      struct own_digest_arg *arg)
{
	int ret;

	if (!more(req) && !s->parts)
		return own_digest_sync(own, arg);
	if (s->parts && s->parts_fmt != req->data_fmt)
		return -EINVAL;
	if (more(req)) {
		ret = own_digest_update(own, arg);
		if (!ret) {
			s->parts = true;
			s->parts_fmt = req->data_fmt;
		}
	} else {
		ret = own_digest_final(own, arg);
		if (!ret)
			s->parts = false;
	}
	if (ret && ret != -EBUSY) {
		own_digest_reset_sess(own);
		s->parts = false;
	}
	return ret;
}

int wd_do_digest_sync(handle_t h_sess, struct wd_digest_req *req)
{
	struct digest_sess *s = (struct digest_sess *)h_sess;
	__u8 digest[OWN_DIGEST_MAX];
	struct own_digest_arg arg = { 0 };
	own_handle_t own;
	void *block = NULL;
	size_t room;
	int ret;

	if (digest_refuse(h_sess, req))
		return -WD_EINVAL;
	own = uadk_sess_own(&s->sess, req->data_fmt == WD_SGL_BUF ? UADK_LISTS : 0);
	ret = own ? digest_arg_fill(&arg, req, digest, &room, &block) : -errno;
	if (!ret)
		ret = digest_run(s, own, req, &arg);
	if (block)
		free(block);
	req->state = (__u16)uadk_status(ret, WD_EIO);
	if (ret)
		return -(int)req->state;
	if (!more(req))
		memcpy(req->out, digest, req->out_bytes);
	return 0;
}

static int digest_begin_async(struct digest_sess *sess, struct digest_slot *slot, own_handle_t *own)
{
	*own = uadk_sess_own(&sess->sess, UADK_ASYNC | (slot->req.data_fmt == WD_SGL_BUF ? UADK_LISTS : 0));
	return *own ? digest_arg_fill(&slot->arg, &slot->req, slot->digest, &slot->room, &slot->slot.extra) : -errno;
}

/* A message in parts is synchronous. */
UADK_ASYNC_CALL(digest, req->has_next != WD_DIGEST_END || ((struct digest_sess *)sess)->parts, WD_EIO)
