/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of ciphers with a tag. */
#ifndef WDP_AEAD_H
#define WDP_AEAD_H

#include <openssl/core_dispatch.h>

#include "core/provider.h"

/* wdp_aead_new() - a context of one of prov->ciphers. */
void *wdp_aead_new(struct wdp_provider *prov, enum wdp_cipher_id id);

/* Dispatched as they are. */
OSSL_FUNC_cipher_freectx_fn wdp_aead_free;
OSSL_FUNC_cipher_dupctx_fn wdp_aead_dup;
OSSL_FUNC_cipher_encrypt_init_fn wdp_aead_encrypt_init;
OSSL_FUNC_cipher_decrypt_init_fn wdp_aead_decrypt_init;
OSSL_FUNC_cipher_update_fn wdp_aead_update;
OSSL_FUNC_cipher_final_fn wdp_aead_final;
OSSL_FUNC_cipher_cipher_fn wdp_aead_whole;
OSSL_FUNC_cipher_get_ctx_params_fn wdp_aead_get_ctx_params;
OSSL_FUNC_cipher_set_ctx_params_fn wdp_aead_set_ctx_params;

#endif
