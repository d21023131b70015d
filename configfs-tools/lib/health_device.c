// SPDX-License-Identifier: Apache-2.0
/* Checks the accelerators, their device nodes, and the memory that holds simulated devices' registers. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export.h"
#include "health.h"
#include "health_sva.h"
#include "pci.h"

#define VENDOR_QEMU 0x1af4
#define DEVICE_IVSHMEM 0x1110
#define APERTURE_BAR 2

static void no_device(struct health *h, const struct health_input *in, const char *function, const char *bound)
{
	static const char text[] = "%s: driver %s is bound to it, but registered no uacce device%s%s";
	const struct sva_cause *cause = sva_cause(in, function);
	long mode;

	if (!root_read_long(in->root, &mode, "/sys/module/%s/parameters/uacce_mode", bound) && mode != 1) {
		health_add(h, HEALTH_PROBLEM, "devices", text, function, bound, "", "");
		health_command(h, "modprobe -r %s && modprobe %s uacce_mode=1", bound, bound);
	} else if (!root_exists(in->root, "/sys/module/uacce")) {
		health_add(h, HEALTH_PROBLEM, "devices", text, function, bound, "", "");
		health_command(h, "modprobe uacce && modprobe -r %s && modprobe %s", bound, bound);
	} else {
		health_add(h, HEALTH_PROBLEM, "devices", text, function, bound, ": ", cause->why);
		health_remedy(h, "%s", cause->remedy);
	}
}

/* A PCI function without a uacce device is the most common problem on real hardware. */
static void check_function(struct health *h, const struct health_input *in, const char *function)
{
	const char *driver = pci_driver(in->root, function);
	char bound[64];

	if (!driver || device_find(in->devices, function))
		return;
	if (root_link_name(in->root, bound, sizeof(bound), "/sys/bus/pci/devices/%s/driver",
			   function)) {
		health_add(h, HEALTH_PROBLEM, "devices", "%s: no driver is bound to it; expected %s", function, driver);
		if (root_exists(in->root, "/sys/module/%s", driver))
			health_command(h, "echo %s >/sys/bus/pci/drivers/%s/bind", function, driver);
		else
			health_command(h, "wdctl load");
		return;
	}
	no_device(h, in, function, bound);
}

static void check_functions(struct health *h, const struct health_input *in)
{
	struct root_names names;
	size_t i;

	if (root_list(in->root, &names, "/sys/bus/pci/devices"))
		return;
	for (i = 0; i < names.count; i++)
		check_function(h, in, names.name[i]);
	root_names_free(&names);
}

static void check_isolated(struct health *h, const struct root *r, const struct device *d)
{
	char driver[64];

	health_add(h, HEALTH_PROBLEM, "devices", "%s: isolated after errors, which the kernel log names; "
		   "opening it fails until it is reset", d->name);
	if (root_exists(r, "/sys/bus/pci/devices/%s/reset", d->parent))
		health_command(h, "wdctl device reset %s", d->name);
	else if (!root_link_name(r, driver, sizeof(driver), "/sys/bus/pci/devices/%s/driver", d->parent))
		health_command(h, "echo %s >/sys/bus/pci/drivers/%s/unbind && echo %s >/sys/bus/pci/drivers/%s/bind",
			       d->parent, driver, d->parent, driver);
	else
		health_remedy(h, "Unbind the driver from the device and bind it again.");
}

static void check_state(struct health *h, const struct root *r, const struct device *d)
{
	switch (d->state) {
	case DEVICE_ISOLATED:
		check_isolated(h, r, d);
		break;
	case DEVICE_RESETTING:
		health_add(h, HEALTH_NOTE, "devices", "%s: the kernel is resetting it", d->name);
		break;
	case DEVICE_DISABLED:
		health_add(h, HEALTH_NOTE, "devices",
			   "%s: priority %ld is outside %d..%d, so the libraries don't choose it", d->name,
			   d->priority.value, WD_PRIORITY_MIN, WD_PRIORITY_MAX);
		health_command(h, "wdctl device set %s Priority=0", d->name);
		break;
	case DEVICE_OK:
		if (d->available.known && !d->available.value) {
			health_add(h, HEALTH_NOTE, "devices", "%s: all its queues are in use", d->name);
			if (device_is_foreign(d))
				health_command(h, "wdctl unload --dry-run");
			else
				health_command(h, "wdctl ctx --dev %s", d->name);
			break;
		}
		health_add(h, HEALTH_OK, "devices", "%s: %s%s", d->name,
			   d->simulated.known && d->simulated.value ? "simulated, " : "",
			   d->algorithms[0] ? d->algorithms : "no algorithms");
		break;
	}
}

/* Other programs, which don't verify, have believed such results. */
static void check_results(struct health *h, const struct device *d)
{
	if (!d->wrong_results.known || !d->wrong_results.value)
		return;
	health_add(h, HEALTH_PROBLEM, "devices",
		   "%s: processes that verify results have found %ld wrong ones since its driver was bound "
		   "('wdctl ctx --dev %s' shows whose, WRONG); the command takes it out of use, until it is repaired",
		   d->name, d->wrong_results.value, d->name);
	health_command(h, "wdctl device set %s Priority=%d", d->name, WD_PRIORITY_MAX + 1);
}

static void check_doorbells(struct health *h, const struct device *d)
{
	if (strcmp(d->doorbells, "mapped"))
		return;
	health_add(h, HEALTH_NOTE, "devices",
		   "%s: every process that can open it may ring for the queues of all others, "
		   "which can corrupt their results (doorbells mapped)", d->name);
	health_command(h, "wdctl device set %s Doorbells=kernel", d->name);
}

/* The libraries' drivers (user/drivers/hisi) support these APIs. */
static void check_api(struct health *h, const struct device *d)
{
	if (!strcmp(d->api, "hisi_qm_v2") || !strcmp(d->api, "hisi_qm_v3") || !strcmp(d->api, "hisi_qm_v5"))
		return;
	health_add(h, HEALTH_NOTE, "devices", "%s: the libraries have no driver for api '%s', only for hisi_qm_v2, "
		   "hisi_qm_v3 and hisi_qm_v5", d->name, d->api);
	health_remedy(h, "Only programs that write their own descriptors can use this device.");
}

/* Such a device works, so this is a note, unless the administrator wants none. */
static void check_mediated(struct health *h, const struct health_input *in, const struct device *d)
{
	static const char costs[] = "the kernel executes each submission, which costs a system call, and for each "
				    "request a copy, or a pin and a mapping of its buffers";
	const struct sva_cause *cause = sva_cause(in, d->parent);

	if (device_is_forbidden(d)) {
		health_add(h, HEALTH_PROBLEM, "sva", "%s: nobody can open it, since its attribute memory demands "
			   "shared virtual addressing: %s", d->name, cause->why);
		health_command(h, "wdctl device set %s Memory=auto", d->name);
	} else if (!strcmp(d->memory, "mediated")) {
		health_add(h, HEALTH_NOTE, "sva", "%s: mediated, as its attribute memory demands: %s", d->name, costs);
		health_remedy(h, "To try shared virtual addressing, set Memory=auto ('wdctl device set'), then unbind "
			      "the driver and bind it again.");
	} else {
		health_add(h, HEALTH_NOTE, "sva", "%s: mediated, without shared virtual addressing: %s; %s", d->name,
			   cause->why, costs);
		health_remedy(h, "%s", cause->remedy);
	}
}

static void check_sva(struct health *h, const struct health_input *in, const struct device *d)
{
	const struct sva_cause *cause;

	if (!strcmp(d->iommu, "mediated")) {
		check_mediated(h, in, d);
		return;
	}
	if (!(d->flags & UACCE_DEV_SVA) || !strcmp(d->iommu, "none")) {
		cause = sva_cause(in, d->parent);
		health_add(h, HEALTH_PROBLEM, "sva", "%s: no shared virtual addressing, which the libraries need: %s",
			   d->name, cause->why);
		health_remedy(h, "%s", cause->remedy);
		return;
	}
	health_add(h, HEALTH_OK, "sva", "%s: %s", d->name, d->iommu[0] ? d->iommu : "on");
}

/* A container has the devices that it was given. */
static void missing_in_container(struct health *h, const struct device *d)
{
	health_add(h, HEALTH_NOTE, "nodes", "/dev/%s: this container wasn't given it", d->name);
	health_remedy(h, "Start the container with --device /dev/%s, or with a CDI device ('wdctl export cdi' on the "
		      "host).", d->name);
}

void health_check_container(struct health *h, const struct health_input *in)
{
	char path[ROOT_PATH_MAX];
	size_t i, nodes = 0;

	for (i = 0; i < in->devices->count; i++)
		nodes += !root_path(in->root, path, sizeof(path), "/dev/%s", in->devices->dev[i].name) &&
			 !access(path, F_OK);
	health_add(h, HEALTH_OK, "container", "inside a container: kernel, modules and devices are the host's, where "
		   "'wdctl doctor' judges them");
	if (!in->devices->count || nodes)
		return;
	health_add(h, HEALTH_PROBLEM, "container", "it has none of the host's %zu accelerators, so the libraries "
		   "compute in software", in->devices->count);
	health_remedy(h, "Start it with --device /dev/%s, or with a CDI device ('wdctl export cdi' on the host).",
		      in->devices->dev[0].name);
}

/* Suggests a command that makes the device node; @there: a file of that name exists and is replaced. */
static void remedy_mknod(struct health *h, const struct device *d, bool there)
{
	unsigned int major, minor;
	char remove[sizeof("rm -r /dev/ && ") + DEVICE_NAME_MAX] = "";

	if (sscanf(d->dev, "%u:%u", &major, &minor) != 2) {
		health_remedy(h, "Mount devtmpfs on /dev, or give the container the device /dev/%s.", d->name);
		return;
	}
	if (there)
		snprintf(remove, sizeof(remove), "rm -r /dev/%s && ", d->name);
	health_command(h, "%smknod -m 660 /dev/%s c %u %u", remove, d->name, major, minor);
}

/* Suggests commands that give all device nodes to a group, now and at boot. */
static void remedy_group(struct health *h)
{
	health_command(h, "groupadd --force --system " EXPORT_GROUP " && wdctl export udev >" EXPORT_RULES_FILE
		       " && udevadm control --reload && udevadm trigger --subsystem-match=uacce");
}

/* If a group can open the node, the user only has to join it. */
static void remedy_open(struct health *h, const struct stat *node)
{
	const struct group *group = getgrgid(node->st_gid);
	const struct passwd *user = getpwuid(getuid());

	if (node->st_gid && group && user && (node->st_mode & 0060) == 0060)
		health_command(h, "usermod --append --groups %s %s", group->gr_name, user->pw_name);
	else
		remedy_group(h);
}

/* The group of the node, by number: a container needn't have its name. */
static void remedy_open_in_container(struct health *h, const struct stat *node)
{
	if (node->st_gid && (node->st_mode & 0060) == 0060)
		health_remedy(h, "Start the container with --group-add %u, rootless podman with "
			      "--group-add keep-groups.", node->st_gid);
	else
		health_remedy(h, "Give the host's node to a group ('wdctl export udev'), and start the container with "
			      "that group.");
}

static void check_node(struct health *h, const struct health_input *in, const struct device *d)
{
	const struct root *r = in->root;
	char path[ROOT_PATH_MAX];
	struct stat st;

	if (root_path(r, path, sizeof(path), "/dev/%s", d->name))
		return;
	if (stat(path, &st) && in->container) {
		missing_in_container(h, d);
		return;
	}
	if (stat(path, &st)) {
		health_add(h, HEALTH_PROBLEM, "nodes", "/dev/%s is missing; expected character device %s", d->name,
			   d->dev);
		remedy_mknod(h, d, false);
		return;
	}
	if (!root_is_fake(r) && !S_ISCHR(st.st_mode)) {
		health_add(h, HEALTH_PROBLEM, "nodes", "/dev/%s isn't a character device; expected %s", d->name,
			   d->dev);
		remedy_mknod(h, d, true);
		return;
	}
	if (access(path, R_OK | W_OK)) {
		health_add(h, HEALTH_PROBLEM, "nodes",
			   "/dev/%s (mode %03o, group %u) can't be opened by user %u", d->name,
			   st.st_mode & 0777, st.st_gid, getuid());
		if (in->container)
			remedy_open_in_container(h, &st);
		else
			remedy_open(h, &st);
		return;
	}
	health_add(h, HEALTH_OK, "nodes", "/dev/%s can be opened", d->name);
	if (st.st_mode & 0006) {
		health_add(h, HEALTH_NOTE, "nodes", "/dev/%s is open to every user (mode %03o)%s",
			   d->name, st.st_mode & 0777, in->container ? " of this container" : "");
		if (!in->container)
			remedy_group(h);
	}
}

void health_check_devices(struct health *h, const struct health_input *in)
{
	size_t i;

	if (!in->container)
		check_functions(h, in);
	if (!in->devices->count) {
		health_add(h, HEALTH_PROBLEM, "devices", "no accelerator, so the libraries compute in software");
		if (in->container)
			health_remedy(h, "Run 'wdctl doctor' on the host.");
		else
			health_command(h, pci_present(in->root, NULL) ? "wdctl load" : "wdctl load --sim zip");
	}
	for (i = 0; i < in->devices->count; i++) {
		check_state(h, in->root, &in->devices->dev[i]);
		check_api(h, &in->devices->dev[i]);
		check_results(h, &in->devices->dev[i]);
		check_doorbells(h, &in->devices->dev[i]);
		check_sva(h, in, &in->devices->dev[i]);
		check_node(h, in, &in->devices->dev[i]);
	}
}

static unsigned long long bar_bytes(const struct root *r, const char *function, int bar)
{
	unsigned long long start, end;
	char text[2048], *line, *save = NULL;
	int i = 0;

	if (root_read(r, text, sizeof(text), "/sys/bus/pci/devices/%s/resource", function))
		return 0;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (i++ == bar && sscanf(line, "%llx %llx", &start, &end) == 2 && end > start)
			return end - start + 1;
	return 0;
}

static bool aperture_find(const struct root *r, char *function, size_t len,
			  unsigned long long *bytes)
{
	struct root_names names;
	bool found = false;
	size_t i;

	if (root_list(r, &names, "/sys/bus/pci/devices"))
		return false;
	for (i = 0; i < names.count && !found; i++) {
		if (pci_number(r, names.name[i], "vendor") != VENDOR_QEMU ||
		    pci_number(r, names.name[i], "device") != DEVICE_IVSHMEM)
			continue;
		*bytes = bar_bytes(r, names.name[i], APERTURE_BAR);
		found = *bytes > 0;
		snprintf(function, len, "%s", names.name[i]);
	}
	root_names_free(&names);
	return found;
}

void health_check_simulator(struct health *h, const struct health_input *in)
{
	unsigned long long bytes;
	char function[64], aperture[128];

	if (!root_read(in->root, aperture, sizeof(aperture),
		       "/sys/module/%s/parameters/aperture", module_sim_name) && aperture[0] &&
	    strcmp(aperture, "(null)")) {
		health_add(h, HEALTH_OK, "simulator", "its registers are at %s", aperture);
		return;
	}
	if (aperture_find(in->root, function, sizeof(function), &bytes)) {
		health_add(h, HEALTH_OK, "simulator", "room for its registers: %llu MiB at %s",
			   bytes >> 20, function);
		return;
	}
	health_add(h, HEALTH_NOTE, "simulator", "no memory range for the registers of simulated devices");
	health_remedy(h,
		      "In a VM, add an ivshmem-plain device. Otherwise, reserve a range at boot (memmap= or mem=), and "
		      "name it in hisi_sim's parameter aperture=START,SIZE.");
}
