/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of ciphers. */
#ifndef WDP_CIPHER_H
#define WDP_CIPHER_H

#include <openssl/core_dispatch.h>

#include "core/provider.h"

/* wdp_cipher_new() - a context of one of prov->ciphers. */
void *wdp_cipher_new(struct wdp_provider *prov, enum wdp_cipher_id id);

/* Dispatched as they are. */
OSSL_FUNC_cipher_freectx_fn wdp_cipher_free;
OSSL_FUNC_cipher_dupctx_fn wdp_cipher_dup;
OSSL_FUNC_cipher_encrypt_init_fn wdp_cipher_encrypt_init;
OSSL_FUNC_cipher_decrypt_init_fn wdp_cipher_decrypt_init;
OSSL_FUNC_cipher_update_fn wdp_cipher_update;
OSSL_FUNC_cipher_final_fn wdp_cipher_final;
OSSL_FUNC_cipher_cipher_fn wdp_cipher_whole;
OSSL_FUNC_cipher_get_ctx_params_fn wdp_cipher_get_ctx_params;
OSSL_FUNC_cipher_set_ctx_params_fn wdp_cipher_set_ctx_params;

#endif
