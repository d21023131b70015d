/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and operands for the rows of RSA, DH and ECC. */
#ifndef WD_BENCH_PUBKEY_H
#define WD_BENCH_PUBKEY_H

#include <stdbool.h>
#include <openssl/evp.h>
#include <wd_dh.h>
#include <wd_ecc.h>
#include <wd_rsa.h>
#include "bench.h"

#define MOST	256	/* bytes of a number: 2048 bits */

extern struct pubkey_operands {
	EVP_PKEY *rsa, *ec, *x, *dh, *dh_peer, *ec_peer, *x_peer;
	unsigned char in[MOST], out[MOST], digest[32], sig[64], der[80], ec_point[65], x_point[32], dh_value[MOST];
	size_t der_len;
} pubkey;

/* Ends the program unless @good is true. */
void pubkey_need(bool good, const char *what);

void pubkey_rsa_make(void);
void pubkey_dh_make(void);
void pubkey_ec_make(void);
void pubkey_x_make(void);

handle_t pubkey_rsa_session(int op_type, __u32 flags, bool primes);
handle_t pubkey_dh_session(int op_type, __u32 flags);
handle_t pubkey_ecc_session(int alg, int curve, int op_type, __u32 flags);
int pubkey_ecc_do(handle_t h, int op, void *in, size_t n, void *extra, size_t extra_len, void *out);

#endif
