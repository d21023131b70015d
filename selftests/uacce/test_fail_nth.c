// SPDX-License-Identifier: Apache-2.0
/*
 * Runs a sequence that succeeds again and again: first with the first allocation failing, then with the second, until
 * no failure is left. The kernel must stay sound and lose nothing; which error is returned doesn't matter.
 */
#include "kselftest_harness.h"
#include "fail_nth.h"
#include "zip_queue.h"

#define ROUNDS_MAX	2000

FIXTURE(sweep) {
	char name[UACCE_NAME_MAX];
	long available;
};

FIXTURE_SETUP(sweep)
{
	ASSERT_TRUE(uacce_find("hisi_zip", 0, self->name)) TH_LOG("no hisi_zip device");
	self->available = test_attr_num(self->name, "available_instances");
}

FIXTURE_TEARDOWN(sweep)
{
}

/*
 * @body runs with the n-th allocation failing for n = 1, 2, ... and must clean up itself; the loop ends when @body
 * succeeds without a failure.
 */
#define sweep(setup, body, cleanup) do {					\
	const char *__missing = fail_nth_missing();				\
	unsigned int __n;							\
										\
	if (__missing)								\
		SKIP(return, "%s", __missing);					\
	for (__n = 1; __n < ROUNDS_MAX; __n++) {				\
		int __ret, __happened;						\
										\
		setup;								\
		fail_nth_set(__n);						\
		__ret = body;							\
		__happened = fail_nth_happened();				\
		cleanup;							\
		if (!__happened) {						\
			EXPECT_GE(__ret, 0);					\
			break;							\
		}								\
	}									\
	EXPECT_LT(__n, ROUNDS_MAX);						\
	EXPECT_EQ(self->available, wait_available(self->name, self->available, REQUEST_MS)); \
} while (0)

TEST_F_TIMEOUT(sweep, open, 240)
{
	char path[UACCE_NAME_MAX + 8];
	int fd;

	snprintf(path, sizeof(path), "/dev/%s", self->name);
	sweep((void)0, fd = open(path, O_RDWR | O_CLOEXEC), if (fd >= 0) close(fd));
}

TEST_F_TIMEOUT(sweep, mmap, 240)
{
	struct rawq q;

	sweep(ASSERT_EQ(0, rawq_open(&q, self->name)), rawq_map(&q), rawq_close(&q));
}

TEST_F_TIMEOUT(sweep, start, 240)
{
	struct rawq q;

	sweep(ASSERT_EQ(0, rawq_open(&q, self->name)), uacce_start_q(q.fd), rawq_close(&q));
}

/* The window is mapped by the first access to it. */
TEST_F_TIMEOUT(sweep, first_access, 240)
{
	struct rawq q;

	sweep(ASSERT_EQ(0, rawq_open(&q, self->name)); ASSERT_EQ(0, rawq_map(&q)),
	      (*(volatile uint32_t *)q.mmio = 0, 0), rawq_close(&q));
}

/* A failing stop must not lose the queue. */
TEST_F_TIMEOUT(sweep, close, 240)
{
	struct rawq q;

	sweep(ASSERT_EQ(0, rawq_begin(&q, self->name, 0)), close(q.fd),
	      q.fd = -1; rawq_unmap(&q));
}

TEST_HARNESS_MAIN
