// SPDX-License-Identifier: Apache-2.0
/* wd_prefault(). */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wd.h>
#include "kselftest_harness.h"

#define PAGES	4

static unsigned char *map_pages(int prot)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, PAGES * page, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

TEST(pages_are_there_afterwards)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *p = map_pages(PROT_READ | PROT_WRITE);
	unsigned char there[PAGES];
	int ret;

	ASSERT_NE(NULL, p);
	ret = wd_prefault(p + 100, 2 * page);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "this kernel can't populate memory");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, mincore(p, PAGES * page, there));
	EXPECT_TRUE(there[0] & there[1] & there[2] & 1);
	EXPECT_FALSE(there[3] & 1);
}

TEST(contents_are_kept)
{
	unsigned char *p = malloc(100000);
	int i;

	memset(p, 0x5a, 100000);
	EXPECT_EQ(0, wd_prefault(p, 100000));
	for (i = 0; i < 100000; i++)
		ASSERT_EQ(0x5a, p[i]);
	free(p);
}

TEST(read_only_memory_is_made_readable)
{
	EXPECT_EQ(0, wd_prefault(map_pages(PROT_READ), 100));
}

TEST(nothing_to_do_is_no_error)
{
	EXPECT_EQ(0, wd_prefault(NULL, 0));
}

TEST(impossible_buffers_are_refused)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *p = map_pages(PROT_READ | PROT_WRITE);

	errno = 77;
	EXPECT_EQ(-EINVAL, wd_prefault(NULL, 1));
	EXPECT_EQ(-EINVAL, wd_prefault((void *)-100L, 200));
	EXPECT_EQ(-EINVAL, wd_prefault(p, (size_t)-1));
	munmap(p + page, page);
	EXPECT_EQ(-ENOMEM, wd_prefault(p, PAGES * page));
	EXPECT_EQ(77, errno);
}

TEST_HARNESS_MAIN
