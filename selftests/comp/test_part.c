// SPDX-License-Identifier: Apache-2.0
/* Parts of a raw deflate stream: joined in any order, synchronous and asynchronous, judged by zlib. */
#include <stdatomic.h>

#include "comp_test.h"
#include "emulated.h"
#include "kselftest_harness.h"
#include "wait_ms.h"

#define MOST	(4 * MIB)
#define CHUNK	(64 * KIB)
#define CHUNKS	12

/* Ends a stream of parts: a final block with fixed codes and no data. */
static const unsigned char end[] = { 0x03, 0x00 };

FIXTURE(part) {
	unsigned char *plain, *packed, *back;
	size_t room;
	int path;
	handle_t h;
};

FIXTURE_VARIANT(part) {
	int alg, level, win;
};

FIXTURE_VARIANT_ADD(part, level1) { .alg = WD_DEFLATE_RAW, .level = 1, .win = WD_COMP_WS_32K };
FIXTURE_VARIANT_ADD(part, level6) { .alg = WD_DEFLATE_RAW, .level = 6, .win = WD_COMP_WS_32K };
FIXTURE_VARIANT_ADD(part, level9_4K) { .alg = WD_DEFLATE_RAW, .level = 9, .win = WD_COMP_WS_4K };
FIXTURE_VARIANT_ADD(part, zlib) { .alg = WD_ZLIB, .level = 1, .win = WD_COMP_WS_32K };
FIXTURE_VARIANT_ADD(part, gzip_4K) { .alg = WD_GZIP, .level = 6, .win = WD_COMP_WS_4K };

static handle_t part_sess(int op, int fmt, const FIXTURE_VARIANT(part) *variant)
{
	return sess_flags(variant->alg, WD_DIR_COMPRESS, op, fmt, variant->level, variant->win, 0);
}

FIXTURE_SETUP(part)
{
	self->room = MOST + MOST / 8 + 4096;
	self->plain = malloc(self->room);
	self->packed = malloc(self->room);
	self->back = malloc(self->room);
	ASSERT_TRUE(self->plain && self->packed && self->back);
	self->path = expected_path(variant->alg == WD_DEFLATE_RAW ? "deflate" : "zlib");
	self->h = part_sess(WD_SYNC, WD_FLAT_BUF, variant);
	ASSERT_NE(0, self->h) TH_LOG("%s", detail(0));
}

FIXTURE_TEARDOWN(part)
{
	EXPECT_EQ(0, wd_comp_free_sess(self->h));
	free(self->plain);
	free(self->packed);
	free(self->back);
}

/* One part at dst; its length, or -errno. */
static long part(handle_t h, const void *src, size_t n, void *dst, size_t room, struct wd_comp_arg *arg)
{
	int ret;

	*arg = (struct wd_comp_arg){ .src = src, .src_len = n, .dst = dst, .dst_len = &room, .flags = WD_COMP_PART };
	ret = wd_compress(h, arg);
	return ret ? ret : (long)room;
}

/* The stream with its end decompresses to n bytes, which are those. */
static bool joined(FIXTURE_DATA(part) *self, size_t len, const void *plain, size_t n)
{
	memcpy(self->packed + len, end, sizeof(end));
	return z_decompress(WD_DEFLATE_RAW, self->packed, len + sizeof(end), self->back, self->room, 15) == (long)n &&
	       !memcmp(self->back, plain, n);
}

TEST_F(part, each_size_makes_one)
{
	static const size_t sizes[] = { 1, 2, 100, 4096, 100000, MIB, MOST };
	unsigned int i, noise, nr = sizeof(sizes) / sizeof(sizes[0]) - (brief() ? 2 : 0);
	struct wd_comp_arg arg;
	long len;

	for (i = 0; i < 2 * nr; i++) {
		size_t n = sizes[i / 2], bound = wd_comp_bound(self->h, n);

		noise = i % 2;
		if (noise)
			fill_noise(self->plain, n, i);
		else
			fill_text(self->plain, n, i);
		guard_set(self->packed + bound);
		len = part(self->h, self->plain, n, self->packed, bound, &arg);
		ASSERT_LT(0, len) TH_LOG("%zu bytes: %s", n, detail(self->h));
		EXPECT_TRUE(guard_intact(self->packed + bound));
		EXPECT_EQ(n, arg.consumed);
		EXPECT_EQ(self->path, arg.path);
		EXPECT_EQ(WD_COMP_OK, arg.status);
		EXPECT_TRUE(joined(self, len, self->plain, n)) TH_LOG("%zu bytes", n);
	}
}

TEST_F(part, none_ends_the_stream)
{
	struct wd_comp_arg arg;
	long len;

	fill_text(self->plain, CHUNK, 1);
	len = part(self->h, self->plain, CHUNK, self->packed, self->room, &arg);
	ASSERT_LT(4, len);
	EXPECT_EQ(-1, z_decompress(WD_DEFLATE_RAW, self->packed, len, self->back, self->room, 15));
	/* What zlib has read so far is all of the data: an empty stored block is the last. */
	EXPECT_EQ(0, memcmp(self->packed + len - 4, "\x00\x00\xff\xff", 4));
}

/* The same data again and again: a part with history would refer to the one before. */
TEST_F(part, they_can_be_joined_in_any_order)
{
	unsigned char *parts = malloc(CHUNKS * (size_t)(2 * CHUNK));
	size_t lens[CHUNKS], at = 0;
	struct wd_comp_arg arg;
	unsigned int i, k;

	ASSERT_NE(NULL, parts);
	for (i = 0; i < CHUNKS; i++) {
		fill_text(self->plain + i * CHUNK, CHUNK, i / 2);
		lens[i] = part(self->h, self->plain + i * CHUNK, CHUNK, parts + i * 2 * CHUNK, 2 * CHUNK, &arg);
		ASSERT_LT(0, (long)lens[i]) TH_LOG("%s", detail(self->h));
	}
	for (i = 0; i < CHUNKS; i++) {
		k = i * 5 % CHUNKS;
		memcpy(self->packed + at, parts + k * 2 * CHUNK, lens[k]);
		memcpy(self->plain + (CHUNKS + i) * CHUNK, self->plain + k * CHUNK, CHUNK);
		at += lens[k];
	}
	EXPECT_TRUE(joined(self, at, self->plain + CHUNKS * CHUNK, CHUNKS * CHUNK));
	free(parts);
}

TEST_F(part, whole_streams_of_the_session_are_not_changed)
{
	size_t len = self->room;
	struct wd_comp_arg arg = { .src = self->plain, .src_len = CHUNK, .dst = self->packed, .dst_len = &len };
	struct wd_comp_arg other;

	fill_text(self->plain, CHUNK, 3);
	ASSERT_LT(0, part(self->h, self->plain, CHUNK, self->packed, self->room, &other));
	ASSERT_EQ(0, wd_compress(self->h, &arg)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ((long)CHUNK, z_decompress(variant->alg, self->packed, len, self->back, self->room, 15));
	EXPECT_EQ(0, memcmp(self->plain, self->back, CHUNK));
}

TEST_F(part, lists_of_pieces_make_one)
{
	handle_t h = part_sess(WD_SYNC, WD_SGL_BUF, variant);
	size_t n = 3 * CHUNK;
	struct wd_datalist src[2] = {
		{ .data = self->plain, .len = 1000, .next = &src[1] }, { .data = self->plain + 1000, .len = n - 1000 }
	};
	struct wd_datalist dst[2] = {
		{ .data = self->packed, .len = 77, .next = &dst[1] }, { .data = self->packed + 77, .len = 2 * n }
	};
	struct wd_comp_arg arg;
	long len;

	ASSERT_NE(0, h) TH_LOG("%s", detail(0));
	fill_text(self->plain, n, 9);
	len = part(h, src, n, dst, wd_comp_bound(h, n), &arg);
	ASSERT_LT(0, len) TH_LOG("%s", detail(h));
	EXPECT_EQ(self->path, arg.path);
	EXPECT_TRUE(joined(self, len, self->plain, n));
	EXPECT_EQ(0, wd_comp_free_sess(h));
}

static atomic_uint over;

static void count_over(struct wd_comp_arg *arg, void *param)
{
	(void)arg;
	(void)param;
	atomic_fetch_add(&over, 1);
}

TEST_F(part, many_are_in_flight_at_once)
{
	handle_t h = part_sess(WD_ASYNC, WD_FLAT_BUF, variant);
	size_t lens[CHUNKS], room = 2 * CHUNK, at = 0;
	unsigned char *parts = malloc(CHUNKS * room);
	struct wd_comp_arg args[CHUNKS];
	unsigned int i;

	ASSERT_TRUE(h && parts) TH_LOG("%s", detail(0));
	fill_text(self->plain, CHUNKS * CHUNK, 5);
	atomic_store(&over, 0);
	for (i = 0; i < CHUNKS; i++) {
		lens[i] = room;
		args[i] = (struct wd_comp_arg){
			.src = self->plain + i * CHUNK, .src_len = CHUNK, .dst = parts + i * room, .dst_len = &lens[i],
			.cb = count_over, .flags = WD_COMP_PART,
		};
		ASSERT_EQ(0, wd_comp_async(h, &args[i], NULL)) TH_LOG("%s", detail(h));
	}
	while (atomic_load(&over) < CHUNKS) {
		ASSERT_LE(0, wd_comp_poll_wait(CHUNKS, WAIT_MS, NULL));
	}
	for (i = 0; i < CHUNKS; i++) {
		ASSERT_EQ(WD_COMP_OK, args[i].status) TH_LOG("part %u", i);
		EXPECT_EQ(self->path, args[i].path);
		memcpy(self->packed + at, parts + i * room, lens[i]);
		at += lens[i];
	}
	EXPECT_TRUE(joined(self, at, self->plain, CHUNKS * CHUNK));
	EXPECT_EQ(0, wd_comp_free_sess(h));
	free(parts);
}

TEST_F(part, less_room_than_the_bound_is_ENOSPC_whatever_the_data)
{
	size_t bound = wd_comp_bound(self->h, CHUNK);
	struct wd_comp_arg arg;

	memset(self->plain, 0, CHUNK);
	EXPECT_EQ(-ENOSPC, part(self->h, self->plain, CHUNK, self->packed, bound - 1, &arg));
	EXPECT_EQ(WD_COMP_OUT_NOSPACE, arg.status);
	EXPECT_LT(0, part(self->h, self->plain, CHUNK, self->packed, bound, &arg));
}

/* libdeflate makes both: a part adds an empty block of 4 bytes, and one byte for its head. */
TEST_F(part, software_makes_none_longer_than_a_whole_buffer)
{
	struct wd_comp_arg whole = { .src = self->plain, .src_len = MIB, .dst = self->back }, arg;
	int level;

	if (variant->alg != WD_DEFLATE_RAW || variant->win != WD_COMP_WS_32K || variant->level == 1)
		SKIP(return, "the same in one variant");
	fill_text(self->plain, MIB, 3);
	fill_noise(self->plain + MIB / 3, 50000, 4);
	memset(self->plain + MIB / 2, 0, 70000);
	for (level = 2; level <= 12; level++) {
		handle_t h = sess_flags(WD_DEFLATE_RAW, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, level, WD_COMP_WS_32K,
					WD_SESS_PATH_SOFT);
		size_t len = self->room;
		long n;

		ASSERT_NE(0, h) TH_LOG("%s", detail(0));
		whole.dst_len = &len;
		ASSERT_EQ(0, wd_compress(h, &whole));
		n = part(h, self->plain, MIB, self->packed, self->room, &arg);
		EXPECT_LT(0, n) TH_LOG("%s", detail(h));
		EXPECT_GE((long)len + 5, n) TH_LOG("level %d", level);
		EXPECT_TRUE(joined(self, n, self->plain, MIB)) TH_LOG("level %d", level);
		EXPECT_EQ(0, wd_comp_free_sess(h));
	}
}

TEST_F(part, what_can_be_none_is_refused)
{
	handle_t d = sess_new(WD_DEFLATE_RAW, WD_DIR_DECOMPRESS, WD_SYNC);
	size_t room = self->room;
	struct wd_comp_arg arg = {
		.src = self->plain, .src_len = 10, .dst = self->packed, .dst_len = &room, .flags = WD_COMP_PART
	};

	EXPECT_EQ(-EINVAL, wd_decompress(d, &arg));
	EXPECT_TRUE(strstr(detail(d), "the session doesn't compress")) TH_LOG("%s", detail(d));
	EXPECT_EQ(-EINVAL, part(self->h, self->plain, 0, self->packed, self->room, &arg));
	EXPECT_TRUE(strstr(detail(self->h), "without data")) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(-EFBIG, part(self->h, self->plain, MOST + 1, self->packed, 2 * MOST, &arg));
	EXPECT_TRUE(strstr(detail(self->h), "the limit of a part")) TH_LOG("%s", detail(self->h));
	arg.flags = WD_COMP_PART | 2;
	arg.src_len = 10;
	room = self->room;
	arg.dst_len = &room;
	EXPECT_EQ(-EINVAL, wd_compress(self->h, &arg));
	EXPECT_TRUE(strstr(detail(self->h), "arg->flags 0x2 are unknown")) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, wd_comp_free_sess(d));
}

TEST_F(part, one_that_a_device_loses_is_done_again)
{
	static const char *const events[] = { "reset", "remove" };
	struct wd_comp_arg arg;
	unsigned int i, n;
	size_t at;
	long len;

	if (!emulated())
		SKIP(return, "only an emulated device is told to fail");
	fill_text(self->plain, CHUNKS * CHUNK, 7);
	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		for (n = at = 0; n < CHUNKS; n++) {
			if (n == CHUNKS / 2)
				ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, events[i]));
			len = part(self->h, self->plain + n * CHUNK, CHUNK, self->packed + at, self->room - at, &arg);
			ASSERT_LT(0, len) TH_LOG("%s, part %u: %s", events[i], n, detail(self->h));
			at += len;
		}
		EXPECT_TRUE(joined(self, at, self->plain, CHUNKS * CHUNK)) TH_LOG("%s", events[i]);
	}
	emulated_control(EMULATED_DEVICE, "return");
}

TEST_HARNESS_MAIN
