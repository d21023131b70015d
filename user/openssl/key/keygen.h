/* SPDX-License-Identifier: Apache-2.0 */
/* Generation of keys and parameters. */
#ifndef WDP_KEYGEN_H
#define WDP_KEYGEN_H

#include <openssl/core.h>

struct wdp_family;

void *wdp_gen_init(void *provctx, const struct wdp_family *family, int selection, const OSSL_PARAM params[]);
int wdp_gen_set_template(void *genctx, void *template);
int wdp_gen_set_params(void *genctx, const OSSL_PARAM params[]);
void *wdp_gen(void *genctx, OSSL_CALLBACK *cb, void *arg);
void wdp_gen_cleanup(void *genctx);

#endif
