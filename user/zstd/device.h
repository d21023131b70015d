/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, by way of libwd_comp, which is opened when the first frame is for one; private. */
#ifndef WDS_DEVICE_H
#define WDS_DEVICE_H

#include <stdbool.h>

#include "real.h"

/* Whether a device may find matches now. */
bool wds_device_ready(void);
/* ZSTD_sequenceProducer_F. */
size_t wds_device_find(void *state, ZSTD_Sequence *out, size_t room, const void *src, size_t n, const void *dict,
		       size_t dict_n, int level, size_t window);

#endif
