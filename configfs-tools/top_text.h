/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of wdctl top. */
#ifndef WDCTL_TOP_TEXT_H
#define WDCTL_TOP_TEXT_H

#include <stdio.h>

#include "lib/facts.h"

enum top_sort {
	TOP_BY_DEVICE,
	TOP_BY_SECTION,
	TOP_BY_PID,
	TOP_BY_AGE,	/* the youngest first */
};

/* Of one moment, or nearly: the three lists are asked for one after the other. */
struct top_picture {
	struct fact_devices devices;
	struct fact_sections sections;
	struct fact_ctxs ctxs;
	bool all_users;		/* the contexts are those of all users */
};

struct top_shape {
	int columns, rows;	/* rows 0: as many as there are */
	enum top_sort sort;
	bool bold;		/* heads, with a terminal's sequences */
};

void top_sort_ctxs(struct fact_ctxs *l, enum top_sort sort);

/** top_bar() - @width characters of what a device's contexts are: used, reserved but idle, free, quarantined. */
void top_bar(char *buf, size_t width, const struct fact_device *d);

/** top_print() - as much as fits, no line longer than the screen; the last one says how much didn't. */
void top_print(FILE *f, struct top_picture *p, const struct top_shape *shape);

#endif
