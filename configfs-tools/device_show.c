// SPDX-License-Identifier: Apache-2.0
/* Shows single devices with all that can be done with them, as text and as JSON. */
#include <stdio.h>
#include <string.h>

#include "device_show.h"
#include "lib/json.h"

static void print_number(const char *key, const struct device_number *n, const char *otherwise)
{
	if (n->known)
		printf("  %s: %ld\n", key, n->value);
	else
		printf("  %s: %s\n", key, otherwise);
}

static void print_contexts(const struct device *d)
{
	/* A kernel without sections only reports available_instances. */
	if (!d->total.known) {
		print_number("free contexts", &d->available, "unknown");
		return;
	}
	printf("  contexts: %ld, reserved %ld, used %ld, free %ld, quarantined %ld\n", d->total.value,
	       d->reserved.value, d->used.value, d->free.value, d->quarantined.value);
}

static void print_state(const struct device *d)
{
	printf("  state: %s", device_state_name(d->state));
	if (d->resets.known && d->resets.value)
		printf(", %ld reset%s", d->resets.value, d->resets.value == 1 ? "" : "s");
	if (d->wrong_results.known && d->wrong_results.value)
		printf(", %ld wrong results", d->wrong_results.value);
	printf("\n");
}

static void print_functions(const struct root *r, const struct device_list *list, const struct device *d,
			    const struct controls *c)
{
	const struct device_number *functions = &c->value[CONTROL_FUNCTIONS];
	const struct device *other;
	char name[DEVICE_NAME_MAX];
	unsigned int i;

	if (d->physical[0]) {
		other = device_find(list, d->physical);
		printf("  functions: it is a virtual function of %s\n", other ? other->name : d->physical);
		return;
	}
	if (!functions->known) {
		printf("  functions: it can't have virtual functions\n");
		return;
	}
	printf("  functions: %ld of %ld", functions->value, c->functions_max.value);
	for (i = 0; i < functions->value && !control_function(r, d, i, name, sizeof(name)); i++) {
		other = device_find(list, name);
		printf("%s %s", i ? "," : ":", other ? other->name : name);
	}
	printf("\n");
}

static void print_isolation(const struct controls *c)
{
	const struct device_number *n = &c->value[CONTROL_ISOLATE];

	if (!n->known)
		printf("  isolation: its driver has none\n");
	else if (n->value)
		printf("  isolation: after more than %ld resets within an hour\n", n->value);
	else
		printf("  isolation: only if a reset fails\n");
}

static void print_memory(const struct device *d)
{
	const char *way = device_way(d);

	printf("  memory: %s", way ? way : "no way to that of processes");
	if (d->memory[0] && strcmp(d->memory, "auto"))
		printf(", %s demanded", d->memory);
	printf("\n");
}

void device_show(const struct root *r, const struct device_list *list, const struct device *d)
{
	struct controls c;

	controls_read(r, d, &c);
	printf("%s\n", d->name);
	printf("  parent: %s, driver %s\n", d->parent[0] ? d->parent : "none", c.driver[0] ? c.driver : "unknown");
	printf("  api: %s\n", d->api);
	printf("  algorithms: %s\n", d->algorithms[0] ? d->algorithms : "none");
	if (d->lacks[0])
		printf("  lacks on this kernel: %s\n", d->lacks);
	print_state(d);
	print_number("node", &d->node, "unknown");
	print_number("priority", &d->priority, "unknown");
	print_contexts(d);
	print_functions(r, list, d, &c);
	print_isolation(&c);
	printf("  reset: %s\n", !c.resets ? "impossible" : c.reset_methods[0] ? c.reset_methods : "possible");
	printf("  doorbells: %s\n", d->doorbells[0] ? d->doorbells : "unknown");
	print_memory(d);
	print_number("bandwidth", &c.value[CONTROL_BANDWIDTH], "no limits known");
}

static void add_number(struct json_object *o, const char *key, const struct device_number *n)
{
	json_object_object_add(o, key, n->known ? json_object_new_int64(n->value) : NULL);
}

static struct json_object *functions_json(const struct root *r, const struct device *d, const struct controls *c)
{
	struct json_object *list = json_object_new_array();
	char name[DEVICE_NAME_MAX];
	unsigned int i;

	for (i = 0; list && i < c->value[CONTROL_FUNCTIONS].value && !control_function(r, d, i, name, sizeof(name));
	     i++)
		json_object_array_add(list, json_object_new_string(name));
	return list;
}

static struct json_object *methods_json(const struct controls *c)
{
	struct json_object *list = json_object_new_array();
	const char *at = c->reset_methods;
	size_t len;

	for (; list && *(at += strspn(at, " ")); at += len) {
		len = strcspn(at, " ");
		json_object_array_add(list, json_object_new_string_len(at, (int)len));
	}
	return list;
}

struct json_object *device_show_json(const struct root *r, const struct device *d)
{
	struct json_object *o = json_from_device(d);
	struct controls c;

	if (!o)
		return NULL;
	controls_read(r, d, &c);
	json_object_object_add(o, "driver", c.driver[0] ? json_object_new_string(c.driver) : NULL);
	add_number(o, "functions_max", &c.functions_max);
	json_object_object_add(o, "functions", functions_json(r, d, &c));
	add_number(o, "isolate_strategy", &c.value[CONTROL_ISOLATE]);
	add_number(o, "bandwidth", &c.value[CONTROL_BANDWIDTH]);
	json_object_object_add(o, "can_reset", json_object_new_boolean(c.resets));
	json_object_object_add(o, "reset_methods", methods_json(&c));
	return o;
}
