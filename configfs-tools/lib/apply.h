/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the steps of a plan in order; if one fails, undoes the steps before it. */
#ifndef WDCTL_APPLY_H
#define WDCTL_APPLY_H

#include "plan.h"
#include "tree.h"

struct apply_options {
	int wait_ms;			/* for all drains together */
	void *arg;
	void (*done)(void *arg, size_t step);	/* called after each step; may be NULL */
	/*
	 * Number of requests to stop so far: read before each step and while waiting; may be NULL. The first one begins
	 * undoing; further ones end the waits of undoing.
	 */
	int (*stops)(void *arg);
};

struct apply_result {
	size_t done;			/* steps done; the next one failed, if any did */
	int error;			/* its -errno; -EINTR when stopped; -ETIMEDOUT when a drain didn't end */
	char *reason;			/* the kernel's reason for the failure, printable, or NULL */
	size_t undone;
	struct text_list left;		/* steps that could not be undone, printable */
};

/** apply_plan() - Return: @res->error. */
int apply_plan(struct tree *t, const struct plan *p, const struct apply_options *o,
	       struct apply_result *res);
void apply_result_free(struct apply_result *res);

/** apply_error() - describe an error of a step in words. */
const char *apply_error(const struct step *s, int error);

#endif
