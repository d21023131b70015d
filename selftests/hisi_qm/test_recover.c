// SPDX-License-Identifier: Apache-2.0
/* The driver resets a device after an error that only a reset clears. */
#include <pthread.h>
#include "kselftest_harness.h"
#include "call.h"
#include "../sim/pci_config.h"

#define NAME		FAULTY_NAME
#define QUEUES		FAULTY_QUEUES
#define BYTES		FAULTY_BYTES
#define SETTLE_MS	300

FIXTURE(recover) {
	FAULTY_MEMBERS;
};

FIXTURE_SETUP(recover)
{
	FAULTY_BEGIN(self);
	FAULTY_LISTEN(self);
}

FIXTURE_TEARDOWN(recover)
{
	FAULTY_END(self);
}

/* ------ what users and listeners see ------ */

TEST_F_TIMEOUT(recover, queues_end_and_the_device_comes_back, 100)
{
	struct nlmsghdr *h = NULL;
	struct call sleeper;

	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, rawq_open(&self->other, self->dev));
	sleeper.fd = self->q.fd;
	ASSERT_EQ(0, call_begin(&sleeper, call_poll));
	ASSERT_EQ(0, faults("error", "qm 2"));
	ASSERT_EQ(0, nlc_next(self->event, &h, NL_WAIT_MS));
	EXPECT_EQ(UACCE_NL_DEV_RESET, nlm_cmd(h));
	ASSERT_EQ(0, nlc_next(self->event, &h, NL_WAIT_MS));
	EXPECT_EQ(UACCE_NL_DEV_READY, nlm_cmd(h));
	EXPECT_EQ(1, nlm_num(h, UACCE_A_DEV_RESETS));
	EXPECT_NE(0, call_end(&sleeper) & (POLLERR | POLLHUP));
	EXPECT_GONE(&self->q);
	EXPECT_EQ(-ENXIO, uacce_start_q(self->other.fd));
	EXPECT_EQ(UACCE_NL_DEV_NORMAL, dev_nl_num(self->ask, self->dev, UACCE_A_DEV_STATE));
	EXPECT_EQ(1, dev_nl_num(self->ask, self->dev, UACCE_A_DEV_RESETS));
	EXPECT_EQ(0, uacce_attr_num(self->dev, "isolate"));
	rawq_close(&self->q);
	rawq_close(&self->other);
	EXPECT_EQ(0, dev_nl_num(self->ask, self->dev, UACCE_A_CTXS_QUARANTINED));
	EXPECT_EQ(QUEUES, uacce_attr_num(self->dev, "available_instances"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/* All of its contexts are in quarantine until its end, which is no shortage. */
TEST_F_TIMEOUT(recover, a_full_device_refuses_queues_as_any_other, 100)
{
	struct nlmsghdr *h = NULL;
	struct rawq all[QUEUES];

	for (int i = 0; i < QUEUES; i++)
		ASSERT_EQ(0, rawq_begin(&all[i], self->dev, ZIP_QC_COMPRESS));
	EXPECT_EQ(-EBUSY, rawq_open(&self->other, self->dev));
	/* The commands of the start take long. */
	ASSERT_EQ(0, faults("mailbox", "1/1:3s"));
	ASSERT_EQ(0, faults("error", "qm 2"));
	ASSERT_EQ(0, nlc_event(self->event, UACCE_NL_DEV_RESET, &h, NL_WAIT_MS));
	EXPECT_EQ(-EPERM, rawq_open(&self->other, self->dev));
	EXPECT_EQ(0, uacce_attr_num(self->dev, "isolate"));
	EXPECT_EQ(UACCE_NL_DEV_RESETTING, dev_nl_num(self->ask, self->dev, UACCE_A_DEV_STATE));
	ASSERT_EQ(0, faults("mailbox", "0"));
	EXPECT_READY(self, 1);
	for (int i = 0; i < QUEUES; i++)
		rawq_close(&all[i]);
	EXPECT_EQ(QUEUES, uacce_attr_num(self->dev, "available_instances"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/* The errors of the queue manager and of ZIP that the driver resets for. */
TEST_F_TIMEOUT(recover, from_every_error_of_that_kind, 400)
{
	static const char *const errors[] = {
		"qm 0", "qm 1", "qm 2", "qm 4", "qm 5", "qm 6", "qm 10", "qm 11", "qm 13", "qm 14",
		"engine 1", "engine 2", "engine 3", "engine 4", "engine 5", "engine 6", "engine 7", "engine 8",
		"engine 9", "engine 10",
	};
	int number = 0;

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
		ASSERT_EQ(0, faults("error", errors[i])) TH_LOG("%s", errors[i]);
		EXPECT_READY(self, ++number);
		EXPECT_GONE(&self->q);
		rawq_close(&self->q);
	}
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

TEST_F_TIMEOUT(recover, a_corrected_error_resets_nothing, 100)
{
	struct nlmsghdr *h = NULL;

	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, faults("error", "qm 3"));
	EXPECT_EQ(-ETIMEDOUT, nlc_next(self->event, &h, SETTLE_MS));
	EXPECT_EQ(0, uacce_poll_gone(self->q.fd, 0));
}

/* ------ the device ------ */

TEST_F_TIMEOUT(recover, config_space_is_as_before, 100)
{
	uint8_t before[CFG_SIZE], after[CFG_SIZE];
	char dir[160];

	snprintf(dir, sizeof(dir), SIM_PCI "/%s", self->address);
	ASSERT_EQ(0, cfg_read(dir, before, CFG_SIZE, 0));
	ASSERT_EQ(0, faults("error", "qm 2"));
	EXPECT_READY(self, 1);
	ASSERT_EQ(0, cfg_read(dir, after, CFG_SIZE, 0));
	EXPECT_EQ(0, memcmp(before, after, CFG_SIZE));
}

/* The reset waits for the job, and drops its result. */
TEST_F_TIMEOUT(recover, memory_is_untouched_once_the_owner_may_reuse_it, 100)
{
	FAULTY_NEEDS_SVA;
	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, faults("page_fault", "8:50ms"));
	for (int i = 0; i < 64; i++)
		client_queue(&self->q, self->src, BYTES, self->dst, sizeof(self->dst));
	client_ring(&self->q);
	ASSERT_EQ(0, fault_wait("page-fault", 1));
	ASSERT_EQ(0, faults("error", "qm 2"));
	ASSERT_TRUE(rawq_let_go(&self->q, CLIENT_WAIT_MS));
	memset(self->dst, 0x5a, sizeof(self->dst));
	EXPECT_READY(self, 1);
	poll(NULL, 0, SETTLE_MS);
	for (size_t i = 0; i < sizeof(self->dst); i++)
		ASSERT_EQ(0x5a, self->dst[i]);
	rawq_close(&self->q);
	ASSERT_EQ(0, faults("page_fault", "0"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

TEST_F_TIMEOUT(recover, a_queue_that_never_stops_comes_back, 100)
{
	uint32_t produced;

	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, faults("stuck", "1"));
	EXPECT_EQ(-ETIMEDOUT, rawq_zip(&self->q, ZIP_REQ_DEFLATE, self->src, BYTES, self->dst, sizeof(self->dst),
				       &produced, SETTLE_MS));
	rawq_close(&self->q);
	EXPECT_EQ(1, dev_nl_num(self->ask, self->dev, UACCE_A_CTXS_QUARANTINED));
	ASSERT_EQ(0, faults("error", "engine 1"));
	EXPECT_READY(self, 1);
	EXPECT_EQ(0, dev_nl_num(self->ask, self->dev, UACCE_A_CTXS_QUARANTINED));
	EXPECT_EQ(QUEUES, uacce_attr_num(self->dev, "available_instances"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/* ------ isolation ------ */

TEST_F_TIMEOUT(recover, a_reset_that_fails_isolates_the_device_until_the_next_one, 100)
{
	struct nlmsghdr *h = NULL;

	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, faults("reset", "1"));
	EXPECT_TRUE(sim_is(NAME, "faults/reset", "1"));
	ASSERT_EQ(0, faults("error", "qm 2"));
	ASSERT_EQ(0, nlc_event(self->event, UACCE_NL_DEV_ISOLATE, &h, NL_WAIT_MS));
	EXPECT_GONE(&self->q);
	EXPECT_EQ(1, uacce_attr_num(self->dev, "isolate"));
	EXPECT_EQ(-EIO, rawq_begin(&self->other, self->dev, ZIP_QC_COMPRESS));
	EXPECT_EQ(0, dev_nl_num(self->ask, self->dev, UACCE_A_DEV_RESETS));
	ASSERT_EQ(0, faults("reset", "0"));
	ASSERT_EQ(0, reset(self->address));
	EXPECT_READY(self, 1);
	EXPECT_EQ(0, uacce_attr_num(self->dev, "isolate"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

TEST_F_TIMEOUT(recover, more_resets_than_the_strategy_allows_isolate_the_device, 100)
{
	struct nlmsghdr *h = NULL;

	ASSERT_EQ(0, uacce_attr_write(self->dev, "isolate_strategy", "2"));
	for (int i = 1; i <= 2; i++) {
		ASSERT_EQ(0, faults("error", "qm 2"));
		EXPECT_READY(self, i);
	}
	EXPECT_EQ(0, uacce_attr_num(self->dev, "isolate"));
	ASSERT_EQ(0, faults("error", "qm 2"));
	ASSERT_EQ(0, nlc_event(self->event, UACCE_NL_DEV_ISOLATE, &h, NL_WAIT_MS));
	EXPECT_EQ(1, uacce_attr_num(self->dev, "isolate"));
	EXPECT_EQ(UACCE_NL_DEV_ISOLATED, dev_nl_num(self->ask, self->dev, UACCE_A_DEV_STATE));
	EXPECT_EQ(-EIO, rawq_begin(&self->other, self->dev, ZIP_QC_COMPRESS));
	EXPECT_EQ(-EPERM, uacce_attr_write(self->dev, "isolate_strategy", "3"));
	EXPECT_EQ(-ETIMEDOUT, nlc_next(self->event, &h, SETTLE_MS));
	/* The driver that is bound again counts anew. */
	ASSERT_EQ(0, sim_set(NAME, "live", "0"));
	ASSERT_EQ(0, sim_set(NAME, "live", "1"));
	ASSERT_TRUE(device_of(self->address, self->dev));
	EXPECT_EQ(0, uacce_attr_num(self->dev, "isolate"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

TEST_F_TIMEOUT(recover, a_new_strategy_forgets_the_resets_so_far, 100)
{
	for (int i = 1; i <= 4; i++) {
		ASSERT_EQ(0, uacce_attr_write(self->dev, "isolate_strategy", "1"));
		ASSERT_EQ(0, faults("error", "qm 2"));
		EXPECT_READY(self, i);
		EXPECT_EQ(0, uacce_attr_num(self->dev, "isolate"));
	}
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/* ------ races ------ */

static int call_errors(struct call *call)
{
	while (!atomic_load(&call->done) && call->before-- > 0) {
		int ret = faults("error", "qm 2");

		/* In the middle of a reset, memory decoding is off. */
		if (ret && ret != -ENODEV)
			return ret;
		poll(NULL, 0, 20);
	}
	return 0;
}

/* Every error may be reported while the last reset runs. */
TEST_F_TIMEOUT(recover, errors_during_resets_and_resets_by_pci_are_over_with_the_last_reset, 300)
{
	struct call errors = { .before = 100 };

	ASSERT_EQ(0, call_begin(&errors, call_errors));
	for (int i = 0; i < 10; i++)
		EXPECT_EQ(0, reset(self->address));
	EXPECT_EQ(0, call_end(&errors));
	/* It waits for the driver's own reset, if that runs, and handles what was reported before it. */
	ASSERT_EQ(0, reset(self->address));
	EXPECT_EQ(UACCE_NL_DEV_NORMAL, dev_nl_num(self->ask, self->dev, UACCE_A_DEV_STATE));
	EXPECT_EQ(0, uacce_attr_num(self->dev, "isolate"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

TEST_F_TIMEOUT(recover, the_driver_can_be_unbound_meanwhile, 300)
{
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
		ASSERT_EQ(0, faults("error", "qm 2"));
		poll(NULL, 0, i);
		ASSERT_EQ(0, text_write("/sys/bus/pci/drivers/hisi_zip/unbind", self->address));
		EXPECT_NE(0, uacce_poll_gone(self->q.fd, CLIENT_WAIT_MS) & (POLLERR | POLLHUP));
		rawq_close(&self->q);
		ASSERT_EQ(0, text_write("/sys/bus/pci/drivers/hisi_zip/bind", self->address));
		ASSERT_TRUE(device_of(self->address, self->dev));
	}
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

TEST_F_TIMEOUT(recover, the_device_can_be_removed_meanwhile, 300)
{
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
		ASSERT_EQ(0, faults("error", "qm 2"));
		poll(NULL, 0, i);
		ASSERT_EQ(0, i % 2 ? faults("remove", "now") : sim_set(NAME, "live", "0"));
		EXPECT_NE(0, uacce_poll_gone(self->q.fd, CLIENT_WAIT_MS) & (POLLERR | POLLHUP));
		rawq_close(&self->q);
		ASSERT_EQ(0, sim_set(NAME, "live", "1"));
		ASSERT_TRUE(device_of(self->address, self->dev));
	}
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

TEST_HARNESS_MAIN
