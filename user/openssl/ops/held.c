// SPDX-License-Identifier: Apache-2.0
/* Messages that are kept until their end. */
#include <string.h>
#include <openssl/crypto.h>

#include "held.h"

#define HELD_MAX	(16u << 20)

bool wdp_held_take(struct wdp_held *held, const struct wdp_provider *prov, const unsigned char *in, size_t len)
{
	if (len < prov->config.min_bytes || len > HELD_MAX)
		return false;
	held->data = OPENSSL_malloc(len);
	if (!held->data)
		return false;
	memcpy(held->data, in, len);
	held->len = len;
	held->ended = false;
	return true;
}

void wdp_held_drop(struct wdp_held *held)
{
	OPENSSL_clear_free(held->data, held->len);
	memset(held, 0, sizeof(*held));
}
