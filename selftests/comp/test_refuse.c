// SPDX-License-Identifier: Apache-2.0
/* Every call of libwd_comp refuses what it can't use, says why, and changes nothing. */
#include "comp_test.h"
#include "kselftest_harness.h"

static struct wd_comp_sess_setup good_setup(void)
{
	return (struct wd_comp_sess_setup){ .alg_type = WD_ZLIB, .comp_lv = 6, .win_size = WD_COMP_WS_32K };
}

#define REFUSED(setup, word) do { \
	errno = 0; \
	EXPECT_EQ(0, wd_comp_alloc_sess(&(setup), NULL)); \
	EXPECT_EQ(EINVAL, errno); \
	EXPECT_NE(NULL, strstr(detail(0), word)) TH_LOG("%s", detail(0)); \
} while (0)

TEST(a_setup_out_of_range_is_EINVAL_and_named)
{
	struct wd_comp_sess_setup s;

	errno = 0;
	EXPECT_EQ(0, wd_comp_alloc_sess(NULL, NULL));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_NE(NULL, strstr(detail(0), "setup"));
	s = good_setup(); s.alg_type = 99; REFUSED(s, "alg_type");
	s = good_setup(); s.op_type = 2; REFUSED(s, "op_type");
	s = good_setup(); s.dir_type = 2; REFUSED(s, "dir_type");
	s = good_setup(); s.comp_lv = 0; REFUSED(s, "comp_lv");
	s = good_setup(); s.comp_lv = 23; REFUSED(s, "comp_lv");
	s = good_setup(); s.win_size = 5; REFUSED(s, "win_size");
	s = good_setup(); s.data_fmt = 2; REFUSED(s, "data_fmt");
	s = good_setup(); s.flags = 0x80; REFUSED(s, "flags");
	s = good_setup(); s.flags = 0x80000000u; REFUSED(s, "flags");
	s = good_setup(); s.flags = WD_SESS_PATH_HW | WD_SESS_PATH_SOFT; REFUSED(s, "flags");
	s = good_setup(); s.reserved[2] = 1; REFUSED(s, "reserved");
}

TEST(level_0_is_accepted_when_decompressing)
{
	struct wd_comp_sess_setup s = good_setup();
	handle_t h;

	s.dir_type = WD_DIR_DECOMPRESS;
	s.comp_lv = 0;
	h = wd_comp_alloc_sess(&s, NULL);
	ASSERT_NE(0, h) TH_LOG("%s", detail(0));
	EXPECT_EQ(0, wd_comp_free_sess(h));
}

TEST(a_mask_that_is_none_is_EINVAL)
{
	struct wd_comp_sess_setup s = good_setup();
	unsigned char bits[8] = { 0xff };
	wd_dev_mask_t mask = { .mask = bits, .len = 8, .magic = 1 };

	errno = 0;
	EXPECT_EQ(0, wd_comp_alloc_sess(&s, &mask));
	EXPECT_EQ(EINVAL, errno);
}

TEST(an_empty_mask_leaves_no_device)
{
	struct wd_comp_sess_setup s = good_setup();
	wd_dev_mask_t *mask = wd_dev_mask_alloc();

	ASSERT_NE(NULL, mask);
	s.flags = WD_SESS_PATH_HW;
	errno = 0;
	EXPECT_EQ(0, wd_comp_alloc_sess(&s, mask));
	EXPECT_EQ(ENODEV, errno);
	wd_dev_mask_free(mask);
}

TEST(a_path_flag_is_granted_where_there_is_such_a_path)
{
	struct wd_comp_sess_setup s = good_setup();
	bool device = expected_path("zlib") != WD_PATH_SOFT;
	handle_t h;

	s.flags = WD_SESS_PATH_HW;
	errno = 0;
	h = wd_comp_alloc_sess(&s, NULL);
	EXPECT_EQ(device, h != 0) TH_LOG("%s", detail(0));
	if (h)
		EXPECT_EQ(0, wd_comp_free_sess(h));
	if (!device)
		EXPECT_EQ(ENODEV, errno);
	s.flags = WD_SESS_PATH_SOFT;
	h = wd_comp_alloc_sess(&s, NULL);
	ASSERT_NE(0, h) TH_LOG("%s", detail(0));
	EXPECT_EQ(0, wd_comp_free_sess(h));
}

TEST(WD_PATH_restricts_and_never_widens)
{
	struct wd_comp_sess_setup s = good_setup();
	handle_t h;

	setenv("WD_PATH", "soft", 1);
	s.flags = WD_SESS_PATH_HW;
	errno = 0;
	EXPECT_EQ(0, wd_comp_alloc_sess(&s, NULL));
	EXPECT_EQ(EOPNOTSUPP, errno);
	s.flags = 0;
	h = wd_comp_alloc_sess(&s, NULL);
	ASSERT_NE(0, h);
	EXPECT_EQ(0, wd_comp_sess_caps(h) & (WD_CAP_HW | WD_CAP_SIM));
	EXPECT_EQ(0, wd_comp_free_sess(h));
	setenv("WD_PATH", "hw", 1);
	s.flags = WD_SESS_PATH_SOFT;
	errno = 0;
	EXPECT_EQ(0, wd_comp_alloc_sess(&s, NULL));
	EXPECT_EQ(EOPNOTSUPP, errno);
	setenv("WD_PATH", "fast", 1);
	s.flags = 0;
	errno = 0;
	EXPECT_EQ(0, wd_comp_alloc_sess(&s, NULL));
	EXPECT_EQ(EINVAL, errno);
	unsetenv("WD_PATH");
}

FIXTURE(refuse) {
	handle_t c, d, a;
	unsigned char src[1000], dst[2000];
	size_t len;
	struct wd_comp_arg arg;
	struct wd_comp_strm strm;
};

static void never(struct wd_comp_arg *arg, void *param)
{
	(void)arg;
	(void)param;
	abort();
}

FIXTURE_SETUP(refuse)
{
	self->c = sess_new(WD_ZLIB, WD_DIR_COMPRESS, WD_SYNC);
	self->d = sess_new(WD_ZLIB, WD_DIR_DECOMPRESS, WD_SYNC);
	self->a = sess_new(WD_ZLIB, WD_DIR_COMPRESS, WD_ASYNC);
	ASSERT_TRUE(self->c && self->d && self->a);
	fill_text(self->src, sizeof(self->src), 1);
	self->len = sizeof(self->dst);
	self->arg = (struct wd_comp_arg){
		.src = self->src, .src_len = sizeof(self->src), .dst = self->dst, .dst_len = &self->len, .cb = never,
	};
	self->strm = (struct wd_comp_strm){
		.src = self->src, .src_len = &self->arg.src_len, .dst = self->dst, .dst_len = &self->len, .last = 1,
	};
}

FIXTURE_TEARDOWN(refuse)
{
	EXPECT_EQ(0, wd_comp_free_sess(self->c));
	EXPECT_EQ(0, wd_comp_free_sess(self->d));
	EXPECT_EQ(0, wd_comp_free_sess(self->a));
}

#define BAD_ARG(change, word) do { \
	struct wd_comp_arg arg = self->arg; \
	\
	self->len = sizeof(self->dst); \
	change; \
	EXPECT_EQ(-EINVAL, wd_compress(self->c, &arg)); \
	EXPECT_EQ(arg.dst_len ? 0 : sizeof(self->dst), self->len); \
	EXPECT_EQ(WD_COMP_PARMS, arg.status); \
	EXPECT_EQ(WD_PATH_NONE, arg.path); \
	EXPECT_NE(NULL, strstr(detail(self->c), word)) TH_LOG("%s", detail(self->c)); \
	self->len = sizeof(self->dst); \
	arg = self->arg; \
	change; \
	EXPECT_EQ(-EINVAL, wd_comp_async(self->a, &arg, NULL)); \
	EXPECT_NE(NULL, strstr(detail(self->a), word)) TH_LOG("%s", detail(self->a)); \
} while (0)

TEST_F(refuse, a_request_with_bad_members_is_EINVAL_and_the_member_named)
{
	BAD_ARG(arg.src = NULL, "src is NULL");
	BAD_ARG(arg.dst = NULL, "dst is NULL");
	BAD_ARG(arg.dst_len = NULL, "dst_len");
	BAD_ARG(arg.flags = 2, "flags");
	BAD_ARG(arg.flags = 1u << 31, "flags");
	BAD_ARG(arg.reserved[3] = 1, "reserved");
	EXPECT_EQ(-EINVAL, wd_compress(self->c, NULL));
	EXPECT_EQ(-EINVAL, wd_comp_async(self->a, NULL, NULL));
	self->arg.cb = NULL;
	EXPECT_EQ(-EINVAL, wd_comp_async(self->a, &self->arg, NULL));
	EXPECT_NE(NULL, strstr(detail(self->a), "cb"));
	EXPECT_EQ(0, wd_in_flight(NULL));
}

TEST_F(refuse, a_session_of_the_other_kind_is_EINVAL)
{
	EXPECT_EQ(-EINVAL, wd_decompress(self->c, &self->arg));
	EXPECT_EQ(0, self->len);
	EXPECT_EQ(WD_COMP_PARMS, self->arg.status);
	self->len = sizeof(self->dst);
	EXPECT_EQ(-EINVAL, wd_compress(self->d, &self->arg));
	self->len = sizeof(self->dst);
	EXPECT_EQ(-EINVAL, wd_compress(self->a, &self->arg));
	self->len = sizeof(self->dst);
	EXPECT_EQ(-EINVAL, wd_comp_async(self->c, &self->arg, NULL));
	EXPECT_EQ(-EINVAL, wd_strm_compress(self->a, &self->strm));
	EXPECT_EQ(-EINVAL, wd_strm_decompress(self->c, &self->strm));
}

TEST_F(refuse, a_handle_that_is_none_is_EINVAL_everywhere)
{
	handle_t bad[] = { 0, 0, 1, ~0ull, 0x1234567812345678ull, self->c ^ 1ull << 40 }, h;
	struct wd_comp_arg *args[] = { &self->arg };
	wd_ctx_set_t *set = wd_ctx_set_alloc();
	unsigned int i;

	bad[0] = sess_new(WD_ZLIB, WD_DIR_COMPRESS, WD_SYNC);
	ASSERT_EQ(0, wd_comp_free_sess(bad[0]));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		h = bad[i];
		EXPECT_EQ(-EINVAL, wd_compress(h, &self->arg));
		EXPECT_EQ(-EINVAL, wd_decompress(h, &self->arg));
		EXPECT_EQ(-EINVAL, wd_strm_compress(h, &self->strm));
		EXPECT_EQ(-EINVAL, wd_strm_decompress(h, &self->strm));
		EXPECT_EQ(-EINVAL, wd_comp_async(h, &self->arg, NULL));
		EXPECT_EQ(-EINVAL, wd_comp_async_burst(h, args, 1, NULL));
		EXPECT_EQ(-EINVAL, wd_comp_wait(h, 1));
		EXPECT_EQ(-EINVAL, wd_comp_wakeup(h));
		EXPECT_EQ(-EINVAL, wd_comp_reset_sess(h));
		EXPECT_EQ(-EINVAL, wd_comp_free_sess(h));
		EXPECT_EQ(-EINVAL, wd_comp_sess_caps(h));
		EXPECT_EQ(-EINVAL, wd_ctx_set_from_sess(h, set));
		errno = 0;
		EXPECT_EQ(0, wd_comp_bound(h, 10));
		EXPECT_EQ(EINVAL, errno);
	}
	wd_ctx_set_free(set);
}

TEST_F(refuse, errno_is_left_alone)
{
	handle_t h = sess_new(WD_ZLIB, WD_DIR_COMPRESS, WD_SYNC);

	ASSERT_NE(0, h);
	errno = 4242;
	EXPECT_EQ(0, wd_compress(self->c, &self->arg));
	EXPECT_EQ(4242, errno);
	self->len = 1;
	EXPECT_EQ(-ENOSPC, wd_compress(self->c, &self->arg));
	EXPECT_EQ(4242, errno);
	EXPECT_EQ(-EINVAL, wd_compress(0, &self->arg));
	EXPECT_EQ(4242, errno);
	EXPECT_EQ(0, wd_comp_free_sess(h));
	EXPECT_EQ(4242, errno);
}

#define BAD_STEP(change, made) do { \
	struct wd_comp_strm strm = *good; \
	\
	self->arg.src_len = 1000; \
	self->len = 2000; \
	change; \
	EXPECT_EQ(-EINVAL, wd_strm_compress(self->c, &strm)); \
	EXPECT_EQ(made, self->len); \
} while (0)

static void check_bad_steps(struct __test_metadata *_metadata, FIXTURE_DATA(refuse) *self,
			    const struct wd_comp_strm *good)
{
	EXPECT_EQ(-EINVAL, wd_strm_compress(self->c, NULL));
	BAD_STEP(strm.src = NULL, 0);
	BAD_STEP(strm.dst = NULL, 0);
	BAD_STEP(strm.src_len = NULL, 0);
	BAD_STEP(strm.dst_len = NULL, 2000);
	BAD_STEP(strm.last = 2, 0);
	BAD_STEP(strm.flags = 4, 0);
	BAD_STEP(strm.flags = 1u << 31, 0);
	self->arg.src_len = 1000;
	self->len = 2000;
	EXPECT_EQ(-EINVAL, wd_strm_decompress(self->c, &(struct wd_comp_strm){
		.src = good->src, .src_len = good->src_len, .dst = good->dst, .dst_len = good->dst_len,
		.last = good->last,
	}));
	self->arg.src_len = 1000;
	self->len = 2000;
}

/* A bad step never begins a stream, and a stream that has begun goes on. */
TEST_F(refuse, a_step_with_bad_members_is_EINVAL_and_leaves_the_stream_alone)
{
	struct wd_comp_strm half = self->strm;
	unsigned char back[2000];
	size_t made;

	check_bad_steps(_metadata, self, &self->strm);
	half.last = 0;
	EXPECT_EQ(0, wd_strm_compress(self->c, &half)) TH_LOG("%s", detail(self->c));
	EXPECT_EQ(1000, self->arg.src_len);
	made = self->len;
	self->strm.dst = self->dst + made;
	check_bad_steps(_metadata, self, &self->strm);
	self->len = sizeof(self->dst) - made;
	EXPECT_EQ(1, wd_strm_compress(self->c, &self->strm)) TH_LOG("%s", detail(self->c));
	ASSERT_EQ(2000, z_decompress(WD_ZLIB, self->dst, made + self->len, back, sizeof(back), 15));
	EXPECT_EQ(0, memcmp(self->src, back, 1000) | memcmp(self->src, back + 1000, 1000));
}

TEST_F(refuse, lists_shorter_than_their_length_are_EINVAL)
{
	handle_t h = sess_flags(WD_ZLIB, WD_DIR_COMPRESS, WD_SYNC, WD_SGL_BUF, 6, WD_COMP_WS_32K, 0);
	struct wd_datalist src = { .data = self->src, .len = 999 }, dst = { .data = self->dst, .len = 2000 };

	ASSERT_NE(0, h);
	self->arg.src = &src;
	self->arg.dst = &dst;
	EXPECT_EQ(-EINVAL, wd_compress(h, &self->arg));
	self->len = 2000;
	src.len = 1000;
	dst.len = 1999;
	EXPECT_EQ(-EINVAL, wd_compress(h, &self->arg));
	self->len = 2000;
	dst.len = 2000;
	src.data = NULL;
	EXPECT_EQ(-EINVAL, wd_compress(h, &self->arg));
	self->len = 2000;
	src.data = self->src;
	EXPECT_EQ(0, wd_compress(h, &self->arg)) TH_LOG("%s", detail(h));
	wd_comp_free_sess(h);
}

TEST_F(refuse, more_than_a_descriptor_holds_is_EFBIG_when_asynchronous)
{
	size_t n = 8 * MIB + 1;
	void *src = calloc(1, n);

	self->arg.src = src;
	self->arg.src_len = n;
	EXPECT_EQ(-EFBIG, wd_comp_async(self->a, &self->arg, NULL));
	EXPECT_EQ(0, wd_in_flight(NULL));
	free(src);
}

TEST_F(refuse, polling_for_nothing_or_a_bad_set_is_EINVAL)
{
	unsigned char bits[8] = { 0xff };
	wd_ctx_set_t bad = { .set = bits, .len = 8, .magic = 1 };
	wd_ctx_set_t *empty = wd_ctx_set_alloc();

	ASSERT_NE(NULL, empty);
	EXPECT_EQ(-EINVAL, wd_comp_poll(0, 10, NULL));
	EXPECT_EQ(-EINVAL, wd_comp_poll(1, 10, &bad));
	EXPECT_EQ(-EINVAL, wd_comp_poll(1, 10, empty));
	EXPECT_EQ(-EINVAL, wd_comp_async(self->a, &self->arg, &bad));
	EXPECT_EQ(-EINVAL, wd_comp_async(self->a, &self->arg, empty));
	EXPECT_STREQ("the set names no context that this session may use: Invalid argument", detail(self->a));
	EXPECT_EQ(-EINVAL, wd_in_flight(&bad));
	EXPECT_EQ(-EINVAL, wd_comp_wait_set(&bad, 1));
	EXPECT_EQ(-EINVAL, wd_comp_wakeup_set(&bad));
	EXPECT_EQ(-EINVAL, wd_comp_wakeup_set(NULL));
	EXPECT_EQ(0, wd_comp_poll(1, 10, NULL));
	wd_ctx_set_free(empty);
}

TEST_F(refuse, a_burst_of_less_than_nothing_is_EINVAL)
{
	struct wd_comp_arg *args[] = { &self->arg };

	EXPECT_EQ(-EINVAL, wd_comp_async_burst(self->a, args, -1, NULL));
	EXPECT_EQ(-EINVAL, wd_comp_async_burst(self->a, NULL, 1, NULL));
	EXPECT_EQ(0, wd_comp_async_burst(self->a, args, 0, NULL));
}

TEST_F(refuse, no_buffer_can_hold_the_bound_of_everything)
{
	int alg;

	for (alg = WD_ZLIB; alg <= WD_DEFLATE_RAW; alg++) {
		handle_t h = sess_new(alg, WD_DIR_COMPRESS, WD_SYNC);

		ASSERT_NE(0, h);
		errno = 0;
		EXPECT_EQ(0, wd_comp_bound(h, (size_t)-1));
		EXPECT_EQ(EOVERFLOW, errno);
		EXPECT_LT(0, wd_comp_bound(h, 0));
		EXPECT_EQ(0, wd_comp_free_sess(h));
	}
}

TEST_F(refuse, contexts_that_never_were_are_ENOENT)
{
	struct wd_ctx_info info;

	EXPECT_EQ(-EINVAL, wd_ctx_info(0, NULL));
	EXPECT_EQ(-ENOENT, wd_ctx_info(100000, &info));
	EXPECT_EQ(-ENOENT, wd_ctx_info(1000000, &info));
	EXPECT_EQ(0, wd_ctx_info(0, &info));
}

TEST_HARNESS_MAIN
