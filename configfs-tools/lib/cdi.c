// SPDX-License-Identifier: Apache-2.0
/* Specifications of the Container Device Interface: devices and sections for container runtimes. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cdi.h"
#include "members.h"

/* The oldest version that has everything used here: runtimes drop a file of a version that they don't know. */
#define CDI_VERSION "0.5.0"
#define CDI_VERSION_GIDS "0.7.0"

/* Without device numbers, which change from boot to boot: the runtime reads them from the host's node. */
static struct json_object *node_of(const char *device, const struct cdi_group *group)
{
	struct json_object *node = json_object_new_object();
	char path[sizeof("/dev/") + DEVICE_NAME_MAX];

	if (!node)
		return NULL;
	snprintf(path, sizeof(path), "/dev/%s", device);
	json_object_object_add(node, "path", json_object_new_string(path));
	json_object_object_add(node, "type", json_object_new_string("c"));
	json_object_object_add(node, "permissions", json_object_new_string("rw"));
	/* As the rule for udev has it; otherwise every user of the container could open the node. */
	json_object_object_add(node, "fileMode", json_object_new_int(0660));
	if (group->gid)
		json_object_object_add(node, "gid", json_object_new_int64(*group->gid));
	return node;
}

/* Takes @nodes. */
static struct json_object *edits_of(struct json_object *nodes, const struct cdi_group *group)
{
	struct json_object *edits = json_object_new_object(), *gids;

	if (!edits || !nodes)
		return NULL;
	/* A list that is there has an element. */
	if (json_object_array_length(nodes))
		json_object_object_add(edits, "deviceNodes", nodes);
	else
		json_object_put(nodes);
	if (!group->gid || !group->additional)
		return edits;
	gids = json_object_new_array();
	if (!gids)
		return NULL;
	json_object_array_add(gids, json_object_new_int64(*group->gid));
	json_object_object_add(edits, "additionalGids", gids);
	return edits;
}

/* Takes @edits. */
static struct json_object *device_of(const char *name, struct json_object *edits)
{
	struct json_object *device = json_object_new_object();

	if (!device || !edits)
		return NULL;
	json_object_object_add(device, "name", json_object_new_string(name));
	json_object_object_add(device, "containerEdits", edits);
	return device;
}

/* A specification without devices; *@list is theirs. */
static struct json_object *head(const char *kind, const struct cdi_group *group, struct json_object **list)
{
	struct json_object *top = json_object_new_object();
	bool gids = group->gid && group->additional;

	*list = json_object_new_array();
	if (!top || !*list)
		return NULL;
	json_object_object_add(top, "cdiVersion", json_object_new_string(gids ? CDI_VERSION_GIDS : CDI_VERSION));
	json_object_object_add(top, "kind", json_object_new_string(kind));
	json_object_object_add(top, "devices", *list);
	return top;
}

/* One device with the nodes from first on. */
static struct json_object *device_of_nodes(const char *name, const struct device_list *devices, size_t first,
					   size_t count, const struct cdi_group *group)
{
	struct json_object *nodes = json_object_new_array();
	size_t i;

	for (i = first; nodes && i < first + count; i++)
		json_object_array_add(nodes, node_of(devices->dev[i].name, group));
	return device_of(name, edits_of(nodes, group));
}

struct json_object *cdi_devices(const struct device_list *devices, const struct cdi_group *group)
{
	struct json_object *list, *top = head("warpdrive/uacce", group, &list);
	size_t i;

	if (!top)
		return NULL;
	for (i = 0; i < devices->count; i++)
		json_object_array_add(list, device_of_nodes(devices->dev[i].name, devices, i, 1, group));
	if (devices->count)
		json_object_array_add(list, device_of_nodes("all", devices, 0, devices->count, group));
	return top;
}

bool cdi_name_valid(const char *section)
{
	return isalnum((unsigned char)section[0]) && isalnum((unsigned char)section[strlen(section) - 1]);
}

static struct json_object *device_of_section(const struct config *kernel, const struct object *section,
					     const struct cdi_group *group)
{
	const struct object_list *l = &kernel->objects[OBJECT_DEVICE];
	struct json_object *nodes = json_object_new_array(), *edits, *env;
	char text[sizeof("WD_SECTION=") + SECTION_NAME_MAX];
	size_t i;

	for (i = 0; nodes && i < l->count; i++)
		if (members_give(section, &l->item[i]))
			json_object_array_add(nodes, node_of(l->item[i].name, group));
	edits = edits_of(nodes, group);
	env = json_object_new_array();
	if (!edits || !env)
		return NULL;
	snprintf(text, sizeof(text), "WD_SECTION=%.*s", SECTION_NAME_MAX, section->name);
	json_object_array_add(env, json_object_new_string(text));
	json_object_object_add(edits, "env", env);
	return device_of(section->name, edits);
}

struct json_object *cdi_sections(const struct config *kernel, const struct cdi_group *group)
{
	const struct object_list *l = &kernel->objects[OBJECT_SECTION];
	struct json_object *list, *top = head("warpdrive/section", group, &list);
	size_t i;

	if (!top)
		return NULL;
	for (i = 0; i < l->count; i++)
		if (l->item[i].state == SECTION_IS_LIVE && cdi_name_valid(l->item[i].name))
			json_object_array_add(list, device_of_section(kernel, &l->item[i], group));
	return top;
}
