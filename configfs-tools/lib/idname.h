/* SPDX-License-Identifier: Apache-2.0 */
/* Names of users and groups: of this machine, or of the recorded one. */
#ifndef WDCTL_IDNAME_H
#define WDCTL_IDNAME_H

#include "root.h"
#include "value.h"

/** idname_source() - look names up for @r, which has to outlive the result. */
struct id_names idname_source(const struct root *r);

#endif
