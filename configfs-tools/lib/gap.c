// SPDX-License-Identifier: Apache-2.0
/* Counts the lost events of a group, from the numbers of the received ones. */
#include "gap.h"

void gap_begin(struct gap *g, uint64_t current)
{
	*g = (struct gap){ .known = true, .fresh = true, .last = current };
}

uint64_t gap_event(struct gap *g, uint64_t seq)
{
	/* The event was sent between joining the group and asking for its current number. */
	bool early = g->fresh && seq <= g->last;
	uint64_t lost = 0;

	/* Without an earlier number, or after the kernel began anew, no loss can be counted. */
	if (g->known && !early && seq > g->last)
		lost = seq - g->last - 1;
	g->known = true;
	g->fresh = false;
	g->last = seq;
	return lost;
}

uint64_t gap_settle(struct gap *g, uint64_t current)
{
	uint64_t lost = g->known && current > g->last ? current - g->last : 0;

	/* Without an earlier number the loss is unknown. */
	g->known = true;
	g->fresh = false;
	if (current > g->last)
		g->last = current;
	return lost;
}
