// SPDX-License-Identifier: Apache-2.0
/* The netlink family's requests: their answers, their refusals, and which callers they refuse. */
#include <sched.h>
#include <signal.h>
#include "kselftest_harness.h"
#include "netlink_test.h"

TEST_F(nl, family_is_version_1_with_two_groups)
{
	EXPECT_EQ(UACCE_GENL_VERSION, self->c->version);
	EXPECT_NE(0, self->c->config_group);
	EXPECT_NE(0, self->c->event_group);
}

/* ------ devices ------ */

TEST_F(nl, device_is_as_in_sysfs)
{
	struct nlc *c = self->c;
	char text[1024];
	int fd = test_open(self->dev);

	ASSERT_EQ(0, nlc_dev_get(c, self->dev));
	EXPECT_EQ(UACCE_NL_DEV_GET, nlm_cmd(&c->reply.h));
	EXPECT_STREQ(self->dev, STRING(c, DEV));
	EXPECT_STREQ(self->parent, STRING(c, DEV_PARENT));
	ASSERT_GT(uacce_attr(self->dev, "api", text, sizeof(text)), 0);
	EXPECT_STREQ(text, STRING(c, DEV_API));
	ASSERT_GT(uacce_attr(self->dev, "algorithms", text, sizeof(text)), 0);
	EXPECT_STREQ(text, STRING(c, DEV_ALGORITHMS));
	EXPECT_EQ(UACCE_NL_DEV_SIMULATED | UACCE_NL_DEV_ISOLATED_DOORBELLS | UACCE_NL_DEV_SVA, NUM(c, DEV_FLAGS));
	EXPECT_EQ(UACCE_NL_DEV_NORMAL, NUM(c, DEV_STATE));
	EXPECT_EQ((int)uacce_attr_num(self->dev, "zone_id"), NUM(c, NODE));
	EXPECT_EQ(0, NUM(c, DEV_PRIORITY));
	EXPECT_EQ(10, NUM(c, DEV_LATENCY));
	EXPECT_EQ(10, NUM(c, DEV_THROUGHPUT));
	EXPECT_EQ(0, NUM(c, DEV_MAX_CTXS));
	EXPECT_EQ(1, NUM(c, CTXS_USED));
	EXPECT_EQ(1, NUM(c, CTXS_USED_POOL));
	EXPECT_EQ(0, NUM(c, CTXS_RESERVED));
	EXPECT_EQ(0, NUM(c, CTXS_QUARANTINED));
	EXPECT_EQ(test_attr_num(self->dev, "available_instances"), NUM(c, CTXS_FREE));
	EXPECT_EQ(NUM(c, CTXS_TOTAL), NUM(c, CTXS_FREE) + 1);
	EXPECT_GE(NUM(c, CONFIG_SEQ), 0);
	EXPECT_GE(NUM(c, EVENT_SEQ), 0);
	close(fd);
}

TEST_F(nl, device_is_found_by_its_parent)
{
	ASSERT_EQ(0, nlc_dev_get(self->c, self->parent));
	EXPECT_STREQ(self->dev, STRING(self->c, DEV));
}

TEST_F(nl, settings_are_shown)
{
	struct nlc *c = self->c;

	ASSERT_EQ(0, dev_set(self->dev, "priority", "-7"));
	ASSERT_EQ(0, dev_set(self->dev, "latency", "3"));
	ASSERT_EQ(0, dev_set(self->dev, "max_ctxs_per_process", "5"));
	EXPECT_EQ(0, nlc_dev_get(c, self->dev));
	EXPECT_EQ(-7, NUM(c, DEV_PRIORITY));
	EXPECT_EQ(3, NUM(c, DEV_LATENCY));
	EXPECT_EQ(3, uacce_attr_num(self->dev, "hisi_zip-zlib/latency"));
	EXPECT_EQ(5, NUM(c, DEV_MAX_CTXS));
	EXPECT_EQ(0, dev_set(self->dev, "priority", "0"));
	EXPECT_EQ(0, dev_set(self->dev, "latency", "10"));
	EXPECT_EQ(10, uacce_attr_num(self->dev, "hisi_zip-zlib/latency"));
	EXPECT_EQ(0, dev_set(self->dev, "max_ctxs_per_process", "0"));
}

TEST_F(nl, device_that_is_not_there_is_refused_by_name)
{
	struct nlc *c = self->c;
	union nlm m;

	EXPECT_EQ(-ENOENT, nlc_dev_get(c, "hisi_zip-99"));
	EXPECT_STREQ("there is no such device", c->why);
	EXPECT_EQ(NLMSG_LENGTH(GENL_HDRLEN), c->bad);
	EXPECT_EQ(-ENOENT, nlc_dev_get(c, ""));
	nlm_begin(&m, c->family, 0, UACCE_NL_DEV_GET);
	EXPECT_EQ(-EINVAL, nlc_ask(c, &m));
	EXPECT_EQ(UACCE_A_DEV, c->missing);
	EXPECT_STREQ("the request names no device", c->why);
}

static void count_device(const struct nlmsghdr *h, void *arg)
{
	const char **names = arg;

	for (int i = 0; i < 2; i++)
		if (names[i] && !strcmp(names[i], nlm_string(h, UACCE_A_DEV)))
			names[i] = NULL;
}

TEST_F(nl, dump_of_devices_has_each_once)
{
	const char *names[] = { self->dev, self->dev2 };
	int interrupted;

	EXPECT_EQ(uacce_count(), nlc_dump(self->c, UACCE_NL_DEV_GET, count_device, names, &interrupted));
	EXPECT_EQ(NULL, names[0]);
	EXPECT_EQ(NULL, names[1]);
	EXPECT_EQ(0, interrupted);
}

TEST_F(nl, dump_takes_no_attributes)
{
	static const uint8_t cmds[] = { UACCE_NL_DEV_GET, UACCE_NL_SECTION_GET, UACCE_NL_CTX_GET };
	union nlm m;

	for (int i = 0; i < 3; i++) {
		nlm_begin(&m, self->c->family, NLM_F_DUMP, cmds[i]);
		nlm_str(&m, cmds[i] == UACCE_NL_SECTION_GET ? UACCE_A_SECTION : UACCE_A_DEV, SECTION);
		EXPECT_EQ(-EINVAL, nlc_ask(self->c, &m));
	}
}

/* ------ sections ------ */

TEST_F(nl, section_has_its_shape)
{
	struct nlc *c = self->c;
	const struct nlattr *member;

	ASSERT_EQ(0, sec_set(SECTION, "num_processes", "3"));
	ASSERT_EQ(0, sec_set(SECTION, "limit_dev_access", "1"));
	ASSERT_EQ(0, sec_set(SECTION, "sync_ctxs", "2"));
	ASSERT_EQ(0, sec_set(SECTION, "async_ctxs", "4"));
	ASSERT_EQ(0, sec_set(SECTION, "nodes", "0=1+2 3=4+5"));
	ASSERT_EQ(0, sec_set(SECTION, "devices", "absent-1 hisi_zip-0"));
	ASSERT_EQ(0, sec_set(SECTION, "queue_priority", "6"));
	ASSERT_EQ(0, sec_set(SECTION, "max_extra_ctxs", "7"));
	ASSERT_EQ(0, sec_set(SECTION, "allowed_uids", "0,1000-1999"));
	ASSERT_EQ(0, sec_set(SECTION, "allowed_gids", "*"));
	ASSERT_EQ(0, nlc_section_get(c, SECTION));
	EXPECT_STREQ(SECTION, STRING(c, SECTION));
	EXPECT_EQ(UACCE_NL_SECTION_CONFIGURED, NUM(c, SECTION_STATE));
	EXPECT_EQ(3, NUM(c, NUM_PROCESSES));
	EXPECT_EQ(1, NUM(c, LIMIT_DEV_ACCESS));
	EXPECT_EQ(2, NUM(c, SYNC_CTXS));
	EXPECT_EQ(4, NUM(c, ASYNC_CTXS));
	EXPECT_STREQ("0=1+2 3=4+5", STRING(c, NODES));
	EXPECT_EQ(6, NUM(c, QUEUE_PRIORITY));
	EXPECT_EQ(7, NUM(c, MAX_EXTRA));
	EXPECT_STREQ("0,1000-1999", STRING(c, ALLOWED_UIDS));
	EXPECT_STREQ("*", STRING(c, ALLOWED_GIDS));
	EXPECT_EQ(0, NUM(c, SLOTS_TOTAL));
	EXPECT_STREQ("", STRING(c, REASON));
	member = nlm_next(&c->reply.h, UACCE_A_MEMBER, NULL);
	ASSERT_NE(NULL, member);
	EXPECT_STREQ("absent-1", nla_str_of(nest_attr(member, UACCE_A_MEMBER_NAME)));
	EXPECT_EQ(NULL, nest_attr(member, UACCE_A_MEMBER_DEV));
	member = nlm_next(&c->reply.h, UACCE_A_MEMBER, member);
	ASSERT_NE(NULL, member);
	EXPECT_STREQ("hisi_zip-0", nla_str_of(nest_attr(member, UACCE_A_MEMBER_DEV)));
	EXPECT_EQ(NULL, nlm_next(&c->reply.h, UACCE_A_MEMBER, member));
}

TEST_F(nl, live_section_has_its_members)
{
	struct nlc *c = self->c;
	const struct nlattr *m;

	ASSERT_EQ(0, sec_set(SECTION, "devices", "hisi_zip-0 zz-absent"));
	ASSERT_EQ(0, sec_set(SECTION, "sync_ctxs", "2"));
	test_live("5");
	ASSERT_EQ(0, nlc_section_get(c, SECTION));
	EXPECT_EQ(UACCE_NL_SECTION_LIVE, NUM(c, SECTION_STATE));
	EXPECT_EQ(5, NUM(c, SLOTS_TOTAL));
	EXPECT_EQ(0, NUM(c, SLOTS_ATTACHED));
	EXPECT_EQ(0, NUM(c, WAITING));
	m = nlm_next(&c->reply.h, UACCE_A_MEMBER, NULL);
	ASSERT_NE(NULL, m);
	EXPECT_STREQ("hisi_zip-0", nla_str_of(nest_attr(m, UACCE_A_MEMBER_DEV)));
	EXPECT_EQ(2, nla_num_of(nest_attr(m, UACCE_A_MEMBER_SYNC)));
	EXPECT_EQ(1, nla_num_of(nest_attr(m, UACCE_A_MEMBER_ASYNC)));
	EXPECT_EQ(15, nla_num_of(nest_attr(m, UACCE_A_MEMBER_RESERVED)));
	EXPECT_EQ(NULL, nest_attr(m, UACCE_A_MEMBER_PENDING));
	m = nlm_next(&c->reply.h, UACCE_A_MEMBER, m);
	ASSERT_NE(NULL, m);
	EXPECT_STREQ("zz-absent", nla_str_of(nest_attr(m, UACCE_A_MEMBER_NAME)));
	EXPECT_NE(NULL, nest_attr(m, UACCE_A_MEMBER_PENDING));
	EXPECT_EQ(0, nla_num_of(nest_attr(m, UACCE_A_MEMBER_RESERVED)));
	ASSERT_EQ(0, nlc_dev_get(c, self->dev));
	EXPECT_EQ(15, NUM(c, CTXS_RESERVED));
}

/* In mode 1; the device's name tells its engine, and so its endpoint, before the device comes. */
TEST_F(nl, slots_of_an_absent_device_are_counted)
{
	const struct nlattr *m = NULL;
	struct nlc *c = self->c;
	char devices[100];

	snprintf(devices, sizeof(devices), "%s hisi_zip-99", self->dev);
	ASSERT_EQ(0, sec_set(SECTION, "devices", devices));
	ASSERT_EQ(0, sec_set(SECTION, "limit_dev_access", "1"));
	ASSERT_EQ(0, sec_set(SECTION, "sync_ctxs", "2"));
	test_live("5");
	ASSERT_EQ(0, nlc_section_get(c, SECTION));
	EXPECT_EQ(10, NUM(c, SLOTS_TOTAL));
	m = nlm_next(&c->reply.h, UACCE_A_MEMBER, m);
	m = nlm_next(&c->reply.h, UACCE_A_MEMBER, m);
	ASSERT_NE(NULL, m);
	EXPECT_STREQ("hisi_zip-99", nla_str_of(nest_attr(m, UACCE_A_MEMBER_NAME)));
	EXPECT_EQ(2, nla_num_of(nest_attr(m, UACCE_A_MEMBER_SYNC)));
	EXPECT_EQ(1, nla_num_of(nest_attr(m, UACCE_A_MEMBER_ASYNC)));
	EXPECT_EQ(0, nla_num_of(nest_attr(m, UACCE_A_MEMBER_RESERVED)));
}

TEST_F(nl, section_says_why_it_is_not_live)
{
	ASSERT_EQ(0, sec_set(SECTION, "num_processes", "60000"));
	ASSERT_EQ(-ENOSPC, sec_set(SECTION, "live", "1"));
	ASSERT_EQ(0, nlc_section_get(self->c, SECTION));
	EXPECT_NE(NULL, strstr(STRING(self->c, REASON), "120000"));
}

TEST_F(nl, section_that_is_not_there_is_refused_by_name)
{
	struct nlc *c = self->c;
	union nlm m;

	EXPECT_EQ(-ENOENT, nlc_section_get(c, "nothing"));
	EXPECT_STREQ("there is no such section", c->why);
	EXPECT_EQ(NLMSG_LENGTH(GENL_HDRLEN), c->bad);
	nlm_begin(&m, c->family, 0, UACCE_NL_SECTION_GET);
	EXPECT_EQ(-EINVAL, nlc_ask(c, &m));
	EXPECT_EQ(UACCE_A_SECTION, c->missing);
}

/* 128 names of 30 bytes: more than a page, the size of a dump's messages until a larger read was seen. */
TEST_F(nl, section_of_many_devices_is_dumped_whole)
{
	struct nlc *c = self->c;
	struct nlmsghdr *h = NULL;
	char names[4000], *at = names;
	int members = 0, ret;

	for (int i = 0; i < 128; i++)
		at += sprintf(at, "a-device-with-a-long-name-%03d ", i);
	ASSERT_EQ(0, sec_set(SECTION, "devices", names));
	nlc_close(c);
	ASSERT_EQ(0, nlc_open_room(c, 4096));
	ASSERT_EQ(0, nlc_dump_send(c, UACCE_NL_SECTION_GET));
	c->room = NL_BUF_BYTES;
	while (!(ret = nlc_next(c, &h, NL_WAIT_MS)) && h->nlmsg_type == c->family)
		for (const struct nlattr *m = NULL; (m = nlm_next(h, UACCE_A_MEMBER, m)); )
			members++;
	EXPECT_EQ(0, ret);
	EXPECT_EQ(NLMSG_DONE, h->nlmsg_type);
	EXPECT_EQ(128, members);
}

#define MANY	100

static void many_sections(int (*fn)(const char *))
{
	char name[32];

	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "nlmany%d", i);
		fn(name);
	}
}

TEST_F(nl, dump_in_many_messages_is_complete_and_says_when_it_is_not)
{
	struct nlc *c = self->c;
	int entries = 0, interrupted = 0, messages = 0;
	struct nlmsghdr *h = NULL;

	many_sections(sec_mkdir);
	nlc_close(c);
	ASSERT_EQ(0, nlc_open_room(c, 4096));
	ASSERT_EQ(0, nlc_dump_send(c, UACCE_NL_SECTION_GET));
	for (;;) {
		messages += c->left < (int)sizeof(*h);
		ASSERT_EQ(0, nlc_next(c, &h, NL_WAIT_MS));
		interrupted |= h->nlmsg_flags & NLM_F_DUMP_INTR;
		if (h->nlmsg_type == NLMSG_DONE)
			break;
		entries++;
	}
	EXPECT_EQ(MANY + 1, entries);
	EXPECT_EQ(0, interrupted);
	EXPECT_GT(messages, 3);

	/* The kernel prepares two messages ahead. */
	ASSERT_EQ(0, nlc_dump_send(c, UACCE_NL_SECTION_GET));
	ASSERT_EQ(0, nlc_next(c, &h, NL_WAIT_MS));
	ASSERT_EQ(0, sec_mkdir("nlmore"));
	while (h->nlmsg_type != NLMSG_DONE) {
		ASSERT_EQ(0, nlc_next(c, &h, NL_WAIT_MS));
		interrupted |= h->nlmsg_flags & NLM_F_DUMP_INTR;
	}
	EXPECT_NE(0, interrupted);
	sec_end("nlmore");
	many_sections(sec_end);
}

TEST_F(nl, dump_that_nobody_reads_ends_with_its_socket)
{
	many_sections(sec_mkdir);
	for (int i = 0; i < 20; i++) {
		EXPECT_EQ(0, nlc_dump_send(self->c, i & 1 ? UACCE_NL_SECTION_GET : UACCE_NL_CTX_GET));
		nlc_close(self->c);
		ASSERT_EQ(0, nlc_open(self->c));
	}
	many_sections(sec_end);
}

/* ------ contexts ------ */

struct seen {
	int nr;
	int pool, slot;
	pid_t pid;
	uint32_t pids;		/* how many have a PID other than 0 */
	uint32_t state;
	char comm[32];
	char slot_name[64];
	char dev[64];
};

static void see_ctx(const struct nlmsghdr *h, void *arg)
{
	struct seen *s = arg;

	s->nr++;
	s->pool += nlm_num(h, UACCE_A_CTX_CLASS) == UACCE_NL_CTX_POOL;
	s->slot += nlm_num(h, UACCE_A_CTX_CLASS) == UACCE_NL_CTX_SLOT;
	s->pid = nlm_num(h, UACCE_A_PID);
	s->pids += s->pid != 0;
	s->state = nlm_num(h, UACCE_A_CTX_STATE);
	snprintf(s->comm, sizeof(s->comm), "%s", nlm_string(h, UACCE_A_COMM));
	snprintf(s->dev, sizeof(s->dev), "%s", nlm_string(h, UACCE_A_DEV));
	snprintf(s->slot_name, sizeof(s->slot_name), "%s", nlm_string(h, UACCE_A_SLOT));
}

static void add_id(const struct nlmsghdr *h, void *arg)
{
	uint64_t *ids = arg;

	*ids |= 1ull << nlm_num(h, UACCE_A_CTX_ID);
}

static struct seen see(struct nlc *c)
{
	struct seen s = {};
	int ret = nlc_dump(c, UACCE_NL_CTX_GET, see_ctx, &s, NULL);

	return ret < 0 ? (struct seen){ .nr = ret } : s;
}

TEST_F(nl, contexts_are_those_that_are_open)
{
	struct seen s = see(self->c);
	int fd;

	EXPECT_EQ(0, s.nr);
	fd = test_open(self->dev2);
	s = see(self->c);
	ASSERT_EQ(1, s.nr);
	EXPECT_EQ(1, s.pool);
	EXPECT_EQ(getpid(), s.pid);
	EXPECT_STREQ(self->dev2, s.dev);
	EXPECT_EQ(UACCE_NL_CTX_INIT, s.state);
	EXPECT_STREQ("(none)", s.slot_name);
	EXPECT_STREQ("test_netlink", s.comm);
	close(fd);
	EXPECT_EQ(0, see(self->c).nr);
}

TEST_F(nl, contexts_of_a_slot_name_it)
{
	struct seen s;
	int fd;

	test_live("2");
	ASSERT_EQ(0, nlc_attach(self->c, SECTION, NULL, NULL, 0));
	fd = test_open(self->dev);
	s = see(self->c);
	EXPECT_EQ(1, s.nr);
	EXPECT_EQ(1, s.slot);
	EXPECT_STREQ(SECTION "_INT_0", s.slot_name);
	close(fd);
}

/* The PID may be another process' by now. */
TEST_F(nl, contexts_of_the_dead_have_no_pid)
{
	int hold[2];
	struct seen s;
	char byte;
	pid_t pid;

	ASSERT_EQ(0, pipe(hold));
	pid = fork();
	if (!pid) {
		close(hold[1]);
		if (uacce_open(self->dev) < 0)
			_exit(1);
		/* This child keeps the file open. */
		if (!fork() && read(hold[0], &byte, 1) < 0)
			_exit(1);
		_exit(0);
	}
	EXPECT_EQ(0, exit_code(pid));
	s = see(self->c);
	EXPECT_EQ(1, s.nr);
	EXPECT_EQ(0, s.pid);
	close(hold[1]);
	for (long long end = now_ms() + NL_WAIT_MS; see(self->c).nr && now_ms() < end; )
		usleep(1000);
	close(hold[0]);
	EXPECT_EQ(0, see(self->c).nr);
}

/* Other contexts come and go: the contexts that stay open are seen all the same. */
TEST_F(nl, contexts_that_close_hide_no_others)
{
	struct nlc *c = self->c;
	struct nlmsghdr *h = NULL;
	int fds[60], messages = 0, interrupted = 0;
	uint64_t seen = 0, wanted = 0;

	for (int i = 0; i < 60; i++)
		fds[i] = test_open(self->dev);
	nlc_close(c);
	ASSERT_EQ(0, nlc_open_room(c, 4096));
	ASSERT_EQ(0, nlc_dump_send(c, UACCE_NL_CTX_GET));
	for (;;) {
		messages += c->left < (int)sizeof(*h);
		ASSERT_EQ(0, nlc_next(c, &h, NL_WAIT_MS));
		interrupted |= h->nlmsg_flags & NLM_F_DUMP_INTR;
		if (h->nlmsg_type == NLMSG_DONE)
			break;
		EXPECT_EQ(0, seen >> nlm_num(h, UACCE_A_CTX_ID) & 1);
		seen |= 1ull << nlm_num(h, UACCE_A_CTX_ID);
		for (int i = 0; i < 10 && messages == 1; i++) {
			close(fds[i]);
			fds[i] = -1;
		}
	}
	EXPECT_GT(messages, 2);
	EXPECT_NE(0, interrupted);
	ASSERT_GE(nlc_dump(c, UACCE_NL_CTX_GET, add_id, &wanted, NULL), 50);
	EXPECT_EQ(wanted, seen & wanted);
	for (int i = 10; i < 60; i++)
		close(fds[i]);
}

/* Opens a context of its own; returns what it sees then. */
static int nobody_sees(const char *dev)
{
	static struct nlc c;
	struct seen s;

	if (be_nobody() || nlc_open(&c))
		return 90;
	if (see(&c).nr)
		return 91;
	if (uacce_open(dev) < 0)
		return 92;
	s = see(&c);
	return s.nr != 1 ? 93 : s.pid != getpid() ? 94 : 0;
}

TEST_F(nl, the_unprivileged_see_their_own_contexts)
{
	char path[UACCE_NAME_MAX + 8];
	int fd = test_open(self->dev);
	pid_t pid;

	snprintf(path, sizeof(path), "/dev/%s", self->dev2);
	ASSERT_EQ(0, chmod(path, 0666));
	pid = fork();
	if (!pid)
		_exit(nobody_sees(self->dev2));
	EXPECT_EQ(0, exit_code(pid));
	EXPECT_EQ(0, chmod(path, 0600));
	close(fd);
}

/* The asking process sees nothing of its own either: the opener of the socket may be the process that reads. */
static int nobody_asks_by_the_socket_of_root(const char *dev)
{
	static struct nlc c;
	struct seen s;

	if (nlc_open(&c) || be_nobody())
		return 90;
	if (uacce_open(dev) < 0)
		return 92;
	s = see(&c);
	return s.nr ? 93 : 0;
}

TEST_F(nl, contexts_are_shown_to_who_opened_the_socket)
{
	char path[80];
	pid_t pid;

	snprintf(path, sizeof(path), "/dev/%s", self->dev);
	ASSERT_EQ(0, chmod(path, 0666));
	pid = fork();
	if (!pid)
		_exit(nobody_asks_by_the_socket_of_root(self->dev));
	EXPECT_EQ(0, exit_code(pid));
	EXPECT_EQ(0, chmod(path, 0600));
}

/* Root asks, nobody reads: the rights of the asking process count. */
TEST_F(nl, privilege_is_decided_when_the_dump_starts)
{
	int fd = test_open(self->dev);
	struct nlmsghdr *h = NULL;
	pid_t pid = fork();

	if (!pid) {
		if (nlc_dump_send(self->c, UACCE_NL_CTX_GET) || be_nobody())
			_exit(90);
		_exit(nlc_next(self->c, &h, NL_WAIT_MS) || h->nlmsg_type != self->c->family);
	}
	EXPECT_EQ(0, exit_code(pid));
	close(fd);
}

static int in_new_pid_namespace(const char *dev)
{
	static struct nlc c;
	struct seen s;
	pid_t pid;

	if (unshare(CLONE_NEWPID))
		return 90;
	pid = fork();
	if (pid)
		return exit_code(pid);
	if (nlc_open(&c) || uacce_open(dev) < 0)
		return 91;
	s = see(&c);
	/* A process outside has no PID in this namespace. */
	return s.nr != 2 ? 92 : s.pids != 1 ? 93 : 0;
}

TEST_F(nl, pids_are_the_requesters)
{
	int fd = test_open(self->dev);
	pid_t pid = fork();

	if (!pid)
		_exit(in_new_pid_namespace(self->dev));
	EXPECT_EQ(0, exit_code(pid));
	close(fd);
}

TEST_HARNESS_MAIN
