// SPDX-License-Identifier: Apache-2.0
/* Bare blocks of LZ4: liblz4 reads ours, we read its, and nothing that is no block gets through. */
#include <lz4.h>
#include <lz4hc.h>

#include "comp_test.h"
#include "kselftest_harness.h"

#define LEN	200000u
#define ROOM	(2 * LEN)

FIXTURE(block) {
	unsigned char *plain, *packed, *back;
	handle_t c, d;
};

FIXTURE_SETUP(block)
{
	self->plain = malloc(LEN);
	self->packed = malloc(ROOM);
	self->back = malloc(ROOM);
	fill_text(self->plain, LEN, 2);
	self->c = sess_flags(WD_LZ4, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, 1, 0, WD_COMP_SESS_BLOCK);
	self->d = sess_flags(WD_LZ4, WD_DIR_DECOMPRESS, WD_SYNC, WD_FLAT_BUF, 0, 0, WD_COMP_SESS_BLOCK);
	ASSERT_TRUE(self->c && self->d) TH_LOG("%s", detail(0));
}

FIXTURE_TEARDOWN(block)
{
	EXPECT_EQ(0, wd_comp_free_sess(self->c));
	EXPECT_EQ(0, wd_comp_free_sess(self->d));
	free(self->plain);
	free(self->packed);
	free(self->back);
}

/* The length of the result, or -errno. */
static long block_do(handle_t h, bool comp, const void *src, size_t n, void *dst, size_t room)
{
	struct wd_comp_arg arg = { .src = src, .src_len = n, .dst = dst, .dst_len = &room };
	int ret = comp ? wd_compress(h, &arg) : wd_decompress(h, &arg);

	return ret ? ret : arg.consumed == n ? (long)room : -ERANGE;
}

TEST_F(block, of_each_level_and_size_is_read_by_liblz4)
{
	static const size_t sizes[] = { 0, 1, 12, 13, 300, 65536, LEN };
	size_t i;
	int level;

	for (level = 1; level <= 22; level += 3) {
		handle_t h = sess_flags(WD_LZ4, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, level, 0, WD_COMP_SESS_BLOCK);

		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			long len = block_do(h, true, self->plain, sizes[i], self->packed, ROOM);

			ASSERT_LT(0, len) TH_LOG("%zu: %s", sizes[i], detail(h));
			ASSERT_EQ((long)sizes[i], LZ4_decompress_safe((char *)self->packed, (char *)self->back, len,
								      ROOM));
			EXPECT_EQ(0, memcmp(self->plain, self->back, sizes[i]));
			memset(self->back, 0, sizes[i]);
			ASSERT_EQ((long)sizes[i], block_do(self->d, false, self->packed, len, self->back, sizes[i]))
				TH_LOG("%zu: %s", sizes[i], detail(self->d));
			EXPECT_EQ(0, memcmp(self->plain, self->back, sizes[i]));
		}
		EXPECT_EQ(0, wd_comp_free_sess(h));
	}
}

TEST_F(block, of_liblz4_is_read)
{
	long len = LZ4_compress_HC((char *)self->plain, (char *)self->packed, LEN, ROOM, 9);

	ASSERT_EQ((long)LEN, block_do(self->d, false, self->packed, len, self->back, ROOM));
	EXPECT_EQ(0, memcmp(self->plain, self->back, LEN));
}

TEST_F(block, without_room_is_told_from_a_corrupt_one)
{
	long len = block_do(self->c, true, self->plain, 1000, self->packed, ROOM);

	EXPECT_EQ(-ENOSPC, block_do(self->c, true, self->plain, 1000, self->packed, len - 1));
	len = block_do(self->c, true, self->plain, 1000, self->packed, ROOM);
	EXPECT_EQ(-ENOSPC, block_do(self->d, false, self->packed, len, self->back, 999));
	EXPECT_EQ(-EBADMSG, block_do(self->d, false, self->packed, len - 1, self->back, ROOM));
	EXPECT_EQ(-EBADMSG, block_do(self->d, false, self->packed, 0, self->back, ROOM));
}

TEST_F(block, with_an_offset_that_names_no_data_is_corrupt)
{
	/* Four literals, a match of four bytes and eight literals; liblz4 takes the offset 0 where there is room. */
	unsigned char bad[] = { 0x40, 'a', 'b', 'c', 'd', 0, 0, 0x80, '1', '2', '3', '4', '5', '6', '7', '8' };

	EXPECT_LT(0, LZ4_decompress_safe((char *)bad, (char *)self->back, sizeof(bad), ROOM));
	EXPECT_EQ(-EBADMSG, block_do(self->d, false, bad, sizeof(bad), self->back, ROOM));
	bad[5] = 5;
	EXPECT_EQ(-EBADMSG, block_do(self->d, false, bad, sizeof(bad), self->back, ROOM));
	bad[5] = 4;
	EXPECT_EQ(16, block_do(self->d, false, bad, sizeof(bad), self->back, ROOM)) TH_LOG("%s", detail(self->d));
	EXPECT_EQ(0, memcmp(self->back, "abcdabcd12345678", 16));
}

TEST_F(block, of_noise_never_writes_beyond_its_room)
{
	unsigned int seed;

	for (seed = 0; seed < 20000; seed++) {
		size_t n = 1 + seed % 97, room = seed % 513;

		fill_noise(self->packed, n, seed);
		guard_set(self->back + room);
		block_do(self->d, false, self->packed, n, self->back, room);
		ASSERT_TRUE(guard_intact(self->back + room)) TH_LOG("seed %u", seed);
	}
}

TEST_F(block, has_no_streams)
{
	size_t n = 100, room = ROOM;
	struct wd_comp_strm strm = { .src = self->plain, .src_len = &n, .dst = self->packed, .dst_len = &room };

	EXPECT_EQ(-EINVAL, wd_strm_compress(self->c, &strm));
	EXPECT_TRUE(strstr(detail(self->c), "no streams")) TH_LOG("%s", detail(self->c));
	EXPECT_EQ(0, wd_comp_sess_caps(self->c) & WD_CAP_STREAM);
}

TEST_HARNESS_MAIN
