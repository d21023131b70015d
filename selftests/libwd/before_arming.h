/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets a held device complete a request after the library's last look at the ring, and before the library arms: at a
 * call of libc that it makes in between, and that the test has hooked.
 */
#ifndef BEFORE_ARMING_H
#define BEFORE_ARMING_H

#include <stdatomic.h>
#include <stdbool.h>

#include "emulated.h"
#include "on_device.h"
#include "turn.h"

static atomic_bool at_next_call;

/* The hook calls this. */
static void between_look_and_arming(void)
{
	unsigned long long before;

	if (!atomic_exchange(&at_next_call, false))
		return;
	before = emulated_count(EMULATED_DEVICE, "completions");
	emulated_control(EMULATED_DEVICE, "release");
	while (emulated_count(EMULATED_DEVICE, "completions") == before)
		turn_over();
}

/* After "hold", like the emulator's "release-at". */
static int release_before_arming(void)
{
	atomic_store(&at_next_call, true);
	return 0;
}

#endif
