// SPDX-License-Identifier: Apache-2.0
/* wdctl list: the accelerators of this machine. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ask.h"
#include "cmd.h"
#include "lib/device.h"
#include "lib/json.h"
#include "table.h"

static bool is_wanted(const struct wdctl_run *r, const struct device *d)
{
	int i;

	for (i = 0; i < r->args_nr; i++)
		if (!strcmp(r->args[i], d->name) || !strcmp(r->args[i], d->parent))
			return true;
	return !r->args_nr;
}

static void add_number(struct table *t, const struct device_number *n)
{
	if (n->known)
		table_add(t, "%ld", n->value);
	else
		table_add(t, "-");
}

static int print_table(const struct wdctl_run *r, const struct device_list *list)
{
	static const char *const heads[] = {
		"NAME", "PARENT", "ALGORITHMS", "NODE", "PRIORITY", "SIMULATED", "MEMORY", "TOTAL", "RESERVED", "USED",
		"FREE", "STATE",
	};
	struct table t;
	size_t i;

	table_init(&t, sizeof(heads) / sizeof(heads[0]));
	for (i = 0; i < t.columns; i++)
		table_add(&t, "%s", heads[i]);
	for (i = 0; i < list->count; i++) {
		const struct device *d = &list->dev[i];

		if (!is_wanted(r, d))
			continue;
		table_add(&t, "%s", d->name);
		table_add(&t, "%s", d->parent[0] ? d->parent : "-");
		table_add(&t, "%s", d->algorithms[0] ? d->algorithms : "-");
		add_number(&t, &d->node);
		add_number(&t, &d->priority);
		table_add(&t, "%s", !d->simulated.known ? "-" : d->simulated.value ? "yes" : "no");
		table_add(&t, "%s", device_way(d) ? device_way(d) : "-");
		add_number(&t, &d->total);
		add_number(&t, &d->reserved);
		add_number(&t, &d->used);
		/* A kernel without sections only reports available_instances, which is the same number there. */
		add_number(&t, d->free.known ? &d->free : &d->available);
		table_add(&t, "%s", device_state_name(d->state));
	}
	return table_print(&t);
}

/* Missing algorithms are too rare for a column. */
static void print_lacks(const struct wdctl_run *r, const struct device_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->dev[i].lacks[0] && is_wanted(r, &list->dev[i]))
			printf("%s lacks on this kernel: %s\n", list->dev[i].name, list->dev[i].lacks);
}

static void print_functions(const struct wdctl_run *r, const struct device_list *list)
{
	const struct device *d, *physical;
	size_t i;

	for (i = 0; i < list->count; i++) {
		d = &list->dev[i];
		if (!d->physical[0] || !is_wanted(r, d))
			continue;
		physical = device_find(list, d->physical);
		printf("%s is a virtual function of %s\n", d->name, physical ? physical->name : d->physical);
	}
}

/* The settings that an administrator has made: they are shown for as long as they last. */
static void print_settings(const struct wdctl_run *r, const struct device_list *list)
{
	const struct device *d;
	size_t i;

	for (i = 0; i < list->count; i++) {
		d = &list->dev[i];
		if (!is_wanted(r, d))
			continue;
		if (!strcmp(d->doorbells, "mapped"))
			printf("%s: every process that can open it may ring for the queues of all others "
			       "(doorbells mapped)\n",
			       d->name);
		else if (!strcmp(d->doorbells, "exclusive"))
			printf("%s: one section at a time has it (doorbells exclusive)\n", d->name);
		if (device_is_forbidden(d))
			printf("%s: nobody can open it, since it has no shared virtual addressing (memory sva)\n",
			       d->name);
	}
}

static int print_json(const struct wdctl_run *r, const struct device_list *list)
{
	struct json_object *top = json_object_new_object();
	struct json_object *devices = json_object_new_array();
	size_t i;

	if (!top || !devices)
		return -1;
	json_object_object_add(top, "devices", devices);
	for (i = 0; i < list->count; i++)
		if (is_wanted(r, &list->dev[i]))
			json_object_array_add(devices, json_from_device(&list->dev[i]));
	printf("%s\n", json_object_to_json_string_ext(top, JSON_C_TO_STRING_PRETTY |
						      JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(top);
	return 0;
}

static enum wdctl_exit list_run(const struct wdctl_run *r)
{
	enum wdctl_exit result = EXIT_DONE;
	struct device_list list;
	int i, ret;

	ret = device_list_read(&r->root, &list);
	if (ret) {
		wdctl_error("list", "%s/sys/class/uacce: %s", r->root.dir, strerror(-ret));
		return EXIT_FAILED;
	}
	ask_counts(&r->root, &list, r->json);
	for (i = 0; i < r->args_nr; i++) {
		if (device_find(&list, r->args[i]))
			continue;
		wdctl_error("list", "%s: no such device", r->args[i]);
		result = EXIT_FAILED;
	}
	if (r->json) {
		ret = print_json(r, &list);
	} else if (list.count) {
		ret = print_table(r, &list);
		print_functions(r, &list);
		print_lacks(r, &list);
		print_settings(r, &list);
	} else if (!r->args_nr) {
		fprintf(stderr, "no accelerators found; run 'wdctl doctor' for the cause\n");
	}
	device_list_free(&list);
	if (ret) {
		wdctl_error("list", "out of memory");
		return EXIT_FAILED;
	}
	return result;
}

const struct wdctl_cmd cmd_list = {
	.name = "list",
	.help = "list the accelerators",
	.args = "[DEVICE...]",
	.kind = WDCTL_QUERY,
	.run = list_run,
};
