// SPDX-License-Identifier: Apache-2.0
/*
 * Checks another uacce than this project's by what it shows in sysfs: the libraries work on it, with less. And names
 * what the kernel's own drivers do beside that.
 */
#include <string.h>
#include <sys/stat.h>

#include "displaced.h"
#include "health.h"
#include "pci.h"

/* A queue's own window of doorbells is at least this far from the next one's. */
#define WINDOW_BYTES 65536

static bool is_builtin(const struct health_input *in)
{
	return (in->config && kconfig_get(in->config, "UACCE") == 'y') || !module_is_loaded(in->root, "uacce");
}

static bool is_installed(const struct health_input *in)
{
	struct module m;

	return !module_read(in->modules, "uacce", &m) && m.origin == MODULE_UPDATES;
}

static void check_uacce(struct health *h, const struct health_input *in)
{
	health_add(h, HEALTH_NOTE, "modules", "this is another uacce than WarpDrive's: it has no sections, priorities "
		   "and events; docs/limitations.md has what else differs");
	if (is_builtin(in))
		health_remedy(h, "WarpDrive's modules need a kernel with CONFIG_UACCE=m or without CONFIG_UACCE.");
	else if (is_installed(in))
		health_command(h, "wdctl unload && wdctl load");
	else
		health_command(h, "wdctl unload && make install-modules && wdctl load");
}

/* Until generation 3 all queues ring in one window, and on a later device without windows of their own. */
static bool shares_window(const struct device *d)
{
	return !strcmp(d->api, "hisi_qm_v1") || !strcmp(d->api, "hisi_qm_v2") ||
	       (d->window.known && d->window.value < WINDOW_BYTES);
}

/* Such a uacce maps the window as it is, with the mailbox, by which a process can load any queue's context. */
static void check_window(struct health *h, const struct root *r, const struct device *d)
{
	char path[ROOT_PATH_MAX];
	struct stat st;
	bool root_only = !root_path(r, path, sizeof(path), "/dev/%s", d->name) && !stat(path, &st) &&
			 !(st.st_mode & 0066);

	health_add(h, root_only ? HEALTH_NOTE : HEALTH_PROBLEM, "devices", "%s: every process that opens it maps the "
		   "device's mailbox, by which it can read and write the memory of all its users%s", d->name,
		   root_only ? "; only root may open it" : "");
	if (!root_only)
		health_command(h, "chmod 600 /dev/%s", d->name);
}

/* The functions that would go with the kernel's own drivers, and those that have gone. */
static void check_displaced(struct health *h, const struct health_input *in)
{
	struct displaced d;
	char text[512];

	displaced_read(&d, in->root, in->modules);
	if (displaced_crypto(&d, text, sizeof(text)))
		health_add(h, HEALTH_NOTE, "modules", "%s", text);
	if (d.vfio && pci_present(in->root, NULL))
		health_add(h, HEALTH_NOTE, "modules", "%s", displaced_vfio_text);
}

void health_check_foreign(struct health *h, const struct health_input *in)
{
	size_t i;

	check_displaced(h, in);
	if (!device_list_foreign(in->devices))
		return;
	check_uacce(h, in);
	for (i = 0; i < in->devices->count; i++)
		if (device_is_foreign(&in->devices->dev[i]) && shares_window(&in->devices->dev[i]))
			check_window(h, in->root, &in->devices->dev[i]);
}
