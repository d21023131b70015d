// SPDX-License-Identifier: Apache-2.0
/* A process in a section that closes all descriptors, and then uses the number of the library's socket for its own. */
#include <sys/socket.h>
#include <wd_user.h>

#include "sectioned.h"
#include "works.h"
#include "kselftest_harness.h"

#define PAIRS	100

static int pairs[PAIRS][2];

static int sockets_open(void)
{
	unsigned int i;

	closefrom(3);
	for (i = 0; i < PAIRS; i++)
		if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pairs[i]))
			return -errno;
	return 0;
}

/* Sockets that are closed, or that something was sent through. */
static unsigned int sockets_touched(void)
{
	unsigned int i, n = 0;
	char byte;

	for (i = 0; i < 2 * PAIRS; i++)
		n += recv(pairs[i / 2][i % 2], &byte, 1, MSG_DONTWAIT) != -1 || errno != EAGAIN;
	return n;
}

TEST(a_section_is_left_with_its_socket)
{
	ASSERT_EQ(0, wd_user_start("PAIR"));
	EXPECT_EQ(0, work_deflate());
	ASSERT_EQ(0, sockets_open());
	/* Devices may be lost, and an error says so; nothing else may happen. */
	work_deflate();
	EXPECT_EQ(0, sockets_touched());
	wd_user_stop();
	EXPECT_EQ(0, sockets_touched());
}

TEST(a_section_is_stopped_without_its_socket)
{
	ASSERT_EQ(0, wd_user_start("PAIR"));
	ASSERT_EQ(0, sockets_open());
	wd_user_stop();
	EXPECT_EQ(0, sockets_touched());
}

int main(int argc, char **argv)
{
	sectioned(argv);
	return test_harness_run(argc, argv);
}
