// SPDX-License-Identifier: Apache-2.0
/* Checks of the accelerators, their nodes, and of what a simulated one needs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "health.h"

#define VENDOR_HUAWEI 0x19e5
#define VENDOR_QEMU 0x1af4
#define DEVICE_IVSHMEM 0x1110
#define APERTURE_BAR 2

/* Physical and virtual functions of each engine. */
static const struct {
	unsigned int id;
	const char *driver;
} engines[] = {
	{ 0xa250, "hisi_zip" }, { 0xa251, "hisi_zip" },
	{ 0xa255, "hisi_sec2" }, { 0xa256, "hisi_sec2" },
	{ 0xa258, "hisi_hpre" }, { 0xa259, "hisi_hpre" },
};

static unsigned long pci_number(const struct root *r, const char *function, const char *file)
{
	char text[32];

	if (root_read(r, text, sizeof(text), "/sys/bus/pci/devices/%s/%s", function, file))
		return 0;
	return strtoul(text, NULL, 16);
}

static const char *engine_driver(const struct root *r, const char *function)
{
	unsigned long id;
	size_t i;

	if (pci_number(r, function, "vendor") != VENDOR_HUAWEI)
		return NULL;
	id = pci_number(r, function, "device");
	for (i = 0; i < sizeof(engines) / sizeof(engines[0]); i++)
		if (engines[i].id == id)
			return engines[i].driver;
	return NULL;
}

/* A PCI function that is there but gave no uacce device: the commonest trouble on real hardware. */
static void check_function(struct health *h, const struct health_input *in, const char *function)
{
	const char *driver = engine_driver(in->root, function);
	char bound[64];

	if (!driver || device_find(in->devices, function))
		return;
	if (root_link_name(in->root, bound, sizeof(bound), "/sys/bus/pci/devices/%s/driver",
			   function)) {
		health_add(h, HEALTH_PROBLEM, "devices", "%s: no driver has it (%s would)",
			   function, driver);
		health_remedy(h, "wdctl load");
		return;
	}
	health_add(h, HEALTH_PROBLEM, "devices", "%s: %s has it, but registered no uacce device",
		   function, bound);
	health_remedy(h, "needs an IOMMU with SVA (firmware setting), uacce loaded before %s, and its parameter uacce_mode=1",
		      bound);
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

static void check_state(struct health *h, const struct device *d)
{
	switch (d->state) {
	case DEVICE_ISOLATED:
		health_add(h, HEALTH_PROBLEM, "devices", "%s: isolated, only a reset helps",
			   d->name);
		health_remedy(h, "find the cause in the kernel log, then write 1 to /sys/bus/pci/devices/%s/reset, or unbind and bind its driver",
			      d->parent);
		break;
	case DEVICE_RESETTING:
		health_add(h, HEALTH_NOTE, "devices", "%s: is being reset", d->name);
		break;
	case DEVICE_DISABLED:
		health_add(h, HEALTH_NOTE, "devices", "%s: priority %ld keeps it from being chosen",
			   d->name, d->priority.value);
		health_remedy(h, "set a priority from %d to %d", WD_PRIORITY_MIN,
			      WD_PRIORITY_MAX);
		break;
	case DEVICE_OK:
		if (d->available.known && !d->available.value) {
			health_add(h, HEALTH_NOTE, "devices", "%s: all its queues are in use",
				   d->name);
			break;
		}
		health_add(h, HEALTH_OK, "devices", "%s: %s%s", d->name,
			   d->simulated.known && d->simulated.value ? "simulated, " : "",
			   d->algorithms[0] ? d->algorithms : "no algorithms");
		break;
	}
}

/* What the drivers of the libraries (user/drivers/hisi) have descriptors for. */
static void check_api(struct health *h, const struct device *d)
{
	if (!strcmp(d->api, "hisi_qm_v3") || !strcmp(d->api, "hisi_qm_v5"))
		return;
	health_add(h, HEALTH_NOTE, "devices", "%s: the libraries have no driver for api %s", d->name, d->api[0] ? d->api : "(none)");
	health_remedy(h, "they use hisi_qm_v3 and hisi_qm_v5; programs that write their own descriptors may use its queues");
}

static void check_sva(struct health *h, const struct device *d)
{
	if (!(d->flags & UACCE_DEV_SVA) || !strcmp(d->iommu, "none")) {
		health_add(h, HEALTH_PROBLEM, "sva", "%s: no shared virtual addressing", d->name);
		health_remedy(h, "the libraries need it: enable the IOMMU with SVA in the firmware and the kernel");
		return;
	}
	health_add(h, HEALTH_OK, "sva", "%s: %s", d->name, d->iommu[0] ? d->iommu : "on");
}

static void check_node(struct health *h, const struct root *r, const struct device *d)
{
	char path[ROOT_PATH_MAX];
	struct stat st;

	if (root_path(r, path, sizeof(path), "/dev/%s", d->name))
		return;
	if (stat(path, &st)) {
		health_add(h, HEALTH_PROBLEM, "nodes", "/dev/%s is missing", d->name);
		health_remedy(h, "mount devtmpfs on /dev, or give the container this device (%s)",
			      d->dev);
		return;
	}
	if (!root_is_fake(r) && !S_ISCHR(st.st_mode)) {
		health_add(h, HEALTH_PROBLEM, "nodes", "/dev/%s is not a character device", d->name);
		health_remedy(h, "remove it and load the driver again");
		return;
	}
	if (access(path, R_OK | W_OK)) {
		health_add(h, HEALTH_PROBLEM, "nodes",
			   "/dev/%s (mode %03o, group %u) can't be opened by user %u", d->name,
			   st.st_mode & 0777, st.st_gid, getuid());
		health_remedy(h, "join that group after giving it mode 660, with a udev rule; never mode 666");
		return;
	}
	health_add(h, HEALTH_OK, "nodes", "/dev/%s can be opened", d->name);
	if (st.st_mode & 0006) {
		health_add(h, HEALTH_NOTE, "nodes", "/dev/%s is open to everybody (mode %03o)",
			   d->name, st.st_mode & 0777);
		health_remedy(h, "give it to a group instead: wdctl export udev");
	}
}

void health_check_devices(struct health *h, const struct health_input *in)
{
	size_t i;

	check_functions(h, in);
	if (!in->devices->count) {
		health_add(h, HEALTH_PROBLEM, "devices", "no accelerator");
		health_remedy(h, "wdctl load for hardware, wdctl load --sim zip for a simulated one; without any, the libraries compute on the CPU");
	}
	for (i = 0; i < in->devices->count; i++) {
		check_state(h, &in->devices->dev[i]);
		check_api(h, &in->devices->dev[i]);
		check_sva(h, &in->devices->dev[i]);
		check_node(h, in->root, &in->devices->dev[i]);
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
		health_add(h, HEALTH_OK, "simulator", "its registers are in %s", aperture);
		return;
	}
	if (aperture_find(in->root, function, sizeof(function), &bytes)) {
		health_add(h, HEALTH_OK, "simulator", "room for its registers: %llu MiB at %s",
			   bytes >> 20, function);
		return;
	}
	health_add(h, HEALTH_NOTE, "simulator", "no memory range for its registers is known");
	health_remedy(h, "in a VM add an ivshmem-plain device; else keep a range free (memmap=, mem=) and name it in hisi_sim's parameter aperture=START,SIZE");
}
