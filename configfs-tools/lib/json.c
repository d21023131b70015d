// SPDX-License-Identifier: Apache-2.0
/* JSON of devices and findings (json-c); the commands print it. */
#include <string.h>

#include "json.h"

static void add_text(struct json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, text[0] ? json_object_new_string(text) : NULL);
}

static void add_number(struct json_object *o, const char *key, const struct device_number *n)
{
	json_object_object_add(o, key, n->known ? json_object_new_int64(n->value) : NULL);
}

static struct json_object *words(const char *text)
{
	struct json_object *list = json_object_new_array();
	const char *end;

	while (list && *text) {
		end = strchrnul(text, ' ');
		json_object_array_add(list, json_object_new_string_len(text, end - text));
		text = *end ? end + 1 : end;
	}
	return list;
}

struct json_object *json_from_device(const struct device *d)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	add_text(o, "name", d->name);
	add_text(o, "parent", d->parent);
	add_text(o, "physical_function", d->physical);
	add_number(o, "virtual_functions", &d->vfs);
	add_text(o, "api", d->api);
	json_object_object_add(o, "algorithms", words(d->algorithms));
	json_object_object_add(o, "lacks", words(d->lacks));
	add_number(o, "node", &d->node);
	add_number(o, "priority", &d->priority);
	json_object_object_add(o, "simulated", !d->simulated.known ? NULL :
			       json_object_new_boolean(d->simulated.value != 0));
	add_text(o, "doorbells", d->doorbells);
	add_text(o, "iommu", d->iommu);
	json_object_object_add(o, "sva", json_object_new_boolean(d->flags & UACCE_DEV_SVA));
	add_text(o, "memory", device_way(d) ? device_way(d) : "");
	add_text(o, "memory_demanded", d->memory);
	add_number(o, "available", &d->available);
	add_number(o, "total", &d->total);
	add_number(o, "reserved", &d->reserved);
	add_number(o, "used", &d->used);
	add_number(o, "free", &d->free);
	add_number(o, "quarantined", &d->quarantined);
	add_number(o, "resets", &d->resets);
	add_number(o, "opens", &d->opens);
	add_number(o, "refused", &d->refused);
	add_number(o, "refused_full", &d->refused_full);
	add_number(o, "ctx_errors", &d->ctx_errors);
	add_number(o, "wrong_results", &d->wrong_results);
	add_number(o, "function_requests", &d->function_requests);
	add_number(o, "requests", &d->requests);
	add_number(o, "request_errors", &d->request_errors);
	add_number(o, "bytes_in", &d->bytes_in);
	add_number(o, "bytes_out", &d->bytes_out);
	add_number(o, "busy_cycles", &d->busy_cycles);
	add_text(o, "state", device_state_name(d->state));
	return o;
}

struct json_object *json_from_health(const struct health *h)
{
	struct json_object *list = json_object_new_array(), *o;
	size_t i;

	for (i = 0; list && i < h->count; i++) {
		o = json_object_new_object();
		if (!o)
			break;
		add_text(o, "state", health_state_name(h->item[i].state));
		add_text(o, "area", h->item[i].area);
		add_text(o, "text", h->item[i].text);
		add_text(o, "remedy", h->item[i].remedy);
		json_object_object_add(o, "command", json_object_new_boolean(h->item[i].command));
		json_object_array_add(list, o);
	}
	return list;
}
