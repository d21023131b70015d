/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the steps of a plan in order; if one fails, undoes the steps before it. */
#ifndef WDCTL_APPLY_H
#define WDCTL_APPLY_H

#include "plan.h"
#include "tree.h"

struct apply_options {
	int wait_ms;			/* for all drains together */
	void *arg;
	void (*done)(void *arg, size_t step);	/* called after each; may be NULL */
	/* How often somebody has asked to stop: read before each and while waiting; may be NULL. Undoing begins all the
	 * same; what is asked for after that ends its waits. */
	int (*stops)(void *arg);
};

struct apply_result {
	size_t done;			/* steps done; the next one failed, if any did */
	int error;			/* its -errno; -EINTR when stopped; -ETIMEDOUT when a drain didn't end */
	char *reason;			/* what the kernel says about it, printable, or NULL */
	size_t undone;
	struct text_list left;		/* what could not be undone, printable */
};

/** apply_plan() - Return: @res->error. */
int apply_plan(struct tree *t, const struct plan *p, const struct apply_options *o,
	       struct apply_result *res);
void apply_result_free(struct apply_result *res);

/** apply_error() - an error of a step in words. */
const char *apply_error(const struct step *s, int error);

#endif
