// SPDX-License-Identifier: Apache-2.0
/* What the process gets back: result words and no others, the kernel's own results, bytes of copies. */
#include "kselftest_harness.h"
#include "good.h"
#include "hw/hpre_hw.h"
#include "hw/sec_access_hw.h"
#include "hw/zip_hw.h"

FIXTURE(twin) {
	struct twin t;
	u32 sqe[TR_WORDS_MAX];
	struct tr_request r;
};

FIXTURE_SETUP(twin)
{
	twin_init(&self->t);
}

FIXTURE_TEARDOWN(twin)
{
	twin_free(&self->t);
}

static u32 find(const char *name)
{
	u32 i;

	for (i = 0; i < good_nr() && strcmp(good_name(i), name); i++)
		;
	return i;
}

#define READ(name, generation) do { \
	ASSERT_TRUE(good_make(&self->t, find(name), generation, 1, self->sqe)); \
	ASSERT_EQ(0, tr_read(&self->r, &self->t.q, self->sqe)); \
} while (0)

/* Bits of the device's descriptor that reach the process, if all its bits are other ones */
static void taken(const struct tr_request *r, const u32 *sqe, u32 *bits)
{
	u32 device[TR_WORDS_MAX], i;

	for (i = 0; i < TR_WORDS_MAX; i++)
		device[i] = ~sqe[i];
	memcpy(bits, sqe, sizeof(device));
	tr_results(r, device, bits);
	for (i = 0; i < TR_WORDS_MAX; i++)
		bits[i] ^= sqe[i];
}

TEST_F(twin, only_results_come_back)
{
	u32 i, k, generation, bits[TR_WORDS_MAX], want;
	struct twin *t = &self->t;
	bool verifies;

	for (generation = 2; generation <= 3; generation++) {
		for (i = 0; i < good_nr(); i++) {
			if (!good_make(t, i, generation, 1, self->sqe))
				continue;
			ASSERT_EQ(0, tr_read(&self->r, &t->q, self->sqe));
			taken(&self->r, self->sqe, bits);
			verifies = t->q.engine == TR_HPRE && strstr(good_name(i), "verified");
			for (k = 0; k < tr_sqe_bytes(&t->q) / 4; k++) {
				want = 0;
				if (t->q.engine == TR_ZIP && (k < 4 || k == 15 || k >= 28))
					want = ~0u;
				if (t->q.engine == TR_SEC && k >= 28)
					want = ~0u;
				if (t->q.engine == TR_HPRE && !k)
					want = ~31u;
				if (t->q.engine == TR_HPRE && k == 1)
					want = 0x78000000;
				if (verifies && k == 6)
					want = ~0u;
				EXPECT_EQ(want, bits[k]) TH_LOG("%s: word %u", good_name(i), k);
			}
		}
	}
}

/* Addresses of the device are nowhere in the process' descriptor. */
TEST_F(twin, no_address_of_the_device_comes_back)
{
	u32 i, k, generation, sqe[TR_WORDS_MAX + 1] = { 0 };
	struct twin *t = &self->t;

	for (generation = 2; generation <= 3; generation++) {
		for (i = 0; i < good_nr(); i++) {
			if (!good_make(t, i, generation, 1, self->sqe))
				continue;
			twin_sync(t);
			memcpy(sqe, self->sqe, sizeof(self->sqe));
			twin_translated(t, sqe);
			ASSERT_EQ(TWIN_DONE, t->end);
			ASSERT_LT(0, t->windows);
			for (k = 0; k < tr_sqe_bytes(&t->q) / 4; k++)
				EXPECT_EQ(NULL, wdm_map_find(&t->map, sqe[k] | (u64)sqe[k + 1] << 32))
					TH_LOG("%s: word %u", good_name(i), k);
		}
	}
}

#define FAIL(why, ...) do { \
	const u32 want[] = { __VA_ARGS__ }; \
	u32 got[TR_WORDS_MAX], word; \
	memcpy(got, self->sqe, sizeof(got)); \
	tr_fail(&self->t.q, tr_status(&self->t.q, why), got); \
	for (word = 0; word < sizeof(want) / sizeof(want[0]); word++) \
		EXPECT_EQ(want[word], got[first + word]) TH_LOG("line %d, word %u", __LINE__, word); \
	for (word = 0; word < TR_WORDS_MAX; word++) \
		if (word < first || word >= first + sizeof(want) / sizeof(want[0])) \
			EXPECT_EQ(self->sqe[word], got[word]) TH_LOG("line %d, word %u", __LINE__, word); \
} while (0)

TEST_F(twin, results_that_the_kernel_makes)
{
	u32 first = 0, dw1;

	READ("zlib", 3);
	self->sqe[0] = self->sqe[1] = self->sqe[2] = self->sqe[3] = 0x77777777;
	FAIL(TR_WHY_ADDRESS, 0, 0, 0, 2);
	FAIL(TR_WHY_LIST, 0, 0, 0, 3);
	FAIL(TR_WHY_NO_SPACE, 0, 0, 0, 0xe);
	FAIL(TR_WHY_STOPPED, 0, 0, 0, 7);
	first = 28;
	READ("aes-cbc", 2);
	FAIL(TR_WHY_ADDRESS, 0x20001);
	FAIL(TR_WHY_LIST, 0x30001);
	FAIL(TR_WHY_STOPPED, 0x70001);
	first = 0;
	READ("dh", 2);
	FAIL(TR_WHY_ADDRESS, 0xc0000085);
	FAIL(TR_WHY_STOPPED, 0xc0000125);
	READ("ecdsa, verified", 3);
	dw1 = self->sqe[1];
	FAIL(TR_WHY_ADDRESS, 0xc020008f, dw1 | 1u << 27);
	FAIL(TR_WHY_STOPPED, 0xc000012f);
}

/* Neither what a request doesn't use nor what it skips is in the device's descriptor. */
TEST_F(twin, the_device_gets_only_addresses_that_it_needs)
{
	struct tr_target target[TR_ACCESSES_MAX] = {
		{ 0x1000000000ull, 2000, false }, { 0x2000000000ull, ZIP_MAX_OUTPUT, false },
	};
	u32 device[TR_WORDS_MAX];

	READ("zlib", 3);
	self->sqe[14] = ~0u;
	ASSERT_EQ(0, tr_read(&self->r, &self->t.q, self->sqe));
	EXPECT_EQ(2, self->r.nr);
	EXPECT_EQ(ZIP_MAX_OUTPUT, self->r.access[1].len);
	ASSERT_EQ(0, tr_write(&self->r, 0, target, 0x4000000000ull, device));
	EXPECT_EQ(ZIP_MAX_OUTPUT, device[14]);
	EXPECT_EQ(0x10, device[19]);
	EXPECT_EQ(0x20, device[21]);
	EXPECT_EQ(0, device[22] | device[23]);
	/* One kind for both sides */
	target[0].list = true;
	EXPECT_EQ(-EINVAL, tr_write(&self->r, 0, target, 0x4000000000ull, device));
	target[1].list = true;
	EXPECT_EQ(0, tr_write(&self->r, 0, target, 0x4000000000ull, device));
	EXPECT_EQ(1, device[9] >> 8 & 15);
	/* Too few bytes, too many; a destination in a list may end early, not a source. */
	target[1].bytes--;
	EXPECT_EQ(-EINVAL, tr_write(&self->r, 0, target, 0x4000000000ull, device));
	target[1].bytes += 2;
	EXPECT_EQ(-EINVAL, tr_write(&self->r, 0, target, 0x4000000000ull, device));
	target[1].bytes = 5;
	self->r.access[1].short_end = true;
	EXPECT_EQ(0, tr_write(&self->r, 0, target, 0x4000000000ull, device));
	target[0].bytes = 5;
	EXPECT_EQ(-EINVAL, tr_write(&self->r, 0, target, 0x4000000000ull, device));
	/* A flat buffer of a stream stays flat, a list is one. */
	READ("zlib stream", 3);
	EXPECT_EQ(HW_FLAT, self->r.access[0].form);
	EXPECT_EQ(HW_FLAT, self->r.access[1].form);
	self->sqe[9] |= ZIP_BUF_SGL << ZIP_DW9_BUF_SHIFT;
	ASSERT_EQ(0, tr_read(&self->r, &self->t.q, self->sqe));
	EXPECT_EQ(HW_FREE, self->r.access[0].form);
	EXPECT_EQ(HW_FREE, self->r.access[1].form);
	READ("zlib", 3);
	self->sqe[14] = ~0u;
	/* An empty source: zeroes if the other side is flat, the other side's list otherwise. */
	self->sqe[4] = 0;
	ASSERT_EQ(0, tr_read(&self->r, &self->t.q, self->sqe));
	EXPECT_EQ(1, self->r.nr);
	target[0] = (struct tr_target){ 0x1000000000ull, ZIP_MAX_OUTPUT, false };
	ASSERT_EQ(0, tr_write(&self->r, 0, target, 0x4000000000ull, device));
	EXPECT_EQ(0x40, device[19]);
	target[0].list = true;
	ASSERT_EQ(0, tr_write(&self->r, 0, target, 0x4000000000ull, device));
	EXPECT_EQ(0x10, device[19]);

	READ("aes-256-ecb in place", 3);
	target[0] = (struct tr_target){ 0x1000000000ull, 48, false };
	ASSERT_EQ(0, tr_write(&self->r, 0x5000000000ull, target, 0x4000000000ull, device));
	EXPECT_EQ(0x10, device[SEC_BD3_SRC + 1]);
	EXPECT_EQ(0, device[SEC_BD3_DST] | device[SEC_BD3_DST + 1]);
	EXPECT_EQ(0x50, device[SEC_BD3_C_KEY + 1]);
	/* ECB has no initial value. */
	EXPECT_EQ(0x40, device[SEC_BD3_C_IVIN + 1]);
	EXPECT_EQ(0, device[SEC_BD3_A_KEY + 1] | device[SEC_BD3_MAC + 1] | device[SEC_BD3_A_IVIN + 1]);
	READ("sha224 first", 3);
	target[0] = (struct tr_target){ 0x1000000000ull, 128, true };
	EXPECT_EQ(-EINVAL, tr_write(&self->r, 0x5000000000ull, target, 0x4000000000ull, device));
	READ("dh of 2", 3);
	ASSERT_EQ(0, tr_write(&self->r, 0x5000000000ull, target, 0x4000000000ull, device));
	EXPECT_EQ(0, device[4] | device[5]);
	EXPECT_EQ(0x50, device[3]);
	EXPECT_EQ(0x50, device[7]);
	READ("ecdsa, verified", 3);
	ASSERT_EQ(0, tr_write(&self->r, 0x5000000000ull, target, 0x4000000000ull, device));
	EXPECT_EQ(0, device[6] | device[7]);
}

/* Results of an earlier request in the slot are no input. */
TEST_F(twin, old_results_do_not_matter)
{
	u32 sqe[TR_WORDS_MAX];
	struct twin *t = &self->t;

	READ("gzip", 3);
	twin_sync(t);
	memcpy(sqe, self->sqe, sizeof(sqe));
	memset(sqe, 0xff, 16);
	EXPECT_EQ(NULL, twin_compare(t, sqe));
	EXPECT_TRUE(twin_good(t, sqe));
	READ("aes-cbc", 2);
	twin_sync(t);
	memcpy(sqe, self->sqe, sizeof(sqe));
	memset(sqe + 28, 0xff, 16);
	EXPECT_EQ(NULL, twin_compare(t, sqe));
	EXPECT_TRUE(twin_good(t, sqe));
}

TEST_F(twin, bytes_of_a_copy_that_the_process_gets)
{
	u32 device[TR_WORDS_MAX] = { 0 };

	READ("zlib stream", 3);
	device[1] = 123;
	EXPECT_EQ(0, tr_deliver(&self->r, 0, device));
	EXPECT_EQ(123, tr_deliver(&self->r, 1, device));
	EXPECT_EQ(ZIP_CTX_HW_MAX, tr_deliver(&self->r, 2, device));
	/* A device that claims more than it was given */
	device[1] = ~0u;
	EXPECT_EQ(8000, tr_deliver(&self->r, 1, device));
	device[3] = ZIP_ST_NOSPACE;
	EXPECT_EQ(0, tr_deliver(&self->r, 1, device));
	EXPECT_EQ(0, tr_deliver(&self->r, 2, device));
	/* Sequences with what is behind them, and literals */
	READ("lz77_zstd", 3);
	memset(device, 0, sizeof(device));
	device[1] = 5;
	device[2] = 77;
	EXPECT_EQ(5 * ZIP_LZ77_SEQ + ZIP_LZ77_ZSTD_TAIL, tr_deliver(&self->r, 1, device));
	EXPECT_EQ(77, tr_deliver(&self->r, 2, device));
	device[1] = device[2] = ~0u;
	EXPECT_EQ(8000, tr_deliver(&self->r, 1, device));
	EXPECT_EQ(2000 + ZIP_LZ77_LITERALS_MORE, tr_deliver(&self->r, 2, device));
	READ("gcm in place", 3);
	device[28] = 1;
	EXPECT_EQ(70, tr_deliver(&self->r, 0, device));
	device[28] = 1 | SEC_ICV_MISMATCH << 1;
	EXPECT_EQ(0, tr_deliver(&self->r, 0, device));
	device[28] = 1 | SEC_ERR_ALGORITHM << 16;
	EXPECT_EQ(0, tr_deliver(&self->r, 0, device));
	READ("dh", 3);
	device[0] = 0xc0000005;
	EXPECT_EQ(96, tr_deliver(&self->r, 2, device));
	device[0] = 0xc0200005;
	EXPECT_EQ(0, tr_deliver(&self->r, 2, device));
	device[0] = 0x40000005;
	EXPECT_EQ(0, tr_deliver(&self->r, 2, device));
}

static int copy_ones(void *arg, void *to, u64 from, u32 bytes)
{
	(void)arg;
	memset(to, 0xff, bytes);
	return from < TWIN_USER ? -EFAULT : 0;
}

/* Whatever the device reads behind small data, it finds zeroes, and nothing of an earlier request. */
TEST_F(twin, a_slot_has_the_request_and_zeroes)
{
	struct tr_user user = { copy_ones, NULL };
	u8 slot[TR_SLOT_HPRE + 1], used[TR_SLOT_HPRE];
	u32 i, k, generation;
	const struct tr_access *a;

	for (generation = 2; generation <= 3; generation++) {
		for (i = 0; i < good_nr(); i++) {
			if (!good_make(&self->t, i, generation, 1, self->sqe))
				continue;
			ASSERT_EQ(0, tr_read(&self->r, &self->t.q, self->sqe));
			memset(slot, 0x77, sizeof(slot));
			memset(used, 0, sizeof(used));
			for (k = 0; k < self->r.nr; k++) {
				a = &self->r.access[k];
				if (a->form == HW_SMALL && a->dir & HW_READ)
					memset(used + a->at, 0xff, a->len);
			}
			EXPECT_EQ(0, tr_slot_fill(&self->r, slot, &user));
			EXPECT_EQ(0, memcmp(slot, used, self->r.slot_bytes)) TH_LOG("%s", good_name(i));
			EXPECT_EQ(0x77, slot[self->r.slot_bytes]);
		}
	}
	READ("dh", 2);
	self->r.access[1].addr = 1;
	EXPECT_EQ(-EFAULT, tr_slot_fill(&self->r, slot, &user));
	self->r.access[1].addr = ~0ull;
	EXPECT_EQ(-EFAULT, tr_slot_fill(&self->r, slot, &user));
}

/* The AAD's place in a destination apart: hardware may leave it alone. */
TEST_F(twin, a_copy_of_a_destination_begins_with_the_aad)
{
	READ("gcm", 2);
	EXPECT_EQ(0, self->r.access[0].fill);
	EXPECT_EQ(HW_WRITE, self->r.access[1].dir);
	EXPECT_EQ(20, self->r.access[1].fill);
	READ("gcm in place", 2);
	EXPECT_EQ(HW_READ | HW_WRITE, self->r.access[0].dir);
	EXPECT_EQ(0, self->r.access[0].fill);
	READ("cbc and hmac-sha1", 3);
	EXPECT_EQ(16, self->r.access[1].fill);
	READ("aes-cbc", 3);
	EXPECT_EQ(0, self->r.access[1].fill);
}

/* Small data of different fields doesn't meet in a slot, and is aligned. */
TEST_F(twin, places_in_a_slot)
{
	u32 i, k, m, generation;
	const struct tr_access *a, *b;
	struct twin *t = &self->t;

	for (generation = 2; generation <= 3; generation++) {
		for (i = 0; i < good_nr(); i++) {
			if (!good_make(t, i, generation, 1, self->sqe))
				continue;
			ASSERT_EQ(0, tr_read(&self->r, &t->q, self->sqe));
			EXPECT_GE(t->q.engine == TR_HPRE ? TR_SLOT_HPRE : TR_SLOT_SEC, self->r.slot_bytes);
			for (k = 0; k < self->r.nr; k++) {
				a = &self->r.access[k];
				if (a->form != HW_SMALL)
					continue;
				EXPECT_EQ(0, a->at % TR_ALIGN);
				EXPECT_GE(self->r.slot_bytes, a->at + a->len);
				for (m = 0; m < k; m++) {
					b = &self->r.access[m];
					if (b->form == HW_SMALL)
						EXPECT_TRUE(a->at >= b->at + b->len || b->at >= a->at + a->len);
				}
			}
		}
	}
}

TEST_HARNESS_MAIN
