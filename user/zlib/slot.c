// SPDX-License-Identifier: Apache-2.0
/* When a device isn't asked. Requests in flight together fail together: they cause one rest. */
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

/* The rest after so many. */
static time_t rest_end(unsigned int rests)
{
	unsigned int doubled = rests > 1 ? rests - 1 : 0;

	return seconds() + (REST_SECONDS << (doubled < REST_DOUBLED ? doubled : REST_DOUBLED));
}

bool wdz_slot_rests(const struct wdz_slot *at)
{
	time_t until = atomic_load_explicit(&at->until, memory_order_relaxed);

	return until && seconds() < until;
}

bool wdz_slot_enter(struct wdz_slot *at, unsigned int *rests)
{
	time_t until = atomic_load(&at->until);

	*rests = atomic_load(&at->rests);
	if (!until)
		return true;
	if (seconds() < until)
		return false;
	/* Others rest on, until the result of this one, which may never be fetched. */
	return !*rests || atomic_compare_exchange_strong(&at->until, &until, rest_end(*rests));
}

static void done(struct wdz_slot *at)
{
	if (atomic_load(&at->errors))
		atomic_store(&at->errors, 0);
	if (atomic_load(&at->until)) {
		atomic_store(&at->rests, 0);
		atomic_store(&at->until, 0);
	}
}

void wdz_slot_leave(struct wdz_slot *at, unsigned int rests, int status)
{
	if (status == -ENODEV) {
		atomic_store(&at->until, rest_end(0));
		return;
	}
	/* A request from before a rest says nothing of what came after it. */
	if (atomic_load(&at->rests) != rests)
		return;
	if (!status) {
		done(at);
		return;
	}
	if (status != -ETIMEDOUT && status != WDZ_SLOT_WRONG && !rests && atomic_fetch_add(&at->errors, 1) + 1 < ERRORS)
		return;
	atomic_store(&at->until, rest_end(rests + 1));
	atomic_compare_exchange_strong(&at->rests, &rests, rests + 1);
	atomic_store(&at->errors, 0);
}
