/* SPDX-License-Identifier: Apache-2.0 */
/* A device with a queue, and a request for it. */
#ifndef MODEL_QUEUE_DEV_H
#define MODEL_QUEUE_DEV_H

#include "kselftest_harness.h"
#include "rig.h"

FIXTURE(dev) {
	struct rig r;
	struct zip_sqe sqe;
};

FIXTURE_SETUP(dev)
{
	rig_init(&self->r, NULL);
	rig_sqe(&self->sqe, ZIP_REQ_ZLIB, RIG_USER_BASE, 64, RIG_USER_BASE + 4096, 4096);
	self->sqe.tag_l = 1;
	ASSERT_EQ(0, rig_queue_start(&self->r, 0, NULL));
}

FIXTURE_TEARDOWN(dev)
{
	rig_free(&self->r);
}

/* Submits one request with its own tag and takes the completion. */
static inline bool one(struct rig *r, u32 q, const struct zip_sqe *sqe, u32 tag)
{
	struct zip_sqe copy = *sqe;

	copy.tag_l = tag;
	return rig_do(r, q, &copy) && copy.tag_l == tag && !(copy.dw3 & ZIP_DW3_STATUS_MASK);
}

#endif
