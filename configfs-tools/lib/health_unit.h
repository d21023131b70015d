/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about a unit of systemd: what keeps accelerators from it. */
#ifndef WDCTL_HEALTH_UNIT_H
#define WDCTL_HEALTH_UNIT_H

#include "config.h"
#include "health.h"
#include "unit.h"

/**
 * health_check_unit() - by its properties, and by the processes that it has.
 * @kernel: the sections; NULL: this kernel has none
 */
void health_check_unit(struct health *h, const char *name, const struct unit *u, const struct device_list *devices,
		       const struct config *kernel);

#endif
