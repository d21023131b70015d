/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Natural numbers of a fixed width: words of 64 bits, the lowest first. Not hardened against measuring its time. */
#ifndef WDM_BIGNUM_H
#define WDM_BIGNUM_H

#include "env.h"

#define WDM_NUM_WORDS	64	/* the widest: 4096 bits */

/* In memory they are big-endian: 8 * @nr bytes. */
void wdm_num_load(u64 *r, const u8 *p, u32 nr);
void wdm_num_store(u8 *p, const u64 *a, u32 nr);

void wdm_num_set(u64 *r, u64 v, u32 nr);
void wdm_num_copy(u64 *r, const u64 *a, u32 nr);
bool wdm_num_is(const u64 *a, u64 v, u32 nr);
/* Below, equal or above 0 as @a is to @b. */
int wdm_num_cmp(const u64 *a, const u64 *b, u32 nr);
u32 wdm_num_bits(const u64 *a, u32 nr);
bool wdm_num_bit(const u64 *a, u32 bit);

/* The result may be an operand. Carry or borrow is returned. */
u64 wdm_num_add(u64 *r, const u64 *a, const u64 *b, u32 nr);
u64 wdm_num_sub(u64 *r, const u64 *a, const u64 *b, u32 nr);
/* @r: @r_nr words, the lowest of the product, neither operand. */
void wdm_num_mul(u64 *r, u32 r_nr, const u64 *a, u32 a_nr, const u64 *b, u32 b_nr);
/* Remainder of any number by one that isn't 0; @r is not @m. */
void wdm_num_mod(u64 *r, const u64 *a, u32 a_nr, const u64 *m, u32 nr);

/* Modulo @m, of operands below it; the result may be an operand. */
void wdm_num_add_mod(u64 *r, const u64 *a, const u64 *b, const u64 *m, u32 nr);
void wdm_num_sub_mod(u64 *r, const u64 *a, const u64 *b, const u64 *m, u32 nr);

#define WDM_INVERSE_TEMPS	4	/* numbers of the operands' width that it wants for itself */

/* Modulo an odd number above 1, of anything. false: there is none. @r may be @a. */
bool wdm_num_inverse(u64 *r, const u64 *a, const u64 *m, u32 nr, u64 *tmp);
/* Of the odd number @e above 1, modulo the even number @m. false: there is none. */
bool wdm_num_inverse_even(u64 *r, const u64 *e, const u64 *m, u32 nr, u64 *tmp);

/**
 * struct wdm_mont - an odd modulus above 1, ready for Montgomery's products
 * @one, @square: 2 ^ (64 * nr), once and squared, modulo @m: what takes numbers to their form
 * @n0: -1 / m, modulo 2 ^ 64
 * @t: of a product under way
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
/* The product of two numbers of that form, or of one of it and one not of it, which is then not of it. Any may be @r. */
void wdm_mont_mul(struct wdm_mont *m, u64 *r, const u64 *a, const u64 *b);
void wdm_mont_in(struct wdm_mont *m, u64 *r, const u64 *a);
void wdm_mont_out(struct wdm_mont *m, u64 *r, const u64 *a);

#endif
