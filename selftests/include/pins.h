/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that are pinned for devices, as the kernel counts them. */
#ifndef WD_TEST_PINS_H
#define WD_TEST_PINS_H

#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "text_file.h"
#include "uacce_sys.h"

static inline long vmstat(const char *name)
{
	static char text[16384];
	char *at;

	if (text_read("/proc/vmstat", text, sizeof(text)) < 0)
		return -1;
	at = strstr(text, name);
	return at ? strtol(at + strlen(name), NULL, 10) : -1;
}

/* Pages that were ever pinned for devices. The counts of all CPUs are added up before. */
static inline long pins_made(void)
{
	text_write("/proc/sys/vm/stat_refresh", "1");
	return vmstat("nr_foll_pin_acquired ");
}

static inline long pins_now(void)
{
	return pins_made() - vmstat("nr_foll_pin_released ");
}

/* Queues of a process that was killed end a little later, and a work item gives back pages that were cleaned. */
static inline bool back_to(long (*now)(void), long then)
{
	long long deadline = now_ms() + 20000;

	while (now() != then && now_ms() < deadline)
		poll(NULL, 0, 50);
	return now() == then;
}

#endif
