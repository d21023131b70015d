/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that a machine loses when this project's modules take the place of its kernel's own. */
#ifndef WDCTL_DISPLACED_H
#define WDCTL_DISPLACED_H

#include "module.h"
#include "root.h"

struct displaced {
	unsigned int algorithms;	/* that the kernel's own drivers offer to its crypto now */
	unsigned int used;		/* of these, those that somebody uses */
	char names[256];		/* of the used ones, as many as fit */
	bool vfio;			/* the driver that gives functions to guests that migrate is installed */
};

void displaced_read(struct displaced *d, const struct root *r, struct module_db *db);
/** displaced_crypto() - a sentence without its full stop about the kernel's crypto. Return: false: nothing is lost. */
bool displaced_crypto(const struct displaced *d, char *text, size_t len);

extern const char displaced_vfio_text[];

#endif
