// SPDX-License-Identifier: Apache-2.0
/* A section for Kubernetes: arguments of a device plugin, and the part of a pod that asks for it. */
#include <ctype.h>
#include <string.h>

#include "cdi.h"
#include "k8s.h"
#include "members.h"

#define DOMAIN "warpdrive"

bool k8s_name_valid(const char *section)
{
	return isalnum((unsigned char)section[strlen(section) - 1]);
}

static size_t devices_print(FILE *f, const struct config *kernel, const struct object *section)
{
	const struct object_list *l = &kernel->objects[OBJECT_DEVICE];
	size_t i, count = 0;

	for (i = 0; i < l->count; i++) {
		if (!members_give(section, &l->item[i]))
			continue;
		if (f)
			fprintf(f, "%s{\"path\":\"/dev/%s\"}", count ? "," : "", l->item[i].name);
		count++;
	}
	return count;
}

bool k8s_print(FILE *f, const struct config *kernel, const struct object *section, uint32_t gid)
{
	const char *name = section->name;

	if (!devices_print(NULL, kernel, section))
		return false;
	fprintf(f,
		"# Written by 'wdctl export k8s --section %s'.\n"
		"# Arguments of a generic device plugin: all nodes of a group go to one pod, count times.\n"
		"args:\n"
		"  - --domain=" DOMAIN "\n"
		"  - --device\n"
		"  - '{\"name\":\"wd-%s\",\"groups\":[{\"count\":%s,\"paths\":[",
		name, name, section->value[SECTION_NUM_PROCESSES]);
	devices_print(f, kernel, section);
	fprintf(f,
		"]}]}'\n"
		"---\n"
		"# The part of a pod. One unit is a pod with the devices; the kernel counts its processes.\n"
		"spec:\n"
		"  securityContext:\n"
		"    supplementalGroups:\n"
		"      - %u\n"
		"  containers:\n"
		"    - name: main\n"
		"      env:\n"
		"        - name: WD_SECTION\n"
		"          value: \"%s\"\n"
		"      resources:\n"
		"        limits:\n"
		"          " DOMAIN "/wd-%s: 1\n",
		gid, name, name);
	if (cdi_name_valid(name))
		fprintf(f,
			"---\n"
			"# For a plugin that answers with names of CDI, which 'wdctl export cdi --sections' has.\n"
			"cdiDevices:\n"
			"  - name: warpdrive/section=%s\n",
			name);
	return true;
}
