// SPDX-License-Identifier: Apache-2.0
/* Runs the cases of the public-key libraries: RSA, Diffie-Hellman, curves. */
#include <errno.h>
#include <wd_dh.h>
#include <wd_ecc.h>
#include <wd_rsa.h>

#include "selftest.h"

#define NUMBER(bytes, size)	((struct wd_number){ .data = (bytes), .len = (size) })

static void take(struct kat_run *r, unsigned int path, unsigned int reason)
{
	r->path = path;
	r->reason = reason;
}

/* RSA: a is the size in bits, key the modulus; extra is e to verify, and e (3 bytes), d to sign. */
static int rsa_open(struct kat_run *r, const wd_dev_mask_t *mask)
{
	struct wd_rsa_sess_setup setup = {
		.key_bits = r->kat->a, .flags = WD_SESS_PATH_HW, .timeout_ms = r->timeout_ms
	};
	struct wd_rsa_key key = { .n = NUMBER(r->key, r->key_len), .e = NUMBER(r->extra, 3) };

	if (r->kat->op == WD_RSA_SIGN)
		key.d = NUMBER(r->extra + 3, r->extra_len - 3);
	r->sess = wd_rsa_alloc_sess(&setup, mask);
	return r->sess ? wd_rsa_set_key(r->sess, &key) : -errno;
}

/* Diffie-Hellman: extra is p and g, of equal size; key is x, in the peer's value. */
static int dh_open(struct kat_run *r, const wd_dev_mask_t *mask)
{
	size_t k = r->extra_len / 2;
	struct wd_dh_sess_setup setup = {
		.p = NUMBER(r->extra, k), .g = NUMBER(r->extra + k, k), .flags = WD_SESS_PATH_HW,
		.timeout_ms = r->timeout_ms,
	};
	struct wd_number x = NUMBER(r->key, r->key_len);

	r->sess = wd_dh_alloc_sess(&setup, mask);
	return r->sess ? wd_dh_set_key(r->sess, &x) : -errno;
}

/* Curves: a is the algorithm, b the curve; key is d, or the point; extra the nonce, or the signature. */
static int ecc_open(struct kat_run *r, const wd_dev_mask_t *mask)
{
	struct wd_ecc_sess_setup setup = {
		.alg = r->kat->a, .curve = r->kat->b, .flags = WD_SESS_PATH_HW, .timeout_ms = r->timeout_ms,
	};
	struct wd_ecc_key key = { 0 };
	size_t half = r->key_len / 2;

	r->sess = wd_ecc_alloc_sess(&setup, mask);
	if (!r->sess)
		return -errno;
	if (r->kat->op == WD_ECC_VERIFY) {
		key.x = NUMBER(r->key, half);
		key.y = NUMBER(r->key + half, half);
	} else {
		key.d = NUMBER(r->key, r->key_len);
	}
	return wd_ecc_set_key(r->sess, &key);
}

static int rsa_once(struct kat_run *r, bool bulk)
{
	struct wd_rsa_arg arg = {
		.op = r->kat->op, .src = r->in, .src_len = r->in_len, .dst = r->out, .dst_len = &r->out_len,
	};
	int ret;

	(void)bulk;
	r->out_len = sizeof(r->out);
	ret = wd_rsa_sync(r->sess, &arg);
	take(r, arg.path, arg.path_reason);
	return ret;
}

static int dh_once(struct kat_run *r, bool bulk)
{
	struct wd_dh_arg arg = {
		.op = r->kat->op, .src = r->in_len ? r->in : NULL, .src_len = r->in_len, .dst = r->out,
		.dst_len = &r->out_len,
	};
	int ret;

	(void)bulk;
	r->out_len = sizeof(r->out);
	ret = wd_dh_sync(r->sess, &arg);
	take(r, arg.path, arg.path_reason);
	return ret;
}

static int ecc_once(struct kat_run *r, bool bulk)
{
	bool verify = r->kat->op == WD_ECC_VERIFY;
	struct wd_ecc_arg arg = {
		.op = r->kat->op, .src = r->in_len ? r->in : NULL, .src_len = r->in_len, .dst = verify ? NULL : r->out,
		.dst_len = verify ? NULL : &r->out_len, .extra = r->extra_len ? r->extra : NULL,
		.extra_len = r->extra_len,
	};
	int ret;

	(void)bulk;
	r->out_len = verify ? 0 : sizeof(r->out);
	ret = wd_ecc_sync(r->sess, &arg);
	take(r, arg.path, arg.path_reason);
	return ret;
}

/* A signature that isn't right: the answer is empty if it is refused. */
static int ecc_refuse_once(struct kat_run *r, bool bulk)
{
	int ret = ecc_once(r, bulk);

	r->out_len = !ret;
	return ret == -EBADMSG ? 0 : ret;
}

const struct kat_class class_rsa = { rsa_open, rsa_once, wd_rsa_free_sess, false };
const struct kat_class class_dh = { dh_open, dh_once, wd_dh_free_sess, false };
const struct kat_class class_ecc = { ecc_open, ecc_once, wd_ecc_free_sess, false };
const struct kat_class class_ecc_refuse = { ecc_open, ecc_refuse_once, wd_ecc_free_sess, false };
