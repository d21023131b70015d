// SPDX-License-Identifier: Apache-2.0
/* A client of generic netlink, as small as three commands need: put a request together, ask, take the answer apart. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/netlink.h"
#include "base/sleep.h"

#define REPLY_BYTES	65536
#define ERROR_END	4096
#define ANSWER_NS	10000000000ull	/* the kernel answers before send() returns; an emulator may take its time */

int wd_nl_socket(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC), on = 1;

	if (fd < 0)
		return -errno;
	/* Where these aren't known there is no sentence; the number stays. */
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	return fd;
}

bool wd_nl_is_socket(int fd)
{
	int domain = -1, protocol = -1;
	socklen_t len = sizeof(int);

	return !getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) && domain == AF_NETLINK &&
	       !getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &len) && protocol == NETLINK_GENERIC;
}

int wd_nl_reply_init(struct wd_nl_reply *reply)
{
	memset(reply, 0, sizeof(*reply));
	reply->buf = malloc(REPLY_BYTES);
	return reply->buf ? 0 : -ENOMEM;
}

void wd_nl_reply_fini(struct wd_nl_reply *reply)
{
	free(reply->buf);
}

/* --- requests --- */

void wd_nl_begin(struct wd_nl_request *r, int family, __u8 cmd, __u16 flags)
{
	static _Atomic __u32 seq;

	memset(r, 0, sizeof(*r));
	r->h.nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN;
	r->h.nlmsg_type = (__u16)family;
	r->h.nlmsg_flags = NLM_F_REQUEST | flags;
	r->h.nlmsg_seq = atomic_fetch_add(&seq, 1) + 1;
	r->g.cmd = cmd;
	r->g.version = family == GENL_ID_CTRL ? 1 : UACCE_GENL_VERSION;
}

/* What doesn't fit makes the request longer than it is, and wd_nl_ask() refuses that. */
static void put(struct wd_nl_request *r, __u16 type, const void *data, size_t len)
{
	struct nlattr a = { .nla_len = (__u16)(NLA_HDRLEN + len), .nla_type = type };
	size_t at = r->h.nlmsg_len;

	r->h.nlmsg_len += (__u32)NLA_ALIGN(NLA_HDRLEN + len);
	if (r->h.nlmsg_len > sizeof(*r))
		return;
	memcpy((char *)r + at, &a, sizeof(a));
	memcpy((char *)r + at + NLA_HDRLEN, data, len);
}

void wd_nl_put_string(struct wd_nl_request *r, __u16 type, const char *text)
{
	put(r, type, text, strlen(text) + 1);
}

void wd_nl_put_u32(struct wd_nl_request *r, __u16 type, __u32 value)
{
	put(r, type, &value, sizeof(value));
}

/* --- answers --- */

const struct nlattr *wd_nl_next(const char *attrs, size_t len, size_t *at)
{
	const struct nlattr *a;

	if (*at + NLA_HDRLEN > len)
		return NULL;
	a = (const struct nlattr *)(const void *)(attrs + *at);
	if (a->nla_len < NLA_HDRLEN || a->nla_len > len - *at)
		return NULL;
	*at += NLA_ALIGN(a->nla_len);
	return a;
}

__u32 wd_nl_u32(const struct nlattr *a)
{
	__u32 value = 0;

	if (wd_nl_len(a) == sizeof(value))
		memcpy(&value, wd_nl_data(a), sizeof(value));
	return value;
}

/* Whoever got none as an error would go on with what isn't there. */
static int error_number(__s64 positive)
{
	return positive > 0 && positive < ERROR_END ? -(int)positive : -EPROTO;
}

int wd_nl_error(const struct nlattr *a)
{
	return error_number(wd_nl_u32(a));
}

void wd_nl_string(const struct nlattr *a, char *text, size_t size)
{
	size_t len = strnlen(wd_nl_data(a), wd_nl_len(a));

	if (len >= size)
		len = size - 1;
	memcpy(text, wd_nl_data(a), len);
	text[len] = '\0';
}

/* The number, and the sentence that may follow the request's copy. */
static int take_error(const struct nlmsghdr *h, struct wd_nl_reply *reply)
{
	const char *payload = (const char *)h + NLMSG_HDRLEN;
	size_t len = h->nlmsg_len - NLMSG_HDRLEN, at = sizeof(struct nlmsgerr), i = 0;
	const struct nlattr *a;
	struct nlmsgerr e;

	if (len < sizeof(e))
		return -EPROTO;
	memcpy(&e, payload, sizeof(e));
	/* There is nothing in an acknowledgement. */
	reply->attrs = NULL;
	reply->len = 0;
	if (e.error)
		e.error = error_number(-(__s64)e.error);
	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS))
		return e.error;
	if (!(h->nlmsg_flags & NLM_F_CAPPED) && e.msg.nlmsg_len > NLMSG_HDRLEN)
		at += NLMSG_ALIGN(e.msg.nlmsg_len) - NLMSG_HDRLEN;
	while (at < len && (a = wd_nl_next(payload + at, len - at, &i)))
		if (wd_nl_type(a) == NLMSGERR_ATTR_MSG)
			wd_nl_string(a, reply->why, sizeof(reply->why));
	return e.error;
}

static int take_message(const struct nlmsghdr *h, struct wd_nl_reply *reply)
{
	const char *payload = (const char *)h + NLMSG_HDRLEN;

	if (h->nlmsg_type == NLMSG_ERROR)
		return take_error(h, reply);
	if (h->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN)
		return -EPROTO;
	reply->cmd = ((const struct genlmsghdr *)(const void *)payload)->cmd;
	reply->attrs = payload + GENL_HDRLEN;
	reply->len = h->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;
	return 0;
}

static const struct nlmsghdr *find_answer(const char *buf, size_t len, __u32 seq)
{
	const struct nlmsghdr *h;

	for (; len >= NLMSG_HDRLEN; buf += NLMSG_ALIGN(h->nlmsg_len), len -= NLMSG_ALIGN(h->nlmsg_len)) {
		h = (const struct nlmsghdr *)(const void *)buf;
		if (h->nlmsg_len < NLMSG_HDRLEN || h->nlmsg_len > len)
			break;
		if (h->nlmsg_seq == seq)
			return h;
		if (NLMSG_ALIGN(h->nlmsg_len) > len)
			break;
	}
	return NULL;
}

/* Anybody may send to a netlink socket: only the kernel is believed. */
static bool from_kernel(const struct sockaddr_nl *from, socklen_t len)
{
	return len != sizeof(*from) || from->nl_family != AF_NETLINK || !from->nl_pid;
}

int wd_nl_wait(int fd, const struct wd_nl_request *r, struct wd_nl_reply *reply, __u64 until, bool signals)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	const struct nlmsghdr *h;
	struct sockaddr_nl from;
	socklen_t len;
	ssize_t n;

	reply->why[0] = '\0';
	for (;;) {
		len = sizeof(from);
		n = recvfrom(fd, reply->buf, REPLY_BYTES, MSG_DONTWAIT | MSG_TRUNC, (struct sockaddr *)&from, &len);
		if (n < 0 && errno == EAGAIN) {
			if (wd_now_ns() >= until)
				return -ETIME;
			if (wd_poll_fds(&pfd, 1, until) && signals)
				return -EINTR;
			continue;
		}
		if (n < 0 && errno != EINTR)
			return -errno;
		if (!n)
			return -ECONNRESET;
		if (n > REPLY_BYTES)
			return -EMSGSIZE;
		h = n > 0 && from_kernel(&from, len) ? find_answer(reply->buf, (size_t)n, r->h.nlmsg_seq) : NULL;
		if (h)
			return take_message(h, reply);
	}
}

int wd_nl_ask(int fd, struct wd_nl_request *r, struct wd_nl_reply *reply)
{
	ssize_t n;

	reply->why[0] = '\0';
	if (r->h.nlmsg_len > sizeof(*r))
		return -EINVAL;
	do
		n = send(fd, r, r->h.nlmsg_len, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : wd_nl_wait(fd, r, reply, wd_now_ns() + ANSWER_NS, false);
}

int wd_nl_family(int fd, struct wd_nl_reply *reply)
{
	const struct nlattr *a;
	struct wd_nl_request r;
	size_t at = 0;
	int ret;

	wd_nl_begin(&r, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	wd_nl_put_string(&r, CTRL_ATTR_FAMILY_NAME, UACCE_GENL_NAME);
	ret = wd_nl_ask(fd, &r, reply);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	while ((a = wd_nl_next(reply->attrs, reply->len, &at)))
		if (wd_nl_type(a) == CTRL_ATTR_FAMILY_ID && wd_nl_len(a) == sizeof(__u16)) {
			__u16 id;

			memcpy(&id, wd_nl_data(a), sizeof(id));
			return id;
		}
	return -EPROTO;
}
