// SPDX-License-Identifier: Apache-2.0
/* Plans the steps from the kernel's configuration to the requested one. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint_notes.h"
#include "members.h"
#include "plan.h"

/* The change of one section. */
struct change {
	const struct object *old, *new;	/* old NULL: the section is made; new NULL: it is removed */
	unsigned int diff;		/* a bit for each attribute that differs */
	bool join;			/* a device has to join the section */
	bool down;			/* the section has to leave the live state */
	bool wait;			/* and must have left it before the other steps */
};

struct planner {
	struct plan *p;
	const struct config *wanted, *kernel;
	const struct plan_options *options;
	struct change *change;		/* of the requested sections, then of those that are removed */
	size_t changes, wanted_count;
	bool *skip;			/* of the requested devices: without settings here */
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

/* A live section that names no devices has some all the same: those that were present. */
static bool devices_differ(struct planner *pl, const char *have, const struct object *old, const char *want)
{
	if (same_devices(pl, have, want))
		return false;
	return !old || !*want || !same_devices(pl, members_of(old), want);
}

static unsigned int section_diff(struct planner *pl, const struct object *old, const struct object *new)
{
	unsigned int diff = 0;
	const char *have;
	size_t i;

	for (i = 0; i < SECTION_LIVE; i++) {
		have = old && old->value[i] ? old->value[i] : attr_get(OBJECT_SECTION, i)->initial;
		if (i == SECTION_DEVICES ? devices_differ(pl, have, old, new->value[i]) :
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

	c->wait = up && (!c->new || c->join || needs_shape(c) || (draining && wants_live(c)));
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

/* The object of the requested configuration for one of the kernel's sections. */
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

/* With a limit of bandwidth, a section has all contexts of each of its devices. */
static bool bandwidth_fits(struct planner *pl, const struct change *c)
{
	const struct object_list *l = &pl->kernel->objects[OBJECT_DEVICE];
	const struct object *d;
	uint64_t need;

	if (!wants_live(c) || !strcmp(c->new->value[SECTION_BANDWIDTH], "0"))
		return true;
	for (d = l->item; d < l->item + l->count; d++) {
		need = config_contexts(c->new, d);
		if (!need || d->total < 0 || need == (uint64_t)d->total ||
		    !members_have(c->new->value[SECTION_DEVICES], d))
			continue;
		if (text_list_add(&pl->p->errors,
				  "section %s: Bandwidth: it has %" PRIu64 " of the %ld contexts of %s: "
				  CONFIG_BANDWIDTH, c->new->name, need, d->total, d->name))
			pl->error = -ENOMEM;
		return false;
	}
	return true;
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
		if (want->item[i].remove || want->item[i].leave)
			continue;
		c = &pl->change[pl->changes++];
		c->new = &want->item[i];
		c->old = old;
		c->diff = section_diff(pl, c->old, c->new);
		if (!bandwidth_fits(pl, c)) {
			pl->changes--;
			continue;
		}
		c->join = pl->options->whole && old && wants_live(c) && members_lack(pl->kernel, old, c->new);
		decide(pl, c);
	}
	pl->wanted_count = pl->changes;
	find_unwanted(pl, seen);
	free(seen);
	return pl->error;
}

static bool uses_device(const struct object *section, const struct object *device)
{
	const char *list = section->value[SECTION_DEVICES];

	return !list || !*list || members_have(list, device);
}

/* The node of a device can't change under a live section whose shape is by node. */
static bool free_zone(struct planner *pl, const struct object *device)
{
	const struct object_list *have = &pl->kernel->objects[OBJECT_SECTION];
	const struct object *s;
	bool can = true;
	size_t i;

	for (s = have->item; s < have->item + have->count; s++) {
		if (s->state == SECTION_CONFIGURED || !s->value[SECTION_NODES] || !*s->value[SECTION_NODES] ||
		    !uses_device(s, device))
			continue;
		for (i = 0; i < pl->changes && pl->change[i].old != s; i++)
			;
		if (i < pl->changes) {
			pl->change[i].down = pl->change[i].wait = true;
			continue;
		}
		can = false;
		if (text_list_add(&pl->p->errors, "device %s: its node can't change: "
				  "section %s, which is not in the file, is %s and uses nodes",
				  device->name, s->name, section_state_name(s->state)))
			pl->error = -ENOMEM;
	}
	return can;
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
		for (a = 0; old && !pl->skip[i] && a < DEVICE_ATTRS; a++)
			if (device_differs(old, &want->item[i], a))
				add_set(pl, OBJECT_DEVICE, old, &want->item[i], a);
	}
}

/* Refuses settings of one device under both of its names, as they would contradict each other. */
static bool check_twice(struct planner *pl, const struct object *old, size_t first)
{
	const struct object_list *want = &pl->wanted->objects[OBJECT_DEVICE];
	bool once = true;
	size_t i;

	for (i = 0; i < first; i++) {
		if (config_find(pl->kernel, OBJECT_DEVICE, want->item[i].name) != old)
			continue;
		once = false;
		if (text_list_add(&pl->p->errors, "line %zu: [device %s] and line %zu: [device %s] are the same device",
				  want->item[i].line, want->item[i].name, want->item[first].line,
				  want->item[first].name))
			pl->error = -ENOMEM;
	}
	return once;
}

static void check_devices(struct planner *pl)
{
	const struct object_list *want = &pl->wanted->objects[OBJECT_DEVICE];
	const struct object *old;
	int ret = 0;
	size_t i;

	for (i = 0; i < want->count && !pl->error; i++) {
		pl->skip[i] = want->item[i].leave;
		if (pl->skip[i])
			continue;
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
		pl->skip[i] = !old || !check_twice(pl, old, i) ||
			      (device_differs(old, &want->item[i], DEVICE_ZONE_ID) && !free_zone(pl, old));
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
			pl->error = text_list_add(&pl->p->lacks,
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

static void add_live(struct planner *pl, const struct change *c)
{
	add_op(pl, c, STEP_LIVE);
	if (!pl->error && !strcmp(c->new->value[SECTION_LIMIT_DEV_ACCESS], "1"))
		pl->error = endpoints_note(&pl->p->notes, c->new, pl->wanted, pl->kernel);
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
		add_live(pl, c);
	if (!c->old || c->diff & BIT(SECTION_DEVICES) || c->old->state != SECTION_IS_LIVE)
		note_absent(pl, c->new);
	else if (!pl->options->partial)
		pl->error = pl->error ? pl->error : members_note(&pl->p->lacks, pl->kernel, c->old, c->new);
}

int plan_make(struct plan *p, const struct config *wanted, const struct config *kernel,
	      const struct plan_options *options)
{
	struct planner pl = { .p = p, .wanted = wanted, .kernel = kernel, .options = options };
	size_t i;

	memset(p, 0, sizeof(*p));
	pl.skip = calloc(wanted->objects[OBJECT_DEVICE].count + 1, sizeof(*pl.skip));
	pl.error = pl.skip ? find_changes(&pl) : -ENOMEM;
	if (!pl.error)
		check_devices(&pl);
	if (!pl.error && (options->keep_going || !p->errors.count)) {
		add_releases(&pl);
		add_devices(&pl);
		for (i = 0; i < pl.wanted_count; i++)
			add_section(&pl, &pl.change[i]);
	}
	free(pl.change);
	free(pl.skip);
	if (pl.error)
		plan_free(p);
	return pl.error;
}
