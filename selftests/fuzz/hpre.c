// SPDX-License-Identifier: Apache-2.0
/*
 * The HPRE engine: a process does what it likes to two queues; two other queues compute powers and points meanwhile and
 * afterwards, and libcrypto confirms their results.
 * Input: steps of hostile.c, up to a byte 0xff; then operation, curve or size, and operands.
 */
#include <openssl/obj_mac.h>

#include "hostile.h"
#include "hpre_rig.h"

/* hpre_rig.c starts the first two queues, and they stay good. */
#define QUEUE_BAD	2
#define BAD_KEY		(RIG_USER_BASE + (4u << 20))
#define BAD_IN		(RIG_USER_BASE + (5u << 20))
#define BAD_OUT		(RIG_USER_BASE + (6u << 20))

static const u64 areas[] = { BAD_KEY, BAD_IN, BAD_OUT };

static struct named_curve curves[4];
static BIGNUM *p, *x, *g, *want, *got, *wx, *wy;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const int nids[] = { NID_X9_62_prime256v1, NID_secp256k1, NID_secp384r1, NID_secp521r1 };
	BIGNUM **numbers[] = { &p, &x, &g, &want, &got, &wx, &wy };
	u32 i;

	(void)argc;
	(void)argv;
	for (i = 0; i < 4; i++)
		curve_open(&curves[i], nids[i]);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		*numbers[i] = BN_new();
	return 0;
}

static void curve_key(struct rig *r, u64 where, const struct named_curve *c, u32 op)
{
	const BIGNUM *multiply[] = { c->p, c->a, NULL, c->b };
	const BIGNUM *sign[] = { c->p, c->a, NULL, c->b, c->n, c->gx, c->gy };
	const BIGNUM *verify[] = { c->p, c->a, c->b, c->n, c->gx, c->gy, c->gx, c->gy };
	const BIGNUM **fields = op == HPRE_ECC_MULTIPLY ? multiply :
				op == HPRE_ECDSA_SIGN || op == HPRE_SM2_SIGN || op == HPRE_SM2_DECRYPT ? sign : verify;
	u32 i, n = fields == multiply ? 4 : fields == sign ? 7 : 8;

	for (i = 0; i < n; i++)
		if (fields[i])
			put_bn(r, where, i, c->bytes, fields[i]);
}

static void descriptor(struct feed *f, u32 queue, u32 *sqe)
{
	static const u8 small[] = { 32, 48, 72, 96, 128 };
	struct hpre_sqe s;

	(void)queue;
	hpre_fill(&s, feed_u8(f) % 0x16, small[feed_u8(f) % sizeof(small)]);
	s.flags = feed_u8(f) & HPRE_FLAG_SM2_KSEL;
	s.key = BAD_KEY;
	s.in = BAD_IN;
	s.out = BAD_OUT;
	memcpy(sqe, &s, sizeof(s));
}

static const struct hostile hpre_process = { areas, sizeof(areas) / sizeof(areas[0]), QUEUE_BAD, 2, 6, descriptor };

/* --- the others' queues --- */

static void number(struct feed *f, BIGNUM *n, u32 bytes)
{
	u8 b[HPRE_MAX_BYTES];

	feed_bytes(f, b, bytes);
	MUST(BN_bin2bn(b, (int)bytes, n));
}

static void power(struct rig *r, struct feed *f, u32 op, u32 bytes)
{
	struct hpre_sqe sqe;
	int ret;

	number(f, p, bytes);
	number(f, x, bytes);
	number(f, g, bytes);
	if (op == HPRE_DH_G2)
		BN_set_word(g, 2);
	put_bn(r, AT_KEY, 0, bytes, x);
	put_bn(r, AT_KEY, 1, bytes, p);
	put_bn(r, AT_IN, 0, bytes, g);
	hpre_fill(&sqe, op, bytes);
	ret = hpre_do(r, &sqe);
	MUST(ret >= 0);
	if (ret) {
		MUST(ret == HPRE_ERR_MODULUS || ret == HPRE_ERR_OPERAND, "error %d", ret);
		return;
	}
	MUST(BN_is_odd(p) && BN_mod_exp(want, g, x, p, curves[0].ctx));
	get_bn(r, AT_OUT, 0, bytes, got);
	MUST(!BN_cmp(got, want), "not the power that libcrypto computes");
}

static void multiply(struct rig *r, struct feed *f, const struct named_curve *c)
{
	EC_POINT *point = EC_POINT_new(c->group);
	struct hpre_sqe sqe;
	int ret;

	number(f, x, c->bytes);
	number(f, g, 4);
	BN_add_word(g, 1);
	curve_base_mul(c, g, wx, wy);
	curve_put_multiply(r, c, x);
	put_bn(r, AT_IN, 0, c->bytes, wx);
	put_bn(r, AT_IN, 1, c->bytes, wy);
	hpre_fill(&sqe, HPRE_ECC_MULTIPLY, c->bytes);
	ret = hpre_do(r, &sqe);
	MUST(ret >= 0);
	BN_mod_mul(want, x, g, c->n, c->ctx);
	if (BN_is_zero(want)) {
		MUST(ret == HPRE_ERR_RESULT || ret == HPRE_ERR_OPERAND, "error %d", ret);
	} else if (ret) {
		MUST(BN_cmp(x, c->n) >= 0, "error %d for %s", ret, c->name);
	} else {
		curve_base_mul(c, want, wx, wy);
		get_bn(r, AT_OUT, 0, c->bytes, got);
		MUST(!BN_cmp(got, wx), "%s: another x", c->name);
		get_bn(r, AT_OUT, 1, c->bytes, got);
		MUST(!BN_cmp(got, wy), "%s: another y", c->name);
	}
	EC_POINT_free(point);
}

/* A signature with these numbers is valid for its digest, and for no other. */
static void sign(struct rig *r, struct feed *f, const struct named_curve *c)
{
	struct hpre_sqe sqe;
	u8 rs[2 * HPRE_ECC_BYTES_576];
	int ret;

	number(f, x, c->bytes);
	number(f, g, c->bytes);
	number(f, p, c->bytes);
	if (!BN_mod(x, x, c->n, c->ctx) || !BN_mod(g, g, c->n, c->ctx) || !BN_mod(p, p, c->n, c->ctx) ||
	    BN_is_zero(x) || BN_is_zero(g))
		return;
	curve_put_sign(r, c, x);
	put_bn(r, AT_IN, 0, c->bytes, p);
	put_bn(r, AT_IN, 1, c->bytes, g);
	hpre_fill(&sqe, HPRE_ECDSA_SIGN, c->bytes);
	ret = hpre_do(r, &sqe);
	MUST(!ret || ret == HPRE_ERR_RESULT, "error %d", ret);
	if (ret)
		return;
	memcpy(rs, at(r, AT_OUT), 2 * c->bytes);
	curve_base_mul(c, x, wx, wy);
	curve_put_public(r, c, wx, wy);
	put_bn(r, AT_IN, 0, c->bytes, p);
	memcpy(at(r, AT_IN) + c->bytes, rs + c->bytes, c->bytes);
	memcpy(at(r, AT_IN) + 2 * c->bytes, rs, c->bytes);
	MUST(hpre_verify(r, HPRE_ECDSA_VERIFY, c->bytes) == 1, "%s: its own signature", c->name);
	/* Another digest; like the first, it is below the order. */
	BN_add_word(p, 1);
	BN_mod(p, p, c->n, c->ctx);
	put_bn(r, AT_IN, 0, c->bytes, p);
	MUST(hpre_verify(r, HPRE_ECDSA_VERIFY, c->bytes) == 0, "%s: another's signature", c->name);
}

#define RSA_BYTES	128u

static const char rsa_p[] =
	"d32737e7267ffe1341b2d5c0d150a81b586fb3132bed2f8d5262864a9cb9f30a"
	"f38be448598d413a172efb802c21acf1c11c520c2f26a471dcad212eac7ca39d";
static const char rsa_q[] =
	"cc8853d1d54da630fac004f471f281c7b8982d8224a490edbeb33d3e3d5cc93c"
	"4765703d1dd791642f1f116a0dd852be2419b2af72bfe9a030e860b0288b5d77";

/* Makes a key from two primes and an exponent; the public power reverses the private power, in both forms. */
static void rsa(struct rig *r, struct feed *f)
{
	u8 made[7 * RSA_BYTES / 2], in[RSA_BYTES], *d = made, *n = made + RSA_BYTES, *crt = made + 2 * RSA_BYTES;
	u32 half = RSA_BYTES / 2, i;
	int ret;

	number(f, x, 3);
	put_bn(r, AT_KEY, 0, RSA_BYTES, x);
	put_hex(r, AT_KEY, 2, half, rsa_p);
	put_hex(r, AT_KEY, 3, half, rsa_q);
	ret = hpre_ask(r, HPRE_RSA_KEYGEN_CRT, RSA_BYTES);
	MUST(ret >= 0);
	if (ret)
		return;
	memcpy(made, at(r, AT_OUT), sizeof(made));
	feed_bytes(f, in, sizeof(in));
	in[0] &= 0x7f;
	memcpy(at(r, AT_IN), in, sizeof(in));
	memcpy(at(r, AT_KEY), d, 2 * RSA_BYTES);
	MUST(!hpre_ask(r, HPRE_RSA, RSA_BYTES));
	memcpy(made, at(r, AT_OUT), RSA_BYTES);
	/* Order dq, dp, q, p, qinv, from the generated qinv, dq, dp */
	for (i = 0; i < 2; i++)
		memcpy(at(r, AT_KEY) + i * half, crt + (1 + i) * half, half);
	put_hex(r, AT_KEY, 2, half, rsa_q);
	put_hex(r, AT_KEY, 3, half, rsa_p);
	memcpy(at(r, AT_KEY) + 4 * half, crt, half);
	MUST(!hpre_ask(r, HPRE_RSA_CRT, RSA_BYTES));
	MUST(!memcmp(at(r, AT_OUT), made, RSA_BYTES), "by the primes it is another power");
	put_bn(r, AT_KEY, 0, RSA_BYTES, x);
	memcpy(at(r, AT_KEY) + RSA_BYTES, n, RSA_BYTES);
	memcpy(at(r, AT_IN), made, RSA_BYTES);
	MUST(!hpre_ask(r, HPRE_RSA, RSA_BYTES));
	MUST(!memcmp(at(r, AT_OUT), in, RSA_BYTES), "e doesn't undo d");
}

/* Mostly on the small curves: the large ones take long. */
static void honest(struct rig *r, struct feed *f)
{
	static const u16 sizes[] = { 96, 128 };
	u8 what = feed_u8(f), which = feed_u8(f);

	switch (what % 5) {
	case 0:
		power(r, f, HPRE_DH, sizes[which % 2]);
		break;
	case 1:
		power(r, f, HPRE_DH_G2, sizes[which % 2]);
		break;
	case 2:
		multiply(r, f, &curves[which % 16 < 14 ? which % 2 : 2 + which % 2]);
		break;
	case 3:
		sign(r, f, &curves[which % 2]);
		break;
	default:
		rsa(r, f);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feed f = { data, size };
	struct rig_queue_opts o = { .alg = HPRE_QC_ECC };
	struct rig r;

	hpre_rig_init(&r);
	MUST(!rig_queue_start(&r, QUEUE_BAD, NULL) && !rig_queue_start(&r, QUEUE_BAD + 1, &o));
	/* The queues' keys and points, which the input may change. */
	curve_key(&r, BAD_KEY, &curves[feed_u8(&f) % 4], feed_u8(&f) % 0x16);
	put_bn(&r, BAD_IN, 0, curves[0].bytes, curves[0].gx);
	put_bn(&r, BAD_IN, 1, curves[0].bytes, curves[0].gy);
	hostile_run(&r, &f, &hpre_process);
	honest(&r, &f);
	rig_free(&r);
	return 0;
}
