/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices a section has, and which it should have: what configfs doesn't say about a live section. */
#ifndef WDCTL_MEMBERS_H
#define WDCTL_MEMBERS_H

#include "config.h"
#include "plan.h"
#include "root.h"

struct fact_sections;

/** members_take() - set members, missing and others of the kernel's live sections. Return: 0 or -ENOMEM. */
int members_take(struct config *kernel, const struct fact_sections *facts);

/** members_read() - ask the kernel, and do that. Without an answer they stay unknown. Return: 0 or -ENOMEM. */
int members_read(struct config *kernel, const struct root *r);

/** members_have() - whether a list of devices has this one, by its own name or its parent's. */
bool members_have(const char *list, const struct object *device);

/** members_of() - the devices of a section of the kernel: those that it got, or else those that it names. */
const char *members_of(const struct object *section);

/** members_give() - does a live section give contexts on a device of the kernel? */
bool members_give(const struct object *section, const struct object *device);

/**
 * members_lack() - whether a device should be in the live section @old and can join it.
 * A section that names no devices has all of them. To join, @old has to drain and go live again.
 */
bool members_lack(const struct config *kernel, const struct object *old, const struct object *wanted);

/** members_note() - a line for each device that the live section @old lacks. Return: 0 or -ENOMEM. */
int members_note(struct text_list *notes, const struct config *kernel, const struct object *old,
		 const struct object *wanted);

#endif
