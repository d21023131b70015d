// SPDX-License-Identifier: Apache-2.0
/* Where simulated devices exist, requests run on them and report it; deadlines, masks and queue numbers. */
#include <sys/wait.h>

#include "comp_test.h"
#include "kselftest_harness.h"
#include "wait_ms.h"

FIXTURE(path) {
	unsigned char src[20000], dst[30000], back[20000];
};

FIXTURE_SETUP(path)
{
	struct uacce_dev_list *list = wd_list_accels("zlib");

	ASSERT_NE(NULL, list) TH_LOG("this test needs simulated devices");
	wd_free_list_accels(list);
	fill_text(self->src, sizeof(self->src), 1);
}

FIXTURE_TEARDOWN(path)
{
}

TEST_F(path, both_directions_are_done_by_the_simulated_device)
{
	int alg;

	for (alg = WD_ZLIB; alg <= WD_DEFLATE_RAW; alg++) {
		handle_t c = sess_flags(alg, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, 1, WD_COMP_WS_32K, WD_SESS_PATH_HW);
		handle_t d = sess_new(alg, WD_DIR_DECOMPRESS, WD_SYNC);
		size_t len = sizeof(self->dst), back = sizeof(self->back);
		struct wd_comp_arg arg = {
			.src = self->src, .src_len = sizeof(self->src), .dst = self->dst, .dst_len = &len
		};

		ASSERT_TRUE(c && d) TH_LOG("%s", detail(0));
		EXPECT_EQ(WD_CAP_SIM | WD_CAP_STREAM, wd_comp_sess_caps(c));
		EXPECT_EQ(WD_CAP_SIM | WD_CAP_STREAM | WD_CAP_SOFT, wd_comp_sess_caps(d));
		ASSERT_EQ(0, wd_compress(c, &arg)) TH_LOG("%s", detail(c));
		EXPECT_EQ(WD_PATH_SIM, arg.path);
		EXPECT_EQ(WD_REASON_POLICY, arg.path_reason);
		arg = (struct wd_comp_arg){ .src = self->dst, .src_len = len, .dst = self->back, .dst_len = &back };
		ASSERT_EQ(0, wd_decompress(d, &arg)) TH_LOG("%s", detail(d));
		EXPECT_EQ(WD_PATH_SIM, arg.path);
		EXPECT_EQ(WD_REASON_BEST, arg.path_reason);
		EXPECT_EQ(0, memcmp(self->src, self->back, sizeof(self->src)));
		wd_comp_free_sess(c);
		wd_comp_free_sess(d);
	}
}

TEST_F(path, a_session_that_asks_for_this_cpu_gets_it)
{
	handle_t c = sess_flags(WD_GZIP, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, 1, WD_COMP_WS_32K, WD_SESS_PATH_SOFT);
	size_t len = sizeof(self->dst);
	struct wd_comp_arg arg = { .src = self->src, .src_len = sizeof(self->src), .dst = self->dst, .dst_len = &len };

	ASSERT_NE(0, c);
	ASSERT_EQ(0, wd_compress(c, &arg));
	EXPECT_EQ(WD_PATH_SOFT, arg.path);
	EXPECT_EQ(WD_REASON_POLICY, arg.path_reason);
	wd_comp_free_sess(c);
}

TEST_F(path, a_mask_without_devices_is_ENODEV)
{
	struct wd_comp_sess_setup setup = { .comp_lv = 1, .win_size = WD_COMP_WS_32K };
	wd_dev_mask_t *mask = wd_dev_mask_alloc();

	ASSERT_NE(NULL, mask);
	EXPECT_EQ(0, wd_comp_alloc_sess(&setup, mask));
	EXPECT_EQ(ENODEV, errno);
	EXPECT_NE(NULL, strstr(detail(0), "mask"));
	wd_dev_mask_free(mask);
}

TEST_F(path, a_mask_chooses_the_device)
{
	struct uacce_dev_list *list = wd_list_accels("zlib"), *l;
	struct wd_comp_sess_setup setup = { .comp_lv = 1, .win_size = WD_COMP_WS_32K, .flags = WD_SESS_PATH_HW };

	for (l = list; l; l = l->next) {
		wd_dev_mask_t *mask = wd_dev_mask_alloc();
		wd_ctx_set_t *set = wd_ctx_set_alloc();
		struct wd_ctx_info info;
		int i, seen = 0;
		handle_t c;

		ASSERT_EQ(0, wd_dev_mask_set(mask, l->info->node_id));
		c = wd_comp_alloc_sess(&setup, mask);
		ASSERT_NE(0, c) TH_LOG("%s", detail(0));
		ASSERT_EQ(0, wd_ctx_set_from_sess(c, set));
		for (i = 0; !wd_ctx_info(i, &info); i++) {
			if (wd_ctx_set_test(set, i) != 1)
				continue;
			EXPECT_STREQ(l->info->name, info.dev_name);
			seen++;
		}
		EXPECT_EQ(1, seen);
		wd_comp_free_sess(c);
		wd_dev_mask_free(mask);
		wd_ctx_set_free(set);
	}
	wd_free_list_accels(list);
}

/* Each session reads sysfs, which is slow on the debug kernel. */
TEST_F_TIMEOUT(path, a_hundred_sessions_share_a_context_of_a_device_for_each_mode_and_direction, 120)
{
	struct wd_ctx_info info, other;
	handle_t h[100];
	int i, k, open = 0;

	for (i = 0; i < 100; i++) {
		h[i] = sess_new(i % 3, i / 2 % 2, i % 2);
		ASSERT_NE(0, h[i]);
	}
	for (i = 0; !wd_ctx_info(i, &info); i++) {
		open += info.path == WD_PATH_SIM;
		for (k = 0; k < i && !wd_ctx_info(k, &other); k++)
			EXPECT_FALSE(info.path == WD_PATH_SIM && info.async == other.async &&
				     info.qc_type == other.qc_type && !strcmp(info.dev_name, other.dev_name));
	}
	EXPECT_LE(4, open);
	for (i = 0; i < 100; i++)
		EXPECT_EQ(0, wd_comp_free_sess(h[i]));
}

static void ignore(struct wd_comp_arg *arg, void *param)
{
	(void)arg;
	(void)param;
}

/* n bytes as a list of single bytes. */
static struct wd_datalist *crumbs(unsigned char *p, size_t n)
{
	struct wd_datalist *l = calloc(n, sizeof(*l));
	size_t i;

	for (i = 0; l && i < n; i++)
		l[i] = (struct wd_datalist){ .data = p + i, .len = 1, .next = i + 1 < n ? &l[i + 1] : NULL };
	return l;
}

TEST_F(path, lists_with_more_pieces_than_a_device_takes_are_done_by_this_cpu_or_are_E2BIG)
{
	/* Each list is longer than one chain; both together are longer than all chains. */
	static const size_t pieces[] = { 66000, 40000 };
	unsigned char *src = malloc(66000), *dst = malloc(66000), *back = malloc(66000);
	unsigned int i, hw;

	ASSERT_TRUE(src && dst && back);
	fill_text(src, 66000, 3);
	for (i = 0; i < 2; i++) {
		struct wd_datalist *in = crumbs(src, pieces[i]), *out = crumbs(dst, pieces[i]);

		ASSERT_TRUE(in && out);
		for (hw = 0; hw < 2; hw++) {
			handle_t c = sess_flags(WD_GZIP, WD_DIR_COMPRESS, WD_SYNC, WD_SGL_BUF, 6, WD_COMP_WS_32K,
						hw ? WD_SESS_PATH_HW : 0);
			size_t len = pieces[i];
			struct wd_comp_arg arg = { .src = in, .src_len = pieces[i], .dst = out, .dst_len = &len };

			ASSERT_NE(0, c);
			ASSERT_EQ(hw ? -E2BIG : 0, wd_compress(c, &arg)) TH_LOG("%s", detail(c));
			if (!hw) {
				EXPECT_EQ(WD_PATH_SOFT, arg.path);
				EXPECT_EQ(WD_REASON_UNSUPPORTED, arg.path_reason);
				EXPECT_EQ((long)pieces[i], z_decompress(WD_GZIP, dst, len, back, 66000, 15));
			}
			EXPECT_EQ(0, wd_comp_free_sess(c));
		}
		free(in);
		free(out);
	}
	free(src);
	free(dst);
	free(back);
}

TEST_F(path, asynchronous_lists_with_too_many_pieces_are_done_by_this_cpu_too)
{
	unsigned char *src = malloc(66000), *dst = malloc(66000);
	struct wd_datalist *in, *out;
	unsigned int hw;

	ASSERT_TRUE(src && dst);
	fill_text(src, 66000, 3);
	in = crumbs(src, 66000);
	out = crumbs(dst, 66000);
	ASSERT_TRUE(in && out);
	for (hw = 0; hw < 2; hw++) {
		handle_t c = sess_flags(WD_GZIP, WD_DIR_COMPRESS, WD_ASYNC, WD_SGL_BUF, 6, WD_COMP_WS_32K,
					hw ? WD_SESS_PATH_HW : 0);
		size_t len = 66000;
		struct wd_comp_arg arg = { .src = in, .src_len = len, .dst = out, .dst_len = &len, .cb = ignore };

		ASSERT_NE(0, c);
		ASSERT_EQ(hw ? -E2BIG : 0, wd_comp_async(c, &arg, NULL)) TH_LOG("%s", detail(c));
		if (!hw) {
			ASSERT_EQ(1, wd_comp_poll(1, WAIT_MS, NULL));
			EXPECT_EQ(0, arg.status);
			EXPECT_EQ(WD_PATH_SOFT, arg.path);
		}
		EXPECT_EQ(0, wd_comp_free_sess(c));
	}
	free(in);
	free(out);
	free(src);
	free(dst);
}

TEST_F(path, a_forks_child_uses_its_own_contexts)
{
	handle_t c = sess_flags(WD_GZIP, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF, 1, WD_COMP_WS_32K, WD_SESS_PATH_HW);
	size_t len = sizeof(self->dst);
	struct wd_comp_arg arg = { .src = self->src, .src_len = sizeof(self->src), .dst = self->dst, .dst_len = &len };
	int status;
	pid_t pid;

	ASSERT_NE(0, c);
	ASSERT_EQ(0, wd_compress(c, &arg));
	pid = fork();
	if (!pid) {
		struct wd_ctx_stats st;
		int ret;

		len = sizeof(self->dst);
		if (wd_compress(c, &arg) || arg.path != WD_PATH_SIM)
			_exit(1);
		/* Number 0 is the parent's context, or one that the child has opened in its place. */
		ret = wd_ctx_stats(0, &st);
		if (ret != -ESTALE && (ret || st.all.completed != 1))
			_exit(2);
		_exit(z_decompress(WD_GZIP, self->dst, len, self->back, sizeof(self->back), 15) == sizeof(self->src) ?
		      0 : 3);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	len = sizeof(self->dst);
	EXPECT_EQ(0, wd_compress(c, &arg));
	wd_comp_free_sess(c);
}

TEST_HARNESS_MAIN
