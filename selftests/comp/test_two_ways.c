// SPDX-License-Identifier: Apache-2.0
/* The fast path and the slow path write the same descriptor for the same request. */
#include "comp_test.h"
#include "hw/zip_hw.h"
#include "kselftest_harness.h"
#include "two_ways.h"

#define TAG_WORD	(offsetof(struct zip_sqe, tag_l) / sizeof(__u32))

static int dir;

static int compress_or_not(handle_t h, void *req)
{
	return dir == WD_DIR_COMPRESS ? wd_compress(h, req) : wd_decompress(h, req);
}

WAYS_LIB(comp, compress_or_not);

FIXTURE(ways) {
	unsigned char src[3000], dst[4000];
};

WAYS_VARIANTS;

FIXTURE_SETUP(ways)
{
	if (!emulated())
		SKIP(return, "needs wd-emulate");
	fill_text(self->src, sizeof(self->src), 1);
}

FIXTURE_TEARDOWN(ways)
{
}

static const char *differ(struct wd_comp_sess_setup *setup, enum ways_call call, const void *src, size_t src_len,
			  void *dst, size_t room)
{
	static char text[200];
	size_t len[2] = { room, room };
	unsigned int ended = 0, i;
	struct wd_comp_arg arg[2];
	struct way way[2];
	handle_t h;

	dir = setup->dir_type;
	setup->op_type = ways_op_type(call);
	setup->flags = WD_SESS_PATH_HW;
	setup->comp_lv = 1;
	h = wd_comp_alloc_sess(setup, NULL);
	if (!h)
		return detail(0);
	for (i = 0; i < 2; i++) {
		arg[i] = (struct wd_comp_arg){
			.src = src, .src_len = src_len, .dst = dst, .dst_len = &len[i], .cb_param = &ended
		};
		if (call != WAYS_SYNC)
			arg[i].cb = comp_ended;
		way[i] = (struct way){ .lib = &comp_lib, .call = call, .sess = h, .req = &arg[i] };
	}
	snprintf(text, sizeof(text), "%s", ways_differ(way, "hisi_zip", TAG_WORD, NULL, &ended));
	wd_comp_free_sess(h);
	return text;
}

TEST_F(ways, compressions_of_every_format_and_window_have_one_descriptor)
{
	struct wd_comp_sess_setup setup = { .dir_type = WD_DIR_COMPRESS };

	for (setup.alg_type = WD_ZLIB; setup.alg_type <= WD_DEFLATE_RAW; setup.alg_type++)
		for (setup.win_size = WD_COMP_WS_4K; setup.win_size <= WD_COMP_WS_32K; setup.win_size++)
			EXPECT_STREQ("", differ(&setup, variant->call, self->src, sizeof(self->src), self->dst,
						sizeof(self->dst)))
				TH_LOG("%s, window %d", alg_names[setup.alg_type], setup.win_size);
}

TEST_F(ways, decompressions_have_one_descriptor)
{
	struct wd_comp_sess_setup setup = {
		.dir_type = WD_DIR_DECOMPRESS, .alg_type = WD_DEFLATE_RAW, .win_size = WD_COMP_WS_32K
	};
	unsigned char packed[4000];
	long len = z_compress(WD_DEFLATE_RAW, self->src, sizeof(self->src), packed, sizeof(packed));

	ASSERT_LT(0, len);
	EXPECT_STREQ("", differ(&setup, variant->call, packed, (size_t)len, self->dst, sizeof(self->dst)));
}

TEST_F(ways, the_smallest_and_the_largest_sizes_have_one_descriptor)
{
	struct wd_comp_sess_setup setup = {
		.dir_type = WD_DIR_COMPRESS, .alg_type = WD_DEFLATE_RAW, .win_size = WD_COMP_WS_32K
	};
	unsigned char *src = calloc(1, ZIP_MAX_INPUT), *dst = malloc(ZIP_MAX_OUTPUT);

	ASSERT_TRUE(src && dst);
	EXPECT_STREQ("", differ(&setup, variant->call, src, 1, dst, 200));
	EXPECT_STREQ("", differ(&setup, variant->call, src, ZIP_MAX_INPUT, dst, ZIP_MAX_OUTPUT));
	free(src);
	free(dst);
}

TEST_HARNESS_MAIN
