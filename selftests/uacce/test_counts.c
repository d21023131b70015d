// SPDX-License-Identifier: Apache-2.0
/* Counts of the past in the netlink family's answers: opens, refused opens, and what devices count themselves. */
#include <pthread.h>
#include <sys/ioctl.h>
#include <misc/uacce/uacce.h>
#include "kselftest_harness.h"
#include "netlink_test.h"

static long long section_count(struct nlc *c, uint16_t attr)
{
	return nlc_section_get(c, SECTION) ? -1 : nlm_num(&c->reply.h, attr);
}

static long long dev_count(struct nlc *c, const char *dev, uint16_t attr)
{
	return nlc_dev_get(c, dev) ? -1 : nlm_num(&c->reply.h, attr);
}

TEST_F(nl, opens_and_refused_opens_are_counted)
{
	struct nlc *c = self->c;
	long long opens = dev_count(c, self->dev, UACCE_A_OPENS);
	long long refused = dev_count(c, self->dev, UACCE_A_OPENS_REFUSED);
	long long full = dev_count(c, self->dev, UACCE_A_OPENS_FULL);
	int fd[2], i;

	EXPECT_EQ(0, section_count(c, UACCE_A_OPENS));
	/* Not attached: the section isn't concerned. */
	fd[0] = test_open(self->dev);
	close(fd[0]);
	ASSERT_EQ(0, sec_set(SECTION, "devices", self->dev));
	test_live("1");
	ASSERT_EQ(0, nlc_attach(c, SECTION, NULL, NULL, 0));
	for (i = 0; i < 2; i++)
		fd[i] = test_open(self->dev);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(-EDQUOT, uacce_open(self->dev));
	EXPECT_EQ(-EACCES, uacce_open(self->dev2));
	EXPECT_EQ(opens + 3, dev_count(c, self->dev, UACCE_A_OPENS));
	EXPECT_EQ(refused + 3, dev_count(c, self->dev, UACCE_A_OPENS_REFUSED));
	EXPECT_EQ(full + 3, dev_count(c, self->dev, UACCE_A_OPENS_FULL));
	EXPECT_EQ(2, section_count(c, UACCE_A_OPENS));
	EXPECT_EQ(4, section_count(c, UACCE_A_OPENS_REFUSED));
	EXPECT_EQ(3, section_count(c, UACCE_A_OPENS_FULL));
	EXPECT_EQ(0, dev_count(c, self->dev, UACCE_A_CTX_ERRORS));
	for (i = 0; i < 2; i++)
		close(fd[i]);
}

struct work {
	const char *dev;
	int seen;
};

static void count_work(const struct nlmsghdr *h, void *arg)
{
	struct work *work = arg;

	if (!strcmp(work->dev, nlm_string(h, UACCE_A_DEV)))
		work->seen += nlm_next(h, UACCE_A_DEV_REQUESTS, NULL) || nlm_next(h, UACCE_A_DEV_BYTES_OUT, NULL);
}

/* How often the device's own counts are shown: by the request for it and by the dump of all devices. */
static int work_seen(struct nlc *c, const char *dev)
{
	struct work work = { .dev = dev };

	if (nlc_dev_get(c, dev))
		return -1;
	count_work(&c->reply.h, &work);
	return nlc_dump(c, UACCE_NL_DEV_GET, count_work, &work, NULL) < 0 ? -1 : work.seen;
}

static int nobody_sees_work(const char *dev)
{
	static struct nlc c;

	return be_nobody() || nlc_open(&c) ? 90 : work_seen(&c, dev);
}

TEST_F(nl, what_the_device_counts_is_for_the_administrator)
{
	pid_t pid;

	EXPECT_EQ(2, work_seen(self->c, self->dev));
	pid = fork();
	if (!pid)
		_exit(nobody_sees_work(self->dev));
	EXPECT_EQ(0, exit_code(pid));
}

static void count_wrong(const struct nlmsghdr *h, void *arg)
{
	long long wrong = nlm_num(h, UACCE_A_WRONG_RESULTS);

	*(long long *)arg += wrong > 0 ? wrong : 0;
}

/* Of the contexts of the caller. */
static long long ctxs_wrong(struct nlc *c)
{
	long long wrong = 0;

	return nlc_dump(c, UACCE_NL_CTX_GET, count_wrong, &wrong, NULL) < 0 ? -1 : wrong;
}

static int report(int fd)
{
	return ioctl(fd, UACCE_CMD_WRONG_RESULT) ? -errno : 0;
}

TEST_F(nl, wrong_results_are_counted_as_their_owners_report_them)
{
	struct nlc *c = self->c;
	long long first = dev_count(c, self->dev, UACCE_A_WRONG_RESULTS);
	long long other = dev_count(c, self->dev2, UACCE_A_WRONG_RESULTS);
	pid_t pid;
	int fd, i;

	ASSERT_LE(0, first);
	ASSERT_EQ(0, sec_set(SECTION, "devices", self->dev));
	test_live("1");
	ASSERT_EQ(0, nlc_attach(c, SECTION, NULL, NULL, 0));
	fd = test_open(self->dev);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, report(fd));
	EXPECT_EQ(first + 3, dev_count(c, self->dev, UACCE_A_WRONG_RESULTS));
	EXPECT_EQ(other, dev_count(c, self->dev2, UACCE_A_WRONG_RESULTS));
	EXPECT_EQ(3, ctxs_wrong(c));
	EXPECT_EQ(3, section_count(c, UACCE_A_WRONG_RESULTS));
	/* Another process has no say in it. */
	pid = fork();
	if (!pid)
		_exit(report(fd) == -EPERM ? 0 : 1);
	EXPECT_EQ(0, exit_code(pid));
	EXPECT_EQ(3, ctxs_wrong(c));
	EXPECT_EQ(0, report(fd));
	close(fd);
	EXPECT_EQ(4, section_count(c, UACCE_A_WRONG_RESULTS));
	EXPECT_EQ(first + 4, dev_count(c, self->dev, UACCE_A_WRONG_RESULTS));
	EXPECT_EQ(0, ctxs_wrong(c));
}

struct reporter {
	int fd;
	int ret;
};

static void *report_often(void *arg)
{
	struct reporter *r = arg;
	int i;

	for (i = 0; i < 20000 && !r->ret; i++)
		r->ret = report(r->fd);
	return NULL;
}

/* Nothing waits for a process that reports all the time, and nothing is lost. */
TEST_F(nl, reports_of_several_threads_are_all_counted)
{
	struct reporter r[2] = { { .fd = test_open(self->dev) } };
	long long first = dev_count(self->c, self->dev, UACCE_A_WRONG_RESULTS);
	pthread_t thread[2];
	int i, fd;

	r[1].fd = r[0].fd;
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, report_often, &r[i]));
	fd = test_open(self->dev);
	close(fd);
	for (i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		EXPECT_EQ(0, r[i].ret);
	}
	EXPECT_EQ(first + 40000, dev_count(self->c, self->dev, UACCE_A_WRONG_RESULTS));
	EXPECT_EQ(40000, ctxs_wrong(self->c));
	close(r[0].fd);
}

/* What a listener without room loses; it asked for errors of delivery, or not. */
static long long events_lost(struct nlc *ask, const char *dev, int asked)
{
	long long before = dev_count(ask, dev, UACCE_A_EVENTS_LOST);
	static struct nlc full;
	int bytes = 1, i;

	if (before < 0 || nlc_open(&full) || nlc_join(&full, full.config_group))
		return -1;
	setsockopt(full.fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	if (setsockopt(full.fd, SOL_NETLINK, NETLINK_BROADCAST_ERROR, &asked, sizeof(asked)))
		return -1;
	for (i = 0; i < 50; i++)
		sec_set(SECTION, "max_extra_ctxs", "1");
	nlc_close(&full);
	return dev_count(ask, dev, UACCE_A_EVENTS_LOST) - before;
}

TEST_F(nl, events_that_listeners_have_no_room_for_are_counted)
{
	long long lost = events_lost(self->c, self->dev, 1);

	EXPECT_LT(0, lost);
	EXPECT_GE(50, lost);
	EXPECT_EQ(0, events_lost(self->c, self->dev, 0));
}

TEST_F(nl, open_contexts_of_a_section_are_counted)
{
	int fd[3], i;

	ASSERT_EQ(0, sec_set(SECTION, "sync_ctxs", "1"));
	ASSERT_EQ(0, sec_set(SECTION, "async_ctxs", "1"));
	ASSERT_EQ(0, sec_set(SECTION, "max_extra_ctxs", "1"));
	test_live("1");
	ASSERT_EQ(0, nlc_attach(self->c, SECTION, NULL, NULL, 0));
	for (i = 0; i < 3; i++)
		fd[i] = test_open(self->dev);
	EXPECT_EQ(2, section_count(self->c, UACCE_A_CTXS_USED));
	EXPECT_EQ(1, section_count(self->c, UACCE_A_CTXS_EXTRA));
	for (i = 0; i < 3; i++)
		close(fd[i]);
	EXPECT_EQ(0, section_count(self->c, UACCE_A_CTXS_USED));
	EXPECT_EQ(0, section_count(self->c, UACCE_A_CTXS_EXTRA));
}

TEST_HARNESS_MAIN
