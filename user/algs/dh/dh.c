// SPDX-License-Identifier: Apache-2.0
/* Diffie-Hellman: checks of a request and of its result. */
#include <errno.h>

#include "dh.h"
#include "request/frame.h"

static const struct wd_class dh_class;

/* --- requests --- */

static int private_check(struct dh_sess *s, const struct wd_number *x, __u8 *field)
{
	int ret = pubkey_number_put(&s->s.obj, "the private value", x, field, s->k);

	if (!ret && !dh_in_range(s, field))
		ret = wd_fail(&s->s.obj, EINVAL, "the private value is not one of 2 .. p - 2");
	return ret;
}

static int check_private(struct dh_sess *s, const struct wd_dh_arg *arg)
{
	struct wd_number x = { .data = arg->key, .len = arg->key_len };
	struct wd_object *obj = &s->s.obj;
	__u8 field[PUBKEY_BYTES_MAX];
	int ret;

	if (!arg->key)
		return arg->key_len ? wd_fail(obj, EINVAL, "arg->key is NULL, but key_len isn't 0") :
		       s->has_x ? 0 : wd_fail(obj, EINVAL, "neither the session nor the request has a private value");
	if (!wd_probe(WD_PROBE_RECENT, false, arg->key, arg->key_len))
		return wd_fail(obj, EFAULT, "key is not mapped");
	ret = private_check(s, &x, field);
	explicit_bzero(field, s->k);
	return ret;
}

static int dh_check(struct wd_session *base, const void *req, int call)
{
	const struct wd_dh_arg *arg = req;
	struct dh_sess *s = to_dh_sess(base);
	struct wd_object *obj = &base->obj;
	size_t want = arg->op == WD_DH_PUBLIC ? 0 : s->k;
	int ret = wd_frame_check_end(base, arg->cb, arg->flags, arg->reserved);

	(void)call;
	if (ret)
		return ret;
	if (arg->op > WD_DH_SHARED)
		return wd_fail_num(obj, EINVAL, "arg->op %u is unknown", arg->op, 0);
	if (arg->src_len != want)
		return wd_fail_num(obj, EINVAL, "src_len is %u: the operand has %u bytes", arg->src_len, want);
	ret = pubkey_check_ends(base, arg->src, want, arg->dst, arg->dst_len, s->k);
	if (!ret)
		ret = check_private(s, arg);
	if (!ret && want && !wd_probe(WD_PROBE_RECENT, false, arg->src, want))
		ret = wd_fail(obj, EFAULT, "src is not mapped");
	if (!ret && want && !dh_in_range(s, arg->src))
		ret = wd_fail(obj, EINVAL, "the peer's public value is not one of 2 .. p - 2");
	return ret;
}

static void dh_refill(struct wd_session *s, void *req, __u32 aux, struct wd_msg *m)
{
	const struct wd_dh_arg *arg = req;
	struct pubkey_msg *c = pubkey_msg_begin(s, req, m, arg->op, to_dh_sess(s)->k);

	(void)aux;
	c->extra = arg->key;
	c->extra_len = arg->key_len;
}

/* SP 800-56A: a secret that anybody can guess must not be used. */
static int check_result(struct pubkey_msg *c)
{
	if (c->op == WD_DH_PUBLIC || dh_in_range(to_dh_sess(c->m.sess), c->dst))
		return 0;
	c->why = "the shared secret is 0, 1 or p - 1";
	return -EBADMSG;
}

static int dh_result(struct wd_session *s, void *req, struct wd_msg *m, int ret)
{
	return pubkey_result(s, req, m, ret, check_result);
}

static __u32 dh_opcode(const struct wd_session *s, const void *req)
{
	const struct wd_dh_arg *arg = req;

	(void)s;
	return arg->op == WD_DH_PUBLIC ? WD_WC_KEYGEN : WD_WC_AGREE;
}

/* --- sessions --- */

static int setup_check(const struct wd_dh_sess_setup *setup, struct wd_session_attr *attr)
{
	if (!setup)
		return wd_fail(NULL, EINVAL, "setup is NULL");
	if (setup->group > WD_DH_FFDHE4096)
		return wd_fail_num(NULL, EINVAL, "setup->group %u is unknown", setup->group, 0);
	return pubkey_setup_attr(attr, setup->op_type, setup->reserved8 | setup->reserved16, setup->flags,
				 setup->timeout_ms, setup->cq, setup->reserved);
}

static int sess_wipe(struct wd_session *base)
{
	struct dh_sess *s = to_dh_sess(base);

	soft_dh_free(s->soft);
	explicit_bzero(s->key, sizeof(s->key));
	return 0;
}

handle_t wd_dh_alloc_sess(const struct wd_dh_sess_setup *setup, const wd_dev_mask_t *dev_mask)
{
	struct wd_session_attr attr = { .mask = dev_mask };
	int ret = setup_check(setup, &attr);
	struct wd_session *s;

	if (ret)
		return wd_no_handle(ret);
	s = wd_session_alloc(&dh_class, sizeof(struct dh_sess), &attr);
	if (!s)
		return 0;
	return pubkey_sess_made(s, dh_group_set(to_dh_sess(s), setup), sess_wipe);
}

int wd_dh_free_sess(handle_t sess)
{
	return wd_frame_free_sess(sess, &dh_class, sess_wipe);
}

int wd_dh_sess_caps(handle_t sess)
{
	return pubkey_sess_caps(sess, &dh_class);
}

int wd_dh_sess_bytes(handle_t sess)
{
	struct wd_session *s = wd_session_get(sess, &dh_class);

	return s ? (int)to_dh_sess(s)->k : -EINVAL;
}

int wd_dh_set_key(handle_t sess, const struct wd_number *x)
{
	__u8 field[PUBKEY_BYTES_MAX];
	struct dh_sess *s;
	int ret;

	s = to_dh_sess(wd_frame_key_begin(sess, &dh_class, x, &ret));
	if (!s)
		return ret;
	ret = private_check(s, x, field);
	if (!ret) {
		memcpy(s->key, field, s->k);
		s->has_x = true;
	}
	explicit_bzero(field, sizeof(field));
	return ret;
}

/* --- calls --- */

FRAME_SYNC(wd_dh, dh_class)
FRAME_PUBLIC(wd_dh, dh_class)

static const char *const dh_algs[] = { "dh", NULL };
static const struct wd_driver *const dh_drivers[] = { &hisi_dh_driver, NULL };

static const struct wd_class dh_class = {
	.name = "DH",
	.kind = WD_KIND_DH,
	.what = "a DH session",
	.algs = dh_algs,
	.drivers = dh_drivers,
	.soft = &soft_dh_driver,
	PUBKEY_CLASS(wd_dh),
	.check = dh_check,
	.fill = pubkey_fill,
	.refill = dh_refill,
	.run = pubkey_run,
	.result = dh_result,
	.opcode = dh_opcode,
};
