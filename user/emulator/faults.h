/* SPDX-License-Identifier: Apache-2.0 */
/* Faults as text: KIND=WHEN[:VALUE][@QUEUE],... where wdm_fault_parse() reads all that follows KIND. */
#ifndef EMU_FAULTS_H
#define EMU_FAULTS_H

#include "fault.h"

struct emu_faults {
	unsigned int set;	/* bit for each kind that the text names */
	struct wdm_fault_rule rule[WDM_FAULT_NAMED];
};

/* Return: 0, or -EINVAL and the reason in @why. The device may still refuse the queue and the status. */
int emu_faults_parse(struct emu_faults *f, const char *text, char *why, size_t len);

#endif
