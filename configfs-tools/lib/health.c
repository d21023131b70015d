// SPDX-License-Identifier: Apache-2.0
/* The list of findings. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "health.h"

void health_add(struct health *h, enum health_state state, const char *area, const char *fmt, ...)
{
	struct health_item *item;
	va_list ap;

	item = realloc(h->item, (h->count + 1) * sizeof(*item));
	if (!item) {
		h->error = -ENOMEM;
		return;
	}
	h->item = item;
	item += h->count++;
	memset(item, 0, sizeof(*item));
	item->state = state;
	item->area = area;
	va_start(ap, fmt);
	vsnprintf(item->text, sizeof(item->text), fmt, ap);
	va_end(ap);
}

static void remedy_set(struct health *h, bool command, const char *fmt, va_list ap)
{
	struct health_item *item;

	/* After -ENOMEM the last item is an earlier finding. */
	if (!h->count || h->error)
		return;
	item = &h->item[h->count - 1];
	item->command = command;
	vsnprintf(item->remedy, sizeof(item->remedy), fmt, ap);
}

void health_remedy(struct health *h, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	remedy_set(h, false, fmt, ap);
	va_end(ap);
}

void health_command(struct health *h, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	remedy_set(h, true, fmt, ap);
	va_end(ap);
}

size_t health_problems(const struct health *h)
{
	size_t i, n = 0;

	for (i = 0; i < h->count; i++)
		n += h->item[i].state == HEALTH_PROBLEM;
	return n;
}

const char *health_state_name(enum health_state state)
{
	static const char *const names[] = {
		[HEALTH_OK] = "ok",
		[HEALTH_NOTE] = "note",
		[HEALTH_PROBLEM] = "problem",
	};

	return names[state];
}

void health_print(const struct health *h)
{
	size_t i, problems = health_problems(h);

	for (i = 0; i < h->count; i++) {
		const struct health_item *item = &h->item[i];

		printf("%-8s %-10s %s\n", health_state_name(item->state), item->area, item->text);
		if (item->remedy[0])
			printf("%-8s %-10s %s%s\n", "", "", item->command ? "-> " : "", item->remedy);
	}
	if (problems)
		printf("%zu problem%s\n", problems, problems == 1 ? "" : "s");
	else
		printf("no problems\n");
}

void health_free(struct health *h)
{
	free(h->item);
	memset(h, 0, sizeof(*h));
}
