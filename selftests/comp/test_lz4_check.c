// SPDX-License-Identifier: Apache-2.0
/* Blocks of LZ4 from devices, and frames of such blocks, judged by liblz4; and blocks that are wrong in one bit. */
#include <lz4.h>

#include "emulated.h"
#include "frames_test.h"
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

static handle_t frames_of(int level, int win, unsigned int flags)
{
	return sess_flags(WD_LZ4, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, level, win, flags);
}

/* Whether liblz4 reads what the last call made. */
static bool is_frame(FIXTURE_DATA(block) *self, size_t n)
{
	return lz4_read(self->packed, self->len, self->back, LEN) == (long)n && !memcmp(self->back, self->plain, n);
}

static int frame_ask(FIXTURE_DATA(block) *self, handle_t h, size_t n, size_t room)
{
	self->len = room;
	self->arg = (struct wd_comp_arg){
		.src = self->plain, .src_len = n, .dst = self->packed, .dst_len = &self->len,
	};
	return wd_compress(h, &self->arg);
}

TEST_F(block, makes_frames_of_each_size_and_kind)
{
	static const size_t lens[] = { 1, 2, 13, 15, 16, 17, 300, 65535, 65536, 65537, 200000, LEN };
	static const int wins[] = { WD_COMP_WS_LOG(16), WD_COMP_WS_32K };
	size_t i, kind, need;

	for (kind = 0; kind < 6; kind++) {
		handle_t h = frames_of(1 + kind % 2, wins[kind % 2], kind < 3 ? WD_COMP_SESS_CHECKSUM : 0);

		ASSERT_TRUE(h) TH_LOG("%s", detail(0));
		for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
			fill_text(self->plain, lens[i], i);
			if (kind % 3)
				fill_noise(self->plain, lens[i] / (kind % 3), i);
			ASSERT_EQ(0, frame_ask(self, h, lens[i], ROOM)) TH_LOG("%s", detail(h));
			ASSERT_EQ(lens[i], self->arg.consumed);
			ASSERT_TRUE(is_frame(self, lens[i])) TH_LOG("%zu bytes of kind %zu", lens[i], kind);
			if (lens[i] > 1)
				ASSERT_EQ(self->path, self->arg.path) TH_LOG("%zu bytes of kind %zu", lens[i], kind);
			need = self->len;
			ASSERT_EQ(0, frame_ask(self, h, lens[i], need)) TH_LOG("%s", detail(h));
			ASSERT_TRUE(is_frame(self, lens[i]));
			ASSERT_EQ(-ENOSPC, frame_ask(self, h, lens[i], need - 1));
		}
		EXPECT_EQ(0, wd_comp_free_sess(h));
	}
}

TEST_F(block, makes_frames_of_streams)
{
	handle_t h = frames_of(1, WD_COMP_WS_LOG(16), WD_COMP_SESS_CHECKSUM);
	size_t in, room, at, out;
	unsigned int i;
	int ret;

	fill_text(self->plain, LEN, 1);
	fill_noise(self->plain + 100000, 80000, 1);
	for (i = 0; i < 6; i++) {
		at = out = 0;
		do {
			size_t piece = i < 2 ? 65536u : 1000u + i * 9999u;
			struct wd_comp_strm strm = {
				.src = self->plain + at, .src_len = &in, .dst = self->packed + out, .dst_len = &room,
				.flags = i % 2 ? WD_COMP_FLUSH_SYNC : 0,
			};

			in = LEN - at < piece ? LEN - at : piece;
			room = ROOM - out < 7000u * (i + 1) ? ROOM - out : 7000u * (i + 1);
			strm.last = at + in == LEN;
			ret = wd_strm_compress(h, &strm);
			ASSERT_LE(0, ret) TH_LOG("%u: %s", i, detail(h));
			at += in;
			out += room;
			self->arg.path = strm.path;
		} while (!ret);
		self->len = out;
		ASSERT_TRUE(is_frame(self, LEN)) TH_LOG("cut %u", i);
		EXPECT_EQ(self->path, self->arg.path);
	}
	EXPECT_EQ(0, wd_comp_free_sess(h));
}

TEST_F(block, a_wrong_one_of_a_frame_is_made_again)
{
	handle_t h = frames_of(1, WD_COMP_WS_LOG(16), WD_COMP_SESS_CHECKSUM);
	unsigned int i, wrong = 0;

	if (!emulated() || self->path == WD_PATH_SOFT)
		SKIP(return, "needs an emulated device that does lz4");
	fill_text(self->plain, LEN, 1);
	/* The session may have the other device. */
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "fault corrupt=1/4,fail=1/5:4"));
	emulated_control("hisi_zip-1", "fault corrupt=1/4,fail=1/5:4");
	for (i = 0; i < 30; i++) {
		ASSERT_EQ(0, frame_ask(self, h, LEN, ROOM)) TH_LOG("%s", detail(h));
		ASSERT_TRUE(is_frame(self, LEN));
		wrong += self->arg.path_reason == WD_REASON_WRONG;
	}
	EXPECT_EQ(0, emulated_control(EMULATED_DEVICE, "fault corrupt=0,fail=0"));
	emulated_control("hisi_zip-1", "fault corrupt=0,fail=0");
	EXPECT_LT(0, wrong);
	EXPECT_EQ(0, wd_comp_free_sess(h));
}

/* Without a device, and at levels that ask for liblz4's slow search, each byte is liblz4's. */
TEST_F(block, has_no_part_in_frames_of_software)
{
	static const struct { int level; unsigned int flags; } rows[] = { { 1, WD_SESS_PATH_SOFT }, { 9, 0 } };
	size_t i, n = 200000;
	handle_t h;

	fill_text(self->plain, n, 1);
	for (i = 0; i < 2; i++) {
		LZ4F_preferences_t prefs = {
			.frameInfo = {
				.blockSizeID = LZ4F_max4MB, .blockMode = LZ4F_blockIndependent, .contentSize = n,
			},
			.compressionLevel = rows[i].level == 1 ? 0 : rows[i].level,
		};

		h = frames_of(rows[i].level, WD_COMP_WS_32K, rows[i].flags);
		ASSERT_EQ(0, frame_ask(self, h, n, ROOM)) TH_LOG("%s", detail(h));
		EXPECT_EQ(WD_PATH_SOFT, self->arg.path);
		ASSERT_EQ(self->len, LZ4F_compressFrame(self->back, LEN, self->plain, n, &prefs));
		EXPECT_EQ(0, memcmp(self->packed, self->back, self->len));
		EXPECT_EQ(0, wd_comp_free_sess(h));
	}
	if (self->path == WD_PATH_SOFT)
		return;
	h = frames_of(9, WD_COMP_WS_32K, WD_SESS_PATH_HW);
	ASSERT_EQ(0, frame_ask(self, h, n, ROOM)) TH_LOG("%s", detail(h));
	EXPECT_EQ(self->path, self->arg.path);
	EXPECT_TRUE(is_frame(self, n));
	EXPECT_EQ(0, wd_comp_free_sess(h));
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
