// SPDX-License-Identifier: Apache-2.0
/*
 * The client of the kernel's generic netlink family "uacce". libnl builds and parses messages. The socket isn't
 * libnl's: this code has to see deadlines, signals, overruns and a child's descriptors in the calls themselves.
 */
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>

#include "base/netlink.h"
#include "base/sleep.h"

#define REQUEST_BYTES	4096
#define ANSWER_BYTES	8192		/* initial size */
#define ANSWER_MAX	(16 << 20)
#define ERROR_END	4096
#define ANSWER_NS	10000000000ull	/* the kernel answers before send() returns; an emulator may be slower */

_Static_assert(CTRL_ATTR_MAX <= UACCE_A_MAX, "a message has room for the attributes of both families");

int wd_nl_socket(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC), on = 1;

	if (fd < 0)
		return -errno;
	/* A kernel without these options sends no text; the error number is the same. */
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

int wd_nl_init(struct wd_nl *nl, int fd, int family)
{
	memset(nl, 0, sizeof(*nl));
	nl->fd = fd;
	nl->family = family;
	nl->size = ANSWER_BYTES;
	nl->buf = malloc(ANSWER_BYTES);
	nl->request = nl->buf ? nlmsg_alloc_size(REQUEST_BYTES) : NULL;
	if (nl->request)
		return 0;
	free(nl->buf);
	return -ENOMEM;
}

void wd_nl_fini(struct wd_nl *nl)
{
	nlmsg_free(nl->request);
	free(nl->buf);
}

/* --- attributes --- */

#define STRING	{ .type = NLA_STRING }
#define U32	{ .type = NLA_U32, .minlen = sizeof(__u32), .maxlen = sizeof(__u32) }
#define S32	{ .type = NLA_S32, .minlen = sizeof(__s32), .maxlen = sizeof(__s32) }
#define U64	{ .type = NLA_U64, .minlen = sizeof(__u64), .maxlen = sizeof(__u64) }
#define NEST	{ .type = NLA_NESTED }

static const struct nla_policy uacce_policy[UACCE_A_MAX + 1] = {
	[UACCE_A_DEV] = STRING,
	[UACCE_A_DEV_PARENT] = STRING,
	[UACCE_A_DEV_API] = STRING,
	[UACCE_A_DEV_ALGORITHMS] = STRING,
	[UACCE_A_DEV_FLAGS] = U32,
	[UACCE_A_DEV_STATE] = U32,
	[UACCE_A_NODE] = S32,
	[UACCE_A_DEV_PRIORITY] = S32,
	[UACCE_A_DEV_LATENCY] = U32,
	[UACCE_A_DEV_THROUGHPUT] = U32,
	[UACCE_A_DEV_MAX_CTXS] = U32,
	[UACCE_A_CTXS_TOTAL] = U32,
	[UACCE_A_CTXS_RESERVED] = U32,
	[UACCE_A_CTXS_USED] = U32,
	[UACCE_A_CTXS_USED_POOL] = U32,
	[UACCE_A_CTXS_FREE] = U32,
	[UACCE_A_CTXS_QUARANTINED] = U32,
	[UACCE_A_CONFIG_SEQ] = U64,
	[UACCE_A_EVENT_SEQ] = U64,
	[UACCE_A_SECTION] = STRING,
	[UACCE_A_SECTION_STATE] = U32,
	[UACCE_A_NUM_PROCESSES] = U32,
	[UACCE_A_LIMIT_DEV_ACCESS] = U32,
	[UACCE_A_SYNC_CTXS] = U32,
	[UACCE_A_ASYNC_CTXS] = U32,
	[UACCE_A_NODES] = STRING,
	[UACCE_A_QUEUE_PRIORITY] = U32,
	[UACCE_A_MAX_EXTRA] = U32,
	[UACCE_A_ALLOWED_UIDS] = STRING,
	[UACCE_A_ALLOWED_GIDS] = STRING,
	[UACCE_A_SLOTS_TOTAL] = U32,
	[UACCE_A_SLOTS_ATTACHED] = U32,
	[UACCE_A_SLOTS_LINGERING] = U32,
	[UACCE_A_WAITING] = U32,
	[UACCE_A_REASON] = STRING,
	[UACCE_A_MEMBER] = NEST,
	[UACCE_A_SLOT] = STRING,
	[UACCE_A_WAIT_MS] = U32,
	[UACCE_A_TICKET] = U32,
	[UACCE_A_GRANT] = NEST,
	[UACCE_A_CTX_ID] = U32,
	[UACCE_A_CTX_CLASS] = U32,
	[UACCE_A_CTX_STATE] = U32,
	[UACCE_A_CTX_AGE_MS] = U64,
	[UACCE_A_PID] = U32,
	[UACCE_A_COMM] = STRING,
	[UACCE_A_ERROR] = U32,
	[UACCE_A_COUNT] = U32,
	[UACCE_A_DEV_RESETS] = U32,
	[UACCE_A_OPENS] = U64,
	[UACCE_A_OPENS_REFUSED] = U64,
	[UACCE_A_OPENS_FULL] = U64,
	[UACCE_A_CTX_ERRORS] = U32,
	[UACCE_A_DEV_REQUESTS] = U32,
	[UACCE_A_DEV_REQUEST_ERRORS] = U32,
	[UACCE_A_DEV_BYTES_IN] = U32,
	[UACCE_A_DEV_BYTES_OUT] = U32,
	[UACCE_A_DEV_BUSY_CYCLES] = U32,
	[UACCE_A_BANDWIDTH] = U32,
	[UACCE_A_REQUESTS] = U64,
	[UACCE_A_DEV_DOORBELLS] = U32,
	[UACCE_A_WRONG_RESULTS] = U64,
	[UACCE_A_MAX_PINNED] = U32,
	[UACCE_A_CTXS_EXTRA] = U32,
	[UACCE_A_EVENTS_LOST] = U64,
	[UACCE_A_JOIN] = { .type = NLA_FLAG },
};

static const struct nla_policy member_policy[UACCE_A_MEMBER_MAX + 1] = {
	[UACCE_A_MEMBER_NAME] = STRING,
	[UACCE_A_MEMBER_DEV] = STRING,
	[UACCE_A_MEMBER_SYNC] = U32,
	[UACCE_A_MEMBER_ASYNC] = U32,
	[UACCE_A_MEMBER_RESERVED] = U32,
	[UACCE_A_MEMBER_PENDING] = { .type = NLA_FLAG },
	[UACCE_A_MEMBER_ENDPOINT] = U32,
};

static const struct nla_policy grant_policy[UACCE_A_GRANT_MAX + 1] = {
	[UACCE_A_GRANT_DEV] = STRING,
	[UACCE_A_GRANT_NODE] = S32,
	[UACCE_A_GRANT_SYNC] = U32,
	[UACCE_A_GRANT_ASYNC] = U32,
};

static const struct nla_policy control_policy[CTRL_ATTR_MAX + 1] = {
	[CTRL_ATTR_FAMILY_ID] = { .type = NLA_U16, .minlen = sizeof(__u16), .maxlen = sizeof(__u16) },
	[CTRL_ATTR_MCAST_GROUPS] = NEST,
};

static const struct nla_policy group_policy[CTRL_ATTR_MCAST_GRP_MAX + 1] = {
	[CTRL_ATTR_MCAST_GRP_NAME] = STRING,
	[CTRL_ATTR_MCAST_GRP_ID] = U32,
};

/* Whether each attribute of a nest of one type is valid. */
static bool nest_good(struct nlattr *nest, int max, const struct nla_policy *policy)
{
	return !nla_validate(nla_data(nest), nla_len(nest), max, policy);
}

static bool nests_good(const struct wd_nl_message *m)
{
	struct nlattr *a;
	int left;

	if (!m->attr[UACCE_A_MEMBER] && !m->attr[UACCE_A_GRANT])
		return true;
	nla_for_each_attr(a, m->first, m->len, left)
		if ((nla_type(a) == UACCE_A_MEMBER && !nest_good(a, UACCE_A_MEMBER_MAX, member_policy)) ||
		    (nla_type(a) == UACCE_A_GRANT && !nest_good(a, UACCE_A_GRANT_MAX, grant_policy)))
			return false;
	return true;
}

static bool groups_good(const struct wd_nl_message *m)
{
	struct nlattr *nest;
	int left;

	if (m->attr[CTRL_ATTR_MCAST_GROUPS])
		nla_for_each_nested(nest, m->attr[CTRL_ATTR_MCAST_GROUPS], left)
			if (!nest_good(nest, CTRL_ATTR_MCAST_GRP_MAX, group_policy))
				return false;
	return true;
}

int wd_nl_parse(int family, struct nlmsghdr *h, struct wd_nl_message *m)
{
	bool control = family == GENL_ID_CTRL;

	if (h->nlmsg_type != family)
		return -ENOENT;
	if (!genlmsg_valid_hdr(h, 0))
		return -EPROTO;
	memset(m, 0, sizeof(*m));
	m->cmd = genlmsg_hdr(h)->cmd;
	m->seq = h->nlmsg_seq;
	m->first = genlmsg_attrdata(genlmsg_hdr(h), 0);
	m->len = genlmsg_attrlen(genlmsg_hdr(h), 0);
	if (nla_parse(m->attr, control ? CTRL_ATTR_MAX : UACCE_A_MAX, m->first, m->len,
		      control ? control_policy : uacce_policy))
		return -EPROTO;
	return (control ? groups_good(m) : nests_good(m)) ? 0 : -EPROTO;
}

void wd_nl_grant(struct nlattr *nest, struct nlattr *attr[UACCE_A_GRANT_MAX + 1])
{
	nla_parse_nested(attr, UACCE_A_GRANT_MAX, nest, NULL);
}

void wd_nl_member(struct nlattr *nest, struct nlattr *attr[UACCE_A_MEMBER_MAX + 1])
{
	nla_parse_nested(attr, UACCE_A_MEMBER_MAX, nest, NULL);
}

/* A value that isn't an error number must not become 0: the caller would go on without a result. */
static int error_number(__s64 positive)
{
	return positive > 0 && positive < ERROR_END ? -(int)positive : -EPROTO;
}

int wd_nl_error(const struct nlattr *attr)
{
	return error_number(wd_nl_u32(attr));
}

/* --- requests --- */

/* Reuses the memory of the previous request, so that giving a slot back allocates nothing. */
void wd_nl_begin(struct wd_nl *nl, __u8 cmd, int flags)
{
	static _Atomic __u32 last;
	__u32 seq;

	/* Sequence number 0 is for events. */
	do
		seq = atomic_fetch_add(&last, 1) + 1;
	while (!seq);
	nlmsg_hdr(nl->request)->nlmsg_len = NLMSG_HDRLEN;
	genlmsg_put(nl->request, 0, seq, nl->family, 0, NLM_F_REQUEST | flags, cmd,
		    nl->family == GENL_ID_CTRL ? 1 : UACCE_GENL_VERSION);
	nl->put = 0;
}

/* An attribute that doesn't fit makes the request too long, and wd_nl_ask() refuses it. */
void wd_nl_put_string(struct wd_nl *nl, int type, const char *text)
{
	size_t len = strlen(text) + 1;

	if (len > REQUEST_BYTES || nla_put(nl->request, type, (int)len, text))
		nl->put = -EMSGSIZE;
}

void wd_nl_put_u32(struct wd_nl *nl, int type, __u32 value)
{
	if (nla_put_u32(nl->request, type, value))
		nl->put = -EMSGSIZE;
}

void wd_nl_put_flag(struct wd_nl *nl, int type)
{
	if (nla_put_flag(nl->request, type))
		nl->put = -EMSGSIZE;
}

/* --- datagrams --- */

/* The number of bytes, 0 for an empty datagram or when the peer is gone, or -errno. */
static ssize_t receive(int fd, void *buf, size_t size, int flags, struct sockaddr_nl *from, socklen_t *len)
{
	ssize_t n;

	do
		n = recvfrom(fd, buf, size, MSG_DONTWAIT | MSG_TRUNC | flags, (struct sockaddr *)from, len);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static int make_room(struct wd_nl *nl, size_t size)
{
	char *more;

	if (size <= nl->size || size > ANSWER_MAX)
		return 0;
	more = realloc(nl->buf, size);
	if (!more)
		return -ENOMEM;
	nl->buf = more;
	nl->size = size;
	return 0;
}

/* Any process may send to a netlink socket: only the kernel's messages are accepted. */
static bool from_kernel(const struct sockaddr_nl *from, socklen_t len)
{
	return len != sizeof(*from) || from->nl_family != AF_NETLINK || !from->nl_pid;
}

/* Reads one whole datagram: its length, 0 if the sender isn't the kernel, or -errno. */
static ssize_t next_datagram(struct wd_nl *nl)
{
	struct sockaddr_nl from = { 0 };
	socklen_t len = sizeof(from);
	ssize_t n;
	int ret;

	/* A section of many devices needs a message of any length. Only the kernel's messages make the buffer grow. */
	n = receive(nl->fd, NULL, 0, MSG_PEEK, &from, &len);
	if (n < 0)
		return n;
	ret = from_kernel(&from, len) ? make_room(nl, (size_t)n) : 0;
	if (ret)
		return ret;
	len = sizeof(from);
	n = receive(nl->fd, nl->buf, nl->size, 0, &from, &len);
	if (!n && from.nl_family != AF_NETLINK)
		return -ECONNRESET;
	if (n <= 0 || !from_kernel(&from, len))
		return n < 0 ? n : 0;
	return (size_t)n > nl->size ? -EMSGSIZE : n;
}

/* --- answers --- */

/* State while the answers to a request are read. */
struct reading {
	wd_nl_take take;
	void *arg;
	__u32 seq;
	int type;
	bool one;	/* one answer is expected; else an acknowledgement or the end of a dump comes last */
	bool dump;
	bool heard;	/* this datagram held an answer to the request */
	bool done, torn;
	int error;
};

/* The error number, and the kernel's text, which may follow the copy of the request. */
static int take_error(struct wd_nl *nl, struct nlmsghdr *h)
{
	int len = nlmsg_datalen(h), at = sizeof(struct nlmsgerr);
	struct nlattr *a = NULL;
	struct nlmsgerr e;

	if (len < at)
		return -EPROTO;
	memcpy(&e, nlmsg_data(h), sizeof(e));
	if (e.error)
		e.error = error_number(-(__s64)e.error);
	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS))
		return e.error;
	if (!(h->nlmsg_flags & NLM_F_CAPPED) && e.msg.nlmsg_len > NLMSG_HDRLEN) {
		if (e.msg.nlmsg_len > (__u32)len)
			return e.error;
		at += (int)NLMSG_ALIGN(e.msg.nlmsg_len) - NLMSG_HDRLEN;
	}
	if (at < len)
		a = nla_find((struct nlattr *)(void *)((char *)nlmsg_data(h) + at), len - at, NLMSGERR_ATTR_MSG);
	wd_nl_string(a, nl->why, sizeof(nl->why));
	return e.error;
}

/* The message that ends a dump carries the dump's error as payload. */
static int dump_error(struct nlmsghdr *h)
{
	int error = 0;

	if (nlmsg_datalen(h) >= (int)sizeof(error))
		memcpy(&error, nlmsg_data(h), sizeof(error));
	return error ? error_number(-(__s64)error) : 0;
}

static int take_answer(struct reading *r, struct nlmsghdr *h)
{
	struct wd_nl_message m;
	int ret = wd_nl_parse(r->type, h, &m);

	if (ret == -ENOENT)
		return 0;
	r->done = r->one;
	/* After an error the other answers are still read: the next request must not find them. */
	return ret || r->error || !r->take ? ret : r->take(r->arg, &m);
}

static void take_message(struct wd_nl *nl, struct reading *r, struct nlmsghdr *h)
{
	int ret;

	if (h->nlmsg_seq != r->seq || r->done)
		return;
	r->heard = true;
	r->torn |= r->dump && h->nlmsg_flags & NLM_F_DUMP_INTR;
	switch (h->nlmsg_type) {
	case NLMSG_ERROR:
		ret = take_error(nl, h);
		r->done = true;
		break;
	case NLMSG_DONE:
		ret = dump_error(h);
		r->done = true;
		break;
	default:
		ret = take_answer(r, h);
	}
	if (!r->error)
		r->error = ret;
}

static int read_answers(struct wd_nl *nl, struct reading *r, __u64 until, bool signals)
{
	struct pollfd pfd = { .fd = nl->fd, .events = POLLIN };
	struct nlmsghdr *h;
	ssize_t n;
	int left;

	nl->why[0] = '\0';
	while (!r->done) {
		n = next_datagram(nl);
		if (n < 0 && n != -EAGAIN)
			return (int)n;
		r->heard = false;
		if (n > 0)
			for (h = (struct nlmsghdr *)(void *)nl->buf,
			     left = (int)n; nlmsg_ok(h, left); h = nlmsg_next(h, &left))
				take_message(nl, r, h);
		if (r->heard)
			until = r->one ? until : wd_now_ns() + ANSWER_NS;
		else if (wd_now_ns() >= until)
			return -ETIME;
		else if (n < 0 && wd_poll_fds(&pfd, 1, until) && signals)
			return -EINTR;
	}
	return r->error ? r->error : r->torn ? -EINTR : 0;
}

static struct reading reading_of(struct wd_nl *nl, wd_nl_take take, void *arg)
{
	const struct nlmsghdr *h = nlmsg_hdr(nl->request);

	return (struct reading){ .take = take, .arg = arg, .seq = h->nlmsg_seq, .type = h->nlmsg_type };
}

int wd_nl_wait(struct wd_nl *nl, wd_nl_take take, void *arg, __u64 until, bool signals)
{
	struct reading r = reading_of(nl, take, arg);

	r.one = true;
	return read_answers(nl, &r, until, signals);
}

int wd_nl_ask(struct wd_nl *nl, wd_nl_take take, void *arg)
{
	const struct nlmsghdr *h = nlmsg_hdr(nl->request);
	struct reading r = reading_of(nl, take, arg);
	ssize_t n;

	nl->why[0] = '\0';
	if (nl->put || nl->joined)
		return nl->put ? nl->put : -EBUSY;
	r.dump = (h->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
	r.one = !r.dump && !(h->nlmsg_flags & NLM_F_ACK);
	do
		n = send(nl->fd, h, h->nlmsg_len, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : read_answers(nl, &r, wd_now_ns() + ANSWER_NS, false);
}

int wd_nl_receive(struct wd_nl *nl, wd_nl_take take, void *arg)
{
	ssize_t n = next_datagram(nl);
	struct wd_nl_message m;
	struct nlmsghdr *h;
	int left, ret = 0;

	if (n < 0)
		return (int)n;
	for (h = (struct nlmsghdr *)(void *)nl->buf, left = (int)n; !ret && nlmsg_ok(h, left); h = nlmsg_next(h, &left))
		if (!wd_nl_parse(nl->family, h, &m))
			ret = take(arg, &m);
	return ret;
}

/* --- the family --- */

static void take_group(struct wd_nl *nl, struct nlattr *nest)
{
	struct nlattr *a[CTRL_ATTR_MCAST_GRP_MAX + 1];

	if (nl->nr_groups == WD_NL_GROUPS || nla_parse_nested(a, CTRL_ATTR_MCAST_GRP_MAX, nest, NULL) ||
	    !a[CTRL_ATTR_MCAST_GRP_NAME] || !a[CTRL_ATTR_MCAST_GRP_ID])
		return;
	nl->group[nl->nr_groups].id = wd_nl_u32(a[CTRL_ATTR_MCAST_GRP_ID]);
	wd_nl_string(a[CTRL_ATTR_MCAST_GRP_NAME], nl->group[nl->nr_groups].name, GENL_NAMSIZ);
	nl->nr_groups++;
}

struct found {
	struct wd_nl *nl;
	int family;
};

static int take_family(void *arg, const struct wd_nl_message *m)
{
	struct found *f = arg;
	struct nlattr *nest;
	int left;

	if (!m->attr[CTRL_ATTR_FAMILY_ID])
		return -EPROTO;
	f->family = nla_get_u16(m->attr[CTRL_ATTR_FAMILY_ID]);
	if (m->attr[CTRL_ATTR_MCAST_GROUPS])
		nla_for_each_nested(nest, m->attr[CTRL_ATTR_MCAST_GROUPS], left)
			take_group(f->nl, nest);
	return f->family ? 0 : -EPROTO;
}

int wd_nl_find(struct wd_nl *nl, const char *family)
{
	struct found f = { .nl = nl };
	int ret;

	nl->family = GENL_ID_CTRL;
	nl->nr_groups = 0;
	wd_nl_begin(nl, CTRL_CMD_GETFAMILY, 0);
	wd_nl_put_string(nl, CTRL_ATTR_FAMILY_NAME, family);
	ret = wd_nl_ask(nl, take_family, &f);
	nl->family = f.family;
	return ret ? ret : f.family ? 0 : -EPROTO;
}

int wd_nl_join(struct wd_nl *nl, const char *group)
{
	int id, yes = 1;
	unsigned int i;

	/* The kernel counts what this socket had no room for. */
	setsockopt(nl->fd, SOL_NETLINK, NETLINK_BROADCAST_ERROR, &yes, sizeof(yes));
	for (i = 0; i < nl->nr_groups; i++)
		if (!strcmp(nl->group[i].name, group)) {
			id = (int)nl->group[i].id;
			if (setsockopt(nl->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &id, sizeof(id)))
				return -errno;
			nl->joined = true;
			return 0;
		}
	return -ENOENT;
}

int wd_nl_open(struct wd_nl *nl, const char *family)
{
	int ret = wd_nl_init(nl, -1, 0);

	if (ret)
		return ret;
	nl->fd = wd_nl_socket();
	ret = nl->fd < 0 ? nl->fd : wd_nl_find(nl, family);
	if (!ret)
		return 0;
	wd_nl_close(nl);
	return ret == -EAFNOSUPPORT || ret == -EPROTONOSUPPORT ? -ENOENT : ret;
}

void wd_nl_close(struct wd_nl *nl)
{
	if (nl->fd >= 0)
		close(nl->fd);
	wd_nl_fini(nl);
}
