// SPDX-License-Identifier: Apache-2.0
/* Lists: what the walk refuses, its bounds, one copy of each byte, and the lists that the device gets. */
#include <stdlib.h>
#include "kselftest_harness.h"
#include "good.h"
#include "hw/qm_hw.h"
#include "hw/zip_hw.h"

FIXTURE(twin) {
	struct twin t;
	u32 sqe[TR_WORDS_MAX];
};

/* A request whose source and destination are lists */
FIXTURE_SETUP(twin)
{
	struct twin *t = &self->t;
	u32 i;

	twin_init(t);
	for (i = 0; i < good_nr() && strcmp(good_name(i), "deflate"); i++)
		;
	ASSERT_TRUE(good_make(t, i, 3, 1, self->sqe));
	good_list(t, GOOD_LIST, GOOD_SRC, 2000, 100, 0, 6);
	good_list(t, GOOD_LIST2, GOOD_DST, 8000, 4000, 0, 6);
	self->sqe[9] |= ZIP_BUF_SGL << ZIP_DW9_BUF_SHIFT;
	good_addr(self->sqe, 18, GOOD_LIST);
	good_addr(self->sqe, 20, GOOD_LIST2);
	twin_sync(t);
}

FIXTURE_TEARDOWN(twin)
{
	twin_free(&self->t);
}

#define WHY(expected) do { \
	u32 copy[TR_WORDS_MAX]; \
	memcpy(copy, self->sqe, sizeof(copy)); \
	EXPECT_EQ(NULL, twin_compare(&self->t, copy)) TH_LOG("line %d", __LINE__); \
	EXPECT_EQ(TWIN_MEMORY, self->t.end) TH_LOG("line %d", __LINE__); \
	EXPECT_EQ(expected, self->t.why) TH_LOG("line %d", __LINE__); \
	EXPECT_EQ(0, self->t.accesses) TH_LOG("line %d", __LINE__); \
} while (0)

static void put16(struct twin *t, u64 addr, u32 value)
{
	u16 v = (u16)value;

	twin_put(t, addr, &v, sizeof(v));
}

static void put64(struct twin *t, u64 addr, u64 v)
{
	twin_put(t, addr, &v, sizeof(v));
}

static void put32(struct twin *t, u64 addr, u32 v)
{
	twin_put(t, addr, &v, sizeof(v));
}

#define SUM(list)	((list) + 10)
#define CAPACITY(list)	((list) + 12)
#define BUF(list, i)	((list) + 64 + 32 * (i))
#define LEN(list, i)	((list) + 64 + 32 * (i) + 16)

TEST_F(twin, it_begins_with_good_lists)
{
	EXPECT_EQ(NULL, twin_compare(&self->t, self->sqe));
	EXPECT_EQ(TWIN_DONE, self->t.end);
	EXPECT_TRUE(twin_good(&self->t, self->sqe));
	EXPECT_EQ(0, self->t.twice);
}

TEST_F(twin, malformed_tables)
{
	struct twin *t = &self->t;

	put16(t, SUM(GOOD_LIST), 0);
	WHY(TR_WHY_LIST);
	put16(t, SUM(GOOD_LIST), 7);
	WHY(TR_WHY_LIST);
	put16(t, SUM(GOOD_LIST), 6);
	put16(t, CAPACITY(GOOD_LIST), 5);
	WHY(TR_WHY_LIST);
	/* One table more than full, although the data is in its first entries */
	good_list(t, GOOD_LIST, GOOD_SRC, 2000, 8, 0, 255);
	put16(t, CAPACITY(GOOD_LIST), 256);
	put16(t, SUM(GOOD_LIST), 256);
	WHY(TR_WHY_LIST);
	good_list(t, GOOD_LIST, GOOD_SRC, 2000, 100, 0, 6);
	good_addr(self->sqe, 18, GOOD_LIST + 32);
	WHY(TR_WHY_LIST);
	good_addr(self->sqe, 18, GOOD_LIST);
	put64(t, GOOD_LIST, GOOD_LIST + 8);
	WHY(TR_WHY_LIST);
}

TEST_F(twin, malformed_entries)
{
	struct twin *t = &self->t;

	put32(t, LEN(GOOD_LIST, 1), QM_SGE_MAX_BYTES + 1);
	WHY(TR_WHY_LIST);
	put32(t, LEN(GOOD_LIST, 1), ~0u);
	WHY(TR_WHY_LIST);
	put32(t, LEN(GOOD_LIST, 1), 100);
	put64(t, BUF(GOOD_LIST, 1), ~0ull - 50);
	WHY(TR_WHY_ADDRESS);
	put64(t, BUF(GOOD_LIST, 1), TWIN_USER - 1);
	WHY(TR_WHY_ADDRESS);
}

TEST_F(twin, tables_that_are_not_there)
{
	struct twin *t = &self->t;

	put64(t, GOOD_LIST, TWIN_USER + TWIN_BYTES);
	WHY(TR_WHY_ADDRESS);
	/* The entries of the last batch aren't there, the header is. */
	put64(t, GOOD_LIST, TWIN_USER + TWIN_BYTES - 64);
	put16(t, SUM(TWIN_USER + TWIN_BYTES - 64), 1);
	put16(t, CAPACITY(TWIN_USER + TWIN_BYTES - 64), 1);
	WHY(TR_WHY_ADDRESS);
	put64(t, GOOD_LIST, ~0ull - 63);
	WHY(TR_WHY_ADDRESS);
}

TEST_F(twin, lists_that_end_too_early)
{
	struct twin *t = &self->t;
	u32 sqe[TR_WORDS_MAX];

	/* The source isn't there. */
	put64(t, GOOD_LIST, 0);
	WHY(TR_WHY_LIST);
	/* The destination ends, and the device finds that there is room enough: or not. */
	good_list(t, GOOD_LIST, GOOD_SRC, 2000, 100, 0, 6);
	put32(t, LEN(GOOD_LIST2, 1), 100);
	memcpy(sqe, self->sqe, sizeof(sqe));
	EXPECT_EQ(NULL, twin_compare(t, sqe));
	EXPECT_EQ(TWIN_DONE, t->end);
	EXPECT_EQ(ZIP_ST_OK, sqe[3] & ZIP_DW3_STATUS_MASK);
	put32(t, LEN(GOOD_LIST2, 0), 10);
	put32(t, LEN(GOOD_LIST2, 1), 0);
	memcpy(sqe, self->sqe, sizeof(sqe));
	EXPECT_EQ(NULL, twin_compare(t, sqe));
	EXPECT_EQ(TWIN_DONE, t->end);
	EXPECT_EQ(ZIP_ST_NOSPACE, sqe[3] & ZIP_DW3_STATUS_MASK);
	/* No room at all, or behind the end */
	put32(t, LEN(GOOD_LIST2, 0), 0);
	WHY(TR_WHY_NO_SPACE);
	put32(t, LEN(GOOD_LIST2, 0), 10);
	self->sqe[8] |= 11;
	WHY(TR_WHY_NO_SPACE);
}

/* With SVA the device passes over skipped bytes of a list that it needs nothing of. */
TEST_F(twin, a_list_of_which_nothing_is_used_is_not_looked_at)
{
	put16(&self->t, SUM(GOOD_LIST), 0);
	self->sqe[4] = 0;
	self->sqe[7] |= 100;
	EXPECT_EQ(NULL, twin_compare(&self->t, self->sqe));
	EXPECT_EQ(TWIN_DONE, self->t.end);
	EXPECT_TRUE(twin_good(&self->t, self->sqe));
	EXPECT_EQ(ZIP_ST_BAD_SGL, self->t.sva_status);
}

TEST_F(twin, a_table_that_is_its_own_successor_ends)
{
	struct twin *t = &self->t;
	u32 i;

	for (i = 0; i < 6; i++)
		put32(t, LEN(GOOD_LIST, i), 1);
	put64(t, GOOD_LIST, GOOD_LIST);
	/* 256 tables of six bytes aren't enough, and nothing goes on for ever. */
	WHY(TR_WHY_LIST);
	self->sqe[4] = 256 * 6;
	EXPECT_EQ(NULL, twin_compare(t, self->sqe));
	EXPECT_EQ(TWIN_DONE, t->end);
	EXPECT_LT(0, t->twice);
}

TEST_F(twin, the_pages_of_a_request_are_bounded)
{
	struct twin *t = &self->t;
	u32 i, page;

	/* A byte of a page each: 20 tables of 255. */
	for (i = 0; i < 20; i++) {
		u64 table = GOOD_DATA + i * 8256;

		for (page = 0; page < 255; page++) {
			put64(t, BUF(table, page), TWIN_USER + page % 16 * 4096);
			put32(t, LEN(table, page), 1);
		}
		put16(t, SUM(table), 255);
		put16(t, CAPACITY(table), 255);
		put64(t, table, i < 19 ? table + 8256 : 0);
	}
	good_addr(self->sqe, 18, GOOD_DATA);
	self->sqe[4] = 4600;
	twin_translated(t, self->sqe);
	EXPECT_EQ(TWIN_DONE, t->end);
	self->sqe[0] = self->sqe[1] = self->sqe[2] = self->sqe[3] = 0;
	self->sqe[4] = 4611;
	WHY(TR_WHY_LIST);
}

/* Entries of 0 bytes and the largest list that there may be: bounded in copies. */
static int count_copies(void *arg, void *to, u64 from, u32 bytes)
{
	u32 *copies = arg;

	(void)from;
	memset(to, 0, bytes);
	++*copies;
	if (bytes == 16) {
		((u8 *)to)[10] = ((u8 *)to)[12] = 255;
		memcpy(to, &(u64){ 64 }, 8);
	}
	return 0;
}

TEST_F(twin, empty_entries_are_bounded)
{
	u32 copies = 0;
	struct tr_user user = { count_copies, &copies };
	struct tr_piece piece;
	struct tr_request r;
	struct tr_walk w;

	ASSERT_EQ(0, tr_read(&r, &self->t.q, self->sqe));
	tr_walk_begin(&w, &r, 0, &user);
	EXPECT_EQ(-EINVAL, tr_walk_next(&w, &piece));
	EXPECT_EQ(QM_SGL_MAX_CHAIN * (1 + 32), copies);
}

/* The copies of a walk that see another thread's write at a second look: there is none. */
TEST_F(twin, each_byte_is_copied_once)
{
	self->t.how.flip = true;
	EXPECT_EQ(NULL, twin_compare(&self->t, self->sqe));
	EXPECT_EQ(TWIN_DONE, self->t.end);
	EXPECT_EQ(0, self->t.twice);
	EXPECT_TRUE(twin_good(&self->t, self->sqe));
}

/* ------ the device's lists ------ */

static u32 get16(const u8 *p)
{
	return p[0] | (u32)p[1] << 8;
}

TEST(a_list_for_the_device_has_what_hardware_looks_at)
{
	u8 first[64 + 3 * 32], second[64 + 3 * 32];
	struct tr_list l;
	u64 v;
	u32 n;

	memset(first, 0xff, sizeof(first));
	memset(second, 0xff, sizeof(second));
	tr_list_begin(&l, first, 3);
	EXPECT_EQ(100, tr_list_add(&l, 0x123456789abcull, 100));
	/* An entry has at most 8 MiB. */
	EXPECT_EQ(QM_SGE_MAX_BYTES, tr_list_add(&l, 0x200000000ull, QM_SGE_MAX_BYTES + 5));
	EXPECT_EQ(5, tr_list_add(&l, 0x200800000ull, 5));
	EXPECT_EQ(0, tr_list_add(&l, 0x300000000ull, 7));
	tr_list_chain(&l, second, 0x445566778840ull);
	EXPECT_EQ(7, tr_list_add(&l, 0x300000000ull, 7));
	tr_list_end(&l);

	memcpy(&v, first, 8);
	EXPECT_EQ(0x445566778840ull, v);
	EXPECT_EQ(4, get16(first + 8));
	EXPECT_EQ(3, get16(first + 10));
	EXPECT_EQ(3, get16(first + 12));
	memcpy(&v, first + 64, 8);
	EXPECT_EQ(0x123456789abcull, v);
	memcpy(&n, first + 64 + 16, 4);
	EXPECT_EQ(100, n);
	memcpy(&v, second, 8);
	EXPECT_EQ(0, v);
	EXPECT_EQ(1, get16(second + 10));
	EXPECT_EQ(3, get16(second + 12));
	/* Everything else is 0: software of others keeps its own addresses there. */
	for (n = 14; n < 64; n++)
		EXPECT_EQ(0, first[n] | second[n]);
	for (n = 0; n < 3; n++) {
		memcpy(&v, first + 64 + 32 * n + 8, 8);
		EXPECT_EQ(0, v);
		memcpy(&v, first + 64 + 32 * n + 24, 8);
		EXPECT_EQ(0, v);
	}
}

TEST_HARNESS_MAIN
