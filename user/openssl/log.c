// SPDX-License-Identifier: Apache-2.0
/* Messages to syslog. The program's own identity there, openlog(), stays as it is. */
#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>

#include "log.h"
#include "provider.h"

void wdp_log(const struct wdp_provider *prov, unsigned int level, const char *format, ...)
{
	char text[512];
	va_list args;

	if (prov->config.log < level)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	syslog(LOG_DAEMON | (level == WDP_LOG_ERRORS ? LOG_ERR : LOG_INFO), "warpdrive-provider: %s", text);
}
