// SPDX-License-Identifier: Apache-2.0
/* A PCI reset of a device that the driver and clients use, and what recovers by the reset or by itself. */
#include <signal.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "call.h"

#define NAME		FAULTY_NAME
#define QUEUES		FAULTY_QUEUES
#define BYTES		FAULTY_BYTES
#define NOTHING_MS	200

FIXTURE(reset) {
	FAULTY_MEMBERS;
};

FIXTURE_SETUP(reset)
{
	FAULTY_BEGIN(self);
	ASSERT_EQ(0, nlc_join(self->event, self->event->event_group));
}

FIXTURE_TEARDOWN(reset)
{
	FAULTY_END(self);
}

/* ------ the users of a device that is reset ------ */

TEST_F_TIMEOUT(reset, sleepers_and_listeners_are_told_and_a_new_client_can_sleep, 100)
{
	struct nlmsghdr *h = NULL;
	struct call sleeper;

	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, rawq_open(&self->other, self->dev));
	sleeper.fd = self->q.fd;
	ASSERT_EQ(0, call_begin(&sleeper, call_poll));
	ASSERT_EQ(0, reset(self->address));
	EXPECT_NE(0, call_end(&sleeper) & (POLLERR | POLLHUP));
	EXPECT_GONE(&self->q);
	EXPECT_EQ(-ENXIO, uacce_start_q(self->other.fd));
	ASSERT_EQ(0, nlc_event(self->event, UACCE_NL_DEV_RESET, &h, NL_WAIT_MS));
	EXPECT_STREQ(self->dev, nlm_string(h, UACCE_A_DEV));
	EXPECT_EQ(UACCE_NL_DEV_NORMAL, dev_nl_num(self->ask, self->dev, UACCE_A_DEV_STATE));
	rawq_close(&self->q);
	rawq_close(&self->other);
	EXPECT_EQ(QUEUES, uacce_attr_num(self->dev, "available_instances"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/* Each has a room of its own: the kernel's debugger of mappings accepts seven of the same memory. */
TEST_F_TIMEOUT(reset, requests_under_way_are_no_obstacle_time_and_again, 200)
{
	static uint8_t rooms[64][sizeof(self->dst)];

	for (int round = 0; round < 5; round++) {
		ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
		for (int i = 0; i < 64; i++)
			client_queue(&self->q, self->src, BYTES, rooms[i], sizeof(rooms[i]));
		rawq_ack(&self->q, 1);
		client_ring(&self->q);
		ASSERT_EQ(0, reset(self->address));
		EXPECT_GONE(&self->q);
		rawq_close(&self->q);
	}
	EXPECT_EQ(QUEUES, uacce_attr_num(self->dev, "available_instances"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/*
 * A machine that stalls for the seconds of a reset, or for so long that the driver abandons a command, doesn't stall at
 * each try.
 */
TEST_F_TIMEOUT(reset, its_state_is_told_while_it_lasts, 100)
{
	struct call resetter = { .address = self->address };
	bool seen = false, refused = false, normal = false;
	struct rawq late;
	int ret = 0;

	for (int i = 0; i < 10 && !(seen && refused && normal); i++) {
		rawq_close(&self->q);
		if (i) {
			ASSERT_EQ(0, reset(self->address));
		}
		ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
		/* Each of the reset's commands takes a second, until both states have been seen. */
		ASSERT_EQ(0, faults("mailbox", "1/1:1s"));
		ASSERT_EQ(0, call_begin(&resetter, call_reset));
		while (!(seen = dev_nl_num(self->ask, self->dev, UACCE_A_DEV_STATE) == UACCE_NL_DEV_RESETTING) &&
		       !atomic_load(&resetter.done))
			poll(NULL, 0, 1);
		ret = rawq_begin(&late, self->dev, ZIP_QC_COMPRESS);
		refused = ret == -EPERM;
		if (!ret)
			rawq_close(&late);
		ASSERT_EQ(0, faults("mailbox", "0"));
		EXPECT_EQ(0, call_end(&resetter));
		normal = dev_nl_num(self->ask, self->dev, UACCE_A_DEV_STATE) == UACCE_NL_DEV_NORMAL;
	}
	EXPECT_TRUE(seen);
	EXPECT_TRUE(refused) TH_LOG("%d", ret);
	EXPECT_TRUE(normal);
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/* The mailbox works until the device is reset, and not afterwards. */
TEST_F_TIMEOUT(reset, a_device_that_does_not_come_back_is_isolated_until_the_next_reset, 200)
{
	struct nlmsghdr *h = NULL;

	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, uacce_put_q(self->q.fd));
	ASSERT_EQ(0, faults("mailbox", "1"));
	ASSERT_EQ(0, reset(self->address));
	ASSERT_EQ(0, nlc_event(self->event, UACCE_NL_DEV_ISOLATE, &h, NL_WAIT_MS));
	EXPECT_STREQ(self->dev, nlm_string(h, UACCE_A_DEV));
	EXPECT_EQ(UACCE_NL_DEV_ISOLATED, dev_nl_num(self->ask, self->dev, UACCE_A_DEV_STATE));
	EXPECT_EQ(1, uacce_attr_num(self->dev, "isolate"));
	EXPECT_EQ(-EIO, rawq_begin(&self->other, self->dev, ZIP_QC_COMPRESS));
	EXPECT_GONE(&self->q);
	ASSERT_EQ(0, reset(self->address));
	EXPECT_EQ(0, uacce_attr_num(self->dev, "isolate"));
	EXPECT_EQ(UACCE_NL_DEV_NORMAL, dev_nl_num(self->ask, self->dev, UACCE_A_DEV_STATE));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

TEST_F_TIMEOUT(reset, a_device_with_an_error_comes_back, 100)
{
	struct nlmsghdr *h = NULL;

	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, faults("reset", "1"));
	ASSERT_EQ(0, faults("error", "qm 2"));
	ASSERT_EQ(0, nlc_event(self->event, UACCE_NL_DEV_ISOLATE, &h, NL_WAIT_MS));
	ASSERT_EQ(0, faults("reset", "0"));
	rawq_close(&self->q);
	EXPECT_EQ(1, dev_nl_num(self->ask, self->dev, UACCE_A_CTXS_QUARANTINED));
	ASSERT_EQ(0, reset(self->address));
	EXPECT_EQ(0, dev_nl_num(self->ask, self->dev, UACCE_A_CTXS_QUARANTINED));
	EXPECT_EQ(QUEUES, uacce_attr_num(self->dev, "available_instances"));
	EXPECT_EQ(0, uacce_attr_num(self->dev, "isolate"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/* ------ openers whose address space is not bound yet ------ */

/*
 * A process' first open of the device, which stays in the binding until the device releases it; exits with the error.
 */
static pid_t opener_that_binds(const char *dev)
{
	long before = uacce_attr_num(dev, "available_instances");
	pid_t pid;

	if (faults("bind", "1"))
		return -1;
	pid = fork();
	if (!pid) {
		struct rawq q;

		_exit(-rawq_open(&q, dev));
	}
	/* The queue is counted before the address space is bound. */
	while (pid > 0 && uacce_attr_num(dev, "available_instances") == before)
		poll(NULL, 0, 1);
	return pid;
}

TEST_F_TIMEOUT(reset, it_does_not_wait_for_an_opener_that_binds, 100)
{
	int status;
	pid_t pid;

	FAULTY_NEEDS_SVA;
	pid = opener_that_binds(self->dev);
	ASSERT_LT(0, pid);
	ASSERT_EQ(0, reset(self->address));
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	ASSERT_EQ(0, faults("bind", "0"));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(EPERM, WEXITSTATUS(status));
	EXPECT_EQ(QUEUES, uacce_attr_num(self->dev, "available_instances"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

TEST_F_TIMEOUT(reset, an_opener_that_binds_can_be_killed, 100)
{
	int status;
	pid_t pid;

	FAULTY_NEEDS_SVA;
	pid = opener_that_binds(self->dev);
	ASSERT_LT(0, pid);
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(QUEUES, uacce_attr_num(self->dev, "available_instances"));
	ASSERT_EQ(0, faults("bind", "0"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

static int call_unbind(struct call *call)
{
	return text_write("/sys/bus/pci/drivers/hisi_zip/unbind", call->address);
}

/* The device makes the binding, so the device must not go before the binding is complete. */
TEST_F_TIMEOUT(reset, a_removal_waits_for_an_opener_that_binds, 100)
{
	struct call removal = { .address = self->address };
	int status;
	pid_t pid;

	FAULTY_NEEDS_SVA;
	ASSERT_EQ(0, rawq_open(&self->q, self->dev));
	pid = opener_that_binds(self->dev);
	ASSERT_LT(0, pid);
	/* Queues are killed in order, this one last: once it is gone, the opener's queue has been killed. */
	ASSERT_EQ(0, rawq_begin(&self->other, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, call_begin(&removal, call_unbind));
	EXPECT_NE(0, uacce_poll_gone(self->other.fd, CLIENT_WAIT_MS) & (POLLERR | POLLHUP));
	EXPECT_TRUE(call_sleeps(&removal));
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	ASSERT_EQ(0, faults("bind", "0"));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(EINVAL, WEXITSTATUS(status));
	EXPECT_EQ(0, call_end(&removal));
}

/* ------ queues that don't stop ------ */

TEST_F_TIMEOUT(reset, it_gives_back_a_queue_that_never_stops, 100)
{
	uint32_t produced;

	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, faults("stuck", "1"));
	EXPECT_EQ(-ETIMEDOUT, rawq_zip(&self->q, ZIP_REQ_DEFLATE, self->src, BYTES, self->dst,
				       sizeof(self->dst), &produced, NOTHING_MS));
	rawq_close(&self->q);
	EXPECT_EQ(1, dev_nl_num(self->ask, self->dev, UACCE_A_CTXS_QUARANTINED));
	EXPECT_EQ(QUEUES - 1, uacce_attr_num(self->dev, "available_instances"));
	ASSERT_EQ(0, reset(self->address));
	EXPECT_EQ(0, dev_nl_num(self->ask, self->dev, UACCE_A_CTXS_QUARANTINED));
	EXPECT_EQ(QUEUES, uacce_attr_num(self->dev, "available_instances"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

TEST_HARNESS_MAIN
