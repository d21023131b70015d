/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, by way of libwd_comp, which is opened when the first frame is for one; private. */
#ifndef WDS_DEVICE_H
#define WDS_DEVICE_H

#include <stdbool.h>

#include "real.h"

/* Whether a device may find matches now. */
bool wds_device_ready(void);
/* A sequence producer: ZSTD_sequenceProducer_F is the type of such a function, and since zstd 1.5.6 of a pointer. */
size_t wds_device_find(void *state, ZSTD_Sequence *out, size_t room, const void *src, size_t n, const void *dict,
		       size_t dict_n, int level, size_t window);
typedef __typeof__(&wds_device_find) wds_producer_t;

#endif
