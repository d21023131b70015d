// SPDX-License-Identifier: Apache-2.0
/*
 * Attaches over netlink: asks for a slot, waits for it, and reads its grants; or takes over the slot of the program
 * that executed this one; or joins another library of this process in its slot.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/netlink.h"
#include "base/probes.h"
#include "base/sandbox.h"
#include "base/sysfs.h"
#include "device/device.h"
#include "section/section.h"

#define GRACE_NS	1000000000ull	/* the kernel reports the end of a wait; this is for a kernel that doesn't */
#define NO_SLOT		"?"		/* never a slot's name */
#define NO_NAME		"the kernel's answer has no valid slot"
#define LOOK_NS		50000000ull	/* between two requests for a section that isn't there yet */

static int refused(const char *name, int err, const char *why)
{
	char text[WD_ERROR_STR];

	snprintf(text, sizeof(text), "%.31s%s%.91s", name, *why ? ": " : "", why);
	return wd_fail_str(NULL, -err, "section %s", text);
}

/* --- grants --- */

static struct wd_grant *grant_add(struct wd_section *a)
{
	struct wd_grant *more;

	wd_fork_block();
	more = realloc(a->grants, (a->nr + 1) * sizeof(*more));
	if (more)
		a->grants = more;
	wd_fork_unblock();
	if (!more)
		return NULL;
	more += a->nr++;
	memset(more, 0, sizeof(*more));
	more->node = -1;
	return more;
}

static int take_grant(struct wd_section *a, struct nlattr *nest)
{
	struct nlattr *attr[UACCE_A_GRANT_MAX + 1];
	struct wd_grant *g = grant_add(a);

	if (!g)
		return -ENOMEM;
	wd_nl_grant(nest, attr);
	wd_nl_string(attr[UACCE_A_GRANT_DEV], g->dev, sizeof(g->dev));
	if (attr[UACCE_A_GRANT_NODE])
		g->node = nla_get_s32(attr[UACCE_A_GRANT_NODE]);
	g->share[0] = wd_nl_u32(attr[UACCE_A_GRANT_SYNC]);
	g->share[1] = wd_nl_u32(attr[UACCE_A_GRANT_ASYNC]);
	return 0;
}

/* The terms that a section sets for all its slots; the same in a grant and in the section's description. */
static void take_terms(struct wd_section *a, const struct wd_nl_message *m)
{
	if (m->attr[UACCE_A_QUEUE_PRIORITY])
		a->queue_priority = wd_nl_u32(m->attr[UACCE_A_QUEUE_PRIORITY]);
	if (m->attr[UACCE_A_MAX_EXTRA])
		a->max_extra = wd_nl_u32(m->attr[UACCE_A_MAX_EXTRA]);
}

static int take_slot(struct wd_section *a, const struct wd_nl_message *m)
{
	struct nlattr *attr;
	int left, ret = 0;

	a->nr = 0;
	wd_nl_string(m->attr[UACCE_A_SLOT], a->slot, sizeof(a->slot));
	take_terms(a, m);
	nla_for_each_attr(attr, m->first, m->len, left)
		if (!ret && nla_type(attr) == UACCE_A_GRANT)
			ret = take_grant(a, attr);
	a->read_at = wd_now_ns();
	return ret || *a->slot ? ret : -EPROTO;
}

/* The endpoint in the slot's name; -1: the slot has all of the section's devices. */
static int slot_endpoint(const struct wd_section *a)
{
	size_t len = strlen(a->name);
	char *end;
	long k;

	if (strncmp(a->slot, a->name, len) || strncmp(a->slot + len, "_DEV", 4))
		return -1;
	k = strtol(a->slot + len + 4, &end, 10);
	return strncmp(end, "_INT_", 5) ? -1 : (int)k;
}

/* Takes the section's device number k if it is of that endpoint, or whichever it is of if endpoint is -1. */
static void take_member(struct wd_section *a, struct nlattr *nest, int endpoint, int k)
{
	struct nlattr *attr[UACCE_A_MEMBER_MAX + 1];
	struct wd_grant g = { .node = -1 }, *place;

	wd_nl_member(nest, attr);
	wd_nl_string(attr[UACCE_A_MEMBER_DEV], g.dev, sizeof(g.dev));
	if (attr[UACCE_A_MEMBER_PENDING] || !*g.dev)
		return;
	/* An older kernel doesn't report endpoints, and has each device as one. */
	if (attr[UACCE_A_MEMBER_ENDPOINT])
		k = (int)wd_nl_u32(attr[UACCE_A_MEMBER_ENDPOINT]);
	if (endpoint >= 0 && endpoint != k)
		return;
	g.share[0] = wd_nl_u32(attr[UACCE_A_MEMBER_SYNC]);
	g.share[1] = wd_nl_u32(attr[UACCE_A_MEMBER_ASYNC]);
	g.node = wd_device_node(g.dev);
	place = grant_add(a);
	if (place)
		*place = g;
}

/* A section's description. */
struct description {
	struct wd_section *section;
	bool read;
};

static int take_section(void *arg, const struct wd_nl_message *m)
{
	struct description *d = arg;
	struct wd_section *a = d->section;
	int endpoint = slot_endpoint(a), i = 0, left;
	struct nlattr *attr;

	a->nr = 0;
	take_terms(a, m);
	nla_for_each_attr(attr, m->first, m->len, left)
		if (nla_type(attr) == UACCE_A_MEMBER)
			take_member(a, attr, endpoint, i++);
	a->read_at = wd_now_ns();
	d->read = true;
	return 0;
}

/* Reads the same from the section's description, for a slot that this process has already. */
static int read_section(struct wd_section *a, struct wd_nl *nl)
{
	struct description d = { .section = a };
	int ret;

	wd_nl_begin(nl, UACCE_NL_SECTION_GET, 0);
	wd_nl_put_string(nl, UACCE_A_SECTION, a->name);
	ret = wd_nl_ask(nl, take_section, &d);
	return ret || d.read ? ret : -EPROTO;
}

void wd_attach_refresh(struct wd_section *a)
{
	struct wd_nl nl;

	if (!wd_fork_file_is(&a->socket) || wd_nl_init(&nl, a->socket.fd, a->family))
		return;
	read_section(a, &nl);
	wd_nl_fini(&nl);
}

/* --- WD_ATTACHED=PID,SOCKET,SECTION,SLOT, set by wdctl run --- */

struct inherited {
	int pid;
	int fd;
	char section[WD_SECTION_NAME_MAX + 1];
	char slot[WD_NAME_SIZE];
};

/* False also for another process' value, inherited with its environment. */
static bool inherited_read(struct inherited *i)
{
	const char *text = wd_env("WD_ATTACHED");

	return text && sscanf(text, "%d,%d,%31[A-Za-z0-9_-],%63[A-Za-z0-9_-]", &i->pid, &i->fd, i->section,
			      i->slot) == 4 && i->pid == getpid();
}

const char *wd_attach_inherited(char name[WD_SECTION_NAME_MAX + 1])
{
	struct inherited i;

	if (!inherited_read(&i))
		return NULL;
	strcpy(name, i.section);
	return name;
}

/* The program's slot, unless another library of this process has taken it over: that one has set the flag. */
static bool inherited_is_left(struct inherited *i)
{
	int flags;

	if (!inherited_read(i))
		return false;
	flags = fcntl(i->fd, F_GETFD);
	return flags < 0 || !(flags & FD_CLOEXEC);
}

static int take_over(struct wd_section *a, struct wd_nl *nl, const struct inherited *i)
{
	int ret;

	if (strcmp(i->section, a->name))
		return wd_fail_str(NULL, EBUSY, "this process was executed with a slot of section %s", i->section);
	strcpy(a->slot, i->slot);
	ret = read_section(a, nl);
	if (ret)
		return refused(a->name, ret, nl->why);
	a->inherited = true;
	/* A child, and a program that this process executes, must not inherit the socket. */
	if (!wd_nl_is_socket(i->fd)) {
		wd_fork_file_add(&a->socket, nl->fd);
		return 0;
	}
	close(nl->fd);
	fcntl(i->fd, F_SETFD, FD_CLOEXEC);
	wd_fork_file_add(&a->socket, i->fd);
	return 0;
}

/* --- asking --- */

static void attach_request(struct wd_nl *nl, const struct wd_section *a, const char *slot, __u32 wait_ms)
{
	wd_nl_begin(nl, UACCE_NL_SECTION_ATTACH, 0);
	wd_nl_put_string(nl, UACCE_A_SECTION, a->name);
	if (slot)
		wd_nl_put_string(nl, UACCE_A_SLOT, slot);
	if (wait_ms)
		wd_nl_put_u32(nl, UACCE_A_WAIT_MS, wait_ms);
}

static void detach(struct wd_nl *nl)
{
	wd_nl_begin(nl, UACCE_NL_SECTION_DETACH, NLM_F_ACK);
	wd_nl_ask(nl, NULL, NULL);
}

/* A request for a slot: its result, apart from what is stored in the section. */
struct question {
	struct wd_section *section;
	bool waits;		/* in the section's queue */
	bool answered;		/* with a slot, or with the error that kept it from being stored */
	const char *wrong;	/* why the granted slot can't be used */
	int error;		/* error that ended the wait */
};

static int take_place(void *arg, const struct wd_nl_message *m)
{
	struct question *q = arg;
	int ret;

	q->waits = m->attr[UACCE_A_TICKET];
	if (q->waits)
		return 0;
	q->answered = true;
	if (m->attr[UACCE_A_ERROR]) {
		q->error = wd_nl_error(m->attr[UACCE_A_ERROR]);
		return 0;
	}
	ret = take_slot(q->section, m);
	if (ret)
		q->wrong = ret == -ENOMEM ? "no memory for the slot's grants" : NO_NAME;
	return ret;
}

/* Waits in the queue until the kernel grants or refuses a slot, or a signal handler has run. */
static int wait_for_slot(struct question *q, struct wd_nl *nl, __u32 wait_ms)
{
	__u64 until = wd_now_ns() + wait_ms * 1000000ull + GRACE_NS;
	const struct wd_section *a = q->section;
	int ret;

	ret = wd_nl_wait(nl, take_place, q, until, true);
	if (ret == -ETIME || ret == -EINTR)
		detach(nl);
	if (q->wrong)
		return ret;
	if (!ret)
		ret = q->error;
	if (ret == -ETIME || ret == -ETIMEDOUT)
		return wd_fail_all(NULL, EUSERS, "section %s: no slot became free within %u ms", a->name, wait_ms, 0);
	return ret ? refused(a->name, ret, "while waiting for a slot") : 0;
}

/* The end of a request: 0 if a slot is stored, or the error, recorded. */
static int answer(const struct question *q, int ret, const struct wd_nl *nl)
{
	const char *why = q->wrong ? q->wrong : nl->why;

	if (!ret && (!q->answered || q->error)) {
		ret = -EPROTO;
		why = NO_NAME;
	}
	return ret ? refused(q->section->name, ret, why) : 0;
}

/* Shares the slot that this process has. */
static int join(struct wd_section *a, struct wd_nl *nl)
{
	struct question q = { .section = a };
	int ret;

	attach_request(nl, a, NULL, 0);
	wd_nl_put_flag(nl, UACCE_A_JOIN);
	ret = wd_nl_ask(nl, take_place, &q);
	if (ret == -EINVAL)
		return wd_fail_str(NULL, EBUSY, "section %s: this process is attached already, and the kernel is older",
				   a->name);
	/* The other library waits for a slot. EALREADY would mean that this one is in the section. */
	ret = answer(&q, ret == -EALREADY ? -EBUSY : ret, nl);
	if (ret)
		return ret;
	a->joined = true;
	wd_fork_file_add(&a->socket, nl->fd);
	return 0;
}

static int ask(struct wd_section *a, __u32 wait_ms, struct wd_nl *nl)
{
	struct question q = { .section = a };
	struct inherited i;
	int ret;

	attach_request(nl, a, NULL, wait_ms);
	ret = wd_nl_ask(nl, take_place, &q);
	if (ret == -EALREADY) {
		wd_fork_file_del(&a->socket);
		ret = inherited_is_left(&i) ? take_over(a, nl, &i) : join(a, nl);
		if (ret)
			wd_fork_file_add(&a->socket, nl->fd);
		return ret;
	}
	if (!ret && q.waits) {
		ret = wait_for_slot(&q, nl, wait_ms);
		if (ret && !q.wrong)
			return ret;
	}
	return answer(&q, ret, nl);
}

static bool no_netlink(int ret)
{
	return ret == -EAFNOSUPPORT || ret == -EPROTONOSUPPORT || ret == -ENOPROTOOPT;
}

/* Attaches over a socket that belongs to the section. */
static int attach(struct wd_section *a, __u32 wait_ms, struct wd_nl *nl)
{
	int ret;

	nl->fd = wd_sandbox() ? -EACCES : wd_nl_socket();
	if (nl->fd < 0)
		return no_netlink(nl->fd) ? -EOPNOTSUPP : refused(a->name, nl->fd, "can't open a netlink socket");
	/* A child that is forked meanwhile must not keep the process' position in the queue. */
	wd_fork_file_add(&a->socket, nl->fd);
	ret = wd_nl_find(nl, UACCE_GENL_NAME);
	a->family = nl->family;
	if (ret)
		ret = ret == -ENOENT ? -EOPNOTSUPP : refused(a->name, ret, "can't ask for the uacce netlink family");
	else
		ret = ask(a, wait_ms, nl);
	if (ret)
		close(wd_fork_file_del(&a->socket));
	return ret;
}

static int attach_once(struct wd_section *a, __u32 wait_ms)
{
	struct wd_nl nl;
	int ret;

	if (wd_nl_init(&nl, -1, 0))
		return wd_fail(NULL, ENOMEM, "no memory for a netlink message");
	a->inherited = a->joined = false;
	ret = attach(a, wait_ms, &nl);
	wd_nl_fini(&nl);
	return ret;
}

static bool any_device(void)
{
	DIR *dir = opendir(WD_SYSFS_CLASS);
	const struct dirent *e;
	bool any = false;

	while (dir && !any && (e = readdir(dir)))
		any = e->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return any;
}

/*
 * While a machine boots, drivers, the section and this process come in any order. The netlink family comes before the
 * first device, unless this is a uacce that has no sections.
 */
static bool may_come(int ret)
{
	return ret == -ENOENT || ret == -ESHUTDOWN || (ret == -EOPNOTSUPP && !any_device());
}

static int attach_within(struct wd_section *a, const char *name, __u32 wait_ms)
{
	__u64 until = wd_now_ns() + wait_ms * 1000000ull, now;
	int ret;

	strcpy(a->name, name);
	for (;;) {
		ret = attach_once(a, wait_ms);
		now = wd_now_ns();
		if (!wait_ms || !may_come(ret) || now >= until)
			return ret;
		if (wd_poll_fds(NULL, 0, until - now < LOOK_NS ? until : now + LOOK_NS))
			return refused(a->name, -EINTR, "while waiting for the section");
		now = wd_now_ns();
		wait_ms = now < until ? (until - now + 999999) / 1000000 : 1;
	}
}

/* Waits for the section, and in the section's queue for a slot, both within one time. */
int wd_attach(struct wd_section *a, const char *name, __u32 wait_ms)
{
	int ret = attach_within(a, name, wait_ms);

	WD_PROBE(libwd, attach, a->name, ret ? "" : a->slot, ret);
	return ret;
}

void wd_detach(struct wd_section *a)
{
	struct wd_nl nl;

	if (!a->joined && wd_fork_file_is(&a->socket) && !wd_nl_init(&nl, a->socket.fd, a->family)) {
		detach(&nl);
		wd_nl_fini(&nl);
	}
	close(wd_fork_file_del(&a->socket));
}

/*
 * An attachment can't be queried. The kernel answers any attach request of an attached process with that fact; a
 * process that isn't attached gets no slot, because none has this name.
 */
bool wd_attach_alive(struct wd_section *a)
{
	struct wd_nl nl;
	int ret;

	/* The program has closed the socket, and so left the section. */
	if (!wd_fork_file_is(&a->socket))
		return false;
	if (wd_nl_init(&nl, a->socket.fd, a->family))
		return true;
	attach_request(&nl, a, NO_SLOT, 0);
	ret = wd_nl_ask(&nl, NULL, NULL);
	wd_nl_fini(&nl);
	/* A refusal for lack of permission says nothing about a slot that the process has. */
	return ret != -ENOENT && ret != -ESHUTDOWN;
}
