/* SPDX-License-Identifier: Apache-2.0 */
/* The administrator's configuration: the provider's section of the configuration file, and the environment. */
#ifndef WDP_CONFIG_H
#define WDP_CONFIG_H

#include <stdbool.h>
#include "core.h"
#include "openssl_algs.h"

enum wdp_devices { WDP_DEVICES_AUTO, WDP_DEVICES_REQUIRE, WDP_DEVICES_LATER };
enum wdp_check { WDP_CHECK_YES, WDP_CHECK_ALL };
enum wdp_log { WDP_LOG_OFF, WDP_LOG_ERRORS, WDP_LOG_ALL };

struct wdp_config {
	struct wdp_choice algorithms;
	unsigned int devices;		/* enum wdp_devices */
	unsigned int timeout_ms;
	unsigned int min_bytes;		/* smaller requests of ciphers and digests are the default provider's */
	unsigned int fallback;		/* 1: yes */
	unsigned int check;		/* enum wdp_check */
	unsigned int log;		/* enum wdp_log */
	char section[32];		/* "": libwd decides, by WD_SECTION */
	char pollers[64];		/* for wd_start_pollers() */
};

#define WDP_WHY_MAX	256

/* wdp_config_read() - false, with the words for it in why, if a value can't be. */
bool wdp_config_read(struct wdp_config *config, const struct wdp_core *core, char why[WDP_WHY_MAX]);

#endif
