// SPDX-License-Identifier: Apache-2.0
/* An HPRE device of the rig. */
#include <openssl/objects.h>
#include <stdlib.h>
#include <string.h>
#include "hpre_rig.h"

void hpre_rig_init(struct rig *r)
{
	struct wdm_attr attr = { .type = WDM_HPRE };
	u32 type;

	rig_init(r, &attr);
	r->user_hole = AT_HOLE;
	r->user_hole_end = AT_HOLE + 4096;
	for (type = HPRE_QC_RSA_DH; type <= HPRE_QC_ECC; type++) {
		struct rig_queue_opts o = { .alg = type };

		if (rig_queue_start(r, type, &o))
			abort();
	}
}

void hpre_fill(struct hpre_sqe *sqe, enum hpre_op op, u32 bytes)
{
	*sqe = (struct hpre_sqe){
		.dw0 = op | HPRE_DONE_SOFTWARE << HPRE_DW0_DONE_SHIFT, .task_len1 = (u8)(bytes / 8 - 1),
		.key = AT_KEY, .in = AT_IN, .out = AT_OUT, .tag = 0x123456789abcdef0ull,
	};
}

int hpre_do_on(struct rig *r, u32 qc_type, struct hpre_sqe *sqe)
{
	u32 error, sva;

	if (!rig_do(r, qc_type, sqe) || sqe->dw0 >> HPRE_DW0_DONE_SHIFT != HPRE_DONE_HARDWARE)
		return -1;
	error = sqe->dw0 >> HPRE_DW0_ETYPE_SHIFT & HPRE_DW0_ETYPE_MASK;
	sva = sqe->dw0 >> HPRE_DW0_ETYPE1_SHIFT & HPRE_DW0_ETYPE1_MASK;
	return sva == (error == HPRE_ERR_ADDRESS ? HPRE_ETYPE1_SVA : 0) ? (int)error : -1;
}

int hpre_do(struct rig *r, struct hpre_sqe *sqe)
{
	return hpre_do_on(r, (sqe->dw0 & HPRE_DW0_ALG_MASK) >= HPRE_ECC_CURVE_TEST ? HPRE_QC_ECC : HPRE_QC_RSA_DH, sqe);
}

int hpre_ask(struct rig *r, enum hpre_op op, u32 bytes)
{
	struct hpre_sqe sqe;

	hpre_fill(&sqe, op, bytes);
	return hpre_do(r, &sqe);
}

int hpre_verify(struct rig *r, enum hpre_op op, u32 bytes)
{
	struct hpre_sqe sqe;
	int error;

	hpre_fill(&sqe, op, bytes);
	sqe.out = 0;
	error = hpre_do(r, &sqe);
	if (error)
		return -error;
	return sqe.out & HPRE_VERIFY_VALID ? 1 : sqe.out ? -1000 : 0;
}

void put_bn(struct rig *r, u64 where, u32 i, u32 bytes, const BIGNUM *a)
{
	if (BN_bn2binpad(a, at(r, where) + i * bytes, (int)bytes) < 0)
		abort();
}

void put_hex(struct rig *r, u64 where, u32 i, u32 bytes, const char *digits)
{
	u32 n = (u32)strlen(digits) / 2;

	memset(at(r, where) + i * bytes, 0, bytes);
	hex(at(r, where) + i * bytes + bytes - n, digits);
}

bool is_bn(struct rig *r, u64 where, u32 i, u32 bytes, const BIGNUM *a)
{
	unsigned char want[HPRE_MAX_BYTES];

	return BN_bn2binpad(a, want, (int)bytes) >= 0 && !memcmp(want, at(r, where) + i * bytes, bytes);
}

bool is_number(struct rig *r, u64 where, u32 i, u32 bytes, const char *digits)
{
	const unsigned char *p = at(r, where) + i * bytes;
	u32 n = bytes - (u32)strlen(digits) / 2, j;

	for (j = 0; j < n; j++)
		if (p[j])
			return false;
	return is_hex(p + n, digits);
}

void get_bn(struct rig *r, u64 where, u32 i, u32 bytes, BIGNUM *a)
{
	BN_bin2bn(at(r, where) + i * bytes, (int)bytes, a);
}

void curve_open(struct named_curve *c, int nid)
{
	u32 bits;

	*c = (struct named_curve){
		.name = OBJ_nid2sn(nid), .group = EC_GROUP_new_by_curve_name(nid), .ctx = BN_CTX_new(), .p = BN_new(),
		.a = BN_new(), .b = BN_new(), .n = BN_new(), .gx = BN_new(), .gy = BN_new(),
	};
	if (!c->group || !EC_GROUP_get_curve(c->group, c->p, c->a, c->b, c->ctx) ||
	    !EC_GROUP_get_order(c->group, c->n, c->ctx) ||
	    !EC_POINT_get_affine_coordinates(c->group, EC_GROUP_get0_generator(c->group), c->gx, c->gy, c->ctx))
		abort();
	bits = (u32)BN_num_bits(c->p);
	c->bytes = bits <= 256 ? HPRE_ECC_BYTES_256 : bits <= 384 ? HPRE_ECC_BYTES_384 : HPRE_ECC_BYTES_576;
	c->bits = (u32)BN_num_bits(c->n);
}

void curve_close(struct named_curve *c)
{
	EC_GROUP_free(c->group);
	BN_CTX_free(c->ctx);
	BN_free(c->p);
	BN_free(c->a);
	BN_free(c->b);
	BN_free(c->n);
	BN_free(c->gx);
	BN_free(c->gy);
}

void curve_put_multiply(struct rig *r, const struct named_curve *c, const BIGNUM *k)
{
	put_bn(r, AT_KEY, 0, c->bytes, c->p);
	put_bn(r, AT_KEY, 1, c->bytes, c->a);
	put_bn(r, AT_KEY, 2, c->bytes, k);
	put_bn(r, AT_KEY, 3, c->bytes, c->b);
}

void curve_put_sign(struct rig *r, const struct named_curve *c, const BIGNUM *d)
{
	curve_put_multiply(r, c, d);
	put_bn(r, AT_KEY, 4, c->bytes, c->n);
	put_bn(r, AT_KEY, 5, c->bytes, c->gx);
	put_bn(r, AT_KEY, 6, c->bytes, c->gy);
}

void curve_put_public(struct rig *r, const struct named_curve *c, const BIGNUM *x, const BIGNUM *y)
{
	const BIGNUM *all[] = { c->p, c->a, c->b, c->n, c->gx, c->gy, x, y };
	u32 i;

	for (i = 0; i < HPRE_PUBLIC_KEY_FIELDS; i++)
		put_bn(r, AT_KEY, i, c->bytes, all[i]);
}

void curve_base_mul(const struct named_curve *c, const BIGNUM *k, BIGNUM *x, BIGNUM *y)
{
	EC_POINT *point = EC_POINT_new(c->group);

	if (!EC_POINT_mul(c->group, point, k, NULL, NULL, c->ctx) ||
	    !EC_POINT_get_affine_coordinates(c->group, point, x, y, c->ctx))
		abort();
	EC_POINT_free(point);
}

void curve_random(const struct named_curve *c, BIGNUM *k)
{
	do
		BN_rand_range(k, c->n);
	while (BN_is_zero(k));
}
