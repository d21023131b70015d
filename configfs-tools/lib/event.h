/* SPDX-License-Identifier: Apache-2.0 */
/* Events of the kernel's two netlink groups, and their text. */
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
	struct fact_device device;	/* only its names, unless the device was added or changed */
	struct fact_section section;
	struct fact_ctx ctx;	/* the slot, process and context that the event is about */
	bool has_process;
	uint32_t error;		/* errno, 0 = none */
	uint32_t count;
};

/** event_parse() - Return: 0, -EINVAL for a message that isn't a known event, -ENOMEM. */
int event_parse(struct event *e, const struct wd_nl_message *m);
void event_fini(struct event *e);

const char *event_name(uint8_t cmd);
const char *event_group_name(enum event_group group);

/** event_error_name() - "EBUSY"; "" for numbers without a name. */
const char *event_error_name(uint32_t error);

/** event_print() - print the event in words, on one line, without the newline. */
void event_print(FILE *f, const struct event *e);

#endif
