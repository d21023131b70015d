// SPDX-License-Identifier: Apache-2.0
/* The SEC engine of generation 2: which descriptors it refuses, what its registers allow, its error of each refusal. */
#include <string.h>
#include "kselftest_harness.h"
#include "sec_rig.h"

FIXTURE(dev) {
	struct rig r;
	struct ask cbc, xts, ecb, hash, gcm;
};

FIXTURE_SETUP(dev)
{
	sec_rig_init_of(&self->r, 2);
	self->cbc = (struct ask){
		.type = 2, .cipher = SEC_CIPHER_ENCRYPT, .c_alg = SEC_C_SM4, .c_mode = SEC_C_CBC, .c_len = 64
	};
	self->xts = self->ecb = self->cbc;
	self->xts.c_mode = SEC_C_XTS;
	self->ecb.c_mode = SEC_C_ECB;
	self->hash = (struct ask){
		.type = 2, .auth = SEC_AUTH_CALCULATE, .a_alg = SEC_A_SHA224, .a_len = 64, .mac_bytes = 28
	};
	self->gcm = (struct ask){ .type = 2, .cipher = SEC_CIPHER_ENCRYPT, .c_alg = SEC_C_AES, .c_mode = SEC_C_GCM,
				  .c_len = 64, .c_icv_len = 16 };
}

FIXTURE_TEARDOWN(dev)
{
	rig_free(&self->r);
}

/* ------ types ------ */

/* On a device of that generation: the descriptor is refused, and nothing is written. */
static int refused_by(u32 generation, const struct ask *a)
{
	struct rig r;
	int ret;

	sec_rig_init_of(&r, generation);
	memset(at(&r, AT_DST), 0x5a, 64);
	ret = ask_do(&r, a);
	if (at(&r, AT_DST)[0] != 0x5a)
		ret = -2;
	if (ret > 0 && rig_refused(&r, WDM_REFUSE_SQE) != 1)
		ret = -3;
	rig_free(&r);
	return ret;
}

TEST_F(dev, the_type_of_the_other_generation_is_refused)
{
	struct ask a = self->gcm;

	a.c_mode = SEC_C_CBC;
	a.c_icv_len = 0;
	EXPECT_EQ(-2, refused_by(2, &a));
	EXPECT_EQ(SEC_ERR_BAD_BD, refused_by(3, &a));
	a.type = 3;
	EXPECT_EQ(SEC_ERR_BAD_BD, refused_by(2, &a));
	EXPECT_EQ(-2, refused_by(3, &a));
}

/* ------ operations ------ */

TEST_F(dev, ciphers_that_it_lacks)
{
	static const u8 modes[] = { SEC_C_CTR, SEC_C_CFB, SEC_C_OFB, SEC_C_CBC_CS };
	struct ask a = self->cbc;
	u32 i;

	for (a.c_alg = SEC_C_AES; a.c_alg <= SEC_C_SM4; a.c_alg++)
		for (i = 0; i < sizeof(modes); i++) {
			a.c_mode = modes[i];
			a.c_width = modes[i] == SEC_C_CBC_CS ? SEC_C_WIDTH_CS1 : 0;
			EXPECT_EQ(SEC_ERR_ALGORITHM, ask_do(&self->r, &a))
				TH_LOG("algorithm %u, mode %u", a.c_alg, modes[i]);
		}
}

TEST_F(dev, digests_that_it_lacks)
{
	static const u8 algs[] = { SEC_A_AES_XCBC, SEC_A_AES_CMAC, SEC_A_AES_GMAC };
	u32 i;

	self->hash.a_key_bytes = 16;
	self->hash.mac_bytes = 16;
	for (i = 0; i < sizeof(algs); i++) {
		self->hash.a_alg = algs[i];
		self->hash.ai_gen = algs[i] == SEC_A_AES_GMAC ? SEC_GEN_ADDRESS : SEC_GEN_STANDARD;
		EXPECT_EQ(SEC_ERR_ALGORITHM, ask_do(&self->r, &self->hash)) TH_LOG("algorithm 0x%x", algs[i]);
	}
}

TEST_F(dev, aead_that_it_lacks)
{
	struct ask a = self->gcm;

	a.c_alg = SEC_C_SM4;
	EXPECT_EQ(SEC_ERR_ALGORITHM, ask_do(&self->r, &a));
	a.c_mode = SEC_C_CCM;
	EXPECT_EQ(SEC_ERR_ALGORITHM, ask_do(&self->r, &a));
	a = (struct ask){ .type = 2, .cipher = SEC_CIPHER_ENCRYPT, .auth = SEC_AUTH_CALCULATE, .c_alg = SEC_C_AES,
			  .c_mode = SEC_C_CBC, .c_len = 64, .a_len = 64, .a_alg = SEC_A_HMAC_SHA256, .a_key_bytes = 32,
			  .mac_bytes = 32 };
	EXPECT_EQ(0, ask_do(&self->r, &a));
	a.a_alg = SEC_A_HMAC_SM3;
	EXPECT_EQ(SEC_ERR_ALGORITHM, ask_do(&self->r, &a));
	a.a_alg = SEC_A_HMAC_SHA256;
	a.c_alg = SEC_C_SM4;
	EXPECT_EQ(SEC_ERR_ALGORITHM, ask_do(&self->r, &a));
}

TEST_F(dev, nothing_of_nothing)
{
	self->hash.a_len = 0;
	EXPECT_EQ(SEC_ERR_LENGTH, ask_do(&self->r, &self->hash));
	self->hash.pad = SEC_PAD_NONE;
	EXPECT_EQ(SEC_ERR_LENGTH, ask_do(&self->r, &self->hash));
	self->hash.ai_gen = SEC_GEN_ADDRESS;
	EXPECT_EQ(SEC_ERR_LENGTH, ask_do(&self->r, &self->hash));
	self->gcm.c_len = 0;
	EXPECT_EQ(SEC_ERR_LENGTH, ask_do(&self->r, &self->gcm));
	/* The last part may be empty. */
	self->hash.pad = SEC_PAD_DEVICE;
	self->hash.total = 64;
	EXPECT_EQ(0, ask_do(&self->r, &self->hash));
}

/* Whatever length the part that isn't the last gives, its whole state is written. */
TEST_F(dev, a_part_writes_the_whole_state)
{
	struct rig *r = &self->r;
	u32 bytes;

	self->hash.pad = SEC_PAD_NONE;
	for (bytes = 0; bytes <= 28; bytes += 4) {
		memset(at(r, AT_MAC), 0xaa, 64);
		self->hash.mac_bytes = bytes;
		EXPECT_EQ(0, ask_do(r, &self->hash)) TH_LOG("%u bytes", bytes);
		EXPECT_TRUE(memcmp(at(r, AT_MAC) + 28, "\xaa\xaa\xaa\xaa", 4)) TH_LOG("%u bytes", bytes);
		EXPECT_EQ(0xaa, at(r, AT_MAC)[32]);
	}
}

TEST_F(dev, gcm_uses_the_ciphers_key_only)
{
	struct rig *r = &self->r;
	unsigned char tag[16];
	struct sec_bd bd;

	EXPECT_EQ(0, ask_do(r, &self->gcm));
	memcpy(tag, at(r, AT_MAC), 16);
	memset(at(r, AT_MAC), 0, 16);
	ask_fill(&bd, &self->gcm);
	bd.dw[SEC_BD2_A_KEY] = bd.dw[SEC_BD2_A_KEY + 1] = 0;
	EXPECT_EQ(0, sec_do(r, &bd));
	EXPECT_EQ(0, memcmp(tag, at(r, AT_MAC), 16));
	ask_fill(&bd, &self->gcm);
	bd.dw[SEC_BD2_C_KEY] = bd.dw[SEC_BD2_C_KEY + 1] = 0;
	EXPECT_EQ(SEC_ERR_BAD_BD, sec_do(r, &bd));
}

/* The AAD of a stream: the cipher's fields are 0, the scene is that of streams. */
TEST_F(dev, fields_of_a_streams_first_part)
{
	struct ask aad = { .type = 2, .scene = SEC_SCENE_STREAM, .auth = SEC_AUTH_CALCULATE, .a_alg = SEC_A_AES_GMAC,
			   .a_len = 20, .a_key_bytes = 16, .mac_bytes = 16, .pad = SEC_PAD_NONE, .offset = 20 };
	struct rig *r = &self->r;
	struct ask a = aad;

	EXPECT_EQ(0, ask_do(r, &a));
	a.c_mode = SEC_C_GCM;
	EXPECT_EQ(SEC_ERR_BAD_BD, ask_do(r, &a));
	a = aad;
	a.c_alg = SEC_C_AES;
	EXPECT_EQ(SEC_ERR_BAD_BD, ask_do(r, &a));
	a = aad;
	a.c_icv_len = 16;
	EXPECT_EQ(SEC_ERR_BAD_BD, ask_do(r, &a));
	a = aad;
	a.mac_bytes = 12;
	EXPECT_EQ(SEC_ERR_BAD_BD, ask_do(r, &a));
	a = aad;
	a.a_len = a.offset = 0;
	EXPECT_EQ(SEC_ERR_LENGTH, ask_do(r, &a));
	a = aad;
	a.scene = SEC_SCENE_IPSEC;
	EXPECT_EQ(SEC_ERR_ALGORITHM, ask_do(r, &a));
}

/* ------ registers ------ */

TEST_F(dev, sm4_needs_checks_to_be_off)
{
	static const struct { u32 reg, off; bool ecb, xts; } rows[] = {
		{ SEC_BD_ERR_CHK_EN0, SEC_BD_ERR_CHK_EN0_V2, false, true },
		{ SEC_BD_ERR_CHK_EN1, SEC_BD_ERR_CHK_EN1_V2, true, false },
		{ SEC_BD_ERR_CHK_EN3, SEC_BD_ERR_CHK_EN3_V2, true, false },
	};
	struct rig *r = &self->r;
	u32 i;

	EXPECT_EQ(0, ask_do(r, &self->ecb));
	EXPECT_EQ(0, ask_do(r, &self->xts));
	for (i = 0; i < 3; i++) {
		rig_reg_set(r, rows[i].reg, SEC_BD_ERR_CHK_ALL);
		EXPECT_EQ(rows[i].ecb ? 0 : SEC_ERR_ALGORITHM, ask_do(r, &self->ecb)) TH_LOG("0x%x", rows[i].reg);
		EXPECT_EQ(rows[i].xts ? 0 : SEC_ERR_ALGORITHM, ask_do(r, &self->xts)) TH_LOG("0x%x", rows[i].reg);
		EXPECT_EQ(0, ask_do(r, &self->cbc));
		self->ecb.c_alg = SEC_C_AES;
		EXPECT_EQ(0, ask_do(r, &self->ecb));
		self->ecb.c_alg = SEC_C_SM4;
		rig_reg_set(r, rows[i].reg, rows[i].off);
	}
	wdm_function_reset(r->dev, WDM_PF);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(SEC_BD_ERR_CHK_ALL, rig_reg(r, rows[i].reg));
}

TEST_F(dev, all_cores_are_needed)
{
	struct rig *r = &self->r;

	rig_reg_set(r, SEC_SAA_EN, 0);
	EXPECT_EQ(SEC_ERR_ABORTED, ask_do(r, &self->cbc));
	EXPECT_EQ(1, rig_refused(r, WDM_REFUSE_ENGINE));
}

TEST_F(dev, address_spaces_are_switched_by_four_bits)
{
	struct rig *r = &self->r;

	rig_reg_set(r, SEC_USER_CTRL1_V2, SEC_USER_CTRL1_V2_USER);
	EXPECT_EQ(SEC_ERR_ADDRESS, ask_do(r, &self->cbc));
	rig_reg_set(r, SEC_USER_CTRL1_V2, SEC_USER_CTRL1_V2_USER | 1);
	EXPECT_EQ(SEC_ERR_ABORTED, ask_do(r, &self->cbc));
	rig_reg_set(r, SEC_USER_CTRL1_V2, SEC_USER_CTRL1_V2_USER | SEC_USER_CTRL1_V2_SVA);
	EXPECT_EQ(0, ask_do(r, &self->cbc));
}

/* ------ errors ------ */

TEST_F(dev, each_refused_descriptor_is_an_error_of_the_device)
{
	struct rig *r = &self->r;

	rig_reg_set(r, SEC_ERR_ENABLE, SEC_CE_V2);
	EXPECT_EQ(0, ask_do(r, &self->cbc));
	rig_turn(r);
	EXPECT_EQ(0, rig_reg(r, SEC_ERR_STATUS));
	EXPECT_EQ(0, r->irqs[WDM_IRQ_ABNORMAL]);
	self->cbc.type = 3;
	EXPECT_EQ(SEC_ERR_BAD_BD, ask_do(r, &self->cbc));
	rig_turn(r);
	EXPECT_EQ(SEC_ERROR_BD, rig_reg(r, SEC_ERR_STATUS));
	EXPECT_EQ(1, r->irqs[WDM_IRQ_ABNORMAL]);
	rig_reg_set(r, SEC_ERR_SOURCE, SEC_ERROR_BD);
	rig_turn(r);
	EXPECT_EQ(0, rig_reg(r, SEC_ERR_STATUS));
	/* It doesn't close the bus master, and an address of nobody isn't the descriptor's fault. */
	self->cbc.type = 2;
	self->cbc.src = AT_HOLE;
	EXPECT_EQ(SEC_ERR_ADDRESS, ask_do(r, &self->cbc));
	rig_turn(r);
	EXPECT_EQ(0, rig_reg(r, SEC_ERR_STATUS));
}

TEST_F(dev, the_queue_managers_ecc_error_closes_the_bus_master)
{
	struct rig *r = &self->r;

	rig_reg_set(r, SEC_ERR_SET, 4);
	rig_turn(r);
	EXPECT_EQ(0, rig_reg(r, ACC_MASTER_TRANS_RETURN));
	rig_reg_set(r, QM_ABNORMAL_INT_SET, QM_ERR_ECC_MBIT);
	rig_turn(r);
	EXPECT_EQ(ACC_MASTER_TRANS_IDLE, rig_reg(r, ACC_MASTER_TRANS_RETURN));
}

TEST_HARNESS_MAIN
