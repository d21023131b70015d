// SPDX-License-Identifier: Apache-2.0
/* Where streams end: at a flag or an empty call, early, in damage, before more data; and the calls after the end. */
#include "stream_test.h"

TEST_F(stream, an_empty_stream_is_one)
{
	struct chunks late = { .in = 10, .out = 4096, .late_end = true };
	size_t n = 0, room = self->room;
	long len;

	len = run(self, self->c, true, self->plain, 0, self->packed, self->room, &late, NULL);
	ASSERT_LT(0, len) TH_LOG("%ld %s", len, detail(self->c));
	EXPECT_EQ(0, z_decompress(variant->alg, self->packed, len, self->back, self->room, 15));
	EXPECT_EQ(0, run(self, self->d, false, self->packed, len, self->back, self->room, &whole, NULL));
	/* In one call, without a source buffer. */
	ASSERT_EQ(1, call(self->c, true, NULL, &n, self->packed, &room, true, 0)) TH_LOG("%s", detail(self->c));
	EXPECT_EQ(0, z_decompress(variant->alg, self->packed, room, self->back, self->room, 15));
}

TEST_F(stream, the_finish_flag_ends_it_like_last)
{
	size_t in = 1000, room = self->room;
	struct wd_comp_strm strm = {
		.src = self->plain, .src_len = &in, .dst = self->packed, .dst_len = &room,
		.flags = WD_COMP_FLUSH_FINISH,
	};

	fill_text(self->plain, in, 1);
	EXPECT_EQ(1, wd_strm_compress(self->c, &strm)) TH_LOG("%s", detail(self->c));
	EXPECT_EQ(1000, z_decompress(variant->alg, self->packed, room, self->back, self->room, 15));
}

TEST_F_TIMEOUT(stream, input_that_ends_early_is_EBADMSG_wherever_it_ends, 200)
{
	static const struct chunks cuts[] = {
		{ .in = 64 * MIB, .out = 64 * MIB },
		{ .in = 5, .out = 50 },
		{ .in = 100, .out = 4096, .late_end = true },
	};
	size_t n = 500;
	unsigned int i;
	/* Thousands of requests. The library finds the end, wherever it runs. */
	long len, cut, apart = brief() ? 7 : 1;

	fill_text(self->plain, n, 4);
	len = z_compress(variant->alg, self->plain, n, self->packed, self->room);
	for (i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
		for (cut = 0; cut < len; cut += apart) {
			long ret = run(self, self->d, false, self->packed, cut, self->back, self->room, &cuts[i], NULL);

			ASSERT_EQ(-EBADMSG, ret)
				TH_LOG("cut %u at %ld of %ld: %ld %s", i, cut, len, ret, detail(self->d));
			ASSERT_NE(NULL, strstr(detail(self->d), "early"))
				TH_LOG("cut at %ld: %s", cut, detail(self->d));
			ASSERT_EQ(0, wd_comp_reset_sess(self->d));
		}
	}
}

TEST_F(stream, an_end_told_by_an_empty_call_is_ebadmsg_when_early)
{
	size_t n, room;
	long len, cut;

	fill_text(self->plain, 4000, 7);
	len = z_compress(variant->alg, self->plain, 4000, self->packed, self->room);
	for (cut = 1; cut < len; cut += 53) {
		n = cut;
		room = self->room;
		ASSERT_EQ(0, call(self->d, false, self->packed, &n, self->back, &room, false, 0))
			TH_LOG("cut %ld: %s", cut, detail(self->d));
		EXPECT_EQ(cut, n);
		n = 0;
		room = self->room;
		EXPECT_EQ(-EBADMSG, call(self->d, false, self->packed, &n, self->back, &room, true, 0))
			TH_LOG("cut %ld", cut);
		EXPECT_EQ(0, room);
		EXPECT_EQ(0, wd_comp_reset_sess(self->d));
	}
}

TEST_F(stream, after_an_error_only_a_reset_starts_anew)
{
	size_t in = 100, room = 4096;
	struct wd_comp_strm strm = {
		.src = self->plain, .src_len = &in, .dst = self->back, .dst_len = &room, .last = 1,
	};
	const struct chunks steps = { .in = 1000, .out = 5000 };
	long len;

	memset(self->plain, 0xff, 100);
	EXPECT_EQ(-EBADMSG, wd_strm_decompress(self->d, &strm));
	EXPECT_EQ(WD_DATA_ERR, strm.status);
	EXPECT_EQ(0, room);
	fill_text(self->plain, 100, 1);
	len = z_compress(variant->alg, self->plain, 100, self->packed, self->room);
	EXPECT_EQ(-EBADMSG, run(self, self->d, false, self->packed, len, self->back, self->room, &whole, NULL));
	EXPECT_EQ(0, wd_comp_reset_sess(self->d));
	EXPECT_EQ(100, run(self, self->d, false, self->packed, len, self->back, self->room, &whole, NULL))
		TH_LOG("%s", detail(self->d));
	if (variant->alg == WD_DEFLATE_RAW)
		return;
	/* A wrong checksum, which is found only at the end. */
	fill_text(self->plain, 50000, 7);
	len = z_compress(variant->alg, self->plain, 50000, self->packed, self->room);
	self->packed[len - (variant->alg == WD_GZIP ? 6 : 2)] ^= 1;
	EXPECT_EQ(-EBADMSG, run(self, self->d, false, self->packed, len, self->back, self->room, &steps, NULL));
	in = 10;
	room = self->room;
	EXPECT_GT(0, call(self->d, false, self->packed, &in, self->back, &room, false, 0));
	EXPECT_EQ(0, wd_comp_reset_sess(self->d));
	self->packed[len - (variant->alg == WD_GZIP ? 6 : 2)] ^= 1;
	EXPECT_EQ(50000, run(self, self->d, false, self->packed, len, self->back, self->room, &steps, NULL))
		TH_LOG("%s", detail(self->d));
}

TEST_F(stream, what_follows_the_end_is_not_consumed)
{
	size_t n = 5000, used, room = self->room;
	struct wd_comp_strm strm = { .src = self->packed, .src_len = &used, .dst = self->back, .dst_len = &room };
	long len;

	fill_text(self->plain, n, 6);
	len = z_compress(variant->alg, self->plain, n, self->packed, self->room);
	memset(self->packed + len, 0x55, 200);
	ASSERT_EQ((long)n, run(self, self->d, false, self->packed, len + 200, self->back, self->room, &whole, &used));
	EXPECT_EQ((size_t)len, used);
	/* Nor is the data behind the stream consumed without the last flag. */
	memset(self->packed + len, 0x1f, 500);
	used = len + 500;
	ASSERT_EQ(1, wd_strm_decompress(self->d, &strm)) TH_LOG("%s", detail(self->d));
	EXPECT_EQ((size_t)len, used);
	EXPECT_EQ(used, strm.consumed);
	EXPECT_EQ(n, room);
}

TEST_F(stream, a_new_one_begins_after_the_end)
{
	static const struct chunks cuts[] = { { .in = 64 * MIB, .out = 64 * MIB }, { .in = 1000, .out = 1000 } };
	size_t n = 5000;
	unsigned int i, k;
	long one, next;

	fill_text(self->plain, n, 6);
	for (i = 0; i < 2; i++) {
		one = run(self, self->c, true, self->plain, n, self->packed, self->room, &cuts[i], NULL);
		ASSERT_LT(0, one);
		for (k = 0; k < 5; k++) {
			next = run(self, self->c, true, self->plain, n, self->packed + one, self->room - one, &cuts[i],
				   NULL);
			EXPECT_EQ(one, next);
			EXPECT_EQ(0, memcmp(self->packed, self->packed + one, one));
		}
	}
}

TEST_HARNESS_MAIN
