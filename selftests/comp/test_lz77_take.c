// SPDX-License-Identifier: Apache-2.0
/* Answers of a device that are wrong in one number: none is taken, whatever the number. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hw/zip_hw.h"
#include "kselftest_harness.h"
#include "lz77.h"

#define N	200
#define ROOM	(N / 3 + 2)
#define BIG	WD_LZ77_MAX

FIXTURE(take) {
	unsigned char src[N];
	__u64 raw[ROOM];
	struct wd_lz77_seq seq[ROOM];
	struct lz77_block b;
	struct lz77_answer a;
};

static __u64 entry(__u32 value, __u32 literals, __u32 match)
{
	return htole64(value | (__u64)literals << 32 | (__u64)(match - 3) << 48);
}

/* Ten bytes, twice more with other bytes between, then a run: offsets 15 (new), 15 (code), 1 (new) */
FIXTURE_SETUP(take)
{
	unsigned int i;

	for (i = 0; i < N; i++)
		self->src[i] = (unsigned char)(i * 37 + i / 7);
	memcpy(self->src + 15, self->src, 10);
	memcpy(self->src + 30, self->src + 15, 10);
	memset(self->src + 50, 'x', 100);
	self->raw[0] = entry(15 + 3, 15, 10);
	self->raw[1] = entry(1, 5, 10);
	self->raw[2] = entry(1 + 3, 11, 99);
	self->a = (struct lz77_answer){ .seqs = self->raw, .nr = 3, .literals = 15 + 5 + 11 + 50 };
	self->b = (struct lz77_block){
		.src = self->src, .len = N, .window = 4096, .seq = self->seq, .room = ROOM,
	};
}

FIXTURE_TEARDOWN(take)
{
}

TEST_F(take, a_right_answer)
{
	static const struct wd_lz77_seq want[] = {
		{ 15, 15, 10, 0 }, { 15, 5, 10, 0 }, { 1, 11, 99, 0 }, { 0, 50, 0, 0 },
	};

	ASSERT_EQ(4, lz77_take(&self->b, &self->a));
	EXPECT_EQ(0, memcmp(want, self->seq, sizeof(want)));
	self->b.room = 4;
	EXPECT_EQ(4, lz77_take(&self->b, &self->a));
	self->b.room = 3;
	EXPECT_EQ(-ENOSPC, lz77_take(&self->b, &self->a));
}

#define WRONG(...) do { \
	FIXTURE_DATA(take) was = *self; \
	__VA_ARGS__; \
	EXPECT_EQ(-EIO, lz77_take(&self->b, &self->a)) TH_LOG(#__VA_ARGS__); \
	*self = was; \
	self->a.seqs = self->raw; \
} while (0)

TEST_F(take, wrong_counts)
{
	WRONG(self->a.nr = 0);
	WRONG(self->a.nr = 2);
	WRONG(self->a.nr = 4);
	WRONG(self->a.nr = LZ77_SEQS(N) + 1);
	WRONG(self->a.nr = ~0u);
	WRONG(self->a.literals--);
	WRONG(self->a.literals++);
	WRONG(self->a.literals = N + 1);
	WRONG(self->a.literals = ~0u);
	WRONG(self->a.extra = 1u << 24);
	WRONG(self->a.extra = 2u << 24);
	WRONG(self->a.extra = 1u << 24 | 3);
	WRONG(self->a.extra = ~0u);
	ASSERT_EQ(4, lz77_take(&self->b, &self->a));
}

TEST_F(take, wrong_sequences)
{
	WRONG(self->raw[0] = entry(0, 15, 10));
	WRONG(self->raw[0] = entry(16 + 3, 15, 10));
	WRONG(self->raw[0] = entry(14 + 3, 15, 10));
	WRONG(self->raw[0] = entry(~0u, 15, 10));
	WRONG(self->raw[0] = entry(15 + 3, 14, 10));
	WRONG(self->raw[0] = entry(15 + 3, 65535, 10));
	WRONG(self->raw[0] = entry(15 + 3, 15, 11));
	WRONG(self->raw[0] = entry(15 + 3, 15, 65538));
	WRONG(self->raw[1] = entry(2, 5, 10));
	WRONG(self->raw[1] = entry(3, 5, 10));
	WRONG(self->raw[2] = entry(1 + 3, 11, 101));
	WRONG(self->raw[2] = entry(1 + 3, 162, 99));
	/* 15 is beyond a window of 14 bytes, although the data is there. */
	WRONG(self->b.window = 14);
	/* Without literals 3 is the last offset less 1: behind 1 there is none. */
	WRONG(self->raw[3] = entry(3, 0, 3); self->a.nr = 4; self->a.literals -= 3);
	ASSERT_EQ(4, lz77_take(&self->b, &self->a));
}

/* Each bit of each sequence: the answer is refused, or says the same in another way. */
TEST_F(take, each_bit)
{
	unsigned int i, bit, refused = 0;
	FIXTURE_DATA(take) was = *self;
	ssize_t nr;

	for (i = 0; i < 3; i++)
		for (bit = 0; bit < 64; bit++) {
			self->raw[i] ^= 1ull << bit;
			nr = lz77_take(&self->b, &self->a);
			ASSERT_TRUE(nr == -EIO || nr == 4) TH_LOG("bit %u of sequence %u", bit, i);
			refused += nr < 0;
			self->raw[i] = was.raw[i];
		}
	EXPECT_LT(185, refused);
}

/* The 65536 literals that a field can't say belong to one sequence, and the codes behind it are resolved with them. */
TEST_F(take, long_literals)
{
	unsigned char *src = malloc(BIG);
	struct wd_lz77_seq seq[4];
	struct lz77_block b = { .src = src, .len = BIG, .window = 32768, .seq = seq, .room = 4 };
	struct lz77_answer a = { .seqs = self->raw, .nr = 2, .extra = 1u << 24, .literals = BIG - 1000 };
	unsigned int i;

	srand(1);
	for (i = 0; i < BIG; i++)
		src[i] = (unsigned char)rand();
	memcpy(src + 65536, src + 65536 - 1000, 500);
	memcpy(src + 65536 + 500, src + 65536, 500);
	self->raw[0] = entry(1000 + 3, 0, 500);
	/* Behind it without literals 2 is the second last but one: 4 at first. */
	self->raw[1] = entry(500 + 3, 0, 500);
	ASSERT_EQ(3, lz77_take(&b, &a));
	EXPECT_EQ(65536, seq[0].literals);
	EXPECT_EQ(0, seq[1].literals);
	EXPECT_EQ(BIG - 65536 - 1000, seq[2].literals);
	a.extra = 0;
	EXPECT_EQ(-EIO, lz77_take(&b, &a));
	a.extra = 1u << 24 | 1;
	EXPECT_EQ(-EIO, lz77_take(&b, &a));
	free(src);
}

TEST_HARNESS_MAIN
