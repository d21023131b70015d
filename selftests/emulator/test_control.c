// SPDX-License-Identifier: Apache-2.0
/*
 * What tests can make the emulator do, seen by a raw client: faults, guarded memory, order of doorbells, reset,
 * removal.
 */
#include <pthread.h>
#include <sys/wait.h>
#include "emulated.h"
#include "kselftest_harness.h"
#include "rawq.h"
#include "turn.h"
#include "wait_ms.h"

#define LEN	500

FIXTURE(zip) {
	struct rawq q;
	unsigned char src[LEN];
	unsigned char dst[2 * LEN];
	unsigned int produced;
};

FIXTURE_VARIANT(zip) {
	const char *poll;
};

FIXTURE_VARIANT_ADD(zip, events) {
	.poll = "mainline-poll off",
};

FIXTURE_VARIANT_ADD(zip, mainline_poll) {
	.poll = "mainline-poll on",
};

static int control(const char *command)
{
	return emulated_control(EMULATED_DEVICE, command);
}

static unsigned long long count(const char *what)
{
	return emulated_count(EMULATED_DEVICE, what);
}

FIXTURE_SETUP(zip)
{
	ASSERT_EQ(0, control(variant->poll));
	ASSERT_EQ(0, rawq_begin(&self->q, EMULATED_DEVICE, ZIP_QC_COMPRESS));
}

FIXTURE_TEARDOWN(zip)
{
	rawq_close(&self->q);
}

static void submit(FIXTURE_DATA(zip) *self)
{
	rawq_zip_fill(rawq_slot(&self->q), ZIP_REQ_ZLIB, self->src, LEN, self->dst, sizeof(self->dst), 1);
	rawq_push(&self->q, 1);
}

static int request(FIXTURE_DATA(zip) *self)
{
	return rawq_zip(&self->q, ZIP_REQ_ZLIB, self->src, LEN, self->dst, sizeof(self->dst), &self->produced, WAIT_MS);
}

struct sleeper {
	pthread_t thread;
	int fd;
	int ret;
	short revents;
};

static void *sleep_in_poll(void *arg)
{
	struct sleeper *s = arg;
	struct pollfd p = { .fd = s->fd, .events = POLLIN };

	s->ret = poll(&p, 1, WAIT_MS);
	s->revents = p.revents;
	return NULL;
}

/* Returns when the thread is in poll(), or has looked and is about to sleep. */
static void put_to_sleep(struct sleeper *s, int fd)
{
	unsigned long long before = count("sleeps");

	s->fd = fd;
	if (pthread_create(&s->thread, NULL, sleep_in_poll, s))
		abort();
	while (count("sleeps") == before)
		turn_over();
}

/* A queue's first completion raises an event without arming; the completions of the tests below must not. */
static void burn_first_event(FIXTURE_DATA(zip) *self)
{
	struct pollfd p = { .fd = self->q.fd, .events = POLLIN };

	if (request(self) != ZIP_ST_OK)
		abort();
	/*
	 * The event follows the completion in the same turn of the device: once the device is held, that turn is over.
	 */
	if (control("hold"))
		abort();
	while (poll(&p, 1, 0))
		;
	if (control("release"))
		abort();
}

TEST_F(zip, a_cq_doorbell_over_an_unseen_sq_doorbell_loses_no_request)
{
	struct rawq_done done;
	struct sleeper s;

	burn_first_event(self);
	ASSERT_EQ(0, control("hold"));
	submit(self);
	rawq_ack(&self->q, 1);
	put_to_sleep(&s, self->q.fd);
	ASSERT_EQ(0, control("release"));
	pthread_join(s.thread, NULL);
	EXPECT_EQ(1, s.ret);
	EXPECT_EQ(0, rawq_pull(&self->q, &done));
	EXPECT_EQ(1, count("sq_recovered"));
}

TEST_F(zip, an_sq_doorbell_over_an_unseen_arm_loses_no_event)
{
	struct rawq_done done;
	struct sleeper s;

	burn_first_event(self);
	ASSERT_EQ(0, control("hold"));
	put_to_sleep(&s, self->q.fd);
	rawq_ack(&self->q, 1);
	submit(self);
	ASSERT_EQ(0, control("release"));
	pthread_join(s.thread, NULL);
	EXPECT_EQ(1, s.ret);
	EXPECT_EQ(0, rawq_pull(&self->q, &done));
	EXPECT_LE(1, count("arm_recovered"));
}

TEST_F(zip, a_held_device_goes_on_at_the_look_it_is_told)
{
	struct pollfd p = { .fd = self->q.fd, .events = POLLIN };

	EXPECT_EQ(-EINVAL, control("release-at look"));
	ASSERT_EQ(0, control("hold"));
	submit(self);
	ASSERT_EQ(0, control("release-at sleep"));
	EXPECT_EQ(0, poll(&p, 1, 0));
	EXPECT_EQ(1, poll(&p, 1, WAIT_MS));
	EXPECT_EQ(0, rawq_pull(&self->q, &(struct rawq_done){ 0 }));
	ASSERT_EQ(0, control("hold"));
	submit(self);
	ASSERT_EQ(0, control("release-at look"));
	EXPECT_EQ(1, poll(&p, 1, 0));
}

TEST_F(zip, reset_wakes_everybody_and_leaves_dead_queues)
{
	struct rawq q;
	struct sleeper s;

	put_to_sleep(&s, self->q.fd);
	ASSERT_EQ(0, control("reset"));
	pthread_join(s.thread, NULL);
	EXPECT_EQ(1, s.ret);
	EXPECT_EQ(POLLIN | POLLERR | POLLHUP, s.revents);
	EXPECT_NE(0, rawq_tx_stop(&self->q));
	EXPECT_NE(0, rawq_rx_stop(&self->q));
	EXPECT_EQ(-ENXIO, neg_errno(ioctl(self->q.fd, UACCE_CMD_PUT_Q)));
	/* A new queue works. */
	ASSERT_EQ(0, rawq_begin(&q, EMULATED_DEVICE, ZIP_QC_COMPRESS));
	EXPECT_EQ(ZIP_ST_OK, rawq_zip(&q, ZIP_REQ_ZLIB, self->src, LEN, self->dst, LEN, &self->produced, WAIT_MS));
	rawq_close(&q);
}

TEST_F(zip, a_removed_device_is_gone_until_it_returns)
{
	struct rawq q;

	ASSERT_EQ(0, control("remove"));
	EXPECT_EQ(-ENODEV, control("hold"));
	EXPECT_EQ(-ENXIO, neg_errno(ioctl(self->q.fd, UACCE_CMD_PUT_Q)));
	EXPECT_NE(0, rawq_rx_stop(&self->q));
	EXPECT_EQ(-1, access("/dev/" EMULATED_DEVICE, F_OK));
	EXPECT_EQ(-1, access("/sys/class/uacce/" EMULATED_DEVICE, F_OK));
	EXPECT_EQ(-ENOENT, uacce_open(EMULATED_DEVICE));
	ASSERT_EQ(0, control("return"));
	EXPECT_EQ(-EINVAL, control("return"));
	EXPECT_EQ(-ENXIO, neg_errno(ioctl(self->q.fd, UACCE_CMD_PUT_Q)));
	ASSERT_EQ(0, rawq_begin(&q, EMULATED_DEVICE, ZIP_QC_COMPRESS));
	EXPECT_EQ(ZIP_ST_OK, rawq_zip(&q, ZIP_REQ_ZLIB, self->src, LEN, self->dst, LEN, &self->produced, WAIT_MS));
	rawq_close(&q);
}

TEST_F(zip, faults_can_be_changed_on_the_way)
{
	ASSERT_EQ(0, control("fault fail=1:4"));
	EXPECT_EQ(ZIP_ST_BAD_DATA, request(self));
	EXPECT_EQ(ZIP_ST_OK, request(self));
	ASSERT_EQ(0, control("fault fail=1/1"));
	EXPECT_EQ(ZIP_ST_ABORTED, request(self));
	ASSERT_EQ(0, control("fault fail=0"));
	EXPECT_EQ(ZIP_ST_OK, request(self));
	EXPECT_EQ(2, count("fail"));
	ASSERT_EQ(0, control("fault page-fault=2:1us"));
	EXPECT_EQ(ZIP_ST_OK, request(self));
	EXPECT_EQ(2, count("page-fault"));
	EXPECT_EQ(-EINVAL, control("fault nonsense=1"));
	EXPECT_EQ(-EINVAL, control("fault fail=1:0x13"));
	EXPECT_EQ(-EINVAL, control("nonsense"));
	EXPECT_EQ(-ENODEV, emulated_control("hisi_zip-9", "hold"));
}

TEST_F(zip, faults_come_in_bursts_and_at_times)
{
	ASSERT_EQ(0, control("fault fail=2/1000s"));
	EXPECT_EQ(ZIP_ST_ABORTED, request(self));
	EXPECT_EQ(ZIP_ST_ABORTED, request(self));
	EXPECT_EQ(ZIP_ST_OK, request(self));
	ASSERT_EQ(0, control("fault fail=1,fail=1/1000s"));
	EXPECT_EQ(ZIP_ST_ABORTED, request(self));
	EXPECT_EQ(ZIP_ST_ABORTED, request(self));
	EXPECT_EQ(ZIP_ST_OK, request(self));
	ASSERT_EQ(0, control("fault page-fault=3/1000s:1us"));
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(ZIP_ST_OK, request(self));
	EXPECT_EQ(3, count("page-fault"));
}

/* The request itself, or only its queue, ends with the reset. */
TEST_F(zip, an_error_of_the_device_resets_it)
{
	ASSERT_EQ(0, control("fault error=1"));
	submit(self);
	while (!rawq_rx_stop(&self->q))
		turn_over();
	EXPECT_EQ(1, count("error"));
	rawq_close(&self->q);
	ASSERT_EQ(0, rawq_begin(&self->q, EMULATED_DEVICE, ZIP_QC_COMPRESS));
	EXPECT_EQ(ZIP_ST_OK, request(self));
}

TEST_F(zip, a_fault_removes_the_device)
{
	ASSERT_EQ(0, control("fault remove=1"));
	submit(self);
	while (!rawq_rx_stop(&self->q))
		turn_over();
	EXPECT_EQ(-ENOENT, uacce_open(EMULATED_DEVICE));
	EXPECT_EQ(-ENODEV, control("hold"));
	ASSERT_EQ(0, control("return"));
	rawq_close(&self->q);
	ASSERT_EQ(0, rawq_begin(&self->q, EMULATED_DEVICE, ZIP_QC_COMPRESS));
	EXPECT_EQ(ZIP_ST_OK, request(self));
}

TEST_F(zip, a_stuck_queue_ends_with_a_reset_at_its_close)
{
	struct rawq q;

	ASSERT_EQ(0, rawq_begin(&q, EMULATED_DEVICE, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, control("fault stuck=1"));
	submit(self);
	while (!count("stuck"))
		turn_over();
	EXPECT_EQ(-ETIMEDOUT, neg_errno(ioctl(self->q.fd, UACCE_CMD_PUT_Q)));
	EXPECT_EQ(0, rawq_rx_stop(&q));
	rawq_close(&self->q);
	EXPECT_NE(0, rawq_rx_stop(&q));
	rawq_close(&q);
	ASSERT_EQ(0, rawq_begin(&self->q, EMULATED_DEVICE, ZIP_QC_COMPRESS));
	EXPECT_EQ(ZIP_ST_OK, request(self));
}

TEST_F(zip, access_to_guarded_memory_ends_the_process)
{
	struct loans l;
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		struct rawq q;
		unsigned int n, i;

		if (loans_open(&l, 4) || rawq_begin(&q, EMULATED_DEVICE, ZIP_QC_COMPRESS))
			_exit(1);
		for (i = 0; i < 3; i++) {
			lend(&l, l.base, i == 2 ? 2 : 4);
			if (rawq_zip(&q, ZIP_REQ_ZLIB, l.base, LEN, loans_at(&l, 2), 512, &n, WAIT_MS) != ZIP_ST_OK)
				_exit(2);
			take_back(&l, l.base, 4);
		}
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFSIGNALED(status)) TH_LOG("status %#x", status);
	EXPECT_EQ(SIGABRT, WTERMSIG(status));
}

TEST_HARNESS_MAIN
