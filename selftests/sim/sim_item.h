/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated devices through configfs for tests: calls that write or read return 0 or a length, or -errno. */
#ifndef WD_TEST_SIM_ITEM_H
#define WD_TEST_SIM_ITEM_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "text_file.h"

#define SIM_ROOT	"/sys/kernel/config/hisi_sim"
#define SIM_PCI		"/sys/bus/pci/devices"

static inline int sim_mkdir(const char *name)
{
	char path[160];

	snprintf(path, sizeof(path), SIM_ROOT "/%s", name);
	return mkdir(path, 0755) ? -errno : 0;
}

static inline int sim_rmdir(const char *name)
{
	char path[160];

	snprintf(path, sizeof(path), SIM_ROOT "/%s", name);
	return rmdir(path) ? -errno : 0;
}

static inline int sim_set(const char *name, const char *attr, const char *text)
{
	char path[160];

	snprintf(path, sizeof(path), SIM_ROOT "/%s/%s", name, attr);
	return text_write(path, text);
}

static inline int sim_get(const char *name, const char *attr, char *buf, size_t size)
{
	char path[160];

	snprintf(path, sizeof(path), SIM_ROOT "/%s/%s", name, attr);
	return text_read(path, buf, size);
}

/* Does the attribute read as @text? */
static inline int sim_is(const char *name, const char *attr, const char *text)
{
	char buf[256];

	return sim_get(name, attr, buf, sizeof(buf)) >= 0 && !strcmp(buf, text);
}

static inline int sim_exists(const char *path)
{
	return !access(path, F_OK);
}

#endif
