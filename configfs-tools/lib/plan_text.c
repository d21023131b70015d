// SPDX-License-Identifier: Apache-2.0
/* Steps, notes and errors of a plan in words. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "plan.h"

int text_list_add(struct text_list *l, const char *fmt, ...)
{
	char **grown;
	va_list ap;
	int ret;

	/* The array is full whenever the count is a power of two. */
	if (!(l->count & (l->count - 1))) {
		grown = realloc(l->line, (l->count ? 2 * l->count : 1) * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		l->line = grown;
	}
	va_start(ap, fmt);
	ret = vasprintf(&l->line[l->count], fmt, ap);
	va_end(ap);
	if (ret < 0)
		return -ENOMEM;
	l->count++;
	return 0;
}

void text_list_free(struct text_list *l)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		free(l->line[i]);
	free(l->line);
	memset(l, 0, sizeof(*l));
}

const char *step_op_name(enum step_op op)
{
	static const char *const names[] = {
		[STEP_MAKE] = "make",
		[STEP_SET] = "set",
		[STEP_LIVE] = "live",
		[STEP_DRAIN] = "drain",
		[STEP_DRAIN_WAIT] = "drain and wait",
		[STEP_REVOKE] = "revoke",
		[STEP_REMOVE] = "remove",
	};

	return names[op];
}

static const char *or_empty(const char *value)
{
	return *value ? value : "(empty)";
}

bool step_same_object(const struct step *x, const struct step *y)
{
	return x->kind == y->kind && !strcmp(x->name, y->name);
}

char *plan_describe(const struct step *s)
{
	const char *kind = object_kind_name(s->kind);
	char *text, *was = NULL;
	int ret;

	if (s->op != STEP_SET)
		return asprintf(&text, "%s %s: %s", kind, s->name, step_op_name(s->op)) < 0 ? NULL : text;
	/* A checked value is printable; the kernel's old value may be any text. */
	if (s->was && s->old) {
		was = escape_new(s->was);
		if (!was)
			return NULL;
	}
	ret = asprintf(&text, "%s %s: %s = %s%s%s%s", kind, s->name, s->attr->file, or_empty(s->value),
		       was ? " (was " : "", was ? or_empty(was) : "", was ? ")" : "");
	free(was);
	return ret < 0 ? NULL : text;
}

void plan_free(struct plan *p)
{
	free(p->step);
	text_list_free(&p->notes);
	text_list_free(&p->lacks);
	text_list_free(&p->errors);
	memset(p, 0, sizeof(*p));
}
