// SPDX-License-Identifier: Apache-2.0
/*
 * A completed descriptor keeps its inputs, whatever was sent: rig_pop() compares. And the marks in free slots, which
 * must never get into a request.
 */
#include "echo.h"
#include "hw/hpre_hw.h"
#include "hw/zip_hw.h"
#include "kselftest_harness.h"
#include "sec_rig.h"

#define LONG_NS		50000000
#define ROUNDS		3000
#define ROOM		65536

static struct rig *on(struct rig *r, enum wdm_type type, u32 generation, u32 alg)
{
	struct wdm_attr attr = { .type = type, .generation = generation };
	struct rig_queue_opts o = { .alg = alg };

	rig_init(r, &attr);
	return rig_queue_start(r, 0, &o) ? NULL : r;
}

/* Words that the device doesn't look at have values, too. */
static void zip_fill(struct zip_sqe *sqe, u32 generation)
{
	u32 type = 1 + rnd() % 3, stream = rnd() % 4;
	u32 *dw = (u32 *)(void *)sqe;

	rig_sqe(sqe, type, RIG_USER_BASE + rnd() % ROOM, rnd() % 300, RIG_USER_BASE + ROOM, rnd() % 1000);
	sqe->dw7 = (generation == 2 ? ZIP_SQE_TYPE_0 : ZIP_SQE_TYPE_3) << ZIP_DW7_SQE_TYPE_SHIFT;
	sqe->dw7 |= stream ? 0 : ZIP_DW7_STREAM | (rnd() & (ZIP_DW7_NEW_STREAM | ZIP_DW7_FINISH));
	sqe->tag_l = sqe->tag_h = generation == 2 ? 0 : rnd();
	dw[13] = generation == 2 ? rnd() : 0;
	memcpy(dw + 22, &(u64){ RIG_USER_BASE + 2 * ROOM }, sizeof(u64));
	dw[22] = stream ? rnd() : dw[22];
	dw[23] = stream ? rnd() : dw[23];
}

static void sec_fill(struct sec_bd *bd, u32 generation)
{
	static const struct ask good[] = {
		{ .cipher = SEC_CIPHER_ENCRYPT, .c_alg = SEC_C_AES, .c_mode = SEC_C_CBC, .c_len = 64 },
		{ .cipher = SEC_CIPHER_DECRYPT, .c_alg = SEC_C_AES, .c_mode = SEC_C_ECB, .c_len = 320, .c_key_len = 2 },
		{ .auth = SEC_AUTH_CALCULATE, .a_alg = SEC_A_SHA256, .a_len = 100, .mac_bytes = 32 },
		{ .cipher = SEC_CIPHER_ENCRYPT, .c_alg = SEC_C_AES, .c_mode = SEC_C_GCM, .c_len = 100, .a_len = 16,
		  .offset = 16, .c_icv_len = 16, .mac_bytes = 16 },
	};
	struct ask a = {
		.cipher = rnd() % 4, .auth = rnd() % 3, .in_place = rnd() & 1, .c_alg = rnd() % 4,
		.c_mode = rnd() % 8, .c_key_len = rnd() % 3, .c_icv_len = 16, .c_len = rnd() % 20 * 16,
		.a_alg = rnd() % 20, .a_key_bytes = rnd() % 20 * 4, .mac_bytes = rnd() % 16 * 4, .a_len = rnd() % 300,
		.seq = rnd() & 1, .offset = rnd() % 3 * 16,
	};

	if (rnd() % 2)
		a = good[rnd() % 4];
	a.type = generation;
	ask_fill(bd, &a);
}

static void hpre_fill(struct hpre_sqe *sqe, u32 alg)
{
	u32 op = alg == HPRE_QC_ECC ? HPRE_ECC_MULTIPLY + rnd() % 9 : rnd() % 6;

	*sqe = (struct hpre_sqe){
		.dw0 = op | HPRE_DONE_SOFTWARE << HPRE_DW0_DONE_SHIFT, .task_len1 = alg == HPRE_QC_ECC ? 3 : 15,
		.key = RIG_USER_BASE + ROOM, .in = RIG_USER_BASE + 2 * ROOM, .out = RIG_USER_BASE + 3 * ROOM,
		.tag = (u64)rnd() << 32 | rnd(),
	};
}

static bool succeeded(enum wdm_type type, const u32 *got)
{
	u32 status = got[3] & ZIP_DW3_STATUS_MASK;

	if (type == WDM_ZIP)
		return status == ZIP_ST_OK || status == ZIP_ST_NEGATIVE_COMP;
	if (type == WDM_SEC)
		return !sec_get((const struct sec_bd *)(const void *)got, SEC_BD_ERROR);
	return !(got[0] >> HPRE_DW0_ETYPE_SHIFT & HPRE_DW0_ETYPE_MASK);
}

/* The number of those that succeed; -1: one didn't complete. */
static int many(struct rig *r, enum wdm_type type, u32 generation, u32 alg)
{
	u32 sqe[RIG_SQE_WORDS], i;
	int good = 0;

	/* A modulus must be odd. */
	rnd_fill(rig_user(r, RIG_USER_BASE), 4 * ROOM);
	memset(rig_user(r, RIG_USER_BASE + ROOM), 0x55, 4096);
	for (i = 0; i < ROUNDS; i++) {
		memset(sqe, 0, sizeof(sqe));
		if (type == WDM_ZIP)
			zip_fill((void *)sqe, generation);
		else if (type == WDM_SEC)
			sec_fill((void *)sqe, generation);
		else
			hpre_fill((void *)sqe, alg);
		if (rnd() % 4 == 0)
			sqe[rnd() % (rig_sqe_bytes(r) / 4)] = rnd();
		if (!rig_do(r, 0, sqe))
			return -1;
		good += succeeded(type, sqe);
	}
	return good;
}

FIXTURE(engine) {
	struct rig r;
};

FIXTURE_VARIANT(engine) {
	enum wdm_type type;
	u32 generation, alg;
};

#define ENGINE(name, t, g, a) FIXTURE_VARIANT_ADD(engine, name) { .type = t, .generation = g, .alg = a }
ENGINE(zip2_compress, WDM_ZIP, 2, ZIP_QC_COMPRESS);
ENGINE(zip2_decompress, WDM_ZIP, 2, ZIP_QC_DECOMPRESS);
ENGINE(zip3_compress, WDM_ZIP, 3, ZIP_QC_COMPRESS);
ENGINE(zip3_decompress, WDM_ZIP, 3, ZIP_QC_DECOMPRESS);
ENGINE(sec2, WDM_SEC, 2, 0);
ENGINE(sec3, WDM_SEC, 3, 0);
ENGINE(hpre2, WDM_HPRE, 2, HPRE_QC_RSA_DH);
ENGINE(hpre3, WDM_HPRE, 3, HPRE_QC_RSA_DH);
ENGINE(ecc3, WDM_HPRE, 3, HPRE_QC_ECC);

FIXTURE_SETUP(engine)
{
	ASSERT_NE(NULL, on(&self->r, variant->type, variant->generation, variant->alg));
}

FIXTURE_TEARDOWN(engine)
{
	rig_free(&self->r);
}

/* In three passes of the ring, so over completed descriptors of other requests as well. */
TEST_F(engine, each_completed_descriptor_keeps_its_inputs)
{
	int good = many(&self->r, variant->type, variant->generation, variant->alg);
	bool decompress = variant->type == WDM_ZIP && variant->alg == ZIP_QC_DECOMPRESS;

	ASSERT_LE(0, good);
	/* Random data is nothing to decompress, and no key of a curve. */
	if (!decompress && variant->alg != HPRE_QC_ECC)
		EXPECT_LT(ROUNDS / 20, good);
}

/* Two slots, of which the first is marked when the first request's completion is consumed. */
FIXTURE(race) {
	struct rig r;
	struct zip_sqe sqe;
	u32 swap;		/* before which the owner writes, from 1 on; 0: never */
	u32 at;			/* word of 8 bytes that it writes then */
};

FIXTURE_SETUP(race)
{
	struct rig_queue_opts o = { .sq_depth = 2 };

	rig_init(&self->r, NULL);
	ASSERT_EQ(0, rig_queue_start(&self->r, 0, &o));
	rig_sqe(&self->sqe, ZIP_REQ_ZLIB, RIG_USER_BASE, 64, RIG_USER_BASE + 4096, 4096);
	self->sqe.tag_l = 1;
}

FIXTURE_TEARDOWN(race)
{
	rig_free(&self->r);
}

static void store(FIXTURE_DATA(race) *self, u32 at)
{
	memcpy((char *)rig_slot(&self->r, 0, 0) + 8 * at, (const char *)&self->sqe + 8 * at, 8);
}

static void on_swap(void *arg)
{
	FIXTURE_DATA(race) *self = arg;

	if (self->swap && !--self->swap)
		store(self, self->at);
}

static bool again(FIXTURE_DATA(race) *self)
{
	struct zip_sqe sqe = self->sqe;

	return rig_do(&self->r, 0, &sqe);
}

/* The same request in both slots. */
static bool race(FIXTURE_DATA(race) *self, u32 swap, u32 at)
{
	self->swap = swap;
	self->at = at;
	self->r.on_swap = on_swap;
	self->r.on_swap_arg = self;
	if (!again(self))
		return false;
	self->r.on_swap = NULL;
	return !self->swap && again(self);
}

static bool kept(FIXTURE_DATA(race) *self)
{
	const u32 *sent = (const u32 *)(const void *)&self->sqe, *got = rig_slot(&self->r, 0, 0);
	u32 dw;

	for (dw = 0; dw < RIG_SQE_WORDS; dw++)
		if ((sent[dw] ^ got[dw]) & ~echo_outputs(WDM_ZIP, sent, dw))
			return false;
	return true;
}

/* The word has the slot's old value, so the device can't notice. The rest of the request comes later. */
TEST_F(race, mark_over_a_word_that_was_just_written_is_taken_back)
{
	u32 at, i;

	for (at = 2; at < 14; at++) {
		if (at == 7)	/* has an output */
			continue;
		ASSERT_TRUE(race(self, 1, at));
		for (i = 0; i < 16; i++)
			if (i != at)
				store(self, i);
		self->r.q[0].tail = 1;
		rig_ring_sq(&self->r, 0);
		rig_turn(&self->r);
		ASSERT_EQ(0, rig_pop(&self->r, 0)) TH_LOG("word %u", at);
		EXPECT_EQ(0, rig_slot(&self->r, 0, 0)[3] & ZIP_DW3_STATUS_MASK);
		EXPECT_TRUE(kept(self)) TH_LOG("word %u", at);
		rig_ring_cq(&self->r, 0, false);
		/* The other slot, so that the next race is for the first one again. */
		ASSERT_TRUE(again(self));
	}
}

/* Before any of the marks. Then nothing tells whether the request is whole, so the device waits for long. */
TEST_F(race, owner_that_is_faster_than_the_marks_finds_none)
{
	struct rig *r = &self->r;
	u32 swap, i;

	for (swap = 1; swap <= 5; swap++) {
		u64 before = rig_recovered(r);

		ASSERT_TRUE(race(self, swap, 0));
		EXPECT_TRUE(kept(self)) TH_LOG("swap %u", swap);
		rig_run(r, LONG_NS);
		ASSERT_EQ(before, rig_recovered(r));
		for (i = 0; i < 16; i++)
			store(self, i);
		r->q[0].tail = 1;
		rig_run(r, 4 * LONG_NS);
		EXPECT_EQ(before + 1, rig_recovered(r));
		ASSERT_EQ(0, rig_pop(r, 0)) TH_LOG("swap %u", swap);
		EXPECT_TRUE(kept(self));
		rig_ring_cq(r, 0, false);
		ASSERT_TRUE(again(self));
	}
}

TEST_HARNESS_MAIN
