/* SPDX-License-Identifier: Apache-2.0 */
/* One operation on a device, and what follows from its failure. */
#ifndef WDP_DEVICE_H
#define WDP_DEVICE_H

#include "class.h"
#include "core/provider.h"
#include "session.h"

enum wdp_outcome {
	WDP_ERROR = 0,		/* the operation fails; libcrypto's queue says why. Its functions return this value */
	WDP_DONE = 1,
	WDP_TO_DEFAULT,		/* the default provider has to do it */
};

/* wdp_device_may() - whether wdp_device_do() would ask a device: to be called before operands are made for it. */
bool wdp_device_may(const struct wdp_target *to);

/* wdp_device_do() - let a device do it; *path is what did it. */
enum wdp_outcome wdp_device_do(const struct wdp_target *to, const struct wdp_call *call, unsigned int *path);

/*
 * wdp_device_verify() - the same for a verdict on a signature: *bad if a device finds it wrong; the default provider
 * has the last word.
 */
enum wdp_outcome wdp_device_verify(const struct wdp_target *to, const struct wdp_call *call, unsigned int *path,
				   bool *bad);

/* wdp_device_right() - a result has been checked. Those that nobody checks say nothing about wrong ones before them. */
void wdp_device_right(struct wdp_provider *prov);

/* wdp_device_wrong() - a result turned out to be wrong after all; returns as wdp_device_do(). */
enum wdp_outcome wdp_device_wrong(struct wdp_provider *prov, const char *what, const char *why);

/* wdp_device_was_wrong() - the same if the default provider has done it already. */
void wdp_device_was_wrong(struct wdp_provider *prov, const char *what, const char *why);

#endif
