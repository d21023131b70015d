/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Skips a whole program, with exit status 4 and the reason, if this machine lacks something that all its tests need.
 * Define before including it:
 *
 *	NEED_DEVICES	the number of devices
 *	NEED_DRIVER	whose devices; "hisi_zip" by default
 *	NEED_ROOT	0 if access to the device nodes suffices; 1 by default
 *	NEED_NUMBERS	1 if the devices must be number 0, 1, ...
 *	NEED_SECTIONS	{ the sections that the tests make }: there may be no others
 *	NEED_SIM	why all devices of the driver have to be simulated, if they do
 *	NEED_AWAY	1 if the tests take real devices away from their users, which the administrator has to allow
 */
#ifndef WD_TEST_NEED_MACHINE_H
#define WD_TEST_NEED_MACHINE_H

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "uacce_sys.h"

#ifndef NEED_DRIVER
#define NEED_DRIVER	"hisi_zip"
#endif
#ifndef NEED_ROOT
#define NEED_ROOT	1
#endif
#ifndef NEED_NUMBERS
#define NEED_NUMBERS	0
#endif
#ifndef NEED_SIM
#define NEED_SIM	NULL
#endif
#ifndef NEED_AWAY
#define NEED_AWAY	0
#endif

#define NEED_EXIT	4	/* KSFT_SKIP */

static void __attribute__((noreturn, format(printf, 1, 2))) need_skip(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("TAP version 13\n1..0 # SKIP ");
	vprintf(format, args);
	printf("\n");
	va_end(args);
	exit(NEED_EXIT);
}

static void need_access(const char *name)
{
	char path[UACCE_NAME_MAX + 8];

	snprintf(path, sizeof(path), "/dev/%s", name);
	if (NEED_ROOT && geteuid())
		need_skip("root is needed, not just a device");
	if (access(path, R_OK | W_OK))
		need_skip("no access to the device %s: %s", path, strerror(errno));
}

/* Queues of other programs would make all counts wrong, and those programs would lose them. */
static void need_idle(const char *name)
{
	char path[128], used[32];

	snprintf(path, sizeof(path), "/sys/kernel/config/uacce/devices/%s/used_ctxs", name);
	if (text_read(path, used, sizeof(used)) > 0 && atol(used))
		need_skip("the device %s is in use, %ld contexts: end its users ('wdctl ctx' lists them)", name,
			  atol(used));
}

#ifdef NEED_SECTIONS
static void need_no_sections(void)
{
	static const char *const own[] = NEED_SECTIONS;
	DIR *dir = opendir("/sys/kernel/config/uacce/sections");
	struct dirent *entry;
	size_t i;

	while (dir && (entry = readdir(dir))) {
		for (i = 0; i < sizeof(own) / sizeof(own[0]) && strcmp(own[i], entry->d_name); i++)
			;
		if (entry->d_name[0] != '.' && i == sizeof(own) / sizeof(own[0]))
			need_skip("the devices have contexts in the section %s, and the tests count them all: "
				  "remove it",
				  entry->d_name);
	}
	if (dir)
		closedir(dir);
}
#else
static void need_no_sections(void)
{
}
#endif

static void need_real(const char *name)
{
	const char *simulated = NEED_SIM, *away = getenv("WD_TEST_AWAY");

	if (simulated)
		need_skip("the device %s is not simulated, and %s", name, simulated);
	if (NEED_AWAY && (!away || strcmp(away, "1")))
		need_skip("the device %s is not simulated, and would be taken from its users: set WD_TEST_AWAY=1"
			  " to allow that", name);
	need_idle(name);
}

/* Runs before the harness prints anything. */
static void __attribute__((constructor)) need_devices(void)
{
	char name[UACCE_NAME_MAX], wanted[UACCE_NAME_MAX];
	unsigned int n;

	if (!uacce_find(NEED_DRIVER, NEED_DEVICES - 1, name))
		need_skip("%d " NEED_DRIVER " device%s needed", NEED_DEVICES, NEED_DEVICES > 1 ? "s" : "");
	for (n = 0; uacce_find(NEED_DRIVER, n, name); n++) {
		snprintf(wanted, sizeof(wanted), NEED_DRIVER "-%u", n);
		if (NEED_NUMBERS && n < NEED_DEVICES && strcmp(name, wanted))
			need_skip("device %u is called %s, expected %s: load " NEED_DRIVER " anew", n, name, wanted);
		if (n < NEED_DEVICES)
			need_access(name);
		if (uacce_attr_num(name, "simulated") != 1)
			need_real(name);
	}
	need_no_sections();
}

#endif
