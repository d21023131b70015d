// SPDX-License-Identifier: Apache-2.0
/* Shows the kernel's sections, as text and as JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/escape.h"
#include "lib/facts.h"
#include "lib/json_config.h"
#include "section_show.h"
#include "table.h"

/*
 * The counts of slots, which configfs doesn't have. Empty if the kernel doesn't answer, and for a recorded machine,
 * whose processes have ended.
 */
static void ask_slots(const struct provision *p, struct fact_sections *facts)
{
	struct wd_nl family;

	memset(facts, 0, sizeof(*facts));
	if (root_is_fake(&p->run->root) || wd_nl_open(&family, UACCE_GENL_NAME))
		return;
	facts_count_requests(&family);
	facts_sections(&family, facts);
	wd_nl_close(&family);
}

static const char *value(const struct object *o, enum section_attr i)
{
	return o->value[i] && *o->value[i] ? o->value[i] : "-";
}

static void add_slots(struct table *t, const struct fact_section *f)
{
	/* The section was made after the kernel was asked. */
	const struct fact_section none = { 0 };

	f = f ? f : &none;
	table_add(t, "%" PRIu32, f->slots);
	table_add(t, "%" PRIu32, f->attached);
	table_add(t, "%" PRIu32, f->lingering);
	table_add(t, "%" PRIu32, f->waiting);
	table_add(t, "%" PRIu64, f->opens.refused);
}

/* A recorded machine, or a kernel that doesn't answer, has only the state that configfs shows. */
static const char *state_of(const struct object *o, const struct fact_section *f)
{
	return f && o->state == SECTION_IS_LIVE ? fact_section_state(f) : section_state_name(o->state);
}

static void add_row(struct table *t, const struct object *o, const struct fact_section *f, bool slots)
{
	char shown[ESCAPE_SIZE];
	const char *devices = value(o, SECTION_DEVICES);

	table_add(t, "%s", o->name);
	table_add(t, "%s", state_of(o, f));
	table_add(t, "%s", value(o, SECTION_NUM_PROCESSES));
	table_add(t, "%s", !strcmp(value(o, SECTION_LIMIT_DEV_ACCESS), "1") ? "one" : "all");
	table_add(t, "%s+%s", value(o, SECTION_SYNC_CTXS), value(o, SECTION_ASYNC_CTXS));
	table_add(t, "%s", value(o, SECTION_NODES));
	table_add(t, "%s", value(o, SECTION_QUEUE_PRIORITY));
	if (slots)
		add_slots(t, f);
	table_add(t, "%s", escape(shown, sizeof(shown), devices, strlen(devices)));
}

static enum wdctl_exit print_list(const struct provision *p, const struct fact_sections *facts)
{
	static const char *const heads[] = {
		"NAME", "STATE", "PROCESSES", "ACCESS", "CTXS", "NODES", "PRIORITY", "DEVICES",
	};
	static const char *const heads_slots[] = {
		"NAME", "STATE", "PROCESSES", "ACCESS", "CTXS", "NODES", "PRIORITY", "SLOTS", "ATTACHED", "LINGERING",
		"WAITING", "REFUSED", "DEVICES",
	};
	const struct object_list *l = &p->kernel.objects[OBJECT_SECTION];
	bool slots = facts->count;
	struct table t;
	size_t i;

	table_init(&t, slots ? sizeof(heads_slots) / sizeof(heads_slots[0]) : sizeof(heads) / sizeof(heads[0]));
	for (i = 0; i < t.columns; i++)
		table_add(&t, "%s", slots ? heads_slots[i] : heads[i]);
	for (i = 0; i < l->count; i++)
		add_row(&t, &l->item[i], fact_section_find(facts, l->item[i].name), slots);
	if (!table_print(&t))
		return EXIT_DONE;
	wdctl_error(p->command, "out of memory");
	return EXIT_FAILED;
}

static const char *member_name(const struct fact_member *m)
{
	return m->dev[0] ? m->dev : m->name;
}

/* Does the section have another endpoint from this number on? */
static bool endpoint_next(const struct fact_section *f, uint64_t number)
{
	size_t i;

	for (i = 0; i < f->members; i++)
		if (f->member[i].endpoint.known && f->member[i].endpoint.n >= number)
			return true;
	return false;
}

static bool member_of(const struct fact_member *m, uint64_t endpoint)
{
	return m->endpoint.known && m->endpoint.n == endpoint;
}

/* The devices that the slots have, if they don't have all. */
static struct json_object *endpoints_json(const struct fact_section *f)
{
	struct json_object *all = json_object_new_array(), *one;
	uint64_t e;
	size_t i;

	for (e = 0; all && endpoint_next(f, e); e++) {
		one = json_object_new_array();
		for (i = 0; one && i < f->members; i++)
			if (member_of(&f->member[i], e))
				json_object_array_add(one, json_object_new_string(member_name(&f->member[i])));
		json_object_array_add(all, one);
	}
	return all;
}

static void print_endpoints(const struct fact_section *f)
{
	uint64_t e;
	size_t i;

	for (e = 0; endpoint_next(f, e); e++) {
		printf("; slots %s_DEV%" PRIu64 "_INT_N:", f->name, e);
		for (i = 0; i < f->members; i++)
			if (member_of(&f->member[i], e))
				printf(" %s", member_name(&f->member[i]));
		printf("\n");
	}
}

static void add_count(struct json_object *o, const char *key, const struct fact_count *c)
{
	if (o)
		json_object_object_add(o, key, c && c->known ? json_object_new_uint64(c->n) : NULL);
}

/* Adds the kernel's counts to the attributes from configfs; null if unknown. */
static void add_slots_json(struct json_object *o, const char *name, const struct fact_sections *facts)
{
	const struct fact_section *f = fact_section_find(facts, name);
	const struct {
		const char *key;
		uint64_t n;
	} all[] = {
		{ "slots", f ? f->slots : 0 },
		{ "attached", f ? f->attached : 0 },
		{ "lingering", f ? f->lingering : 0 },
		{ "waiting", f ? f->waiting : 0 },
		{ "opens", f ? f->opens.done : 0 },
		{ "refused", f ? f->opens.refused : 0 },
		{ "refused_full", f ? f->opens.full : 0 },
	};
	size_t i;

	for (i = 0; o && i < sizeof(all) / sizeof(all[0]); i++)
		json_object_object_add(o, all[i].key, f ? json_object_new_uint64(all[i].n) : NULL);
	add_count(o, "open_ctxs", f ? &f->open_ctxs : NULL);
	add_count(o, "extra_ctxs", f ? &f->extra_ctxs : NULL);
	add_count(o, "requests", f ? &f->requests : NULL);
	if (o)
		json_object_object_add(o, "endpoints", f && f->limit_dev_access ? endpoints_json(f) : NULL);
	add_count(o, "wrong_results", f ? &f->wrong_results : NULL);
}

static enum wdctl_exit list_json(const struct provision *p, const struct fact_sections *facts)
{
	struct json_object *top = json_from_config(&p->kernel, true), *list;
	const struct object_list *l = &p->kernel.objects[OBJECT_SECTION];
	size_t i;

	if (top && json_object_object_get_ex(top, "sections", &list))
		for (i = 0; i < l->count; i++)
			add_slots_json(json_object_array_get_idx(list, i), l->item[i].name, facts);
	return provision_print_json(p->command, top);
}

enum wdctl_exit section_list(struct provision *p)
{
	enum wdctl_exit result = EXIT_DONE;
	struct fact_sections facts;

	ask_slots(p, &facts);
	if (p->run->json)
		result = list_json(p, &facts);
	else if (p->kernel.objects[OBJECT_SECTION].count)
		result = print_list(p, &facts);
	else
		fprintf(stderr, "no sections\n");
	fact_sections_free(&facts);
	return result;
}

static void print_section(const struct provision *p, const struct object *o, const struct fact_section *f)
{
	char *reason = o->reason ? escape_new(o->reason) : NULL;

	config_print_object(stdout, OBJECT_SECTION, o, &p->kernel);
	printf("; state: %s\n", state_of(o, f));
	if (o->missing && *o->missing)
		printf("; without a share on: %s\n", o->missing);
	if (f)
		printf("; slots: %" PRIu32 ", attached %" PRIu32 ", lingering %" PRIu32 "; waiting %" PRIu32 "\n",
		       f->slots, f->attached, f->lingering, f->waiting);
	if (f)
		print_endpoints(f);
	if (f)
		printf("; opened: %" PRIu64 ", refused %" PRIu64 " (%" PRIu64 " for lack of contexts)\n", f->opens.done,
		       f->opens.refused, f->opens.full);
	if (f && f->requests.known)
		printf("; requests: %" PRIu64 "\n", f->requests.n);
	if (f && f->wrong_results.known && f->wrong_results.n)
		printf("; wrong results: %" PRIu64 "\n", f->wrong_results.n);
	if (reason)
		printf("; last refusal: %s\n", reason);
	free(reason);
}

static enum wdctl_exit show_json(const struct provision *p, char **name, int count,
				 const struct fact_sections *facts)
{
	struct json_object *top = json_object_new_object(), *list = json_object_new_array(), *one;
	const struct object *o;
	int i;

	if (!top || !list)
		return provision_print_json(p->command, NULL);
	for (i = 0; i < count; i++) {
		o = config_find(&p->kernel, OBJECT_SECTION, name[i]);
		if (!o)
			continue;
		one = json_from_object(OBJECT_SECTION, o, true);
		add_slots_json(one, o->name, facts);
		json_object_array_add(list, one);
	}
	json_object_object_add(top, "sections", list);
	return provision_print_json(p->command, top);
}

static void show(const struct provision *p, char **name, int count, const struct fact_sections *facts)
{
	const struct object *o;
	int i;

	for (i = 0; i < count; i++) {
		o = config_find(&p->kernel, OBJECT_SECTION, name[i]);
		if (!o)
			continue;
		if (i)
			printf("\n");
		print_section(p, o, fact_section_find(facts, o->name));
	}
}

enum wdctl_exit section_show(struct provision *p, char **name, int count)
{
	enum wdctl_exit result = EXIT_DONE;
	struct fact_sections facts;

	ask_slots(p, &facts);
	if (p->run->json)
		result = show_json(p, name, count, &facts);
	else
		show(p, name, count, &facts);
	fact_sections_free(&facts);
	return result;
}
