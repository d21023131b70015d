/* SPDX-License-Identifier: Apache-2.0 */
/* libwd's view of attributes; its headers and those of wdctl have names in common. */
#ifndef FUZZ_SEEN_H
#define FUZZ_SEEN_H

#include <stddef.h>
#include <linux/netlink.h>

/* The last attribute of each type up to @max. */
void seen_by_library(const void *attrs, size_t len, const struct nlattr **seen, unsigned int max);

#endif
