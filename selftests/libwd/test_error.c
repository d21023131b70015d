// SPDX-License-Identifier: Apache-2.0
/* Failures as text: which object they belong to, their format, and what must not go wrong. */
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/error.h"
#include "base/fork.h"
#include "base/handle.h"
#include "kselftest_harness.h"

TEST(before_any_failure_the_text_is_empty)
{
	char text[32] = "x";

	EXPECT_EQ(0, wd_error_detail(0, text, sizeof(text)));
	EXPECT_STREQ("", text);
}

TEST(arguments_are_put_in_their_places)
{
	char text[128];

	EXPECT_EQ(-EBUSY, wd_fail_all(NULL, EBUSY, "%s has %u of %d, 100%", "it", 7, (uint64_t)-3));
	wd_error_detail(0, text, sizeof(text));
	EXPECT_STREQ("it has 7 of -3, 100%: Device or resource busy", text);
	wd_fail_num(NULL, EINVAL, "handle %x", 0xabcULL, 0);
	EXPECT_EQ((int)strlen("handle 0xabc: Invalid argument"), wd_error_detail(0, text, sizeof(text)));
	EXPECT_STREQ("handle 0xabc: Invalid argument", text);
}

TEST(an_empty_name_is_seen)
{
	char text[128];

	wd_fail_str(NULL, ENOENT, "%s: not a node", "");
	wd_error_detail(0, text, sizeof(text));
	EXPECT_STREQ("\"\": not a node: No such file or directory", text);
	wd_fail_str(NULL, EINVAL, "WD_SECTION is \"%s\"", "");
	wd_error_detail(0, text, sizeof(text));
	EXPECT_STREQ("WD_SECTION is \"\": Invalid argument", text);
	wd_fail_str(NULL, EINVAL, "\"%s\"", "");
	wd_error_detail(0, text, sizeof(text));
	EXPECT_STREQ("\"\": Invalid argument", text);
}

TEST(a_short_buffer_gets_the_beginning_and_the_length_of_all)
{
	char text[8];
	int len;

	wd_fail(NULL, EINVAL, "a longer text than that");
	len = wd_error_detail(0, text, sizeof(text));
	EXPECT_EQ((int)strlen("a longer text than that: Invalid argument"), len);
	EXPECT_STREQ("a longe", text);
	EXPECT_EQ(len, wd_error_detail(0, text, 1));
	EXPECT_STREQ("", text);
}

TEST(long_strings_are_cut)
{
	char path[200], text[300];

	memset(path, 'p', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	wd_fail_str(NULL, ENOENT, "%s", path);
	EXPECT_EQ(WD_ERROR_STR - 1 + (int)strlen(": No such file or directory"),
		  wd_error_detail(0, text, sizeof(text)));
}

TEST(bad_arguments_are_refused)
{
	char text[32];

	EXPECT_EQ(-EINVAL, wd_error_detail(0, NULL, 10));
	EXPECT_EQ(-EINVAL, wd_error_detail(0, text, 0));
	EXPECT_EQ(-EINVAL, wd_error_detail(12345, text, sizeof(text)));
}

TEST(errno_is_left_alone)
{
	char text[32];

	errno = 77;
	wd_fail(NULL, EBUSY, "busy");
	EXPECT_EQ(77, errno);
	wd_error_detail(0, text, sizeof(text));
	EXPECT_EQ(77, errno);
}

TEST(objects_keep_their_own_failure)
{
	struct wd_object one = { 0 }, two = { 0 };
	char text[64];

	wd_handle_new(WD_KIND_CTX, &one);
	wd_handle_new(WD_KIND_CTX, &two);
	wd_fail(&one, EIO, "first");
	wd_fail(NULL, EIO, "of nobody");
	wd_error_detail(one.handle, text, sizeof(text));
	EXPECT_STREQ("first: Input/output error", text);
	EXPECT_EQ(0, wd_error_detail(two.handle, text, sizeof(text)));
	wd_error_detail(0, text, sizeof(text));
	EXPECT_STREQ("of nobody: Input/output error", text);
	wd_handle_free(one.handle);
	wd_handle_free(two.handle);
}

static void *fail_elsewhere(void *arg)
{
	(void)arg;
	wd_fail(NULL, EIO, "in the other thread");
	return NULL;
}

TEST(a_thread_sees_its_own_failure_only)
{
	pthread_t thread;
	char text[64];

	wd_fail(NULL, EBUSY, "here");
	ASSERT_EQ(0, pthread_create(&thread, NULL, fail_elsewhere, NULL));
	pthread_join(thread, NULL);
	wd_error_detail(0, text, sizeof(text));
	EXPECT_STREQ("here: Device or resource busy", text);
}

static struct wd_object shared;

static void *fail_often(void *arg)
{
	const char *str = arg;
	int i;

	for (i = 0; i < 20000; i++)
		wd_fail_all(&shared, EIO, "%s %u", str, str[0], 0);
	return NULL;
}

TEST(concurrent_failures_of_an_object_never_mix)
{
	pthread_t a, b;
	char text[64];
	int i;

	wd_handle_new(WD_KIND_CTX, &shared);
	wd_fail_all(&shared, EIO, "%s %u", "A", 'A', 0);
	ASSERT_EQ(0, pthread_create(&a, NULL, fail_often, "A"));
	ASSERT_EQ(0, pthread_create(&b, NULL, fail_often, "BBBBBBBB"));
	for (i = 0; i < 5000; i++) {
		wd_error_detail(shared.handle, text, sizeof(text));
		if (strcmp(text, "A 65: Input/output error"))
			ASSERT_STREQ("BBBBBBBB 66: Input/output error", text);
	}
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	wd_handle_free(shared.handle);
}

TEST(a_record_that_a_fork_left_locked_is_readable_in_the_child)
{
	int status = -1;
	char text[64];
	pid_t pid;

	wd_handle_new(WD_KIND_CTX, &shared);
	wd_fail_all(&shared, EIO, "before", NULL, 0, 0);
	atomic_store(&shared.error.holder, wd_fork_now());
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		alarm(600);
		wd_handle_new(WD_KIND_CTX, &shared);
		_exit(wd_error_detail(shared.handle, text, sizeof(text)) <= 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	atomic_store(&shared.error.holder, 0);
	wd_handle_free(shared.handle);
}

TEST_HARNESS_MAIN
