/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of devices and sections, as text for Prometheus. */
#ifndef WDCTL_METRICS_H
#define WDCTL_METRICS_H

#include <stdio.h>

#include "facts.h"

enum metrics_format {
	METRICS_TEXT,		/* Prometheus' text format 0.0.4 */
	METRICS_OPEN,		/* OpenMetrics 1.0 */
};

/**
 * struct metrics - what the kernel reports.
 * @up: false: there is no family, so there are no devices and sections either
 */
struct metrics {
	bool up;
	struct fact_devices devices;
	struct fact_sections sections;
};

/** metrics_read() - ask the kernel. Return: 0; -EINTR: the lists changed while they were read; other -errno. */
int metrics_read(struct wd_nl *family, struct metrics *m);
void metrics_free(struct metrics *m);
void metrics_print(FILE *f, const struct metrics *m, enum metrics_format format);
/** metrics_type() - the value of the header Content-Type. */
const char *metrics_type(enum metrics_format format);

#endif
