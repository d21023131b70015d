/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that a context is given one after the other, kept for another context. */
#ifndef WDP_SETTINGS_H
#define WDP_SETTINGS_H

#include <stdbool.h>
#include <openssl/params.h>

/*
 * wdp_settings_add() - copies to the list, which may be NULL; later values take the place of earlier ones. false: no
 * memory.
 */
bool wdp_settings_add(OSSL_PARAM **list, const OSSL_PARAM params[]);

#endif
