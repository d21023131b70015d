// SPDX-License-Identifier: Apache-2.0
/* Blocks of LZ4 from devices, judged by liblz4; and blocks that are wrong in one bit. */
#include <lz4.h>

#include "comp_test.h"
#include "emulated.h"
#include "kselftest_harness.h"
#include "lz4_check.h"

#define LEN	(300 * KIB)
#define ROOM	(LEN + LEN / 255 + 16)
#define SMALL	400u

FIXTURE(block) {
	unsigned char *plain, *packed, *back;
	size_t len;
	int path;
	struct wd_comp_arg arg;
	handle_t h;
};

FIXTURE_SETUP(block)
{
	self->plain = malloc(LEN);
	self->packed = malloc(ROOM);
	self->back = malloc(LEN);
	self->path = expected_path("lz4");
	self->h = sess_flags(WD_LZ4, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, 1, WD_COMP_WS_32K, WD_COMP_SESS_BLOCK);
	ASSERT_NE(0, self->h) TH_LOG("%s", detail(0));
	setenv("WD_REST", "0", 1);
}

FIXTURE_TEARDOWN(block)
{
	EXPECT_EQ(0, wd_comp_free_sess(self->h));
	free(self->plain);
	free(self->packed);
	free(self->back);
}

static int ask(FIXTURE_DATA(block) *self, size_t n, size_t room)
{
	self->len = room;
	self->arg = (struct wd_comp_arg){
		.src = self->plain, .src_len = n, .dst = self->packed, .dst_len = &self->len,
	};
	return wd_compress(self->h, &self->arg);
}

static bool is_right(FIXTURE_DATA(block) *self, size_t n)
{
	return LZ4_decompress_safe((char *)self->packed, (char *)self->back, (int)self->len, (int)n) == (int)n &&
	       !memcmp(self->back, self->plain, n) && lz4_is_block_of(self->packed, self->len, self->plain, n);
}

TEST_F(block, of_a_device)
{
	static const size_t lens[] = { 1, 5, 12, 13, 14, 100, 4096, 65535, 65537, LEN };
	unsigned int i, kind;

	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
		for (kind = 0; kind < 3; kind++) {
			if (kind == 0)
				fill_text(self->plain, lens[i], i);
			else if (kind == 1)
				fill_noise(self->plain, lens[i], i);
			else
				memset(self->plain, 'a', lens[i]);
			ASSERT_EQ(0, ask(self, lens[i], ROOM)) TH_LOG("%s", detail(self->h));
			ASSERT_EQ(self->path, self->arg.path);
			ASSERT_EQ(lens[i], self->arg.consumed);
			ASSERT_TRUE(is_right(self, lens[i])) TH_LOG("%zu bytes of kind %u", lens[i], kind);
		}
}

TEST_F(block, without_room)
{
	size_t need;

	fill_text(self->plain, 50000, 1);
	ASSERT_EQ(0, ask(self, 50000, ROOM));
	need = self->len;
	EXPECT_EQ(-ENOSPC, ask(self, 50000, need / 2));
	EXPECT_EQ(0, self->len);
}

/* More than a descriptor takes is software's. */
TEST_F(block, of_nine_mib)
{
	size_t n = 9 * MIB;

	self->plain = realloc(self->plain, n);
	self->packed = realloc(self->packed, n);
	self->back = realloc(self->back, n);
	fill_text(self->plain, n, 1);
	ASSERT_EQ(0, ask(self, n, n)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(WD_PATH_SOFT, self->arg.path);
	EXPECT_TRUE(is_right(self, n));
}

TEST_F(block, a_wrong_one_is_made_again)
{
	unsigned int i, soft = 0;

	if (!emulated() || self->path == WD_PATH_SOFT)
		SKIP(return, "needs an emulated device that does lz4");
	fill_text(self->plain, 60000, 1);
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "fault corrupt=1/2"));
	for (i = 0; i < 40; i++) {
		ASSERT_EQ(0, ask(self, 60000, ROOM)) TH_LOG("%s", detail(self->h));
		ASSERT_TRUE(is_right(self, 60000));
		soft += self->arg.path == WD_PATH_SOFT;
		ASSERT_EQ(self->arg.path == WD_PATH_SOFT ? WD_REASON_WRONG : WD_REASON_BEST, self->arg.path_reason);
	}
	EXPECT_EQ(0, emulated_control(EMULATED_DEVICE, "fault corrupt=0"));
	EXPECT_LT(5, soft);
	EXPECT_GT(35, soft);
}

/* What the check takes, liblz4 decodes to the data. */
TEST_F(block, each_bit)
{
	unsigned int bit, taken = 0;
	int n;

	fill_text(self->plain, SMALL, 1);
	n = LZ4_compress_default((char *)self->plain, (char *)self->packed, SMALL, ROOM);
	ASSERT_TRUE(lz4_is_block_of(self->packed, n, self->plain, SMALL));
	for (bit = 0; bit < n * 8u; bit++) {
		self->packed[bit / 8] ^= 1 << bit % 8;
		self->len = n;
		if (lz4_is_block_of(self->packed, n, self->plain, SMALL)) {
			taken++;
			ASSERT_TRUE(is_right(self, SMALL)) TH_LOG("bit %u", bit);
		}
		self->packed[bit / 8] ^= 1 << bit % 8;
	}
	/* Another offset may have the same data. */
	EXPECT_GT(n, taken);
	EXPECT_FALSE(lz4_is_block_of(self->packed, n - 1, self->plain, SMALL));
	EXPECT_FALSE(lz4_is_block_of(self->packed, n, self->plain, SMALL - 1));
	EXPECT_FALSE(lz4_is_block_of(self->packed, 0, self->plain, SMALL));
}

TEST_HARNESS_MAIN
