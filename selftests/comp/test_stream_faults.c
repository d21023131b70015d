// SPDX-License-Identifier: Apache-2.0
/* Streams on a device that fails, or is reset: their steps are repeated, and the result is that of a good device. */
#include "comp_test.h"
#include "emulated.h"
#include "kselftest_harness.h"

#define N	(600 * KIB)
#define ROOM	(2 * N)
#define IN	(90 * KIB)
#define OUT	(150 * KIB)
#define MOST	3		/* repeats of a step */

FIXTURE(faulty) {
	unsigned char *plain, *packed, *out, *back;
	size_t packed_len, len;
	handle_t h;
};

FIXTURE_VARIANT(faulty) {
	int alg, dir;
};

FIXTURE_VARIANT_ADD(faulty, compress_zlib) { .alg = WD_ZLIB, .dir = WD_DIR_COMPRESS };
FIXTURE_VARIANT_ADD(faulty, compress_gzip) { .alg = WD_GZIP, .dir = WD_DIR_COMPRESS };
FIXTURE_VARIANT_ADD(faulty, decompress_zlib) { .alg = WD_ZLIB, .dir = WD_DIR_DECOMPRESS };
FIXTURE_VARIANT_ADD(faulty, decompress_gzip) { .alg = WD_GZIP, .dir = WD_DIR_DECOMPRESS };

static int control(const char *text)
{
	return emulated_control(EMULATED_DEVICE, text) | emulated_control("hisi_zip-1", text);
}

FIXTURE_SETUP(faulty)
{
	self->plain = malloc(N);
	self->packed = malloc(ROOM);
	self->out = malloc(ROOM);
	self->back = malloc(N);
	ASSERT_TRUE(self->plain && self->packed && self->out && self->back);
	fill_text(self->plain, N, 3);
	self->packed_len = z_compress(variant->alg, self->plain, N, self->packed, ROOM);
	ASSERT_LT(0, (long)self->packed_len);
	self->h = sess_flags(variant->alg, variant->dir, WD_SYNC, WD_FLAT_BUF, 6, WD_COMP_WS_32K, WD_SESS_PATH_HW);
	ASSERT_NE(0, self->h) TH_LOG("%s", detail(0));
}

FIXTURE_TEARDOWN(faulty)
{
	control("fault fail=0,error=0");
	EXPECT_EQ(0, wd_comp_free_sess(self->h));
	free(self->plain);
	free(self->packed);
	free(self->out);
	free(self->back);
}

/* The next step, with that fault in both devices; at: of the source. */
static int step(FIXTURE_DATA(faulty) *self, const FIXTURE_VARIANT(faulty) *v, size_t *at, const char *fault)
{
	const unsigned char *src = v->dir ? self->packed : self->plain;
	size_t all = v->dir ? self->packed_len : N, in = all - *at < IN ? all - *at : IN, out = OUT;
	struct wd_comp_strm strm = {
		.src = src + *at, .src_len = &in, .dst = self->out + self->len, .dst_len = &out,
		.last = *at + in == all,
	};
	int ret;

	if (fault && control(fault))
		return -ENOSYS;
	ret = (v->dir ? wd_strm_decompress : wd_strm_compress)(self->h, &strm);
	*at += in;
	self->len += out;
	return ret;
}

static bool is_right(FIXTURE_DATA(faulty) *self, const FIXTURE_VARIANT(faulty) *v)
{
	const unsigned char *got = v->dir ? self->out : self->back;
	long n = (long)self->len;

	if (!v->dir)
		n = z_decompress(v->alg, self->out, self->len, self->back, N, 15);
	return n == N && !memcmp(got, self->plain, N);
}

static int whole(FIXTURE_DATA(faulty) *self, const FIXTURE_VARIANT(faulty) *v, const char *fault)
{
	size_t at = 0;
	int ret;

	self->len = 0;
	do
		ret = step(self, v, &at, fault);
	while (!ret && self->len < ROOM - OUT);
	return ret;
}

TEST_F(faulty, a_step_that_fails_is_repeated)
{
	char fault[32];
	int i;

	for (i = 1; i <= MOST; i++) {
		snprintf(fault, sizeof(fault), "fault fail=%d", i);
		ASSERT_EQ(1, whole(self, variant, fault)) TH_LOG("%s: %s", fault, detail(self->h));
		EXPECT_TRUE(is_right(self, variant));
	}
}

TEST_F(faulty, a_stream_outlives_resets)
{
	ASSERT_EQ(1, whole(self, variant, "fault error=1")) TH_LOG("%s", detail(self->h));
	EXPECT_TRUE(is_right(self, variant));
	EXPECT_LT(1, emulated_count(EMULATED_DEVICE, "error") + emulated_count("hisi_zip-1", "error"));
}

TEST_F(faulty, a_device_that_goes_on_failing_ends_the_stream)
{
	size_t at = 0;

	self->len = 0;
	ASSERT_EQ(0, step(self, variant, &at, NULL)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(-EIO, step(self, variant, &at, "fault fail=1/1"));
	EXPECT_EQ(0, control("fault fail=0"));
	EXPECT_EQ(-EIO, step(self, variant, &at, NULL));
	ASSERT_EQ(0, wd_comp_reset_sess(self->h));
	ASSERT_EQ(1, whole(self, variant, NULL)) TH_LOG("%s", detail(self->h));
	EXPECT_TRUE(is_right(self, variant));
}

/* The source may be overwritten by then. */
TEST_F(faulty, a_step_in_place_is_not_repeated)
{
	size_t in = 64 * KIB, out = ROOM;
	struct wd_comp_strm strm = { .src = self->out, .src_len = &in, .dst = self->out, .dst_len = &out };

	memcpy(self->out, variant->dir ? self->packed : self->plain, in);
	ASSERT_EQ(0, control("fault fail=1"));
	EXPECT_EQ(-EIO, (variant->dir ? wd_strm_decompress : wd_strm_compress)(self->h, &strm));
}

/* More than a descriptor holds is a stream inside. */
TEST_F(faulty, a_large_buffer_outlives_faults)
{
	size_t n = 9 * MIB, len = n + n / 8;
	unsigned char *src = malloc(n), *dst = malloc(len), *back = malloc(n);
	struct wd_comp_arg arg = { .src = src, .src_len = n, .dst = dst, .dst_len = &len };

	ASSERT_TRUE(src && dst && back);
	fill_noise(src, n, 5);
	if (!variant->dir) {
		ASSERT_EQ(0, control("fault fail=2"));
		ASSERT_EQ(0, wd_compress(self->h, &arg)) TH_LOG("%s", detail(self->h));
		EXPECT_EQ((long)n, z_decompress(variant->alg, dst, len, back, n, 15));
		EXPECT_EQ(0, memcmp(src, back, n));
	}
	free(src);
	free(dst);
	free(back);
}

TEST_HARNESS_MAIN
