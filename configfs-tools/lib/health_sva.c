// SPDX-License-Identifier: Apache-2.0
/* Why a device can't share a process' address space: the kernel lacks it, the IOMMU is off or bypassed, or refuses. */
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

const struct sva_cause *sva_cause(const struct health_input *in, const char *function)
{
	char type[32];

	if (in->config && kconfig_get(in->config, "ARM64") == 'y') {
		if (kconfig_get(in->config, "ARM_SMMU_V3_SVA") != 'y')
			return &no_smmu_sva;
	} else if (in->config && kconfig_get(in->config, "IOMMU_SVA") != 'y') {
		return &no_iommu_sva;
	}
	if (!root_exists(in->root, "/sys/bus/pci/devices/%s/iommu_group", function))
		return &none;
	if (!root_read(in->root, type, sizeof(type), "/sys/bus/pci/devices/%s/iommu_group/type", function) &&
	    !strcmp(type, "identity"))
		return &bypassed;
	return &refused;
}
