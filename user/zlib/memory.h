/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that devices' streams of a process take, and zlib's would not. All together have a bound, and half of it is
 * for what a stream needs at least, so that many streams have parts. A stream that gets nothing is zlib's, or makes do
 * with what it has.
 */
#ifndef WDZ_MEMORY_H
#define WDZ_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#define WDZ_MEMORY_MOST	(256u << 20)

/* wdz_memory_take() - before an allocation of that size; it is added to *charged. False: the bound is reached. */
bool wdz_memory_take(size_t *charged, size_t bytes, bool least);

/* wdz_memory_add() - the same of a copy, which can't be refused. */
void wdz_memory_add(size_t *charged, size_t bytes);

/* wdz_memory_give() - all of *charged is free again. */
void wdz_memory_give(size_t *charged);

#endif
