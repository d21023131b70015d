// SPDX-License-Identifier: Apache-2.0
/* Whatever a process writes into its ring, doorbell, lists and stream context, the device and other queues go on. */
#include <stdlib.h>
#include "kselftest_harness.h"
#include "rig.h"

#define ROUNDS	20000
#define CTX	(RIG_USER_BASE + (20u << 20) + ZIP_CTX_HW_OFFSET)
#define DST	(RIG_USER_BASE + (10u << 20))

FIXTURE(dev) {
	struct rig r;
	struct zip_sqe good;
};

FIXTURE_SETUP(dev)
{
	struct rig_queue_opts decomp = { .alg = 1 };
	u32 q;

	rig_init(&self->r, NULL);
	for (q = 0; q < 4; q++) {
		ASSERT_EQ(0, rig_queue_start(&self->r, q, q & 1 ? &decomp : NULL));
	}
	rig_sqe(&self->good, ZIP_REQ_ZLIB, RIG_USER_BASE, 64, DST, 4096);
}

FIXTURE_TEARDOWN(dev)
{
	rig_free(&self->r);
}

static u64 seed = 88172645463325252ull;

static u32 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (u32)(seed >> 16);
}

static bool others_work(FIXTURE_DATA(dev) *self)
{
	struct zip_sqe sqe = self->good;

	u32 status = rig_do(&self->r, 2, &sqe) ? sqe.dw3 & ZIP_DW3_STATUS_MASK : 0xff;

	return status == ZIP_ST_OK || status == ZIP_ST_NEGATIVE_COMP;
}

static void random_words(u32 *p, u32 words)
{
	while (words--)
		*p++ = rnd();
}

TEST_F(dev, random_doorbells)
{
	struct rig *r = &self->r;
	u32 i, slot;
	u64 v;

	for (slot = 0; slot < RIG_DEPTH; slot++)
		random_words(rig_slot(r, 0, slot), 32);
	for (i = 0; i < ROUNDS; i++) {
		v = (u64)rnd() << 32 | rnd();
		if (i & 1)	/* more likely to be accepted */
			v = qm_db_value(0, rnd() % 2, (u16)(rnd() % 1100), rnd() % 2);
		rig_ring(r, 0, v);
		if (i % 100 == 0)
			ASSERT_TRUE(others_work(self));
	}
	rig_run(r, 1000000);
	EXPECT_EQ(0, r->look.busy);
	EXPECT_EQ(0, rig_queue_stop(r, 0));
	EXPECT_TRUE(others_work(self));
}

TEST_F(dev, random_descriptors)
{
	struct rig *r = &self->r;
	struct zip_sqe sqe;
	u32 i, q;

	for (i = 0; i < ROUNDS; i++) {
		q = i & 1;
		random_words((u32 *)&sqe, 32);
		ASSERT_TRUE(rig_do(r, q, &sqe)) TH_LOG("round %u", i);
		if (i % 100 == 0)
			ASSERT_TRUE(others_work(self));
	}
}

/* Good descriptors with one corrupt field, addresses and lengths near the edges of mapped memory. */
TEST_F(dev, nearly_right_descriptors)
{
	struct rig *r = &self->r;
	struct zip_sqe sqe;
	u32 i, dw;

	random_words(rig_user(r, RIG_USER_BASE), RIG_USER_BYTES / 4);
	for (i = 0; i < ROUNDS; i++) {
		rig_sqe(&sqe, 1 + rnd() % 3, RIG_USER_BASE + rnd() % (1 << 20), rnd() % 3000, DST + rnd() % 4096,
			rnd() % 9000);
		sqe.dw7 |= (rnd() & 7) << 25;
		sqe.dw9 |= (rnd() & 1) << ZIP_DW9_BUF_SHIFT;
		sqe.stream_ctx_addr_l = (u32)CTX;
		sqe.stream_ctx_addr_h = (u32)(CTX >> 32);
		dw = rnd() % 64;
		if (dw < 32)
			((u32 *)&sqe)[dw] ^= 1u << rnd() % 32;
		ASSERT_TRUE(rig_do(r, i & 1, &sqe)) TH_LOG("round %u", i);
	}
	EXPECT_TRUE(others_work(self));
}

TEST_F(dev, random_lists)
{
	struct rig *r = &self->r;
	u32 i, n, *p = rig_user(r, RIG_USER_BASE);
	struct qm_sgl *list = (struct qm_sgl *)p;
	struct qm_sge *e = (struct qm_sge *)(list + 1);
	struct zip_sqe sqe;

	for (i = 0; i < ROUNDS; i++) {
		random_words(p, 16);
		list->entry_sum_in_sgl = (u16)(rnd() % 12);
		list->entry_length_in_sgl = (u16)(rnd() % 12);
		list->next_dma = RIG_USER_BASE + rnd() % 64 * 64;
		for (n = 0; n < 12; n++) {
			e[n].buf = RIG_USER_BASE + (rnd() % 4 ? rnd() % (1 << 20) : (u64)rnd() << 16);
			e[n].len = rnd() % 8 ? rnd() % 100 : rnd();
		}
		rig_sqe(&sqe, 1 + rnd() % 3, RIG_USER_BASE, rnd() % 3000, RIG_USER_BASE, rnd() % 9000);
		sqe.dw9 |= ZIP_BUF_SGL << ZIP_DW9_BUF_SHIFT;
		sqe.dw7 |= rnd() % 4 ? 0 : rnd() % 200;
		ASSERT_TRUE(rig_do(r, i & 1, &sqe));
	}
	EXPECT_TRUE(others_work(self));
}

static u32 stream(struct rig *r, const struct zip_sqe *last, u32 len, bool first, struct zip_sqe *sqe)
{
	rig_sqe(sqe, ZIP_REQ_DEFLATE, RIG_USER_BASE, len, DST, 60000);
	sqe->dw7 |= ZIP_DW7_STREAM | (first ? ZIP_DW7_NEW_STREAM : 0);
	sqe->stream_ctx_addr_l = (u32)CTX;
	sqe->stream_ctx_addr_h = (u32)(CTX >> 32);
	sqe->ctx_dw0 = last->ctx_dw0;
	sqe->ctx_dw1 = last->ctx_dw1;
	sqe->ctx_dw2 = last->ctx_dw2;
	return rig_do(r, 1, sqe) ? sqe->dw3 & ZIP_DW3_STATUS_MASK : 0xff;
}

/* The saved state of a real stream, stopped at a random point, with some of its bytes changed. */
TEST_F(dev, changed_stream_contexts)
{
	struct rig *r = &self->r;
	unsigned char *ctx = rig_user(r, CTX), *src = rig_user(r, RIG_USER_BASE), packed[8192];
	u32 i, n, cut, flips, went_on = 0;
	struct zip_sqe sqe, last = { 0 };

	for (i = 0; i < 6000; i++)
		src[i] = (unsigned char)(rnd() % 11 * (i & 7));
	rig_sqe(&sqe, ZIP_REQ_DEFLATE, RIG_USER_BASE, 6000, DST, 8192);
	ASSERT_TRUE(rig_do(r, 0, &sqe));
	n = sqe.produced;
	memcpy(packed, rig_user(r, DST), n);
	for (i = 0; i < ROUNDS; i++) {
		cut = rnd() % n;
		memcpy(src, packed, n);
		ASSERT_EQ(ZIP_ST_OK, stream(r, &last, cut, true, &sqe));
		for (flips = 1 + rnd() % 4; flips; flips--) {
			if (rnd() % 3)	/* most of the state is numbers below 100 */
				ctx[4 + rnd() % 92] = (unsigned char)rnd();
			else
				ctx[rnd() % 512] ^= (unsigned char)(1 << rnd() % 8);
		}
		if (rnd() % 2) {
			sqe.ctx_dw2 = ctx[72] | ctx[73] << 8;
			sqe.ctx_dw1 = ctx[28] | ctx[29] << 8 | ctx[30] << 16;
		}
		memcpy(src, packed + cut, n - cut);
		last = sqe;
		went_on += stream(r, &last, n - cut, false, &sqe) != ZIP_ST_BAD_CONTEXT;
		ASSERT_NE(0xff, sqe.dw3 & ZIP_DW3_STATUS_MASK);
		memset(&last, 0, sizeof(last));
	}
	EXPECT_LT(0, went_on);
	EXPECT_TRUE(others_work(self));
}

TEST_F(dev, random_stream_contexts)
{
	struct rig *r = &self->r;
	struct zip_sqe sqe, last = { 0 };
	u32 i, mode, *ctx = rig_user(r, CTX);
	unsigned char *bytes = rig_user(r, CTX);

	for (i = 0; i < ROUNDS; i++) {
		ASSERT_NE(0xff, stream(r, &last, 0, true, &sqe));
		for (mode = 6; mode < 24; mode++)
			ctx[mode] = rnd() % (1u << rnd() % 20);
		ctx[1] = rnd() % 11;
		for (mode = 76; mode < 96 + 320; mode++)
			bytes[mode] = (unsigned char)(rnd() % 10);
		last.ctx_dw1 = ctx[1] == 2 ? ctx[7] & ZIP_CTX_STORED_MASK : 0;
		last.ctx_dw2 = ctx[18] & ZIP_CTX_WINDOW_MASK;
		random_words(rig_user(r, RIG_USER_BASE), 500);
		ASSERT_NE(0xff, stream(r, &last, 2000, false, &sqe));
		memset(&last, 0, sizeof(last));
	}
	EXPECT_TRUE(others_work(self));
}

TEST_F(dev, rings_changed_while_the_device_runs)
{
	struct rig *r = &self->r;
	u32 i;

	for (i = 0; i < ROUNDS; i++) {
		random_words(rig_slot(r, 0, rnd() % RIG_DEPTH), 32);
		random_words(rig_dma(r, r->q[0].cq + rnd() % RIG_DEPTH * sizeof(struct qm_cqe)), 4);
		rig_ring(r, 0, qm_db_value(0, rnd() % 2, (u16)(rnd() % RIG_DEPTH), rnd() % 2));
		r->now += rnd() % 200000;
		rig_turn(r);
		if (i % 100 == 0)
			ASSERT_TRUE(others_work(self));
	}
	EXPECT_EQ(0, rig_queue_stop(r, 0));
	EXPECT_EQ(0, rig_queue_start(r, 0, NULL));
}

TEST_HARNESS_MAIN
