/* SPDX-License-Identifier: Apache-2.0 */
/* Specifications of the Container Device Interface: devices and sections for container runtimes. */
#ifndef WDCTL_CDI_H
#define WDCTL_CDI_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "config.h"
#include "device.h"

#define CDI_SECTIONS_FILE "/run/cdi/warpdrive.json"

struct cdi_group {
	const uint32_t *gid;	/* of the nodes in the container; NULL: the runtime chooses */
	bool additional;	/* the container's process is a member */
};

/** cdi_devices() - make a specification with a device for each accelerator, and one for all; NULL without memory. */
struct json_object *cdi_devices(const struct device_list *devices, const struct cdi_group *group);

/**
 * cdi_sections() - the same with a device for each live section of the kernel: its present accelerators, and the name.
 * Sections whose names CDI doesn't have are left out.
 */
struct json_object *cdi_sections(const struct config *kernel, const struct cdi_group *group);

/** cdi_name_valid() - can a device of CDI have this section's name? It begins and ends with a letter or a digit. */
bool cdi_name_valid(const char *section);

#endif
