// SPDX-License-Identifier: Apache-2.0
/* Whether this process is inside a container, which has the host's kernel but not its files. */
#include <string.h>

#include "container.h"

/*
 * The kernel has these numbers for its first namespaces, in which all begins that isn't in a container; others have
 * larger ones.
 */
#define INITIAL_PID_NS "pid:[4026531836]"
#define INITIAL_UTS_NS "uts:[4026531838]"

static bool namespace_read(const struct root *r, const char *path, char ns[64])
{
	return !root_link_name(r, ns, 64, "%s", path);
}

/* An image of a container may have become the disk of a machine, with these files. */
static bool has_marks(const struct root *r)
{
	return root_exists(r, "/run/.containerenv") || root_exists(r, "/.dockerenv") ||
	       root_exists(r, "/run/systemd/container");
}

bool container_inside(const struct root *r)
{
	char ns[64];

	if (namespace_read(r, "/proc/self/ns/pid", ns) && strcmp(ns, INITIAL_PID_NS))
		return true;
	/* A container that shares the host's processes still has a name of its own. */
	return has_marks(r) && (!namespace_read(r, "/proc/self/ns/uts", ns) || strcmp(ns, INITIAL_UTS_NS));
}
