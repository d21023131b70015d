/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver has said of a function in the kernel log: a test of limits needs no clock. */
#ifndef WD_TEST_LOG_COUNT_H
#define WD_TEST_LOG_COUNT_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>

#define LOG_READ_ALL	3
#define LOG_BYTES	(1 << 20)

/* Lines that name the function at @address and contain @words, or -errno. */
static inline int log_count(const char *address, const char *words)
{
	char *log = calloc(1, LOG_BYTES), *line, *next;
	int nr = 0;

	if (!log)
		return -ENOMEM;
	if (klogctl(LOG_READ_ALL, log, LOG_BYTES - 1) < 0)
		nr = -errno;
	for (line = log; nr >= 0 && line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		nr += strstr(line, address) && strstr(line, words);
	}
	free(log);
	return nr;
}

#endif
