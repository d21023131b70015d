// SPDX-License-Identifier: Apache-2.0
/* wdctl load: loads the kernel modules in order; if one fails, unloads those that it has loaded. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "lib/device.h"
#include "lib/displaced.h"
#include "lib/kconfig.h"
#include "lib/module.h"
#include "lib/privilege.h"
#include "lib/refusal.h"

#define MODULES_MAX 8
#define SIM_DEADLINE_MS 10000
#define SIM_LOOK_MS 20

struct load_plan {
	struct module module[MODULES_MAX];
	size_t count;
	const char *sim;	/* --sim, NULL when not asked for */
	unsigned int sim_devices;
	char params[256];	/* of hisi_sim */
};

static bool is_one_of(const char *const *words, const char *word, size_t len)
{
	for (; *words; words++)
		if (strlen(*words) == len && !strncmp(word, *words, len))
			return true;
	return false;
}

/* One device: an engine, then the generation of its hardware, then how it reaches memory. */
static bool sim_device_check(const char *spec, const char *word, size_t len)
{
	static const char *const engines[] = { "zip", "sec", "hpre", NULL };
	static const char *const variants[] = {
		"@v2", "@v3", "@nosva", "@noiommu", "@v2@nosva", "@v3@nosva", "@v2@noiommu", "@v3@noiommu", NULL,
	};
	size_t engine = strcspn(word, "@,");

	if (!is_one_of(engines, word, engine)) {
		wdctl_error("load", "--sim %s: unknown engine '%.*s'; expected zip, sec or hpre, separated by commas",
			    spec, (int)engine, word);
		return false;
	}
	if (engine == len || is_one_of(variants, word + engine, len - engine))
		return true;
	wdctl_error("load", "--sim %s: unknown variant '%.*s' of %.*s; expected @v2, @v3 or nothing, which is @v3, "
		    "then @nosva, @noiommu or nothing", spec, (int)(len - engine), word + engine, (int)engine, word);
	return false;
}

static bool sim_parse(struct load_plan *plan, const char *spec)
{
	const char *word = spec;
	size_t len;

	for (;;) {
		len = strcspn(word, ",");
		if (!sim_device_check(spec, word, len))
			return false;
		plan->sim_devices++;
		if (!word[len])
			break;
		word += len + 1;
	}
	if (snprintf(plan->params, sizeof(plan->params), "devices=%s", spec) >=
	    (int)sizeof(plan->params)) {
		wdctl_error("load", "--sim: too many devices for the parameter of hisi_sim");
		return false;
	}
	plan->sim = spec;
	return true;
}

static bool is_sim(const struct module *m)
{
	return !strcmp(m->name, module_sim_name);
}

/* A driver and a core of different sources disagree on the layout of structures. */
static bool is_foreign(const struct module *m)
{
	if (!m->loaded || is_sim(m))
		return false;
	if (m->origin == MODULE_UPDATES || m->origin == MODULE_OTHER)
		return !m->loaded_out_of_tree;
	return m->origin == MODULE_INTREE && m->loaded_out_of_tree;
}

static enum wdctl_exit plan_check(const struct wdctl_run *r, const struct load_plan *plan)
{
	char devices[256] = "";
	size_t i;

	for (i = 0; i < plan->count; i++) {
		const struct module *m = &plan->module[i];

		if (m->origin == MODULE_ABSENT && !m->loaded) {
			wdctl_error("load", "%s: not installed for kernel %s; run 'make install-modules' or "
				    "'make dkms-install%s', or install the package warpdrive-%sdkms", m->name,
				    r->root.release, is_sim(m) ? "-sim" : "", is_sim(m) ? "sim-" : "");
			return EXIT_FAILED;
		}
		if (is_foreign(m)) {
			wdctl_error("load", "%s: %s is loaded, which doesn't work with %s; run 'wdctl unload' first",
				    m->name, m->loaded_out_of_tree ? "a module from outside the kernel" :
				    "the kernel's own module", m->path);
			return EXIT_BUSY;
		}
		if (!is_sim(m) || !m->loaded)
			continue;
		root_read(&r->root, devices, sizeof(devices), "/sys/module/%s/parameters/devices",
			  m->name);
		if (strcmp(devices, plan->sim)) {
			wdctl_error("load", "%s: already loaded with devices=%s; run 'wdctl unload' first, or create "
				    "devices in configfs",
				    m->name, devices[0] ? devices : "(none)");
			return EXIT_BUSY;
		}
	}
	return EXIT_DONE;
}

static int plan_make(struct module_db *db, struct load_plan *plan)
{
	size_t i;
	int ret;

	for (i = 0; module_names[i]; i++) {
		if (!strcmp(module_names[i], module_sim_name) && !plan->sim)
			continue;
		ret = module_read(db, module_names[i], &plan->module[plan->count]);
		if (ret) {
			wdctl_error("load", "%s: %s", module_names[i], strerror(-ret));
			return ret;
		}
		plan->count++;
	}
	return 0;
}

static void print_present(const struct module *m)
{
	printf("%s: already there (%s%s%s)\n", m->name,
	       m->loaded ? "loaded" : "built in", m->loaded_version[0] ? ", " : "",
	       m->loaded_version);
}

static void print_action(const char *action, const struct module *m, const char *params)
{
	printf("%s: %s (%s%s%s)%s%s\n", m->name, action, module_origin_name(m->origin),
	       m->version[0] ? ", " : "", m->version, params ? " " : "", params ? params : "");
}

static const char *params_of(struct module_db *db, const struct load_plan *plan,
			     const struct module *m)
{
	if (is_sim(m))
		return plan->params;
	/* The kernel's own drivers offer queues to processes only with this parameter. */
	if (module_has_param(db, m->name, "uacce_mode"))
		return "uacce_mode=1";
	return NULL;
}

static void load_undo(struct module_db *db, const struct load_plan *plan, const bool *loaded)
{
	size_t i;
	int ret;

	for (i = plan->count; i--;) {
		if (!loaded[i])
			continue;
		ret = module_remove(db, plan->module[i].name);
		if (ret)
			wdctl_error("load", "%s: loaded by this command, but can't be unloaded: %s",
				    plan->module[i].name, strerror(-ret));
		else
			printf("%s: unloaded again\n", plan->module[i].name);
	}
}

static unsigned int simulated_count(const struct root *r)
{
	struct device_list list;
	unsigned int n = 0;
	size_t i;

	if (device_list_read(r, &list))
		return 0;
	for (i = 0; i < list.count; i++)
		n += list.dev[i].simulated.known && list.dev[i].simulated.value;
	device_list_free(&list);
	return n;
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Drivers may bind after the module's init has returned. */
static bool simulated_wait(const struct root *r, unsigned int wanted)
{
	long end = now_ms() + SIM_DEADLINE_MS;

	while (simulated_count(r) < wanted) {
		if (now_ms() >= end)
			return false;
		poll(NULL, 0, SIM_LOOK_MS);
	}
	return true;
}

/* Whether this kernel refuses the module for a reason that the machine's settings show; then prints it. */
static bool report_refusal(const struct root *root, struct module_db *db, const struct module *m, int err)
{
	struct kconfig config;
	struct refusal refusal;
	bool refused, has_config;

	if ((err != -ENOKEY && err != -EKEYREJECTED && err != -ENOEXEC && err != -EPERM) || !privilege_admin())
		return false;
	has_config = !kconfig_open(&config, root);
	refused = refusal_find(root, has_config ? &config : NULL, db, m, &refusal);
	if (has_config)
		kconfig_close(&config);
	if (!refused)
		return false;
	if (refusal.command)
		wdctl_error("load", "%s: %s; %s; run '%s'", m->path, strerror(-err), refusal.why, refusal.remedy);
	else
		wdctl_error("load", "%s: %s; %s. %s", m->path, strerror(-err), refusal.why, refusal.remedy);
	return true;
}

static void report_failure(const struct root *root, struct module_db *db, const struct module *m, int err)
{
	const char *meaning = module_error(err);

	if (report_refusal(root, db, m, err))
		return;
	if (is_sim(m) && (err == -ENODEV || err == -ENXIO))
		meaning = "no memory range for its registers; run 'wdctl doctor' for the remedy";
	wdctl_error("load", "%s: %s%s%s%s", m->path[0] ? m->path : m->name, strerror(-err),
		    meaning ? " (" : "", meaning ? meaning : "", meaning ? ")" : "");
}

static enum wdctl_exit load_all(const struct wdctl_run *r, struct module_db *db,
				const struct load_plan *plan)
{
	unsigned int before = simulated_count(&r->root);
	bool loaded[MODULES_MAX] = { false };
	bool sim_is_new = false;
	size_t i;
	int ret;

	for (i = 0; i < plan->count; i++) {
		const struct module *m = &plan->module[i];
		const char *params = params_of(db, plan, m);

		if (m->loaded || m->origin == MODULE_BUILTIN) {
			print_present(m);
			continue;
		}
		if (r->dry_run) {
			print_action("would be loaded", m, params);
			continue;
		}
		ret = module_insert(db, m->name, params);
		if (ret) {
			report_failure(&r->root, db, m, ret);
			goto err_unload;
		}
		loaded[i] = true;
		sim_is_new |= is_sim(m);
		print_action("loaded", m, params);
	}
	if (sim_is_new && !simulated_wait(&r->root, before + plan->sim_devices)) {
		wdctl_error("load", "%s: made %u of %u simulated devices; see the kernel log",
			    module_sim_name, simulated_count(&r->root) - before,
			    plan->sim_devices);
		goto err_unload;
	}
	return EXIT_DONE;

err_unload:
	load_undo(db, plan, loaded);
	return EXIT_FAILED;
}

/* The functions that the machine loses as long as these modules are loaded. */
static void report_displaced(const struct wdctl_run *r, struct module_db *db)
{
	struct displaced d;
	char text[512];

	displaced_read(&d, &r->root, db);
	if (displaced_crypto(&d, text, sizeof(text)))
		wdctl_error("load", "note: %s", text);
	if (d.vfio)
		wdctl_error("load", "note: %s", displaced_vfio_text);
}

static bool loads_ours(const struct load_plan *plan)
{
	size_t i;

	for (i = 0; i < plan->count; i++)
		if (plan->module[i].origin == MODULE_UPDATES || plan->module[i].origin == MODULE_OTHER)
			return true;
	return false;
}

static enum wdctl_exit load_run(const struct wdctl_run *r)
{
	struct load_plan plan = { 0 };
	enum wdctl_exit result;
	struct module_db *db;
	int ret;

	if (r->opt['s'] && !sim_parse(&plan, r->opt['s']))
		return EXIT_USAGE;
	ret = module_db_open(&db, &r->root, r->opt['f']);
	if (ret) {
		wdctl_error("load", "%s", strerror(-ret));
		return EXIT_FAILED;
	}
	result = plan_make(db, &plan) ? EXIT_FAILED : plan_check(r, &plan);
	if (loads_ours(&plan))
		report_displaced(r, db);
	if (result == EXIT_DONE)
		result = load_all(r, db, &plan);
	module_db_close(db);
	return result;
}

static const struct wdctl_option load_options[] = {
	{ 's', "sim", "ENGINES", "also load hisi_sim with these devices, for example zip,zip@v2@nosva" },
	{ 'f', "from", "DIR", "load the modules of build folder DIR, not the installed ones" },
	{ 0 },
};

const struct wdctl_cmd cmd_load = {
	.name = "load",
	.help = "load the kernel modules",
	.kind = WDCTL_CHANGE,
	.options = load_options,
	.run = load_run,
};
