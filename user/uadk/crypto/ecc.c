// SPDX-License-Identifier: Apache-2.0
/* Elliptic curves: ECDH, ECDSA, SM2, X25519, X448. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ecc.h"

struct ecc_slot {
	struct uadk_slot slot;
	struct wd_ecc_req req;
	struct own_ecc_arg arg;
	size_t room;
	__u8 digest[32];
};

UADK_REQUESTS(ecc, status, WD_VERIFY_ERR)

static const char *const ecc_algs[] = {
	[OWN_ECC_ECDH] = "ecdh",
	[OWN_ECC_ECDSA] = "ecdsa",
	[OWN_ECC_SM2] = "sm2",
	[OWN_ECC_X25519] = "x25519",
	[OWN_ECC_X448] = "x448",
	NULL
};

#define NO_CURVE	0xffffffffu

static __u32 own_curve(const struct ecc_sess *s)
{
	return s->named ? s->curve : (__u32)OWN_ECC_BY_VALUE;
}

static own_handle_t ecc_make(struct uadk_sess *sess, unsigned int kind)
{
	struct ecc_sess *s = (struct ecc_sess *)sess;
	const struct wd_ecc_curve *c = &s->key.curve;
	struct own_ecc_params params = {
		.p = number_own(&c->p), .a = number_own(&c->a), .b = number_own(&c->b), .n = number_own(&c->n),
		.gx = number_own(&c->g.x), .gy = number_own(&c->g.y),
	};
	struct own_ecc_sess_setup setup = {
		.params = s->named ? NULL : &params,
		.curve = own_curve(s),
		.alg = s->alg,
		.op_type = kind & UADK_ASYNC ? OWN_ASYNC : OWN_SYNC,
		.flags = sess->flags,
	};
	own_handle_t own = own_ecc_alloc_sess(&setup, sess->mask);
	int ret;

	if (!own)
		return 0;
	s->key.w = (__u32)own_ecc_sess_bytes(own);
	ret = s->state.fresh ? ecc_key_give(sess, own) : 0;
	return uadk_sess_made(sess, own, ret);
}

static void ecc_wipe(struct uadk_sess *sess)
{
	pubkey_state_wipe(&((struct ecc_sess *)sess)->state);
}

static void ecc_finish(const struct ecc_sess *s, struct wd_ecc_req *req)
{
	if (req->op_type != WD_ECDSA_VERIFY && req->op_type != WD_SM2_VERIFY)
		ecc_out_fill(req->dst, req->op_type, s->key.string);
}

static void ecc_deliver(struct uadk_slot *slot)
{
	struct ecc_slot *s = (struct ecc_slot *)slot;

	if (!s->req.status)
		ecc_finish((struct ecc_sess *)uadk_slot_sess(slot), &s->req);
	s->req.cb(&s->req);
}

static struct uadk_class ecc_class = {
	.name = "ecc",
	.nr = UADK_NR_ecc,
	.env = "WD_ECC_CTX_NUM",
	.algs = ecc_algs,
	.sess_size = sizeof(struct ecc_sess),
	.slot_size = sizeof(struct ecc_slot),
	.make = ecc_make,
	.wipe = ecc_wipe,
	.send = ecc_send,
	.deliver = ecc_deliver,
	.free_sess = own_ecc_free_sess,
	.poll = own_ecc_poll,
};

UADK_CLASS_CALLS(ecc, &ecc_class)

static __u32 curve_of(enum wd_ecc_curve_id id)
{
	switch (id) {
	case WD_SECP128R1:
		return OWN_ECC_SECP128R1;
	case WD_SECP192K1:
		return OWN_ECC_SECP192K1;
	case WD_SECP224R1:
		return OWN_ECC_SECP224R1;
	case WD_SECP256K1:
		return OWN_ECC_SECP256K1;
	case WD_BRAINPOOLP320R1:
		return OWN_ECC_BRAINPOOL_P320R1;
	case WD_BRAINPOOLP384R1:
		return OWN_ECC_BRAINPOOL_P384R1;
	case WD_SECP384R1:
		return OWN_ECC_SECP384R1;
	case WD_SECP521R1:
		return OWN_ECC_SECP521R1;
	default:
		return NO_CURVE;
	}
}

static int alg_of(const char *name)
{
	for (int alg = 0; name && ecc_algs[alg]; alg++)
		if (!strcmp(name, ecc_algs[alg]))
			return alg;
	return -1;
}

/* SM2, X25519 and X448 have their own curve. Return: the program's curve, or NULL. */
static const struct wd_ecc_curve *ecc_choose(struct ecc_sess *s, const struct wd_ecc_sess_setup *setup)
{
	s->named = true;
	s->curve = OWN_ECC_BY_VALUE;
	s->key.string = s->alg == OWN_ECC_X25519 || s->alg == OWN_ECC_X448;
	if (s->alg != OWN_ECC_ECDH && s->alg != OWN_ECC_ECDSA)
		return NULL;
	s->named = setup->cv.type == WD_CV_CFG_ID;
	if (!s->named)
		return setup->cv.cfg.pparam;
	s->curve = curve_of(setup->cv.cfg.id);
	return NULL;
}

handle_t wd_ecc_alloc_sess(struct wd_ecc_sess_setup *setup)
{
	int alg = setup ? alg_of(setup->alg) : -1, ret;
	const struct wd_ecc_curve *given;
	struct ecc_sess *s;

	errno = WD_EINVAL;
	if (alg < 0)
		return 0;
	s = uadk_sess_new(&ecc_class, ecc_algs[alg], setup->sched_param);
	if (!s)
		return 0;
	s->alg = (__u8)alg;
	given = ecc_choose(s, setup);
	ret = s->curve == NO_CURVE || (!s->named && !given) ? -EINVAL : 0;
	if (!ret) {
		ecc_key_init(s, given);
		ret = pubkey_state_init(&s->state, &s->key, sizeof(s->key));
	}
	if (!ret)
		ret = uadk_sess_begin(&s->sess, 0);
	return uadk_sess_ready(&s->sess, ret);
}

int wd_ecc_get_key_bits(handle_t sess)
{
	const struct ecc_sess *s = (const struct ecc_sess *)sess;

	if (!s)
		return 0;
	/* P-521 is the only one whose size is no multiple of 8. */
	return s->named && s->curve == OWN_ECC_SECP521R1 ? 521 : (int)s->key.w * 8;
}

static int own_op(__u8 op)
{
	switch (op) {
	case WD_ECXDH_GEN_KEY:
		return OWN_ECC_PUBLIC;
	case WD_ECXDH_COMPUTE_KEY:
		return OWN_ECC_AGREE;
	case WD_ECDSA_SIGN:
	case WD_SM2_SIGN:
		return OWN_ECC_SIGN;
	case WD_ECDSA_VERIFY:
	case WD_SM2_VERIFY:
		return OWN_ECC_VERIFY;
	case WD_SM2_ENCRYPT:
		return OWN_ECC_ENCRYPT;
	case WD_SM2_DECRYPT:
		return OWN_ECC_DECRYPT;
	case WD_SM2_KG:
		return OWN_ECC_KEYGEN;
	default:
		return -1;
	}
}

/* The algorithm's operations; what remains ours refuses. */
static bool ecc_refuse(handle_t sess, const struct wd_ecc_req *req)
{
	const struct ecc_sess *s = (const struct ecc_sess *)sess;
	bool sm2 = req && req->op_type >= WD_SM2_SIGN;
	bool none = req && (req->op_type == WD_ECXDH_GEN_KEY || req->op_type == WD_SM2_KG);
	bool verify = req && (req->op_type == WD_ECDSA_VERIFY || req->op_type == WD_SM2_VERIFY);

	return !s || !req || own_op(req->op_type) < 0 || sm2 != (s->alg == OWN_ECC_SM2) ||
		(!none && !req->src) || (!verify && !req->dst) || req->data_fmt != WD_FLAT_BUF;
}

/* Return: 0, or -errno. @digest lasts as long as the request. */
static int ecc_arg_fill(struct own_ecc_arg *arg, own_handle_t own, const struct wd_ecc_req *req, size_t *room,
			__u8 *digest)
{
	struct wd_ecc_in *in = req->src;
	struct wd_ecc_out *out = req->dst;

	arg->op = (__u32)own_op(req->op_type);
	if (arg->op != OWN_ECC_VERIFY) {
		arg->dst = out->data;
		*room = out->room;
		arg->dst_len = room;
	}
	if (arg->op == OWN_ECC_PUBLIC || arg->op == OWN_ECC_KEYGEN)
		return 0;
	arg->src = in->data;
	arg->src_len = in->src_len;
	if (in->extra_len) {
		arg->extra = in->data + in->src_len;
		arg->extra_len = in->extra_len;
	}
	/* A part of the result can't be found in a place of another size. */
	if ((arg->op == OWN_ECC_ENCRYPT && out->text_len != in->src_len) ||
	    (arg->op == OWN_ECC_DECRYPT && out->text_len + OWN_ECC_SM2_EXTRA != in->src_len))
		return -EINVAL;
	if (!in->text)
		return 0;
	arg->src = digest;
	arg->src_len = 32;
	return own_ecc_sm2_digest(own, in->id_len ? in->data + in->src_len + in->extra_len : NULL, in->id_len,
				  in->data, in->src_len, digest);
}

static int ecc_begin(struct ecc_sess *s, const struct wd_ecc_req *req, unsigned int kind, struct own_ecc_arg *arg,
		     size_t *room, __u8 *digest, own_handle_t *own)
{
	int ret = 0;

	*own = uadk_sess_own(&s->sess, kind);
	if (!*own)
		return -errno;
	if (req->op_type != WD_SM2_KG)
		ret = pubkey_refresh(&s->sess, &s->state, ecc_key_give);
	return ret ? ret : ecc_arg_fill(arg, *own, req, room, digest);
}

int wd_do_ecc_sync(handle_t sess, struct wd_ecc_req *req)
{
	struct ecc_sess *s = (struct ecc_sess *)sess;
	struct own_ecc_arg arg = { 0 };
	own_handle_t own;
	__u8 digest[32];
	size_t room;
	int ret;

	if (ecc_refuse(sess, req))
		return -WD_EINVAL;
	ret = ecc_begin(s, req, 0, &arg, &room, digest, &own);
	if (!ret)
		ret = own_ecc_sync(own, &arg);
	req->status = uadk_status(ret, WD_VERIFY_ERR);
	if (!ret)
		ecc_finish(s, req);
	return -req->status;
}

static int ecc_begin_async(struct ecc_sess *s, struct ecc_slot *slot, own_handle_t *own)
{
	return ecc_begin(s, &slot->req, UADK_ASYNC, &slot->arg, &slot->room, slot->digest, own);
}

UADK_ASYNC_CALL(ecc, false, WD_VERIFY_ERR)
