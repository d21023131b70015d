/* SPDX-License-Identifier: Apache-2.0 */
/* The fixture of tests that need only a SEC device with a queue. */
#ifndef SEC_DEV_H
#define SEC_DEV_H

#include "kselftest_harness.h"
#include "sec_rig.h"

FIXTURE(dev) {
	struct rig r;
};

FIXTURE_SETUP(dev)
{
	sec_rig_init(&self->r);
}

FIXTURE_TEARDOWN(dev)
{
	rig_free(&self->r);
}

#endif
