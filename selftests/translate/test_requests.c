// SPDX-License-Identifier: Apache-2.0
/* Requests of every kind, translated in each way: the same results and the same memory as with SVA. */
#include <stdio.h>
#include "kselftest_harness.h"
#include "good.h"
#include "hw/sec_access_hw.h"
#include "hw/zip_hw.h"

FIXTURE(twin) {
	struct twin t;
};

FIXTURE_SETUP(twin)
{
	twin_init(&self->t);
}

FIXTURE_TEARDOWN(twin)
{
	twin_free(&self->t);
}

static const struct twin_how hows[] = {
	{ .merge = true, .capacity = 126 },
	{ .merge = true, .bounce = 512, .capacity = 126 },
	{ .merge = true, .bounce = 1 << 20, .capacity = 126 },
	{ .merge = true, .pages = true, .capacity = 126 },
	{ .pages = true, .capacity = 255 },
	{ .pages = true, .bounce = 100, .capacity = 1 },
};
#define HOWS	(sizeof(hows) / sizeof(hows[0]))

/* Does request @i in all ways; the number of ways in which it doesn't succeed as it is to. */
static u32 all_ways(struct __test_metadata *_metadata, struct twin *t, u32 i, u32 generation,
		    void (*change)(struct twin *t, u32 *sqe))
{
	u32 sqe[TR_WORDS_MAX], how, wrong = 0;
	const char *what;

	for (how = 0; how < HOWS; how++) {
		if (!good_make(t, i, generation, how + 1, sqe))
			return 0;
		if (change)
			change(t, sqe);
		twin_sync(t);
		t->how = hows[how];
		what = twin_compare(t, sqe);
		if (!what && !twin_good(t, sqe))
			what = "it fails";
		if (!what && (t->twice || t->clash))
			what = "memory is used twice";
		if (!what)
			continue;
		TH_LOG("%s, generation %u, way %u: %s (end %u, status %u)", good_name(i), generation, how, what, t->end,
		       twin_status(t, sqe));
		wrong++;
	}
	return wrong;
}

TEST_F(twin, every_request_has_the_same_result)
{
	u32 i, generation;

	for (generation = 2; generation <= 3; generation++)
		for (i = 0; i < good_nr(); i++)
			EXPECT_EQ(0, all_ways(_metadata, &self->t, i, generation, NULL));
}

/* Scattered data, odd sizes, a table of few entries, skipped bytes where the engine has them. */
static void as_lists(struct twin *t, u32 *sqe)
{
	u32 gen = t->q.generation, in, out;
	bool lz77;

	if (t->q.engine == TR_ZIP) {
		lz77 = sqe[24] || sqe[25];
		in = sqe[4];
		out = sqe[14];
		good_list(t, GOOD_LIST, sqe[18] | (u64)sqe[19] << 32, in, 333, 77, 5);
		good_list(t, GOOD_LIST2, GOOD_DST, out, 1000, lz77 ? 0 : 5, 3);
		sqe[7] |= 77;
		sqe[8] |= lz77 ? 0 : 5;
		sqe[9] |= ZIP_BUF_SGL << ZIP_DW9_BUF_SHIFT;
		good_addr(sqe, 18, GOOD_LIST);
		good_addr(sqe, 20, GOOD_LIST2);
		if (!lz77)
			return;
		good_list(t, GOOD_LIST3, GOOD_LIT, sqe[13], 99, 0, 30);
		good_addr(sqe, 24, GOOD_LIST3);
		return;
	}
	good_list(t, GOOD_LIST, GOOD_SRC, 600, 37, 0, 4);
	good_list(t, GOOD_LIST2, GOOD_DST, 600, 11, 0, 255);
	good_sec_set(sqe, gen, SEC_F_SRC_TYPE, SEC_ADDR_SGL);
	good_sec_set(sqe, gen, SEC_F_DST_TYPE, SEC_ADDR_SGL);
	good_sec_set64(sqe, gen, SEC_L_SRC, GOOD_LIST);
	good_sec_set64(sqe, gen, SEC_L_DST, GOOD_LIST2);
}

/* Rows of the table that take lists, and no digest, which has no destination's type */
static bool takes_lists(const struct twin *t, const u32 *sqe)
{
	struct tr_request r;

	if (tr_read(&r, &t->q, sqe) || !r.nr || r.access[0].form != HW_FREE)
		return false;
	return t->q.engine == TR_ZIP ||
	       (t->q.engine == TR_SEC && sqe[0] >> 9 & 1);
}

TEST_F(twin, lists_of_the_process_have_the_same_result)
{
	u32 i, generation, sqe[TR_WORDS_MAX], nr = 0;

	for (generation = 2; generation <= 3; generation++) {
		for (i = 0; i < good_nr(); i++) {
			if (!good_make(&self->t, i, generation, 1, sqe) || !takes_lists(&self->t, sqe))
				continue;
			EXPECT_EQ(0, all_ways(_metadata, &self->t, i, generation, as_lists));
			nr++;
		}
	}
	EXPECT_LT(30, nr);
}

/* With one side flat, the other one a list */
static void as_one_list(struct twin *t, u32 *sqe)
{
	u32 gen = t->q.generation;

	good_list(t, GOOD_LIST, GOOD_SRC, 600, 37, 0, 4);
	good_sec_set(sqe, gen, SEC_F_SRC_TYPE, SEC_ADDR_SGL);
	good_sec_set64(sqe, gen, SEC_L_SRC, GOOD_LIST);
}

static void as_other_list(struct twin *t, u32 *sqe)
{
	u32 gen = t->q.generation;

	good_list(t, GOOD_LIST2, GOOD_DST, 600, 37, 0, 4);
	good_sec_set(sqe, gen, SEC_F_DST_TYPE, SEC_ADDR_SGL);
	good_sec_set64(sqe, gen, SEC_L_DST, GOOD_LIST2);
}

TEST_F(twin, one_side_may_be_a_list_for_sec)
{
	u32 i, generation, sqe[TR_WORDS_MAX];

	for (generation = 2; generation <= 3; generation++) {
		for (i = 0; i < good_nr(); i++) {
			if (!good_make(&self->t, i, generation, 1, sqe) || self->t.q.engine != TR_SEC ||
			    !takes_lists(&self->t, sqe) || strstr(good_name(i), "named"))
				continue;
			EXPECT_EQ(0, all_ways(_metadata, &self->t, i, generation, as_one_list));
			EXPECT_EQ(0, all_ways(_metadata, &self->t, i, generation, as_other_list));
		}
	}
}

/* Each of a request's fields that isn't there, or wraps: an address error, whatever the other fields are. */
TEST_F(twin, memory_that_is_not_there_is_an_address_error)
{
	u32 i, k, generation, sqe[TR_WORDS_MAX], good[TR_WORDS_MAX];
	struct twin *t = &self->t;
	struct tr_request r;

	for (generation = 2; generation <= 3; generation++) {
		for (i = 0; i < good_nr(); i++) {
			if (!good_make(t, i, generation, 1, good))
				continue;
			twin_sync(t);
			ASSERT_EQ(0, tr_read(&r, &t->q, good));
			for (k = 0; k < r.nr; k++) {
				memcpy(sqe, good, sizeof(sqe));
				/* One byte too few */
				good_addr(sqe, r.access[k].word[0], TWIN_USER + TWIN_BYTES - r.access[k].len + 1);
				if (r.access[k].word[1])
					good_addr(sqe, r.access[k].word[1],
						  TWIN_USER + TWIN_BYTES - r.access[k].len + 1);
				twin_translated(t, sqe);
				EXPECT_EQ(TWIN_MEMORY, t->end) TH_LOG("%s, access %u", good_name(i), k);
				EXPECT_EQ(TR_WHY_ADDRESS, t->why);
				EXPECT_EQ(0, t->accesses);
				memcpy(sqe, good, sizeof(sqe));
				good_addr(sqe, r.access[k].word[0], 0 - (u64)r.access[k].len + 1);
				if (r.access[k].word[1])
					good_addr(sqe, r.access[k].word[1], 0 - (u64)r.access[k].len + 1);
				twin_translated(t, sqe);
				EXPECT_EQ(TWIN_MEMORY, t->end) TH_LOG("%s, access %u", good_name(i), k);
			}
		}
	}
}

/* The destination's first bytes are the source's, also where the device leaves them alone. */
TEST_F(twin, a_wrong_tag_delivers_nothing_from_a_copy)
{
	u32 i, sqe[TR_WORDS_MAX];
	struct twin *t = &self->t;
	u8 before[100];

	for (i = 0; i < good_nr() && strcmp(good_name(i), "ccm, verified"); i++)
		;
	ASSERT_TRUE(good_make(t, i, 3, 1, sqe));
	twin_sync(t);
	memcpy(before, twin_at(t, 1, GOOD_DST), sizeof(before));
	t->how.bounce = 4096;
	twin_translated(t, sqe);
	EXPECT_EQ(TWIN_DONE, t->end);
	EXPECT_EQ(SEC_ICV_MISMATCH, sqe[28] >> 1 & 7);
	EXPECT_EQ(0, memcmp(before, twin_at(t, 1, GOOD_DST), sizeof(before)));
}

TEST_HARNESS_MAIN
