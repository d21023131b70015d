/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of a thread's own. */
#ifndef WD_THREAD_H
#define WD_THREAD_H

/* A few words, which every thread has from its start: a dlopen()ed library gets them, too. */
#define WD_THREAD_LOCAL		_Thread_local __attribute__((tls_model("initial-exec")))

#endif
