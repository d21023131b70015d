// SPDX-License-Identifier: Apache-2.0
/* Wrong answers to the request for a slot, which no kernel should give: an error, and no attachment. */
#include <errno.h>
#include <limits.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/uacce_netlink.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wd_user.h>
#include "kselftest_harness.h"

#define FAMILY	0x1c
#define ANSWER_BYTES	256

static struct {
	struct nlmsghdr asked;
	unsigned int next;
	struct answer {
		int type;		/* type of the message */
		int error;		/* for NLMSG_ERROR: the error */
		int attr, len;		/* otherwise an attribute of this many bytes */
		uint32_t value;
		const char *text;	/* used instead of value */
	} answer[3];
} kernel;

/* Replaces libc's function for libwd: a program's symbols come first. */
int socket(int domain, int type, int protocol)
{
	return dup(STDERR_FILENO);
}

ssize_t send(int fd, const void *buf, size_t len, int flags)
{
	memcpy(&kernel.asked, buf, sizeof(kernel.asked));
	return (ssize_t)len;
}

static size_t put_attr(char *to, int type, const void *data, size_t len)
{
	struct nlattr a = { .nla_len = (__u16)(NLA_HDRLEN + len), .nla_type = (__u16)type };

	memcpy(to, &a, sizeof(a));
	memcpy(to + NLA_HDRLEN, data, len);
	return NLA_ALIGN(NLA_HDRLEN + len);
}

/* Writes the next answer; returns its length, 0 after the last. */
static size_t put_answer(char *to)
{
	struct nlmsghdr h = { .nlmsg_seq = kernel.asked.nlmsg_seq, .nlmsg_type = kernel.asked.nlmsg_type };
	const struct answer *a = &kernel.answer[kernel.next];
	size_t at = NLMSG_HDRLEN + GENL_HDRLEN;
	uint16_t family = FAMILY;

	memset(to, 0, ANSWER_BYTES);
	if (kernel.asked.nlmsg_type == GENL_ID_CTRL) {
		at += put_attr(to + at, CTRL_ATTR_FAMILY_ID, &family, sizeof(family));
	} else if (kernel.next == 3) {
		return 0;
	} else if (a->type == NLMSG_ERROR) {
		struct nlmsgerr e = { .error = a->error };

		h.nlmsg_type = NLMSG_ERROR;
		memcpy(to + NLMSG_HDRLEN, &e, sizeof(e));
		at = NLMSG_HDRLEN + sizeof(e);
	} else {
		at += put_attr(to + at, a->attr, a->text ? a->text : (const char *)&a->value, (size_t)a->len);
	}
	h.nlmsg_len = (__u32)at;
	memcpy(to, &h, sizeof(h));
	return at;
}

ssize_t recvfrom(int fd, void *buf, size_t room, int flags, struct sockaddr *from, socklen_t *from_len)
{
	char answer[ANSWER_BYTES];
	size_t len = put_answer(answer);

	/* No sender's address: the kernel has no more answers. */
	if (!len)
		*from_len = 0;
	if (flags & MSG_PEEK || !len)
		return (ssize_t)len;
	memset(from, 0, *from_len);
	from->sa_family = AF_NETLINK;
	memcpy(buf, answer, len);
	kernel.next += kernel.asked.nlmsg_type != GENL_ID_CTRL;
	return (ssize_t)len;
}

static int ask(const struct answer *answers, unsigned int nr)
{
	memset(&kernel, 0, sizeof(kernel));
	memcpy(kernel.answer, answers, nr * sizeof(*answers));
	return wd_user_start("SSL");
}

TEST(an_error_is_the_kernels_number)
{
	const struct answer busy = { .type = NLMSG_ERROR, .error = -EACCES };

	EXPECT_EQ(-EACCES, ask(&busy, 1));
}

TEST(a_number_that_is_no_error_is_none)
{
	static const int numbers[] = { 1, EACCES, INT_MAX, -4096, INT_MIN + 1, INT_MIN };
	unsigned int i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const struct answer strange = { .type = NLMSG_ERROR, .error = numbers[i] };

		EXPECT_EQ(-EPROTO, ask(&strange, 1)) TH_LOG("%d", numbers[i]);
	}
}

TEST(an_answer_without_a_slot_is_no_attachment)
{
	const struct answer empty = { .attr = UACCE_A_MAX_EXTRA, .len = 4, .value = 1 };
	const struct answer acknowledged = { .type = NLMSG_ERROR };

	EXPECT_EQ(-EPROTO, ask(&empty, 1));
	EXPECT_EQ(-EPROTO, ask(&acknowledged, 1));
}

TEST(an_answer_that_is_not_as_it_should_be_is_no_attachment)
{
	static const struct answer bad[] = {
		{ .attr = UACCE_A_SLOT, .len = 9, .text = "SSL_INT_0" },
		{ .attr = UACCE_A_SLOT, .len = 0 },
		{ .attr = UACCE_A_TICKET, .len = 2, .value = 1 },
		{ .attr = UACCE_A_TICKET, .len = 8, .text = "1234567" },
		{ .attr = UACCE_A_GRANT, .len = 8, .text = "\6\0\3\0\1\0\0" },
	};
	const struct answer good = { .attr = UACCE_A_SLOT, .len = 10, .text = "SSL_INT_0" };
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_EQ(-EPROTO, ask(&bad[i], 1)) TH_LOG("%u", i);
	EXPECT_EQ(0, ask(&good, 1));
	wd_user_stop();
}

TEST(a_wait_that_ends_with_a_strange_error_has_failed)
{
	static const struct {
		uint32_t value;
		int len, want;
	} ends[] = {
		{ ETIMEDOUT, 4, -EUSERS }, { ESHUTDOWN, 4, -ESHUTDOWN }, { 0, 4, -EPROTO }, { 0x80000000, 4, -EPROTO },
		{ 4096, 4, -EPROTO },
		{ ESHUTDOWN, 2, -EPROTO },
	};
	unsigned int i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const struct answer answers[] = {
			{ .attr = UACCE_A_TICKET, .len = 4, .value = 1 },
			{ .attr = UACCE_A_ERROR, .len = ends[i].len, .value = ends[i].value },
		};

		EXPECT_EQ(ends[i].want, ask(answers, 2)) TH_LOG("%u in %d bytes", ends[i].value, ends[i].len);
	}
}

TEST_HARNESS_MAIN
