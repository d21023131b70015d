/* SPDX-License-Identifier: Apache-2.0 */
/* An ioctl() for the whole process, libraries included, that calls a function of the test first. */
#ifndef HOOKED_IOCTL_H
#define HOOKED_IOCTL_H

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/ioctl.h>

/* The test's. Returns 0, or the errno with which the call fails. */
static int before_ioctl(int fd, unsigned long cmd);

#ifdef HOOKED_IOCTL_AFTER
/* The test's. Called after each call that was made. */
static void after_ioctl(unsigned long cmd, int ret);
#else
#define after_ioctl(cmd, ret)	((void)(ret))
#endif

int ioctl(int fd, unsigned long cmd, ...)
{
	union { void *p; __typeof__(&ioctl) f; } u = { .p = dlsym(RTLD_NEXT, "ioctl") };
	va_list args;
	void *arg;
	int err, ret;

	va_start(args, cmd);
	arg = va_arg(args, void *);
	va_end(args);
	err = before_ioctl(fd, cmd);
	if (!err) {
		ret = u.f(fd, cmd, arg);
		after_ioctl(cmd, ret);
		return ret;
	}
	errno = err;
	return -1;
}

#endif
