// SPDX-License-Identifier: Apache-2.0
/* The common part of commands that provision: the file, the kernel's side, the plan and its execution. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/sleep.h"
#include "lib/apply.h"
#include "lib/health.h"
#include "lib/held.h"
#include "lib/idname.h"
#include "lib/json_config.h"
#include "lib/members.h"
#include "lib/text_file.h"
#include "provision.h"

#define LOCK_WAIT_MS 2000
#define DRAIN_WAIT_SECONDS 5
#define WAIT_SECONDS_MAX 86400
#define PROGRESS_MS 100
#define HELD_LOOK_MS 100

void provision_print_errors(const struct config *c, const char *file)
{
	size_t i;

	for (i = 0; i < c->errors && i < CONFIG_ERRORS_SHOWN; i++)
		fprintf(stderr, "%s:%zu: %s\n", file, c->error[i].line,
			c->error[i].text ? c->error[i].text : "out of memory");
	if (c->errors > CONFIG_ERRORS_SHOWN)
		fprintf(stderr, "%s: and %zu more errors\n", file, c->errors - CONFIG_ERRORS_SHOWN);
	for (i = 0; i < c->notes && i < CONFIG_ERRORS_SHOWN; i++)
		fprintf(stderr, "%s:%zu: note: %s\n", file, c->note[i].line,
			c->note[i].text ? c->note[i].text : "out of memory");
	if (c->notes > CONFIG_ERRORS_SHOWN)
		fprintf(stderr, "%s: and %zu more notes\n", file, c->notes - CONFIG_ERRORS_SHOWN);
}

static enum wdctl_exit print_json_errors(const char *command, const struct config *c)
{
	return provision_print_json(command, json_from_errors(c));
}

enum wdctl_exit provision_parse_file(const struct wdctl_run *r, const char *command, const char *file,
				     struct config *c)
{
	const char *name = strcmp(file, "-") ? file : "standard input";
	struct id_names names = idname_source(&r->root);
	size_t len;
	char *text;
	int ret;

	memset(c, 0, sizeof(*c));
	ret = text_file_read(file, &text, &len);
	if (ret) {
		wdctl_error(command, "%s: %s", name, strerror(-ret));
		return EXIT_FAILED;
	}
	ret = config_parse(c, text, len, &names);
	free(text);
	if (ret) {
		wdctl_error(command, "%s: %s", name, strerror(-ret));
		return EXIT_FAILED;
	}
	if (!r->json || r->opt[PROVISION_KEEP_GOING])
		provision_print_errors(c, name);
	else if (c->errors)
		print_json_errors(command, c);
	return c->errors && !r->opt[PROVISION_KEEP_GOING] ? EXIT_FAILED : EXIT_DONE;
}

static bool wait_parse(struct provision *p, const char *text)
{
	char *end;
	long n;

	p->wait_ms = DRAIN_WAIT_SECONDS * 1000;
	if (!text)
		return true;
	errno = 0;
	n = strtol(text, &end, 10);
	if (end == text || *end || errno || n < 0 || n > WAIT_SECONDS_MAX) {
		wdctl_error(p->command, "--wait %s: expected seconds from 0 to %d", text, WAIT_SECONDS_MAX);
		return false;
	}
	p->wait_ms = n * 1000;
	return true;
}

static void open_failed(const struct provision *p, int ret)
{
	const struct root *r = &p->run->root;

	if (ret == -ENOENT && root_exists(r, "/sys/module/uacce") && !health_configfs_mounted(r))
		wdctl_error(p->command, "%s/sys/kernel/config: configfs is not mounted; run "
			    "'mount -t configfs none /sys/kernel/config'", r->dir);
	else if (ret == -ENOENT)
		wdctl_error(p->command, "%s%s: this kernel has no sections; run 'wdctl doctor' for the cause",
			    p->run->root.dir, TREE_PATH);
	else
		wdctl_error(p->command, "%s%s: %s", p->run->root.dir, TREE_PATH, strerror(-ret));
}

enum wdctl_exit provision_open_wait(struct provision *p, const struct wdctl_run *r, const char *command, int lock_ms)
{
	int ret;

	*p = (struct provision){ .run = r, .command = command };
	p->options.prune = r->opt[PROVISION_PRUNE];
	p->options.revoke = r->opt[PROVISION_REVOKE];
	p->options.missing_ok = r->opt[PROVISION_MISSING_OK];
	p->options.keep_going = r->opt[PROVISION_KEEP_GOING];
	p->verbose = r->opt[PROVISION_VERBOSE];
	if (!wait_parse(p, r->opt[PROVISION_WAIT]))
		return EXIT_USAGE;
	ret = tree_open(&p->tree, &r->root);
	if (ret) {
		open_failed(p, ret);
		return EXIT_FAILED;
	}
	ret = lock_ms >= 0 && !r->dry_run ? tree_lock(&p->tree, lock_ms) : 0;
	if (ret == -EWOULDBLOCK) {
		wdctl_error(command, "another wdctl is changing sections; try again when it is done");
		tree_close(&p->tree);
		return EXIT_BUSY;
	}
	if (ret) {
		wdctl_error(command, "%s%s: %s%s", r->root.dir, TREE_LOCK, strerror(-ret),
			    ret == -EACCES ? " (changing sections needs root)" : "");
		tree_close(&p->tree);
		return EXIT_FAILED;
	}
	ret = tree_read(&p->tree, &p->kernel);
	if (!ret)
		ret = members_read(&p->kernel, &r->root);
	if (ret) {
		open_failed(p, ret);
		tree_close(&p->tree);
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}

enum wdctl_exit provision_open(struct provision *p, const struct wdctl_run *r, const char *command, bool change)
{
	return provision_open_wait(p, r, command, change ? LOCK_WAIT_MS : -1);
}

void provision_close(struct provision *p)
{
	config_free(&p->kernel);
	tree_close(&p->tree);
}

enum wdctl_exit provision_print_json(const char *command, struct json_object *top)
{
	if (!top) {
		wdctl_error(command, "out of memory");
		return EXIT_FAILED;
	}
	printf("%s\n", json_object_to_json_string_ext(top, JSON_C_TO_STRING_PRETTY |
						      JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(top);
	return EXIT_DONE;
}

static void print_lines(const struct provision *p, const struct text_list *l, const char *word)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		wdctl_error(p->command, "%s%s", word, l->line[i]);
}

static void print_step(const struct step *s)
{
	char *text = plan_describe(s);

	printf("%s\n", text ? text : "out of memory");
	free(text);
}

/* The first signal stops apply after a step, and the steps are undone; the second ends the waits of undoing. */
static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
	(void)sig;
	/* Only the first two signals have a meaning. */
	if (stopped < 2)
		stopped++;
}

static const int stop_signals[] = { SIGINT, SIGTERM, SIGHUP };
#define STOP_SIGNALS (sizeof(stop_signals) / sizeof(stop_signals[0]))

struct signals_before {
	struct sigaction stop[STOP_SIGNALS], pipe;
};

static void signals_take(struct signals_before *before)
{
	struct sigaction sa = { .sa_handler = on_signal };
	size_t i;

	stopped = 0;
	/* Handled one at a time, so that each signal counts. */
	sigfillset(&sa.sa_mask);
	for (i = 0; i < STOP_SIGNALS; i++)
		sigaction(stop_signals[i], &sa, &before->stop[i]);
	/* A reader that closes our output must not stop the change in between. */
	sa.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &sa, &before->pipe);
}

static void signals_give_back(const struct signals_before *before)
{
	size_t i;

	for (i = 0; i < STOP_SIGNALS; i++)
		sigaction(stop_signals[i], &before->stop[i], NULL);
	sigaction(SIGPIPE, &before->pipe, NULL);
}

struct progress {
	const struct provision *p;
	const struct plan *plan;
	bool terminal, shown;
	long next_ms;
};

static int progress_stops(void *arg)
{
	(void)arg;
	return stopped;
}

static void progress_done(void *arg, size_t step)
{
	struct progress *g = arg;
	struct timespec t;
	long now;

	if (g->p->verbose) {
		print_step(&g->plan->step[step]);
		return;
	}
	if (!g->terminal)
		return;
	clock_gettime(CLOCK_MONOTONIC, &t);
	now = t.tv_sec * 1000 + t.tv_nsec / 1000000;
	if (now < g->next_ms)
		return;
	g->next_ms = now + PROGRESS_MS;
	g->shown = true;
	fprintf(stderr, "\r%zu of %zu steps", step + 1, g->plan->steps);
	fflush(stderr);
}

static void report_failure(const struct provision *p, const struct plan *plan, const struct apply_result *res)
{
	const struct step *s = &plan->step[res->done];
	char *text = plan_describe(s);

	wdctl_error(p->command, "%s: %s%s%s", text ? text : s->name, apply_error(s, res->error),
		    res->reason ? ": " : "", res->reason ? res->reason : "");
	free(text);
	print_lines(p, &res->left, "");
	if (res->done)
		wdctl_error(p->command, "%zu of %zu steps undone", res->undone, res->done);
}

static bool has_to_drain(const struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->steps; i++)
		if (plan->step[i].op == STEP_DRAIN_WAIT)
			return true;
	return false;
}

/*
 * A drain can't be cancelled while slots are held, so it begins when none is held. New holders may attach during this
 * wait, and after its last check; the drain waits for the latter. @wait_ms returns the rest of the time.
 */
static int wait_until_free(const struct provision *p, const struct plan *plan, int *wait_ms)
{
	struct text_list held;
	struct wd_nl family;
	uint64_t until = wd_now_ns() + (uint64_t)*wait_ms * 1000000, now;
	bool told = false;
	int ret = 0, look;

	/* A recorded machine has no holders. If the kernel doesn't answer, the drain itself finds out. */
	if (!has_to_drain(plan) || root_is_fake(&p->run->root) || wd_nl_open(&family, UACCE_GENL_NAME))
		return 0;
	while (!ret) {
		look = held_read(&family, plan, &held);
		/* One failed request during the wait doesn't end the wait. */
		if (look ? !told || look == -ENOENT : !held.count)
			break;
		if (stopped || wd_now_ns() >= until) {
			ret = stopped ? -EINTR : -ETIMEDOUT;
			print_lines(p, &held, "");
		} else if (!told) {
			print_lines(p, &held, "note: waiting: ");
			told = true;
		}
		text_list_free(&held);
		if (!ret)
			poll(NULL, 0, HELD_LOOK_MS);
	}
	wd_nl_close(&family);
	now = wd_now_ns();
	*wait_ms = now < until ? (int)((until - now) / 1000000) : 0;
	return ret;
}

static enum wdctl_exit not_free(const struct provision *p, int error)
{
	if (error == -EINTR)
		wdctl_error(p->command, "interrupted; nothing has been changed");
	else
		wdctl_error(p->command,
			    "processes hold slots of sections that must drain, so nothing has been changed; "
			    "use --wait to wait longer, or --revoke to take the slots away");
	return error == -EINTR ? EXIT_FAILED : EXIT_BUSY;
}

static bool section_held(void *arg, const char *section)
{
	const struct progress *g = arg;
	struct fact_section s;
	struct wd_nl family;
	bool held = false;

	if (root_is_fake(&g->p->run->root) || wd_nl_open(&family, UACCE_GENL_NAME))
		return false;
	if (!facts_section(&family, section, &s)) {
		held = s.attached + s.lingering;
		fact_section_fini(&s);
	}
	wd_nl_close(&family);
	return held;
}

static enum wdctl_exit report_each(const struct provision *p, const struct apply_result *res)
{
	print_lines(p, &res->failed, "");
	print_lines(p, &res->left, "");
	if (!p->verbose)
		printf("%zu step%s done\n", res->done, res->done == 1 ? "" : "s");
	return res->error ? EXIT_FAILED : EXIT_DONE;
}

static enum wdctl_exit execute(struct provision *p, const struct plan *plan)
{
	struct progress g = { .p = p, .plan = plan, .terminal = isatty(STDERR_FILENO) };
	struct apply_options o = { p->wait_ms, &g, progress_done, progress_stops, section_held };
	bool each = p->options.keep_going;
	struct signals_before before;
	struct apply_result res;
	enum wdctl_exit result = EXIT_DONE;
	int ret;

	signals_take(&before);
	ret = wait_until_free(p, plan, &o.wait_ms);
	if (each && ret == -ETIMEDOUT)
		ret = 0;
	if (!ret && each)
		apply_each(&p->tree, plan, &o, &res);
	else if (!ret)
		apply_plan(&p->tree, plan, &o, &res);
	signals_give_back(&before);
	if (ret)
		return not_free(p, ret);
	if (g.shown)
		fprintf(stderr, "\r\033[K");
	if (each) {
		result = report_each(p, &res);
	} else if (res.error) {
		report_failure(p, plan, &res);
		result = res.error == -EBUSY || res.error == -ETIMEDOUT ? EXIT_BUSY : EXIT_FAILED;
	} else if (!p->verbose) {
		printf("%zu step%s done\n", plan->steps, plan->steps == 1 ? "" : "s");
	}
	apply_result_free(&res);
	return result;
}

/* After failures too: steps are done and undone one after the other. */
static void tell_change(const struct provision *p)
{
	int ret = tree_tell_change(&p->tree);

	if (ret)
		wdctl_error(p->command, "note: %s%s: %s; run 'wdctl export cdi' again if containers use sections",
			    p->run->root.dir, TREE_CHANGED, strerror(-ret));
}

static enum wdctl_exit print_plan(const struct provision *p, const struct plan *plan)
{
	size_t i;

	if (p->run->json)
		return provision_print_json(p->command, json_from_plan(plan));
	for (i = 0; i < plan->steps; i++)
		print_step(&plan->step[i]);
	return EXIT_DONE;
}

enum wdctl_exit provision_change(struct provision *p, const struct config *wanted, bool plan_only)
{
	enum wdctl_exit result = EXIT_DONE;
	struct plan plan;
	bool failed;

	plan_only |= p->run->dry_run;
	if (plan_make(&plan, wanted, &p->kernel, &p->options)) {
		wdctl_error(p->command, "out of memory");
		return EXIT_FAILED;
	}
	if (!(plan_only && p->run->json)) {
		print_lines(p, &plan.notes, "note: ");
		print_lines(p, &plan.lacks, "note: ");
		print_lines(p, &plan.errors, "");
	}
	/* Errors elsewhere in the file are no failure of what one device needs. */
	failed = plan.errors.count || (p->options.keep_going && wanted->errors && !p->options.partial);
	if (plan_only && (p->run->json || p->options.keep_going || !plan.errors.count))
		result = print_plan(p, &plan);
	if (!plan_only && plan.steps) {
		result = execute(p, &plan);
		tell_change(p);
	}
	if (failed)
		result = EXIT_FAILED;
	else if (!plan.steps && !p->run->json)
		printf("nothing to do\n");
	plan_free(&plan);
	return result;
}
