// SPDX-License-Identifier: Apache-2.0
/* wdctl unload: unloads the kernel modules, last first, unless a process uses a device. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "lib/device.h"
#include "lib/displaced.h"
#include "lib/holder.h"
#include "lib/module.h"

#define MODULES_MAX 8

struct unload_plan {
	struct module module[MODULES_MAX];	/* in the order of unloading */
	size_t count;
};

static bool is_ours(const char *word, size_t len)
{
	size_t i;

	for (i = 0; module_names[i]; i++)
		if (strlen(module_names[i]) == len && !strncmp(module_names[i], word, len))
			return true;
	return false;
}

/* Reports other modules that use one of ours, for example another engine's driver. */
static bool has_other_holder(const struct module *m)
{
	const char *word = m->holders;
	bool found = false;
	size_t len;

	while (*word) {
		len = strcspn(word, " ");
		if (!is_ours(word, len)) {
			wdctl_error("unload", "%s: in use by module %.*s; unload that module first",
				    m->name, (int)len, word);
			found = true;
		}
		word += len;
		word += strspn(word, " ");
	}
	return found;
}

static int plan_make(struct module_db *db, struct unload_plan *plan)
{
	struct module *m;
	size_t i;
	int ret;

	for (i = 0; module_names[i]; i++)
		;
	while (i--) {
		m = &plan->module[plan->count];
		ret = module_read(db, module_names[i], m);
		if (ret) {
			wdctl_error("unload", "%s: %s", module_names[i], strerror(-ret));
			return ret;
		}
		if (m->loaded)
			plan->count++;
	}
	return 0;
}

/* Lists the processes with open queues. Return: true if there are any. */
static bool report_holders(const struct wdctl_run *r, bool fatal)
{
	struct device_list devices;
	struct holder_list holders;
	bool any = false;
	size_t i;

	if (device_list_read(&r->root, &devices))
		return false;
	if (!holder_list_read(&r->root, &devices, &holders)) {
		for (i = 0; i < holders.count; i++) {
			const struct holder *h = &holders.holder[i];

			wdctl_error("unload", "%s: in use by process %ld (%s), %u queue%s%s",
				    h->device, h->pid, h->comm, h->queues,
				    h->queues == 1 ? "" : "s", fatal ? "" : "; cut off by --force");
		}
		any = holders.count;
		holder_list_free(&holders);
	}
	device_list_free(&devices);
	return any;
}

/* A section keeps uacce loaded, even without a process in it. Return: true if there is any. */
static bool report_sections(const struct root *r)
{
	struct root_names names;
	bool any;
	size_t i;

	if (root_list(r, &names, "/sys/kernel/config/uacce/sections"))
		return false;
	for (i = 0; i < names.count; i++)
		wdctl_error("unload", "uacce: in use by section '%s'; remove it with 'wdctl section del %s'",
			    names.name[i], names.name[i]);
	any = names.count;
	root_names_free(&names);
	return any;
}

static enum wdctl_exit plan_check(const struct wdctl_run *r, const struct unload_plan *plan)
{
	bool force = r->opt['f'], busy = false;
	size_t i;

	for (i = 0; i < plan->count; i++)
		busy |= has_other_holder(&plan->module[i]);
	if (plan->count && report_sections(&r->root))
		busy = true;
	if (report_holders(r, !force) && !force)
		busy = true;
	return busy ? EXIT_BUSY : EXIT_DONE;
}

static void report_configured(const struct root *r)
{
	struct root_names names;
	size_t i;

	if (root_list(r, &names, "/sys/kernel/config/%s", module_sim_name))
		return;
	for (i = 0; i < names.count; i++)
		wdctl_error("unload", "%s: device '%s' is configured; remove it with 'rmdir /sys/kernel/config/%s/%s'",
			    module_sim_name, names.name[i], module_sim_name, names.name[i]);
	root_names_free(&names);
}

static enum wdctl_exit report_failure(const struct wdctl_run *r, struct module_db *db,
				      const char *name, int err)
{
	const char *meaning = module_error(err);
	struct module m;
	bool busy = err == -EBUSY || err == -EAGAIN;

	if (busy && !module_read(db, name, &m) && m.users > 0)
		wdctl_error("unload", "%s: in use (%ld reference%s%s%s)", name, m.users,
			    m.users == 1 ? "" : "s", m.holders[0] ? ", modules " : "", m.holders);
	else
		wdctl_error("unload", "%s: %s%s%s%s", name, strerror(-err), meaning ? " (" : "",
			    meaning ? meaning : "", meaning ? ")" : "");
	if (busy && !strcmp(name, module_sim_name))
		report_configured(&r->root);
	return busy ? EXIT_BUSY : EXIT_FAILED;
}

static enum wdctl_exit unload_all(const struct wdctl_run *r, struct module_db *db,
				  const struct unload_plan *plan)
{
	enum wdctl_exit result;
	size_t i;
	int ret;

	for (i = 0; i < plan->count; i++) {
		if (r->dry_run) {
			printf("%s: would be unloaded\n", plan->module[i].name);
			continue;
		}
		ret = module_remove(db, plan->module[i].name);
		if (ret) {
			result = report_failure(r, db, plan->module[i].name, ret);
			for (; i < plan->count; i++)
				printf("%s: still loaded\n", plan->module[i].name);
			return result;
		}
		printf("%s: unloaded\n", plan->module[i].name);
	}
	return EXIT_DONE;
}

/* The kernel's crypto goes on without its own drivers, but not what uses them at the moment. */
static void report_crypto(const struct wdctl_run *r, struct module_db *db)
{
	struct displaced d;
	char text[512];

	displaced_read(&d, &r->root, db);
	if (displaced_crypto(&d, text, sizeof(text)))
		wdctl_error("unload", "note: %s", text);
}

static enum wdctl_exit unload_run(const struct wdctl_run *r)
{
	struct unload_plan plan = { 0 };
	enum wdctl_exit result;
	struct module_db *db;
	int ret;

	ret = module_db_open(&db, &r->root, NULL);
	if (ret) {
		wdctl_error("unload", "%s", strerror(-ret));
		return EXIT_FAILED;
	}
	result = plan_make(db, &plan) ? EXIT_FAILED : plan_check(r, &plan);
	if (plan.count)
		report_crypto(r, db);
	if (result == EXIT_DONE && !plan.count)
		printf("nothing is loaded\n");
	else if (result == EXIT_DONE)
		result = unload_all(r, db, &plan);
	module_db_close(db);
	return result;
}

static const struct wdctl_option unload_options[] = {
	{ 'f', "force", NULL, "unload although processes have queues open; their requests fail" },
	{ 0 },
};

const struct wdctl_cmd cmd_unload = {
	.name = "unload",
	.help = "unload the kernel modules",
	.kind = WDCTL_CHANGE,
	.options = unload_options,
	.run = unload_run,
};
