/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of a list while it is converted to its canonical form. */
#ifndef WDCTL_LIST_H
#define WDCTL_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"

struct list_item {
	const char *name;	/* of a device; points into the caller's text */
	size_t len;
	long first, last;	/* ids, or a node */
	long sync, async;
};

struct list {
	struct list_item *item;
	size_t count, room;
};

int list_add(struct list *l, const struct list_item *item);
/** list_sort() - sort by name or number. Return: an element that occurs twice, or NULL. */
const struct list_item *list_sort(struct list *l, bool by_name);
/** list_join() - sort ranges, and join those that touch. */
void list_join(struct list *l);
/** list_format() - print the list as configfs does. Return: 0 or -ENOMEM. */
int list_format(const struct list *l, enum value_type type, char **out);
void list_free(struct list *l);

#endif
