/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatch tables of the types of keys. */
#ifndef WDP_KEYMGMT_H
#define WDP_KEYMGMT_H

#include <openssl/core.h>

struct wdp_provider;

/*
 * wdp_keymgmt_prepare() - learn the default provider's lists of parameters; before any of the tables is used. What
 * libcrypto was built without, SM2 for example, is no more among the provider's algorithms then.
 */
void wdp_keymgmt_prepare(struct wdp_provider *prov);

extern const OSSL_DISPATCH wdp_keymgmt_rsa[], wdp_keymgmt_rsa_pss[], wdp_keymgmt_ec[], wdp_keymgmt_x25519[],
	wdp_keymgmt_x448[], wdp_keymgmt_dh[], wdp_keymgmt_dhx[], wdp_keymgmt_sm2[];

#endif
