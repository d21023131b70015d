// SPDX-License-Identifier: Apache-2.0
/* Counts of the past in the netlink family's answers: opens, refused opens, and what devices count themselves. */
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

static void count_work(const struct nlmsghdr *h, void *arg)
{
	*(int *)arg += nlm_next(h, UACCE_A_DEV_REQUESTS, NULL) || nlm_next(h, UACCE_A_DEV_BYTES_OUT, NULL);
}

/* Devices whose own counts are shown: by the request for one and by the dump. */
static int work_seen(struct nlc *c, const char *dev)
{
	int seen = 0;

	if (nlc_dev_get(c, dev))
		return -1;
	count_work(&c->reply.h, &seen);
	return nlc_dump(c, UACCE_NL_DEV_GET, count_work, &seen, NULL) < 0 ? -1 : seen;
}

static int nobody_sees_work(const char *dev)
{
	static struct nlc c;

	return be_nobody() || nlc_open(&c) ? 90 : work_seen(&c, dev);
}

TEST_F(nl, what_the_device_counts_is_for_the_administrator)
{
	pid_t pid;

	EXPECT_EQ(3, work_seen(self->c, self->dev));
	pid = fork();
	if (!pid)
		_exit(nobody_sees_work(self->dev));
	EXPECT_EQ(0, exit_code(pid));
}

TEST_HARNESS_MAIN
