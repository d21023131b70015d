// SPDX-License-Identifier: Apache-2.0
/* Attaching by netlink: grants, refusals, waiting, and the ends of an attachment. */
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include "kselftest_harness.h"
#include "fail_nth.h"
#include "netlink_test.h"
#include "turn.h"

/* A child that performs an action, reports the result, and ends when it is asked to. */
struct helper {
	pid_t pid;
	int told;		/* from it: one byte, the positive result of its action */
	int tell;
};

static void helper_start(struct helper *h, int (*fn)(struct nlc *c, void *arg), void *arg)
{
	int up[2], down[2];

	if (pipe(up) || pipe(down))
		abort();
	h->pid = fork();
	if (!h->pid) {
		static struct nlc c;
		unsigned char ret = 255;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(up[0]);
		close(down[1]);
		if (!nlc_open(&c))
			ret = -fn(&c, arg);
		if (write(up[1], &ret, 1) != 1)
			_exit(1);
		_exit(read(down[0], &ret, 1) < 0);
	}
	close(up[1]);
	close(down[0]);
	h->told = up[0];
	h->tell = down[1];
}

static int helper_result(struct helper *h)
{
	unsigned char ret = 254;

	return read(h->told, &ret, 1) == 1 ? ret : 253;
}

static void helper_end(struct helper *h)
{
	/* Other processes may have a copy of this end. */
	if (write(h->tell, "", 1) != 1)
		kill(h->pid, SIGKILL);
	close(h->tell);
	close(h->told);
	exit_code(h->pid);
}

static int attaches(struct nlc *c, void *section)
{
	return nlc_attach(c, section, NULL, NULL, 0);
}

/* Waits until the section has @n slots attached; returns the number at the end. */
static long long wait_attached(struct nlc *c, long long n)
{
	long long deadline = now_ms() + NL_WAIT_MS;

	while (!nlc_section_get(c, SECTION) && NUM(c, SLOTS_ATTACHED) != n && now_ms() < deadline)
		turn_over();
	return NUM(c, SLOTS_ATTACHED);
}

/* ------ granted ------ */

TEST_F(nl, attached_process_learns_what_it_has)
{
	struct nlc *c = self->c;
	const struct nlattr *grant;

	ASSERT_EQ(0, sec_set(SECTION, "sync_ctxs", "3"));
	ASSERT_EQ(0, sec_set(SECTION, "queue_priority", "5"));
	ASSERT_EQ(0, sec_set(SECTION, "max_extra_ctxs", "2"));
	test_live("2");
	ASSERT_EQ(0, nlc_attach(c, SECTION, NULL, NULL, 0));
	EXPECT_EQ(UACCE_NL_SECTION_ATTACH, nlm_cmd(&c->reply.h));
	EXPECT_STREQ(SECTION "_INT_0", STRING(c, SLOT));
	EXPECT_EQ(5, NUM(c, QUEUE_PRIORITY));
	EXPECT_EQ(2, NUM(c, MAX_EXTRA));
	EXPECT_EQ(NULL, nlm_next(&c->reply.h, UACCE_A_TICKET, NULL));
	grant = nlm_next(&c->reply.h, UACCE_A_GRANT, NULL);
	ASSERT_NE(NULL, grant);
	EXPECT_STREQ(self->dev, nla_str_of(nest_attr(grant, UACCE_A_GRANT_DEV)));
	EXPECT_EQ((int)uacce_attr_num(self->dev, "zone_id"), nla_num_of(nest_attr(grant, UACCE_A_GRANT_NODE)));
	EXPECT_EQ(3, nla_num_of(nest_attr(grant, UACCE_A_GRANT_SYNC)));
	EXPECT_EQ(1, nla_num_of(nest_attr(grant, UACCE_A_GRANT_ASYNC)));
	grant = nlm_next(&c->reply.h, UACCE_A_GRANT, grant);
	ASSERT_NE(NULL, grant);
	EXPECT_STREQ(self->dev2, nla_str_of(nest_attr(grant, UACCE_A_GRANT_DEV)));
	EXPECT_EQ(NULL, nlm_next(&c->reply.h, UACCE_A_GRANT, grant));
	EXPECT_EQ(1, wait_attached(c, 1));
	EXPECT_EQ(0, nlc_detach(c));
	EXPECT_EQ(0, wait_attached(c, 0));
}

TEST_F(nl, slot_and_device_can_be_asked_for)
{
	struct nlc *c = self->c;

	ASSERT_EQ(0, sec_set(SECTION, "limit_dev_access", "1"));
	test_live("3");
	ASSERT_EQ(0, nlc_attach(c, SECTION, SECTION "_DEV1_INT_2", NULL, 0));
	EXPECT_STREQ(SECTION "_DEV1_INT_2", STRING(c, SLOT));
	EXPECT_STREQ(self->dev2, nla_str_of(nest_attr(nlm_next(&c->reply.h, UACCE_A_GRANT, NULL), UACCE_A_GRANT_DEV)));
	ASSERT_EQ(0, nlc_detach(c));
	ASSERT_EQ(0, nlc_attach(c, SECTION, NULL, self->dev2, 0));
	EXPECT_STREQ(SECTION "_DEV1_INT_0", STRING(c, SLOT));
	ASSERT_EQ(0, nlc_detach(c));
	ASSERT_EQ(0, nlc_attach(c, SECTION, NULL, self->parent, 0));
	EXPECT_STREQ(SECTION "_DEV0_INT_0", STRING(c, SLOT));
}

TEST_F(nl, a_process_in_another_network_namespace_attaches)
{
	pid_t pid;

	test_live("1");
	pid = fork();
	if (!pid) {
		nlc_close(self->c);
		_exit(unshare(CLONE_NEWNET) || nlc_open(self->c) || nlc_attach(self->c, SECTION, NULL, NULL, 0) ||
		      strcmp(STRING(self->c, SLOT), SECTION "_INT_0"));
	}
	EXPECT_EQ(0, exit_code(pid));
	EXPECT_EQ(0, wait_attached(self->c, 0));
}

/* ------ refused ------ */

static int attach_one(struct nlc *c, uint16_t type, const char *name, uint32_t *at)
{
	union nlm m;

	nlm_begin(&m, c->family, 0, UACCE_NL_SECTION_ATTACH);
	nlm_str(&m, UACCE_A_SECTION, SECTION);
	*at = m.h.nlmsg_len;
	nlm_str(&m, type, name);
	return nlc_ask(c, &m);
}

TEST_F(nl, what_is_taken_is_to_blame)
{
	struct nlc *c = self->c;
	struct helper h;
	uint32_t at;

	ASSERT_EQ(0, sec_set(SECTION, "devices", self->dev));
	ASSERT_EQ(0, sec_set(SECTION, "limit_dev_access", "1"));
	test_live("1");
	helper_start(&h, attaches, SECTION);
	ASSERT_EQ(0, helper_result(&h));
	EXPECT_EQ(-EUSERS, attach_one(c, UACCE_A_SLOT, SECTION "_DEV0_INT_0", &at));
	EXPECT_EQ(at, c->bad);
	EXPECT_EQ(-EUSERS, attach_one(c, UACCE_A_DEV, self->dev, &at));
	EXPECT_EQ(at, c->bad);
	helper_end(&h);
}

TEST_F(nl, detach_takes_no_attributes)
{
	static const uint16_t types[] = { UACCE_A_PAD, UACCE_A_DEV, UACCE_A_SECTION, 500 };
	struct nlc *c = self->c;
	union nlm m;

	test_live("1");
	ASSERT_EQ(0, nlc_attach(c, SECTION, NULL, NULL, 0));
	for (unsigned int i = 0; i < sizeof(types) / sizeof(*types); i++) {
		nlm_begin(&m, c->family, 0, UACCE_NL_SECTION_DETACH);
		nlm_str(&m, types[i], SECTION);
		EXPECT_EQ(-EINVAL, nlc_ask(c, &m));
	}
	EXPECT_EQ(1, wait_attached(c, 1));
	EXPECT_EQ(0, nlc_detach(c));
}

TEST_F(nl, attach_names_what_it_refuses)
{
	struct nlc *c = self->c;
	uint32_t first = NLMSG_LENGTH(GENL_HDRLEN), second = first + NLA_HDRLEN + NLA_ALIGN(sizeof(SECTION));
	union nlm m;

	EXPECT_EQ(-ENOENT, nlc_attach(c, "nothing", NULL, NULL, 0));
	EXPECT_EQ(first, c->bad);
	EXPECT_NE(0, c->why[0]);
	EXPECT_EQ(-ESHUTDOWN, nlc_attach(c, SECTION, NULL, NULL, 0));
	EXPECT_EQ(first, c->bad);
	EXPECT_NE(0, c->why[0]);
	test_live("1");
	EXPECT_EQ(-ENOENT, nlc_attach(c, SECTION, SECTION "_INT_1", NULL, 0));
	EXPECT_EQ(second, c->bad);
	EXPECT_EQ(-ENOENT, nlc_attach(c, SECTION, NULL, "hisi_zip-77", 0));
	EXPECT_EQ(second, c->bad);
	EXPECT_EQ(-EINVAL, nlc_attach(c, SECTION, SECTION "_INT_0", self->dev, 0));
	EXPECT_NE(0, c->why[0]);
	nlm_begin(&m, c->family, 0, UACCE_NL_SECTION_ATTACH);
	EXPECT_EQ(-EINVAL, nlc_ask(c, &m));
	EXPECT_EQ(UACCE_A_SECTION, c->missing);
	EXPECT_EQ(-ENOENT, nlc_detach(c));
	EXPECT_NE(0, c->why[0]);
	EXPECT_EQ(0, wait_attached(c, 0));
}

TEST_F(nl, attach_twice_is_refused)
{
	test_live("2");
	ASSERT_EQ(0, nlc_attach(self->c, SECTION, NULL, NULL, 0));
	EXPECT_EQ(-EALREADY, nlc_attach(self->c, SECTION, NULL, NULL, 0));
	EXPECT_NE(0, self->c->why[0]);
	EXPECT_EQ(1, wait_attached(self->c, 1));
}

TEST_F(nl, another_socket_joins_the_slot_of_its_process)
{
	struct nlc other;
	union nlm m;

	test_live("2");
	ASSERT_EQ(0, nlc_open(&other));
	EXPECT_EQ(-ENOENT, nlc_attach_joining(&other, SECTION));
	EXPECT_NE(0, other.why[0]);
	ASSERT_EQ(0, nlc_attach(self->c, SECTION, NULL, NULL, 0));
	ASSERT_EQ(0, nlc_attach_joining(&other, SECTION));
	EXPECT_STREQ(nlm_string(&self->c->reply.h, UACCE_A_SLOT), nlm_string(&other.reply.h, UACCE_A_SLOT));
	EXPECT_NE(NULL, nlm_next(&other.reply.h, UACCE_A_GRANT, NULL));
	EXPECT_EQ(-EBUSY, nlc_attach_joining(&other, "nothing"));
	nlm_begin(&m, other.family, 0, UACCE_NL_SECTION_ATTACH);
	nlm_str(&m, UACCE_A_SECTION, SECTION);
	nlm_put(&m, UACCE_A_JOIN, NULL, 0);
	nlm_u32(&m, UACCE_A_WAIT_MS, 1);
	EXPECT_EQ(-EINVAL, nlc_ask(&other, &m));
	nlc_close(&other);
	EXPECT_EQ(1, wait_attached(self->c, 1));
}

TEST_F(nl, full_section_is_refused)
{
	struct helper h;

	test_live("1");
	helper_start(&h, attaches, SECTION);
	ASSERT_EQ(0, helper_result(&h));
	EXPECT_EQ(-EUSERS, nlc_attach(self->c, SECTION, NULL, NULL, 0));
	EXPECT_NE(0, self->c->why[0]);
	helper_end(&h);
	EXPECT_EQ(0, wait_attached(self->c, 0));
	EXPECT_EQ(0, nlc_attach(self->c, SECTION, NULL, NULL, 0));
}

TEST_F(nl, contexts_bind_a_process_to_its_slot)
{
	int fd;

	test_live("2");
	ASSERT_EQ(0, nlc_attach(self->c, SECTION, SECTION "_INT_1", NULL, 0));
	fd = test_open(self->dev);
	ASSERT_EQ(0, nlc_detach(self->c));
	EXPECT_EQ(-EBUSY, nlc_attach(self->c, SECTION, SECTION "_INT_0", NULL, 0));
	ASSERT_EQ(0, nlc_section_get(self->c, SECTION));
	EXPECT_EQ(1, NUM(self->c, SLOTS_LINGERING));
	EXPECT_EQ(0, nlc_attach(self->c, SECTION, NULL, NULL, 0));
	EXPECT_STREQ(SECTION "_INT_1", STRING(self->c, SLOT));
	ASSERT_EQ(0, nlc_section_get(self->c, SECTION));
	EXPECT_EQ(0, NUM(self->c, SLOTS_LINGERING));
	close(fd);
}

/* The result of an attempt with uid @uid and the supplementary group @gid. */
static int attach_as(uid_t uid, gid_t gid)
{
	static struct nlc c;
	pid_t pid = fork();

	if (pid)
		return -exit_code(pid);
	if (setgroups(1, &gid) || setresgid(NOBODY, NOBODY, NOBODY) || setresuid(uid, uid, uid) || nlc_open(&c))
		_exit(99);
	_exit(-nlc_attach(&c, SECTION, NULL, NULL, 0));
}

TEST_F(nl, the_unprivileged_attach_where_they_are_allowed)
{
	test_live("1");
	EXPECT_EQ(-EACCES, attach_as(1000, 50));
	ASSERT_EQ(0, sec_set(SECTION, "allowed_uids", "1000-1001"));
	EXPECT_EQ(0, attach_as(1000, 50));
	EXPECT_EQ(0, wait_attached(self->c, 0));
	EXPECT_EQ(-EACCES, attach_as(1002, 50));
	ASSERT_EQ(0, sec_set(SECTION, "allowed_gids", "50"));
	EXPECT_EQ(0, attach_as(1002, 50));
	EXPECT_EQ(0, wait_attached(self->c, 0));
	EXPECT_EQ(-EACCES, attach_as(1002, 51));
	ASSERT_EQ(0, sec_set(SECTION, "allowed_uids", "*"));
	EXPECT_EQ(0, attach_as(1002, 51));
	EXPECT_EQ(0, wait_attached(self->c, 0));
}

/* ------ waiting ------ */

TEST_F(nl, who_waits_is_told)
{
	struct nlc *c = self->c;
	struct nlmsghdr *h = NULL;
	struct helper helper;
	uint32_t seq;

	test_live("1");
	helper_start(&helper, attaches, SECTION);
	ASSERT_EQ(0, helper_result(&helper));
	ASSERT_EQ(0, nlc_attach(c, SECTION, NULL, NULL, NL_WAIT_MS));
	seq = c->seq;
	EXPECT_GT(NUM(c, TICKET), 0);
	EXPECT_STREQ("(none)", STRING(c, SLOT));
	EXPECT_EQ(-EALREADY, nlc_attach(c, SECTION, NULL, NULL, NL_WAIT_MS));
	ASSERT_EQ(0, nlc_section_get(c, SECTION));
	EXPECT_EQ(1, NUM(c, WAITING));
	helper_end(&helper);
	ASSERT_EQ(0, nlc_event(c, UACCE_NL_SLOT_GRANTED, &h, NL_WAIT_MS));
	EXPECT_EQ(seq, h->nlmsg_seq);
	EXPECT_STREQ(SECTION "_INT_0", nlm_string(h, UACCE_A_SLOT));
	EXPECT_NE(NULL, nlm_next(h, UACCE_A_GRANT, NULL));
	EXPECT_EQ(NULL, nlm_next(h, UACCE_A_ERROR, NULL));
	EXPECT_EQ(0, nlc_detach(c));
}

/*
 * A time-out counts the kernel's ticks. A CPU that resumes late makes up for all of them at once, while this clock is
 * right already: the wait may then end early, but not each time.
 */
TEST_F(nl, waiting_ends_in_time)
{
	struct nlc *c = self->c;
	struct nlmsghdr *h = NULL;
	struct helper helper;
	long long start, took = 0;

	test_live("1");
	helper_start(&helper, attaches, SECTION);
	ASSERT_EQ(0, helper_result(&helper));
	for (int i = 0; i < 10 && took < 80; i++) {
		start = now_ms();
		ASSERT_EQ(0, nlc_attach(c, SECTION, NULL, NULL, 100));
		/* On a slow machine the grant comes before the acknowledgement: the last answer is the grant then. */
		h = &c->reply.h;
		if (nlm_cmd(h) != UACCE_NL_SLOT_GRANTED) {
			ASSERT_EQ(0, nlc_event(c, UACCE_NL_SLOT_GRANTED, &h, NL_WAIT_MS));
		}
		took = now_ms() - start;
		EXPECT_EQ(ETIMEDOUT, nlm_num(h, UACCE_A_ERROR));
		EXPECT_EQ(NULL, nlm_next(h, UACCE_A_SLOT, NULL));
		EXPECT_EQ(-ENOENT, nlc_detach(c));
	}
	EXPECT_GE(took, 80);
	helper_end(&helper);
}

TEST_F(nl, detach_withdraws_a_ticket)
{
	struct nlc *c = self->c;
	struct helper helper;

	test_live("1");
	helper_start(&helper, attaches, SECTION);
	ASSERT_EQ(0, helper_result(&helper));
	ASSERT_EQ(0, nlc_attach(c, SECTION, NULL, NULL, NL_WAIT_MS));
	EXPECT_EQ(0, nlc_detach(c));
	ASSERT_EQ(0, nlc_section_get(c, SECTION));
	EXPECT_EQ(0, NUM(c, WAITING));
	helper_end(&helper);
	EXPECT_EQ(0, wait_attached(c, 0));
}

TEST_F(nl, who_waits_for_a_section_that_ends_is_told)
{
	struct nlc *c = self->c;
	struct nlmsghdr *h = NULL;
	struct helper helper;

	test_live("1");
	helper_start(&helper, attaches, SECTION);
	ASSERT_EQ(0, helper_result(&helper));
	ASSERT_EQ(0, nlc_attach(c, SECTION, NULL, NULL, NL_WAIT_MS));
	ASSERT_EQ(0, sec_set(SECTION, "live", "0"));
	ASSERT_EQ(0, nlc_event(c, UACCE_NL_SLOT_GRANTED, &h, NL_WAIT_MS));
	EXPECT_EQ(ESHUTDOWN, nlm_num(h, UACCE_A_ERROR));
	helper_end(&helper);
}

#define WAITERS_MAX	1024
#define COPY_MS	5000	/* how long a copy of a socket lives */

/* Children of one process group, which wait for a slot until they are killed. */
struct crowd {
	pid_t group;
	int told[2];
};

/* The child's result: 0 (the child waits) or a positive error. */
static int crowd_one_more(struct crowd *crowd)
{
	unsigned char ret = 255;
	pid_t pid = fork();

	if (!pid) {
		static struct nlc c;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!nlc_open(&c))
			ret = -nlc_attach(&c, SECTION, NULL, NULL, 10 * NL_WAIT_MS);
		if (!setpgid(0, crowd->group) && write(crowd->told[1], &ret, 1) == 1)
			pause();
		_exit(0);
	}
	if (!crowd->group)
		crowd->group = pid;
	return read(crowd->told[0], &ret, 1) == 1 ? ret : 254;
}

static void crowd_end(struct crowd *crowd)
{
	kill(-crowd->group, SIGKILL);
	while (waitpid(-crowd->group, NULL, 0) > 0)
		;
	close(crowd->told[0]);
	close(crowd->told[1]);
}

static long long wait_waiting(struct nlc *c, long long n)
{
	long long deadline = now_ms() + NL_WAIT_MS;

	while (!nlc_section_get(c, SECTION) && NUM(c, WAITING) != n && now_ms() < deadline)
		turn_over();
	return NUM(c, WAITING);
}

TEST_F_TIMEOUT(nl, one_more_than_1024_who_wait_is_refused, 300)
{
	struct crowd crowd = { 0 };
	struct nlc *c = self->c;

	/* A thousand processes take the debug kernel two minutes. */
	if (getenv("WD_TEST_BRIEF"))
		SKIP(return, "brief run: done in full on the first kernel");
	test_live("1");
	ASSERT_EQ(0, nlc_attach(c, SECTION, NULL, NULL, 0));
	ASSERT_EQ(0, pipe(crowd.told));
	for (int i = 0; i < WAITERS_MAX; i++) {
		ASSERT_EQ(0, crowd_one_more(&crowd));
	}
	EXPECT_EQ(WAITERS_MAX, wait_waiting(c, WAITERS_MAX));
	EXPECT_EQ(ENOBUFS, crowd_one_more(&crowd));
	EXPECT_EQ(WAITERS_MAX, wait_waiting(c, WAITERS_MAX));
	/* A place in the line is free once a waiting process has ended. */
	ASSERT_EQ(0, kill(crowd.group, SIGKILL));
	EXPECT_EQ(WAITERS_MAX - 1, wait_waiting(c, WAITERS_MAX - 1));
	EXPECT_EQ(0, crowd_one_more(&crowd));
	EXPECT_EQ(ENOBUFS, crowd_one_more(&crowd));
	crowd_end(&crowd);
	EXPECT_EQ(0, wait_waiting(c, 0));
}

/* The socket's buffer is full when its turn comes: the next process gets the slot. */
static int waits_and_chokes(struct nlc *c, void *section)
{
	int bytes = 1, ret = nlc_attach(c, section, NULL, NULL, NL_WAIT_MS);

	setsockopt(c->fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	for (int i = 0; i < 100; i++)
		nlc_dump_send(c, UACCE_NL_DEV_GET);
	return ret;
}

TEST_F(nl, grant_that_does_not_arrive_is_the_next_ones)
{
	struct nlc *c = self->c;
	struct nlmsghdr *h = NULL;
	struct helper holds, chokes;

	test_live("1");
	helper_start(&holds, attaches, SECTION);
	ASSERT_EQ(0, helper_result(&holds));
	helper_start(&chokes, waits_and_chokes, SECTION);
	ASSERT_EQ(0, helper_result(&chokes));
	ASSERT_EQ(0, nlc_attach(c, SECTION, NULL, NULL, NL_WAIT_MS));
	helper_end(&holds);
	ASSERT_EQ(0, nlc_event(c, UACCE_NL_SLOT_GRANTED, &h, NL_WAIT_MS));
	EXPECT_STREQ(SECTION "_INT_0", nlm_string(h, UACCE_A_SLOT));
	helper_end(&chokes);
}

/* ------ the end ------ */

TEST_F(nl, attachment_ends_with_its_socket)
{
	struct nlc *other = malloc(sizeof(*other));

	test_live("1");
	ASSERT_EQ(0, nlc_open(other));
	ASSERT_EQ(0, nlc_attach(other, SECTION, NULL, NULL, 0));
	EXPECT_EQ(1, wait_attached(self->c, 1));
	nlc_close(other);
	EXPECT_EQ(0, wait_attached(self->c, 0));
	EXPECT_EQ(-ENOENT, nlc_detach(self->c));
	free(other);
}

static int attaches_and_leaves_a_copy(struct nlc *c, void *arg)
{
	int ret = nlc_attach(c, SECTION, NULL, NULL, 0);
	pid_t child = fork();

	if (!child) {
		/* Holds a copy of the socket, and exits soon enough. */
		poll(NULL, 0, COPY_MS);
		_exit(0);
	}
	return ret;
}

TEST_F(nl, attachment_ends_with_its_process_though_the_socket_lives)
{
	struct helper h;

	test_live("1");
	helper_start(&h, attaches_and_leaves_a_copy, NULL);
	ASSERT_EQ(0, helper_result(&h));
	EXPECT_EQ(1, wait_attached(self->c, 1));
	helper_end(&h);
	EXPECT_EQ(0, wait_attached(self->c, 0));
}

TEST_F(nl, a_child_has_no_attachment)
{
	pid_t pid;

	test_live("2");
	ASSERT_EQ(0, nlc_attach(self->c, SECTION, NULL, NULL, 0));
	pid = fork();
	if (!pid)
		_exit(nlc_detach(self->c) != -ENOENT);
	EXPECT_EQ(0, exit_code(pid));
	EXPECT_EQ(1, wait_attached(self->c, 1));
}

/* No process may hold a slot that no process knows of. */
TEST_F(nl, reply_that_does_not_arrive_attaches_nobody)
{
	struct nlc *mute = malloc(sizeof(*mute));
	int bytes = 1;
	union nlm m;

	test_live("1");
	ASSERT_EQ(0, nlc_open(mute));
	ASSERT_EQ(0, setsockopt(mute->fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)));
	for (int i = 0; i < 100; i++) {
		nlm_begin(&m, mute->family, 0, UACCE_NL_DEV_GET);
		nlm_str(&m, UACCE_A_DEV, self->dev);
		ASSERT_EQ(0, nlc_send(mute, &m));
	}
	nlm_begin(&m, mute->family, 0, UACCE_NL_SECTION_ATTACH);
	nlm_str(&m, UACCE_A_SECTION, SECTION);
	ASSERT_EQ(0, nlc_send(mute, &m));
	ASSERT_EQ(0, nlc_section_get(self->c, SECTION));
	EXPECT_EQ(0, NUM(self->c, SLOTS_ATTACHED));
	EXPECT_EQ(-ENOENT, nlc_detach(self->c));
	nlc_close(mute);
	free(mute);
}

/* Each allocation on the way fails once: the process is attached and receives the answer, or neither. */
TEST_F_TIMEOUT(nl, attach_survives_every_failing_allocation, 200)
{
	const char *missing = fail_nth_missing();
	unsigned int n, happened = 1;
	struct nlc *c = self->c;
	union nlm m;
	int ret;

	if (missing)
		SKIP(return, "%s", missing);
	test_live("1");
	fail_nth_fd();
	for (n = 1; happened && n < 500; n++) {
		nlm_begin(&m, c->family, 0, UACCE_NL_SECTION_ATTACH);
		nlm_str(&m, UACCE_A_SECTION, SECTION);
		m.h.nlmsg_flags |= NLM_F_ACK;
		fail_nth_set(n);
		ret = nlc_send(c, &m);
		happened = fail_nth_happened();
		ASSERT_TRUE(ret == 0 || happened);
		nlc_close(c);
		ASSERT_EQ(0, nlc_open(c));
		EXPECT_EQ(0, wait_attached(c, 0));
		EXPECT_EQ(0, NUM(c, WAITING));
	}
	EXPECT_GT(n, 5);
	EXPECT_EQ(0, happened);
}

TEST_HARNESS_MAIN
