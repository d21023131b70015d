// SPDX-License-Identifier: Apache-2.0
/* The netlink client against a fake kernel in this program: how receiving ends, and which messages count as answers. */
#include <errno.h>
#include <linux/netlink.h>
#include <netlink/genl/genl.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "failing_alloc.h"
#include "../../user/libwd/base/netlink.c"
#include "../../user/libwd/base/sleep.c"
#include "kselftest_harness.h"

#define FAMILY	0x1c
#define QUEUE	16

/* The fake kernel's datagrams. When none is left, the clock advances to the end of a poll(). */
static struct {
	struct datagram {
		size_t len;
		__u32 from;
		int error;		/* recv() fails with this instead */
		__u64 after;		/* time that the preceding poll() takes */
		char *bytes;
	} datagram[QUEUE];
	unsigned int nr, next;
	bool waited;
	__u64 now;
	__u32 seq;
	unsigned int sent, joined;
	int group;
} kernel;

int socket(int domain, int type, int protocol)
{
	return dup(STDERR_FILENO);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	if (name == NETLINK_ADD_MEMBERSHIP) {
		kernel.joined++;
		memcpy(&kernel.group, value, sizeof(kernel.group));
	}
	return 0;
}

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	ts->tv_sec = (time_t)(kernel.now / 1000000000);
	ts->tv_nsec = (long)(kernel.now % 1000000000);
	return 0;
}

int ppoll(struct pollfd *pfd, nfds_t n, const struct timespec *limit, const sigset_t *mask)
{
	__u64 left = (__u64)limit->tv_sec * 1000000000 + (__u64)limit->tv_nsec;
	const struct datagram *d = &kernel.datagram[kernel.next];

	kernel.waited = true;
	if (kernel.next < kernel.nr && d->after < left) {
		kernel.now += d->after;
		return 1;
	}
	kernel.now += left;
	return 0;
}

ssize_t send(int fd, const void *buf, size_t len, int flags)
{
	struct nlmsghdr h;
	unsigned int i;

	memcpy(&h, buf, sizeof(h));
	kernel.seq = h.nlmsg_seq;
	kernel.sent++;
	/* The answers were prepared without the request's sequence number: put it in now. */
	for (i = kernel.next; i < kernel.nr; i++)
		if (kernel.datagram[i].bytes && ((struct nlmsghdr *)(void *)kernel.datagram[i].bytes)->nlmsg_seq == 1)
			((struct nlmsghdr *)(void *)kernel.datagram[i].bytes)->nlmsg_seq = h.nlmsg_seq;
	return (ssize_t)len;
}

ssize_t recvfrom(int fd, void *buf, size_t room, int flags, struct sockaddr *from, socklen_t *from_len)
{
	struct datagram *d = &kernel.datagram[kernel.next];
	struct sockaddr_nl sender = { .nl_family = AF_NETLINK, .nl_pid = d->from };

	errno = EAGAIN;
	if (kernel.next == kernel.nr || (d->after && !kernel.waited))
		return -1;
	if (d->error) {
		kernel.next++;
		errno = d->error;
		return -1;
	}
	if (flags & MSG_PEEK)
		return (ssize_t)d->len;
	memcpy(from, &sender, sizeof(sender));
	*from_len = sizeof(sender);
	memcpy(buf, d->bytes, d->len < room ? d->len : room);
	free(d->bytes);
	kernel.next++;
	kernel.waited = false;
	return (ssize_t)d->len;
}

/* A message with room for this many bytes of attributes. */
static struct datagram *says(int type, int flags, __u32 seq, __u8 cmd, size_t attrs)
{
	struct nlmsghdr h = { .nlmsg_type = (__u16)type, .nlmsg_flags = (__u16)flags, .nlmsg_seq = seq };
	struct datagram *d = &kernel.datagram[kernel.nr++];

	d->len = NLMSG_HDRLEN + GENL_HDRLEN + attrs;
	d->bytes = calloc(1, d->len);
	h.nlmsg_len = (__u32)d->len;
	memcpy(d->bytes, &h, sizeof(h));
	d->bytes[NLMSG_HDRLEN] = (char)cmd;
	return d;
}

static void *attr(struct datagram *d, size_t at, int type, size_t len)
{
	struct nlattr a = { .nla_type = (__u16)type, .nla_len = (__u16)(NLA_HDRLEN + len) };

	memcpy(d->bytes + NLMSG_HDRLEN + GENL_HDRLEN + at, &a, sizeof(a));
	return d->bytes + NLMSG_HDRLEN + GENL_HDRLEN + at + NLA_HDRLEN;
}

/* A message with a context's number; seq: 1 belongs to the next request, 0 to none, others to another request. */
static struct datagram *number(__u32 seq, __u8 cmd, __u32 value)
{
	struct datagram *d = says(FAMILY, 0, seq, cmd, 8);

	memcpy(attr(d, 0, UACCE_A_CTX_ID, sizeof(value)), &value, sizeof(value));
	return d;
}

static struct datagram *ends(int type, int flags, int error)
{
	struct datagram *d = says(type, flags, 1, 0, type == NLMSG_ERROR ? sizeof(struct nlmsgerr) - GENL_HDRLEN : 0);

	memcpy(d->bytes + NLMSG_HDRLEN, &error, sizeof(error));
	return d;
}

struct seen {
	unsigned int nr;
	__u32 value[QUEUE];
	int ret;
};

static int take(void *arg, const struct wd_nl_message *m)
{
	struct seen *s = arg;

	s->value[s->nr++] = wd_nl_u32(m->attr[UACCE_A_CTX_ID]);
	return s->ret;
}

FIXTURE(client)
{
	struct wd_nl nl;
	struct seen seen;
};

FIXTURE_SETUP(client)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.now = 1000000000;
	ASSERT_EQ(0, wd_nl_init(&self->nl, STDERR_FILENO, FAMILY));
}

FIXTURE_TEARDOWN(client)
{
	for (; kernel.next < kernel.nr; kernel.next++)
		free(kernel.datagram[kernel.next].bytes);
	wd_nl_fini(&self->nl);
	EXPECT_EQ(0, leaks());
}

#define ask(cmd, flags) (wd_nl_begin(&self->nl, cmd, flags), wd_nl_ask(&self->nl, take, &self->seen))

TEST_F(client, a_question_without_an_acknowledgement_has_one_answer)
{
	number(1, UACCE_NL_CTX_GET, 5);
	number(1, UACCE_NL_CTX_GET, 6);
	EXPECT_EQ(0, ask(UACCE_NL_CTX_GET, 0));
	EXPECT_EQ(1, self->seen.nr);
	EXPECT_EQ(5, self->seen.value[0]);
	/* The next message remains and can be waited for. */
	EXPECT_EQ(0, wd_nl_wait(&self->nl, take, &self->seen, kernel.now, false));
	EXPECT_EQ(6, self->seen.value[1]);
}

TEST_F(client, a_dump_goes_on_to_its_end)
{
	number(1, UACCE_NL_CTX_GET, 5);
	number(1, UACCE_NL_CTX_GET, 6);
	ends(NLMSG_DONE, 0, 0);
	number(1, UACCE_NL_CTX_GET, 7);
	EXPECT_EQ(0, ask(UACCE_NL_CTX_GET, NLM_F_DUMP));
	EXPECT_EQ(2, self->seen.nr);
	EXPECT_EQ(3, kernel.next);
}

TEST_F(client, what_answers_no_question_is_no_answer)
{
	number(0, UACCE_NL_DEV_ADD, 1);
	number(0x7fff0000, UACCE_NL_CTX_GET, 2);
	says(FAMILY + 1, 0, 1, UACCE_NL_CTX_GET, 0);
	number(1, UACCE_NL_CTX_GET, 3)->from = 4711;
	number(1, UACCE_NL_CTX_GET, 5);
	number(0, UACCE_NL_DEV_ADD, 6);
	ends(NLMSG_ERROR, 0, 0);
	EXPECT_EQ(0, ask(UACCE_NL_CTX_GET, NLM_F_ACK));
	EXPECT_EQ(1, self->seen.nr);
	EXPECT_EQ(5, self->seen.value[0]);
}

TEST_F(client, a_torn_dump_is_read_to_its_end)
{
	number(1, UACCE_NL_CTX_GET, 5);
	says(FAMILY, NLM_F_DUMP_INTR, 1, UACCE_NL_CTX_GET, 0);
	number(1, UACCE_NL_CTX_GET, 6);
	ends(NLMSG_DONE, 0, 0);
	EXPECT_EQ(-EINTR, ask(UACCE_NL_CTX_GET, NLM_F_DUMP));
	EXPECT_EQ(3, self->seen.nr);
	EXPECT_EQ(4, kernel.next);
}

TEST_F(client, after_an_error_the_rest_is_read_and_not_taken)
{
	memset(attr(says(FAMILY, 0, 1, UACCE_NL_CTX_GET, 8), 0, UACCE_A_CTX_ID, 2), 1, 2);
	number(1, UACCE_NL_CTX_GET, 6);
	ends(NLMSG_DONE, 0, -EBUSY);
	EXPECT_EQ(-EPROTO, ask(UACCE_NL_CTX_GET, NLM_F_DUMP));
	EXPECT_EQ(0, self->seen.nr);
	EXPECT_EQ(3, kernel.next);

	number(1, UACCE_NL_CTX_GET, 5);
	number(1, UACCE_NL_CTX_GET, 6);
	ends(NLMSG_DONE, 0, 0);
	self->seen.ret = -ENOMEM;
	EXPECT_EQ(-ENOMEM, ask(UACCE_NL_CTX_GET, NLM_F_DUMP));
	EXPECT_EQ(1, self->seen.nr);
	EXPECT_EQ(6, kernel.next);
}

TEST_F(client, the_end_of_a_dump_has_its_error)
{
	ends(NLMSG_DONE, 0, -EACCES);
	EXPECT_EQ(-EACCES, ask(UACCE_NL_CTX_GET, NLM_F_DUMP));
	ends(NLMSG_DONE, 0, 7);
	EXPECT_EQ(-EPROTO, ask(UACCE_NL_CTX_GET, NLM_F_DUMP));
}

TEST_F(client, a_refusal_has_its_sentence)
{
	static const char sentence[] = "there is no such section";
	const struct nlattr a = { .nla_type = NLMSGERR_ATTR_MSG, .nla_len = NLA_HDRLEN + sizeof(sentence) };
	struct datagram *d = says(NLMSG_ERROR, NLM_F_CAPPED | NLM_F_ACK_TLVS, 1, 0,
				  sizeof(struct nlmsgerr) - GENL_HDRLEN + NLA_ALIGN(a.nla_len));
	char *at = d->bytes + NLMSG_HDRLEN + sizeof(struct nlmsgerr);
	int error = -ENOENT;

	memcpy(d->bytes + NLMSG_HDRLEN, &error, sizeof(error));
	memcpy(at, &a, sizeof(a));
	memcpy(at + NLA_HDRLEN, sentence, sizeof(sentence));
	EXPECT_EQ(-ENOENT, ask(UACCE_NL_SECTION_GET, 0));
	EXPECT_STREQ(sentence, self->nl.why);
	number(1, UACCE_NL_SECTION_GET, 1);
	EXPECT_EQ(0, ask(UACCE_NL_SECTION_GET, 0));
	EXPECT_STREQ("", self->nl.why);
}

TEST_F(client, a_kernel_that_does_not_answer_is_given_up_after_ten_seconds)
{
	const __u64 began = kernel.now;

	number(0, UACCE_NL_DEV_ADD, 1)->after = 9000000000;
	EXPECT_EQ(-ETIME, ask(UACCE_NL_CTX_GET, 0));
	EXPECT_EQ(10000000000, kernel.now - began);
}

TEST_F(client, a_long_dump_has_ten_seconds_for_each_step)
{
	number(1, UACCE_NL_CTX_GET, 5)->after = 9000000000;
	number(1, UACCE_NL_CTX_GET, 6)->after = 9000000000;
	ends(NLMSG_DONE, 0, 0)->after = 9000000000;
	EXPECT_EQ(0, ask(UACCE_NL_CTX_GET, NLM_F_DUMP));
	EXPECT_EQ(2, self->seen.nr);
}

TEST_F(client, a_message_is_as_long_as_it_is)
{
	struct datagram *d = says(FAMILY, 0, 1, UACCE_NL_CTX_GET, 60000 + 8);
	__u32 value = 5;

	attr(d, 0, UACCE_A_MAX + 1, 60000 - NLA_HDRLEN);
	memcpy(attr(d, 60000, UACCE_A_CTX_ID, sizeof(value)), &value, sizeof(value));
	EXPECT_EQ(0, ask(UACCE_NL_CTX_GET, 0));
	EXPECT_EQ(5, self->seen.value[0]);
	says(FAMILY, 0, 1, UACCE_NL_CTX_GET, 17 << 20);
	EXPECT_EQ(-EMSGSIZE, ask(UACCE_NL_CTX_GET, 0));
	/* The oversized message is gone. */
	number(1, UACCE_NL_CTX_GET, 6);
	EXPECT_EQ(0, ask(UACCE_NL_CTX_GET, 0));
	EXPECT_EQ(6, self->seen.value[1]);
}

TEST_F(client, signals_and_overruns_are_what_they_are)
{
	kernel.datagram[kernel.nr++].error = EINTR;
	number(1, UACCE_NL_CTX_GET, 5);
	EXPECT_EQ(0, ask(UACCE_NL_CTX_GET, 0));
	kernel.datagram[kernel.nr++].error = ENOBUFS;
	EXPECT_EQ(-ENOBUFS, ask(UACCE_NL_CTX_GET, 0));
	kernel.datagram[kernel.nr++].error = ENOBUFS;
	EXPECT_EQ(-ENOBUFS, wd_nl_receive(&self->nl, take, &self->seen));
	EXPECT_EQ(-EAGAIN, wd_nl_receive(&self->nl, take, &self->seen));
}

TEST_F(client, a_request_that_is_too_long_is_not_made)
{
	char text[5000];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	wd_nl_begin(&self->nl, UACCE_NL_SECTION_GET, 0);
	wd_nl_put_string(&self->nl, UACCE_A_SECTION, text);
	EXPECT_EQ(-EMSGSIZE, wd_nl_ask(&self->nl, take, &self->seen));
	text[2500] = '\0';
	wd_nl_begin(&self->nl, UACCE_NL_SECTION_GET, 0);
	wd_nl_put_string(&self->nl, UACCE_A_SECTION, text);
	wd_nl_put_string(&self->nl, UACCE_A_SLOT, text);
	EXPECT_EQ(-EMSGSIZE, wd_nl_ask(&self->nl, take, &self->seen));
	EXPECT_EQ(0, kernel.sent);
}

TEST_F(client, requests_and_answers_take_no_memory)
{
	number(1, UACCE_NL_CTX_GET, 5);
	says(FAMILY, 0, 1, UACCE_NL_CTX_GET, 60000);
	fail_after = 0;
	wd_nl_begin(&self->nl, UACCE_NL_SECTION_ATTACH, 0);
	wd_nl_put_string(&self->nl, UACCE_A_SECTION, "SSL");
	wd_nl_put_u32(&self->nl, UACCE_A_WAIT_MS, 1);
	EXPECT_EQ(0, wd_nl_ask(&self->nl, take, &self->seen));
	EXPECT_EQ(0, fail_after);
	/* Long answers need memory. */
	EXPECT_EQ(-ENOMEM, wd_nl_wait(&self->nl, take, &self->seen, kernel.now, false));
	fail_after = -1;
}

/* The answer to the query of a family with two groups. */
static void tell_family(void)
{
	static const struct {
		const char *name;
		__u32 id;
	} groups[] = { { UACCE_MCGRP_CONFIG, 40 }, { UACCE_MCGRP_EVENT, 41 } };
	struct datagram *d = says(GENL_ID_CTRL, 0, 1, CTRL_CMD_NEWFAMILY, 8 + NLA_HDRLEN + 2 * 24);
	const __u16 id = FAMILY;
	size_t i, at = 8 + NLA_HDRLEN;

	memcpy(attr(d, 0, CTRL_ATTR_FAMILY_ID, sizeof(id)), &id, sizeof(id));
	attr(d, 8, CTRL_ATTR_MCAST_GROUPS | NLA_F_NESTED, 2 * 24);
	for (i = 0; i < 2; i++, at += 24) {
		attr(d, at, (int)i + 1, 20);
		memcpy(attr(d, at + 4, CTRL_ATTR_MCAST_GRP_ID, 4), &groups[i].id, 4);
		strcpy(attr(d, at + 12, CTRL_ATTR_MCAST_GRP_NAME, strlen(groups[i].name) + 1), groups[i].name);
	}
}

TEST_F(client, who_listens_does_not_ask)
{
	tell_family();
	ASSERT_EQ(0, wd_nl_find(&self->nl, UACCE_GENL_NAME));
	EXPECT_EQ(FAMILY, self->nl.family);
	EXPECT_EQ(-ENOENT, wd_nl_join(&self->nl, "nothing"));
	EXPECT_EQ(0, kernel.joined);
	number(0, UACCE_NL_DEV_ADD, 1);
	number(0, UACCE_NL_DEV_ADD, 2);
	EXPECT_EQ(0, wd_nl_join(&self->nl, UACCE_MCGRP_CONFIG));
	EXPECT_EQ(40, kernel.group);
	/* Joining the second group or sending a request loses no event. */
	EXPECT_EQ(0, wd_nl_join(&self->nl, UACCE_MCGRP_EVENT));
	EXPECT_EQ(41, kernel.group);
	EXPECT_EQ(-EBUSY, ask(UACCE_NL_CTX_GET, 0));
	EXPECT_EQ(1, kernel.sent);
	EXPECT_EQ(0, wd_nl_receive(&self->nl, take, &self->seen));
	EXPECT_EQ(0, wd_nl_receive(&self->nl, take, &self->seen));
	EXPECT_EQ(-EAGAIN, wd_nl_receive(&self->nl, take, &self->seen));
	EXPECT_EQ(2, self->seen.nr);
	EXPECT_EQ(2, self->seen.value[1]);
}

TEST(a_client_without_memory_is_none)
{
	struct wd_nl nl;

	SWEEP(!(errno = -wd_nl_init(&nl, -1, 0)), wd_nl_fini(&nl));
}

TEST_HARNESS_MAIN
