/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration a kernel was built with, from wherever a machine keeps it. */
#ifndef WDCTL_KCONFIG_H
#define WDCTL_KCONFIG_H

#include "root.h"

struct kconfig {
	char *text;
	char source[ROOT_PATH_MAX];
};

/** kconfig_open() - read it. Return: 0, -ENOENT when the machine keeps none, or -errno. */
int kconfig_open(struct kconfig *k, const struct root *r);
void kconfig_close(struct kconfig *k);

/** kconfig_get() - 'y', 'm', or 'n' also for an option the kernel doesn't know. */
char kconfig_get(const struct kconfig *k, const char *option);

#endif
