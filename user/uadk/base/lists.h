/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers in pieces: UADK's length has 32 bits, and what follows it in the struct is anything. */
#ifndef UADK_LISTS_H
#define UADK_LISTS_H

#include "own.h"
#include "uadk/wd_alg_common.h"

/*
 * Copies two lists to one block of malloc(), which begins with *@to_a. Return: NULL without memory, or for a list of
 * more than 64Ki pieces, which may have no end.
 */
void *uadk_lists(const struct wd_datalist *a, struct own_datalist **to_a, const struct wd_datalist *b,
		 struct own_datalist **to_b);

#endif
