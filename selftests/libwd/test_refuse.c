// SPDX-License-Identifier: Apache-2.0
/* Bad input to functions of contexts: the error, its text, and nothing changed. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wd.h>
#include "kselftest_harness.h"

/* Does the thread's last failure mention this? */
static int mentions(const char *word)
{
	char text[256];

	return wd_error_detail(0, text, sizeof(text)) > 0 && strstr(text, word);
}

TEST(a_path_that_is_not_there)
{
	EXPECT_EQ(0, wd_request_ctx("/dev/hisi_zip-999"));
	EXPECT_EQ(ENOENT, errno);
	EXPECT_TRUE(mentions("/dev/hisi_zip-999"));
	EXPECT_EQ(-ENOENT, wd_ctx_get_avail_ctx("/dev/hisi_zip-999"));
	EXPECT_EQ(0, wd_request_ctx(""));
	EXPECT_EQ(ENOENT, errno);
}

TEST(a_path_that_is_not_a_uacce_device)
{
	static const char *const paths[] = { "/dev/null", "/dev", "/proc/self/exe", "/dev/tty" };
	size_t i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		errno = 0;
		EXPECT_EQ(0, wd_request_ctx(paths[i]));
		EXPECT_EQ(ENODEV, errno);
		EXPECT_TRUE(mentions(paths[i]));
		EXPECT_EQ(-ENODEV, wd_ctx_get_avail_ctx(paths[i]));
	}
}

TEST(a_regular_file_with_a_device_name)
{
	char dir[] = "/tmp/wd-refuse-XXXXXX";
	char path[64];
	FILE *f;

	ASSERT_NE(NULL, mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/hisi_zip-0", dir);
	f = fopen(path, "w");
	ASSERT_NE(NULL, f);
	fclose(f);
	EXPECT_EQ(0, wd_request_ctx(path));
	EXPECT_EQ(ENODEV, errno);
	unlink(path);
	rmdir(dir);
}

TEST(a_path_that_is_too_long)
{
	char path[1000];

	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	EXPECT_EQ(0, wd_request_ctx(path));
	EXPECT_EQ(ENAMETOOLONG, errno);
	EXPECT_EQ(-ENAMETOOLONG, wd_ctx_get_avail_ctx(path));
}

TEST(null_paths)
{
	EXPECT_EQ(0, wd_request_ctx(NULL));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_TRUE(mentions("NULL"));
	EXPECT_EQ(-EINVAL, wd_ctx_get_avail_ctx(NULL));
}

TEST(handles_that_are_none)
{
	static const handle_t bad[] = { 0, 1, 0x0100000000000001ull, ~0ull };
	int arg = 0;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		EXPECT_EQ(-EINVAL, wd_ctx_ref(bad[i]));
		EXPECT_EQ(-EINVAL, wd_ctx_start(bad[i]));
		EXPECT_EQ(-EINVAL, wd_ctx_stop(bad[i]));
		EXPECT_EQ(-EINVAL, wd_ctx_set_io_cmd(bad[i], 1, &arg));
		errno = 0;
		EXPECT_EQ(NULL, wd_drv_mmap_qfr(bad[i], UACCE_QFRT_DUS));
		EXPECT_EQ(EINVAL, errno);
		errno = 0;
		EXPECT_EQ(NULL, wd_ctx_get_api(bad[i]));
		EXPECT_EQ(EINVAL, errno);
		errno = 0;
		EXPECT_EQ(NULL, wd_ctx_get_priv(bad[i]));
		EXPECT_EQ(EINVAL, errno);
		wd_ctx_set_priv(bad[i], &arg);
		wd_drv_unmap_qfr(bad[i], UACCE_QFRT_DUS);
		wd_release_ctx(bad[i]);
		EXPECT_TRUE(mentions("context"));
	}
}

TEST(an_empty_list_may_be_freed)
{
	wd_free_list_accels(NULL);
}

TEST(int_functions_leave_errno_alone)
{
	errno = 77;
	wd_ctx_start(1);
	wd_ctx_stop(1);
	wd_ctx_get_avail_ctx("/nowhere");
	wd_release_ctx(1);
	EXPECT_EQ(77, errno);
}

TEST_HARNESS_MAIN
