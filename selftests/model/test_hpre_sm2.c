// SPDX-License-Identifier: Apache-2.0
/* SM2 in the HPRE engine: the examples of GM/T 0003.5, keys and numbers that the device chooses, refusals. */
#include <openssl/obj_mac.h>
#include "kselftest_harness.h"
#include "hpre_rig.h"

#define D	"3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8"
#define PX	"09f9df311e5421a150dd7d161e4bc5c672179fad1833fc076bb08ff356f35020"
#define PY	"ccea490ce26775a52dc6ea718cc1aa600aed05fbf35e084a6632f6072da9ad13"
#define K	"59276e27d506861a16680f3ad9c02dccef3cc1fa3cdbe4ce6d54b80deac1bc21"
#define E	"f0b43e94ba45accaace692ed534382eb17e6ab5a19ce7b31f4486fdfc0d28640"
#define R	"f5a03b0648d2c4630eeac513e1bb81a15944da3827d5b74143ac7eaceee720b3"
#define S	"b1b6aa29df212fd8763182bc0d421ca1bb9038fd1f7f42d4840b69c485bbc1aa"
#define TEXT	"656e6372797074696f6e207374616e64617264"
#define C1	"04ebfc718e8d1798620432268e77feb6415e2ede0e073c0f4f640ecd2e149a73" \
		"e858f9d81e5430a57b36daab8f950a3c64e6ee6a63094d99283aff767e124df0"
#define C2	"21886ca989ca9c7d58087307ca93092d651efa"
#define C3	"59983c18f809e262923c53aec295d30383b54e39d609d160afcb1908d0bd8766"

FIXTURE(dev) {
	struct rig r;
	struct named_curve c;
	BIGNUM *d, *x, *y;
};

FIXTURE_SETUP(dev)
{
	hpre_rig_init(&self->r);
	curve_open(&self->c, NID_sm2);
	self->d = BN_new();
	self->x = BN_new();
	self->y = BN_new();
	BN_hex2bn(&self->d, D);
	BN_hex2bn(&self->x, PX);
	BN_hex2bn(&self->y, PY);
}

FIXTURE_TEARDOWN(dev)
{
	curve_close(&self->c);
	BN_free(self->d);
	BN_free(self->x);
	BN_free(self->y);
	rig_free(&self->r);
}

static int ask(struct rig *r, enum hpre_op op, u32 flags, u32 text)
{
	struct hpre_sqe sqe;

	hpre_fill(&sqe, op, 32);
	sqe.flags = (u8)flags;
	sqe.dw10 = text ? text - 1 : 0;
	return hpre_do(r, &sqe);
}

TEST_F(dev, a_signature_has_the_published_value)
{
	struct rig *r = &self->r;

	curve_put_sign(r, &self->c, self->d);
	put_hex(r, AT_IN, 0, 32, E);
	put_hex(r, AT_IN, 1, 32, K);
	ASSERT_EQ(0, ask(r, HPRE_SM2_SIGN, 0, 0));
	EXPECT_TRUE(is_number(r, AT_OUT, 0, 32, R));
	EXPECT_TRUE(is_number(r, AT_OUT, 1, 32, S));
	curve_put_public(r, &self->c, self->x, self->y);
	put_hex(r, AT_IN, 1, 32, S);
	put_hex(r, AT_IN, 2, 32, R);
	EXPECT_EQ(1, hpre_verify(r, HPRE_SM2_VERIFY, 32));
	at(r, AT_IN)[0] ^= 1;
	EXPECT_EQ(0, hpre_verify(r, HPRE_SM2_VERIFY, 32));
}

TEST_F(dev, a_text_is_encrypted_to_the_published_value_and_back)
{
	struct rig *r = &self->r;

	curve_put_public(r, &self->c, self->x, self->y);
	put_hex(r, AT_IN, 0, 32, K);
	hex(at(r, AT_IN) + 32, TEXT);
	ASSERT_EQ(0, ask(r, HPRE_SM2_ENCRYPT, 0, 19));
	EXPECT_TRUE(is_hex(at(r, AT_OUT), C1 C2 C3));
	curve_put_sign(r, &self->c, self->d);
	hex(at(r, AT_IN), C1 C2 C3);
	memset(at(r, AT_OUT), 0, 200);
	ASSERT_EQ(0, ask(r, HPRE_SM2_DECRYPT, 0, 19));
	EXPECT_TRUE(is_hex(at(r, AT_OUT), TEXT "00"));
}

TEST_F(dev, a_changed_ciphertext_gives_no_plaintext)
{
	struct rig *r = &self->r;
	u32 i;

	curve_put_sign(r, &self->c, self->d);
	hex(at(r, AT_IN), C1 C2 C3);
	for (i = 0; i < 64 + 19 + 32; i += 7) {
		at(r, AT_IN)[i] ^= 0x10;
		memset(at(r, AT_OUT), 0x55, 19);
		EXPECT_EQ(i < 64 ? HPRE_ERR_OPERAND : HPRE_ERR_MISMATCH, ask(r, HPRE_SM2_DECRYPT, 0, 19))
			TH_LOG("byte %u", i);
		EXPECT_EQ(0x55, at(r, AT_OUT)[0]);
		at(r, AT_IN)[i] ^= 0x10;
	}
}

TEST_F(dev, what_it_chooses_itself_works)
{
	static const u32 texts[] = { 1, 31, 32, 33, 511, 512 };
	unsigned char text[512], first[64];
	struct rig *r = &self->r;
	u32 i, n;

	curve_put_public(r, &self->c, self->x, self->y);
	put_bn(r, AT_IN, 0, 32, self->c.gx);
	put_bn(r, AT_IN, 1, 32, self->c.gy);
	ASSERT_EQ(0, ask(r, HPRE_SM2_KEYGEN, HPRE_FLAG_SM2_KSEL, 0));
	memcpy(first, at(r, AT_OUT), 64);
	ASSERT_EQ(0, ask(r, HPRE_SM2_KEYGEN, 0, 0));
	EXPECT_NE(0, memcmp(first, at(r, AT_OUT), 64));
	get_bn(r, AT_OUT, 2, 32, self->d);
	curve_base_mul(&self->c, self->d, self->x, self->y);
	EXPECT_TRUE(is_bn(r, AT_OUT, 0, 32, self->x));
	EXPECT_TRUE(is_bn(r, AT_OUT, 1, 32, self->y));
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		n = texts[i];
		rnd_fill(text, n);
		curve_put_public(r, &self->c, self->x, self->y);
		memcpy(at(r, AT_IN) + 32, text, n);
		ASSERT_EQ(0, ask(r, HPRE_SM2_ENCRYPT, HPRE_FLAG_SM2_KSEL, n));
		EXPECT_NE(0, memcmp(first, at(r, AT_OUT), 64));
		memcpy(first, at(r, AT_OUT), 64);
		memcpy(at(r, AT_IN), at(r, AT_OUT), 96 + n);
		curve_put_sign(r, &self->c, self->d);
		ASSERT_EQ(0, ask(r, HPRE_SM2_DECRYPT, 0, n));
		EXPECT_EQ(0, memcmp(text, at(r, AT_OUT), n)) TH_LOG("%u bytes", n);
	}
	put_hex(r, AT_IN, 0, 32, E);
	ASSERT_EQ(0, ask(r, HPRE_SM2_SIGN, HPRE_FLAG_SM2_KSEL, 0));
	curve_put_public(r, &self->c, self->x, self->y);
	memcpy(at(r, AT_IN) + 64, at(r, AT_OUT), 32);
	memcpy(at(r, AT_IN) + 32, at(r, AT_OUT) + 32, 32);
	EXPECT_EQ(1, hpre_verify(r, HPRE_SM2_VERIFY, 32));
}

TEST_F(dev, keys_and_numbers_out_of_range_are_refused)
{
	struct rig *r = &self->r;

	put_hex(r, AT_IN, 0, 32, E);
	put_hex(r, AT_IN, 1, 32, K);
	BN_sub(self->d, self->c.n, BN_value_one());
	curve_put_sign(r, &self->c, self->d);
	EXPECT_EQ(HPRE_ERR_OPERAND, ask(r, HPRE_SM2_SIGN, 0, 0));
	BN_zero(self->d);
	curve_put_sign(r, &self->c, self->d);
	EXPECT_EQ(HPRE_ERR_OPERAND, ask(r, HPRE_SM2_SIGN, 0, 0));
	BN_one(self->d);
	curve_put_sign(r, &self->c, self->d);
	EXPECT_EQ(0, ask(r, HPRE_SM2_SIGN, 0, 0));
	put_bn(r, AT_IN, 1, 32, self->c.n);
	EXPECT_EQ(HPRE_ERR_OPERAND, ask(r, HPRE_SM2_SIGN, 0, 0));
	EXPECT_EQ(0, ask(r, HPRE_SM2_SIGN, HPRE_FLAG_SM2_KSEL, 0));
	/* Another generator than the key's */
	curve_put_public(r, &self->c, self->x, self->y);
	EXPECT_EQ(HPRE_ERR_OPERAND, ask(r, HPRE_SM2_KEYGEN, 0, 0));
	BN_add_word(self->y, 1);
	curve_put_public(r, &self->c, self->x, self->y);
	EXPECT_EQ(HPRE_ERR_OPERAND, ask(r, HPRE_SM2_ENCRYPT, HPRE_FLAG_SM2_KSEL, 1));
	EXPECT_EQ(-HPRE_ERR_OPERAND, hpre_verify(r, HPRE_SM2_VERIFY, 32));
}

TEST_HARNESS_MAIN
