/* SPDX-License-Identifier: Apache-2.0 */
/* Faults in words: KIND=WHEN[:VALUE][@QUEUE],... with WHEN = N, the next N times, or 1/N, once in N on average. */
#ifndef EMU_FAULTS_H
#define EMU_FAULTS_H

#include "fault.h"

struct emu_faults {
	unsigned int set;	/* bits by kind: named in the text */
	struct wdm_fault_rule rule[WDM_FAULT_NAMED];
};

/* 0, or -EINVAL and what is wrong in @why. Doesn't know the device: queue and status may still be refused by it. */
int emu_faults_parse(struct emu_faults *f, const char *text, char *why, size_t len);

#endif
