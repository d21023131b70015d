// SPDX-License-Identifier: Apache-2.0
/* Sections and fork: what a child has of its parent's choice, and slots of its own. */
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <wd_user.h>

#include "kselftest_harness.h"
#include "in_child.h"
#include "section_test.h"
#include "tsan_fork.h"

static int child_is_refused(void *unused)
{
	return !session(0) && errno == ENOENT && says("section NONE: there is no section of this name") ? 0 : 1;
}

TEST(a_child_of_who_was_refused_is_refused)
{
	EXPECT_EQ(-ENOENT, wd_user_start("NONE"));
	EXPECT_EQ(0, in_child(child_is_refused, NULL));
}

static int child_has_the_pool(void *unused)
{
	return info().state == WD_USER_POOL && !compress(session(WD_SESS_PATH_HW)) && info().state == WD_USER_POOL ? 0 :
	       1;
}

TEST(a_child_has_what_its_parent_chose)
{
	setenv("WD_SECTION", "PAIR", 1);
	ASSERT_EQ(0, wd_user_start(NULL));
	EXPECT_EQ(0, in_child(child_has_the_pool, NULL));
}

static handle_t shared;

static int child_has_a_slot_of_its_own(void *unused)
{
	char parents[64];

	if (info().state != WD_USER_NONE || info().nr_grants)
		return 1;
	strcpy(parents, "PAIR_INT_0");
	setenv("WD_ATTACH_TIMEOUT", "60000", 1);
	if (compress(shared))
		return 2;
	if (info().state != WD_USER_SECTION || strcmp(info().section, "PAIR"))
		return 3;
	return wd_comp_free_sess(shared) || wd_user_stop() ? 4 : 0;
}

TEST(a_child_attaches_by_itself_and_its_parent_notices_nothing)
{
	char slot[64];

	ASSERT_EQ(0, start("PAIR"));
	strcpy(slot, info().slot);
	shared = session(WD_SESS_PATH_HW);
	ASSERT_EQ(0, compress(shared));
	EXPECT_EQ(0, in_child(child_has_a_slot_of_its_own, NULL));
	EXPECT_EQ(0, compress(shared));
	EXPECT_STREQ(slot, info().slot);
}

static int child_finds_no_slot(void *unused)
{
	char text[256];

	if (compress(shared) != -ENODEV || info().state != WD_USER_NONE)
		return 1;
	if (wd_error_detail(shared, text, sizeof(text)) <= 0 ||
	    !strstr(text, "this process has no slot: section ONE: all slots of the section are taken")) {
		printf("# %s\n", text);
		return 2;
	}
	/* A new session of the child gets the same error. */
	return session(WD_SESS_PATH_HW) || errno != EUSERS ? 3 : 0;
}

TEST(a_child_without_a_slot_takes_nothing_from_the_pool)
{
	ASSERT_EQ(0, start("ONE"));
	shared = session(WD_SESS_PATH_HW);
	ASSERT_EQ(0, compress(shared));
	EXPECT_EQ(0, in_child(child_finds_no_slot, NULL));
}

static void never(struct wd_comp_arg *arg, void *param)
{
	(void)arg, (void)param;
	abort();
}

static int async_without_a_slot(void *unused)
{
	unsigned char src[100], dst[200];
	size_t len = sizeof(dst);
	struct wd_comp_arg arg = { .src = src, .src_len = sizeof(src), .dst = dst, .dst_len = &len, .cb = never };

	memset(src, 0, sizeof(src));
	return wd_comp_async(shared, &arg, NULL) == -ENODEV && says("this process has no slot: section ONE: ") ? 0 : 1;
}

TEST(an_asynchronous_request_of_a_child_without_a_slot_says_so)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = WD_ASYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.flags = WD_SESS_PATH_HW,
	};

	ASSERT_EQ(0, start("ONE"));
	shared = wd_comp_alloc_sess(&setup, NULL);
	ASSERT_NE(0, shared);
	EXPECT_EQ(0, in_child(async_without_a_slot, NULL));
}

static int go[2], come[2];

/* No call is needed: requests themselves ask for a slot again. */
static int child_finds_a_slot_later(void)
{
	int ret = compress(shared), looks = 0;
	char c = 0;

	if (ret != -ENODEV || write(come[1], &c, 1) != 1 || read(go[0], &c, 1) != 1)
		return 1;
	while ((ret = compress(shared)) == -ENODEV && looks++ < 3000)
		poll(NULL, 0, 10);
	return ret || info().state != WD_USER_SECTION ? 2 : 0;
}

TEST(a_child_without_a_slot_gets_one_when_one_is_free)
{
	int status;
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(come));
	ASSERT_EQ(0, start("ONE"));
	shared = session(WD_SESS_PATH_HW);
	ASSERT_EQ(0, compress(shared));
	pid = fork();
	if (!pid)
		_exit(child_finds_a_slot_later());
	ASSERT_EQ(1, read(come[0], &c, 1));
	ASSERT_EQ(0, wd_comp_free_sess(shared));
	ASSERT_EQ(0, wd_user_stop());
	ASSERT_EQ(1, write(go[1], &c, 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

static int child_may_choose(void *unused)
{
	return start("BOTH") || strcmp(info().section, "BOTH");
}

TEST(a_child_may_be_in_another_section)
{
	ASSERT_EQ(0, start("ONE"));
	EXPECT_EQ(0, in_child(child_may_choose, NULL));
	EXPECT_STREQ("ONE", info().section);
}

static int child_stays_stopped(void *unused)
{
	return info().state == WD_USER_STOPPED && !session(WD_SESS_PATH_HW) && errno == ESHUTDOWN ? 0 : 1;
}

TEST(a_child_of_who_has_stopped_has_stopped)
{
	ASSERT_EQ(0, start("ONE"));
	ASSERT_EQ(0, wd_user_stop());
	EXPECT_EQ(0, in_child(child_stays_stopped, NULL));
}

TEST(a_parents_slot_is_free_when_it_ends_though_a_child_lives)
{
	int end[2];
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe2(end, O_CLOEXEC));
	pid = fork();
	if (!pid) {
		if (start("ONE"))
			_exit(1);
		if (!fork()) {
			close(end[1]);
			_exit(read(end[0], &c, 1) < 0);
		}
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_EQ(0, start("ONE"));
	close(end[1]);
}

int main(int argc, char **argv)
{
	sectioned(argv);
	return test_harness_run(argc, argv);
}
