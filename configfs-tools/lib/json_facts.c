// SPDX-License-Identifier: Apache-2.0
/* JSON of the facts that the kernel reports by netlink (json-c). */
#include <stdlib.h>

#include "json_facts.h"

static void add_text(struct json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, text[0] ? json_object_new_string(text) : NULL);
}

static void add_number(struct json_object *o, const char *key, uint64_t n)
{
	json_object_object_add(o, key, json_object_new_uint64(n));
}

static void add_count(struct json_object *o, const char *key, const struct fact_count *c)
{
	json_object_object_add(o, key, c->known ? json_object_new_uint64(c->n) : NULL);
}

static void add_opens(struct json_object *o, const struct fact_opens *opens)
{
	add_number(o, "opens", opens->done);
	add_number(o, "refused", opens->refused);
	add_number(o, "refused_full", opens->full);
}

struct json_object *json_from_fact_device(const struct fact_device *d)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	add_text(o, "name", d->name);
	add_text(o, "parent", d->parent);
	json_object_object_add(o, "node", json_object_new_int(d->node));
	json_object_object_add(o, "priority", json_object_new_int(d->priority));
	json_object_object_add(o, "simulated", json_object_new_boolean(d->flags & UACCE_NL_DEV_SIMULATED));
	add_text(o, "doorbells", fact_doorbells_name(&d->doorbells));
	add_number(o, "total", d->total);
	add_number(o, "reserved", d->reserved);
	add_number(o, "used", d->used);
	add_number(o, "used_pool", d->used_pool);
	add_number(o, "free", d->free);
	add_number(o, "quarantined", d->quarantined);
	add_number(o, "resets", d->resets);
	add_opens(o, &d->opens);
	add_number(o, "ctx_errors", d->ctx_errors);
	add_count(o, "wrong_results", &d->wrong_results);
	add_count(o, "function_requests", &d->function_requests);
	add_count(o, "requests", &d->requests);
	add_count(o, "request_errors", &d->request_errors);
	add_count(o, "bytes_in", &d->bytes_in);
	add_count(o, "bytes_out", &d->bytes_out);
	add_count(o, "busy_cycles", &d->busy_cycles);
	add_text(o, "state", fact_device_state_name(d->state));
	return o;
}

static struct json_object *members(const struct fact_section *s)
{
	struct json_object *list = json_object_new_array(), *o;
	size_t i;

	for (i = 0; list && i < s->members; i++) {
		o = json_object_new_object();
		if (!o)
			break;
		add_text(o, "name", s->member[i].name);
		add_text(o, "device", s->member[i].dev);
		add_number(o, "sync_ctxs", s->member[i].sync);
		add_number(o, "async_ctxs", s->member[i].async);
		add_number(o, "reserved", s->member[i].reserved);
		add_count(o, "endpoint", &s->member[i].endpoint);
		json_object_object_add(o, "pending", json_object_new_boolean(s->member[i].pending));
		json_object_array_add(list, o);
	}
	return list;
}

struct json_object *json_from_fact_section(const struct fact_section *s)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	add_text(o, "name", s->name);
	add_text(o, "state", fact_section_state_name(s->state));
	add_text(o, "reason", s->reason);
	add_number(o, "num_processes", s->num_processes);
	json_object_object_add(o, "limit_dev_access", json_object_new_boolean(s->limit_dev_access));
	add_number(o, "sync_ctxs", s->sync);
	add_number(o, "async_ctxs", s->async);
	add_text(o, "nodes", s->nodes);
	add_number(o, "queue_priority", s->priority);
	add_number(o, "max_extra_ctxs", s->max_extra);
	add_number(o, "bandwidth", s->bandwidth);
	add_number(o, "max_pinned", s->max_pinned);
	add_number(o, "slots", s->slots);
	add_number(o, "attached", s->attached);
	add_number(o, "lingering", s->lingering);
	add_number(o, "waiting", s->waiting);
	add_count(o, "open_ctxs", &s->open_ctxs);
	add_count(o, "extra_ctxs", &s->extra_ctxs);
	add_opens(o, &s->opens);
	add_count(o, "requests", &s->requests);
	add_count(o, "wrong_results", &s->wrong_results);
	json_object_object_add(o, "members", members(s));
	return o;
}

struct json_object *json_from_fact_ctx(const struct fact_ctx *c)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	add_text(o, "device", c->dev);
	json_object_object_add(o, "ctx", c->has_id ? json_object_new_uint64(c->id) : NULL);
	json_object_object_add(o, "pid", c->pid ? json_object_new_uint64(c->pid) : NULL);
	json_object_object_add(o, "comm", json_object_new_string(c->comm));
	json_object_object_add(o, "passed", json_object_new_boolean(c->passed));
	add_text(o, "section", c->section);
	add_text(o, "slot", c->slot);
	add_text(o, "class", fact_ctx_class_name(c->class));
	add_text(o, "state", fact_ctx_state_name(c->state));
	add_number(o, "age_ms", c->age_ms);
	add_number(o, "errors", c->errors);
	add_count(o, "requests", &c->requests);
	add_count(o, "wrong_results", &c->wrong_results);
	json_object_object_add(o, "node", json_object_new_int(c->node));
	return o;
}

/* For the group "event": process, place and event. Fields that an event doesn't have are left out. */
static void add_process(struct json_object *o, const struct event *e)
{
	if (e->ctx.slot[0])
		add_text(o, "slot", e->ctx.slot);
	if (e->has_process) {
		add_number(o, "pid", e->ctx.pid);
		json_object_object_add(o, "comm", json_object_new_string(e->ctx.comm));
	}
	if (e->ctx.has_id)
		add_number(o, "ctx", e->ctx.id);
	if (e->error) {
		add_number(o, "error", e->error);
		add_text(o, "error_name", event_error_name(e->error));
	}
	if (e->count)
		add_number(o, "count", e->count);
}

struct json_object *json_from_event(const struct event *e)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	add_text(o, "group", event_group_name(e->group));
	add_number(o, "seq", e->seq);
	add_text(o, "event", event_name(e->cmd));
	if (e->device.name[0]) {
		add_text(o, "device", e->device.name);
		if (e->device.parent[0])
			add_text(o, "parent", e->device.parent);
	}
	if (e->section.name[0])
		add_text(o, "section", e->section.name);
	add_process(o, e);
	if (e->cmd == UACCE_NL_DEV_READY)
		add_number(o, "resets", e->device.resets);
	if (e->cmd == UACCE_NL_DEV_ADD || e->cmd == UACCE_NL_DEV_CHANGE)
		json_object_object_add(o, "details", json_from_fact_device(&e->device));
	if (e->cmd == UACCE_NL_SECTION_ADD || e->cmd == UACCE_NL_SECTION_CHANGE)
		json_object_object_add(o, "details", json_from_fact_section(&e->section));
	return o;
}
