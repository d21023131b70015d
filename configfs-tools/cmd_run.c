// SPDX-License-Identifier: Apache-2.0
/* wdctl run: runs a program with a slot of a section. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/netlink.h>

#include "ask.h"
#include "base/sleep.h"

#define COMMAND "run"

/*
 * The first variable (PID,SOCKET,SECTION,SLOT) tells libwd that its process is already attached. Children of the
 * program are not attached: the second variable makes their libwd ask for slots of their own.
 */
#define ENV_ATTACHED "WD_ATTACHED"
#define ENV_SECTION "WD_SECTION"

/* Above the numbers that scripts use ("exec 3<file" would close it), below FD_SETSIZE. */
#define FD_MIN 200

#define WAIT_FOREVER UINT32_MAX
#define PROGRESS_NS NS_PER_S
#define NS_PER_S UINT64_C(1000000000)

struct grant {
	const char *section;
	bool verbose;
	uint32_t seq;		/* of the request */
	bool queued, granted;
	int error;		/* of a request that waited */
	char slot[FACT_NAME_MAX];
};

static enum wdctl_exit fail(const struct grant *g, const struct wd_nl *f, int error)
{
	char what[FACT_NAME_MAX];

	snprintf(what, sizeof(what), "section %s", g->section);
	ask_failed(COMMAND, what, f, error);
	return EXIT_NOT_RUN;
}

/* ------ the attachment ------ */

static void tell_grant(struct nlattr *nest)
{
	struct nlattr *a[UACCE_A_GRANT_MAX + 1];

	wd_nl_grant(nest, a);
	if (!a[UACCE_A_GRANT_DEV] || !a[UACCE_A_GRANT_SYNC] || !a[UACCE_A_GRANT_ASYNC])
		return;
	wdctl_error(COMMAND, "  %s: %u+%u contexts (node %d)", nla_get_string(a[UACCE_A_GRANT_DEV]),
		    wd_nl_u32(a[UACCE_A_GRANT_SYNC]), wd_nl_u32(a[UACCE_A_GRANT_ASYNC]),
		    a[UACCE_A_GRANT_NODE] ? nla_get_s32(a[UACCE_A_GRANT_NODE]) : -1);
}

static void tell_grants(const struct grant *g, const struct wd_nl_message *m)
{
	struct nlattr *a;
	int left;

	wdctl_error(COMMAND, "slot %s", g->slot);
	nla_for_each_attr(a, m->first, m->len, left)
		if (nla_type(a) == UACCE_A_GRANT)
			tell_grant(a);
}

static int take_answer(void *arg, const struct wd_nl_message *m)
{
	struct grant *g = arg;

	if (m->cmd != UACCE_NL_SECTION_ATTACH && !(m->cmd == UACCE_NL_SLOT_GRANTED && m->seq == g->seq))
		return 0;
	g->seq = m->seq;
	if (m->attr[UACCE_A_ERROR]) {
		g->error = -wd_nl_error(m->attr[UACCE_A_ERROR]);
	} else if (m->attr[UACCE_A_SLOT]) {
		wd_nl_string(m->attr[UACCE_A_SLOT], g->slot, sizeof(g->slot));
		g->granted = true;
		if (g->verbose)
			tell_grants(g, m);
	} else {
		g->queued = true;
	}
	return 0;
}

static void request(struct wd_nl *f, const struct wdctl_run *r, uint32_t wait_ms)
{
	wd_nl_begin(f, UACCE_NL_SECTION_ATTACH, NLM_F_ACK);
	wd_nl_put_string(f, UACCE_A_SECTION, r->opt['s']);
	if (r->opt['x'])
		wd_nl_put_string(f, UACCE_A_SLOT, r->opt['x']);
	if (r->opt['d'])
		wd_nl_put_string(f, UACCE_A_DEV, r->opt['d']);
	if (wait_ms)
		wd_nl_put_u32(f, UACCE_A_WAIT_MS, wait_ms);
}

/* ------ waiting ------ */

/* Asks on a socket of its own, because the first socket waits for the grant. */
static void tell_waiting(const struct grant *g, uint64_t waited_ns)
{
	unsigned int waiting = 0;
	struct fact_section s;
	struct wd_nl f;

	if (wd_nl_open(&f, UACCE_GENL_NAME))
		return;
	if (!facts_section(&f, g->section, &s)) {
		waiting = s.waiting;
		fact_section_fini(&s);
	}
	wd_nl_close(&f);
	fprintf(stderr, "\r\033[Kwdctl run: section %s: waiting %" PRIu64 " s, %u waiting; Ctrl-C ends the wait",
		g->section, waited_ns / NS_PER_S, waiting);
	fflush(stderr);
}

/* The kernel measures the time. A signal ends this process, and so removes it from the queue. */
static int await(struct wd_nl *f, struct grant *g)
{
	bool terminal = isatty(STDERR_FILENO);
	uint64_t began = wd_now_ns();
	int ret = 0;

	if (!terminal)
		wdctl_error(COMMAND, "section %s: all slots are taken, waiting", g->section);
	while (!ret && !g->granted && !g->error) {
		if (terminal)
			tell_waiting(g, wd_now_ns() - began);
		ret = wd_nl_wait(f, take_answer, g, wd_now_ns() + PROGRESS_NS, false);
		if (ret == -ETIME)
			ret = 0;
	}
	if (terminal)
		fprintf(stderr, "\r\033[K");
	return ret ? ret : -g->error;
}

/* Prints the counts of a full section, which the kernel's sentence doesn't have. */
static void tell_full(struct wd_nl *f, const struct grant *g, bool waited)
{
	struct fact_section s;

	if (facts_section(f, g->section, &s))
		return;
	wdctl_error(COMMAND, "section %s: %u slot%s, %u attached, %u lingering, %u waiting%s", g->section, s.slots,
		    s.slots == 1 ? "" : "s", s.attached, s.lingering, s.waiting,
		    waited ? "" : "; --wait MS waits for one");
	fact_section_fini(&s);
}

static enum wdctl_exit tell_waited(struct wd_nl *f, const struct grant *g, int error)
{
	f->why[0] = '\0';
	if (error == -ETIMEDOUT)
		snprintf(f->why, sizeof(f->why), "no slot came free in time");
	else if (error == -ESHUTDOWN)
		snprintf(f->why, sizeof(f->why), "the section was drained or revoked during the wait");
	else if (error == -EACCES)
		snprintf(f->why, sizeof(f->why), "the section no longer allows this user and its groups");
	fail(g, f, error);
	if (error == -ETIMEDOUT)
		tell_full(f, g, true);
	return EXIT_NOT_RUN;
}

static enum wdctl_exit attach(struct wd_nl *f, const struct wdctl_run *r, uint32_t wait_ms, struct grant *g)
{
	int ret;

	request(f, r, wait_ms);
	ret = wd_nl_ask(f, take_answer, g);
	if (ret) {
		fail(g, f, ret);
		if (ret == -EUSERS)
			tell_full(f, g, false);
		return EXIT_NOT_RUN;
	}
	if (!g->granted && !g->queued && !g->error)
		return fail(g, f, -EPROTO);
	ret = g->granted ? 0 : await(f, g);
	return ret ? tell_waited(f, g, ret) : EXIT_DONE;
}

/* ------ the program ------ */

/* The program inherits the descriptor, so the attachment lasts as long as the program. */
static int keep_open(const struct wd_nl *f)
{
	int fd = f->fd, high = fcntl(fd, F_DUPFD, FD_MIN);

	if (high >= 0)
		return high;
	/* The limit on descriptors is low: keep the number. */
	return fcntl(fd, F_SETFD, 0) ? -errno : fd;
}

static enum wdctl_exit run_program(const struct wdctl_run *r, const struct grant *g, int fd)
{
	char text[2 * FACT_NAME_MAX + 32];
	int error;

	snprintf(text, sizeof(text), "%d,%d,%s,%s", (int)getpid(), fd, g->section, g->slot);
	if (setenv(ENV_ATTACHED, text, 1) || setenv(ENV_SECTION, g->section, 1)) {
		wdctl_error(COMMAND, "out of memory");
		return EXIT_NOT_RUN;
	}
	execvp(r->args[0], r->args);
	error = errno;
	wdctl_error(COMMAND, "%s: %s", r->args[0], strerror(error));
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

static bool parse_wait(const char *text, uint32_t *wait_ms)
{
	unsigned long n = 0;

	if (!text)
		*wait_ms = 0;
	else if (!strcmp(text, "forever"))
		*wait_ms = WAIT_FOREVER;
	else if (ask_number(COMMAND, "wait", text, WAIT_FOREVER - 1, &n))
		*wait_ms = (uint32_t)n;
	else
		return false;
	return true;
}

static bool usage_good(const struct wdctl_run *r)
{
	if (!r->opt['s'])
		wdctl_error(COMMAND, "expected --section NAME");
	else if (r->opt['x'] && r->opt['d'])
		wdctl_error(COMMAND, "expected --slot or --device, not both");
	else if (!r->args_nr)
		wdctl_error(COMMAND, "expected a COMMAND to run");
	else
		return true;
	return false;
}

static enum wdctl_exit run_run(const struct wdctl_run *r)
{
	struct grant g = { .section = r->opt['s'], .verbose = r->opt['v'] };
	enum wdctl_exit result;
	struct wd_nl family;
	uint32_t wait_ms;
	int fd;

	if (!usage_good(r) || !parse_wait(r->opt['w'], &wait_ms))
		return EXIT_NOT_RUN;
	if (ask_open(COMMAND, &family) != EXIT_DONE)
		return EXIT_NOT_RUN;
	result = attach(&family, r, wait_ms, &g);
	if (result == EXIT_DONE) {
		fd = keep_open(&family);
		if (fd >= 0)
			result = run_program(r, &g, fd);
		else
			result = fail(&g, &family, fd);
	}
	wd_nl_close(&family);
	return result;
}

static const struct wdctl_option run_options[] = {
	{ 's', "section", "NAME", "the section to attach to" },
	{ 'x', "slot", "SLOT", "attach to this slot of the section" },
	{ 'd', "device", "DEVICE", "attach to a slot with contexts on this device" },
	{ 'w', "wait", "MS|forever", "wait that many milliseconds for a slot (0)" },
	{ 'v', "verbose", NULL, "print the slot and the contexts it has" },
	{ 0 },
};

const struct wdctl_cmd cmd_run = {
	.name = COMMAND,
	.help = "run a program with a slot of a section",
	.args = "[--] COMMAND [ARGUMENT...]",
	.kind = WDCTL_RUNS,
	.options = run_options,
	.run = run_run,
};
