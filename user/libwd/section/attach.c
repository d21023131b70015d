// SPDX-License-Identifier: Apache-2.0
/*
 * Attaching over netlink: ask for a slot, wait for it, read what it grants; or
 * take over the slot of a program that executed this one.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/netlink.h"
#include "device/device.h"
#include "section/section.h"

#define GRACE_NS	1000000000ull	/* the kernel tells of a wait's end; not for ever to be relied on */
#define NO_SLOT		"?"		/* never a slot's name */

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

static int take_grant(struct wd_section *a, const struct nlattr *nest)
{
	struct wd_grant *g = grant_add(a);
	const struct nlattr *attr;
	size_t at = 0;

	if (!g)
		return -ENOMEM;
	while ((attr = wd_nl_next(wd_nl_data(nest), wd_nl_len(nest), &at)))
		switch (wd_nl_type(attr)) {
		case UACCE_A_GRANT_DEV:
			wd_nl_string(attr, g->dev, sizeof(g->dev));
			break;
		case UACCE_A_GRANT_NODE:
			g->node = (int)wd_nl_u32(attr);
			break;
		case UACCE_A_GRANT_SYNC:
			g->share[0] = wd_nl_u32(attr);
			break;
		case UACCE_A_GRANT_ASYNC:
			g->share[1] = wd_nl_u32(attr);
			break;
		}
	return 0;
}

/* What a section says of all its slots, in a grant as in its description. */
static void take_terms(struct wd_section *a, const struct nlattr *attr)
{
	switch (wd_nl_type(attr)) {
	case UACCE_A_QUEUE_PRIORITY:
		a->queue_priority = wd_nl_u32(attr);
		break;
	case UACCE_A_MAX_EXTRA:
		a->max_extra = wd_nl_u32(attr);
		break;
	}
}

static int take_slot(struct wd_section *a, const struct wd_nl_reply *reply)
{
	const struct nlattr *attr;
	size_t at = 0;
	int ret = 0;

	a->nr = 0;
	*a->slot = '\0';
	while (!ret && (attr = wd_nl_next(reply->attrs, reply->len, &at)))
		switch (wd_nl_type(attr)) {
		case UACCE_A_SLOT:
			wd_nl_string(attr, a->slot, sizeof(a->slot));
			break;
		case UACCE_A_GRANT:
			ret = take_grant(a, attr);
			break;
		default:
			take_terms(a, attr);
		}
	a->read_at = wd_now_ns();
	return ret || *a->slot ? ret : -EPROTO;
}

/* Of a section's devices, which of them the slot has: all, or the one in its name. */
static int slot_position(const struct wd_section *a)
{
	size_t len = strlen(a->name);
	char *end;
	long k;

	if (strncmp(a->slot, a->name, len) || strncmp(a->slot + len, "_DEV", 4))
		return -1;
	k = strtol(a->slot + len + 4, &end, 10);
	return strncmp(end, "_INT_", 5) ? -1 : (int)k;
}

static void take_member(struct wd_section *a, const struct nlattr *nest)
{
	struct wd_grant g = { .node = -1 }, *place;
	const struct nlattr *attr;
	bool pending = false;
	size_t at = 0;

	while ((attr = wd_nl_next(wd_nl_data(nest), wd_nl_len(nest), &at)))
		switch (wd_nl_type(attr)) {
		case UACCE_A_MEMBER_DEV:
			wd_nl_string(attr, g.dev, sizeof(g.dev));
			break;
		case UACCE_A_MEMBER_SYNC:
			g.share[0] = wd_nl_u32(attr);
			break;
		case UACCE_A_MEMBER_ASYNC:
			g.share[1] = wd_nl_u32(attr);
			break;
		case UACCE_A_MEMBER_PENDING:
			pending = true;
			break;
		}
	if (pending || !*g.dev)
		return;
	g.node = wd_device_node(g.dev);
	place = grant_add(a);
	if (place)
		*place = g;
}

/* The same from the section's description, for a slot that is had already. */
static int read_section(struct wd_section *a, int fd, struct wd_nl_reply *reply)
{
	int position = slot_position(a), i = 0, ret;
	const struct nlattr *attr;
	struct wd_nl_request r;
	size_t at = 0;

	wd_nl_begin(&r, a->family, UACCE_NL_SECTION_GET, 0);
	wd_nl_put_string(&r, UACCE_A_SECTION, a->name);
	ret = wd_nl_ask(fd, &r, reply);
	if (ret)
		return ret;
	a->nr = 0;
	while ((attr = wd_nl_next(reply->attrs, reply->len, &at)))
		switch (wd_nl_type(attr)) {
		case UACCE_A_MEMBER:
			if (position < 0 || position == i)
				take_member(a, attr);
			i++;
			break;
		default:
			take_terms(a, attr);
		}
	a->read_at = wd_now_ns();
	return 0;
}

void wd_attach_refresh(struct wd_section *a)
{
	struct wd_nl_reply reply;

	if (wd_nl_reply_init(&reply))
		return;
	read_section(a, a->socket.fd, &reply);
	wd_nl_reply_fini(&reply);
}

/* --- what wdctl run left: WD_ATTACHED=PID,SOCKET,SECTION,SLOT --- */

struct inherited {
	int pid;
	int fd;
	char section[WD_SECTION_NAME_MAX + 1];
	char slot[WD_NAME_SIZE];
};

/* Of another process, which handed its environment down: nothing. */
static bool inherited_read(struct inherited *i)
{
	const char *text = wd_env("WD_ATTACHED");

	return text && sscanf(text, "%d,%d,%31[A-Za-z0-9_-],%63[A-Za-z0-9_-]", &i->pid, &i->fd, i->section, i->slot) == 4 &&
	       i->pid == getpid();
}

const char *wd_attach_inherited(char name[WD_SECTION_NAME_MAX + 1])
{
	struct inherited i;

	if (!inherited_read(&i))
		return NULL;
	strcpy(name, i.section);
	return name;
}

/* The kernel has said that this process is attached; this is how it may know to what. */
static int take_over(struct wd_section *a, const char *name, int fd, struct wd_nl_reply *reply)
{
	struct inherited i;
	int ret;

	if (!inherited_read(&i))
		return wd_fail_str(NULL, EBUSY, "section %s: this process is attached, but not by this library", name);
	if (strcmp(i.section, name))
		return wd_fail_str(NULL, EBUSY, "this process was executed with a slot of section %s", i.section);
	strcpy(a->slot, i.slot);
	ret = read_section(a, fd, reply);
	if (ret)
		return refused(name, ret, reply->why);
	a->inherited = true;
	/* A child of ours is to have nothing of it, nor what it executes. */
	if (!wd_nl_is_socket(i.fd)) {
		wd_fork_file_add(&a->socket, fd);
		return 0;
	}
	close(fd);
	fcntl(i.fd, F_SETFD, FD_CLOEXEC);
	wd_fork_file_add(&a->socket, i.fd);
	return 0;
}

/* --- asking --- */

static void attach_request(struct wd_nl_request *r, const struct wd_section *a, const char *slot, __u32 wait_ms)
{
	wd_nl_begin(r, a->family, UACCE_NL_SECTION_ATTACH, 0);
	wd_nl_put_string(r, UACCE_A_SECTION, a->name);
	if (slot)
		wd_nl_put_string(r, UACCE_A_SLOT, slot);
	if (wait_ms)
		wd_nl_put_u32(r, UACCE_A_WAIT_MS, wait_ms);
}

static void detach(int family, int fd, struct wd_nl_reply *reply)
{
	struct wd_nl_request r;

	wd_nl_begin(&r, family, UACCE_NL_SECTION_DETACH, NLM_F_ACK);
	wd_nl_ask(fd, &r, reply);
}

static const struct nlattr *find(const struct wd_nl_reply *reply, unsigned int type)
{
	const struct nlattr *attr;
	size_t at = 0;

	while ((attr = wd_nl_next(reply->attrs, reply->len, &at)))
		if (wd_nl_type(attr) == type)
			return attr;
	return NULL;
}

/* In the queue: until the kernel grants a slot, or says that it won't, or a signal's handler has run. */
static int wait_for_slot(struct wd_section *a, const struct wd_nl_request *r, struct wd_nl_reply *reply, __u32 wait_ms)
{
	__u64 until = wd_now_ns() + wait_ms * 1000000ull + GRACE_NS;
	const struct nlattr *error;
	int ret;

	ret = wd_nl_wait(a->socket.fd, r, reply, until, true);
	if (ret == -ETIME || ret == -EINTR)
		detach(a->family, a->socket.fd, reply);
	error = ret ? NULL : find(reply, UACCE_A_ERROR);
	if (error)
		ret = wd_nl_error(error);
	if (ret == -ETIME || ret == -ETIMEDOUT)
		return wd_fail_all(NULL, EUSERS, "section %s: no slot has become free within %u ms", a->name, wait_ms, 0);
	return ret ? refused(a->name, ret, "while waiting for a slot") : 0;
}

static int ask(struct wd_section *a, __u32 wait_ms, struct wd_nl_reply *reply)
{
	int fd = a->socket.fd, ret;
	struct wd_nl_request r;

	attach_request(&r, a, NULL, wait_ms);
	ret = wd_nl_ask(fd, &r, reply);
	if (ret == -EALREADY) {
		wd_fork_file_del(&a->socket);
		ret = take_over(a, a->name, fd, reply);
		if (ret)
			wd_fork_file_add(&a->socket, fd);
		return ret;
	}
	if (ret)
		return refused(a->name, ret, reply->why);
	if (find(reply, UACCE_A_TICKET)) {
		ret = wait_for_slot(a, &r, reply, wait_ms);
		if (ret)
			return ret;
	}
	ret = take_slot(a, reply);
	return ret ? refused(a->name, ret, ret == -ENOMEM ? "no memory for what it grants" : "the kernel's answer names no slot") : 0;
}

static bool no_netlink(int ret)
{
	return ret == -EAFNOSUPPORT || ret == -EPROTONOSUPPORT || ret == -ENOPROTOOPT;
}

int wd_attach(struct wd_section *a, const char *name, __u32 wait_ms)
{
	struct wd_nl_reply reply;
	int fd, ret;

	if (wd_nl_reply_init(&reply))
		return wd_fail(NULL, ENOMEM, "no memory for a netlink message");
	a->inherited = false;
	strcpy(a->name, name);
	fd = wd_nl_socket();
	if (fd < 0) {
		ret = no_netlink(fd) ? -EOPNOTSUPP : refused(name, fd, "no netlink socket");
		goto out;
	}
	/* A child forked meanwhile must not keep the place in the queue. */
	wd_fork_file_add(&a->socket, fd);
	a->family = wd_nl_family(fd, &reply);
	if (!a->family)
		ret = -EOPNOTSUPP;
	else
		ret = a->family < 0 ? refused(name, a->family, "netlink") : ask(a, wait_ms, &reply);
	if (ret)
		close(wd_fork_file_del(&a->socket));
out:
	wd_nl_reply_fini(&reply);
	return ret;
}

void wd_detach(struct wd_section *a)
{
	struct wd_nl_reply reply;

	if (!wd_nl_reply_init(&reply)) {
		detach(a->family, a->socket.fd, &reply);
		wd_nl_reply_fini(&reply);
	}
	close(wd_fork_file_del(&a->socket));
}

/*
 * An attachment can't be looked at, but who has one is told so whatever else he
 * asks for; who has none doesn't get a slot that can't exist.
 */
bool wd_attach_alive(struct wd_section *a)
{
	struct wd_nl_request r;
	struct wd_nl_reply reply;
	int ret;

	if (wd_nl_reply_init(&reply))
		return true;
	attach_request(&r, a, NO_SLOT, 0);
	ret = wd_nl_ask(a->socket.fd, &r, &reply);
	wd_nl_reply_fini(&reply);
	/* Not allowed to attach any more says nothing of a slot that it has. */
	return ret != -ENOENT && ret != -ESHUTDOWN;
}
