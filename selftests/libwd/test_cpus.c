// SPDX-License-Identifier: Apache-2.0
/* The CPUs of a thread on a machine that has more than a cpu_set_t holds: the kernel refuses a smaller set. */
#include "base/cpus.h"
#include "kselftest_harness.h"

static unsigned int machine;		/* its CPUs; the kernel's set has as many */
static unsigned int calls;

/* In the kernel's place. Every second CPU is allowed. */
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *cpus)
{
	unsigned int i;

	calls++;
	if (pid || size * 8 < machine) {
		errno = EINVAL;
		return -1;
	}
	CPU_ZERO_S(size, cpus);
	for (i = 0; i < machine; i += 2)
		CPU_SET_S(i, size, cpus);
	return 0;
}

static void begin(unsigned int nr)
{
	machine = nr;
	calls = 0;
	errno = ENOTTY;
}

TEST(cpus_are_counted_however_many_there_are)
{
	static const unsigned int nr[] = { 2, 64, 1024, 1026, 2048, 4096, 8192, 1u << 20 };
	unsigned int i;

	for (i = 0; i < sizeof(nr) / sizeof(nr[0]); i++) {
		begin(nr[i]);
		EXPECT_EQ((int)nr[i] / 2, wd_cpus_number()) TH_LOG("%u CPUs", nr[i]);
		EXPECT_EQ(ENOTTY, errno);
	}
}

TEST(one_set_is_enough_on_most_machines)
{
	begin(1024);
	EXPECT_EQ(512, wd_cpus_number());
	EXPECT_EQ(1, calls);
}

/* A sandbox may refuse the call for ever. */
TEST(cpus_are_one_where_the_kernel_does_not_tell)
{
	size_t size;

	begin(1u << 31);
	EXPECT_EQ(NULL, wd_cpus_allowed(&size));
	EXPECT_EQ(1, wd_cpus_number());
	EXPECT_EQ(ENOTTY, errno);
	EXPECT_GT(100, calls);
}

TEST_HARNESS_MAIN
