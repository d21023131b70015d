// SPDX-License-Identifier: Apache-2.0
/* Messages to syslog. The program's own identity there, openlog(), stays as it is. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <syslog.h>
#include <unistd.h>

#include "log.h"
#include "provider.h"

/* A sandbox that refuses to open files may end the process at syslog()'s system calls. */
static bool in_sandbox(void)
{
	int fd = open("/dev/log", O_PATH | O_CLOEXEC);

	if (fd < 0)
		return errno == EACCES || errno == EPERM;
	close(fd);
	return false;
}

void wdp_log(const struct wdp_provider *prov, unsigned int level, const char *format, ...)
{
	char text[512];
	va_list args;

	if (prov->config.log < level || in_sandbox())
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	syslog(LOG_DAEMON | (level == WDP_LOG_ERRORS ? LOG_ERR : LOG_INFO), "warpdrive-provider: %s", text);
}
