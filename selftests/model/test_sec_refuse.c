// SPDX-License-Identifier: Apache-2.0
/* The SEC engine's refusals: the error of each, that each is counted, and that nothing was written. */
#include <stdlib.h>
#include "kselftest_harness.h"
#include "sec_rig.h"

FIXTURE(dev) {
	struct rig r;
	struct ask cipher, hash, hmac, gcm, ccm, authenc, aad, part;
};

FIXTURE_SETUP(dev)
{
	struct rig *r = &self->r;

	sec_rig_init(r);
	self->cipher = (struct ask){
		.type = 3, .cipher = SEC_CIPHER_ENCRYPT, .c_alg = SEC_C_AES, .c_mode = SEC_C_CBC, .c_len = 64
	};
	self->hash = (struct ask){
		.type = 3, .auth = SEC_AUTH_CALCULATE, .a_alg = SEC_A_SHA256, .mac_bytes = 32, .a_len = 64
	};
	self->hmac = self->hash;
	self->hmac.a_alg = SEC_A_HMAC_SHA256;
	self->hmac.a_key_bytes = 64;
	self->gcm = self->cipher;
	self->gcm.c_mode = SEC_C_GCM;
	self->gcm.c_icv_len = 16;
	self->gcm.a_len = self->gcm.offset = 16;
	self->ccm = self->gcm;
	self->ccm.c_mode = SEC_C_CCM;
	self->authenc = self->cipher;
	self->authenc.auth = SEC_AUTH_CALCULATE;
	self->authenc.a_alg = SEC_A_HMAC_SHA1;
	self->authenc.a_key_bytes = 20;
	self->authenc.mac_bytes = 12;
	self->authenc.offset = 16;
	self->authenc.a_len = 80;
	self->aad = (struct ask){ .type = 3, .scene = SEC_SCENE_STREAM, .auth = SEC_AUTH_CALCULATE,
				  .a_alg = SEC_A_AES_GMAC, .a_len = 20, .a_key_bytes = 16, .mac_bytes = 16,
				  .pad = SEC_PAD_NONE, .mac_sel = 1 };
	self->part = (struct ask){ .type = 3, .scene = SEC_SCENE_STREAM, .cipher = SEC_CIPHER_ENCRYPT,
				   .c_alg = SEC_C_AES, .c_mode = SEC_C_GCM, .ai_gen = SEC_GEN_ADDRESS,
				   .a_key_bytes = 16, .pad = SEC_PAD_NONE, .mac_sel = 1, .c_len = 64, .a_iv = AT_MAC };
	/* CCM with a nonce of 13 bytes */
	hex(at(r, AT_C_IV), "01000000000000000000000000000001");
	hex(at(r, AT_A_IV), "79000000000000000000000000000040");
}

FIXTURE_TEARDOWN(dev)
{
	rig_free(&self->r);
}

static unsigned char outputs[2][256];

static void outputs_set(struct rig *r)
{
	rnd_fill(at(r, AT_DST), 256);
	rnd_fill(at(r, AT_MAC), 256);
	memcpy(outputs[0], at(r, AT_DST), 256);
	memcpy(outputs[1], at(r, AT_MAC), 256);
}

static bool outputs_same(struct rig *r)
{
	return !memcmp(outputs[0], at(r, AT_DST), 256) && !memcmp(outputs[1], at(r, AT_MAC), 256);
}

static u64 refusals(struct rig *r)
{
	return rig_refused(r, WDM_REFUSE_SQE) + rig_refused(r->other, WDM_REFUSE_SQE);
}

/* The request is refused with that error, and counted; nothing is written. */
#define REFUSES(error, wrong) do { \
	u64 before = refusals(&self->r); \
	outputs_set(&self->r); \
	EXPECT_EQ(error, ask_do(&self->r, &(wrong))) TH_LOG("line %d", __LINE__); \
	EXPECT_EQ(before + 1, refusals(&self->r)) TH_LOG("line %d", __LINE__); \
	EXPECT_TRUE(outputs_same(&self->r)) TH_LOG("line %d", __LINE__); \
} while (0)

/* The good request is refused with one field changed; self->good itself stays good. */
#define CHANGED(error, good, field, value) do { \
	struct ask changed = self->good; \
	changed.field = value; \
	REFUSES(error, changed); \
} while (0)

TEST_F(dev, what_the_tests_change_is_good)
{
	struct rig *r = &self->r;

	EXPECT_EQ(0, ask_do(r, &self->cipher));
	EXPECT_EQ(0, ask_do(r, &self->hash));
	EXPECT_EQ(0, ask_do(r, &self->hmac));
	EXPECT_EQ(0, ask_do(r, &self->ccm));
	EXPECT_EQ(0, ask_do(r, &self->authenc));
	EXPECT_EQ(0, ask_do(r, &self->aad));
	EXPECT_EQ(0, ask_do(r, &self->part));
	memcpy(at(r, AT_A_IV), at(r, AT_C_IV), 12);
	EXPECT_EQ(0, ask_do(r, &self->gcm));
}

TEST_F(dev, types_scenes_and_addresses)
{
	struct sec_bd bd;
	u32 type;

	for (type = 0; type < 16; type++) {
		if (type == SEC_BD_TYPE2 || type == SEC_BD_TYPE3)
			continue;
		ask_fill(&bd, &self->cipher);
		bd.dw[0] = (bd.dw[0] & ~15u) | type;
		EXPECT_EQ(SEC_ERR_BAD_BD, sec_do(&self->r, &bd));
	}
	CHANGED(SEC_ERR_BAD_BD, cipher, scene, 2);
	CHANGED(SEC_ERR_BAD_BD, cipher, scene, 8);
	CHANGED(SEC_ERR_BAD_BD, cipher, src_type, SEC_ADDR_PRP);
	CHANGED(SEC_ERR_BAD_BD, cipher, dst_type, SEC_ADDR_PRP);
	CHANGED(SEC_ERR_BAD_BD, hash, dst_type, SEC_ADDR_SGL);
	ask_fill(&bd, &self->cipher);
	sec_put(&bd, SEC_BD3_DE, 2);
	EXPECT_EQ(SEC_ERR_BAD_BD, sec_do(&self->r, &bd));
}

/* Keys and initial values need an address, and must be readable. */
TEST_F(dev, addresses_that_are_0_or_not_mapped)
{
	static const u8 used[] = {
		SEC_BD3_SRC, SEC_BD3_DST, SEC_BD3_C_KEY, SEC_BD3_C_IVIN, SEC_BD3_A_KEY, SEC_BD3_MAC
	};
	static const u64 nowhere[] = { AT_HOLE - 8, 8, ~0ull - 8 };
	struct sec_bd bd;
	u32 i;

	for (i = 0; i < 3; i++) {
		self->cipher.src = nowhere[i];
		EXPECT_EQ(SEC_ERR_ADDRESS, ask_do(&self->r, &self->cipher));
	}
	for (i = 0; i < sizeof(used); i++) {
		ask_fill(&bd, &self->authenc);
		bd.dw[used[i]] = bd.dw[used[i] + 1] = 0;
		EXPECT_EQ(SEC_ERR_BAD_BD, sec_do(&self->r, &bd)) TH_LOG("word %u", used[i]);
		ask_fill(&bd, &self->authenc);
		bd.dw[used[i]] = (u32)(AT_HOLE + 100);
		EXPECT_EQ(SEC_ERR_ADDRESS, sec_do(&self->r, &bd)) TH_LOG("word %u", used[i]);
	}
}

/* Every bit that no field of the request uses, in both types. */
TEST_F(dev, reserved_bits)
{
	static const u32 fields3[] = {
		SEC_BD3_CI_GEN, SEC_BD3_MAC_TYPE, SEC_BD3_NONCE_LEN, SEC_BD3_HUK, SEC_BD3_CAL_IV_ADDR_EN,
		SEC_BD3_KEY_SEL, SEC_BD3_KEY_WRAP, SEC_BD3_UPDATE_KEY, SEC_BD3_SALT, SEC_BD3_AUTH_SRC_OFFSET,
		SEC_BD3_AUTH_KEY_OFFSET, SEC_BD3_AUTH_IVIN_OFFSET, SEC_BD3_STREAM_PROTOCOL, SEC_BD3_PLAINTEXT_TYPE,
		SEC_BD3_PAD_LEN_1P3, SEC_FIELD(0, 20, 12), SEC_FIELD(1, 31, 1), SEC_FIELD(10, 0, 32),
		SEC_FIELD(11, 0, 32), SEC_FIELD(27, 6, 2),
	};
	static const u32 fields2[] = {
		SEC_BD2_NONCE_LEN, SEC_BD2_HUK, SEC_BD2_KEY_S, SEC_BD2_CI_GEN, SEC_BD2_C_S, SEC_BD2_RHF,
		SEC_BD2_C_KEY_TYPE, SEC_BD2_A_KEY_TYPE, SEC_BD2_WRITE_FRAME_LEN, SEC_BD2_CAL_IV_ADDR_EN, SEC_BD2_TLS_UP,
		SEC_BD2_MAC_TYPE, SEC_BD2_AUTH_SRC_OFFSET, SEC_FIELD(0, 24, 8), SEC_FIELD(2, 17, 15),
		SEC_FIELD(3, 20, 12), SEC_FIELD(4, 24, 8), SEC_FIELD(5, 24, 8), SEC_FIELD(7, 0, 32),
		SEC_FIELD(8, 0, 32), SEC_FIELD(9, 0, 32), SEC_FIELD(10, 16, 16), SEC_FIELD(11, 0, 32),
	};
	u32 type, i, bit, nr;

	for (type = 2; type <= 3; type++) {
		const u32 *fields = type == 3 ? fields3 : fields2;

		self->cipher.type = type;
		nr = type == 3 ? sizeof(fields3) / 4 : sizeof(fields2) / 4;
		for (i = 0; i < nr; i++)
			for (bit = 0; bit < (fields[i] & 0xff); bit++) {
				struct sec_bd bd;

				ask_fill(&bd, &self->cipher);
				bd.dw[fields[i] >> 16] |= 1u << ((fields[i] >> 8 & 0xff) + bit);
				EXPECT_EQ(SEC_ERR_BAD_BD, sec_do(&self->r, &bd))
					TH_LOG("type %u, word %u, bit %u", type, fields[i] >> 16, bit);
			}
	}
}

TEST_F(dev, a_descriptor_that_comes_back_from_the_device_is_no_new_one)
{
	struct sec_bd bd;
	u32 type;

	for (type = 2; type <= 3; type++) {
		self->cipher.type = type;
		ask_fill(&bd, &self->cipher);
		ASSERT_EQ(0, sec_do(&self->r, &bd));
		EXPECT_EQ(SEC_ERR_BAD_BD, sec_do(&self->r, &bd));
	}
}

TEST_F(dev, algorithms_modes_and_key_sizes)
{
	u32 mode, code;

	for (mode = 0; mode < 16; mode++)
		if (mode == 8 || mode > SEC_C_CBC_CS)
			CHANGED(SEC_ERR_ALGORITHM, cipher, c_mode, mode);
	for (code = 4; code < 16; code++)
		CHANGED(SEC_ERR_ALGORITHM, cipher, c_alg, code);
	for (code = 3; code < 8; code++)
		CHANGED(SEC_ERR_ALGORITHM, cipher, c_key_len, code);
	CHANGED(SEC_ERR_ALGORITHM, cipher, c_width, 1);
	CHANGED(SEC_ERR_ALGORITHM, cipher, c_mode, SEC_C_CBC_CS);
	CHANGED(SEC_ERR_ALGORITHM, cipher, cipher, SEC_CIPHER_COPY);
	self->cipher.c_mode = SEC_C_CBC_CS;
	CHANGED(SEC_ERR_ALGORITHM, cipher, c_width, 4);
	self->cipher.c_mode = SEC_C_XTS;
	CHANGED(SEC_ERR_ALGORITHM, cipher, c_key_len, SEC_C_KEY_AES_192);
	CHANGED(SEC_ERR_BAD_BD, cipher, ctr_xts, SEC_XTS_SM4_GB);
	self->cipher.c_alg = SEC_C_SM4;
	CHANGED(SEC_ERR_ALGORITHM, cipher, c_key_len, 1);
	self->cipher.c_alg = SEC_C_3DES;
	self->cipher.c_key_len = SEC_C_KEY_3DES_3;
	for (mode = SEC_C_CFB; mode <= SEC_C_XTS; mode++)
		if (mode != SEC_C_CCM && mode != SEC_C_GCM)
			CHANGED(SEC_ERR_ALGORITHM, cipher, c_mode, mode);
	self->gcm.c_alg = SEC_C_3DES;
	CHANGED(SEC_ERR_ALGORITHM, gcm, c_key_len, SEC_C_KEY_3DES_3);
	for (code = 0; code < 64; code++)
		if ((code > SEC_A_SHA512_256 && code < SEC_A_HMAC) ||
		    (code > SEC_A_HMAC_SHA512_256 && code < SEC_A_AES_XCBC) ||
		    (code > SEC_A_AES_GMAC && code < SEC_A_SM3) || code > SEC_A_HMAC_SM3)
			CHANGED(SEC_ERR_ALGORITHM, hash, a_alg, code);
}

TEST_F(dev, lengths_of_ciphers)
{
	CHANGED(SEC_ERR_LENGTH, cipher, c_len, 0);
	CHANGED(SEC_ERR_LENGTH, cipher, c_len, 15);
	CHANGED(SEC_ERR_LENGTH, cipher, c_len, 65);
	CHANGED(SEC_ERR_LENGTH, cipher, c_len, SEC_MAX_BYTES + 16);
	self->cipher.c_mode = SEC_C_CTR;
	CHANGED(SEC_ERR_LENGTH, cipher, c_len, 0);
	CHANGED(SEC_ERR_LENGTH, cipher, c_len, SEC_MAX_BYTES + 1);
	self->cipher.c_mode = SEC_C_XTS;
	CHANGED(SEC_ERR_LENGTH, cipher, c_len, 15);
	self->cipher.c_mode = SEC_C_CBC_CS;
	self->cipher.c_width = 1;
	CHANGED(SEC_ERR_LENGTH, cipher, c_len, 16);
	CHANGED(SEC_ERR_BAD_BD, cipher, offset, 4);
	CHANGED(SEC_ERR_BAD_BD, cipher, a_len, 4);
	CHANGED(SEC_ERR_BAD_BD, cipher, mac_bytes, 4);
	/* The length of a whole message belongs to the end of a digest. */
	CHANGED(SEC_ERR_BAD_BD, cipher, total, 64);
	CHANGED(SEC_ERR_BAD_BD, gcm, total, 64);
	CHANGED(SEC_ERR_BAD_BD, ccm, total, 64);
	CHANGED(SEC_ERR_BAD_BD, authenc, total, 64);
	CHANGED(SEC_ERR_BAD_BD, aad, total, 64);
	CHANGED(SEC_ERR_BAD_BD, part, total, 64);
}

TEST_F(dev, lengths_keys_and_parts_of_digests)
{
	CHANGED(SEC_ERR_BAD_BD, hash, mac_bytes, 0);
	CHANGED(SEC_ERR_BAD_BD, hash, mac_bytes, 36);
	CHANGED(SEC_ERR_BAD_BD, hash, a_key_bytes, 16);
	CHANGED(SEC_ERR_BAD_BD, hash, auth, SEC_AUTH_VERIFY);
	CHANGED(SEC_ERR_BAD_BD, hash, ai_gen, SEC_GEN_CALCULATED);
	CHANGED(SEC_ERR_BAD_BD, hash, total, 64);
	CHANGED(SEC_ERR_LENGTH, hash, a_len, SEC_MAX_BYTES + 1);
	CHANGED(SEC_ERR_BAD_BD, hmac, a_key_bytes, 0);
	CHANGED(SEC_ERR_BAD_BD, hmac, a_key_bytes, 68);
	/* Parts belong to a scene and are flat. */
	CHANGED(SEC_ERR_BAD_BD, hash, pad, SEC_PAD_NONE);
	self->hash.scene = SEC_SCENE_STREAM;
	self->hash.pad = SEC_PAD_NONE;
	EXPECT_EQ(0, ask_do(&self->r, &self->hash));
	CHANGED(SEC_ERR_BAD_BD, hash, src_type, SEC_ADDR_SGL);
	CHANGED(SEC_ERR_LENGTH, hash, a_len, 65);
	CHANGED(SEC_ERR_LENGTH, hash, a_len, 0);
	CHANGED(SEC_ERR_BAD_BD, hash, mac_bytes, 16);
	self->hash.ai_gen = SEC_GEN_ADDRESS;
	CHANGED(SEC_ERR_LENGTH, hash, a_len, 63);
	self->hash.pad = SEC_PAD_DEVICE;
	CHANGED(SEC_ERR_BAD_BD, hash, total, 0);
	CHANGED(SEC_ERR_LENGTH, hash, total, 64);
	CHANGED(SEC_ERR_LENGTH, hash, total, 65);
	self->hash.total = 128;
	EXPECT_EQ(0, ask_do(&self->r, &self->hash));
	self->hmac.a_alg = SEC_A_AES_CMAC;
	self->hmac.mac_bytes = 16;
	self->hmac.a_key_bytes = 16;
	EXPECT_EQ(0, ask_do(&self->r, &self->hmac));
	CHANGED(SEC_ERR_LENGTH, hmac, a_len, 0);
	CHANGED(SEC_ERR_ALGORITHM, hmac, a_key_bytes, 32);
	CHANGED(SEC_ERR_BAD_BD, hmac, mac_bytes, 20);
	CHANGED(SEC_ERR_BAD_BD, hmac, total, 64);
	CHANGED(SEC_ERR_BAD_BD, hmac, pad, SEC_PAD_NONE);
	CHANGED(SEC_ERR_BAD_BD, hmac, ai_gen, SEC_GEN_ADDRESS);
	self->hmac.a_alg = SEC_A_AES_GMAC;
	CHANGED(SEC_ERR_BAD_BD, hmac, ai_gen, SEC_GEN_STANDARD);
}

TEST_F(dev, lengths_tags_and_values_of_aead)
{
	struct rig *r = &self->r;

	CHANGED(SEC_ERR_BAD_BD, ccm, c_icv_len, 2);
	CHANGED(SEC_ERR_BAD_BD, ccm, c_icv_len, 5);
	CHANGED(SEC_ERR_BAD_BD, ccm, c_icv_len, 18);
	CHANGED(SEC_ERR_BAD_BD, ccm, offset, 12);
	CHANGED(SEC_ERR_BAD_BD, ccm, seq, SEC_SEQ_DIGEST_FIRST);
	CHANGED(SEC_ERR_BAD_BD, ccm, mac_bytes, 16);
	CHANGED(SEC_ERR_VALUE, ccm, c_icv_len, 14);
	CHANGED(SEC_ERR_VALUE, ccm, c_len, 65);
	at(r, AT_C_IV)[15] = 0;
	REFUSES(SEC_ERR_VALUE, self->ccm);
	at(r, AT_C_IV)[15] = 1;
	at(r, AT_A_IV)[5] = 1;
	REFUSES(SEC_ERR_VALUE, self->ccm);
	at(r, AT_C_IV)[0] = 0;
	REFUSES(SEC_ERR_VALUE, self->ccm);
	at(r, AT_C_IV)[0] = 8;
	REFUSES(SEC_ERR_VALUE, self->ccm);
	self->ccm.offset = SEC_MAX_CCM_AAD + 1;
	CHANGED(SEC_ERR_LENGTH, ccm, a_len, SEC_MAX_CCM_AAD + 1);

	REFUSES(SEC_ERR_VALUE, self->gcm);	/* the two initial values differ */
	memcpy(at(r, AT_A_IV), at(r, AT_C_IV), 12);
	CHANGED(SEC_ERR_BAD_BD, gcm, c_icv_len, 3);
	CHANGED(SEC_ERR_BAD_BD, gcm, c_icv_len, 17);
	CHANGED(SEC_ERR_BAD_BD, gcm, a_len, 15);
	self->gcm.c_len = 0;
	CHANGED(SEC_ERR_LENGTH, gcm, type, 2);
	self->gcm.offset = SEC_MAX_AAD;
	self->gcm.a_len = SEC_MAX_AAD;
	CHANGED(SEC_ERR_LENGTH, gcm, c_len, SEC_MAX_BYTES - SEC_MAX_AAD + 1);

	CHANGED(SEC_ERR_LENGTH, authenc, c_len, 60);
	CHANGED(SEC_ERR_LENGTH, authenc, a_len, 64);
	CHANGED(SEC_ERR_BAD_BD, authenc, mac_bytes, 0);
	CHANGED(SEC_ERR_BAD_BD, authenc, mac_bytes, 24);
	CHANGED(SEC_ERR_BAD_BD, authenc, a_key_bytes, 0);
	CHANGED(SEC_ERR_BAD_BD, authenc, a_key_bytes, 68);
	CHANGED(SEC_ERR_BAD_BD, authenc, seq, SEC_SEQ_DIGEST_FIRST);
	CHANGED(SEC_ERR_BAD_BD, authenc, auth, SEC_AUTH_VERIFY);
	CHANGED(SEC_ERR_ALGORITHM, authenc, a_alg, SEC_A_HMAC_SHA384);
	CHANGED(SEC_ERR_ALGORITHM, authenc, a_alg, SEC_A_SHA1);
	CHANGED(SEC_ERR_ALGORITHM, authenc, c_mode, SEC_C_CTR);
	self->authenc.a_alg = SEC_A_HMAC_SM3;
	EXPECT_EQ(0, ask_do(r, &self->authenc));
	CHANGED(SEC_ERR_ALGORITHM, authenc, type, 2);
}

TEST_F(dev, parts_of_a_gcm_stream)
{
	CHANGED(SEC_ERR_LENGTH, aad, a_len, 0);
	CHANGED(SEC_ERR_BAD_BD, aad, mac_bytes, 12);
	CHANGED(SEC_ERR_ALGORITHM, aad, a_key_bytes, 20);
	CHANGED(SEC_ERR_BAD_BD, aad, src_type, SEC_ADDR_SGL);
	CHANGED(SEC_ERR_BAD_BD, aad, scene, SEC_SCENE_COMMON);
	CHANGED(SEC_ERR_BAD_BD, aad, dst_type, SEC_ADDR_SGL);
	CHANGED(SEC_ERR_BAD_BD, aad, c_alg, SEC_C_3DES);
	CHANGED(SEC_ERR_BAD_BD, aad, c_mode, SEC_C_CBC);
	CHANGED(SEC_ERR_BAD_BD, aad, c_key_len, 2);
	CHANGED(SEC_ERR_BAD_BD, aad, c_icv_len, 17);
	CHANGED(SEC_ERR_LENGTH, part, c_len, 63);
	CHANGED(SEC_ERR_LENGTH, part, c_len, 0);
	CHANGED(SEC_ERR_BAD_BD, part, dst_type, SEC_ADDR_SGL);
	CHANGED(SEC_ERR_BAD_BD, part, ai_gen, SEC_GEN_STANDARD);
	CHANGED(SEC_ERR_BAD_BD, part, a_key_bytes, 0);
	CHANGED(SEC_ERR_BAD_BD, part, a_key_bytes, 32);
	CHANGED(SEC_ERR_BAD_BD, part, a_alg, SEC_A_SHA256);
	CHANGED(SEC_ERR_BAD_BD, part, mac_bytes, 12);
	CHANGED(SEC_ERR_BAD_BD, part, c_icv_len, 3);
	/* Software makes the tag at the end. */
	CHANGED(SEC_ERR_BAD_BD, part, pad, SEC_PAD_DEVICE);
}

TEST_F(dev, a_destination_that_overlaps_the_source)
{
	self->cipher.src = AT_SRC + 1024;
	CHANGED(SEC_ERR_BAD_BD, cipher, dst, AT_SRC + 1024 - 63);
	CHANGED(SEC_ERR_BAD_BD, cipher, dst, AT_SRC + 1024 + 63);
	self->cipher.dst = AT_SRC + 1024 - 64;
	EXPECT_EQ(0, ask_do(&self->r, &self->cipher));
	self->cipher.dst = AT_SRC + 1024;
	EXPECT_EQ(0, ask_do(&self->r, &self->cipher));
}

/* UADK sets it in every request; an earlier version also with lists and large values. */
TEST_F(dev, prefetching_is_a_hint)
{
	self->cipher.prefetch = 1;
	EXPECT_EQ(0, ask_do(&self->r, &self->cipher));
	self->cipher.c_len = 0x6000 + 16;
	EXPECT_EQ(0, ask_do(&self->r, &self->cipher));
	sgl_make(&self->r, AT_SGL, AT_SRC, 64);
	self->cipher.src = AT_SGL;
	self->cipher.src_type = SEC_ADDR_SGL;
	self->cipher.c_len = 64;
	EXPECT_EQ(0, ask_do(&self->r, &self->cipher));
}

TEST_F(dev, malformed_lists)
{
	struct rig *r = &self->r;
	struct qm_sgl *list = rig_user(r, AT_SGL);
	struct sec_bd bd;

	self->cipher.src_type = SEC_ADDR_SGL;
	self->cipher.src = AT_SGL;
	sgl_make(r, AT_SGL, AT_SRC, 63);
	ask_fill(&bd, &self->cipher);
	EXPECT_EQ(SEC_ERR_BAD_SGL, sec_do(r, &bd));
	sgl_make(r, AT_SGL, AT_SRC, 64);
	list->entry_sum_in_sgl = 0;
	ask_fill(&bd, &self->cipher);
	EXPECT_EQ(SEC_ERR_BAD_SGL, sec_do(r, &bd));
	self->cipher.src = AT_SGL + 8;
	ask_fill(&bd, &self->cipher);
	EXPECT_EQ(SEC_ERR_BAD_SGL, sec_do(r, &bd));
}

/* Whatever is in the descriptor: the request completes, and the next good one works. */
TEST_F(dev, random_descriptors)
{
	const struct ask *good[] = {
		&self->cipher, &self->hash, &self->hmac, &self->gcm, &self->ccm, &self->authenc, &self->aad, &self->part
	};
	struct rig *r = &self->r;
	struct sec_bd bd;
	u32 i, flips;

	for (i = 0; i < 40000; i++) {
		if (i % 4) {
			struct ask a = *good[rnd() % 8];

			a.type = 2 + rnd() % 2;
			a.src_type = a.src_type ? a.src_type : rnd() % 8 == 0;
			ask_fill(&bd, &a);
			for (flips = rnd() % 4; flips; flips--)
				bd.dw[rnd() % 32] ^= 1u << rnd() % 32;
		} else {
			rnd_fill((unsigned char *)&bd, sizeof(bd));
			bd.dw[0] = (bd.dw[0] & ~15u) | (2 + rnd() % 2);
		}
		ASSERT_NE(-1, sec_do(r, &bd)) TH_LOG("round %u", i);
	}
	EXPECT_EQ(0, ask_do(r, &self->cipher));
}

TEST_HARNESS_MAIN
