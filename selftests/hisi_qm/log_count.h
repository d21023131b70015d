/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver has said of a function in the kernel log: a test of limits needs no clock. */
#ifndef WD_TEST_LOG_COUNT_H
#define WD_TEST_LOG_COUNT_H

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include "text_file.h"

#define LOG_READ_ALL	3
#define LOG_BYTES	(1 << 20)

/* The whole log, for free(); NULL with errno. */
static inline char *log_text(void)
{
	char *log = calloc(1, LOG_BYTES);

	if (log && klogctl(LOG_READ_ALL, log, LOG_BYTES - 1) < 0) {
		free(log);
		log = NULL;
	}
	return log;
}

/* Lines that name the function at @address and contain @words, or -errno. */
static inline int log_count(const char *address, const char *words)
{
	char *log = log_text(), *line, *next;
	int nr = 0;

	if (!log)
		return -errno;
	for (line = log; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		nr += strstr(line, address) && strstr(line, words);
	}
	free(log);
	return nr;
}

/* A word of a queue's context "SQC" or "CQC" as the device has it, or -errno: debugfs prints them into the log. */
static inline long context_word(const char *address, const char *context, int id, int word)
{
	char path[128], command[16], text[128], *log, *at, *last = NULL;
	int ret;

	snprintf(path, sizeof(path), "/sys/kernel/debug/hisi_zip/%s/qm/cmd", address);
	snprintf(command, sizeof(command), "%s %d", context, id);
	for (at = command; *at; at++)
		*at = (char)tolower(*at);
	ret = text_write(path, command);
	if (ret)
		return ret;
	log = log_text();
	if (!log)
		return -errno;
	ret = snprintf(text, sizeof(text), "%s: %s DW%d = ", address, context, word);
	for (at = log; (at = strstr(at, text)); at++)
		last = at;
	word = last ? (int)strtoul(last + ret, NULL, 16) : 0;
	free(log);
	return last ? (long)(unsigned int)word : -ENOENT;
}

#endif
