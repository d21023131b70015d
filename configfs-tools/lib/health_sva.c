// SPDX-License-Identifier: Apache-2.0
/*
 * Why a device can't share a process' address space: the kernel lacks it, the IOMMU is off, bypassed, not the guest's,
 * or refuses.
 */
#include <errno.h>
#include <string.h>

#include "health_sva.h"

static const struct sva_cause bypassed = {
	"the IOMMU passes the device's addresses on as they are",
	"Take iommu.passthrough=1, or iommu=pt, from the kernel's command line."
};
static const struct sva_cause refused = {
	"its IOMMU refuses it",
	"Enable shared virtual addressing (SVA, with stalls or PRI) of the IOMMU in the firmware; the lines of "
	"dmesg | grep -iE 'smmu|iommu' may say what it lacks."
};
static const struct sva_cause simulated = {
	"it is simulated without",
	"Simulate it with: 'wdctl load --sim' without @nosva, or sva 1 in the device's folder of "
	"/sys/kernel/config/hisi_sim before it is live."
};
static const struct sva_cause guest = {
	"this is a guest, and its virtual machine has no IOMMU that shares address spaces",
	"Give the virtual machine a virtual SMMUv3 with PASIDs, if its hypervisor has that."
};
static const struct sva_cause none = {
	"no IOMMU translates the device's addresses",
	"Enable the IOMMU (SMMUv3) in the firmware, and take iommu=off from the kernel's command line if it is there."
};
static const struct sva_cause no_smmu_sva = {
	"this kernel was built without CONFIG_ARM_SMMU_V3_SVA",
	"Boot a kernel that has it, which none of Debian's for arm64 does: docs/guide/hardware.md says how to get one."
};
static const struct sva_cause no_iommu_sva = {
	"this kernel was built without CONFIG_IOMMU_SVA",
	"Boot a kernel that has it: docs/supported-kernels.md has a table."
};

/* Does the beginning of a file have the word? */
static bool file_has(const struct root *r, const char *file, const char *word)
{
	char text[4096];
	int ret = root_read(r, text, sizeof(text), "%s", file);

	return (!ret || ret == -EFBIG) && strstr(text, word);
}

/* A CPU of amd64 has a flag in a guest, and the firmware of virtual machines names itself. */
static bool is_guest(const struct root *r)
{
	static const char *const files[] = {
		"/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name",
		"/sys/firmware/devicetree/base/compatible",
	};
	static const char *const names[] = { "QEMU", "KVM", "VMware", "Xen", "Virtual Machine", "linux,dummy-virt" };
	bool guest = file_has(r, "/proc/cpuinfo", " hypervisor");
	size_t i, n;

	for (i = 0; !guest && i < sizeof(files) / sizeof(files[0]); i++)
		for (n = 0; !guest && n < sizeof(names) / sizeof(names[0]); n++)
			guest = file_has(r, files[i], names[n]);
	return guest;
}

static bool is_simulated(const struct health_input *in, const char *function)
{
	const struct device *d = device_find(in->devices, function);

	return d && d->simulated.known && d->simulated.value;
}

const struct sva_cause *sva_cause(const struct health_input *in, const char *function)
{
	char type[32];

	if (is_simulated(in, function))
		return &simulated;
	if (in->config && kconfig_get(in->config, "ARM64") == 'y') {
		if (kconfig_get(in->config, "ARM_SMMU_V3_SVA") != 'y')
			return &no_smmu_sva;
	} else if (in->config && kconfig_get(in->config, "IOMMU_SVA") != 'y') {
		return &no_iommu_sva;
	}
	if (!root_exists(in->root, "/sys/bus/pci/devices/%s/iommu_group", function))
		return is_guest(in->root) ? &guest : &none;
	if (!root_read(in->root, type, sizeof(type), "/sys/bus/pci/devices/%s/iommu_group/type", function) &&
	    !strcmp(type, "identity"))
		return &bypassed;
	return &refused;
}
