// SPDX-License-Identifier: Apache-2.0
/* Programs built with _FORTIFY_SOURCE call libc's functions by other names; they see the same devices. */
#undef _FORTIFY_SOURCE
#define _FORTIFY_SOURCE 2
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kselftest_harness.h"

#define CLASS	"/sys/class/uacce/hisi_zip-0"

/* The compiler can't know these sizes and flags, so it has to call the checking functions. */
static volatile size_t room = PATH_MAX;
static volatile int flags = O_RDONLY | O_CLOEXEC;

TEST(links_of_the_class_resolve)
{
	char whole[PATH_MAX], link[PATH_MAX] = "";

	ASSERT_NE(NULL, realpath(CLASS, whole));
	EXPECT_NE(NULL, strstr(whole, "hisi_zip-0"));
	EXPECT_EQ(0, access(whole, F_OK));
	/* A class' entries are links in a real kernel, and folders in an emulated one. */
	if (readlink(CLASS, link, room) < 0)
		EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, readlinkat(AT_FDCWD, "/sys/class/uacce/hisi_zip-9", link, room));
	EXPECT_EQ(ENOENT, errno);
}

TEST(nodes_and_attributes_open)
{
	struct pollfd pfd[1] = { { .events = POLLIN } };
	char text[64] = "";
	int fd;

	fd = open(CLASS "/api", flags);
	ASSERT_LE(0, fd);
	ASSERT_LT(0, read(fd, text, room % (sizeof(text) - 1) + 1));
	close(fd);
	fd = openat(AT_FDCWD, "/dev/hisi_zip-0", O_RDWR | flags);
	ASSERT_LE(0, fd);
	pfd[0].fd = fd;
	/* Not started: not ready, or in error. */
	EXPECT_LE(0, poll(pfd, room % 2 + 1, 0));
	close(fd);
}

TEST_HARNESS_MAIN
