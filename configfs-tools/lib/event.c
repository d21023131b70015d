// SPDX-License-Identifier: Apache-2.0
/* Events of the kernel's two netlink groups, and their text. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "escape.h"
#include "event.h"

static const struct {
	const char *name;
	enum event_group group;
} events[UACCE_NL_CMD_MAX + 1] = {
	[UACCE_NL_DEV_ADD] = { "dev-add", EVENT_GROUP_CONFIG },
	[UACCE_NL_DEV_DEL] = { "dev-del", EVENT_GROUP_CONFIG },
	[UACCE_NL_DEV_CHANGE] = { "dev-change", EVENT_GROUP_CONFIG },
	[UACCE_NL_SECTION_ADD] = { "section-add", EVENT_GROUP_CONFIG },
	[UACCE_NL_SECTION_DEL] = { "section-del", EVENT_GROUP_CONFIG },
	[UACCE_NL_SECTION_CHANGE] = { "section-change", EVENT_GROUP_CONFIG },
	[UACCE_NL_SLOT_ATTACH] = { "slot-attach", EVENT_GROUP_EVENT },
	[UACCE_NL_SLOT_DETACH] = { "slot-detach", EVENT_GROUP_EVENT },
	[UACCE_NL_QUOTA] = { "quota", EVENT_GROUP_EVENT },
	[UACCE_NL_CTX_ERROR] = { "ctx-error", EVENT_GROUP_EVENT },
	[UACCE_NL_DEV_RESET] = { "dev-reset", EVENT_GROUP_EVENT },
	[UACCE_NL_DEV_ISOLATE] = { "dev-isolate", EVENT_GROUP_EVENT },
	[UACCE_NL_DEV_READY] = { "dev-ready", EVENT_GROUP_EVENT },
};

const char *event_name(uint8_t cmd)
{
	return cmd <= UACCE_NL_CMD_MAX && events[cmd].name ? events[cmd].name : "unknown";
}

const char *event_group_name(enum event_group group)
{
	return group == EVENT_GROUP_CONFIG ? UACCE_MCGRP_CONFIG : UACCE_MCGRP_EVENT;
}

const char *event_error_name(uint32_t error)
{
	const char *name = strerrorname_np((int)error);

	return name ? name : "";
}

int event_parse(struct event *e, const struct wd_nl_message *m)
{
	int seq_attr;

	memset(e, 0, sizeof(*e));
	if (m->cmd > UACCE_NL_CMD_MAX || !events[m->cmd].name)
		return -EINVAL;
	e->cmd = m->cmd;
	e->group = events[m->cmd].group;
	seq_attr = e->group == EVENT_GROUP_CONFIG ? UACCE_A_CONFIG_SEQ : UACCE_A_EVENT_SEQ;
	if (!m->attr[seq_attr])
		return -EINVAL;
	e->seq = nla_get_u64(m->attr[seq_attr]);
	fact_device_parse(&e->device, m);
	fact_ctx_parse(&e->ctx, m);
	e->has_process = m->attr[UACCE_A_PID];
	e->error = wd_nl_u32(m->attr[UACCE_A_ERROR]);
	e->count = wd_nl_u32(m->attr[UACCE_A_COUNT]);
	return fact_section_parse(&e->section, m);
}

void event_fini(struct event *e)
{
	fact_section_fini(&e->section);
}

static void print_device(FILE *f, const struct fact_device *d)
{
	fprintf(f, ": total %" PRIu32 ", reserved %" PRIu32 ", free %" PRIu32 ", node %d, priority %d%s%s", d->total,
		d->reserved, d->free, d->node, d->priority,
		d->state == UACCE_NL_DEV_NORMAL ? "" : ", ",
		d->state == UACCE_NL_DEV_NORMAL ? "" : fact_device_state_name(d->state));
}

static void print_section(FILE *f, const struct fact_section *s)
{
	char shown[ESCAPE_SIZE];
	size_t i, pending = 0;

	for (i = 0; i < s->members; i++)
		pending += s->member[i].pending;
	fprintf(f, ": %s, slots %" PRIu32 " (attached %" PRIu32 ", lingering %" PRIu32 ", waiting %" PRIu32 ")",
		fact_section_state_name(s->state), s->slots, s->attached, s->lingering, s->waiting);
	if (pending)
		fprintf(f, ", %zu device%s pending", pending, pending == 1 ? "" : "s");
	if (s->reason[0])
		fprintf(f, ", %s", escape(shown, sizeof(shown), s->reason, strlen(s->reason)));
}

static void print_process(FILE *f, const struct event *e)
{
	if (e->ctx.slot[0])
		fprintf(f, " slot %s", e->ctx.slot);
	if (e->ctx.has_id)
		fprintf(f, " ctx %" PRIu32, e->ctx.id);
	if (e->has_process)
		fprintf(f, " process %" PRIu32 " (%s)", e->ctx.pid, e->ctx.comm);
	if (e->error)
		fprintf(f, ": %s", strerror((int)e->error));
	if (e->count)
		fprintf(f, ", %" PRIu32 " time%s", e->count, e->count == 1 ? "" : "s");
}

void event_print(FILE *f, const struct event *e)
{
	fprintf(f, "%s", event_name(e->cmd));
	if (e->device.name[0])
		fprintf(f, " %s", e->device.name);
	if (e->section.name[0])
		fprintf(f, " %s%s", e->device.name[0] ? "section " : "", e->section.name);
	if (e->cmd == UACCE_NL_DEV_ADD || e->cmd == UACCE_NL_DEV_CHANGE)
		print_device(f, &e->device);
	else if (e->cmd == UACCE_NL_SECTION_ADD || e->cmd == UACCE_NL_SECTION_CHANGE)
		print_section(f, &e->section);
	else if (e->cmd == UACCE_NL_DEV_READY)
		fprintf(f, ": reset %" PRIu32, e->device.resets);
	else
		print_process(f, e);
}
