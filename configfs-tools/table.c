// SPDX-License-Identifier: Apache-2.0
/* Tables as text: columns are as wide as their widest cell. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

#define COLUMN_GAP 2

void table_init(struct table *t, size_t columns)
{
	memset(t, 0, sizeof(*t));
	t->columns = columns;
}

void table_add(struct table *t, const char *fmt, ...)
{
	char **cells, *text;
	va_list ap;
	int ret;

	if (t->error)
		return;
	va_start(ap, fmt);
	ret = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (ret < 0) {
		t->error = -ENOMEM;
		return;
	}
	cells = realloc(t->cell, (t->cells + 1) * sizeof(*cells));
	if (!cells) {
		free(text);
		t->error = -ENOMEM;
		return;
	}
	t->cell = cells;
	t->cell[t->cells++] = text;
}

static void table_measure(const struct table *t, size_t *width)
{
	size_t i, len;

	for (i = 0; i < t->cells; i++) {
		len = strlen(t->cell[i]);
		if (len > width[i % t->columns])
			width[i % t->columns] = len;
	}
}

int table_print(struct table *t)
{
	size_t width[TABLE_COLUMNS_MAX] = { 0 };
	size_t i;

	if (!t->error) {
		table_measure(t, width);
		for (i = 0; i < t->cells; i++) {
			if (i % t->columns == t->columns - 1)
				printf("%s\n", t->cell[i]);
			else
				printf("%-*s", (int)width[i % t->columns] + COLUMN_GAP, t->cell[i]);
		}
	}
	for (i = 0; i < t->cells; i++)
		free(t->cell[i]);
	free(t->cell);
	t->cell = NULL;
	return t->error;
}
