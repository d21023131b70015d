// SPDX-License-Identifier: Apache-2.0
/* Elliptic curves, judged by libcrypto and published vectors. */
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>

#include "uadk/wd_ecc.h"
#include "uadk/wd_sched.h"
#include "uadk_test.h"

#include "kselftest_harness.h"
#include "noise.h"

#define MOST	72

static struct wd_dtb dtb(const void *data, __u32 len)
{
	return (struct wd_dtb){ (char *)data, len, len };
}

static handle_t session(const char *alg, int curve, struct wd_ecc_curve *params)
{
	struct wd_ecc_sess_setup setup;

	memset(&setup, 0xa5, sizeof(setup));
	setup.alg = alg;
	setup.key_bits = 256;
	setup.cv.type = params ? WD_CV_CFG_PARAM : WD_CV_CFG_ID;
	if (params)
		setup.cv.cfg.pparam = params;
	else
		setup.cv.cfg.id = curve;
	setup.sched_param = NULL;
	return wd_ecc_alloc_sess(&setup);
}

static struct wd_ecc_req request(int op, void *in, void *out)
{
	return (struct wd_ecc_req){ .src = in, .dst = out, .op_type = op };
}

FIXTURE(ecc) { unsigned char digest[32]; };
FIXTURE_SETUP(ecc)
{
	fill_noise(self->digest, sizeof(self->digest), 4);
	ASSERT_EQ(0, wd_ecc_init2("ecdsa", SCHED_POLICY_RR, TASK_MIX));
}

FIXTURE_TEARDOWN(ecc)
{
	wd_ecc_uninit2();
}

/* A key of libcrypto's. */
struct pair {
	EVP_PKEY *key;
	unsigned char d[MOST], x[MOST], y[MOST];
	__u32 d_len, x_len, y_len;
};

static __u32 part(EVP_PKEY *key, const char *name, unsigned char *to)
{
	BIGNUM *n = NULL;
	__u32 len;

	EVP_PKEY_get_bn_param(key, name, &n);
	len = (__u32)BN_bn2bin(n, to);
	BN_free(n);
	return len;
}

static void pair_make(struct pair *p, const char *group)
{
	p->key = EVP_EC_gen(group);
	p->d_len = part(p->key, OSSL_PKEY_PARAM_PRIV_KEY, p->d);
	p->x_len = part(p->key, OSSL_PKEY_PARAM_EC_PUB_X, p->x);
	p->y_len = part(p->key, OSSL_PKEY_PARAM_EC_PUB_Y, p->y);
}

static int give(handle_t h, const struct pair *p, bool private)
{
	struct wd_dtb d = dtb(p->d, p->d_len);
	struct wd_ecc_point pub = { dtb(p->x, p->x_len), dtb(p->y, p->y_len) };
	struct wd_ecc_key *key = wd_ecc_get_key(h);

	return private ? wd_ecc_set_prikey(key, &d) : wd_ecc_set_pubkey(key, &pub);
}

/* P-256 has no number, so programs pass its parameters. */
static void p256(struct wd_ecc_curve *c, unsigned char bytes[6][32])
{
	EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
	BIGNUM *n[5];

	for (int i = 0; i < 5; i++)
		n[i] = BN_new();
	EC_GROUP_get_curve(group, n[0], n[1], n[2], NULL);
	EC_POINT_get_affine_coordinates(group, EC_GROUP_get0_generator(group), n[3], n[4], NULL);
	for (int i = 0; i < 5; i++) {
		BN_bn2binpad(n[i], bytes[i], 32);
		BN_free(n[i]);
	}
	BN_bn2binpad(EC_GROUP_get0_order(group), bytes[5], 32);
	c->p = dtb(bytes[0], 32);
	c->a = dtb(bytes[1], 32);
	c->b = dtb(bytes[2], 32);
	c->g.x = dtb(bytes[3], 32);
	c->g.y = dtb(bytes[4], 32);
	c->n = dtb(bytes[5], 32);
	EC_GROUP_free(group);
}

static const struct {
	const char *name;
	int id;				/* 0: by its parameters */
} curves[] = { { "P-384", WD_SECP384R1 }, { "P-521", WD_SECP521R1 }, { "secp256k1", WD_SECP256K1 }, { "P-256", 0 } };

/* Whether libcrypto takes the signature. */
static int verifies(const struct pair *p, const unsigned char *digest, const struct wd_dtb *r, const struct wd_dtb *s)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(p->key, NULL);
	ECDSA_SIG *sig = ECDSA_SIG_new();
	unsigned char *der = NULL;
	int len, ret;

	ECDSA_SIG_set0(sig, BN_bin2bn((unsigned char *)r->data, (int)r->dsize, NULL),
		       BN_bin2bn((unsigned char *)s->data, (int)s->dsize, NULL));
	len = i2d_ECDSA_SIG(sig, &der);
	ret = EVP_PKEY_verify_init(ctx) == 1 && EVP_PKEY_verify(ctx, der, (size_t)len, digest, 32) == 1;
	OPENSSL_free(der);
	ECDSA_SIG_free(sig);
	EVP_PKEY_CTX_free(ctx);
	return ret;
}

TEST_F(ecc, ecdsa)
{
	unsigned char bytes[6][32];
	struct wd_ecc_curve params;

	p256(&params, bytes);
	for (size_t i = 0; i < 4; i++) {
		handle_t h = session("ecdsa", curves[i].id, curves[i].id ? NULL : &params);
		handle_t public = session("ecdsa", curves[i].id, curves[i].id ? NULL : &params);
		struct wd_dtb e = dtb(self->digest, 32), *r, *s;
		struct wd_ecc_out *out = wd_ecdsa_new_sign_out(h);
		struct wd_ecc_in *in = wd_ecdsa_new_sign_in(h, &e, NULL), *check;
		struct wd_ecc_req req = request(WD_ECDSA_SIGN, in, out);
		struct pair pair;

		ASSERT_TRUE(h && public && in && out) TH_LOG("%s", curves[i].name);
		pair_make(&pair, curves[i].name);
		EXPECT_EQ(-WD_EINVAL, wd_do_ecc_sync(h, &req));
		ASSERT_EQ(0, give(h, &pair, true));
		ASSERT_EQ(0, wd_do_ecc_sync(h, &req));
		wd_ecdsa_get_sign_out_params(out, &r, &s);
		EXPECT_TRUE(verifies(&pair, self->digest, r, s)) TH_LOG("%s", curves[i].name);
		check = wd_ecdsa_new_verf_in(public, &e, r, s);
		ASSERT_EQ(0, give(public, &pair, false));
		req = request(WD_ECDSA_VERIFY, check, NULL);
		EXPECT_EQ(0, wd_do_ecc_sync(public, &req));
		EXPECT_EQ(0, req.status);
		wd_ecc_del_in(public, check);
		s->data[3] ^= 1;
		check = wd_ecdsa_new_verf_in(public, &e, r, s);
		req = request(WD_ECDSA_VERIFY, check, NULL);
		EXPECT_EQ(-WD_VERIFY_ERR, wd_do_ecc_sync(public, &req));
		EXPECT_EQ(WD_VERIFY_ERR, req.status);
		wd_ecc_del_in(public, check);
		wd_ecc_del_in(h, in);
		wd_ecc_del_out(h, out);
		wd_ecc_free_sess(h);
		wd_ecc_free_sess(public);
		EVP_PKEY_free(pair.key);
	}
}

TEST_F(ecc, ecdh)
{
	for (size_t i = 0; i < 3; i++) {
		handle_t h = session("ecdh", curves[i].id, NULL);
		struct wd_ecc_out *out = wd_ecxdh_new_out(h);
		struct wd_ecc_req req = request(WD_ECXDH_GEN_KEY, NULL, out);
		struct wd_ecc_point *point, peer_point;
		struct wd_ecc_in *in;
		unsigned char secret[MOST];
		size_t len = sizeof(secret);
		EVP_PKEY_CTX *ctx;
		struct pair own, peer;

		ASSERT_TRUE(h && out);
		pair_make(&own, curves[i].name);
		pair_make(&peer, curves[i].name);
		ASSERT_EQ(0, give(h, &own, true));
		ASSERT_EQ(0, wd_do_ecc_sync(h, &req));
		wd_ecxdh_get_out_params(out, &point);
		EXPECT_EQ(own.x_len, point->x.dsize);
		EXPECT_EQ(0, memcmp(own.x, point->x.data, own.x_len));
		EXPECT_EQ(0, memcmp(own.y, point->y.data, own.y_len));
		peer_point = (struct wd_ecc_point){ dtb(peer.x, peer.x_len), dtb(peer.y, peer.y_len) };
		in = wd_ecxdh_new_in(h, &peer_point);
		req = request(WD_ECXDH_COMPUTE_KEY, in, out);
		ASSERT_EQ(0, wd_do_ecc_sync(h, &req));
		ctx = EVP_PKEY_CTX_new(own.key, NULL);
		EVP_PKEY_derive_init(ctx);
		EVP_PKEY_derive_set_peer(ctx, peer.key);
		EVP_PKEY_derive(ctx, secret, &len);
		EVP_PKEY_CTX_free(ctx);
		/* Without leading zeroes. */
		ASSERT_LE(point->x.dsize, len);
		EXPECT_EQ(0, memcmp(secret + len - point->x.dsize, point->x.data, point->x.dsize));
		wd_ecc_del_in(h, in);
		wd_ecc_del_out(h, out);
		wd_ecc_free_sess(h);
		EVP_PKEY_free(own.key);
		EVP_PKEY_free(peer.key);
	}
}

/* A string of RFC 7748 as a number: the last byte first. */
static void number_of(unsigned char *to, const char *hex)
{
	for (int i = 0; i < 32; i++) {
		unsigned int byte;

		sscanf(hex + 2 * (31 - i), "%2x", &byte);
		to[i] = (unsigned char)byte;
	}
}

TEST_F(ecc, x25519)
{
	unsigned char d[32], pub[32], peer[32], secret[32];
	handle_t h = session("x25519", 0, NULL);
	struct wd_ecc_out *out = wd_ecxdh_new_out(h);
	struct wd_ecc_req req = request(WD_ECXDH_GEN_KEY, NULL, out);
	struct wd_ecc_point *point, bob = { dtb(peer, 32), { 0 } };
	struct wd_dtb key = dtb(d, 32);
	struct wd_ecc_in *in;

	fill_noise(d, 32, 6);
	number_of(peer, "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
	ASSERT_TRUE(h && out);
	ASSERT_EQ(0, wd_ecc_set_prikey(wd_ecc_get_key(h), &key));
	ASSERT_EQ(0, wd_do_ecc_sync(h, &req));
	wd_ecxdh_get_out_params(out, &point);
	{
		/* libcrypto takes strings. */
		unsigned char string[32], want[32], theirs[32];
		size_t len = 32;
		EVP_PKEY *alice, *other;
		EVP_PKEY_CTX *ctx;

		for (int i = 0; i < 32; i++) {
			string[i] = d[31 - i];
			theirs[i] = peer[31 - i];
		}
		alice = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, string, 32);
		EVP_PKEY_get_raw_public_key(alice, want, &len);
		for (int i = 0; i < 32; i++)
			pub[i] = want[31 - i];
		other = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, theirs, 32);
		ctx = EVP_PKEY_CTX_new(alice, NULL);
		EVP_PKEY_derive_init(ctx);
		EVP_PKEY_derive_set_peer(ctx, other);
		len = 32;
		EVP_PKEY_derive(ctx, want, &len);
		for (int i = 0; i < 32; i++)
			secret[i] = want[31 - i];
		EVP_PKEY_CTX_free(ctx);
		EVP_PKEY_free(alice);
		EVP_PKEY_free(other);
	}
	EXPECT_EQ(0, memcmp(pub + 32 - point->x.dsize, point->x.data, point->x.dsize));
	in = wd_ecxdh_new_in(h, &bob);
	req = request(WD_ECXDH_COMPUTE_KEY, in, out);
	ASSERT_EQ(0, wd_do_ecc_sync(h, &req));
	EXPECT_EQ(0, memcmp(secret + 32 - point->x.dsize, point->x.data, point->x.dsize));
	wd_ecc_del_in(h, in);
	wd_ecc_del_out(h, out);
	wd_ecc_free_sess(h);
}

static void heard(void *param)
{
	struct wd_ecc_req *req = param;

	*(int *)req->cb_param = req->status ? -1 : 1;
}

TEST_F(ecc, sm2)
{
	static const char text[] = "a message", id[] = "ALICE123@YAHOO.COM";
	handle_t h = session("sm2", 0, NULL), kg = session("sm2", 0, NULL);
	struct wd_ecc_out *pair = wd_sm2_new_kg_out(kg), *out;
	struct wd_ecc_req req = request(WD_SM2_KG, NULL, pair);
	struct wd_dtb *d, *r, *s, *c2, *c3, *plain;
	struct wd_dtb message = dtb(text, sizeof(text)), name = dtb(id, sizeof(id) - 1), e = dtb(self->digest, 32);
	struct wd_ecc_point *pub, *c1;
	struct wd_ecc_in *in;
	__u32 count = 0;
	int done = 0;

	ASSERT_TRUE(h && kg && pair);
	EXPECT_EQ(256, wd_ecc_get_key_bits(h));
	ASSERT_EQ(0, wd_do_ecc_sync(kg, &req));
	wd_sm2_get_kg_out_params(pair, &d, &pub);
	ASSERT_EQ(0, wd_ecc_set_prikey(wd_ecc_get_key(h), d));
	ASSERT_EQ(0, wd_ecc_set_pubkey(wd_ecc_get_key(h), pub));
	for (int is_digest = 0; is_digest < 2; is_digest++) {
		out = wd_sm2_new_sign_out(h);
		in = wd_sm2_new_sign_in(h, is_digest ? &e : &message, NULL, &name, (__u8)is_digest);
		req = request(WD_SM2_SIGN, in, out);
		ASSERT_EQ(0, wd_do_ecc_sync(h, &req));
		wd_ecc_del_in(h, in);
		wd_sm2_get_sign_out_params(out, &r, &s);
		in = wd_sm2_new_verf_in(h, is_digest ? &e : &message, r, s, &name, (__u8)is_digest);
		req = request(WD_SM2_VERIFY, in, NULL);
		EXPECT_EQ(0, wd_do_ecc_sync(h, &req));
		req.cb = heard;
		req.cb_param = &done;
		ASSERT_EQ(0, wd_do_ecc_async(h, &req));
		EXPECT_EQ(0, wd_ecc_poll(1, &count));
		EXPECT_EQ(1, done);
		wd_ecc_del_in(h, in);
		/* Another identity, or digest. */
		name.dsize--;
		self->digest[5] ^= 1;
		in = wd_sm2_new_verf_in(h, is_digest ? &e : &message, r, s, &name, (__u8)is_digest);
		req = request(WD_SM2_VERIFY, in, NULL);
		EXPECT_EQ(-WD_VERIFY_ERR, wd_do_ecc_sync(h, &req));
		name.dsize++;
		self->digest[5] ^= 1;
		wd_ecc_del_in(h, in);
		wd_ecc_del_out(h, out);
	}
	EXPECT_EQ(2, count);
	out = wd_sm2_new_enc_out(h, sizeof(text));
	in = wd_sm2_new_enc_in(h, NULL, &message);
	req = request(WD_SM2_ENCRYPT, in, out);
	ASSERT_EQ(0, wd_do_ecc_sync(h, &req));
	wd_ecc_del_in(h, in);
	wd_sm2_get_enc_out_params(out, &c1, &c2, &c3);
	EXPECT_EQ(sizeof(text), c2->dsize);
	EXPECT_EQ(32, c3->dsize);
	in = wd_sm2_new_dec_in(h, c1, c2, c3);
	wd_ecc_del_out(h, pair);
	pair = wd_sm2_new_dec_out(h, sizeof(text));
	req = request(WD_SM2_DECRYPT, in, pair);
	ASSERT_EQ(0, wd_do_ecc_sync(h, &req));
	wd_sm2_get_dec_out_params(pair, &plain);
	EXPECT_EQ(sizeof(text), plain->dsize);
	EXPECT_EQ(0, memcmp(text, plain->data, sizeof(text)));
	wd_ecc_del_in(h, in);
	c3->data[0] ^= 1;
	in = wd_sm2_new_dec_in(h, c1, c2, c3);
	req.src = in;
	EXPECT_EQ(-WD_VERIFY_ERR, wd_do_ecc_sync(h, &req));
	/* A place of another size. */
	wd_ecc_del_out(h, pair);
	pair = wd_sm2_new_dec_out(h, sizeof(text) - 1);
	req.dst = pair;
	EXPECT_EQ(-WD_EINVAL, wd_do_ecc_sync(h, &req));
	req = request(WD_ECDSA_SIGN, in, out);
	EXPECT_EQ(-WD_EINVAL, wd_do_ecc_sync(h, &req));
	wd_ecc_del_in(h, in);
	wd_ecc_del_out(h, out);
	wd_ecc_del_out(h, pair);
	wd_ecc_free_sess(h);
	wd_ecc_free_sess(kg);
}

TEST_F(ecc, refused)
{
	struct wd_dtb *p = NULL, *a, *b, *n, *d;
	struct wd_ecc_point *g;
	handle_t h;

	EXPECT_EQ(0, session("ecdsa", 0x99, NULL));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, session("rot13", WD_SECP384R1, NULL));
	EXPECT_EQ(0, wd_ecc_alloc_sess(NULL));
	h = session("ecdh", WD_SECP256K1, NULL);
	EXPECT_EQ(NULL, wd_ecxdh_new_in(h, NULL));
	EXPECT_EQ(NULL, wd_ecxdh_new_out(0));
	wd_ecc_get_prikey_params(wd_ecc_get_key(h), &p, &a, &b, &n, &g, &d);
	EXPECT_EQ(32, p->dsize);
	EXPECT_EQ(7, b->data[0]);
	EXPECT_EQ(0, d->dsize);
	EXPECT_EQ(-WD_EINVAL, wd_ecc_set_prikey(wd_ecc_get_key(h), NULL));
	wd_ecc_del_in(h, NULL);
	wd_ecc_del_out(h, NULL);
	wd_ecc_free_sess(h);
}

TEST_HARNESS_MAIN
