// SPDX-License-Identifier: Apache-2.0
/* The elements of a list while it is converted to its canonical form. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"

int list_add(struct list *l, const struct list_item *item)
{
	struct list_item *grown;
	size_t room;

	if (l->count == l->room) {
		room = l->room ? 2 * l->room : 8;
		grown = realloc(l->item, room * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		l->item = grown;
		l->room = room;
	}
	l->item[l->count++] = *item;
	return 0;
}

static int number_order(const void *a, const void *b)
{
	const struct list_item *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* Natural order: the kernel numbers slots by it, and people expect device 10 after 9. */
static int name_order(const void *a, const void *b)
{
	const struct list_item *x = a, *y = b;
	char s[OBJECT_NAME_MAX + 1], t[OBJECT_NAME_MAX + 1];

	snprintf(s, sizeof(s), "%.*s", (int)x->len, x->name);
	snprintf(t, sizeof(t), "%.*s", (int)y->len, y->name);
	return strverscmp(s, t);
}

const struct list_item *list_sort(struct list *l, bool by_name)
{
	int (*order)(const void *, const void *) = by_name ? name_order : number_order;
	size_t i;

	if (!l->count)
		return NULL;
	qsort(l->item, l->count, sizeof(*l->item), order);
	for (i = 1; i < l->count; i++)
		if (!order(&l->item[i - 1], &l->item[i]))
			return &l->item[i];
	return NULL;
}

void list_join(struct list *l)
{
	struct list_item *last;
	size_t i, used = 1;

	if (!l->count)
		return;
	qsort(l->item, l->count, sizeof(*l->item), number_order);
	for (i = 1; i < l->count; i++) {
		last = &l->item[used - 1];
		if (l->item[i].first > last->last + 1)
			l->item[used++] = l->item[i];
		else if (l->item[i].last > last->last)
			last->last = l->item[i].last;
	}
	l->count = used;
}

static void item_print(FILE *f, const struct list_item *item, enum value_type type)
{
	if (type == VALUE_DEVICES)
		fprintf(f, "%.*s", (int)item->len, item->name);
	else if (type == VALUE_NODES)
		fprintf(f, "%ld=%ld+%ld", item->first, item->sync, item->async);
	else if (item->first == item->last)
		fprintf(f, "%ld", item->first);
	else
		fprintf(f, "%ld-%ld", item->first, item->last);
}

int list_format(const struct list *l, enum value_type type, char **out)
{
	const char *gap = type == VALUE_UIDS || type == VALUE_GIDS ? "," : " ";
	size_t i, size;
	FILE *f = open_memstream(out, &size);

	if (!f)
		return -ENOMEM;
	for (i = 0; i < l->count; i++) {
		if (i)
			fputs(gap, f);
		item_print(f, &l->item[i], type);
	}
	if (!fclose(f))
		return 0;
	free(*out);
	*out = NULL;
	return -ENOMEM;
}

void list_free(struct list *l)
{
	free(l->item);
	memset(l, 0, sizeof(*l));
}
