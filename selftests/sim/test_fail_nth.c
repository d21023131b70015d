// SPDX-License-Identifier: Apache-2.0
/*
 * Adds and removes a device again and again with the first allocation failing,
 * then the second, until nothing is left to fail: the kernel must stay sound.
 */
#include "kselftest_harness.h"
#include "sim_item.h"

#define NAME		"testfail"
#define ROUNDS_MAX	4000
#define FAIL_NTH	"/proc/self/fail-nth"
#define AUTOPROBE	"/sys/bus/pci/drivers_autoprobe"

static const char *injection_missing(void)
{
	if (access(FAIL_NTH, W_OK))
		return "the kernel has no fault injection (CONFIG_FAULT_INJECTION)";
	if (sim_write_path("/sys/kernel/debug/failslab/ignore-gfp-wait", "N"))
		return "no failslab in debugfs";
	sim_write_path("/sys/kernel/debug/failslab/verbose", "0");
	sim_write_path("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N");
	sim_write_path("/sys/kernel/debug/fail_page_alloc/min-order", "0");
	sim_write_path("/sys/kernel/debug/fail_page_alloc/verbose", "0");
	return NULL;
}

/* Writes @text to live with the @n-th allocation failing; whether that failure happened. */
static int live_failing(unsigned int n, const char *text, int *ret)
{
	char path[160], nth[16] = {};
	int live, fail;

	snprintf(path, sizeof(path), SIM_ROOT "/" NAME "/live");
	live = open(path, O_WRONLY | O_CLOEXEC);
	fail = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	snprintf(nth, sizeof(nth), "%u", n);
	if (live < 0 || fail < 0 || pwrite(fail, nth, strlen(nth), 0) < 0)
		abort();
	*ret = write(live, text, strlen(text)) < 0 ? -errno : 0;
	memset(nth, 0, sizeof(nth));
	/* What fails here is the copy of this very call, once: nothing was left to fail before. */
	if (pread(fail, nth, sizeof(nth) - 1, 0) <= 0)
		nth[0] = '1';
	if (pwrite(fail, "0", 1, 0) < 0 && pwrite(fail, "0", 1, 0) < 0)
		abort();
	close(live);
	close(fail);
	return atoi(nth) == 0;
}

FIXTURE(sweep) {
};

FIXTURE_SETUP(sweep)
{
	if (injection_missing())
		return;
	/* Binding has a sweep of its own (hisi_qm). */
	ASSERT_EQ(0, sim_write_path(AUTOPROBE, "0"));
	ASSERT_EQ(0, sim_mkdir(NAME));
}

FIXTURE_TEARDOWN(sweep)
{
	if (injection_missing())
		return;
	sim_set(NAME, "live", "0");
	EXPECT_EQ(0, sim_rmdir(NAME));
	sim_write_path(AUTOPROBE, "1");
}

TEST_F_TIMEOUT(sweep, going_live, 900)
{
	const char *missing = injection_missing();
	unsigned int n;
	int happened = 1, ret;

	if (missing)
		SKIP(return, "%s", missing);
	for (n = 1; n < ROUNDS_MAX && happened; n++) {
		happened = live_failing(n, "1", &ret);
		EXPECT_TRUE(sim_is(NAME, "live", ret ? "0" : "1"));
		EXPECT_EQ(0, sim_set(NAME, "live", "0"));
	}
	EXPECT_EQ(0, ret);
	EXPECT_LT(n, ROUNDS_MAX);
}

/* An end can't fail. */
TEST_F_TIMEOUT(sweep, going_away, 900)
{
	const char *missing = injection_missing();
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
