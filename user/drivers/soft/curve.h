/* SPDX-License-Identifier: Apache-2.0 */
/* A curve as libcrypto sees it, for the files that compute on one. */
#ifndef WD_SOFT_CURVE_H
#define WD_SOFT_CURVE_H

#include <openssl/ec.h>
#include <openssl/evp.h>
#include "bn.h"
#include "ecc.h"
#include "spare.h"

/**
 * struct soft_ecc_key - a key as libcrypto sees it
 * @ctx:	prepared for verifying and for signing; or for deriving a secret
 */
struct soft_ecc_key {
	EVP_PKEY *pkey;
	struct soft_spare ctx[2];
};

struct soft_ecc {
	EC_GROUP *group;
	struct soft_spare work;
};

/* The memory of one computation at a time. */
struct soft_work {
	BN_CTX *bn;
	EC_POINT *in;
	EC_POINT *out;
	BIGNUM *x, *y;		/* coordinates of in */
	bool secret;		/* out holds a product */
};

/* NULL: no memory. A caller that takes secret numbers from bn clears them before soft_work_put(). */
struct soft_work *soft_work_get(struct soft_ecc *e);
void soft_work_put(struct soft_ecc *e, struct soft_work *w);

/* in = the point; false: the coordinates are not a point of the curve. */
static inline bool soft_work_in(struct ecc_sess *s, struct soft_work *w, const __u8 *x, const __u8 *y)
{
	/* The last call checks that the point lies on the curve. */
	return BN_bin2bn(x, (int)s->w, w->x) && BN_bin2bn(y, (int)s->w, w->y) &&
	       EC_POINT_set_affine_coordinates(s->soft->group, w->in, w->x, w->y, w->bn);
}

/* out = d G, or d times the point of 2 w bytes; 0, -EINVAL, -ENOMEM. */
int soft_work_multiply(struct ecc_sess *s, struct soft_work *w, const BIGNUM *d, const __u8 *point);
bool soft_work_point(struct ecc_sess *s, struct soft_work *w, __u8 *point);

#endif
