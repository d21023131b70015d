// SPDX-License-Identifier: Apache-2.0
/* Plans the steps from the kernel's configuration to the requested one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

/* The change of one section. */
struct change {
	const struct object *old, *new;	/* old NULL: the section is made; new NULL: it is removed */
	unsigned int diff;		/* a bit for each attribute that differs */
	bool down;			/* the section has to leave the live state */
	bool wait;			/* and must have left it before the other steps */
};

struct planner {
	struct plan *p;
	const struct config *wanted, *kernel;
	const struct plan_options *options;
	struct change *change;		/* of the requested sections, then of those that are removed */
	size_t changes, wanted_count;
	int error;
};

#define BIT(i) (1u << (i))

static void add_step(struct planner *pl, const struct step *s)
{
	struct plan *p = pl->p;
	struct step *grown;
	size_t room;

	if (p->steps == p->room) {
		room = p->room ? 2 * p->room : 64;
		grown = realloc(p->step, room * sizeof(*grown));
		if (!grown) {
			pl->error = -ENOMEM;
			return;
		}
		p->step = grown;
		p->room = room;
	}
	p->step[p->steps++] = *s;
}

static void add_op(struct planner *pl, const struct change *c, enum step_op op)
{
	add_step(pl, &(struct step){
		.op = op,
		.kind = OBJECT_SECTION,
		.name = c->new ? c->new->name : c->old->name,
		.old = c->old,
	});
}

static void add_set(struct planner *pl, enum object_kind kind, const struct object *old,
		    const struct object *new, size_t i)
{
	const struct attr *a = attr_get(kind, i);

	add_step(pl, &(struct step){
		.op = STEP_SET,
		.kind = kind,
		/* A device has two names; the kernel's folder has only its own. */
		.name = kind == OBJECT_DEVICE ? old->name : new->name,
		.attr = a,
		.value = new->value[i],
		.was = old && old->value[i] ? old->value[i] : kind == OBJECT_SECTION ? a->initial : NULL,
		.old = old,
	});
}

/* One list may have a device's own name, the other its parent's. */
static bool same_devices(struct planner *pl, const char *a, const char *b)
{
	char *x, *y;
	bool same;

	if (!strcmp(a, b))
		return true;
	x = config_parents(pl->kernel, a);
	y = config_parents(pl->kernel, b);
	if (!x || !y)
		pl->error = -ENOMEM;
	same = x && y && !strcmp(x, y);
	free(x);
	free(y);
	return same;
}

static unsigned int section_diff(struct planner *pl, const struct object *old, const struct object *new)
{
	unsigned int diff = 0;
	const char *have;
	size_t i;

	for (i = 0; i < SECTION_LIVE; i++) {
		have = old && old->value[i] ? old->value[i] : attr_get(OBJECT_SECTION, i)->initial;
		if (i == SECTION_DEVICES ? !same_devices(pl, have, new->value[i]) :
					   strcmp(have, new->value[i]) != 0)
			diff |= BIT(i);
	}
	return diff;
}

static bool wants_live(const struct change *c)
{
	return c->new && !strcmp(c->new->value[SECTION_LIVE], "1");
}

static bool needs_shape(const struct change *c)
{
	size_t i;

	for (i = 0; i < SECTION_LIVE; i++)
		if (c->diff & BIT(i) && !attr_get(OBJECT_SECTION, i)->while_live)
			return true;
	return false;
}

static void decide(const struct planner *pl, struct change *c)
{
	bool up = c->old && c->old->state != SECTION_CONFIGURED;
	bool draining = c->old && c->old->state == SECTION_DRAINING;

	c->wait = up && (!c->new || needs_shape(c) || (draining && wants_live(c)));
	c->down = c->wait || (up && !wants_live(c) && (!draining || pl->options->revoke));
}

static int old_order(const void *key, const void *item)
{
	return strverscmp(key, ((const struct object *)item)->name);
}

static const struct object *find_old(const struct config *kernel, const char *name)
{
	const struct object_list *l = &kernel->objects[OBJECT_SECTION];

	return l->count ? bsearch(name, l->item, l->count, sizeof(*l->item), old_order) : NULL;
}

/* What the requested configuration has about one of the kernel's sections. */
enum seen {
	NOT_SEEN,
	SEEN,
	SEEN_REMOVE,
};

/* Sections that are not in the file: removed, or named in a note. */
static void find_unwanted(struct planner *pl, const enum seen *seen)
{
	const struct object_list *l = &pl->kernel->objects[OBJECT_SECTION];
	struct change *c;
	size_t i;

	for (i = 0; i < l->count && !pl->error; i++) {
		if (seen[i] == SEEN)
			continue;
		if (pl->options->prune || seen[i] == SEEN_REMOVE) {
			c = &pl->change[pl->changes++];
			*c = (struct change){ .old = &l->item[i] };
			decide(pl, c);
		} else if (!pl->options->partial) {
			pl->error = text_list_add(&pl->p->notes, "section %s: not in the file, left as it is "
						  "(--prune removes it)",
						  l->item[i].name);
		}
	}
}

static int find_changes(struct planner *pl)
{
	const struct object_list *want = &pl->wanted->objects[OBJECT_SECTION];
	const struct object_list *have = &pl->kernel->objects[OBJECT_SECTION];
	enum seen *seen = calloc(have->count + 1, sizeof(*seen));
	const struct object *old;
	struct change *c;
	size_t i;

	pl->change = calloc(want->count + have->count + 1, sizeof(*pl->change));
	if (!seen || !pl->change) {
		free(seen);
		return -ENOMEM;
	}
	for (i = 0; i < want->count; i++) {
		old = find_old(pl->kernel, want->item[i].name);
		if (old)
			seen[old - have->item] = want->item[i].remove ? SEEN_REMOVE : SEEN;
		if (want->item[i].remove)
			continue;
		c = &pl->change[pl->changes++];
		c->new = &want->item[i];
		c->old = old;
		c->diff = section_diff(pl, c->old, c->new);
		decide(pl, c);
	}
	pl->wanted_count = pl->changes;
	find_unwanted(pl, seen);
	free(seen);
	return pl->error;
}

static bool uses_device(const struct object *section, const struct object *device)
{
	const char *list = section->value[SECTION_DEVICES], *name;
	size_t len;

	if (!list || !*list)
		return true;
	while (value_next(&list, &name, &len))
		if ((strlen(device->name) == len && !memcmp(name, device->name, len)) ||
		    (strlen(device->parent) == len && !memcmp(name, device->parent, len)))
			return true;
	return false;
}

/* The node of a device can't change under a live section whose shape is by node. */
static void free_zone(struct planner *pl, const struct object *device)
{
	const struct object_list *have = &pl->kernel->objects[OBJECT_SECTION];
	const struct object *s;
	size_t i;

	for (s = have->item; s < have->item + have->count; s++) {
		if (s->state == SECTION_CONFIGURED || !s->value[SECTION_NODES] || !*s->value[SECTION_NODES] ||
		    !uses_device(s, device))
			continue;
		for (i = 0; i < pl->changes && pl->change[i].old != s; i++)
			;
		if (i < pl->changes)
			pl->change[i].down = pl->change[i].wait = true;
		else if (text_list_add(&pl->p->errors, "device %s: its node can't change: "
				       "section %s, which is not in the file, is %s and uses nodes",
				       device->name, s->name, section_state_name(s->state)))
			pl->error = -ENOMEM;
	}
}

static bool device_differs(const struct object *old, const struct object *new, size_t i)
{
	return new->value[i] && (!old->value[i] || strcmp(old->value[i], new->value[i]));
}

static void add_devices(struct planner *pl)
{
	const struct object_list *want = &pl->wanted->objects[OBJECT_DEVICE];
	const struct object *old;
	size_t i, a;

	for (i = 0; i < want->count; i++) {
		old = config_find(pl->kernel, OBJECT_DEVICE, want->item[i].name);
		for (a = 0; old && a < DEVICE_ATTRS; a++)
			if (device_differs(old, &want->item[i], a))
				add_set(pl, OBJECT_DEVICE, old, &want->item[i], a);
	}
}

/* Refuses settings of one device under both of its names, as they would contradict each other. */
static void check_twice(struct planner *pl, const struct object *old, size_t first)
{
	const struct object_list *want = &pl->wanted->objects[OBJECT_DEVICE];
	size_t i;

	for (i = 0; i < first; i++)
		if (config_find(pl->kernel, OBJECT_DEVICE, want->item[i].name) == old &&
		    text_list_add(&pl->p->errors, "line %zu: [device %s] and line %zu: [device %s] are the same device",
				  want->item[i].line, want->item[i].name, want->item[first].line,
				  want->item[first].name))
			pl->error = -ENOMEM;
}

static void check_devices(struct planner *pl)
{
	const struct object_list *want = &pl->wanted->objects[OBJECT_DEVICE];
	const struct object *old;
	int ret = 0;
	size_t i;

	for (i = 0; i < want->count && !pl->error; i++) {
		old = config_find(pl->kernel, OBJECT_DEVICE, want->item[i].name);
		if (!old && pl->options->missing_ok)
			ret = text_list_add(&pl->p->notes, "device %s: not present, so its settings are skipped",
					    want->item[i].name);
		else if (!old)
			ret = text_list_add(&pl->p->errors,
					    "line %zu: [device %s] is not present (--missing-ok skips its " "settings)",
					    want->item[i].line, want->item[i].name);
		if (ret)
			pl->error = ret;
		if (!old)
			continue;
		check_twice(pl, old, i);
		if (device_differs(old, &want->item[i], DEVICE_ZONE_ID))
			free_zone(pl, old);
	}
}

/* Adds a note for each missing device of a section: the kernel accepts it, but the administrator should know. */
static void note_absent(struct planner *pl, const struct object *section)
{
	const char *list = section->value[SECTION_DEVICES], *text;
	char name[OBJECT_NAME_MAX + 1];
	size_t len;

	while (!pl->error && value_next(&list, &text, &len)) {
		if (len >= sizeof(name))
			continue;
		memcpy(name, text, len);
		name[len] = '\0';
		if (!config_find(pl->kernel, OBJECT_DEVICE, name))
			pl->error = text_list_add(&pl->p->notes,
						  "section %s: device %s is not present: its share waits for " "it",
						  section->name, name);
	}
}

static bool shrinks(const struct change *c)
{
	return c->diff & BIT(SECTION_NUM_PROCESSES) &&
	       strtol(c->new->value[SECTION_NUM_PROCESSES], NULL, 10) <
	       strtol(c->old->value[SECTION_NUM_PROCESSES], NULL, 10);
}

static void add_releases(struct planner *pl)
{
	struct change *c;
	size_t i;

	for (i = 0; i < pl->changes; i++) {
		c = &pl->change[i];
		if (c->down)
			add_op(pl, c, pl->options->revoke ? STEP_REVOKE :
			       c->wait ? STEP_DRAIN_WAIT : STEP_DRAIN);
	}
	for (i = pl->wanted_count; i < pl->changes; i++)
		add_op(pl, &pl->change[i], STEP_REMOVE);
	for (i = 0; i < pl->wanted_count; i++) {
		c = &pl->change[i];
		if (c->old && c->old->state == SECTION_IS_LIVE && !c->down && c->old->value[SECTION_NUM_PROCESSES] &&
		    shrinks(c)) {
			add_set(pl, OBJECT_SECTION, c->old, c->new, SECTION_NUM_PROCESSES);
			c->diff &= ~BIT(SECTION_NUM_PROCESSES);
		}
	}
}

static void add_section(struct planner *pl, const struct change *c)
{
	size_t i;

	if (!c->old)
		add_op(pl, c, STEP_MAKE);
	for (i = 0; i < SECTION_LIVE; i++)
		if (c->diff & BIT(i))
			add_set(pl, OBJECT_SECTION, c->old, c->new, i);
	if (wants_live(c) && (!c->old || c->down || c->old->state != SECTION_IS_LIVE))
		add_op(pl, c, STEP_LIVE);
	if (!c->old || c->diff & BIT(SECTION_DEVICES))
		note_absent(pl, c->new);
}

int plan_make(struct plan *p, const struct config *wanted, const struct config *kernel,
	      const struct plan_options *options)
{
	struct planner pl = { .p = p, .wanted = wanted, .kernel = kernel, .options = options };
	size_t i;

	memset(p, 0, sizeof(*p));
	pl.error = find_changes(&pl);
	if (!pl.error)
		check_devices(&pl);
	if (!pl.error && !p->errors.count) {
		add_releases(&pl);
		add_devices(&pl);
		for (i = 0; i < pl.wanted_count; i++)
			add_section(&pl, &pl.change[i]);
	}
	free(pl.change);
	if (pl.error)
		plan_free(p);
	return pl.error;
}
