// SPDX-License-Identifier: Apache-2.0
/* Devices that compute wrongly: a session that verifies delivers no wrong byte as success. */
#include <poll.h>
#include <wd_cq.h>

#include "comp_test.h"
#include "emulated.h"
#include "kselftest_harness.h"
#include "wait_ms.h"

#define N		(40 * KIB)
#define ROOM		(2 * N)
#define BIG		(20 * MIB)
#define ROUNDS		60

FIXTURE(verify) {
	unsigned char *plain, *packed, *out;
	size_t packed_len, len;
	struct wd_comp_arg arg;
	struct wd_datalist src[3], dst[3];
	handle_t h;
	unsigned int over;
};

FIXTURE_VARIANT(verify) {
	int alg, dir;
};

FIXTURE_VARIANT_ADD(verify, compress_zlib) { .alg = WD_ZLIB, .dir = WD_DIR_COMPRESS };
FIXTURE_VARIANT_ADD(verify, compress_gzip) { .alg = WD_GZIP, .dir = WD_DIR_COMPRESS };
FIXTURE_VARIANT_ADD(verify, decompress_zlib) { .alg = WD_ZLIB, .dir = WD_DIR_DECOMPRESS };
FIXTURE_VARIANT_ADD(verify, decompress_gzip) { .alg = WD_GZIP, .dir = WD_DIR_DECOMPRESS };

static int corrupts(const char *rule)
{
	char text[40];

	snprintf(text, sizeof(text), "fault corrupt=%s", rule);
	return emulated_control(EMULATED_DEVICE, text);
}

FIXTURE_SETUP(verify)
{
	self->plain = malloc(BIG);
	self->packed = malloc(BIG);
	self->out = malloc(BIG + BIG / 8 + 4096);
	ASSERT_TRUE(self->plain && self->packed && self->out);
	fill_text(self->plain, N, 1);
	self->packed_len = z_compress(variant->alg, self->plain, N, self->packed, ROOM);
	ASSERT_LT(0, (long)self->packed_len);
	ASSERT_EQ(0, corrupts("0"));
	/* The device is asked again and again. */
	ASSERT_EQ(0, setenv("WD_REST", "0", 1));
}

FIXTURE_TEARDOWN(verify)
{
	EXPECT_EQ(0, corrupts("0"));
	if (self->h)
		EXPECT_EQ(0, wd_comp_free_sess(self->h)) TH_LOG("%s", detail(self->h));
	free(self->plain);
	free(self->packed);
	free(self->out);
}

static bool begin(FIXTURE_DATA(verify) *self, const FIXTURE_VARIANT(verify) *v, int op, int fmt, unsigned int flags)
{
	self->h = sess_flags(v->alg, v->dir, op, fmt, 6, WD_COMP_WS_32K, flags);
	return self->h;
}

static void arg_reset(FIXTURE_DATA(verify) *self, const FIXTURE_VARIANT(verify) *v)
{
	bool compress = v->dir == WD_DIR_COMPRESS;

	self->len = ROOM;
	memset(self->out, 0x5a, ROOM);
	self->arg = (struct wd_comp_arg){
		.src = compress ? self->plain : self->packed, .src_len = compress ? N : self->packed_len,
		.dst = self->out, .dst_len = &self->len, .cb_param = &self->over,
	};
}

/* Cuts both buffers into three pieces. */
static void arg_lists(FIXTURE_DATA(verify) *self)
{
	size_t n = self->arg.src_len / 3, m = ROOM / 3;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		bool last = i == 2;

		self->src[i] = (struct wd_datalist){
			.data = (char *)self->arg.src + i * n, .len = last ? self->arg.src_len - 2 * n : n,
			.next = last ? NULL : &self->src[i + 1],
		};
		self->dst[i] = (struct wd_datalist){
			.data = (char *)self->out + i * m, .len = last ? ROOM - 2 * m : m,
			.next = last ? NULL : &self->dst[i + 1],
		};
	}
	self->arg.src = self->src;
	self->arg.dst = self->dst;
}

/* The result is what it should be. */
static bool is_right(FIXTURE_DATA(verify) *self, const FIXTURE_VARIANT(verify) *v)
{
	unsigned char *back;
	bool right;

	if (v->dir == WD_DIR_DECOMPRESS)
		return self->len == N && !memcmp(self->out, self->plain, N);
	back = malloc(N);
	right = back && z_decompress(v->alg, self->out, self->len, back, N, 15) == N && !memcmp(back, self->plain, N);
	free(back);
	return right;
}

static __u64 wrongs(FIXTURE_DATA(verify) *self)
{
	struct wd_sess_stats stats;

	return wd_sess_stats(self->h, &stats) ? 0 : stats.path[WD_PATH_SIM].wrong;
}

/* A result that was wrong was made by software, for that reason, and counted. */
static bool told(const struct wd_comp_arg *arg)
{
	return arg->path == WD_PATH_SIM ? arg->path_reason == WD_REASON_BEST :
	       arg->path == WD_PATH_SOFT && arg->path_reason == WD_REASON_WRONG;
}

TEST_F(verify, what_a_good_device_makes_is_delivered)
{
	ASSERT_TRUE(begin(self, variant, WD_SYNC, WD_FLAT_BUF, WD_SESS_VERIFY | WD_SESS_PATH_HW));
	arg_reset(self, variant);
	ASSERT_EQ(0, (variant->dir ? wd_decompress : wd_compress)(self->h, &self->arg)) TH_LOG("%s", detail(self->h));
	EXPECT_TRUE(is_right(self, variant));
	EXPECT_EQ(WD_PATH_SIM, self->arg.path);
	EXPECT_EQ(0, wrongs(self));
}

TEST_F(verify, wrong_results_are_made_again)
{
	unsigned int i, again = 0;

	ASSERT_TRUE(begin(self, variant, WD_SYNC, WD_FLAT_BUF, WD_SESS_VERIFY));
	ASSERT_EQ(0, corrupts("1/3"));
	for (i = 0; i < ROUNDS; i++) {
		arg_reset(self, variant);
		ASSERT_EQ(0, (variant->dir ? wd_decompress : wd_compress)(self->h, &self->arg))
			TH_LOG("%s", detail(self->h));
		ASSERT_TRUE(is_right(self, variant));
		ASSERT_TRUE(told(&self->arg)) TH_LOG("path %u, reason %u", self->arg.path, self->arg.path_reason);
		again += self->arg.path == WD_PATH_SOFT;
	}
	EXPECT_EQ(again, wrongs(self));
	EXPECT_LT(0, again);
	EXPECT_GT(ROUNDS, again);
}

TEST_F(verify, wrong_results_in_lists_are_made_again)
{
	unsigned int i, again = 0;

	ASSERT_TRUE(begin(self, variant, WD_SYNC, WD_SGL_BUF, WD_SESS_VERIFY));
	ASSERT_EQ(0, corrupts("1/3"));
	for (i = 0; i < ROUNDS; i++) {
		arg_reset(self, variant);
		arg_lists(self);
		ASSERT_EQ(0, (variant->dir ? wd_decompress : wd_compress)(self->h, &self->arg))
			TH_LOG("%s", detail(self->h));
		ASSERT_TRUE(is_right(self, variant));
		again += self->arg.path == WD_PATH_SOFT;
	}
	EXPECT_EQ(again, wrongs(self));
	EXPECT_LT(0, again);
}

static void count_over(struct wd_comp_arg *arg, void *param)
{
	(void)arg;
	++*(unsigned int *)param;
}

TEST_F(verify, wrong_results_of_asynchronous_requests_are_made_again)
{
	unsigned int i, again = 0;

	ASSERT_TRUE(begin(self, variant, WD_ASYNC, WD_FLAT_BUF, WD_SESS_VERIFY));
	ASSERT_EQ(0, corrupts("1/3"));
	for (i = 0; i < ROUNDS; i++) {
		arg_reset(self, variant);
		self->arg.cb = count_over;
		ASSERT_EQ(0, wd_comp_async(self->h, &self->arg, NULL)) TH_LOG("%s", detail(self->h));
		while (self->over == i) {
			ASSERT_LE(0, wd_comp_poll_wait(1, UINT_MAX, NULL));
		}
		ASSERT_EQ(WD_COMP_OK, self->arg.status);
		ASSERT_TRUE(is_right(self, variant));
		ASSERT_TRUE(told(&self->arg));
		again += self->arg.path == WD_PATH_SOFT;
	}
	EXPECT_EQ(again, wrongs(self));
	EXPECT_LT(0, again);
}

TEST_F(verify, a_completion_queue_says_that_a_result_was_wrong)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = variant->alg, .op_type = WD_ASYNC, .dir_type = variant->dir, .comp_lv = 6,
		.win_size = WD_COMP_WS_32K, .flags = WD_SESS_VERIFY | WD_SESS_CQ,
	};
	handle_t cq = wd_cq_create(8);
	struct wd_wc wc;

	ASSERT_NE(0, cq);
	setup.cq = cq;
	self->h = wd_comp_alloc_sess(&setup, NULL);
	ASSERT_NE(0, self->h) TH_LOG("%s", detail(0));
	ASSERT_EQ(0, corrupts("1/1"));
	arg_reset(self, variant);
	ASSERT_EQ(0, wd_comp_async(self->h, &self->arg, NULL)) TH_LOG("%s", detail(self->h));
	while (!wd_poll_cq(cq, 1, &wc))
		;
	EXPECT_EQ(0, wc.status);
	EXPECT_EQ(self->len, wc.byte_len);
	EXPECT_TRUE(is_right(self, variant));
	EXPECT_EQ(WD_REASON_WRONG, self->arg.path_reason);
	ASSERT_EQ(0, wd_comp_free_sess(self->h));
	self->h = 0;
	EXPECT_EQ(0, wd_cq_destroy(cq));
}

TEST_F(verify, for_devices_only_a_wrong_result_is_an_error)
{
	ASSERT_TRUE(begin(self, variant, WD_SYNC, WD_FLAT_BUF, WD_SESS_VERIFY | WD_SESS_PATH_HW));
	ASSERT_EQ(0, corrupts("1/1"));
	arg_reset(self, variant);
	EXPECT_EQ(-EIO, (variant->dir ? wd_decompress : wd_compress)(self->h, &self->arg));
	EXPECT_NE(NULL, strstr(detail(self->h), "result is wrong")) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(WD_REASON_WRONG, self->arg.path_reason);
	EXPECT_EQ(0, self->len);
	EXPECT_EQ(1, wrongs(self));
}

TEST_F(verify, more_than_one_descriptor_holds_is_verified_as_a_whole)
{
	size_t n = 9 * MIB, len = BIG + BIG / 8;
	struct wd_comp_arg arg = { .dst = self->out, .dst_len = &len };
	unsigned char *back = malloc(n);

	ASSERT_TRUE(back);
	ASSERT_TRUE(begin(self, variant, WD_SYNC, WD_FLAT_BUF, WD_SESS_VERIFY));
	fill_noise(self->plain, n, 3);
	arg.src = self->plain;
	arg.src_len = n;
	if (variant->dir == WD_DIR_DECOMPRESS) {
		arg.src = self->packed;
		arg.src_len = z_compress(variant->alg, self->plain, n, self->packed, BIG);
		ASSERT_LT(0, (long)arg.src_len);
	}
	ASSERT_EQ(0, corrupts("1/1"));
	ASSERT_EQ(0, (variant->dir ? wd_decompress : wd_compress)(self->h, &arg)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(WD_REASON_WRONG, arg.path_reason);
	if (variant->dir == WD_DIR_COMPRESS)
		EXPECT_EQ((long)n, z_decompress(variant->alg, self->out, len, back, n, 15));
	EXPECT_EQ(0, memcmp(variant->dir ? self->out : back, self->plain, n));
	free(back);
}

/* Takes a whole stream through in pieces; 1 at its end, or the error. */
static int stream(FIXTURE_DATA(verify) *self, const FIXTURE_VARIANT(verify) *v, unsigned int flags)
{
	size_t all = v->dir ? self->packed_len : N, at = 0;
	const unsigned char *src = v->dir ? self->packed : self->plain;
	int ret;

	self->len = 0;
	do {
		size_t in = all - at < 3000 ? all - at : 3000, out = 5000;
		struct wd_comp_strm strm = {
			.src = src + at, .src_len = &in, .dst = self->out + self->len, .dst_len = &out,
			.last = at + in == all, .flags = flags,
		};

		ret = (v->dir ? wd_strm_decompress : wd_strm_compress)(self->h, &strm);
		self->arg.path_reason = strm.path_reason;
		at += in;
		self->len += out;
	} while (!ret && self->len < ROOM);
	return ret;
}

TEST_F(verify, a_good_stream_ends_well)
{
	ASSERT_TRUE(begin(self, variant, WD_SYNC, WD_FLAT_BUF, WD_SESS_VERIFY | WD_SESS_PATH_HW));
	ASSERT_EQ(1, stream(self, variant, 0)) TH_LOG("%s", detail(self->h));
	EXPECT_TRUE(is_right(self, variant));
	ASSERT_EQ(1, stream(self, variant, variant->dir ? 0 : WD_COMP_FLUSH_SYNC)) TH_LOG("%s", detail(self->h));
	EXPECT_TRUE(is_right(self, variant));
}

TEST_F(verify, a_wrong_stream_never_ends_as_success)
{
	unsigned int i, ends = 0;
	int ret;

	ASSERT_TRUE(begin(self, variant, WD_SYNC, WD_FLAT_BUF, WD_SESS_VERIFY | WD_SESS_PATH_HW));
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, corrupts(i % 2 ? "1/1" : "1/8"));
		ret = stream(self, variant, i % 3 || variant->dir ? 0 : WD_COMP_FLUSH_SYNC);
		ends += ret == 1;
		ASSERT_TRUE(ret < 0 || (ret == 1 && is_right(self, variant))) TH_LOG("%d", ret);
		ASSERT_TRUE(ret != -EIO || self->arg.path_reason == WD_REASON_WRONG) TH_LOG("%s", detail(self->h));
		ASSERT_EQ(0, wd_comp_reset_sess(self->h));
	}
	EXPECT_GE(ROUNDS / 2, ends);
	EXPECT_LT(0, wrongs(self));
}

/* A hundred thousand are those of all variants; WD_TEST_LONG: of each. */
TEST_F(verify, no_wrong_byte_in_a_hundred_thousand)
{
	unsigned int i, nr = brief() ? 2000 : getenv("WD_TEST_LONG") ? 100000 : 25000, seed = 7;
	unsigned char *back = malloc(4096);

	ASSERT_TRUE(back);
	ASSERT_TRUE(begin(self, variant, WD_SYNC, WD_FLAT_BUF, WD_SESS_VERIFY));
	ASSERT_EQ(0, corrupts("1/4"));
	for (i = 0; i < nr; i++) {
		size_t n = 1 + (seed = seed * 1103515245u + 12345u) / 65536 % 1500, len = 4096;
		size_t at = seed / 7 % (N - n);
		struct wd_comp_arg arg = {
			.src = self->plain + at, .src_len = n, .dst = self->out, .dst_len = &len,
		};

		if (variant->dir) {
			arg.src_len = z_compress(variant->alg, self->plain + at, n, self->packed, ROOM);
			arg.src = self->packed;
		}
		ASSERT_EQ(0, (variant->dir ? wd_decompress : wd_compress)(self->h, &arg)) TH_LOG("%s", detail(self->h));
		if (variant->dir)
			memcpy(back, self->out, len);
		else
			len = z_decompress(variant->alg, self->out, len, back, 4096, 15);
		ASSERT_EQ(n, len) TH_LOG("request %u", i);
		ASSERT_EQ(0, memcmp(back, self->plain + at, n)) TH_LOG("request %u", i);
	}
	EXPECT_LT(0, wrongs(self));
	free(back);
}

TEST_F(verify, corrupt_data_is_still_corrupt)
{
	ASSERT_TRUE(begin(self, variant, WD_SYNC, WD_FLAT_BUF, WD_SESS_VERIFY));
	if (!variant->dir)
		return;
	self->packed[self->packed_len / 2] ^= 0x10;
	arg_reset(self, variant);
	EXPECT_EQ(-EBADMSG, wd_decompress(self->h, &self->arg));
	EXPECT_EQ(WD_PATH_SIM, self->arg.path);
	EXPECT_EQ(0, wrongs(self));
}

TEST_F(verify, the_source_is_needed_so_buffers_that_overlap_are_refused)
{
	ASSERT_TRUE(begin(self, variant, WD_SYNC, WD_FLAT_BUF, WD_SESS_VERIFY));
	arg_reset(self, variant);
	memcpy(self->out, self->arg.src, self->arg.src_len);
	self->arg.src = self->out;
	EXPECT_EQ(-EINVAL, (variant->dir ? wd_decompress : wd_compress)(self->h, &self->arg));
	EXPECT_NE(NULL, strstr(detail(self->h), "overlap")) TH_LOG("%s", detail(self->h));
	ASSERT_EQ(0, wd_comp_free_sess(self->h));
	/* One byte of a list is enough. */
	ASSERT_TRUE(begin(self, variant, WD_SYNC, WD_SGL_BUF, WD_SESS_VERIFY));
	arg_reset(self, variant);
	arg_lists(self);
	self->dst[1].data = (char *)self->src[2].data + 1 - self->dst[1].len;
	EXPECT_EQ(-EINVAL, (variant->dir ? wd_decompress : wd_compress)(self->h, &self->arg));
	EXPECT_NE(NULL, strstr(detail(self->h), "overlap")) TH_LOG("%s", detail(self->h));
}

/* The destination may reach into the source; what is written doesn't. */
TEST_F(verify, a_program_that_did_not_ask_may_overlap_buffers)
{
	ASSERT_EQ(0, setenv("WD_VERIFY", "1", 1));
	ASSERT_TRUE(begin(self, variant, WD_SYNC, WD_FLAT_BUF, 0));
	ASSERT_EQ(0, unsetenv("WD_VERIFY"));
	arg_reset(self, variant);
	self->len = ROOM - self->arg.src_len + 1;
	memcpy(self->out + self->len - 1, self->arg.src, self->arg.src_len);
	self->arg.src = self->out + self->len - 1;
	EXPECT_EQ(0, (variant->dir ? wd_decompress : wd_compress)(self->h, &self->arg));
	EXPECT_EQ(WD_PATH_SIM, self->arg.path);
}

TEST_F(verify, the_environment_replaces_the_flag)
{
	ASSERT_EQ(0, setenv("WD_VERIFY", "1", 1));
	ASSERT_TRUE(begin(self, variant, WD_SYNC, WD_FLAT_BUF, 0));
	ASSERT_EQ(0, corrupts("1/1"));
	arg_reset(self, variant);
	ASSERT_EQ(0, (variant->dir ? wd_decompress : wd_compress)(self->h, &self->arg));
	EXPECT_EQ(WD_REASON_WRONG, self->arg.path_reason);
	ASSERT_EQ(0, wd_comp_free_sess(self->h));
	ASSERT_EQ(0, setenv("WD_VERIFY", "0", 1));
	ASSERT_TRUE(begin(self, variant, WD_SYNC, WD_FLAT_BUF, WD_SESS_VERIFY));
	arg_reset(self, variant);
	(void)(variant->dir ? wd_decompress : wd_compress)(self->h, &self->arg);
	EXPECT_EQ(WD_PATH_SIM, self->arg.path);
	ASSERT_EQ(0, wd_comp_free_sess(self->h));
	ASSERT_EQ(0, setenv("WD_VERIFY", "yes", 1));
	EXPECT_FALSE(begin(self, variant, WD_SYNC, WD_FLAT_BUF, 0));
	EXPECT_NE(NULL, strstr(detail(0), "WD_VERIFY")) TH_LOG("%s", detail(0));
	ASSERT_EQ(0, unsetenv("WD_VERIFY"));
}

/* Compresses raw data, as whole streams or as parts, on a device that is wrong now and then. */
static void raw_rounds(struct __test_metadata *_metadata, int alg, __u32 flags)
{
	unsigned char *plain = malloc(N), *out = malloc(ROOM), *back = malloc(N);
	unsigned int i, again = 0;
	handle_t h;

	ASSERT_TRUE(plain && out && back);
	ASSERT_EQ(0, setenv("WD_REST", "0", 1));
	h = sess_flags(alg, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, 6, WD_COMP_WS_32K, WD_SESS_VERIFY);
	ASSERT_NE(0, h) TH_LOG("%s", detail(0));
	fill_text(plain, N, 5);
	ASSERT_EQ(0, corrupts("1/3"));
	for (i = 0; i < ROUNDS; i++) {
		size_t len = ROOM - 2;
		struct wd_comp_arg arg = { .src = plain, .src_len = N, .dst = out, .dst_len = &len, .flags = flags };

		ASSERT_EQ(0, wd_compress(h, &arg)) TH_LOG("%s", detail(h));
		if (flags) {
			memcpy(out + len, "\x03\x00", 2);
			len += 2;
		}
		ASSERT_EQ(N, z_decompress(WD_DEFLATE_RAW, out, len, back, N, 15));
		ASSERT_EQ(0, memcmp(back, plain, N));
		again += arg.path == WD_PATH_SOFT;
	}
	EXPECT_LT(0, again);
	EXPECT_GT(ROUNDS, again);
	EXPECT_EQ(0, corrupts("0"));
	EXPECT_EQ(0, wd_comp_free_sess(h));
	free(plain);
	free(out);
	free(back);
}

/* Parts are raw, whatever the session's format. */
TEST(wrong_parts_are_made_again)
{
	raw_rounds(_metadata, WD_ZLIB, WD_COMP_PART);
}

TEST(wrong_raw_results_are_made_again)
{
	if (expected_path("deflate") != WD_PATH_SIM)
		SKIP(return, "no device has raw data");
	raw_rounds(_metadata, WD_DEFLATE_RAW, 0);
}

TEST(raw_data_is_decompressed_by_software_because_it_has_no_checksum)
{
	unsigned char plain[1000], packed[2000], out[1000];
	size_t len = sizeof(out);
	struct wd_comp_arg arg = { .src = packed, .dst = out, .dst_len = &len };
	handle_t h;

	if (expected_path("deflate") != WD_PATH_SIM)
		SKIP(return, "no device has raw data");
	fill_text(plain, sizeof(plain), 1);
	arg.src_len = z_compress(WD_DEFLATE_RAW, plain, sizeof(plain), packed, sizeof(packed));
	h = sess_flags(WD_DEFLATE_RAW, WD_DIR_DECOMPRESS, WD_SYNC, WD_FLAT_BUF, 0, 0, WD_SESS_VERIFY);
	ASSERT_NE(0, h) TH_LOG("%s", detail(0));
	ASSERT_EQ(0, wd_decompress(h, &arg));
	EXPECT_EQ(0, memcmp(out, plain, sizeof(plain)));
	EXPECT_EQ(WD_PATH_SOFT, arg.path);
	EXPECT_EQ(WD_REASON_UNSUPPORTED, arg.path_reason);
	ASSERT_EQ(0, wd_comp_free_sess(h));
	h = sess_flags(WD_DEFLATE_RAW, WD_DIR_DECOMPRESS, WD_SYNC, WD_FLAT_BUF, 0, 0, WD_SESS_VERIFY | WD_SESS_PATH_HW);
	EXPECT_EQ(0, h);
	EXPECT_EQ(EOPNOTSUPP, errno);
}

TEST_HARNESS_MAIN
