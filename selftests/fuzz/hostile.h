/* SPDX-License-Identifier: Apache-2.0 */
/* A process' possible actions on its queues and memory, step by step from an input; the rig plays the rest. */
#ifndef FUZZ_HOSTILE_H
#define FUZZ_HOSTILE_H

#include "feed.h"
#include "rig.h"

/**
 * struct hostile - an engine's part
 * @areas, @nr_areas: where its descriptors point, in user memory
 * @first, @queues: the first of the process' queues, and their number
 * @steps: the maximum, as many as the engine performs in some milliseconds
 * @descriptor: makes a nearly good descriptor
 */
struct hostile {
	const u64 *areas;
	u32 nr_areas;
	u32 first, queues;
	u32 steps;
	void (*descriptor)(struct feed *f, u32 queue, u32 *sqe);
};

/*
 * Runs steps until a byte of 0xff or the input's end; then nothing is held back any more, the process' queues are
 * stopped, and the device is idle.
 */
void hostile_run(struct rig *r, struct feed *f, const struct hostile *h);

#endif
