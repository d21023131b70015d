/* SPDX-License-Identifier: Apache-2.0 */
/* Whether this process is inside a container, which has the host's kernel but not its files. */
#ifndef WDCTL_CONTAINER_H
#define WDCTL_CONTAINER_H

#include "root.h"

bool container_inside(const struct root *r);

#endif
