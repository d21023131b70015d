/* SPDX-License-Identifier: Apache-2.0 */
/* Messages to syslog. */
#ifndef WDP_LOG_H
#define WDP_LOG_H

struct wdp_provider;

/* level: WDP_LOG_ERRORS or WDP_LOG_ALL; nothing is written if the configuration has less. */
void wdp_log(const struct wdp_provider *prov, unsigned int level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
