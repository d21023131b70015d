// SPDX-License-Identifier: Apache-2.0
/* Buffers in pieces. */
#include <stdlib.h>

#include "lists.h"

#define PIECES_MOST	65536u

static size_t pieces(const struct wd_datalist *list)
{
	size_t nr = 0;

	for (; list && nr <= PIECES_MOST; list = list->next)
		nr++;
	return nr;
}

static struct own_datalist *copy(const struct wd_datalist *list, struct own_datalist **to)
{
	struct own_datalist *at = *to;

	*to = list ? at : NULL;
	for (; list; list = list->next, at++)
		*at = (struct own_datalist){ list->data, list->len, list->next ? at + 1 : NULL };
	return at;
}

void *uadk_lists(const struct wd_datalist *a, struct own_datalist **to_a, const struct wd_datalist *b,
		 struct own_datalist **to_b)
{
	size_t nr_a = pieces(a), nr_b = pieces(b);
	struct own_datalist *block;

	if (nr_a > PIECES_MOST || nr_b > PIECES_MOST)
		return NULL;
	block = calloc(nr_a + nr_b + 1, sizeof(*block));
	if (!block)
		return NULL;
	*to_a = block;
	*to_b = copy(a, to_a);
	copy(b, to_b);
	return block;
}
