/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the steps of a plan in order; if one fails, undoes the steps before it, or those of the same object. */
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
	/*
	 * For apply_each(): does a process hold a slot of the section? Then it isn't drained, since a drain can't be
	 * cancelled.
	 */
	bool (*held)(void *arg, const char *section);
};

struct apply_result {
	size_t done;			/* steps done; the next one failed, if any did */
	int error;			/* its -errno; -EINTR when stopped; -ETIMEDOUT when a drain didn't end */
	char *reason;			/* the kernel's reason for the failure, printable, or NULL */
	size_t undone;
	struct text_list left;		/* steps that could not be undone, printable */
	struct text_list failed;	/* of apply_each(): a line for each object that stays as it was */
};

/** apply_plan() - Return: @res->error. */
int apply_plan(struct tree *t, const struct plan *p, const struct apply_options *o,
	       struct apply_result *res);

/**
 * apply_each() - take the steps of each object for themselves: if one fails, only this object stays as it was.
 *
 * A stop counts as a failure of all objects whose steps are not done.
 * Return: 0, or the error of the first failure; @res->done is the number of steps that are done and not undone.
 */
int apply_each(struct tree *t, const struct plan *p, const struct apply_options *o, struct apply_result *res);
void apply_result_free(struct apply_result *res);

/** apply_error() - describe an error of a step in words. */
const char *apply_error(const struct step *s, int error);

#endif
