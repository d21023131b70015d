/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the lost events of a group, from the numbers of the received ones. */
#ifndef WDCTL_GAP_H
#define WDCTL_GAP_H

#include <stdbool.h>
#include <stdint.h>

struct gap {
	bool known;	/* @last is valid */
	bool fresh;	/* no event was received yet: one with a number up to @last is no sign of a loss */
	uint64_t last;
};

/** gap_begin() - begin with @current, the group's number after listening began. */
void gap_begin(struct gap *g, uint64_t current);

/** gap_event() - an event was received. Return: how many before it were lost. */
uint64_t gap_event(struct gap *g, uint64_t seq);

/** gap_settle() - all events up to @current were received or lost. Return: how many were lost. */
uint64_t gap_settle(struct gap *g, uint64_t current);

#endif
