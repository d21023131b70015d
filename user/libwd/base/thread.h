/* SPDX-License-Identifier: Apache-2.0 */
/* Thread-local variables. */
#ifndef WD_THREAD_H
#define WD_THREAD_H

/* For a few words, which fit into the memory that every thread has from its start, also in a dlopen()ed library. */
#define WD_THREAD_LOCAL		_Thread_local __attribute__((tls_model("initial-exec")))

#endif
