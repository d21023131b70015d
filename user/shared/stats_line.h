/* SPDX-License-Identifier: Apache-2.0 */
/* A line of counts that a preloaded library appends to a file when its process exits. */
#ifndef STATS_LINE_H
#define STATS_LINE_H

#include <stddef.h>

/* The program's name as it was at its start, without spaces. */
const char *stats_program(void);
/* Appends quietly: neither a full disk nor a FIFO without a reader is the program's matter. */
void stats_line_append(const char *file, const char *line, size_t len);

#endif
