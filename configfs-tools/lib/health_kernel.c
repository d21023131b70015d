// SPDX-License-Identifier: Apache-2.0
/* Checks the running kernel and this project's modules. */
#include <stdio.h>
#include <string.h>

#include "health.h"
#include "pci.h"
#include "refusal.h"

/* The oldest kernel for which the modules build, and the newest on which they were tested. */
#define KERNEL_MIN_MAJOR 6
#define KERNEL_MIN_MINOR 1
#define KERNEL_TRIED_MAJOR 7
#define KERNEL_TRIED_MINOR 3

static void check_release(struct health *h, const struct root *r)
{
	int major, minor;

	if (sscanf(r->release, "%d.%d", &major, &minor) != 2) {
		health_add(h, HEALTH_PROBLEM, "kernel", "release '%s' doesn't begin with MAJOR.MINOR", r->release);
		health_remedy(h, "Boot kernel %d.%d or newer.", KERNEL_MIN_MAJOR, KERNEL_MIN_MINOR);
		return;
	}
	if (major < KERNEL_MIN_MAJOR || (major == KERNEL_MIN_MAJOR && minor < KERNEL_MIN_MINOR)) {
		health_add(h, HEALTH_PROBLEM, "kernel", "%s is too old for the modules", r->release);
		health_remedy(h, "Boot kernel %d.%d or newer.", KERNEL_MIN_MAJOR, KERNEL_MIN_MINOR);
	} else if (major > KERNEL_TRIED_MAJOR ||
		   (major == KERNEL_TRIED_MAJOR && minor > KERNEL_TRIED_MINOR)) {
		health_add(h, HEALTH_NOTE, "kernel", "%s is newer than %d.%d, the newest that was tested",
			   r->release, KERNEL_TRIED_MAJOR, KERNEL_TRIED_MINOR);
	} else {
		health_add(h, HEALTH_OK, "kernel", "%s", r->release);
	}
}

static void check_options(struct health *h, const struct health_input *in)
{
	const struct kconfig *k = in->config;
	static const char *const needed[] = { "MODULES", "PCI", "PCI_MSI", "CONFIGFS_FS" };
	size_t i, missing = 0;

	for (i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (kconfig_get(k, needed[i]) != 'n')
			continue;
		missing++;
		health_add(h, HEALTH_PROBLEM, "kernel", "built without CONFIG_%s", needed[i]);
		health_remedy(h, "Boot a kernel built with CONFIG_%s, for example the distribution's.", needed[i]);
	}
	if (!missing)
		health_add(h, HEALTH_OK, "kernel", "%s has all options that the modules need", k->source);
	/* With devices it works, and health_check_foreign() reports it. */
	if (kconfig_get(k, "UACCE") == 'y' && !device_list_foreign(in->devices)) {
		health_add(h, HEALTH_PROBLEM, "kernel",
			   "the kernel's own uacce is built in, so WarpDrive's can't be loaded");
		health_remedy(h, "Boot a kernel with CONFIG_UACCE=m or without CONFIG_UACCE.");
	}
}

static bool all_signed(const struct health_input *in)
{
	struct module m;
	size_t i;

	for (i = 0; module_names[i]; i++)
		if (module_read(in->modules, module_names[i], &m) || (m.path[0] && !m.is_signed))
			return false;
	return true;
}

static void check_enforcement(struct health *h, const struct health_input *in)
{
	char why[192];

	if (!refusal_enforcement(in->root, in->config, why, sizeof(why)))
		return;
	if (all_signed(in)) {
		health_add(h, HEALTH_OK, "kernel", "the kernel loads signed modules only: %s", why);
		return;
	}
	health_add(h, HEALTH_PROBLEM, "kernel", "the kernel loads signed modules only, and some are unsigned: %s", why);
	health_remedy(h, "Sign the modules with a key that this kernel trusts (docs/guide/administer.md), or switch "
		      "Secure Boot off in the firmware.");
}

void health_check_kernel(struct health *h, const struct health_input *in)
{
	check_release(h, in->root);
	if (in->config)
		check_options(h, in);
	else
		health_add(h, HEALTH_NOTE, "kernel",
			   "no configuration found in /proc/config.gz, /boot or /lib/modules/%s", in->root->release);
	check_enforcement(h, in);
}

static const char *version_of(const struct module *m)
{
	return m->version[0] ? m->version : "without version";
}

/* May the loaded simulator get a device for that driver? It has other devices only if its parameter names some. */
static bool simulates(const struct root *r, const char *driver)
{
	static const char *const engines[][2] = {
		{ "hisi_zip", "zip" }, { "hisi_sec2", "sec" }, { "hisi_hpre", "hpre" }
	};
	char devices[256];
	size_t i;

	if (!module_is_loaded(r, module_sim_name))
		return false;
	if (root_read(r, devices, sizeof(devices), "/sys/module/%s/parameters/devices", module_sim_name))
		return true;
	for (i = 0; i < sizeof(engines) / sizeof(engines[0]); i++)
		if (!strcmp(engines[i][0], driver))
			return strstr(devices, engines[i][1]);
	return true;
}

/* Why nothing on this machine needs the module, as the end of a sentence, or NULL. */
static const char *unneeded_why(const struct health_input *in, const struct module *m)
{
	bool base = !strcmp(m->name, "uacce") || !strcmp(m->name, "hisi_qm");

	if (!strcmp(m->name, module_sim_name))
		return "; only simulated devices need it";
	if (simulates(in->root, m->name) || pci_present(in->root, base ? NULL : m->name))
		return NULL;
	return base ? "; this machine has no accelerator" : "; this machine has no device for it";
}

static void check_absent(struct health *h, const struct health_input *in, const struct module *m)
{
	const char *package = strcmp(m->name, module_sim_name) ? "warpdrive" : "warpdrive-sim";
	const char *unneeded = unneeded_why(in, m);

	health_add(h, unneeded ? HEALTH_NOTE : HEALTH_PROBLEM, "modules", "%s: not installed for kernel %s%s", m->name,
		   in->root->release, unneeded ? unneeded : "");
	/* health_check_foreign() has the remedy for all modules. */
	if (device_list_foreign(in->devices))
		return;
	if (root_exists(in->root, "/usr/src/%s-%s/dkms.conf", package, in->version))
		health_command(h, "dkms install %s/%s -k %s", package, in->version, in->root->release);
	else
		health_command(h, "make install-modules");
}

static void check_unloaded(struct health *h, const struct health_input *in, const struct module *m)
{
	const char *unneeded = unneeded_why(in, m);
	struct refusal refusal;
	bool refused = refusal_find(in->root, in->config, in->modules, m, &refusal);

	health_add(h, unneeded ? HEALTH_NOTE : HEALTH_PROBLEM, "modules", "%s: installed (%s, %s), not loaded%s%s%s",
		   m->name, module_origin_name(m->origin), version_of(m), unneeded ? unneeded : "", refused ? "; " : "",
		   refused ? refusal.why : "");
	if (refused && refusal.command)
		health_command(h, "%s", refusal.remedy);
	else if (refused)
		health_remedy(h, "%s", refusal.remedy);
	else if (!strcmp(m->name, module_sim_name))
		health_command(h, "wdctl load --sim zip,zip");
	else if (!unneeded)
		health_command(h, "wdctl load");
}

/* The command that makes the initramfs have the installed modules. */
static const char *initramfs_command(const struct root *r)
{
	return root_exists(r, "/usr/bin/dracut") ? "dracut --force --kver" : "update-initramfs -u -k";
}

static void check_loaded(struct health *h, const struct health_input *in, const struct module *m)
{
	const struct root *r = in->root;
	const char *version = m->loaded_version[0] ? m->loaded_version : "without version";
	bool older = m->version[0] && m->loaded_version[0] && strverscmp(m->loaded_version, m->version) < 0;

	if (!m->loaded_out_of_tree && strcmp(m->name, module_sim_name) && m->origin == MODULE_UPDATES) {
		health_add(h, HEALTH_PROBLEM, "modules", "%s: the kernel's own module is loaded (%s) instead of the "
			   "installed one (updates, %s): from the initramfs, or before that was installed", m->name,
			   version, version_of(m));
		health_command(h, "%s %s && wdctl unload && wdctl load", initramfs_command(r), r->release);
		return;
	}
	if (!m->loaded_out_of_tree && strcmp(m->name, module_sim_name)) {
		health_add(h, HEALTH_NOTE, "modules", "%s: the kernel's own module is loaded (%s)", m->name, version);
		if (!device_list_foreign(in->devices))
			health_command(h, "wdctl unload && make install-modules && wdctl load");
		return;
	}
	if (module_is_stale(m)) {
		health_add(h, HEALTH_PROBLEM, "modules",
			   "%s: the loaded module (%s) is another build than the installed one (%s, %s)%s", m->name,
			   version, module_origin_name(m->origin), version_of(m),
			   older ? "; it is older: loaded before an upgrade, or from an old initramfs" : "");
		health_command(h, "wdctl unload && wdctl load");
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
			health_add(h, HEALTH_PROBLEM, "modules", "%s: the module's file can't be read",
				   module_names[i]);
			health_command(h, "depmod %s", in->root->release);
		} else if (m.loaded) {
			check_loaded(h, in, &m);
		} else if (m.origin == MODULE_BUILTIN) {
			health_add(h, HEALTH_NOTE, "modules", "%s: built into the kernel", m.name);
		} else if (m.origin == MODULE_ABSENT) {
			check_absent(h, in, &m);
		} else {
			check_unloaded(h, in, &m);
		}
	}
}
