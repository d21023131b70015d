// SPDX-License-Identifier: Apache-2.0
/* Frames of zstd and LZ4: their libraries read ours, and we read theirs; what is refused; every way to call. */
#include <wd_cq.h>

#include "frames_test.h"
#include "harness_long.h"
#include "wait_ms.h"

#define LEN	300000u
#define ROOM	(2 * LEN)

FIXTURE(frames) {
	unsigned char *plain, *packed, *back;
	handle_t c, d;
};

FIXTURE_VARIANT(frames) {
	int alg;
	bool sum;
};

FIXTURE_VARIANT_ADD(frames, zstd) { .alg = WD_ZSTD };
FIXTURE_VARIANT_ADD(frames, zstd_sum) { .alg = WD_ZSTD, .sum = true };
FIXTURE_VARIANT_ADD(frames, lz4) { .alg = WD_LZ4 };
FIXTURE_VARIANT_ADD(frames, lz4_sum) { .alg = WD_LZ4, .sum = true };

static handle_t sess_of(const FIXTURE_VARIANT(frames) *v, int dir, int op, int fmt, int level, int win)
{
	return sess_flags(v->alg, dir, op, fmt, level, win, v->sum ? WD_COMP_SESS_CHECKSUM : 0);
}

FIXTURE_SETUP(frames)
{
	self->plain = malloc(LEN);
	self->packed = malloc(ROOM);
	self->back = malloc(ROOM);
	ASSERT_TRUE(self->plain && self->packed && self->back);
	fill_mix(self->plain, LEN, 5);
	self->c = sess_of(variant, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, 3, WD_COMP_WS_32K);
	self->d = sess_of(variant, WD_DIR_DECOMPRESS, WD_SYNC, WD_FLAT_BUF, 0, WD_COMP_WS_32K);
	ASSERT_TRUE(self->c && self->d) TH_LOG("%s", detail(0));
}

FIXTURE_TEARDOWN(frames)
{
	EXPECT_EQ(0, wd_comp_free_sess(self->c));
	EXPECT_EQ(0, wd_comp_free_sess(self->d));
	free(self->plain);
	free(self->packed);
	free(self->back);
}

TEST_F_TIMEOUT(frames, of_each_level_are_read_by_the_formats_library, 200)
{
	size_t n = 70000;
	int level;

	for (level = 1; level <= 22; level++) {
		handle_t h = sess_of(variant, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, level, WD_COMP_WS_32K);
		long len = frame_do(h, true, self->plain, n, self->packed, ROOM, NULL);

		ASSERT_LT(0, len) TH_LOG("level %d: %s", level, detail(h));
		EXPECT_EQ((long)n, frame_read(variant->alg, self->packed, len, self->back, ROOM));
		EXPECT_EQ(0, memcmp(self->plain, self->back, n)) TH_LOG("level %d", level);
		EXPECT_EQ(0, wd_comp_free_sess(h));
	}
}

TEST_F(frames, of_each_size_hold_it_and_come_back)
{
	static const size_t sizes[] = { 0, 1, 5, 12, 13, 64, 1000, 65535, 65536, 65537, 131072, 131073, LEN };
	size_t i, used;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		long len = frame_do(self->c, true, self->plain, sizes[i], self->packed, ROOM, &used);

		ASSERT_LT(0, len) TH_LOG("%zu: %s", sizes[i], detail(self->c));
		EXPECT_EQ(sizes[i], used);
		ASSERT_GE((long)wd_comp_bound(self->c, sizes[i]), len);
		if (variant->alg == WD_ZSTD)
			EXPECT_EQ(sizes[i], ZSTD_getFrameContentSize(self->packed, len));
		ASSERT_EQ((long)sizes[i], frame_read(variant->alg, self->packed, len, self->back, ROOM));
		ASSERT_EQ((long)sizes[i], frame_do(self->d, false, self->packed, len, self->back, ROOM, &used))
			TH_LOG("%zu: %s", sizes[i], detail(self->d));
		EXPECT_EQ((size_t)len, used);
		EXPECT_EQ(0, memcmp(self->plain, self->back, sizes[i]));
	}
}

TEST_F(frames, need_no_byte_of_room_more_than_they_have)
{
	static const size_t sizes[] = { 0, 1000, 100000 };
	size_t i, used;

	for (i = 0; i < 3; i++) {
		long len = frame_do(self->c, true, self->plain, sizes[i], self->packed, ROOM, NULL);

		guard_set(self->packed + len);
		EXPECT_EQ(len, frame_do(self->c, true, self->plain, sizes[i], self->packed, len, NULL));
		EXPECT_EQ(-ENOSPC, frame_do(self->c, true, self->plain, sizes[i], self->packed, len - 1, NULL));
		EXPECT_TRUE(guard_intact(self->packed + len));
		EXPECT_EQ(len, frame_do(self->c, true, self->plain, sizes[i], self->packed, len, NULL));
		guard_set(self->back + sizes[i]);
		EXPECT_EQ((long)sizes[i], frame_do(self->d, false, self->packed, len, self->back, sizes[i], &used));
		if (sizes[i])
			EXPECT_EQ(-ENOSPC, frame_do(self->d, false, self->packed, len, self->back, sizes[i] - 1,
						    NULL));
		EXPECT_TRUE(guard_intact(self->back + sizes[i]));
	}
}

/* A frame that is skipped, of 8 + n bytes. */
static size_t put_skippable(unsigned char *p, unsigned char kind, size_t n)
{
	const unsigned char head[8] = { 0x50 + kind, 0x2a, 0x4d, 0x18, (unsigned char)n, (unsigned char)(n >> 8) };

	memcpy(p, head, sizeof(head));
	memset(p + sizeof(head), 0xaa, n);
	return sizeof(head) + n;
}

TEST_F(frames, that_follow_each_other_are_taken_one_by_one)
{
	size_t at = 0, used, first, n = 1000;

	at += put_skippable(self->packed, 3, 4);
	at += put_skippable(self->packed + at, 15, 700);
	at += frame_make(variant->alg, self->plain, n, self->packed + at, ROOM - at, 1, variant->sum);
	first = at;
	at += frame_make(variant->alg, self->plain + n, n, self->packed + at, ROOM - at, 5, variant->sum);
	at += put_skippable(self->packed + at, 0, 0);
	ASSERT_EQ((long)n, frame_do(self->d, false, self->packed, at, self->back, ROOM, &used))
		TH_LOG("%s", detail(self->d));
	EXPECT_EQ(first, used);
	EXPECT_EQ(0, memcmp(self->plain, self->back, n));
	ASSERT_EQ((long)n, frame_do(self->d, false, self->packed + first, at - first, self->back, ROOM, &used));
	EXPECT_EQ(0, memcmp(self->plain + n, self->back, n));
	first += used;
	EXPECT_EQ(0, frame_do(self->d, false, self->packed + first, at - first, self->back, ROOM, &used))
		TH_LOG("%s", detail(self->d));
	EXPECT_EQ(at, first + used);
}

static long strm_all(handle_t h, bool comp, const unsigned char *src, size_t n, unsigned char *dst, size_t room,
		     size_t in_most, size_t out_most, unsigned int flags, size_t *used)
{
	size_t at = 0, out = 0;
	unsigned int idle = 0;
	int ret;

	do {
		size_t in = n - at < in_most ? n - at : in_most, space = room - out < out_most ? room - out : out_most;
		struct wd_comp_strm strm = {
			.src = src + at, .src_len = &in, .dst = dst + out, .dst_len = &space, .last = at + in == n,
			.flags = flags,
		};

		ret = comp ? wd_strm_compress(h, &strm) : wd_strm_decompress(h, &strm);
		if (ret < 0)
			return ret;
		idle = in || space ? 0 : idle + 1;
		if (idle > 3)
			return -ELOOP;
		at += in;
		out += space;
	} while (!ret);
	*used = at;
	return (long)out;
}

TEST_F(frames, of_streams_may_be_cut_anywhere)
{
	static const struct {
		size_t n, in, out;
		unsigned int flags;
	} cuts[] = {
		{ 0, 1, 100, 0 }, { 600, 1, 1, 0 }, { 600, 3, 7, 0 }, { 600, 1, 4096, WD_COMP_FLUSH_SYNC },
		{ 100000, 1000, 100, 0 }, { 100000, 100000, 77, 0 }, { LEN, 4096, 65536, WD_COMP_FLUSH_SYNC },
		{ LEN, LEN, ROOM, 0 }, { LEN, 70000, ROOM, 0 },
	};
	size_t i, used;

	for (i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
		long len = strm_all(self->c, true, self->plain, cuts[i].n, self->packed, ROOM, cuts[i].in,
				    cuts[i].out, cuts[i].flags, &used);

		ASSERT_LT(0, len) TH_LOG("cut %zu: %ld %s", i, len, detail(self->c));
		ASSERT_EQ((long)cuts[i].n, frame_read(variant->alg, self->packed, len, self->back, ROOM));
		EXPECT_EQ(0, memcmp(self->plain, self->back, cuts[i].n));
		memset(self->back, 0, cuts[i].n);
		memset(self->packed + len, 0x55, 100);
		ASSERT_EQ((long)cuts[i].n, strm_all(self->d, false, self->packed, len + 100, self->back, ROOM,
						    cuts[i].in, cuts[i].out, 0, &used))
			TH_LOG("cut %zu: %s", i, detail(self->d));
		EXPECT_EQ((size_t)len, used);
		EXPECT_EQ(0, memcmp(self->plain, self->back, cuts[i].n));
	}
}

TEST_F(frames, that_are_flushed_can_be_read_so_far)
{
	size_t n = 1000, room = ROOM, used, out = 0;
	struct wd_comp_strm strm = {
		.src = self->plain, .src_len = &n, .dst = self->packed, .dst_len = &room, .flags = WD_COMP_FLUSH_SYNC,
	};

	ASSERT_EQ(0, wd_strm_compress(self->c, &strm));
	EXPECT_EQ(1000, n);
	strm = (struct wd_comp_strm){ .src = self->packed, .src_len = &room, .dst = self->back, .dst_len = &out };
	out = ROOM;
	ASSERT_EQ(0, wd_strm_decompress(self->d, &strm));
	EXPECT_EQ(1000, out);
	EXPECT_EQ(0, memcmp(self->plain, self->back, 1000));
	EXPECT_EQ(0, wd_comp_reset_sess(self->c));
	EXPECT_EQ(0, wd_comp_reset_sess(self->d));
	/* The session's next frame has nothing of the one that was left. */
	ASSERT_LT(0, strm_all(self->c, true, self->plain, 5000, self->packed, ROOM, 5000, ROOM, 0, &used));
	ASSERT_EQ(5000, strm_all(self->d, false, self->packed, ROOM, self->back, ROOM, 4096, ROOM, 0, &used));
}

TEST_F(frames, skipped_in_streams_belong_to_the_next_one)
{
	size_t at, used;

	at = put_skippable(self->packed, 0, 600);
	EXPECT_EQ(0, strm_all(self->d, false, self->packed, at, self->back, ROOM, 7, 100, 0, &used))
		TH_LOG("%s", detail(self->d));
	EXPECT_EQ(at, used);
	at += frame_make(variant->alg, self->plain, 1000, self->packed + at, ROOM - at, 1, variant->sum);
	EXPECT_EQ(1000, strm_all(self->d, false, self->packed, at, self->back, ROOM, 7, 100, 0, &used));
	EXPECT_EQ(at, used);
}

TEST_F(frames, that_are_cut_off_or_changed_are_errors)
{
	size_t n = 3000, i;
	long len = frame_do(self->c, true, self->plain, n, self->packed, ROOM, NULL), ret;

	for (i = 0; i < (size_t)len; i++)
		ASSERT_EQ(-EBADMSG, frame_do(self->d, false, self->packed, i, self->back, ROOM, NULL))
			TH_LOG("%zu bytes of %ld", i, len);
	for (i = 0; i < (size_t)len; i++) {
		self->packed[i] ^= 1 << i % 8;
		ret = frame_do(self->d, false, self->packed, len, self->back, n, NULL);
		self->packed[i] ^= 1 << i % 8;
		/* An unused bit of the header changes nothing; without a checksum other data may result. */
		if (ret < 0) {
			ASSERT_TRUE(ret == -EBADMSG || ret == -ENOSPC) TH_LOG("byte %zu: %ld", i, ret);
		} else if (variant->sum) {
			ASSERT_TRUE(ret == (long)n && !memcmp(self->back, self->plain, n)) TH_LOG("byte %zu", i);
		}
	}
	ASSERT_EQ((long)n, frame_do(self->d, false, self->packed, len, self->back, ROOM, NULL));
	if (!variant->sum)
		return;
	self->packed[len - 1] ^= 1;
	EXPECT_EQ(-EBADMSG, frame_do(self->d, false, self->packed, len, self->back, ROOM, NULL));
	EXPECT_TRUE(strstr(detail(self->d), "checksum of the data is wrong")) TH_LOG("%s", detail(self->d));
}

TEST_F(frames, of_other_formats_are_refused_in_words)
{
	static const unsigned char legacy[] = { 0x02, 0x21, 0x4c, 0x18, 5, 0, 0, 0, 0x40, 'a', 'b', 'c', 'd' };
	long len = frame_make(variant->alg == WD_ZSTD ? WD_LZ4 : WD_ZSTD, self->plain, 1000, self->packed, ROOM, 1,
			      false);
	size_t used;

	EXPECT_EQ(-EBADMSG, frame_do(self->d, false, self->packed, len, self->back, ROOM, NULL));
	EXPECT_TRUE(strstr(detail(self->d), "magic number")) TH_LOG("%s", detail(self->d));
	EXPECT_EQ(-EBADMSG, frame_do(self->d, false, legacy, sizeof(legacy), self->back, ROOM, NULL));
	EXPECT_TRUE(strstr(detail(self->d), variant->alg == WD_LZ4 ? "legacy" : "magic number"));
	EXPECT_EQ(-EBADMSG, strm_all(self->d, false, legacy, sizeof(legacy), self->back, ROOM, 1, 100, 0, &used));
	EXPECT_TRUE(strstr(detail(self->d), variant->alg == WD_LZ4 ? "legacy" : "magic number"));
	EXPECT_EQ(0, wd_comp_reset_sess(self->d));
}

TEST_F(frames, of_lists_are_those_of_the_data)
{
	struct wd_datalist src[3] = {
		{ self->plain, 10, &src[1] }, { self->plain + 10, 100000, &src[2] },
		{ self->plain + 100010, LEN - 100010, NULL }
	}, dst[2] = { { self->packed, 50, &dst[1] }, { self->packed + 50, ROOM - 50, NULL } };
	handle_t h = sess_of(variant, WD_DIR_COMPRESS, WD_SYNC, WD_SGL_BUF, 3, WD_COMP_WS_32K);
	handle_t d = sess_of(variant, WD_DIR_DECOMPRESS, WD_SYNC, WD_SGL_BUF, 0, WD_COMP_WS_32K);
	size_t n = LEN - 50;
	long len = frame_do(h, true, src, n, dst, ROOM, NULL);

	ASSERT_LT(0, len) TH_LOG("%s", detail(h));
	if (variant->alg == WD_ZSTD)
		EXPECT_EQ(n, ZSTD_getFrameContentSize(self->packed, len));
	ASSERT_EQ((long)n, frame_read(variant->alg, self->packed, len, self->back, ROOM));
	EXPECT_EQ(0, memcmp(self->plain, self->back, n));
	src[0].data = self->back;
	src[1].data = self->back + 10;
	src[2].data = self->back + 100010;
	memset(self->back, 0, n);
	ASSERT_EQ((long)n, frame_do(d, false, dst, len, src, n, NULL)) TH_LOG("%s", detail(d));
	EXPECT_EQ(0, memcmp(self->plain, self->back, n));
	EXPECT_EQ(0, wd_comp_free_sess(h));
	EXPECT_EQ(0, wd_comp_free_sess(d));
}

static void count(struct wd_comp_arg *arg, void *param)
{
	if (!arg->status)
		__atomic_add_fetch((int *)param, 1, __ATOMIC_RELEASE);
}

TEST_F(frames, of_asynchronous_requests_are_the_same)
{
	handle_t h = sess_of(variant, WD_DIR_COMPRESS, WD_ASYNC, WD_FLAT_BUF, 3, WD_COMP_WS_32K);
	int done = 0, i, j, path = variant->alg == WD_ZSTD ? expected_path("lz77_zstd") : WD_PATH_SOFT;
	struct wd_comp_arg arg[4];
	size_t len[4], n = 10000;

	ASSERT_TRUE(h) TH_LOG("%s", detail(0));
	for (i = 0; i < 4; i++) {
		len[i] = ROOM / 4;
		arg[i] = (struct wd_comp_arg){
			.src = self->plain + i * n, .src_len = n, .dst = self->packed + i * ROOM / 4,
			.dst_len = &len[i], .cb = count, .cb_param = &done,
		};
		ASSERT_EQ(0, wd_comp_async(h, &arg[i], NULL));
	}
	for (j = 0; j < 10000 && __atomic_load_n(&done, __ATOMIC_ACQUIRE) < 4; j++)
		wd_comp_poll_wait(1, 10, NULL);
	ASSERT_EQ(4, done);
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(path, arg[i].path);
		ASSERT_EQ((long)n, frame_read(variant->alg, arg[i].dst, len[i], self->back, ROOM));
		EXPECT_EQ(0, memcmp(self->plain + i * n, self->back, n));
	}
	EXPECT_EQ(0, wd_comp_free_sess(h));
}

TEST_F(frames, of_completion_queues_are_the_same)
{
	handle_t cq = wd_cq_create(16);
	struct wd_comp_sess_setup setup = {
		.alg_type = variant->alg, .op_type = WD_ASYNC, .comp_lv = 3, .flags = WD_SESS_CQ, .cq = cq,
	};
	handle_t h = wd_comp_alloc_sess(&setup, NULL);
	size_t len = ROOM;
	struct wd_comp_arg arg = {
		.src = self->plain, .src_len = 5000, .dst = self->packed, .dst_len = &len, .wr_id = 7,
	};
	struct wd_wc wc;
	int ret = 0, i;

	ASSERT_TRUE(h) TH_LOG("%s", detail(0));
	ASSERT_EQ(0, wd_comp_async(h, &arg, NULL));
	for (i = 0; i < WAIT_MS && !ret; i++) {
		ret = wd_poll_cq(cq, 1, &wc);
		usleep(1000);
	}
	ASSERT_EQ(1, ret);
	EXPECT_EQ(7, wc.wr_id);
	EXPECT_EQ(0, wc.status);
	ASSERT_EQ(5000, frame_read(variant->alg, self->packed, len, self->back, ROOM));
	EXPECT_EQ(0, wd_comp_free_sess(h));
	EXPECT_EQ(0, wd_cq_destroy(cq));
}

TEST_F(frames, have_no_parts)
{
	size_t len = ROOM;
	struct wd_comp_arg arg = {
		.src = self->plain, .src_len = 100, .dst = self->packed, .dst_len = &len, .flags = WD_COMP_PART,
	};

	EXPECT_EQ(-EINVAL, wd_compress(self->c, &arg));
	EXPECT_TRUE(strstr(detail(self->c), "WD_COMP_PART")) TH_LOG("%s", detail(self->c));
}

TEST(zstd_frames_with_dictionaries_and_large_windows_are_refused)
{
	unsigned char *plain = malloc(LEN), *packed = malloc(ROOM), *back = malloc(ROOM);
	handle_t d = sess_flags(WD_ZSTD, WD_DIR_DECOMPRESS, WD_SYNC, WD_FLAT_BUF, 0, WD_COMP_WS_LOG(12), 0);
	ZSTD_CCtx *c = ZSTD_createCCtx();
	unsigned char head[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x21, 0x2a, 5, 0x29, 0, 0, 'a', 'b', 'c', 'd', 'e' };
	size_t len;

	fill_text(plain, LEN, 1);
	/* The flags announce an identifier of a dictionary, one byte long. */
	EXPECT_EQ(-EBADMSG, frame_do(d, false, head, sizeof(head), back, ROOM, NULL));
	EXPECT_TRUE(strstr(detail(d), "dictionary")) TH_LOG("%s", detail(d));
	ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, 17);
	len = ZSTD_compress2(c, packed, ROOM, plain, LEN);
	/* The window counts where the result doesn't fit at once. */
	EXPECT_EQ(-EBADMSG, frame_do(d, false, packed, len, back, LEN - 1, NULL));
	EXPECT_TRUE(strstr(detail(d), "window")) TH_LOG("%s", detail(d));
	ZSTD_freeCCtx(c);
	EXPECT_EQ(0, wd_comp_free_sess(d));
	free(plain);
	free(packed);
	free(back);
}

/* With room for all that they announce, libzstd itself finds out. */
TEST(zstd_frames_of_another_size_than_they_announce_are_corrupt)
{
	/* 2 bytes; an empty last block, and the checksum of no data. */
	static const unsigned char frame[] = {
		0x28, 0xb5, 0x2f, 0xfd, 0x24, 2, 1, 0, 0, 0x99, 0xe9, 0xd8, 0x51
	};
	handle_t d = sess_new(WD_ZSTD, WD_DIR_DECOMPRESS, WD_SYNC);
	unsigned char back[4];
	size_t room, used;

	for (room = 0; room < sizeof(back); room++) {
		EXPECT_EQ(-EBADMSG, frame_do(d, false, frame, sizeof(frame), back, room, NULL)) TH_LOG("%zu", room);
		EXPECT_EQ(-EBADMSG, strm_all(d, false, frame, sizeof(frame), back, sizeof(back), 3, room + 1, 0,
					     &used));
		EXPECT_EQ(0, wd_comp_reset_sess(d));
	}
	EXPECT_EQ(0, wd_comp_free_sess(d));
}

TEST(lz4_frames_with_dictionaries_are_refused)
{
	static const unsigned char head[] = { 4, 0x22, 0x4d, 0x18, 0x61, 0x40, 1, 0, 0, 0, 0, 0, 0, 0, 0 };
	handle_t d = sess_new(WD_LZ4, WD_DIR_DECOMPRESS, WD_SYNC);
	unsigned char back[100];

	EXPECT_EQ(-EBADMSG, frame_do(d, false, head, sizeof(head), back, sizeof(back), NULL));
	EXPECT_TRUE(strstr(detail(d), "dictionary")) TH_LOG("%s", detail(d));
	EXPECT_EQ(0, wd_comp_free_sess(d));
}

TEST(lz4_frames_have_blocks_of_the_size_asked_for)
{
	unsigned char *plain = calloc(1, LEN), *packed = malloc(ROOM);
	int log;

	for (log = 16; log <= 22; log += 2) {
		handle_t h = sess_flags(WD_LZ4, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, 1, WD_COMP_WS_LOG(log), 0);
		size_t used;

		/* A stream doesn't know the size before, so it takes what was asked for. */
		ASSERT_LT(0, strm_all(h, true, plain, LEN, packed, ROOM, 1000, ROOM, 0, &used)) TH_LOG("%d", log);
		EXPECT_EQ(4 + (log - 16) / 2, packed[5] >> 4);
		/* Independent blocks, version 1. */
		EXPECT_EQ(0x60, packed[4]);
		EXPECT_EQ(0, wd_comp_free_sess(h));
	}
	free(plain);
	free(packed);
}

TEST(long_windows_find_what_is_far_away)
{
	size_t n = 24 * MIB, room = 2 * n;
	unsigned char *plain = malloc(n), *packed = malloc(room), *back = malloc(n);
	handle_t h = sess_flags(WD_ZSTD, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, 1, WD_COMP_WS_LOG(27), 0);
	long len;

	fill_noise(plain, n / 2, 3);
	memcpy(plain + n / 2, plain, n / 2);
	len = frame_do(h, true, plain, n, packed, room, NULL);
	ASSERT_LT(0, len) TH_LOG("%s", detail(h));
	EXPECT_GT((long)n * 6 / 10, len);
	EXPECT_EQ((long)n, zstd_read(packed, len, back, n));
	EXPECT_EQ(0, memcmp(plain, back, n));
	EXPECT_EQ(0, wd_comp_free_sess(h));
	free(plain);
	free(packed);
	free(back);
}

TEST(setups_that_make_no_sense_are_refused)
{
	static const struct {
		int alg, dir, op, fmt, win;
		unsigned int flags;
		const char *says;
	} rows[] = {
		{ WD_GZIP, 0, 0, 0, WD_COMP_WS_LOG(20), 0, "win_size" },
		{ WD_ZSTD, 0, 0, 0, WD_COMP_WS_LOG(9), 0, "win_size" },
		{ WD_ZSTD, 0, 0, 0, WD_COMP_WS_LOG(32), 0, "win_size" },
		{ WD_LZ4, 0, 0, 0, WD_COMP_WS_LOG(17), 0, "win_size" },
		{ WD_LZ4, 0, 0, 0, WD_COMP_WS_LOG(24), 0, "win_size" },
		{ WD_GZIP, 0, 0, 0, 0, WD_COMP_SESS_CHECKSUM, "WD_ZSTD and WD_LZ4 only" },
		{ WD_ZSTD, 0, 0, 0, 0, WD_COMP_SESS_BLOCK, "WD_COMP_SESS_BLOCK" },
		{ WD_LZ4, 0, 0, WD_SGL_BUF, 0, WD_COMP_SESS_BLOCK, "WD_COMP_SESS_BLOCK" },
		{ WD_ZSTD, WD_DIR_DECOMPRESS, 0, 0, 0, WD_SESS_PATH_HW, "zstd" },
		{ WD_LZ4, WD_DIR_DECOMPRESS, 0, 0, 0, WD_SESS_PATH_HW, "lz4" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		EXPECT_EQ(0, sess_flags(rows[i].alg, rows[i].dir, rows[i].op, rows[i].fmt, 1, rows[i].win,
					rows[i].flags)) TH_LOG("row %zu", i);
		EXPECT_TRUE(strstr(detail(0), rows[i].says)) TH_LOG("row %zu: %s", i, detail(0));
	}
}

TEST_HARNESS_MAIN
