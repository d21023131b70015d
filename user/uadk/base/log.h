/* SPDX-License-Identifier: Apache-2.0 */
/* Messages to syslog, and functions that are only there to be refused. */
#ifndef UADK_LOG_H
#define UADK_LOG_H

#include <stdatomic.h>

void uadk_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes one line, the first time that *@said is seen. */
void uadk_refuse(const char *function, atomic_flag *said);

/* For a function that this library lacks: one line in a process' life. */
#define UADK_REFUSE() do { \
	static atomic_flag said_ = ATOMIC_FLAG_INIT; \
	uadk_refuse(__func__, &said_); \
} while (0)

#endif
