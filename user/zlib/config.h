/* SPDX-License-Identifier: Apache-2.0 */
/* The environment's settings. */
#ifndef WDZ_CONFIG_H
#define WDZ_CONFIG_H

#include "zlib_settings.h"

/** wdz_config() - what this process' environment said at its first stream. */
const struct wdz_config *wdz_config(void);

#endif
