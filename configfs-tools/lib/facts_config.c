// SPDX-License-Identifier: Apache-2.0
/* The kernel's sections as it reports them by netlink, for where configfs isn't mounted: in containers. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/uacce_netlink.h>

#include "facts_config.h"

static void set_number(struct object *o, enum section_attr i, uint32_t n)
{
	if (asprintf(&o->value[i], "%" PRIu32, n) < 0)
		o->value[i] = NULL;
}

/* The names of members, separated by blanks. */
static char *devices(const struct fact_section *s)
{
	char *text = NULL;
	size_t len, i;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	for (i = 0; i < s->members; i++)
		fprintf(out, "%s%s", i ? " " : "", s->member[i].name);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static enum section_state state(uint32_t state)
{
	switch (state) {
	case UACCE_NL_SECTION_LIVE:
		return SECTION_IS_LIVE;
	case UACCE_NL_SECTION_DRAINING:
		return SECTION_DRAINING;
	}
	return SECTION_CONFIGURED;
}

static int section_fill(struct object *o, const struct fact_section *s)
{
	size_t i;

	o->state = state(s->state);
	set_number(o, SECTION_NUM_PROCESSES, s->num_processes);
	set_number(o, SECTION_LIMIT_DEV_ACCESS, s->limit_dev_access);
	set_number(o, SECTION_SYNC_CTXS, s->sync);
	set_number(o, SECTION_ASYNC_CTXS, s->async);
	set_number(o, SECTION_QUEUE_PRIORITY, s->priority);
	set_number(o, SECTION_MAX_EXTRA_CTXS, s->max_extra);
	set_number(o, SECTION_BANDWIDTH, s->bandwidth);
	set_number(o, SECTION_MAX_PINNED, s->max_pinned);
	set_number(o, SECTION_LIVE, o->state == SECTION_IS_LIVE);
	o->value[SECTION_NODES] = strdup(s->nodes);
	o->value[SECTION_ALLOWED_UIDS] = strdup(s->uids);
	o->value[SECTION_ALLOWED_GIDS] = strdup(s->gids);
	o->value[SECTION_DEVICES] = devices(s);
	o->reason = *s->reason ? strdup(s->reason) : NULL;
	for (i = 0; i < SECTION_ATTRS; i++)
		if (!o->value[i])
			return -ENOMEM;
	return *s->reason && !o->reason ? -ENOMEM : 0;
}

int facts_config(const struct fact_sections *facts, struct config *c)
{
	struct object *o;
	size_t i;

	memset(c, 0, sizeof(*c));
	for (i = 0; i < facts->count; i++) {
		o = config_add(c, OBJECT_SECTION, facts->item[i].name, strlen(facts->item[i].name));
		if (o && !section_fill(o, &facts->item[i]))
			continue;
		config_free(c);
		return -ENOMEM;
	}
	return 0;
}
