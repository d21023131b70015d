// SPDX-License-Identifier: Apache-2.0
/* Headers of zlib and gzip: written so that other programs read them, and read as other programs write them. */
#include "comp.h"
#include "comp_test.h"
#include "kselftest_harness.h"

TEST(every_written_zlib_header_is_valid_and_names_the_window)
{
	static const int cinfo[] = { 4, 5, 6, 7, 7 };
	__u8 buf[16];
	int win, level;

	for (win = WD_COMP_WS_4K; win <= WD_COMP_WS_32K; win++) {
		for (level = 1; level <= 22; level++) {
			ASSERT_EQ(2, format_write_header(WD_ZLIB, win, level, buf));
			EXPECT_EQ(8, buf[0] & 0xf);
			EXPECT_EQ(cinfo[win], buf[0] >> 4);
			EXPECT_EQ(0, (buf[0] << 8 | buf[1]) % 31);
			EXPECT_EQ(0, buf[1] & 0x20);
		}
	}
}

TEST(the_default_zlib_header_is_the_usual_one)
{
	__u8 buf[16];

	format_write_header(WD_ZLIB, WD_COMP_WS_32K, 6, buf);
	EXPECT_EQ(0x78, buf[0]);
	EXPECT_EQ(0x9c, buf[1]);
}

TEST(empty_streams_are_what_zlib_reads)
{
	__u8 buf[32], out[8];
	int alg;

	for (alg = WD_ZLIB; alg <= WD_DEFLATE_RAW; alg++) {
		size_t n = format_write_empty(alg, WD_COMP_WS_32K, 6, buf);

		EXPECT_EQ(0, z_decompress(alg, buf, n, out, sizeof(out), 15));
	}
}

static int parse(int alg, const void *buf, size_t n, size_t *head, const char **why)
{
	*why = NULL;
	return format_read_header(alg, false, buf, n, head, why);
}

TEST(a_zlib_header_with_a_wrong_part_is_refused_and_the_part_named)
{
	static const struct {
		__u8 b[2];
		const char *word;
	} bad[] = {
		{ { 0x79, 0x9c }, "method" },
		{ { 0x88, 0x1c }, "window" },
		{ { 0x78, 0x9d }, "check" },
		{ { 0x78, 0xbb }, "dictionary" },
	};
	const char *why;
	size_t head;
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		EXPECT_EQ(-EBADMSG, parse(WD_ZLIB, bad[i].b, 2, &head, &why));
		ASSERT_NE(NULL, why);
		EXPECT_NE(NULL, strstr(why, bad[i].word)) TH_LOG("%s", why);
	}
}

TEST(a_gzip_header_with_a_wrong_part_is_refused_and_the_part_named)
{
	static const struct {
		int at;
		__u8 b;
		const char *word;
	} bad[] = {
		{ 0, 0x1e, "magic" }, { 1, 0x8a, "magic" }, { 2, 7, "method" }, { 3, 0x20, "reserved" },
		{ 3, 0x80, "reserved" },
	};
	const char *why;
	__u8 buf[16];
	size_t head;
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		format_write_header(WD_GZIP, WD_COMP_WS_32K, 6, buf);
		buf[bad[i].at] = bad[i].b;
		EXPECT_EQ(-EBADMSG, parse(WD_GZIP, buf, 10, &head, &why));
		ASSERT_NE(NULL, why);
		EXPECT_NE(NULL, strstr(why, bad[i].word)) TH_LOG("%s", why);
	}
}

TEST(a_header_cut_anywhere_ends_early)
{
	static const __u8 full[] = { 0x1f, 0x8b, 8, 0x1c, 0, 0, 0, 0, 0, 3, 2, 0, 'x', 'y', 'n', 0, 'c', 0 };
	const char *why;
	size_t head;
	size_t n;

	for (n = 0; n < sizeof(full); n++) {
		ASSERT_EQ(-EBADMSG, parse(WD_GZIP, full, n, &head, &why)) TH_LOG("%zu bytes", n);
		EXPECT_NE(NULL, strstr(why, "early"));
	}
	EXPECT_EQ(0, parse(WD_GZIP, full, sizeof(full), &head, &why));
	EXPECT_EQ(sizeof(full), head);
}

TEST(an_empty_extra_field_is_one)
{
	static const __u8 full[] = { 0x1f, 0x8b, 8, 0x04, 0, 0, 0, 0, 0, 3, 0, 0, 0xff };
	const char *why;
	size_t head;

	EXPECT_EQ(0, parse(WD_GZIP, full, sizeof(full), &head, &why));
	EXPECT_EQ(12, head);
}

TEST(a_list_is_walked_over_empty_pieces)
{
	char a[3] = "ab", b[5] = "cdef", out[8] = "";
	struct wd_datalist l[3] = {
		{ .data = a, .len = 2, .next = &l[1] }, { .next = &l[2] }, { .data = b, .len = 4 }
	};

	EXPECT_EQ(0, wd_list_check(l, 6));
	EXPECT_EQ(-EINVAL, wd_list_check(l, 7));
	EXPECT_EQ(4, wd_list_copy_out(l, 1, out, 4));
	EXPECT_STREQ("bcde", out);
	EXPECT_EQ(3, wd_list_copy_in(l, 1, "XYZ", 3));
	EXPECT_STREQ("aX", a);
	EXPECT_STREQ("YZef", b);
	EXPECT_EQ(0, wd_list_copy_out(l, 6, out, 4));
}

TEST(a_list_that_is_a_loop_is_refused)
{
	char a[1];
	struct wd_datalist l = { .data = a, .len = 1, .next = &l };

	EXPECT_EQ(-E2BIG, wd_list_check(&l, 1));
}

TEST_HARNESS_MAIN
