// SPDX-License-Identifier: Apache-2.0
/* RSA and DH, judged by libcrypto. */
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include "uadk/wd_dh.h"
#include "uadk/wd_rsa.h"
#include "uadk/wd_sched.h"
#include "uadk_test.h"

#include "kselftest_harness.h"
#include "noise.h"

#define BITS	1024
#define K	(BITS / 8)

/* A number of the program's. */
struct number {
	char data[K];
	struct wd_dtb dtb;
};

static struct wd_dtb *number(struct number *n, const BIGNUM *from)
{
	n->dtb = (struct wd_dtb){ n->data, BN_bn2bin(from, (unsigned char *)n->data), sizeof(n->data) };
	return &n->dtb;
}

FIXTURE(rsa) {
	BIGNUM *n, *e, *d, *p, *q, *dp, *dq, *qinv;
	unsigned char text[K], signature[K];
};

static BIGNUM *part(EVP_PKEY *key, const char *name)
{
	BIGNUM *n = NULL;

	EVP_PKEY_get_bn_param(key, name, &n);
	return n;
}

FIXTURE_SETUP(rsa)
{
	EVP_PKEY *key = EVP_RSA_gen(BITS);
	BN_CTX *ctx = BN_CTX_new();
	BIGNUM *m, *s = BN_new();

	self->n = part(key, OSSL_PKEY_PARAM_RSA_N);
	self->e = part(key, OSSL_PKEY_PARAM_RSA_E);
	self->d = part(key, OSSL_PKEY_PARAM_RSA_D);
	self->p = part(key, OSSL_PKEY_PARAM_RSA_FACTOR1);
	self->q = part(key, OSSL_PKEY_PARAM_RSA_FACTOR2);
	self->dp = part(key, OSSL_PKEY_PARAM_RSA_EXPONENT1);
	self->dq = part(key, OSSL_PKEY_PARAM_RSA_EXPONENT2);
	self->qinv = part(key, OSSL_PKEY_PARAM_RSA_COEFFICIENT1);
	EVP_PKEY_free(key);
	fill_noise(self->text, K, 5);
	self->text[0] = 0;
	m = BN_bin2bn(self->text, K, NULL);
	BN_mod_exp(s, m, self->d, self->n, ctx);
	BN_bn2binpad(s, self->signature, K);
	BN_free(m);
	BN_free(s);
	BN_CTX_free(ctx);
	ASSERT_EQ(0, wd_rsa_init2("rsa", SCHED_POLICY_RR, TASK_MIX));
}

FIXTURE_TEARDOWN(rsa)
{
	BN_free(self->n);
	BN_free(self->e);
	BN_free(self->d);
	BN_free(self->p);
	BN_free(self->q);
	BN_free(self->dp);
	BN_free(self->dq);
	BN_free(self->qinv);
	wd_rsa_uninit2();
}

static handle_t rsa_session(bool crt)
{
	struct wd_rsa_sess_setup setup;

	memset(&setup, 0xa5, sizeof(setup));
	setup.key_bits = BITS;
	setup.is_crt = crt;
	setup.sched_param = NULL;
	return wd_rsa_alloc_sess(&setup);
}

static struct wd_rsa_req rsa_request(int op, const void *src, void *dst)
{
	struct wd_rsa_req req = { .src = (void *)src, .dst = dst, .src_bytes = K, .dst_bytes = K, .op_type = op };

	return req;
}

/* With as little of a key as UADK's devices need. */
TEST_F(rsa, operations)
{
	struct number n[5];
	unsigned char out[K];

	for (int crt = 0; crt < 2; crt++) {
		handle_t h = rsa_session(crt), public = rsa_session(crt);
		struct wd_rsa_req req = rsa_request(WD_RSA_SIGN, self->text, out);
		int ret;

		ASSERT_NE(0, h);
		EXPECT_EQ(crt, wd_rsa_is_crt(h));
		EXPECT_EQ(BITS, wd_rsa_get_key_bits(h));
		/* No key. */
		EXPECT_EQ(-WD_EINVAL, wd_do_rsa_sync(h, &req));
		if (crt)
			ret = wd_rsa_set_crt_prikey_params(h, number(&n[0], self->dq), number(&n[1], self->dp),
							   number(&n[2], self->qinv), number(&n[3], self->q),
							   number(&n[4], self->p));
		else
			ret = wd_rsa_set_prikey_params(h, number(&n[0], self->d), number(&n[1], self->n));
		ASSERT_EQ(0, ret);
		ASSERT_EQ(0, wd_do_rsa_sync(h, &req));
		EXPECT_EQ(0, req.status);
		EXPECT_EQ(K, req.dst_bytes);
		EXPECT_EQ(0, memcmp(out, self->signature, K));
		ASSERT_EQ(0, wd_rsa_set_pubkey_params(public, number(&n[0], self->e), number(&n[1], self->n)));
		req = rsa_request(WD_RSA_VERIFY, self->signature, out);
		ASSERT_EQ(0, wd_do_rsa_sync(public, &req));
		EXPECT_EQ(0, memcmp(out, self->text, K));
		req.src_bytes = K - 1;
		EXPECT_EQ(-WD_EINVAL, wd_do_rsa_sync(public, &req));
		req = rsa_request(WD_RSA_INVALID, self->signature, out);
		EXPECT_EQ(-WD_EINVAL, wd_do_rsa_sync(public, &req));
		wd_rsa_free_sess(h);
		wd_rsa_free_sess(public);
	}
}

/* Programs write to the numbers that the getters return. */
TEST_F(rsa, key_in_place)
{
	handle_t h = rsa_session(false);
	struct wd_rsa_prikey *pri;
	struct wd_dtb *d, *n;
	unsigned char out[K];
	struct wd_rsa_req req = rsa_request(WD_RSA_SIGN, self->text, out);

	wd_rsa_get_prikey(h, &pri);
	wd_rsa_get_prikey_params(pri, &d, &n);
	EXPECT_EQ(K, d->bsize);
	d->dsize = BN_bn2bin(self->d, (unsigned char *)d->data);
	n->dsize = BN_bn2bin(self->n, (unsigned char *)n->data);
	ASSERT_EQ(0, wd_do_rsa_sync(h, &req));
	EXPECT_EQ(0, memcmp(out, self->signature, K));
	/* Another key, which isn't one. */
	d->data[3] ^= 1;
	EXPECT_GT(0, wd_do_rsa_sync(h, &req));
	d->data[3] ^= 1;
	ASSERT_EQ(0, wd_do_rsa_sync(h, &req));
	EXPECT_EQ(0, memcmp(out, self->signature, K));
	wd_rsa_free_sess(h);
}

TEST_F(rsa, generate)
{
	for (int crt = 0; crt < 2; crt++) {
		handle_t h = rsa_session(crt);
		struct number e, p, q;
		struct wd_rsa_kg_in *in = wd_rsa_new_kg_in(h, number(&e, self->e), number(&p, self->p),
							   number(&q, self->q));
		struct wd_rsa_kg_out *out = wd_rsa_new_kg_out(h);
		struct wd_rsa_req req = rsa_request(WD_RSA_GENKEY, in, out);
		struct wd_dtb n, dp, dq, qinv, d;
		unsigned char want[K];

		ASSERT_TRUE(in && out);
		ASSERT_EQ(0, wd_do_rsa_sync(h, &req));
		wd_rsa_get_kg_out_params(out, &d, &n);
		EXPECT_EQ(BN_bn2bin(self->n, want), n.dsize);
		EXPECT_EQ(0, memcmp(want, n.data, n.dsize));
		if (crt) {
			wd_rsa_get_kg_out_crt_params(out, &qinv, &dq, &dp);
			EXPECT_EQ(BN_bn2bin(self->dp, want), dp.dsize);
			EXPECT_EQ(0, memcmp(want, dp.data, dp.dsize));
			EXPECT_EQ(BN_bn2bin(self->qinv, want), qinv.dsize);
			EXPECT_EQ(0, memcmp(want, qinv.data, qinv.dsize));
		}
		wd_rsa_del_kg_in(h, in);
		wd_rsa_del_kg_out(h, out);
		wd_rsa_free_sess(h);
	}
}

static int heard;

static void rsa_heard(void *param)
{
	struct wd_rsa_req *req = param;

	/* The request is the callback's only argument. */
	if (!req->status && req->cb_param == &heard)
		heard++;
}

TEST_F(rsa, async)
{
	handle_t h = rsa_session(false);
	unsigned char out[20][K];
	struct number n[2];
	__u32 count = 0;

	heard = 0;
	ASSERT_EQ(0, wd_rsa_set_pubkey_params(h, number(&n[0], self->e), number(&n[1], self->n)));
	for (int i = 0; i < 20; i++) {
		struct wd_rsa_req req = rsa_request(WD_RSA_VERIFY, self->signature, out[i]);

		EXPECT_EQ(-WD_EINVAL, wd_do_rsa_async(h, &req));
		req.cb = rsa_heard;
		req.cb_param = &heard;
		ASSERT_EQ(0, wd_do_rsa_async(h, &req));
	}
	EXPECT_EQ(0, wd_rsa_poll(20, &count));
	EXPECT_EQ(20, count);
	EXPECT_EQ(20, heard);
	for (int i = 0; i < 20; i++)
		EXPECT_EQ(0, memcmp(out[i], self->text, K));
	wd_rsa_free_sess(h);
}

static void dh_heard(void *param)
{
	struct wd_dh_req *req = param;

	*(int *)req->cb_param = req->status ? -1 : req->pri_bytes;
}

TEST(dh)
{
	static const char g2 = 2;
	BIGNUM *p = BN_get_rfc2409_prime_1024(NULL), *x = BN_new(), *want = BN_new(), *two = BN_new(), *pv = BN_new();
	struct wd_dh_sess_setup setup = { .key_bits = 1024, .is_g2 = true };
	unsigned char x_p[2 * K], peer[K], out[K], right[K];
	struct wd_dtb g = { (char *)&g2, 1, 1 }, *got;
	BN_CTX *ctx = BN_CTX_new();
	struct wd_dh_req req = { .x_p = x_p, .pri = out, .pri_bytes = K, .op_type = WD_DH_PHASE1 };
	__u32 count = 0;
	__u8 mode = 7;
	handle_t h;

	ASSERT_EQ(0, wd_dh_init2("dh", SCHED_POLICY_RR, TASK_MIX));
	h = wd_dh_alloc_sess(&setup);
	ASSERT_NE(0, h);
	EXPECT_EQ(1024, wd_dh_key_bits(h));
	EXPECT_EQ(0, wd_dh_get_mode(h, &mode));
	EXPECT_EQ(1, mode);
	EXPECT_EQ(0, wd_dh_set_g(h, &g));
	wd_dh_get_g(h, &got);
	EXPECT_EQ(2, got->data[0]);
	BN_set_word(two, 2);
	for (unsigned int seed = 1; seed < 6; seed++) {
		int len, done = 0;

		/* x is short, and p begins at the second half all the same. */
		fill_noise(x_p, 32, seed);
		BN_bin2bn(x_p, 32, x);
		req.xbytes = 32;
		req.pbytes = (__u16)BN_bn2bin(p, x_p + K);
		req.op_type = WD_DH_PHASE1;
		req.pri_bytes = K;
		BN_mod_exp(want, two, x, p, ctx);
		len = BN_bn2bin(want, right);
		ASSERT_EQ(0, wd_do_dh_sync(h, &req));
		EXPECT_EQ(len, req.pri_bytes);
		EXPECT_EQ(0, memcmp(out, right, len));
		fill_noise(peer, K, seed + 100);
		peer[0] = 0;
		BN_bin2bn(peer, K, pv);
		BN_mod_exp(want, pv, x, p, ctx);
		len = BN_bn2bin(want, right);
		req.op_type = WD_DH_PHASE2;
		req.pv = peer;
		req.pvbytes = K;
		req.pri_bytes = K;
		ASSERT_EQ(0, wd_do_dh_sync(h, &req));
		EXPECT_EQ(len, req.pri_bytes);
		EXPECT_EQ(0, memcmp(out, right, len));
		memset(out, 0, K);
		req.pri_bytes = K;
		req.cb = dh_heard;
		req.cb_param = &done;
		ASSERT_EQ(0, wd_do_dh_async(h, &req));
		EXPECT_EQ(0, wd_dh_poll(1, &count));
		EXPECT_EQ(seed, count);
		EXPECT_EQ(len, done);
		EXPECT_EQ(0, memcmp(out, right, len));
	}
	/* A p of this session's size that no group has: the session takes another. */
	req.op_type = WD_DH_PHASE1;
	req.pri_bytes = K - 1;
	EXPECT_EQ(-WD_EINVAL, wd_do_dh_sync(h, &req));
	req.pri_bytes = K;
	req.xbytes = K + 1;
	EXPECT_EQ(-WD_EINVAL, wd_do_dh_sync(h, &req));
	wd_dh_free_sess(h);
	setup.key_bits = 1023;
	EXPECT_EQ(0, wd_dh_alloc_sess(&setup));
	wd_dh_uninit2();
	BN_free(p);
	BN_free(x);
	BN_free(want);
	BN_free(two);
	BN_free(pv);
	BN_CTX_free(ctx);
}

TEST_HARNESS_MAIN
