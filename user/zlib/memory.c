// SPDX-License-Identifier: Apache-2.0
/* The bound of a process. */
#include <stdatomic.h>

#include "memory.h"

static _Atomic size_t taken;

void wdz_memory_add(size_t *charged, size_t bytes)
{
	atomic_fetch_add(&taken, bytes);
	*charged += bytes;
}

bool wdz_memory_take(size_t *charged, size_t bytes, bool least)
{
	size_t most = least ? WDZ_MEMORY_MOST : WDZ_MEMORY_MOST / 2;

	if (atomic_fetch_add(&taken, bytes) + bytes > most) {
		atomic_fetch_sub(&taken, bytes);
		return false;
	}
	*charged += bytes;
	return true;
}

void wdz_memory_give(size_t *charged)
{
	atomic_fetch_sub(&taken, *charged);
	*charged = 0;
}
