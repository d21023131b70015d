/* SPDX-License-Identifier: Apache-2.0 */
/* One loaded provider. A process may have several, one for each library context that loads it. */
#ifndef WDP_PROVIDER_H
#define WDP_PROVIDER_H

#include <stdatomic.h>
#include <stdint.h>
#include <openssl/core.h>
#include <openssl/core_dispatch.h>

#include "cipher_rows.h"
#include "config.h"
#include "core.h"
#include "default_provider.h"
#include "digest_rows.h"
#include "handles.h"

/* Curves and named groups of DH that have a session for all keys: key/curve.c, key/dh.c. */
#define WDP_CURVES	15
#define WDP_GROUPS	9

/* A row of a dispatch table. */
#define WDP_FUNCTION(id, function)	{ id, (void (*)(void))(function) }

/* In the order of the provider's parameters. */
enum wdp_count {
	WDP_COUNT_HW,		/* operations that a device did */
	WDP_COUNT_SIM,		/* a simulated device */
	WDP_COUNT_SOFT,		/* the default provider, of those that use a private key or make one, or that devices
				 * take by key or size */
	WDP_COUNT_FALLBACKS,	/* the default provider, after a device has failed */
	WDP_COUNT_BAD,		/* wrong results of devices */
	WDP_COUNTS,
};

/* Types of keys, and the program's lists of their parameters. */
enum wdp_family_id {
	WDP_FAM_RSA, WDP_FAM_RSA_PSS, WDP_FAM_EC, WDP_FAM_X25519, WDP_FAM_X448, WDP_FAM_DH, WDP_FAM_DHX, WDP_FAM_SM2,
	WDP_FAMILIES
};

struct wdp_key_lists {
	const OSSL_PARAM *gettable, *settable, *gen_settable;
};

struct wdp_provider {
	struct wdp_config config;
	struct wdp_core core;
	struct wdp_default_provider default_provider;
	struct wdp_key_lists key_lists[WDP_FAMILIES];
	unsigned int algs;		/* WDP_BIT() of those that devices are given; 0: nothing is offered */
	struct wdp_cipher ciphers[WDP_CIPHERS];
	struct wdp_digest digests[WDP_DIGESTS];
	EVP_MAC *hmac;			/* the default provider's */
	OSSL_PARAM *hmac_gettable;	/* its contexts', and "warpdrive-path" */
	OSSL_ALGORITHM *offers[OSSL_OP__HIGHEST + 1];	/* by operation; NULL: none */
	_Atomic uint64_t counts[WDP_COUNTS];
	_Atomic unsigned int wrong_in_a_row;
	_Atomic int64_t rests_until;	/* wdp_seconds(): no device is asked before */
	_Atomic unsigned int failed_in_a_row;
	_Atomic int64_t failed_until;	/* the same, after failures; 0: no rest. Then one operation tries a device */
	_Atomic int64_t silent_until;	/* the same: no failure is logged before */
	_Atomic unsigned int started;	/* the generation that has attached to the section */
	_Atomic unsigned int polls;	/* the generation that has poller threads */
	struct wdp_session curves[WDP_CURVES];	/* key agreement and key generation */
	struct wdp_session groups[WDP_GROUPS];	/* the same for named groups of DH */
};

static inline void wdp_count(struct wdp_provider *prov, unsigned int which)
{
	atomic_fetch_add_explicit(&prov->counts[which], 1, memory_order_relaxed);
}

#endif
