// SPDX-License-Identifier: Apache-2.0
/* RSA: checks of a request, and its operands. */
#include <errno.h>

#include "rsa.h"
#include "request/frame.h"

static const struct wd_class rsa_class;

/* --- requests --- */

static size_t result_bytes(const struct rsa_sess *s, __u32 op)
{
	return op == WD_RSA_GENKEY ? 2 * s->k : op == WD_RSA_GENKEY_CRT ? 7 * s->k / 2 : s->k;
}

static int check_key(struct rsa_sess *s, __u32 op)
{
	struct wd_object *obj = &s->s.obj;

	if (rsa_is_genkey(op))
		return 0;
	if (!s->key)
		return wd_fail(obj, EINVAL, "no key has been set for RSA");
	if (op == WD_RSA_SIGN && !s->key->has_priv)
		return wd_fail(obj, EINVAL, "WD_RSA_SIGN needs a private key, and the session has a public one");
	return 0;
}

static int check_operand(struct rsa_sess *s, const struct wd_rsa_arg *arg)
{
	if (rsa_is_genkey(arg->op))
		return rsa_primes_check(&s->s.obj, s->k, arg->src);
	if (!pubkey_less(arg->src, rsa_key_n(s->key), s->k))
		return wd_fail(&s->s.obj, EINVAL, "src is not below the modulus");
	return 0;
}

static int rsa_check(struct wd_session *base, const void *req, int call)
{
	const struct wd_rsa_arg *arg = req;
	struct rsa_sess *s = to_rsa_sess(base);
	struct wd_object *obj = &base->obj;
	size_t want = rsa_is_genkey(arg->op) ? 2 * s->k : s->k;
	int ret = wd_frame_check_end(base, arg->cb, arg->flags, arg->reserved);

	(void)call;
	if (ret)
		return ret;
	if (arg->op > WD_RSA_GENKEY_CRT)
		return wd_fail_num(obj, EINVAL, "arg->op %u is unknown", arg->op, 0);
	if (arg->reserved32)
		return wd_fail(obj, EINVAL, "arg->reserved32 is not 0");
	ret = check_key(s, arg->op);
	if (ret)
		return ret;
	if (arg->src_len != want)
		return wd_fail_num(obj, EINVAL, "src_len is %u: the operands have %u bytes", arg->src_len, want);
	ret = pubkey_check_ends(base, arg->src, arg->src_len, arg->dst, arg->dst_len, result_bytes(s, arg->op));
	/* The check of the operand reads memory, so it must be mapped. */
	if (!ret && !wd_probe(WD_PROBE_RECENT, false, arg->src, arg->src_len))
		ret = wd_fail(obj, EFAULT, "src is not mapped");
	return ret ? ret : check_operand(s, arg);
}

static void rsa_refill(struct wd_session *s, void *req, __u32 aux, struct wd_msg *m)
{
	const struct wd_rsa_arg *arg = req;

	(void)aux;
	pubkey_msg_begin(s, req, m, arg->op, result_bytes(to_rsa_sess(s), arg->op));
}

/* A wrong result of a device is computed again, by the session's software path if it has one. */
static __attribute__((cold)) int do_again(struct wd_session *s, struct pubkey_msg *c)
{
	if (c->kept)
		c->src = c->kept;
	if (!s->soft_ok)
		c->why = "the device's result is wrong: the public key doesn't verify it";
	return wd_frame_again(s, &c->m);
}

static int prove(struct pubkey_msg *c)
{
	struct wd_session *s = c->m.sess;

	return soft_rsa_proves(to_rsa_sess(s)->key, c->kept ? c->kept : c->src, c->dst) ? 0 : do_again(s, c);
}

static int check_result(struct pubkey_msg *c)
{
	return c->unproved ? prove(c) : 0;
}

static int rsa_result(struct wd_session *s, void *req, struct wd_msg *m, int ret)
{
	return pubkey_result(s, req, m, ret, check_result);
}

static __u32 rsa_opcode(const struct wd_session *s, const void *req)
{
	const struct wd_rsa_arg *arg = req;

	(void)s;
	return arg->op == WD_RSA_SIGN ? WD_WC_SIGN : arg->op == WD_RSA_VERIFY ? WD_WC_VERIFY : WD_WC_KEYGEN;
}

/* --- sessions --- */

static int setup_check(const struct wd_rsa_sess_setup *setup, struct wd_session_attr *attr)
{
	if (!setup)
		return wd_fail(NULL, EINVAL, "setup is NULL");
	if (setup->key_bits != 1024 && setup->key_bits != 2048 && setup->key_bits != 3072 && setup->key_bits != 4096)
		return wd_fail_num(NULL, EINVAL, "setup->key_bits is %u: there are 1024, 2048, 3072 and 4096",
				   setup->key_bits, 0);
	return pubkey_setup_attr(attr, setup->op_type, setup->reserved8 | setup->reserved16, setup->flags,
				 setup->timeout_ms, setup->cq, setup->reserved);
}

handle_t wd_rsa_alloc_sess(const struct wd_rsa_sess_setup *setup, const wd_dev_mask_t *dev_mask)
{
	struct wd_session_attr attr = { .mask = dev_mask };
	int ret = setup_check(setup, &attr);
	struct wd_session *s;

	if (ret)
		return wd_no_handle(ret);
	s = wd_session_alloc(&rsa_class, sizeof(struct rsa_sess), &attr);
	if (!s)
		return 0;
	to_rsa_sess(s)->k = setup->key_bits / 8;
	wd_frame_ready(s, true, WD_CALL_SYNC);
	return s->obj.handle;
}

static int sess_wipe(struct wd_session *s)
{
	rsa_key_free(to_rsa_sess(s)->key);
	return 0;
}

int wd_rsa_free_sess(handle_t sess)
{
	return wd_frame_free_sess(sess, &rsa_class, sess_wipe);
}

int wd_rsa_sess_caps(handle_t sess)
{
	return pubkey_sess_caps(sess, &rsa_class);
}

int wd_rsa_set_key(handle_t sess, const struct wd_rsa_key *key)
{
	struct rsa_sess *s;
	struct rsa_key *made;
	int ret;

	s = to_rsa_sess(wd_frame_key_begin(sess, &rsa_class, key, &ret));
	if (!s)
		return ret;
	made = rsa_key_make(&s->s.obj, s->k, key, &ret);
	if (!made)
		return ret;
	rsa_key_free(s->key);
	s->key = made;
	return 0;
}

/* --- calls --- */

FRAME_SYNC(wd_rsa, rsa_class)
FRAME_PUBLIC(wd_rsa, rsa_class)

static const char *const rsa_algs[] = { "rsa", NULL };
static const struct wd_driver *const rsa_drivers[] = { &hisi_rsa_driver, NULL };

static const struct wd_class rsa_class = {
	.name = "RSA",
	.kind = WD_KIND_RSA,
	.what = "an RSA session",
	.algs = rsa_algs,
	.drivers = rsa_drivers,
	.soft = &soft_rsa_driver,
	.verifies = true,
	PUBKEY_CLASS(wd_rsa),
	.check = rsa_check,
	.fill = pubkey_fill,
	.refill = rsa_refill,
	.run = pubkey_run,
	.result = rsa_result,
	.opcode = rsa_opcode,
};
