/* SPDX-License-Identifier: Apache-2.0 */
/* Plans the steps from the kernel's configuration to the requested one. */
#ifndef WDCTL_PLAN_H
#define WDCTL_PLAN_H

#include "config.h"

enum step_op {
	STEP_MAKE,
	STEP_SET,
	STEP_LIVE,
	STEP_DRAIN,		/* begin to drain, without waiting */
	STEP_DRAIN_WAIT,	/* drain, and wait until the last slot is free */
	STEP_REVOKE,
	STEP_REMOVE,
};

struct step {
	enum step_op op;
	enum object_kind kind;
	const char *name;
	const struct attr *attr;	/* of STEP_SET */
	const char *value, *was;	/* of STEP_SET; was NULL: unknown */
	const struct object *old;	/* the kernel's section or device; NULL: none */
};

struct plan_options {
	bool prune;		/* remove sections that are not in the file */
	bool revoke;		/* take slots from their holders */
	bool missing_ok;	/* skip the settings of missing devices */
	bool partial;		/* no notes about sections that are not in the file */
	bool whole;		/* sections without a list of devices have all that are present */
	bool keep_going;	/* plan what is possible, beside errors */
};

/* Lines of text, printable as they are. */
struct text_list {
	char **line;
	size_t count;
};

struct plan {
	struct step *step;
	size_t steps, room;
	struct text_list notes;		/* don't stop the plan */
	struct text_list lacks;		/* what sections lack and no step can give; doesn't stop the plan, either */
	struct text_list errors;	/* what is impossible; then there are no steps, unless keep_going */
};

/**
 * plan_make() - @wanted and @kernel have to outlive the plan.
 *
 * Steps that free contexts come before steps that take them: first drains, removals and smaller sections, then devices,
 * then the other steps in the order of the file, in which sections also go live.
 *
 * Return: 0, also when @p->errors, or -ENOMEM.
 */
int plan_make(struct plan *p, const struct config *wanted, const struct config *kernel,
	      const struct plan_options *options);

/** step_same_object() - do two steps change the same section or device? */
bool step_same_object(const struct step *x, const struct step *y);

/** plan_describe() - describe one step, printable, without a newline; NULL without memory. */
char *plan_describe(const struct step *s);
const char *step_op_name(enum step_op op);
void plan_free(struct plan *p);

int text_list_add(struct text_list *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_list_free(struct text_list *l);

#endif
