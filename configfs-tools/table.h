/* SPDX-License-Identifier: Apache-2.0 */
/* Tables as text: columns are as wide as their widest cell. */
#ifndef WDCTL_TABLE_H
#define WDCTL_TABLE_H

#include <stddef.h>

#define TABLE_COLUMNS_MAX 12

struct table {
	size_t columns;
	size_t cells;
	char **cell;	/* cells of them, row by row */
	int error;
};

void table_init(struct table *t, size_t columns);
/* Appends one cell; a row is full after as many as there are columns. */
void table_add(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints and frees. Return: 0 or -ENOMEM, with nothing printed. */
int table_print(struct table *t);

#endif
