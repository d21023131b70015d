/* SPDX-License-Identifier: Apache-2.0 */
/* Whether this process is in a sandbox that refuses to open files. */
#ifndef WD_SANDBOX_H
#define WD_SANDBOX_H

#include <stdbool.h>

/*
 * Asks the kernel with a call that sandboxes refuse without ending the process. Once it is refused, the answer is true
 * for good, and no call is made any more.
 *
 * The caller then makes no other system call, because the next one may end the process: there are no devices, and
 * memory counts as accessible. Neither changes errno nor is a cancellation point.
 */
bool wd_sandbox(void);

#endif
