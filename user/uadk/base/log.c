// SPDX-License-Identifier: Apache-2.0
/* Messages to syslog. The program's own identity there, openlog(), stays as it is. */
#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>

#include "log.h"

void uadk_log(const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	syslog(LOG_USER | LOG_ERR, "warpdrive-uadk: %s", text);
}

void uadk_refuse(const char *function, atomic_flag *said)
{
	if (!atomic_flag_test_and_set_explicit(said, memory_order_relaxed))
		uadk_log("%s(): not supported", function);
}
