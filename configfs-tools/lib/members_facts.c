// SPDX-License-Identifier: Apache-2.0
/* The devices of live sections, which only the kernel's netlink family reports. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "list.h"
#include "members.h"

/* The list of members, or of those without a share, under their permanent names. NULL without memory. */
static char *names_of(const struct config *kernel, const struct fact_section *f, bool pending)
{
	struct list list = { 0 };
	struct list_item item = { 0 };
	char *text = NULL, *parents = NULL;
	size_t i;

	for (i = 0; i < f->members; i++) {
		if (pending && !f->member[i].pending)
			continue;
		item.name = f->member[i].name;
		item.len = strlen(item.name);
		if (list_add(&list, &item))
			goto out;
	}
	if (!list_format(&list, VALUE_DEVICES, &text))
		parents = config_parents(kernel, text);
	free(text);
out:
	list_free(&list);
	return parents;
}

static bool has_others(const struct config *kernel, const char *members)
{
	const struct object_list *l = &kernel->objects[OBJECT_DEVICE];
	size_t i;

	for (i = 0; i < l->count; i++)
		if (!members_have(members, &l->item[i]))
			return true;
	return false;
}

int members_take(struct config *kernel, const struct fact_sections *facts)
{
	struct object_list *l = &kernel->objects[OBJECT_SECTION];
	const struct fact_section *f;
	struct object *o;

	for (o = l->item; o < l->item + l->count; o++) {
		f = fact_section_find(facts, o->name);
		/* The section may have changed since it was read. */
		if (!f || o->state != SECTION_IS_LIVE || f->state != UACCE_NL_SECTION_LIVE ||
		    !o->value[SECTION_DEVICES])
			continue;
		o->members = names_of(kernel, f, false);
		o->missing = names_of(kernel, f, true);
		if (!o->members || !o->missing)
			return -ENOMEM;
		o->others = !*o->value[SECTION_DEVICES] && has_others(kernel, o->members);
	}
	return 0;
}

int members_read(struct config *kernel, const struct root *r)
{
	struct fact_sections facts;
	struct wd_nl family;
	int ret = 0;

	/* A recorded machine has no kernel to ask. */
	if (root_is_fake(r) || wd_nl_open(&family, UACCE_GENL_NAME))
		return 0;
	if (!facts_sections(&family, &facts)) {
		ret = members_take(kernel, &facts);
		fact_sections_free(&facts);
	}
	wd_nl_close(&family);
	return ret;
}
