// SPDX-License-Identifier: Apache-2.0
/* libwd's view of attributes; its headers and those of wdctl have names in common. */
#include "../../user/libwd/base/netlink.h"
#include "seen.h"

void seen_by_library(const void *attrs, size_t len, const struct nlattr **seen, unsigned int max)
{
	const struct nlattr *a;
	size_t at = 0;

	while ((a = wd_nl_next(attrs, len, &at)))
		if (wd_nl_type(a) && wd_nl_type(a) <= max)
			seen[wd_nl_type(a)] = a;
}
