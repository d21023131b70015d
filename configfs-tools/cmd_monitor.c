// SPDX-License-Identifier: Apache-2.0
/* wdctl monitor: prints events as they happen, and the number of lost events. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <linux/genetlink.h>

#include "ask.h"
#include "lib/event.h"
#include "lib/gap.h"
#include "lib/json_facts.h"

#define COMMAND "monitor"

/* A thousand sections that go live together are some 4 MB of events. */
#define BUFFER_KIB 16384
#define BUFFER_KIB_MAX (1024 * 1024)

struct monitor {
	bool json;
	bool wanted[EVENT_GROUPS];
	unsigned long count, seen;	/* events; count 0: no end */
	long timeout_ms;		/* 0: none */
	struct timespec began;
	struct wd_nl events, questions, control;
	bool has_control;
	struct gap gap[EVENT_GROUPS];
	bool unloaded;
};

/* ------ lines ------ */

static void json_line(struct json_object *o)
{
	char text[sizeof("2026-01-01T00:00:00.000Z") + 16];
	struct timespec t;
	struct tm tm;
	size_t len;

	clock_gettime(CLOCK_REALTIME, &t);
	gmtime_r(&t.tv_sec, &tm);
	len = strftime(text, sizeof(text), "%FT%T", &tm);
	snprintf(text + len, sizeof(text) - len, ".%03ldZ", t.tv_nsec / 1000000);
	json_object_object_add(o, "time", json_object_new_string(text));
	printf("%s\n", json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
}

static void begin_line(enum event_group group)
{
	struct timespec t;
	char text[16];
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &t);
	localtime_r(&t.tv_sec, &tm);
	strftime(text, sizeof(text), "%T", &tm);
	printf("%s.%03ld %-6s ", text, t.tv_nsec / 1000000, event_group_name(group));
}

/* Flushed at once: the reader of a pipe sees each event when it happens. */
static int end_line(void)
{
	return fflush(stdout) || ferror(stdout) ? -EPIPE : 0;
}

/* @known: @lost is the number of lost events; otherwise the number is unknown. */
static int print_lost(const struct monitor *m, enum event_group group, bool known, uint64_t lost)
{
	struct json_object *o;

	if (m->json) {
		o = json_object_new_object();
		if (!o)
			return -ENOMEM;
		json_object_object_add(o, "group", json_object_new_string(event_group_name(group)));
		json_object_object_add(o, "event", json_object_new_string("lost"));
		json_object_object_add(o, "lost", known ? json_object_new_uint64(lost) : NULL);
		json_line(o);
	} else {
		begin_line(group);
		if (known)
			printf("lost %" PRIu64 " event%s\n", lost, lost == 1 ? "" : "s");
		else
			printf("lost events: their number is unknown without a device\n");
	}
	return end_line();
}

static int print_event(const struct monitor *m, const struct event *e)
{
	struct json_object *o;

	if (m->json) {
		o = json_from_event(e);
		if (!o)
			return -ENOMEM;
		json_line(o);
	} else {
		begin_line(e->group);
		event_print(stdout, e);
		putchar('\n');
	}
	return end_line();
}

/* ------ events ------ */

static bool is_over(const struct monitor *m)
{
	return m->count && m->seen >= m->count;
}

static int take_event(void *arg, const struct wd_nl_message *message)
{
	struct monitor *m = arg;
	struct event e;
	uint64_t lost;
	int ret = event_parse(&e, message);

	/* An event of a newer kernel, unknown here; its number counts as lost. */
	if (ret == -EINVAL || is_over(m))
		return 0;
	if (ret)
		return ret;
	lost = gap_event(&m->gap[e.group], e.seq);
	ret = lost ? print_lost(m, e.group, true, lost) : 0;
	if (!ret)
		ret = print_event(m, &e);
	m->seen++;
	event_fini(&e);
	return ret;
}

/*
 * Reads the current numbers of the groups, which any device reports. Return: 0, -ENODATA without a device, -errno; but
 * not -ETIME or -EPIPE, with which watch() ends.
 */
static int ask_current(struct monitor *m, uint64_t current[EVENT_GROUPS])
{
	struct fact_devices devices;
	size_t i;
	int ret = facts_devices(&m->questions, &devices);

	if (ret && ret != -EINTR)
		return ret == -ETIME ? -ETIMEDOUT : ret == -EPIPE ? -ECONNRESET : ret;
	ret = devices.count ? 0 : -ENODATA;
	current[EVENT_GROUP_CONFIG] = 0;
	current[EVENT_GROUP_EVENT] = 0;
	for (i = 0; i < devices.count; i++) {
		/* During a long dump the numbers grow: the highest is the current one. */
		if (devices.item[i].config_seq > current[EVENT_GROUP_CONFIG])
			current[EVENT_GROUP_CONFIG] = devices.item[i].config_seq;
		if (devices.item[i].event_seq > current[EVENT_GROUP_EVENT])
			current[EVENT_GROUP_EVENT] = devices.item[i].event_seq;
	}
	fact_devices_free(&devices);
	return ret;
}

/* Reads all events that are there. Return: 0, -ENOBUFS if some were lost, -errno. */
static int drain(struct monitor *m)
{
	bool lost = false;
	int ret;

	do {
		ret = wd_nl_receive(&m->events, take_event, m);
		lost |= ret == -ENOBUFS;
	} while ((!ret || ret == -ENOBUFS) && !is_over(m));
	if (ret && ret != -EAGAIN && ret != -ENOBUFS)
		return ret;
	return lost ? -ENOBUFS : 0;
}

/*
 * After an overflow, a socket accepts nothing until it is empty, and reports the overflow only once. So this empties it
 * first; then every event up to the current number is either in the socket or lost.
 */
static int settle(struct monitor *m)
{
	uint64_t current[EVENT_GROUPS], lost;
	bool known = true;
	int g, ret, again;

	do {
		ret = ask_current(m, current);
		known = ret != -ENODATA;
		if (ret && known)
			return ret;
		again = drain(m);
	} while (again == -ENOBUFS && !is_over(m));
	for (g = 0, ret = again; g < EVENT_GROUPS && !ret; g++) {
		if (!m->wanted[g] || is_over(m))
			continue;
		lost = known ? gap_settle(&m->gap[g], current[g]) : 0;
		if (lost || !known)
			ret = print_lost(m, g, known, lost);
	}
	return ret;
}

/* ------ unloading of the module ------ */

static int take_control(void *arg, const struct wd_nl_message *message)
{
	struct monitor *m = arg;

	m->unloaded |= message->cmd == CTRL_CMD_DELFAMILY && message->attr[CTRL_ATTR_FAMILY_ID] &&
		       nla_get_u16(message->attr[CTRL_ATTR_FAMILY_ID]) == m->events.family;
	return 0;
}

/* A socket for changes of families. Without it, the unloading of the module isn't noticed. */
static bool control_open(struct monitor *m)
{
	if (wd_nl_open(&m->control, WD_NL_CONTROL))
		return false;
	if (!wd_nl_join(&m->control, "notify"))
		return true;
	wd_nl_close(&m->control);
	return false;
}

/* ------ the loop ------ */

/* -1: no end. */
static int time_left(const struct monitor *m)
{
	struct timespec now;
	long ms;

	if (!m->timeout_ms)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (now.tv_sec - m->began.tv_sec) * 1000 + (now.tv_nsec - m->began.tv_nsec) / 1000000;
	return ms >= m->timeout_ms ? 0 : (int)(m->timeout_ms - ms);
}

/* Return: 0 after enough events, -ETIME after the timeout, -ENODEV after the module was unloaded, or -errno. */
static int watch(struct monitor *m)
{
	struct pollfd fds[] = {
		{ m->events.fd, POLLIN, 0 },
		{ m->has_control ? m->control.fd : -1, POLLIN, 0 },
		{ STDOUT_FILENO, 0, 0 },	/* its reader may go away */
	};
	int ret = 0, left;

	while (!ret && !is_over(m)) {
		left = time_left(m);
		if (!left)
			return -ETIME;
		if (poll(fds, sizeof(fds) / sizeof(fds[0]), left) < 0 && errno != EINTR)
			return -errno;
		if (fds[2].revents & POLLERR)
			return -EPIPE;
		if (fds[1].revents)
			wd_nl_receive(&m->control, take_control, m);
		ret = drain(m);
		if (ret == -ENOBUFS)
			ret = settle(m);
		if (!ret && m->unloaded)
			return -ENODEV;
	}
	return ret;
}

static enum wdctl_exit finish(const struct monitor *m, int ret)
{
	switch (ret) {
	case 0:
		return EXIT_DONE;
	case -ETIME:
		if (!m->count)
			return EXIT_DONE;
		wdctl_error(COMMAND, "%lu of %lu events came before the timeout", m->seen, m->count);
		return EXIT_FAILED;
	case -ENODEV:
		wdctl_error(COMMAND, "the module uacce was unloaded: no more events will come");
		return EXIT_FAILED;
	case -EPIPE:
		/* The reader closed the pipe: end without a message, as SIGPIPE does. */
		return EXIT_FAILED;
	default:
		wdctl_error(COMMAND, "netlink: %s", strerror(-ret));
		return EXIT_FAILED;
	}
}

/* ------ start ------ */

static void set_buffer(int fd, int kib)
{
	int bytes = kib > INT_MAX / 1024 ? INT_MAX : kib * 1024;

	/* Exceeding net.core.rmem_max needs CAP_NET_ADMIN; without it that is the limit. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

static enum wdctl_exit join(struct monitor *m, bool named)
{
	int ret;

	if (m->wanted[EVENT_GROUP_CONFIG]) {
		ret = wd_nl_join(&m->events, UACCE_MCGRP_CONFIG);
		if (ret) {
			wdctl_error(COMMAND, "group config: %s", strerror(-ret));
			return EXIT_FAILED;
		}
	}
	if (!m->wanted[EVENT_GROUP_EVENT])
		return EXIT_DONE;
	ret = wd_nl_join(&m->events, UACCE_MCGRP_EVENT);
	if (!ret)
		return EXIT_DONE;
	if (ret != -EPERM || named) {
		wdctl_error(COMMAND, "group event: %s", ret == -EPERM ? "needs CAP_SYS_ADMIN" : strerror(-ret));
		return EXIT_FAILED;
	}
	wdctl_error(COMMAND, "note: listening to group config only; group event needs CAP_SYS_ADMIN");
	m->wanted[EVENT_GROUP_EVENT] = false;
	return EXIT_DONE;
}

static enum wdctl_exit monitor(struct monitor *m, bool named, int buffer_kib)
{
	uint64_t current[EVENT_GROUPS];
	enum wdctl_exit result;
	int g, ret;

	set_buffer(m->events.fd, buffer_kib);
	result = join(m, named);
	if (result != EXIT_DONE)
		return result;
	clock_gettime(CLOCK_MONOTONIC, &m->began);
	ret = ask_current(m, current);
	for (g = 0; g < EVENT_GROUPS && !ret; g++)
		gap_begin(&m->gap[g], current[g]);
	if (!ret || ret == -ENODATA) {
		m->has_control = control_open(m);
		/* A script can wait for this line before it causes events. */
		wdctl_error(COMMAND, "listening to group%s%s%s", m->wanted[EVENT_GROUP_CONFIG] ? " config" : "",
			    m->wanted[EVENT_GROUP_CONFIG] && m->wanted[EVENT_GROUP_EVENT] ? " and" : "",
			    m->wanted[EVENT_GROUP_EVENT] ? " event" : "");
		ret = watch(m);
		if (m->has_control)
			wd_nl_close(&m->control);
	}
	return finish(m, ret);
}

static bool parse_options(struct monitor *m, const struct wdctl_run *r, unsigned long *buffer_kib)
{
	const char *group = r->opt['g'];

	m->json = r->json;
	m->wanted[EVENT_GROUP_CONFIG] = !group || !strcmp(group, UACCE_MCGRP_CONFIG);
	m->wanted[EVENT_GROUP_EVENT] = !group || !strcmp(group, UACCE_MCGRP_EVENT);
	if (!m->wanted[EVENT_GROUP_CONFIG] && !m->wanted[EVENT_GROUP_EVENT]) {
		wdctl_error(COMMAND, "--group %s: expected config or event", group);
		return false;
	}
	*buffer_kib = BUFFER_KIB;
	return (!r->opt['n'] || ask_number(COMMAND, "count", r->opt['n'], ULONG_MAX, &m->count)) &&
	       (!r->opt['t'] || ask_seconds(COMMAND, "timeout", r->opt['t'], &m->timeout_ms)) &&
	       (!r->opt['b'] || ask_number(COMMAND, "buffer", r->opt['b'], BUFFER_KIB_MAX, buffer_kib));
}

static enum wdctl_exit monitor_run(const struct wdctl_run *r)
{
	struct monitor m = { 0 };
	enum wdctl_exit result;
	unsigned long buffer_kib;

	if (!parse_options(&m, r, &buffer_kib))
		return EXIT_USAGE;
	result = ask_open(COMMAND, &m.events);
	if (result != EXIT_DONE)
		return result;
	result = ask_open(COMMAND, &m.questions);
	if (result == EXIT_DONE) {
		result = monitor(&m, r->opt['g'], (int)buffer_kib);
		wd_nl_close(&m.questions);
	}
	wd_nl_close(&m.events);
	return result;
}

static const struct wdctl_option monitor_options[] = {
	{ 'g', "group", "config|event", "print only this group of events" },
	{ 'n', "count", "N", "end after N events" },
	{ 't', "timeout", "SECONDS", "end after SECONDS" },
	{ 'b', "buffer", "KIB", "size of the buffer for events not yet printed (16384)" },
	{ 0 },
};

const struct wdctl_cmd cmd_monitor = {
	.name = COMMAND,
	.help = "print events as they happen",
	.kind = WDCTL_HAS_JSON,
	.options = monitor_options,
	.run = monitor_run,
};
