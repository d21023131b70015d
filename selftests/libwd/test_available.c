// SPDX-License-Identifier: Apache-2.0
/* The number of queues that a process can still open, as the emulator reports it. */
#define SECTIONED_FILE "[ROOM]\nDevices = hisi_zip-0\nSyncCtxs = 1\nAsyncCtxs = 1\nMaxExtraCtxs = 2\n"
#include <dlfcn.h>
#include <errno.h>
#include <wd_user.h>
#include "available.h"
#include "control.h"
#include "sectioned.h"

static int control(const char *command)
{
	union { void *p; __typeof__(&wd_emulate_section) f; } u = { .p = dlsym(RTLD_DEFAULT, "wd_emulate_section") };

	return u.p ? u.f(SECTION, command) : -ENOSYS;
}

long available_begin(void)
{
	int ret = control("live");

	return ret ? ret : 64;
}

void available_drain(void)
{
	control("drain");
}

void available_end(void)
{
	wd_user_stop();
}

void available_prepare(char **argv)
{
	sectioned(argv);
}
