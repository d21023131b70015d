/* SPDX-License-Identifier: Apache-2.0 */
/* The build ID that the linker puts into each module: it distinguishes two builds of one version. */
#ifndef WDCTL_BUILDID_H
#define WDCTL_BUILDID_H

#include <stdbool.h>
#include <stddef.h>

#include "root.h"

#define BUILDID_MAX 128

struct buildid {
	size_t bytes;		/* 0: not known */
	unsigned char note[BUILDID_MAX];
};

/* Both leave bytes 0 if there is no build ID, or the file is compressed. */
void buildid_of_file(struct buildid *id, const char *path);
void buildid_of_loaded(struct buildid *id, const struct root *r, const char *module);
/* Returns false also if either is unknown. */
bool buildid_differ(const struct buildid *a, const struct buildid *b);

#endif
