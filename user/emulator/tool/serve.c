// SPDX-License-Identifier: Apache-2.0
/*
 * Generic netlink's messages over a local socket, which names the sender of each message. One thread serves the
 * connections, and watches the attached processes.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/uacce_netlink.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "messages.h"
#include "sections.h"
#include "serve.h"

#define CONNS_MAX	1024
#define WAITERS_MAX	1024

static int listener;
static int conns[CONNS_MAX];
static unsigned int nr_conns;
static struct waiter waiters[WAITERS_MAX];	/* first come, first served */
static unsigned int nr_waiters;

static unsigned long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (unsigned long long)ts.tv_sec * 1000000000ull + (unsigned long long)ts.tv_nsec;
}

/* --- messages --- */

/* A message: headers, then attributes; with room for the largest message. */
struct message {
	struct nlmsghdr h;
	struct genlmsghdr g;
	char attrs[8192];
};

static void message_begin(struct message *m, unsigned short type, unsigned int seq, unsigned char cmd)
{
	memset(m, 0, offsetof(struct message, attrs));
	m->h.nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN;
	m->h.nlmsg_type = type;
	m->h.nlmsg_seq = seq;
	m->g.cmd = cmd;
	m->g.version = UACCE_GENL_VERSION;
}

static void *put(struct message *m, unsigned short type, const void *data, size_t len)
{
	struct nlattr *a = (struct nlattr *)(void *)((char *)m + m->h.nlmsg_len);

	a->nla_type = type;
	a->nla_len = (unsigned short)(NLA_HDRLEN + len);
	if (len)
		memcpy((char *)a + NLA_HDRLEN, data, len);
	m->h.nlmsg_len += NLA_ALIGN(NLA_HDRLEN + len);
	return a;
}

static void put_u32(struct message *m, unsigned short type, unsigned int value)
{
	put(m, type, &value, sizeof(value));
}

static void put_string(struct message *m, unsigned short type, const char *text)
{
	put(m, type, text, strlen(text) + 1);
}

static void nest_end(struct message *m, struct nlattr *nest)
{
	nest->nla_len = (unsigned short)((char *)m + m->h.nlmsg_len - (char *)nest);
}

static void message_send(int conn, const struct message *m)
{
	/* A program that doesn't read loses the message, as with a full socket buffer in the kernel. */
	if (send(conn, m, m->h.nlmsg_len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return;
}

static void acknowledge(int conn, const struct nlmsghdr *request, int error, const char *why)
{
	struct message m;
	struct nlmsgerr e = { .error = error, .msg = *request };

	message_begin(&m, NLMSG_ERROR, request->nlmsg_seq, 0);
	m.h.nlmsg_len = NLMSG_HDRLEN + sizeof(e);
	m.h.nlmsg_flags = NLM_F_CAPPED;
	memcpy((char *)&m + NLMSG_HDRLEN, &e, sizeof(e));
	if (why) {
		m.h.nlmsg_flags |= NLM_F_ACK_TLVS;
		put_string(&m, NLMSGERR_ATTR_MSG, why);
	}
	message_send(conn, &m);
}

/* --- requests --- */

struct request {
	const struct nlmsghdr *h;
	int conn;
	pid_t pid;
	uid_t uid;
	const void *attr[UACCE_A_MAX + 1];
};

static void request_parse(struct request *r, const char *p, size_t len)
{
	while (len >= NLA_HDRLEN) {
		const struct nlattr *a = (const struct nlattr *)(const void *)p;
		size_t step = NLA_ALIGN(a->nla_len);

		if (a->nla_len < NLA_HDRLEN || a->nla_len > len)
			return;
		if ((a->nla_type & NLA_TYPE_MASK) <= UACCE_A_MAX)
			r->attr[a->nla_type & NLA_TYPE_MASK] = p + NLA_HDRLEN;
		if (step > len)
			return;
		p += step;
		len -= step;
	}
}

static void put_device(struct message *m, const struct section *s, unsigned int k, bool grant)
{
	struct nlattr *nest = put(m, (grant ? UACCE_A_GRANT : UACCE_A_MEMBER) | NLA_F_NESTED, NULL, 0);
	unsigned int sync, async;
	char name[32];

	device_name(s->device[k], name);
	section_share(s, k, &sync, &async);
	if (grant) {
		put_string(m, UACCE_A_GRANT_DEV, name);
		put_u32(m, UACCE_A_GRANT_NODE, (unsigned int)device_node(s->device[k]));
		put_u32(m, UACCE_A_GRANT_SYNC, sync);
		put_u32(m, UACCE_A_GRANT_ASYNC, async);
	} else {
		put_string(m, UACCE_A_MEMBER_NAME, name);
		put_string(m, UACCE_A_MEMBER_DEV, name);
		put_u32(m, UACCE_A_MEMBER_SYNC, sync);
		put_u32(m, UACCE_A_MEMBER_ASYNC, async);
		put_u32(m, UACCE_A_MEMBER_RESERVED, s->num_processes * (sync + async));
		if (s->limit && s->place[k].endpoint >= 0)
			put_u32(m, UACCE_A_MEMBER_ENDPOINT, (unsigned int)s->place[k].endpoint);
	}
	nest_end(m, nest);
}

static void tell_granted(int conn, unsigned int seq, unsigned char cmd, const struct section *s,
			 const struct slot *slot)
{
	struct message m;
	unsigned int k;
	char name[64];

	slot_name(s, slot, name);
	message_begin(&m, EMU_SECTIONS_FAMILY, seq, cmd);
	put_string(&m, UACCE_A_SLOT, name);
	put_u32(&m, UACCE_A_QUEUE_PRIORITY, s->priority);
	put_u32(&m, UACCE_A_MAX_EXTRA, s->max_extra);
	for (k = 0; k < s->nr_devices; k++)
		if (slot_has(s, slot, k))
			put_device(&m, s, k, true);
	message_send(conn, &m);
}

static void tell_error(const struct waiter *w, int error)
{
	struct message m;

	message_begin(&m, EMU_SECTIONS_FAMILY, w->seq, UACCE_NL_SLOT_GRANTED);
	put_u32(&m, UACCE_A_ERROR, (unsigned int)error);
	message_send(w->conn, &m);
}

static void waiter_drop(unsigned int i)
{
	memmove(&waiters[i], &waiters[i + 1], (--nr_waiters - i) * sizeof(waiters[0]));
}

/* After a change, a waiting process may get a slot. */
static void waiters_serve(void)
{
	unsigned int i = 0;

	while (i < nr_waiters) {
		struct waiter w = waiters[i];
		struct slot *slot = w.section->state == SECTION_IS_LIVE ? slot_take(w.section, NULL, w.pid, w.conn) :
				    NULL;
		int error = slot ? 0 :
			    w.section->state != SECTION_IS_LIVE ? ESHUTDOWN : now_ns() >= w.until ? ETIMEDOUT : -1;

		if (error < 0) {
			i++;
			continue;
		}
		waiter_drop(i);
		if (error)
			tell_error(&w, error);
		else
			tell_granted(w.conn, w.seq, UACCE_NL_SLOT_GRANTED, w.section, slot);
	}
}

static bool waits(pid_t pid)
{
	unsigned int i;

	for (i = 0; i < nr_waiters; i++)
		if (waiters[i].pid == pid)
			return true;
	return false;
}

static void wait_in_turn(const struct request *r, struct section *s, unsigned int ms)
{
	struct message m;

	waiters[nr_waiters++] = (struct waiter){
		.section = s, .pid = r->pid, .uid = r->uid, .conn = r->conn, .seq = r->h->nlmsg_seq,
		.until = now_ns() + ms * 1000000ull,
	};
	message_begin(&m, EMU_SECTIONS_FAMILY, r->h->nlmsg_seq, UACCE_NL_SECTION_ATTACH);
	put_u32(&m, UACCE_A_TICKET, nr_waiters);
	message_send(r->conn, &m);
}

static int section_attach(const struct request *r, const char **why)
{
	const char *name = r->attr[UACCE_A_SECTION], *want = r->attr[UACCE_A_SLOT];
	unsigned int ms = 0;
	struct section *s;
	struct slot *slot;
	int ret;

	*why = "the section isn't named";
	if (!name)
		return -EINVAL;
	if (r->attr[UACCE_A_WAIT_MS])
		memcpy(&ms, r->attr[UACCE_A_WAIT_MS], sizeof(ms));
	*why = "this process waits for a slot already";
	if (waits(r->pid))
		return -EALREADY;
	ret = attach(name, want, r->pid, r->uid, r->conn, &s, &slot, why);
	if (ret)
		return ret;
	*why = "all slots of the section are taken";
	if (!slot && (!ms || nr_waiters == WAITERS_MAX))
		return ms ? -ENOBUFS : -EUSERS;
	if (slot)
		tell_granted(r->conn, r->h->nlmsg_seq, UACCE_NL_SECTION_ATTACH, s, slot);
	else
		wait_in_turn(r, s, ms);
	return 1;
}

static int section_detach(const struct request *r, const char **why)
{
	struct section *s;
	struct slot *slot = attachment_of(r->pid, &s);
	unsigned int i;

	for (i = 0; i < nr_waiters; i++)
		if (waiters[i].pid == r->pid) {
			waiter_drop(i);
			return 0;
		}
	*why = "this process is neither attached nor waiting";
	if (!slot)
		return -ENOENT;
	slot_leave(s, slot);
	return 0;
}

static int section_get(const struct request *r, const char **why)
{
	const struct section *s = r->attr[UACCE_A_SECTION] ? section_find(r->attr[UACCE_A_SECTION]) : NULL;
	struct message m;
	unsigned int k;

	*why = "there is no such section";
	if (!s)
		return -ENOENT;
	message_begin(&m, EMU_SECTIONS_FAMILY, r->h->nlmsg_seq, UACCE_NL_SECTION_GET);
	put_string(&m, UACCE_A_SECTION, s->name);
	put_u32(&m, UACCE_A_SECTION_STATE, s->state);
	put_u32(&m, UACCE_A_NUM_PROCESSES, s->num_processes);
	put_u32(&m, UACCE_A_LIMIT_DEV_ACCESS, s->limit);
	put_u32(&m, UACCE_A_QUEUE_PRIORITY, s->priority);
	put_u32(&m, UACCE_A_MAX_EXTRA, s->max_extra);
	put_u32(&m, UACCE_A_SLOTS_TOTAL, s->nr_slots);
	put_u32(&m, UACCE_A_SLOTS_ATTACHED, slots_attached(s));
	put_u32(&m, UACCE_A_SLOTS_LINGERING, slots_lingering(s));
	for (k = 0; k < s->nr_devices; k++)
		put_device(&m, s, k, false);
	message_send(r->conn, &m);
	return 1;
}

static int family_get(const struct request *r, const char **why)
{
	const char *name = r->attr[CTRL_ATTR_FAMILY_NAME];
	unsigned short id = EMU_SECTIONS_FAMILY;
	struct message m;

	*why = NULL;
	if (!name || strcmp(name, UACCE_GENL_NAME))
		return -ENOENT;
	message_begin(&m, GENL_ID_CTRL, r->h->nlmsg_seq, CTRL_CMD_NEWFAMILY);
	put_string(&m, CTRL_ATTR_FAMILY_NAME, UACCE_GENL_NAME);
	put(&m, CTRL_ATTR_FAMILY_ID, &id, sizeof(id));
	message_send(r->conn, &m);
	return 1;
}

/* Return: 1 if answered, otherwise 0, or -errno and *why. */
static int command(const struct request *r, unsigned char cmd, const char **why)
{
	*why = NULL;
	if (r->h->nlmsg_type == GENL_ID_CTRL)
		return family_get(r, why);
	if (r->h->nlmsg_type != EMU_SECTIONS_FAMILY)
		return -ENOENT;
	/* Dumps are not supported. */
	if ((r->h->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP)
		return -EOPNOTSUPP;
	switch (cmd) {
	case UACCE_NL_SECTION_ATTACH:
		return section_attach(r, why);
	case UACCE_NL_SECTION_DETACH:
		return section_detach(r, why);
	case UACCE_NL_SECTION_GET:
		return section_get(r, why);
	default:
		return -EOPNOTSUPP;
	}
}

static void request_private(const struct request *r)
{
	struct emu_sections_message m;

	memcpy(&m, r->h, sizeof(m));
	m.name[sizeof(m.name) - 1] = '\0';
	m.command[sizeof(m.command) - 1] = '\0';
	switch (m.h.nlmsg_type) {
	case EMU_CHARGE:
		m.value = charge_open((unsigned int)m.value, r->pid, r->conn);
		break;
	case EMU_UNCHARGE:
		charge_close(m.value);
		break;
	case EMU_LEFT:
		m.value = charges_left((unsigned int)m.value, r->pid);
		break;
	default:
		m.value = section_control(m.name, m.command);
	}
	if (send(r->conn, &m, sizeof(m), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return;
}

static void request(struct request *r, const char *p, size_t len)
{
	const char *why;
	int ret;

	r->h = (const struct nlmsghdr *)(const void *)p;
	if (len < NLMSG_HDRLEN || r->h->nlmsg_len > len)
		return;
	if (r->h->nlmsg_type >= EMU_CHARGE && len >= sizeof(struct emu_sections_message)) {
		request_private(r);
		return;
	}
	if (r->h->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN)
		return;
	request_parse(r, p + NLMSG_HDRLEN + GENL_HDRLEN, r->h->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN);
	ret = command(r, ((const struct genlmsghdr *)(const void *)(p + NLMSG_HDRLEN))->cmd, &why);
	/* As in the kernel, an answer doesn't replace the acknowledgement. */
	if (ret < 0 || r->h->nlmsg_flags & NLM_F_ACK)
		acknowledge(r->conn, r->h, ret < 0 ? ret : 0, ret < 0 ? why : NULL);
}

/* --- connections --- */

static void conn_accept(void)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC), on = 1;

	if (fd < 0)
		return;
	if (nr_conns == CONNS_MAX || setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on))) {
		close(fd);
		return;
	}
	conns[nr_conns++] = fd;
}

static void conn_end(unsigned int i)
{
	int conn = conns[i];
	unsigned int k = 0;

	conns[i] = conns[--nr_conns];
	while (k < nr_waiters)
		if (waiters[k].conn == conn)
			waiter_drop(k);
		else
			k++;
	conn_gone(conn);
	close(conn);
}

static bool conn_read(int conn)
{
	_Alignas(struct nlmsghdr) char buf[4096];
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct ucred))];
	struct iovec iov = { .iov_base = buf, .iov_len = sizeof(buf) };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
	};
	ssize_t n = recvmsg(conn, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct request r = { .conn = conn };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	struct ucred who;

	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR);
	if (!c || c->cmsg_type != SCM_CREDENTIALS)
		return true;
	memcpy(&who, CMSG_DATA(c), sizeof(who));
	r.pid = who.pid;
	r.uid = who.uid;
	request(&r, buf, (size_t)n);
	return true;
}

static unsigned int add_pidfds(struct pollfd *pfd, unsigned int n)
{
	unsigned int i, j;

	for (i = 0; i < nr_sections; i++)
		for (j = 0; j < sections[i].nr_slots; j++)
			if (sections[i].slot[j].owner && sections[i].slot[j].pidfd >= 0)
				pfd[n++] = (struct pollfd){ .fd = sections[i].slot[j].pidfd, .events = POLLIN };
	return n;
}

static void owners_end(int pidfd)
{
	unsigned int i, j;

	for (i = 0; i < nr_sections; i++)
		for (j = 0; j < sections[i].nr_slots; j++)
			if (sections[i].slot[j].owner && sections[i].slot[j].pidfd == pidfd)
				slot_leave(&sections[i], &sections[i].slot[j]);
}

static int poll_ms(void)
{
	unsigned long long now = now_ns(), first = ~0ull;
	unsigned int i;

	for (i = 0; i < nr_waiters; i++)
		if (waiters[i].until < first)
			first = waiters[i].until;
	if (!nr_waiters)
		return -1;
	return first <= now ? 0 : first - now < 3600000000000ull ? (int)((first - now) / 1000000) + 1 : 3600000;
}

static void *serve(void *arg)
{
	static struct pollfd pfd[1 + CONNS_MAX + SECTIONS_MAX * SLOTS_MAX];
	unsigned int n, i, known;

	(void)arg;
	for (;;) {
		known = nr_conns;
		pfd[0] = (struct pollfd){ .fd = listener, .events = POLLIN };
		for (i = 0; i < known; i++)
			pfd[1 + i] = (struct pollfd){ .fd = conns[i], .events = POLLIN };
		n = add_pidfds(pfd, 1 + known);
		if (poll(pfd, n, poll_ms()) < 0 && errno != EINTR)
			return NULL;
		for (i = 1 + known; i < n; i++)
			if (pfd[i].revents)
				owners_end(pfd[i].fd);
		/* From the back, because the last connection moves to the index of one that ends. */
		for (i = known; i-- > 0; )
			if (pfd[1 + i].revents && !conn_read(conns[i]))
				conn_end(i);
		if (pfd[0].revents)
			conn_accept();
		waiters_serve();
	}
}

int serve_start(const char *address)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	pthread_t thread;
	sigset_t all, old;
	int ret, on = 1;

	if (strlen(address) >= sizeof(at.sun_path) - 1)
		return -ENAMETOOLONG;
	strcpy(at.sun_path + 1, address);
	listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (listener < 0)
		return -errno;
	/* Accepted connections inherit this option: every message names its sender. */
	if (setsockopt(listener, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)))
		return -errno;
	if (bind(listener, (struct sockaddr *)&at,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(address))) || listen(listener, 128))
		return -errno;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	ret = pthread_create(&thread, NULL, serve, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -ret;
}
