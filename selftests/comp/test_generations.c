// SPDX-License-Identifier: Apache-2.0
/* Hardware of generation 2 has zlib and gzip, not raw deflate. Runs on devices of one generation and of both. */
#include "comp_test.h"
#include "kselftest_harness.h"

static unsigned char plain[64 * KIB], packed[80 * KIB], back[64 * KIB];

static bool have(bool second)
{
	struct uacce_dev_list *list = wd_list_accels((char *)"zlib"), *l;
	bool found = false;

	for (l = list; l; l = l->next)
		found |= !strcmp(l->info->api, "hisi_qm_v2") == second;
	wd_free_list_accels(list);
	return found;
}

/* 0, or an error of compressing and decompressing on that path; *path: where it happened. */
static int round_trip(int alg, unsigned int flags, int *path)
{
	handle_t c = sess_flags(alg, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, 6, WD_COMP_WS_32K, flags);
	handle_t d = c ? sess_flags(alg, WD_DIR_DECOMPRESS, WD_SYNC, WD_FLAT_BUF, 0, WD_COMP_WS_4K, flags) : 0;
	size_t n = sizeof(packed), m = sizeof(back);
	struct wd_comp_arg arg = { .src = plain, .src_len = sizeof(plain), .dst = packed, .dst_len = &n };
	int ret = c && d ? wd_compress(c, &arg) : -errno;

	*path = arg.path;
	if (!ret && z_decompress(alg, packed, n, back, sizeof(back), 15) != (long)sizeof(plain))
		ret = -EILSEQ;
	/* Compressed with a larger window than the decompression's session names. */
	arg = (struct wd_comp_arg){ .src = packed, .src_len = n, .dst = back, .dst_len = &m };
	if (!ret)
		ret = wd_decompress(d, &arg);
	if (!ret && (arg.path != *path || m != sizeof(plain) || memcmp(plain, back, m)))
		ret = -EILSEQ;
	wd_comp_free_sess(c);
	wd_comp_free_sess(d);
	return ret;
}

TEST(zlib_and_gzip_are_for_every_generation_and_raw_deflate_for_later_ones)
{
	bool second = have(true), other = have(false);
	int path, ret;

	if (!second && !other)
		SKIP(return, "there is no device");
	fill_text(plain, sizeof(plain), 1);
	EXPECT_EQ(0, round_trip(WD_ZLIB, WD_SESS_PATH_HW, &path)) TH_LOG("%s", detail(0));
	EXPECT_EQ(0, round_trip(WD_GZIP, WD_SESS_PATH_HW, &path)) TH_LOG("%s", detail(0));
	ret = round_trip(WD_DEFLATE_RAW, WD_SESS_PATH_HW, &path);
	EXPECT_EQ(other ? 0 : -ENODEV, ret) TH_LOG("%s", detail(0));
	EXPECT_EQ(0, round_trip(WD_DEFLATE_RAW, 0, &path)) TH_LOG("%s", detail(0));
	EXPECT_EQ(other ? WD_PATH_SIM : WD_PATH_SOFT, path);
}

TEST_HARNESS_MAIN
