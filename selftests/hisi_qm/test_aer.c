// SPDX-License-Identifier: Apache-2.0
/* The driver's part in the recovery from errors that PCI Express reports. */
#include "kselftest_harness.h"
#include "call.h"
#include "../sim/pci_config.h"

#define BYTES		FAULTY_BYTES
#define SETTLE_MS	300
/* The driver waits 90 s for a reset by the PCI core. */
#define LOST_MS		300000

FIXTURE(aer) {
	FAULTY_MEMBERS;
};

FIXTURE_SETUP(aer)
{
	FAULTY_BEGIN(self);
	FAULTY_LISTEN(self);
	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
}

FIXTURE_TEARDOWN(aer)
{
	FAULTY_END(self);
}

TEST_F_TIMEOUT(aer, a_nonfatal_error_of_a_device_without_errors_changes_nothing, 100)
{
	struct nlmsghdr *h = NULL;

	ASSERT_EQ(0, faults("aer", "nonfatal"));
	EXPECT_EQ(-ETIMEDOUT, nlc_next(self->event, &h, SETTLE_MS));
	EXPECT_EQ(0, uacce_poll_gone(self->q.fd, 0));
}

/* By the device's interrupt, and by PCI Express. */
TEST_F_TIMEOUT(aer, an_error_that_is_reported_twice_is_one_reset, 200)
{
	for (int i = 1; i <= 5; i++) {
		ASSERT_EQ(0, faults("error", "qm 2"));
		ASSERT_EQ(0, faults("aer", "nonfatal"));
		EXPECT_EQ(i, dev_nl_num(self->ask, self->dev, UACCE_A_DEV_RESETS));
		EXPECT_EQ(UACCE_NL_DEV_NORMAL, dev_nl_num(self->ask, self->dev, UACCE_A_DEV_STATE));
	}
	EXPECT_GONE(&self->q);
	rawq_close(&self->q);
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

TEST_F_TIMEOUT(aer, a_fatal_error_is_over_with_the_call, 200)
{
	uint8_t before[CFG_SIZE], after[CFG_SIZE];
	char dir[160];

	snprintf(dir, sizeof(dir), SIM_PCI "/%s", self->address);
	ASSERT_EQ(0, cfg_read(dir, before, CFG_SIZE, 0));
	ASSERT_EQ(0, faults("aer", "fatal"));
	EXPECT_READY(self, 1);
	EXPECT_GONE(&self->q);
	ASSERT_EQ(0, cfg_read(dir, after, CFG_SIZE, 0));
	EXPECT_EQ(0, memcmp(before, after, CFG_SIZE));
	rawq_close(&self->q);
	EXPECT_EQ(0, dev_nl_num(self->ask, self->dev, UACCE_A_CTXS_QUARANTINED));
	EXPECT_EQ(FAULTY_QUEUES, uacce_attr_num(self->dev, "available_instances"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

TEST_F_TIMEOUT(aer, fatal_errors_count_for_the_isolation, 200)
{
	ASSERT_EQ(0, uacce_attr_write(self->dev, "isolate_strategy", "1"));
	ASSERT_EQ(0, faults("aer", "fatal"));
	EXPECT_READY(self, 1);
	EXPECT_EQ(-EIO, faults("aer", "fatal"));
	EXPECT_EQ(1, uacce_attr_num(self->dev, "isolate"));
	EXPECT_EQ(-EIO, rawq_open(&self->other, self->dev));
}

TEST_F_TIMEOUT(aer, a_fatal_error_whose_reset_of_the_device_fails_isolates_it, 200)
{
	ASSERT_EQ(0, faults("reset", "1"));
	EXPECT_EQ(-EIO, faults("aer", "fatal"));
	EXPECT_EQ(1, uacce_attr_num(self->dev, "isolate"));
	EXPECT_GONE(&self->q);
	rawq_close(&self->q);
	ASSERT_EQ(0, faults("reset", "0"));
	ASSERT_EQ(0, reset(self->address));
	EXPECT_EQ(0, uacce_attr_num(self->dev, "isolate"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/* The PCI core's own reset has failed, and so ends its recovery. */
TEST_F_TIMEOUT(aer, a_reset_by_pci_ends_a_recovery_that_nobody_ends, 200)
{
	ASSERT_EQ(0, faults("aer", "lost"));
	EXPECT_GONE(&self->q);
	EXPECT_EQ(UACCE_NL_DEV_RESETTING, dev_nl_num(self->ask, self->dev, UACCE_A_DEV_STATE));
	EXPECT_EQ(-EPERM, rawq_open(&self->other, self->dev));
	rawq_close(&self->q);
	ASSERT_EQ(0, reset(self->address));
	EXPECT_EQ(UACCE_NL_DEV_NORMAL, dev_nl_num(self->ask, self->dev, UACCE_A_DEV_STATE));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

TEST_F_TIMEOUT(aer, the_driver_ends_such_a_recovery_itself_after_a_while, 400)
{
	struct nlmsghdr *h = NULL;

	if (!getenv("WD_TEST_LONG"))
		SKIP(return, "takes a minute and a half; set WD_TEST_LONG=1");
	ASSERT_EQ(0, faults("aer", "lost"));
	ASSERT_EQ(0, nlc_event(self->event, UACCE_NL_DEV_READY, &h, LOST_MS));
	rawq_close(&self->q);
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

TEST_F_TIMEOUT(aer, the_driver_can_be_unbound_in_the_middle, 200)
{
	ASSERT_EQ(0, faults("aer", "lost"));
	ASSERT_EQ(0, text_write("/sys/bus/pci/drivers/hisi_zip/unbind", self->address));
	EXPECT_NE(0, uacce_poll_gone(self->q.fd, CLIENT_WAIT_MS) & (POLLERR | POLLHUP));
	rawq_close(&self->q);
	EXPECT_EQ(-EOPNOTSUPP, faults("aer", "nonfatal"));
}

TEST_F_TIMEOUT(aer, a_device_that_fails_for_good_is_isolated, 200)
{
	long long deadline = now_ms() + CLIENT_WAIT_MS;
	int ret;

	ASSERT_EQ(0, faults("aer", "failure"));
	EXPECT_NE(0, uacce_poll_gone(self->q.fd, CLIENT_WAIT_MS) & (POLLERR | POLLHUP));
	EXPECT_EQ(1, uacce_attr_num(self->dev, "isolate"));
	/* Until all queues have ended, it counts as resetting. */
	while ((ret = rawq_open(&self->other, self->dev)) == -EPERM && now_ms() < deadline)
		poll(NULL, 0, 1);
	EXPECT_EQ(-EIO, ret);
}

TEST_F(aer, other_words_are_refused)
{
	EXPECT_EQ(-EINVAL, faults("aer", "1"));
	EXPECT_EQ(-EINVAL, faults("aer", "fatally"));
	EXPECT_EQ(0, uacce_poll_gone(self->q.fd, 0));
}

TEST_HARNESS_MAIN
