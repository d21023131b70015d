/* SPDX-License-Identifier: Apache-2.0 */
/* The report of --stats. */
#ifndef EMULATE_REPORT_H
#define EMULATE_REPORT_H

/*
 * Makes the counts' file in the folder root, and opens the report, unless it is NULL; "-" is standard error. 0 or
 * -errno, with a message printed.
 */
int report_begin(const char *root, const char *report);
/*
 * Writes the report: a line for each device. 0 or -errno, with a message printed; -EFAULT: a device has left the memory
 * that was mapped for it.
 */
int report_end(void);

#endif
