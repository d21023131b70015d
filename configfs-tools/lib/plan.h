/* SPDX-License-Identifier: Apache-2.0 */
/* The steps from the kernel's configuration to the wanted one. */
#ifndef WDCTL_PLAN_H
#define WDCTL_PLAN_H

#include "config.h"

enum step_op {
	STEP_MAKE,
	STEP_SET,
	STEP_LIVE,
	STEP_DRAIN,		/* no new work; goes on at once */
	STEP_DRAIN_WAIT,	/* ... when the last slot is free */
	STEP_REVOKE,
	STEP_REMOVE,
};

struct step {
	enum step_op op;
	enum object_kind kind;
	const char *name;
	const struct attr *attr;	/* of STEP_SET */
	const char *value, *was;	/* of STEP_SET; was NULL: not known */
	const struct object *old;	/* what the kernel has, NULL for nothing */
};

struct plan_options {
	bool prune;		/* remove sections that are not in the file */
	bool revoke;		/* take slots from their holders */
	bool missing_ok;	/* skip the settings of missing devices */
	bool partial;		/* no notes about sections that are not in the file */
};

/* Lines of words, printable as they are. */
struct text_list {
	char **line;
	size_t count;
};

struct plan {
	struct step *step;
	size_t steps, room;
	struct text_list notes;		/* don't stop the plan */
	struct text_list errors;	/* reasons why the plan is impossible; then there are no steps */
};

/**
 * plan_make() - @wanted and @kernel have to outlive the plan.
 *
 * What frees contexts comes before what takes them: drains, removals and smaller sections, then devices,
 * then the rest in the order of the file, which is the order of going live.
 *
 * Return: 0, also when @p->errors, or -ENOMEM.
 */
int plan_make(struct plan *p, const struct config *wanted, const struct config *kernel,
	      const struct plan_options *options);

/** plan_describe() - one step in words, printable, without the newline; NULL without memory. */
char *plan_describe(const struct step *s);
const char *step_op_name(enum step_op op);
void plan_free(struct plan *p);

int text_list_add(struct text_list *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_list_free(struct text_list *l);

#endif
