/* SPDX-License-Identifier: Apache-2.0 */
/* What the environment says about frames; private. */
#ifndef WDS_CONFIG_H
#define WDS_CONFIG_H

#include "zlib_settings.h"

/* Of its members off, the levels and min. */
const struct wdz_config *wds_config(void);

#endif
