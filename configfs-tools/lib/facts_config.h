/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's sections as it reports them by netlink, for where configfs isn't mounted: in containers. */
#ifndef WDCTL_FACTS_CONFIG_H
#define WDCTL_FACTS_CONFIG_H

#include "config.h"
#include "facts.h"

/** facts_config() - sections as tree_read() has them. Return: 0 or -ENOMEM. */
int facts_config(const struct fact_sections *facts, struct config *c);

#endif
