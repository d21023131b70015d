// SPDX-License-Identifier: Apache-2.0
/* JSON of sections, devices' settings, errors and plans (json-c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_config.h"

static struct json_object *text_or_null(const char *text)
{
	return text ? json_object_new_string(text) : NULL;
}

static struct json_object *from_list(const char *text)
{
	struct json_object *list = json_object_new_array();
	const char *element;
	size_t len;

	while (list && value_next(&text, &element, &len))
		json_object_array_add(list, json_object_new_string_len(element, len));
	return list;
}

static struct json_object *from_nodes(const char *text)
{
	struct json_object *list = json_object_new_array(), *o;
	const char *element;
	long node, sync, async;
	size_t len;

	while (list && value_next(&text, &element, &len)) {
		if (sscanf(element, "%ld=%ld+%ld", &node, &sync, &async) != 3)
			continue;
		o = json_object_new_object();
		if (!o)
			break;
		json_object_object_add(o, "node", json_object_new_int64(node));
		json_object_object_add(o, "sync", json_object_new_int64(sync));
		json_object_object_add(o, "async", json_object_new_int64(async));
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *from_value(const struct attr *a, const char *value)
{
	if (!value)
		return NULL;
	switch (a->type) {
	case VALUE_NUMBER:
		return json_object_new_int64(strtoll(value, NULL, 10));
	case VALUE_BOOL:
		return json_object_new_boolean(!strcmp(value, "1"));
	case VALUE_NODES:
		return from_nodes(value);
	default:
		return from_list(value);
	}
}

struct json_object *json_from_object(enum object_kind kind, const struct object *o, bool of_kernel)
{
	struct json_object *j = json_object_new_object();
	const struct attr *a;
	size_t i;

	if (!j)
		return NULL;
	json_object_object_add(j, "name", json_object_new_string(o->name));
	if (of_kernel && kind == OBJECT_DEVICE)
		json_object_object_add(j, "parent", text_or_null(o->parent[0] ? o->parent : NULL));
	if (of_kernel && kind == OBJECT_SECTION) {
		json_object_object_add(j, "state", json_object_new_string(section_state_name(o->state)));
		json_object_object_add(j, "reason", text_or_null(o->reason));
		json_object_object_add(j, "members", o->members ? from_list(o->members) : NULL);
		json_object_object_add(j, "missing", o->missing ? from_list(o->missing) : NULL);
	}
	for (i = 0; i < attr_count(kind); i++) {
		a = attr_get(kind, i);
		json_object_object_add(j, a->file, from_value(a, o->value[i]));
	}
	return j;
}

struct json_object *json_from_config(const struct config *c, bool of_kernel)
{
	static const char *const names[] = { "sections", "devices" };
	struct json_object *top = json_object_new_object(), *list;
	size_t i;
	int kind;

	for (kind = OBJECT_SECTION; top && kind <= OBJECT_DEVICE; kind++) {
		list = json_object_new_array();
		if (!list)
			break;
		for (i = 0; i < c->objects[kind].count; i++)
			json_object_array_add(list, json_from_object(kind, &c->objects[kind].item[i],
								     of_kernel));
		json_object_object_add(top, names[kind], list);
	}
	return top;
}

static struct json_object *json_from_texts(const struct config_error *text, size_t count)
{
	struct json_object *list = json_object_new_array(), *o;
	size_t i;

	for (i = 0; list && i < count && i < CONFIG_ERRORS_SHOWN; i++) {
		o = json_object_new_object();
		if (!o)
			break;
		json_object_object_add(o, "line", json_object_new_int64(text[i].line));
		json_object_object_add(o, "text", text_or_null(text[i].text));
		json_object_array_add(list, o);
	}
	return list;
}

struct json_object *json_from_errors(const struct config *c)
{
	struct json_object *top = json_object_new_object();

	if (!top)
		return NULL;
	json_object_object_add(top, "errors", json_from_texts(c->error, c->errors));
	json_object_object_add(top, "error_count", json_object_new_int64(c->errors));
	json_object_object_add(top, "notes", json_from_texts(c->note, c->notes));
	json_object_object_add(top, "note_count", json_object_new_int64(c->notes));
	return top;
}

struct json_object *json_from_lines(const struct text_list *l)
{
	struct json_object *list = json_object_new_array();
	size_t i;

	for (i = 0; list && i < l->count; i++)
		json_object_array_add(list, json_object_new_string(l->line[i]));
	return list;
}

static struct json_object *from_step(const struct step *s)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	json_object_object_add(o, "kind", json_object_new_string(object_kind_name(s->kind)));
	json_object_object_add(o, "name", json_object_new_string(s->name));
	json_object_object_add(o, "action", json_object_new_string(step_op_name(s->op)));
	json_object_object_add(o, "attribute", text_or_null(s->op == STEP_SET ? s->attr->file : NULL));
	json_object_object_add(o, "value", text_or_null(s->op == STEP_SET ? s->value : NULL));
	json_object_object_add(o, "was", text_or_null(s->op == STEP_SET ? s->was : NULL));
	return o;
}

struct json_object *json_from_plan(const struct plan *p)
{
	struct json_object *top = json_object_new_object(), *list = json_object_new_array();
	size_t i;

	if (!top || !list)
		return NULL;
	for (i = 0; i < p->steps; i++)
		json_object_array_add(list, from_step(&p->step[i]));
	json_object_object_add(top, "steps", list);
	json_object_object_add(top, "notes", json_from_lines(&p->notes));
	json_object_object_add(top, "lacks", json_from_lines(&p->lacks));
	json_object_object_add(top, "errors", json_from_lines(&p->errors));
	return top;
}
