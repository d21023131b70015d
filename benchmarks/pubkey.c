// SPDX-License-Identifier: Apache-2.0
/* RSA, DH and ECC: the software path against direct calls of libcrypto, and the keys of all rows. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include "pubkey.h"

#define ROUNDS	15
#define TURN_NS	8000000.0	/* CPU time of one measurement */
#define BITS	2048

struct pubkey_operands pubkey;

static struct {
	handle_t h_rsa, h_ecdsa, h_ecdh, h_x, h_dh;
} soft;

void pubkey_need(bool good, const char *what)
{
	if (!good)
		die(what, -EIO);
}

/* --- keys --- */

static void number_of(struct wd_number *n, const EVP_PKEY *pkey, const char *name, unsigned char *room)
{
	BIGNUM *bn = NULL;

	pubkey_need(EVP_PKEY_get_bn_param(pkey, name, &bn), name);
	n->len = (__u32)BN_bn2bin(bn, room);
	n->data = room;
	BN_clear_free(bn);
}

enum { N, E, D, P, Q, DP, DQ, INVERSE, PARTS };
static const char *const rsa_parts[PARTS] = {
	OSSL_PKEY_PARAM_RSA_N, OSSL_PKEY_PARAM_RSA_E, OSSL_PKEY_PARAM_RSA_D, OSSL_PKEY_PARAM_RSA_FACTOR1,
	OSSL_PKEY_PARAM_RSA_FACTOR2, OSSL_PKEY_PARAM_RSA_EXPONENT1, OSSL_PKEY_PARAM_RSA_EXPONENT2,
	OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
};

handle_t pubkey_rsa_session(int op_type, __u32 flags, bool primes)
{
	struct wd_rsa_sess_setup setup = { .key_bits = BITS, .op_type = (__u8)op_type, .flags = flags };
	unsigned char room[PARTS][MOST];
	struct wd_rsa_key key = { .reserved = { 0 } };
	struct wd_number *to = &key.n;
	handle_t h = wd_rsa_alloc_sess(&setup, NULL);
	int i;

	for (i = 0; i < (primes ? PARTS : P); i++)
		number_of(to + i, pubkey.rsa, rsa_parts[i], room[i]);
	pubkey_need(h && !wd_rsa_set_key(h, &key), "an RSA session");
	return h;
}

handle_t pubkey_ecc_session(int alg, int curve, int op_type, __u32 flags)
{
	struct wd_ecc_sess_setup setup = {
		.alg = (__u8)alg, .curve = (__u32)curve, .op_type = (__u8)op_type, .flags = flags
	};
	unsigned char room[32];
	struct wd_ecc_key key = { .reserved = { 0 } };
	size_t len = sizeof(room);
	handle_t h = wd_ecc_alloc_sess(&setup, NULL);

	if (alg == WD_ECC_X25519) {
		pubkey_need(EVP_PKEY_get_raw_private_key(pubkey.x, room, &len), "a key");
		key.d = (struct wd_number){ .data = room, .len = 32 };
	} else {
		number_of(&key.d, pubkey.ec, OSSL_PKEY_PARAM_PRIV_KEY, room);
	}
	pubkey_need(h && !wd_ecc_set_key(h, &key), "an ECC session");
	return h;
}

handle_t pubkey_dh_session(int op_type, __u32 flags)
{
	struct wd_dh_sess_setup setup = { .group = WD_DH_FFDHE2048, .op_type = (__u8)op_type, .flags = flags };
	unsigned char room[MOST];
	struct wd_number x;
	handle_t h = wd_dh_alloc_sess(&setup, NULL);

	number_of(&x, pubkey.dh, OSSL_PKEY_PARAM_PRIV_KEY, room);
	pubkey_need(h && !wd_dh_set_key(h, &x), "a DH session");
	return h;
}

void pubkey_dh_make(void)
{
	OSSL_PARAM group[] = {
		OSSL_PARAM_construct_utf8_string("group", (char *)"ffdhe2048", 0), OSSL_PARAM_construct_end()
	};
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "DH", NULL);
	BIGNUM *y = NULL;

	pubkey_need(ctx && EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_CTX_set_params(ctx, group) > 0 &&
		    EVP_PKEY_generate(ctx, &pubkey.dh) > 0 && EVP_PKEY_generate(ctx, &pubkey.dh_peer) > 0,
		    "keys of DH");
	pubkey_need(EVP_PKEY_get_bn_param(pubkey.dh_peer, OSSL_PKEY_PARAM_PUB_KEY, &y) &&
		    BN_bn2binpad(y, pubkey.dh_value, MOST) == MOST, "a value");
	BN_free(y);
	EVP_PKEY_CTX_free(ctx);
}

void pubkey_ec_make(void)
{
	size_t n;

	pubkey.ec = EVP_EC_gen("P-256");
	pubkey.ec_peer = EVP_EC_gen("P-256");
	pubkey_need(pubkey.ec && pubkey.ec_peer, "keys");
	pubkey_need(EVP_PKEY_get_octet_string_param(pubkey.ec_peer, OSSL_PKEY_PARAM_PUB_KEY, pubkey.ec_point,
						    sizeof(pubkey.ec_point), &n), "a point");
	memset(pubkey.digest, 0x71, sizeof(pubkey.digest));
}

void pubkey_x_make(void)
{
	size_t n = sizeof(pubkey.x_point);

	pubkey.x = EVP_PKEY_Q_keygen(NULL, NULL, "X25519");
	pubkey.x_peer = EVP_PKEY_Q_keygen(NULL, NULL, "X25519");
	pubkey_need(pubkey.x && pubkey.x_peer && EVP_PKEY_get_raw_public_key(pubkey.x_peer, pubkey.x_point, &n),
		    "keys");
}

/* To find primes takes callgrind ten seconds. */
static const char *const rsa_primes[] = {
	"fdd065dacd94fd15e6e55df17a61d66aec8adeaf47e3c089f07e7f4a00ad907c"
	"f3b9609c9134e022a36e6c847df9990e37970eff40d7705dab766e395a2722e8"
	"39539630967763d7982d1231aa1cb25825f357dca780bbb4592b7f50b1e689a4"
	"77d367a1bd4789a237229dbcdaf2f568708de33f5dc773a239b133832f3f6df1",
	"d0063f9018c51b929396c3904dbc5a1778b23348a557bcca904e3354814d2673"
	"6045f1831b687f6503cf92eefd837c876e039c77f9f35793c022f1a96482ff25"
	"0a2494adb2988f20dcb1ad6ea4bff0a06422d873b70f978ea0cb531eacbf097f"
	"24fdb9350317ac5bfe45681cf203f5c44dafd86a5a918e9a5144a60da8400307",
};

/* An RSA key of two primes, of which the first is larger. */
static EVP_PKEY *rsa_of(const char *const hex[2])
{
	BIGNUM *part[PARTS], *phi = BN_new(), *p1 = BN_new(), *q1 = BN_new();
	EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
	OSSL_PARAM_BLD *bld = OSSL_PARAM_BLD_new();
	BN_CTX *ctx = BN_CTX_new();
	OSSL_PARAM *params;
	EVP_PKEY *pkey = NULL;
	int i;

	for (i = 0; i < PARTS; i++)
		part[i] = BN_new();
	pubkey_need(BN_hex2bn(&part[P], hex[0]) && BN_hex2bn(&part[Q], hex[1]) && BN_set_word(part[E], RSA_F4) &&
		    BN_sub(p1, part[P], BN_value_one()) && BN_sub(q1, part[Q], BN_value_one()) &&
		    BN_mul(part[N], part[P], part[Q], ctx) && BN_mul(phi, p1, q1, ctx) &&
		    BN_mod_inverse(part[D], part[E], phi, ctx) && BN_mod(part[DP], part[D], p1, ctx) &&
		    BN_mod(part[DQ], part[D], q1, ctx) && BN_mod_inverse(part[INVERSE], part[Q], part[P], ctx),
		    "the numbers of an RSA key");
	for (i = 0; i < PARTS; i++)
		pubkey_need(OSSL_PARAM_BLD_push_BN(bld, rsa_parts[i], part[i]), rsa_parts[i]);
	params = OSSL_PARAM_BLD_to_param(bld);
	pubkey_need(EVP_PKEY_fromdata_init(maker) > 0 && EVP_PKEY_fromdata(maker, &pkey, EVP_PKEY_KEYPAIR, params) > 0,
		    "an RSA key");
	OSSL_PARAM_free(params);
	OSSL_PARAM_BLD_free(bld);
	EVP_PKEY_CTX_free(maker);
	for (i = 0; i < PARTS; i++)
		BN_free(part[i]);
	BN_free(phi);
	BN_free(p1);
	BN_free(q1);
	BN_CTX_free(ctx);
	return pkey;
}

void pubkey_rsa_make(void)
{
	pubkey.rsa = rsa_of(rsa_primes);
	memset(pubkey.in, 0x35, sizeof(pubkey.in));
	pubkey.in[0] = 0;
}

/* --- ours --- */

static int rsa_do(handle_t h, int op)
{
	size_t len = MOST;
	struct wd_rsa_arg arg = {
		.src = pubkey.in, .src_len = MOST, .dst = pubkey.out, .dst_len = &len, .op = (__u32)op
	};

	return wd_rsa_sync(h, &arg);
}

int pubkey_ecc_do(handle_t h, int op, void *in, size_t n, void *extra, size_t extra_len, void *out)
{
	size_t len = MOST;
	struct wd_ecc_arg arg = {
		.src = in, .src_len = n, .dst = out, .dst_len = out ? &len : NULL, .op = (__u32)op, .extra = extra,
		.extra_len = (__u32)extra_len,
	};

	return wd_ecc_sync(h, &arg);
}

static int ours_rsa_sign(void)
{
	return rsa_do(soft.h_rsa, WD_RSA_SIGN);
}

static int ours_rsa_verify(void)
{
	return rsa_do(soft.h_rsa, WD_RSA_VERIFY);
}

static int ours_dh(void)
{
	size_t len = MOST;
	struct wd_dh_arg arg = {
		.src = pubkey.dh_value, .src_len = MOST, .dst = pubkey.out, .dst_len = &len, .op = WD_DH_SHARED
	};

	return wd_dh_sync(soft.h_dh, &arg);
}

static int ours_ecdh(void)
{
	return pubkey_ecc_do(soft.h_ecdh, WD_ECC_AGREE, pubkey.ec_point + 1, 64, NULL, 0, pubkey.out);
}

static int ours_ecdsa_sign(void)
{
	return pubkey_ecc_do(soft.h_ecdsa, WD_ECC_SIGN, pubkey.digest, 32, NULL, 0, pubkey.out);
}

static int ours_ecdsa_verify(void)
{
	return pubkey_ecc_do(soft.h_ecdsa, WD_ECC_VERIFY, pubkey.digest, 32, pubkey.sig, 64, NULL);
}

static int ours_x25519(void)
{
	return pubkey_ecc_do(soft.h_x, WD_ECC_AGREE, pubkey.x_point, 32, NULL, 0, pubkey.out);
}

/* --- libcrypto: contexts are prepared once, the peer's key comes with each request --- */

static EVP_PKEY_CTX *prepared(EVP_PKEY *pkey, int (*init)(EVP_PKEY_CTX *), bool raw)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, pkey, NULL);

	pubkey_need(ctx && init(ctx) > 0 && (!raw || EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING) > 0),
		    "a context");
	return ctx;
}

static int direct_rsa_sign(void)
{
	static EVP_PKEY_CTX *ctx;
	size_t n = MOST;

	if (!ctx)
		ctx = prepared(pubkey.rsa, EVP_PKEY_sign_init, true);
	return EVP_PKEY_sign(ctx, pubkey.out, &n, pubkey.in, MOST) > 0 ? 0 : -EIO;
}

static int direct_rsa_verify(void)
{
	static EVP_PKEY_CTX *ctx;
	size_t n = MOST;

	if (!ctx)
		ctx = prepared(pubkey.rsa, EVP_PKEY_encrypt_init, true);
	return EVP_PKEY_encrypt(ctx, pubkey.out, &n, pubkey.in, MOST) > 0 ? 0 : -EIO;
}

static int direct_dh(void)
{
	static EVP_PKEY_CTX *ctx;
	size_t n = MOST;

	if (!ctx)
		ctx = prepared(pubkey.dh, EVP_PKEY_derive_init, false);
	return EVP_PKEY_derive_set_peer_ex(ctx, pubkey.dh_peer, 0) > 0 && EVP_PKEY_derive(ctx, pubkey.out, &n) > 0 ? 0 :
	       -EIO;
}

static int direct_derive(EVP_PKEY_CTX *ctx, EVP_PKEY *peer)
{
	size_t n = MOST;

	return EVP_PKEY_derive_set_peer_ex(ctx, peer, 0) > 0 && EVP_PKEY_derive(ctx, pubkey.out, &n) > 0 ? 0 : -EIO;
}

static int direct_ecdh(void)
{
	static EVP_PKEY_CTX *ctx;
	static EC_GROUP *group;
	static EVP_PKEY *peer;

	if (!ctx) {
		ctx = prepared(pubkey.ec, EVP_PKEY_derive_init, false);
		group = EC_GROUP_new_by_curve_name_ex(NULL, NULL, NID_X9_62_prime256v1);
		peer = EVP_PKEY_dup(pubkey.ec_peer);
		pubkey_need(group && peer, "a peer");
	}
	return EVP_PKEY_set1_encoded_public_key(peer, pubkey.ec_point, 65) > 0 ? direct_derive(ctx, peer) : -EIO;
}

static int direct_x25519(void)
{
	static EVP_PKEY_CTX *ctx;
	EVP_PKEY *peer = EVP_PKEY_new_raw_public_key_ex(NULL, "X25519", NULL, pubkey.x_point, 32);
	int ret;

	if (!ctx)
		ctx = prepared(pubkey.x, EVP_PKEY_derive_init, false);
	ret = peer ? direct_derive(ctx, peer) : -EIO;
	EVP_PKEY_free(peer);
	return ret;
}

static int direct_ecdsa_sign(void)
{
	static EVP_PKEY_CTX *ctx;

	if (!ctx)
		ctx = prepared(pubkey.ec, EVP_PKEY_sign_init, false);
	pubkey.der_len = sizeof(pubkey.der);
	return EVP_PKEY_sign(ctx, pubkey.der, &pubkey.der_len, pubkey.digest, 32) > 0 ? 0 : -EIO;
}

static int direct_ecdsa_verify(void)
{
	static EVP_PKEY_CTX *ctx;

	if (!ctx)
		ctx = prepared(pubkey.ec, EVP_PKEY_verify_init, false);
	return EVP_PKEY_verify(ctx, pubkey.der, pubkey.der_len, pubkey.digest, 32) == 1 ? 0 : -EIO;
}

/* --- rows --- */

static const struct job {
	const char *name;
	int (*ours)(void);
	int (*direct)(void);
} jobs[] = {
	{ "rsa2048-sign", ours_rsa_sign, direct_rsa_sign },
	{ "rsa2048-verify", ours_rsa_verify, direct_rsa_verify },
	{ "ffdhe2048", ours_dh, direct_dh },
	{ "ecdh-p256", ours_ecdh, direct_ecdh },
	{ "ecdsa-p256-sign", ours_ecdsa_sign, direct_ecdsa_sign },
	{ "ecdsa-p256-verify", ours_ecdsa_verify, direct_ecdsa_verify },
	{ "x25519", ours_x25519, direct_x25519 },
};

static unsigned long long run_ns(int (*call)(void), unsigned int n)
{
	unsigned long long start = cpu_ns();
	int ret;

	while (n--) {
		ret = call();
		if (ret)
			die("an operation", ret);
	}
	return cpu_ns() - start;
}

static unsigned long long ours_ns(void *arg, unsigned int n)
{
	return run_ns(((const struct job *)arg)->ours, n);
}

static unsigned long long direct_ns(void *arg, unsigned int n)
{
	return run_ns(((const struct job *)arg)->direct, n);
}

static void measure(const struct job *j)
{
	struct pair p;
	double once;
	unsigned int n;

	direct_ns((void *)j, 1);
	ours_ns((void *)j, 1);
	once = (double)direct_ns((void *)j, 1);
	n = once < TURN_NS ? (unsigned int)(TURN_NS / (once + 1)) + 1 : 1;
	p = measure_pair(ours_ns, (void *)j, direct_ns, (void *)j, n, ROUNDS);
	/* The row's value is the ratio; its floor is the direct call's time. */
	printf("row soft.%s.ratio %.4f x:libcrypto %.0f %.4f\n", j->name, p.ratio, p.floor, p.ratio);
	fflush(stdout);
}

int pubkey_rows(int argc, char **argv)
{
	unsigned int i;

	(void)argc, (void)argv;
	pubkey_rsa_make();
	pubkey_dh_make();
	pubkey_ec_make();
	pubkey_x_make();
	soft.h_rsa = pubkey_rsa_session(WD_SYNC, WD_SESS_PATH_SOFT, true);
	soft.h_dh = pubkey_dh_session(WD_SYNC, WD_SESS_PATH_SOFT);
	soft.h_ecdh = pubkey_ecc_session(WD_ECC_ECDH, WD_ECC_SECP256R1, WD_SYNC, WD_SESS_PATH_SOFT);
	soft.h_ecdsa = pubkey_ecc_session(WD_ECC_ECDSA, WD_ECC_SECP256R1, WD_SYNC, WD_SESS_PATH_SOFT);
	soft.h_x = pubkey_ecc_session(WD_ECC_X25519, 0, WD_SYNC, WD_SESS_PATH_SOFT);
	pubkey_need(!pubkey_ecc_do(soft.h_ecdsa, WD_ECC_SIGN, pubkey.digest, 32, NULL, 0, pubkey.sig), "a signature");
	for (i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++)
		measure(&jobs[i]);
	wd_rsa_free_sess(soft.h_rsa);
	wd_dh_free_sess(soft.h_dh);
	wd_ecc_free_sess(soft.h_ecdh);
	wd_ecc_free_sess(soft.h_ecdsa);
	wd_ecc_free_sess(soft.h_x);
	return 0;
}
