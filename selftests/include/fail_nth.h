/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the n-th allocation (or copy from user space) of this thread fail, on
 * kernels with fault injection: for sweeps over n = 1, 2, ... until a run
 * without a failure.
 */
#ifndef WD_TEST_FAIL_NTH_H
#define WD_TEST_FAIL_NTH_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "text_file.h"

#define FAIL_NTH_FILE	"/proc/thread-self/fail-nth"
#define FAIL_NTH_KNOBS	"/sys/kernel/debug/"

static inline int fail_nth_knob(const char *knob, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), FAIL_NTH_KNOBS "%s", knob);
	return text_write(path, text);
}

/* NULL when all kinds of allocations can be made to fail, quietly; else the reason why not. */
static inline const char *fail_nth_missing(void)
{
	if (access(FAIL_NTH_FILE, W_OK))
		return "the kernel has no fault injection (CONFIG_FAULT_INJECTION)";
	if (fail_nth_knob("failslab/ignore-gfp-wait", "N"))
		return "no failslab in debugfs";
	fail_nth_knob("failslab/verbose", "0");
	fail_nth_knob("failslab/cache-filter", "N");
	fail_nth_knob("fail_page_alloc/ignore-gfp-wait", "N");
	fail_nth_knob("fail_page_alloc/ignore-gfp-highmem", "N");
	fail_nth_knob("fail_page_alloc/min-order", "0");
	fail_nth_knob("fail_page_alloc/verbose", "0");
	fail_nth_knob("fail_usercopy/verbose", "0");
	return NULL;
}

/* To be opened before the sweep, by the thread that sweeps: the file belongs to that thread. */
static inline int fail_nth_fd(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = open(FAIL_NTH_FILE, O_RDWR | O_CLOEXEC);
	return fd;
}

/* Counts from the next system call on; 0 ends it. Writes again if the failure hit this write's own copy. */
static inline void fail_nth_set(unsigned int n)
{
	char buf[16];
	int len = snprintf(buf, sizeof(buf), "%u", n);
	ssize_t ret;

	do
		ret = pwrite(fail_nth_fd(), buf, len, 0);
	while (ret < 0 && errno == EFAULT);
	if (ret != len)
		abort();
}

/* Ends the injection; true if the failure has happened before this read. */
static inline int fail_nth_happened(void)
{
	char buf[16] = {};
	ssize_t ret = pread(fail_nth_fd(), buf, sizeof(buf) - 1, 0);

	fail_nth_set(0);
	return ret > 0 && atoi(buf) == 0;
}

#endif
