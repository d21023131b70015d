// SPDX-License-Identifier: Apache-2.0
/* Which devices the slots of a section with LimitDevAccess will have: what the kernel will do, for plan. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint_notes.h"
#include "endpoints.h"

/* The devices of one section, in natural order of their names. */
struct members {
	const char **name;
	struct endpoint_device *place;
	unsigned int nr;
};

static int compare_names(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

static void members_free(struct members *m)
{
	free(m->name);
	free(m->place);
}

/* A device that is absent has only the name in the section, which must be kept in @names then. */
static int members_list(struct members *m, const struct object *section, const struct config *kernel, char *names)
{
	const struct object_list *all = &kernel->objects[OBJECT_DEVICE];
	const struct object *device;
	char *name, *rest = NULL;
	size_t i;

	m->name = calloc(strlen(names) + all->count + 1, sizeof(*m->name));
	m->place = calloc(strlen(names) + all->count + 1, sizeof(*m->place));
	if (!m->name || !m->place)
		return -ENOMEM;
	for (i = 0; !*section->value[SECTION_DEVICES] && i < all->count; i++)
		m->name[m->nr++] = all->item[i].name;
	for (name = strtok_r(names, " ,", &rest); name; name = strtok_r(NULL, " ,", &rest)) {
		device = config_find(kernel, OBJECT_DEVICE, name);
		m->name[m->nr++] = device ? device->name : name;
	}
	qsort(m->name, m->nr, sizeof(*m->name), compare_names);
	return 0;
}

static const char *zone_of(const struct object *device)
{
	return device ? device->value[DEVICE_ZONE_ID] : NULL;
}

/* The node of a device after the settings of the file; -1: unknown. */
static int node_of(const char *name, const struct config *wanted, const struct config *kernel)
{
	const struct object *have = config_find(kernel, OBJECT_DEVICE, name);
	const struct object *want = config_find(wanted, OBJECT_DEVICE, name);
	const char *zone;

	if (!want && have && have->parent[0])
		want = config_find(wanted, OBJECT_DEVICE, have->parent);
	zone = zone_of(want) ? zone_of(want) : zone_of(have);
	return zone ? atoi(zone) : -1;
}

static int append(char **text, const char *sep, const char *word)
{
	char *grown;

	if (asprintf(&grown, "%s%s%s", *text, sep, word) < 0)
		return -ENOMEM;
	free(*text);
	*text = grown;
	return 0;
}

/* The engines of the section that the endpoint lacks, each once. */
static int append_lacks(char **text, const struct members *m, int endpoint)
{
	const char *sep = ", without ";
	unsigned int i, k;
	int ret = 0;

	for (i = 0; i < m->nr && !ret; i++) {
		if (!m->place[i].engine[0])
			continue;
		for (k = 0; k < m->nr; k++)
			if (!strcmp(m->place[k].engine, m->place[i].engine) &&
			    (k < i || m->place[k].endpoint == endpoint))
				break;
		if (k == m->nr) {
			ret = append(text, sep, m->place[i].engine);
			sep = ", ";
		}
	}
	return ret;
}

static int note_endpoint(struct text_list *notes, const struct object *section, const struct members *m, int endpoint)
{
	char *text = strdup("");
	unsigned int i;
	int ret = text ? 0 : -ENOMEM;

	for (i = 0; i < m->nr && !ret; i++)
		if (m->place[i].endpoint == endpoint)
			ret = append(&text, " ", m->name[i]);
	if (!ret)
		ret = append_lacks(&text, m, endpoint);
	if (!ret)
		ret = text_list_add(notes, "section %s: each of the %s slots %s_DEV%d_INT_N has%s", section->name,
				    section->value[SECTION_NUM_PROCESSES], section->name, endpoint, text);
	free(text);
	return ret;
}

int endpoints_note(struct text_list *notes, const struct object *section, const struct config *wanted,
		   const struct config *kernel)
{
	char *names = strdup(section->value[SECTION_DEVICES]);
	struct members m = { 0 };
	unsigned int i;
	int ret = names ? members_list(&m, section, kernel, names) : -ENOMEM, e;

	for (i = 0; i < m.nr && !ret; i++) {
		m.place[i].endpoint = ENDPOINT_NONE;
		m.place[i].node = node_of(m.name[i], wanted, kernel);
		if (config_slot_contexts(section, m.place[i].node))
			endpoint_set_engine(&m.place[i], m.name[i]);
	}
	if (!ret)
		endpoints_form(m.place, m.nr);
	for (e = 0; !ret && e < endpoints_count(m.place, m.nr); e++)
		ret = note_endpoint(notes, section, &m, e);
	members_free(&m);
	free(names);
	return ret;
}
