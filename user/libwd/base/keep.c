// SPDX-License-Identifier: Apache-2.0
/* Memory that is never freed, because a device that has not stopped may still write to it. */
#include <stdatomic.h>

#include "base/keep.h"

void wd_keep(struct wd_kept *k)
{
	static _Atomic(struct wd_kept *) kept;

	k->next = atomic_load(&kept);
	while (!atomic_compare_exchange_weak(&kept, &k->next, k))
		;
}
