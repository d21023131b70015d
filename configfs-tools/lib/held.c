// SPDX-License-Identifier: Apache-2.0
/* The holders of slots of the sections that a plan must drain. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "held.h"
#include "holder.h"

#define NAMED_MAX 4

/* Was the process already named, for a context before this one? */
static bool is_named(const struct fact_ctxs *l, size_t at)
{
	const struct fact_ctx *c = &l->item[at];
	size_t i;

	for (i = 0; i < at; i++)
		if (l->item[i].pid == c->pid && !strcmp(l->item[i].section, c->section) &&
		    (c->pid || !strcmp(l->item[i].comm, c->comm)))
			return true;
	return false;
}

static void name_holders(FILE *out, const char *section, const struct fact_ctxs *l)
{
	char name[HOLDER_NAME_SIZE];
	size_t named = 0, i;

	for (i = 0; i < l->count; i++) {
		if (strcmp(l->item[i].section, section) || is_named(l, i))
			continue;
		if (named < NAMED_MAX)
			fprintf(out, "%s%s", named ? ", " : "; contexts are open in ",
				holder_name(name, &l->item[i]));
		named++;
	}
	if (named > NAMED_MAX)
		fprintf(out, " and %zu more", named - NAMED_MAX);
}

char *held_describe(const struct fact_section *s, const struct fact_ctxs *ctxs)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	fprintf(out, "section %s: of %" PRIu32 " slots %" PRIu32 " are attached, %" PRIu32 " lingering", s->name,
		s->slots, s->attached, s->lingering);
	name_holders(out, s->name, ctxs);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static int held_add(struct text_list *held, const struct fact_section *s, const struct fact_ctxs *ctxs)
{
	char *text = held_describe(s, ctxs);
	int ret = text ? text_list_add(held, "%s", text) : -ENOMEM;

	free(text);
	return ret;
}

int held_read(struct wd_nl *f, const struct plan *p, struct text_list *held)
{
	struct fact_sections sections;
	struct fact_ctxs ctxs = { 0 };
	const struct fact_section *s;
	size_t i;
	int ret;

	memset(held, 0, sizeof(*held));
	/* Sections may come or go meanwhile: the next call looks again. */
	ret = facts_sections(f, &sections);
	if (ret && ret != -EINTR)
		return ret;
	ret = 0;
	for (i = 0; i < p->steps && !ret; i++) {
		if (p->step[i].op != STEP_DRAIN_WAIT)
			continue;
		s = fact_section_find(&sections, p->step[i].name);
		if (!s || !(s->attached + s->lingering))
			continue;
		/* If the contexts can't be read, the line names no process. */
		if (!held->count)
			holder_ctxs(f, &ctxs);
		ret = held_add(held, s, &ctxs);
	}
	fact_ctxs_free(&ctxs);
	fact_sections_free(&sections);
	if (ret)
		text_list_free(held);
	return ret;
}
