// SPDX-License-Identifier: Apache-2.0
/* Faults of a simulated device, as its driver and its clients meet them. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include "kselftest_harness.h"
#include "faulty.h"

#define NAME		FAULTY_NAME
#define BYTES		FAULTY_BYTES
#define LATE_MS		300
#define NOTHING_MS	200

FIXTURE(faulty) {
	FAULTY_MEMBERS;
};

FIXTURE_SETUP(faulty)
{
	FAULTY_BEGIN(self);
	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, nlc_join(self->event, self->event->event_group));
}

FIXTURE_TEARDOWN(faulty)
{
	FAULTY_END(self);
}

/* One request: the device's status, or -errno. */
#define ONE(self, ms) ({									\
	uint32_t produced_;									\
	int ret_ = rawq_zip(&(self)->q, ZIP_REQ_DEFLATE, (self)->src, BYTES, (self)->dst,	\
			    sizeof((self)->dst), &produced_, ms);				\
	rawq_ack(&(self)->q, 0);								\
	ret_;											\
})

TEST_F_TIMEOUT(faulty, the_next_fail_with_the_status, 100)
{
	ASSERT_EQ(0, faults("fail", "2:0x8"));
	EXPECT_TRUE(sim_is(NAME, "faults/fail", "2:0x8"));
	EXPECT_EQ(8, ONE(self, CLIENT_WAIT_MS));
	EXPECT_TRUE(sim_is(NAME, "faults/fail", "1:0x8"));
	EXPECT_EQ(8, ONE(self, CLIENT_WAIT_MS));
	EXPECT_EQ(ZIP_ST_OK, ONE(self, CLIENT_WAIT_MS));
	EXPECT_TRUE(sim_is(NAME, "faults/fail", "0"));
	EXPECT_EQ(2, fault_count("fail"));
	ASSERT_EQ(0, faults("seed", "1"));
	EXPECT_EQ(0, fault_count("fail"));
}

TEST_F_TIMEOUT(faulty, faults_come_in_bursts_and_at_times, 100)
{
	long pages;

	FAULTY_NEEDS_SVA;
	ASSERT_EQ(0, faults("fail", "2/1000s"));
	EXPECT_EQ(ZIP_ST_ABORTED, ONE(self, CLIENT_WAIT_MS));
	EXPECT_EQ(ZIP_ST_ABORTED, ONE(self, CLIENT_WAIT_MS));
	EXPECT_EQ(ZIP_ST_OK, ONE(self, CLIENT_WAIT_MS));
	ASSERT_EQ(0, faults("fail", "1,1/1000s:0x8"));
	EXPECT_EQ(8, ONE(self, CLIENT_WAIT_MS));
	EXPECT_EQ(8, ONE(self, CLIENT_WAIT_MS));
	EXPECT_EQ(ZIP_ST_OK, ONE(self, CLIENT_WAIT_MS));
	EXPECT_EQ(4, fault_count("fail"));
	/* The host's own fault, which its workers draw. */
	pages = fault_count("page-fault");
	ASSERT_EQ(0, faults("page_fault", "3/1000s:1us"));
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(ZIP_ST_OK, ONE(self, CLIENT_WAIT_MS));
	EXPECT_EQ(pages + 3, fault_count("page-fault"));
}

/* A queue that a reset or the removal has taken away. */
#define EXPECT_ENDED(self) do {									\
	long long deadline_ = now_ms() + CLIENT_WAIT_MS;					\
												\
	while (!rawq_rx_stop(&(self)->q) && now_ms() < deadline_)				\
		poll(NULL, 0, 1);								\
	EXPECT_NE(0, rawq_rx_stop(&(self)->q));							\
} while (0)

TEST_F_TIMEOUT(faulty, a_request_brings_about_an_error_of_the_device, 100)
{
	ASSERT_EQ(0, faults("error", "1/1000s"));
	client_queue(&self->q, self->src, BYTES, self->dst, sizeof(self->dst));
	client_ring(&self->q);
	EXPECT_ENDED(self);
	EXPECT_READY(self, 1);
	EXPECT_EQ(1, fault_count("error"));
	rawq_close(&self->q);
	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	EXPECT_EQ(ZIP_ST_OK, ONE(self, CLIENT_WAIT_MS));
}

#define REMOVED_BY_REQUEST(self) do {								\
	long long until_ = now_ms() + CLIENT_WAIT_MS;						\
												\
	client_queue(&(self)->q, (self)->src, BYTES, (self)->dst, sizeof((self)->dst));		\
	client_ring(&(self)->q);								\
	EXPECT_ENDED(self);									\
	while (!sim_is(NAME, "live", "0") && now_ms() < until_)					\
		poll(NULL, 0, 1);								\
	EXPECT_TRUE(sim_is(NAME, "live", "0"));							\
} while (0)

TEST_F_TIMEOUT(faulty, a_request_brings_about_the_removal, 100)
{
	ASSERT_EQ(0, faults("remove", "1/1"));
	REMOVED_BY_REQUEST(self);
	EXPECT_FALSE(device_of(self->address, self->dev));
	/* The rule stays. */
	EXPECT_TRUE(sim_is(NAME, "faults/remove", "1/1"));
}

TEST_F_TIMEOUT(faulty, a_number_is_a_removal_with_a_request_and_now_is_at_once, 100)
{
	ASSERT_EQ(0, faults("remove", "1"));
	poll(NULL, 0, NOTHING_MS);
	EXPECT_TRUE(sim_is(NAME, "live", "1"));
	EXPECT_TRUE(sim_is(NAME, "faults/remove", "1"));
	REMOVED_BY_REQUEST(self);
	/* That one removal is over: the device that comes back stays. */
	EXPECT_TRUE(sim_is(NAME, "faults/remove", "0"));
	rawq_close(&self->q);
	ASSERT_EQ(0, sim_set(NAME, "live", "1"));
	ASSERT_TRUE(device_of(self->address, self->dev));
	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	EXPECT_EQ(ZIP_ST_OK, ONE(self, CLIENT_WAIT_MS));
	ASSERT_EQ(0, faults("remove", "now"));
	EXPECT_TRUE(sim_is(NAME, "live", "0"));
	EXPECT_TRUE(sim_is(NAME, "faults/remove", "0"));
}

TEST_F_TIMEOUT(faulty, a_dropped_one_never_completes_and_a_duplicate_twice, 100)
{
	struct rawq_done first, second;

	FAULTY_NEEDS_SVA;
	ASSERT_EQ(0, faults("drop", "1"));
	EXPECT_EQ(-ETIMEDOUT, ONE(self, NOTHING_MS));
	/* However late the device takes the request. */
	ASSERT_EQ(0, fault_wait("drop", 1));
	EXPECT_EQ(1, fault_count("drop"));
	EXPECT_FALSE(rawq_ready(&self->q));
	ASSERT_EQ(0, faults("duplicate", "1"));
	client_queue(&self->q, self->src, BYTES, self->dst, sizeof(self->dst));
	client_ring(&self->q);
	ASSERT_EQ(0, rawq_wait(&self->q, &first, CLIENT_WAIT_MS));
	ASSERT_EQ(0, rawq_wait(&self->q, &second, CLIENT_WAIT_MS));
	EXPECT_EQ(first.sq_head, second.sq_head);
}

TEST_F_TIMEOUT(faulty, what_is_late_comes_late, 100)
{
	long long begin = now_ms();
	struct rawq other;

	FAULTY_NEEDS_SVA;
	ASSERT_EQ(0, faults("delay", "1:300ms"));
	EXPECT_EQ(ZIP_ST_OK, ONE(self, CLIENT_WAIT_MS));
	EXPECT_LE(begin + LATE_MS, now_ms());
	begin = now_ms();
	ASSERT_EQ(0, faults("page_fault", "1:300000us"));
	EXPECT_EQ(ZIP_ST_OK, ONE(self, CLIENT_WAIT_MS));
	EXPECT_LE(begin + LATE_MS, now_ms());
	EXPECT_EQ(1, fault_count("page-fault"));
	begin = now_ms();
	ASSERT_EQ(0, faults("mailbox", "1:300ms"));
	ASSERT_EQ(0, rawq_begin(&other, self->dev, ZIP_QC_COMPRESS));
	EXPECT_LE(begin + LATE_MS, now_ms());
	rawq_close(&other);
}

/* Errors of all contexts of the device, and of this one, the only one. */
static void ctx_errors(const struct nlmsghdr *h, void *arg)
{
	*(long long *)arg = nlm_num(h, UACCE_A_CTX_ERRORS);
}

TEST_F_TIMEOUT(faulty, a_queue_that_loses_completions_is_told_of, 100)
{
	long long errors = 0;
	struct nlmsghdr *h = NULL;

	FAULTY_NEEDS_SVA;
	/* 600 requests, each completed twice, are more than the ring holds. */
	ASSERT_EQ(0, faults("duplicate", "1/1"));
	for (int i = 0; i < 600; i++)
		client_queue(&self->q, self->src, 16, self->dst, sizeof(self->dst));
	client_ring(&self->q);
	ASSERT_EQ(0, nlc_event(self->event, UACCE_NL_CTX_ERROR, &h, NL_WAIT_MS));
	EXPECT_STREQ(self->dev, nlm_string(h, UACCE_A_DEV));
	EXPECT_EQ(EIO, nlm_num(h, UACCE_A_ERROR));
	EXPECT_TRUE(rawq_let_go(&self->q, CLIENT_WAIT_MS));
	ASSERT_EQ(0, nlc_dev_get(self->ask, self->dev));
	EXPECT_EQ(1, nlm_num(&self->ask->reply.h, UACCE_A_CTX_ERRORS));
	ASSERT_EQ(1, nlc_dump(self->ask, UACCE_NL_CTX_GET, ctx_errors, &errors, NULL));
	EXPECT_EQ(1, errors);
}

static bool isolated(const char *dev)
{
	return uacce_attr_num(dev, "isolate") == 1;
}

TEST_F_TIMEOUT(faulty, an_error_that_not_even_a_reset_clears_isolates_the_device, 100)
{
	struct nlmsghdr *h = NULL;
	struct rawq other;

	EXPECT_FALSE(isolated(self->dev));
	ASSERT_EQ(0, faults("reset", "1"));
	ASSERT_EQ(0, faults("error", "qm 2"));
	ASSERT_EQ(0, nlc_event(self->event, UACCE_NL_DEV_ISOLATE, &h, NL_WAIT_MS));
	EXPECT_STREQ(self->dev, nlm_string(h, UACCE_A_DEV));
	EXPECT_STREQ(self->address, nlm_string(h, UACCE_A_DEV_PARENT));
	EXPECT_TRUE(isolated(self->dev));
	EXPECT_EQ(-EPERM, uacce_attr_write(self->dev, "isolate_strategy", "1"));
	EXPECT_EQ(-EIO, rawq_begin(&other, self->dev, ZIP_QC_COMPRESS));
	EXPECT_NE(0, uacce_poll_gone(self->q.fd, CLIENT_WAIT_MS) & (POLLERR | POLLHUP));
	ASSERT_EQ(0, nlc_dev_get(self->ask, self->dev));
	EXPECT_EQ(UACCE_NL_DEV_ISOLATED, nlm_num(&self->ask->reply.h, UACCE_A_DEV_STATE));
	/* The driver that is bound again finds a device as new. */
	rawq_close(&self->q);
	ASSERT_EQ(0, sim_set(NAME, "live", "0"));
	ASSERT_EQ(0, sim_set(NAME, "live", "1"));
	ASSERT_TRUE(device_of(self->address, self->dev));
	EXPECT_FALSE(isolated(self->dev));
	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	EXPECT_EQ(ZIP_ST_OK, ONE(self, CLIENT_WAIT_MS));
}

struct stopper {
	pthread_t thread;
	atomic_int tid;
	atomic_bool done;
	int fd, ret;
};

static void *stop(void *arg)
{
	struct stopper *s = arg;

	atomic_store(&s->tid, gettid());
	s->ret = uacce_put_q(s->fd);
	atomic_store(&s->done, true);
	return NULL;
}

/*
 * The device is pulled out while the owner of a stuck queue waits for the queue to stop. Returns the owner's result, or
 * an error of this function.
 */
static int stop_while_pulled_out(int fd)
{
	long long deadline = now_ms() + CLIENT_WAIT_MS;
	struct stopper s = { .fd = fd };
	int ret = pthread_create(&s.thread, NULL, stop, &s);

	if (ret)
		return -ret;
	while (!sleeps(atomic_load(&s.tid)) && !atomic_load(&s.done) && now_ms() < deadline)
		poll(NULL, 0, 1);
	ret = faults("remove", "now");
	pthread_join(s.thread, NULL);
	return ret ? ret : s.ret;
}

/* Without the removal the owner's call times out, as it does where a machine stalls for those ten seconds. */
TEST_F_TIMEOUT(faulty, a_stuck_queue_does_not_stop_until_the_device_is_pulled_out, 100)
{
	int ret = -ETIMEDOUT;

	for (int i = 0; i < 5 && ret == -ETIMEDOUT; i++) {
		if (i) {
			rawq_close(&self->q);
			ASSERT_EQ(0, sim_set(NAME, "live", "1"));
			ASSERT_TRUE(device_of(self->address, self->dev));
			ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
		}
		ASSERT_EQ(0, faults("stuck", "1"));
		EXPECT_EQ(-ETIMEDOUT, ONE(self, NOTHING_MS));
		ASSERT_EQ(0, fault_wait("stuck", 1));
		EXPECT_EQ(1, fault_count("stuck"));
		ret = stop_while_pulled_out(self->q.fd);
	}
	EXPECT_EQ(-ENODEV, ret);
	EXPECT_TRUE(sim_is(NAME, "live", "0"));
	EXPECT_FALSE(device_of(self->address, self->dev));
	EXPECT_NE(0, uacce_poll_gone(self->q.fd, CLIENT_WAIT_MS) & (POLLERR | POLLHUP));
	EXPECT_EQ(-ENODEV, faults("remove", "now"));
	rawq_close(&self->q);
	ASSERT_EQ(0, faults("stuck", "0"));
	ASSERT_EQ(0, sim_set(NAME, "live", "1"));
	ASSERT_TRUE(device_of(self->address, self->dev));
	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	EXPECT_EQ(ZIP_ST_OK, ONE(self, CLIENT_WAIT_MS));
}

TEST_HARNESS_MAIN
