// SPDX-License-Identifier: Apache-2.0
/*
 * Keys of RSA, curves and Diffie-Hellman, and groups and curves by value: good keys are accepted, whatever zeroes lead;
 * an accepted key computes what libcrypto computes; a refused key leaves the previous one in place.
 * Input: family, then for each part: how it is derived from the good part (enum how), and the bytes for that.
 */
#include <errno.h>
#include <stdbool.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <wd_dh.h>
#include <wd_ecc.h>
#include <wd_rsa.h>

#include "feed.h"

/* Of LeakSanitizer, if LeakSanitizer is linked. */
void __attribute__((weak)) __lsan_disable(void);
void __attribute__((weak)) __lsan_enable(void);

#define PART_MAX	700
#define RSA_BITS	1024u
#define RSA_BYTES	(RSA_BITS / 8)
#define DH_BYTES	96u

enum how {
	HOW_NONE,
	HOW_GOOD,
	HOW_ZEROES,	/* leading zeroes */
	HOW_CHANGED,	/* one byte changed */
	HOW_SHORT,
	HOW_OTHER,	/* bytes from the input */
	HOW_MORE,	/* longer by one byte */
	HOW_NR,
};

struct part {
	struct wd_number number;
	uint8_t *data;
	bool good;		/* the same number */
	BIGNUM *value;
};

static BN_CTX *ctx;

static void part_make(struct part *p, struct feed *f, const BIGNUM *good, uint32_t width)
{
	uint8_t how = feed_u8(f), at, bytes[PART_MAX] = { 0 };
	uint32_t len = width, lead = 0;

	MUST(BN_bn2binpad(good, bytes, (int)width) >= 0);
	switch (how % HOW_NR) {
	case HOW_NONE:
		len = 0;
		break;
	case HOW_ZEROES:
		lead = feed_u8(f) % 64;
		memmove(bytes + lead, bytes, width);
		memset(bytes, 0, lead);
		len = width + lead;
		break;
	case HOW_CHANGED:
		at = feed_u8(f);
		bytes[at % width] ^= feed_u8(f);
		break;
	case HOW_SHORT:
		len = feed_u8(f) % (width + 1);
		break;
	case HOW_OTHER:
		len = feed_u16(f) % PART_MAX;
		feed_bytes(f, bytes, len);
		break;
	case HOW_MORE:
		for (at = 0; at < width && !++bytes[width - 1 - at]; at++)
			;
		break;
	}
	p->data = exactly(bytes, len);
	p->number = (struct wd_number){ .data = how % HOW_NR == HOW_NONE ? NULL : p->data, .len = len };
	p->value = BN_bin2bn(p->data, (int)len, NULL);
	MUST(p->value);
	p->good = p->number.data && len && !BN_cmp(p->value, good);
}

static void parts_free(struct part *p, int n)
{
	while (n--) {
		free(p[n].data);
		BN_free(p[n].value);
	}
}

static bool given(const struct part *p)
{
	return p->number.data || p->number.len;
}

/* --- RSA --- */

enum { N, E, D, P, Q, DP, DQ, QINV, RSA_PARTS };

static struct {
	BIGNUM *good[RSA_PARTS];
	handle_t sess;
} rsa;

static void rsa_begin(void)
{
	static const char p_hex[] =
		"d32737e7267ffe1341b2d5c0d150a81b586fb3132bed2f8d5262864a9cb9f30a"
		"f38be448598d413a172efb802c21acf1c11c520c2f26a471dcad212eac7ca39d";
	static const char q_hex[] =
		"cc8853d1d54da630fac004f471f281c7b8982d8224a490edbeb33d3e3d5cc93c"
		"4765703d1dd791642f1f116a0dd852be2419b2af72bfe9a030e860b0288b5d77";
	struct wd_rsa_sess_setup setup = { .key_bits = RSA_BITS };
	BIGNUM *p1 = BN_new(), *q1 = BN_new(), *phi = BN_new();
	int i;

	for (i = 0; i < RSA_PARTS; i++)
		rsa.good[i] = BN_new();
	MUST(BN_hex2bn(&rsa.good[P], p_hex) && BN_hex2bn(&rsa.good[Q], q_hex) && BN_set_word(rsa.good[E], 65537));
	MUST(BN_mul(rsa.good[N], rsa.good[P], rsa.good[Q], ctx) && BN_sub(p1, rsa.good[P], BN_value_one()) &&
	     BN_sub(q1, rsa.good[Q], BN_value_one()) && BN_mul(phi, p1, q1, ctx) &&
	     BN_mod_inverse(rsa.good[D], rsa.good[E], phi, ctx) &&
	     BN_mod(rsa.good[DP], rsa.good[D], p1, ctx) && BN_mod(rsa.good[DQ], rsa.good[D], q1, ctx) &&
	     BN_mod_inverse(rsa.good[QINV], rsa.good[Q], rsa.good[P], ctx));
	BN_free(p1);
	BN_free(q1);
	BN_free(phi);
	rsa.sess = wd_rsa_alloc_sess(&setup, NULL);
	MUST(rsa.sess);
}

/* Computes by the private key as it was set, and compares with libcrypto's power. */
static void rsa_power(const BIGNUM *base, const BIGNUM *exponent, const BIGNUM *n, uint32_t op, int may)
{
	uint8_t in[RSA_BYTES], out[RSA_BYTES], want[RSA_BYTES];
	size_t len = sizeof(out);
	struct wd_rsa_arg arg = { .src = in, .src_len = sizeof(in), .dst = out, .dst_len = &len, .op = op };
	BIGNUM *r = BN_new();
	int ret;

	MUST(BN_bn2binpad(base, in, sizeof(in)) >= 0);
	ret = wd_rsa_sync(rsa.sess, &arg);
	MUST(!ret || ret == may, "%d", ret);
	MUST(BN_mod_exp(r, base, exponent, n, ctx) && BN_bn2binpad(r, want, sizeof(want)) >= 0);
	if (!ret)
		MUST(len == sizeof(out) && !memcmp(out, want, sizeof(want)), "another power than libcrypto's");
	BN_free(r);
}

static void rsa_keys(struct feed *f)
{
	struct part p[RSA_PARTS];
	struct wd_rsa_key key;
	bool all = true, crt = false;
	BIGNUM *base = BN_new();
	uint8_t b[RSA_BYTES];
	int ret, i;

	for (i = 0; i < RSA_PARTS; i++)
		part_make(&p[i], f, rsa.good[i], i < P ? RSA_BYTES : RSA_BYTES / 2);
	key = (struct wd_rsa_key){ p[N].number, p[E].number, p[D].number, p[P].number, p[Q].number, p[DP].number,
				   p[DQ].number, p[QINV].number, { 0 } };
	for (i = P; i < RSA_PARTS; i++)
		crt |= given(&p[i]);
	for (i = 0; i < (crt ? RSA_PARTS : P); i++)
		all &= p[i].good || (i == D && !crt && !given(&p[i]));
	ret = wd_rsa_set_key(rsa.sess, &key);
	MUST(!ret || ret == -EINVAL, "%d", ret);
	MUST(!all || !ret, "a good key is refused");
	/* Two parts alone may form another valid public key, or a private key whose owner knows the primes. */
	MUST(ret || all || (!crt && !p[N].good) || !p[E].good || !p[D].good, "a bad key is taken");
	feed_bytes(f, b, sizeof(b));
	BN_bin2bn(b, sizeof(b), base);
	if (!ret && !BN_mod(base, base, p[N].value, ctx))
		abort();
	if (!ret && !BN_is_zero(base)) {
		rsa_power(base, p[E].value, p[N].value, WD_RSA_VERIFY, 0);
		if (given(&p[D]))
			rsa_power(base, p[D].value, p[N].value, WD_RSA_SIGN, 0);
	}
	BN_free(base);
	parts_free(p, RSA_PARTS);
}

/* --- curves --- */

static const struct {
	int alg, curve, nid;
} names[] = {
	{ WD_ECC_ECDSA, WD_ECC_SECP256R1, NID_X9_62_prime256v1 }, { WD_ECC_ECDH, WD_ECC_SECP521R1, NID_secp521r1 },
	{ WD_ECC_ECDH, WD_ECC_SECP256K1, NID_secp256k1 }, { WD_ECC_SM2, 0, NID_sm2 },
	{ WD_ECC_ECDSA, WD_ECC_SECP384R1, NID_secp384r1 },
};
#define CURVES (sizeof(names) / sizeof(names[0]))

static struct curve {
	EC_GROUP *group;
	BIGNUM *p, *a, *b, *n, *gx, *gy;
	BIGNUM *d, *x, *y;	/* a good key */
	uint32_t bytes;
	handle_t sess;
} curves[CURVES];

static void multiple(const EC_GROUP *group, const BIGNUM *d, BIGNUM *x, BIGNUM *y)
{
	EC_POINT *point = EC_POINT_new(group);

	MUST(EC_POINT_mul(group, point, d, NULL, NULL, ctx) &&
	     EC_POINT_get_affine_coordinates(group, point, x, y, ctx));
	EC_POINT_free(point);
}

static void curves_begin(void)
{
	unsigned int i;

	for (i = 0; i < CURVES; i++) {
		struct wd_ecc_sess_setup setup = { .alg = (uint8_t)names[i].alg, .curve = (uint32_t)names[i].curve };
		struct curve *c = &curves[i];

		*c = (struct curve){ .group = EC_GROUP_new_by_curve_name(names[i].nid), .p = BN_new(), .a = BN_new(),
				     .b = BN_new(), .n = BN_new(), .gx = BN_new(), .gy = BN_new(), .d = BN_new(),
				     .x = BN_new(), .y = BN_new() };
		MUST(c->group && EC_GROUP_get_curve(c->group, c->p, c->a, c->b, ctx) &&
		     EC_GROUP_get_order(c->group, c->n, ctx));
		BN_one(c->d);
		multiple(c->group, c->d, c->gx, c->gy);
		BN_set_word(c->d, 0x123456789abcdef1);
		multiple(c->group, c->d, c->x, c->y);
		c->bytes = (uint32_t)BN_num_bytes(c->p);
		c->sess = wd_ecc_alloc_sess(&setup, NULL);
		MUST(c->sess && wd_ecc_sess_bytes(c->sess) == (int)c->bytes);
	}
}

static bool fits(const struct part *p, uint32_t bytes)
{
	return p->number.data && p->number.len && (uint32_t)BN_num_bytes(p->value) <= bytes;
}

static bool on_curve(const struct curve *c, const struct part *x, const struct part *y)
{
	EC_POINT *point = EC_POINT_new(c->group);
	bool on = fits(x, c->bytes) && fits(y, c->bytes) && BN_cmp(x->value, c->p) < 0 && BN_cmp(y->value, c->p) < 0 &&
		  EC_POINT_set_affine_coordinates(c->group, point, x->value, y->value, ctx) > 0;

	EC_POINT_free(point);
	return on;
}

/* The key's rules once more, with libcrypto's numbers. */
static bool key_good(const struct curve *c, bool sm2, const struct part *d, const struct part *x, const struct part *y)
{
	BIGNUM *top = BN_dup(c->n), *wx = BN_new(), *wy = BN_new();
	bool good = given(d) || given(x) || given(y);

	if (sm2)
		BN_sub_word(top, 1);
	if (given(x) || given(y))
		good = good && on_curve(c, x, y);
	if (given(d))
		good = good && fits(d, c->bytes) && !BN_is_zero(d->value) && BN_cmp(d->value, top) < 0;
	if (good && given(d) && given(x)) {
		multiple(c->group, d->value, wx, wy);
		good = !BN_cmp(wx, x->value) && !BN_cmp(wy, y->value);
	}
	BN_free(top);
	BN_free(wx);
	BN_free(wy);
	return good;
}

static void point_compare(const struct curve *c, const uint8_t *point, const BIGNUM *d)
{
	BIGNUM *x = BN_new(), *y = BN_new();
	uint8_t want[2 * 72];

	multiple(c->group, d, x, y);
	MUST(BN_bn2binpad(x, want, (int)c->bytes) >= 0 && BN_bn2binpad(y, want + c->bytes, (int)c->bytes) >= 0);
	MUST(!memcmp(point, want, 2 * c->bytes), "not the public key");
	BN_free(x);
	BN_free(y);
}

static int ask_public(handle_t sess, uint8_t *point, size_t room)
{
	struct wd_ecc_arg arg = { .dst = point, .dst_len = &room, .op = WD_ECC_PUBLIC };

	return wd_ecc_sync(sess, &arg);
}

static void curve_keys(struct feed *f)
{
	struct wd_ecc_key key = { .d = { NULL, 0 } };
	uint8_t which = feed_u8(f) % CURVES, point[2 * 72];
	const struct curve *c = &curves[which];
	struct part p[3];
	bool good;
	int ret;

	part_make(&p[0], f, c->d, c->bytes);
	part_make(&p[1], f, c->x, c->bytes);
	part_make(&p[2], f, c->y, c->bytes);
	key.d = p[0].number;
	key.x = p[1].number;
	key.y = p[2].number;
	good = key_good(c, names[which].alg == WD_ECC_SM2, &p[0], &p[1], &p[2]);
	ret = wd_ecc_set_key(c->sess, &key);
	MUST(ret == (good ? 0 : -EINVAL), "%d, but the key is %s", ret, good ? "good" : "bad");
	if (good && given(&p[0])) {
		MUST(!ask_public(c->sess, point, 2 * c->bytes));
		point_compare(c, point, p[0].value);
	}
	parts_free(p, 3);
}

static void curve_by_value(struct feed *f)
{
	const struct curve *c = &curves[feed_u8(f) % CURVES];
	const BIGNUM *from[] = { c->p, c->a, c->b, c->n, c->gx, c->gy };
	struct wd_ecc_sess_setup setup = { .alg = feed_u8(f) & 1 ? WD_ECC_ECDSA : WD_ECC_ECDH };
	struct wd_ecc_params params;
	struct part p[6], d;
	uint8_t point[2 * 72];
	bool all = true;
	handle_t sess;
	int i;

	for (i = 0; i < 6; i++) {
		part_make(&p[i], f, from[i], c->bytes);
		all &= p[i].good;
	}
	params = (struct wd_ecc_params){ p[0].number, p[1].number, p[2].number, p[3].number, p[4].number, p[5].number };
	setup.params = &params;
	part_make(&d, f, c->d, c->bytes);
	sess = wd_ecc_alloc_sess(&setup, NULL);
	/* ECDSA with SM2's curve isn't supported. */
	MUST(sess || !all || errno == EOPNOTSUPP, "a good curve is refused");
	if (sess) {
		struct wd_ecc_key key = { .d = d.number };

		if (!wd_ecc_set_key(sess, &key)) {
			MUST(!ask_public(sess, point, sizeof(point)));
			if (all)
				point_compare(c, point, d.value);
		}
		MUST(!wd_ecc_free_sess(sess));
	}
	parts_free(p, 6);
	parts_free(&d, 1);
}

/* X25519 and X448: strings of one size. */
static void montgomery_keys(struct feed *f)
{
	bool long_one = feed_u8(f) & 1;
	struct wd_ecc_sess_setup setup = { .alg = long_one ? WD_ECC_X448 : WD_ECC_X25519 };
	size_t bytes = long_one ? 56 : 32, n = bytes;
	uint8_t how = feed_u8(f), d[64], x[64], made[64], want[64];
	handle_t sess = wd_ecc_alloc_sess(&setup, NULL);
	struct wd_ecc_key key = { .d = { NULL, 0 } };
	EVP_PKEY *pkey;
	int ret;

	MUST(sess);
	feed_bytes(f, d, sizeof(d));
	feed_bytes(f, x, sizeof(x));
	pkey = EVP_PKEY_new_raw_private_key(long_one ? EVP_PKEY_X448 : EVP_PKEY_X25519, NULL, d, bytes);
	MUST(pkey && EVP_PKEY_get_raw_public_key(pkey, want, &n));
	EVP_PKEY_free(pkey);
	if (how & 1)
		key.d = (struct wd_number){ d, (uint32_t)bytes };
	if (how & 2)
		key.x = (struct wd_number){ how & 4 ? want : x, (uint32_t)bytes };
	if (how & 8)
		key.d.len = how >> 4;
	ret = wd_ecc_set_key(sess, &key);
	MUST(!ret || ret == -EINVAL);
	if (how & 1 && !(how & 8) && (!(how & 2) || how & 4))
		MUST(!ret, "a good key is refused");
	if (!ret && how & 1) {
		MUST(!(how & 2) || !memcmp(key.x.data, want, bytes), "keys that don't fit are taken");
		MUST(!ask_public(sess, made, bytes) && !memcmp(made, want, bytes), "not the public key");
	}
	MUST(!wd_ecc_free_sess(sess));
}

/* --- Diffie-Hellman --- */

static struct {
	BIGNUM *p, *g, *x;
} dh;

static void dh_begin(void)
{
	dh.p = BN_get_rfc2409_prime_768(NULL);
	dh.g = BN_new();
	dh.x = BN_new();
	MUST(dh.p && BN_set_word(dh.g, 2) && BN_set_word(dh.x, 0xfedcba9876543211));
}

static void dh_keys(struct feed *f)
{
	struct wd_dh_sess_setup setup = { .group = WD_DH_BY_VALUE };
	struct part p, g, x;
	uint8_t out[512], want[512];
	size_t len = sizeof(out);
	struct wd_dh_arg arg = { .dst = out, .dst_len = &len, .op = WD_DH_PUBLIC };
	BIGNUM *top, *r = BN_new();
	handle_t sess;
	bool good;
	int ret;

	part_make(&p, f, dh.p, DH_BYTES);
	part_make(&g, f, dh.g, DH_BYTES);
	part_make(&x, f, dh.x, DH_BYTES);
	setup.p = p.number;
	setup.g = g.number;
	sess = wd_dh_alloc_sess(&setup, NULL);
	top = BN_dup(p.value);
	BN_sub_word(top, 1);
	MUST(sess || !p.good || !g.good, "a good group is refused");
	if (sess) {
		MUST(BN_is_odd(p.value) && BN_cmp(g.value, top) < 0 && !BN_is_zero(g.value) && !BN_is_one(g.value),
		     "a bad group is taken");
		good = given(&x) && x.number.len && BN_cmp(x.value, top) < 0 && !BN_is_zero(x.value) &&
		       !BN_is_one(x.value);
		ret = wd_dh_set_key(sess, &x.number);
		MUST(ret == (good ? 0 : -EINVAL), "%d, but the value is %s", ret, good ? "good" : "bad");
		if (good) {
			int k = wd_dh_sess_bytes(sess);

			MUST(!wd_dh_sync(sess, &arg) && len == (size_t)k);
			MUST(BN_mod_exp(r, g.value, x.value, p.value, ctx) && BN_bn2binpad(r, want, k) >= 0);
			MUST(!memcmp(out, want, len), "another power than libcrypto's");
		}
		MUST(!wd_dh_free_sess(sess));
	}
	BN_free(top);
	BN_free(r);
	parts_free(&p, 1);
	parts_free(&g, 1);
	parts_free(&x, 1);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	setenv("WD_PATH", "soft", 1);
	ctx = BN_CTX_new();
	/* Objects that all inputs share; a handle is no pointer. */
	if (__lsan_disable)
		__lsan_disable();
	rsa_begin();
	curves_begin();
	dh_begin();
	if (__lsan_enable)
		__lsan_enable();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const family[])(struct feed *f) = {
		rsa_keys, curve_keys, curve_by_value, montgomery_keys, dh_keys
	};
	struct feed f = { data, size };

	family[feed_u8(&f) % (sizeof(family) / sizeof(family[0]))](&f);
	return 0;
}
