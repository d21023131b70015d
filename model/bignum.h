/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Natural numbers of a fixed width: 64-bit words, lowest first. Not protected against timing attacks. */
#ifndef WDM_BIGNUM_H
#define WDM_BIGNUM_H

#include "env.h"

#define WDM_NUM_WORDS	64	/* largest width: 4096 bits */

/* Numbers in memory are big-endian and have 8 * @nr bytes. */
void wdm_num_load(u64 *r, const u8 *p, u32 nr);
void wdm_num_store(u8 *p, const u64 *a, u32 nr);

void wdm_num_set(u64 *r, u64 v, u32 nr);
void wdm_num_copy(u64 *r, const u64 *a, u32 nr);
bool wdm_num_is(const u64 *a, u64 v, u32 nr);
/* Returns below, equal to or above 0, as @a is to @b. */
int wdm_num_cmp(const u64 *a, const u64 *b, u32 nr);
u32 wdm_num_bits(const u64 *a, u32 nr);
bool wdm_num_bit(const u64 *a, u32 bit);

/* @r may be an operand. Returns the carry or borrow. */
u64 wdm_num_add(u64 *r, const u64 *a, const u64 *b, u32 nr);
u64 wdm_num_sub(u64 *r, const u64 *a, const u64 *b, u32 nr);
/* @r gets the lowest @r_nr words of the product, and must not be an operand. */
void wdm_num_mul(u64 *r, u32 r_nr, const u64 *a, u32 a_nr, const u64 *b, u32 b_nr);
/* Remainder of any number modulo @m, which must not be 0; @r must not be @m. */
void wdm_num_mod(u64 *r, const u64 *a, u32 a_nr, const u64 *m, u32 nr);

/* Modulo @m; operands must be below @m, and @r may be an operand. */
void wdm_num_add_mod(u64 *r, const u64 *a, const u64 *b, const u64 *m, u32 nr);
void wdm_num_sub_mod(u64 *r, const u64 *a, const u64 *b, const u64 *m, u32 nr);

#define WDM_INVERSE_TEMPS	4	/* temporary numbers that an inversion needs, as wide as the operands */

/* Inverse of any number modulo an odd number above 1; false if there is none. @r may be @a. */
bool wdm_num_inverse(u64 *r, const u64 *a, const u64 *m, u32 nr, u64 *tmp);
/* Inverse of an odd number @e above 1 modulo an even number @m; false if there is none. */
bool wdm_num_inverse_even(u64 *r, const u64 *e, const u64 *m, u32 nr, u64 *tmp);

/**
 * struct wdm_mont - an odd modulus above 1, prepared for Montgomery multiplication
 * @one, @square: 2 ^ (64 * nr) and its square, modulo @m; they convert numbers to Montgomery form
 * @n0: -1 / m, modulo 2 ^ 64
 * @t: temporary of a multiplication
 */
struct wdm_mont {
	u32 nr;
	u64 n0;
	u64 m[WDM_NUM_WORDS];
	u64 one[WDM_NUM_WORDS];
	u64 square[WDM_NUM_WORDS];
	u64 t[WDM_NUM_WORDS + 2];
};

void wdm_mont_init(struct wdm_mont *m, const u64 *modulus, u32 nr);
/*
 * The product of two numbers in Montgomery form. If only one of them is in that form, the
 * product isn't. @r may be an operand.
 */
void wdm_mont_mul(struct wdm_mont *m, u64 *r, const u64 *a, const u64 *b);
void wdm_mont_in(struct wdm_mont *m, u64 *r, const u64 *a);
void wdm_mont_out(struct wdm_mont *m, u64 *r, const u64 *a);

#endif
