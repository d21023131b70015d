// SPDX-License-Identifier: Apache-2.0
/* wdctl ctx: the open contexts and the processes that hold them. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "lib/holder.h"
#include "lib/json_facts.h"
#include "lib/privilege.h"
#include "provision.h"
#include "table.h"

#define COMMAND "ctx"

struct filter {
	const char *dev;	/* its own name; NULL: any */
	const char *section;
	unsigned long pid;
	bool by_pid;
};

static bool is_wanted(const struct filter *f, const struct fact_ctx *c)
{
	return (!f->dev || !strcmp(f->dev, c->dev)) && (!f->section || !strcmp(f->section, c->section)) &&
	       (!f->by_pid || f->pid == c->pid);
}

/* The kernel lists contexts by number of the device, not by its name. */
static int order(const void *a, const void *b)
{
	const struct fact_ctx *x = a, *y = b;
	int ret = fact_order(x->dev, y->dev);

	return ret ? ret : (x->id > y->id) - (x->id < y->id);
}

static void add_count(struct table *t, const struct fact_count *c)
{
	if (c->known)
		table_add(t, "%" PRIu64, c->n);
	else
		table_add(t, "-");
}

static void add_row(struct table *t, const struct fact_ctx *c)
{
	char age[FACT_AGE_SIZE];

	table_add(t, "%s", c->dev);
	if (c->has_id)
		table_add(t, "%u", c->id);
	else
		table_add(t, "-");
	if (c->pid)
		table_add(t, "%u", c->pid);
	else
		table_add(t, "ended");
	table_add(t, "%s", c->comm);
	table_add(t, "%s", c->section[0] ? c->section : "-");
	table_add(t, "%s", c->slot[0] ? c->slot : "-");
	table_add(t, "%s", fact_ctx_class_name(c->class));
	table_add(t, "%s", fact_ctx_state_name(c->state));
	table_add(t, "%s", fact_age(age, c->age_ms));
	table_add(t, "%d", c->node);
	table_add(t, "%u", c->errors);
	add_count(t, &c->wrong_results);
	add_count(t, &c->requests);
}

static enum wdctl_exit print_table(const struct filter *f, const struct fact_ctxs *l)
{
	static const char *const heads[] = {
		"DEVICE", "CTX", "PID", "COMMAND", "SECTION", "SLOT", "CLASS", "STATE", "AGE", "NODE", "ERRORS",
		"WRONG", "REQUESTS",
	};
	struct table t;
	size_t i;

	table_init(&t, sizeof(heads) / sizeof(heads[0]));
	for (i = 0; i < t.columns; i++)
		table_add(&t, "%s", heads[i]);
	for (i = 0; i < l->count; i++)
		if (is_wanted(f, &l->item[i]))
			add_row(&t, &l->item[i]);
	if (t.cells == t.columns)
		fprintf(stderr, "no contexts\n");
	if (!table_print(&t))
		return EXIT_DONE;
	wdctl_error(COMMAND, "out of memory");
	return EXIT_FAILED;
}

static enum wdctl_exit print_json(const struct filter *f, const struct fact_ctxs *l, bool complete)
{
	struct json_object *top = json_object_new_object(), *list = json_object_new_array();
	size_t i;

	if (!top || !list)
		return provision_print_json(COMMAND, NULL);
	for (i = 0; i < l->count; i++)
		if (is_wanted(f, &l->item[i]))
			json_object_array_add(list, json_from_fact_ctx(&l->item[i]));
	json_object_object_add(top, "contexts", list);
	json_object_object_add(top, "all_users", json_object_new_boolean(privilege_admin()));
	json_object_object_add(top, "complete", json_object_new_boolean(complete));
	return provision_print_json(COMMAND, top);
}

static enum wdctl_exit print_ctxs(struct wd_nl *family, const struct filter *f, bool json)
{
	enum wdctl_exit result;
	struct fact_ctxs ctxs;
	int ret = holder_ctxs(family, &ctxs);

	if (ret && !ask_torn(COMMAND, ret)) {
		ask_failed(COMMAND, NULL, family, ret);
		return EXIT_FAILED;
	}
	if (ctxs.count)
		qsort(ctxs.item, ctxs.count, sizeof(*ctxs.item), order);
	result = json ? print_json(f, &ctxs, !ret) : print_table(f, &ctxs);
	fact_ctxs_free(&ctxs);
	if (!privilege_admin())
		wdctl_error(COMMAND, "note: only contexts of user %u are listed; listing all needs CAP_SYS_ADMIN",
			    (unsigned int)geteuid());
	return result;
}

/* Contexts name devices by their own names only. */
static bool filter_device(struct filter *f, const struct fact_devices *devices)
{
	const struct fact_device *d = fact_device_find(devices, f->dev);

	if (!d) {
		wdctl_error(COMMAND, "%s: no such device", f->dev);
		return false;
	}
	f->dev = d->name;
	return true;
}

static bool filter_section(struct wd_nl *family, const struct filter *f)
{
	struct fact_section s;
	int ret = facts_section(family, f->section, &s);

	if (!ret)
		fact_section_fini(&s);
	else
		ask_failed(COMMAND, f->section, family, ret);
	return !ret;
}

static enum wdctl_exit ask(struct wd_nl *family, struct filter *f, bool json)
{
	struct fact_devices devices = { 0 };
	enum wdctl_exit result = EXIT_FAILED;
	int ret = f->dev ? facts_devices(family, &devices) : 0;

	if (ret && ret != -EINTR)
		ask_failed(COMMAND, NULL, family, ret);
	else if ((!f->dev || filter_device(f, &devices)) &&
		 (!f->section || filter_section(family, f)))
		result = print_ctxs(family, f, json);
	fact_devices_free(&devices);
	return result;
}

static enum wdctl_exit ctx_run(const struct wdctl_run *r)
{
	struct filter f = { .dev = r->opt['d'], .section = r->opt['s'], .by_pid = r->opt['p'] };
	enum wdctl_exit result;
	struct wd_nl family;

	if (f.by_pid && !ask_number(COMMAND, "pid", r->opt['p'], INT_MAX, &f.pid))
		return EXIT_USAGE;
	result = ask_open(COMMAND, &family);
	if (result != EXIT_DONE)
		return result;
	result = ask(&family, &f, r->json);
	wd_nl_close(&family);
	return result;
}

static const struct wdctl_option ctx_options[] = {
	{ 'd', "dev", "DEVICE", "only contexts of this device" },
	{ 's', "section", "NAME", "only contexts of this section" },
	{ 'p', "pid", "PID", "only contexts of this process" },
	{ 0 },
};

const struct wdctl_cmd cmd_ctx = {
	.name = COMMAND,
	.help = "list the open contexts and the processes that hold them",
	.kind = WDCTL_HAS_JSON,
	.options = ctx_options,
	.run = ctx_run,
};
