// SPDX-License-Identifier: Apache-2.0
/* Device masks and context sets. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/set.h"
#include "kselftest_harness.h"

TEST(a_mask_starts_empty_and_remembers)
{
	wd_dev_mask_t *mask = wd_dev_mask_alloc();

	ASSERT_NE(NULL, mask);
	EXPECT_EQ(0, wd_dev_mask_test(mask, 0));
	EXPECT_EQ(0, wd_dev_mask_set(mask, 0));
	EXPECT_EQ(0, wd_dev_mask_set(mask, 9));
	EXPECT_EQ(1, wd_dev_mask_test(mask, 0));
	EXPECT_EQ(1, wd_dev_mask_test(mask, 9));
	EXPECT_EQ(0, wd_dev_mask_test(mask, 8));
	EXPECT_EQ(0, wd_clear_mask(mask, 9));
	EXPECT_EQ(0, wd_dev_mask_test(mask, 9));
	EXPECT_EQ(1, wd_dev_mask_test(mask, 0));
	wd_dev_mask_free(mask);
}

TEST(a_mask_grows_to_the_last_number_and_no_further)
{
	wd_dev_mask_t *mask = wd_dev_mask_alloc();

	EXPECT_EQ(0, wd_dev_mask_set(mask, WD_DEV_MASK_BITS - 1));
	EXPECT_EQ(1, wd_dev_mask_test(mask, WD_DEV_MASK_BITS - 1));
	EXPECT_EQ(-EINVAL, wd_dev_mask_set(mask, WD_DEV_MASK_BITS));
	EXPECT_EQ(-EINVAL, wd_dev_mask_set(mask, -1));
	EXPECT_EQ(-EINVAL, wd_clear_mask(mask, -1));
	EXPECT_EQ(-EINVAL, wd_dev_mask_test(mask, WD_DEV_MASK_BITS));
	wd_dev_mask_free(mask);
}

TEST(clearing_beyond_the_width_is_no_error)
{
	wd_dev_mask_t *mask = wd_dev_mask_alloc();

	EXPECT_EQ(0, wd_clear_mask(mask, 1000));
	EXPECT_EQ(0, wd_dev_mask_test(mask, 1000));
	wd_dev_mask_free(mask);
}

TEST(what_is_not_a_mask_is_refused)
{
	wd_dev_mask_t fake = { 0 };
	char text[128];

	EXPECT_EQ(-EINVAL, wd_dev_mask_set(NULL, 0));
	EXPECT_EQ(-EINVAL, wd_clear_mask(&fake, 0));
	EXPECT_EQ(-EINVAL, wd_dev_mask_test(&fake, 0));
	EXPECT_LT(0, wd_error_detail(0, text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, "device mask"));
	wd_dev_mask_free(&fake);
	wd_dev_mask_free(NULL);
}

TEST(a_mask_from_a_list_has_its_devices)
{
	struct uacce_dev_info one = { .node_id = 3 }, two = { .node_id = 17 };
	struct uacce_dev_list second = { .info = &two }, first = { .info = &one, .next = &second };
	wd_dev_mask_t *mask = wd_dev_mask_from_list(&first);

	ASSERT_NE(NULL, mask);
	EXPECT_EQ(1, wd_dev_mask_test(mask, 3));
	EXPECT_EQ(1, wd_dev_mask_test(mask, 17));
	EXPECT_EQ(0, wd_dev_mask_test(mask, 4));
	wd_dev_mask_free(mask);
	errno = 0;
	EXPECT_EQ(NULL, wd_dev_mask_from_list(NULL));
	EXPECT_EQ(EINVAL, errno);
}

TEST(a_set_starts_empty_and_remembers)
{
	wd_ctx_set_t *set = wd_ctx_set_alloc();

	ASSERT_NE(NULL, set);
	EXPECT_EQ(0, wd_ctx_set_test(set, 5));
	EXPECT_EQ(0, wd_ctx_set_set(set, 5));
	EXPECT_EQ(1, wd_ctx_set_test(set, 5));
	EXPECT_EQ(0, wd_ctx_set_clear(set, 5));
	EXPECT_EQ(0, wd_ctx_set_test(set, 5));
	EXPECT_EQ(0, wd_ctx_set_clear(set, 60000));
	wd_ctx_set_free(set);
}

TEST(numbers_out_of_range_are_refused)
{
	wd_ctx_set_t *set = wd_ctx_set_alloc();

	EXPECT_EQ(-EINVAL, wd_ctx_set_set(set, -1));
	EXPECT_EQ(-EINVAL, wd_ctx_set_set(set, WD_CTX_SET_BITS));
	EXPECT_EQ(-EINVAL, wd_ctx_set_clear(set, -1));
	EXPECT_EQ(-EINVAL, wd_ctx_set_test(set, WD_CTX_SET_BITS));
	EXPECT_EQ(0, wd_ctx_set_set(set, WD_CTX_SET_BITS - 1));
	wd_ctx_set_free(set);
}

TEST(or_adds_what_the_other_set_has)
{
	wd_ctx_set_t *a = wd_ctx_set_alloc(), *b = wd_ctx_set_alloc();

	EXPECT_EQ(0, wd_ctx_set_or(a, b));
	wd_ctx_set_set(a, 1);
	wd_ctx_set_set(b, 2);
	wd_ctx_set_set(b, 4000);
	EXPECT_EQ(0, wd_ctx_set_or(a, b));
	EXPECT_EQ(1, wd_ctx_set_test(a, 1));
	EXPECT_EQ(1, wd_ctx_set_test(a, 2));
	EXPECT_EQ(1, wd_ctx_set_test(a, 4000));
	EXPECT_EQ(0, wd_ctx_set_test(b, 1));
	EXPECT_EQ(0, wd_ctx_set_or(a, a));
	wd_ctx_set_free(a);
	wd_ctx_set_free(b);
}

TEST(what_is_not_a_set_is_refused)
{
	wd_ctx_set_t *set = wd_ctx_set_alloc();
	wd_ctx_set_t fake = { 0 };

	EXPECT_EQ(-EINVAL, wd_ctx_set_set(NULL, 0));
	EXPECT_EQ(-EINVAL, wd_ctx_set_set(&fake, 0));
	EXPECT_EQ(-EINVAL, wd_ctx_set_test(&fake, 0));
	EXPECT_EQ(-EINVAL, wd_ctx_set_or(set, &fake));
	EXPECT_EQ(-EINVAL, wd_ctx_set_or(&fake, set));
	EXPECT_EQ(-EINVAL, wd_ctx_set_or(set, NULL));
	wd_ctx_set_free(&fake);
	wd_ctx_set_free(NULL);
	wd_ctx_set_free(set);
}

/* A mask names devices; a set names contexts, which a child doesn't have. */
TEST(a_set_is_stale_in_a_child_and_a_mask_is_not)
{
	wd_dev_mask_t *mask = wd_dev_mask_alloc();
	wd_ctx_set_t *set = wd_ctx_set_alloc();
	int status;
	pid_t pid;

	wd_dev_mask_set(mask, 3);
	wd_ctx_set_set(set, 3);
	pid = fork();
	if (!pid) {
		int ok = wd_ctx_set_test(set, 3) == -ESTALE && wd_ctx_set_set(set, 4) == -ESTALE &&
			 wd_dev_mask_test(mask, 3) == 1;

		wd_ctx_set_free(set);
		wd_dev_mask_free(mask);
		set = wd_ctx_set_alloc();
		ok = ok && !wd_ctx_set_set(set, 1) && wd_ctx_set_test(set, 1) == 1;
		wd_ctx_set_free(set);
		_exit(ok ? 0 : 1);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(1, wd_ctx_set_test(set, 3));
	wd_ctx_set_free(set);
	wd_dev_mask_free(mask);
}

TEST_HARNESS_MAIN
