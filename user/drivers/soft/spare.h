/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcrypto's objects that one request uses at a time: a row, from which one is taken and put back by one atomic
 * exchange each.
 */
#ifndef WD_SOFT_SPARE_H
#define WD_SOFT_SPARE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define SOFT_SPARE_NR	4	/* unused objects kept */

struct soft_spare {
	_Atomic(void *) at[SOFT_SPARE_NR];
};

/* NULL: the caller makes a new one. */
static inline void *soft_spare_get(struct soft_spare *s)
{
	unsigned int i;
	void *x;

	for (i = 0; i < SOFT_SPARE_NR; i++) {
		if (!atomic_load_explicit(&s->at[i], memory_order_relaxed))
			continue;
		x = atomic_exchange_explicit(&s->at[i], NULL, memory_order_acquire);
		if (x)
			return x;
	}
	return NULL;
}

/* False: the row is full, and the caller frees the object. */
static inline bool soft_spare_put(struct soft_spare *s, void *x)
{
	unsigned int i;

	for (i = 0; i < SOFT_SPARE_NR; i++) {
		void *none = NULL;

		if (!atomic_load_explicit(&s->at[i], memory_order_relaxed) &&
		    atomic_compare_exchange_strong_explicit(&s->at[i], &none, x, memory_order_release,
							    memory_order_relaxed))
			return true;
	}
	return false;
}

#endif
