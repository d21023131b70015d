/* SPDX-License-Identifier: Apache-2.0 */
/* How many events of a group were lost, from the numbers of those that came. */
#ifndef WDCTL_GAP_H
#define WDCTL_GAP_H

#include <stdbool.h>
#include <stdint.h>

struct gap {
	bool known;	/* of any number */
	bool fresh;	/* no event has come yet: those that came before @last aren't missed */
	uint64_t last;
};

/** gap_begin() - @current is the group's number after listening began. */
void gap_begin(struct gap *g, uint64_t current);

/** gap_event() - one came. Return: how many before it were lost. */
uint64_t gap_event(struct gap *g, uint64_t seq);

/** gap_settle() - all up to @current came or were lost. Return: how many were. */
uint64_t gap_settle(struct gap *g, uint64_t current);

#endif
