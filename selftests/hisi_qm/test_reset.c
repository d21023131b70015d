// SPDX-License-Identifier: Apache-2.0
/* A reset by PCI of a device that its driver and clients use, and what comes back by it or by itself. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "faulty.h"

#define NAME		FAULTY_NAME
#define QUEUES		8
#define BYTES		4096
#define NOTHING_MS	200
#define LONG_MS		120000	/* for what has deadlines of half a minute */

FIXTURE(reset) {
	struct nlc *event, *ask;
	char address[64];
	char dev[UACCE_NAME_MAX];
	struct rawq q, other;
	uint8_t src[BYTES], dst[2 * BYTES];
};

FIXTURE_SETUP(reset)
{
	self->q.fd = -1;
	self->other.fd = -1;
	self->event = malloc(sizeof(*self->event));
	self->ask = malloc(sizeof(*self->ask));
	ASSERT_EQ(0, nlc_open(self->event));
	ASSERT_EQ(0, nlc_open(self->ask));
	faulty_drop();
	ASSERT_EQ(0, sim_mkdir(NAME)) TH_LOG("no hisi_sim in configfs");
	ASSERT_EQ(0, sim_set(NAME, "queues", "8"));
	ASSERT_EQ(0, sim_set(NAME, "live", "1"));
	ASSERT_LT(0, sim_get(NAME, "address", self->address, sizeof(self->address)));
	ASSERT_TRUE(device_of(self->address, self->dev));
	client_fill(self->src, BYTES, 1);
	ASSERT_EQ(0, nlc_join(self->event, self->event->event_group));
}

FIXTURE_TEARDOWN(reset)
{
	rawq_close(&self->q);
	rawq_close(&self->other);
	EXPECT_EQ(0, sim_set(NAME, "live", "0"));
	EXPECT_EQ(0, sim_rmdir(NAME));
	nlc_close(self->event);
	nlc_close(self->ask);
	free(self->event);
	free(self->ask);
}

static int reset(const char *address)
{
	char path[128];

	snprintf(path, sizeof(path), SIM_PCI "/%s/reset", address);
	return text_write(path, "1");
}

/* A number of the device's message, or -errno. */
static long long dev_num(struct nlc *ask, const char *dev, uint16_t type)
{
	int ret = nlc_dev_get(ask, dev);

	return ret ? ret : nlm_num(&ask->reply.h, type);
}

static int wait_num(struct nlc *ask, const char *dev, uint16_t type, long long n)
{
	long long deadline = now_ms() + LONG_MS;

	while (dev_num(ask, dev, type) != n)
		if (now_ms() > deadline)
			return -ETIMEDOUT;
		else
			poll(NULL, 0, 1);
	return 0;
}

/* What is left of a queue that was taken away. */
#define EXPECT_GONE(q) do {									\
	EXPECT_EQ(POLLIN | POLLERR | POLLHUP | POLLRDNORM,					\
		  uacce_poll_gone((q)->fd, CLIENT_WAIT_MS) | POLLRDNORM);			\
	EXPECT_EQ(-ENXIO, uacce_start_q((q)->fd));						\
	EXPECT_EQ(1, rawq_tx_stop(q));								\
	EXPECT_EQ(1, rawq_rx_stop(q));								\
} while (0)

/* A new client, asleep until its request is done. */
#define EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self) do {						\
	struct rawq new_;									\
	struct rawq_done done_;									\
												\
	ASSERT_EQ(0, rawq_begin(&new_, (self)->dev, ZIP_QC_COMPRESS));				\
	EXPECT_EQ(0, uacce_poll(new_.fd, POLLIN, 0));						\
	rawq_ack(&new_, 1);									\
	client_queue(&new_, (self)->src, BYTES, (self)->dst, sizeof((self)->dst));		\
	client_ring(&new_);									\
	EXPECT_EQ(POLLIN, uacce_poll(new_.fd, POLLIN, CLIENT_WAIT_MS));				\
	ASSERT_EQ(0, rawq_wait(&new_, &done_, CLIENT_WAIT_MS));					\
	EXPECT_EQ(ZIP_ST_OK, rawq_zip_status(rawq_zip_done(&new_, &done_)));			\
	rawq_close(&new_);									\
} while (0)

/* ------ one call in a thread of its own ------ */

struct call {
	pthread_t thread;
	atomic_int tid;
	atomic_bool done;
	int (*fn)(struct call *call);
	int fd, ret;
	const char *address;
	long before, after;	/* commands that were late */
};

static void *call_run(void *arg)
{
	struct call *call = arg;

	atomic_store(&call->tid, gettid());
	call->ret = call->fn(call);
	atomic_store(&call->done, true);
	return NULL;
}

static int call_begin(struct call *call, int (*fn)(struct call *))
{
	call->fn = fn;
	atomic_init(&call->tid, 0);
	atomic_init(&call->done, false);
	return -pthread_create(&call->thread, NULL, call_run, call);
}

static int call_end(struct call *call)
{
	return pthread_join(call->thread, NULL) ? -EINVAL : call->ret;
}

static int call_put_q(struct call *call)
{
	return uacce_put_q(call->fd);
}

static int call_start_q(struct call *call)
{
	int ret;

	call->before = fault_count("mailbox");
	ret = uacce_start_q(call->fd);
	call->after = fault_count("mailbox");
	return ret;
}

static int call_poll(struct call *call)
{
	return uacce_poll_gone(call->fd, LONG_MS);
}

static int call_reset(struct call *call)
{
	return reset(call->address);
}

/* Sleeps in the kernel, in one wait after the other. */
static bool call_sleeps(struct call *call)
{
	long long deadline = now_ms() + CLIENT_WAIT_MS;

	while (!sleeps(atomic_load(&call->tid)) && !atomic_load(&call->done) && now_ms() < deadline)
		poll(NULL, 0, 1);
	return !atomic_load(&call->done);
}

/* After five seconds, or ten for a stop: what is asked meanwhile finds the mailbox taken. */
static bool given_up(int ret)
{
	return ret == -ETIMEDOUT || ret == -EBUSY;
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
	EXPECT_EQ(UACCE_NL_DEV_NORMAL, dev_num(self->ask, self->dev, UACCE_A_DEV_STATE));
	rawq_close(&self->q);
	rawq_close(&self->other);
	EXPECT_EQ(QUEUES, uacce_attr_num(self->dev, "available_instances"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

TEST_F_TIMEOUT(reset, requests_under_way_are_no_obstacle_time_and_again, 200)
{
	for (int round = 0; round < 5; round++) {
		ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
		for (int i = 0; i < 64; i++)
			client_queue(&self->q, self->src, BYTES, self->dst, sizeof(self->dst));
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
 * A machine that stands still for the seconds of a reset, or for so long that the driver gives a command up, doesn't
 * do so each time.
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
		/* All its commands take so long, until both have been seen. */
		ASSERT_EQ(0, faults("mailbox", "1/1:1s"));
		ASSERT_EQ(0, call_begin(&resetter, call_reset));
		while (!(seen = dev_num(self->ask, self->dev, UACCE_A_DEV_STATE) == UACCE_NL_DEV_RESETTING) &&
		       !atomic_load(&resetter.done))
			poll(NULL, 0, 1);
		ret = rawq_begin(&late, self->dev, ZIP_QC_COMPRESS);
		refused = ret == -EPERM;
		if (!ret)
			rawq_close(&late);
		ASSERT_EQ(0, faults("mailbox", "0"));
		EXPECT_EQ(0, call_end(&resetter));
		normal = dev_num(self->ask, self->dev, UACCE_A_DEV_STATE) == UACCE_NL_DEV_NORMAL;
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
	EXPECT_EQ(UACCE_NL_DEV_ISOLATED, dev_num(self->ask, self->dev, UACCE_A_DEV_STATE));
	EXPECT_EQ(1, uacce_attr_num(self->dev, "isolate"));
	EXPECT_EQ(-EIO, rawq_begin(&self->other, self->dev, ZIP_QC_COMPRESS));
	EXPECT_GONE(&self->q);
	ASSERT_EQ(0, reset(self->address));
	EXPECT_EQ(0, uacce_attr_num(self->dev, "isolate"));
	EXPECT_EQ(UACCE_NL_DEV_NORMAL, dev_num(self->ask, self->dev, UACCE_A_DEV_STATE));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

TEST_F_TIMEOUT(reset, a_device_with_an_error_comes_back, 100)
{
	struct nlmsghdr *h = NULL;

	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, faults("error", "qm 2"));
	ASSERT_EQ(0, nlc_event(self->event, UACCE_NL_DEV_ISOLATE, &h, NL_WAIT_MS));
	rawq_close(&self->q);
	EXPECT_EQ(1, dev_num(self->ask, self->dev, UACCE_A_CTXS_QUARANTINED));
	ASSERT_EQ(0, reset(self->address));
	EXPECT_EQ(0, dev_num(self->ask, self->dev, UACCE_A_CTXS_QUARANTINED));
	EXPECT_EQ(QUEUES, uacce_attr_num(self->dev, "available_instances"));
	EXPECT_EQ(0, uacce_attr_num(self->dev, "isolate"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/* ------ openers whose address space is not bound yet ------ */

/* A process' first open of the device, which stays in the binding until the device lets it; it exits with the error. */
static pid_t opener_that_binds(const char *dev)
{
	pid_t pid;

	if (faults("bind", "1"))
		return -1;
	pid = fork();
	if (!pid) {
		struct rawq q;

		_exit(-rawq_open(&q, dev));
	}
	/* Its queue is counted before it is bound. */
	while (pid > 0 && uacce_attr_num(dev, "available_instances") == QUEUES)
		poll(NULL, 0, 1);
	return pid;
}

TEST_F_TIMEOUT(reset, it_does_not_wait_for_an_opener_that_binds, 100)
{
	pid_t pid = opener_that_binds(self->dev);
	int status;

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
	pid_t pid = opener_that_binds(self->dev);
	int status;

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

/* The binding is the device's: what it is made by must not go before. */
TEST_F_TIMEOUT(reset, a_removal_waits_for_an_opener_that_binds, 100)
{
	struct call removal = { .address = self->address };
	pid_t pid = opener_that_binds(self->dev);
	int status;

	ASSERT_LT(0, pid);
	ASSERT_EQ(0, call_begin(&removal, call_unbind));
	EXPECT_TRUE(call_sleeps(&removal));
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	ASSERT_EQ(0, faults("bind", "0"));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(EINVAL, WEXITSTATUS(status));
	EXPECT_EQ(0, call_end(&removal));
}

/* ------ queues that don't stop, and a mailbox that is away ------ */

TEST_F_TIMEOUT(reset, it_gives_back_a_queue_that_never_stops, 100)
{
	uint32_t produced;

	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, faults("stuck", "1"));
	EXPECT_EQ(-ETIMEDOUT, rawq_zip(&self->q, ZIP_REQ_DEFLATE, self->src, BYTES, self->dst,
				       sizeof(self->dst), &produced, NOTHING_MS));
	rawq_close(&self->q);
	EXPECT_EQ(1, dev_num(self->ask, self->dev, UACCE_A_CTXS_QUARANTINED));
	EXPECT_EQ(QUEUES - 1, uacce_attr_num(self->dev, "available_instances"));
	ASSERT_EQ(0, reset(self->address));
	EXPECT_EQ(0, dev_num(self->ask, self->dev, UACCE_A_CTXS_QUARANTINED));
	EXPECT_EQ(QUEUES, uacce_attr_num(self->dev, "available_instances"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/* One tenant's queue takes long to finish: nobody is refused, nobody's queue is lost. */
TEST_F_TIMEOUT(reset, a_long_stop_costs_others_nothing_but_time, 200)
{
	struct call stop, start;
	struct rawq third;

	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, rawq_begin(&third, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, rawq_open(&self->other, self->dev));
	ASSERT_EQ(0, rawq_map(&self->other));
	ASSERT_LE(0, uacce_set_qp_ctx(self->other.fd, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, faults("mailbox", "1:20s"));
	stop.fd = self->q.fd;
	start.fd = self->other.fd;
	ASSERT_EQ(0, call_begin(&stop, call_put_q));
	ASSERT_EQ(0, fault_wait("mailbox", 1));
	ASSERT_EQ(0, call_begin(&start, call_start_q));
	/* Ends before the long one does: handed over, and back later. */
	rawq_close(&third);
	EXPECT_EQ(-ETIMEDOUT, call_end(&stop));
	EXPECT_EQ(0, call_end(&start));
	EXPECT_EQ(0, wait_num(self->ask, self->dev, UACCE_A_CTXS_QUARANTINED, 0));
	/* He who was too slow may ask again. */
	EXPECT_EQ(0, uacce_put_q(self->q.fd));
	EXPECT_EQ(0, uacce_start_q(self->q.fd));
	EXPECT_EQ(QUEUES - 2, uacce_attr_num(self->dev, "available_instances"));
	EXPECT_EQ(0, uacce_attr_num(self->dev, "isolate"));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/* Its own command, that is: no queue has to be finished for it. */
TEST_F_TIMEOUT(reset, a_mailbox_that_never_answers_isolates_the_device, 200)
{
	struct nlmsghdr *h = NULL;

	ASSERT_EQ(0, rawq_open(&self->q, self->dev));
	ASSERT_EQ(0, faults("mailbox", "1"));
	EXPECT_EQ(-ETIMEDOUT, uacce_start_q(self->q.fd));
	EXPECT_EQ(-EIO, uacce_start_q(self->q.fd));
	ASSERT_EQ(0, nlc_event(self->event, UACCE_NL_DEV_ISOLATE, &h, LONG_MS));
	EXPECT_EQ(1, uacce_attr_num(self->dev, "isolate"));
	EXPECT_NE(0, uacce_poll_gone(self->q.fd, CLIENT_WAIT_MS) & (POLLERR | POLLHUP));
	EXPECT_EQ(-EIO, rawq_open(&self->other, self->dev));
	ASSERT_EQ(0, reset(self->address));
	EXPECT_EQ(0, dev_num(self->ask, self->dev, UACCE_A_CTXS_QUARANTINED));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/* Six queues stop, which takes three commands each. Few of them come before the two of a start. */
#define STOPS		(QUEUES - 2)
#define FEW_COMMANDS	8

/*
 * How many commands were late while @starter started among them, or -errno. -EAGAIN: the machine stood still, until a
 * stop was over before the start, or until the driver gave a command up.
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

TEST_F_TIMEOUT(reset, a_start_does_not_wait_for_all_stops, 200)
{
	long late = -EAGAIN;
	struct rawq q[STOPS];

	/* Who stands still before the start or after it counts commands that it didn't wait for, but not each time. */
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
	/* The one under way, one that was quicker, its own; in the order of their coming it were more than ten. */
	EXPECT_LE(0, late);
	EXPECT_GE(FEW_COMMANDS, late);
}

/* A process that starts a queue while @busy stops one; killed as it waits, its status. */
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

/* It has asked nothing of the device yet. A machine that stands still for the whole stop doesn't do so each time. */
TEST_F_TIMEOUT(reset, a_process_that_waits_for_the_mailbox_can_be_killed, 100)
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
		/* One that slept to stop its queue, as it exited, comes after the stop as well. */
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

TEST_HARNESS_MAIN
