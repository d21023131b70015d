/* SPDX-License-Identifier: Apache-2.0 */
/* What a process may do to its queues and memory, step by step out of an input; the rig plays the rest. */
#ifndef FUZZ_HOSTILE_H
#define FUZZ_HOSTILE_H

#include "feed.h"
#include "rig.h"

/**
 * struct hostile - an engine's part
 * @areas, @nr_areas: where its descriptors point to, in user memory
 * @first, @queues: those that are the process'
 * @steps: at most, as many as the engine does in some milliseconds
 * @descriptor: nearly a good one
 */
struct hostile {
	const u64 *areas;
	u32 nr_areas;
	u32 first, queues;
	u32 steps;
	void (*descriptor)(struct feed *f, u32 queue, u32 *sqe);
};

/*
 * Steps up to a byte of 0xff, or the input's end; then nothing is held back any more, the process' queues are stopped,
 * and the device is idle.
 */
void hostile_run(struct rig *r, struct feed *f, const struct hostile *h);

#endif
