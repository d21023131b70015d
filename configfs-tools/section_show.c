// SPDX-License-Identifier: Apache-2.0
/* Sections as the kernel has them, for people and programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/escape.h"
#include "lib/json_config.h"
#include "section_show.h"
#include "table.h"

static const char *value(const struct object *o, enum section_attr i)
{
	return o->value[i] && *o->value[i] ? o->value[i] : "-";
}

static void add_row(struct table *t, const struct object *o)
{
	char shown[ESCAPE_SIZE];
	const char *devices = value(o, SECTION_DEVICES);

	table_add(t, "%s", o->name);
	table_add(t, "%s", section_state_name(o->state));
	table_add(t, "%s", value(o, SECTION_NUM_PROCESSES));
	table_add(t, "%s", !strcmp(value(o, SECTION_LIMIT_DEV_ACCESS), "1") ? "one" : "all");
	table_add(t, "%s+%s", value(o, SECTION_SYNC_CTXS), value(o, SECTION_ASYNC_CTXS));
	table_add(t, "%s", value(o, SECTION_NODES));
	table_add(t, "%s", value(o, SECTION_QUEUE_PRIORITY));
	table_add(t, "%s", escape(shown, sizeof(shown), devices, strlen(devices)));
}

enum wdctl_exit section_list(struct provision *p)
{
	static const char *const heads[] = {
		"NAME", "STATE", "PROCESSES", "ACCESS", "CTXS", "NODES", "PRIORITY", "DEVICES",
	};
	const struct object_list *l = &p->kernel.objects[OBJECT_SECTION];
	struct table t;
	size_t i;

	if (p->run->json)
		return provision_print_json(p->command, json_from_config(&p->kernel, true));
	if (!l->count) {
		fprintf(stderr, "no sections\n");
		return EXIT_DONE;
	}
	table_init(&t, sizeof(heads) / sizeof(heads[0]));
	for (i = 0; i < t.columns; i++)
		table_add(&t, "%s", heads[i]);
	for (i = 0; i < l->count; i++)
		add_row(&t, &l->item[i]);
	if (!table_print(&t))
		return EXIT_DONE;
	wdctl_error(p->command, "out of memory");
	return EXIT_FAILED;
}

static void print_section(const struct provision *p, const struct object *o)
{
	char *reason = o->reason ? escape_new(o->reason) : NULL;

	config_print_object(stdout, OBJECT_SECTION, o, &p->kernel);
	printf("; state: %s\n", section_state_name(o->state));
	if (reason)
		printf("; last refusal: %s\n", reason);
	free(reason);
}

static enum wdctl_exit show_json(struct provision *p, char **name, int count)
{
	struct json_object *top = json_object_new_object(), *list = json_object_new_array();
	const struct object *o;
	int i;

	if (!top || !list)
		return provision_print_json(p->command, NULL);
	for (i = 0; i < count; i++) {
		o = config_find(&p->kernel, OBJECT_SECTION, name[i]);
		if (o)
			json_object_array_add(list, json_from_object(OBJECT_SECTION, o, true));
	}
	json_object_object_add(top, "sections", list);
	return provision_print_json(p->command, top);
}

enum wdctl_exit section_show(struct provision *p, char **name, int count)
{
	const struct object *o;
	int i;

	if (p->run->json)
		return show_json(p, name, count);
	for (i = 0; i < count; i++) {
		o = config_find(&p->kernel, OBJECT_SECTION, name[i]);
		if (!o)
			continue;
		if (i)
			printf("\n");
		print_section(p, o);
	}
	return EXIT_DONE;
}
