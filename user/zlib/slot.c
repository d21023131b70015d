// SPDX-License-Identifier: Apache-2.0
/* When a device gets no requests. Requests that are in flight together fail together: they cause one rest. */
#include <errno.h>

#include "slot.h"

#define REST_SECONDS	10
#define REST_DOUBLED	6	/* times at most: 640 seconds */
#define ERRORS		16	/* in a row; fewer are parts that are only done again */

static time_t seconds(void)
{
	struct timespec now;

	/* Never a system call, which a sandbox might punish. */
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec;
}

/* When the rest ends that follows so many others. */
static time_t rest_end(unsigned int rest_count)
{
	unsigned int doubled = rest_count > 1 ? rest_count - 1 : 0;

	return seconds() + (REST_SECONDS << (doubled < REST_DOUBLED ? doubled : REST_DOUBLED));
}

bool wdz_slot_is_resting(const struct wdz_slot *slot)
{
	time_t until = atomic_load_explicit(&slot->until, memory_order_relaxed);

	return until && seconds() < until;
}

bool wdz_slot_enter(struct wdz_slot *slot, unsigned int *rest_count)
{
	time_t until = atomic_load(&slot->until);

	*rest_count = atomic_load(&slot->rest_count);
	if (!until)
		return true;
	if (seconds() < until)
		return false;
	/* For others the rest goes on until the result of this request, which may never be fetched. */
	return !*rest_count || atomic_compare_exchange_strong(&slot->until, &until, rest_end(*rest_count));
}

static void done(struct wdz_slot *slot)
{
	if (atomic_load(&slot->errors))
		atomic_store(&slot->errors, 0);
	if (atomic_load(&slot->until)) {
		atomic_store(&slot->rest_count, 0);
		atomic_store(&slot->until, 0);
	}
}

void wdz_slot_leave(struct wdz_slot *slot, unsigned int rest_count, int status)
{
	if (status == -ENODEV) {
		atomic_store(&slot->until, rest_end(0));
		return;
	}
	/* The result of a request from before a rest says nothing about the time after it. */
	if (atomic_load(&slot->rest_count) != rest_count)
		return;
	if (!status) {
		done(slot);
		return;
	}
	if (status != -ETIMEDOUT && status != WDZ_SLOT_WRONG && !rest_count &&
	    atomic_fetch_add(&slot->errors, 1) + 1 < ERRORS)
		return;
	atomic_store(&slot->until, rest_end(rest_count + 1));
	atomic_compare_exchange_strong(&slot->rest_count, &rest_count, rest_count + 1);
	atomic_store(&slot->errors, 0);
}
