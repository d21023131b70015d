// SPDX-License-Identifier: Apache-2.0
/* The request path's memory of probed addresses: how often the kernel is asked, and about which addresses. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/lists.h"
#include "kselftest_harness.h"

#define AREA	((size_t)512 << 10)
#define BLOCK	((size_t)128 << 10)
#define BUFFERS	64

static unsigned int asked;

/* Replaces the system call for the library. */
int msync(void *addr, size_t len, int flags)
{
	asked++;
	return (int)syscall(SYS_msync, addr, len, flags);
}

/* Some pages in a block that has no other mappings. */
FIXTURE(probe) {
	size_t page;
	unsigned char *at;
};

FIXTURE_SETUP(probe)
{
	unsigned char *area = mmap(NULL, AREA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char *block = (unsigned char *)(((uintptr_t)area + BLOCK) & ~(BLOCK - 1));

	ASSERT_NE(MAP_FAILED, area);
	self->page = (size_t)sysconf(_SC_PAGESIZE);
	self->at = block + self->page;
	ASSERT_EQ(0, munmap(area, AREA));
	ASSERT_EQ(self->at, mmap(self->at, 2 * self->page, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	asked = 0;
}

FIXTURE_TEARDOWN(probe)
{
	munmap(self->at, 2 * self->page);
}

TEST_F(probe, many_buffers_of_a_page_are_asked_about_once)
{
	unsigned int i;

	for (i = 0; i < BUFFERS; i++) {
		ASSERT_TRUE(wd_probe_pair(self->at + 32 * i, 32, self->at + self->page + 32 * i, 32));
	}
	/* Two pages, with their block and page numbers. */
	EXPECT_EQ(4, asked);
}

TEST_F(probe, ranges_over_the_end_of_what_is_mapped_are_refused)
{
	unsigned char *end = self->at + 2 * self->page;

	EXPECT_TRUE(wd_probe_pair(self->at, 2 * self->page, end - 1, 1));
	EXPECT_FALSE(wd_probe_pair(self->at, 2 * self->page + 1, self->at, 1));
	EXPECT_FALSE(wd_probe_pair(self->at, 1, end - 1, 2));
	EXPECT_FALSE(wd_probe_pair(self->at, 1, end, 1));
	EXPECT_FALSE(wd_probe_pair(self->at - 1, 2, self->at, 1));
}

TEST_F(probe, what_can_be_no_buffer_is_refused)
{
	EXPECT_FALSE(wd_probe_pair(NULL, 1, self->at, 1));
	EXPECT_FALSE(wd_probe_pair(self->at, 1, (void *)8, 8));
	EXPECT_FALSE(wd_probe_pair(self->at, 1, (void *)(UINTPTR_MAX - 7), 8));
	EXPECT_FALSE(wd_probe_pair(self->at, 1, (void *)(UINTPTR_MAX - 7), 16));
	EXPECT_FALSE(wd_probe_pair(self->at, SIZE_MAX, self->at, 1));
}

TEST_F(probe, what_is_read_only_can_be_read_and_not_written)
{
	/* Two pages, of which the second one is read-only. */
	ASSERT_EQ(0, mprotect(self->at + self->page, self->page, PROT_READ));
	EXPECT_TRUE(wd_probe(WD_PROBE_READ, false, self->at, 2 * self->page));
	EXPECT_TRUE(wd_probe(WD_PROBE_WRITE, false, self->at, self->page));
	EXPECT_FALSE(wd_probe(WD_PROBE_WRITE, false, self->at + self->page, 1));
	EXPECT_FALSE(wd_probe(WD_PROBE_WRITE, false, self->at + self->page - 1, 2));
	EXPECT_FALSE(wd_probe(WD_PROBE_WRITE, false, self->at + self->page, self->page + 1));
	ASSERT_EQ(0, munmap(self->at, self->page));
	EXPECT_FALSE(wd_probe(WD_PROBE_READ, false, self->at, 1));
	EXPECT_FALSE(wd_probe(WD_PROBE_WRITE, false, self->at, 1));
}

TEST_F(probe, what_has_gone_is_not_believed_for_ever)
{
	struct wd_span span = { self->at, 32 };
	unsigned int n = 0;

	EXPECT_TRUE(wd_probe_recent(&span, 1));
	ASSERT_EQ(0, munmap(self->at, 2 * self->page));
	while (n < 1000 && wd_probe_recent(&span, 1))
		n++;
	EXPECT_GT(1000, n);
	EXPECT_FALSE(wd_probe_recent(&span, 1));
}

TEST_F(probe, nothing_is_there_wherever_it_lies)
{
	struct wd_span span = { self->at, 32 };
	unsigned int n;

	/* All uses are spent, and the memory is gone. */
	for (n = 0; n < 256; n++)
		EXPECT_TRUE(wd_probe_recent(&span, 1));
	ASSERT_EQ(0, munmap(self->at, 2 * self->page));
	EXPECT_TRUE(wd_probe(WD_PROBE_RECENT, false, self->at + 5, 0));
	EXPECT_TRUE(wd_probe(WD_PROBE_RECENT, false, NULL, 0));
	EXPECT_FALSE(wd_probe_recent(&span, 1));
}

TEST_HARNESS_MAIN
