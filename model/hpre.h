/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* A parsed HPRE request and its operands. */
#ifndef WDM_HPRE_H
#define WDM_HPRE_H

#include "hw/hpre_hw.h"
#include "internal.h"
#include "scratch.h"

/**
 * struct wdm_hpre_req - one request, checked except for its operands in memory
 * @bytes, @words: size of an operand: the modulus of RSA and DH, or a number of a curve
 * @key, @in, @out: addresses
 * @key_bytes, @in_bytes, @out_bytes: sizes of what is read first and written last
 * @text: bytes of SM2's plaintext
 * @own_random: the device chooses the random number
 * @valid: result of a verification
 * @w: operands, and values computed from them
 */
struct wdm_hpre_req {
	struct wdm_job *job;
	struct wdm_scratch *s;
	struct wdm_hpre_work *w;
	enum hpre_op op;
	u32 bytes, words;
	u64 key, in, out;
	u32 key_bytes, in_bytes, out_bytes;
	u32 text;
	bool own_random;
	bool valid;
};

/* Functions return an enum hpre_error unless declared otherwise; operands and result are in @w. */

/* hpre_decode.c */
u32 wdm_hpre_decode(struct wdm_hpre_req *r, const u32 *sqe);

/* hpre_rsa.c */
u32 wdm_hpre_power(struct wdm_hpre_req *r);
u32 wdm_hpre_crt(struct wdm_hpre_req *r);
u32 wdm_hpre_keygen(struct wdm_hpre_req *r);

/* hpre_ecc.c */
u32 wdm_hpre_multiply(struct wdm_hpre_req *r);
u32 wdm_hpre_montgomery(struct wdm_hpre_req *r);
u32 wdm_hpre_ecdsa_sign(struct wdm_hpre_req *r);
u32 wdm_hpre_ecdsa_verify(struct wdm_hpre_req *r);

/* hpre_sm2.c */
u32 wdm_hpre_sm2_keygen(struct wdm_hpre_req *r);
u32 wdm_hpre_sm2_sign(struct wdm_hpre_req *r);
u32 wdm_hpre_sm2_verify(struct wdm_hpre_req *r);
u32 wdm_hpre_sm2_encrypt(struct wdm_hpre_req *r);
u32 wdm_hpre_sm2_decrypt(struct wdm_hpre_req *r);

/* hpre_ecc.c: number @i of the key and of the input, as in memory */
const u8 *wdm_hpre_key(const struct wdm_hpre_req *r, u32 i);
const u8 *wdm_hpre_in(const struct wdm_hpre_req *r, u32 i);
void wdm_hpre_put(struct wdm_hpre_req *r, u32 i, const u64 *a);

/* Loads the curve, its order and its generator from a signing key or from a public key. */
u32 wdm_hpre_sign_key(struct wdm_hpre_req *r);
u32 wdm_hpre_public_key(struct wdm_hpre_req *r);
/* Loads the signature into @w->r and @w->s; false if one of them is out of range. */
bool wdm_hpre_signature(struct wdm_hpre_req *r);
/* Loads the number at @from; false unless it is between 1 and the order - 1. */
bool wdm_hpre_scalar(const struct wdm_hpre_req *r, u64 *k, const u8 *from);
/* A random number in that range */
u32 wdm_hpre_random(struct wdm_hpre_req *r, u64 *k);
/* Reduces any number modulo the order */
void wdm_hpre_reduce(const struct wdm_hpre_req *r, u64 *to, const u64 *a);

#endif
