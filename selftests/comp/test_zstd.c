// SPDX-License-Identifier: Apache-2.0
/* Frames of zstd whose matches devices find: libzstd reads them, path and reason are right, faults change nothing. */
#include "emulated.h"
#include "frames_test.h"

#define LEN	(1100u * KIB)
#define ROOM	(2 * LEN)

FIXTURE(device) {
	unsigned char *plain, *packed, *back;
	handle_t c;
	__u16 path, reason;
};

FIXTURE_SETUP(device)
{
	self->plain = malloc(LEN);
	self->packed = malloc(ROOM);
	self->back = malloc(ROOM);
	ASSERT_TRUE(self->plain && self->packed && self->back);
	fill_mix(self->plain, LEN, 5);
	ASSERT_TRUE(!emulated() || !emulated_control(EMULATED_DEVICE, "fault corrupt=0"));
	ASSERT_EQ(0, setenv("WD_REST", "0", 1));
	self->c = sess_flags(WD_ZSTD, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, 3, WD_COMP_WS_32K,
			     WD_COMP_SESS_CHECKSUM);
	ASSERT_TRUE(self->c) TH_LOG("%s", detail(0));
}

FIXTURE_TEARDOWN(device)
{
	EXPECT_TRUE(!emulated() || !emulated_control(EMULATED_DEVICE, "fault corrupt=0"));
	EXPECT_EQ(0, wd_comp_free_sess(self->c));
	free(self->plain);
	free(self->packed);
	free(self->back);
}

/* Whether src comes back from a frame; notes path and reason. */
static bool survives(FIXTURE_DATA(device) *self, handle_t h, const unsigned char *src, size_t n)
{
	size_t room = ROOM;
	struct wd_comp_arg arg = { .src = src, .src_len = n, .dst = self->packed, .dst_len = &room };

	if (wd_compress(h, &arg) || arg.consumed != n)
		return false;
	self->path = arg.path;
	self->reason = arg.path_reason;
	return zstd_read(self->packed, room, self->back, ROOM) == (long)n && !memcmp(src, self->back, n);
}

TEST_F(device, finds_the_matches_of_frames_of_all_sizes)
{
	static const size_t sizes[] = { 10, 100, 1000, 65535, 65536, 131071, 131072, 131073, 262144, LEN };
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		ASSERT_TRUE(survives(self, self->c, self->plain, sizes[i])) TH_LOG("%zu: %s", sizes[i],
										   detail(self->c));
		EXPECT_EQ(WD_PATH_SIM, self->path) TH_LOG("%zu", sizes[i]);
		EXPECT_EQ(WD_REASON_BEST, self->reason) TH_LOG("%zu", sizes[i]);
	}
	EXPECT_EQ(WD_CAP_SIM, wd_comp_sess_caps(self->c) & (WD_CAP_HW | WD_CAP_SIM));
}

TEST_F(device, serves_each_kind_of_data)
{
	size_t n = 300000;

	memset(self->plain, 'x', n);
	EXPECT_TRUE(survives(self, self->c, self->plain, n)) TH_LOG("%s", detail(self->c));
	fill_noise(self->plain, n, 3);
	EXPECT_TRUE(survives(self, self->c, self->plain, n)) TH_LOG("%s", detail(self->c));
	/* Literals of more than 65,535 bytes in front of a match of more than 32 KiB. */
	memset(self->plain + 70000, 7, 50000);
	EXPECT_TRUE(survives(self, self->c, self->plain, n)) TH_LOG("%s", detail(self->c));
	fill_text(self->plain, n, 3);
	EXPECT_TRUE(survives(self, self->c, self->plain, n)) TH_LOG("%s", detail(self->c));
}

TEST_F(device, serves_windows_and_levels)
{
	static const int windows[] = { WD_COMP_WS_4K, WD_COMP_WS_16K, WD_COMP_WS_LOG(12), WD_COMP_WS_LOG(15) };
	size_t i;
	int level;

	for (level = 1; level <= 9; level += 4)
		for (i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
			handle_t h = sess_flags(WD_ZSTD, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, level, windows[i], 0);

			ASSERT_TRUE(survives(self, h, self->plain, 400000)) TH_LOG("%s", detail(h));
			EXPECT_EQ(WD_PATH_SIM, self->path) TH_LOG("level %d, window %zu", level, i);
			EXPECT_EQ(0, wd_comp_free_sess(h));
		}
}

TEST_F(device, is_left_alone_by_high_levels_and_large_windows)
{
	handle_t h = sess_flags(WD_ZSTD, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, 12, WD_COMP_WS_32K, 0);

	ASSERT_TRUE(survives(self, h, self->plain, 200000));
	EXPECT_EQ(WD_PATH_SOFT, self->path);
	EXPECT_EQ(WD_REASON_UNSUPPORTED, self->reason);
	EXPECT_EQ(0, wd_comp_free_sess(h));
	h = sess_flags(WD_ZSTD, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, 3, WD_COMP_WS_LOG(20), 0);
	ASSERT_TRUE(survives(self, h, self->plain, 200000));
	EXPECT_EQ(WD_PATH_SOFT, self->path);
	EXPECT_EQ(0, wd_comp_free_sess(h));
	/* A session for devices only has them at each level. */
	h = sess_flags(WD_ZSTD, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, 19, WD_COMP_WS_32K, WD_SESS_PATH_HW);
	ASSERT_TRUE(survives(self, h, self->plain, 200000)) TH_LOG("%s", detail(h));
	EXPECT_EQ(WD_PATH_SIM, self->path);
	EXPECT_EQ(0, wd_comp_free_sess(h));
}

TEST_F(device, is_not_asked_by_sessions_of_software_whose_bytes_are_libzstds)
{
	handle_t h = sess_flags(WD_ZSTD, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, 3, WD_COMP_WS_32K, WD_SESS_PATH_SOFT);
	long n;

	ASSERT_TRUE(survives(self, h, self->plain, LEN));
	EXPECT_EQ(WD_PATH_SOFT, self->path);
	EXPECT_EQ(WD_REASON_POLICY, self->reason);
	n = frame_do(h, true, self->plain, LEN, self->packed, ROOM, NULL);
	EXPECT_EQ(n, zstd_make(self->plain, LEN, self->back, ROOM, 3, false));
	EXPECT_EQ(0, memcmp(self->packed, self->back, n));
	EXPECT_EQ(0, wd_comp_free_sess(h));
}

TEST_F(device, serves_streams)
{
	size_t at = 0, out = 0;
	int ret;

	do {
		size_t in = LEN - at < 50000 ? LEN - at : 50000, room = 3000;
		struct wd_comp_strm strm = {
			.src = self->plain + at, .src_len = &in, .dst = self->packed + out, .dst_len = &room,
			.last = at + in == LEN, .flags = at % 3 ? 0 : WD_COMP_FLUSH_SYNC,
		};

		ret = wd_strm_compress(self->c, &strm);
		ASSERT_LE(0, ret) TH_LOG("%s", detail(self->c));
		at += in;
		out += room;
		self->path = strm.path;
	} while (!ret);
	EXPECT_EQ(WD_PATH_SIM, self->path);
	ASSERT_EQ((long)LEN, zstd_read(self->packed, out, self->back, ROOM));
	EXPECT_EQ(0, memcmp(self->plain, self->back, LEN));
}

static void count(struct wd_comp_arg *arg, void *param)
{
	if (!arg->status)
		__atomic_add_fetch((int *)param, 1, __ATOMIC_RELEASE);
}

TEST_F(device, serves_asynchronous_requests)
{
	handle_t h = sess_flags(WD_ZSTD, WD_DIR_COMPRESS, WD_ASYNC, WD_FLAT_BUF, 3, WD_COMP_WS_32K, 0);
	int done = 0, i;
	size_t room = ROOM;
	struct wd_comp_arg arg = {
		.src = self->plain, .src_len = LEN, .dst = self->packed, .dst_len = &room, .cb = count,
		.cb_param = &done,
	};

	ASSERT_EQ(0, wd_comp_async(h, &arg, NULL)) TH_LOG("%s", detail(h));
	for (i = 0; i < 60000 && !__atomic_load_n(&done, __ATOMIC_ACQUIRE); i++)
		wd_comp_poll_wait(1, 10, NULL);
	ASSERT_EQ(1, done);
	EXPECT_EQ(WD_PATH_SIM, arg.path);
	ASSERT_EQ((long)LEN, zstd_read(self->packed, room, self->back, ROOM));
	EXPECT_EQ(0, memcmp(self->plain, self->back, LEN));
	EXPECT_EQ(0, wd_comp_free_sess(h));
}

/* A frame of flushed pieces of that many bytes. Its length, or -errno. */
static long in_pieces(FIXTURE_DATA(device) *self, const unsigned char *src, size_t n, size_t piece)
{
	size_t at = 0, out = 0;
	int ret;

	do {
		size_t in = n - at < piece ? n - at : piece, room = ROOM - out;
		struct wd_comp_strm strm = {
			.src = src + at, .src_len = &in, .dst = self->packed + out, .dst_len = &room,
			.last = at + in == n, .flags = WD_COMP_FLUSH_SYNC,
		};

		ret = wd_strm_compress(self->c, &strm);
		if (ret < 0)
			return ret;
		at += in;
		out += room;
	} while (!ret);
	return (long)out;
}

/* libzstd's search keeps another history of offsets than its coder of a device's sequences: some data shows it. */
TEST_F(device, that_does_some_blocks_of_a_frame_only_changes_no_byte_of_the_data)
{
	size_t n = 12000, i;
	long len;

	if (!emulated())
		SKIP(return, "there are no faults to order");
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "fault fail=1/3:4"));
	for (i = 0; i < 400; i++) {
		fill_text(self->plain, n, (unsigned int)i);
		fill_noise(self->plain + i * 16, 2000, (unsigned int)i);
		memset(self->plain + 4000 + i * 2, 0, 600);
		len = in_pieces(self, self->plain, n, 900 + i);
		ASSERT_LT(0, len) TH_LOG("%s", detail(self->c));
		ASSERT_EQ((long)n, zstd_read(self->packed, len, self->back, ROOM)) TH_LOG("frame %zu", i);
		ASSERT_EQ(0, memcmp(self->plain, self->back, n));
	}
	EXPECT_EQ(0, emulated_control(EMULATED_DEVICE, "fault fail=0"));
}

TEST_F(device, that_answers_wrongly_changes_no_byte_of_the_data)
{
	static const char *const rules[] = { "1", "2", "3" };
	unsigned int i, wrong = 0;
	char text[40];

	if (!emulated())
		SKIP(return, "there are no faults to order");
	for (i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), "fault corrupt=%s", rules[i]);
		ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, text));
		ASSERT_TRUE(survives(self, self->c, self->plain, LEN)) TH_LOG("%s", detail(self->c));
		wrong += self->reason == WD_REASON_WRONG;
	}
	EXPECT_LT(0u, wrong);
}

TEST_HARNESS_MAIN
