/* SPDX-License-Identifier: Apache-2.0 */
/* Why this kernel refuses a module that is installed. */
#ifndef WDCTL_REFUSAL_H
#define WDCTL_REFUSAL_H

#include "kconfig.h"
#include "module.h"
#include "root.h"

struct refusal {
	char why[320];
	char remedy[320];
	bool command;		/* the remedy is a command; else a sentence */
};

/**
 * refusal_enforcement() - what makes this kernel load signed modules only.
 * @k: its configuration, or NULL.
 * Return: true, with the reason in @why.
 */
bool refusal_enforcement(const struct root *r, const struct kconfig *k, char *why, size_t len);

/**
 * refusal_find() - the first reason why the kernel or modprobe refuses the installed module.
 * Return: false if none is known.
 */
bool refusal_find(const struct root *r, const struct kconfig *k, struct module_db *db, const struct module *m,
		  struct refusal *refusal);

#endif
