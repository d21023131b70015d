// SPDX-License-Identifier: Apache-2.0
/* The libc functions that this library replaces. */
#include <dlfcn.h>
#include <stdlib.h>
#include "emu.h"

void *emu_real(void **cache, const char *name)
{
	void *p = __atomic_load_n(cache, __ATOMIC_RELAXED);

	if (!p) {
		p = dlsym(RTLD_NEXT, name);
		if (!p)
			abort();
		__atomic_store_n(cache, p, __ATOMIC_RELAXED);
	}
	return p;
}
