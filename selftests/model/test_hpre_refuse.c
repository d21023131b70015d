// SPDX-License-Identifier: Apache-2.0
/* The HPRE engine's refusals: descriptors, sizes, moduli, operands, points; and that each request ends. */
#include <openssl/obj_mac.h>
#include "kselftest_harness.h"
#include "hpre_rig.h"

#define EACH(i, a) (i = 0; i < sizeof(a) / sizeof((a)[0]); i++)

FIXTURE(dev) {
	struct rig r;
	struct named_curve c;
	struct hpre_sqe rsa, ecc;
	BIGNUM *k;
};

/* Beginning with requests that are good. */
FIXTURE_SETUP(dev)
{
	struct rig *r = &self->r;

	hpre_rig_init(r);
	curve_open(&self->c, NID_X9_62_prime256v1);
	self->k = BN_new();
	BN_set_word(self->k, 7);
	hpre_fill(&self->rsa, HPRE_RSA, 128);
	hpre_fill(&self->ecc, HPRE_ECC_MULTIPLY, 32);
}

FIXTURE_TEARDOWN(dev)
{
	curve_close(&self->c);
	BN_free(self->k);
	rig_free(&self->r);
}

static void put_rsa(struct rig *r)
{
	memset(at(r, AT_KEY), 0xff, 256);
	put_hex(r, AT_KEY, 0, 128, "03");
	put_hex(r, AT_IN, 0, 128, "02");
}

static void put_ecc(struct rig *r, const struct named_curve *c, const BIGNUM *k)
{
	curve_put_multiply(r, c, k);
	put_bn(r, AT_IN, 0, c->bytes, c->gx);
	put_bn(r, AT_IN, 1, c->bytes, c->gy);
}

static int again(struct rig *r, const struct hpre_sqe *sqe)
{
	struct hpre_sqe copy = *sqe;

	return hpre_do(r, &copy);
}

TEST_F(dev, what_they_begin_with_is_good)
{
	put_rsa(&self->r);
	EXPECT_EQ(0, again(&self->r, &self->rsa));
	EXPECT_TRUE(is_number(&self->r, AT_OUT, 0, 128, "08"));
	put_ecc(&self->r, &self->c, self->k);
	EXPECT_EQ(0, again(&self->r, &self->ecc));
	EXPECT_EQ(0, rig_refused(&self->r, WDM_REFUSE_SQE));
}

/*
 * Every bit that is 0 in a good descriptor, except in the addresses, sizes, the operation, and software's own fields.
 */
TEST_F(dev, every_reserved_bit_is_refused)
{
	struct rig *r = &self->r;
	u32 bit, refused = 0;
	int kind;

	for (kind = 0; kind < 2; kind++)
		for (bit = 0; bit < 8 * HPRE_SQE_SIZE; bit++) {
			struct hpre_sqe sqe = kind ? self->ecc : self->rsa;
			u32 byte = bit / 8;
			/* operation, task_len1, addresses, tag; done may not exceed software's value */
			bool free_bit = bit < 5 || byte == 4 || (byte >= 8 && byte < 40);

			if (kind)
				free_bit |= bit == 8 * 7 + 7 || (bit >= 320 && bit < 320 + 9);
			if (free_bit || bit == HPRE_DW0_DONE_SHIFT)
				continue;
			kind ? put_ecc(r, &self->c, self->k) : put_rsa(r);
			((unsigned char *)&sqe)[byte] |= 1u << bit % 8;
			/* Fields that the device writes can't be compared. */
			ASSERT_TRUE(rig_do(r, kind, &sqe));
			EXPECT_EQ(HPRE_ERR_BAD_SQE, sqe.dw0 >> HPRE_DW0_ETYPE_SHIFT & HPRE_DW0_ETYPE_MASK)
				TH_LOG("kind %d, bit %u", kind, bit);
			refused++;
		}
	EXPECT_EQ(refused, rig_refused(r, WDM_REFUSE_SQE));
	EXPECT_EQ(WDM_REFUSE_SQE, rig_refusal(r));
}

TEST_F(dev, a_descriptor_that_says_it_is_done_or_not_begun_is_refused)
{
	u32 done;

	put_rsa(&self->r);
	for (done = 0; done < 4; done++) {
		self->rsa.dw0 = HPRE_RSA | done << HPRE_DW0_DONE_SHIFT;
		EXPECT_EQ(done == HPRE_DONE_SOFTWARE ? 0 : HPRE_ERR_BAD_SQE, again(&self->r, &self->rsa))
			TH_LOG("%u", done);
	}
}

TEST_F(dev, operations_without_a_format_are_refused_on_both_kinds_of_queue)
{
	u32 op, type;

	for (op = 0; op <= HPRE_DW0_ALG_MASK; op++)
		for (type = 0; type < 2; type++) {
			bool rsa = op <= HPRE_DH, ecc = op >= HPRE_ECC_MULTIPLY && op <= HPRE_SM2_DECRYPT;
			struct hpre_sqe sqe;

			if (type == HPRE_QC_RSA_DH ? rsa : ecc)
				continue;
			hpre_fill(&sqe, op, 32);
			EXPECT_EQ(HPRE_ERR_OPERATION, hpre_do_on(&self->r, type, &sqe))
				TH_LOG("operation %u, queue %u", op, type);
		}
}

TEST_F(dev, sizes_that_an_operation_lacks_are_refused)
{
	static const struct {
		enum hpre_op op;
		u32 sizes[7];
	} v[] = {
		{ HPRE_RSA, { 128, 256, 384, 512 } }, { HPRE_RSA_CRT, { 128, 256, 384, 512 } },
		{ HPRE_RSA_KEYGEN, { 128, 256, 384, 512 } }, { HPRE_RSA_KEYGEN_CRT, { 128, 256, 384, 512 } },
		{ HPRE_DH, { 96, 128, 192, 256, 384, 512 } }, { HPRE_DH_G2, { 96, 128, 192, 256, 384, 512 } },
		{ HPRE_ECC_MULTIPLY, { 32, 48, 72 } }, { HPRE_ECDSA_SIGN, { 32, 48, 72 } },
		{ HPRE_ECDSA_VERIFY, { 32, 48, 72 } }, { HPRE_MONTGOMERY, { 32, 72 } }, { HPRE_SM2_KEYGEN, { 32 } },
		{ HPRE_SM2_SIGN, { 32 } }, { HPRE_SM2_VERIFY, { 32 } }, { HPRE_SM2_ENCRYPT, { 32 } },
		{ HPRE_SM2_DECRYPT, { 32 } },
	};
	u32 i, j, bytes;

	/* All zeroes: a size that is accepted leads to a modulus that isn't. */
	memset(at(&self->r, AT_KEY), 0, 4096);
	for EACH(i, v)
		for (bytes = 8; bytes <= 2048; bytes += 8) {
			bool taken = false;

			for (j = 0; v[i].sizes[j]; j++)
				taken |= v[i].sizes[j] == bytes;
			EXPECT_EQ(taken ? HPRE_ERR_MODULUS : HPRE_ERR_LENGTH, hpre_ask(&self->r, v[i].op, bytes))
				TH_LOG("operation %u, %u bytes", v[i].op, bytes);
		}
}

TEST_F(dev, addresses_of_nobody_and_none_are_errors)
{
	struct rig *r = &self->r;
	u64 *fields[] = {
		&self->rsa.key, &self->rsa.in, &self->rsa.out, &self->ecc.key, &self->ecc.in, &self->ecc.out
	};
	u32 i;

	put_rsa(r);
	for EACH(i, fields) {
		struct hpre_sqe *sqe = i < 3 ? &self->rsa : &self->ecc;
		u64 good = *fields[i];

		if (i == 3)
			put_ecc(r, &self->c, self->k);
		*fields[i] = 0;
		EXPECT_EQ(HPRE_ERR_BAD_SQE, again(r, sqe)) TH_LOG("%u", i);
		*fields[i] = AT_HOLE - 8;
		EXPECT_EQ(HPRE_ERR_ADDRESS, again(r, sqe)) TH_LOG("%u", i);
		*fields[i] = ~0ull;
		EXPECT_EQ(HPRE_ERR_ADDRESS, again(r, sqe)) TH_LOG("%u", i);
		*fields[i] = good;
		EXPECT_EQ(0, again(r, sqe)) TH_LOG("%u", i);
	}
}

TEST_F(dev, moduli_that_are_even_or_no_more_than_1_are_refused)
{
	static const char * const bad[] = { "00", "01", "02", "1000" };
	static const enum hpre_op ops[] = { HPRE_RSA, HPRE_DH, HPRE_DH_G2 };
	struct rig *r = &self->r;
	u32 i, j;

	put_rsa(r);
	for EACH(i, bad) {
		put_hex(r, AT_IN, 0, 128, "00");
		put_hex(r, AT_KEY, 1, 128, bad[i]);
		for EACH(j, ops)
			EXPECT_EQ(HPRE_ERR_MODULUS, hpre_ask(r, ops[j], 128))
				TH_LOG("%s, operation %u", bad[i], ops[j]);
		/* p and q of the private operation and of a new key, in turn */
		memset(at(r, AT_KEY), 0, 512);
		put_hex(r, AT_KEY, 2, 64, i % 2 ? bad[i] : "0d");
		put_hex(r, AT_KEY, 3, 64, i % 2 ? "0d" : bad[i]);
		EXPECT_EQ(HPRE_ERR_MODULUS, hpre_ask(r, HPRE_RSA_CRT, 128));
		EXPECT_EQ(HPRE_ERR_MODULUS, hpre_ask(r, HPRE_RSA_KEYGEN_CRT, 128));
	}
	put_hex(r, AT_KEY, 0, 128, "05");
	put_hex(r, AT_KEY, 1, 128, "03");
	put_hex(r, AT_IN, 0, 128, "02");
	EXPECT_EQ(0, hpre_ask(r, HPRE_DH_G2, 128));
	EXPECT_TRUE(is_number(r, AT_OUT, 0, 128, "02"));
}

TEST_F(dev, operands_not_below_the_modulus_and_exponents_of_0_are_refused)
{
	struct rig *r = &self->r;

	put_rsa(r);
	memset(at(r, AT_IN), 0xff, 128);
	EXPECT_EQ(HPRE_ERR_OPERAND, hpre_ask(r, HPRE_RSA, 128));
	EXPECT_EQ(HPRE_ERR_OPERAND, hpre_ask(r, HPRE_DH, 128));
	at(r, AT_IN)[127] = 0xfe;
	EXPECT_EQ(0, hpre_ask(r, HPRE_RSA, 128));
	put_hex(r, AT_KEY, 0, 128, "00");
	EXPECT_EQ(HPRE_ERR_OPERAND, hpre_ask(r, HPRE_RSA, 128));
	EXPECT_EQ(HPRE_ERR_OPERAND, hpre_ask(r, HPRE_DH_G2, 128));
}

/* p = 11, q = 7: 77 is too large, and so is a qinv of 11. */
TEST_F(dev, crt_keys_have_their_ranges_too)
{
	struct rig *r = &self->r;
	u32 i;

	memset(at(r, AT_KEY), 0, 512);
	for (i = 0; i < 2; i++)
		put_hex(r, AT_KEY, i, 64, "05");
	put_hex(r, AT_KEY, 2, 64, "07");
	put_hex(r, AT_KEY, 3, 64, "0b");
	put_hex(r, AT_KEY, 4, 64, "08");
	put_hex(r, AT_IN, 0, 128, "4c");
	EXPECT_EQ(0, hpre_ask(r, HPRE_RSA_CRT, 128));
	EXPECT_TRUE(is_number(r, AT_OUT, 0, 128, "4c"));
	put_hex(r, AT_IN, 0, 128, "4d");
	EXPECT_EQ(HPRE_ERR_OPERAND, hpre_ask(r, HPRE_RSA_CRT, 128));
	put_hex(r, AT_IN, 0, 128, "02");
	put_hex(r, AT_KEY, 4, 64, "0b");
	EXPECT_EQ(HPRE_ERR_MODULUS, hpre_ask(r, HPRE_RSA_CRT, 128));
	put_hex(r, AT_KEY, 4, 64, "08");
	put_hex(r, AT_KEY, 0, 64, "00");
	EXPECT_EQ(HPRE_ERR_OPERAND, hpre_ask(r, HPRE_RSA_CRT, 128));
}

/* Of p = 11 and q = 7, (p - 1) * (q - 1) is 60. */
TEST_F(dev, exponents_without_an_inverse_make_no_key)
{
	static const struct {
		const char *e, *d;
	} v[] = {
		{ "00", NULL }, { "01", NULL }, { "02", NULL }, { "03", NULL }, { "05", NULL }, { "0f", NULL },
		{ "4d", NULL }, { "07", "2b" }, { "0b", "0b" }, { "11", "35" }, { "3d", "01" }, { "49", "25" },
	};
	struct rig *r = &self->r;
	u32 i;

	for EACH(i, v) {
		put_hex(r, AT_KEY, 0, 128, v[i].e);
		put_hex(r, AT_KEY, 2, 64, "0b");
		put_hex(r, AT_KEY, 3, 64, "07");
		EXPECT_EQ(v[i].d ? 0 : HPRE_ERR_OPERAND, hpre_ask(r, HPRE_RSA_KEYGEN_CRT, 128)) TH_LOG("%s", v[i].e);
		if (v[i].d)
			EXPECT_TRUE(is_number(r, AT_OUT, 0, 128, v[i].d)) TH_LOG("%s", v[i].e);
	}
	/* One prime twice has no qinv. */
	put_hex(r, AT_KEY, 0, 128, "07");
	put_hex(r, AT_KEY, 3, 64, "0b");
	EXPECT_EQ(HPRE_ERR_MODULUS, hpre_ask(r, HPRE_RSA_KEYGEN_CRT, 128));
}

TEST_F(dev, points_that_arent_on_the_curve_are_refused)
{
	struct rig *r = &self->r;

	put_ecc(r, &self->c, self->k);
	at(r, AT_IN)[63] ^= 1;
	EXPECT_EQ(HPRE_ERR_OPERAND, again(r, &self->ecc));
	put_hex(r, AT_IN, 0, 32, "00");
	put_hex(r, AT_IN, 1, 32, "00");
	EXPECT_EQ(HPRE_ERR_OPERAND, again(r, &self->ecc));
	put_bn(r, AT_IN, 0, 32, self->c.p);
	put_bn(r, AT_IN, 1, 32, self->c.gy);
	EXPECT_EQ(HPRE_ERR_OPERAND, again(r, &self->ecc));
	/* The generator with unreduced coordinates: the device accepts only one form of a point. */
	put_bn(r, AT_IN, 0, 32, self->c.gx);
	memset(at(r, AT_IN) + 32, 0xff, 32);
	EXPECT_EQ(HPRE_ERR_OPERAND, again(r, &self->ecc));
	curve_put_sign(r, &self->c, self->k);
	at(r, AT_KEY)[7 * 32 - 1] ^= 1;
	put_hex(r, AT_IN, 1, 32, "02");
	EXPECT_EQ(HPRE_ERR_OPERAND, hpre_ask(r, HPRE_ECDSA_SIGN, 32));
	curve_put_public(r, &self->c, self->c.gx, self->c.gy);
	EXPECT_EQ(0, hpre_verify(r, HPRE_ECDSA_VERIFY, 32));
	at(r, AT_KEY)[8 * 32 - 1] ^= 1;
	EXPECT_EQ(-HPRE_ERR_OPERAND, hpre_verify(r, HPRE_ECDSA_VERIFY, 32));
}

TEST_F(dev, curves_that_cant_be_are_refused)
{
	struct rig *r = &self->r;
	u32 i;

	put_ecc(r, &self->c, self->k);
	for (i = 0; i < 4; i++) {
		put_hex(r, AT_KEY, 0, 32, (const char *[]){ "00", "01", "03", "04" }[i]);
		EXPECT_EQ(HPRE_ERR_MODULUS, again(r, &self->ecc));
	}
	put_bn(r, AT_KEY, 0, 32, self->c.p);
	put_bn(r, AT_KEY, 1, 32, self->c.p);
	EXPECT_EQ(HPRE_ERR_MODULUS, again(r, &self->ecc));
	put_bn(r, AT_KEY, 1, 32, self->c.a);
	put_bn(r, AT_KEY, 3, 32, self->c.p);
	EXPECT_EQ(HPRE_ERR_MODULUS, again(r, &self->ecc));
	curve_put_sign(r, &self->c, self->k);
	put_hex(r, AT_KEY, 4, 32, "04");
	EXPECT_EQ(HPRE_ERR_MODULUS, hpre_ask(r, HPRE_ECDSA_SIGN, 32));
}

/*
 * k and d of a signature must be below the order, and so must r and s of one to verify: anything else is no signature.
 */
TEST_F(dev, scalars_of_signatures_have_a_range)
{
	struct named_curve *c = &self->c;
	struct rig *r = &self->r;
	u32 i;

	curve_put_sign(r, c, self->k);
	put_hex(r, AT_IN, 0, 32, "05");
	put_hex(r, AT_IN, 1, 32, "00");
	EXPECT_EQ(HPRE_ERR_OPERAND, hpre_ask(r, HPRE_ECDSA_SIGN, 32));
	put_bn(r, AT_IN, 1, 32, c->n);
	EXPECT_EQ(HPRE_ERR_OPERAND, hpre_ask(r, HPRE_ECDSA_SIGN, 32));
	put_hex(r, AT_IN, 1, 32, "09");
	EXPECT_EQ(0, hpre_ask(r, HPRE_ECDSA_SIGN, 32));
	memcpy(at(r, AT_IN) + 64, at(r, AT_OUT), 32);
	memcpy(at(r, AT_IN) + 32, at(r, AT_OUT) + 32, 32);
	curve_put_sign(r, c, c->n);
	EXPECT_EQ(HPRE_ERR_OPERAND, hpre_ask(r, HPRE_ECDSA_SIGN, 32));
	BN_zero(self->k);
	curve_put_sign(r, c, self->k);
	EXPECT_EQ(HPRE_ERR_OPERAND, hpre_ask(r, HPRE_ECDSA_SIGN, 32));
	BN_set_word(self->k, 7);
	{
		BIGNUM *x = BN_new(), *y = BN_new();

		curve_base_mul(c, self->k, x, y);
		curve_put_public(r, c, x, y);
		BN_free(x);
		BN_free(y);
	}
	EXPECT_EQ(1, hpre_verify(r, HPRE_ECDSA_VERIFY, 32));
	for (i = 1; i <= 2; i++) {
		unsigned char good[32];

		memcpy(good, at(r, AT_IN) + 32 * i, 32);
		put_hex(r, AT_IN, i, 32, "00");
		EXPECT_EQ(0, hpre_verify(r, HPRE_ECDSA_VERIFY, 32));
		put_bn(r, AT_IN, i, 32, c->n);
		EXPECT_EQ(0, hpre_verify(r, HPRE_ECDSA_VERIFY, 32));
		memset(at(r, AT_IN) + 32 * i, 0xff, 32);
		EXPECT_EQ(0, hpre_verify(r, HPRE_ECDSA_VERIFY, 32));
		memcpy(at(r, AT_IN) + 32 * i, good, 32);
	}
	EXPECT_EQ(1, hpre_verify(r, HPRE_ECDSA_VERIFY, 32));
}

static void put_montgomery(struct rig *r, const char *u)
{
	put_hex(r, AT_KEY, 0, 32, "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed");
	put_hex(r, AT_KEY, 1, 32, "01db41");
	put_hex(r, AT_KEY, 2, 32, "40000000000000000000000000000000000000000000000000000000000000f8");
	put_hex(r, AT_IN, 0, 32, u);
}

/* RFC 7748, 6.1: points of small order have nothing to share. */
TEST_F(dev, coordinates_of_small_order_have_no_result)
{
	static const char * const small[] = {
		"00", "01", "00b8495f16056286fdb1329ceb8d09da6ac49ff1fae35616aeb8413b7c7aebe0",
		"57119fd0dd4e22d8868e1c58c45c44045bef839c55b1d0b1248c50a3bc959c5f",
		"7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffec",
	};
	u32 i;

	for EACH(i, small) {
		put_montgomery(&self->r, small[i]);
		EXPECT_EQ(HPRE_ERR_RESULT, hpre_ask(&self->r, HPRE_MONTGOMERY, 32)) TH_LOG("%s", small[i]);
	}
	put_montgomery(&self->r, "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed");
	EXPECT_EQ(HPRE_ERR_OPERAND, hpre_ask(&self->r, HPRE_MONTGOMERY, 32));
	put_montgomery(&self->r, "09");
	EXPECT_EQ(0, hpre_ask(&self->r, HPRE_MONTGOMERY, 32));
}

/* Whatever is in memory, each operation ends, and no operation with an even modulus succeeds. */
TEST_F_TIMEOUT(dev, garbage_is_answered, 120)
{
	struct rig *r = &self->r;
	u32 turn, op;

	for (turn = 0; turn < 60; turn++)
		for (op = HPRE_RSA; op <= HPRE_SM2_DECRYPT; op++) {
			u32 bytes = op <= HPRE_DH ? 128 : 32, i;
			struct hpre_sqe sqe;

			if (op > HPRE_DH && op < HPRE_ECC_MULTIPLY)
				continue;
			rnd_fill(at(r, AT_KEY), 2048);
			rnd_fill(at(r, AT_IN), 1024);
			if (turn % 3 == 1)
				for (i = 0; i < 16; i++)
					memset(at(r, AT_KEY) + i * bytes / 2, turn % 2 ? 0 : 0xff, bytes / 2 - 1);
			if (turn % 3 == 2)
				memset(at(r, AT_IN), 0, 1024);
			hpre_fill(&sqe, op, bytes);
			EXPECT_LE(0, hpre_do(r, &sqe)) TH_LOG("turn %u, operation %u", turn, op);
		}
}

/* A key and the values computed from it are not visible to the next request. */
TEST_F(dev, nothing_of_a_request_stays)
{
	static unsigned char before[1 << 20];
	struct rig *r = &self->r;
	size_t size = wdm_scratch_size(), i;
	u32 found = 0;

	put_ecc(r, &self->c, self->k);
	memset(at(r, AT_KEY) + 64, 0x5a, 32);
	ASSERT_EQ(0, again(r, &self->ecc));
	ASSERT_GE(sizeof(before), size);
	memcpy(before, r->scratch_mem, size);
	for (i = 0; i + 16 <= size; i++)
		found += !memcmp(before + i, "ZZZZZZZZZZZZZZZZ", 16);
	EXPECT_EQ(0, found);
}

TEST_HARNESS_MAIN
