// SPDX-License-Identifier: Apache-2.0
/* The netlink family's events: who receives them, in which order, and how their numbers show losses. */
#include <grp.h>
#include <sched.h>
#include "kselftest_harness.h"
#include "netlink_test.h"

#define CONFIG_SEQ(h)	nlm_num(h, UACCE_A_CONFIG_SEQ)
#define EVENT_SEQ(h)	nlm_num(h, UACCE_A_EVENT_SEQ)

/* Another socket, a member of one group. */
static struct nlc *listener(struct __test_metadata *_metadata, int event)
{
	struct nlc *c = malloc(sizeof(*c));
	int bytes = 1 << 20;

	ASSERT_EQ(0, nlc_open(c));
	ASSERT_EQ(0, setsockopt(c->fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)));
	ASSERT_EQ(0, nlc_join(c, event ? c->event_group : c->config_group));
	return c;
}

static void listener_end(struct nlc *c)
{
	nlc_close(c);
	free(c);
}

/* ------ group "config" ------ */

TEST_F(nl, changes_of_sections_are_numbered)
{
	struct nlc *c = listener(_metadata, 0);
	struct nlmsghdr *h = NULL;
	long long seq;

	ASSERT_EQ(0, sec_mkdir("nlmore"));
	ASSERT_EQ(0, nlc_next(c, &h, NL_WAIT_MS));
	EXPECT_EQ(UACCE_NL_SECTION_ADD, nlm_cmd(h));
	EXPECT_STREQ("nlmore", nlm_string(h, UACCE_A_SECTION));
	EXPECT_EQ(1, nlm_num(h, UACCE_A_NUM_PROCESSES));
	seq = CONFIG_SEQ(h);
	ASSERT_EQ(0, sec_set("nlmore", "num_processes", "3"));
	ASSERT_EQ(0, nlc_next(c, &h, NL_WAIT_MS));
	EXPECT_EQ(UACCE_NL_SECTION_CHANGE, nlm_cmd(h));
	EXPECT_EQ(3, nlm_num(h, UACCE_A_NUM_PROCESSES));
	EXPECT_EQ(seq + 1, CONFIG_SEQ(h));
	ASSERT_EQ(0, sec_set("nlmore", "live", "1"));
	ASSERT_EQ(0, nlc_next(c, &h, NL_WAIT_MS));
	EXPECT_EQ(UACCE_NL_SECTION_LIVE, nlm_num(h, UACCE_A_SECTION_STATE));
	EXPECT_NE(NULL, nlm_next(h, UACCE_A_MEMBER, NULL));
	EXPECT_EQ(seq + 2, CONFIG_SEQ(h));
	ASSERT_EQ(0, nlc_dev_get(self->c, self->dev));
	EXPECT_EQ(seq + 2, NUM(self->c, CONFIG_SEQ));
	ASSERT_EQ(0, sec_end("nlmore"));
	ASSERT_EQ(0, nlc_event(c, UACCE_NL_SECTION_DEL, &h, NL_WAIT_MS));
	EXPECT_STREQ("nlmore", nlm_string(h, UACCE_A_SECTION));
	EXPECT_EQ(NULL, nlm_next(h, UACCE_A_NUM_PROCESSES, NULL));
	seq = CONFIG_SEQ(h);
	ASSERT_EQ(0, nlc_dev_get(self->c, self->dev));
	EXPECT_EQ(seq, NUM(self->c, CONFIG_SEQ));
	EXPECT_EQ(-ETIMEDOUT, nlc_next(c, &h, 0));
	listener_end(c);
}

TEST_F(nl, refused_writes_are_no_events)
{
	struct nlc *c = listener(_metadata, 0);
	struct nlmsghdr *h = NULL;

	EXPECT_EQ(-EINVAL, sec_set(SECTION, "num_processes", "x"));
	EXPECT_EQ(-ENOSPC, sec_set(SECTION, "num_processes", "60000") ?: sec_set(SECTION, "live", "1"));
	ASSERT_EQ(0, nlc_next(c, &h, 0));
	EXPECT_EQ(60000, nlm_num(h, UACCE_A_NUM_PROCESSES));
	EXPECT_EQ(-ETIMEDOUT, nlc_next(c, &h, 0));
	listener_end(c);
}

TEST_F(nl, changes_of_devices_are_told)
{
	struct nlc *c = listener(_metadata, 0);
	struct nlmsghdr *h = NULL;

	ASSERT_EQ(0, dev_set(self->dev2, "priority", "9"));
	ASSERT_EQ(0, nlc_next(c, &h, NL_WAIT_MS));
	EXPECT_EQ(UACCE_NL_DEV_CHANGE, nlm_cmd(h));
	EXPECT_STREQ(self->dev2, nlm_string(h, UACCE_A_DEV));
	EXPECT_EQ(9, nlm_num(h, UACCE_A_DEV_PRIORITY));
	ASSERT_EQ(0, dev_set(self->dev2, "priority", "0"));
	listener_end(c);
}

/* Writes one byte to @ready when it listens: what the kernel shows of a request comes before the answer to it. */
static int hears_of_sections(int privileged, int ready)
{
	static struct nlc c;
	struct nlmsghdr *h = NULL;
	gid_t gid = NOBODY;

	if (unshare(CLONE_NEWNET) || (!privileged && (setgroups(1, &gid) || setresuid(NOBODY, NOBODY, NOBODY))))
		return 90;
	if (nlc_open(&c) || nlc_join(&c, c.config_group))
		return 91;
	if (write(ready, "", 1) != 1)
		return 92;
	if (nlc_event(&c, UACCE_NL_SECTION_ADD, &h, NL_WAIT_MS))
		return 93;
	return strcmp("nlmore", nlm_string(h, UACCE_A_SECTION)) != 0;
}

TEST_F(nl, everybody_everywhere_hears_of_sections)
{
	int ready[2];
	char byte;

	for (int privileged = 0; privileged < 2; privileged++) {
		pid_t pid;

		ASSERT_EQ(0, pipe(ready));
		pid = fork();
		if (!pid)
			_exit(hears_of_sections(privileged, ready[1]));
		close(ready[1]);
		EXPECT_EQ(1, read(ready[0], &byte, 1));
		close(ready[0]);
		ASSERT_EQ(0, sec_mkdir("nlmore"));
		EXPECT_EQ(0, exit_code(pid));
		EXPECT_EQ(0, sec_end("nlmore"));
	}
}

/* A member that overflows and asks for errors of delivery must not keep events from others. */
static int overflows(void)
{
	static struct nlc c;
	int bytes = 1, one = 1;

	if (unshare(CLONE_NEWNET) || nlc_open(&c) || nlc_join(&c, c.config_group))
		return 90;
	setsockopt(c.fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	if (setsockopt(c.fd, SOL_NETLINK, NETLINK_BROADCAST_ERROR, &one, sizeof(one)))
		return 91;
	for (int i = 0; i < 50; i++)
		sec_set(SECTION, "max_extra_ctxs", "1");
	return 0;
}

static int hears_in_another_namespace(void)
{
	static struct nlc c;
	struct nlmsghdr *h = NULL;
	int nr = 0;

	if (unshare(CLONE_NEWNET) || nlc_open(&c) || nlc_join(&c, c.config_group))
		return 90;
	for (int i = 0; i < 20; i++)
		sec_set(SECTION, "max_extra_ctxs", "2");
	while (!nlc_next(&c, &h, 0))
		nr++;
	return nr == 20 ? 0 : 91;
}

/* Whichever order the kernel visits namespaces in, a full socket comes before a listener. */
TEST_F_TIMEOUT(nl, a_full_socket_silences_nobody_else, 120)
{
	int hold[2], ready[2];
	pid_t children[4];
	char ret = 99;

	ASSERT_EQ(0, pipe(hold));
	ASSERT_EQ(0, pipe(ready));
	for (int i = 0; i < 4; i++) {
		children[i] = fork();
		if (!children[i]) {
			close(hold[1]);
			ret = i % 3 ? overflows() : hears_in_another_namespace();
			_exit(write(ready[1], &ret, 1) != 1 || read(hold[0], &ret, 1) < 0);
		}
		ASSERT_EQ(1, read(ready[0], &ret, 1));
		EXPECT_EQ(0, ret);
	}
	close(hold[1]);
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(0, exit_code(children[i]));
}

/* ------ losses ------ */

TEST_F(nl, losses_are_seen_and_made_up_for)
{
	struct nlc *c = listener(_metadata, 0);
	struct nlmsghdr *h = NULL;
	long long last = -1, seq;
	int bytes = 4096, ret, lost = 0, gaps = 0;

	ASSERT_EQ(0, setsockopt(c->fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)));
	for (int i = 0; i < 100; i++) {
		ASSERT_EQ(0, sec_set(SECTION, "max_extra_ctxs", i & 1 ? "1" : "2"));
	}
	while ((ret = nlc_next(c, &h, 0)) != -ETIMEDOUT) {
		if (ret == -ENOBUFS) {
			lost++;
			continue;
		}
		ASSERT_EQ(0, ret);
		gaps += last >= 0 && CONFIG_SEQ(h) != last + 1;
		last = CONFIG_SEQ(h);
	}
	EXPECT_EQ(1, lost);
	EXPECT_EQ(0, gaps);
	ASSERT_EQ(0, nlc_dev_get(self->c, self->dev));
	seq = NUM(self->c, CONFIG_SEQ);
	EXPECT_GT(seq, last);
	/* From here on the socket receives all events again. */
	ASSERT_EQ(0, sec_set(SECTION, "max_extra_ctxs", "5"));
	ASSERT_EQ(0, nlc_next(c, &h, NL_WAIT_MS));
	EXPECT_EQ(seq + 1, CONFIG_SEQ(h));
	EXPECT_EQ(5, nlm_num(h, UACCE_A_MAX_EXTRA));
	listener_end(c);
}

/* ------ group "event" ------ */

static int joins_as_nobody(int event)
{
	static struct nlc c;

	if (setresuid(NOBODY, NOBODY, NOBODY) || nlc_open(&c))
		return 90;
	return -nlc_join(&c, event ? c.event_group : c.config_group);
}

TEST_F(nl, the_unprivileged_hear_no_events)
{
	for (int event = 0; event < 2; event++) {
		pid_t pid = fork();

		if (!pid)
			_exit(joins_as_nobody(event));
		EXPECT_EQ(event ? EPERM : 0, exit_code(pid));
	}
}

static int hears_nothing_elsewhere(void)
{
	static struct nlc c, own;
	struct nlmsghdr *h = NULL;

	if (unshare(CLONE_NEWNET) || nlc_open(&c) || nlc_open(&own) || nlc_join(&c, c.event_group))
		return 90;
	if (nlc_attach(&own, SECTION, NULL, NULL, 0) || nlc_detach(&own))
		return 91;
	return nlc_next(&c, &h, 100) == -ETIMEDOUT ? 0 : 92;
}

TEST_F(nl, events_stay_in_the_initial_namespace)
{
	pid_t pid;

	test_live("1");
	pid = fork();
	if (!pid)
		_exit(hears_nothing_elsewhere());
	EXPECT_EQ(0, exit_code(pid));
}

TEST_F(nl, attaching_is_told)
{
	struct nlc *c = listener(_metadata, 1);
	struct nlmsghdr *h = NULL;
	long long seq;

	test_live("2");
	ASSERT_EQ(0, nlc_attach(self->c, SECTION, NULL, NULL, 0));
	ASSERT_EQ(0, nlc_next(c, &h, NL_WAIT_MS));
	EXPECT_EQ(UACCE_NL_SLOT_ATTACH, nlm_cmd(h));
	EXPECT_STREQ(SECTION, nlm_string(h, UACCE_A_SECTION));
	EXPECT_STREQ(SECTION "_INT_0", nlm_string(h, UACCE_A_SLOT));
	EXPECT_EQ(getpid(), nlm_num(h, UACCE_A_PID));
	EXPECT_STREQ("test_events", nlm_string(h, UACCE_A_COMM));
	seq = EVENT_SEQ(h);
	ASSERT_EQ(0, nlc_detach(self->c));
	ASSERT_EQ(0, nlc_next(c, &h, NL_WAIT_MS));
	EXPECT_EQ(UACCE_NL_SLOT_DETACH, nlm_cmd(h));
	EXPECT_STREQ(SECTION "_INT_0", nlm_string(h, UACCE_A_SLOT));
	EXPECT_EQ(getpid(), nlm_num(h, UACCE_A_PID));
	EXPECT_EQ(seq + 1, EVENT_SEQ(h));
	ASSERT_EQ(0, nlc_dev_get(self->c, self->dev));
	EXPECT_EQ(seq + 1, NUM(self->c, EVENT_SEQ));
	listener_end(c);
}

/* ------ refusals ------ */

/* Refusals of processes that have just ended are told within a second. */
static void refusals_of_others_end(struct nlc *c)
{
	struct nlmsghdr *h;

	while (!nlc_next(c, &h, 1500))
		;
}

/* The first refusal is reported at once; the others are summed and reported a second later. */
TEST_F(nl, refusals_are_told_once_a_second)
{
	struct nlc *c = listener(_metadata, 1);
	struct nlmsghdr *h = NULL;
	long long seq, sum = 0, start;
	int fd, told = 0;

	refusals_of_others_end(c);
	ASSERT_EQ(0, dev_set(self->dev, "max_ctxs_per_process", "1"));
	fd = test_open(self->dev);
	start = now_ms();
	for (int i = 0; i < 50; i++)
		EXPECT_EQ(-EDQUOT, uacce_open(self->dev));
	ASSERT_EQ(0, nlc_next(c, &h, NL_WAIT_MS));
	EXPECT_EQ(UACCE_NL_QUOTA, nlm_cmd(h));
	EXPECT_STREQ(self->dev, nlm_string(h, UACCE_A_DEV));
	EXPECT_EQ(getpid(), nlm_num(h, UACCE_A_PID));
	EXPECT_STREQ("test_events", nlm_string(h, UACCE_A_COMM));
	EXPECT_EQ(EDQUOT, nlm_num(h, UACCE_A_ERROR));
	EXPECT_EQ(1, nlm_num(h, UACCE_A_COUNT));
	EXPECT_EQ(NULL, nlm_next(h, UACCE_A_SECTION, NULL));
	seq = EVENT_SEQ(h);
	while (sum < 49) {
		ASSERT_EQ(0, nlc_next(c, &h, NL_WAIT_MS));
		EXPECT_EQ(++seq, EVENT_SEQ(h));
		sum += nlm_num(h, UACCE_A_COUNT);
		told++;
	}
	EXPECT_EQ(49, sum);
	/* One more is allowed: seconds are kernel ticks, and a CPU that stalled makes up for all of them at once. */
	EXPECT_LE(told, (now_ms() - start) / 1000 + 2);
	EXPECT_EQ(-ETIMEDOUT, nlc_next(c, &h, 1500));
	ASSERT_EQ(0, dev_set(self->dev, "max_ctxs_per_process", "0"));
	close(fd);
	listener_end(c);
}

TEST_F(nl, refusal_of_the_attached_names_the_section)
{
	struct nlc *c = listener(_metadata, 1);
	struct nlmsghdr *h = NULL;
	int fds[3];

	test_live("1");
	ASSERT_EQ(0, nlc_attach(self->c, SECTION, NULL, NULL, 0));
	for (int i = 0; i < 3; i++)
		fds[i] = uacce_open(self->dev);
	EXPECT_EQ(-EDQUOT, fds[2]);
	ASSERT_EQ(0, nlc_event(c, UACCE_NL_QUOTA, &h, NL_WAIT_MS));
	EXPECT_STREQ(SECTION, nlm_string(h, UACCE_A_SECTION));
	close(fds[0]);
	close(fds[1]);
	listener_end(c);
}

static void refused_once(const char *dev)
{
	pid_t pid = fork();

	if (!pid) {
		int first = uacce_open(dev), second = uacce_open(dev), third = uacce_open(dev);

		_exit(first < 0 || second != -EDQUOT || third != -EDQUOT);
	}
	exit_code(pid);
}

/* More processes than the kernel counts at a time: none is forgotten. */
TEST_F_TIMEOUT(nl, every_process_is_told_of, 200)
{
	struct nlc *c = listener(_metadata, 1);
	struct nlmsghdr *h = NULL;
	long long seq = -1, sum = 0;

	refusals_of_others_end(c);
	ASSERT_EQ(0, dev_set(self->dev, "max_ctxs_per_process", "1"));
	for (int i = 0; i < 100; i++)
		refused_once(self->dev);
	while (sum < 200) {
		ASSERT_EQ(0, nlc_next(c, &h, NL_WAIT_MS));
		if (seq >= 0)
			EXPECT_EQ(seq + 1, EVENT_SEQ(h));
		seq = EVENT_SEQ(h);
		sum += nlm_num(h, UACCE_A_COUNT);
	}
	EXPECT_EQ(200, sum);
	ASSERT_EQ(0, dev_set(self->dev, "max_ctxs_per_process", "0"));
	listener_end(c);
}

TEST_HARNESS_MAIN
