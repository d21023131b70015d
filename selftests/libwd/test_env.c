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
	setenv("WD_TEST", "green", 1);
	EXPECT_EQ(1, wd_env_choice("WD_TEST", colours, 0));
	setenv("WD_TEST", "greenish", 1);
	EXPECT_EQ(-EINVAL, wd_env_choice("WD_TEST", colours, 0));
}

/* The text of the refusal of that value. */
static const char *refusal_of(const char *value, char text[256])
{
	setenv("WD_TEST", value, 1);
	text[0] = '\0';
	if (wd_env_choice("WD_TEST", colours, 0) == -EINVAL)
		wd_error_detail(0, text, 256);
	return text;
}

TEST(a_wrong_choice_is_reported_with_its_value_and_the_right_ones)
{
	char text[256];

	EXPECT_STREQ("environment variable WD_TEST: \"greenish\" is not one of red, green: Invalid argument",
		     refusal_of("greenish", text));
}

TEST(a_long_value_leaves_room_for_the_right_ones)
{
	char text[256], value[1000];

	memset(value, 'x', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	refusal_of(value, text);
	EXPECT_NE(NULL, strstr(text, "xxx...\" is not one of red, green: "));
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

TEST(a_wrong_number_is_reported_with_its_value_and_the_range)
{
	char text[256];
	long n;

	setenv("WD_TEST", "many", 1);
	EXPECT_EQ(-EINVAL, wd_env_number("WD_TEST", 0, 99, &n));
	wd_error_detail(0, text, sizeof(text));
	EXPECT_STREQ("environment variable WD_TEST: \"many\" is not a number from 0 to 99: Invalid argument", text);
}

TEST_HARNESS_MAIN
