// SPDX-License-Identifier: Apache-2.0
/*
 * Streams as Ceph uses them: a session for each object, undefined members, destinations of a fixed size, and "less than
 * I gave was taken" as the only sign of more.
 */
#include <zlib.h>

#include "uadk/wd_comp.h"
#include "uadk/wd_sched.h"
#include "uadk_test.h"

#include "kselftest_harness.h"
#include "noise.h"

#define MIB	(1024u * 1024u)

static handle_t session(int dir)
{
	struct wd_comp_sess_setup setup;
	struct sched_params params = { .type = (__u8)dir };

	memset(&setup, 0x5a, sizeof(setup));
	setup.op_type = dir;
	setup.alg_type = WD_ZLIB;
	setup.comp_lv = WD_COMP_L1;
	setup.win_sz = dir == WD_DIR_COMPRESS ? WD_COMP_WS_8K : WD_COMP_WS_32K;
	setup.sched_param = &params;
	return wd_comp_alloc_sess(&setup);
}

/* One step. *len and *room: in what there is, out what was taken and made. Returns 0, 1 at the end, or -WD_E*. */
static int step(handle_t h, int dir, const unsigned char *src, __u32 *len, unsigned char *dst, __u32 *room, bool last)
{
	struct wd_comp_req req;
	int ret;

	memset(&req, 0x5a, sizeof(req));
	req.op_type = dir;
	req.src = (void *)src;
	req.src_len = *len;
	req.dst = dst;
	req.dst_len = *room;
	req.data_fmt = WD_FLAT_BUF;
	req.cb = NULL;
	if (dir == WD_DIR_COMPRESS)
		req.last = last;
	ret = wd_do_comp_strm(h, &req);
	*len = req.src_len;
	*room = req.dst_len;
	return ret ? ret : req.status == WD_STREAM_END;
}

/* Returns the bytes made, or -WD_E*. */
static long compress_all(const unsigned char *src, size_t n, size_t chunk, unsigned char *dst, __u32 room_each)
{
	handle_t h = session(WD_DIR_COMPRESS);
	size_t at = 0, made = 0;
	int ret = h ? 0 : -1;

	while (at < n && ret >= 0) {
		__u32 len = (__u32)(n - at < chunk ? n - at : chunk), room = room_each;

		ret = step(h, WD_DIR_COMPRESS, src + at, &len, dst + made, &room, at + len == n);
		at += len;
		made += room;
	}
	wd_comp_free_sess(h);
	return ret < 0 ? ret : (long)made;
}

static long decompress_all(const unsigned char *src, size_t n, size_t chunk, unsigned char *dst, __u32 room_each)
{
	handle_t h = session(WD_DIR_DECOMPRESS);
	size_t at = 0, made = 0;
	int ret = h ? 0 : -1;

	/* With all of the source taken and no end, Ceph calls on without one. */
	while (!ret) {
		__u32 len = (__u32)(n - at < chunk ? n - at : chunk), room = room_each;

		ret = step(h, WD_DIR_DECOMPRESS, src + at, &len, dst + made, &room, false);
		at += len;
		made += room;
	}
	wd_comp_free_sess(h);
	return ret < 0 ? ret : (long)made;
}

FIXTURE(strm) { unsigned char *plain, *packed, *back; };
FIXTURE_VARIANT(strm) { size_t size; size_t chunk; __u32 room; bool noise; };
FIXTURE_VARIANT_ADD(strm, small) { 4096, 4096, 65536, false };
FIXTURE_VARIANT_ADD(strm, one_byte) { 1, 1, 65536, false };
FIXTURE_VARIANT_ADD(strm, tight) { 100000, 1000, 300, false };
FIXTURE_VARIANT_ADD(strm, tight_noise) { 100000, 1000, 300, true };
FIXTURE_VARIANT_ADD(strm, fits_exactly) { 3000, 3000, 500, true };
FIXTURE_VARIANT_ADD(strm, chunks) { MIB, 100000, 65536, false };
FIXTURE_VARIANT_ADD(strm, large) { 8 * MIB, 2 * MIB, MIB, false };
FIXTURE_VARIANT_ADD(strm, large_noise) { 8 * MIB, 2 * MIB, MIB, true };

FIXTURE_SETUP(strm)
{
	self->plain = malloc(variant->size);
	self->packed = malloc(2 * variant->size + 2 * MIB);
	self->back = malloc(variant->size + 2 * MIB);
	ASSERT_TRUE(self->plain && self->packed && self->back);
	if (variant->noise)
		fill_noise(self->plain, variant->size, 3);
	else
		fill_text(self->plain, variant->size, 3);
	ASSERT_EQ(0, wd_comp_init2("zlib", SCHED_POLICY_RR, TASK_MIX));
}

FIXTURE_TEARDOWN(strm)
{
	wd_comp_uninit2();
	free(self->plain);
	free(self->packed);
	free(self->back);
}

TEST_F(strm, both_ways)
{
	uLongf len = variant->size;
	long packed;

	packed = compress_all(self->plain, variant->size, variant->chunk, self->packed, variant->room);
	ASSERT_GT(packed, 0);
	ASSERT_EQ(Z_OK, uncompress(self->back, &len, self->packed, (uLong)packed));
	EXPECT_EQ(variant->size, len);
	EXPECT_EQ(0, memcmp(self->plain, self->back, len));
	memset(self->back, 0, len);
	EXPECT_EQ((long)variant->size, decompress_all(self->packed, packed, variant->chunk, self->back, variant->room));
	EXPECT_EQ(0, memcmp(self->plain, self->back, variant->size));
	/* All at once. */
	EXPECT_EQ((long)variant->size, decompress_all(self->packed, packed, packed, self->back, variant->room));
	/* Cut off: an error, and not a loop. */
	if (packed > 20)
		EXPECT_LT(decompress_all(self->packed, packed - 10, packed, self->back, MIB), 0);
}

TEST(again)
{
	static unsigned char plain[4096], packed[3 * 65536], back[4096];
	uLongf back_len;
	__u32 len, room, more;
	handle_t h;

	ASSERT_EQ(0, wd_comp_init2("zlib", SCHED_POLICY_RR, TASK_MIX));
	h = session(WD_DIR_COMPRESS);
	ASSERT_NE(0, h);
	fill_text(plain, sizeof(plain), 3);
	/* The session begins anew after the last step, and by a reset. */
	for (int i = 0; i < 3; i++) {
		len = 4096;
		room = 65536;
		EXPECT_EQ(0, step(h, WD_DIR_COMPRESS, plain, &len, packed, &room, i != 1));
		EXPECT_EQ(4096, len);
		if (i == 1) {
			EXPECT_EQ(0, wd_comp_reset_sess(h));
			continue;
		}
		back_len = 4096;
		EXPECT_EQ(Z_OK, uncompress(back, &back_len, packed, room));
		EXPECT_EQ(0, memcmp(plain, back, 4096));
	}
	/* An end of its own. */
	len = 4096;
	room = 65536;
	EXPECT_EQ(0, step(h, WD_DIR_COMPRESS, plain, &len, packed, &room, false));
	len = 0;
	more = 65536;
	EXPECT_EQ(0, step(h, WD_DIR_COMPRESS, NULL, &len, packed + room, &more, true));
	back_len = 4096;
	EXPECT_EQ(Z_OK, uncompress(back, &back_len, packed, room + more));
	wd_comp_free_sess(h);
	EXPECT_EQ(-WD_EINVAL, wd_comp_reset_sess(0));
}

TEST(refused)
{
	static unsigned char plain[30] = { 0xff }, packed[100];
	struct wd_comp_req req = { .src = plain, .src_len = 1, .dst = packed, .dst_len = 100 };
	handle_t h;

	ASSERT_EQ(0, wd_comp_init2("zlib", SCHED_POLICY_RR, TASK_MIX));
	h = session(WD_DIR_COMPRESS);
	ASSERT_NE(0, h);
	req.data_fmt = WD_SGL_BUF;
	EXPECT_EQ(-WD_EINVAL, wd_do_comp_strm(h, &req));
	req.data_fmt = WD_FLAT_BUF;
	req.dst_len = 0;
	EXPECT_EQ(-WD_EINVAL, wd_do_comp_strm(h, &req));
	req.dst_len = 100;
	req.src_len = 0;
	EXPECT_EQ(-WD_EINVAL, wd_do_comp_strm(h, &req));
	EXPECT_EQ(-WD_EINVAL, wd_do_comp_strm(0, &req));
	EXPECT_EQ(-WD_EINVAL, wd_do_comp_strm(h, NULL));
	req.op_type = WD_DIR_DECOMPRESS;
	req.src_len = 30;
	EXPECT_EQ(-WD_IN_EPARA, wd_do_comp_strm(h, &req));
	wd_comp_free_sess(h);
}

TEST_HARNESS_MAIN
