// SPDX-License-Identifier: Apache-2.0
/*
 * Queues whose completion queue overflows, which never stop on generation 2: they cost nobody but their owner. Neither
 * do queues that hang.
 */
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#define FAULTY_GENERATION	"2"
#include "call.h"
#include "log_count.h"
#include "uacce_tree.h"

#define REQUESTS	600	/* with two completions each, more than a completion queue has */
#define MANY		60
#define HANGING		30
#define PAIRS		5
#define S		"test-overflow"
#define ENDS_MS		200000	/* far from MANY or HANGING times the ten seconds of a queue */

FIXTURE(overflow) {
	FAULTY_MEMBERS;
	struct rawq many[MANY];
};

FIXTURE_SETUP(overflow)
{
	sec_end(S);
	for (int i = 0; i < MANY; i++)
		self->many[i].fd = -1;
	FAULTY_BEGIN(self);
}

FIXTURE_TEARDOWN(overflow)
{
	for (int i = 0; i < MANY; i++)
		rawq_close(&self->many[i]);
	sec_end(S);
	FAULTY_END(self);
}

/* Opens, maps the rings, and starts: the kernel rings. */
static int begin(struct rawq *q, const char *dev)
{
	void *map;
	int ret = rawq_open(q, dev);

	if (ret)
		return ret;
	ret = uacce_mmap(q->fd, UACCE_QFRT_DUS, q->dus_size, &map);
	if (!ret)
		q->dus = map;
	if (!ret)
		ret = rawq_start(q, ZIP_QC_COMPRESS);
	if (ret)
		rawq_close(q);
	return ret;
}

/* Requests whose completions nobody consumes. */
static int submit(struct rawq *q, int nr, void *src, void *dst)
{
	struct hisi_qp_doorbell db = { .flags = HISI_QP_DB_SQ };

	for (int i = 0; i < nr; i++) {
		rawq_zip_fill2(rawq_slot(q), ZIP_REQ_ZLIB, src, FAULTY_BYTES, dst, 2 * FAULTY_BYTES, i);
		rawq_push(q, 0);
	}
	db.sq_tail = q->sq_tail;
	return neg_errno(ioctl(q->fd, UACCE_CMD_QM_DOORBELL, &db));
}

static bool told_to_stop(struct rawq *q)
{
	long long deadline = now_ms() + CLIENT_WAIT_MS;

	while (!rawq_tx_stop(q) && now_ms() < deadline)
		poll(NULL, 0, 1);
	return rawq_tx_stop(q);
}

/* Opens queues, and returns once the driver knows that all have overflowed. */
static int overflow(struct rawq *many, int nr, const char *dev, void *src, void *dst)
{
	int ret = 0;

	for (int i = 0; i < nr && !ret; i++)
		ret = begin(&many[i], dev);
	for (int i = 0; i < nr && !ret; i++)
		ret = submit(&many[i], REQUESTS, src, dst);
	for (int i = 0; i < nr && !ret; i++)
		ret = told_to_stop(&many[i]) ? 0 : -ETIMEDOUT;
	return ret;
}

/* Opens queues that hang in their first request. */
static int hang(struct rawq *many, int nr, const char *dev, void *src, void *dst)
{
	int ret = faults("stuck", "1000");

	for (int i = 0; i < nr && !ret; i++)
		ret = begin(&many[i], dev);
	for (int i = 0; i < nr && !ret; i++)
		ret = submit(&many[i], 1, src, dst);
	return ret ? ret : fault_wait("stuck", nr);
}

/* No request is executed, which would take long, and each completes twice. */
static int order_overflows(void)
{
	int ret = faults("fail", "1000000");

	return ret ? ret : faults("duplicate", "1000000");
}

/* How many stops of the device's queues the driver has given up. */
static int given_up_stops(const char *address)
{
	return log_count(address, "did not stop");
}

/* Another process opens, starts, stops and closes. */
static int pairs(const char *dev)
{
	struct rawq q;

	for (int i = 0; i < PAIRS; i++) {
		if (begin(&q, dev))
			return 1;
		rawq_close(&q);
	}
	return 0;
}

static int child_ends(int child, long long deadline)
{
	int status;

	while (waitpid(child, &status, WNOHANG) != child) {
		if (now_ms() > deadline)
			return -ETIMEDOUT;
		poll(NULL, 0, 10);
	}
	return status;
}

/* Queues of another process, opened by @fill; it waits, or closes them all in one call. */
struct holder {
	int (*fill)(struct rawq *many, int nr, const char *dev, void *src, void *dst);
	const char *section;	/* NULL: none */
	bool closes;
};

static int holder_fill(FIXTURE_DATA(overflow) *self, const struct holder *h)
{
	int ret = h->section ? nlc_open(self->ask) : 0;

	if (!ret && h->section)
		ret = nlc_attach(self->ask, h->section, NULL, NULL, 0);
	return ret ? ret : h->fill(self->many, MANY, self->dev, self->src, self->dst);
}

static void holder_main(FIXTURE_DATA(overflow) *self, const struct holder *h, int ready)
{
	char ret = holder_fill(self, h) != 0;

	if (write(ready, &ret, 1) != 1)
		_exit(1);
	for (int i = 0; i < MANY && h->closes; i++)
		rawq_unmap(&self->many[i]);
	if (h->closes)
		close_range(3, ~0u, 0);
	pause();
	_exit(1);
}

/* Returns the process, once it has its queues; -1: it hasn't. */
static int holder_begin(FIXTURE_DATA(overflow) *self, const struct holder *h)
{
	int ready[2], child;
	char ret = 1;

	if (pipe(ready))
		return -1;
	child = fork();
	if (!child)
		holder_main(self, h, ready[1]);
	close(ready[1]);
	if (read(ready[0], &ret, 1) != 1 || ret) {
		kill(child, SIGKILL);
		child = -1;
	}
	close(ready[0]);
	return child;
}

TEST_F_TIMEOUT(overflow, others_open_and_close_while_overflowed_queues_are_stopped, 600)
{
	int before = given_up_stops(self->address), child;

	ASSERT_LE(0, before);
	ASSERT_EQ(0, order_overflows());
	ASSERT_EQ(0, overflow(self->many, 5, self->dev, self->src, self->dst));
	child = fork();
	if (!child)
		_exit(pairs(self->dev));
	ASSERT_EQ(0, child_ends(child, now_ms() + CLIENT_WAIT_MS));
	EXPECT_GT(before + 5, given_up_stops(self->address)) TH_LOG("it waited for all of them");
	/* Their owner can only close them. */
	for (int i = 0; i < 5; i++) {
		EXPECT_NE(0, uacce_start_q(self->many[i].fd));
		rawq_close(&self->many[i]);
	}
}

TEST_F_TIMEOUT(overflow, its_owner_sees_the_end_of_it, 300)
{
	struct rawq *q = &self->many[0];
	long available = uacce_attr_num(self->dev, "available_instances");
	struct nlmsghdr *h = NULL;

	FAULTY_LISTEN(self);
	ASSERT_EQ(0, order_overflows());
	ASSERT_EQ(0, overflow(q, 1, self->dev, self->src, self->dst));
	EXPECT_TRUE(uacce_poll(q->fd, POLLIN, CLIENT_WAIT_MS) & POLLIN);
	ASSERT_EQ(0, nlc_event(self->event, UACCE_NL_CTX_ERROR, &h, NL_WAIT_MS));
	EXPECT_STREQ(self->dev, nlm_string(h, UACCE_A_DEV));
	rawq_close(q);
	/* The device may write to it until the reset. */
	EXPECT_EQ(available - 1, uacce_attr_num(self->dev, "available_instances"));
	ASSERT_EQ(0, reset(self->address));
	EXPECT_EQ(0, client_wait_available(self->dev, available));
}

TEST_F_TIMEOUT(overflow, a_process_with_many_of_them_can_be_killed, 600)
{
	const struct holder h = { .fill = overflow };
	int child;

	ASSERT_EQ(0, order_overflows());
	child = holder_begin(self, &h);
	ASSERT_LT(0, child);
	ASSERT_EQ(0, kill(child, SIGKILL));
	EXPECT_EQ(SIGKILL, child_ends(child, now_ms() + ENDS_MS));
}

/* It waits as long as for one queue; the others stay in quarantine without a wait. */
TEST_F_TIMEOUT(overflow, a_process_whose_queues_hang_can_be_killed, 900)
{
	long available = uacce_attr_num(self->dev, "available_instances");
	const struct holder h = { .fill = hang };
	int child = holder_begin(self, &h);

	ASSERT_LT(0, child);
	ASSERT_EQ(0, kill(child, SIGKILL));
	EXPECT_EQ(SIGKILL, child_ends(child, now_ms() + ENDS_MS));
	EXPECT_EQ(available - MANY, uacce_attr_num(self->dev, "available_instances"));
	ASSERT_EQ(0, reset(self->address));
	EXPECT_EQ(0, client_wait_available(self->dev, available));
}

TEST_F_TIMEOUT(overflow, it_can_be_killed_while_it_closes_them, 900)
{
	const struct holder h = { .fill = hang, .closes = true };
	int child = holder_begin(self, &h);
	long long deadline = now_ms() + CLIENT_WAIT_MS;

	ASSERT_LT(0, child);
	while (!sleeps(child) && now_ms() < deadline)
		poll(NULL, 0, 1);
	ASSERT_EQ(0, kill(child, SIGKILL));
	EXPECT_EQ(SIGKILL, child_ends(child, now_ms() + ENDS_MS));
}

static int call_revoke(struct call *call)
{
	(void)call;
	return sec_set(S, "live", "revoke");
}

TEST_F_TIMEOUT(overflow, a_revocation_does_not_wait_for_one_queue_after_the_other, 900)
{
	const struct holder h = { .fill = hang, .section = S };
	struct call revoker = { .fd = -1 };
	long long deadline;
	int child;

	ASSERT_EQ(0, sec_make(S, self->dev, 1, MANY, 0));
	child = holder_begin(self, &h);
	ASSERT_LT(0, child);
	ASSERT_EQ(0, call_begin(&revoker, call_revoke));
	deadline = now_ms() + ENDS_MS;
	while (!atomic_load(&revoker.done) && now_ms() < deadline)
		poll(NULL, 0, 10);
	EXPECT_TRUE(atomic_load(&revoker.done));
	EXPECT_EQ(0, call_end(&revoker));
	ASSERT_EQ(0, kill(child, SIGKILL));
	EXPECT_EQ(SIGKILL, child_ends(child, now_ms() + ENDS_MS));
}

/* The driver gives them ten seconds together. */
TEST_F_TIMEOUT(overflow, a_reset_does_not_wait_for_one_queue_after_the_other, 900)
{
	struct call resetter = { .address = self->address };
	long long deadline;

	ASSERT_EQ(0, hang(self->many, HANGING, self->dev, self->src, self->dst));
	ASSERT_EQ(0, call_begin(&resetter, call_reset));
	deadline = now_ms() + ENDS_MS;
	while (!atomic_load(&resetter.done) && now_ms() < deadline)
		poll(NULL, 0, 10);
	EXPECT_TRUE(atomic_load(&resetter.done));
	EXPECT_EQ(0, call_end(&resetter));
	for (int i = 0; i < HANGING; i++)
		EXPECT_GONE(&self->many[i]);
	ASSERT_EQ(0, faults("stuck", "0"));
	EXPECT_EQ(0, begin(&self->q, self->dev));
}

TEST_HARNESS_MAIN
