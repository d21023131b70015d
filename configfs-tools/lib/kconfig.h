/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration that a kernel was built with, from any of the usual files. */
#ifndef WDCTL_KCONFIG_H
#define WDCTL_KCONFIG_H

#include "root.h"

struct kconfig {
	char *text;
	char source[ROOT_PATH_MAX];
};

/** kconfig_open() - read the configuration. Return: 0, -ENOENT if the machine has none, or -errno. */
int kconfig_open(struct kconfig *k, const struct root *r);
void kconfig_close(struct kconfig *k);

/** kconfig_get() - Return: 'y', 'm', or 'n', the latter also for an option that the kernel doesn't know. */
char kconfig_get(const struct kconfig *k, const char *option);

#endif
