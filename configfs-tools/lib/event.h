/* SPDX-License-Identifier: Apache-2.0 */
/* Events of the kernel's two groups, and their words. */
#ifndef WDCTL_EVENT_H
#define WDCTL_EVENT_H

#include <stdio.h>

#include "facts.h"

enum event_group {
	EVENT_GROUP_CONFIG,
	EVENT_GROUP_EVENT,
	EVENT_GROUPS,
};

struct event {
	uint8_t cmd;		/* enum uacce_nl_cmd */
	enum event_group group;
	uint64_t seq;
	struct fact_device device;	/* with names only, unless it was added or changed */
	struct fact_section section;
	struct fact_ctx ctx;	/* whose slot, process and context it is about */
	bool has_process;
	uint32_t error;		/* errno, 0 = none */
	uint32_t count;
};

/** event_parse() - Return: 0, -EINVAL for what isn't an event that we know, -ENOMEM. */
int event_parse(struct event *e, const struct wd_nl_message *m);
void event_fini(struct event *e);

const char *event_name(uint8_t cmd);
const char *event_group_name(enum event_group group);

/** event_error_name() - "EBUSY"; "" for numbers without a name. */
const char *event_error_name(uint32_t error);

/** event_print() - in words, on one line, without its end. */
void event_print(FILE *f, const struct event *e);

#endif
