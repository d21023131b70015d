// SPDX-License-Identifier: Apache-2.0
/* How many events of a group were lost, from the numbers of those that came. */
#include "gap.h"

void gap_begin(struct gap *g, uint64_t current)
{
	*g = (struct gap){ .known = true, .fresh = true, .last = current };
}

uint64_t gap_event(struct gap *g, uint64_t seq)
{
	/* Sent between the joining and the question for the current number. */
	bool early = g->fresh && seq <= g->last;
	uint64_t lost = 0;

	/* Nothing to compare with, or a kernel that begins again. */
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

	/* Without a number so far, nobody can tell how many came before. */
	g->known = true;
	g->fresh = false;
	if (current > g->last)
		g->last = current;
	return lost;
}
