/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The netlink family "uacce" at the level of bytes, so that tests can also send messages that no
 * library would send. Functions return 0 or a value, or -errno.
 */
#ifndef WD_TEST_UACCE_NL_H
#define WD_TEST_UACCE_NL_H

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/uacce_netlink.h>

#define NL_WAIT_MS	300000
#define NL_BUF_BYTES	(256 << 10)

/* A message under construction, or a received one. */
union nlm {
	struct nlmsghdr h;
	char bytes[8192];
};

struct nlc {
	int fd;
	uint16_t family;
	uint32_t config_group;
	uint32_t event_group;
	uint32_t version;
	uint32_t seq;
	int joined;		/* receives events, must not send requests: an event would be lost among the answers */
	/* of the last nlc_ask(): */
	union nlm reply;	/* nlmsg_len 0: no reply came */
	char why[128];		/* the extended acknowledgement's text */
	uint32_t bad;		/* offset of the attribute at fault, 0 = none */
	uint32_t missing;	/* type of the attribute that was missing */
	size_t room;		/* for one recv(); a dump's messages fill it, up to 32 KiB */
	/* received and not yet processed: */
	char *at;
	int left;
	char buf[NL_BUF_BYTES];
};

/* ------ building messages ------ */

static inline void nlm_begin(union nlm *m, uint16_t type, uint16_t flags, uint8_t cmd)
{
	struct genlmsghdr *g = NLMSG_DATA(&m->h);

	memset(m, 0, sizeof(*m));
	m->h.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	m->h.nlmsg_type = type;
	m->h.nlmsg_flags = NLM_F_REQUEST | flags;
	g->cmd = cmd;
	g->version = UACCE_GENL_VERSION;
}

static inline struct nlattr *nlm_put(union nlm *m, uint16_t type, const void *data, size_t len)
{
	struct nlattr *a = (struct nlattr *)(m->bytes + NLMSG_ALIGN(m->h.nlmsg_len));

	a->nla_type = type;
	a->nla_len = NLA_HDRLEN + len;
	if (len)
		memcpy((char *)a + NLA_HDRLEN, data, len);
	m->h.nlmsg_len = NLMSG_ALIGN(m->h.nlmsg_len) + NLA_ALIGN(a->nla_len);
	return a;
}

static inline struct nlattr *nlm_str(union nlm *m, uint16_t type, const char *s)
{
	return nlm_put(m, type, s, strlen(s) + 1);
}

static inline struct nlattr *nlm_u32(union nlm *m, uint16_t type, uint32_t n)
{
	return nlm_put(m, type, &n, sizeof(n));
}

/* ------ reading messages ------ */

static inline uint8_t nlm_cmd(const struct nlmsghdr *h)
{
	return ((const struct genlmsghdr *)NLMSG_DATA(h))->cmd;
}

static inline const struct nlattr *nla_next_of(const char *at, const char *end, uint16_t type)
{
	while (end - at >= NLA_HDRLEN) {
		const struct nlattr *a = (const struct nlattr *)at;

		if (a->nla_len < NLA_HDRLEN || a->nla_len > end - at)
			return NULL;
		if ((a->nla_type & NLA_TYPE_MASK) == type)
			return a;
		at += NLA_ALIGN(a->nla_len);
	}
	return NULL;
}

static inline const void *nla_data_of(const struct nlattr *a)
{
	return (const char *)a + NLA_HDRLEN;
}

/* The first attribute of a type after @prev (NULL: of all). */
static inline const struct nlattr *nlm_next(const struct nlmsghdr *h, uint16_t type, const struct nlattr *prev)
{
	const char *at = prev ? (const char *)prev + NLA_ALIGN(prev->nla_len) :
				(const char *)NLMSG_DATA(h) + GENL_HDRLEN;

	return nla_next_of(at, (const char *)h + h->nlmsg_len, type);
}

static inline const struct nlattr *nest_attr(const struct nlattr *nest, uint16_t type)
{
	return nla_next_of(nla_data_of(nest), (const char *)nest + nest->nla_len, type);
}

static inline long long nla_num_of(const struct nlattr *a)
{
	int64_t wide;
	int32_t n;

	if (a && a->nla_len == NLA_HDRLEN + 8) {
		memcpy(&wide, nla_data_of(a), 8);
		return wide;
	}
	if (!a || a->nla_len != NLA_HDRLEN + 4)
		return -ENOENT * 1000ll;
	memcpy(&n, nla_data_of(a), 4);
	return n;
}

/* Absent: a number that no valid attribute holds. */
static inline long long nlm_num(const struct nlmsghdr *h, uint16_t type)
{
	return nla_num_of(nlm_next(h, type, NULL));
}

static inline const char *nla_str_of(const struct nlattr *a)
{
	return a && a->nla_len > NLA_HDRLEN && !((const char *)a)[a->nla_len - 1] ? nla_data_of(a) : NULL;
}

/* Absent: "(none)" */
static inline const char *nlm_string(const struct nlmsghdr *h, uint16_t type)
{
	const char *s = nla_str_of(nlm_next(h, type, NULL));

	return s ? s : "(none)";
}

/* ------ the socket ------ */

/* The next message in *h; -ETIMEDOUT, or the socket's error. */
static inline int nlc_next(struct nlc *c, struct nlmsghdr **h, int ms)
{
	struct pollfd pfd = { .fd = c->fd, .events = POLLIN };
	int n;

	if (c->left < (int)sizeof(**h)) {
		n = poll(&pfd, 1, ms);
		if (n < 1)
			return n ? -errno : -ETIMEDOUT;
		n = recv(c->fd, c->buf, c->room, MSG_TRUNC);
		if (n < 0)
			return -errno;
		if (n > (int)c->room)
			return -EMSGSIZE;
		c->at = c->buf;
		c->left = n;
	}
	*h = (struct nlmsghdr *)c->at;
	if (!NLMSG_OK(*h, c->left))
		return -EBADMSG;
	c->at += NLMSG_ALIGN((*h)->nlmsg_len);
	c->left -= NLMSG_ALIGN((*h)->nlmsg_len);
	return 0;
}

static inline int nlc_send(struct nlc *c, union nlm *m)
{
	m->h.nlmsg_seq = ++c->seq;
	return send(c->fd, m, m->h.nlmsg_len, 0) < 0 ? -errno : 0;
}

/* Parses an acknowledgement: the error, or 0, and its text. */
static inline int nlc_ack(struct nlc *c, const struct nlmsghdr *h)
{
	const struct nlmsgerr *e = NLMSG_DATA(h);
	const char *at, *end = (const char *)h + h->nlmsg_len;
	size_t quoted = h->nlmsg_flags & NLM_F_CAPPED ? sizeof(*e) : sizeof(*e) - sizeof(e->msg) + e->msg.nlmsg_len;
	const struct nlattr *a;

	c->why[0] = 0;
	c->bad = c->missing = 0;
	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS))
		return e->error;
	at = (const char *)e + NLMSG_ALIGN(quoted);
	a = nla_next_of(at, end, NLMSGERR_ATTR_MSG);
	if (a)
		snprintf(c->why, sizeof(c->why), "%s", (const char *)nla_data_of(a));
	a = nla_next_of(at, end, NLMSGERR_ATTR_OFFS);
	if (a)
		c->bad = nla_num_of(a);
	a = nla_next_of(at, end, 5 /* NLMSGERR_ATTR_MISS_TYPE */);
	if (a)
		c->missing = nla_num_of(a);
	return e->error;
}

/* Sends @m and takes its answers up to the last: 0 or -errno. Other messages are skipped. */
static inline int nlc_ask(struct nlc *c, union nlm *m)
{
	struct nlmsghdr *h = NULL;
	int ret;

	if (c->joined)
		return -EBUSY;
	m->h.nlmsg_flags |= NLM_F_ACK;
	memset(&c->reply, 0, sizeof(c->reply.h));
	ret = nlc_send(c, m);
	while (!ret) {
		ret = nlc_next(c, &h, NL_WAIT_MS);
		if (ret || h->nlmsg_seq != c->seq)
			continue;
		if (h->nlmsg_type == NLMSG_ERROR)
			return nlc_ack(c, h);
		if (h->nlmsg_type == c->family && h->nlmsg_len <= sizeof(c->reply))
			memcpy(&c->reply, h, h->nlmsg_len);
	}
	return ret;
}

static inline int nlc_resolve(struct nlc *c)
{
	const struct nlattr *groups, *g;
	union nlm m;
	int ret;

	c->family = GENL_ID_CTRL;
	nlm_begin(&m, GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY);
	nlm_str(&m, CTRL_ATTR_FAMILY_NAME, UACCE_GENL_NAME);
	ret = nlc_ask(c, &m);
	if (ret)
		return ret;
	memcpy(&c->family, nla_data_of(nlm_next(&c->reply.h, CTRL_ATTR_FAMILY_ID, NULL)), 2);
	c->version = nlm_num(&c->reply.h, CTRL_ATTR_VERSION);
	groups = nlm_next(&c->reply.h, CTRL_ATTR_MCAST_GROUPS, NULL);
	for (int i = 1; groups && (g = nest_attr(groups, i)); i++) {
		const char *name = nla_str_of(nest_attr(g, CTRL_ATTR_MCAST_GRP_NAME));

		if (name && !strcmp(name, UACCE_MCGRP_CONFIG))
			c->config_group = nla_num_of(nest_attr(g, CTRL_ATTR_MCAST_GRP_ID));
		if (name && !strcmp(name, UACCE_MCGRP_EVENT))
			c->event_group = nla_num_of(nest_attr(g, CTRL_ATTR_MCAST_GRP_ID));
	}
	return 0;
}

static inline int nlc_open_room(struct nlc *c, size_t room)
{
	int one = 1;

	memset(c, 0, offsetof(struct nlc, buf));
	c->room = room;
	c->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (c->fd < 0)
		return -errno;
	setsockopt(c->fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(c->fd, SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	return nlc_resolve(c);
}

static inline int nlc_open(struct nlc *c)
{
	return nlc_open_room(c, NL_BUF_BYTES);
}

static inline void nlc_close(struct nlc *c)
{
	close(c->fd);
	c->fd = -1;
}

static inline int nlc_join(struct nlc *c, uint32_t group)
{
	c->joined = !setsockopt(c->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group));
	return c->joined ? 0 : -errno;
}

/* ------ requests ------ */

static inline int nlc_dev_get(struct nlc *c, const char *dev)
{
	union nlm m;

	nlm_begin(&m, c->family, 0, UACCE_NL_DEV_GET);
	nlm_str(&m, UACCE_A_DEV, dev);
	return nlc_ask(c, &m);
}

static inline int nlc_section_get(struct nlc *c, const char *section)
{
	union nlm m;

	nlm_begin(&m, c->family, 0, UACCE_NL_SECTION_GET);
	nlm_str(&m, UACCE_A_SECTION, section);
	return nlc_ask(c, &m);
}

static inline int nlc_attach(struct nlc *c, const char *section, const char *slot, const char *dev, uint32_t wait_ms)
{
	union nlm m;

	nlm_begin(&m, c->family, 0, UACCE_NL_SECTION_ATTACH);
	nlm_str(&m, UACCE_A_SECTION, section);
	if (slot)
		nlm_str(&m, UACCE_A_SLOT, slot);
	if (dev)
		nlm_str(&m, UACCE_A_DEV, dev);
	if (wait_ms)
		nlm_u32(&m, UACCE_A_WAIT_MS, wait_ms);
	return nlc_ask(c, &m);
}

/* Asks for the slot that this process has. */
static inline int nlc_attach_joining(struct nlc *c, const char *section)
{
	union nlm m;

	nlm_begin(&m, c->family, 0, UACCE_NL_SECTION_ATTACH);
	nlm_str(&m, UACCE_A_SECTION, section);
	nlm_put(&m, UACCE_A_JOIN, NULL, 0);
	return nlc_ask(c, &m);
}

static inline int nlc_detach(struct nlc *c)
{
	union nlm m;

	nlm_begin(&m, c->family, 0, UACCE_NL_SECTION_DETACH);
	return nlc_ask(c, &m);
}

static inline int nlc_dump_send(struct nlc *c, uint8_t cmd)
{
	union nlm m;

	nlm_begin(&m, c->family, NLM_F_DUMP, cmd);
	return nlc_send(c, &m);
}

/* Calls @fn for each entry; returns how many there were. *interrupted: the dump saw changes. */
static inline int nlc_dump(struct nlc *c, uint8_t cmd, void (*fn)(const struct nlmsghdr *h, void *arg), void *arg,
			   int *interrupted)
{
	struct nlmsghdr *h = NULL;
	int nr = 0, ret = nlc_dump_send(c, cmd);

	if (interrupted)
		*interrupted = 0;
	while (!ret) {
		ret = nlc_next(c, &h, NL_WAIT_MS);
		if (ret || h->nlmsg_seq != c->seq)
			continue;
		if (interrupted && (h->nlmsg_flags & NLM_F_DUMP_INTR))
			*interrupted = 1;
		if (h->nlmsg_type == NLMSG_ERROR)
			return nlc_ack(c, h);
		if (h->nlmsg_type == NLMSG_DONE)
			return *(int *)NLMSG_DATA(h) < 0 ? *(int *)NLMSG_DATA(h) : nr;
		nr++;
		if (fn)
			fn(h, arg);
	}
	return ret;
}

/* The next event with that command; others are skipped. */
static inline int nlc_event(struct nlc *c, uint8_t cmd, struct nlmsghdr **h, int ms)
{
	int ret;

	do
		ret = nlc_next(c, h, ms);
	while (!ret && ((*h)->nlmsg_type != c->family || nlm_cmd(*h) != cmd));
	return ret;
}

#endif
