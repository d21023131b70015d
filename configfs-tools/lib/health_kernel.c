// SPDX-License-Identifier: Apache-2.0
/* Checks of the running kernel and of this project's modules in it. */
#include <stdio.h>
#include <string.h>

#include "health.h"

/* The oldest kernel the modules build for, and the newest they were tried on. */
#define KERNEL_MIN_MAJOR 6
#define KERNEL_MIN_MINOR 1
#define KERNEL_TRIED_MAJOR 6
#define KERNEL_TRIED_MINOR 12

static void check_release(struct health *h, const struct root *r)
{
	int major, minor;

	if (sscanf(r->release, "%d.%d", &major, &minor) != 2) {
		health_add(h, HEALTH_PROBLEM, "kernel", "release \"%s\" is not understood",
			   r->release);
		return;
	}
	if (major < KERNEL_MIN_MAJOR || (major == KERNEL_MIN_MAJOR && minor < KERNEL_MIN_MINOR)) {
		health_add(h, HEALTH_PROBLEM, "kernel", "%s is too old", r->release);
		health_remedy(h, "boot kernel %d.%d or newer", KERNEL_MIN_MAJOR, KERNEL_MIN_MINOR);
	} else if (major > KERNEL_TRIED_MAJOR ||
		   (major == KERNEL_TRIED_MAJOR && minor > KERNEL_TRIED_MINOR)) {
		health_add(h, HEALTH_NOTE, "kernel", "%s is newer than any tried (%d.%d)",
			   r->release, KERNEL_TRIED_MAJOR, KERNEL_TRIED_MINOR);
	} else {
		health_add(h, HEALTH_OK, "kernel", "%s", r->release);
	}
}

static void check_options(struct health *h, const struct kconfig *k)
{
	static const char *const needed[] = { "MODULES", "PCI", "PCI_MSI", "CONFIGFS_FS" };
	size_t i, missing = 0;

	for (i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (kconfig_get(k, needed[i]) != 'n')
			continue;
		missing++;
		health_add(h, HEALTH_PROBLEM, "kernel", "built without CONFIG_%s", needed[i]);
		health_remedy(h, "boot a kernel that has it; distribution kernels do");
	}
	if (!missing)
		health_add(h, HEALTH_OK, "kernel", "configuration has what the modules need (%s)",
			   k->source);
	if (kconfig_get(k, "UACCE") == 'y') {
		health_add(h, HEALTH_PROBLEM, "kernel",
			   "its own uacce is built in, so this project's cannot be loaded");
		health_remedy(h, "boot a kernel with CONFIG_UACCE unset or =m");
	}
	if (kconfig_get(k, "MODULE_SIG_FORCE") == 'y') {
		health_add(h, HEALTH_PROBLEM, "kernel", "loads signed modules only");
		health_remedy(h, "sign the modules with a key this kernel trusts");
	}
}

static void check_lockdown(struct health *h, const struct root *r)
{
	char text[128];

	if (root_read(r, text, sizeof(text), "/sys/kernel/security/lockdown"))
		return;
	if (strstr(text, "[none]"))
		return;
	health_add(h, HEALTH_PROBLEM, "kernel", "is locked down: %s", text);
	health_remedy(h, "sign the modules, or switch Secure Boot off");
}

void health_check_kernel(struct health *h, const struct health_input *in)
{
	check_release(h, in->root);
	if (in->config)
		check_options(h, in->config);
	else
		health_add(h, HEALTH_NOTE, "kernel", "its configuration is not to be found");
	check_lockdown(h, in->root);
}

static const char *version_of(const struct module *m)
{
	return m->version[0] ? m->version : "without version";
}

static void check_absent(struct health *h, const struct module *m)
{
	if (!strcmp(m->name, module_sim_name)) {
		health_add(h, HEALTH_NOTE, "modules", "%s: not installed", m->name);
		health_remedy(h, "only needed for simulated devices: make install");
		return;
	}
	health_add(h, HEALTH_PROBLEM, "modules", "%s: not installed", m->name);
	health_remedy(h, "make install, or make dkms-install");
}

static void check_unloaded(struct health *h, const struct module *m)
{
	enum health_state state = HEALTH_PROBLEM;

	if (!strcmp(m->name, module_sim_name))
		state = HEALTH_NOTE;
	health_add(h, state, "modules", "%s: installed (%s, %s), not loaded", m->name,
		   module_origin_name(m->origin), version_of(m));
	health_remedy(h, state == HEALTH_NOTE ? "for simulated devices: wdctl load --sim zip,zip" :
		      "wdctl load");
}

static void check_loaded(struct health *h, const struct module *m)
{
	const char *version = m->loaded_version[0] ? m->loaded_version : "without version";

	if (!m->loaded_out_of_tree && strcmp(m->name, module_sim_name)) {
		health_add(h, HEALTH_NOTE, "modules", "%s: loaded is the kernel's own (%s)",
			   m->name, version);
		health_remedy(h, "it serves, without sections; for this project's: wdctl unload, make install, wdctl load");
		return;
	}
	if (module_is_stale(m)) {
		health_add(h, HEALTH_PROBLEM, "modules",
			   "%s: loaded (%s) is another build than installed (%s, %s)", m->name,
			   version, module_origin_name(m->origin), version_of(m));
		health_remedy(h, "wdctl unload, then wdctl load");
		return;
	}
	health_add(h, HEALTH_OK, "modules", "%s: loaded (%s), installed: %s", m->name, version,
		   module_origin_name(m->origin));
}

void health_check_modules(struct health *h, const struct health_input *in)
{
	struct module m;
	size_t i;

	for (i = 0; module_names[i]; i++) {
		if (module_read(in->modules, module_names[i], &m)) {
			health_add(h, HEALTH_PROBLEM, "modules", "%s: its file can't be read",
				   module_names[i]);
			health_remedy(h, "run depmod, or install again");
		} else if (m.loaded) {
			check_loaded(h, &m);
		} else if (m.origin == MODULE_BUILTIN) {
			health_add(h, HEALTH_NOTE, "modules", "%s: built into the kernel", m.name);
		} else if (m.origin == MODULE_ABSENT) {
			check_absent(h, &m);
		} else {
			check_unloaded(h, &m);
		}
	}
}
