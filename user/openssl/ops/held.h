/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message that came in one update, kept until the program wants its digest: then it is all of the message, and a
 * device's. If the program goes on otherwise, the default provider gets it first.
 */
#ifndef WDP_HELD_H
#define WDP_HELD_H

#include "core/provider.h"

struct wdp_held {
	unsigned char *data;		/* NULL: nothing */
	size_t len;
	bool ended;			/* a device has computed its digest */
};

/* wdp_held_take() - keep a copy of an update, the first of a message; false: the default provider is to have it. */
bool wdp_held_take(struct wdp_held *held, const struct wdp_provider *prov, const unsigned char *in, size_t len);
void wdp_held_drop(struct wdp_held *held);

#endif
