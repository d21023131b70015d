// SPDX-License-Identifier: Apache-2.0
/* Sections and settings of devices, as a file requests them or as the kernel has them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "list.h"

static struct object *list_grow(struct object_list *l)
{
	struct object *grown;
	size_t room;

	if (l->count == l->room) {
		room = l->room ? 2 * l->room : 16;
		grown = realloc(l->item, room * sizeof(*grown));
		if (!grown)
			return NULL;
		l->item = grown;
		l->room = room;
	}
	memset(&l->item[l->count], 0, sizeof(*l->item));
	l->item[l->count].total = l->item[l->count].free = l->item[l->count].node = -1;
	return &l->item[l->count++];
}

struct object *config_add(struct config *c, enum object_kind kind, const char *name, size_t len)
{
	struct object *o = list_grow(&c->objects[kind]);

	if (o && len < sizeof(o->name))
		memcpy(o->name, name, len);
	return o;
}

static void object_free(struct object *o)
{
	size_t i;

	for (i = 0; i < OBJECT_ATTRS_MAX; i++)
		free(o->value[i]);
	free(o->reason);
	free(o->members);
	free(o->missing);
}

void config_drop(struct config *c, enum object_kind kind, size_t i)
{
	struct object_list *l = &c->objects[kind];

	object_free(&l->item[i]);
	l->item[i] = l->item[--l->count];
}

int config_fill(struct object *section)
{
	const struct attr *a;
	size_t i;

	for (i = 0; i < SECTION_ATTRS; i++) {
		a = attr_get(OBJECT_SECTION, i);
		if (section->value[i])
			continue;
		section->value[i] = strdup(a->absent);
		if (!section->value[i])
			return -ENOMEM;
	}
	return 0;
}

static long value_number(const char *text)
{
	return text ? strtol(text, NULL, 10) : 0;
}

uint64_t config_slot_contexts(const struct object *section, long node)
{
	const char *nodes = section->value[SECTION_NODES], *element;
	long at, sync, async;
	size_t len;

	if (!nodes || !*nodes)
		return value_number(section->value[SECTION_SYNC_CTXS]) +
		       value_number(section->value[SECTION_ASYNC_CTXS]);
	while (value_next(&nodes, &element, &len))
		if (sscanf(element, "%ld=%ld+%ld", &at, &sync, &async) == 3 && at == node)
			return sync + async;
	return 0;
}

uint64_t config_contexts(const struct object *section, const struct object *device)
{
	const char *zone = device->value[DEVICE_ZONE_ID];
	long node = zone ? value_number(zone) : -1;

	return value_number(section->value[SECTION_NUM_PROCESSES]) * config_slot_contexts(section, node);
}

int config_copy(struct object *to, const struct object *from)
{
	size_t i;

	for (i = 0; i < OBJECT_ATTRS_MAX; i++) {
		if (!from->value[i])
			continue;
		free(to->value[i]);
		to->value[i] = strdup(from->value[i]);
		if (!to->value[i])
			return -ENOMEM;
	}
	return 0;
}

struct object *config_find(const struct config *c, enum object_kind kind, const char *name)
{
	const struct object_list *l = &c->objects[kind];
	size_t i;

	for (i = 0; i < l->count; i++)
		if (!strcmp(l->item[i].name, name) ||
		    (kind == OBJECT_DEVICE && !strcmp(l->item[i].parent, name)))
			return &l->item[i];
	return NULL;
}

/* Makes a list item for one device, under its parent's name if the kernel knows one, else under its own. */
static struct list_item parent_item(const struct config *kernel, const char *device, size_t len)
{
	struct list_item item = { .name = device, .len = len };
	char name[OBJECT_NAME_MAX + 1];
	const struct object *o;

	if (len >= sizeof(name))
		return item;
	memcpy(name, device, len);
	name[len] = '\0';
	o = config_find(kernel, OBJECT_DEVICE, name);
	if (o && o->parent[0]) {
		item.name = o->parent;
		item.len = strlen(o->parent);
	}
	return item;
}

char *config_parents(const struct config *kernel, const char *devices)
{
	struct list list = { 0 };
	struct list_item item;
	const char *device;
	char *out = NULL;
	size_t i, len, used = 0;

	while (value_next(&devices, &device, &len)) {
		item = parent_item(kernel, device, len);
		if (list_add(&list, &item))
			goto out;
	}
	list_sort(&list, true);
	for (i = 0; i < list.count; i++)
		if (!used || list.item[i].len != list.item[used - 1].len ||
		    memcmp(list.item[i].name, list.item[used - 1].name, list.item[i].len))
			list.item[used++] = list.item[i];
	list.count = used;
	list_format(&list, VALUE_DEVICES, &out);
out:
	list_free(&list);
	return out;
}

static void print_value(FILE *f, const struct attr *a, const char *value)
{
	if (a->type == VALUE_DEVICES) {
		for (; *value; value++)
			fprintf(f, *value == ' ' ? ", " : "%c", *value);
		return;
	}
	fputs(value, f);
}

/* The devices that a live section got, so that it gets the same after a reboot, in whatever order they come then. */
static const char *section_devices(const struct object *o)
{
	const char *members = o->members ? o->members : "", *list = members, *name;
	size_t len, count = 0;

	while (value_next(&list, &name, &len))
		count++;
	/* A longer list can't be written to a file. */
	if (*o->value[SECTION_DEVICES] || count > VALUE_LIST_MAX || strlen(members) > VALUE_BYTES_MAX)
		return o->value[SECTION_DEVICES];
	return members;
}

/* Values that the file need not have are left out, except a section's two main settings. */
static const char *value_to_print(enum object_kind kind, const struct object *o, size_t i)
{
	const struct attr *a = attr_get(kind, i);
	const char *value = o->value[i];

	if (kind == OBJECT_SECTION && i == SECTION_DEVICES && value)
		value = section_devices(o);
	if (!value)
		return NULL;
	if (kind == OBJECT_SECTION)
		return a->absent && i != SECTION_NUM_PROCESSES && i != SECTION_LIMIT_DEV_ACCESS &&
		       !strcmp(value, a->absent) ? NULL : value;
	if (i == DEVICE_ZONE_ID && value_number(value) == o->node)
		return NULL;
	return a->initial && !strcmp(value, a->initial) ? NULL : value;
}

static bool has_values_to_print(enum object_kind kind, const struct object *o)
{
	size_t i;

	for (i = 0; i < attr_count(kind); i++)
		if (value_to_print(kind, o, i))
			return true;
	return false;
}

void config_print_object(FILE *f, enum object_kind kind, const struct object *o,
			 const struct config *kernel)
{
	const struct attr *a;
	const char *value;
	char *devices;
	size_t i;

	if (kind == OBJECT_DEVICE)
		fprintf(f, "[device %s]\n", o->parent[0] ? o->parent : o->name);
	else
		fprintf(f, "[%s]\n", o->name);
	for (i = 0; i < attr_count(kind); i++) {
		a = attr_get(kind, i);
		value = value_to_print(kind, o, i);
		if (!value)
			continue;
		devices = a->type == VALUE_DEVICES ? config_parents(kernel, value) : NULL;
		fprintf(f, "%s = ", a->key);
		print_value(f, a, devices ? devices : value);
		fputc('\n', f);
		free(devices);
	}
}

void config_print(FILE *f, const struct config *c)
{
	const char *gap = "";
	size_t i;
	int kind;

	for (kind = OBJECT_DEVICE; kind >= OBJECT_SECTION; kind--) {
		for (i = 0; i < c->objects[kind].count; i++) {
			if (!has_values_to_print(kind, &c->objects[kind].item[i]))
				continue;
			fputs(gap, f);
			config_print_object(f, kind, &c->objects[kind].item[i], c);
			gap = "\n";
		}
	}
}

void config_free(struct config *c)
{
	size_t i;
	int kind;

	for (kind = 0; kind < OBJECT_KINDS; kind++) {
		for (i = 0; i < c->objects[kind].count; i++)
			object_free(&c->objects[kind].item[i]);
		free(c->objects[kind].item);
	}
	for (i = 0; i < c->errors && i < CONFIG_ERRORS_SHOWN; i++)
		free(c->error[i].text);
	for (i = 0; i < c->notes && i < CONFIG_ERRORS_SHOWN; i++)
		free(c->note[i].text);
	memset(c, 0, sizeof(*c));
}

const char *section_state_name(enum section_state state)
{
	static const char *const names[] = {
		[SECTION_CONFIGURED] = "configured",
		[SECTION_IS_LIVE] = "live",
		[SECTION_DRAINING] = "draining",
	};

	return names[state];
}
