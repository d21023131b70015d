// SPDX-License-Identifier: Apache-2.0
/* ZIP and HPRE of generation 2: the descriptors that they refuse, their registers and cores. */
#include "hpre_rig.h"
#include "hw/zip_hw.h"
#include "kselftest_harness.h"

#define SRC		RIG_USER_BASE
#define DST		(RIG_USER_BASE + 65536)
#define BACK		(RIG_USER_BASE + 2 * 65536)
#define COMP		0
#define DECOMP		1

/* ------ ZIP ------ */

FIXTURE(zip) {
	struct rig r;
	struct zip_sqe sqe;
};

static void zip_sqe2(struct zip_sqe *sqe, u32 type, u64 src, u32 len, u64 dst)
{
	rig_sqe(sqe, type, src, len, dst, 65536);
	sqe->dw7 = ZIP_SQE_TYPE_0 << ZIP_DW7_SQE_TYPE_SHIFT;
	sqe->tag_l = sqe->tag_h = 0;
	sqe->dw13 = 0x87654321;
}

FIXTURE_SETUP(zip)
{
	struct wdm_attr attr = { .type = WDM_ZIP, .generation = 2 };
	struct rig_queue_opts decompress = { .alg = ZIP_QC_DECOMPRESS };

	rig_init(&self->r, &attr);
	ASSERT_EQ(0, rig_queue_start(&self->r, COMP, NULL));
	ASSERT_EQ(0, rig_queue_start(&self->r, DECOMP, &decompress));
	zip_sqe2(&self->sqe, ZIP_REQ_ZLIB, SRC, 50000, DST);
}

FIXTURE_TEARDOWN(zip)
{
	rig_free(&self->r);
}

static u32 zip_one(struct rig *r, u32 q, struct zip_sqe *sqe)
{
	return rig_do(r, q, sqe) ? sqe->dw3 & ZIP_DW3_STATUS_MASK : 0xffff;
}

/* Software has the header; without one, the window's field is 0: 4 KiB, which doesn't bind decompression. */
TEST_F(zip, both_directions_with_the_tag_in_its_place)
{
	static const u32 types[] = { ZIP_REQ_ZLIB, ZIP_REQ_GZIP };
	struct rig *r = &self->r;
	struct zip_sqe sqe;
	u32 t, i, len;

	for (i = 0; i < 20000; i++)
		((unsigned char *)rig_user(r, SRC))[i] = ((unsigned char *)rig_user(r, SRC))[i + 20000] =
			(unsigned char)(i * i >> 7);
	for (t = 0; t < 2; t++) {
		zip_sqe2(&sqe, types[t], SRC, 40000, DST);
		sqe.dw9 |= ZIP_WIN_32K << ZIP_DW9_WIN_SHIFT;
		ASSERT_EQ(ZIP_ST_OK, zip_one(r, COMP, &sqe));
		EXPECT_EQ(0x87654321, sqe.dw13);
		EXPECT_EQ(40000, sqe.consumed);
		len = sqe.produced;
		zip_sqe2(&sqe, types[t], DST, len, BACK);
		sqe.dw9 &= ~(ZIP_DW9_WIN_MASK << ZIP_DW9_WIN_SHIFT);
		ASSERT_EQ(ZIP_ST_OK, zip_one(r, DECOMP, &sqe) % ZIP_ST_END);
		EXPECT_EQ(40000, sqe.produced);
		EXPECT_EQ(0x87654321, sqe.dw13);
		EXPECT_EQ(0, memcmp(rig_user(r, SRC), rig_user(r, BACK), 40000));
	}
}

/* 7.2: what a raw stream is made from. */
TEST_F(zip, a_zlib_request_is_a_raw_stream_and_four_bytes)
{
	struct rig *r = &self->r, v3;
	struct zip_sqe raw;

	memset(rig_user(r, SRC), 'a', 50000);
	ASSERT_EQ(ZIP_ST_OK, zip_one(r, COMP, &self->sqe));
	rig_init(&v3, NULL);
	ASSERT_EQ(0, rig_queue_start(&v3, COMP, NULL));
	memset(rig_user(&v3, SRC), 'a', 50000);
	rig_sqe(&raw, ZIP_REQ_DEFLATE, SRC, 50000, DST, 65536);
	ASSERT_EQ(ZIP_ST_OK, zip_one(&v3, COMP, &raw));
	EXPECT_EQ(raw.produced + 4, self->sqe.produced);
	EXPECT_EQ(0, memcmp(rig_user(r, DST), rig_user(&v3, DST), raw.produced));
	rig_free(&v3);
}

#define REFUSED(change) do { \
	struct zip_sqe sqe = self->sqe; \
	u64 before = rig_refused(&self->r, WDM_REFUSE_SQE); \
	change; \
	((unsigned char *)rig_user(&self->r, DST))[0] = 0x5a; \
	EXPECT_EQ(ZIP_ST_BAD_REQUEST, zip_one(&self->r, COMP, &sqe)) TH_LOG("line %d", __LINE__); \
	EXPECT_EQ(before + 1, rig_refused(&self->r, WDM_REFUSE_SQE)) TH_LOG("line %d", __LINE__); \
	EXPECT_EQ(0x5a, ((unsigned char *)rig_user(&self->r, DST))[0]) TH_LOG("line %d", __LINE__); \
} while (0)

TEST_F(zip, descriptors_of_the_other_generation_are_refused)
{
	u32 type;

	for (type = 1; type < 16; type++)
		REFUSED(sqe.dw7 |= type << ZIP_DW7_SQE_TYPE_SHIFT);
	REFUSED(sqe.tag_l = 1);
	REFUSED(sqe.tag_h = 1);
	REFUSED(sqe.literals_addr_l = 1);
	REFUSED(sqe.literals_addr_h = 1);
	REFUSED(sqe.lba_l = 1);
	REFUSED(sqe.lba_h = 1);
	REFUSED(sqe.dw16 = 1);
	REFUSED(sqe.dw17 = 1);
	for (type = 0; type < 256; type++)
		if (type != ZIP_REQ_ZLIB && type != ZIP_REQ_GZIP)
			REFUSED(sqe.dw9 = (sqe.dw9 & ~ZIP_DW9_REQ_MASK) | type);
	EXPECT_EQ(ZIP_ST_OK, zip_one(&self->r, COMP, &self->sqe));
}

TEST_F(zip, there_are_two_cores_to_compress_and_six_to_decompress)
{
	struct rig *r = &self->r;
	struct zip_sqe sqe, in;
	u32 core, i;

	for (i = 0; i < 12; i++) {
		sqe = self->sqe;
		ASSERT_EQ(ZIP_ST_OK, zip_one(r, COMP, &sqe));
		zip_sqe2(&in, ZIP_REQ_ZLIB, DST, sqe.produced, BACK);
		ASSERT_EQ(ZIP_ST_OK, zip_one(r, DECOMP, &in) % ZIP_ST_END);
	}
	rig_turn(r);
	for (core = 0; core < 8; core++)
		EXPECT_EQ(core < 2 ? 6 : 2, rig_reg(r, ZIP_CORE_BASE + core * ZIP_CORE_STRIDE + ZIP_CORE_DONE_BD))
			TH_LOG("core %u", core);
	wdm_function_reset(r->dev, WDM_PF);
	for (core = 0; core < 8; core++)
		EXPECT_EQ(0, rig_reg(r, ZIP_CORE_BASE + core * ZIP_CORE_STRIDE + ZIP_CORE_DONE_BD))
			TH_LOG("core %u", core);
}

/* ------ HPRE ------ */

FIXTURE(hpre) {
	struct rig r;
	struct hpre_sqe sqe;
};

/* 3 to the power of 5, modulo a number of 1024 bits */
FIXTURE_SETUP(hpre)
{
	struct wdm_attr attr = { .type = WDM_HPRE, .generation = 2 };

	rig_init(&self->r, &attr);
	ASSERT_EQ(0, rig_queue_start(&self->r, 0, NULL));
	memset(at(&self->r, AT_KEY), 0, 128);
	at(&self->r, AT_KEY)[127] = 5;
	memset(at(&self->r, AT_KEY) + 128, 0xff, 128);
	memset(at(&self->r, AT_IN), 0, 128);
	at(&self->r, AT_IN)[127] = 3;
	hpre_fill(&self->sqe, HPRE_RSA, 128);
}

FIXTURE_TEARDOWN(hpre)
{
	rig_free(&self->r);
}

static int hpre_one(struct rig *r, struct hpre_sqe sqe)
{
	if (!rig_do(r, 0, &sqe))
		return -1;
	return (int)(sqe.dw0 >> HPRE_DW0_ETYPE_SHIFT & HPRE_DW0_ETYPE_MASK);
}

TEST_F(hpre, a_power_is_computed)
{
	EXPECT_EQ(HPRE_ERR_OK, hpre_one(&self->r, self->sqe));
	EXPECT_EQ(243, at(&self->r, AT_OUT)[127]);
}

TEST_F(hpre, there_is_one_class_of_queues)
{
	struct rig_queue_opts o = { .alg = HPRE_QC_ECC };

	EXPECT_NE(0, rig_queue_start(&self->r, 1, &o));
	EXPECT_EQ(WDM_REFUSE_QC_FIELD, rig_refusal(&self->r));
}

TEST_F(hpre, operations_after_the_sixth_are_refused)
{
	u32 op;

	for (op = HPRE_DH + 1; op <= HPRE_DW0_ALG_MASK; op++) {
		hpre_fill(&self->sqe, op, op == HPRE_ECC_MULTIPLY ? 32 : 128);
		EXPECT_EQ(HPRE_ERR_OPERATION, hpre_one(&self->r, self->sqe)) TH_LOG("operation 0x%x", op);
	}
	EXPECT_EQ(HPRE_DW0_ALG_MASK - HPRE_DH, rig_refused(&self->r, WDM_REFUSE_SQE));
}

TEST_F(hpre, fields_of_the_other_generation_are_reserved)
{
	u32 bit;

	for (bit = 16; bit < 30; bit++) {
		struct hpre_sqe sqe = self->sqe;

		sqe.dw0 |= 1u << bit;
		EXPECT_EQ(HPRE_ERR_BAD_SQE, hpre_one(&self->r, sqe)) TH_LOG("bit %u", bit);
	}
	for (bit = 0; bit < 8; bit++) {
		struct hpre_sqe sqe = self->sqe;

		sqe.flags = (u8)(1u << bit);
		EXPECT_EQ(HPRE_ERR_BAD_SQE, hpre_one(&self->r, sqe)) TH_LOG("bit %u", bit);
	}
	for (bit = 0; bit < 64; bit++) {
		struct hpre_sqe sqe = self->sqe;

		if (bit < 32)
			sqe.dw10 = 1u << bit;
		else
			sqe.kek_key = 1u << (bit - 32);
		EXPECT_EQ(HPRE_ERR_BAD_SQE, hpre_one(&self->r, sqe)) TH_LOG("bit %u", bit);
	}
}

TEST_F(hpre, an_address_of_nobody_leaves_them_0)
{
	self->sqe.in = 8;
	ASSERT_TRUE(rig_do(&self->r, 0, &self->sqe));
	EXPECT_EQ(HPRE_ERR_ADDRESS, self->sqe.dw0 >> HPRE_DW0_ETYPE_SHIFT & HPRE_DW0_ETYPE_MASK);
	EXPECT_EQ(0, self->sqe.dw0 >> HPRE_DW0_ETYPE1_SHIFT & HPRE_DW0_ETYPE1_MASK);
	EXPECT_EQ(0, self->sqe.flags);
}

TEST_F(hpre, all_four_clusters_are_needed)
{
	struct rig *r = &self->r;
	u32 i, ready;

	for (i = 0; i < HPRE_CLUSTERS_MAX; i++) {
		ready = HPRE_CLUSTER_BASE + i * HPRE_CLUSTER_STRIDE + HPRE_CLUSTER_READY;
		EXPECT_EQ(HPRE_CORES_V2, rig_reg(r, ready));
		rig_reg_set(r, ready, 0);
		EXPECT_EQ(HPRE_ERR_ABORTED, hpre_one(r, self->sqe)) TH_LOG("cluster %u", i);
		EXPECT_EQ(i + 1, rig_refused(r, WDM_REFUSE_ENGINE));
		rig_reg_set(r, ready, HPRE_CORES_V2);
	}
	EXPECT_EQ(HPRE_ERR_OK, hpre_one(r, self->sqe));
}

TEST_F(hpre, address_spaces_are_switched_by_two_registers)
{
	struct rig *r = &self->r;

	rig_reg_set(r, HPRE_DATA_READ_USER, 0);
	EXPECT_EQ(HPRE_ERR_ABORTED, hpre_one(r, self->sqe));
	rig_reg_set(r, HPRE_DATA_WRITE_USER, 0);
	EXPECT_EQ(HPRE_ERR_ADDRESS, hpre_one(r, self->sqe));
	rig_reg_set(r, HPRE_DATA_READ_USER, HPRE_DATA_USER_SVA);
	rig_reg_set(r, HPRE_DATA_WRITE_USER, HPRE_DATA_USER_SVA);
	EXPECT_EQ(HPRE_ERR_OK, hpre_one(r, self->sqe));
}

TEST_HARNESS_MAIN
