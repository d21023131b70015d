// SPDX-License-Identifier: Apache-2.0
/* Whole buffers, both directions, judged by zlib. */
#include <sys/mman.h>

#include "comp_test.h"
#include "kselftest_harness.h"

static const size_t sizes[] = {
	0, 1, 2, 3, 7, 100, 255, 256, 4 * KIB - 1, 4 * KIB, 4 * KIB + 1, 16 * KIB - 1, 16 * KIB, 32 * KIB - 1, 32 * KIB,
	64 * KIB - 1, 64 * KIB, 64 * KIB + 1, 100000, 1 * MIB, 8 * MIB - 1, 8 * MIB, 8 * MIB + 1,
};
#define SIZE_MOST (8 * MIB + 1)

/* The last three sizes are the long ones. */
static unsigned int sizes_nr(void)
{
	return sizeof(sizes) / sizeof(sizes[0]) - (brief() ? 3 : 0);
}

FIXTURE(block) {
	unsigned char *plain, *packed, *back;
	size_t room;
	int path;
};

FIXTURE_VARIANT(block) {
	int alg;
};

FIXTURE_VARIANT_ADD(block, zlib) { .alg = WD_ZLIB };
FIXTURE_VARIANT_ADD(block, gzip) { .alg = WD_GZIP };
FIXTURE_VARIANT_ADD(block, deflate) { .alg = WD_DEFLATE_RAW };

FIXTURE_SETUP(block)
{
	self->room = SIZE_MOST + SIZE_MOST / 8 + 4096;
	self->plain = malloc(self->room);
	self->packed = malloc(self->room);
	self->back = malloc(self->room);
	ASSERT_TRUE(self->plain && self->packed && self->back);
	self->path = expected_path(alg_names[variant->alg]);
}

FIXTURE_TEARDOWN(block)
{
	free(self->plain);
	free(self->packed);
	free(self->back);
}

static int do_compress(handle_t h, const void *src, size_t n, void *dst, size_t *room, struct wd_comp_arg *arg)
{
	*arg = (struct wd_comp_arg){ .src = (void *)src, .src_len = n, .dst = dst, .dst_len = room, .wr_id = 7 };
	return wd_compress(h, arg);
}

static int do_decompress(handle_t h, const void *src, size_t n, void *dst, size_t *room, struct wd_comp_arg *arg)
{
	*arg = (struct wd_comp_arg){ .src = (void *)src, .src_len = n, .dst = dst, .dst_len = room, .wr_id = 7 };
	return wd_decompress(h, arg);
}

static void check_compress(struct __test_metadata *_metadata, FIXTURE_DATA(block) *self, int alg, handle_t h, size_t n)
{
	struct wd_comp_arg arg;
	size_t len = wd_comp_bound(h, n), bound = len;
	int ret;

	ASSERT_LT(n, len);
	guard_set(self->packed + bound);
	ret = do_compress(h, self->plain, n, self->packed, &len, &arg);
	ASSERT_EQ(0, ret) TH_LOG("%s %zu bytes: %s", alg_names[alg], n, detail(h));
	EXPECT_EQ(n, arg.consumed);
	EXPECT_EQ(WD_COMP_OK, arg.status);
	EXPECT_EQ(self->path, arg.path);
	EXPECT_EQ(7, arg.wr_id);
	EXPECT_TRUE(guard_intact(self->packed + bound));
	ASSERT_EQ((long)n, z_decompress(alg, self->packed, len, self->back, self->room, 15))
		TH_LOG("%s %zu bytes: zlib refuses it", alg_names[alg], n);
	EXPECT_EQ(0, memcmp(self->plain, self->back, n));
}

static void check_decompress(struct __test_metadata *_metadata, FIXTURE_DATA(block) *self, int alg, handle_t h,
			     size_t n)
{
	struct wd_comp_arg arg;
	size_t len = n;
	long packed;
	int ret;

	packed = z_compress(alg, self->plain, n, self->packed, self->room);
	ASSERT_LT(0, packed);
	guard_set(self->back + n);
	/* Exactly enough room, but at least one byte. */
	if (!len)
		len = 1;
	ret = do_decompress(h, self->packed, packed, self->back, &len, &arg);
	ASSERT_EQ(0, ret) TH_LOG("%s %zu bytes: %s", alg_names[alg], n, detail(h));
	EXPECT_EQ(n, len);
	EXPECT_EQ(packed, arg.consumed);
	EXPECT_EQ(self->path, arg.path);
	EXPECT_EQ(0, memcmp(self->plain, self->back, n));
	EXPECT_TRUE(guard_intact(self->back + n));
}

TEST_F_TIMEOUT(block, any_size_of_text_is_compressed_as_zlib_reads_it, 300)
{
	handle_t h = sess_new(variant->alg, WD_DIR_COMPRESS, WD_SYNC);
	unsigned int i;

	ASSERT_NE(0, h) TH_LOG("%s", detail(0));
	for (i = 0; i < sizes_nr(); i++) {
		fill_text(self->plain, sizes[i], i);
		check_compress(_metadata, self, variant->alg, h, sizes[i]);
	}
	EXPECT_EQ(0, wd_comp_free_sess(h));
}

TEST_F_TIMEOUT(block, any_size_of_noise_is_compressed_as_zlib_reads_it, 300)
{
	handle_t h = sess_new(variant->alg, WD_DIR_COMPRESS, WD_SYNC);
	unsigned int i;

	ASSERT_NE(0, h);
	for (i = 0; i < sizes_nr(); i++) {
		fill_noise(self->plain, sizes[i], i);
		check_compress(_metadata, self, variant->alg, h, sizes[i]);
	}
	EXPECT_EQ(0, wd_comp_free_sess(h));
}

TEST_F_TIMEOUT(block, what_zlib_wrote_is_decompressed, 300)
{
	handle_t h = sess_new(variant->alg, WD_DIR_DECOMPRESS, WD_SYNC);
	unsigned int i;

	ASSERT_NE(0, h);
	for (i = 0; i < sizes_nr(); i++) {
		if (i % 2)
			fill_noise(self->plain, sizes[i], i);
		else
			fill_text(self->plain, sizes[i], i);
		check_decompress(_metadata, self, variant->alg, h, sizes[i]);
	}
	EXPECT_EQ(0, wd_comp_free_sess(h));
}

TEST_F(block, every_size_comes_back_the_same)
{
	handle_t c = sess_new(variant->alg, WD_DIR_COMPRESS, WD_SYNC),
		 d = sess_new(variant->alg, WD_DIR_DECOMPRESS, WD_SYNC);
	struct wd_comp_arg arg;
	unsigned int i;

	ASSERT_TRUE(c && d);
	for (i = 0; sizes[i] <= 100000; i++) {
		size_t len = self->room, back = sizes[i];

		fill_text(self->plain, sizes[i], i);
		ASSERT_EQ(0, do_compress(c, self->plain, sizes[i], self->packed, &len, &arg))
			TH_LOG("%zu bytes: %s", sizes[i], detail(c));
		guard_set(self->back + sizes[i]);
		/* Exactly enough room: no bytes for empty data. */
		ASSERT_EQ(0, do_decompress(d, self->packed, len, self->back, &back, &arg))
			TH_LOG("%zu bytes: %s", sizes[i], detail(d));
		EXPECT_EQ(sizes[i], back);
		EXPECT_EQ(len, arg.consumed);
		EXPECT_EQ(0, memcmp(self->plain, self->back, back));
		EXPECT_TRUE(guard_intact(self->back + sizes[i]));
	}
	wd_comp_free_sess(c);
	wd_comp_free_sess(d);
}

TEST_F(block, the_path_is_reported_and_is_the_devices_where_there_is_one)
{
	handle_t h = sess_new(variant->alg, WD_DIR_COMPRESS, WD_SYNC);
	struct wd_comp_arg arg;
	size_t len = self->room;

	ASSERT_NE(0, h);
	fill_text(self->plain, 100000, 1);
	ASSERT_EQ(0, do_compress(h, self->plain, 100000, self->packed, &len, &arg)) TH_LOG("%s", detail(h));
	EXPECT_EQ(self->path, arg.path);
	if (self->path == WD_PATH_SOFT)
		EXPECT_EQ(WD_REASON_NO_DEVICE, arg.path_reason);
	EXPECT_STRNE("", wd_path_str(arg.path));
	EXPECT_STRNE("", wd_path_reason_str(arg.path_reason));
	wd_comp_free_sess(h);
}

TEST_F(block, levels_and_windows_make_streams_for_their_readers)
{
	/* zlib's reader takes the size of the window; 24K has no value of its own there. */
	static const int bits[] = { 12, 13, 14, 15, 15 };
	int win, level;

	fill_text(self->plain, 200000, 3);
	for (win = WD_COMP_WS_4K; win <= WD_COMP_WS_32K; win++) {
		for (level = 1; level <= 22; level += win == WD_COMP_WS_32K ? 1 : 7) {
			handle_t h = sess_flags(variant->alg, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, level, win, 0);
			struct wd_comp_arg arg;
			size_t len = self->room;

			ASSERT_NE(0, h);
			ASSERT_EQ(0, do_compress(h, self->plain, 200000, self->packed, &len, &arg));
			EXPECT_EQ(200000,
				  z_decompress(variant->alg, self->packed, len, self->back, self->room, bits[win]))
				TH_LOG("level %d window %d", level, win);
			EXPECT_EQ(0, memcmp(self->plain, self->back, 200000));
			EXPECT_EQ(200000, arg.consumed);
			EXPECT_EQ(WD_COMP_OK, arg.status);
			EXPECT_GT(200000, len);
			EXPECT_EQ(0, wd_comp_free_sess(h));
		}
	}
}

static void check_no_room(struct __test_metadata *_metadata, handle_t h, bool comp, const void *src, size_t n,
			  unsigned char *dst, size_t room)
{
	struct wd_comp_arg arg;
	size_t len = room;

	guard_set(dst + room);
	EXPECT_EQ(-ENOSPC, (comp ? do_compress : do_decompress)(h, src, n, dst, &len, &arg))
		TH_LOG("room %zu: %s", room, detail(h));
	EXPECT_EQ(0, len);
	EXPECT_EQ(WD_COMP_OUT_NOSPACE, arg.status);
	EXPECT_TRUE(guard_intact(dst + room)) TH_LOG("room %zu", room);
}

TEST_F(block, a_destination_too_small_is_ENOSPC_and_nothing_is_written_past_it)
{
	handle_t c = sess_new(variant->alg, WD_DIR_COMPRESS, WD_SYNC),
		 d = sess_new(variant->alg, WD_DIR_DECOMPRESS, WD_SYNC);
	static const size_t rooms[] = { 0, 1, 2, 9, 10, 15, 16, 100, 199, 200, 255, 256, 257, 1000 };
	static const size_t tenths[] = { 0, 1, 5, 9, 10 };
	size_t full = self->room;
	struct wd_comp_arg arg;
	unsigned int i;
	long packed;

	ASSERT_TRUE(c && d);
	fill_noise(self->plain, 5000, 1);
	packed = z_compress(variant->alg, self->plain, 5000, self->packed, self->room);
	for (i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++) {
		check_no_room(_metadata, c, true, self->plain, 5000, self->back, rooms[i]);
		check_no_room(_metadata, d, false, self->packed, packed, self->back, rooms[i]);
	}
	fill_text(self->plain, 100000, 1);
	ASSERT_EQ(0, do_compress(c, self->plain, 100000, self->packed, &full, &arg)) TH_LOG("%s", detail(c));
	for (i = 0; i < sizeof(tenths) / sizeof(tenths[0]); i++) {
		/* The last room is one byte too small. */
		size_t lack = tenths[i] == 10;

		check_no_room(_metadata, c, true, self->plain, 100000, self->back, full * tenths[i] / 10 - lack);
		check_no_room(_metadata, d, false, self->packed, full, self->back, 100000 * tenths[i] / 10 - lack);
	}
	wd_comp_free_sess(c);
	wd_comp_free_sess(d);
}

TEST_F(block, small_results_fit_into_small_destinations)
{
	handle_t c = sess_new(variant->alg, WD_DIR_COMPRESS, WD_SYNC),
		 d = sess_new(variant->alg, WD_DIR_DECOMPRESS, WD_SYNC);
	struct wd_comp_arg arg;
	size_t len = 40, back = 20;

	ASSERT_TRUE(c && d);
	memset(self->plain, 'x', 20);
	ASSERT_EQ(0, do_compress(c, self->plain, 20, self->packed, &len, &arg)) TH_LOG("%s", detail(c));
	ASSERT_EQ(0, do_decompress(d, self->packed, len, self->back, &back, &arg)) TH_LOG("%s", detail(d));
	EXPECT_EQ(20, back);
	EXPECT_EQ(0, memcmp(self->plain, self->back, 20));
	wd_comp_free_sess(c);
	wd_comp_free_sess(d);
}

TEST_F(block, a_stream_cut_anywhere_is_EBADMSG)
{
	handle_t h = sess_new(variant->alg, WD_DIR_DECOMPRESS, WD_SYNC);
	/* The longer stream is cut in steps, and everywhere near its ends. */
	static const struct { size_t len, step; } streams[] = { { 700, 1 }, { 5000, 37 } };
	struct wd_comp_arg arg;
	long packed, cut;
	unsigned int i;

	ASSERT_NE(0, h);
	for (i = 0; i < 2; i++) {
		fill_text(self->plain, streams[i].len, 9);
		packed = z_compress(variant->alg, self->plain, streams[i].len, self->packed, self->room);
		for (cut = 0; cut < packed; cut += cut < 20 || cut + 20 > packed ? 1 : streams[i].step) {
			size_t len = 200000;
			int ret = do_decompress(h, self->packed, cut, self->back, &len, &arg);

			ASSERT_EQ(-EBADMSG, ret) TH_LOG("cut at %ld of %ld: %d %s", cut, packed, ret, detail(h));
			EXPECT_EQ(0, len);
			EXPECT_EQ(WD_DATA_ERR, arg.status);
			EXPECT_NE(NULL, strstr(detail(h), "early"))
				TH_LOG("cut at %ld of %ld: %s", cut, packed, detail(h));
		}
	}
	wd_comp_free_sess(h);
}

TEST_F(block, a_wrong_checksum_or_length_is_ebadmsg_and_named)
{
	handle_t h = sess_new(variant->alg, WD_DIR_DECOMPRESS, WD_SYNC);
	struct wd_comp_arg arg;
	long packed;
	int i;

	if (variant->alg == WD_DEFLATE_RAW)
		SKIP(return, "raw deflate carries no checksum");
	ASSERT_NE(0, h);
	fill_text(self->plain, 100000, 1);
	packed = z_compress(variant->alg, self->plain, 100000, self->packed, self->room);
	for (i = 1; i <= (variant->alg == WD_GZIP ? 8 : 4); i++) {
		size_t len = self->room;

		self->packed[packed - i] ^= 0x10;
		EXPECT_EQ(-EBADMSG, do_decompress(h, self->packed, packed, self->back, &len, &arg));
		EXPECT_EQ(0, len);
		EXPECT_LT(0, wd_error_detail(h, (char [200]){ 0 }, 200));
		self->packed[packed - i] ^= 0x10;
	}
	wd_comp_free_sess(h);
}

TEST_F(block, damage_is_noticed_where_zlib_notices_it)
{
	handle_t h = sess_new(variant->alg, WD_DIR_DECOMPRESS, WD_SYNC);
	unsigned char *judged = malloc(200000);
	long packed, at, want;

	ASSERT_TRUE(h && judged);
	fill_text(self->plain, 3000, 9);
	packed = z_compress(variant->alg, self->plain, 3000, self->packed, self->room);
	for (at = 0; at < packed; at++) {
		struct wd_comp_arg arg;
		size_t len = 200000;
		int ret;

		self->packed[at] ^= 0x41;
		want = z_inflate(variant->alg, self->packed, packed, judged, len, 15, NULL);
		ret = do_decompress(h, self->packed, packed, self->back, &len, &arg);
		self->packed[at] ^= 0x41;
		if (want < 0) {
			/* Damaged raw deflate may decode to anything, also to more than fits. */
			EXPECT_TRUE(ret == -EBADMSG || ret == -ENOSPC) TH_LOG("byte %ld of %ld: %d", at, packed, ret);
			EXPECT_EQ(0, len);
			continue;
		}
		EXPECT_EQ(0, ret) TH_LOG("byte %ld of %ld: %s", at, packed, detail(h));
		EXPECT_EQ((size_t)want, len);
		EXPECT_EQ(0, memcmp(judged, self->back, want));
		/*
		 * Changes go unnoticed only without a checksum, or in a gzip header's time stamp, extra flags and
		 * system.
		 */
		EXPECT_TRUE(variant->alg == WD_DEFLATE_RAW || (variant->alg == WD_GZIP && at >= 3 && at < 10))
			TH_LOG("byte %ld", at);
	}
	free(judged);
	wd_comp_free_sess(h);
}

TEST_F(block, what_follows_the_stream_is_left_alone)
{
	handle_t h = sess_new(variant->alg, WD_DIR_DECOMPRESS, WD_SYNC);
	static const struct { size_t len, more; int what; } streams[] = { { 700, 100, 0xff }, { 100000, 1000, 0x55 } };
	struct wd_comp_arg arg;
	unsigned int i;
	long packed;

	ASSERT_NE(0, h);
	for (i = 0; i < 2; i++) {
		size_t len = 200000;

		fill_text(self->plain, streams[i].len, 9);
		packed = z_compress(variant->alg, self->plain, streams[i].len, self->packed, self->room);
		memset(self->packed + packed, streams[i].what, streams[i].more);
		ASSERT_EQ(0, do_decompress(h, self->packed, packed + streams[i].more, self->back, &len, &arg))
			TH_LOG("%s", detail(h));
		EXPECT_EQ(streams[i].len, len);
		EXPECT_EQ(packed, arg.consumed);
		EXPECT_EQ(0, memcmp(self->plain, self->back, len));
	}
	wd_comp_free_sess(h);
}

/* Pieces of a buffer: of growing length, with empty ones in front and between. */
static unsigned int make_list(struct wd_datalist *l, unsigned int most, unsigned char *buf, size_t len, size_t step)
{
	unsigned int n = 1;

	l[0] = (struct wd_datalist){ .next = &l[1] };
	while (n < most) {
		size_t piece = n == most - 1 || step > len ? len : step;

		l[n] = (struct wd_datalist){ .data = buf, .len = piece, .next = &l[n + 1] };
		buf += piece;
		len -= piece;
		n++;
		if (!len)
			break;
		if (n % 3 == 0 && n < most - 1) {
			l[n] = (struct wd_datalist){ .next = &l[n + 1] };
			n++;
		}
		step = step * 3 / 2 + 1;
	}
	l[n - 1].next = NULL;
	return n;
}

TEST_F_TIMEOUT(block, lists_of_pieces_are_as_good_as_flat_buffers, 120)
{
	handle_t c = sess_flags(variant->alg, WD_DIR_COMPRESS, WD_SYNC, WD_SGL_BUF, 6, WD_COMP_WS_32K, 0);
	handle_t d = sess_flags(variant->alg, WD_DIR_DECOMPRESS, WD_SYNC, WD_SGL_BUF, 6, WD_COMP_WS_32K, 0);
	static const size_t lens[] = { 0, 1, 300, 70000, 9 * MIB / 8 };
	static const size_t steps[] = { 1, 7, 4096, 1 * MIB };
	struct wd_datalist *src = calloc(600, sizeof(*src)), *dst = calloc(600, sizeof(*dst));
	unsigned int i, j;

	ASSERT_TRUE(c && d && src && dst);
	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		for (j = 0; j < sizeof(steps) / sizeof(steps[0]); j++) {
			size_t len = wd_comp_bound(c, lens[i]), back = lens[i] + 1;
			struct wd_comp_arg arg = { .src = src, .src_len = lens[i], .dst = dst, .dst_len = &len };

			fill_text(self->plain, lens[i], i + j);
			make_list(src, 500, self->plain, lens[i], steps[j]);
			make_list(dst, 500, self->packed, len, steps[j] + 3);
			ASSERT_EQ(0, wd_compress(c, &arg))
				TH_LOG("%zu bytes in steps of %zu: %s", lens[i], steps[j], detail(c));
			EXPECT_EQ(self->path, arg.path);
			EXPECT_EQ(lens[i], arg.consumed);
			ASSERT_EQ((long)lens[i],
				  z_decompress(variant->alg, self->packed, len, self->back, self->room, 15));
			EXPECT_EQ(0, memcmp(self->plain, self->back, lens[i]));

			memset(self->back, 0, lens[i]);
			make_list(src, 500, self->packed, len, steps[j]);
			make_list(dst, 500, self->back, back, steps[j] + 5);
			arg = (struct wd_comp_arg){ .src = src, .src_len = len, .dst = dst, .dst_len = &back };
			ASSERT_EQ(0, wd_decompress(d, &arg))
				TH_LOG("%zu bytes in steps of %zu: %s", lens[i], steps[j], detail(d));
			EXPECT_EQ(lens[i], back);
			EXPECT_EQ(0, memcmp(self->plain, self->back, lens[i]));
		}
	}
	wd_comp_free_sess(c);
	wd_comp_free_sess(d);
	free(src);
	free(dst);
}

TEST_F(block, buffers_that_are_not_mapped_are_EFAULT)
{
	handle_t c = sess_new(variant->alg, WD_DIR_COMPRESS, WD_SYNC),
		 d = sess_new(variant->alg, WD_DIR_DECOMPRESS, WD_SYNC);
	unsigned char *hole = NOWHERE;
	struct wd_comp_arg arg;
	size_t len = 64 * KIB;
	long packed;

	ASSERT_TRUE(c && d);
	fill_text(self->plain, 10000, 1);
	EXPECT_EQ(-EFAULT, do_compress(c, hole, 10000, self->packed, &len, &arg));
	EXPECT_EQ(0, len);
	len = 64 * KIB;
	EXPECT_EQ(-EFAULT, do_compress(c, self->plain, 10000, hole, &len, &arg));
	EXPECT_EQ(0, len);
	packed = z_compress(variant->alg, self->plain, 10000, self->packed, self->room);
	len = 64 * KIB;
	EXPECT_EQ(-EFAULT, do_decompress(d, self->packed, packed, hole, &len, &arg)) TH_LOG("%s", detail(d));
	len = 64 * KIB;
	EXPECT_EQ(-EFAULT, do_decompress(d, hole, 10000, self->back, &len, &arg));
	/* The sessions stay usable. */
	len = 64 * KIB;
	EXPECT_EQ(0, do_decompress(d, self->packed, packed, self->back, &len, &arg));
	len = 64 * KIB;
	EXPECT_EQ(0, do_compress(c, self->plain, 10000, self->packed, &len, &arg));
	wd_comp_free_sess(c);
	wd_comp_free_sess(d);
}

TEST_F(block, memory_that_a_device_may_not_read_or_write_is_efault)
{
	handle_t c = sess_new(variant->alg, WD_DIR_COMPRESS, WD_SYNC);
	void *none = mmap(NULL, 100000, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *fixed = mmap(NULL, 200000, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct wd_comp_arg arg;
	size_t len = 200000;

	ASSERT_NE(0, c);
	ASSERT_TRUE(none != MAP_FAILED && fixed != MAP_FAILED);
	if (self->path == WD_PATH_SOFT)
		SKIP(goto out_unmap, "on the software path, access to protected memory is the caller's SIGSEGV");
	fill_text(self->plain, 100000, 1);
	EXPECT_EQ(-EFAULT, do_compress(c, none, 100000, self->packed, &len, &arg));
	EXPECT_EQ(0, len);
	len = 200000;
	EXPECT_EQ(-EFAULT, do_compress(c, self->plain, 100000, fixed, &len, &arg));
	EXPECT_EQ(0, len);
	len = 200000;
	EXPECT_EQ(0, do_compress(c, self->plain, 100000, self->packed, &len, &arg)) TH_LOG("%s", detail(c));
out_unmap:
	munmap(fixed, 200000);
	munmap(none, 100000);
	wd_comp_free_sess(c);
}

/* The compressed data may lie in mapped pages only; the destination must still be refused. */
TEST_F(block, a_header_over_the_end_of_a_page_that_is_not_mapped_is_EFAULT)
{
	size_t page = sysconf(_SC_PAGESIZE), before;
	handle_t c = sess_new(variant->alg, WD_DIR_COMPRESS, WD_SYNC);
	unsigned char *hole = mmap(NOWHERE, 1 * MIB, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	struct wd_comp_arg arg;

	ASSERT_NE(0, c);
	ASSERT_NE(MAP_FAILED, hole);
	munmap(hole, page);
	fill_text(self->plain, 10000, 1);
	for (before = 1; before <= 10; before++) {
		size_t len = 64 * KIB;

		EXPECT_EQ(-EFAULT, do_compress(c, self->plain, 10000, hole + page - before, &len, &arg))
			TH_LOG("%zu", before);
		EXPECT_EQ(0, len);
	}
	munmap(hole + page, 1 * MIB - page);
	wd_comp_free_sess(c);
}

TEST_F(block, buffers_are_the_callers_again_at_return)
{
	handle_t c = sess_new(variant->alg, WD_DIR_COMPRESS, WD_SYNC);
	struct wd_comp_arg arg;
	int i;

	ASSERT_NE(0, c);
	for (i = 0; i < 50; i++) {
		size_t n = 20000, len = n + n / 8 + 512;
		unsigned char *src = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		unsigned char *dst = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		size_t room = i % 2 ? len : 1000;

		ASSERT_TRUE(src != MAP_FAILED && dst != MAP_FAILED);
		fill_noise(src, n, i);
		EXPECT_EQ(i % 2 ? 0 : -ENOSPC, do_compress(c, src, n, dst, &room, &arg));
		munmap(src, n);
		munmap(dst, len);
	}
	wd_comp_free_sess(c);
}

TEST(a_request_larger_than_one_descriptor_comes_back_the_same)
{
	size_t big = 20 * MIB + 12345, len, back = big;
	handle_t c = sess_new(WD_ZLIB, WD_DIR_COMPRESS, WD_SYNC), d = sess_new(WD_ZLIB, WD_DIR_DECOMPRESS, WD_SYNC);
	unsigned char *plain = malloc(big), *packed, *out = malloc(big);
	struct wd_comp_arg arg;

	ASSERT_TRUE(c && d);
	len = wd_comp_bound(c, big);
	packed = malloc(len);
	ASSERT_TRUE(plain && packed && out);
	fill_text(plain, big, 5);
	ASSERT_EQ(0, do_compress(c, plain, big, packed, &len, &arg)) TH_LOG("%s", detail(c));
	EXPECT_EQ(big, arg.consumed);
	ASSERT_EQ((long)big, z_decompress(WD_ZLIB, packed, len, out, big, 15));
	memset(out, 0, big);
	ASSERT_EQ(0, do_decompress(d, packed, len, out, &back, &arg)) TH_LOG("%s", detail(d));
	EXPECT_EQ(big, back);
	EXPECT_EQ(0, memcmp(plain, out, big));
	wd_comp_free_sess(c);
	wd_comp_free_sess(d);
	free(plain);
	free(packed);
	free(out);
}

TEST(a_gzip_comment_may_be_longer_than_a_descriptor_can_skip)
{
	const size_t comment = 20 * MIB;
	unsigned char plain[3000], packed[4000], out[3000];
	size_t len = sizeof(out);
	struct wd_datalist in[3], to = { .data = out, .len = sizeof(out) };
	handle_t h = sess_flags(WD_GZIP, WD_DIR_DECOMPRESS, WD_SYNC, WD_SGL_BUF, 0, WD_COMP_WS_32K, 0);
	struct wd_comp_arg arg = { .src = in, .dst = &to, .dst_len = &len };
	char *text = calloc(1, comment + 1);
	long n;

	ASSERT_NE(0, h);
	ASSERT_NE(NULL, text);
	fill_text(plain, sizeof(plain), 1);
	n = z_compress(WD_GZIP, plain, sizeof(plain), packed, sizeof(packed));
	ASSERT_LT(0, n);
	packed[3] = 0x10;
	memset(text, 'x', comment);
	in[0] = (struct wd_datalist){ .data = packed, .len = 10, .next = &in[1] };
	in[1] = (struct wd_datalist){ .data = text, .len = comment + 1, .next = &in[2] };
	in[2] = (struct wd_datalist){ .data = packed + 10, .len = n - 10 };
	arg.src_len = n + comment + 1;
	EXPECT_EQ(0, wd_decompress(h, &arg)) TH_LOG("%s", detail(h));
	EXPECT_EQ(expected_path("zlib"), arg.path);
	EXPECT_EQ(sizeof(plain), len);
	EXPECT_EQ(0, memcmp(plain, out, sizeof(plain)));
	EXPECT_EQ(arg.src_len, arg.consumed);
	free(text);
	EXPECT_EQ(0, wd_comp_free_sess(h));
}

TEST(a_length_that_reaches_the_last_address_is_EFAULT)
{
	unsigned char out[100];
	size_t len = sizeof(out);
	handle_t h = sess_flags(WD_ZLIB, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, 6, WD_COMP_WS_32K, WD_SESS_PATH_SOFT);
	struct wd_comp_arg arg = { .src = (void *)1, .src_len = SIZE_MAX - 1, .dst = out, .dst_len = &len };

	ASSERT_NE(0, h);
	EXPECT_EQ(-EFAULT, wd_compress(h, &arg));
	EXPECT_EQ(0, len);
	EXPECT_EQ(0, wd_comp_free_sess(h));
}

TEST_HARNESS_MAIN
