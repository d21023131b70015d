/* SPDX-License-Identifier: Apache-2.0 */
/* Encodings of RFC 8017. */
#ifndef WDP_RSA_PADDING_H
#define WDP_RSA_PADDING_H

#include <stdbool.h>
#include <stddef.h>
#include <openssl/types.h>

struct wdp_rsa_scheme;

/*
 * wdp_pkcs1_encode() - EMSA-PKCS1-v1_5 of a digest; without md the bytes are taken as they are. false: no such digest
 * here, or not its length.
 */
bool wdp_pkcs1_encode(unsigned char *em, size_t k, const EVP_MD *md, const unsigned char *tbs, size_t len);

/* wdp_pss_encode() - EMSA-PSS for a modulus of 8 k bits. */
bool wdp_pss_encode(unsigned char *em, size_t k, const struct wdp_rsa_scheme *scheme, OSSL_LIB_CTX *libctx,
		    const unsigned char *hash, size_t len);

/* wdp_pss_verify() - is em, which is overwritten, of that digest? false also if the scheme is not known here. */
bool wdp_pss_verify(unsigned char *em, size_t k, const struct wdp_rsa_scheme *scheme, const unsigned char *hash,
		    size_t len);

/* wdp_oaep_encode() - of a message; false: it is too long, or there are no random numbers. */
bool wdp_oaep_encode(unsigned char *em, size_t k, const struct wdp_rsa_scheme *scheme, OSSL_LIB_CTX *libctx,
		     const unsigned char *label, size_t label_len, const unsigned char *in, size_t len);

/*
 * wdp_oaep_decode() - the message in em, k bytes, which it overwrites. The time depends on the sizes only. Returns
 * 1 or 0; *len is then undefined. room >= k: the message fits in any case.
 */
int wdp_oaep_decode(unsigned char *em, size_t k, const EVP_MD *md, const EVP_MD *mgf1, const unsigned char *label,
		    size_t label_len, unsigned char *out, size_t *len, size_t room);

#endif
