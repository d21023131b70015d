// SPDX-License-Identifier: Apache-2.0
/*
 * Adds and removes a device again and again with the first allocation failing,
 * then the second, until nothing is left to fail: the kernel must stay sound.
 */
#include "kselftest_harness.h"
#include "fail_nth.h"
#include "sim_item.h"

#define NAME		"testfail"
#define ROUNDS_MAX	4000
#define AUTOPROBE	"/sys/bus/pci/drivers_autoprobe"

/* Writes @text to live with the @n-th allocation failing; whether that failure happened. */
static int live_failing(unsigned int n, const char *text, int *ret)
{
	char path[160];
	int live, happened;

	snprintf(path, sizeof(path), SIM_ROOT "/" NAME "/live");
	live = open(path, O_WRONLY | O_CLOEXEC);
	if (live < 0)
		abort();
	fail_nth_set(n);
	*ret = write(live, text, strlen(text)) < 0 ? -errno : 0;
	happened = fail_nth_happened();
	close(live);
	return happened;
}

FIXTURE(sweep) {
};

FIXTURE_SETUP(sweep)
{
	if (fail_nth_missing())
		return;
	/* Binding has a sweep of its own (hisi_qm). */
	ASSERT_EQ(0, text_write(AUTOPROBE, "0"));
	ASSERT_EQ(0, sim_mkdir(NAME));
}

FIXTURE_TEARDOWN(sweep)
{
	if (fail_nth_missing())
		return;
	sim_set(NAME, "live", "0");
	EXPECT_EQ(0, sim_rmdir(NAME));
	text_write(AUTOPROBE, "1");
}

static void going_live(struct __test_metadata *_metadata, const char *type)
{
	unsigned int n;
	int happened = 1, ret;

	ASSERT_EQ(0, sim_set(NAME, "type", type));
	for (n = 1; n < ROUNDS_MAX && happened; n++) {
		happened = live_failing(n, "1", &ret);
		EXPECT_TRUE(sim_is(NAME, "live", ret ? "0" : "1"));
		EXPECT_EQ(0, sim_set(NAME, "live", "0"));
	}
	EXPECT_EQ(0, ret);
	EXPECT_LT(n, ROUNDS_MAX);
}

TEST_F_TIMEOUT(sweep, going_live, 900)
{
	const char *missing = fail_nth_missing();

	if (missing)
		SKIP(return, "%s", missing);
	going_live(_metadata, "zip");
}

/* Its job threads have hashes to allocate. */
TEST_F_TIMEOUT(sweep, going_live_with_the_mathematics_of_sec, 900)
{
	const char *missing = fail_nth_missing();

	if (missing)
		SKIP(return, "%s", missing);
	going_live(_metadata, "sec");
}

/* An end can't fail. */
TEST_F_TIMEOUT(sweep, going_away, 900)
{
	const char *missing = fail_nth_missing();
	unsigned int n;
	int happened = 1, ret;

	if (missing)
		SKIP(return, "%s", missing);
	for (n = 1; n < ROUNDS_MAX && happened; n++) {
		ASSERT_EQ(0, sim_set(NAME, "live", "1"));
		happened = live_failing(n, "0", &ret);
		EXPECT_TRUE(ret || sim_is(NAME, "live", "0"));
		if (ret)
			EXPECT_EQ(0, sim_set(NAME, "live", "0"));
	}
	EXPECT_EQ(0, ret);
	EXPECT_LT(n, ROUNDS_MAX);
}

TEST_HARNESS_MAIN
