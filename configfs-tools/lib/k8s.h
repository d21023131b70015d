/* SPDX-License-Identifier: Apache-2.0 */
/* A section for Kubernetes: arguments of a device plugin, and the part of a pod that asks for it. */
#ifndef WDCTL_K8S_H
#define WDCTL_K8S_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "config.h"

/** k8s_name_valid() - can a resource have the name "wd-" and this section's? It ends with a letter or digit. */
bool k8s_name_valid(const char *section);

/**
 * k8s_print() - print YAML documents.
 * @gid: group of the nodes
 * Return: false, and nothing is printed, if none of the section's devices is present.
 */
bool k8s_print(FILE *f, const struct config *kernel, const struct object *section, uint32_t gid);

#endif
