// SPDX-License-Identifier: Apache-2.0
/*
 * Adds and removes a device again and again, first with the first allocation failing, then with the second, until no
 * failure is left: the kernel must stay sound.
 */
#include "kselftest_harness.h"
#include "fail_nth.h"
#include "sim_item.h"

#define NAME		"testfail"
#define ROUNDS_MAX	4000
#define AUTOPROBE	"/sys/bus/pci/drivers_autoprobe"

/* Writes @text to live with the @n-th allocation failing; returns whether that failure happened. */
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
	/* Binding has a sweep of its own (in hisi_qm). */
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

/* A SEC device's job threads have hashes to allocate. */
TEST_F_TIMEOUT(sweep, going_live_with_the_mathematics_of_sec, 900)
{
	const char *missing = fail_nth_missing();

	if (missing)
		SKIP(return, "%s", missing);
	going_live(_metadata, "sec");
}

/* Their config spaces are allocated one by one. */
TEST_F_TIMEOUT(sweep, going_live_with_virtual_functions, 900)
{
	const char *missing = fail_nth_missing();

	if (missing)
		SKIP(return, "%s", missing);
	ASSERT_EQ(0, sim_set(NAME, "vfs", "3"));
	going_live(_metadata, "zip");
}

/* A removal can't fail. */
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

/* Too long to be stored in the item itself. */
#define LONG_NAME	"a-name-of-more-than-twenty-bytes"

static bool has_its_name(const char *name)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool found = false;
	char line[1024];
	ssize_t n;

	lseek(fd, 0, SEEK_END);
	/* The driver reports a refused rule with the name that it knows. */
	sim_set(name, "faults/fail", "nonsense");
	while (!found && (n = read(fd, line, sizeof(line) - 1)) > 0) {
		line[n] = 0;
		found = strstr(line, name) && strstr(line, "/faults/fail:");
	}
	close(fd);
	return found;
}

/* An allocation with a fallback may fail without an error. */
TEST_F_TIMEOUT(sweep, a_directory_is_made_with_its_name_or_not_at_all, 300)
{
	const char *missing = fail_nth_missing();
	int happened = 1, ret;
	unsigned int n;

	if (missing)
		SKIP(return, "%s", missing);
	for (n = 1; n < ROUNDS_MAX && happened; n++) {
		fail_nth_set(n);
		ret = sim_mkdir(LONG_NAME);
		happened = fail_nth_happened();
		EXPECT_EQ(ret ? -1 : 0, access(SIM_ROOT "/" LONG_NAME, F_OK)) TH_LOG("allocation %u", n);
		if (ret)
			continue;
		EXPECT_TRUE(has_its_name(LONG_NAME)) TH_LOG("allocation %u", n);
		EXPECT_EQ(0, sim_rmdir(LONG_NAME));
	}
	EXPECT_LT(n, ROUNDS_MAX);
}

TEST_HARNESS_MAIN
