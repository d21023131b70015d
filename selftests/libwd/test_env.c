// SPDX-License-Identifier: Apache-2.0
/* Settings from the environment. */
#include <stdlib.h>
#include <string.h>
#include "base/env.h"
#include "kselftest_harness.h"
#include <wd.h>

static const char *const colours[] = { "red", "green", NULL };

TEST(unset_and_empty_are_the_same)
{
	long n = 42;

	EXPECT_EQ(NULL, wd_env("WD_TEST"));
	EXPECT_EQ(1, wd_env_choice("WD_TEST", colours, 1));
	setenv("WD_TEST", "", 1);
	EXPECT_EQ(NULL, wd_env("WD_TEST"));
	EXPECT_EQ(0, wd_env_number("WD_TEST", 0, 9, &n));
	EXPECT_EQ(42, n);
}

TEST(a_choice_is_one_of_its_names)
{
	char text[128];

	setenv("WD_TEST", "green", 1);
	EXPECT_EQ(1, wd_env_choice("WD_TEST", colours, 0));
	setenv("WD_TEST", "greenish", 1);
	EXPECT_EQ(-EINVAL, wd_env_choice("WD_TEST", colours, 0));
	wd_error_detail(0, text, sizeof(text));
	EXPECT_NE(NULL, strstr(text, "WD_TEST"));
}

TEST(a_number_is_one_within_its_range)
{
	static const char *const bad[] = { "x", "1x", "-1", "100", "99999999999999999999", " ", "0x5" };
	long n = 42;
	size_t i;

	setenv("WD_TEST", "99", 1);
	EXPECT_EQ(0, wd_env_number("WD_TEST", 0, 99, &n));
	EXPECT_EQ(99, n);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		setenv("WD_TEST", bad[i], 1);
		EXPECT_EQ(-EINVAL, wd_env_number("WD_TEST", 0, 99, &n));
		EXPECT_EQ(99, n);
	}
}

TEST_HARNESS_MAIN
