// SPDX-License-Identifier: Apache-2.0
/* Which devices a section has, and which it should have: what configfs doesn't say about a live section. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"

bool members_have(const char *list, const struct object *device)
{
	const char *name;
	size_t len;

	while (value_next(&list, &name, &len))
		if ((strlen(device->name) == len && !memcmp(name, device->name, len)) ||
		    (len && strlen(device->parent) == len && !memcmp(name, device->parent, len)))
			return true;
	return false;
}

const char *members_of(const struct object *section)
{
	const char *named = section->value[SECTION_DEVICES];

	return section->members && (!named || !*named) ? section->members : named ? named : "";
}

bool members_give(const struct object *section, const struct object *device)
{
	const char *list = members_of(section);

	return (!*list || members_have(list, device)) && !(section->missing && members_have(section->missing, device));
}

/* No other section can have an exclusive device, so it isn't one of "all". */
static bool is_lacked(const struct object *old, const struct object *wanted, const struct object *device)
{
	const char *doorbells = device->value[DEVICE_DOORBELLS];

	return old->others && !*wanted->value[SECTION_DEVICES] &&
	       (!doorbells || strcmp(doorbells, "exclusive")) && !members_have(old->members, device) &&
	       config_contexts(wanted, device);
}

static bool has_room(const struct object *wanted, const struct object *device)
{
	return device->free < 0 || config_contexts(wanted, device) <= (uint64_t)device->free;
}

bool members_lack(const struct config *kernel, const struct object *old, const struct object *wanted)
{
	const struct object_list *l = &kernel->objects[OBJECT_DEVICE];
	size_t i;

	for (i = 0; i < l->count; i++)
		if (is_lacked(old, wanted, &l->item[i]) && has_room(wanted, &l->item[i]))
			return true;
	return false;
}

static int note_missing(struct text_list *notes, const struct config *kernel, const struct object *old)
{
	const char *list = old->missing ? old->missing : "", *text;
	char name[OBJECT_NAME_MAX + 1];
	size_t len;
	int ret = 0;

	while (!ret && value_next(&list, &text, &len)) {
		if (len >= sizeof(name))
			continue;
		memcpy(name, text, len);
		name[len] = '\0';
		ret = text_list_add(notes, config_find(kernel, OBJECT_DEVICE, name) ?
				    "section %s: device %s is present, but can't give its share: it has too few free "
				    "contexts, is exclusive, or can't limit bandwidth" :
				    "section %s: device %s is not present: its share waits for it", old->name, name);
	}
	return ret;
}

int members_note(struct text_list *notes, const struct config *kernel, const struct object *old,
		 const struct object *wanted)
{
	const struct object_list *l = &kernel->objects[OBJECT_DEVICE];
	int ret = note_missing(notes, kernel, old);
	const struct object *d;

	for (d = l->item; !ret && d < l->item + l->count; d++) {
		if (!is_lacked(old, wanted, d))
			continue;
		if (has_room(wanted, d))
			ret = text_list_add(notes, "section %s: device %s has come since the section went live: "
					    "it joins after a drain", old->name, d->name);
		else
			ret = text_list_add(notes, "section %s: device %s is not in it: %" PRIu64 " contexts are "
					    "needed, %ld are free", old->name, d->name, config_contexts(wanted, d),
					    d->free);
	}
	return ret;
}
