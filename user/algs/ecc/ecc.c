// SPDX-License-Identifier: Apache-2.0
/* Elliptic curves: the operations, and checks of a request and of its result. */
#include <errno.h>

#include "ecc.h"
#include "request/frame.h"

static const struct wd_class ecc_class;

/* --- operations --- */

#define OP(name)	(1u << WD_ECC_##name)
#define OP_MAKE		(OP(KEYGEN) | OP(PUBLIC))
#define OP_SIGN		(OP(SIGN) | OP(VERIFY))
#define OP_TEXT		(OP(ENCRYPT) | OP(DECRYPT))

static const struct {
	const char *name;
	unsigned int ops;
} algs[] = {
	[WD_ECC_ECDH] = { "ECDH", OP_MAKE | OP(AGREE) },
	[WD_ECC_ECDSA] = { "ECDSA", OP_MAKE | OP_SIGN },
	[WD_ECC_SM2] = { "SM2", OP_MAKE | OP_SIGN | OP_TEXT },
	[WD_ECC_X25519] = { "X25519", OP_MAKE | OP(AGREE) },
	[WD_ECC_X448] = { "X448", OP_MAKE | OP(AGREE) },
};

/* The length of a result; src_len is valid for the operation. */
static size_t result_bytes(const struct ecc_sess *s, __u32 op, size_t src_len)
{
	switch (op) {
	case WD_ECC_KEYGEN:
		return ecc_point_bytes(s) + s->w;
	case WD_ECC_PUBLIC:
		return ecc_point_bytes(s);
	case WD_ECC_AGREE:
		return s->w;
	case WD_ECC_SIGN:
		return 2 * s->w;
	case WD_ECC_ENCRYPT:
		return src_len + WD_ECC_SM2_EXTRA;
	case WD_ECC_DECRYPT:
		return src_len - WD_ECC_SM2_EXTRA;
	}
	return 0;
}

/* --- checks of a request --- */

static int check_src_len(struct ecc_sess *s, __u32 op, size_t len)
{
	struct wd_object *obj = &s->s.obj;
	size_t least = 0, most = 0;

	if (op == WD_ECC_AGREE)
		least = most = ecc_point_bytes(s);
	if (OP_SIGN & 1u << op) {
		least = s->alg == WD_ECC_SM2 ? ECC_HASH_BYTES : 1;
		most = s->alg == WD_ECC_SM2 ? ECC_HASH_BYTES : WD_ECC_DIGEST_MAX;
	}
	if (OP_TEXT & 1u << op) {
		least = 1 + (op == WD_ECC_DECRYPT ? WD_ECC_SM2_EXTRA : 0);
		most = least - 1 + WD_ECC_TEXT_MAX;
		if (len > most)
			return wd_fail_num(obj, EFBIG, "src_len %u is above %u, SM2's limit", len, most);
	}
	if (len >= least && len <= most)
		return 0;
	return least == most ? wd_fail_num(obj, EINVAL, "src_len is %u: the operation takes %u bytes", len, least) :
	       wd_fail_all(obj, EINVAL, "src_len is %u: out of range for %s", algs[s->alg].name, len, 0);
}

static int check_own_private(struct ecc_sess *s, const struct wd_number *d, bool key)
{
	struct wd_object *obj = &s->s.obj;
	__u8 field[ECC_BYTES_MAX];
	int ret;

	if (ecc_is_montgomery(s))
		return d->len == s->w ? 0 :
		       wd_fail_num(obj, EINVAL, "extra_len is %u: a private key has %u bytes", d->len, s->w);
	ret = pubkey_number_put(obj, "extra", d, field, s->w);
	if (!ret && !ecc_scalar_in_range(s, field, key))
		ret = wd_fail(obj, EINVAL, key ? "extra is no private key: it is 0, or not below n" :
					   "extra is no nonce: it is 0, or not below n");
	explicit_bzero(field, sizeof(field));
	return ret;
}

static int check_signature(struct ecc_sess *s, const struct wd_ecc_arg *arg)
{
	struct wd_object *obj = &s->s.obj;
	const __u8 *r = arg->extra;

	if (!r)
		return wd_fail(obj, EINVAL, "arg->extra is NULL: WD_ECC_VERIFY needs the signature there");
	if (arg->extra_len != 2 * s->w)
		return wd_fail_num(obj, EINVAL, "extra_len is %u: a signature has %u bytes", arg->extra_len, 2 * s->w);
	if (!wd_probe(WD_PROBE_RECENT, false, r, arg->extra_len))
		return wd_fail(obj, EFAULT, "extra is not mapped");
	if (ecc_scalar_in_range(s, r, false) & ecc_scalar_in_range(s, r + s->w, false))
		return 0;
	return wd_fail(obj, EINVAL, "r or s of the signature is not one of 1 .. n - 1");
}

static int check_extra(struct ecc_sess *s, const struct wd_ecc_arg *arg)
{
	struct wd_number extra = { .data = arg->extra, .len = arg->extra_len };
	struct wd_object *obj = &s->s.obj;
	bool key = arg->op == WD_ECC_PUBLIC || arg->op == WD_ECC_AGREE;

	if (arg->op == WD_ECC_VERIFY)
		return check_signature(s, arg);
	if (!arg->extra)
		return arg->extra_len ? wd_fail(obj, EINVAL, "arg->extra is NULL, but extra_len isn't 0") : 0;
	if (!key && arg->op != WD_ECC_SIGN && arg->op != WD_ECC_ENCRYPT)
		return wd_fail(obj, EINVAL, "arg->extra is set, but the operation doesn't use it");
	if (!wd_probe(WD_PROBE_RECENT, false, arg->extra, arg->extra_len))
		return wd_fail(obj, EFAULT, "extra is not mapped");
	return check_own_private(s, &extra, key);
}

static int check_key(struct ecc_sess *s, const struct wd_ecc_arg *arg)
{
	bool own = arg->extra && (arg->op == WD_ECC_PUBLIC || arg->op == WD_ECC_AGREE);
	bool pub = arg->op == WD_ECC_VERIFY || arg->op == WD_ECC_ENCRYPT;
	struct wd_object *obj = &s->s.obj;

	if (arg->op == WD_ECC_KEYGEN || own)
		return 0;
	if (!s->key)
		return wd_fail_str(obj, EINVAL, "no key has been set for %s", algs[s->alg].name);
	return pub || s->key->has_d ? 0 :
	       wd_fail(obj, EINVAL, "the operation needs a private key, and the session has a public one");
}

/*
 * Whether the point needs no check here. On the software path a synchronous request is computed next, and libcrypto
 * checks its point.
 */
static bool is_looked_at(const struct ecc_sess *s)
{
	return ecc_is_montgomery(s) || (!s->s.attr.async && !s->s.hw_ok);
}

static int check_point(struct ecc_sess *s, const struct wd_ecc_arg *arg)
{
	struct wd_object *obj = &s->s.obj;

	if (arg->op != WD_ECC_AGREE && arg->op != WD_ECC_DECRYPT)
		return 0;
	if (!ecc_point_in_range(s, arg->src))
		return wd_fail(obj, EINVAL, ecc_is_montgomery(s) ? "the peer's point has a small order" :
					    "x or y of the point is not below p");
	if (is_looked_at(s) || ecc_is_point(s, arg->src, (const __u8 *)arg->src + s->w))
		return 0;
	return wd_fail(obj, EINVAL, "x, y is not a point of the curve");
}

static int ecc_check(struct wd_session *base, const void *req, int call)
{
	const struct wd_ecc_arg *arg = req;
	struct ecc_sess *s = to_ecc_sess(base);
	struct wd_object *obj = &base->obj;
	int ret = wd_frame_check_end(base, arg->cb, arg->flags, arg->reserved);

	(void)call;
	if (ret)
		return ret;
	if (arg->op > WD_ECC_DECRYPT)
		return wd_fail_num(obj, EINVAL, "arg->op %u is unknown", arg->op, 0);
	if (!(algs[s->alg].ops & 1u << arg->op))
		return wd_fail_all(obj, EINVAL, "%s has no operation %u", algs[s->alg].name, arg->op, 0);
	ret = check_src_len(s, arg->op, arg->src_len);
	if (!ret)
		ret = pubkey_check_ends(base, arg->src, arg->src_len, arg->dst, arg->dst_len,
					result_bytes(s, arg->op, arg->src_len));
	if (!ret)
		ret = check_key(s, arg);
	if (!ret)
		ret = check_extra(s, arg);
	if (!ret && !wd_probe(WD_PROBE_RECENT, false, arg->src, arg->src_len))
		ret = wd_fail(obj, EFAULT, "src is not mapped");
	return ret ? ret : check_point(s, arg);
}

static void ecc_refill(struct wd_session *s, void *req, __u32 aux, struct wd_msg *m)
{
	const struct wd_ecc_arg *arg = req;
	size_t bytes = result_bytes(to_ecc_sess(s), arg->op, arg->src_len);
	struct pubkey_msg *c = pubkey_msg_begin(s, req, m, arg->op, bytes);

	(void)aux;
	c->extra = arg->extra;
	c->extra_len = arg->extra_len;
}

/*
 * Prepares what takes long and needs no context, for a request that may go to a device. After a failure here the driver
 * tries again, and reports the error.
 */
static void prepare(struct wd_session *base, struct pubkey_msg *c)
{
	struct ecc_sess *s = to_ecc_sess(base);

	if (!atomic_load_explicit(&base->first, memory_order_relaxed))
		return;
	if (c->op == WD_ECC_KEYGEN || (c->op == WD_ECC_ENCRYPT && !c->extra))
		c->ahead = ecc_random_ahead(s);
	else if (c->op == WD_ECC_SIGN && !c->extra)
		c->ahead = ecc_nonce_ahead(s, c->src, c->src_len);
}

static int ecc_fill(struct wd_session *s, void *req, struct wd_msg *m)
{
	ecc_refill(s, req, 0, m);
	prepare(s, to_pubkey_msg(m));
	return 0;
}

static int ecc_run(struct wd_session *s, struct wd_msg *m)
{
	prepare(s, to_pubkey_msg(m));
	return pubkey_run(s, m);
}

/* RFC 7748: a secret of all zeroes must not be used. Points of small order are refused, so there should be none. */
static int check_result(struct pubkey_msg *c)
{
	struct ecc_sess *s = to_ecc_sess(c->m.sess);

	if (c->op != WD_ECC_AGREE || !ecc_is_montgomery(s) || !pubkey_is_zero(c->dst, s->w))
		return 0;
	c->why = "the shared secret is all zeroes";
	return -EBADMSG;
}

static int ecc_result(struct wd_session *s, void *req, struct wd_msg *m, int ret)
{
	return pubkey_result(s, req, m, ret, check_result);
}

static __u32 ecc_opcode(const struct wd_session *s, const void *req)
{
	const struct wd_ecc_arg *arg = req;
	static const __u8 codes[] = {
		[WD_ECC_KEYGEN] = WD_WC_KEYGEN, [WD_ECC_PUBLIC] = WD_WC_KEYGEN, [WD_ECC_AGREE] = WD_WC_AGREE,
		[WD_ECC_SIGN] = WD_WC_SIGN, [WD_ECC_VERIFY] = WD_WC_VERIFY, [WD_ECC_ENCRYPT] = WD_WC_ENCRYPT,
		[WD_ECC_DECRYPT] = WD_WC_DECRYPT,
	};

	(void)s;
	return codes[arg->op];
}

/* --- sessions --- */

static int setup_check(const struct wd_ecc_sess_setup *setup, struct wd_session_attr *attr)
{
	if (!setup)
		return wd_fail(NULL, EINVAL, "setup is NULL");
	if (setup->alg > WD_ECC_X448)
		return wd_fail_num(NULL, EINVAL, "setup->alg %u is unknown", setup->alg, 0);
	if (setup->curve > WD_ECC_BRAINPOOL_P512R1)
		return wd_fail_num(NULL, EINVAL, "setup->curve %u is unknown", setup->curve, 0);
	attr->alg = setup->alg;
	attr->qc_type = 1;
	return pubkey_setup_attr(attr, setup->op_type, setup->reserved16, setup->flags, setup->timeout_ms, setup->cq,
				 setup->reserved);
}

static int sess_wipe(struct wd_session *base)
{
	struct ecc_sess *s = to_ecc_sess(base);

	ecc_key_free(s->key);
	soft_ecc_free(s->soft);
	return 0;
}

handle_t wd_ecc_alloc_sess(const struct wd_ecc_sess_setup *setup, const wd_dev_mask_t *dev_mask)
{
	struct wd_session_attr attr = { .mask = dev_mask };
	int ret = setup_check(setup, &attr);
	struct wd_session *s;

	if (ret)
		return wd_no_handle(ret);
	s = wd_session_alloc(&ecc_class, sizeof(struct ecc_sess), &attr);
	if (!s)
		return 0;
	return pubkey_sess_made(s, ecc_curve_set(to_ecc_sess(s), setup), sess_wipe);
}

int wd_ecc_free_sess(handle_t sess)
{
	return wd_frame_free_sess(sess, &ecc_class, sess_wipe);
}

int wd_ecc_sess_caps(handle_t sess)
{
	return pubkey_sess_caps(sess, &ecc_class);
}

int wd_ecc_sess_bytes(handle_t sess)
{
	struct wd_session *s = wd_session_get(sess, &ecc_class);

	return s ? (int)to_ecc_sess(s)->w : -EINVAL;
}

int wd_ecc_set_key(handle_t sess, const struct wd_ecc_key *key)
{
	struct ecc_sess *s;
	struct ecc_key *made;
	int ret;

	s = to_ecc_sess(wd_frame_key_begin(sess, &ecc_class, key, &ret));
	if (!s)
		return ret;
	made = ecc_key_make(s, key, &ret);
	if (!made)
		return ret;
	ecc_key_free(s->key);
	s->key = made;
	s->priv = made->has_d && !made->d_is_1 ? made->priv : NULL;
	if (algs[s->alg].ops & OP(SIGN)) {
		s->sign_priv = s->priv;
		s->sign_pub = made->pub;
	}
	return 0;
}

#define ID_MAX	8191	/* bytes; the number of bits has to fit into 16 bits */

int wd_ecc_sm2_digest(handle_t sess, const void *id, size_t id_len, const void *msg, size_t len, void *digest)
{
	struct wd_session *base = wd_session_get(sess, &ecc_class);
	struct ecc_sess *s = to_ecc_sess(base);

	if (!base)
		return -EINVAL;
	if (s->alg != WD_ECC_SM2 || !s->key)
		return wd_fail(&base->obj, EINVAL, s->key ? "this is not a session of SM2" : "no key has been set");
	if (!digest || (!msg && len) || (!id && id_len))
		return wd_fail(&base->obj, EINVAL,
			       !digest ? "digest is NULL" : !id && id_len ? "id is NULL" : "msg is NULL");
	if (id_len > ID_MAX)
		return wd_fail_num(&base->obj, EINVAL, "id_len %u is above %u", id_len, ID_MAX);
	return soft_sm2_digest(s, id, id_len, msg, len, digest) ? 0 :
	       wd_fail(&base->obj, EOPNOTSUPP, "libcrypto has no SM3");
}

/* --- calls --- */

FRAME_SYNC(wd_ecc, ecc_class)
FRAME_PUBLIC(wd_ecc, ecc_class)

static const char *const ecc_algs[] = { "ecdh", "ecdsa", "sm2", "x25519", "x448", NULL };
static const struct wd_driver *const ecc_drivers[] = { &hisi_ecc_driver, NULL };

static const struct wd_class ecc_class = {
	.name = "ECC",
	.kind = WD_KIND_ECC,
	.what = "an ECC session",
	.algs = ecc_algs,
	.drivers = ecc_drivers,
	.soft = &soft_ecc_driver,
	PUBKEY_CLASS(wd_ecc),
	.check = ecc_check,
	.fill = ecc_fill,
	.refill = ecc_refill,
	.run = ecc_run,
	.result = ecc_result,
	.opcode = ecc_opcode,
};
