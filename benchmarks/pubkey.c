// SPDX-License-Identifier: Apache-2.0
/* RSA, DH and ECC: this CPU's path against libcrypto called directly, and loops for counting instructions. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <wd_dh.h>
#include <wd_ecc.h>
#include <wd_rsa.h>
#include "bench.h"

#define ROUNDS	15
#define TURN_NS	8000000.0	/* of CPU time for one measurement */
#define BITS	2048
#define MOST	(BITS / 8)

/* Keys and operands of all operations, made once. */
static struct {
	EVP_PKEY *rsa, *ec, *x, *dh, *dh_peer, *ec_peer, *x_peer;
	unsigned char in[MOST], out[MOST], digest[32], sig[64], der[80], ec_point[65], x_point[32], dh_value[MOST];
	size_t der_len;
	handle_t h_rsa, h_ecdsa, h_ecdh, h_x, h_dh;
} b;

static void need(bool good, const char *what)
{
	if (!good)
		die(what, -EIO);
}

/* --- keys --- */

static void number_of(struct wd_number *n, const EVP_PKEY *pkey, const char *name, unsigned char *room)
{
	BIGNUM *bn = NULL;

	need(EVP_PKEY_get_bn_param(pkey, name, &bn), name);
	n->len = (__u32)BN_bn2bin(bn, room);
	n->data = room;
	BN_clear_free(bn);
}

static handle_t rsa_session(int op_type, __u32 flags)
{
	struct wd_rsa_sess_setup setup = { .key_bits = BITS, .op_type = (__u8)op_type, .flags = flags };
	static const char *const names[] = {
		OSSL_PKEY_PARAM_RSA_N, OSSL_PKEY_PARAM_RSA_E, OSSL_PKEY_PARAM_RSA_D, OSSL_PKEY_PARAM_RSA_FACTOR1, OSSL_PKEY_PARAM_RSA_FACTOR2,
		OSSL_PKEY_PARAM_RSA_EXPONENT1, OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
	};
	unsigned char room[8][MOST];
	struct wd_rsa_key key = { .reserved = { 0 } };
	struct wd_number *to = &key.n;
	handle_t h = wd_rsa_alloc_sess(&setup, NULL);
	int i;

	for (i = 0; i < 8; i++)
		number_of(to + i, b.rsa, names[i], room[i]);
	need(h && !wd_rsa_set_key(h, &key), "an RSA session");
	return h;
}

static handle_t ecc_session(int alg, int curve, int op_type, __u32 flags)
{
	struct wd_ecc_sess_setup setup = { .alg = (__u8)alg, .curve = (__u32)curve, .op_type = (__u8)op_type, .flags = flags };
	unsigned char room[32];
	struct wd_ecc_key key = { .reserved = { 0 } };
	size_t len = sizeof(room);
	handle_t h = wd_ecc_alloc_sess(&setup, NULL);

	if (alg == WD_ECC_X25519) {
		need(EVP_PKEY_get_raw_private_key(b.x, room, &len), "a key");
		key.d = (struct wd_number){ .data = room, .len = 32 };
	} else {
		number_of(&key.d, b.ec, OSSL_PKEY_PARAM_PRIV_KEY, room);
	}
	need(h && !wd_ecc_set_key(h, &key), "an ECC session");
	return h;
}

static handle_t dh_session(int op_type, __u32 flags)
{
	struct wd_dh_sess_setup setup = { .group = WD_DH_FFDHE2048, .op_type = (__u8)op_type, .flags = flags };
	unsigned char room[MOST];
	struct wd_number x;
	handle_t h = wd_dh_alloc_sess(&setup, NULL);

	number_of(&x, b.dh, OSSL_PKEY_PARAM_PRIV_KEY, room);
	need(h && !wd_dh_set_key(h, &x), "a DH session");
	return h;
}

static void dh_make(void)
{
	OSSL_PARAM group[] = { OSSL_PARAM_construct_utf8_string("group", (char *)"ffdhe2048", 0), OSSL_PARAM_construct_end() };
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "DH", NULL);
	BIGNUM *y = NULL;

	need(ctx && EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_CTX_set_params(ctx, group) > 0 && EVP_PKEY_generate(ctx, &b.dh) > 0 &&
	     EVP_PKEY_generate(ctx, &b.dh_peer) > 0, "keys of DH");
	need(EVP_PKEY_get_bn_param(b.dh_peer, OSSL_PKEY_PARAM_PUB_KEY, &y) && BN_bn2binpad(y, b.dh_value, MOST) == MOST, "a value");
	BN_free(y);
	EVP_PKEY_CTX_free(ctx);
}

static void ec_make(void)
{
	size_t n;

	b.ec = EVP_EC_gen("P-256");
	b.ec_peer = EVP_EC_gen("P-256");
	need(b.ec && b.ec_peer, "keys");
	need(EVP_PKEY_get_octet_string_param(b.ec_peer, OSSL_PKEY_PARAM_PUB_KEY, b.ec_point, sizeof(b.ec_point), &n), "a point");
	memset(b.digest, 0x71, sizeof(b.digest));
}

static void x_make(void)
{
	size_t n = sizeof(b.x_point);

	b.x = EVP_PKEY_Q_keygen(NULL, NULL, "X25519");
	b.x_peer = EVP_PKEY_Q_keygen(NULL, NULL, "X25519");
	need(b.x && b.x_peer && EVP_PKEY_get_raw_public_key(b.x_peer, b.x_point, &n), "keys");
}

static void rsa_make(void)
{
	b.rsa = EVP_RSA_gen(BITS);
	need(b.rsa, "an RSA key");
	memset(b.in, 0x35, sizeof(b.in));
	b.in[0] = 0;
}

/* --- ours --- */

static int rsa_do(handle_t h, int op)
{
	size_t len = MOST;
	struct wd_rsa_arg arg = { .src = b.in, .src_len = MOST, .dst = b.out, .dst_len = &len, .op = (__u32)op };

	return wd_rsa_sync(h, &arg);
}

static int ecc_do(handle_t h, int op, void *in, size_t n, void *extra, size_t extra_len, void *out)
{
	size_t len = MOST;
	struct wd_ecc_arg arg = {
		.src = in, .src_len = n, .dst = out, .dst_len = out ? &len : NULL, .op = (__u32)op, .extra = extra, .extra_len = (__u32)extra_len,
	};

	return wd_ecc_sync(h, &arg);
}

static int ours_rsa_sign(void)
{
	return rsa_do(b.h_rsa, WD_RSA_SIGN);
}

static int ours_rsa_verify(void)
{
	return rsa_do(b.h_rsa, WD_RSA_VERIFY);
}

static int ours_dh(void)
{
	size_t len = MOST;
	struct wd_dh_arg arg = { .src = b.dh_value, .src_len = MOST, .dst = b.out, .dst_len = &len, .op = WD_DH_SHARED };

	return wd_dh_sync(b.h_dh, &arg);
}

static int ours_ecdh(void)
{
	return ecc_do(b.h_ecdh, WD_ECC_AGREE, b.ec_point + 1, 64, NULL, 0, b.out);
}

static int ours_ecdsa_sign(void)
{
	return ecc_do(b.h_ecdsa, WD_ECC_SIGN, b.digest, 32, NULL, 0, b.out);
}

static int ours_ecdsa_verify(void)
{
	return ecc_do(b.h_ecdsa, WD_ECC_VERIFY, b.digest, 32, b.sig, 64, NULL);
}

static int ours_x25519(void)
{
	return ecc_do(b.h_x, WD_ECC_AGREE, b.x_point, 32, NULL, 0, b.out);
}

/* --- libcrypto's: contexts prepared once, the peer's key as it comes --- */

static EVP_PKEY_CTX *prepared(EVP_PKEY *pkey, int (*init)(EVP_PKEY_CTX *), bool raw)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, pkey, NULL);

	need(ctx && init(ctx) > 0 && (!raw || EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING) > 0), "a context");
	return ctx;
}

static int direct_rsa_sign(void)
{
	static EVP_PKEY_CTX *ctx;
	size_t n = MOST;

	if (!ctx)
		ctx = prepared(b.rsa, EVP_PKEY_sign_init, true);
	return EVP_PKEY_sign(ctx, b.out, &n, b.in, MOST) > 0 ? 0 : -EIO;
}

static int direct_rsa_verify(void)
{
	static EVP_PKEY_CTX *ctx;
	size_t n = MOST;

	if (!ctx)
		ctx = prepared(b.rsa, EVP_PKEY_encrypt_init, true);
	return EVP_PKEY_encrypt(ctx, b.out, &n, b.in, MOST) > 0 ? 0 : -EIO;
}

static int direct_dh(void)
{
	static EVP_PKEY_CTX *ctx;
	size_t n = MOST;

	if (!ctx)
		ctx = prepared(b.dh, EVP_PKEY_derive_init, false);
	return EVP_PKEY_derive_set_peer_ex(ctx, b.dh_peer, 0) > 0 && EVP_PKEY_derive(ctx, b.out, &n) > 0 ? 0 : -EIO;
}

static int direct_derive(EVP_PKEY_CTX *ctx, EVP_PKEY *peer)
{
	size_t n = MOST;

	return EVP_PKEY_derive_set_peer_ex(ctx, peer, 0) > 0 && EVP_PKEY_derive(ctx, b.out, &n) > 0 ? 0 : -EIO;
}

static int direct_ecdh(void)
{
	static EVP_PKEY_CTX *ctx;
	static EC_GROUP *group;
	static EVP_PKEY *peer;

	if (!ctx) {
		ctx = prepared(b.ec, EVP_PKEY_derive_init, false);
		group = EC_GROUP_new_by_curve_name_ex(NULL, NULL, NID_X9_62_prime256v1);
		peer = EVP_PKEY_dup(b.ec_peer);
		need(group && peer, "a peer");
	}
	return EVP_PKEY_set1_encoded_public_key(peer, b.ec_point, 65) > 0 ? direct_derive(ctx, peer) : -EIO;
}

static int direct_x25519(void)
{
	static EVP_PKEY_CTX *ctx;
	EVP_PKEY *peer = EVP_PKEY_new_raw_public_key_ex(NULL, "X25519", NULL, b.x_point, 32);
	int ret;

	if (!ctx)
		ctx = prepared(b.x, EVP_PKEY_derive_init, false);
	ret = peer ? direct_derive(ctx, peer) : -EIO;
	EVP_PKEY_free(peer);
	return ret;
}

static int direct_ecdsa_sign(void)
{
	static EVP_PKEY_CTX *ctx;

	if (!ctx)
		ctx = prepared(b.ec, EVP_PKEY_sign_init, false);
	b.der_len = sizeof(b.der);
	return EVP_PKEY_sign(ctx, b.der, &b.der_len, b.digest, 32) > 0 ? 0 : -EIO;
}

static int direct_ecdsa_verify(void)
{
	static EVP_PKEY_CTX *ctx;

	if (!ctx)
		ctx = prepared(b.ec, EVP_PKEY_verify_init, false);
	return EVP_PKEY_verify(ctx, b.der, b.der_len, b.digest, 32) == 1 ? 0 : -EIO;
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
	/* The ratio is the row; the direct call's time is its floor. */
	printf("row soft.%s.ratio %.4f x:libcrypto %.0f %.4f\n", j->name, p.ratio, p.floor, p.ratio);
	fflush(stdout);
}

int pubkey_rows(int argc, char **argv)
{
	unsigned int i;

	(void)argc, (void)argv;
	rsa_make();
	dh_make();
	ec_make();
	x_make();
	b.h_rsa = rsa_session(WD_SYNC, WD_SESS_PATH_SOFT);
	b.h_dh = dh_session(WD_SYNC, WD_SESS_PATH_SOFT);
	b.h_ecdh = ecc_session(WD_ECC_ECDH, WD_ECC_SECP256R1, WD_SYNC, WD_SESS_PATH_SOFT);
	b.h_ecdsa = ecc_session(WD_ECC_ECDSA, WD_ECC_SECP256R1, WD_SYNC, WD_SESS_PATH_SOFT);
	b.h_x = ecc_session(WD_ECC_X25519, 0, WD_SYNC, WD_SESS_PATH_SOFT);
	need(!ecc_do(b.h_ecdsa, WD_ECC_SIGN, b.digest, 32, NULL, 0, b.sig), "a signature");
	for (i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++)
		measure(&jobs[i]);
	wd_rsa_free_sess(b.h_rsa);
	wd_dh_free_sess(b.h_dh);
	wd_ecc_free_sess(b.h_ecdh);
	wd_ecc_free_sess(b.h_ecdsa);
	wd_ecc_free_sess(b.h_x);
	return 0;
}

/* --- counting --- */

static unsigned int finished;

static void r_done(struct wd_rsa_arg *arg, void *param)
{
	(void)arg, (void)param;
	finished++;
}

static void d_done(struct wd_dh_arg *arg, void *param)
{
	(void)arg, (void)param;
	finished++;
}

static void e_done(struct wd_ecc_arg *arg, void *param)
{
	(void)param;
	need(!arg->status, "a request of ECC");
	finished++;
}

/* Until the device has finished so many in all: what a poll finds is the same every time then. */
static void device_finishes(unsigned long long until)
{
	union { void *p; int (*f)(const char *, const char *, unsigned long long *); } u = { .p = dlsym(RTLD_DEFAULT, "wd_emulate_count") };
	unsigned long long n = 0;

	while (u.p && n < until) {
		usleep(20);
		u.f("hisi_hpre-0", "completions", &n);
	}
}

/* Nonces and private values are given, so that making them isn't counted. */
static const struct ecc_loop {
	const char *name;
	int alg, curve;
	__u32 op;
	void *src, *extra;
	__u32 src_len, extra_len;
} ecc_loops[] = {
	{ "ecdsa", WD_ECC_ECDSA, WD_ECC_SECP256R1, WD_ECC_SIGN, b.digest, b.digest, 32, 32 },
	{ "ecdsa-verify", WD_ECC_ECDSA, WD_ECC_SECP256R1, WD_ECC_VERIFY, b.digest, b.sig, 32, 64 },
	{ "ecdh", WD_ECC_ECDH, WD_ECC_SECP256R1, WD_ECC_AGREE, b.ec_point + 1, NULL, 64, 0 },
	{ "x25519", WD_ECC_X25519, 0, WD_ECC_AGREE, b.x_point, NULL, 32, 0 },
};

static const struct ecc_loop *ecc_loop(const char *what)
{
	const struct ecc_loop *l;

	for (l = ecc_loops; l < ecc_loops + sizeof(ecc_loops) / sizeof(ecc_loops[0]); l++)
		if (!strcmp(what, l->name))
			return l;
	return NULL;
}

static int send_one(const char *what, handle_t h, void *room, size_t *len)
{
	const struct ecc_loop *l = ecc_loop(what);
	struct wd_rsa_arg *r = room;
	struct wd_dh_arg *d = room;
	struct wd_ecc_arg *e = room;

	*len = MOST;
	if (!l && *what == 'r') {
		*r = (struct wd_rsa_arg){ .src = b.in, .src_len = MOST, .dst = b.out, .dst_len = len, .op = WD_RSA_SIGN, .cb = r_done };
		return wd_rsa_async(h, r, NULL);
	}
	if (!l) {
		*d = (struct wd_dh_arg){ .dst = b.out, .dst_len = len, .op = WD_DH_PUBLIC, .cb = d_done };
		return wd_dh_async(h, d, NULL);
	}
	*e = (struct wd_ecc_arg){
		.src = l->src, .src_len = l->src_len, .op = l->op, .extra = l->extra, .extra_len = l->extra_len, .cb = e_done,
	};
	if (l->op != WD_ECC_VERIFY) {
		e->dst = b.out;
		e->dst_len = len;
	}
	return wd_ecc_async(h, e, NULL);
}

/* Of the key that the loop's session gets. */
static void signature_make(void)
{
	handle_t h = ecc_session(WD_ECC_ECDSA, WD_ECC_SECP256R1, WD_SYNC, WD_SESS_PATH_SOFT);

	need(!ecc_do(h, WD_ECC_SIGN, b.digest, 32, NULL, 0, b.sig), "a signature");
	wd_ecc_free_sess(h);
}

static handle_t loop_session(const char *what)
{
	const struct ecc_loop *l = ecc_loop(what);

	if (!strcmp(what, "rsa")) {
		rsa_make();
		return rsa_session(WD_ASYNC, WD_SESS_PATH_HW);
	}
	if (!strcmp(what, "dh")) {
		dh_make();
		return dh_session(WD_ASYNC, WD_SESS_PATH_HW);
	}
	if (!l)
		return 0;
	ec_make();
	x_make();
	if (l->op == WD_ECC_VERIFY)
		signature_make();
	return ecc_session(l->alg, l->curve, WD_ASYNC, WD_SESS_PATH_HW);
}

static int loop_poll(const char *what, unsigned int n)
{
	return *what == 'r' ? wd_rsa_poll(n, STALL_MS, NULL) : *what == 'd' ? wd_dh_poll(n, STALL_MS, NULL) : wd_ecc_poll(n, STALL_MS, NULL);
}

/* WHAT N: nothing but that, for who counts from outside. */
int pubkey_loop(int argc, char **argv)
{
	union { struct wd_rsa_arg r; struct wd_dh_arg d; struct wd_ecc_arg e; } args[WINDOW];
	unsigned int n = argc == 2 ? (unsigned int)strtoul(argv[1], NULL, 10) : 0, sent = 0, i;
	size_t len[WINDOW];
	handle_t h;

	h = n ? loop_session(argv[0]) : 0;
	if (!h) {
		fputs("usage: wd-bench pubkey-loop rsa|dh|ecdsa|ecdsa-verify|ecdh|x25519 N\n", stderr);
		return 2;
	}
	while (sent < n) {
		for (i = 0; i < WINDOW; i++)
			need(!send_one(argv[0], h, &args[i], &len[i]), "a request");
		sent += WINDOW;
		device_finishes(sent);
		while (finished < sent)
			need(loop_poll(argv[0], sent - finished) > 0, "a poll");
	}
	return 0;
}
