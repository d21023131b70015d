// SPDX-License-Identifier: Apache-2.0
/* Every level, format and window, whole and in pieces, on both paths: zlib reads our streams, and we read zlib's. */
#include "comp_test.h"
#include "harness_long.h"

#define LEN	70000u
#define ROOM	(LEN * 2)

FIXTURE(levels) {
	unsigned char *plain, *packed, *back;
	unsigned int seed;
};

FIXTURE_VARIANT(levels) {
	int alg;
	unsigned int flags;
};

FIXTURE_VARIANT_ADD(levels, zlib) { .alg = WD_ZLIB };
FIXTURE_VARIANT_ADD(levels, gzip) { .alg = WD_GZIP };
FIXTURE_VARIANT_ADD(levels, deflate) { .alg = WD_DEFLATE_RAW };
FIXTURE_VARIANT_ADD(levels, zlib_soft) { .alg = WD_ZLIB, .flags = WD_SESS_PATH_SOFT };
FIXTURE_VARIANT_ADD(levels, gzip_soft) { .alg = WD_GZIP, .flags = WD_SESS_PATH_SOFT };
FIXTURE_VARIANT_ADD(levels, deflate_soft) { .alg = WD_DEFLATE_RAW, .flags = WD_SESS_PATH_SOFT };

FIXTURE_SETUP(levels)
{
	self->plain = malloc(LEN);
	self->packed = malloc(ROOM + 64);
	self->back = malloc(ROOM + 64);
	ASSERT_TRUE(self->plain && self->packed && self->back);
	/* A mix of text, noise, and a long run. */
	fill_text(self->plain, LEN, 7);
	fill_noise(self->plain + LEN / 2, LEN / 6, 8);
	memset(self->plain + 2 * LEN / 3, 0, LEN / 6);
	self->seed = variant->alg + 1;
}

FIXTURE_TEARDOWN(levels)
{
	free(self->plain);
	free(self->packed);
	free(self->back);
}

static size_t rnd(unsigned int *seed, size_t most)
{
	*seed = *seed * 1103515245u + 12345u;
	return 1 + (*seed >> 8) % most;
}

/*
 * Bytes in and out of one call: exactly as many if fixed, else random up to that. @flush: calls per flush on average;
 * 0: no flushes.
 */
struct steps {
	size_t in, out;
	bool fixed;
	unsigned int flush;
};

static size_t step_of(FIXTURE_DATA(levels) *self, const struct steps *s, size_t most)
{
	return s->fixed ? most : rnd(&self->seed, most);
}

static handle_t sess_of(FIXTURE_DATA(levels) *self, const FIXTURE_VARIANT(levels) *variant, int dir, int level, int win)
{
	return sess_flags(variant->alg, dir, WD_SYNC, WD_FLAT_BUF, level, win, variant->flags);
}

/* How many cases, or how far from one to the next: each step of a device's stream takes long on a busy machine. */
static unsigned int cases(const FIXTURE_VARIANT(levels) *variant, unsigned int all, unsigned int few)
{
	return getenv("WD_TEST_LONG") || variant->flags & WD_SESS_PATH_SOFT ? all : few;
}

static size_t len_of(const FIXTURE_VARIANT(levels) *variant, const struct steps *s)
{
	return s->in < 50 || s->out < 50 ? cases(variant, 3000, 800) : LEN;
}

static int whole(handle_t h, bool comp, const void *src, size_t n, void *dst, size_t *room)
{
	struct wd_comp_arg arg = { .src = (void *)src, .src_len = n, .dst = dst, .dst_len = room };

	return comp ? wd_compress(h, &arg) : wd_decompress(h, &arg);
}

static int step(handle_t h, bool comp, const void *src, size_t *n, void *dst, size_t *room, bool last, bool sync)
{
	struct wd_comp_strm strm = {
		.src = (void *)src, .src_len = n, .dst = dst, .dst_len = room, .last = last,
		.flags = sync ? WD_COMP_FLUSH_SYNC : 0,
	};

	return comp ? wd_strm_compress(h, &strm) : wd_strm_decompress(h, &strm);
}

/* The length of zlib's output for that level and strategy; 0 when zlib can't write it. */
static size_t z_write(int alg, const void *src, size_t n, void *dst, int level, int strategy)
{
	z_stream z = { .next_in = (void *)src, .avail_in = n, .next_out = dst, .avail_out = ROOM };
	size_t ret = 0;

	if (deflateInit2(&z, level, Z_DEFLATED, z_bits(alg, 15), 8, strategy))
		return 0;
	if (deflate(&z, Z_FINISH) == Z_STREAM_END)
		ret = z.total_out;
	deflateEnd(&z);
	return ret;
}

TEST_F(levels, whole_buffers_of_every_level_and_window_are_read_by_zlib)
{
	static const size_t lens[] = { 1, 300, 5000, LEN };
	static const int bits[] = { 12, 13, 14, 15, 15 };
	/* A device has windows but no levels. */
	int level, win, last = variant->flags & WD_SESS_PATH_SOFT ? 22 : 5;
	unsigned int i;

	for (level = 1; level <= last; level++) {
		for (i = 0; i < 4; i++) {
			handle_t h;
			size_t len = ROOM;

			win = (level + i) % 5;
			h = sess_of(self, variant, WD_DIR_COMPRESS, level, win);
			ASSERT_NE(0, h);
			ASSERT_EQ(0, whole(h, true, self->plain, lens[i], self->packed, &len)) TH_LOG("%s", detail(h));
			ASSERT_EQ((long)lens[i],
				  z_decompress(variant->alg, self->packed, len, self->back, ROOM, bits[win]))
				TH_LOG("level %d window %d length %zu", level, win, lens[i]);
			EXPECT_EQ(0, memcmp(self->plain, self->back, lens[i]));
			wd_comp_free_sess(h);
		}
	}
}

TEST_F(levels, a_result_fits_into_its_length_and_not_into_a_byte_less)
{
	static const size_t lens[] = { 300, 5000, LEN };
	size_t full, len, d;
	int level, last = cases(variant, 13, 2);
	unsigned int i;

	for (level = 1; level <= last; level++) {
		handle_t h = sess_of(self, variant, WD_DIR_COMPRESS, level, WD_COMP_WS_32K);

		ASSERT_NE(0, h);
		for (i = 0; i < 3; i++) {
			full = ROOM;
			ASSERT_EQ(0, whole(h, true, self->plain, lens[i], self->packed, &full));
			for (d = 0; d < 12; d++) {
				memset(self->back, GUARD, full + 64);
				len = full + 10 - d;
				ASSERT_EQ(d <= 10 ? 0 : -ENOSPC, whole(h, true, self->plain, lens[i], self->back, &len))
					TH_LOG("level %d length %zu: %zu of %zu", level, lens[i], full + 10 - d, full);
				EXPECT_EQ(d <= 10 ? full : 0, len);
				EXPECT_EQ(GUARD, self->back[full + 10 - d]);
				if (d <= 10)
					EXPECT_EQ(0, memcmp(self->packed, self->back, full));
			}
		}
		wd_comp_free_sess(h);
	}
}

TEST_F(levels, a_decompressed_buffer_fits_into_its_length_and_not_into_a_byte_less)
{
	handle_t h = sess_of(self, variant, WD_DIR_DECOMPRESS, 0, WD_COMP_WS_32K);
	static const size_t lens[] = { 1, 300, 5000, LEN };
	unsigned int i;

	ASSERT_NE(0, h);
	for (i = 0; i < 4; i++) {
		size_t n = z_write(variant->alg, self->plain, lens[i], self->packed, i * 3, 0), len = lens[i];

		memset(self->back, GUARD, ROOM);
		ASSERT_EQ(0, whole(h, false, self->packed, n, self->back, &len)) TH_LOG("%zu: %s", lens[i], detail(h));
		EXPECT_EQ(lens[i], len);
		EXPECT_EQ(GUARD, self->back[lens[i]]);
		memset(self->back, GUARD, ROOM);
		len = lens[i] - 1;
		EXPECT_EQ(-ENOSPC, whole(h, false, self->packed, n, self->back, &len));
		EXPECT_EQ(0, len);
		EXPECT_EQ(GUARD, self->back[lens[i] - 1]);
	}
	wd_comp_free_sess(h);
}

/* Writes a stream in steps, with flushes at random; returns the length. */
static long write_stream(FIXTURE_DATA(levels) *self, handle_t h, size_t len, const struct steps *s, z_stream *reader)
{
	size_t used = 0, made = 0;
	int ret, calls;

	for (calls = 0; calls < 1000000; calls++) {
		size_t n = step_of(self, s, s->in), room = step_of(self, s, s->out);
		bool sync = s->flush && rnd(&self->seed, s->flush) == 1;
		size_t given;

		if (n > len - used)
			n = len - used;
		if (room > ROOM - made)
			room = ROOM - made;
		given = room;
		ret = step(h, true, self->plain + used, &n, self->packed + made, &room, used + n == len, sync);
		if (ret < 0)
			return ret;
		used += n;
		made += room;
		if (ret)
			return used == len ? (long)made : -EPROTO;
		reader->next_in = self->packed + made - room;
		reader->avail_in = room;
		inflate(reader, Z_SYNC_FLUSH);
		/* With room left, a flush is complete. */
		if (sync && room < given && reader->total_out != used)
			return -EIO;
	}
	return -ELOOP;
}

TEST_F(levels, streams_in_any_steps_are_read_by_zlib_and_flushes_are_complete)
{
	static const int levels[] = { 1, 2, 3, 4, 6, 9, 10, 22 };
	static const struct steps steps[] = {
		{ .in = 30000, .out = ROOM, .flush = 8 }, { .in = 100, .out = ROOM, .flush = 8 },
		{ .in = 5000, .out = 100, .flush = 8 }, { .in = 300, .out = 7, .flush = 8 },
		{ .in = 3, .out = 3000, .flush = 8 }, { .in = LEN, .out = 9000, .flush = 8 },
		/* Many flushes find too little room, and the call that finishes such a flush brings more input. */
		{ .in = 6, .out = 20, .flush = 2 },
		{ .in = LEN, .out = ROOM, .fixed = true }, { .in = 4096, .out = 4096, .fixed = true },
		{ .in = 1000, .out = 100, .fixed = true }, { .in = 100, .out = LEN, .fixed = true },
		{ .in = 65536, .out = 313, .fixed = true }, { .in = LEN, .out = 65536, .fixed = true },
	};
	/* A device has windows but no levels. */
	unsigned int i, k, count = brief() ? 2 : cases(variant, sizeof(levels) / sizeof(levels[0]), 2);

	for (i = 0; i < count; i++) {
		int win = i % 5;
		handle_t h = sess_of(self, variant, WD_DIR_COMPRESS, levels[i], win);

		ASSERT_NE(0, h);
		for (k = 0; k < sizeof(steps) / sizeof(steps[0]); k++) {
			size_t len = len_of(variant, &steps[k]);
			z_stream reader = { .next_out = self->back, .avail_out = ROOM };
			long n;

			ASSERT_EQ(Z_OK, inflateInit2(&reader, z_bits(variant->alg, 15)));
			n = write_stream(self, h, len, &steps[k], &reader);
			inflateEnd(&reader);
			ASSERT_LT(0, n) TH_LOG("level %d steps %u: %ld %s", levels[i], k, n, detail(h));
			ASSERT_EQ((long)len, z_decompress(variant->alg, self->packed, n, self->back, ROOM,
							  win < WD_COMP_WS_24K ? 12 + win : 15))
				TH_LOG("level %d window %d steps %u", levels[i], win, k);
			EXPECT_EQ(0, memcmp(self->plain, self->back, len));
		}
		wd_comp_free_sess(h);
	}
}

/* Reads all of packed in steps; the length or the error, and how much was consumed. */
static long read_stream(FIXTURE_DATA(levels) *self, handle_t h, size_t len, const struct steps *s, size_t *consumed)
{
	size_t used = 0, made = 0;
	int ret, calls;

	for (calls = 0; calls < 1000000; calls++) {
		size_t n = step_of(self, s, s->in), room = step_of(self, s, s->out);

		if (n > len - used)
			n = len - used;
		if (room > ROOM - made)
			room = ROOM - made;
		ret = step(h, false, self->packed + used, &n, self->back + made, &room, used + n == len, false);
		if (ret < 0)
			return ret;
		used += n;
		made += room;
		*consumed = used;
		if (ret)
			return made;
	}
	return -ELOOP;
}

TEST_F(levels, what_zlib_wrote_is_read_in_any_steps_and_not_a_byte_more)
{
	static const struct steps steps[] = {
		{ .in = ROOM, .out = ROOM }, { .in = 100, .out = ROOM }, { .in = 5000, .out = 100 },
		{ .in = 300, .out = 7 }, { .in = 3, .out = 3000 }, { .in = 1, .out = 1 }, { .in = ROOM, .out = 700 },
		{ .in = ROOM, .out = ROOM, .fixed = true }, { .in = 4096, .out = 4096, .fixed = true },
		{ .in = 1, .out = 65536, .fixed = true }, { .in = 1000, .out = 100, .fixed = true },
		{ .in = 100, .out = LEN, .fixed = true }, { .in = 65536, .out = 313, .fixed = true },
	};
	static const int how[][2] = {
		{ 0, Z_DEFAULT_STRATEGY }, { 1, Z_DEFAULT_STRATEGY }, { 9, Z_DEFAULT_STRATEGY }, { 6, Z_FIXED },
		{ 6, Z_HUFFMAN_ONLY },
		{ 6, Z_RLE },
	};
	handle_t h = sess_of(self, variant, WD_DIR_DECOMPRESS, 0, WD_COMP_WS_32K);
	unsigned int i, k;

	ASSERT_NE(0, h);
	for (i = 0; i < cases(variant, 6, 2); i++) {
		for (k = 0; k < sizeof(steps) / sizeof(steps[0]); k++) {
			size_t len = len_of(variant, &steps[k]), used = 0, n;

			n = z_write(variant->alg, self->plain, len, self->packed, how[i][0], how[i][1]);
			ASSERT_LT(0, n);
			fill_noise(self->packed + n, 40, i);
			ASSERT_EQ((long)len, read_stream(self, h, n + 40, &steps[k], &used))
				TH_LOG("writer %u steps %u: %s", i, k, detail(h));
			EXPECT_EQ(n, used) TH_LOG("writer %u steps %u", i, k);
			EXPECT_EQ(0, memcmp(self->plain, self->back, len));
		}
	}
	wd_comp_free_sess(h);
}

TEST_F(levels, random_steps_both_ways)
{
	unsigned int i;

	for (i = 0; i < cases(variant, 20, 5); i++) {
		handle_t c = sess_of(self, variant, WD_DIR_COMPRESS, 6, WD_COMP_WS_32K);
		handle_t d = sess_of(self, variant, WD_DIR_DECOMPRESS, 6, WD_COMP_WS_32K);
		struct steps to = {
			rnd(&self->seed, i % 2 ? 5000 : LEN), rnd(&self->seed, i % 3 ? 5000 : LEN), true, 0
		};
		struct steps from = { to.out, to.in, true, 0 };
		size_t len = rnd(&self->seed, to.in < 50 || to.out < 50 ? 20000 : LEN), used = 0;
		z_stream reader = { .next_out = self->back, .avail_out = ROOM };
		long n;

		ASSERT_TRUE(c && d);
		ASSERT_EQ(Z_OK, inflateInit2(&reader, z_bits(variant->alg, 15)));
		n = write_stream(self, c, len, &to, &reader);
		inflateEnd(&reader);
		ASSERT_LT(0, n) TH_LOG("%zu bytes, in %zu out %zu: %ld %s", len, to.in, to.out, n, detail(c));
		memset(self->back, 0, len);
		ASSERT_EQ((long)len, read_stream(self, d, n, &from, &used))
			TH_LOG("%zu bytes, in %zu out %zu: %s", len, from.in, from.out, detail(d));
		EXPECT_EQ((size_t)n, used);
		EXPECT_EQ(0, memcmp(self->plain, self->back, len));
		wd_comp_free_sess(c);
		wd_comp_free_sess(d);
	}
}

TEST_F(levels, a_stream_cut_at_any_byte_is_EBADMSG_in_any_steps)
{
	static const int how[][2] = { { 0, Z_DEFAULT_STRATEGY }, { 6, Z_FIXED }, { 6, Z_DEFAULT_STRATEGY } };
	handle_t h = sess_of(self, variant, WD_DIR_DECOMPRESS, 0, WD_COMP_WS_32K);
	const struct steps small = { .in = 50, .out = 100 }, all = { .in = ROOM, .out = ROOM };
	unsigned int i, apart = cases(variant, 1, 7);
	size_t cut, n, used, room;

	ASSERT_NE(0, h);
	for (i = 0; i < 3; i++) {
		n = z_write(variant->alg, self->plain, 600, self->packed, how[i][0], how[i][1]);
		for (cut = 0; cut < n; cut += apart) {
			ASSERT_EQ(-EBADMSG, read_stream(self, h, cut, &small, &used))
				TH_LOG("writer %u: %zu of %zu", i, cut, n);
			ASSERT_EQ(0, wd_comp_reset_sess(h));
			ASSERT_EQ(-EBADMSG, read_stream(self, h, cut, &all, &used))
				TH_LOG("writer %u: %zu of %zu", i, cut, n);
			ASSERT_EQ(0, wd_comp_reset_sess(h));
			room = 600;
			ASSERT_EQ(-EBADMSG, whole(h, false, self->packed, cut, self->back, &room));
			EXPECT_EQ(0, room);
		}
	}
	wd_comp_free_sess(h);
}

TEST_F(levels, damage_to_a_stream_is_noticed_where_zlib_notices_it)
{
	handle_t h = sess_of(self, variant, WD_DIR_DECOMPRESS, 0, WD_COMP_WS_32K);
	const struct steps steps = { .in = 300, .out = 300 };
	unsigned int apart = cases(variant, 1, 7);
	unsigned char *judged = malloc(ROOM);
	size_t at, n, used;

	ASSERT_TRUE(h && judged);
	n = z_write(variant->alg, self->plain, 1500, self->packed, 6, Z_DEFAULT_STRATEGY);
	for (at = 0; at < n; at += apart) {
		z_stream z = { .next_in = self->packed, .avail_in = n, .next_out = judged, .avail_out = ROOM };
		int want;
		long got;

		self->packed[at] ^= 0x41;
		ASSERT_EQ(Z_OK, inflateInit2(&z, z_bits(variant->alg, 15)));
		want = inflate(&z, Z_FINISH);
		inflateEnd(&z);
		got = read_stream(self, h, n, &steps, &used);
		if (want == Z_STREAM_END) {
			EXPECT_EQ((long)z.total_out, got) TH_LOG("byte %zu", at);
			EXPECT_EQ(z.total_in, used) TH_LOG("byte %zu", at);
			EXPECT_EQ(0, memcmp(judged, self->back, z.total_out));
		} else {
			EXPECT_EQ(-EBADMSG, got) TH_LOG("byte %zu: zlib says %d", at, want);
		}
		ASSERT_EQ(0, wd_comp_reset_sess(h));
		self->packed[at] ^= 0x41;
	}
	free(judged);
	wd_comp_free_sess(h);
}

TEST_HARNESS_MAIN
