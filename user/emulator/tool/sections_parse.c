// SPDX-License-Identifier: Apache-2.0
/* The file of sections: wdctl's parser reads it, and this file turns the result into the emulator's sections. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "idname.h"
#include "sections.h"
#include "text_file.h"

struct section sections[SECTIONS_MAX];
unsigned int nr_sections;

static const char *file_name;

static int complain(const struct object *o, const char *what, long most)
{
	fprintf(stderr, "wd-emulate: %s:%zu: [%s] ", file_name, o->line, o->name);
	fprintf(stderr, what, most);
	fputc('\n', stderr);
	return -1;
}

/* The parser leaves values in their canonical form: numbers are digits, and lists have valid elements. */
static unsigned int attr_number(const struct object *o, enum section_attr attr)
{
	return (unsigned int)strtoul(o->value[attr], NULL, 10);
}

static int nodes(struct section *s, const struct object *o)
{
	const char *list = o->value[SECTION_NODES], *element;
	size_t len;

	while (value_next(&list, &element, &len)) {
		if (s->nr_nodes == DEVICES_MAX)
			return complain(o, "Nodes: expected at most %ld nodes", DEVICES_MAX);
		sscanf(element, "%d=%u+%u", &s->nodes[s->nr_nodes].node, &s->nodes[s->nr_nodes].sync,
		       &s->nodes[s->nr_nodes].async);
		s->nr_nodes++;
	}
	return 0;
}

static int devices(struct section *s, const struct object *o)
{
	const char *list = o->value[SECTION_DEVICES], *element;
	char name[OBJECT_NAME_MAX + 1];
	size_t len;
	int id;

	while (value_next(&list, &element, &len)) {
		snprintf(name, sizeof(name), "%.*s", (int)len, element);
		id = device_find(name);
		if (id < 0) {
			fprintf(stderr, "wd-emulate: %s:%zu: [%s] Devices: expected an emulated device, not %s\n",
				file_name, o->line, o->name, name);
			return -1;
		}
		s->device[s->nr_devices++] = (unsigned int)id;
	}
	return 0;
}

static void ids(struct section_ids *ids, const char *list)
{
	const char *element;
	struct id_range *r;
	size_t len;

	ids->all = !strcmp(list, "*");
	while (!ids->all && value_next(&list, &element, &len)) {
		r = &ids->range[ids->nr++];
		if (sscanf(element, "%u-%u", &r->first, &r->last) == 1)
			r->last = r->first;
	}
}

static int section(const struct object *o)
{
	struct section *s = &sections[nr_sections];

	if (nr_sections == SECTIONS_MAX)
		return complain(o, "expected at most %ld sections", SECTIONS_MAX);
	nr_sections++;
	memcpy(s->name, o->name, sizeof(s->name));
	s->num_processes = attr_number(o, SECTION_NUM_PROCESSES);
	s->limit = attr_number(o, SECTION_LIMIT_DEV_ACCESS);
	s->sync = attr_number(o, SECTION_SYNC_CTXS);
	s->async = attr_number(o, SECTION_ASYNC_CTXS);
	s->priority = attr_number(o, SECTION_QUEUE_PRIORITY);
	s->max_extra = attr_number(o, SECTION_MAX_EXTRA_CTXS);
	s->state = attr_number(o, SECTION_LIVE) ? SECTION_IS_LIVE : SECTION_CONFIGURED;
	ids(&s->uids, o->value[SECTION_ALLOWED_UIDS]);
	ids(&s->gids, o->value[SECTION_ALLOWED_GIDS]);
	return nodes(s, o) ? -1 : devices(s, o);
}

static int sections_from(const struct config *c)
{
	const struct object_list *list = &c->objects[OBJECT_SECTION];
	size_t i;

	for (i = 0; i < c->errors && i < CONFIG_ERRORS_SHOWN; i++)
		fprintf(stderr, "wd-emulate: %s:%zu: %s\n", file_name, c->error[i].line,
			c->error[i].text ? c->error[i].text : "out of memory");
	if (c->errors)
		return -1;
	if (c->objects[OBJECT_DEVICE].count)
		return complain(&c->objects[OBJECT_DEVICE].item[0],
				"expected sections only: emulated devices have no settings", 0);
	for (i = 0; i < list->count; i++)
		if (section(&list->item[i]))
			return -1;
	return 0;
}

int sections_read(const char *path)
{
	struct config config = { 0 };
	struct id_names names;
	struct root machine;
	char *text = NULL;
	size_t len;
	int ret = text_file_read(path, &text, &len);

	file_name = path;
	if (!ret)
		ret = root_open(&machine, NULL);
	if (!ret) {
		names = idname_source(&machine);
		ret = config_parse(&config, text, len, &names);
		root_close(&machine);
	}
	free(text);
	if (ret)
		fprintf(stderr, "wd-emulate: %s: %s\n", path, strerror(-ret));
	else
		ret = sections_from(&config);
	config_free(&config);
	return ret ? -1 : 0;
}
