/* SPDX-License-Identifier: Apache-2.0 */
/* The privileges of this process. */
#ifndef WDCTL_PRIVILEGE_H
#define WDCTL_PRIVILEGE_H

#include <stdbool.h>

/** privilege_admin() - whether the process has CAP_SYS_ADMIN in the initial user namespace, as the kernel requires. */
bool privilege_admin(void);

#endif
