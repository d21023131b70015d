// SPDX-License-Identifier: Apache-2.0
/*
 * A device that users can't reach: during another user's long stop, for ever, until it is reset, or because it is off
 * the bus.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "call.h"

#define NAME		FAULTY_NAME
#define QUEUES		FAULTY_QUEUES
#define BYTES		FAULTY_BYTES
#define NOTHING_MS	200

FIXTURE(away) {
	FAULTY_MEMBERS;
};

FIXTURE_SETUP(away)
{
	FAULTY_BEGIN(self);
	ASSERT_EQ(0, nlc_join(self->event, self->event->event_group));
}

FIXTURE_TEARDOWN(away)
{
	FAULTY_END(self);
}

static int wait_num(struct nlc *ask, const char *dev, uint16_t type, long long n)
{
	long long deadline = now_ms() + LONG_MS;

	while (dev_nl_num(ask, dev, type) != n)
		if (now_ms() > deadline)
			return -ETIMEDOUT;
		else
			poll(NULL, 0, 1);
	return 0;
}

static int call_start_q(struct call *call)
{
	int ret;

	call->before = fault_count("mailbox");
	ret = uacce_start_q(call->fd);
	call->after = fault_count("mailbox");
	return ret;
}

/* One request on the fixture's queue: returns the device's status, or -errno. */
#define ONE(self, q, ms) ({									\
	uint32_t produced_;									\
												\
	rawq_zip(q, ZIP_REQ_DEFLATE, (self)->src, BYTES, (self)->dst, sizeof((self)->dst), &produced_, ms); \
})

/* ------ another user's long stop ------ */

/*
 * One tenant's queue takes long to finish: no user is refused, no user's queue is lost. The stop takes longer than any
 * other command may.
 */
TEST_F_TIMEOUT(away, a_long_stop_costs_others_nothing_but_time, 300)
{
	struct call stop, start, second;
	struct rawq third, fourth;

	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, rawq_begin(&third, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, rawq_begin(&fourth, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, rawq_open(&self->other, self->dev));
	ASSERT_EQ(0, rawq_map(&self->other));
	ASSERT_LE(0, uacce_set_qp_ctx(self->other.fd, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, faults("mailbox", "1:50s"));
	stop.fd = self->q.fd;
	start.fd = self->other.fd;
	second.fd = fourth.fd;
	ASSERT_EQ(0, call_begin(&stop, call_put_q));
	ASSERT_EQ(0, fault_wait("mailbox", 1));
	ASSERT_EQ(0, call_begin(&start, call_start_q));
	ASSERT_EQ(0, call_begin(&second, call_put_q));
	/* This close ends before the long stop does: the driver takes the queue over and frees it later. */
	rawq_close(&third);
	EXPECT_EQ(-ETIMEDOUT, call_end(&stop));
	EXPECT_EQ(0, call_end(&start));
	EXPECT_EQ(0, call_end(&second));
	EXPECT_EQ(0, wait_num(self->ask, self->dev, UACCE_A_CTXS_QUARANTINED, 0));
	/* The owner whose stop timed out may ask again. */
	EXPECT_EQ(0, uacce_put_q(self->q.fd));
	EXPECT_EQ(0, uacce_start_q(self->q.fd));
	EXPECT_EQ(0, uacce_start_q(fourth.fd));
	rawq_close(&fourth);
	EXPECT_EQ(QUEUES - 2, uacce_attr_num(self->dev, "available_instances"));
	EXPECT_EQ(0, uacce_attr_num(self->dev, "isolate"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/* Begins a stop that takes a minute; returns when ten seconds are over. */
static int long_stop(struct rawq *q)
{
	int ret = faults("mailbox", "1:60s");

	return ret ? ret : uacce_put_q(q->fd);
}

static int dont_wait(int fd)
{
	return neg_errno(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK));
}

TEST_F_TIMEOUT(away, who_must_not_wait_is_told_and_has_lost_nothing, 200)
{
	struct rawq third;

	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, rawq_begin(&self->other, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, rawq_open(&third, self->dev));
	ASSERT_EQ(0, dont_wait(self->other.fd));
	ASSERT_EQ(0, dont_wait(third.fd));
	ASSERT_EQ(-ETIMEDOUT, long_stop(&self->q));
	EXPECT_EQ(-EBUSY, uacce_put_q(self->other.fd));
	EXPECT_EQ(-EBUSY, uacce_start_q(third.fd));
	EXPECT_EQ(ZIP_ST_OK, ONE(self, &self->other, CLIENT_WAIT_MS));
	/* The reset clears the mailbox. */
	ASSERT_EQ(0, reset(self->address));
	rawq_close(&third);
}

static int sleeps_in_start(const char *dev)
{
	long long deadline = now_ms() + CLIENT_WAIT_MS;
	int child = fork();

	if (!child) {
		struct rawq q;

		_exit(rawq_open(&q, dev) ? 1 : -uacce_start_q(q.fd));
	}
	while (child > 0 && !sleeps(child) && now_ms() < deadline)
		poll(NULL, 0, 1);
	return child;
}

TEST_F_TIMEOUT(away, who_waits_for_it_can_be_killed, 200)
{
	int child, status;

	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, rawq_open(&self->other, self->dev));
	ASSERT_EQ(0, dont_wait(self->other.fd));
	ASSERT_EQ(-ETIMEDOUT, long_stop(&self->q));
	child = sleeps_in_start(self->dev);
	ASSERT_LT(0, child);
	ASSERT_EQ(0, kill(child, SIGKILL));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	/* The stop isn't over. */
	EXPECT_EQ(-EBUSY, uacce_start_q(self->other.fd));
	ASSERT_EQ(0, reset(self->address));
	rawq_close(&self->q);
	rawq_close(&self->other);
	EXPECT_EQ(QUEUES, uacce_attr_num(self->dev, "available_instances"));
}

/* The driver takes the queues back without waiting for the calls that wait, and those calls don't go on. */
TEST_F_TIMEOUT(away, who_waits_for_it_is_told_of_a_reset, 200)
{
	struct call waiter;

	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, rawq_begin(&self->other, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(-ETIMEDOUT, long_stop(&self->q));
	waiter.fd = self->other.fd;
	ASSERT_EQ(0, call_begin(&waiter, call_put_q));
	EXPECT_TRUE(call_sleeps(&waiter));
	ASSERT_EQ(0, reset(self->address));
	EXPECT_EQ(-ENXIO, call_end(&waiter));
	EXPECT_GONE(&self->q);
	EXPECT_GONE(&self->other);
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/* ------ a mailbox that never answers, one that is fought for ------ */

/* The command itself gets no answer: it doesn't wait for a queue to finish. */
TEST_F_TIMEOUT(away, a_mailbox_that_never_answers_is_reset_with_the_device, 200)
{
	struct nlmsghdr *h = NULL;

	ASSERT_EQ(0, rawq_open(&self->q, self->dev));
	ASSERT_EQ(0, faults("mailbox", "1"));
	EXPECT_EQ(-ETIMEDOUT, uacce_start_q(self->q.fd));
	EXPECT_EQ(-EIO, uacce_start_q(self->q.fd));
	ASSERT_EQ(0, nlc_event(self->event, UACCE_NL_DEV_READY, &h, LONG_MS));
	EXPECT_EQ(0, uacce_attr_num(self->dev, "isolate"));
	EXPECT_NE(0, uacce_poll_gone(self->q.fd, CLIENT_WAIT_MS) & (POLLERR | POLLHUP));
	rawq_close(&self->q);
	EXPECT_EQ(0, dev_nl_num(self->ask, self->dev, UACCE_A_CTXS_QUARANTINED));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/* Six queues stop, which takes three commands each. Few of these come before the two commands of a start. */
#define STOPS		(QUEUES - 2)
#define FEW_COMMANDS	8

/*
 * Returns how many commands were late while @starter started among the stops, or -errno. -EAGAIN: the machine stalled
 * until a stop was over before the start, or until the driver abandoned a command.
 */
static long start_among_stops(struct rawq *starter, struct rawq q[STOPS])
{
	struct call stop[STOPS], start = { .fd = starter->fd };
	bool again = false;
	int i, ret;

	if (faults("mailbox", "1/1:1s"))
		return -EIO;
	for (i = 0; i < STOPS; i++) {
		stop[i].fd = q[i].fd;
		if (call_begin(&stop[i], call_put_q))
			return -EIO;
	}
	for (i = 0; i < STOPS; i++)
		again |= !call_sleeps(&stop[i]);
	if (call_begin(&start, call_start_q))
		return -EIO;
	ret = call_end(&start);
	again |= given_up(ret);
	if (faults("mailbox", "0"))
		return -EIO;
	for (i = 0; i < STOPS; i++) {
		int stopped = call_end(&stop[i]);

		again |= given_up(stopped);
		ret = ret ? ret : stopped;
	}
	return again ? -EAGAIN : ret ? ret : start.after - start.before;
}

TEST_F_TIMEOUT(away, a_start_does_not_wait_for_all_stops, 200)
{
	long late = -EAGAIN;
	struct rawq q[STOPS];

	/*
	 * A test process that stalls before or after the start counts commands that the start didn't wait for, but not
	 * each time.
	 */
	for (int n = 0; n < 5 && (late == -EAGAIN || late > FEW_COMMANDS); n++) {
		ASSERT_EQ(0, rawq_open(&self->q, self->dev));
		for (int i = 0; i < STOPS; i++) {
			ASSERT_EQ(0, rawq_begin(&q[i], self->dev, ZIP_QC_COMPRESS));
		}
		late = start_among_stops(&self->q, q);
		for (int i = 0; i < STOPS; i++)
			rawq_close(&q[i]);
		rawq_close(&self->q);
		ASSERT_EQ(0, wait_num(self->ask, self->dev, UACCE_A_CTXS_QUARANTINED, 0));
	}
	/*
	 * The command under way, one that was quicker, the start's own; in order of arrival there would be more than
	 * ten.
	 */
	EXPECT_LE(0, late);
	EXPECT_GE(FEW_COMMANDS, late);
}

/* A process starts a queue while @busy stops one, and is killed as it waits. Returns the process' status. */
static int killed_as_it_waits(const char *dev, struct call *busy)
{
	int child = fork(), status = 0;
	struct rawq q;

	if (!child) {
		rawq_open(&q, dev);
		uacce_start_q(q.fd);
		_exit(0);
	}
	while (!sleeps(child) && !atomic_load(&busy->done))
		poll(NULL, 0, 1);
	kill(child, SIGKILL);
	return waitpid(child, &status, 0) == child ? status : -errno;
}

/*
 * The process has asked nothing of the device yet. A machine that stalls for the whole stop doesn't stall at each try.
 */
TEST_F_TIMEOUT(away, a_process_that_waits_for_the_mailbox_can_be_killed, 100)
{
	long long deadline = now_ms() + CLIENT_WAIT_MS;
	bool in_time = false;
	struct call busy;
	int status = 0, ret;

	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	busy.fd = self->q.fd;
	for (int i = 0; i < 20 && !in_time; i++) {
		if (i) {
			ASSERT_EQ(0, uacce_start_q(self->q.fd));
		}
		ASSERT_EQ(0, faults("mailbox", "1:4s"));
		ASSERT_EQ(0, call_begin(&busy, call_put_q));
		ASSERT_EQ(0, fault_wait("mailbox", i + 1));
		status = killed_as_it_waits(self->dev, &busy);
		/* A process that slept to stop its queue, as it exited, comes after the stop as well. */
		in_time = !atomic_load(&busy.done) && WIFSIGNALED(status);
		ret = call_end(&busy);
		while (given_up(ret) && now_ms() < deadline) {
			poll(NULL, 0, 1);
			ret = uacce_put_q(self->q.fd);
		}
		ASSERT_EQ(0, ret);
	}
	EXPECT_TRUE(in_time) TH_LOG("status %x", status);
}

/* ------ events that were lost ------ */

TEST_F_TIMEOUT(away, a_device_that_has_lost_events_begins_anew, 100)
{
	struct nlmsghdr *h = NULL;
	struct call sleeper;

	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	sleeper.fd = self->q.fd;
	ASSERT_EQ(0, call_begin(&sleeper, call_poll));
	ASSERT_EQ(0, faults("overflow", "1"));
	EXPECT_NE(0, call_end(&sleeper) & (POLLERR | POLLHUP));
	EXPECT_GONE(&self->q);
	ASSERT_EQ(0, nlc_event(self->event, UACCE_NL_DEV_RESET, &h, NL_WAIT_MS));
	EXPECT_EQ(0, wait_num(self->ask, self->dev, UACCE_A_DEV_STATE, UACCE_NL_DEV_NORMAL));
	rawq_close(&self->q);
	EXPECT_EQ(QUEUES, uacce_attr_num(self->dev, "available_instances"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/* Asking the device again doesn't help such a queue. */
TEST_F_TIMEOUT(away, a_queue_that_never_stops_comes_back_with_that, 200)
{
	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, faults("stuck", "1"));
	EXPECT_EQ(-ETIMEDOUT, ONE(self, &self->q, NOTHING_MS));
	/* However late the device takes the request. */
	ASSERT_EQ(0, fault_wait("stuck", 1));
	rawq_close(&self->q);
	EXPECT_EQ(1, dev_nl_num(self->ask, self->dev, UACCE_A_CTXS_QUARANTINED));
	EXPECT_EQ(QUEUES - 1, uacce_attr_num(self->dev, "available_instances"));
	ASSERT_EQ(0, faults("overflow", "1"));
	EXPECT_EQ(0, wait_num(self->ask, self->dev, UACCE_A_CTXS_QUARANTINED, 0));
	EXPECT_EQ(QUEUES, uacce_attr_num(self->dev, "available_instances"));
	EXPECT_EQ(0, uacce_attr_num(self->dev, "isolate"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/* ------ off the bus ------ */

/* The first word of its config space. */
static uint32_t config_word(const char *address)
{
	uint32_t word = 0;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), SIM_PCI "/%s/config", address);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (pread(fd, &word, sizeof(word), 0) != sizeof(word))
		word = 0;
	close(fd);
	return word;
}

TEST_F_TIMEOUT(away, a_device_that_is_off_the_bus_is_isolated_by_the_first_who_asks_it, 200)
{
	struct nlmsghdr *h = NULL;
	struct call sleeper;
	struct rawq late;

	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, rawq_open(&self->other, self->dev));
	sleeper.fd = self->q.fd;
	ASSERT_EQ(0, call_begin(&sleeper, call_poll));
	ASSERT_EQ(0, faults("gone", "1"));
	EXPECT_EQ(~0u, config_word(self->address));
	EXPECT_EQ(0, uacce_attr_num(self->dev, "isolate"));
	EXPECT_EQ(-ENODEV, uacce_start_q(self->other.fd));
	EXPECT_EQ(1, uacce_attr_num(self->dev, "isolate"));
	ASSERT_EQ(0, nlc_event(self->event, UACCE_NL_DEV_ISOLATE, &h, NL_WAIT_MS));
	EXPECT_STREQ(self->dev, nlm_string(h, UACCE_A_DEV));
	EXPECT_EQ(UACCE_NL_DEV_ISOLATED, dev_nl_num(self->ask, self->dev, UACCE_A_DEV_STATE));
	EXPECT_NE(0, call_end(&sleeper) & (POLLERR | POLLHUP));
	EXPECT_GONE(&self->q);
	EXPECT_EQ(-EIO, rawq_open(&late, self->dev));
	rawq_close(&self->q);
	rawq_close(&self->other);
	/* Another device in its place. */
	ASSERT_EQ(0, sim_set(NAME, "live", "0"));
	ASSERT_EQ(0, sim_set(NAME, "live", "1"));
	ASSERT_TRUE(device_of(self->address, self->dev));
	EXPECT_EQ(0, uacce_attr_num(self->dev, "isolate"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/*
 * The caller waits for a queue that doesn't stop. A machine that stalls for all of that time doesn't stall at each try.
 */
TEST_F_TIMEOUT(away, who_waits_for_an_answer_is_told_that_none_will_come, 300)
{
	struct nlmsghdr *h = NULL;
	struct call stop;
	int ret = -ETIMEDOUT;

	for (int i = 0; i < 5 && ret == -ETIMEDOUT; i++) {
		if (i) {
			rawq_close(&self->q);
			ASSERT_EQ(0, sim_set(NAME, "live", "0"));
			ASSERT_EQ(0, sim_set(NAME, "live", "1"));
			ASSERT_TRUE(device_of(self->address, self->dev));
		}
		ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
		ASSERT_EQ(0, faults("mailbox", "1"));
		stop.fd = self->q.fd;
		ASSERT_EQ(0, call_begin(&stop, call_put_q));
		ASSERT_EQ(0, fault_wait("mailbox", 1));
		ASSERT_EQ(0, faults("gone", "1"));
		ret = call_end(&stop);
	}
	EXPECT_EQ(-ENODEV, ret);
	ASSERT_EQ(0, nlc_event(self->event, UACCE_NL_DEV_ISOLATE, &h, NL_WAIT_MS));
	EXPECT_EQ(1, uacce_attr_num(self->dev, "isolate"));
	EXPECT_NE(0, uacce_poll_gone(self->q.fd, CLIENT_WAIT_MS) & (POLLERR | POLLHUP));
}

TEST_HARNESS_MAIN
