/* SPDX-License-Identifier: Apache-2.0 */
/* Why a device can't share a process' address space. */
#ifndef WDCTL_HEALTH_SVA_H
#define WDCTL_HEALTH_SVA_H

#include "health.h"

struct sva_cause {
	const char *why;	/* the end of a sentence */
	const char *remedy;
};

/* For a PCI function of an accelerator without shared virtual addressing. */
const struct sva_cause *sva_cause(const struct health_input *in, const char *function);

#endif
