/* SPDX-License-Identifier: Apache-2.0 */
/* An HPRE device of the rig: operands as numbers of libcrypto or as digits, curves by their names. */
#ifndef HPRE_RIG_H
#define HPRE_RIG_H

#include <openssl/bn.h>
#include <openssl/ec.h>
#include "bytes.h"
#include "hw/hpre_hw.h"
#include "rig.h"

/* Addresses in user memory. */
#define AT_KEY		RIG_USER_BASE
#define AT_IN		(RIG_USER_BASE + (1u << 20))
#define AT_OUT		(RIG_USER_BASE + (2u << 20))
#define AT_HOLE		(RIG_USER_BASE + (3u << 20))

void hpre_rig_init(struct rig *r);

/* A descriptor of that operation on operands of @bytes, at the addresses above. */
void hpre_fill(struct hpre_sqe *sqe, enum hpre_op op, u32 bytes);
/*
 * Submits on a queue of that class: returns enum hpre_error, or -1 when no completion came or its fields are
 * inconsistent.
 */
int hpre_do_on(struct rig *r, u32 qc_type, struct hpre_sqe *sqe);
/* The same on a queue of the matching class. */
int hpre_do(struct rig *r, struct hpre_sqe *sqe);
int hpre_ask(struct rig *r, enum hpre_op op, u32 bytes);
/* A verification: 1 valid, 0 not, or -enum hpre_error. */
int hpre_verify(struct rig *r, enum hpre_op op, u32 bytes);

/* The @i-th operand of @bytes from there on */
void put_bn(struct rig *r, u64 where, u32 i, u32 bytes, const BIGNUM *a);
void put_hex(struct rig *r, u64 where, u32 i, u32 bytes, const char *digits);
bool is_bn(struct rig *r, u64 where, u32 i, u32 bytes, const BIGNUM *a);
bool is_number(struct rig *r, u64 where, u32 i, u32 bytes, const char *digits);
void get_bn(struct rig *r, u64 where, u32 i, u32 bytes, BIGNUM *a);

struct named_curve {
	const char *name;
	EC_GROUP *group;
	u32 bytes;		/* of a field of the device */
	u32 bits;		/* of the order */
	BN_CTX *ctx;
	BIGNUM *p, *a, *b, *n, *gx, *gy;
};

/* By libcrypto's number */
void curve_open(struct named_curve *c, int nid);
void curve_close(struct named_curve *c);
/* Keys in the orders of the device */
void curve_put_multiply(struct rig *r, const struct named_curve *c, const BIGNUM *k);
void curve_put_sign(struct rig *r, const struct named_curve *c, const BIGNUM *d);
void curve_put_public(struct rig *r, const struct named_curve *c, const BIGNUM *x, const BIGNUM *y);
/* @x, @y = k * generator, by libcrypto */
void curve_base_mul(const struct named_curve *c, const BIGNUM *k, BIGNUM *x, BIGNUM *y);
/* From 1 to the order - 1 */
void curve_random(const struct named_curve *c, BIGNUM *k);

#endif
