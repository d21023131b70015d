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
 *
 * While the process has an open context it is false, without a call: contexts must be closed before a sandbox begins.
 */
bool wd_sandbox(void);

/* n more open contexts, or fewer. */
void wd_sandbox_context(int n);
/* A fork's child has none. */
void wd_sandbox_no_context(void);

#endif
