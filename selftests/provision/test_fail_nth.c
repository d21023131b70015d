// SPDX-License-Identifier: Apache-2.0
/*
 * Each step of provisioning with its first allocation failing, then with the second, until no failure is left: a step
 * happens completely, or not at all.
 */
#include "kselftest_harness.h"
#include "fail_nth.h"
#include "worker.h"

#define S		"failing-where-names-are-long"	/* too long for configfs' own buffer */
#define ROUNDS_MAX	2000

#define NEED_FAULTS						\
	do {							\
		const char *missing = fail_nth_missing();	\
								\
		if (missing)					\
			SKIP(return, "%s", missing);		\
		ASSERT_LE(0, fail_nth_fd());			\
	} while (0)

FIXTURE(sweep) {
};

FIXTURE_SETUP(sweep)
{
}

FIXTURE_TEARDOWN(sweep)
{
	if (!access(sec_path(S, NULL), F_OK))
		EXPECT_EQ(0, sec_end(S));
	EXPECT_EQ(0, dev_num(DEV0, "reserved_ctxs"));
	EXPECT_EQ(0, dev_num(DEV0, "used_ctxs"));
	EXPECT_TRUE(accounts_ok());
}

/* A write to an open file, so that only the store can fail; returns whether a failure happened. */
static int write_failing(const char *path, const char *text, unsigned int n, int *ret)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), happened;

	if (fd < 0)
		abort();
	fail_nth_set(n);
	*ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	happened = fail_nth_happened();
	close(fd);
	return happened;
}

TEST_F_TIMEOUT(sweep, making_a_section, 600)
{
	int happened = 1, ret = 0;
	unsigned int n;

	NEED_FAULTS;
	for (n = 1; n < ROUNDS_MAX && happened; n++) {
		fail_nth_set(n);
		ret = mkdir(TREE "/sections/" S, 0755) ? -errno : 0;
		happened = fail_nth_happened();
		EXPECT_EQ(ret ? -1 : 0, access(TREE "/sections/" S, F_OK));
		if (!ret)
			EXPECT_EQ(0, sec_rmdir(S));
	}
	EXPECT_EQ(0, ret);
	EXPECT_LT(n, ROUNDS_MAX);
}

TEST_F_TIMEOUT(sweep, writing_lists, 600)
{
	static const char *const values[][2] = {
		{ "devices", DEV0 " " DEV1 }, { "nodes", "0=1+1 1=2+2" }, { "allowed_uids", "0,5-9" },
	};
	int happened, ret = 0;
	unsigned int n, i;

	NEED_FAULTS;
	ASSERT_EQ(0, sec_mkdir(S));
	for (i = 0; i < 3; i++) {
		happened = 1;
		for (n = 1; n < ROUNDS_MAX && happened; n++) {
			EXPECT_EQ(0, sec_set(S, values[i][0], "\n"));
			happened = write_failing(sec_path(S, values[i][0]), values[i][1], n, &ret);
			EXPECT_TRUE(sec_is(S, values[i][0], ret ? "" : values[i][1]));
		}
		EXPECT_EQ(0, ret);
	}
}

TEST_F_TIMEOUT(sweep, going_live_is_all_or_nothing, 600)
{
	int happened = 1, ret = 0, mode;
	unsigned int n;

	NEED_FAULTS;
	ASSERT_EQ(0, sec_mkdir(S));
	for (mode = 0; mode < 2; mode++) {
		ASSERT_EQ(0, sec_set(S, "limit_dev_access", mode ? "1" : "0"));
		for (n = 1, happened = 1; n < ROUNDS_MAX && happened; n++) {
			happened = write_failing(sec_path(S, "live"), "1", n, &ret);
			EXPECT_EQ(ret ? 0 : 2, dev_num(DEV0, "reserved_ctxs"));
			EXPECT_EQ(ret ? 0 : 2, dev_num(DEV1, "reserved_ctxs"));
			EXPECT_TRUE(sec_state(S, ret ? "configured" : "live"));
			EXPECT_EQ(0, sec_set(S, "live", "0"));
		}
		EXPECT_EQ(0, ret);
	}
}

TEST_F_TIMEOUT(sweep, growing, 600)
{
	int happened = 1, ret = 0;
	unsigned int n;

	NEED_FAULTS;
	ASSERT_EQ(0, sec_make(S, DEV0, 1, 1, 0));
	for (n = 1; n < ROUNDS_MAX && happened; n++) {
		happened = write_failing(sec_path(S, "num_processes"), "20", n, &ret);
		EXPECT_EQ(ret ? 1 : 20, dev_num(DEV0, "reserved_ctxs"));
		EXPECT_EQ(0, sec_set(S, "num_processes", "1"));
		EXPECT_EQ(0, sec_set(S, "live", "0"));
		EXPECT_EQ(0, sec_set(S, "live", "1"));
	}
	EXPECT_EQ(0, ret);
}

/* Going down can't fail. */
TEST_F_TIMEOUT(sweep, going_down, 600)
{
	int happened = 1, ret = 0;
	unsigned int n;

	NEED_FAULTS;
	ASSERT_EQ(0, sec_make(S, DEV0, 1, 1, 0));
	for (n = 1; n < ROUNDS_MAX && happened; n++) {
		happened = write_failing(sec_path(S, "live"), n & 1 ? "0" : "revoke", n, &ret);
		EXPECT_EQ(ret ? 1 : 0, dev_num(DEV0, "reserved_ctxs"));
		EXPECT_EQ(0, sec_set(S, "live", "1"));
	}
	EXPECT_EQ(0, ret);
}

TEST_F_TIMEOUT(sweep, attaching_and_opening, 600)
{
	int happened = 1, ret = 0, fd;
	struct nl_client c;
	unsigned int n;

	NEED_FAULTS;
	ASSERT_EQ(0, sec_make(S, DEV0, 1, 1, 0));
	for (n = 1; n < ROUNDS_MAX && happened; n++) {
		/* A message that was lost on the way can't be recovered: each try has a socket of its own. */
		ASSERT_EQ(0, client_open(&c));
		fail_nth_set(n);
		ret = client_attach(&c, S, NULL, NULL, 0);
		happened = fail_nth_happened();
		client_close(&c);
		EXPECT_TRUE(accounts_ok());
	}
	EXPECT_EQ(0, ret);
	ASSERT_EQ(0, client_open(&c));
	ASSERT_EQ(0, client_attach(&c, S, NULL, NULL, 0));
	for (n = 1, happened = 1; n < ROUNDS_MAX && happened; n++) {
		fail_nth_set(n);
		fd = open("/dev/" DEV0, O_RDWR | O_CLOEXEC);
		happened = fail_nth_happened();
		EXPECT_EQ(fd < 0 ? 0 : 1, dev_num(DEV0, "used_ctxs"));
		if (fd >= 0)
			close(fd);
	}
	EXPECT_LE(0, fd);
	client_close(&c);
}

TEST_HARNESS_MAIN
